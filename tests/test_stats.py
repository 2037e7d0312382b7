import math
import random
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from naive import moments as naive

from gunzi_sim import stats
from gunzi_sim.stats import Moments

T_975_9 = 2.262157  # table of Student's t, 9 degrees of freedom


def random_rows(seed, n_units=40, n_quantities=3, low=-300, high=300):
    """Rows of units with 1 to 6 rows each: int64[n_quantities, n_rows], int64[n_rows]."""
    rng = random.Random(seed)
    units = [unit for unit in range(n_units) for _ in range(rng.randint(1, 6))]
    rows = [[rng.randint(low, high) for _ in units] for _ in range(n_quantities)]
    return np.array(rows, np.int64), np.array(units, np.int64)


@pytest.mark.parametrize("seed", range(20))
def test_unit_sums_add_the_rows_of_each_unit(seed):
    rows, units = random_rows(seed)
    sums = stats.unit_sums(rows, units)
    assert sums.tolist() == [naive.totals_by_unit(line, units.tolist()) for line in rows.tolist()]


def test_unit_sums_of_no_rows_have_no_units():
    assert stats.unit_sums(np.zeros((2, 0), np.int64), np.zeros(0, np.int64)).shape == (2, 0)


def test_rows_of_narrow_integers_do_not_wrap():
    rows = np.full((1, 3), 100, np.int8)
    assert stats.unit_sums(rows.astype(np.int64), np.zeros(3, np.int64)).tolist() == [[300]]


@pytest.mark.parametrize("seed", range(10))
def test_moments_merge_in_any_order_to_the_same_integers(seed):
    values = np.array(random.Random(seed).choices(range(-1000, 1000), k=120), np.int64).reshape(3, 40)
    parts = [Moments.of(values[:, i : i + 8]) for i in range(0, 40, 8)]
    random.Random(seed).shuffle(parts)
    merged = sum(parts, Moments.zero(3))
    whole = Moments.of(values)
    expected = [[sum(x * y for x, y in zip(a, b)) for b in values.tolist()] for a in values.tolist()]
    assert merged.n == whole.n == 40
    assert merged.sums.tolist() == whole.sums.tolist() == [sum(line) for line in values.tolist()]
    assert merged.products.tolist() == whole.products.tolist() == expected
    assert all(type(x) is int for x in merged.products.ravel())


@pytest.mark.parametrize("size", [3_037_000_499, 3_037_000_500, 2**62])
def test_moments_stay_exact_where_int64_would_overflow(size):
    moments = Moments.of(np.array([[size, -size, size]], np.int64))
    assert moments.sums.tolist() == [size]
    assert moments.products.tolist() == [[3 * size * size]]


def test_moments_of_the_smallest_int64_are_exact():
    moments = Moments.of(np.array([[-(2**63)]], np.int64))
    assert (moments.sums.tolist(), moments.products.tolist()) == ([-(2**63)], [[2**126]])


@pytest.mark.parametrize("seed", range(20))
def test_mean_has_the_textbook_t_interval(seed):
    values = random.Random(seed).choices(range(-50, 400), k=10)
    figure = stats.ratio(Moments.of(np.array([values, [1] * 10], np.int64)), 0, 1)
    mean, square_error = naive.mean_and_square_error(values)
    assert figure.estimate == pytest.approx(float(mean), abs=1e-12)
    assert figure.hi - figure.estimate == pytest.approx(T_975_9 * math.sqrt(square_error), rel=1e-6)
    assert figure.estimate - figure.lo == pytest.approx(figure.hi - figure.estimate)
    assert figure.n == 10


@pytest.mark.parametrize("seed", range(20))
def test_ratio_is_clustered_by_unit(seed):
    rows, units = random_rows(seed, n_quantities=2)
    rows[1] = 1
    tops, bottoms = (naive.totals_by_unit(line, units.tolist()) for line in rows.tolist())
    figure = stats.ratio(Moments.of(stats.unit_sums(rows, units)), 0, 1)
    value, square_error = naive.ratio_and_square_error(tops, bottoms)
    assert figure.estimate == pytest.approx(float(value), abs=1e-12)
    half_width = stats.t_quantile(0.95, 39) * math.sqrt(square_error)
    assert figure.hi - figure.estimate == pytest.approx(half_width, rel=1e-9)


def test_interval_covers_the_truth_as_often_as_it_says():
    rng = np.random.default_rng(7)
    hits, n_runs = 0, 2000
    for _ in range(n_runs):
        bottoms = rng.integers(1, 12, 60)
        shift = rng.integers(-20, 21, 60)  # shared by the rows of a unit; by rows the interval would be too short
        tops = bottoms * (100 + shift)
        figure = stats.ratio(Moments.of(np.array([tops, bottoms], np.int64)), 0, 1)
        hits += figure.lo <= 100 <= figure.hi
    assert 0.93 <= hits / n_runs <= 0.97


def test_fewer_than_two_units_have_no_interval():
    assert stats.ratio(Moments.of(np.array([[7], [2]], np.int64)), 0, 1) == (3.5, None, None, 1)
    assert stats.ratio(Moments.zero(2), 0, 1) == (None, None, None, 0)
    two = stats.ratio(Moments.of(np.array([[7, 8], [2, 2]], np.int64)), 0, 1)
    assert two.lo < two.estimate < two.hi


def test_a_denominator_of_zero_gives_no_figure():
    assert stats.ratio(Moments.of(np.array([[0, 0], [0, 0]], np.int64)), 0, 1) == (None, None, None, 2)


def test_units_that_all_agree_give_no_interval():
    assert stats.ratio(Moments.of(np.array([[3, 6, 9], [1, 2, 3]], np.int64)), 0, 1) == (3.0, None, None, 3)


@pytest.mark.parametrize(
    ("successes", "n", "lo", "hi"),
    [  # Newcombe 1998, Statistics in Medicine 17, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (20, 20, 1 - 0.1611, 1.0),
    ],
)
def test_wilson_interval(successes, n, lo, hi):
    figure = stats.wilson(successes, n)
    assert figure.estimate == successes / n
    assert (figure.lo, figure.hi) == (pytest.approx(lo, abs=5e-5), pytest.approx(hi, abs=5e-5))
    z = 1.959963984540054
    for bound in {figure.lo, figure.hi} - {0.0, 1.0}:  # where the score test just rejects
        assert abs(figure.estimate - bound) == pytest.approx(z * math.sqrt(bound * (1 - bound) / n))


@pytest.mark.parametrize(("successes", "n", "share"), [(0, 0, None), (1, 1, 1.0), (0, 1, 0.0)])
def test_wilson_needs_two_units(successes, n, share):
    assert stats.wilson(successes, n) == (share, None, None, n)


@pytest.mark.parametrize(("degrees", "value"), [(1, 12.706205), (9, T_975_9), (1_000_000, 1.959966)])
def test_t_quantile(degrees, value):
    assert stats.t_quantile(0.95, degrees) == pytest.approx(value, rel=1e-6)


def test_confidence_widens_the_interval():
    moments = Moments.of(np.array([[1, 5, 9, 2], [1, 1, 1, 1]], np.int64))
    narrow, wide = (stats.ratio(moments, 0, 1, confidence) for confidence in (0.95, 0.99))
    assert wide.lo < narrow.lo < narrow.hi < wide.hi
    assert stats.wilson(5, 10, 0.99).hi > stats.wilson(5, 10, 0.95).hi


@pytest.mark.parametrize("seed", range(10))
def test_groups_count_the_units_in_which_they_appear(seed):
    rows, units = random_rows(seed)
    groups = np.array(random.Random(seed).choices([-1, 0, 4], k=len(units)), np.int64)
    found = dict(stats.group_moments(rows, units, groups))
    assert list(found) == sorted(set(groups.tolist()))
    for code, moments in found.items():
        mask = groups == code
        alone = Moments.of(stats.unit_sums(rows[:, mask], units[mask]))
        assert moments.n == len(set(units[mask].tolist())) == alone.n
        assert moments.products.tolist() == alone.products.tolist()


def test_no_rows_have_no_groups():
    empty = np.zeros(0, np.int64)
    assert list(stats.group_moments(np.zeros((2, 0), np.int64), empty, empty)) == []


def test_ratio_rounds_once():
    values = np.array([[10**9 + 1, 10**9 + 2, 10**9 + 3], [1, 1, 1]], np.int64)  # floats would lose the spread
    figure = stats.ratio(Moments.of(values), 0, 1)
    assert Fraction(figure.estimate) == 10**9 + 2
    assert figure.hi - figure.estimate == pytest.approx(stats.t_quantile(0.95, 2) / math.sqrt(3), rel=1e-6)


# --- arms on the same units ------------------------------------------------------------------------------------------

DUNNETT = {
    (2, 10): 2.57,
    (5, 10): 2.99,
    (2, 20): 2.38,
    (5, 20): 2.73,
    (3, 60): 2.41,
    (5, 60): 2.58,
}
"""Two-sided 5 % points of Dunnett's table (1964), by number of arms and degrees of freedom; correlations 1/2."""


def paired(seed, n_units=60, shift=0):
    """Numerators and denominators of two arms that share most of each unit: int64[4, n_units]."""
    rng = random.Random(seed)
    x = [rng.randint(1, 6) for _ in range(n_units)]
    y = [rng.randint(-30, 30) for _ in range(n_units)]
    u = [max(1, a + rng.randint(-1, 1)) for a in x]
    v = [b + shift + rng.randint(-4, 4) for b in y]
    return np.array([y, x, v, u], np.int64)


@pytest.mark.parametrize("seed", range(8))
def test_difference_of_means_is_the_paired_t_interval(seed):
    values = paired(seed)
    values[[1, 3]] = 1
    n = values.shape[1]
    gaps = [Fraction(int(v) - int(y)) for y, v in zip(values[0], values[2])]
    mean = sum(gaps) / n
    variance = sum((gap - mean) ** 2 for gap in gaps) / (n - 1)
    half_width = stats.t_quantile(0.95, n - 1) * math.sqrt(variance / n)
    found = stats.difference(Moments.of(values), (2, 3), (0, 1))
    assert found.n == n
    assert found.estimate == pytest.approx(float(mean), abs=1e-12)
    assert (found.hi - found.lo) / 2 == pytest.approx(half_width, rel=1e-9)
    assert (found.hi + found.lo) / 2 == pytest.approx(float(mean), abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_difference_of_ratios_is_the_delta_method_over_units(seed):
    values = paired(seed)
    y, x, v, u = ([Fraction(int(value)) for value in line] for line in values)
    n, one, other = len(x), sum(v) / sum(u), sum(y) / sum(x)
    pulls = [(b - one * c) * n / sum(u) - (a - other * d) * n / sum(x) for a, d, b, c in zip(y, x, v, u)]
    variance = sum(pull**2 for pull in pulls) / (n - 1) / n
    found = stats.difference(Moments.of(values), (2, 3), (0, 1))
    assert found.estimate == pytest.approx(float(one - other), abs=1e-12)
    assert (found.hi - found.lo) / 2 == pytest.approx(stats.t_quantile(0.95, n - 1) * math.sqrt(variance), rel=1e-9)
    apart = sum(stats.ratio_covariance(Moments.of(values), arm, arm) for arm in ((2, 3), (0, 1)))
    assert found.saved == pytest.approx(apart / variance, rel=1e-9)
    assert found.saved > 5  # the arms share most of each unit


def test_one_interval_of_a_single_figure_is_that_of_its_covariance_with_itself():
    values = Moments.of(paired(1))
    alone = stats.ratio(values, 0, 1)
    error = math.sqrt(stats.ratio_covariance(values, (0, 1), (0, 1)))
    assert (alone.hi - alone.lo) / 2 == pytest.approx(stats.t_quantile(0.95, 59) * error)


def test_a_difference_without_spread_or_units_has_no_interval():
    values = paired(3)
    same = np.vstack([values[:2], values[:2]])
    assert stats.difference(Moments.of(same), (2, 3), (0, 1)) == (0.0, None, None, 60, None)
    assert stats.difference(Moments.of(values[:, :1]), (2, 3), (0, 1))[1:] == (None, None, 1, None)
    assert stats.difference(Moments.zero(4), (2, 3), (0, 1)) == (None, None, None, 0, None)
    # a difference that is always 1 has no spread to judge by, whatever rounding makes of it
    values[[1, 3]] = 1
    values[2] = values[0] + 1
    assert stats.difference(Moments.of(values * 7919), (2, 1), (0, 1))[1:3] == (None, None)


@pytest.mark.parametrize(("arms", "degrees"), DUNNETT)
def test_max_t_quantile_is_dunnetts(arms, degrees):
    correlation = np.full((arms, arms), 0.5) + 0.5 * np.eye(arms)
    assert stats.max_t_quantile(correlation, degrees) == pytest.approx(DUNNETT[arms, degrees], abs=0.008)


def test_max_t_quantile_of_independent_and_of_equal_estimates():
    for k in (1, 2, 5, 20):
        exact = NormalDist().inv_cdf((1 + 0.95 ** (1 / k)) / 2)
        assert stats.max_t_quantile(np.eye(k), 10**6) == pytest.approx(exact, abs=0.002)
        assert stats.max_t_quantile(np.ones((k, k)), 12) == pytest.approx(stats.t_quantile(0.95, 12), abs=0.002)


def test_several_differences_are_wider_than_one_and_narrower_than_bonferroni():
    values = np.vstack([paired(seed) for seed in (1, 2)])  # arms (2, 3), (4, 5), (6, 7) against (0, 1)
    arms = [(2, 3), (4, 5), (6, 7)]
    together = stats.differences(Moments.of(values), arms, (0, 1))
    for arm, found in zip(arms, together):
        alone = stats.difference(Moments.of(values), arm, (0, 1))
        shared = stats.difference(Moments.of(values), arm, (0, 1), 1 - 0.05 / 3)
        assert found.estimate == alone.estimate and found.saved == alone.saved
        assert alone.hi - alone.lo < found.hi - found.lo < shared.hi - shared.lo


def test_simultaneous_intervals_all_hold_as_often_as_they_say(monkeypatch):
    monkeypatch.setattr(stats, "_LOG_POINTS", 11)  # good to a hundredth, which is enough here
    rng = np.random.default_rng(5)
    n_studies, n_alarms = 1000, 0
    for _ in range(n_studies):
        base = rng.integers(-20, 21, (1, 40))
        values = np.vstack([base + rng.integers(-9, 10, (4, 40)), np.ones((1, 40))]).astype(np.int64)
        found = stats.differences(Moments.of(values), [(1, 4), (2, 4), (3, 4)], (0, 4))
        n_alarms += any(one.lo > 0 or one.hi < 0 for one in found)
    assert 30 <= n_alarms <= 72  # 5 %, within three standard errors


def test_looking_a_thousand_times_raises_few_false_alarms():
    rng = np.random.default_rng(7)
    n_studies, n_looks, step = 2000, 1000, 20
    n = step * np.arange(1, n_looks + 1)
    fixed = sequential = 0
    for _ in range(n_studies // 200):
        units = rng.integers(-3, 4, (200, n_looks * step)).astype(np.int32)
        sums = np.cumsum(units, axis=1)[:, step - 1 :: step]
        squares = np.cumsum(units**2, axis=1)[:, step - 1 :: step]
        variance = (squares - sums**2 / n) / (n - 1)
        width = stats.sequence_half_width(variance, n, 2000)
        sequential += (np.abs(sums / n) > width).any(axis=1).sum()
        fixed += (np.abs(sums / n) > 1.96 * np.sqrt(variance / n)).any(axis=1).sum()
    assert sequential <= 0.05 * n_studies
    assert fixed > 0.3 * n_studies  # what looking at a fixed interval does


def test_a_sequence_is_centred_on_the_difference_and_wider():
    moments = Moments.of(paired(2, shift=3))
    fixed = stats.difference(moments, (2, 3), (0, 1))
    found = stats.sequence(moments, (2, 3), (0, 1), best_n=60)
    assert (found.lo + found.hi) / 2 == pytest.approx(fixed.estimate)
    assert found.hi - found.lo > fixed.hi - fixed.lo
    t = stats.t_quantile(0.95, 59)
    variance = ((fixed.hi - fixed.lo) / 2 / t) ** 2 * 60
    assert (found.hi - found.lo) / 2 == pytest.approx(stats.sequence_half_width(variance, 60, 60))
    # of all choices of best_n, the one that is named is nearly the narrowest
    widths = {best: stats.sequence_half_width(1.0, 1000, best) for best in (100, 300, 1000, 3000, 10_000)}
    assert min(widths, key=widths.get) == 1000
    none = stats.sequence(Moments.zero(4), (2, 3), (0, 1), best_n=60)
    assert none == (None, None, None, 0, None)


@pytest.mark.parametrize(
    ("lo", "hi", "margin", "word"),
    [
        (0.1, 0.9, 0.0, "better"),
        (-0.9, -0.1, 0.0, "worse"),
        (-0.1, 0.1, 0.0, "undecided"),
        (0.0, 0.2, 0.0, "undecided"),
        (-0.1, 0.1, 0.2, "practically equal"),
        (0.05, 0.1, 0.2, "practically equal"),
        (0.05, 0.3, 0.2, "better"),
        (-0.3, -0.05, 0.2, "worse"),
        (-0.3, 0.05, 0.2, "undecided"),
        (-0.2, 0.1, 0.2, "undecided"),
        (None, None, 1.0, "undecided"),
    ],
)
def test_verdict(lo, hi, margin, word):
    assert stats.verdict(stats.Estimate(0.0, lo, hi, 9), margin) == word
