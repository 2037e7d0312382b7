"""
Exact moments of integers and the intervals drawn from them.

The unit of every estimate is an independent start: a round, or a hand in single-hand studies. `unit_sums` adds the rows
of each unit, `Moments` holds sums and cross products over units as Python integers. So moments merge in any order to
the same digits, nothing overflows, and no figure depends on shards or threads. An estimator takes `Moments`, gives an
`Estimate` and rounds once, at the end.

Arrays are `int64[n_quantities, n_rows]` (`n_units` after summing): one line a quantity, one column a row of the table.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
"""Coverage of every interval unless told otherwise."""

_EXACT_FLOAT = 2**53  # every integer up to here is a float64
_INT64 = 2**63 - 1


class Estimate(NamedTuple):
    """
    One figure with its interval.

    `estimate` is None where nothing was seen (denominator 0); `lo` and `hi` are None where no interval can be given.
    `n` counts the independent units behind the figure.
    """

    estimate: float | None
    lo: float | None
    hi: float | None
    n: int


@dataclass(frozen=True)
class Moments:
    """
    Sums over `n` independent units of k integer quantities: `sums` (object[k]) and cross `products` (object[k, k]).

    The elements are Python integers, so that adding is exact and its order does not matter.
    """

    n: int
    sums: npt.NDArray[np.object_]
    products: npt.NDArray[np.object_]

    @classmethod
    def zero(cls, n_quantities: int) -> "Moments":
        """Moments of no unit at all."""
        return cls(0, _python_ints(np.zeros(n_quantities)), _python_ints(np.zeros((n_quantities, n_quantities))))

    @classmethod
    def of(cls, values: npt.NDArray[np.int64]) -> "Moments":
        """
        Moments of the units in `values`.

        Parameters
        ----------
        values : int64[n_quantities, n_units]
            One column a unit.
        """
        n_units = values.shape[1]
        largest = max(abs(int(values.max())), abs(int(values.min())), 1) if values.size else 1
        bound = largest * largest * n_units  # no sum, at no step, exceeds it
        factors: npt.NDArray[Any] = values
        if bound <= _EXACT_FLOAT:
            factors = values.astype(np.float64)  # exact here, and multiplied ten times as fast
        elif bound > _INT64:
            factors = _python_ints(values)
        sums = (factors if bound > _INT64 else values).sum(axis=1)
        return cls(n_units, _python_ints(sums), _python_ints(factors @ factors.T))

    def __add__(self, other: "Moments") -> "Moments":
        return Moments(self.n + other.n, self.sums + other.sums, self.products + other.products)


def unit_sums(rows: npt.NDArray[np.int64], units: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """
    Add the rows of each unit.

    Parameters
    ----------
    rows : int64[n_quantities, n_rows]
        Values row by row; a sum over one unit must fit into int64.
    units : int64[n_rows]
        Unit of each row; the rows of a unit lie together.

    Returns
    -------
    int64[n_quantities, n_units]
        In the order of the rows; without columns when there is no row.
    """
    if not len(units):
        return np.zeros((len(rows), 0), np.int64)
    starts = np.flatnonzero(np.concatenate(([True], units[1:] != units[:-1])))
    return np.add.reduceat(rows, starts, axis=1)


def group_moments(
    rows: npt.NDArray[np.int64], units: npt.NDArray[np.int64], groups: npt.NDArray[np.int64]
) -> Iterator[tuple[int, Moments]]:
    """
    Moments of each group over the units in which the group appears.

    Parameters
    ----------
    rows : int64[n_quantities, n_rows]
        Values row by row.
    units : int64[n_rows]
        Unit of each row; the rows of a unit lie together.
    groups : int64[n_rows]
        Code of each row's group.

    Yields
    ------
    (int, Moments)
        Code and moments, codes rising; a group without rows is absent.
    """
    if len(groups) and groups.min() == groups.max():
        yield int(groups[0]), Moments.of(unit_sums(rows, units))
        return
    order = np.argsort(groups, kind="stable")  # stable: the rows of a unit still lie together inside each group
    codes, firsts = np.unique(groups[order], return_index=True)
    for code, part in zip(codes, np.split(order, firsts[1:])):
        yield int(code), Moments.of(unit_sums(rows[:, part], units[part]))


def ratio(moments: Moments, top: int, bottom: int, confidence: float = CONFIDENCE) -> Estimate:
    """
    Ratio of two sums over units, with the interval of the delta method (t quantile of n - 1 degrees).

    With a `bottom` of 1 in every unit this is the mean over units and its usual t interval.

    Parameters
    ----------
    moments : Moments
        Over the units.
    top, bottom : int
        Places of the two quantities in `moments`.
    confidence : float
        Coverage, 0 < confidence < 1.

    Returns
    -------
    Estimate
        No figure when the bottom sums to 0; no interval from fewer than two units, nor where no unit differs from the
        ratio (there is no spread to judge by).
    """
    n = moments.n
    top_sum, bottom_sum = int(moments.sums[top]), int(moments.sums[bottom])
    if bottom_sum == 0:
        return Estimate(None, None, None, n)
    value = top_sum / bottom_sum
    residue = (  # sum of (y - ratio * x)^2, times bottom_sum^2
        bottom_sum**2 * int(moments.products[top, top])
        - 2 * top_sum * bottom_sum * int(moments.products[top, bottom])
        + top_sum**2 * int(moments.products[bottom, bottom])
    )
    if n < 2 or residue == 0:
        return Estimate(value, None, None, n)
    half_width = t_quantile(confidence, n - 1) * math.sqrt(n * residue / ((n - 1) * bottom_sum**4))
    return Estimate(value, value - half_width, value + half_width, n)


def wilson(successes: int, n: int, confidence: float = CONFIDENCE) -> Estimate:
    """
    Share of units with a yes, with Wilson's score interval; the unit itself must be yes or no.

    No interval from fewer than two units, no figure from none.
    """
    if n < 2:
        return Estimate(successes / n if n else None, None, None, n)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half_width = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    lo = 0.0 if successes == 0 else centre - half_width
    hi = 1.0 if successes == n else centre + half_width
    return Estimate(share, lo, hi, n)


def t_quantile(confidence: float, degrees: int) -> float:
    """Two-sided quantile of Student's t: a share `confidence` of the distribution lies within plus and minus it."""
    from scipy.special import stdtrit  # here, because scipy is slow to import and most commands need no interval

    return float(stdtrit(degrees, 0.5 + confidence / 2))


def _python_ints(values: npt.NDArray[np.number] | Sequence[int]) -> npt.NDArray[np.object_]:
    """Copy of `values` whose elements are Python integers."""
    array = np.asarray(values)
    if array.dtype != np.object_:
        array = array.astype(np.int64).astype(object)
    return array
