"""The policy `search`: its candidates by the rule book, its arithmetic by hand, and its choice at the ends of hands."""

import math
import random
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from captured import play
from counts import IS_COMPILED, count
from from_host import from_host, host_njit
from naive import hidden_hands
from sampled_hands import kinds_of, moments

from gunzi_sim import games
from gunzi_sim.game import Job, PolicySpec, Situation
from gunzi_sim.gunzi import candidates, engine, policies_search, referee
from gunzi_sim.gunzi.policies_search import CARD, CAUTION, HOPE, MOST_CHIPS, POINT
from gunzi_sim.gunzi.referee_play import follow_fault, lead_fault, order_of, points_of, trick_winner
from gunzi_sim.gunzi.referee_score import Played, score_hand, tribute_pts
from gunzi_sim.gunzi.rules import PRESETS, Follow
from gunzi_sim.gunzi.view import DECISIONS, FIRST_PURPOSE, FOLLOW, KIND_AT, LEAD, PARAMS, VIEW, call_cards
from gunzi_sim.rng import DRAWS, start_draws

RULES = PRESETS["standard"]
MOST = policies_search.MOST_CANDIDATES

pytestmark = pytest.mark.skipif(not IS_COMPILED, reason="every decision plays many hands on")


def job_of(names, seed, **params):
    """Single hands, a later hand at levels 4 and 7 with a tribute; `params` are those of every seat."""
    specs = tuple(PolicySpec(name, tuple(params.items())) for name in names)
    return Job("gunzi", RULES, specs, seed, "hands", Situation(False, (4, 7), 1, 2))


def records(dtype):
    """One zeroed record in an array, as kernels take it."""
    return engine.zeroed(1, dtype)


def kept(view):
    """A view as an array of one that kernels take."""
    found = records(VIEW)
    found[0] = view
    return found


@cache
def search_params(inner, iterations):
    """Parameters of `search` with the addresses that its playouts need, and the addresses of its own decisions."""
    job = job_of(["search"] * 4, 0, iterations=iterations, inner=inner)
    bench = engine._bench(job, engine.known_policies())
    params = records(PARAMS)
    params[0] = bench.state["params"][0, 0]
    return params, bench.state["calls"][0, :, 0].copy()


@host_njit
def ask(address, view, params, draws):
    return call_cards(address, view[0], params[0], draws[0])


@host_njit
def begin(draws, seed):
    start_draws(draws[0], np.uint64(seed), np.uint64(0), np.uint64(0))


def answer(decision, view, seed=0, inner=0, iterations=4):
    """Planes that `search` answers to a view, and whether it took draws."""
    params, addresses = search_params(inner, iterations)
    draws = records(DRAWS)
    begin(draws, seed)
    before = draws.tobytes()
    found = ask(addresses[decision], kept(view), params.copy(), draws)
    return tuple(int(plane) for plane in found), draws.tobytes() != before


@host_njit
def list_of(view, decision, out_cards):
    if decision == LEAD:
        return policies_search.list_leads(view[0], 0, out_cards)
    return policies_search.list_follows(view[0], 0, out_cards)


def listed(view, decision):
    cards = np.zeros((MOST, 3), np.uint64)
    n = int(list_of(kept(view), decision, cards))
    return [tuple(int(plane) for plane in row) for row in cards[:n]]


class Question(NamedTuple):
    """A view, and what the rule book says of it: kinds by place, the order, the hand and the lead."""

    decision: int
    view: object
    at: object
    order: object
    hand: Counter
    led: list

    def kinds(self, planes):
        return sorted(kinds_of(np.array([planes], np.uint64), self.order.level, self.order.trump)[0].elements())

    def is_legal(self, kinds):
        if self.decision == LEAD:
            return lead_fault(self.hand, kinds) is None
        return follow_fault(self.hand, self.led, kinds, self.order, RULES.follow) is None


def question(decision, view):
    level, trump = int(view["level"]), int(view["trump"])
    at = KIND_AT[level - 3, trump]
    own = np.array([[view["hand_1"], view["hand_2"], view["hand_3"]]], np.uint64)
    code = int(view["history"][int(view["trick"]), int(view["leader"])]) if decision == FOLLOW else 0
    led = [int(at[byte - 1]) for byte in code.to_bytes(4, "little") if byte]
    return Question(decision, view, at, order_of(level, trump), kinds_of(own, level, trump)[0], led)


@cache
def questions(n_hands):
    """Leads and follows of hands that seats of all kinds play."""
    found = []
    for unit in range(n_hands):
        hand = play(job_of(["basic", "random", "counting", "random"], 5), unit)
        found += [question(decision, view) for decision, view in hand.asked if decision in (LEAD, FOLLOW)]
    return found


# --- candidates ------------------------------------------------------------------------------------------------------


def test_g10_candidates_are_legal_and_hold_every_kind():
    """Every kind led or followed with as a single, in all its copies as a lead, in as many as were led as a follow."""
    met = Counter()
    for one in questions(count(12, 3)):
        found = [one.kinds(planes) for planes in listed(one.view, one.decision)]
        assert len({tuple(kinds) for kinds in found}) == len(found)
        for kinds in found:
            assert one.is_legal(kinds), (one.hand, one.led, kinds)
        if one.decision == LEAD:
            wanted = [[kind] * n for kind, copies in one.hand.items() for n in {1, copies}]
        else:
            wanted = [[kind] * len(one.led) for kind in one.hand]
        wanted = [kinds for kinds in wanted if one.is_legal(kinds)]
        assert all(kinds in found for kinds in wanted), (one.hand, one.led)
        if one.decision == LEAD or len(one.led) == 1:
            assert len(found) == len(wanted)
        assert found, (one.hand, one.led)
        met[one.decision, len(one.led)] += 1
    assert set(met) == {(LEAD, 0), (FOLLOW, 1), (FOLLOW, 2), (FOLLOW, 3)}


@host_njit
def all_of(view, decision, out_cards):
    if decision == LEAD:
        n = candidates.list_legal_leads(view[0], 0, out_cards)
        return n, n
    return candidates.list_legal_follows(view[0], 0, out_cards)


def legal_answers(one, follow):
    """Every legal lead or follow, by the referee: sorted kinds."""
    if one.decision == LEAD:
        plays = [[kind] * n for kind, copies in one.hand.items() for n in range(1, copies + 1)]
        return {tuple(play) for play in plays if lead_fault(one.hand, play) is None}
    found = combinations(sorted(one.hand.elements()), len(one.led))
    return {play for play in found if follow_fault(one.hand, one.led, play, one.order, follow) is None}


@pytest.mark.parametrize("follow", [Follow.STRICT, Follow.LOOSE])
def test_g10_every_legal_answer_can_be_listed(follow):
    met = Counter()
    several = [one for one in questions(count(12, 3)) if len(one.led) != 1]
    for one in random.Random(4).sample(several, count(120, 12)):
        view = one.view.copy()
        view["rule_follow"] = int(follow)
        cards = np.zeros((3000, 3), np.uint64)
        n, n_legal = all_of(kept(view), one.decision, cards)
        found = [tuple(one.kinds(planes)) for planes in cards[:n].tolist()]
        wanted = legal_answers(one, follow)
        assert set(found) == wanted and len(found) == n_legal == len(wanted), (one.hand, one.led)
        few = np.zeros((3, 3), np.uint64)
        assert all_of(kept(view), one.decision, few)[0] == min(3, n)
        met[one.decision, len(one.led)] += 1
    assert {(LEAD, 0), (FOLLOW, 2)} <= set(met)


def test_only_one_candidate_takes_no_draws():
    """A forced play is made at once; a play with a choice draws hidden hands."""
    taken = Counter()
    for one in random.Random(3).sample(questions(count(12, 3)), count(200, 12)) + questions(count(12, 3))[-4:]:
        planes = listed(one.view, one.decision)
        if len(one.led) > 1:
            continue
        found, has_drawn = answer(one.decision, one.view)
        if len(planes) == 1:
            assert found == planes[0] and not has_drawn
        assert one.is_legal(one.kinds(found))
        taken[len(planes) > 1] += has_drawn
        taken["forced"] += len(planes) == 1
    assert taken[True] and not taken[False] and taken["forced"]


@host_njit
def thinned(view, n, out_cards):
    return policies_search.thin(view[0], n, out_cards)


def is_alike(one, a, b):
    """Whether two plays differ in rank alone: suit, kind of trump, points, copies, and whether they win so far."""
    if len(set(a)) > 1 or len(set(b)) > 1 or len(a) != len(b):
        return False
    level, trump = one.order.level, one.order.trump

    def features(play):
        kind = play[0]
        rank = kind % 13 + 2 if kind < 52 else kind
        is_special = kind >= 52 or rank in (2, level)
        place = int(np.flatnonzero(one.at == kind)[0])
        wins = bool(int(one.view["beating"]) >> place & 1)
        suit = one.order.suit[kind]
        return suit, rank if is_special else 0, points_of([kind]), one.hand[kind], wins, trump

    return features(a) == features(b)


def test_thinned_lists_leave_out_ranks_between_alone():
    """Every play left out lies between two others like it that stay, or is equal to one that stays."""
    n_dropped = 0
    for one in random.Random(9).sample(questions(count(12, 3)), count(300, 40)):
        planes = listed(one.view, one.decision)
        cards = np.zeros((MOST, 3), np.uint64)
        cards[: len(planes)] = np.array(planes, np.uint64)
        n = int(thinned(kept(one.view), len(planes), cards))
        stay = [one.kinds(row) for row in cards[:n]]
        every = [one.kinds(row) for row in planes]
        assert stay[0] == every[0]
        assert [kinds for kinds in every if kinds in stay] == stay
        strength = one.order.strength
        for kinds in every:
            if kinds in stay:
                continue
            like = [strength[other[0]] for other in stay if is_alike(one, kinds, other)]
            assert like, (one.hand, one.led, kinds)
            n_dropped += 1
    assert n_dropped


# --- arithmetic ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_better_half_stays_the_first_always(seed):
    rng = random.Random(seed)
    n = rng.randint(2, 12)
    sums = np.array([0.0, *(float(value) for value in rng.sample(range(-50, 50), n - 1))])
    order = np.arange(n)
    n_left = int(from_host(policies_search.halve)(sums, n, order))
    best = sorted(range(1, n), key=lambda i: -sums[i])
    assert n_left == max(2, math.ceil(n / 2))
    assert order[:n_left].tolist() == [0, *best[: n_left - 1]]
    assert sorted(order) == list(range(n))


def gains(seed, n_candidates, n_hands):
    """Differences to the first candidate, some of them clear: rows of candidates."""
    rng = np.random.default_rng(seed)
    found = rng.normal(rng.normal(0, 1.5, (n_candidates, 1)), 3, (n_candidates, n_hands)).round(2)
    found[0] = 0
    return found


def standard_errors(row):
    """Mean of a row in its own standard errors."""
    mean = math.fsum(row) / len(row)
    variance = math.fsum((value - mean) ** 2 for value in row) / (len(row) - 1)
    return mean / math.sqrt(variance / len(row)) if variance else math.inf * mean if mean else 0.0


def test_the_best_is_taken_where_it_is_clearly_better_than_the_first():
    taken = Counter()
    for seed in range(60):
        rows = gains(seed, 4, 12)
        order = np.array([0, 2, 1, 3])
        found = int(from_host(policies_search.pick)(rows.sum(axis=1), (rows**2).sum(axis=1), 3, order, 12))
        best = max((1, 2), key=lambda i: rows[i].sum())  # the last of the order has been dropped
        assert found == (best if standard_errors(rows[best]) > CAUTION else 0), seed
        taken[found] += 1
    assert set(taken) == {0, 1, 2}


def test_who_has_fallen_behind_is_dropped():
    """More than HOPE standard errors below the first, or never different from it."""
    dropped = Counter()
    for seed in range(60):
        rows = gains(seed, 5, 6)
        if seed % 2:
            rows[2] = 0
        order = np.arange(5)
        n_left = int(from_host(policies_search.drop_worse)(rows.sum(axis=1), (rows**2).sum(axis=1), 5, order, 6))
        kept = [i for i in range(1, 5) if rows[i].any() and standard_errors(rows[i]) > -HOPE]
        assert order[:n_left].tolist() == [0, *kept], seed
        dropped[5 - n_left] += 1
    assert len(dropped) > 2


def test_one_hand_is_never_enough():
    sums = np.array([0.0, 50.0])
    assert from_host(policies_search.pick)(sums, sums**2, 2, np.arange(2), 1) == 0


# --- ends of hands ---------------------------------------------------------------------------------------------------


def final_worth(one, hand, hands, kinds):
    """
    What a hand is worth to the side of the seat that plays last to its second-last trick, by the rule book alone.

    After that play each seat has the same number of cards of one kind or one card, so that nobody has a choice.
    """
    view, order = one.view, one.order
    seat, leader, trick = int(view["seat"]), int(view["leader"]), int(view["trick"])
    plays = []
    for step in range(3):
        code = int(view["history"][trick, (leader + step) % 4])
        plays.append([int(one.at[byte - 1]) for byte in code.to_bytes(4, "little") if byte])
    plays.append(kinds)
    last = [list(hands[row].elements()) for row in range(4)]
    last[seat] = list((one.hand - Counter(kinds)).elements())
    dealer = int(view["dealer"])
    won = [int(view["dealer_points"]), int(view["attacker_points"])]  # by side from the dealer's
    taker = trick_winner(leader, plays, order.level, order.trump)
    won[(taker - dealer) % 2] += points_of(kind for play_ in plays for kind in play_)
    ends = [last[(taker + step) % 4] for step in range(4)]
    winner = trick_winner(taker, ends, order.level, order.trump)
    won[(winner - dealer) % 2] += points_of(kind for play_ in ends for kind in play_)
    bottom = hands[4]
    is_dig = (winner - dealer) % 2 == 1
    played = Played(won[1], won[0], points_of(bottom.elements()), is_dig, bottom[53], bottom[52], bool(view["dry_pot"]))
    n_paid = sum(int(view[f"paid_{n}"]).bit_count() for n in (1, 2, 3))
    tribute = tribute_pts(int(view["payer"]), int(view["receiver"]), n_paid, RULES) if n_paid else [0] * 4
    result = score_hand((int(view["level_0"]), int(view["level_1"])), dealer, played, tribute, RULES)
    is_attacker = (seat - dealer) % 2 == 1
    worth = max(-MOST_CHIPS, min(MOST_CHIPS, result.settlement[seat] + result.settlement[(seat + 2) % 4]))
    worth += POINT * result.attacker_points * (1 if is_attacker else -1)
    if result.next_dealer is not None:
        worth += 2 * CARD * result.owed_next * (1 if (result.next_dealer - seat) % 2 == 0 else -1)
    return worth


def values(one, hand, now):
    """By play: its worth in every arrangement of the hidden cards, one entry a way; None where they are too many."""
    rows = hidden_hands.allowed_arrangements(now, random.Random(1))
    plays = [one.kinds(planes) for planes in listed(one.view, FOLLOW)]
    found = {tuple(kinds): [] for kinds in plays}
    for hands, n_ways in rows:
        for kinds in plays:
            found[tuple(kinds)] += [final_worth(one, hand, hands, kinds)] * n_ways
    return found


def endings(n_wanted, n_hands):
    """Questions in which the last seat of the second-last trick has a choice between singles and a play is best."""
    found = []
    for unit in range(n_hands):
        hand = play(job_of(["basic", "random"] * 2, 21), unit)
        numbers = [
            number
            for number, (decision, view) in enumerate(hand.asked)
            if decision == FOLLOW and view["position"] == 3 and view["cards_left"] == 2 and view["n_cards"] == 1
        ]
        for view, now in moments(hand, set(numbers)):
            one = question(FOLLOW, view)
            if len(listed(view, FOLLOW)) < 2:
                continue
            found.append((one, values(one, hand, now)))
        if len(found) >= n_wanted:
            return found
    return found


def is_clear(worths, best, n_iterations):
    """Whether a play is better than any other by more than a sample of hidden hands can hide."""
    for kinds, others in worths.items():
        if kinds != best:
            gain = np.subtract(worths[best], others)
            if gain.mean() <= 0 or gain.mean() < (CAUTION + 4) * gain.std() / math.sqrt(n_iterations / 4):
                return False
    return True


def test_it_finds_the_best_play_of_an_ending():
    """Brute force over all hidden hands by the rule book; nobody has a choice after the play."""
    n_iterations = count(400, 150)
    n_clear = n_changed = 0
    for one, worths in endings(count(40, 24), count(150, 80)):
        best = max(worths, key=lambda kinds: math.fsum(worths[kinds]))
        if not is_clear(worths, best, n_iterations):
            continue
        found, _ = answer(FOLLOW, one.view, seed=7, iterations=n_iterations)
        assert tuple(one.kinds(found)) == best, (one.hand, one.led, {k: np.mean(v) for k, v in worths.items()})
        usual, _ = answer(FOLLOW, one.view, iterations=1)
        n_clear += 1
        n_changed += tuple(one.kinds(usual)) != best
    assert n_clear >= count(8, 1) and n_changed >= count(1, 0), (n_clear, n_changed)


# --- draws -----------------------------------------------------------------------------------------------------------


def test_equal_draws_give_equal_plays_and_others_may_not():
    differs = 0
    for one in random.Random(4).sample(questions(count(12, 3)), count(60, 6)):
        first, _ = answer(one.decision, one.view, seed=1)
        again, _ = answer(one.decision, one.view, seed=1)
        assert first == again
        differs += any(answer(one.decision, one.view, seed=seed)[0] != first for seed in range(2, 6))
    assert differs


@pytest.mark.parametrize("inner", ["basic", "counting"])
def test_with_one_hidden_hand_it_answers_as_the_inner_policy(inner):
    number = ["basic", "counting"].index(inner)
    functions = engine.known_policies()[inner].addresses
    own = search_params(number, 1)[0]
    n_asked = Counter()
    for unit in range(count(4, 1)):
        hand = play(job_of(["basic", "random"] * 2, 8), unit)
        for decision, view in hand.asked[:: count(3, 15)]:
            draws = records(DRAWS)
            begin(draws, 5)
            wanted = tuple(int(plane) for plane in ask(functions[decision], kept(view), own.copy(), draws))
            if DECISIONS[decision] in ("bury", "jokers", "lead", "follow"):
                assert answer(decision, view, inner=number, iterations=1)[0] == wanted
                n_asked[decision] += 1
    assert n_asked[LEAD] and n_asked[FOLLOW]


@host_njit
def begin_stream(draws, seed, key, stream):
    start_draws(draws[0], np.uint64(seed), np.uint64(key), np.uint64(stream))


def test_g18_a_play_follows_from_the_view_and_the_draws_alone():
    """Asked again after the hand, with nothing but its view and its keyed draws, it plays what it played."""
    params, addresses = search_params(1, 2)
    n_chosen = 0
    for unit in range(count(3, 1)):
        job = job_of(["search", "basic", "search", "counting"], 31)
        job = replace(job, policies=with_iterations(job.policies, 2))
        hand = play(job, unit)
        asked = [(decision, view) for decision, view in hand.asked if decision in (LEAD, FOLLOW)]
        for (decision, view), kinds in list(zip(asked, hand.record["plays"]))[:: count(1, 7)]:
            seat, trick = int(view["seat"]), int(view["trick"])
            if seat % 2:
                continue
            draws = records(DRAWS)
            begin_stream(draws, job.seed, unit, (FIRST_PURPOSE + decision) << 24 | seat << 16 | trick)
            found = ask(addresses[decision], kept(view), params.copy(), draws)
            assert question(decision, view).kinds([int(plane) for plane in found]) == sorted(kinds)
            n_chosen += 1
    assert n_chosen > count(150, 8)


def with_iterations(specs, n):
    return tuple(PolicySpec(spec.name, (("iterations", n),)) if spec.name == "search" else spec for spec in specs)


@pytest.mark.parametrize("preset", PRESETS)
def test_its_hands_are_as_the_rule_book_says(preset):
    found = games.get("gunzi")
    rules = replace(PRESETS[preset], follow=Follow.LOOSE) if preset == "dalian" else PRESETS[preset]
    specs = games.parse_policies("gunzi", "search:iterations=2")
    is_first = preset == "qiqi"
    situation = Situation(True, (3, 3)) if is_first else Situation(False, (5, 9), 2, 4)
    job = Job("gunzi", rules, specs, 12, "hands", situation)
    for unit in range(count(3, 0)):
        record, row = next(found.traced(job, unit))
        assert referee.check(record) is None
        assert {name: int(row[name]) for name in referee.row(record)} == referee.row(record)


def test_demanded_jokers_are_not_searched_for():
    """Where the parameters name a number of jokers, search buries as its inner policy does."""
    for demand in ({"jokers": 1}, {"bury_big": 1}):
        for unit in range(count(10, 1)):
            ones = [
                play(job_of(["counting"] * 4, 3, **demand), unit),
                play(job_of(["search"] * 4, 3, iterations=2, **demand), unit),
            ]
            assert ones[0].record["bury"] == ones[1].record["bury"]
            assert ones[0].record["joker_buries"] == ones[1].record["joker_buries"]
