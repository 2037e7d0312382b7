"""
Is burying a joker worth less at the levels 8 to 10, where a raise is cut at the last level?

Method: `study`; one small joker (holding no big one) or one big joker against none, by dealer and by next seat, both
sides at one level, on the same deals at every level. Intervals of the levels hold at once within a pool; those of the
differences too (Bonferroni).

Answer: by level `value`, the mean change in chips of the burying side, and `stake`, the levels by which the raise of
whoever earns one grows. `8-10 less 3-7` is the mean at the levels 8, 9 and 10 less that at 3, 5 and 7: negative where
burying is worth less late.
"""

import sys

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from study import (
    ONE_BIG,
    ONE_SMALL,
    ROLES,
    Cell,
    Deals,
    Options,
    Row,
    Task,
    cell,
    contrasts,
    error_bars,
    intervals,
    legend,
    main,
    new_figure,
    play,
)

HANDS = 20_000
EARLY, LATE = (3, 5, 7), (8, 9, 10)
HALVES = (LATE, EARLY)
LATE_LESS_EARLY = "8-10 less 3-7"
DEALER, NEXT = 0, 1
UNITS = {"value": "chips", "stake": "levels"}
ACTIONS = (ONE_SMALL, ONE_BIG)


def run(given: Options) -> list[Row]:
    """The table."""
    deals = Deals.of(given.hands, given.seed)
    groups = [(role, action) for role in (DEALER, NEXT) for action in ACTIONS]
    tasks = [Task(pool, *group, level=level) for pool in given.pools for group in groups for level in EARLY + LATE]
    pairs = {
        (pair.task.pool, pair.task.role, pair.task.action, pair.task.level): pair.hands
        for pair in play(tasks, deals, given.seed, given.meter)
    }
    rows: list[Row] = []
    for pool in given.pools:
        cells: dict[str, list[Cell]] = {measure: [] for measure in UNITS}
        halves: dict[str, list[tuple[Row, Cell, Cell]]] = {measure: [] for measure in UNITS}
        for role, action in groups:
            labels = {"pool": pool.name, "role": ROLES[role], "bury": str(action)}
            for measure in UNITS:
                own = [(level, pairs[pool, role, action, level]) for level in EARLY + LATE]
                cells[measure] += [cell(labels | {"level": level}, hands, measure) for level, hands in own]
                late, early = (
                    cell({}, pd.concat([h for level, h in own if level in part]), measure) for part in HALVES
                )
                halves[measure].append((labels | {"level": LATE_LESS_EARLY}, late, early))
        for measure, unit in UNITS.items():
            rows += intervals(cells[measure], given.hands, measure, unit)
            rows += contrasts(halves[measure], given.hands, measure, unit)
    return rows


def draw(rows: list[Row]) -> Figure:
    """Value by level, a panel a pool."""
    pools = list(dict.fromkeys(one["pool"] for one in rows))
    drawn, axes = new_figure(1, len(pools))
    for panel, pool in zip(axes[0], pools):
        for shift, role in enumerate((ROLES[DEALER], ROLES[NEXT])):
            for action in ACTIONS:
                found = [
                    one
                    for one in rows
                    if (one["pool"], one["role"], one["bury"]) == (pool, role, str(action))
                    and one["measure"] == "value"
                    and one["level"] != LATE_LESS_EARLY
                ]
                error_bars(panel, np.array(EARLY + LATE) + 0.1 * shift, found, f"{role}, {action}")
        panel.set(title=f"against {pool}", xlabel="level of both sides", ylabel="chips a hand of the side")
        legend(panel)
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
