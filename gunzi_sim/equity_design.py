"""
Which hands to play for a match equity: single hands from every state, each state's on deals of its own.

A tenth of the hands looks, from every pair of levels, for the values of `owed` that occur. Half are spread evenly over
all pairs of levels with all these values. The rest goes where it lessens the mean square of the errors most
(n ~ sqrt(v[t] sum_s N[s, t]^2) with the names of `chain`, after Neyman). States found on the way get as many hands as
the others. The k-th hand of all is hand k of the seed, so no two states share a deal and their rows are independent.
"""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from gunzi_sim import games, runner
from gunzi_sim.game import Rules
from gunzi_sim.match_equity import Equity, check_game, made
from gunzi_sim.race import (
    OUTCOME_BITS,
    OWED_BITS,
    USED,
    State,
    Tally,
    codes_of,
    period_of,
    state_of,
    unplayed,
)
from gunzi_sim.runner import Progress

HANDS = 1_000_000
"""Hands played when their number is not given."""
PILOT_SHARE, EVEN_SHARE = 0.1, 0.5
"""Shares of the hands that look for the values of `owed`, and that are spread evenly over all states."""
LEAST_HANDS = 16
"""Hands played from a state at least, however few are asked for."""
CHUNK = 4096
"""Most hands of one call of the kernel."""
REPORT_S = 0.1
"""Time between two progress reports, in seconds."""


def simulated(
    job: games.Job,
    n_hands: int = HANDS,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Equity:
    """
    The equity of a job's policies from single hands, played from every state there is.

    Parameters
    ----------
    job : games.Job
        Game, rules, policies and seed; mode and situation do not matter.
    n_hands : int
        How many hands to play, about: every state gets `LEAST_HANDS`.
    threads : int, optional
        Threads that play, one a CPU when not given; they change nothing.
    progress : callable, optional
        Called with a `runner.Progress` about ten times a second.

    Raises
    ------
    InputError
        A game without levels.
    PolicyError
        A policy broke the rules.
    """
    check_game(job.game)
    design = _Design(replace(job, mode="hands", situation=None, deals=None), n_hands, threads, progress)
    levels = games.records(job.game).levels_between(job.rules)
    firsts = np.zeros(1, np.int64) + _first_code(job.rules)
    pairs = np.array([[own, other] for own in levels for other in levels])
    seats = np.arange(design.tally.period)

    def codes(owed: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Every state of a later hand with these tributes."""
        own, other = pairs.T
        return codes_of(0, seats[:, None, None], own[:, None], other[:, None], owed).ravel()

    pilot = np.concatenate([firsts, codes(np.zeros(1, np.int64))])
    design.play(pilot, n_hands * PILOT_SHARE / len(pilot))
    counted, _ = design.tally.counted()
    owed = np.unique(counted >> OUTCOME_BITS & (1 << OWED_BITS) - 1)
    owed = np.union1d(owed, unplayed(counted) & (1 << OWED_BITS) - 1)
    known = np.concatenate([firsts, codes(owed)])
    each = n_hands * EVEN_SHARE / len(known)
    design.play(known, each)
    design.close(each)
    found = made(design.tally, design.info)
    design.play(found.codes, _further_shares(found) * max(n_hands - design.n_played, 0))
    design.close(each)
    return made(design.tally, design.info)


def _first_code(rules: Rules) -> int:
    """Code of a first hand, whose dealer is not known yet."""
    start: int = rules.start_level  # type: ignore[attr-defined]
    return int(codes_of(1, 0, start, start, 0))


def _further_shares(found: Equity) -> npt.NDArray[np.float64]:
    """Share of further hands for each state that lessens the mean square of all errors most: float64[n_states]."""
    solution = found.solution
    spreads = solution.row_variances * found.rows["n_hands"]
    wanted = np.sqrt(spreads * (solution.inverse**2).sum(axis=0))
    shares: npt.NDArray[np.float64] = wanted / wanted.sum()
    return shares


class _Design:
    """Single hands played from states, each under a number of its own, by several threads."""

    def __init__(
        self, job: games.Job, n_hands: int, threads: int | None, progress: Callable[[Progress], None] | None
    ) -> None:
        self.job, self.progress, self.n_planned = job, progress, n_hands
        self.game = games.get(job.game).bound()
        self.info = runner.describe(job, n_hands)
        self.tally = Tally(period_of(job.policies))
        self.n_threads = threads or runner.available_cpus()
        self.began = time.perf_counter()
        self.next_hand = 0
        self.n_played = 0
        self._local = threading.local()

    def play(self, codes: npt.NDArray[np.int64], n_each: float | npt.NDArray[np.float64]) -> None:
        """Play some hands from each state, `LEAST_HANDS` at least, and count them."""
        tasks = list(self._tasks(codes, np.broadcast_to(n_each, codes.shape)))
        pool = ThreadPoolExecutor(self.n_threads, thread_name_prefix="gunzi-sim")
        try:
            pending = {pool.submit(self._play, *task) for task in tasks}
            while pending:
                done, pending = wait(pending, timeout=REPORT_S, return_when=FIRST_EXCEPTION)
                self.n_played += sum(future.result() for future in done)
                self._report()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def close(self, n_each: float) -> None:
        """Play from every state that hands led to and none was played from, until there is none."""
        tried = np.zeros(0, np.int64)
        while True:
            missing = np.setdiff1d(unplayed(self.tally.counted()[0]), tried)
            if not len(missing):
                return
            self.play(missing, n_each)
            tried = np.union1d(tried, missing)

    def _tasks(
        self, codes: npt.NDArray[np.int64], n_each: npt.NDArray[np.float64]
    ) -> Iterator[tuple[games.Job, int, int]]:
        """Job and range of hands of each call of the kernel."""
        for code, n in zip(codes.tolist(), n_each.tolist()):
            job = replace(self.job, situation=_situation(state_of(code)))
            stop = self.next_hand + max(round(n), LEAST_HANDS)
            while self.next_hand < stop:
                start, self.next_hand = self.next_hand, min(self.next_hand + CHUNK, stop)
                yield job, start, self.next_hand

    def _play(self, job: games.Job, start: int, stop: int) -> int:
        """Play and count a range of hands; how many."""
        if not hasattr(self._local, "rows"):
            self._local.rows = np.empty(CHUNK, self.game.row_dtype())
        _, n_rows = self.game.play_range(job, start, stop, self._local.rows)
        rows = self._local.rows[:n_rows]
        self.tally.add({name: rows[name] for name in USED})
        return n_rows

    def _report(self) -> None:
        """Tell how far it is, about: states found on the way add hands."""
        if self.progress:
            n_units = max(self.n_planned, self.n_played)
            elapsed = time.perf_counter() - self.began
            self.progress(Progress(n_units, 0, self.n_played, self.n_played, elapsed))


def _situation(state: State) -> games.Situation:
    """Where single hands from a state start."""
    levels = (state.level_dealers, state.level_others)
    return games.Situation(
        state.first_hand, levels if state.dealer % 2 == 0 else levels[::-1], state.dealer, state.owed
    )
