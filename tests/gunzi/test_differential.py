"""
Kernel against referee, hand for hand; the full comparison is the command of `differential`.

What is drawn depends on nothing but the numbers here, so the suite plays the same hands every time.
"""

from collections import Counter
from itertools import islice

import differential
import illegal_moves
import pytest
import stacked
from counts import IS_COMPILED, count
from differential import Tally
from tracing import trace

from gunzi_sim import games
from gunzi_sim.game import Job, Situation
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.rules import PRESETS
from gunzi_sim.gunzi.state import VOID_DEAL

N_RULE_SETS = count(24, 2)
N_HANDS = count(100, 3)
N_REFUSED = count(2000, 6)
STANDARD = PRESETS["standard"]


@pytest.fixture(scope="module")
def tally():
    """Everything compared here, in one: rule sets drawn at random, and deals that are dealt again."""
    known, total = differential.table(), Tally()
    for number in range(N_RULE_SETS):
        total.add(differential.compare_rule_set(number, N_HANDS, 7, known))
    for number in range(count(4, 1)):
        total.add(differential.compare_redeals(number, known))
    return total


def test_kernel_and_referee_agree_on_every_hand(tally):
    assert not tally.differences, "\n".join(tally.differences[:3])
    assert tally.hands >= N_RULE_SETS * N_HANDS
    assert tally.rounds >= N_RULE_SETS


def test_g4_3_a_void_deal_is_dealt_again(tally):
    assert tally.branches["redeal"] >= count(8, 2)


def test_the_comparison_meets_every_rare_branch(tally):
    """Where the kernels run as plain Python the hands are too few for that."""
    missing = [name for name in differential.BRANCHES if not tally.branches[name]]
    assert not missing or not IS_COMPILED


@pytest.mark.parametrize("first_hand", [True, False])
@pytest.mark.parametrize("policy", ["silent", "random"])
def test_g4_3_g5_7_a_given_deal_is_refused_exactly_when_it_is_void(first_hand, policy):
    """Silent seats leave it to the bottom; others may claim or declare, and then no deal is void."""
    rng = differential.random.Random(f"{first_hand} {policy}")
    n = count(120, 5)
    situation = Situation(first_hand, (3, 3), 0, 0)
    decks = differential.np.array([stacked.jokers_below(rng, 3) for _ in range(n)], "uint8")
    specs = (differential.PolicySpec(policy),) * 4
    job = Job("gunzi", STANDARD, specs, 3, "hands", situation, decks)
    seen = Counter()
    for hand in trace(job, differential.table(), 0, n):
        record = hand.record
        is_void = referee.is_void(
            record["deck"], first_hand, record["claim"] is not None, bool(record["declarations"]), STANDARD
        )
        assert (hand.status == VOID_DEAL) == is_void
        seen[is_void] += 1
    assert seen[False] and (seen[True] or not IS_COMPILED or (policy == "random" and not first_hand))


@pytest.mark.parametrize("policies", ["random", "basic:jokers=2"])
@pytest.mark.parametrize("mode", ["rounds", "hands"])
def test_the_hands_of_the_engine_are_those_of_the_fast_trace(mode, policies):
    """`tracing` calls the kernel once for many hands; `Game.traced`, behind `show` and `record`, once for each."""
    found = games.get("gunzi")
    job = Job("gunzi", STANDARD, games.parse_policies("gunzi", policies), 12, mode, Situation(False, (5, 9), 2, 4))
    n = count(12, 2)
    if mode == "rounds":
        slow = list(islice(found.traced(job, 3), n))
    else:
        slow = [next(found.traced(job, unit)) for unit in range(3, 3 + n)]
    fast = trace(job, found.policies, 3, len(slow))
    assert [(record, row.tolist()) for record, row in slow] == [(hand.record, hand.row) for hand in fast]


@pytest.fixture(scope="module")
def spoilt():
    total, number = illegal_moves.Count(), 0
    while total.n_refused() < N_REFUSED and not total.differences:
        total.add(illegal_moves.compare(number, count(500, 6), 7))
        number += 1
    return total


def test_kernel_and_referee_refuse_the_same_moves_by_the_same_clause(spoilt):
    assert not spoilt.differences, "\n".join(spoilt.differences[:3])
    assert spoilt.n_refused() >= N_REFUSED
    assert spoilt.accepted > spoilt.n_refused()


def test_every_clause_is_broken_and_found(spoilt):
    """Where the kernels run as plain Python the moves are too few for that."""
    missing = illegal_moves.EXPECTED - set(spoilt.refused)
    assert not missing or not IS_COMPILED


def test_moves_that_no_record_can_hold_are_refused(spoilt):
    assert spoilt.malformed >= count(100, 5)
