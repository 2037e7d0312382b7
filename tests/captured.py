"""
Hands played with every view kept: what each seat was shown when it was asked for anything from `pay` on.

The seats' own functions answer; between them and the engine stands a function that copies the view. Left out: what is
done with the views.
"""

from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
from counts import IS_COMPILED
from numba import types
from numba.extending import intrinsic

from gunzi_sim.calls import address_of
from gunzi_sim.game import Job
from gunzi_sim.gunzi import engine
from gunzi_sim.gunzi.play import PLAN_START, PLAN_STOP
from gunzi_sim.gunzi.state import VOID_DEAL
from gunzi_sim.gunzi.view import CARDS_SIG, CLAIM, CODE_SIG, DECISIONS, DECLARE, PAY, ROW, VIEW, call_cards
from gunzi_sim.jit import njit

MOST_VIEWS = 256
KEPT = np.dtype(
    [
        ("n", "i8"),
        ("functions", "i8", (4, len(DECISIONS))),  # addresses of those that answer, by seat
        ("decision", "i8", (MOST_VIEWS,)),
        ("views", VIEW, (MOST_VIEWS,)),
    ],
    align=True,
)
"""Views of one hand in the order of asking."""
KEPT_TYPE = numba.from_dtype(KEPT)

if IS_COMPILED:

    @intrinsic
    def kept_at(typing_context, address):
        """The KEPT record at an address."""

        def codegen(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(KEPT_TYPE))

        return KEPT_TYPE(types.int64), codegen

else:
    KEPT_BY_ADDRESS = {}

    def kept_at(address):
        return KEPT_BY_ADDRESS[int(address)]


def _keeper(decision):
    """A function that keeps the view and lets the seat's own function answer."""

    @njit(CARDS_SIG, cache=False)
    def ask(view, params, draws):
        kept = kept_at(params.x0)
        if kept.n < MOST_VIEWS:
            kept.decision[kept.n] = decision
            kept.views[kept.n] = view
            kept.n += 1
        return call_cards(kept.functions[view.seat, decision], view, params, draws)

    return ask


@njit(CODE_SIG, cache=False)
def say_nothing(view, params, draws):
    """Neither claims nor declares."""
    return 0


@cache
def _keepers():
    return {decision: address_of(_keeper(decision)) for decision in range(PAY, len(DECISIONS))}


@cache
def _silence():
    return address_of(say_nothing)


class Hand(NamedTuple):
    """A hand played to its end: its record, and decision and view of each question from `pay` on."""

    record: dict[str, Any]
    asked: list[tuple[int, Any]]


def play(job: Job, unit: int, is_silent: bool = False) -> Hand | None:
    """Hand `unit` of a job of single hands; None where a given deck is void. `is_silent`: nobody says anything."""
    bench = engine._bench(job, engine.known_policies())
    state = bench.state[0]
    bench.state["tracing"] = 1
    kept = np.zeros(1, KEPT)
    address = kept.ctypes.data
    if not IS_COMPILED:
        KEPT_BY_ADDRESS[address] = kept.view(np.recarray)[0]
    for seat in range(4):
        kept["functions"][0, seat] = state["calls"][:, seat]
        state["params"]["x0"][seat] = address
        for decision, number in _keepers().items():
            state["calls"][decision, seat] = number
        if is_silent:
            state["calls"][[CLAIM, DECLARE], seat] = _silence()
    bench.plan[PLAN_START], bench.plan[PLAN_STOP] = unit, unit + 1
    try:
        status = engine._call(bench, engine._kinds(job, unit, unit + 1), np.zeros(1, ROW))
    finally:
        if not IS_COMPILED:
            del KEPT_BY_ADDRESS[address]
    if status == VOID_DEAL:
        return None
    assert status == 0 and kept["n"][0] < MOST_VIEWS
    asked = [(int(kept["decision"][0, i]), kept["views"][0, i]) for i in range(int(kept["n"][0]))]
    return Hand(engine._record(job, bench), asked)
