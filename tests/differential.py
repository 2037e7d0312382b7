"""
Kernel against referee: random rules x policies x rounds and single hands, hand for hand; and illegal moves.

    python tests/differential.py [--rule-sets N] [--hands M] [--illegal K] [--seed S] [--processes P]

plays M hands under each of N rule sets (`compare_rule_set`), and spoilt moves until K were refused (`illegal_moves`).
Every traced hand is judged by the referee, and its row compared column by column, the hash of the trace included. Exit
status 0 when nothing differs and every rare branch and every clause was met.
"""

import argparse
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from typing import Any

import illegal_moves
import numpy as np
import stacked
from from_host import from_host
from gunzi.random_records import random_rules
from tracing import Hand, trace

from gunzi_sim import record as records
from gunzi_sim.cards import BIG, SMALL
from gunzi_sim.deal import plain_shuffle
from gunzi_sim.game import InputError, Job, PolicySpec, Situation
from gunzi_sim.gunzi import engine, policies, referee
from gunzi_sim.gunzi.play import MAX_HANDS
from gunzi_sim.gunzi.referee_play import TRUMP, order_of
from gunzi_sim.gunzi.rules import PRESETS, EndAt300, FirstClaim, GunziRules, RoundWonBy
from gunzi_sim.gunzi.state import VOID_DEAL
from gunzi_sim.gunzi.view import CODE_SIG, OPTION_NAMES, ROW
from gunzi_sim.jit import njit

N_KINDS = 54
N_DEALT = 156
ROUND_HANDS = 60
"""Hands of a round that are judged at most: random rules may make rounds of hundreds."""
SHARES = {"rounds": 0.4, "first": 0.1, "later": 0.2, "first stacked": 0.1, "later stacked": 0.2}
"""Shares of a rule set's hands by the way they begin."""
HANDS_A_JOB = 40
"""Single hands with the same policies and situation."""
VOID_SINGLE_HANDS = (584693, 1196795, 1899962, 2096366)
"""Single hands of seed 0 whose first deal has four jokers to flip, found by trying all."""
VOID_ROUNDS = (1466097, 1583975, 3028216, 5533668)
"""Rounds of seed 0 with such a first hand."""

BRANCHES = (
    "seats' flip", "claim", "claim, suit from the bottom", "bottom flip", "redeal", "void deck refused",
    "three small declared", "three big declared", "three jokers open", "three jokers overcall", "self-overcall",
    "declared in the closing window", "tribute reversed", "tribute cancelled", "tribute short",
    "dry pot: all trump", "dry pot: side or permanent", "dry pot: no main suit", "jokers buried by dealer",
    "jokers buried by next", "jokers buried by partner", "jokers buried by previous", "S = 0", "S >= 300", "S > 300",
    "S >= 300, not captured", "three big end, attackers", "three big end, dealers' side", "three small end, attackers",
    "three small end, dealers' side", "passing the last level", "reaching, dealers' side", "reaching, attackers",
    "attackers at the last level", "raise capped", "side at its end level from the start",
)  # fmt: skip
"""Rare branches that a full comparison has to meet."""


# --- policies --------------------------------------------------------------------------------------------------------


@njit(CODE_SIG)
def _silent(view, params, draws):
    """Never claims, never declares."""
    return 0


def table() -> dict[str, Any]:
    """The built-in policies, and `silent`, which is `random` but neither claims nor declares."""
    built_in = engine.known_policies()
    functions = (_silent, _silent, *policies.BUILT_IN["random"][2:])
    return built_in | {"silent": replace(built_in["random"], name="silent", functions=functions)}


def random_spec(rng: random.Random, name: str) -> PolicySpec:
    """A policy with some of its parameters drawn: small values as often as all others."""
    params = []
    for parameter in policies.table(name).parameters if name != "silent" else ():
        if rng.random() < 0.5:
            low, high = parameter.low, parameter.high
            near = (max(low, min(high, parameter.default - 5)), min(high, max(low, parameter.default + 10)))
            params.append((parameter.name, rng.randint(*(near if rng.random() < 0.5 else (low, high)))))
    return PolicySpec(name, tuple(params))


def random_policies(rng: random.Random) -> tuple[PolicySpec, ...]:
    """One policy a seat: alike, one a side, or all drawn; now and then silent ones."""
    names = rng.choice(
        [
            ["random"] * 4,
            ["basic"] * 4,
            ["counting"] * 4,
            ["counting", "basic"] * 2,
            ["basic", "random"] * 2,
            ["random", "basic"] * 2,
            rng.choices(["random", "basic", "counting", "silent"], k=4),
            ["silent"] * 4,
        ]
    )
    return tuple(random_spec(rng, name) for name in names)


def drawn_rules(rng: random.Random) -> GunziRules:
    """Rules with every option drawn, or a preset with two to eight options taken from such rules, where they fit."""
    drawn = random_rules(rng)
    if rng.random() < 0.5:
        return drawn
    rules = rng.choice(list(PRESETS.values()))
    for name in rng.sample(OPTION_NAMES, rng.randint(2, 8)):
        try:
            rules = replace(rules, **{name: getattr(drawn, name)})
        except ValueError:
            continue
    return rules


# --- comparison ------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """Counts of a comparison, and its differences in words."""

    hands: int = 0
    decisions: int = 0
    rounds: int = 0
    rule_sets: set[GunziRules] = field(default_factory=set)
    branches: Counter = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Add the counts of another comparison."""
        self.hands += other.hands
        self.decisions += other.decisions
        self.rounds += other.rounds
        self.rule_sets |= other.rule_sets
        self.branches += other.branches
        self.differences += other.differences

    def differ(self, what: str, record: dict[str, Any] | None = None) -> None:
        """Note a difference, the record as a line beside it."""
        self.differences.append(what if record is None else f"{what}\n    {records.write(record)}")


def compare_hand(hand: Hand, tally: Tally) -> dict[str, int] | None:
    """Judge one complete hand and compare its row; the referee's row, or None after a difference."""
    record, n_before = hand.record, len(tally.differences)
    try:
        expected = referee.row(record)
    except ValueError as fault:
        tally.differ(f"the referee finds a fault: {fault}", record)
        return None
    for name, value in zip(ROW.names[2:], hand.row[2:], strict=True):
        if expected[name] != value:
            tally.differ(f"{name}: kernel {value}, referee {expected[name]}", record)
    if _is_void(record):
        tally.differ("a void deal was played", record)
    tally.hands += 1
    tally.decisions += len(record["plays"])
    tally.branches.update(branches(record, expected, hand))
    return expected if len(tally.differences) == n_before else None


def _is_void(record: dict[str, Any]) -> bool:
    return referee.is_void(
        record["deck"],
        record["first_hand"],
        record["claim"] is not None,
        bool(record["declarations"]),
        record["rules"],
    )


def compare_plain(job: Job, known: dict[str, Any], hands: list[Hand], tally: Tally) -> None:
    """Compare traced single hands, from the first of a job on, with the rows of plain play between void decks."""
    n = len(hands)
    begin = 0
    while begin < n:
        void = next((i for i in range(begin, n) if hands[i].status == VOID_DEAL), n)
        rows = np.zeros(n - begin, ROW)
        try:
            _, n_rows = engine.play_range(job, known, begin, n, rows)
            if void < n:
                tally.differ(f"void deal {void} was accepted in plain play", hands[void].record)
                return
        except InputError as error:
            n_rows = void - begin
            if void == n or f"deals[{void}] " not in str(error):
                tally.differ(f"plain play: {error}")
                return
        if rows[:n_rows].tolist() != [hand.row for hand in hands[begin : begin + n_rows]]:
            tally.differ("rows of single hands differ between plain play and trace mode", hands[begin].record)
        begin = void + 1


def compare_single_hands(job: Job, known: dict[str, Any], n_hands: int, tally: Tally, start: int = 0) -> None:
    """Compare single hands `start` to start + n - 1 of a job; given decks may be void."""
    hands = trace(job, known, start, n_hands)
    for unit, hand in enumerate(hands, start):
        if hand.status == VOID_DEAL:
            if job.deals is None or not _is_void(hand.record):
                tally.differ("a deal that is not void was refused", hand.record)
            tally.branches["void deck refused"] += 1
            continue
        if hand.status:
            tally.differ(f"policy {job.policies[hand.asked[0]]} broke a rule: {hand.status}", hand.record)
            continue
        compare_attempts(job, unit, hand, tally)
        compare_hand(hand, tally)
    if start == 0:
        compare_plain(job, known, hands, tally)


def compare_attempts(job: Job, key: int, hand: Hand, tally: Tally) -> None:
    """The deck of the last attempt was played, and those of all attempts before were void, with nobody speaking."""
    record = hand.record
    if job.deals is not None:
        if record["deck"] != [kind % N_KINDS for kind in job.deals[key].tolist()]:
            tally.differ("another deck than the one given was played", record)
        return
    if hand.attempt == 0 and key % 10:  # each needs a shuffle by the plain rule
        return
    deck = np.zeros(162, np.uint8)
    for attempt in range(hand.attempt + 1):
        from_host(plain_shuffle)(np.uint64(job.seed), np.uint64(key), attempt, deck)
        kinds = [card % N_KINDS for card in deck.tolist()]
        if attempt == hand.attempt:
            if kinds != record["deck"]:
                tally.differ(f"not the deck of attempt {attempt} was played", record)
        elif not referee.is_void(kinds, record["first_hand"], False, False, record["rules"]):
            tally.differ(f"attempt {attempt} was thrown in, but is not void", record)
        else:
            tally.branches["redeal"] += 1


def compare_round(job: Job, known: dict[str, Any], round_id: int, tally: Tally, most: int = ROUND_HANDS) -> None:
    """Compare one round, up to `most` hands: each hand alone, and its outcome with the start of the next."""
    rows = np.zeros(MAX_HANDS, ROW)
    _, n_rows = engine.play_range(job, known, round_id, round_id + 1, rows)
    n = min(n_rows, most)
    hands = trace(job, known, round_id, n)
    if rows[:n].tolist() != [hand.row for hand in hands]:
        tally.differ(f"rows of round {round_id} differ between plain play and trace mode", hands[0].record)
    before = None
    for number, hand in enumerate(hands):
        record = hand.record
        if hand.status:
            tally.differ(f"status {hand.status} in a round", record)
            return
        if hand.row[:2] != (round_id, number):
            tally.differ(f"row of round {round_id}, hand {number} is marked {hand.row[:2]}", record)
        compare_attempts(job, round_id << 16 | number, hand, tally)
        expected = compare_hand(hand, tally)
        start = job.rules.start_level
        due = before or {"first_hand": True, "levels": [start, start], "dealer": None, "owed": 0}
        if {key: record[key] for key in due} != due:
            tally.differ(f"hand {number} does not start where the hand before ended: {due}", record)
        if expected is None:
            return
        if (expected["round_end"] != 0) != (number == n_rows - 1):
            tally.differ(f"round {round_id} ends at the wrong hand", record)
        before = {
            "first_hand": False,
            "levels": [record["levels"][side] + expected[f"raise_{side}"] for side in (0, 1)],
            "dealer": expected["next_dealer"],
            "owed": expected["owed_next"],
        }
    tally.rounds += 1


def branches(record: dict[str, Any], row: dict[str, int], hand: Hand) -> Iterator[str]:
    """Names of the rare branches that a complete hand went through, by the referee's row and the record."""
    yield from _bidding_branches(record, row)
    if row["tribute_reversed"] and row["tribute_moved"]:
        yield "tribute reversed"
    if hand.cancelled and row["owed"] and not row["tribute_moved"] and not row["tribute_short"]:
        yield "tribute cancelled"
    if row["tribute_short"]:
        yield "tribute short"
    if row["dry_pot"]:
        suits = order_of(row["level"], row["trump"]).suit
        is_all_trump = all(suits[kind] == TRUMP for kind in record["deck"][N_DEALT:])
        option = record["rules"].dry_pot.name.lower().replace("_", " ")
        yield f"dry pot: {'all trump' if is_all_trump else option}"
    if any(kind >= SMALL for kind in record["bury"] or ()):
        yield "jokers buried by dealer"
    for entry in record["joker_buries"]:
        yield f"jokers buried by {('', 'next', 'partner', 'previous')[(entry['seat'] - row['dealer']) % 4]}"
    yield from _result_branches(record, row)


def _bidding_branches(record: dict[str, Any], row: dict[str, int]) -> Iterator[str]:
    declared_as = row["declared_as"]
    if declared_as == 7:
        yield "seats' flip"
    elif declared_as == 6:
        own = record["deck"][record["claim"]["draw"] + 4 : N_DEALT : 4]
        yield "claim" if any(kind < SMALL for kind in own) else "claim, suit from the bottom"
    elif declared_as == 0:
        yield "bottom flip"
    said = record["declarations"]
    for before, declaration in zip([None, *said], said):
        kind = declaration["cards"][0]
        if kind >= SMALL:
            yield "three big declared" if kind == BIG else "three small declared"
            yield "three jokers overcall" if before else "three jokers open"
        if before and before["seat"] == declaration["seat"]:
            yield "self-overcall"
        if declaration["draw"] is None:
            yield "declared in the closing window"


def _result_branches(record: dict[str, Any], row: dict[str, int]) -> Iterator[str]:
    rules, end = record["rules"], row["round_end"]
    dealers = row["dealer"] % 2
    attackers_won = row["round_winner"] == 1 - dealers
    raises, levels = (row["raise_0"], row["raise_1"]), record["levels"]
    if row["attacker_points"] == 0:
        yield "S = 0"
    if row["attacker_points"] >= 300:
        yield "S >= 300" if row["attacker_points"] == 300 else "S > 300"
        if end != 2 and rules.end_at_300 == EndAt300.CAPTURED:
            yield "S >= 300, not captured"
    if end in (3, 4):
        winners = "attackers" if attackers_won else "dealers' side"
        yield f"three {'big' if end == 3 else 'small'} end, {winners}"
    if end == 5:
        reaches = rules.round_won_by == RoundWonBy.REACHING and levels[row["round_winner"]] < rules.end_level
        if reaches:
            yield "reaching, attackers" if attackers_won else "reaching, dealers' side"
        else:
            yield "passing the last level"
            if rules.round_won_by == RoundWonBy.REACHING:
                yield "side at its end level from the start"
    if end == 0 and row["takes_deal"] and row["dig"] and levels[1 - dealers] == rules.end_level:
        yield "attackers at the last level"
    v = (
        0
        if row["dry_pot"]
        else (rules.big_joker_levels * row["bottom_big"] + rules.small_joker_levels * row["bottom_small"])
    )
    if 0 < max(raises) < 1 + v and end in (0, 5):
        yield "raise capped"


# --- one rule set ----------------------------------------------------------------------------------------------------


def random_situation(rng: random.Random, rules: GunziRules) -> Situation:
    """Start of later hands: levels, often the last, dealer, and a debt that may be more than a hand can pay."""
    start, end = rules.start_level, rules.end_level
    levels = [end if rng.random() < 0.3 else rng.randint(start, end) for _ in range(2)]
    owed = rng.choice([0, 0, rng.randint(1, 3), rng.randint(0, 20), rng.randint(0, 20), rng.randint(21, 50)])
    return Situation(False, (levels[0], levels[1]), rng.randrange(4), owed)


def stacked_decks(rng: random.Random, situation: Situation, n_decks: int) -> Any:
    """Decks by recipes that suit the situation: uint8[n, 162]."""
    recipes = stacked.FIRST_HANDS if situation.first_hand else stacked.LATER_HANDS
    level = situation.levels[situation.dealer % 2]
    return np.array([rng.choice(recipes)(rng, level) for _ in range(n_decks)], np.uint8)


def compare_rule_set(number: int, n_hands: int, seed: int = 0, known: dict[str, Any] | None = None) -> Tally:
    """Play `n_hands` or a few more under the rules that (seed, number) draw, and compare them all."""
    rng = random.Random(f"{seed}/{number}")
    known = known or table()
    rules = drawn_rules(rng)
    tally = Tally(rule_sets={rules})
    for way, share in SHARES.items():
        due = tally.hands + share * n_hands
        while tally.hands < due and not tally.differences:
            job = Job("gunzi", rules, random_policies(rng), rng.getrandbits(64))
            n = min(HANDS_A_JOB, max(1, round(due - tally.hands)))
            if way == "rounds":
                compare_round(job, known, rng.choice([rng.randrange(100), rng.getrandbits(47)]), tally)
                continue
            is_first = way.startswith("first")
            start = (rules.start_level, rules.start_level)
            situation = Situation(True, start, 0, 0) if is_first else random_situation(rng, rules)
            decks = stacked_decks(rng, situation, n) if way.endswith("stacked") else None
            compare_single_hands(replace(job, mode="hands", situation=situation, deals=decks), known, n, tally)
    tally.differences = [f"rule set {number} of seed {seed}: {text}" for text in tally.differences]
    return tally


def compare_redeals(number: int, known: dict[str, Any] | None = None) -> Tally:
    """Compare a single hand and a round whose first deal is void (G4.3), under a preset."""
    known = known or table()
    rng = random.Random(number)
    rules = replace(list(PRESETS.values())[number % 4], first_claim=FirstClaim.VOLUNTARY)
    tally = Tally(rule_sets={rules})
    job = Job("gunzi", rules, (PolicySpec("silent"),) * 4, 0)
    compare_round(job, known, VOID_ROUNDS[number % 4], tally)
    start = (rules.start_level, rules.start_level)
    single = replace(job, mode="hands", situation=Situation(True, start, 0, 0))
    compare_single_hands(single, known, 1, tally, VOID_SINGLE_HANDS[number % 4])
    mixed = replace(single, policies=tuple(random_spec(rng, "random") for _ in range(4)))
    compare_single_hands(mixed, known, 1, tally, VOID_SINGLE_HANDS[number % 4])
    return tally


# --- the command -----------------------------------------------------------------------------------------------------


def _in_processes(
    work: Callable[..., Any], tasks: list[tuple], processes: int, take: Callable[[Any], str], name: str
) -> None:
    """Do tasks in processes of their own; after each, `take` its result, and say how far it is and how long to go."""
    began = said = time.monotonic()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context) as pool:
        futures = [pool.submit(work, *task) for task in tasks]
        for n_done, future in enumerate(as_completed(futures), 1):
            text = take(future.result())
            now = time.monotonic()
            if now - said > 10 or n_done == len(tasks):
                said = now
                left = (now - began) / n_done * (len(tasks) - n_done)
                print(f"{name} {n_done}/{len(tasks)}: {text}, {now - began:.0f} s, {left:.0f} s left", flush=True)


def run_comparison(n_rule_sets: int, n_hands: int, seed: int, processes: int) -> bool:
    """Compare hands under many rule sets and print what was met; whether all is well."""
    total = Tally()
    began = time.monotonic()

    def take(tally: Tally) -> str:
        total.add(tally)
        rate = total.hands / (time.monotonic() - began)
        return f"{total.hands} hands, {len(total.differences)} differences, {rate:.0f} hands/s"

    for number in range(4):
        take(compare_redeals(number))
    tasks = [(number, n_hands, seed) for number in range(n_rule_sets)]
    _in_processes(compare_rule_set, tasks, processes, take, "rule sets")
    print(f"\n{total.hands} hands, {total.rounds} rounds, {total.decisions} plays")
    print(f"{len(total.rule_sets)} different rule sets")
    for name in BRANCHES:
        print(f"{total.branches[name]:9d}  {name}")
    missing = [name for name in BRANCHES if not total.branches[name]]
    print(f"{len(missing)} rare branches not met{': ' if missing else ''}{', '.join(missing)}")
    print(f"{len(total.differences)} differences")
    for text in total.differences[:10]:
        print(text)
    return not missing and not total.differences


def run_illegal(n_refused: int, seed: int, processes: int) -> bool:
    """Play spoilt moves until so many were refused, and print the counts by clause; whether all is well."""
    total = illegal_moves.Count()

    def take(count: illegal_moves.Count) -> str:
        total.add(count)
        return f"{total.n_refused()} moves refused, {total.accepted} accepted, {len(total.differences)} differences"

    number, a_task = 0, 500
    while total.n_refused() < n_refused and not total.differences:
        n_tasks = max(1, -(-(n_refused - total.n_refused()) // a_task))
        tasks = [(number + i, a_task, seed) for i in range(n_tasks)]
        _in_processes(illegal_moves.compare, tasks, processes, take, "illegal moves")
        number += n_tasks
    print(f"\n{total.n_refused() + total.accepted} moves judged, {total.n_refused()} refused; by decision and clause:")
    for (decision, clause), n in sorted(total.refused.items()):
        print(f"{n:9d}  {decision:8s} {clause}")
    print(f"{total.malformed:9d}  malformed moves, which no record can hold, refused by the kernel")
    missing = illegal_moves.EXPECTED - set(total.refused)
    print(f"{len(missing)} clauses not met{': ' if missing else ''}{', '.join(map(' '.join, sorted(missing)))}")
    print(f"{len(total.differences)} differences")
    for text in total.differences[:10]:
        print(text)
    return not missing and not total.differences


def main(arguments: list[str] | None = None) -> int:
    """Run the command; its exit status."""
    parser = argparse.ArgumentParser(description="Compare the kernel with the referee.")
    parser.add_argument("--rule-sets", type=int, default=0, help="rule sets to draw")
    parser.add_argument("--hands", type=int, default=400, help="hands under each")
    parser.add_argument("--illegal", type=int, default=0, help="illegal moves that must be refused")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args(arguments)
    is_well = True
    if given.rule_sets:
        is_well = run_comparison(given.rule_sets, given.hands, given.seed, given.processes)
    if given.illegal:
        is_well = run_illegal(given.illegal, given.seed, given.processes) and is_well
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
