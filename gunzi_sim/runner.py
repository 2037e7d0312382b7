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
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from gunzi_sim import game as contract
from gunzi_sim import games, run_files, run_info, storage
from gunzi_sim.game import InputError
from gunzi_sim.run_files import OtherRunError, Receipt
from gunzi_sim.run_info import RunInfo

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
LOOK_GROWTH = 1.25
"""Factor by which the units grow from one look at a run that may stop early to the next."""


class Player(Protocol):
    """What fills a table with the rows of units; called from several threads at once."""

    rows_per_unit: int
    """Rows a unit for which a buffer is made."""

    def row_dtype(self) -> Any:
        """NumPy dtype of a row."""

    def play_range(self, start: int, stop: int, out_rows: Any) -> tuple[int, int, int]:
        """Fill the rows of units start to stop - 1: units before the first that did not fit, rows, hands played."""


@dataclass(frozen=True)
class Progress:
    """How far a run is; `units_found` were on the disk when it was resumed, the rest is this call's work."""

    n_units: int
    units_found: int
    units_played: int
    hands_played: int
    elapsed_s: float

    @property
    def units_done(self) -> int:
        """Units played in all, those of an unfinished shard included."""
        return self.units_found + self.units_played

    @property
    def hands_per_s(self) -> float:
        """Hands played a second since this call began."""
        return self.hands_played / self.elapsed_s if self.elapsed_s > 0 else 0.0

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
    return play(describe(job, n_units), Hands(job), out, threads, resume, progress, job.deals)


def play(
    info: RunInfo,
    player: Player,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    resume: bool = False,
    progress: Callable[[Progress], None] | None = None,
    deals: npt.NDArray[np.uint8] | None = None,
    enough: "Callable[[RunInfo, Path | None, Mapping[int, pa.Table], int], bool] | None" = None,
) -> Played:
    """
    Fill the table that `info` describes; the other arguments and errors as `run`.

    Parameters
    ----------
    info : RunInfo
    player : Player
        Fills the rows.
    deals : uint8[n, n_cards], optional
        Given deals, stored with the run.
    enough : callable, optional
        Asked at `looks(info)` with the description, the run's directory, the tables in memory by first unit, and the
        number of units that are there without a gap; True ends the run.
    """
    if out is None:
        crew = _Crew(player, info, None)
        crew.work_in_stages(info.ranges(), threads, progress, enough)
        return Played(info, [crew.tables[start] for start in sorted(crew.tables)])
    with run_files.locked(out) as run_dir:
        if run_files.is_run(run_dir):
            info = _found(run_dir, info, resume)
            run_files.remove_leftovers(run_dir)
        else:
            run_files.create(run_dir, info, deals)
        found = [run_files.check_shard(info, shard) for shard in run_files.list_shards(run_dir)]
        _Crew(player, info, run_dir, found).work_in_stages(_missing(info, found), threads, progress, enough)
    return Played(info, None)


def looks(info: RunInfo) -> list[int]:
    """Numbers of units after which a run that may stop early is looked at: whole shards, growing by a quarter."""
    counts, n_shards = [], 0
    while n_shards < info.n_shards:
        n_shards = min(info.n_shards, max(n_shards + 1, int(n_shards * LOOK_GROWTH)))
        counts.append(min(n_shards * info.units_per_shard, info.n_units))
    return counts


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
    info = run_files.read_info(run_dir)
    if not info.has_range(start, stop):
        raise InputError(f"{run_dir}: units {start} to {stop} are no shard of this run")
    shard = run_files.Shard(start, stop, run_files.shard_path(run_dir, start, stop))
    if shard.path.exists():
        return run_files.check_shard(info, shard)
    _Crew(Hands(job_of(run_dir, info)), info, run_dir).work_through([(start, stop)], 1, 1, None)
    return run_files.check_shard(info, shard)


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
        deals=None if job.deals is None else run_files.deals_info(job.deals),
        versions=run_info.package_versions(),
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
        deals = run_files.read_deals(run_dir, info)
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


class Hands:
    """Fills the table `hands` of one job, with the policies as they are when this is made."""

    def __init__(self, job: games.Job) -> None:
        self.game = games.get(job.game).bound()
        self.job = job
        self.rows_per_unit = ROWS_PER_UNIT[job.mode]

    def row_dtype(self) -> Any:
        """As the game's."""
        return self.game.row_dtype()

    def play_range(self, start: int, stop: int, out_rows: Any) -> tuple[int, int, int]:
        """As the game's; every row is a hand."""
        n_units, n_rows = self.game.play_range(self.job, start, stop, out_rows)
        return n_units, n_rows, n_rows


class _Crew:
    """The threads of one run, and what they share; `lock` guards every field below it."""

    def __init__(
        self, player: Player, info: RunInfo, run_dir: Path | None, found: "list[Receipt] | tuple[()]" = ()
    ) -> None:
        self.player = player
        self.began = time.perf_counter()
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
        self.hands_played = 0

    def work_in_stages(
        self,
        ranges: Iterable[tuple[int, int]],
        threads: int | None,
        progress: Callable[[Progress], None] | None,
        enough: "Callable[[RunInfo, Path | None, Mapping[int, pa.Table], int], bool] | None",
    ) -> None:
        """Play and store the shards, all at once, or from look to look until there are enough."""
        if enough is None:
            self.work_through(ranges, self.info.n_shards - self.n_found, threads, progress)
            return
        todo = list(ranges)
        for n_units in looks(self.info):
            now = [units for units in todo if units[0] < n_units]
            todo = todo[len(now) :]
            self.work_through(now, len(now), threads, progress)
            if enough(self.info, self.run_dir, self.tables, n_units):
                return

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
        if n_ranges:
            with ThreadPoolExecutor(n_threads, thread_name_prefix="gunzi-sim") as pool:
                futures: list[Future[None]] = []
                try:
                    futures += [pool.submit(self._work) for _ in range(n_threads)]
                    self._watch(futures, progress)
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
            progress(self._progress())

    def _watch(self, futures: "list[Future[None]]", progress: Callable[[Progress], None] | None) -> None:
        """Report until all threads have ended."""
        pending = set(futures)
        while pending:
            done, pending = wait(pending, timeout=REPORT_S, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            if progress and pending:
                progress(self._progress())

    def _work(self) -> None:
        """One thread: shard after shard until none is left or the run is to end."""
        n_units = min(self.info.units_per_shard, self.info.n_units)
        buffer = np.empty(n_units * self.player.rows_per_unit, self.player.row_dtype())
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
            n_units, n_new, n_hands = self.player.play_range(unit, min(unit + step, stop), buffer[n_rows:])
            if n_units == 0:
                buffer = np.concatenate([buffer[:n_rows], np.empty(len(buffer) + 1024, buffer.dtype)])
                continue
            unit, n_rows = unit + n_units, n_rows + n_new
            share = BATCH_S / max(time.perf_counter() - began, 1e-9)
            step = max(1, int(n_units * min(share, 8.0)))
            with self.lock:
                self.units_played += n_units
                self.hands_played += n_hands
        return buffer, n_rows, step

    def _keep(self, start: int, stop: int, rows: npt.NDArray[np.void]) -> None:
        """Store the rows of one shard."""
        if self.run_dir is None:
            table = storage.table_of(rows, self.info.columns)
            with self.lock:
                self.tables[start] = table
        else:
            run_files.write_shard(self.run_dir, self.info, start, stop, rows)
        with self.lock:
            self.n_finished += 1

    def _end_after(self, start: int) -> None:
        """Let shards up to the one that begins at `start` come to their end, give up the others."""
        with self.lock:
            self.last_start = min(self.last_start, start)

    def _progress(self) -> Progress:
        with self.lock:
            played, hands = self.units_played, self.hands_played
        return Progress(self.info.n_units, self.units_found, played, hands, time.perf_counter() - self.began)

    def _told(self, error: Exception) -> Exception:
        """The error as it is raised: one of the disk says what is kept, one of a policy how to see its hand again."""
        if isinstance(error, contract.PolicyError):
            again = "its `record` is the hand as far as it went"
            if self.run_dir is not None:
                arm = f"arm={error.arm[0]!r}, side={error.arm[1]}, " if error.arm else ""
                again = f"gunzi_sim.open_run({str(self.run_dir)!r}).record(index={error.unit}, {arm}hand={error.hand})"
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
    info = run_files.read_info(run_dir)
    difference: Any = info.difference(asked)
    if difference:
        raise OtherRunError(f"{run_dir} holds another run: {difference}")
    if not resume:
        raise OtherRunError(f"{run_dir} holds this run already; open it, resume it, or give another directory")
    return info
