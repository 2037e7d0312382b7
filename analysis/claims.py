"""
Do the five claims about burying jokers hold, against each pool of opponents?

1. Attackers should practically never bury. Wanted: burying one small or one big joker loses in all hands together, and
   gains for sure from no number of trumps on.
2. One small joker at 16 trumps or more. Wanted: it gains in hands with 16 trumps or more, and loses for sure with no
   number of trumps from 16 on.
3. Burying costs the last trick more than the 120 line. Wanted: the share of last tricks won falls by more.
4. At level 8 to 10 jokers are worth less. Wanted: the value of burying is lower at 8, 9 and 10 than at 3, 5 and 7.
   Beside it, the levels that are at stake: how much the raise of whoever earns one grows.
5. Strict following makes burying safer. Wanted: the value of burying is higher than under loose following.

Method: the studies `trump_sweep`, `prices`, `joker_levels` (a third of the deals) and `following`, whose intervals are
used as they are. A claim holds where every needed case has the wanted sign for sure, and none the other; it does not
hold where one case has the other sign for sure; else it is undecided.

Answer: the cases with estimates and intervals, and after them a row `verdict` for every claim, part (role and jokers
buried) and pool, whose note names the cases with the other sign.
"""

import sys
from collections.abc import Iterable
from typing import NamedTuple

import following
import joker_levels
import prices
import trump_sweep
from matplotlib.figure import Figure
from study import ONE_SMALL, ROLES, Options, Row, by_role, main, new_figure, sign, smaller

HANDS = 20_000
HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"
VERDICT = "verdict"
DEALERS, ATTACKERS = ("dealer", "partner"), ("next", "previous")
FROM_TRUMPS = 16


class Case(NamedTuple):
    """One piece of evidence: its row, the sign that the claim wants (1 or -1), whether it must be there for sure."""

    row: Row
    wanted: int
    needed: bool = True


def run(given: Options) -> list[Row]:
    """The table."""
    pairs = by_role(given, trump_sweep.ACTIONS)
    sweep, costs = trump_sweep.rows_of(pairs, given), prices.rows_of(pairs, given)
    levels, ways = joker_levels.run(smaller(given, 3)), following.run(given)
    rows: list[Row] = []
    for pool in given.pools:
        own = [[one for one in table if one["pool"] == pool.name] for table in (sweep, costs, levels, ways)]
        for claim, part, cases in evidence(*own):
            rows += judged_rows(claim, part, pool.name, cases)
    return rows


def evidence(
    sweep: list[Row], costs: list[Row], levels: list[Row], ways: list[Row]
) -> Iterable[tuple[str, str, list[Case]]]:
    """Claims, the part of the table that they are about, and their cases, from the tables of one pool."""

    def of(table: list[Row], role: str, bury: str, **wanted: object) -> list[Row]:
        wanted |= {"role": role, "bury": bury}
        return [one for one in table if all(one[key] == value for key, value in wanted.items())]

    burials = [(role, str(action)) for role in ROLES for action in trump_sweep.ACTIONS]
    for role, bury in burials:
        if role in ATTACKERS:
            cases = [Case(one, -1, one["trumps"] == 0) for one in of(sweep, role, bury, hands="at least")]
            yield "1 attackers never bury", f"{role}, {bury}", cases
    for role, bury in burials:
        if role in DEALERS and bury == str(ONE_SMALL):
            whole = of(sweep, role, bury, hands="at least", trumps=FROM_TRUMPS)
            single = [one for one in of(sweep, role, bury, hands="exactly") if one["trumps"] >= FROM_TRUMPS]
            cases = [Case(one, 1) for one in whole] + [Case(one, 1, needed=False) for one in single]
            yield "2 one small joker at 16 trumps", f"{role}, {bury}", cases
    for role, bury in burials:
        rows = of(costs, role, bury, measure=prices.LAST_LESS_LINE)
        yield "3 costs the last trick more than the line", f"{role}, {bury}", [Case(one, -1) for one in rows]
    for measure, claim in (("value", "4 worth less at 8-10"), ("stake", "4 less at stake at 8-10")):
        for role, bury in burials:
            rows = of(levels, role, bury, level=joker_levels.LATE_LESS_EARLY, measure=measure)
            if rows:  # that study leaves two roles out
                yield claim, f"{role}, {bury}", [Case(one, -1) for one in rows]
    for role, bury in burials:
        rows = of(ways, role, bury, follow=following.STRICT_LESS_LOOSE)
        yield "5 strict following is safer", f"{role}, {bury}", [Case(o, 1, o["measure"] == "value") for o in rows]


def verdict(cases: Iterable[Case]) -> tuple[str, list[Row]]:
    """What the cases say together, and the rows that have the other sign for sure."""
    cases = list(cases)
    against = [case.row for case in cases if _has_sign(case.row, -case.wanted)]
    if against:
        return FAILS, against
    needed = [case for case in cases if case.needed]
    return HOLDS if needed and all(_has_sign(case.row, case.wanted) for case in needed) else UNDECIDED, []


def _has_sign(one: Row, wanted: int) -> bool:
    return sign(one).above if wanted > 0 else sign(one).below


def judged_rows(claim: str, part: str, pool: str, cases: list[Case]) -> list[Row]:
    """The cases as rows, and the verdict after them."""
    head = {"claim": claim, "part": part, "pool": pool}
    figures = ("measure", "unit", "estimate", "lo", "hi", "n", "note")
    rows = [head | {"case": name_of(case.row)} | {key: case.row[key] for key in figures} for case in cases]
    found, against = verdict(cases)
    note = found + (f"; other sign: {', '.join(map(name_of, against))}" if against else "")
    nothing = {"unit": "", "estimate": None, "lo": None, "hi": None}
    return [
        *rows,
        head | {"case": "all", "measure": VERDICT, **nothing, "n": sum(c.row["n"] for c in cases), "note": note},
    ]


def name_of(one: Row) -> str:
    """A case in words."""
    if "trumps" in one:
        return "all hands" if one["trumps"] == 0 else f"{one['hands']} {one['trumps']} trumps"
    return "last trick" if one["measure"] == "last" else str(one["measure"])


def draw(rows: list[Row]) -> Figure:
    """Verdicts as a grid of claims and pools."""
    found = [one for one in rows if one["measure"] == VERDICT]
    lines = list(dict.fromkeys((one["claim"], one["part"]) for one in found))
    pools = list(dict.fromkeys(one["pool"] for one in found))
    drawn, axes = new_figure(1, 1, width=3 + 1.5 * len(pools), height=0.3 * len(lines) + 1)
    colours = {HOLDS: "#a6d8a8", FAILS: "#f0a8a0", UNDECIDED: "#e0e0e0"}
    panel = axes[0, 0]
    for one in found:
        x, y = pools.index(one["pool"]), lines.index((one["claim"], one["part"]))
        text = one["note"].split(";")[0]
        panel.barh(y, 1, left=x - 0.5, height=1, color=colours[text], edgecolor="white")
        panel.text(x, y, text, ha="center", va="center", fontsize=7)
    panel.set_xticks(range(len(pools)), pools)
    panel.set_yticks(range(len(lines)), [f"{claim}: {part}" for claim, part in lines], fontsize=7)
    panel.invert_yaxis()
    return drawn


if __name__ == "__main__":
    sys.exit(main(__file__, __doc__, run, draw, HANDS))
