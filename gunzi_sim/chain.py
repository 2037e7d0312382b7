"""
Win probabilities of a race in which two sides take turns to deal: a counted Markov chain, solved with its errors.

A hand begins in a state, seen by the side that deals. It ends the race, won or lost by that side, or leads to a state
that the *same* side or the *other* one deals in. With E[s] the probability that the side dealing in s wins,

    E[s] = p_won[s] + sum_t p_same[s, t] E[t] + sum_t p_other[s, t] (1 - E[t]),

that is (I - Q) E = w with Q = p_same - p_other and w = p_won + sum_t p_other. Since every state leads to an end, powers
of p_same + p_other vanish, those of Q as well, and N = (I - Q)^-1 exists: with Q >= 0 the fundamental matrix of Kemeny
and Snell (1960, chapter III), whose N[s, t] is the mean number of hands in t after a start in s; here they count with
the sign of the side.

Errors. The shares of row t are a multinomial of n[t] hands, independent of all other rows. Let y be what a hand is
worth after it is played: 1 won, 0 lost, E[u] or 1 - E[u] for the next state. A change dp of the shares changes E by dE
with (I - Q) dE = r, r[t] = sum over outcomes of dp y (differentiate the equation), so dE = N r. The mean of y over
row t varies by v[t] / n[t], v[t] the variance of y in that row. By the delta method

    Cov(E) = N diag(v / n) N',    Var(E[s]) = sum_t N[s, t]^2 v[t] / n[t].

Arrays: one row a state. Left out: which states a game has, and where the counts come from (`match_equity`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse

from gunzi_sim.game import InputError

PRIOR_HANDS = 10
"""Hands with the mean variance of all rows that each row is given beside its own: few hands may all end alike."""
WORST_CONDITION = 1e10
"""Largest condition number (1-norm) of a system that is solved; eight digits are lost at it."""


@dataclass(frozen=True)
class Counts:
    """
    Hands by what they led to.

    Attributes
    ----------
    same, other : sparse int64[n_states, n_states]
        Hands from row to column, dealt there by the same or by the other side.
    won, lost : int64[n_states]
        Hands that ended the race for the dealers' side, and against it.
    """

    same: sparse.csr_array
    other: sparse.csr_array
    won: npt.NDArray[np.int64]
    lost: npt.NDArray[np.int64]

    @property
    def hands(self) -> npt.NDArray[np.int64]:
        """Hands of each state."""
        found: npt.NDArray[np.int64] = self.same.sum(axis=1) + self.other.sum(axis=1) + self.won + self.lost
        return found


@dataclass(frozen=True)
class Solution:
    """
    The solved chain.

    Attributes
    ----------
    values : float64[n_states]
        Probability that the side dealing in the state wins.
    steps : float64[n_states]
        Mean number of hands to the end.
    inverse : float64[n_states, n_states]
        N of the module's text.
    row_variances : float64[n_states]
        v / n: variance of each row's mean of y.
    """

    values: npt.NDArray[np.float64]
    steps: npt.NDArray[np.float64]
    inverse: npt.NDArray[np.float64]
    row_variances: npt.NDArray[np.float64]

    @property
    def standard_errors(self) -> npt.NDArray[np.float64]:
        """Of `values`: float64[n_states]."""
        found: npt.NDArray[np.float64] = np.sqrt(self.inverse**2 @ self.row_variances)
        return found

    def variance(self, weights: npt.NDArray[np.float64]) -> float:
        """Variance of a weighted sum of `values`, their covariances included; `weights` is float64[n_states]."""
        return float((weights @ self.inverse) ** 2 @ self.row_variances)


def solve(counts: Counts) -> Solution:
    """
    Values and errors of a counted chain.

    Parameters
    ----------
    counts : Counts
        Every state has hands.

    Raises
    ------
    InputError
        A state without hands or from which no counted way leads to an end, or a system too near to a singular one.
    """
    hands = counts.hands
    _check_ends(counts, hands)
    same, other = counts.same / hands[:, None], counts.other / hands[:, None]
    to_other = counts.other.sum(axis=1) / hands
    system = np.eye(len(hands)) - (same - other).toarray()
    inverse = linalg.inv(system)
    condition = np.linalg.norm(system, 1) * np.linalg.norm(inverse, 1)
    if not condition < WORST_CONDITION:
        raise InputError(f"too few hands: the equations of the states are nearly singular (condition {condition:.1e})")
    values = inverse @ (counts.won / hands + to_other)
    steps = linalg.solve(np.eye(len(hands)) - (same + other).toarray(), np.ones(len(hands)))
    squares = counts.won / hands + same @ values**2 + other @ (1 - values) ** 2
    return Solution(values, steps, inverse, _mean_variances(squares - values**2, hands))


def _mean_variances(spreads: npt.NDArray[np.float64], hands: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """v / n from the spread (mean square less squared mean) of each row, mixed as `PRIOR_HANDS` says."""
    squares = np.maximum(spreads, 0.0) * hands
    usual = squares.sum() / max(int((hands - 1).sum()), 1)
    found: npt.NDArray[np.float64] = (squares + PRIOR_HANDS * usual) / (hands - 1 + PRIOR_HANDS) / hands
    return found


def _check_ends(counts: Counts, hands: npt.NDArray[np.int64]) -> None:
    """InputError unless every state has hands and some way to an end."""
    if not len(hands) or not hands.all():
        raise InputError("there are no hands" if not len(hands) else _named("without hands", hands == 0))
    ways = (counts.same + counts.other).astype(bool).astype(np.int64)
    ends = counts.won + counts.lost > 0
    while True:
        grown = ends | (ways @ ends.astype(np.int64) > 0)
        if (grown == ends).all():
            break
        ends = grown
    if not ends.all():
        raise InputError(_named("that lead to no end", ~ends))


def _named(what: str, is_meant: Sequence[bool] | npt.NDArray[np.bool_]) -> str:
    return f"too few hands: {int(np.sum(is_meant))} states {what}"
