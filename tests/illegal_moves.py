"""
A policy that now and then spoils its move, and the comparison of what kernel and referee say about it.

The moves are those of `random`; by keyed draws some are replaced by odd ones: a card more or less, a card not held, a
wrong suit or pattern, wrong payments and returns, jokers out of order or too many, wrong picks, declarations not held
or too weak. Odd moves may be legal. The hand ends at the first refused move; the record up to it must have that fault.
Apart from these, malformed moves, which no record can hold, must be refused by the kernel alone.
"""

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import stacked
from gunzi.random_records import random_rules
from tracing import Hand, trace

from gunzi_sim import record as records
from gunzi_sim.bits import bit_index, kth_bit, popcount
from gunzi_sim.game import Job, PolicySpec, Situation
from gunzi_sim.gunzi import engine, policies_random, referee
from gunzi_sim.gunzi.policies_random import _any_bit, _draw_cards, _joker_planes
from gunzi_sim.gunzi.rules import PRESETS, FirstClaim
from gunzi_sim.gunzi.tricks import NO_PLACES, add, count, count_within, remove
from gunzi_sim.gunzi.view import CARDS_SIG, CODE_SIG, DECISIONS, FAULT_CLAUSES, JOKER_PLACES
from gunzi_sim.jit import njit
from gunzi_sim.rng import below

ALL_PLACES = np.uint64((1 << 58) - 1)
HOLES = np.uint64(1 | 1 << 12 | 1 << 24 | 1 << 36)
"""The places of the level rank in the four plain suits, at level 3."""
OUTSIDE = np.uint64(1 << 60)
CHANCE = 1000
BID_CHANCE = 150

CLAUSES = {
    "claim": {"G4.1"},
    "declare": {"G5.2", "G5.3", "G5.4"},
    "pay": {"G6.1", "G6.2", "G6.3"},
    "return": {"G6.4"},
    "bury": {"G8.1", "G8.2", "G15"},
    "jokers": {"G8.2", "G8.4", "G15"},
    "lead": {"G10.1"},
    "follow": {"G10.3", "G10.4"},
}
"""Clauses that each decision can break."""
EXPECTED = {(decision, clause) for decision, clauses in CLAUSES.items() for clause in clauses} - {("claim", "G4.1")}
"""All that odd moves must have met; a claim that is neither 0 nor 1 is malformed, for no record shows it."""


# --- the policy ------------------------------------------------------------------------------------------------------


@njit
def _is_odd(chance, draws):
    """Whether to spoil this move, with `chance` in a thousand."""
    return below(draws, CHANCE) < chance


@njit
def _spoilt(q1, q2, q3, h1, h2, h3, pool, places, draws):
    """
    Another set than q: more, fewer or other cards of the hand h, of the places `pool`, or of any of `places`.

    It is well formed; it may be legal.
    """
    n_cards = count(q1, q2, q3)
    choice = below(draws, 8)
    if choice == 0:
        return add(q1, q2, q3, _any_bit(h1, draws), NO_PLACES, NO_PLACES)
    if choice == 1:
        return remove(q1, q2, q3, _any_bit(q1, draws), NO_PLACES, NO_PLACES)
    if choice == 2 or choice == 3:
        q1, q2, q3 = remove(q1, q2, q3, _any_bit(q1, draws), NO_PLACES, NO_PLACES)
        card = _any_bit(h1 if choice == 2 else places, draws)
        return add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    if choice == 4:
        return _draw_cards(h1, h2, h3, n_cards, draws)
    if choice == 5:
        kind = _any_bit(h1, draws)
        n_copies = below(draws, 3)
        return kind, kind if n_copies > 0 else NO_PLACES, kind if n_copies > 1 else NO_PLACES
    if choice == 6 and count_within(h1, h2, h3, pool) >= n_cards:
        return _draw_cards(h1 & pool, h2 & pool, h3 & pool, n_cards, draws)
    if below(draws, 4) == 0:
        return NO_PLACES, NO_PLACES, NO_PLACES
    return _draw_cards(h1, h2, h3, min(n_cards + 1, count(h1, h2, h3)), draws)


@njit
def _malformed(q1, q2, q3, draws):
    """A set that is none: copies without the first, or places that do not exist."""
    choice = below(draws, 4)
    if choice == 0:
        return q1 | OUTSIDE, q2, q3
    if choice == 1:
        return NO_PLACES, q1, q3
    if choice == 2:
        return q1, q2, q3 | (ALL_PLACES & ~q2)
    return q1, q2 | OUTSIDE, q3


@njit
def _places(view):
    """All places of cards at this level."""
    return ALL_PLACES & ~(HOLES << np.uint64(view.level - 3))


@njit
def _cards(view, chance, malformed, q1, q2, q3, pool, draws):
    """The move q, or an odd one."""
    if not _is_odd(chance, draws):
        return q1, q2, q3
    if malformed:
        return _malformed(q1, q2, q3, draws)
    return _spoilt(q1, q2, q3, view.hand_1, view.hand_2, view.hand_3, pool, _places(view), draws)


@njit(CODE_SIG)
def claim(view, params, draws):
    """Sometimes neither yes nor no, where malformed moves are asked for."""
    legal = below(draws, 2)
    if params.x3 and _is_odd(params.x0, draws):
        choice = below(draws, 3)
        return -1 if choice == 0 else 2 if choice == 1 else 1 << 40
    return legal


@njit(CODE_SIG)
def declare(view, params, draws):
    """Sometimes any code, or one that stands for nothing."""
    choice = below(draws, popcount(view.legal_declarations) + 1)
    legal = 0
    if choice:
        legal = bit_index(kth_bit(view.legal_declarations, choice - 1))
    if not _is_odd(params.x0, draws):
        return legal
    if below(draws, 6) == 0:
        choice = below(draws, 4)
        return -1 if choice == 0 else 2 if choice == 1 else 24 if choice == 2 else 1 << 40
    if view.declared_by == view.seat and below(draws, 2):  # the next stronger, of any suit
        return view.declared_code // 4 * 4 + 4 + below(draws, 4)
    return 4 + below(draws, 20)


@njit(CARDS_SIG)
def pay_or_return(view, params, draws):
    """As `random`, or odd: cards of the wrong class, number or hand."""
    q1, q2, q3 = policies_random.pay_or_return(view, params, draws)
    return _cards(view, params.x1, params.x3, q1, q2, q3, ALL_PLACES ^ view.tribute_must, draws)


@njit(CARDS_SIG)
def bury(view, params, draws):
    """As `random`, or odd; often with some jokers, whatever the rules say."""
    q1, q2, q3 = policies_random.bury(view, params, draws)
    if not params.x3 and below(draws, 2) and _is_odd(params.x1, draws):
        h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
        j1, j2, j3 = h1 & JOKER_PLACES, h2 & JOKER_PLACES, h3 & JOKER_PLACES
        n_jokers = below(draws, count(j1, j2, j3) + 1)
        j1, j2, j3 = _draw_cards(j1, j2, j3, n_jokers, draws)
        others = ~JOKER_PLACES
        o1, o2, o3 = _draw_cards(h1 & others, h2 & others, h3 & others, 6 - n_jokers, draws)
        return o1 | j1, o2 | j2, o3 | j3
    return _cards(view, params.x1, params.x3, q1, q2, q3, JOKER_PLACES, draws)


@njit(CARDS_SIG)
def jokers(view, params, draws):
    """As `random`, or any numbers of jokers, held or not; then picks of any cards but jokers."""
    q1, q2, q3 = policies_random.jokers(view, params, draws)
    if not _is_odd(params.x1, draws):
        return q1, q2, q3
    if params.x3:
        if below(draws, 2) and view.joker_step == 0:  # cards that are no jokers
            return q1 | (view.hand_1 & ~JOKER_PLACES), q2, q3
        q1, q2, q3 = _malformed(q1, q2, q3, draws)
        return (q1, q2, q3) if count(q1, q2, q3) else (OUTSIDE, NO_PLACES, NO_PLACES)
    if view.joker_step == 0:
        h1, h2, h3 = view.hand_1 & JOKER_PLACES, view.hand_2 & JOKER_PLACES, view.hand_3 & JOKER_PLACES
        if below(draws, 2):
            return _draw_cards(h1, h2, h3, 1 + below(draws, count(h1, h2, h3)), draws)
        return _joker_planes(below(draws, 4), below(draws, 4))
    others = _places(view) & ~JOKER_PLACES
    b1, b2, b3 = view.bottom_1 & others, view.bottom_2 & others, view.bottom_3 & others
    return _spoilt(q1, q2, q3, b1, b2, b3, ~view.pick_must, others, draws)


@njit(CARDS_SIG)
def lead(view, params, draws):
    """As `random`, or odd."""
    q1, q2, q3 = policies_random.lead(view, params, draws)
    return _cards(view, params.x2, params.x3, q1, q2, q3, ALL_PLACES, draws)


@njit(CARDS_SIG)
def follow(view, params, draws):
    """As `random`, or odd: half of the time any cards of the led suit."""
    q1, q2, q3 = policies_random.follow(view, params, draws)
    h1, h2, h3 = view.hand_1 & view.led, view.hand_2 & view.led, view.hand_3 & view.led
    if not params.x3 and below(draws, 2) and count(h1, h2, h3) >= view.n_cards and _is_odd(params.x2, draws):
        return _draw_cards(h1, h2, h3, view.n_cards, draws)
    return _cards(view, params.x2, params.x3, q1, q2, q3, ~view.led, draws)


def table() -> dict[str, Any]:
    """The policy `odd`: x0 a thousand of its claims and declarations are odd, x1 of moves of cards, x2 of plays."""
    functions = (claim, declare, pay_or_return, pay_or_return, bury, jokers, lead, follow)
    return {"odd": engine.Policy("odd", functions, engine.FREE_PARAMETERS, "")}


# --- comparison ------------------------------------------------------------------------------------------------------


@dataclass
class Count:
    """Moves refused by (decision, clause), moves accepted, malformed moves refused, and differences in words."""

    refused: Counter = field(default_factory=Counter)
    accepted: int = 0
    malformed: int = 0
    differences: list[str] = field(default_factory=list)

    def n_refused(self) -> int:
        """Refused moves that both sides have judged."""
        return self.refused.total()

    def add(self, other: "Count") -> None:
        """Add the counts of another comparison."""
        self.refused += other.refused
        self.accepted += other.accepted
        self.malformed += other.malformed
        self.differences += other.differences


def n_decisions(record: dict[str, Any]) -> int:
    """Stored decisions of a record, however far it goes."""
    tribute = record["tribute"] or {"cards": [], "returned": []}
    n_before = (record["claim"] is not None) + len(record["declarations"])
    n_before += (len(tribute["cards"]) > 0) + (len(tribute["returned"]) > 0) + (record["bury"] is not None)
    return n_before + len(record["joker_buries"]) + len(record["plays"])


def compare_odd(hand: Hand, seen: Count) -> None:
    """Compare one hand of odd moves: the same clause at the same decision, or none at all."""
    record = hand.record
    if hand.status == 0:
        expected = referee.row(record)
        if [expected[name] for name in engine.ROW.names[2:]] != list(hand.row[2:]):
            seen.differences.append(f"another row\n    {records.write(record)}")
        seen.accepted += n_decisions(record)
        return
    seat, decision = hand.asked
    clause = FAULT_CLAUSES[hand.status]
    fault = referee.check(record)
    if fault is None or fault.clause != clause or not _is_at_the_end(fault, record, seat, decision):
        seen.differences.append(f"{decision} of seat {seat}: kernel {clause}, {fault}\n    {records.write(record)}")
    if clause not in CLAUSES[decision]:
        seen.differences.append(f"{decision} refused by {clause}\n    {records.write(record)}")
    seen.refused[decision, clause] += 1
    seen.accepted += max(0, n_decisions(record) - 1)


def _is_at_the_end(fault: referee.Fault, record: dict[str, Any], seat: int, decision: str) -> bool:
    """Whether a fault is one of the record's last decision, by the play or the words in which it is told."""
    if decision in ("lead", "follow"):
        return fault.play == len(record["plays"]) - 1
    if decision == "declare":
        return fault.message.startswith(f"declaration {len(record['declarations']) - 1} (seat {seat})")
    return fault.play is None and f"seat {seat}" in fault.message


def _jobs(rng: random.Random, n_hands: int) -> Job:
    """A job of single hands, often stacked, with all rules drawn; the caller sets the policies."""
    rules = random_rules(rng) if rng.random() < 0.8 else rng.choice(list(PRESETS.values()))
    start = (rules.start_level, rules.start_level)
    if rng.random() < 0.15:
        situation = Situation(True, start, 0, 0)
    else:
        levels = (rng.randint(rules.start_level, rules.end_level), rng.randint(rules.start_level, rules.end_level))
        situation = Situation(False, levels, rng.randrange(4), rng.choice([0, 1, 2, 3, rng.randint(0, 20), 38]))
    decks = None
    if not situation.first_hand and rng.random() < 0.6:
        recipes = [stacked.three_jokers, stacked.level_cards, stacked.level_cards, stacked.strong_side]
        level = situation.levels[situation.dealer % 2]
        decks = np.array([rng.choice(recipes)(rng, level) for _ in range(n_hands)], np.uint8)
    return Job("gunzi", rules, (), rng.getrandbits(64), "hands", situation, decks)


def compare(number: int, n_refused: int, seed: int = 0) -> Count:
    """Play odd moves until `n_refused` moves were refused, and some malformed ones; drawn by (seed, number)."""
    rng = random.Random(f"{seed}/{number}/odd")
    known, seen = table(), Count()
    n_hands = 25
    while seen.n_refused() < n_refused and not seen.differences:
        chances = rng.choice([(BID_CHANCE, 0, 0), (20, 400, 30), (0, 800, 0), (0, 0, 10), (0, 0, 40), (0, 0, 200)])
        job = _jobs(rng, n_hands)
        if chances[0] == BID_CHANCE and not job.situation.first_hand:  # seats with much to say, but not over themselves
            decks = [stacked.level_cards(rng, job.situation.levels[job.situation.dealer % 2]) for _ in range(n_hands)]
            job = replace(job, rules=replace(job.rules, self_overcall=False), deals=np.array(decks, np.uint8))
        job = _with_chances(job, (*chances, 0))
        for hand in trace(job, known, 0, n_hands):
            compare_odd(hand, seen)
    for decision in DECISIONS:
        compare_malformed(_jobs(rng, 5), decision, known, seen)
    seen.differences = [f"task {number} of seed {seed}: {text}" for text in seen.differences]
    return seen


def compare_malformed(job: Job, decision: str, known: dict[str, Any], seen: Count) -> None:
    """All moves of one decision are malformed: each hand must end when it comes to the first, by one of its clauses."""
    group = 0 if decision in ("claim", "declare") else 2 if decision in ("lead", "follow") else 1
    chances = tuple(CHANCE if group == place else 0 for place in range(3))
    if decision == "claim":
        job = replace(job, rules=replace(job.rules, first_claim=FirstClaim.VOLUNTARY), deals=None)
        start = (job.rules.start_level, job.rules.start_level)
        job = replace(job, situation=Situation(True, start, 0, 0))
    job = _with_chances(job, (*chances, 1))
    for hand in trace(job, known, 0, 5):
        if hand.status == 0:
            if group == 2 or (hand.record["bury"] is not None and group == 1):
                seen.differences.append(f"malformed moves accepted\n    {records.write(hand.record)}")
        elif FAULT_CLAUSES[hand.status] not in CLAUSES[hand.asked[1]]:
            seen.differences.append(f"malformed {hand.asked[1]} refused by {FAULT_CLAUSES[hand.status]}")
        else:
            seen.malformed += 1


def _with_chances(job: Job, chances: tuple[int, ...]) -> Job:
    params = tuple((f"x{place}", chance) for place, chance in enumerate(chances))
    return replace(job, policies=(PolicySpec("odd", params),) * 4)
