"""
Exact moments of integers and the intervals drawn from them.

The unit of every estimate is an independent start: a round, or a hand in single-hand studies. `unit_sums` adds the rows
of each unit, `Moments` holds sums and cross products over units as Python integers. So moments merge in any order to
the same digits, nothing overflows, and no figure depends on shards or threads. An estimator takes `Moments`, gives an
`Estimate` and rounds once, at the end.

A figure is a ratio of two sums over units, so rounds of unlike length weigh as they should. Two arms that played the
same units are compared by `difference`, several at once by `differences` (max-|t|), and looked at again and again by
`sequence`, whose intervals hold at all looks together.

Arrays are `int64[n_quantities, n_rows]` (`n_units` after summing): one line a quantity, one column a row of the table.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
"""Coverage of every interval unless told otherwise."""

_EXACT_FLOAT = 2**53  # every integer up to here is a float64
_INT64 = 2**63 - 1
_ROUNDING = 1e-12
_LOG_POINTS = 16


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


class Difference(NamedTuple):
    """
    A figure of one arm minus that of another on the same units, with its interval.

    `saved` is how many times as many units two independent samples would need for an interval of the same width; None
    where there is no interval.
    """

    estimate: float | None
    lo: float | None
    hi: float | None
    n: int
    saved: float | None


class Verdict(StrEnum):
    """What an interval says of a difference, where differences smaller than a margin do not matter."""

    BETTER = "better"
    WORSE = "worse"
    EQUAL = "practically equal"
    UNDECIDED = "undecided"


Ratio = tuple[int, int]
"""A figure: places of numerator and denominator in the moments."""


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
    value = _ratio_of(moments, (top, bottom))
    if value is None or moments.n < 2:
        return Estimate(value, None, None, moments.n)
    variance = ratio_covariance(moments, (top, bottom), (top, bottom))
    if variance == 0:
        return Estimate(value, None, None, moments.n)
    half_width = t_quantile(confidence, moments.n - 1) * math.sqrt(variance)
    return Estimate(value, value - half_width, value + half_width, moments.n)


def ratio_covariance(moments: Moments, one: Ratio, other: Ratio) -> float:
    """
    Covariance of two ratios of sums over the same units, by the delta method.

    Parameters
    ----------
    moments : Moments
        Over two units or more; neither denominator sums to 0.
    one, other : (int, int)
        Places of numerator and denominator; equal for a variance.

    Returns
    -------
    float
        Rounded once, from integers.
    """
    (y, x), (v, u) = one, other
    sums, products = moments.sums, moments.products
    residue = (
        int(sums[x]) * int(sums[u]) * int(products[y, v])
        - int(sums[x]) * int(sums[v]) * int(products[y, u])
        - int(sums[y]) * int(sums[u]) * int(products[x, v])
        + int(sums[y]) * int(sums[v]) * int(products[x, u])
    )
    return moments.n * residue / ((moments.n - 1) * int(sums[x]) ** 2 * int(sums[u]) ** 2)


def split_variance(moments: Moments, whole: Ratio, part: Ratio) -> float:
    """
    Variance that a ratio of sums would have if a part of each unit and the rest of it came from different units.

    Parameters
    ----------
    moments : Moments
        Over two units or more.
    whole, part : (int, int)
        Places of numerator and denominator in all of each unit, whose sum is not 0, and in the part.

    Returns
    -------
    float
        Delta method, as `ratio_covariance(moments, whole, whole)`, which it equals for parts that are uncorrelated.
    """
    value = moments.sums[whole[0]] / moments.sums[whole[1]]
    places = [*part, *whole]
    forms = np.array([[1.0, -value, 0.0, 0.0], [-1.0, value, 1.0, -value]])  # of the part, and of the rest
    means = forms @ moments.sums[places].astype(np.float64) / moments.n
    squares = np.einsum("ij,jk,ik->i", forms, moments.products[np.ix_(places, places)].astype(np.float64), forms)
    spread = squares.sum() - moments.n * (means**2).sum()
    return float(moments.n / (moments.n - 1) * spread / float(moments.sums[whole[1]]) ** 2)


def difference(moments: Moments, one: Ratio, other: Ratio, confidence: float = CONFIDENCE) -> Difference:
    """
    A figure of one arm minus that of another that played the same units: delta method, t quantile of n - 1 degrees.

    Parameters
    ----------
    moments : Moments
        Over the units; each unit holds the sums of both arms.
    one, other : (int, int)
        Places of numerator and denominator of each arm's figure.
    confidence : float
        Coverage, 0 < confidence < 1.

    Returns
    -------
    Difference
        No figure where a denominator sums to 0; no interval from fewer than two units, nor where the difference is the
        same in all of them.
    """
    (found,) = differences(moments, [one], other, confidence)
    return found


def differences(
    moments: Moments, arms: Sequence[Ratio], baseline: Ratio, confidence: float = CONFIDENCE
) -> list[Difference]:
    """
    Figures of several arms, each minus the baseline's, whose intervals hold all at once with the given confidence.

    The critical value is the quantile of the largest |t| among the differences (max-|t|, Hothorn, Bretz and Westfall
    2008), from their estimated correlations: never wider than Bonferroni's, and Student's for a single arm.

    Parameters
    ----------
    moments, confidence
        As `difference`.
    arms : sequence of (int, int)
        Places of numerator and denominator of each arm's figure.
    baseline : (int, int)
        Those of the baseline.

    Returns
    -------
    list of Difference
        In the order of the arms; parts are missing as in `difference`.
    """
    n = moments.n
    values = [_ratio_of(moments, arm) for arm in (*arms, baseline)]
    if n < 2 or None in values:
        gaps = [None if None in (value, values[-1]) else value - values[-1] for value in values[:-1]]  # type: ignore[operator]
        return [Difference(gap, None, None, n, None) for gap in gaps]
    figures = [*arms, baseline]
    covariance = np.array([[ratio_covariance(moments, a, b) for b in figures] for a in figures])
    contrast = np.hstack([np.eye(len(arms)), -np.ones((len(arms), 1))])
    spread = contrast @ covariance @ contrast.T
    errors = np.sqrt(np.maximum(np.diag(spread), 0.0))
    unpaired = np.diag(covariance)[:-1] + covariance[-1, -1]
    varies = errors**2 > _ROUNDING * unpaired  # less is what is left of rounding
    found = []
    critical = 0.0
    if varies.any():
        scale = errors[varies]
        critical = max_t_quantile(spread[np.ix_(varies, varies)] / np.outer(scale, scale), n - 1, confidence)
    for i, value in enumerate(values[:-1]):
        gap = float(value - values[-1])  # type: ignore[operator]
        if not varies[i]:
            found.append(Difference(gap, None, None, n, None))
            continue
        half_width = critical * float(errors[i])
        found.append(Difference(gap, gap - half_width, gap + half_width, n, float(unpaired[i] / errors[i] ** 2)))
    return found


def share_of(confidence: float, n: int) -> float:
    """Confidence of each of n intervals that all hold at once with `confidence` (Bonferroni)."""
    return 1 - (1 - confidence) / max(1, n)


def quarter(most: int) -> int:
    """Where a sequence that may go on to `most` observations is narrowest: most studies that are decided stop early."""
    return max(2, most // 4)


def sequence(moments: Moments, one: Ratio, other: Ratio, best_n: int, confidence: float = CONFIDENCE) -> Difference:
    """
    `difference` with an interval that may be looked at after every unit: all looks together hold with the confidence.

    The normal mixture boundary with the variance estimated on the way (asymptotic confidence sequence, Waudby-Smith,
    Arbour, Sinha, Kennedy and Ramdas 2024, theorem 2.2).

    Parameters
    ----------
    moments, one, other, confidence
        As `difference`.
    best_n : int
        Number of units at which the interval is to be narrowest against others of its kind; decided before any look.

    Returns
    -------
    Difference
        Parts are missing as in `difference`.
    """
    found = difference(moments, one, other, confidence)
    if found.lo is None or found.hi is None:
        return found
    n = moments.n
    variance = ((found.hi - found.lo) / (2 * t_quantile(confidence, n - 1))) ** 2 * n
    half_width = float(sequence_half_width(variance, n, best_n, confidence))
    gap = found.estimate or 0.0
    return found._replace(lo=gap - half_width, hi=gap + half_width)


def sequence_half_width(variance: Any, n: Any, best_n: int, confidence: float = CONFIDENCE) -> Any:
    """
    Half width of `sequence` around a mean.

    Parameters
    ----------
    variance : float or float64[…]
        Of one unit, as estimated from the units so far.
    n : int or int64[…]
        Units so far.
    best_n, confidence
        As `sequence`.
    """
    alpha = 1 - confidence
    mixing = (-2 * math.log(alpha) + math.log(1 - 2 * math.log(alpha))) / best_n  # narrowest at best_n, nearly
    grown = n * mixing + 1
    return np.sqrt(variance * 2 * grown / (n * n * mixing) * np.log(np.sqrt(grown) / alpha))


def verdict(found: Estimate | Difference, margin: float = 0.0) -> Verdict:
    """
    What a difference's interval says.

    Parameters
    ----------
    found : Estimate or Difference
        Of a figure of which more is better.
    margin : float
        Differences smaller than this do not matter; 0: all do.

    Returns
    -------
    Verdict
        `EQUAL` where the whole interval lies within the margin, even on one side of 0; then `BETTER` or `WORSE` where
        it lies on one side of 0; else, and without an interval, `UNDECIDED`.
    """
    if found.lo is None or found.hi is None:
        return Verdict.UNDECIDED
    if -margin < found.lo and found.hi < margin:
        return Verdict.EQUAL
    if found.lo > 0:
        return Verdict.BETTER
    return Verdict.WORSE if found.hi < 0 else Verdict.UNDECIDED


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


def max_t_quantile(correlation: npt.NDArray[np.float64], degrees: int, confidence: float = CONFIDENCE) -> float:
    """
    Value that the largest of several |t| stays below with a given probability.

    Parameters
    ----------
    correlation : float64[k, k]
        Of the k estimates; it may be singular.
    degrees : int
        Of freedom.
    confidence : float
        The probability.

    Returns
    -------
    float
        Exact for k = 1; else from 2^16 quasi-random points, good to about a thousandth and always the same.
    """
    from scipy.special import chdtri, ndtri
    from scipy.stats import qmc

    k = len(correlation)
    if k == 1:
        return t_quantile(confidence, degrees)
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    points = qmc.Sobol(k + 1, seed=np.random.default_rng(0)).random_base2(_LOG_POINTS)
    normal = ndtri(points[:, :k]) @ root.T
    scale = np.sqrt(chdtri(degrees, points[:, k]) / degrees)
    largest = np.abs(normal).max(axis=1) / scale
    return max(float(np.quantile(largest, confidence)), t_quantile(confidence, degrees))


def _ratio_of(moments: Moments, figure: Ratio) -> float | None:
    """A figure's value, rounded once; None where its denominator sums to 0."""
    top, bottom = (int(moments.sums[place]) for place in figure)
    return top / bottom if bottom else None


def _python_ints(values: npt.NDArray[np.number] | Sequence[int]) -> npt.NDArray[np.object_]:
    """Copy of `values` whose elements are Python integers."""
    array = np.asarray(values)
    if array.dtype != np.object_:
        array = array.astype(np.int64).astype(object)
    return array
