"""
What does burying cost: last tricks, or the 120 line?

Method: `study`; one small joker (holding no big one) or one big joker against none, at level 3, by role. Intervals hold
at once within a pool and measure.

Answer, changes from not burying, all for the burying side: `last` of the share of last tricks won, `line` of the share
of hands on the right side of 120 points, `last less line` their difference (negative: the last trick costs more),
`points` of the card points, `levels` risen less those of the other side, `tribute` of the tribute cards that the next
hand brings, `value` of the settlement, `value and tribute` of it with one chip for each of those cards (G14.2).
"""

import sys
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from study import (
    ONE_BIG,
    ONE_SMALL,
    ROLES,
    Options,
    Pair,
    Row,
    by_role,
    cell,
    error_bars,
    intervals,
    legend,
    main,
    new_figure,
)

HANDS = 60_000
ACTIONS = (ONE_SMALL, ONE_BIG)
VALUE_AND_TRIBUTE = "value and tribute"
LAST_LESS_LINE = "last less line"
UNITS = {
    "last": "share of hands",
    "line": "share of hands",
    LAST_LESS_LINE: "share of hands",
    "points": "card points",
    "levels": "levels",
    "tribute": "cards",
    "value": "chips",
    VALUE_AND_TRIBUTE: "chips",
}


def run(given: Options) -> list[Row]:
    """The table."""
    return rows_of(by_role(given, ACTIONS), given)


def rows_of(pairs: Sequence[Pair], given: Options) -> list[Row]:
    """The table of pairs already played."""
    rows: list[Row] = []
    for pool in given.pools:
        groups = [
            (
                pair.task.labels,
                pair.hands.assign(
                    **{
                        LAST_LESS_LINE: pair.hands["last"] - pair.hands.line,
                        VALUE_AND_TRIBUTE: pair.hands.value + pair.hands.tribute,
                    }
                ),
            )
            for pair in pairs
            if pair.task.pool == pool
        ]
        for measure, unit in UNITS.items():
            rows += intervals([cell(labels, hands, measure) for labels, hands in groups], given.hands, measure, unit)
    return rows


def draw(rows: list[Row]) -> Figure:
    """Changes of last tricks and of the line, side by side."""
    pools = list(dict.fromkeys(one["pool"] for one in rows))
    drawn, axes = new_figure(1, len(pools))
    names = [f"{role}\n{action}" for role in ROLES for action in ACTIONS]
    for panel, pool in zip(axes[0], pools):
        for shift, measure in enumerate(("last", "line")):
            found = [one for one in rows if (one["pool"], one["measure"]) == (pool, measure)]
            label = "last trick" if measure == "last" else "120 line"
            error_bars(panel, np.arange(len(found)) + 0.15 * shift, found, label, linestyle="none")
        panel.set_xticks(range(len(names)), names, fontsize=5)
        panel.set(title=f"against {pool}", ylabel="change, share of hands")
        legend(panel)
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
