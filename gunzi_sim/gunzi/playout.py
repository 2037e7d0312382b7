"""
Hands played on from a view: the hidden cards filled in, the first answer given, everything after it by a policy.

A playout needs a work space of its own, a STATE. `take_up` puts it into the hand that a view shows; `lay_out` gives it
hidden cards (from `sampler`) and lets every seat know what it would; `play_on` plays the hand to its result. All seats
play by the policy whose addresses stand in the parameters (`inner_calls`), with the same parameters.

Left out: which hidden cards (`sampler`), which answers are worth trying and what a result is worth (`policies_search`).
"""

import numpy as np
from numba import int64, types

from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi.facts import BYTE
from gunzi_sim.gunzi.play import NONE, ONE, begin_play, finish_hand
from gunzi_sim.gunzi.state import STATE, STATE_TYPE
from gunzi_sim.gunzi.tricks import add, count, remove
from gunzi_sim.gunzi.view import (
    BOTTOM,
    BURY,
    CARDS_SIG,
    DECISIONS,
    FOLLOW,
    JOKERS,
    LEAD,
    MIN_LEVEL,
    N_SEATS,
    OK,
    OPTION_NAMES,
    VIEW_CLEARED,
    call_cards,
)
from gunzi_sim.jit import njit, record_maker
from gunzi_sim.rng import start_draws

N_DECISIONS = len(DECISIONS)
N_OPTIONS = len(OPTION_NAMES)
VOID_BITS = 4
"""Bits of a seat in a word of voids."""
new_state = record_maker(STATE)


@njit(CARDS_SIG)
def answer_first(view, params, draws):
    """The answer that `params` holds, once; after it the inner policy's to the same decision."""
    if params.is_forced:
        params.is_forced = 0
        return params.forced[0], params.forced[1], params.forced[2]
    return call_cards(params.inner_calls[params.forced_decision], view, params, draws)


@njit
def take_up(out_state, view, params, decision):
    """
    Put a state into the hand that a view shows, but for cards that lie hidden.

    Parameters
    ----------
    out_state : STATE record
        Written in place.
    view : VIEW record
        Of the seat that is asked.
    params : PARAMS record
        With the addresses of the policy that plays on.
    decision : int64
        BURY, JOKERS, LEAD or FOLLOW: what the seat is asked.
    """
    state = out_state
    for seat in range(N_SEATS):
        state.params[seat] = params
        for asked in range(N_DECISIONS):
            state.calls[asked, seat] = params.inner_calls[asked]
        start_draws(state.draws[seat], state.seed, state.key, NONE)
    state.views[0] = view
    for i in range(N_OPTIONS):
        state.rule_words[i] = state.view_words[0, VIEW_CLEARED + i]
    state.tracing = 0
    state.draw_ahead = 0
    state.status = OK
    state.levels[0] = view.level_0
    state.levels[1] = view.level_1
    state.level = view.level
    state.first_hand = view.first_hand
    state.first_seat = view.first_seat
    state.dealer = view.dealer
    state.trump = view.trump
    state.z_level = view.level - MIN_LEVEL
    state.owed = view.owed
    state.fives = view.fives
    state.tens = view.tens
    state.exposed = view.exposed
    state.dry_pot = view.dry_pot
    state.payer = view.payer
    state.receiver = view.receiver
    state.tribute_moved = count(view.paid_1, view.paid_2, view.paid_3)
    for seat in range(N_SEATS):
        state.big_buried[seat] = view.buried_big[seat]
        state.small_buried[seat] = view.buried_small[seat]
    begin_play(state)
    if decision == JOKERS:
        state.first_asked = (view.seat - view.dealer) & 3
    elif decision == LEAD or decision == FOLLOW:
        take_up_trick(state, view)


@njit
def take_up_trick(out_state, view):
    """Let play begin with the trick that a view shows, as far as it is played. `out_state` is written in place."""
    state = out_state
    state.start_trick = view.trick
    state.start_leader = view.leader
    state.start_cards = view.cards_left
    state.start_position = view.position
    state.start_points[0] = view.attacker_points
    state.start_points[1] = view.dealer_points
    state.start_n_cards = view.n_cards
    state.start_led_group = view.led_group
    state.start_best_seat = view.best_seat
    state.start_beating = view.beating
    state.start_table_points = view.table_points
    p1, p2, p3 = view.played_1, view.played_2, view.played_3
    for position in range(view.position):
        code = np.int64(view.history[view.trick, (view.leader + position) & 3])
        while code:
            p1, p2, p3 = add(p1, p2, p3, ONE << np.uint64((code & BYTE) - 1), NONE, NONE)
            code >>= 8
    state.start_played[0] = p1
    state.start_played[1] = p2
    state.start_played[2] = p3
    voids = NONE
    for seat in range(N_SEATS):
        voids |= np.uint64(view.voids[seat]) << np.uint64(VOID_BITS * seat)
    state.start_voids = voids


@njit
def lay_out(out_state, view, hands, decision):
    """
    Give a state all cards, and every seat its view of them.

    Parameters
    ----------
    out_state : STATE record
        After `take_up`, or after a playout from it. Written in place.
    view : VIEW record
        Of the seat that is asked.
    hands : uint64[5, 3]
        Planes of what the seats hold now, and of the bottom; when the dealer is asked to bury, it holds the bottom too.
    decision : int64
        As `take_up`.
    """
    state = out_state
    for row in range(len(hands)):
        for plane in range(3):
            state.hands[row, plane] = hands[row, plane]
    if decision == BURY:
        b1, b2, b3 = view.dealt_bottom_1, view.dealt_bottom_2, view.dealt_bottom_3
        own = state.hands[view.seat]
        own[0], own[1], own[2] = remove(own[0], own[1], own[2], b1, b2, b3)
        state.hands[BOTTOM, 0], state.hands[BOTTOM, 1], state.hands[BOTTOM, 2] = b1, b2, b3
    is_public = view.dry_pot
    for seat in range(N_SEATS):
        is_public |= view.buried_big[seat] | view.buried_small[seat]
    for seat in range(N_SEATS):
        state.views[seat] = view
        if seat != view.seat:
            show_own_part(state, view, seat, is_public, decision)


@njit
def show_own_part(out_state, view, seat, is_public, decision):
    """What one seat knows of the bottom and another does not. `out_state.views` is written in place."""
    other = out_state.views[seat]
    other.seat = seat
    if not view.exposed and view.seat == view.dealer:
        other.dealt_bottom_1, other.dealt_bottom_2, other.dealt_bottom_3 = NONE, NONE, NONE
    if is_public:
        return
    other.bottom_known = 0
    other.bottom_1, other.bottom_2, other.bottom_3 = NONE, NONE, NONE
    if seat == view.dealer and decision != BURY:
        other.bottom_known = 1
        bottom = out_state.hands[BOTTOM]
        other.bottom_1, other.bottom_2, other.bottom_3 = bottom[0], bottom[1], bottom[2]


@njit
def force_answer(out_state, seat, decision, q1, q2, q3):
    """Let a seat's next answer to a decision be these cards. `out_state` is written in place."""
    params = out_state.params[seat]
    params.is_forced = 1
    params.forced_decision = decision
    params.forced[0], params.forced[1], params.forced[2] = q1, q2, q3
    out_state.calls[decision, seat] = params.first_call


@njit(int64(types.Array(STATE_TYPE, 1, "C"), int64))
def play_on(state, decision):
    """
    Play a hand from BURY, JOKERS, LEAD or FOLLOW to its result.

    Parameters
    ----------
    state : STATE[1]
        After `lay_out`. Written in place.
    decision : int64

    Returns
    -------
    int64
        0, or the clause's number in `view.FAULT_CLAUSES` that an answer broke.
    """
    table = state[0]
    table.status = OK
    table.round_winner = NOBODY
    finish_hand(table, LEAD if decision == FOLLOW else decision)
    return table.status
