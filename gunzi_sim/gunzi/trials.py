"""
Trials of answers for advice: every candidate played to the end of the hand on the same hidden hands.

For the host, in order: `gather_facts`, `count_ways`, `list_answers` (and `count_follows`), any number of `try_answers`.
The first candidate is always the inner policy's answer. Left out: which question (`seen`), estimates and ranking (the
layer above).
"""

import numpy as np
from numba import float64, from_dtype, int64, types, uint64

from gunzi_sim.bits import popcount
from gunzi_sim.gunzi.candidates import list_buries, list_follows, list_jokers, list_legal_follows, list_legal_leads, put
from gunzi_sim.gunzi.facts import FACTS, gather
from gunzi_sim.gunzi.playout import force_answer, lay_out, play_on, take_up
from gunzi_sim.gunzi.policies_search import answer
from gunzi_sim.gunzi.sampler import draw, measure, prepare
from gunzi_sim.gunzi.state import STATE_TYPE
from gunzi_sim.gunzi.tricks import count_within
from gunzi_sim.gunzi.view import (
    BAD_JOKERS,
    BIG_JOKER,
    BOTTOM,
    BURY,
    JOKERS,
    LEAD,
    N_SEATS,
    OK,
    PARAMS_TYPE,
    SMALL_JOKER,
    TRUMPS,
    VIEW_TYPE,
)
from gunzi_sim.jit import njit
from gunzi_sim.rng import DRAWS

(
    SETTLEMENT, POINTS, TAKES_DEAL, DIG, RAISE_0, RAISE_1, NEXT_DEALER, OWED_NEXT, ROUND_WINNER,
) = range(9)  # fmt: skip
N_RESULTS = 9
"""Columns of `out_results`: settlement of the seat's side, S, two flags, levels risen, and where the round stands."""
MOST_RANKED = 48
"""Legal answers to a pair or triple that are all tried; of more, a selection."""
FIRST_TRIES, TRIES_A_HAND = 200, 4
"""Hidden hands drawn at least, and for one that is played: some contradict what was told of the bottom (G8.4)."""
N_FEATURES = 15
"""Columns of `out_features`: big jokers, small jokers, and trumps of the four seats and the bottom; 0 where own."""
FACTS_TYPE = from_dtype(FACTS)
DRAWS_TYPE = from_dtype(DRAWS)


# --- candidates ------------------------------------------------------------------------------------------------------


@njit(int64(VIEW_TYPE))
def count_follows(view):
    """How many legal answers there are to the trick on the table; equal cards count once."""
    if view.n_cards == 1:
        held = view.hand_1 & view.led
        return popcount(held if held else view.hand_1)
    return list_legal_follows(view, 0, np.zeros((0, 3), np.uint64))[1]


@njit(int64(VIEW_TYPE, PARAMS_TYPE, DRAWS_TYPE, int64, uint64[:, ::1]))
def list_answers(view, params, draws, decision, out_cards):
    """
    The answers worth trying: all legal ones, but of a bury a selection, and of a follow where they are too many.

    Parameters
    ----------
    view, params, draws : records
        Of the question; `params` has the addresses of the inner policy.
    decision : int64
        BURY, JOKERS, LEAD or FOLLOW.
    out_cards : uint64[n, 3]
        Planes of the answers, the inner policy's first. Written in place.

    Returns
    -------
    int64
        How many there are.
    """
    q1, q2, q3 = answer(view, params, draws, decision)
    n = put(out_cards, 0, q1, q2, q3)
    if decision == BURY:
        return list_buries(view, n, out_cards)
    if decision == JOKERS:
        return list_jokers(view, n, out_cards)
    if decision == LEAD:
        return list_legal_leads(view, n, out_cards)
    if count_follows(view) <= MOST_RANKED and view.n_cards > 1:
        n, _ = list_legal_follows(view, n, out_cards)
        return n
    return list_follows(view, n, out_cards)


# --- trials ----------------------------------------------------------------------------------------------------------


@njit
def note_hands(hands, seat, out_features):
    """Where the jokers and trumps lie that the seat does not hold. Written in place."""
    n_rows = BOTTOM + 1
    for row in range(n_rows):
        h1, h2, h3 = hands[row, 0], hands[row, 1], hands[row, 2]
        is_own = row == seat
        out_features[row] = 0 if is_own else count_within(h1, h2, h3, BIG_JOKER)
        out_features[n_rows + row] = 0 if is_own else count_within(h1, h2, h3, SMALL_JOKER)
        out_features[2 * n_rows + row] = 0 if is_own else count_within(h1, h2, h3, TRUMPS)


@njit
def note_result(state, seat, out_results):
    """The result of a playout. Written in place."""
    out_results[SETTLEMENT] = state.settlement[seat] + state.settlement[seat ^ 2]
    out_results[POINTS] = state.attacker_points
    out_results[TAKES_DEAL] = state.takes_deal
    out_results[DIG] = state.dig
    out_results[RAISE_0] = state.raises[0]
    out_results[RAISE_1] = state.raises[1]
    out_results[NEXT_DEALER] = state.next_dealer
    out_results[OWED_NEXT] = state.owed_next
    out_results[ROUND_WINNER] = state.round_winner


@njit(int64(VIEW_TYPE, types.Array(FACTS_TYPE, 1, "C")))
def gather_facts(view, out_facts):
    """Write what the view tells of the hidden cards; returns the cells of the table that `count_ways` needs."""
    gather(view, out_facts[0])
    return measure(out_facts[0])


@njit(float64(types.Array(FACTS_TYPE, 1, "C"), float64[::1]))
def count_ways(facts, out_table):
    """Ways to lay the hidden cards, 0.0 where what was told contradicts itself. `out_table` is written in place."""
    return prepare(facts[0], out_table)


TRIAL_SIG = int64(
    types.Array(STATE_TYPE, 1, "C"),
    types.Array(FACTS_TYPE, 1, "C"),
    float64[::1],
    VIEW_TYPE,
    PARAMS_TYPE,
    DRAWS_TYPE,
    int64,
    uint64[:, ::1],
    int64[:, :, ::1],
    int64[:, ::1],
)


@njit(TRIAL_SIG, nogil=True)
def try_answers(work, facts, table, view, params, draws, decision, cards, out_results, out_features):
    """
    Play every candidate on the same hidden hands.

    Parameters
    ----------
    work : STATE[1]
        Work space. Written in place.
    facts, table
        As `count_ways` left them.
    view, params, draws : records
        Of the question; the hidden hands are drawn from `draws`, which go on from call to call.
    decision : int64
    cards : uint64[n_candidates, 3]
        Planes of the answers.
    out_results : int64[n_hands, n_candidates, N_RESULTS]
        Written in place.
    out_features : int64[n_hands, N_FEATURES]
        Written in place.

    Returns
    -------
    int64
        Hidden hands that were played; fewer where `TRIES_A_HAND` times as many were not enough. Below 0: the number of
        the clause in `view.FAULT_CLAUSES` that the policy broke, negated.
    """
    hands = np.zeros((N_SEATS + 1, 3), np.uint64)
    n_done = 0
    n_tried = 0
    while n_done < len(out_results) and n_tried < FIRST_TRIES + TRIES_A_HAND * len(out_results):
        n_tried += 1
        if not draw(facts[0], table, draws, hands):
            break
        take_up(work[0], view, params, decision)
        is_good = True
        for i in range(len(cards)):
            lay_out(work[0], view, hands, decision)
            force_answer(work[0], view.seat, decision, cards[i, 0], cards[i, 1], cards[i, 2])
            status = play_on(work, decision)
            if status == BAD_JOKERS and decision == JOKERS:
                is_good = False  # more jokers than this hidden bottom has cards for: not what the seat was told (G8.4)
                break
            if status != OK:
                return -status
            note_result(work[0], view.seat, out_results[n_done, i])
        if is_good:
            note_hands(hands, view.seat, out_features[n_done])
            n_done += 1
    return n_done
