"""
Is it better to be asked last than first, and what is it worth to see the bottom that a burial exposes (G8.3, G8.4)?

Method, `asked`: as `study`, at level 3; the first asked seat (next) and the last (previous), both attackers, bury one
small joker (holding no big one) or one big joker, after the dealer buried nothing or one big joker in both arms.
Method, `seeing`: the dealer buries one big joker in both arms. In arm A some other seats play without looking at the
bottom, in arm B all look; all else is the same. Intervals hold at once within a pool and part, differences likewise
(Bonferroni).

Answer: `value` of burying in chips of the burying side, by seat and by what the dealer did; `previous less next`. Then
`value of seeing`, in chips of the side of the seats that see; for `all three` in chips of the dealer, who buried.
A policy that never looks at the bottom gets 0 here in every deal.
"""

import sys
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from study import (
    ONE_BIG,
    ONE_SMALL,
    ROLES,
    Action,
    Deals,
    Options,
    Pool,
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
    played,
    side_figures,
)

import gunzi_sim as gz
from gunzi_sim import games
from gunzi_sim.jit import njit

HANDS = 40_000
ACTIONS = (ONE_SMALL, ONE_BIG)
NEXT, PARTNER, PREVIOUS = 1, 2, 3
EARLIER = {"nothing": (), "one big": ((0, ONE_BIG),)}
SEERS = {"partner": (PARTNER,), "attackers": (NEXT, PREVIOUS), "all three": (NEXT, PARTNER, PREVIOUS)}
"""Seats that look in arm B and not in arm A; the side of the first one, for all three the dealer's, has the value."""
PREVIOUS_LESS_NEXT = "previous less next"


def run(given: Options) -> list[Row]:
    """The table."""
    deals = Deals.of(given.hands, given.seed)
    keys = [
        (pool, role, action, name)
        for pool in given.pools
        for name in EARLIER
        for action in ACTIONS
        for role in (NEXT, PREVIOUS)
    ]
    tasks = [Task(pool, role, action, earlier=EARLIER[name]) for pool, role, action, name in keys]
    hands = {key: pair.hands for key, pair in zip(keys, play(tasks, deals, given.seed, given.meter))}
    rows: list[Row] = []
    for pool in given.pools:
        own = {key: table for key, table in hands.items() if key[0] == pool}
        rows += asked(pool, own, given) + seeing(pool, deals, given)
    return rows


def asked(pool: Pool, hands: dict[tuple[Pool, int, Action, str], pd.DataFrame], given: Options) -> list[Row]:
    """Values of burying by the first and last asked seat, and how they differ."""
    cells = {
        key: cell({"pool": pool.name, "seat": ROLES[key[1]], "bury": str(key[2]), "dealer": key[3]}, table)
        for key, table in hands.items()
    }
    gaps = [
        (dict(one.labels) | {"seat": PREVIOUS_LESS_NEXT}, one, cells[(key[0], NEXT, *key[2:])])
        for key, one in cells.items()
        if key[1] == PREVIOUS
    ]
    rows = intervals(list(cells.values()), given.hands, "value", "chips")
    return rows + contrasts(gaps, given.hands, "value", "chips")


def seeing(pool: Pool, deals: Deals, given: Options) -> list[Row]:
    """What it is worth to see the bottom."""
    task = Task(pool, 0, ONE_BIG)
    numbers = task.chosen(deals)
    rules, blind = task.rules, blindfolded(pool.others)
    given.meter.expect(len(numbers) * (1 + len(SEERS)))
    decks = deals.decks[numbers]
    seen = played(rules, task.policies(True), decks, 3, given.seed, given.meter)
    buried = (seen.big_buried_0 == ONE_BIG.big).to_numpy()
    cells = []
    for name, seats in SEERS.items():
        policies = [blind if seat in seats else policy for seat, policy in enumerate(task.policies(True))]
        unseen = played(rules, policies, decks, 3, given.seed, given.meter)
        side = 0 if len(seats) == len(SEERS["all three"]) else seats[0]
        gained = (side_figures(seen, side) - side_figures(unseen, side))[buried]
        labels = {"pool": pool.name, "seat": name, "bury": "", "dealer": str(ONE_BIG)}
        cells.append(cell(labels, gained.assign(deal=numbers[buried])))
    return intervals(cells, given.hands, "value of seeing", "chips")


@njit
def set_known(view: Any, known: int) -> Any:
    """Change whether a view knows the bottom; what it was."""
    was = view.bottom_known
    view.bottom_known = known
    return was


def blindfolded(base: str) -> str:
    """Name of a policy that plays as `base` but never knows the bottom while cards are played."""
    functions = games.find_policy("gunzi", base).functions
    base_lead, base_follow = functions[-2:]
    name = f"blind-{base}"

    def lead(view: Any, params: Any, draws: Any) -> Any:
        known = set_known(view, 0)  # and back afterwards: what the engine wrote stays as it was
        q1, q2, q3 = base_lead(view, params, draws)
        set_known(view, known)
        return q1, q2, q3

    def follow(view: Any, params: Any, draws: Any) -> Any:
        known = set_known(view, 0)
        q1, q2, q3 = base_follow(view, params, draws)
        set_known(view, known)
        return q1, q2, q3

    gz.policy("gunzi", "lead", name=name, base=base, replace=True)(lead)
    gz.policy("gunzi", "follow", name=name, base=base)(follow)
    return name


def draw(rows: list[Row]) -> Figure:
    """Values of the two seats above, what seeing is worth below."""
    pools = list(dict.fromkeys(one["pool"] for one in rows))
    drawn, axes = new_figure(2, len(pools))
    for column, pool in enumerate(pools):
        own = [one for one in rows if one["pool"] == pool]
        cases = list(dict.fromkeys((one["bury"], one["dealer"]) for one in own if one["measure"] == "value"))
        for shift, seat in enumerate((ROLES[NEXT], ROLES[PREVIOUS])):
            found = [one for one in own if one["seat"] == seat]
            error_bars(axes[0, column], np.arange(len(found)) + 0.2 * shift, found, seat, linestyle="none")
        axes[0, column].set_xticks(
            range(len(cases)), [f"{bury}\ndealer: {dealer}" for bury, dealer in cases], fontsize=5
        )
        axes[0, column].set(title=f"burying against {pool}", ylabel="chips a hand of the side")
        legend(axes[0, column])
        found = [one for one in own if one["measure"] == "value of seeing"]
        error_bars(axes[1, column], range(len(found)), found, linestyle="none")
        axes[1, column].set_xticks(range(len(SEERS)), list(SEERS))
        axes[1, column].set(title=f"seeing the bottom, {pool}", ylabel="chips a hand of the side")
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
