"""
How do the four presets differ (G15)?

Method: as `rule_variants`, with `classic`, `qiqi` and `dalian` in place of the variants: rounds on the same deals, one
for every 20 of `--hands`, and single hands in which the dealer buries one big joker. Intervals of the changes hold at
once over the presets within a figure, pool and way of burying.

Answer: as `rule_variants`; `standard` with its figures, then what each other preset changes.
"""

import sys

from matplotlib.figure import Figure
from rule_variants import compared, tornadoes
from study import Options, Row, main

import gunzi_sim as gz

HANDS = 60_000
PRESETS = ("standard", "classic", "qiqi", "dalian")


def run(given: Options) -> list[Row]:
    """The table."""
    return compared({(name, ""): gz.rules("gunzi", name) for name in PRESETS}, given)


def draw(rows: list[Row]) -> Figure:
    """Changes from `standard`, a panel a figure."""
    return tornadoes(rows, 2.0)


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS, pools="basic"))
