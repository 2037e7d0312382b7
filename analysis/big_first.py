"""
What does the big-first rule do, and which joker is the better one to bury for each level that it adds?

Method: `study`, at level 3, in hands in which the seat holds exactly one big joker and at least one small one. Arms:
nothing; the small joker alone, which only `bury_big_first` = no allows; the big one alone; both, which is how a small
one goes under the rule (G8.2). The rest of the table plays by the same rules. Intervals of the values hold at once
within a pool, those of the differences too (Bonferroni).

Answer, by role: `value` of each action in chips of the burying side; `per level` is the value divided by the levels
that the jokers add (small 1, big 2); `cost of the rule` is the value of the small one alone less that of both; `big
less small per level` is half the value of the big one less the value of the small one.
"""

import sys

import numpy as np
from matplotlib.figure import Figure
from study import (
    ONE_BIG,
    ONE_SMALL,
    ROLES,
    Action,
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

import gunzi_sim as gz

HANDS = 100_000
BOTH = Action(1, 1)
ACTIONS = (ONE_SMALL, ONE_BIG, BOTH)


def run(given: Options) -> list[Row]:
    """The table."""
    deals = Deals.of(given.hands, given.seed)
    free = gz.rules("gunzi", bury_big_first=False)
    tasks = [
        Task(pool, role, action, free, big_held=(1,), small_held=(1, 2, 3))
        for pool in given.pools
        for role in range(4)
        for action in ACTIONS
    ]
    hands = {(p.task.pool, p.task.role, p.task.action): p.hands for p in play(tasks, deals, given.seed, given.meter)}
    rows: list[Row] = []
    for pool in given.pools:
        cells: list[Cell] = []
        costs, halves = [], []
        for role in range(4):
            labels = {"pool": pool.name, "role": ROLES[role]}
            own = {action: cell(labels | {"bury": str(action)}, hands[pool, role, action]) for action in ACTIONS}
            cells += own.values()
            costs.append((labels | {"bury": "0+1 less 1+1"}, own[ONE_SMALL], own[BOTH]))
            doubled = Cell({}, own[ONE_BIG].deals, own[ONE_BIG].values, np.full(own[ONE_BIG].n, 2))
            halves.append((labels | {"bury": "1+0 less 0+1"}, doubled, own[ONE_SMALL]))
        found = intervals(cells, given.hands, "value", "chips")
        rows += found + [per_level(one) for one in found]
        rows += contrasts(costs, given.hands, "cost of the rule", "chips")
        rows += contrasts(halves, given.hands, "big less small per level", "chips a level")
    return rows


def per_level(one: Row) -> Row:
    """A value for each level that the jokers add."""
    big, small = map(int, one["bury"].split("+"))
    scaled = {name: None if one[name] is None else one[name] / (2 * big + small) for name in ("estimate", "lo", "hi")}
    return {**one, "measure": "per level", "unit": "chips a level", **scaled}


def draw(rows: list[Row]) -> Figure:
    """Value of each action, a panel a pool."""
    pools = list(dict.fromkeys(one["pool"] for one in rows))
    drawn, axes = new_figure(1, len(pools))
    for panel, pool in zip(axes[0], pools):
        for shift, action in enumerate(map(str, ACTIONS)):
            found = [o for o in rows if (o["pool"], o["measure"], o["bury"]) == (pool, "value", action)]
            error_bars(panel, np.arange(len(ROLES)) + 0.15 * shift, found, action, linestyle="none")
        panel.set_xticks(range(len(ROLES)), ROLES)
        panel.set(title=f"against {pool}", ylabel="chips a hand of the side")
        legend(panel)
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
