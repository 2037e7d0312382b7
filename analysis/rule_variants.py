"""
What does each option of the rules change (G15)?

Method: from `standard` one option at a time is changed to each other value, numbers by one sensible step each way
(`VARIANTS`). Rounds on the same deals, one for every 20 of `--hands`, all seats playing alike: first as the pool says,
where nobody buries a joker unless the policy does by itself, then with every seat burying one big and one small joker
where it may (`burying`), without which options about buried jokers can have no effect. And single hands without
tribute, in which the dealer buries one big joker when it holds one, against burying none. Intervals hold at once over
all variants within a figure, pool and way of burying.

Answer, changes from `standard`: `attacker points` a hand, `takeover` (share of hands in which attackers take the deal),
`hands per round`, `first dealer wins` (share of rounds won by the side that deals first), `joker value` (chips that the
dealers' side gains by burying one big joker). `no spread` marks what is the same in every deal. The rows of
`standard` are the figures themselves, each with an interval of its own.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.figure import Figure
from study import ONE_BIG, Cell, Deals, Options, Pool, Row, Task, against, cell, intervals, main, new_figure, play, row

import gunzi_sim as gz
from gunzi_sim import stats
from gunzi_sim.game import Rules

HANDS = 12_000
HANDS_PER_ROUND = 20
"""Deals of single hands for each round that is played; about the length of a round."""
VARIANTS: tuple[tuple[str, Any], ...] = (
    ("follow", "loose"),
    ("first_claim", "automatic"),
    ("first_flip", "largest"),
    ("self_overcall", False),
    ("jokers_may_open", False),
    ("dry_pot", "no_main_suit"),
    ("dry_pot", "off"),
    ("bury_big_first", False),
    ("others_bury_jokers", False),
    ("max_jokers_per_seat", 0),
    ("max_jokers_per_seat", 1),
    ("tribute_points", "all"),
    ("tribute_points", "none"),
    ("tribute_rounding", "floor"),
    ("tribute_three_big", False),
    ("dig_below_voids_jokers", False),
    ("end_at_300", "captured"),
    ("three_big_ends", "attackers"),
    ("three_big_ends", "off"),
    ("three_small_ends", True),
    ("round_won_by", "reaching"),
    ("tribute_settlement", "sides"),
    ("win_score", 110),
    ("win_score", 130),
    ("tribute_low", 70),
    ("tribute_low", 90),
    ("tribute_high", 140),
    ("tribute_high", 160),
    ("big_joker_levels", 1),
    ("big_joker_levels", 3),
    ("small_joker_levels", 0),
    ("small_joker_levels", 2),
    ("dig_multiplier", 1),
    ("dig_multiplier", 3),
    ("start_level", 5),
    ("end_level", 8),
    ("end_level", 12),
)
STANDARD = "standard"
WAYS = {"as it plays": "", "burying": ":bury_big=1:bury_small=1"}
"""Parameters of all seats in rounds; `random`, which has none, plays the first way alone."""
JOKER_VALUE = "joker value"
ROUND_FIGURES = {
    "attacker points": (0, 1, "card points"),
    "takeover": (2, 1, "share of hands"),
    "hands per round": (1, 4, "hands"),
    "first dealer wins": (3, 4, "share of rounds"),
}
"""Places of numerator and denominator among the quantities of a round, and the unit."""
N_QUANTITIES = 5
_COLUMNS = ["round_id", "hand", "dealer", "attacker_points", "takes_deal", "round_winner"]


def run(given: Options) -> list[Row]:
    """The table."""
    named: dict[tuple[str, str], Rules] = {(STANDARD, ""): gz.rules("gunzi", STANDARD)}
    for option, value in VARIANTS:
        named[option, str(value)] = gz.rules("gunzi", STANDARD, **{option: value})
    return compared(named, given)


def compared(named: Mapping[tuple[str, str], Rules], given: Options) -> list[Row]:
    """Figures of rules by (option, value), the first of which the others are compared with."""
    rows: list[Row] = []
    n_rounds = max(2, given.hands // HANDS_PER_ROUND)
    deals = Deals.of(given.hands, given.seed)
    for pool in given.pools:
        for way, parameters in WAYS.items():
            if parameters and pool.name == "random":
                continue
            labels = [{"pool": pool.name, "jokers": way, "option": one, "value": value} for one, value in named]
            policy = pool.others + parameters
            sums = [round_sums(rules, policy, n_rounds, given) for rules in named.values()]
            rows += round_rows(labels, np.concatenate(sums))
        rows += joker_rows(pool, named, deals, given)
    return rows


def round_sums(rules: Rules, policy: str, n_rounds: int, given: Options) -> npt.NDArray[np.int64]:
    """Quantities of every round: S, hands, deals taken, 1 where the first dealers' side wins, 1: int64[5, n_rounds]."""
    given.meter.expect(n_rounds * HANDS_PER_ROUND)
    run_of = gz.simulate(rules, policy, rounds=n_rounds, seed=given.seed, progress=given.meter.report)
    table = run_of.to_pandas(columns=_COLUMNS)
    given.meter.expect(len(table) - n_rounds * HANDS_PER_ROUND)
    given.meter.finished(len(table))
    grouped = table.astype(np.int64).groupby("round_id")
    won = grouped.round_winner.last() == grouped.dealer.first() % 2
    columns = [grouped.attacker_points.sum(), grouped.size(), grouped.takes_deal.sum(), won]
    return np.stack([*(column.to_numpy(np.int64) for column in columns), np.ones(n_rounds, np.int64)])


def round_rows(labels: Sequence[Row], sums: npt.NDArray[np.int64]) -> list[Row]:
    """Figures of the first rules, and how those of the others differ."""
    moments = stats.Moments.of(sums)
    rows = []
    for measure, (top, bottom, unit) in ROUND_FIGURES.items():
        places = [(N_QUANTITIES * n + top, N_QUANTITIES * n + bottom) for n in range(len(labels))]
        rows.append(row(labels[0], measure, unit, stats.ratio(moments, *places[0]), moments.n))
        gaps = stats.differences(moments, places[1:], places[0])
        rows += [row(own, measure, unit, gap, moments.n) for own, gap in zip(labels[1:], gaps)]
    return rows


def joker_rows(pool: Pool, named: Mapping[tuple[str, str], Rules], deals: Deals, given: Options) -> list[Row]:
    """What the dealer's burying of one big joker is worth under each rules."""
    tasks = [Task(pool, 0, ONE_BIG, rules, level=rules.start_level) for rules in named.values()]  # type: ignore[attr-defined]
    cells: list[Cell] = []
    for (option, value), pair in zip(named, play(tasks, deals, given.seed, given.meter)):
        labels = {"pool": pool.name, "jokers": "dealer, one big", "option": option, "value": value}
        cells.append(cell(labels, pair.hands))
    own = intervals(cells[:1], given.hands, JOKER_VALUE, "chips")
    return own + against(cells[1:], cells[0], given.hands, JOKER_VALUE, "chips")


def draw(rows: list[Row]) -> Figure:
    """A tornado for every figure of every pool: the twelve variants that change it most."""
    return tornadoes(rows, 3.0)


def tornadoes(rows: Sequence[Row], height: float) -> Figure:
    """A panel of that height for every figure of every pool."""
    groups = list(dict.fromkeys((one["pool"], one["jokers"], one["measure"]) for one in rows))
    n_columns = len(ROUND_FIGURES)
    drawn, axes = new_figure(-(-len(groups) // n_columns), n_columns, height=height)
    for panel in axes.flat[len(groups) :]:
        panel.set_axis_off()
    for panel, group in zip(axes.flat, groups):
        tornado(panel, [one for one in rows if (one["pool"], one["jokers"], one["measure"]) == group])
        panel.set_title(f"{group[2]}\n{group[0]}, {group[1]}", fontsize=8)
    return drawn


def tornado(panel: Any, rows: Sequence[Row], most: int = 12) -> None:
    """Changes with their intervals, the largest on top."""
    found = [one for one in rows[1:] if one["lo"] is not None]
    found = sorted(found, key=lambda one: abs(one["estimate"]))[-most:]
    values = np.array([[one["estimate"], one["lo"], one["hi"]] for one in found]).reshape(-1, 3).T
    panel.barh(range(len(found)), values[0], color="C0", alpha=0.6)
    panel.errorbar(
        values[0], range(len(found)), xerr=[values[0] - values[1], values[2] - values[0]], fmt="none", color="k"
    )
    panel.set_yticks(range(len(found)), [f"{one['option']} {one['value']}".strip() for one in found], fontsize=5)
    panel.axvline(0, color="grey", linewidth=0.8)
    panel.set_xlabel(f"change, {rows[0]['unit']}", fontsize=7)


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS, pools="basic"))
