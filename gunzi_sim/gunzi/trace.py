"""
The hash of a hand, and its decisions written down in trace mode.

Every stored decision is one word, type << 56 | seat << 48 | argument plus the constants of its cards, folded into
`state.hash` in the order of the record. In trace mode it is also a row of the trace: type, seat, argument and three
planes *by kind*. Left out: draws, passes and deals made void, which enter neither.
"""

import numpy as np

from gunzi_sim.bits import bit_index
from gunzi_sim.cards import TRACE_Z
from gunzi_sim.gunzi.view import DECK_BYTES, KIND_AT, N_PLACES, TRACE_ROWS, TRACE_Z_AT
from gunzi_sim.jit import njit

T_CLAIM, T_DECLARE, T_PAY, T_RETURN, T_BURY, T_JOKERS, T_PLAY = range(1, 8)
CLOSING = 255
"""Draw of a declaration in the closing window, as its argument gives it."""

HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
TYPE_SHIFT = np.uint64(56)
SEAT_SHIFT = np.uint64(48)
ONE = np.uint64(1)
NONE = np.uint64(0)
KIND_Z = np.array(TRACE_Z, dtype=np.uint64)
ALL_PLACES = np.uint64((1 << N_PLACES) - 1)
DECK_WORDS = DECK_BYTES // 8


@njit(forceinline=True)
def fold(hash_so_far, word):
    """The hash after one more word."""
    mixed = (hash_so_far ^ word) * HASH_FACTOR
    return mixed ^ (mixed >> HALF)


@njit(forceinline=True)
def head(decision_type, seat, argument):
    """Word of a decision without its cards."""
    return np.uint64(decision_type) << TYPE_SHIFT | np.uint64(seat) << SEAT_SHIFT | np.uint64(argument)


@njit
def hash_deck(state):
    """Start the hash with the dealt deck: its kinds, eight a word, little-endian, zero-padded. Written in place."""
    so_far = NONE
    for i in range(DECK_WORDS):
        so_far = fold(so_far, state.deck_words[0, i])
    state.hash = so_far


@njit
def z_sum(plane, constants):
    """Sum of the constants at the bits of one plane, modulo 2^64."""
    total = NONE
    while plane != NONE:
        total += constants[bit_index(plane)]
        plane &= plane - ONE
    return total


@njit
def kinds_of(plane, level_index, trump):
    """One plane of places as a plane of kinds; bits outside the places, which only a faulty play has, are dropped."""
    kinds = NONE
    plane &= ALL_PLACES
    while plane != NONE:
        kind = KIND_AT[level_index, trump, bit_index(plane)]
        if kind < len(KIND_Z):
            kinds |= ONE << np.uint64(kind)
        plane &= plane - ONE
    return kinds


@njit
def write_trace(state, decision_type, seat, argument, k1, k2, k3):
    """Append a decision, its cards by kind, to the trace. Written in place."""
    row = state.n_trace
    trace = state.decisions
    if row < TRACE_ROWS:
        trace[row, 0] = np.uint64(decision_type)
        trace[row, 1] = np.uint64(seat)
        trace[row, 2] = np.uint64(argument)
        trace[row, 3] = k1
        trace[row, 4] = k2
        trace[row, 5] = k3
        state.n_trace = row + 1


@njit
def trace_places(state, decision_type, seat, argument, q1, q2, q3):
    """`write_trace` of cards given by place."""
    level_index, trump = state.z_level, state.trump
    write_trace(
        state,
        decision_type,
        seat,
        argument,
        kinds_of(q1, level_index, trump),
        kinds_of(q2, level_index, trump),
        kinds_of(q3, level_index, trump),
    )


@njit
def hash_places(state, decision_type, seat, argument, q1, q2, q3):
    """Fold a decision with cards by place into the hash; the cards must have been found legal."""
    constants = TRACE_Z_AT[state.z_level, state.trump]
    word = head(decision_type, seat, argument) + z_sum(q1, constants) + z_sum(q2, constants) + z_sum(q3, constants)
    state.hash = fold(state.hash, word)


@njit
def hash_kinds(state, decision_type, seat, argument, k1, k2, k3):
    """Fold a decision with cards by kind into the hash."""
    word = head(decision_type, seat, argument) + z_sum(k1, KIND_Z) + z_sum(k2, KIND_Z) + z_sum(k3, KIND_Z)
    state.hash = fold(state.hash, word)
