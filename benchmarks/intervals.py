"""
Whether intervals hold what they promise, on hands that are really played: `python benchmarks/intervals.py`.

- Coverage: studies of a few rounds each, whose hands depend on each other; how often the 95 % interval of a figure
  holds the value of all studies together.
- A/A: two arms that play alike but with other words of their draws, so that they differ in nothing but luck; how often
  the 95 % interval of their difference leaves out 0.
- Looks: the same arms, looked at after every deal up to the last; how often a confidence sequence ever leaves out 0,
  and how often a fixed interval does.

Every study has units of its own, cut from one run.
"""

import argparse
from typing import NamedTuple

import numpy as np

import gunzi_sim as gz
from gunzi_sim import stats
from gunzi_sim.gunzi import policies_random
from gunzi_sim.rng import next_word

FIGURES = ("attacker_points", "takes_deal", "dig")
BURN_IN = 20
"""Units before the first look: the sequences are asymptotic."""
lead_at_random = policies_random.lead


class Share(NamedTuple):
    """How often something happened among n studies."""

    what: str
    count: int
    n: int

    def __str__(self) -> str:
        low, high = stats.wilson(self.count, self.n)[1:3]
        share = f"{100 * self.count / self.n:6.2f} %  ({100 * low:.2f} to {100 * high:.2f})"
        return f"{self.what:58} {share}, {self.n} studies"


def register() -> None:
    """Make the policy `shifted`: `random`, but its leads come from other words of the same streams."""

    @gz.policy("gunzi", "lead", name="shifted", base="random", replace=True)
    def lead(view, params, draws):
        for _ in range(params.x0):
            next_word(draws)
        return lead_at_random(view, params, draws)


def cut(sums: np.ndarray, n_studies: int) -> list[np.ndarray]:
    """The quantities of each study: int64[n, units a study]."""
    return np.split(sums, n_studies, axis=1)


def coverage(n_studies: int, n_rounds: int, seed: int) -> list[Share]:
    """Intervals of figures over a few rounds each."""
    run = gz.simulate(gz.rules(), policies="basic", rounds=n_studies * n_rounds, seed=seed)
    frame = run.to_pandas(columns=["round_id", *FIGURES])
    grouped = frame.groupby("round_id")
    hands = grouped.size().to_numpy(np.int64)
    found = []
    for figure in FIGURES:
        total = grouped[figure].sum().to_numpy(np.int64)
        truth = total.sum() / hands.sum()
        holds = 0
        for part in cut(np.stack([total, hands]), n_studies):
            estimate = stats.ratio(stats.Moments.of(part), 0, 1)
            holds += estimate.lo <= truth <= estimate.hi
        found.append(Share(f"coverage of {figure}, {n_rounds} rounds", holds, n_studies))
    return found


def aa_values(n_units: int, seed: int, mode: str) -> np.ndarray:
    """Settlement and hands of two arms alike, by unit: int64[4, n_units]."""
    register()
    arms = {"one": {"policy": "shifted:x0=1"}, "other": {"policy": "shifted:x0=2"}}
    found = gz.compare(arms, policies="random", seed=seed, **{mode: n_units})
    sums, counts = found.values("settlement")
    return np.stack([sums[0], counts[0], sums[1], counts[1]])


def false_alarms(n_studies: int, n_rounds: int, seed: int) -> Share:
    """Differences between arms alike, of a few rounds each."""
    values = aa_values(n_studies * n_rounds, seed, "rounds")
    alarms = 0
    for part in cut(values, n_studies):
        found = stats.difference(stats.Moments.of(part), (0, 1), (2, 3))
        alarms += not found.lo <= 0 <= found.hi
    return Share(f"A/A false alarms, {n_rounds} rounds", alarms, n_studies)


def alarms_at_looks(n_studies: int, n_looks: int, seed: int) -> tuple[Share, Share]:
    """Differences between arms alike looked at after every deal: a confidence sequence, and a fixed interval."""
    values = aa_values(n_studies * n_looks, seed, "hands")
    gaps = (values[0] / values[1] - values[2] / values[3]).reshape(n_studies, n_looks)
    n = np.arange(1, n_looks + 1)
    means = np.cumsum(gaps, axis=1) / n
    spread = np.cumsum(gaps**2, axis=1) - n * means**2
    variance = np.maximum(spread, 0) / np.maximum(n - 1, 1)
    late = slice(BURN_IN - 1, None)
    sequence = stats.sequence_half_width(variance, n, n_looks // 4)
    fixed = 1.96 * np.sqrt(variance / n)
    ever = [int((np.abs(means) > half)[:, late].any(axis=1).sum()) for half in (sequence, fixed)]
    what = f"looked at {n_looks - BURN_IN + 1} times"
    return Share(f"A/A, confidence sequence {what}", ever[0], n_studies), Share(
        f"A/A, fixed interval {what}", ever[1], n_studies
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--studies", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=40, help="rounds of a study")
    parser.add_argument("--looks", type=int, default=1019)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    bars = []
    for share in coverage(given.studies, given.rounds, given.seed):
        print(share, flush=True)
        bars.append(0.935 <= share.count / share.n <= 0.965)
    alarms = false_alarms(given.studies, given.rounds, given.seed)
    print(alarms, flush=True)
    bars.append(0.04 <= alarms.count / alarms.n <= 0.06)
    ours, fixed = alarms_at_looks(given.studies, given.looks, given.seed)
    print(ours, fixed, sep="\n", flush=True)
    bars.append(ours.count / ours.n <= 0.05)
    print("all bars hold" if all(bars) else "a bar is missed")
    return 0 if all(bars) else 1


if __name__ == "__main__":
    raise SystemExit(main())
