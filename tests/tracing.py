"""
Many hands in trace mode by one call of the engine's kernel, as `engine.traced` gives them one by one, but quickly.

What a call of compiled code costs is then paid once for all hands. Left out: what is done
with the hands (`differential`, `illegal_moves`).
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numba import int64, types

from gunzi_sim.game import Job
from gunzi_sim.gunzi import engine
from gunzi_sim.gunzi.play import PLAN_LAST_HAND, PLAN_MODE, PLAN_START, PLAN_STOP, RANGE_SIG, ROUNDS, play_range
from gunzi_sim.gunzi.score import STATE, STATE_TYPE
from gunzi_sim.gunzi.view import DECISIONS, ROW
from gunzi_sim.jit import njit


class Hand(NamedTuple):
    """
    A hand as the kernel traced it, to its end or to the decision that was refused.

    `status` is 0, a fault of `view.FAULT_CLAUSES` or `score.VOID_DEAL`; `attempt` counts the deals made void before;
    `asked` is the seat and decision asked last; `cancelled` is what the row does not tell.
    """

    record: dict[str, Any]
    row: tuple[int, ...]
    status: int
    attempt: int
    asked: tuple[int, str]
    cancelled: bool


@njit(int64(*RANGE_SIG.args, types.Array(STATE_TYPE, 1, "C")))
def _trace(state, plan, situation, deals, out_rows, out_states):
    """Fill `out_states` with one round's hands, or with single hands from plan[PLAN_START] on; returns how many."""
    first = plan[PLAN_START]
    for i in range(len(out_states)):
        if plan[PLAN_MODE] == ROUNDS:
            plan[PLAN_STOP] = first + 1
            plan[PLAN_LAST_HAND] = i
            play_range(state, plan, situation, deals, out_rows)
        else:
            plan[PLAN_START] = first + i
            plan[PLAN_STOP] = first + i + 1
            play_range(state, plan, situation, deals[i : i + 1], out_rows[i : i + 1])
        out_states[i] = state[0]
    return len(out_states)


def trace(job: Job, table: dict[str, Any], start: int, n_hands: int) -> list[Hand]:
    """
    Hands of a job in trace mode: the first `n_hands` of round `start`, or the single hands from `start` on.

    A round must have that many hands. Policies must not raise; a hand in which one broke a rule has its status.
    """
    bench = engine._bench(job, table)
    bench.state["tracing"] = 1
    bench.plan[PLAN_START] = start
    rows, states = np.zeros(n_hands, ROW), engine._records(n_hands, STATE)
    _trace(
        bench.state,
        bench.plan,
        bench.situation,
        engine._kinds(job, start, start + n_hands),
        rows.view(np.recarray) if numba.config.DISABLE_JIT else rows,
        states,
    )
    found = []
    for i, row in enumerate(rows.tolist()):
        state = states[i]
        found.append(
            Hand(
                engine._record(job, bench._replace(state=states[i : i + 1])),
                row,
                int(state["status"]),
                int(state["attempt"]),
                (int(state["asked_seat"]), DECISIONS[int(state["asked_decision"])]),
                bool(state["tribute_cancelled"]),
            )
        )
    return found
