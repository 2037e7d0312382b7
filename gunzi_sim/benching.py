"""
Speed of the engine, measured beside a yardstick: the plain scalar shuffle of one deck on `gunzi-rng/1`.

A *shuffle* is one `deal.plain_shuffle` of the game's deck, which nobody tunes. Every measurement runs as yardstick,
candidate, yardstick, … in one process, and its ratio is the median of the ratios to the yardsticks before and after
it; so a clock that changes its speed, or a neighbour on the machine, moves both. A *decision* is one play of one seat,
forced ones included. Times are wall-clock, in nanoseconds a hand where nothing else is said.

`bench` returns plain dicts and numbers; the README lists the keys. Left out: printing (`cli`).
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gunzi_sim import arms, deal, game, games, run_files, runner

SECONDS = 0.1
"""Length of one timed piece aimed at."""
USUAL = "basic"
OWN = "bench-own"
"""Name of the policy that takes the functions of the usual one the way a user's policy comes in."""
WARM_ROUNDS = 1000
"""Rounds of the run whose warm start is timed."""

Report = dict[str, Any]


def bench(
    rules: game.Rules,
    policies: tuple[str, ...] = ("random", "basic", "counting"),
    seed: int = 0,
    repeats: int = 15,
    starts: bool = True,
    tell: Callable[[str], None] = lambda _: None,
) -> Report:
    """
    Measure deal, play, writing, threads, and starts.

    Parameters
    ----------
    rules : Rules
        Their game is the one measured, in whole rounds.
    policies : tuple of str
        Policies measured, each at all seats. What is measured with one policy takes `basic`, or the first where it is
        not among them: a user's policy, a comparison of arms, writing, threads, starts.
    seed : int
    repeats : int
        Number of pairs of yardstick and candidate.
    starts : bool
        Also time a cold start (everything compiled anew) and a warm one, each in a process of its own.
    tell : callable
        Told what is measured next.

    Returns
    -------
    dict
        `shuffle_ns`, `phases`, `policies`, `threads`, `starts`; see the README.
    """
    tell("the kernels")
    the_game = games.get(rules.GAME)
    the_game.engine()
    for policy in policies:
        games.parse_policies(rules.GAME, policy)  # a wrong name at once
    yardstick = _Yardstick(the_game.deals(1, 0).shape[1], repeats)
    report: Report = {"game": rules.GAME, "rules": game.to_mapping(rules), "seed": seed, "repeats": repeats}
    report["shuffle_ns"] = yardstick.time()
    tell("dealing")
    report["phases"] = {"deal": _deal(the_game, seed, yardstick)}
    report["policies"] = {}
    usual = USUAL if USUAL in policies else policies[0]
    names = [*policies, _register_own(the_game, usual)]
    for name in names:
        tell(f"play, policy {name}")
        report["policies"][name] = _play(the_game, rules, name, seed, yardstick)
    for name in policies:
        played, dealt = report["policies"][name], report["phases"]["deal"]
        ns, ratio = (played[key] - dealt[key] for key in ("ns_per_hand", "shuffles_per_hand"))
        report["phases"][f"play and columns, {name}"] = _rates(ns, ratio)
    report["own_policy_ratio"] = _own_ratio(the_game, rules, usual, seed, repeats)
    tell("a comparison of arms")
    report["compare_over_run"] = _compare_ratio(rules, seed, repeats)
    tell("writing")
    report["phases"]["writing"] = _writing(the_game, rules, usual, seed, yardstick)
    tell("two threads")
    report["threads"] = _threads(the_game, rules, usual, seed, repeats)
    if starts:
        tell("a cold and a warm start")
        report["starts"] = _starts(rules, usual)
    return report


class _Yardstick:
    """The plain shuffle, and the comparison of anything with it."""

    def __init__(self, n_cards: int, repeats: int) -> None:
        self.cards = np.zeros(n_cards, np.uint8)
        self.repeats = repeats
        self.n = 1
        self.time()
        while self.n * self.time() < SECONDS * 1e9:
            self.n *= 2

    def time(self) -> float:
        """Nanoseconds of one shuffle."""
        began = time.perf_counter_ns()
        deal.plain_shuffles(1, 0, self.n, self.cards)
        return (time.perf_counter_ns() - began) / self.n

    def compare(self, candidate: Callable[[], float]) -> tuple[float, float]:
        """Median nanoseconds of a candidate, and median ratio to the yardsticks before and after it."""
        before = self.time()
        times, ratios = [], []
        for _ in range(self.repeats):
            taken = candidate()
            after = self.time()
            times.append(taken)
            ratios.append(2 * taken / (before + after))
            before = after
        return statistics.median(times), statistics.median(ratios)


def _rates(ns_per_hand: float, ratio: float) -> Report:
    return {
        "ns_per_hand": round(ns_per_hand, 1),
        "hands_per_s": round(1e9 / ns_per_hand),
        "shuffles_per_hand": round(ratio, 2),
    }


def _deal(the_game: games.Game, seed: int, yardstick: _Yardstick) -> Report:
    def candidate() -> float:
        began = time.perf_counter_ns()
        the_game.deals(n, seed)
        return (time.perf_counter_ns() - began) / n

    n = 1
    while n * candidate() < SECONDS * 1e9:
        n *= 2
    return _rates(*yardstick.compare(candidate))


class _Rounds:
    """Whole rounds of one policy at all seats, played into one buffer; `time` gives nanoseconds a hand."""

    def __init__(self, the_game: games.Game, rules: game.Rules, policy: str, seed: int, first: int = 0) -> None:
        self.game = the_game
        self.job = games.Job(rules.GAME, rules, games.parse_policies(rules.GAME, policy), seed)
        self.first, self.n_rounds, self.n_rows = first, 1, 0
        self.rows = np.empty(4096, the_game.row_dtype())
        self.time()  # sets n_rows
        while self.n_rows * self.time() < SECONDS * 1e9:  # long enough that what a call costs does not count
            self.n_rounds *= 2
            self.rows = np.empty(max(4096, 8 * self.n_rows), the_game.row_dtype())

    def time(self) -> float:
        """Nanoseconds a hand, deal and columns included."""
        began = time.perf_counter_ns()
        _, self.n_rows = self.game.play_range(self.job, self.first, self.first + self.n_rounds, self.rows)
        return (time.perf_counter_ns() - began) / self.n_rows

    def take_size_of(self, other: "_Rounds") -> None:
        """Play as many rounds as another."""
        self.n_rounds, self.rows = other.n_rounds, np.empty_like(other.rows)

    def played(self) -> Any:
        """The rows of the last piece."""
        return self.rows[: self.n_rows]


def _play(the_game: games.Game, rules: game.Rules, policy: str, seed: int, yardstick: _Yardstick) -> Report:
    rounds = _Rounds(the_game, rules, policy, seed)
    rates = _rates(*yardstick.compare(rounds.time))
    decisions = the_game.n_seats * float(rounds.played()["tricks"].mean())
    return rates | {
        "hands_per_round": round(rounds.n_rows / rounds.n_rounds, 2),
        "decisions_per_hand": round(decisions, 2),
        "ns_per_decision": round(rates["ns_per_hand"] / decisions, 2),
        "decisions_per_s": round(rates["hands_per_s"] * decisions),
    }


def _register_own(the_game: games.Game, base: str) -> str:
    """The functions of a built-in policy, registered one by one as a user would."""
    for decision, function in zip(the_game.decisions, games.find_policy(the_game.name, base).functions):
        games.register_policy(the_game.name, decision, OWN, base, getattr(function, "py_func", function))
    return OWN


def _own_ratio(the_game: games.Game, rules: game.Rules, base: str, seed: int, repeats: int) -> float:
    """Time of the user's policy over that of the built-in one it repeats, side by side."""
    ours, theirs = (_Rounds(the_game, rules, name, seed) for name in (base, OWN))
    theirs.take_size_of(ours)
    ratios = []
    for _ in range(repeats):
        before, own, after = ours.time(), theirs.time(), ours.time()
        ratios.append(2 * own / (before + after))
    return round(statistics.median(ratios), 3)


def _compare_ratio(rules: game.Rules, seed: int, repeats: int) -> float:
    """Hands a second of a comparison of two arms of `basic` over those of the same hands played plainly."""
    field = games.Job(rules.GAME, rules, games.parse_policies(rules.GAME, USUAL), seed)
    player = arms.Arms(arms.plan(field, 1 << 20, {"one": {}, "other": {"ruff_points": 5}}))
    n_rounds = 64
    rows = np.empty(n_rounds * player.rows_per_unit, player.row_dtype())
    plain = [runner.Hands(job) for job in player.jobs]
    hands = np.empty(8 * n_rounds * runner.ROWS_PER_UNIT["rounds"], plain[0].row_dtype())

    def compared() -> float:
        began = time.perf_counter_ns()
        n_hands = player.play_range(0, n_rounds, rows)[2]
        return (time.perf_counter_ns() - began) / n_hands

    def played() -> float:
        began = time.perf_counter_ns()
        n_hands = sum(one.play_range(0, n_rounds, hands)[2] for one in plain)
        return (time.perf_counter_ns() - began) / n_hands

    ratios = []
    for _ in range(repeats):
        before, ours, after = played(), compared(), played()
        ratios.append((before + after) / (2 * ours))
    return round(statistics.median(ratios), 3)


def _writing(the_game: games.Game, rules: game.Rules, policy: str, seed: int, yardstick: _Yardstick) -> Report:
    """Encode, hash and commit full shards in a temporary directory."""
    job = games.Job(rules.GAME, rules, games.parse_policies(rules.GAME, policy), seed)
    per_shard = runner.UNITS_PER_SHARD["rounds"]
    rows = np.empty(per_shard * runner.ROWS_PER_UNIT["rounds"] * 4, the_game.row_dtype())
    _, n_rows = the_game.play_range(job, 0, per_shard, rows)
    rows = rows[:n_rows]
    info = replace(runner.describe(job, per_shard * (yardstick.repeats + 1)), units_per_shard=per_shard)
    with tempfile.TemporaryDirectory() as folder, run_files.locked(Path(folder) / "run") as run_dir:
        run_files.create(run_dir, info)
        ranges = iter(info.ranges())

        def candidate() -> float:
            start, stop = next(ranges)
            began = time.perf_counter_ns()
            run_files.write_shard(run_dir, info, start, stop, rows)
            return (time.perf_counter_ns() - began) / n_rows

        candidate()
        rates = _rates(*yardstick.compare(candidate))
        size = run_files.list_shards(run_dir)[0].path.stat().st_size
    return rates | {"bytes_per_hand": round(size / n_rows, 2), "hands_per_shard": n_rows}


def _threads(the_game: games.Game, rules: game.Rules, policy: str, seed: int, repeats: int) -> Report:
    """One thread against two, side by side; the same work in each thread."""
    one, other = (_Rounds(the_game, rules, policy, seed, first) for first in (0, 1 << 40))
    other.take_size_of(one)
    single, double = [], []

    def both(pool: ThreadPoolExecutor) -> float:
        began = time.perf_counter_ns()
        for future in [pool.submit(rounds.time) for rounds in (one, other)]:
            future.result()
        return 1e9 * (one.n_rows + other.n_rows) / (time.perf_counter_ns() - began)

    with ThreadPoolExecutor(2) as pool:
        both(pool)
        for _ in range(repeats):
            single.append(1e9 / one.time())
            double.append(both(pool))
    ratios = [two / alone for alone, two in zip(single, double)]
    return {
        "cpus": runner.available_cpus(),
        "hands_per_s_one": round(statistics.median(single)),
        "hands_per_s_two": round(statistics.median(double)),
        "two_over_one": round(statistics.median(ratios), 2),
    }


def _starts(rules: game.Rules, policy: str) -> Report:
    """Seconds of `run` in a new process: with an empty cache folder, then with the one it filled."""
    with tempfile.TemporaryDirectory() as folder:
        rules_file = Path(folder) / "rules.toml"
        rules_file.write_text(game.to_toml(rules), encoding="utf-8")
        environment = os.environ | {"NUMBA_CACHE_DIR": str(Path(folder) / "cache")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the sources too are compiled but once

        def start(name: str, rounds: int) -> float:
            command = [sys.executable, "-m", "gunzi_sim.cli", "run", str(Path(folder) / name), "--quiet"]
            options = ["--rules", str(rules_file), "--policies", policy, "--rounds", str(rounds)]
            began = time.perf_counter()
            subprocess.run([*command, *options], env=environment, check=True, stdout=subprocess.DEVNULL)
            return round(time.perf_counter() - began, 2)

        return {"cold_s": start("cold", 1), "warm_s": start("warm", WARM_ROUNDS), "warm_rounds": WARM_ROUNDS}
