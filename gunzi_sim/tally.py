"""
What a report counts in a table that may be larger than memory: values, cells of a heat map, figures as they came in,
and which hands to show.

Each class takes the table piece by piece (`add`), whole units each, as arrays by column name; `units` is `round_id`
along the rows. Nothing depends on how the table was cut. Left out: drawing (`plots`), words (`report`).
"""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from gunzi_sim import stats
from gunzi_sim.exhibit import Distribution, HeatMap
from gunzi_sim.game import Statistic, Term, Where

Values = Mapping[str, npt.NDArray[np.integer]]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
N_POINTS = 240
"""Most points of a running figure."""
FIRST_POINT = 30
"""Units after which a running figure begins; before that its interval says little."""
_ROUNDING = 1e-12  # less than this share is what is left of rounding


def columns_of(terms: Iterable[Term], among: Where = ()) -> set[str]:
    """Columns that an amount is made of."""
    terms = list(terms)
    wheres = [*(term.where for term in terms), among]
    return {term.column for term in terms if term.column} | {name for where in wheres for name, _ in where}


def amount(values: Values, terms: Iterable[Term], n_rows: int) -> Integers:
    """The sum of the terms of every row: int64[n_rows]."""
    found = np.zeros(n_rows, np.int64)
    for term in terms:
        np.add(found, values[term.column] if term.column else 1, out=found, where=_mask(values, term.where, n_rows))
    return found


def _mask(values: Values, where: Where, n_rows: int) -> npt.NDArray[np.bool_]:
    """Rows that `where` means: bool[n_rows]."""
    mask = np.ones(n_rows, np.bool_)
    for name, allowed in where:
        mask &= np.isin(values[name], allowed)
    return mask


class Bars:
    """How often each value of an amount came, of rows or of units."""

    def __init__(self, wanted: Distribution) -> None:
        self.wanted = wanted
        self.columns = columns_of(wanted.terms)
        self.counts: dict[int, int] = {}

    def add(self, values: Values, units: Integers) -> None:
        """Count one piece of the table."""
        amounts = amount(values, self.wanted.terms, len(units))
        if self.wanted.of_unit and len(units):
            amounts = stats.unit_sums(amounts[None, :], units)[0]
        found, counts = np.unique(amounts, return_counts=True)
        for value, count in zip(found.tolist(), counts.tolist()):
            self.counts[value] = self.counts.get(value, 0) + count

    @property
    def n(self) -> int:
        """How many rows or units were counted."""
        return sum(self.counts.values())

    @property
    def mean(self) -> float:
        """Mean of the amount; of nothing, 0."""
        return sum(value * count for value, count in self.counts.items()) / (self.n or 1)

    @property
    def median(self) -> int:
        """The lower median of the amount, a value that came; of nothing, 0."""
        left = (self.n + 1) // 2
        for value in sorted(self.counts):
            left -= self.counts[value]
            if left <= 0:
                return value
        return 0

    def bars(self) -> list[tuple[int, int]]:
        """First value and count of every bar from the lowest to the highest that came, empty ones between included."""
        width = self.wanted.width
        bins: dict[int, int] = {}
        for value, count in self.counts.items():
            bins[value // width] = bins.get(value // width, 0) + count
        return [(place * width, bins.get(place, 0)) for place in range(min(bins), max(bins) + 1)] if bins else []


class Cell(NamedTuple):
    """
    A cell of a heat map: its sum, its rows, and the independent units that these come from.

    `squares`, `products` and `rows_squared` are sums over the units: of the unit's sum squared, of its sum times its
    rows, of its rows squared.
    """

    total: int
    n_rows: int
    n_units: int
    squares: int
    products: int
    rows_squared: int

    @property
    def mean(self) -> float:
        """Mean of the cell's rows."""
        return self.total / self.n_rows

    @property
    def error(self) -> float | None:
        """Standard error of the mean, a ratio of sums over units (delta method); None for a single unit."""
        if self.n_units < 2:
            return None
        mean = self.mean
        spread = self.squares - 2 * mean * self.products + mean * mean * self.rows_squared
        return math.sqrt(max(spread, 0.0) * self.n_units / (self.n_units - 1)) / self.n_rows


def cells_of(keys: Integers, totals: Integers, counts: Integers) -> dict[tuple[int, int], Cell]:
    """
    Cells of a heat map from one entry a unit.

    Parameters
    ----------
    keys : int64[2, n]
        Cell of each unit, down and across.
    totals, counts : int64[n]
        What each unit adds to its cell, and for how many rows.
    """
    found, codes = np.unique(keys, axis=1, return_inverse=True)
    parts = (totals, counts, np.ones_like(counts), totals * totals, totals * counts, counts * counts)
    sums = [np.bincount(codes.reshape(-1), part, found.shape[1]).astype(np.int64) for part in parts]  # exact to 2^53
    return {(key[0], key[1]): Cell(*own) for key, *own in zip(found.T.tolist(), *(part.tolist() for part in sums))}


class Heat:
    """Sums and numbers of rows and units by two axes."""

    def __init__(self, wanted: HeatMap) -> None:
        self.wanted = wanted
        self.columns = columns_of([*wanted.terms, *wanted.down.terms, *wanted.across.terms])
        self.cells: dict[tuple[int, int], Cell] = {}

    def add(self, values: Values, units: Integers) -> None:
        """Count one piece of the table."""
        n_rows = len(units)
        if not n_rows:
            return
        down, across, amounts = (
            amount(values, terms, n_rows)
            for terms in (self.wanted.down.terms, self.wanted.across.terms, self.wanted.terms)
        )
        keys, codes = np.unique(np.stack([down, across, units]), axis=1, return_inverse=True)  # each unit once a cell
        totals, rows = (np.bincount(codes.reshape(-1), part, keys.shape[1]) for part in (amounts, np.ones(n_rows)))
        for key, new in cells_of(keys[:2], totals.astype(np.int64), rows.astype(np.int64)).items():
            old = self.cells.get(key)
            self.cells[key] = new if old is None else Cell(*(one + other for one, other in zip(old, new)))


class Running:
    """
    A figure after the first n units, for some n up to all, with an interval that holds at all of them together.

    The interval is the confidence sequence of `stats.sequence_half_width`, narrowest at `n_planned`, the number of
    units decided before the first.
    """

    def __init__(self, statistic: Statistic, n_units: int, n_planned: int) -> None:
        self.statistic, self.n_planned = statistic, n_planned
        self.columns = columns_of(statistic.terms, statistic.among)
        self.points = points_of(n_units)
        self._found: list[Integers] = []
        self._sums = np.zeros((5, 1), np.int64)
        self._n = 0

    def add(self, values: Values, units: Integers) -> None:
        """Add the units of one piece of the table, the next in order."""
        if not len(units):
            return
        tops = amount(values, self.statistic.terms, len(units))
        bottoms = _mask(values, self.statistic.among, len(units)).astype(np.int64)
        y, x = stats.unit_sums(np.stack([tops, bottoms]), units)
        sums = self._sums + np.cumsum(np.stack([y, x, y * y, x * y, x * x]), axis=1)
        inside = self.points[(self.points > self._n) & (self.points <= self._n + len(y))]
        self._found.append(sums[:, inside - self._n - 1])
        self._sums, self._n = sums[:, -1:], self._n + len(y)

    def curve(self, confidence: float = stats.CONFIDENCE) -> tuple[Integers, Floats, Floats]:
        """
        Numbers of units, the figure after as many, half width of its interval.

        Left out where there is no figure, and where no unit differs from it yet: there is no spread to judge by.
        """
        if not self._found:
            return np.zeros(0, np.int64), np.zeros(0), np.zeros(0)
        y, x, yy, xy, xx = np.concatenate(self._found, axis=1)
        n = self.points[: len(y)]
        seen = (x > 0) & (n > 1)
        y, x, yy, xy, xx, n = (part[seen] for part in (y, x, yy, xy, xx, n))
        value = y / x
        residue = yy - 2 * value * xy + value * value * xx
        variance = np.maximum(residue, 0.0) / (n - 1) / (x / n) ** 2
        half = stats.sequence_half_width(variance, n, self.n_planned, confidence)
        varies = residue > _ROUNDING * (yy + value * value * xx)
        return n[varies], value[varies], half[varies]


def points_of(n_units: int) -> Integers:
    """Numbers of units at which a running figure is looked at, evenly on a log scale, the last being all of them."""
    if n_units < 2:
        return np.zeros(0, np.int64)
    points = np.geomspace(min(FIRST_POINT, n_units), n_units, N_POINTS)
    return np.unique(np.rint(points).astype(np.int64))


def paired_curve(lines: Integers, best_n: int, confidence: float) -> tuple[Integers, Floats, Floats]:
    """
    A difference of two arms as it came in: as `Running.curve`, by `stats.sequence`.

    Parameters
    ----------
    lines : int64[4, n_units]
        Numerator and denominator of one arm's figure, then those of the other's, unit by unit.
    best_n, confidence
        As `stats.sequence`.
    """
    moments, start, found = stats.Moments.zero(4), 0, []
    for stop in points_of(lines.shape[1]).tolist():
        moments, start = moments + stats.Moments.of(lines[:, start:stop]), stop
        gap = stats.sequence(moments, (0, 1), (2, 3), best_n, confidence)
        if gap.estimate is not None and gap.hi is not None:
            found.append((stop, gap.estimate, gap.hi - gap.estimate))
    n, value, half = zip(*found) if found else ((), (), ())
    return np.array(n, np.int64), np.array(value, np.float64), np.array(half, np.float64)


def bars_of(values: Integers, most: int = 60) -> Bars:
    """Bars of some whole numbers, each as wide as it takes for at most so many: 1, 2, 5, 10, …"""
    span = int(values.max() - values.min()) + 1 if len(values) else 1
    width = next(step * 10**power for power in range(19) for step in (1, 2, 5) if step * 10**power * most >= span)
    found = Bars(Distribution("", (), width))
    numbers, counts = np.unique(values, return_counts=True)
    found.counts = dict(zip(numbers.tolist(), counts.tolist()))
    return found


class Pick(NamedTuple):
    """A hand to be shown: why, what it gained, and where it is."""

    why: str
    gain: int
    unit: int
    hand: int


class Extremes:
    """The hands with the largest gains and losses and around the median: one pass of `add`, then one of `add_near`."""

    KEPT = 6

    def __init__(self, terms: Sequence[Term], each: int = 2) -> None:
        self.bars = Bars(Distribution("", tuple(terms)))
        self.terms, self.each = tuple(terms), each
        self.columns = self.bars.columns | {"hand"}
        self._best: dict[str, list[tuple[int, int, int, int]]] = {"gain": [], "loss": [], "median": []}

    def add(self, values: Values, units: Integers) -> None:
        """First pass: count gains, keep the largest and smallest."""
        self.bars.add(values, units)
        gains = amount(values, self.terms, len(units))
        self._keep("gain", -gains, gains, values, units)
        self._keep("loss", gains, gains, values, units)

    def add_near(self, values: Values, units: Integers) -> None:
        """Second pass: keep the hands nearest the median."""
        gains = amount(values, self.terms, len(units))
        self._keep("median", np.abs(gains - self.bars.median), gains, values, units)

    def _keep(self, why: str, keys: Integers, gains: Integers, values: Values, units: Integers) -> None:
        order = np.lexsort((values["hand"], units, keys))[: self.KEPT]
        parts = (part[order].tolist() for part in (keys, units, values["hand"], gains))
        self._best[why] = heapq.nsmallest(self.KEPT, [*self._best[why], *zip(*parts)])

    def picks(self) -> list[Pick]:
        """Some of each kind, the earliest of equal ones, no hand twice; fewer where there are not as many."""
        taken: dict[tuple[int, int], Pick] = {}
        for why in ("gain", "loss", "median"):
            free = [one for one in self._best[why] if (one[1], one[2]) not in taken]
            taken |= {(unit, hand): Pick(why, gain, unit, hand) for _, unit, hand, gain in free[: self.each]}
        return list(taken.values())
