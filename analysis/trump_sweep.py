"""
From how many trumps on does burying one joker pay ("one small joker at 16 trumps or more")?

Method: `study`; one small joker (holding no big one) or one big joker against none, at level 3, by role. Trumps are
those held when nothing is buried, jokers included. Swept is a threshold t: 0 (all hands), then 12 to 24.
Intervals hold at once within a pool and role.

Answer: `at least`: mean change in chips of the burying side in hands with t trumps or more; `exactly`: with t trumps;
`rule`: what the rule "bury with t trumps or more" brings in each hand in which the joker is held.
"""

import sys
from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from study import (
    ONE_BIG,
    ONE_SMALL,
    ROLES,
    Cell,
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
THRESHOLDS = (0, *range(12, 25))
ACTIONS = (ONE_SMALL, ONE_BIG)


def run(given: Options) -> list[Row]:
    """The table."""
    return rows_of(by_role(given, ACTIONS), given)


def rows_of(pairs: Sequence[Pair], given: Options) -> list[Row]:
    """The table of pairs already played."""
    rows: list[Row] = []
    for pool in given.pools:
        for role in range(4):
            own = [pair for pair in pairs if (pair.task.pool, pair.task.role) == (pool, role)]
            rows += intervals([one for pair in own for one in swept(pair)], given.hands, "value", "chips")
    return rows


def swept(pair: Pair) -> list[Cell]:
    """The cells of one role and action."""
    cells = []
    hands = pair.hands
    for threshold in THRESHOLDS:
        own = pair.task.labels | {"trumps": threshold}
        above = hands.trumps >= threshold
        cells.append(cell(own | {"hands": "at least"}, hands[above]))
        if threshold:
            cells.append(cell(own | {"hands": "exactly"}, hands[hands.trumps == threshold]))
        ruled = hands.assign(value=hands.value * above)
        cells.append(cell(own | {"hands": "rule"}, ruled))
    return cells


def sweep_of(rows: list[Row], pool: str, role: str, bury: str, hands: str) -> list[Row]:
    """The rows of one curve, in the order of the thresholds."""
    wanted = (pool, role, bury, hands)
    return [one for one in rows if (one["pool"], one["role"], one["bury"], one["hands"]) == wanted]


def draw(rows: list[Row]) -> Figure:
    """Mean change with at least so many trumps: pools across, actions down, a line a role."""
    pools = list(dict.fromkeys(one["pool"] for one in rows))
    drawn, axes = new_figure(len(ACTIONS), len(pools))
    for line, action in zip(axes, ACTIONS):
        for panel, pool in zip(line, pools):
            for shift, role in enumerate(ROLES):
                found = sweep_of(rows, pool, role, str(action), "at least")
                error_bars(panel, np.array(THRESHOLDS[1:]) + 0.12 * shift, found[1:], role)
            panel.set(title=f"{action} against {pool}", xlabel="trumps, at least", ylabel="chips a hand of the side")
            legend(panel)
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
