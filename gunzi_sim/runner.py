"""
From a job to rows: ranges of units over a thread pool, into shards on disk or tables in memory.

A shard is the unit of work and of storage; a thread plays one at a time, by calls of the game's kernel that take about
`BATCH_S` each, so that an interrupt and the progress reports never wait long. Which thread plays what, and in calls of
which size, changes nothing: every unit is keyed by its number. Of several failures the earliest shard's is raised.

Left out: what a row means (`results`), checks of user input (`api`). Many hosts will call `run_shard`.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gunzi_sim import game as contract
from gunzi_sim import games, storage
from gunzi_sim.games import InputError
from gunzi_sim.storage import OtherRunError, Receipt, RunInfo

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_S = 0.5
"""Length of one kernel call aimed at, in seconds."""
REPORT_S = 0.1
"""Time between two progress reports, in seconds."""
UNITS_PER_SHARD = {"rounds": 2048, "hands": 65536}
"""Units of a shard by mode: some 50,000 rows, and 15 MB of memory a thread, with the policy `basic` of 打滚子."""
SHARDS_OF_A_SHORT_RUN = 4
"""Shards that a run is cut into where it is too short for as many whole ones, so that threads share it."""
LEAST_PER_SHARD = {"rounds": 256, "hands": 8192}
"""Units that a shard of a short run has at least, by mode."""
FIRST_STEP = 64
"""Units of a thread's first kernel call, before its speed is known."""
ROWS_PER_UNIT = {"rounds": 32, "hands": 1}
"""Rows a unit for which a buffer is made; it grows when they do not suffice."""


@dataclass(frozen=True)
class Progress:
    """How far a run is; `units_found` were on the disk when it was resumed, the rest is this call's work."""

    n_units: int
    units_found: int
    units_played: int
    rows_played: int
    elapsed_s: float

    @property
    def units_done(self) -> int:
        """Units played in all, those of an unfinished shard included."""
        return self.units_found + self.units_played

    @property
    def rows_per_s(self) -> float:
        """Rows a second since this call began."""
        return self.rows_played / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def left_s(self) -> float | None:
        """Seconds to go at the rate so far; None before anything was played."""
        if not self.units_played:
            return None
        return (self.n_units - self.units_done) * self.elapsed_s / self.units_played


@dataclass(frozen=True)
class Played:
    """A run that is complete: its description, and its tables in the order of units unless they are on disk."""

    info: RunInfo
    tables: "list[pa.Table] | None"


class RunInterrupted(KeyboardInterrupt):
    """The run was interrupted; `n_finished` of `n_shards` shards are stored."""

    def __init__(self, n_finished: int, n_shards: int, path: Path | None) -> None:
        kept = f"{n_finished} of {n_shards} shards are kept in {path}" if path else "nothing was to be stored"
        super().__init__(f"interrupted; {kept}")
        self.n_finished = n_finished
        self.n_shards = n_shards


def run(
    job: games.Job,
    n_units: int,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Played:
    """
    Play units 0 … n_units - 1 of a job.

    Parameters
    ----------
    job : games.Job
        What to play.
    n_units : int
        Rounds, or single hands.
    out : path, optional
        Run directory, made here; None keeps the rows in memory.
    threads : int, optional
        Threads that play; by default one a CPU of this process.
    resume : bool
        Go on with the run that `out` holds, if it holds one.
    progress : callable, optional
        Called from this thread about ten times a second.

    Raises
    ------
    InputError
        `out` is no place for a run.
    BusyError, OtherRunError
        `out` is in use, or holds a run that is not this one (or is, but `resume` is false).
    PolicyError
        A policy broke the rules; finished shards are kept.
    OSError
        The disk failed; finished shards are kept.
    RunInterrupted
        Ctrl-C; finished shards are kept.
    """
    info = describe(job, n_units)
    if out is None:
        crew = _Crew(job, info, None)
        crew.work_through(info.ranges(), info.n_shards, threads, progress)
        return Played(info, [crew.tables[start] for start in sorted(crew.tables)])
    with storage.locked(out) as run_dir:
        if storage.is_run(run_dir):
            info = _found(run_dir, info, resume)
            storage.remove_leftovers(run_dir)
        else:
            storage.create(run_dir, info, job.deals)
        found = [storage.check_shard(info, shard) for shard in storage.list_shards(run_dir)]
        n_missing = info.n_shards - len(found)
        _Crew(job, info, run_dir, found).work_through(_missing(info, found), n_missing, threads, progress)
    return Played(info, None)


def run_shard(path: str | os.PathLike[str], start: int, stop: int) -> Receipt:
    """
    Play and store one shard of a run that exists, unless it is there already; for workers on other hosts.

    Parameters
    ----------
    path : path
        The run directory.
    start, stop : int
        Range of units of one shard (`RunInfo.ranges`).

    Returns
    -------
    Receipt
        What the shard's footer says.
    """
    run_dir = Path(path)
    info = storage.read_info(run_dir)
    if not info.has_range(start, stop):
        raise InputError(f"{run_dir}: units {start} to {stop} are no shard of this run")
    shard = storage.Shard(start, stop, storage.shard_path(run_dir, start, stop))
    if shard.path.exists():
        return storage.check_shard(info, shard)
    crew = _Crew(job_of(run_dir, info), info, run_dir)
    crew.work_through([(start, stop)], 1, 1, None)
    return storage.check_shard(info, shard)


def describe(job: games.Job, n_units: int) -> RunInfo:
    """Everything that decides the rows of a job's first `n_units` units."""
    situation = job.situation if job.mode == "rounds" else job.situation or games.Situation()
    return RunInfo(
        game=job.game,
        mode=job.mode,
        n_units=n_units,
        units_per_shard=_units_per_shard(job.mode, n_units),
        seed=job.seed,
        rules={"preset": job.rules.preset} | contract.to_full_mapping(job.rules),
        rules_hash=contract.rules_hash(job.rules),
        policies=tuple(
            {"text": str(spec), "source_hash": games.policy_source_hash(job.game, spec)} for spec in job.policies
        ),
        columns=games.get(job.game).columns,
        situation=None
        if situation is None
        else {
            "levels": list(situation.levels),
            "dealer": situation.dealer,
            "owed": situation.owed,
            "first_hand": situation.first_hand,
        },
        deals=None if job.deals is None else storage.deals_info(job.deals),
        versions=storage.package_versions(),
    )


def _units_per_shard(mode: str, n_units: int) -> int:
    """Units of each shard of a run, the last one aside; the same for every number of threads."""
    share = -(-n_units // SHARDS_OF_A_SHORT_RUN)
    return min(UNITS_PER_SHARD[mode], max(LEAST_PER_SHARD[mode], share))


def job_of(run_dir: Path | None, info: RunInfo, deals: npt.NDArray[np.uint8] | None = None) -> games.Job:
    """
    The job of a stored run, to play it on or again.

    Raises
    ------
    InputError
        This program would play something else: a policy is unknown or has changed, or the package is another version.
    """
    if deals is None and info.deals is not None and run_dir is not None:
        deals = storage.read_deals(run_dir, info)
    situation = None
    if info.situation is not None:
        situation = games.Situation(**dict(info.situation) | {"levels": tuple(info.situation["levels"])})
    job = games.Job(
        game=info.game,
        rules=contract.from_mapping(games.rules_class(info.game), info.rules),
        policies=_policies_of(run_dir, info),
        seed=info.seed,
        mode=info.mode,
        situation=situation,
        deals=deals,
    )
    difference = info.difference(describe(job, info.n_units))
    if difference:
        raise InputError(f"{run_dir or 'this run'} cannot be played again by this program: {difference}")
    return job


def _policies_of(run_dir: Path | None, info: RunInfo) -> tuple[games.PolicySpec, ...]:
    """The policies of a stored run; one that a Python process made must be known to this one."""
    try:
        return games.parse_policies(info.game, [policy["text"] for policy in info.policies])
    except InputError as error:
        raise InputError(f"{run_dir or 'this run'} has a policy that this process does not know: {error}") from None


def available_cpus() -> int:
    """CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


class _Stopped(Exception):
    """A shard was given up because the run is to end."""


class _Crew:
    """The threads of one run, and what they share; `lock` guards every field below it."""

    def __init__(
        self, job: games.Job, info: RunInfo, run_dir: Path | None, found: "list[Receipt] | tuple[()]" = ()
    ) -> None:
        self.game = games.get(job.game).bound()
        self.job = job
        self.info = info
        self.run_dir = run_dir
        self.n_found = len(found)
        self.units_found = sum(receipt.stop - receipt.start for receipt in found)
        self.lock = threading.Lock()
        self.ranges: Iterator[tuple[int, int]] = iter(())
        self.tables: dict[int, pa.Table] = {}
        self.failures: dict[int, Exception] = {}
        self.last_start = info.n_units  # shards that begin later are given up
        self.n_finished = self.n_found
        self.units_played = 0
        self.rows_played = 0

    def work_through(
        self,
        ranges: Iterable[tuple[int, int]],
        n_ranges: int,
        threads: int | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        """Play and store the shards; raise what `run` says."""
        self.ranges = iter(ranges)
        n_threads = min(threads or available_cpus(), n_ranges)
        began = time.perf_counter()
        if n_ranges:
            with ThreadPoolExecutor(n_threads, thread_name_prefix="gunzi-sim") as pool:
                futures: list[Future[None]] = []
                try:
                    futures += [pool.submit(self._work) for _ in range(n_threads)]
                    self._watch(futures, began, progress)
                except KeyboardInterrupt:
                    self._end_after(-1)
                    wait(futures)
                    raise RunInterrupted(self.n_finished, self.info.n_shards, self.run_dir) from None
                except BaseException:
                    self._end_after(-1)
                    raise
        if self.failures:
            raise self._told(self.failures[min(self.failures)])
        if progress:
            progress(self._progress(began))

    def _watch(self, futures: "list[Future[None]]", began: float, progress: Callable[[Progress], None] | None) -> None:
        """Report until all threads have ended."""
        pending = set(futures)
        while pending:
            done, pending = wait(pending, timeout=REPORT_S, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            if progress and pending:
                progress(self._progress(began))

    def _work(self) -> None:
        """One thread: shard after shard until none is left or the run is to end."""
        dtype = self.game.row_dtype()
        n_rows = self.info.units_per_shard * ROWS_PER_UNIT[self.info.mode]
        buffer = np.empty(min(n_rows, self.info.n_units * ROWS_PER_UNIT[self.info.mode]), dtype)
        step = FIRST_STEP
        while True:
            with self.lock:
                start, stop = next(self.ranges, (None, 0))
            if start is None or start > self.last_start:
                return
            try:
                buffer, n_rows, step = self._play(start, stop, buffer, step)
                self._keep(start, stop, buffer[:n_rows])
            except _Stopped:
                return
            except Exception as error:  # raised by `work_through`, when earlier shards have ended
                with self.lock:
                    self.failures[start] = error
                self._end_after(start)
                return

    def _play(
        self, start: int, stop: int, buffer: npt.NDArray[np.void], step: int
    ) -> tuple[npt.NDArray[np.void], int, int]:
        """Rows of one shard into the buffer, which is replaced when it is too small: (buffer, number of rows, step)."""
        unit, n_rows = start, 0
        while unit < stop:
            if start > self.last_start:
                raise _Stopped
            began = time.perf_counter()
            n_units, n_new = self.game.play_range(self.job, unit, min(unit + step, stop), buffer[n_rows:])
            if n_units == 0:
                buffer = np.concatenate([buffer[:n_rows], np.empty(len(buffer) + 1024, buffer.dtype)])
                continue
            unit, n_rows = unit + n_units, n_rows + n_new
            share = BATCH_S / max(time.perf_counter() - began, 1e-9)
            step = max(1, int(n_units * min(share, 8.0)))
            with self.lock:
                self.units_played += n_units
                self.rows_played += n_new
        return buffer, n_rows, step

    def _keep(self, start: int, stop: int, rows: npt.NDArray[np.void]) -> None:
        """Store the rows of one shard."""
        if self.run_dir is None:
            table = storage.table_of(rows, self.info.columns)
            with self.lock:
                self.tables[start] = table
        else:
            storage.write_shard(self.run_dir, self.info, start, stop, rows)
        with self.lock:
            self.n_finished += 1

    def _end_after(self, start: int) -> None:
        """Let shards up to the one that begins at `start` come to their end, give up the others."""
        with self.lock:
            self.last_start = min(self.last_start, start)

    def _progress(self, began: float) -> Progress:
        with self.lock:
            played, rows = self.units_played, self.rows_played
        return Progress(self.info.n_units, self.units_found, played, rows, time.perf_counter() - began)

    def _told(self, error: Exception) -> Exception:
        """The error as it is raised: one of the disk says what is kept, one of a policy how to see its hand again."""
        if isinstance(error, contract.PolicyError):
            again = "its `record` is the hand as far as it went"
            if self.run_dir is not None:
                again = f"gunzi_sim.open_run({str(self.run_dir)!r}).record(index={error.unit}, hand={error.hand})"
            error.args = (f"{error.message}; replay: {again}",)
            return error
        if self.run_dir is None or not isinstance(error, OSError) or error.errno is None:
            return error
        kept = f"{self.n_finished} of {self.info.n_shards} shards are kept"
        told = OSError(error.errno, f"{error.strerror}; {kept}", str(self.run_dir))
        told.__cause__ = error
        return told


def _missing(info: RunInfo, found: list[Receipt]) -> Iterator[tuple[int, int]]:
    """Ranges of the shards that are not there yet."""
    there = {(receipt.start, receipt.stop) for receipt in found}
    return (units for units in info.ranges() if units not in there)


def _found(run_dir: Path, asked: RunInfo, resume: bool) -> RunInfo:
    """The description of the run in the directory, which must be the one asked for."""
    info = storage.read_info(run_dir)
    difference: Any = info.difference(asked)
    if difference:
        raise OtherRunError(f"{run_dir} holds another run: {difference}")
    if not resume:
        raise OtherRunError(f"{run_dir} holds this run already; open it, resume it, or give another directory")
    return info
