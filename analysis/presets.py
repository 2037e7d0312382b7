"""
How do the four presets differ (G15)?

Method: as `rule_variants`, with `classic`, `qiqi` and `dalian` in place of the variants: rounds on the same deals, one
for every 20 of `--hands`, and single hands in which the dealer buries one big joker. Intervals of the changes hold at
once over the presets within a figure, pool and way of burying.

Answer: as `rule_variants`; `standard` with its figures, then what each other preset changes.
"""

import sys

from matplotlib.figure import Figure
from rule_variants import ROUND_FIGURES, compared, tornado
from study import Options, Row, main, new_figure

import gunzi_sim as gz

HANDS = 60_000
PRESETS = ("standard", "classic", "qiqi", "dalian")


def run(given: Options) -> list[Row]:
    """The table."""
    return compared({(name, ""): gz.rules("gunzi", name) for name in PRESETS}, given)


def draw(rows: list[Row]) -> Figure:
    """Changes from `standard`, a panel a figure."""
    groups = list(dict.fromkeys((one["pool"], one["jokers"], one["measure"]) for one in rows))
    n_columns = len(ROUND_FIGURES)
    drawn, axes = new_figure(-(-len(groups) // n_columns), n_columns, height=2.0)
    for panel in axes.flat[len(groups) :]:
        panel.set_axis_off()
    for panel, group in zip(axes.flat, groups):
        tornado(panel, [one for one in rows if (one["pool"], one["jokers"], one["measure"]) == group])
        panel.set_title(f"{group[2]}\n{group[0]}, {group[1]}", fontsize=8)
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS, pools="basic"))
