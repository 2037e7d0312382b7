"""
How often must a side hold, less how often be dug, for burying a joker to break even?

Method: `study`; one small joker (holding no big one) or one big joker against none, at level 3, by role, in groups of
like numbers of trumps. Of each group: x = P(dealers hold and S < 120) - P(attackers dig and S >= 120) when nothing is
buried, y = mean change of the settlement by burying. A line through the groups, weighted by hands, gives the x at which
y is 0. Its interval is by the jackknife over 50 blocks of deals. If burying changed nothing but the raise, y would be
12 x for a big and 6 x for a small joker of the dealers' side, -12 x and -6 x for the attackers.

Answer: by group `x` and `y` with intervals that hold at once within a pool, role and joker; `break-even x` of each
line, its `slope`, and in the note whether it lies among the groups or is a guess beyond them.
"""

import sys
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure
from study import (
    CHIPS_PER_LEVEL,
    ONE_BIG,
    ONE_SMALL,
    ROLES,
    THIN,
    Action,
    Options,
    Row,
    by_role,
    cell,
    error_bars,
    intervals,
    legend,
    main,
    new_figure,
    row,
)

from gunzi_sim import stats

HANDS = 60_000
BLOCKS = 50
ACTIONS = (ONE_SMALL, ONE_BIG)
BOUNDS = (0, 12, 14, 16, 18, 20, 22, 46)
GROUPS = tuple(pairwise(BOUNDS))
"""Numbers of trumps from … to below."""


def run(given: Options) -> list[Row]:
    """The table."""
    rows: list[Row] = []
    for pair in by_role(given, ACTIONS):
        labels = pair.task.labels
        hands = pair.hands.assign(x=pair.hands.held - pair.hands.dug)
        cells = [
            cell(labels | {"trumps": f"{low}-{high - 1}"}, hands[(hands.trumps >= low) & (hands.trumps < high)], figure)
            for figure in ("x", "value")
            for low, high in GROUPS
        ]
        found = intervals(cells, given.hands, "", "")
        for one, measure in zip(found, ["x"] * len(GROUPS) + ["y"] * len(GROUPS)):
            rows.append({**one, "measure": measure, "unit": "share of hands" if measure == "x" else "chips"})
        rows += line_rows(labels | {"trumps": "all"}, hands)
    return rows


def block_sums(hands: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Hands, sum of x and sum of y by block of deals and group: float64[BLOCKS, groups, 3]."""
    sums = np.zeros((BLOCKS, len(GROUPS), 3))
    block = (hands.deal % BLOCKS).to_numpy(np.int64)
    group = np.digitize(hands.trumps.to_numpy(np.int64), BOUNDS[1:-1])
    for place, values in enumerate((np.ones(len(hands)), hands.x.to_numpy(float), hands.value.to_numpy(float))):
        np.add.at(sums[:, :, place], (block, group), values)
    return sums


def fitted(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Slope and break-even x of the line through the groups of `sums`, float64[groups, 3]."""
    counts = sums[:, 0]
    x, y = (sums[:, place] / np.maximum(counts, 1) for place in (1, 2))
    middle_x, middle_y = np.average(x, weights=counts), np.average(y, weights=counts)
    spread = (counts * (x - middle_x) ** 2).sum()
    slope = (counts * (x - middle_x) * (y - middle_y)).sum() / spread if spread else np.nan
    return np.array([slope, middle_x - middle_y / slope if slope else np.nan])


def line_rows(labels: Row, hands: pd.DataFrame) -> list[Row]:
    """Slope and break-even of one line."""
    measures = (("slope", "chips"), ("break-even x", "share of hands"))
    sums = block_sums(hands) if len(hands) >= THIN else np.zeros((BLOCKS, len(GROUPS), 3))
    thick = sums.sum(axis=0)[:, 0] >= THIN
    if thick.sum() < 3:
        return [{**row(labels, *measure, None, len(hands)), "note": "fewer than three groups"} for measure in measures]
    sums = sums[:, thick]
    whole = fitted(sums.sum(axis=0))
    parts = np.array([fitted(sums.sum(axis=0) - left_out) for left_out in sums])
    errors = np.sqrt((BLOCKS - 1) / BLOCKS * ((parts - parts.mean(axis=0)) ** 2).sum(axis=0))
    half = stats.t_quantile(stats.CONFIDENCE, BLOCKS - 1) * errors
    rows = [
        row(labels, *measure, stats.Estimate(float(at), float(at - width), float(at + width), len(hands)), len(hands))
        for measure, at, width in zip(measures, whole, half)
    ]
    x = sums.sum(axis=0)[:, 1] / sums.sum(axis=0)[:, 0]
    if rows[0]["lo"] <= 0 <= rows[0]["hi"]:
        rows[1] |= {"estimate": None, "lo": None, "hi": None, "note": "no break-even: the slope may be 0"}
    elif not x.min() <= whole[1] <= x.max():
        rows[1]["note"] = f"beyond the groups, whose x are {x.min():.2f} to {x.max():.2f}"
    return rows


def unchanged_slope(role: int, action: Action) -> int:
    """Chips for each unit of x if burying changed nothing but the raise."""
    levels = 2 * action.big + action.small
    return CHIPS_PER_LEVEL * levels * (1 if role % 2 == 0 else -1)


def draw(rows: list[Row]) -> Figure:
    """y against x; dashed what it would be if burying changed the raise alone."""
    pools = list(dict.fromkeys(one["pool"] for one in rows))
    drawn, axes = new_figure(len(ACTIONS), len(pools))
    for line, action in zip(axes, ACTIONS):
        for panel, pool in zip(line, pools):
            for number, role in enumerate(ROLES):
                own = [one for one in rows if (one["pool"], one["role"], one["bury"]) == (pool, role, str(action))]
                places = {one["trumps"]: one["estimate"] for one in own if one["measure"] == "x"}
                found = [one for one in own if one["measure"] == "y" and places[one["trumps"]] is not None]
                error_bars(panel, [places[one["trumps"]] for one in found], found, role, color=f"C{number}")
            for role_number in (0, 1):
                ends = np.array([-0.6, 0.6])
                panel.plot(ends, unchanged_slope(role_number, action) * ends, "--", color="grey", linewidth=0.8)
            panel.set(
                title=f"{action} against {pool}",
                xlabel="P(hold, S < 120) - P(dig, S >= 120)",
                ylabel="chips of the side",
            )
            legend(panel)
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
