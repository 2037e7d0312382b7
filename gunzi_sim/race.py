"""
The states of a race between two sides, as numbers: hands of a table counted by state and outcome.

Between two hands a round is in a `State`, seen by the side that deals next. Seats are alike but for their policies:
turned by `period` seats (1 where all are alike, 2 for A,B,A,B) a table is the same table. So states tell the dealer
modulo `period`, and nothing else tells the sides apart. A policy of one's own that treats seats unlike by their
numbers breaks this.

State code, high bits first: first_hand, 2 bits of the dealer, 4 of the level of the dealers, 4 of that of the others,
15 of the tribute owed. Outcome of a hand in view of its dealers: LOST, WON, or FIRST_NEXT + 2 * code of the next state
+ (1 where the other side deals there).
A *pair* is state code << OUTCOME_BITS | outcome. Left out: solving (`chain`), the table of values (`match_equity`).
"""

import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from gunzi_sim import chain

LOST, WON, FIRST_NEXT = 0, 1, 2
OWED_BITS, _LEVEL_BITS, _SEAT_BITS = 15, 4, 2
STATE_LIMITS = (1 << _LEVEL_BITS, 1 << _LEVEL_BITS, 1 << OWED_BITS, 1 << _SEAT_BITS, 2)
"""One more than the largest number of each field of a `State`."""
OUTCOME_BITS = OWED_BITS + 2 * _LEVEL_BITS + _SEAT_BITS + 3
USED = "first_hand level_0 level_1 dealer owed raise_0 raise_1 next_dealer owed_next round_end round_winner".split()
"""Columns of the table of hands that tell a hand's state and outcome."""


class State(NamedTuple):
    """Where a round stands before a hand; `dealer` counts modulo the period of the policies, 0 when all are alike."""

    level_dealers: int
    level_others: int
    owed: int = 0
    dealer: int = 0
    first_hand: bool = False


class Tally:
    """Hands counted by state and outcome; what threads add at once is added one after the other."""

    def __init__(self, period: int) -> None:
        self.period = period
        self._lock = threading.Lock()
        self._parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]] = []

    def add(self, hands: Mapping[str, npt.NDArray[np.integer]]) -> None:
        """Count hands, given by the columns `USED`; those of a cut round lead nowhere and are left out."""
        found = {name: np.asarray(hands[name]).astype(np.int64) for name in USED}
        outcomes = outcomes_of(found, self.period)
        pairs = (states_of(found, self.period) << OUTCOME_BITS | outcomes)[outcomes >= 0]
        part = np.unique(pairs, return_counts=True)
        with self._lock:
            self._parts.append(part)
            if len(self._parts) > 64:
                self._parts = [_summed(self._parts)]

    def counted(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Pairs of state and outcome, rising, and the hands of each."""
        with self._lock:
            self._parts = [_summed(self._parts)]
            return self._parts[0]


def _summed(
    parts: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Counts of several parts in one."""
    none = [np.zeros(0, np.int64)]
    pairs, places = np.unique(np.concatenate(none + [pairs for pairs, _ in parts]), return_inverse=True)
    counts = np.zeros(len(pairs), np.int64)
    np.add.at(counts, places, np.concatenate(none + [counts for _, counts in parts]))
    return pairs, counts


def codes_of(first_hand: Any, dealer: Any, level_dealers: Any, level_others: Any, owed: Any) -> npt.NDArray[np.int64]:
    """Codes of states, from int64[n] each."""
    head = (first_hand << _SEAT_BITS | dealer) << _LEVEL_BITS | level_dealers
    found: npt.NDArray[np.int64] = (head << _LEVEL_BITS | level_others) << OWED_BITS | owed
    return found


def state_of(code: int) -> State:
    """The state of a code."""
    head, owed = code >> OWED_BITS, code & (1 << OWED_BITS) - 1
    levels, seats = (1 << _LEVEL_BITS) - 1, (1 << _SEAT_BITS) - 1
    head, level_others = head >> _LEVEL_BITS, head & levels
    head, level_dealers = head >> _LEVEL_BITS, head & levels
    return State(level_dealers, level_others, owed, head & seats, bool(head >> _SEAT_BITS))


def states_of(hands: Mapping[str, npt.NDArray[np.int64]], period: int) -> npt.NDArray[np.int64]:
    """Code of the state before each hand."""
    is_0 = hands["dealer"] & 1 == 0
    levels = hands["level_0"], hands["level_1"]
    own, others = np.where(is_0, levels[0], levels[1]), np.where(is_0, levels[1], levels[0])
    return codes_of(hands["first_hand"], hands["dealer"] % period, own, others, hands["owed"])


def outcomes_of(hands: Mapping[str, npt.NDArray[np.int64]], period: int) -> npt.NDArray[np.int64]:
    """Outcome of each hand in view of its dealers' side; -1 where the round was cut."""
    side, next_dealer = hands["dealer"] & 1, hands["next_dealer"]
    levels = [hands[f"level_{one}"] + hands[f"raise_{one}"] for one in (0, 1)]
    is_0 = next_dealer & 1 == 0
    own, others = np.where(is_0, levels[0], levels[1]), np.where(is_0, levels[1], levels[0])
    code = codes_of(0, next_dealer % period, own, others, hands["owed_next"])
    goes_on = FIRST_NEXT + (code << 1 | (next_dealer & 1) ^ side)
    winner = hands["round_winner"]
    ended = np.where(winner == side, WON, np.where(winner == 1 - side, LOST, -1))
    return np.where(hands["round_end"] == 0, goes_on, ended)


def chain_counts(
    codes: npt.NDArray[np.int64], pairs: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> chain.Counts:
    """The counts as matrices over the states `codes`, which hold every state counted and every one led to."""
    rows, outcomes = np.searchsorted(codes, pairs >> OUTCOME_BITS), pairs & (1 << OUTCOME_BITS) - 1
    next_codes, is_other = outcomes - FIRST_NEXT >> 1, (outcomes - FIRST_NEXT) & 1
    columns = np.searchsorted(codes, next_codes)
    n = len(codes)

    def matrix(mask: npt.NDArray[np.bool_]) -> sparse.csr_array:
        return sparse.coo_array((counts[mask], (rows[mask], columns[mask])), shape=(n, n)).tocsr()

    def ends(outcome: int) -> npt.NDArray[np.int64]:
        return np.bincount(rows, counts * (outcomes == outcome), n).astype(np.int64)

    is_next = outcomes >= FIRST_NEXT
    return chain.Counts(matrix(is_next & (is_other == 0)), matrix(is_next & (is_other == 1)), ends(WON), ends(LOST))


def unplayed(pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Codes of states that hands lead to and from which none was played."""
    outcomes = pairs & (1 << OUTCOME_BITS) - 1
    return np.setdiff1d(outcomes[outcomes >= FIRST_NEXT] - FIRST_NEXT >> 1, pairs >> OUTCOME_BITS)


def period_of(policies: Sequence[object]) -> int:
    """Seats after which the policies repeat."""
    texts = [str(policy) for policy in policies]
    n = len(texts)
    return next(step for step in range(1, n + 1) if n % step == 0 and texts == texts[step:] + texts[:step])
