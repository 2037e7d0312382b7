import errno
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_game import FakeGame, expected, sha256

from gunzi_sim import run_files, run_info, storage
from gunzi_sim.game import Column, InputError
from gunzi_sim.gunzi.records import COLUMNS
from gunzi_sim.run_files import BusyError, OtherRunError, Shard
from gunzi_sim.run_info import RunInfo
from gunzi_sim.storage import DamagedError


def make_info(**changes):
    known = {
        "game": "gunzi",
        "mode": "rounds",
        "n_units": 100,
        "units_per_shard": 30,
        "seed": 7,
        "rules": {"preset": "standard", "follow": "strict"},
        "rules_hash": "ab",
        "policies": tuple({"text": "random", "source_hash": "cd"} for _ in range(4)),
        "columns": COLUMNS,
        "versions": {"gunzi_sim": "0.1.0", "numpy": "2.0"},
    }
    return RunInfo(**known | changes)


@pytest.fixture
def run(tmp_path):
    """A run directory with its first shard (units 0 to 29)."""
    info = make_info()
    with run_files.locked(tmp_path / "run") as run_dir:
        run_files.create(run_dir, info)
        run_files.write_shard(run_dir, info, 0, 30, expected(7, 30, "rounds"))
    return run_dir, info


def only_shard(run):
    run_dir, info = run
    (shard,) = run_files.list_shards(run_dir)
    return info, shard


# ------------------------------------------------------------------------------------------------------------ run.json


def test_run_json_comes_back_equal():
    info = make_info(mode="hands", situation={"levels": [5, 3], "dealer": 1}, deals={"n": 3, "sha256": "ef"})
    assert RunInfo.from_json(info.to_json()) == info
    assert json.loads(info.to_json())["run_hash"] == info.run_hash


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mode": "hands"}, "its mode is rounds, not hands"),
        ({"n_units": 101}, "its number of rounds is 100, not 101"),
        ({"seed": 2**64 - 1}, "its seed is 7, not 18446744073709551615"),
        ({"rules_hash": "x", "rules": {"preset": "qiqi", "follow": "loose"}}, "its rule follow is strict, not loose"),
        ({"rules_hash": "x"}, "its rules have another version"),
        (
            {"policies": tuple({"text": "basic", "source_hash": "cd"} for _ in range(4))},
            "its policies are random,random,random,random, not basic,basic,basic,basic",
        ),
        (
            {"policies": tuple({"text": "random", "source_hash": "new"} for _ in range(4))},
            "a policy of random,random,random,random has changed since",
        ),
        ({"deals": {"n": 1, "sha256": "x"}}, "its deals are others"),
        ({"situation": {"dealer": 1}}, "its situation is None, not {'dealer': 1}"),
        ({"columns": COLUMNS[:-1]}, "its columns are others"),
        ({"versions": {"gunzi_sim": "0.2.0"}}, "its version of gunzi_sim is 0.1.0, not 0.2.0"),
    ],
)
def test_what_decides_the_rows_changes_the_run_hash(changes, words):
    changed = make_info(**changes)
    assert changed.run_hash != make_info().run_hash
    assert make_info().difference(changed) == words


@pytest.mark.parametrize(
    "changes",
    [
        {"units_per_shard": 31},
        {"versions": {"gunzi_sim": "0.1.0", "numpy": "3.0"}},
        {"rules": {"preset": "qiqi", "follow": "strict"}},
        {"columns": tuple(column._replace(doc="said better") for column in COLUMNS)},
    ],
)
def test_what_does_not_decide_the_rows_keeps_the_run_hash(changes):
    assert make_info(**changes).run_hash == make_info().run_hash
    assert make_info().difference(make_info(**changes)) == ""


def test_ranges_cover_every_unit_once():
    info = make_info()
    assert list(info.ranges()) == [(0, 30), (30, 60), (60, 90), (90, 100)]
    assert len(list(info.ranges())) == info.n_shards == 4
    assert list(make_info(n_units=90).ranges())[-1] == (60, 90)
    assert all(info.has_range(*units) for units in info.ranges())
    assert not any(info.has_range(*units) for units in [(0, 29), (30, 61), (90, 120), (100, 100), (-30, 0), (10, 40)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "Expecting"),
        ("[]", "not the run.json of a run"),
        ('{"format": "gunzi-sim/run", "version": 2}', "version 2"),
        ('{"format": "gunzi-sim/run", "version": 1}', "n_units must be an integer from 1"),
        (make_info().to_json().replace('"seed": 7', '"seed": 8'), "changed after it was written"),
        (make_info().to_json().replace('"units_per_shard": 30', '"units_per_shard": 0'), "units_per_shard must be"),
        (make_info().to_json().replace('"units_per_shard": 30', '"units_per_shard": "a"'), "units_per_shard must be"),
        ("[" * 100_000, "not the run.json of a run"),
    ],
)
def test_a_run_json_that_is_none_is_named(tmp_path, text, words):
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(DamagedError, match=words) as caught:
        run_files.read_info(tmp_path)
    assert "run.json" in str(caught.value) and "\n" not in str(caught.value)


def test_a_path_without_run_is_refused(tmp_path):
    with pytest.raises(InputError, match="does not exist"):
        run_files.read_info(tmp_path / "none")
    with pytest.raises(InputError, match=r"is no run: it has no run\.json"):
        run_files.read_info(tmp_path)


# -------------------------------------------------------------------------------------------------------------- tables


def test_rows_become_columns_unchanged():
    rows = expected(3, 700, "rounds")
    assert len(rows) > 8192, "more than one block"
    table = storage.table_of(rows, COLUMNS)
    assert table.column_names == [column.name for column in COLUMNS]
    for name, dtype, _, _ in COLUMNS:
        values = table.column(name).to_numpy()
        assert values.dtype == dtype and (values == rows[name]).all(), name


def test_schema_keeps_unit_and_doc():
    for field, (name, dtype, unit, doc) in zip(storage.schema_of(COLUMNS), COLUMNS):
        assert (field.name, str(field.type), field.nullable) == (name, dtype, False)
        assert field.metadata == {b"unit": unit.encode(), b"doc": doc.encode()}


def test_content_hash_sees_every_value_name_and_type_but_no_chunks():
    rows = expected(3, 20, "rounds")
    table = storage.table_of(rows, COLUMNS)
    whole = storage.content_hash(table)
    chunked = pa.concat_tables([table.slice(0, 5), table.slice(5)])
    assert storage.content_hash(chunked) == whole
    for name in rows.dtype.names:
        other = rows.copy()
        other[name][-1] ^= 1
        assert storage.content_hash(storage.table_of(other, COLUMNS)) != whole, name
    assert storage.content_hash(table.rename_columns([f"{name}_" for name in table.column_names])) != whole
    assert storage.content_hash(storage.table_of(rows, [*COLUMNS[:1], *COLUMNS[2:], COLUMNS[1]])) != whole
    wide = storage.table_of(rows, [Column(name, "int64", unit, doc) for name, _, unit, doc in COLUMNS])
    assert storage.content_hash(wide) != whole


def test_values_do_not_slip_from_column_to_column():
    columns = [Column("a", "int8", "", ""), Column("b", "int8", "", "")]
    rows = [np.array(pairs, [("a", "i1"), ("b", "i1")]) for pairs in ([(1, 2)], [(2, 1)])]
    assert len({storage.content_hash(storage.table_of(part, columns)) for part in rows}) == 2


# -------------------------------------------------------------------------------------------------------------- shards


def test_a_shard_is_read_back(run):
    info, shard = only_shard(run)
    assert shard.path.name == "hands-000000000000-000000000030.parquet"
    table = run_files.read_shard(info, shard)
    assert sha256(table) == sha256(storage.table_of(expected(7, 30, "rounds"), COLUMNS))
    assert table.schema.equals(storage.schema_of(COLUMNS), check_metadata=True)
    part = run_files.read_shard(info, shard, ["trump", "round_id"])
    assert part.column_names == ["trump", "round_id"]
    assert part.column("trump").equals(table.column("trump"))
    assert part.schema.field("trump").metadata[b"unit"] == b"suit"


def test_the_footer_says_what_is_inside(run):
    info, shard = only_shard(run)
    receipt = run_files.check_shard(info, shard)
    table = run_files.read_shard(info, shard)
    assert receipt == (0, 30, table.num_rows, storage.content_hash(table)) == run_files.verify_shard(info, shard)
    footer = pq.read_metadata(shard.path).metadata
    assert footer[b"gunzi_sim.run_hash"].decode() == info.run_hash
    assert footer[b"gunzi_sim.range"] == b"0-30"
    assert footer[b"gunzi_sim.rows"] == str(table.num_rows).encode()


def test_other_readers_find_small_types_and_docs(run):
    _, shard = only_shard(run)
    schema = pq.read_schema(shard.path)
    assert {field.name: str(field.type) for field in schema} == {name: dtype for name, dtype, _, _ in COLUMNS}
    assert schema.field("attacker_points").metadata[b"unit"] == b"card points"
    frame = pq.read_table(shard.path).to_pandas()
    assert frame["dig"].dtype == "int8"


def test_storing_a_shard_twice_is_harmless_unless_its_rows_differ(run):
    run_dir, info = run
    rows = expected(7, 30, "rounds")
    before = os.stat(only_shard(run)[1].path)
    run_files.write_shard(run_dir, info, 0, 30, rows)
    assert os.stat(only_shard(run)[1].path).st_ino == before.st_ino
    rows["dig"][4] ^= 1
    with pytest.raises(DamagedError, match="other rows"):
        run_files.write_shard(run_dir, info, 0, 30, rows)
    assert [path.name for path in (run_dir / "shards").iterdir()] == [only_shard(run)[1].path.name]


def test_a_shard_without_rows_is_possible(tmp_path):
    info = make_info()
    with run_files.locked(tmp_path / "run") as run_dir:
        run_files.create(run_dir, info)
        run_files.write_shard(run_dir, info, 0, 30, expected(7, 0, "rounds"))
    assert run_files.read_shard(info, *run_files.list_shards(run_dir)).num_rows == 0


def test_any_flipped_bit_is_detected(run):
    info, shard = only_shard(run)
    good = shard.path.read_bytes()
    content = sha256(run_files.read_shard(info, shard))
    rng = random.Random(1)
    places = rng.sample(range(len(good) * 8), 300)
    for place in places:
        bad = bytearray(good)
        bad[place // 8] ^= 1 << place % 8
        shard.path.write_bytes(bad)
        try:
            run_files.verify_shard(info, shard)
        except DamagedError as error:
            assert shard.path.name in str(error) and "\n" not in str(error)
        else:  # a bit that no reader looks at, such as a name in the footer
            assert sha256(run_files.read_shard(info, shard)) == content


def test_a_flipped_bit_in_a_page_is_detected_at_reading(run):
    info, shard = only_shard(run)
    good = shard.path.read_bytes()
    column = pq.read_metadata(shard.path).row_group(0).column(5)
    last = column.data_page_offset + column.total_compressed_size - 1
    bad = bytearray(good)
    bad[last] ^= 16
    shard.path.write_bytes(bad)
    run_files.check_shard(info, shard)  # the footer is in order
    with pytest.raises(DamagedError, match="remove the file and resume"):
        run_files.read_shard(info, shard)


@pytest.mark.parametrize("size", [0, 3, 100, -1])
def test_a_cut_file_is_detected(run, size):
    info, shard = only_shard(run)
    shard.path.write_bytes(shard.path.read_bytes()[:size])
    with pytest.raises(DamagedError, match=shard.path.name):
        run_files.check_shard(info, shard)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 8}, "belongs to another run"),
        ({"n_units": 29}, "belongs to another run"),
        ({"units_per_shard": 20}, "its range is none of the run's"),
    ],
)
def test_a_shard_of_another_run_is_detected(run, changes, words):
    _, shard = only_shard(run)
    with pytest.raises(DamagedError, match=words):
        run_files.check_shard(make_info(**changes), shard)


def test_a_renamed_shard_is_detected(run):
    info, shard = only_shard(run)
    path = run_files.shard_path(run[0], 30, 60)
    shard.path.rename(path)
    with pytest.raises(DamagedError, match="does not fit its name"):
        run_files.check_shard(info, Shard(30, 60, path))


def test_a_shard_that_lost_its_rows_is_detected_by_its_hash(run):
    info, shard = only_shard(run)
    table = run_files.read_shard(info, shard)
    footer = pq.read_metadata(shard.path).metadata
    values = table.column("dig").to_numpy() ^ 1
    other = table.set_column(table.schema.get_field_index("dig"), table.schema.field("dig"), pa.array(values))
    shard.path.write_bytes(storage.encode(other.replace_schema_metadata(footer)).to_pybytes())
    run_files.check_shard(info, shard)
    with pytest.raises(DamagedError, match="SHA-256"):
        run_files.verify_shard(info, shard)


def test_hands_are_listed_in_order_and_strangers_are_not(run):
    run_dir, info = run
    run_files.write_shard(run_dir, info, 90, 100, expected(7, 0, "rounds"))
    run_files.write_shard(run_dir, info, 30, 60, expected(7, 0, "rounds"))
    (run_dir / "shards" / "hands-1-2.parquet").write_text("")
    (run_dir / "shards" / ".tmp-1-hands-000000000060-000000000090.parquet").write_text("")
    assert [shard[:2] for shard in run_files.list_shards(run_dir)] == [(0, 30), (30, 60), (90, 100)]


# --------------------------------------------------------------------------------------------------------- directories


def test_a_directory_with_other_things_is_no_place_for_a_run(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with (
        pytest.raises(InputError, match=r"not empty and is no run \(it holds thesis\.tex\)"),
        run_files.locked(tmp_path),
    ):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_file_is_no_place_for_a_run(tmp_path):
    path = tmp_path / "file"
    path.write_text("x")
    with pytest.raises(InputError, match="is no directory"), run_files.locked(path):
        pass


def test_what_a_run_killed_at_once_leaves_is_no_obstacle(tmp_path):
    run_dir = tmp_path / "run"
    (run_dir / "shards").mkdir(parents=True)
    for name in (".lock", ".holder", ".tmp-9-run.json", "deals.parquet"):
        (run_dir / name).write_text("")
    decks = np.arange(162, dtype=np.uint8).reshape(1, 162)
    with run_files.locked(run_dir):
        run_files.create(run_dir, make_info(deals=run_files.deals_info(decks)), decks)
    assert sorted(path.name for path in run_dir.iterdir() if path.name != ".lock") == [
        "deals.parquet",
        "run.json",
        "shards",
    ]


HOLD = """
import sys
from gunzi_sim import run_files, run_info, storage
with run_files.locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_directory_in_use_is_refused_and_its_holder_named(tmp_path):
    run_dir = tmp_path / "run"
    command = [sys.executable, "-c", HOLD, str(run_dir)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(BusyError, match=f"in use by process {process.pid} on "), run_files.locked(run_dir):
            pass
        with pytest.raises(BusyError), run_files.locked(run_dir):
            pass
        process.kill()
        process.wait()
        with run_files.locked(run_dir):  # a dead process holds nothing
            pass


def test_a_directory_is_locked_against_other_threads_too(tmp_path):
    with run_files.locked(tmp_path / "run"), pytest.raises(BusyError), run_files.locked(tmp_path / "run"):
        pass
    with run_files.locked(tmp_path / "run"):
        pass


def test_other_run_error_is_a_busy_error():
    assert issubclass(OtherRunError, BusyError)  # both end with status 3


# --------------------------------------------------------------------------------------------------------- given deals


def random_decks(n):
    rng = np.random.default_rng(5)
    return np.stack([rng.permutation(162) for _ in range(n)]).astype(np.uint8)


def test_given_deals_are_read_back(tmp_path):
    decks = random_decks(10_000)
    info = make_info(mode="hands", deals=run_files.deals_info(decks))
    with run_files.locked(tmp_path / "run") as run_dir:
        run_files.create(run_dir, info, decks)
    assert (run_files.read_deals(run_dir, info) == decks).all()
    assert run_files.read_deals(run_dir, make_info()) is None


def test_changed_deals_are_detected(tmp_path):
    decks = random_decks(3)
    with run_files.locked(tmp_path / "run") as run_dir:
        run_files.create(run_dir, make_info(), decks)
    with pytest.raises(DamagedError, match="not what was given"):
        run_files.read_deals(run_dir, make_info(deals=run_files.deals_info(decks[::-1])))
    path = run_dir / "deals.parquet"
    bad = bytearray(path.read_bytes())
    bad[200] ^= 1
    path.write_bytes(bad)
    with pytest.raises(DamagedError, match=r"deals\.parquet"):
        run_files.read_deals(run_dir, make_info(deals=run_files.deals_info(decks)))


# -------------------------------------------------------------------------------------------------------------- commit


def failing(code, after=0):
    """A function that raises OSError(code) from its call number `after` on, and else does what it stands for."""

    def make(real):
        calls = []

        def call(*args, **kwargs):
            calls.append(args)
            if len(calls) > after:
                raise OSError(code, os.strerror(code))
            return real(*args, **kwargs)

        return call

    return make


class FullFile:
    """A file on a full disk: nothing can be written."""

    def __init__(self, file, half):
        self.file, self.half = file, half

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()

    def write(self, data):
        self.file.write(bytes(data)[: self.half])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("step", ["open", "write", "half", "fsync", "link"])
def test_a_full_disk_leaves_nothing_and_harms_nothing(run, monkeypatch, step):
    run_dir, info = run
    before = sorted(os.listdir(run_dir / "shards"))
    if step in ("write", "half"):
        monkeypatch.setattr(
            storage, "open", lambda path, mode: FullFile(open(path, mode), 100 * (step == "half")), raising=False
        )
    elif step == "open":
        monkeypatch.setattr(storage, "open", failing(errno.ENOSPC)(open), raising=False)
    else:
        monkeypatch.setattr(storage.os, step, failing(errno.ENOSPC)(getattr(os, step)))
    with pytest.raises(OSError, match="No space left"):
        run_files.write_shard(run_dir, info, 30, 60, expected(7, 5, "rounds"))
    monkeypatch.undo()
    assert sorted(os.listdir(run_dir / "shards")) == before
    run_files.verify_shard(*only_shard(run))
    run_files.write_shard(run_dir, info, 30, 60, expected(7, 5, "rounds"))


@pytest.mark.parametrize("code", sorted(storage._NO_LINKS))
def test_without_hard_links_the_file_is_renamed(run, monkeypatch, code):
    run_dir, info = run
    monkeypatch.setattr(storage.os, "link", failing(code)(os.link))
    rows = expected(7, 5, "rounds")
    run_files.write_shard(run_dir, info, 30, 60, rows)
    assert sorted(os.listdir(run_dir / "shards")) == [
        "hands-000000000000-000000000030.parquet",
        "hands-000000000030-000000000060.parquet",
    ]
    rows["dig"][0] ^= 1
    with pytest.raises(DamagedError, match="other rows"):  # a final name is never overwritten
        run_files.write_shard(run_dir, info, 30, 60, rows)


def test_a_commit_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    steps = []
    for name in ("fsync", "link", "unlink"):
        real = getattr(os, name)
        monkeypatch.setattr(
            storage.os, name, lambda *args, name=name, real=real, **kw: (steps.append(name), real(*args, **kw))[1]
        )
    storage.commit(tmp_path / "file", b"data")
    assert [step for step in steps if step != "unlink"] == ["fsync", "link", "fsync"]
    assert (tmp_path / "file").read_bytes() == b"data"
    assert os.listdir(tmp_path) == ["file"]


def test_a_commit_never_overwrites(tmp_path):
    storage.commit(tmp_path / "file", b"first")
    with pytest.raises(FileExistsError):
        storage.commit(tmp_path / "file", b"second")
    assert (tmp_path / "file").read_bytes() == b"first"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_device_that_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "open", lambda path, mode: open("/dev/full", mode), raising=False)
    with pytest.raises(OSError) as caught:
        storage.commit(tmp_path / "file", b"x" * 100_000)
    assert caught.value.errno == errno.ENOSPC


# ---------------------------------------------------------------------------------------------------------------- size


def test_a_row_group_holds_at_most_131072_rows_and_pages_have_checksums(tmp_path):
    rows = np.zeros(131_073, FakeGame().row_dtype())
    rows["round_id"] = np.arange(len(rows))
    info = make_info(n_units=200_000, units_per_shard=200_000)
    with run_files.locked(tmp_path / "run") as run_dir:
        run_files.create(run_dir, info)
        run_files.write_shard(run_dir, info, 0, 200_000, rows)
    (shard,) = run_files.list_shards(run_dir)
    metadata = pq.read_metadata(shard.path)
    assert [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)] == [131_072, 1]
    column = metadata.row_group(0).column(0)
    assert column.compression == "ZSTD"
    assert (column.statistics.min, column.statistics.max) == (0, 131_071)


def test_the_shards_of_the_longest_run_are_counted_without_being_listed():
    info = make_info(n_units=run_info.MAX_UNITS, units_per_shard=1)
    assert info.n_shards == 1 << 48
    assert next(info.ranges()) == (0, 1)


def test_shards_without_a_run_json_are_not_taken_over(tmp_path):
    (tmp_path / "shards").mkdir()
    (tmp_path / "shards" / "hands-000000000000-000000000030.parquet").touch()
    with pytest.raises(InputError, match=r"has shards but no run\.json, so it is no run"):
        run_files.create(tmp_path, make_info())
    assert not (tmp_path / "run.json").exists()
