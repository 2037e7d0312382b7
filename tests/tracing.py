"""
Many hands in trace mode, each with its status instead of an error.

Left out: what is done with the hands (`differential`, `illegal_moves`).
"""

from typing import Any, NamedTuple

import numpy as np

from gunzi_sim.game import Job
from gunzi_sim.gunzi import engine
from gunzi_sim.gunzi.play import PLAN_LAST_HAND, PLAN_START, PLAN_STOP
from gunzi_sim.gunzi.view import DECISIONS, ROW


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


def trace(job: Job, table: dict[str, Any], start: int, n_hands: int) -> list[Hand]:
    """
    Hands of a job in trace mode: the first `n_hands` of round `start`, or the single hands from `start` on.

    A round must have that many hands. Policies must not raise; a hand in which one broke a rule has its status.
    """
    bench = engine._bench(job, table)
    state = bench.state[0]
    bench.state["tracing"] = 1
    rows = np.zeros(n_hands, ROW)
    found = []
    for i in range(n_hands):
        unit, first = (start, 0) if job.mode == "rounds" else (start + i, i)
        bench.plan[PLAN_START], bench.plan[PLAN_STOP], bench.plan[PLAN_LAST_HAND] = unit, unit + 1, i
        status = engine._call(bench, engine._kinds(job, unit, unit + 1), rows[first:])
        found.append(
            Hand(
                engine._record(job, bench),
                rows[i].item(),
                status,
                int(state["attempt"]),
                (int(state["asked_seat"]), DECISIONS[int(state["asked_decision"])]),
                bool(state["tribute_cancelled"]),
            )
        )
    return found
