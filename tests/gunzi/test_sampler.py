"""
Sampled hands against the rule book: they never contradict what a seat knows, and are drawn from all that do not, alike.

What a seat knows is judged by `naive.hidden_hands` from records and the referee; `sampled_hands` is the same as a
command, for many more samples.
"""

import math
import random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
import sampled_hands
from captured import play
from counts import IS_COMPILED, count
from from_host import host_njit
from naive import hidden_hands, ways
from sampled_hands import gathered, kinds_of, moments, prepared, random_game, samples
from scipy import stats

from gunzi_sim.game import Job, PolicySpec, Situation
from gunzi_sim.gunzi import engine, sampler
from gunzi_sim.gunzi import facts as facts_kernel
from gunzi_sim.gunzi.facts import FACTS, OTHERS, count_planes
from gunzi_sim.gunzi.rules import PRESETS
from gunzi_sim.gunzi.view import GROUPS, LEAD, ROW

P_VALUE = 1e-8
"""Smallest probability at which a sample still passes for a fair one; some fifty are looked at."""


def test_g18_samples_agree_with_all_that_is_public():
    judged, wrong = sampled_hands.search(count(600, 60), seed=11, n_each=4)
    assert not wrong, wrong[0]
    assert set(judged) >= {"bury", "lead", "follow"} | ({"jokers"} if IS_COMPILED else set())


def test_a_fact_left_out_is_noticed():
    """A planted fault: what strict following tells is not looked at (G10.4)."""
    command = [sys.executable, sampled_hands.__file__, "--samples", "300", "--seed", "4", "--plant", "patterns"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "G10.4" in done.stdout, done.stderr


# --- enumeration -----------------------------------------------------------------------------------------------------


def room(now):
    """Cards of each hidden hand, and of the bottom where it is hidden."""
    hidden = [row for row in range(5) if row != now.seat and not (row == 4 and now.knows_bottom)]
    return [now.hands[row].total() for row in hidden]


def small_moments(seed, n_hidden, n_known, most=300):
    """View and moment of ends of hands with few ways to lay the cards, so many with the bottom hidden and known."""
    rng = random.Random(seed)
    wanted = {False: n_hidden, True: n_known}
    found = []
    while any(wanted.values()):
        hand = random_game(rng)
        if hand is None:
            continue
        late = [i for i, (decision, view) in enumerate(hand.asked) if decision >= LEAD and view["cards_left"] <= 3]
        for view, now in moments(hand, set(rng.sample(late, min(2, len(late))))):
            n_all = math.factorial(sum(room(now))) // math.prod(map(math.factorial, room(now)))
            if wanted[now.knows_bottom] and 4 <= n_all <= (most if now.knows_bottom else 1700):
                wanted[now.knows_bottom] -= 1
                found.append((view, now))
    return found


def key(hands):
    """Something to count hands by."""
    return tuple(tuple(sorted(hand.elements())) for hand in hands)


def p_value(drawn, allowed):
    """
    Probability of counts as uneven as drawn if all ways were alike; 0 where something else was drawn.

    `drawn` and `allowed` map arrangements to numbers of samples and of ways. Rare ones are put together.
    """
    if set(drawn) - set(allowed):
        return 0.0
    n_drawn, n_ways = sum(drawn.values()), sum(allowed.values())
    seen, expected = [], []
    rest_seen, rest_expected = 0, 0.0
    for one, n in allowed.items():
        share = n_drawn * n / n_ways
        if share >= 5:
            seen.append(drawn[one])
            expected.append(share)
        else:
            rest_seen += drawn[one]
            rest_expected += share
    if rest_expected >= 5:
        seen.append(rest_seen)
        expected.append(rest_expected)
    if len(seen) < 2:
        return 1.0
    scale = sum(seen) / sum(expected)
    return float(stats.chisquare(seen, [share * scale for share in expected]).pvalue)


def draw_keys(ready, now, n, seed):
    """Samples counted by arrangement."""
    planes, numbers = np.unique(samples(ready, n, seed).reshape(n, -1), axis=0, return_counts=True)
    hands = (kinds_of(one.reshape(5, 3), now.level, now.trump) for one in planes)
    return Counter({key(one): int(n_drawn) for one, n_drawn in zip(hands, numbers)})


@pytest.fixture(scope="module")
def small():
    """Facts, moment, and ways by arrangement, of small cases enumerated by the rule book."""
    found = []
    rng = random.Random(5)
    for view, now in small_moments(5, count(2, 1), count(14, 4)):
        allowed = {key(hands): n for hands, n in hidden_hands.allowed_arrangements(now, rng)}
        found.append((view, now, allowed))
    return found


def test_ways_are_those_of_enumeration(small):
    for view, now, allowed in small:
        assert prepared(gathered(view)).n_ways == sum(allowed.values()), now
    assert any(len(allowed) < len(list(hidden_hands.arrangements(now))) for _, now, allowed in small)


def test_every_way_is_drawn_alike(small):
    for number, (view, now, allowed) in enumerate(small):
        drawn = draw_keys(prepared(gathered(view)), now, count(20_000, 1500), number)
        assert p_value(drawn, allowed) > P_VALUE, now


def test_ways_counted_by_kinds_are_noticed(small):
    """A planted fault: every arrangement by kinds drawn alike, as if copies of a kind were one card."""
    rng = random.Random(1)
    caught = 0
    for _, _, allowed in small:
        if len(set(allowed.values())) > 1:
            drawn = Counter(rng.choices(list(allowed), k=20_000))
            caught += p_value(drawn, allowed) < P_VALUE
    assert caught


def test_a_void_ignored_is_noticed(small):
    """A planted fault: what the voids tell is taken out of the facts."""
    caught = 0
    for number, (view, now, allowed) in enumerate(small):
        facts = gathered(view)
        for location in range(OTHERS):
            for group in range(4):
                if int(view["voids"][int(facts["owner"][location])]) >> group & 1:
                    for place in range(58):
                        if int(GROUPS[group]) >> place & 1:
                            facts["allowed"][location, place] = 0b1111
        caught += p_value(draw_keys(prepared(facts), now, 2000, number), allowed) < P_VALUE
    assert caught


# --- large cases -----------------------------------------------------------------------------------------------------


def large_cases(n):
    """Facts of questions from the first half of hands, with the bottom hidden in some."""
    rng = random.Random(3)
    found = []
    while len(found) < n:
        hand = random_game(rng)
        if hand is None:
            continue
        decision, view = rng.choice(hand.asked[: len(hand.asked) // 2])
        facts = gathered(view)
        n_hidden = sum(int(facts["capacity"][OTHERS]) > 0 for facts in found)
        if decision >= LEAD and (facts["capacity"][OTHERS] > 0 or n_hidden > 0 or len(found) < n - 1):
            found.append(facts)
    return found


def several_cases(n, cards_left, most_share):
    """Facts about several kinds that few arrangements keep: a large tribute, and a bottom that nobody exposed."""
    rng = random.Random(6)
    found = []
    while len(found) < n:
        levels = (rng.randint(3, 10), rng.randint(3, 10))
        situation = Situation(False, levels, rng.randrange(4), rng.choice([8, 12, 14]))
        specs = tuple(PolicySpec(rng.choice(["random", "basic"])) for _ in range(4))
        hand = play(Job("gunzi", PRESETS["standard"], specs, rng.getrandbits(60), "hands", situation), 0, True)
        for decision, view in hand.asked if hand else ():
            if decision >= LEAD and int(view["cards_left"]) in cards_left and view["seat"] != view["dealer"]:
                facts, others = gathered(view), gathered(view)
                others["n_sums"] = 0
                if int(facts["n_sums"]) == 1 and prepared(facts).n_ways < most_share * prepared(others).n_ways:
                    found.append(facts)
                    break
    return found


@pytest.mark.skipif(not IS_COMPILED, reason="such deals are sought among many")
def test_ways_that_keep_facts_about_several_kinds_are_counted():
    for facts in several_cases(2, (20, 21), 0.9):
        assert prepared(facts).n_ways == pytest.approx(ways.n_ways(facts), rel=1e-12)


@pytest.mark.skipif(not IS_COMPILED, reason="such deals are sought among many")
def test_facts_about_several_kinds_are_kept_by_every_draw():
    for number, facts in enumerate(several_cases(3, (37, 38, 39), 0.001)):
        planes = samples(prepared(facts), 200, number)
        assert len(planes) == 200
        places, locations = int(facts["sum_places"][0]), int(facts["sum_locations"][0])
        for hands in planes.tolist():
            rows = [int(facts["owner"][n]) for n in range(4) if locations >> n & 1]
            total = sum((word & places).bit_count() for row in rows for word in hands[row])
            assert facts["sum_least"][0] <= total <= facts["sum_most"][0]


def test_large_cases_have_as_many_ways_as_whole_numbers_say():
    for facts in large_cases(count(2, 1)):
        exact = ways.n_ways(facts)
        assert prepared(facts).n_ways == pytest.approx(exact, rel=1e-12)


@pytest.mark.skipif(not IS_COMPILED, reason="ways are counted over large tables again and again")
def test_large_cases_hold_each_card_as_often_as_the_ways_say():
    """Each location holds a copy of each kind with the share of the ways in which it does."""
    n = 4000
    for number, facts in enumerate(large_cases(4)):
        ready = prepared(facts)
        planes = samples(ready, n, number)
        if int(facts["n_sums"]) > 1:
            continue
        for location in range(4):
            row = int(facts["owner"][location])
            for place in range(58):
                n_unseen = int(facts["unseen"][place])
                if n_unseen == 0 or facts["capacity"][location] == 0:
                    continue
                n_held = int((planes[:, row, 0] >> np.uint64(place) & np.uint64(1)).sum())
                before = int(facts["allowed"][location, place])
                facts["allowed"][location, place] = before & ~1
                share = prepared(facts).n_ways / ready.n_ways
                facts["allowed"][location, place] = before
                assert stats.binomtest(n_held, n, min(share, 1.0)).pvalue > P_VALUE, (number, location, place)


# --- in a policy -----------------------------------------------------------------------------------------------------


@host_njit
def has_sample(view, draws, stores):
    """Whether hands are found in which all seats have as many cards as they must. `stores` is written in place."""
    facts = stores[0]
    facts_kernel.gather(view, facts)
    table = np.empty(sampler.measure(facts), np.float64)
    hands = np.empty((5, 3), np.uint64)
    if sampler.prepare(facts, table) <= 0.0 or not sampler.draw(facts, table, draws, hands):
        return False
    for seat in range(4):
        if count_planes(hands[seat, 0], hands[seat, 1], hands[seat, 2]) != view.cards_left:
            return False
    return True


def led_by_sample(view, params, draws):
    """The lowest card; nothing, which the engine refuses, where no whole hands are found."""
    none = np.uint64(0)
    if not has_sample(view, draws, np.zeros(1, FACTS)):
        return none, none, none
    return view.hand_1 & ~(view.hand_1 - np.uint64(1)), none, none


def test_a_policy_samples_from_its_view_alone():
    """Compiled with the one signature that policies have, it finds hands at every lead."""
    base = engine.built_in_policies()["random"]
    table = engine.built_in_policies() | {"sampling": engine.make_policy("sampling", "lead", led_by_sample, base)}
    job = Job(
        "gunzi", PRESETS["standard"], (PolicySpec("sampling", ()),) * 4, 3, "hands", Situation(False, (3, 3), 0, 2)
    )
    rows = np.zeros(count(20, 1), ROW)
    assert engine.play_range(job, table, 0, len(rows), rows) == (len(rows), len(rows))


# --- contradictions --------------------------------------------------------------------------------------------------


def test_facts_that_contradict_each_other_have_no_way():
    facts = large_cases(1)[0]
    place = next(place for place in range(58) if facts["unseen"][place] == 3)
    for location in range(4):
        facts["allowed"][location, place] = 0b0001
    assert prepared(facts).n_ways == 0.0


def test_numbers_of_cards_that_do_not_match_have_no_way():
    facts = large_cases(1)[0]
    assert prepared(facts).n_ways > 0
    facts["capacity"][0] += 1
    assert prepared(facts).n_ways == 0.0
    facts["capacity"][0] -= 1
    facts["unseen"][0] = -1
    assert prepared(facts).n_ways == 0.0
