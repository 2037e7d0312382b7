import errno
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import fake_game
import numpy as np
import pyarrow as pa
import pytest

from gunzi_sim import run_files, runner, storage
from gunzi_sim.game import InputError
from gunzi_sim.run_files import BusyError, OtherRunError
from gunzi_sim.storage import DamagedError

TESTS = Path(__file__).parent


@pytest.fixture
def fake(monkeypatch):
    """A fake game in the place of the engine, and shards of 10 units."""
    monkeypatch.setattr(runner, "UNITS_PER_SHARD", {"rounds": 10, "hands": 10})
    return fake_game.install(monkeypatch)


def content(run_dir):
    """All rows of a run directory, every shard verified, as one hash."""
    info = run_files.read_info(run_dir)
    shards = run_files.list_shards(run_dir)
    assert [shard[:2] for shard in shards] == list(info.ranges())
    for shard in shards:
        run_files.verify_shard(info, shard)
    return fake_game.sha256(pa.concat_tables([run_files.read_shard(info, shard) for shard in shards]))


def expected(n_units, mode="rounds", seed=7):
    return fake_game.sha256(storage.table_of(fake_game.expected(seed, n_units, mode), fake_game.COLUMNS))


def shard_names(run_dir):
    return sorted(path.name for path in (run_dir / "shards").iterdir())


# --------------------------------------------------------------------------------------------- the rows, and only they


@pytest.mark.parametrize("mode", ["rounds", "hands"])
def test_rows_do_not_depend_on_threads_shards_or_batches(fake, monkeypatch, tmp_path, mode):
    cells = list(itertools.product([1, 2, 5], [4, 7, 100], [0.0, 100.0]))
    assert len(cells) >= 12
    for number, (threads, units_per_shard, batch_s) in enumerate(cells):
        monkeypatch.setitem(runner.UNITS_PER_SHARD, mode, units_per_shard)
        monkeypatch.setattr(runner, "BATCH_S", batch_s)
        monkeypatch.setattr(runner, "FIRST_STEP", 1 if batch_s == 0 else 3)
        out = tmp_path / str(number) if number % 2 else None
        played = runner.run(fake_game.job(mode=mode), 53, out, threads=threads)
        if out is None:
            assert fake_game.sha256(pa.concat_tables(played.tables)) == expected(53, mode)
        else:
            assert played.tables is None
            assert content(out) == expected(53, mode)


def test_batches_follow_the_clock(fake, monkeypatch):
    fake.pause_s = 0.002
    monkeypatch.setattr(runner, "BATCH_S", 0.02)
    monkeypatch.setattr(runner, "UNITS_PER_SHARD", {"rounds": 100})
    runner.run(fake_game.job(), 100, threads=1)
    sizes = [stop - start for start, stop in fake.calls]
    assert max(sizes[3:]) <= 20, sizes


def test_a_buffer_that_is_too_small_grows(fake, monkeypatch):
    monkeypatch.setattr(runner, "ROWS_PER_UNIT", {"rounds": 0})
    tables = runner.run(fake_game.job(), 30, threads=1).tables
    assert fake_game.sha256(pa.concat_tables(tables)) == expected(30)


def test_threads_are_used_at_once(fake):
    meeting = threading.Barrier(3, timeout=20)
    real, lock, waited = fake.play_range, threading.Lock(), set()

    def play_range(*args):
        with lock:
            is_first = threading.get_ident() not in waited
            waited.add(threading.get_ident())
        if is_first:
            meeting.wait()  # breaks unless three threads come
        return real(*args)

    fake.play_range = play_range
    runner.run(fake_game.job(), 60, threads=3)


def test_by_default_there_is_a_thread_for_every_cpu(fake, monkeypatch):
    monkeypatch.setattr(runner, "available_cpus", lambda: 4)
    names = set()
    real = fake.play_range
    fake.pause_s = 0.005
    fake.play_range = lambda *args: (names.add(threading.current_thread().name), real(*args))[1]
    runner.run(fake_game.job(), 60)
    assert len(names) == 4
    assert runner.available_cpus() >= 1


# ------------------------------------------------------------------------------------------------------------ progress


def test_progress_is_reported_from_the_calling_thread_and_ends_full(fake, monkeypatch):
    monkeypatch.setattr(runner, "REPORT_S", 0.01)
    fake.pause_s = 0.002
    reports = []

    def progress(report):
        assert threading.current_thread() is threading.main_thread()
        reports.append(report)

    runner.run(fake_game.job(), 100, threads=2, progress=progress)
    assert len(reports) > 3
    done = [report.units_done for report in reports]
    assert done == sorted(done) and done[-1] == 100
    last = reports[-1]
    assert last.hands_played == len(fake_game.expected(7, 100, "rounds"))
    assert last.left_s == 0
    assert last.hands_per_s == pytest.approx(last.hands_played / last.elapsed_s)


def test_progress_of_a_resumed_run_counts_what_is_there(fake, tmp_path):
    runner.run(fake_game.job(), 30, tmp_path / "run")
    (tmp_path / "run" / "shards" / "hands-000000000010-000000000020.parquet").unlink()
    reports = []
    runner.run(fake_game.job(), 30, tmp_path / "run", resume=True, progress=reports.append)
    assert (reports[-1].units_found, reports[-1].units_played, reports[-1].units_done) == (20, 10, 30)


def test_an_error_of_the_callback_stops_the_run(fake, monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "REPORT_S", 0.01)
    fake.pause_s = 0.01

    def progress(report):
        raise KeyError("mine")

    began = time.perf_counter()
    with pytest.raises(KeyError, match="mine"):
        runner.run(fake_game.job(), 10_000, tmp_path / "run", progress=progress)
    assert time.perf_counter() - began < 5


# -------------------------------------------------------------------------------------------------------------- resume


def test_a_resumed_run_plays_only_what_is_missing(fake, tmp_path):
    run_dir = tmp_path / "run"
    runner.run(fake_game.job(), 53, run_dir, threads=2)
    whole = content(run_dir)
    for name in shard_names(run_dir)[1:4:2]:
        (run_dir / "shards" / name).unlink()
    (run_dir / "shards" / ".tmp-1-2-hands-000000000010-000000000020.parquet").write_text("half")
    (run_dir / ".tmp-1-2-run.json").write_text("half")
    fake.calls.clear()
    runner.run(fake_game.job(), 53, run_dir, resume=True)
    assert {start // 10 for start, _ in fake.calls} == {1, 3}
    assert content(run_dir) == whole == expected(53)
    assert not list(run_dir.rglob(".tmp-*"))


def test_resume_keeps_the_shards_of_the_run_whatever_this_program_would_choose(fake, monkeypatch, tmp_path):
    runner.run(fake_game.job(), 53, tmp_path / "run")
    (tmp_path / "run" / "shards" / "hands-000000000040-000000000050.parquet").unlink()
    monkeypatch.setattr(runner, "UNITS_PER_SHARD", {"rounds": 7})
    runner.run(fake_game.job(), 53, tmp_path / "run", resume=True)
    assert content(tmp_path / "run") == expected(53)


def test_resume_begins_a_run_that_is_not_there(fake, tmp_path):
    runner.run(fake_game.job(), 23, tmp_path / "run", resume=True)
    assert content(tmp_path / "run") == expected(23)


def test_a_run_is_not_played_again_unasked(fake, tmp_path):
    runner.run(fake_game.job(), 23, tmp_path / "run")
    with pytest.raises(OtherRunError, match="holds this run already"):
        runner.run(fake_game.job(), 23, tmp_path / "run")
    assert content(tmp_path / "run") == expected(23)


@pytest.mark.parametrize("resume", [False, True])
def test_another_run_is_refused(fake, tmp_path, resume):
    runner.run(fake_game.job(), 23, tmp_path / "run")
    with pytest.raises(OtherRunError, match="another run: its seed is 7, not 8"):
        runner.run(fake_game.job(seed=8), 23, tmp_path / "run", resume=resume)
    with pytest.raises(OtherRunError, match="number of rounds is 23, not 24"):
        runner.run(fake_game.job(), 24, tmp_path / "run", resume=resume)
    assert content(tmp_path / "run") == expected(23)


def test_a_damaged_shard_stops_the_resumption(fake, tmp_path):
    runner.run(fake_game.job(), 23, tmp_path / "run")
    name = shard_names(tmp_path / "run")[1]
    (tmp_path / "run" / "shards" / name).write_text("rubbish")
    with pytest.raises(DamagedError, match=f"{name}.*remove the file and resume"):
        runner.run(fake_game.job(), 23, tmp_path / "run", resume=True)
    (tmp_path / "run" / "shards" / name).unlink()
    runner.run(fake_game.job(), 23, tmp_path / "run", resume=True)
    assert content(tmp_path / "run") == expected(23)


def test_a_run_of_given_deals_is_resumed_and_described_by_its_deals(fake, tmp_path):
    decks = np.stack([np.random.default_rng(k).permutation(162) for k in range(25)]).astype(np.uint8)
    job = fake_game.job(mode="hands", deals=decks)
    runner.run(job, 25, tmp_path / "run")
    info = run_files.read_info(tmp_path / "run")
    assert info.deals["n"] == 25 and info.situation["levels"] == [3, 3]
    assert (runner.job_of(tmp_path / "run", info).deals == decks).all()
    runner.run(job, 25, tmp_path / "run", resume=True)
    with pytest.raises(OtherRunError, match="its deals are others"):
        runner.run(fake_game.job(mode="hands", deals=decks[::-1]), 25, tmp_path / "run", resume=True)
    with pytest.raises(OtherRunError, match="its deals are others"):
        runner.run(fake_game.job(mode="hands"), 25, tmp_path / "run", resume=True)


KILLED = """
import sys
sys.path.insert(0, {tests!r})
import fake_game
from gunzi_sim import games, runner
class Patch:
    def setattr(self, owner, name, value):
        setattr(owner, name, value)
fake_game.install(Patch(), pause_s=0.003)
runner.UNITS_PER_SHARD = {{"rounds": 10}}
runner.BATCH_S = 0.005
print("ready", flush=True)
runner.run(fake_game.job(), 400, sys.argv[1], threads=2, resume=True)
print("done", flush=True)
"""


def test_killed_at_random_moments_a_run_resumes_to_the_same_content(fake, tmp_path):
    rng = random.Random(11)
    run_dir = tmp_path / "run"
    counts = [0]
    for wanted in (0, 1, 1, 3, 8):  # shards more than before, at which the process is killed
        command = [sys.executable, "-c", KILLED.format(tests=str(TESTS)), str(run_dir)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "ready\n"
            while len(run_files.list_shards(run_dir)) < counts[-1] + wanted and process.poll() is None:
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.03))
            process.kill()
        if run_files.is_run(run_dir):
            info = run_files.read_info(run_dir)
            counts.append(len([run_files.verify_shard(info, shard) for shard in run_files.list_shards(run_dir)]))
    assert counts == sorted(counts) and len(set(counts)) >= 4, counts
    runner.run(fake_game.job(), 400, run_dir, resume=True)
    assert content(run_dir) == expected(400)
    assert not list(run_dir.rglob(".tmp-*"))


def test_two_processes_cannot_share_a_run(fake, tmp_path):
    command = [sys.executable, "-c", KILLED.format(tests=str(TESTS)).replace("0.003", "0.05"), str(tmp_path / "run")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        while not run_files.is_run(tmp_path / "run"):
            time.sleep(0.01)
        with pytest.raises(BusyError, match=f"in use by process {process.pid} on "):
            runner.run(fake_game.job(), 400, tmp_path / "run", resume=True)
        process.kill()


# ---------------------------------------------------------------------------------------------------- what stops a run


@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupt_keeps_finished_shards(fake, monkeypatch, tmp_path, threads):
    monkeypatch.setattr(runner, "BATCH_S", 0.02)
    fake.pause_s = 0.002
    run_dir = tmp_path / "run"
    threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt) as caught:
        runner.run(fake_game.job(), 10_000, run_dir, threads=threads)
    assert time.perf_counter() - began < 2
    assert isinstance(caught.value, runner.RunInterrupted)
    n_finished = len(shard_names(run_dir))
    assert 0 < n_finished < 1000
    assert (caught.value.n_finished, caught.value.n_shards) == (n_finished, 1000)
    assert f"{n_finished} of 1000 shards are kept in {run_dir}" in str(caught.value)
    with run_files.locked(run_dir):  # the lock is free again
        pass


def test_an_interrupt_in_memory_says_that_nothing_is_kept(fake):
    fake.pause_s = 0.002
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(runner.RunInterrupted, match="nothing was to be stored"):
        runner.run(fake_game.job(), 10_000)


@pytest.mark.parametrize("threads", [1, 2, 6])
def test_of_several_failures_the_earliest_is_raised(fake, tmp_path, threads):
    fake.bad_units = {unit: LookupError(f"unit {unit}") for unit in (75, 34, 41, 99)}
    fake.pause_s = 0.001
    run_dir = tmp_path / "run"
    with pytest.raises(LookupError, match="unit 34"):
        runner.run(fake_game.job(), 100, run_dir, threads=threads)
    names = shard_names(run_dir)
    assert names[:3] == [run_files.shard_path(run_dir, start, start + 10).name for start in (0, 10, 20)]
    fake.bad_units = {}
    runner.run(fake_game.job(), 100, run_dir, resume=True)
    assert content(run_dir) == expected(100)


@pytest.mark.parametrize("step", ["fsync", "link"])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_full_disk_keeps_finished_shards(fake, monkeypatch, tmp_path, step, threads):
    run_dir = tmp_path / "run"
    lock, calls = threading.Lock(), itertools.count()
    real = getattr(os, step)

    def full(*args, **kwargs):
        with lock:
            if next(calls) >= 9:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*args, **kwargs)

    monkeypatch.setattr(storage.os, step, full)
    with pytest.raises(OSError, match="No space left") as caught:
        runner.run(fake_game.job(), 200, run_dir, threads=threads)
    monkeypatch.setattr(storage.os, step, real)
    info = run_files.read_info(run_dir)
    receipts = [run_files.verify_shard(info, shard) for shard in run_files.list_shards(run_dir)]
    assert 0 < len(receipts) < 20
    assert "of 20 shards are kept" in str(caught.value) and str(run_dir) in str(caught.value)
    assert len(shard_names(run_dir)) == len(receipts)
    runner.run(fake_game.job(), 200, run_dir, resume=True)
    assert content(run_dir) == expected(200)


def test_a_full_disk_at_the_start_leaves_a_directory_that_can_be_used(fake, monkeypatch, tmp_path):
    real = os.fsync

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(storage.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        runner.run(fake_game.job(), 20, tmp_path / "run")
    monkeypatch.setattr(storage.os, "fsync", real)
    runner.run(fake_game.job(), 20, tmp_path / "run")
    assert content(tmp_path / "run") == expected(20)


def test_a_place_that_cannot_be_written(fake, monkeypatch, tmp_path):
    def refused(*args, **kwargs):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "run")

    monkeypatch.setattr(Path, "mkdir", refused)
    with pytest.raises(PermissionError):
        runner.run(fake_game.job(), 20, tmp_path / "run")
    assert fake.calls == []


# ------------------------------------------------------------------------------------------------- one shard, by range


def test_one_shard_is_played_once(fake, tmp_path):
    run_dir = tmp_path / "run"
    with run_files.locked(run_dir):
        run_files.create(run_dir, runner.describe(fake_game.job(), 25))
    receipt = runner.run_shard(run_dir, 20, 25)
    fake.calls.clear()
    assert runner.run_shard(run_dir, 20, 25) == receipt
    assert fake.calls == []
    assert receipt[:3] == (20, 25, sum(len(fake_game.unit_rows(7, unit, "rounds")) for unit in range(20, 25)))
    runner.run(fake_game.job(), 25, run_dir, resume=True)
    assert content(run_dir) == expected(25)


@pytest.mark.parametrize("units", [(0, 11), (5, 15), (20, 30), (30, 40)])
def test_a_range_that_is_no_shard_is_refused(fake, tmp_path, units):
    with run_files.locked(tmp_path / "run") as run_dir:
        run_files.create(run_dir, runner.describe(fake_game.job(), 25))
    with pytest.raises(InputError, match="no shard of this run"):
        runner.run_shard(run_dir, *units)


def test_a_run_whose_policy_has_changed_is_not_played_on(fake, monkeypatch, tmp_path):
    runner.run(fake_game.job(), 25, tmp_path / "run")
    info = run_files.read_info(tmp_path / "run")
    assert runner.job_of(tmp_path / "run", info).policies == fake_game.job().policies
    monkeypatch.setattr(runner.games, "policy_source_hash", lambda name, spec: "new")
    with pytest.raises(InputError, match=r"cannot be played again by this program: a policy of .* has changed"):
        runner.job_of(tmp_path / "run", info)
    with pytest.raises(OtherRunError, match="has changed since"):
        runner.run(fake_game.job(), 25, tmp_path / "run", resume=True)


@pytest.mark.parametrize(
    ("mode", "n_units", "size"),
    [
        ("rounds", 1, 256),
        ("rounds", 1000, 256),
        ("rounds", 1025, 257),
        ("rounds", 8191, 2048),
        ("rounds", 10**9, 2048),
        ("hands", 32_768, 8192),
        ("hands", 32_769, 8193),
        ("hands", 10**9, 65_536),
    ],
)
def test_a_short_run_is_cut_in_four_shards_but_not_in_small_ones(monkeypatch, mode, n_units, size):
    monkeypatch.setattr(runner, "UNITS_PER_SHARD", {"rounds": 2048, "hands": 65_536})
    assert runner.describe(fake_game.job(mode=mode), n_units).units_per_shard == size
