"""
What is burying 0 to 3 big and 0 to 3 small jokers worth, by role and by jokers held?

Method: `study`; every legal action of every role against none, at level 3. Small jokers go only with all big ones held
(G8.2), so `1+2` is: holds one big joker, buries it and two small ones. `held` counts the jokers of the last kind that
goes: big ones where only big ones go, else small ones. Intervals hold at once within a pool.

Answer: one row an action, role and number held: `value` is the change of the settlement of the burying side's two seats
in chips, `levels` the same in levels (6 chips each); positive is good for who buries.
"""

import sys

from matplotlib.figure import Figure
from study import (
    CHIPS_PER_LEVEL,
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
)

HANDS = 60_000
ACTIONS = tuple(Action(big, small) for small in range(4) for big in range(4) if big + small)


def run(given: Options) -> list[Row]:
    """The table."""
    pairs = by_role(given, ACTIONS)
    rows = []
    for pool in given.pools:
        cells = []
        for pair in (one for one in pairs if one.task.pool == pool):
            kind = "small" if pair.task.action.small else "big"
            for held in range(getattr(pair.task.action, kind), 4):
                cells.append(cell(pair.task.labels | {"held": held}, pair.hands[pair.hands[kind] == held]))
        found = intervals(cells, given.hands, "value", "chips")
        for one in found:
            rows += [one, in_levels(one)]
    return rows


def in_levels(one: Row) -> Row:
    """The same figure in levels."""
    scaled = {name: None if one[name] is None else one[name] / CHIPS_PER_LEVEL for name in ("estimate", "lo", "hi")}
    return {**one, "measure": "levels", "unit": "levels", **scaled}


def draw(rows: list[Row]) -> Figure:
    """Value of every action, one panel a pool, for the least number of jokers held that is not thin."""
    pools = list(dict.fromkeys(one["pool"] for one in rows))
    drawn, axes = new_figure(1, len(pools), width=5.0, height=4.0)
    names = [str(action) for action in ACTIONS]
    for panel, pool in zip(axes[0], pools):
        for shift, role in enumerate(ROLES):
            best: dict[str, Row] = {}
            for one in rows:
                if (one["pool"], one["role"], one["measure"]) == (pool, role, "value") and one["n"] >= THIN:
                    best.setdefault(one["bury"], one)
            places = [names.index(name) + 0.15 * shift for name in best]
            error_bars(panel, places, list(best.values()), role, linestyle="none")
        panel.set_xticks(range(len(names)), names, fontsize=6)
        panel.set(title=f"against {pool}", xlabel="big + small jokers buried", ylabel="chips a hand of the side")
        legend(panel)
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
