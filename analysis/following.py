"""
Does strict following make burying safer?

Method: `study`; one small joker (holding no big one) or one big joker against none, at level 3, by role, on the same
deals under strict and under loose following (G10.4, G10.5). Intervals of the values hold at once within a pool and
measure; those of the differences within a pool and measure (Bonferroni).

Answer: change of `value` (chips of the burying side) and of `last` (share of last tricks that it wins) by burying,
under either way; `strict less loose` is their difference, positive where strict following makes burying safer.
"""

import sys

import numpy as np
from matplotlib.figure import Figure
from study import (
    ONE_BIG,
    ONE_SMALL,
    ROLES,
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

import gunzi_sim as gz

HANDS = 40_000
ACTIONS = (ONE_SMALL, ONE_BIG)
WAYS = ("strict", "loose")
STRICT_LESS_LOOSE = "strict less loose"
UNITS = {"value": "chips", "last": "share of hands"}


def run(given: Options) -> list[Row]:
    """The table."""
    deals = Deals.of(given.hands, given.seed)
    keys = [
        (pool, role, action, way) for pool in given.pools for role in range(4) for action in ACTIONS for way in WAYS
    ]
    tasks = [Task(pool, role, action, gz.rules("gunzi", follow=way)) for pool, role, action, way in keys]
    hands = {key: pair.hands for key, pair in zip(keys, play(tasks, deals, given.seed, given.meter))}
    rows: list[Row] = []
    for pool in given.pools:
        for measure, unit in UNITS.items():
            cells = {
                key: cell(
                    {"pool": pool.name, "role": ROLES[key[1]], "bury": str(key[2]), "follow": key[3]}, own, measure
                )
                for key, own in hands.items()
                if key[0] == pool
            }
            gaps = [
                (dict(one.labels) | {"follow": STRICT_LESS_LOOSE}, one, cells[(*key[:3], "loose")])
                for key, one in cells.items()
                if key[3] == "strict"
            ]
            rows += intervals(list(cells.values()), given.hands, measure, unit)
            rows += contrasts(gaps, given.hands, measure, unit)
    return rows


def draw(rows: list[Row]) -> Figure:
    """Value of burying under either way, a panel a pool."""
    pools = list(dict.fromkeys(one["pool"] for one in rows))
    drawn, axes = new_figure(1, len(pools))
    names = [f"{role}\n{action}" for role in ROLES for action in ACTIONS]
    for panel, pool in zip(axes[0], pools):
        for shift, way in enumerate(WAYS):
            found = [o for o in rows if (o["pool"], o["measure"], o["follow"]) == (pool, "value", way)]
            error_bars(panel, np.arange(len(found)) + 0.2 * shift, found, way, linestyle="none")
        panel.set_xticks(range(len(names)), names, fontsize=5)
        panel.set(title=f"against {pool}", ylabel="chips a hand of the side")
        legend(panel)
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
