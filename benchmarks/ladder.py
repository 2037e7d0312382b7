"""
The ladder of policies: each against the one below it on the same deals from either side, and its speed.

    python benchmarks/ladder.py --policies basic,counting --hands 100000 --rounds 4000 --seed 1

For neighbours A (above) and B (below) every deal is played twice: A at side 0, then A at side 1. Printed are A's
settlement per hand and player, which is minus B's, and the share of rounds that A wins, with 95 % intervals; the unit
is a deal of single hands, or a round number, with both its plays. Times are of one policy at all seats, taken in turns.
"""

import argparse
import statistics
import sys
import time
from itertools import pairwise

import numpy as np

from gunzi_sim import games, stats
from gunzi_sim.game import InputError, PolicySpec, Rules, Situation

GAME = "gunzi"
SIDES = (0, 1)
CHUNK = 2_000
"""Units played into one buffer."""
ROUND_ROWS = 200
"""Rows of the buffer for each round; what does not fit is played in the next piece."""


def played(job: games.Job, n_units: int):
    """Rows of units 0 to n - 1, in pieces that hold whole units."""
    game = games.get(GAME)
    rows = np.empty(CHUNK * (ROUND_ROWS if job.mode == "rounds" else 1), game.row_dtype())
    start = 0
    while start < n_units:
        n_played, n_rows = game.play_range(job, start, min(n_units, start + CHUNK), rows)
        if n_played == 0:
            raise SystemExit(f"round {start} has more than {len(rows)} hands")
        yield rows[:n_rows].copy()
        start += n_played


def sums_of(rows, side: int):
    """Per unit: settlement of the side's two players, hands times two, rounds won: int64[3, n_units]."""
    gained = rows[f"settlement_{side}"].astype(np.int64) + rows[f"settlement_{side + 2}"]
    won = (rows["round_winner"] == side) & (rows["round_end"] != 0)
    values = np.stack([gained, np.full(len(rows), 2), won.astype(np.int64)])
    return stats.unit_sums(values, rows["round_id"].astype(np.int64))


def duel(above: PolicySpec, below: PolicySpec, n_units: int, seed: int, mode: str, rules: Rules):
    """A's settlement per hand and player, and its share of the rounds: two estimates."""
    sides = []
    for side in SIDES:
        specs = tuple(above if seat % 2 == side else below for seat in range(4))
        situation = Situation() if mode == "rounds" else Situation(False, (rules.start_level,) * 2, 0, 0)
        job = games.Job(GAME, rules, specs, seed, mode, situation)
        sides.append(np.concatenate([sums_of(rows, side) for rows in played(job, n_units)], axis=1))
    both = sides[0] + sides[1]
    moments = stats.Moments.of(np.vstack([both, np.full((1, n_units), len(SIDES))]))
    return stats.ratio(moments, 0, 1), stats.ratio(moments, 2, 3)


def times(specs, n_hands: int, seed: int, rules: Rules, repeats: int = 7):
    """Median seconds a hand of each policy at all seats; all take turns in every repeat."""
    game = games.get(GAME)
    situation = Situation(False, (rules.start_level,) * 2, 0, 0)
    jobs = [games.Job(GAME, rules, (spec,) * 4, seed, "hands", situation) for spec in specs]
    rows = np.empty(n_hands, game.row_dtype())
    taken = [[] for _ in jobs]
    for _ in range(repeats):
        for job, found in zip(jobs, taken):
            began = time.perf_counter()
            game.play_range(job, 0, n_hands, rows)
            found.append((time.perf_counter() - began) / n_hands)
    return [statistics.median(found) for found in taken], [
        statistics.median(one / base for one, base in zip(found, taken[0])) for found in taken
    ]


def interval(found: stats.Estimate, scale: float = 1.0, digits: int = 3) -> str:
    """An estimate as text."""
    value = "none" if found.estimate is None else f"{scale * found.estimate:+.{digits}f}"
    if found.lo is None or found.hi is None:
        return value
    return f"{value} [{scale * found.lo:+.{digits}f}, {scale * found.hi:+.{digits}f}]"


def main(arguments: list[str] | None = None) -> int:
    """Print the ladder."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--policies", default="basic,counting", help="from the lowest rung up")
    parser.add_argument("--hands", type=int, default=20_000, help="deals of single hands, each played twice; 0: none")
    parser.add_argument("--rounds", type=int, default=1_000, help="rounds, each played twice; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timed", type=int, default=2_000, help="hands of one timed piece; 0: no times")
    given = parser.parse_args(arguments)
    rules = games.rules_class(GAME)()
    try:
        specs = [games.parse_policies(GAME, name)[0] for name in given.policies.split(",")]
    except InputError as error:
        parser.error(str(error))
    for below, above in pairwise(specs):
        print(f"{above} against {below}")
        for mode, n_units in (("hands", given.hands), ("rounds", given.rounds)):
            if n_units:
                began = time.monotonic()
                settlement, share = duel(above, below, n_units, given.seed, mode, rules)
                print(f"  settlement per hand and player, {n_units} {mode} from either side: {interval(settlement)}")
                if mode == "rounds":
                    print(f"  rounds won: {interval(share, 100, 1)} %")
                print(f"  {time.monotonic() - began:.0f} s", flush=True)
    if given.timed:
        for spec, seconds, ratio in zip(specs, *times(specs, given.timed, given.seed, rules)):
            print(f"{spec!s:20} {1 / seconds:9.0f} hands/s, {ratio:5.2f} times the time of {specs[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
