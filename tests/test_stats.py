import math
import random
from fractions import Fraction

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
