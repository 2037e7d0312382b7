"""
Questions to the policies: the keyed draws of a decision, and the call.

A question is begun when the view of the seat is ready, and then asked: `ask_code` for `claim` and `declare`,
`ask_cards` for all others. Left out: what a view shows and what an answer may be, which each phase knows.
"""

import numpy as np

from gunzi_sim.gunzi.view import FIRST_PURPOSE, call_cards, call_code
from gunzi_sim.jit import njit
from gunzi_sim.rng import switch_stream


@njit(forceinline=True)
def begin_question(state, seat, decision, moment):
    """
    Start the draws of one decision, and note in trace mode who is asked for what. Written in place.

    `moment` tells the questions of one kind to one seat apart: the draw, the trick, or the step.
    """
    stream = np.uint64((FIRST_PURPOSE + decision) << 24 | seat << 16 | moment)
    switch_stream(state.draws[seat], stream)
    if state.tracing:
        state.asked_seat = seat
        state.asked_decision = decision


@njit(forceinline=True)
def ask_code(state, seat, decision):
    """The code that a seat answers to `claim` or `declare`: int64."""
    return call_code(state.calls[decision, seat], state.views[seat], state.params[seat], state.draws[seat])


@njit(forceinline=True)
def ask_cards(state, seat, decision):
    """The planes of the cards that a seat answers to any other decision: three uint64."""
    return call_cards(state.calls[decision, seat], state.views[seat], state.params[seat], state.draws[seat])
