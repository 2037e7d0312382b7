"""
Match equity against rounds played out: does the chain of states foretell who wins from a state?

From each state rounds are simulated to their end, on deals that the equity has not seen, and the share that the
dealers' side wins is compared with the equity's value: z-scores, and a chi-square of all together that heeds how the
equity's errors go together.

    python benchmarks/equity_check.py --hands 2000000 --rounds 4000 --rules standard --policies basic
"""

import argparse
import math
import sys

import numpy as np
from scipy.special import chdtrc

import gunzi_sim as gz
from gunzi_sim.race import State

STATES = (
    State(3, 3, 0),
    State(3, 3, 4),
    State(4, 6, 0),
    State(5, 3, 2),
    State(3, 7, 0),
    State(7, 4, 1),
    State(6, 6, 3),
    State(8, 8, 0),
    State(9, 5, 6),
    State(5, 9, 5),
    State(10, 3, 0),
    State(3, 10, 2),
    State(10, 10, 0),
    State(10, 10, 4),
    State(8, 10, 1),
    State(10, 9, 7),
)
"""Later hands; the round's start comes on top, seen by the side that comes to deal its first hand."""


def won_by_dealers(run):
    """Share of a run's rounds that the side of the first dealer wins, and its variance."""
    hands = run.to_pandas(["round_id", "hand", "dealer", "round_winner"])
    first_side = hands["dealer"][hands["hand"] == 0].to_numpy() % 2
    winner = hands.groupby("round_id")["round_winner"].last().to_numpy()
    share = float((winner == first_side).mean())
    return share, share * (1 - share) / len(winner)


def compared(rules, policies, equity, n_rounds, seed):
    """Yield each state with the share of rounds won and its variance."""
    for number, state in enumerate(STATES):
        levels = (state.level_dealers, state.level_others)
        run = gz.simulate(
            rules, policies, rounds=n_rounds, seed=seed + number, levels=levels, dealer=0, owed=state.owed
        )
        yield (state, *won_by_dealers(run))
    run = gz.simulate(rules, policies, rounds=n_rounds, seed=seed + len(STATES))
    start = next(state for state in equity.states() if state.first_hand)
    yield (start, *won_by_dealers(run))


def chi_square(equity, rows):
    """Chi-square of all gaps together, by the covariance of the equity and the variances of the shares."""
    every = equity.states()
    inverse = equity.solution.inverse[[every.index(state) for state, _, _ in rows]]
    covariance = (inverse * equity.solution.row_variances) @ inverse.T + np.diag([variance for _, _, variance in rows])
    gaps = np.array([share - equity.value(state).probability for state, share, _ in rows])
    return float(gaps @ np.linalg.solve(covariance, gaps))


def main():
    """Print the comparison; status 1 where the chi-square is beyond its 0.1 % quantile."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--hands", type=int, default=2_000_000)
    parser.add_argument("--rounds", type=int, default=4000)
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--policies", default="basic")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    rules = gz.rules("gunzi", chosen.rules)
    equity = gz.equity(rules, chosen.policies, hands=chosen.hands, seed=chosen.seed)
    if equity.period != 1:
        parser.error("all seats must have the same policy: the states compared have dealer 0")
    print(equity)
    print("dealers others owed   rounds   equity    error      z")
    rows = []
    for state, share, variance in compared(rules, chosen.policies, equity, chosen.rounds, chosen.seed + 1000):
        rows.append((state, share, variance))
        value = equity.value(state)
        z = (share - value.probability) / math.sqrt(variance + value.standard_error**2)
        name = "round's start"
        if not state.first_hand:
            name = f"{state.level_dealers:6}{state.level_others:7}{state.owed:5}"
        print(f"{name:18}{share:8.4f} {value.probability:8.4f} {value.standard_error:8.4f} {z:+6.2f}", flush=True)
    total = chi_square(equity, rows)
    p = float(chdtrc(len(rows), total))
    print(f"chi-square {total:.1f} on {len(rows)} degrees of freedom, p = {p:.3f}")
    return 1 if p < 0.001 else 0


if __name__ == "__main__":
    sys.exit(main())
