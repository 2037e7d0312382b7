"""Naive twin of `stats.py`: fractions over lists of units, each formula as a textbook prints it."""

from fractions import Fraction


def totals_by_unit(values, units):
    """Sum of `values` over the rows of each unit, units in order of appearance."""
    totals = {}
    for value, unit in zip(values, units):
        totals[unit] = totals.get(unit, 0) + value
    return list(totals.values())


def mean_and_square_error(values):
    """Mean of the units and the squared standard error of that mean (None from one unit)."""
    n = len(values)
    mean = Fraction(sum(values), n)
    if n < 2:
        return mean, None
    spread = sum((value - mean) ** 2 for value in values) / (n - 1)
    return mean, spread / n


def ratio_and_square_error(tops, bottoms):
    """Ratio of the sums and its squared standard error: the spread of top - ratio * bottom over the mean bottom."""
    n = len(tops)
    ratio = Fraction(sum(tops), sum(bottoms))
    residues = [top - ratio * bottom for top, bottom in zip(tops, bottoms)]
    mean_bottom = Fraction(sum(bottoms), n)
    return ratio, sum(residue**2 for residue in residues) / (n - 1) / n / mean_bottom**2
