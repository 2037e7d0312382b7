"""
What the studies of `analysis/` share: opponent pools, paired burials on the same deals, intervals, tables, figures.

A hand is a single later hand with seat 0 as dealer, so that a seat's number is its role (seats after the dealer), both
sides at one level, nothing owed. In arm A the studied seat never buries a joker; in arm B it buries what an `Action`
says. Deals, seats and draws are the same in both. Values are differences B - A per hand, of the side of the studied
seat, among the hands in which it could bury (what it holds is known before the choice, so nothing is selected by it).

The unit of every interval is a deal. `cells` are groups of hands, `intervals` holds for all cells given to it at once
(max-|t|); `contrasts` does so by Bonferroni. Cells of fewer than `THIN` hands get no figure, and say so.

A table is a list of rows, dicts with the same keys: labels, then `measure`, `unit`, `estimate`, `lo`, `hi`, `n` (hands
of the cell) and `note`.
"""

import argparse
import io
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib
import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.figure import Figure

import gunzi_sim as gz
from gunzi_sim import stats
from gunzi_sim.cards import BIG, NOBODY, SMALL
from gunzi_sim.game import InputError, PolicyError, Rules
from gunzi_sim.gunzi.view import N_DEALT
from gunzi_sim.runner import Progress

GAME = "gunzi"
ROLES = ("dealer", "next", "partner", "previous")
"""Seats after the dealer, and with dealer 0 the seats themselves; asked in this order whether they bury (G8.4)."""
THIN = 200
"""Cells of fewer hands have no figure."""
CHIPS_PER_LEVEL = 6
"""Settlement of both seats of a side for one level (G14.1)."""
FIGURES = ("value", "levels", "last", "line", "points", "tribute")
"""What changes from arm A to arm B: columns of `side_figures`."""
OF_HAND = ("deal", "big", "small", "trumps", "stake", "held", "dug", "ends_for", "ends_against")
"""Columns of a pair's hands beside those."""
CHUNK = 20_000
"""Deals whose quantities are held at once."""
COLUMNS = [
    *(f"settlement_{seat}" for seat in range(4)),
    *(f"{name}_{seat}" for name in ("big_buried", "small_buried", "trumps") for seat in range(4)),
    *("attacker_points", "dig", "takes_deal", "raise_0", "raise_1", "next_dealer", "owed_next"),
    *("round_end", "round_winner", "dry_pot"),
]

Row = dict[str, Any]
Integers = npt.NDArray[np.int64]


class Pool(NamedTuple):
    """Opponents: the policy of the other seats, and of the studied seat when it buries nothing."""

    name: str
    others: str
    studied: str


POOLS = {
    pool.name: pool
    for pool in (
        Pool("random", "random", "basic"),  # `random` has no parameters, so the studied seat plays `basic`
        Pool("basic", "basic", "basic"),
        Pool("counting", "counting", "counting:jokers=0"),
    )
}


class Action(NamedTuple):
    """Jokers that the studied seat buries."""

    big: int
    small: int

    def __str__(self) -> str:
        return f"{self.big}+{self.small}"


ONE_BIG, ONE_SMALL = Action(1, 0), Action(0, 1)


# --- deals ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deals:
    """Decks, and the jokers that each seat can bury: its own, for the dealer also those of the bottom (int8[n, 4])."""

    decks: npt.NDArray[np.uint8]
    big: npt.NDArray[np.int8]
    small: npt.NDArray[np.int8]

    @classmethod
    def of(cls, hands: int, seed: int) -> "Deals":
        """The first decks of a seed."""
        decks = gz.deals(GAME, n=hands, seed=seed)
        return cls(decks, _jokers(decks, BIG), _jokers(decks, SMALL))

    def __len__(self) -> int:
        return len(self.decks)


def _jokers(decks: npt.NDArray[np.uint8], kind: int) -> npt.NDArray[np.int8]:
    """Copies of one joker by role: int8[n, 4]."""
    found = np.zeros((len(decks), 4), np.int8)
    for copy in range(3):
        place = np.argmax(decks == kind + 54 * copy, axis=1)
        seat = np.where(place < N_DEALT, place % 4, 0)  # dealing begins with the dealer, who takes the bottom (G8.1)
        found[np.arange(len(decks)), seat] += 1
    return found


@dataclass(frozen=True)
class Task:
    """
    One pair of arms: who buries what against whom, by which rules and at which level.

    `big_held` and `small_held` say which hands are played, None: those in which the action is legal (G8.2) and, where
    small jokers go, no more big ones are held than go. `earlier` are burials by other roles in both arms.
    """

    pool: Pool
    role: int
    action: Action
    rules: Rules = field(default_factory=lambda: gz.rules(GAME))
    level: int = 3
    big_held: tuple[int, ...] | None = None
    small_held: tuple[int, ...] | None = None
    earlier: tuple[tuple[int, Action], ...] = ()

    @property
    def labels(self) -> Row:
        """Pool, role and what is buried, as the tables have them."""
        return {"pool": self.pool.name, "role": ROLES[self.role], "bury": str(self.action)}

    def policies(self, buries: bool) -> list[str]:
        """Of the four seats, in arm B (`buries`) or arm A."""
        seats = [self.pool.others] * 4
        for role, action in self.earlier:
            seats[role] = _burying(self.pool, action)
        seats[self.role] = _burying(self.pool, self.action) if buries else self.pool.studied
        return seats

    def chosen(self, deals: Deals) -> Integers:
        """Numbers of the deals that are played."""
        big, small = self.action
        most = 3 if small == 0 else big
        big_held = self.big_held or tuple(range(big, most + 1))
        small_held = self.small_held or tuple(range(small, 4))
        found = np.isin(deals.big[:, self.role], big_held) & np.isin(deals.small[:, self.role], small_held)
        for role, action in self.earlier:
            found &= (deals.big[:, role] >= action.big) & (deals.small[:, role] >= action.small)
        return np.flatnonzero(found)


def _burying(pool: Pool, action: Action) -> str:
    """The policy of a seat that buries these jokers."""
    return f"{pool.studied}:bury_big={action.big}:bury_small={action.small}"


# --- playing ----------------------------------------------------------------------------------------------------------


class Meter:
    """Progress on stderr: hands played of those expected, rate, time left; one line every few seconds."""

    EVERY_S = 5.0

    def __init__(self, quiet: bool = False) -> None:
        self.quiet, self.expected, self.done = quiet, 0, 0
        self.began = self.said = time.monotonic()

    def expect(self, hands: int) -> None:
        """So many hands more are to be played."""
        self.expected += hands

    def report(self, now: Progress) -> None:
        """What `gz.simulate` calls about ten times a second."""
        if not self.quiet and time.monotonic() - self.said >= self.EVERY_S:
            self.said = time.monotonic()
            done = self.done + now.hands_played
            rate = done / (self.said - self.began)
            left = max(0, self.expected - done) / rate if rate else float("inf")
            print(f"{done} of {self.expected} hands, {rate:.0f} a second, {left:.0f} s left", file=sys.stderr)

    def finished(self, hands: int) -> None:
        """A run of so many hands is over."""
        self.done += hands


def played(
    rules: Rules, policies: Sequence[str], decks: npt.NDArray[np.uint8], level: int, seed: int, meter: Meter
) -> pd.DataFrame:
    """Single hands on given decks, dealer 0, both sides at one level: `COLUMNS`, one row a deck."""
    run = gz.simulate(rules, policies, deals=decks, levels=(level, level), seed=seed, progress=meter.report)
    meter.finished(len(decks))
    return run.to_pandas(columns=COLUMNS).astype(np.int64)


@dataclass(frozen=True)
class Pair:
    """
    What a task came to: one row a hand in which the studied seat did what it was to do.

    `hands` has `deal`; `big`, `small`, `trumps` held before burying; changes from arm A to arm B, for the side: `value`
    (chips of its two seats), `levels` (risen less those of the other side), `last` and `line` (1, 0, -1: it won the
    last trick; was on the right side of `win_score`), `points` (card points), `tribute` (cards that the next hand
    brings); `stake`, the levels by which raises of either side grow beyond 1; in arm A `held` and `dug`, 1 where
    dealers hold below `win_score`, attackers dig above it; in arm B `ends_for`, `ends_against`, 1 where jokers in the
    bottom ended the round. `n_barred`: hands in which the seat could not do it.
    """

    task: Task
    hands: pd.DataFrame
    n_barred: int


def side_figures(hands: pd.DataFrame, role: int) -> pd.DataFrame:
    """Figures of the side of one role, hand by hand: value, levels, last, line, points, tribute."""
    side = role % 2
    sign = 1 if side else -1  # the dealer is seat 0, so side 1 attacks
    receives = np.where(hands.next_dealer == NOBODY, 0, np.where(hands.next_dealer % 2 == side, 1, -1))
    return pd.DataFrame(
        {
            "value": hands[f"settlement_{side}"] + hands[f"settlement_{side + 2}"],
            "levels": hands[f"raise_{side}"] - hands[f"raise_{1 - side}"],
            "last": hands.dig if side else 1 - hands.dig,
            "line": hands.takes_deal if side else 1 - hands.takes_deal,
            "points": sign * hands.attacker_points,
            "tribute": receives * hands.owed_next,
        }
    )


def play(tasks: Sequence[Task], deals: Deals, seed: int, meter: Meter) -> list[Pair]:
    """Both arms of every task."""
    chosen = [task.chosen(deals) for task in tasks]
    meter.expect(2 * sum(map(len, chosen)))
    return [_pair(task, deals, numbers, seed, meter) for task, numbers in zip(tasks, chosen)]


def _pair(task: Task, deals: Deals, numbers: Integers, seed: int, meter: Meter) -> Pair:
    if not len(numbers):
        return Pair(task, pd.DataFrame(columns=[*FIGURES, *OF_HAND], dtype=np.int64), 0)
    decks = deals.decks[numbers]
    a, b = (played(task.rules, task.policies(buries), decks, task.level, seed, meter) for buries in (False, True))
    side = task.role % 2
    found = side_figures(b, task.role) - side_figures(a, task.role)
    found["deal"] = numbers
    found["big"] = deals.big[numbers, task.role]
    found["small"] = deals.small[numbers, task.role]
    found["trumps"] = a[f"trumps_{task.role}"]
    found["held"] = (1 - a.dig) * (1 - a.takes_deal)
    found["dug"] = a.dig * a.takes_deal
    by_jokers = b.round_end.isin((3, 4))
    extra = [(hands.raise_0 + hands.raise_1 - 1).clip(lower=0) for hands in (a, b)]
    found["stake"] = extra[1] - extra[0]
    found["ends_for"] = (by_jokers & (b.round_winner == side)).astype(np.int64)
    found["ends_against"] = (by_jokers & (b.round_winner == 1 - side)).astype(np.int64)
    done = (b[f"big_buried_{task.role}"] == task.action.big) & (b[f"small_buried_{task.role}"] == task.action.small)
    for role, action in task.earlier:
        done &= (b[f"big_buried_{role}"] >= action.big) & (b[f"small_buried_{role}"] >= action.small)
    return Pair(task, found[done].reset_index(drop=True), int((~done).sum()))


# --- intervals --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Cell:
    """A group of hands: labels, the deal of each hand, what is averaged, and where not 1 a hand, the divisor."""

    labels: Mapping[str, Any]
    deals: Integers
    values: Integers
    counts: Integers | None = None

    @property
    def n(self) -> int:
        """Hands of the group."""
        return len(self.deals) if self.counts is None else int(self.counts.sum())


def cell(labels: Mapping[str, Any], hands: pd.DataFrame, figure: str = "value") -> Cell:
    """A group of hands of a `Pair`, and the figure that is averaged."""
    return Cell(labels, hands.deal.to_numpy(np.int64), hands[figure].to_numpy(np.int64))


def joint_moments(cells: Sequence[Cell], n_deals: int) -> stats.Moments:
    """Over deals: of every cell the sum of its values and its hands (places 2 c and 2 c + 1), then 0 and 1."""
    total = stats.Moments.zero(2 * len(cells) + 2)
    for start in range(0, n_deals, CHUNK):
        stop = min(n_deals, start + CHUNK)
        lines = np.zeros((2 * len(cells) + 2, stop - start), np.int64)
        for place, one in enumerate(cells):
            inside = (one.deals >= start) & (one.deals < stop)
            counts = np.ones(len(one.deals), np.int64) if one.counts is None else one.counts
            np.add.at(lines[2 * place], one.deals[inside] - start, one.values[inside])
            np.add.at(lines[2 * place + 1], one.deals[inside] - start, counts[inside])
        lines[-1] = 1
        total = total + stats.Moments.of(lines)
    return total


def intervals(cells: Sequence[Cell], n_deals: int, measure: str, unit: str) -> list[Row]:
    """Mean of every cell; the 95 % intervals hold for all cells at once, thin ones left out."""
    thick = [one for one in cells if one.n >= THIN]
    found: Iterator[stats.Difference] = iter(())
    if thick:
        places = [(2 * place, 2 * place + 1) for place in range(len(thick))]
        zero = (2 * len(thick), 2 * len(thick) + 1)  # a figure that is 0 in every deal: the cells are differences
        found = iter(stats.differences(joint_moments(thick, n_deals), places, zero))
    return [row(one.labels, measure, unit, next(found) if one in thick else None, one.n) for one in cells]


def against(cells: Sequence[Cell], base: Cell, n_deals: int, measure: str, unit: str) -> list[Row]:
    """Mean of every cell less that of `base`; the intervals hold for all cells at once, thin ones left out."""
    thick = [one for one in cells if min(one.n, base.n) >= THIN]
    found: Iterator[stats.Difference] = iter(())
    if thick:
        places = [(2 * place, 2 * place + 1) for place in range(len(thick) + 1)]
        found = iter(stats.differences(joint_moments([*thick, base], n_deals), places[:-1], places[-1]))
    return [row(one.labels, measure, unit, next(found) if one in thick else None, one.n) for one in cells]


def contrasts(
    pairs: Sequence[tuple[Mapping[str, Any], Cell, Cell]], n_deals: int, measure: str, unit: str
) -> list[Row]:
    """Mean of one cell less that of another, for several pairs; all intervals hold at once by Bonferroni."""
    rows = []
    for labels, one, other in pairs:
        found = None
        if min(one.n, other.n) >= THIN:
            share = stats.share_of(stats.CONFIDENCE, len(pairs))
            found = stats.difference(joint_moments([one, other], n_deals), (0, 1), (2, 3), share)
        rows.append(row(labels, measure, unit, found, min(one.n, other.n)))
    return rows


def row(labels: Mapping[str, Any], measure: str, unit: str, found: Any, n: int) -> Row:
    """One line of a table, from an estimate or a difference; None for a thin cell."""
    note = ""
    if found is None:
        found, note = stats.Estimate(None, None, None, n), f"thin: fewer than {THIN} hands"
    elif found.lo is None:
        note = "no spread: the same in every deal"
    return {
        **labels,
        "measure": measure,
        "unit": unit,
        "estimate": found.estimate,
        "lo": found.lo,
        "hi": found.hi,
        "n": n,
        "note": note,
    }


class Sign(NamedTuple):
    """What a row says: whether it is above 0, below it, or neither for sure."""

    above: bool
    below: bool


def sign(one: Row) -> Sign:
    """By the interval; without one, a figure that is the same in every deal says nothing either."""
    if one["lo"] is None or one["hi"] is None:
        return Sign(False, False)
    return Sign(one["lo"] > 0, one["hi"] < 0)


# --- tables, figures, command line ------------------------------------------------------------------------------------


def text_of(one: Row, digits: int = 3) -> str:
    """An estimate with its interval."""
    if one["estimate"] is None:
        return str(one["note"])
    if one["lo"] is None:
        return f"{one['estimate']:.{digits}f} ({one['note']})"
    return f"{one['estimate']:.{digits}f} [{one['lo']:.{digits}f}, {one['hi']:.{digits}f}]"


def frame(rows: Sequence[Row]) -> pd.DataFrame:
    """The table as pandas."""
    return pd.DataFrame(rows).astype({name: "float64" for name in ("estimate", "lo", "hi")})


def markdown(rows: Sequence[Row]) -> str:
    """The table as Markdown: labels, measure, estimate with interval, hands."""
    labels = [name for name in rows[0] if name not in ("measure", "unit", "estimate", "lo", "hi", "n", "note")]
    lines = [[*labels, "measure", "estimate [95 % interval]", "unit", "n"]]
    lines.append(["---"] * len(lines[0]))
    for one in rows:
        lines.append([*(str(one[name]) for name in labels), one["measure"], text_of(one), one["unit"], str(one["n"])])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def new_figure(n_rows: int = 1, n_columns: int = 1, width: float = 4.0, height: float = 3.0) -> tuple[Figure, Any]:
    """An empty figure and its axes, Axes[n_rows, n_columns]."""
    drawn = Figure(figsize=(width * n_columns, height * n_rows), layout="constrained")
    return drawn, drawn.subplots(n_rows, n_columns, squeeze=False)


def error_bars(axes: Any, x: Iterable[float], rows: Sequence[Row], label: str = "", **style: Any) -> None:
    """Estimates with intervals over x; rows without an interval are left out."""
    found = [(place, one) for place, one in zip(x, rows) if one["lo"] is not None]
    if found:
        places = [place for place, _ in found]
        values = np.array([[one["estimate"], one["lo"], one["hi"]] for _, one in found]).T
        errors = [values[0] - values[1], values[2] - values[0]]
        axes.errorbar(places, values[0], errors, marker="o", markersize=3, capsize=2, label=label, **style)
    axes.axhline(0, color="grey", linewidth=0.8)


def legend(axes: Any, title: str | None = None) -> None:
    """A small legend, where something has a label."""
    if axes.get_legend_handles_labels()[1]:
        axes.legend(title=title, fontsize=6)


def svg(drawn: Figure) -> str:
    """The figure as SVG, whose bytes depend on the drawing alone."""
    text = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "gunzi"}):
        drawn.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return text.getvalue()


def write(name: str, about: str, rows: Sequence[Row], drawn: Figure, out: Path) -> None:
    """NAME.csv, NAME.md and NAME.svg in the folder `out`."""
    out.mkdir(parents=True, exist_ok=True)
    csv = frame(rows).to_csv(index=False, float_format="%.5f", lineterminator="\n")
    (out / f"{name}.csv").write_text(csv, encoding="utf-8")
    (out / f"{name}.md").write_text(f"{about.strip()}\n\n{markdown(rows)}", encoding="utf-8")
    (out / f"{name}.svg").write_text(svg(drawn), encoding="utf-8")


@dataclass(frozen=True)
class Options:
    """What a study is run with."""

    hands: int
    seed: int
    pools: tuple[Pool, ...]
    meter: Meter


def options(hands: int, seed: int = 1, pools: Iterable[str] = tuple(POOLS), quiet: bool = True) -> Options:
    """Options as Python has them; InputError for an unknown pool."""
    unknown = [name for name in pools if name not in POOLS]
    if unknown:
        raise InputError(f"pools must be of {', '.join(POOLS)}, got {unknown[0]!r}")
    return Options(hands, seed, tuple(POOLS[name] for name in pools), Meter(quiet))


def by_role(given: Options, actions: Iterable[Action]) -> list[Pair]:
    """Every role that buries as each action says, against every pool, on the same deals."""
    tasks = [Task(pool, role, action) for pool in given.pools for role in range(len(ROLES)) for action in actions]
    return play(tasks, Deals.of(given.hands, given.seed), given.seed, given.meter)


def smaller(given: Options, divisor: int) -> Options:
    """The same options with fewer hands."""
    return replace(given, hands=max(1, given.hands // divisor))


def main(
    script: str,
    about: str,
    run: Callable[[Options], list[Row]],
    draw: Callable[[list[Row]], Figure],
    hands: int,
    arguments: Sequence[str] | None = None,
    pools: str = "random,basic,counting",
) -> int:
    """The command line of a study: run it, write table and figure, print where they are."""
    name = Path(script).stem
    parser = argparse.ArgumentParser(prog=f"{name}.py", description=about.strip().splitlines()[0])
    parser.add_argument("--hands", type=int, default=hands, help=f"deals, {hands} when not given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("analysis-out"), help="folder for table and figure")
    parser.add_argument("--pools", default=pools, help=f"opponents, some of {', '.join(POOLS)}")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    try:
        if given.hands < 1:
            raise InputError(f"hands must be 1 or more, got {given.hands}")
        rows = run(options(given.hands, given.seed, given.pools.split(","), quiet=False))
    except (InputError, PolicyError) as error:
        print(f"{name}.py: {error}", file=sys.stderr)
        return 2
    command = f"python analysis/{name}.py --hands {given.hands} --seed {given.seed} --pools {given.pools}"
    write(name, f"{about.strip()}\n\nCommand: `{command}`", rows, draw(rows), given.out)
    print(f"{given.out / name}.csv, .md, .svg: {len(rows)} rows", file=sys.stdout)
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return 0
