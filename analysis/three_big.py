"""
Should a seat that holds all three big jokers bury them, under the three ways in which they may end the round?

Method: `study`, at level 3, in hands in which one seat holds all three (the dealer: with the bottom), with
`three_big_ends` off, for the attackers, for both. Intervals hold at once within a pool and measure.

Answer, by role and option: `value` of burying them in chips of the side; `ends for` and `ends against`, shares of the
hands in which the three jokers then end the round for or against that side.
"""

import sys

import numpy as np
from matplotlib.figure import Figure
from study import (
    ROLES,
    Action,
    Deals,
    Options,
    Row,
    Task,
    cell,
    error_bars,
    intervals,
    legend,
    main,
    new_figure,
    play,
)

import gunzi_sim as gz

HANDS = 400_000
ENDS = ("off", "attackers", "both")
MEASURES = {
    "value": ("value", "chips"),
    "ends_for": ("ends for", "share of hands"),
    "ends_against": ("ends against", "share of hands"),
}


def run(given: Options) -> list[Row]:
    """The table."""
    deals = Deals.of(given.hands, given.seed)
    tasks = [
        Task(pool, role, Action(3, 0), gz.rules("gunzi", three_big_ends=ends))
        for pool in given.pools
        for role in range(4)
        for ends in ENDS
    ]
    pairs = play(tasks, deals, given.seed, given.meter)
    rows: list[Row] = []
    for pool in given.pools:
        own = [(pair, ends) for pair, ends in zip(pairs, ENDS * (len(pairs) // len(ENDS))) if pair.task.pool == pool]
        for figure, (measure, unit) in MEASURES.items():
            cells = [
                cell({"pool": pool.name, "role": ROLES[pair.task.role], "three_big_ends": ends}, pair.hands, figure)
                for pair, ends in own
            ]
            rows += intervals(cells, given.hands, measure, unit)
    return rows


def draw(rows: list[Row]) -> Figure:
    """Value of burying all three, a panel a pool."""
    pools = list(dict.fromkeys(one["pool"] for one in rows))
    drawn, axes = new_figure(1, len(pools))
    for panel, pool in zip(axes[0], pools):
        for shift, ends in enumerate(ENDS):
            found = [o for o in rows if (o["pool"], o["measure"], o["three_big_ends"]) == (pool, "value", ends)]
            error_bars(panel, np.arange(len(ROLES)) + 0.15 * shift, found, ends, linestyle="none")
        panel.set_xticks(range(len(ROLES)), ROLES)
        panel.set(title=f"against {pool}", ylabel="chips a hand of the side")
        legend(panel, "three_big_ends")
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
