"""
Whether sampled hands contradict what a seat knows (G18): `python tests/sampled_hands.py --samples 100000 --seed 1`.

Hands are played under random rules by random and basic seats, from random and stacked decks. At many questions hands
are sampled from the view, and each is judged by the naive twin (`naive.hidden_hands`): as a deck that must lead to the
same public decisions by the referee's word. The true hands must be among those allowed. Exit status 1 when a sample is
refused or the truth is missed. `--plant NAME` leaves out one of the functions that find facts, which must be noticed;
it runs without the JIT, where a function can be exchanged.
"""

import argparse
import os
import random
import subprocess
import sys
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
import stacked
from captured import play
from counts import IS_COMPILED
from from_host import from_host, host_njit
from gunzi.random_records import random_rules
from naive import hidden_hands
from naive.hidden_hands import Moment, fault, moment

from gunzi_sim.game import Job, PolicySpec, Situation
from gunzi_sim.gunzi import facts as facts_kernel
from gunzi_sim.gunzi import referee, sampler
from gunzi_sim.gunzi.facts import FACTS, OTHERS
from gunzi_sim.gunzi.rules import PRESETS
from gunzi_sim.gunzi.view import DECISIONS, JOKERS, KIND_AT, MIN_LEVEL, PLACE_OF
from gunzi_sim.rng import DRAWS, start_draws

gather = from_host(facts_kernel.gather)
measure = from_host(sampler.measure)
prepare = from_host(sampler.prepare)
start = from_host(start_draws)
PLANTS = {
    "patterns": ("know_pattern", None),
    "declarations": ("know_declared", None),
    "payer": ("know_paid", None),
    "receiver": ("know_returned", None),
    "dealer": ("know_dealer", None),
    "early claims": ("early_claim_counts", facts_kernel.ANY),
    "buried jokers": ("n_buried", 0),
    "first burial": ("first_buried", 0),
}
"""Functions of `facts` that may be left out, and what stands for their result."""
POLICIES = ("random", "basic", "basic:2", "basic:6")


@host_njit
def draw_many(facts, table, draws, out_hands):
    """`draw` until `out_hands` is full; returns how many it found, fewer where it gives up too often."""
    n_found = 0
    for _ in range(2 * len(out_hands)):
        if n_found < len(out_hands) and sampler.draw(facts, table, draws, out_hands[n_found]):
            n_found += 1
    return n_found


def record_of(dtype):
    """One zeroed record that kernels take."""
    made = np.zeros(1, dtype)
    return made[0] if IS_COMPILED else made.view(np.recarray)[0]


def plain(view):
    """A view as kernels take it."""
    return view if IS_COMPILED else np.array([view]).view(np.recarray)[0]


class Prepared(NamedTuple):
    """What the sampler made of a view."""

    facts: Any
    table: Any
    n_ways: float


def prepared(facts):
    """Facts with their table; they may have been changed."""
    table = np.full(int(measure(facts)), np.nan)
    return Prepared(facts, table, float(prepare(facts, table)))


def gathered(view):
    facts = record_of(FACTS)
    gather(plain(view), facts)
    return facts


def samples(ready, n, seed):
    """Planes of n sampled hands, fewer only where a second fact of several kinds is hard to meet: uint64[n, 5, 3]."""
    draws = record_of(DRAWS)
    start(draws, np.uint64(seed), np.uint64(0), np.uint64(0))
    hands = np.zeros((n, 5, 3), np.uint64)
    n_found = draw_many(ready.facts, ready.table, draws, hands)
    assert n_found == n or ready.facts["n_sums"] > (ready.facts["tally_locations"] > 0)
    return hands[:n_found]


def kinds_of(planes, level, trump):
    """Hands as Counters of kinds, by row."""
    at = KIND_AT[level - MIN_LEVEL, trump]
    hands = []
    for row in planes.tolist():
        hand = Counter()
        for plane in row:
            while plane:
                place = (plane & -plane).bit_length() - 1
                hand[int(at[place])] += 1
                plane &= plane - 1
        hands.append(hand)
    return hands


def untrue(facts, now: Moment) -> str | None:
    """Which fact the true hands break; None where all hold."""
    place_of = PLACE_OF[now.level - MIN_LEVEL, now.trump]
    rows = [int(row) for row in facts["owner"]]
    held = np.zeros((4, 58), int)
    for location, row in enumerate(rows):
        if not (row == 4 and (now.knows_bottom or now.decision == hidden_hands.BURY)):
            for kind, n in now.hands[row].items():
                held[location, place_of[kind]] += n
    if held.sum(axis=1).tolist() != facts["capacity"].tolist():
        return "capacity"
    if held.sum(axis=0).tolist() != facts["unseen"].tolist():
        return "unseen"
    if not (facts["allowed"] >> held & 1).all():
        return "allowed"
    if facts["joint_location"] < OTHERS:
        both = held[int(facts["joint_location"])] + held[OTHERS]
        if not (facts["joint"] >> both & 1).all():
            return "joint"
    for i in range(int(facts["n_sums"])):
        places = [place for place in range(58) if int(facts["sum_places"][i]) >> place & 1]
        locations = [location for location in range(4) if int(facts["sum_locations"][i]) >> location & 1]
        if not facts["sum_least"][i] <= held[np.ix_(locations, places)].sum() <= facts["sum_most"][i]:
            return "sum"
    return None


# --- games -----------------------------------------------------------------------------------------------------------


def random_game(rng: random.Random):
    """A played hand of random rules or a preset, from a random or stacked deck; None where the deck is void."""
    rules = random_rules(rng) if rng.random() < 0.6 else rng.choice(list(PRESETS.values()))
    first_hand = rng.random() < 0.3
    begin, end = rules.start_level, rules.end_level
    levels = (begin, begin) if first_hand else (rng.randint(begin, end), rng.randint(begin, end))
    owed = 0 if first_hand else rng.choice([0, 1, 2, 3, 5, 12, 40])
    situation = Situation(first_hand, levels, rng.randrange(4), owed)
    names = rng.choices(POLICIES, k=4)
    jumpy = rng.random() < 0.5
    specs = []
    for name in names:
        policy, _, n = name.partition(":")
        given = {"jokers": int(n)} if n else {}
        if policy == "basic" and jumpy:
            given |= {"declare_cards": 0, "claim_trumps": 0}
        specs.append(PolicySpec(policy, tuple(given.items())))
    deals = None
    if rng.random() < 0.6:
        recipe = rng.choice(stacked.FIRST_HANDS if first_hand else stacked.LATER_HANDS)
        deals = np.array([recipe(rng, levels[situation.dealer % 2])], np.uint8)
    unit = 0 if deals is not None else rng.randrange(1 << 40)
    return play(
        Job("gunzi", rules, tuple(specs), rng.getrandbits(64), "hands", situation, deals), unit, rng.random() < 0.3
    )


def moments(hand, chosen=None):
    """View and moment of the questions of a played hand, or of those whose numbers are chosen."""
    told = set()
    result = referee.derive(hand.record)
    for number, (decision, view) in enumerate(hand.asked):
        seat, name = int(view["seat"]), DECISIONS[decision]
        if decision == JOKERS:
            told.add(seat)
        if chosen is not None and number not in chosen:
            continue
        picks = name == "jokers" and bool(view["joker_step"])
        n_plays = 4 * int(view["trick"]) + int(view["position"]) if name in ("lead", "follow") else 0
        yield view, moment(hand.record, result, seat, name, n_plays, seat in told, picks)


def search(n_samples, seed=1, n_each=8, n_moments=12):
    """
    Judge at least so many samples.

    Returns
    -------
    judged : Counter
        Samples by decision.
    wrong : list of str
        What was found wrong.
    """
    rng = random.Random(seed)
    judged, wrong = Counter(), []
    n_games = 0
    while sum(judged.values()) < n_samples and len(wrong) < 10:
        hand = random_game(rng)
        if hand is None:
            continue
        n_games += 1
        early = [number for number, (decision, _) in enumerate(hand.asked) if decision <= JOKERS]
        played = [number for number in range(len(hand.asked)) if number not in early]
        chosen = set(rng.sample(early, min(2, len(early))) + rng.sample(played, n_moments))
        for view, now in moments(hand, chosen):
            ready = prepared(gathered(view))
            where = f"{now.decision} of seat {now.seat}, {len(now.record['plays'])} plays, game {n_games}"
            missed = untrue(ready.facts, now)
            refused = fault(now, now.hands, rng)
            if missed or refused or not ready.n_ways > 0:
                wrong.append(f"the true hands: {missed}, {refused}, {ready.n_ways} ways, {where}")
                continue
            for planes in samples(ready, n_each, rng.getrandbits(60)):
                reason = fault(now, kinds_of(planes, now.level, now.trump), rng)
                judged[now.decision] += 1
                if reason:
                    wrong.append(f"{reason}: {where}")
    return judged, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--samples", type=int, default=10_000, help="hands to judge, at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", choices=PLANTS, help="a kind of fact to leave out, which must be noticed")
    args = parser.parse_args()
    if args.plant and IS_COMPILED:
        return subprocess.run([sys.executable, *sys.argv], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}).returncode
    if args.plant:
        name, value = PLANTS[args.plant]
        setattr(facts_kernel, name, lambda *args: value)
    with np.errstate(over="ignore"):
        judged, wrong = search(args.samples, args.seed)
    for decision, n in sorted(judged.items()):
        print(f"{decision:8} {n:7}")
    print(f"{sum(judged.values())} samples judged, {len(wrong)} wrong")
    for reason in wrong[:10]:
        print(reason)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
