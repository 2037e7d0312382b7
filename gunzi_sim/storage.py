"""
A run on disk: Arrow tables, shards, `run.json`, the lock. The only file that knows Arrow.

    run/  run.json         what decides the content, written once (`RunInfo`)
          deals.parquet    the given deals of a run that has them
          .lock, .holder   held for the run's life, and by whom
          shards/hands-000000000000-000000002048.parquet     first unit and last unit + 1; `arms-…` of a comparison

A *unit* is an independent start: a round, or a hand in single-hand mode; `round_id` numbers it. A shard holds all rows
of a fixed number of units. A file appears under its final name complete or not at all (`commit`), so a run killed
anywhere goes on from the shards that are there. Every page carries a CRC, every footer the SHA-256 of its columns.

Rows come as structured arrays with one field a column; tables are Arrow tables of int8, int16, int32 and int64 without
nulls. Left out: playing (`runner`), estimates (`results`).
"""

import errno
import hashlib
import json
import os
import platform
import re
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import filelock
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from gunzi_sim.game import Column, InputError, shown

FORMAT = "gunzi-sim/run"
VERSION = 1
ROW_GROUP = 131_072
"""Most rows of a row group."""
META = "gunzi_sim."
"""Prefix of this package's keys in a shard's footer."""

_SPLIT_ROWS = 8192  # rows turned into columns at a time, few enough to stay in the cache
_SHARD = re.compile(r"(?:hands|arms)-(\d{12,})-(\d{12,})\.parquet")
_PARQUET = b"PAR1"
"""How a Parquet file begins."""
_TEMPORARY = ".tmp-"
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
_REMEDY = "remove the file and resume the run"
_OWN_FILES = {".lock", ".holder", "shards"}  # may lie in a directory whose run was killed before run.json


MAX_UNITS = 1 << 48
"""Most rounds or single hands of a run; a round's key has as many bits for its number."""


class BusyError(RuntimeError):
    """The run directory is in use by another process, or holds another run."""


class OtherRunError(BusyError):
    """The run directory holds another run than the one asked for."""


class DamagedError(OSError):
    """A file of a run does not hold what was written: its CRC, hash, footer or schema is wrong."""


@dataclass(frozen=True)
class RunInfo:
    """
    Everything that decides the content of a run, and what is needed to read it; the content of `run.json`.

    `mode` is "rounds" or "hands". `rules` has every option, `policies` one `{"text", "source_hash"}` a seat,
    `situation` the stated start of hands or rounds (None: a round's own), `deals` `{"n", "sha256"}` of given
    deals (or None). `comparison` says what several arms that played the same units differ in (None for hands).
    """

    game: str
    mode: str
    n_units: int
    units_per_shard: int
    seed: int
    rules: Mapping[str, Any]
    rules_hash: str
    policies: tuple[Mapping[str, str], ...]
    columns: tuple[Column, ...]
    situation: Mapping[str, Any] | None = None
    deals: Mapping[str, Any] | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    comparison: Mapping[str, Any] | None = None

    @property
    def table(self) -> str:
        """Name of the table that is stored: one row a hand, or one an arm and unit."""
        return "hands" if self.comparison is None else "arms"

    @cached_property
    def run_hash(self) -> str:
        """SHA-256 (hex) over what decides the rows: all but the shards' size, the rules' spelling, other packages."""
        parts = {"format": FORMAT, "version": VERSION} | self._deciding()
        return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def difference(self, other: "RunInfo") -> str:
        """The first thing in which another run would differ, in words; empty when its rows are the same."""
        ours, theirs = self._deciding(), other._deciding()
        name = next((name for name in ours if ours[name] != theirs.get(name)), None)
        if name == "rules":
            options = [key for key in self.rules if key != "preset" and self.rules[key] != other.rules.get(key)]
            if options:
                return f"its rule {options[0]} is {self.rules[options[0]]}, not {other.rules.get(options[0])}"
            return "its rules have another version"
        if name == "policies":
            texts = [",".join(policy["text"] for policy in info.policies) for info in (self, other)]
            if texts[0] == texts[1]:
                return f"a policy of {texts[0]} has changed since"
            return f"its policies are {texts[0]}, not {texts[1]}"
        if name in ("deals", "columns"):
            return f"its {name} are others"
        if name == "comparison":
            return "its arms, or what they are compared by, are others"
        return f"its {name} is {ours[name]}, not {theirs.get(name)}" if name else ""

    def _deciding(self) -> dict[str, Any]:
        """What decides the rows, by the names that messages use."""
        return {
            "game": self.game,
            "mode": self.mode,
            f"number of {self.mode}": self.n_units,
            "seed": self.seed,
            "rules": self.rules_hash,
            "policies": [dict(policy) for policy in self.policies],
            "situation": self.situation and dict(self.situation),
            "deals": self.deals and dict(self.deals),
            "columns": [[column.name, column.dtype] for column in self.columns],
            "version of gunzi_sim": self.versions.get("gunzi_sim"),
        } | self._comparison()

    def _comparison(self) -> dict[str, Any]:
        """What only the description of a comparison holds."""
        return {} if self.comparison is None else {"comparison": self.comparison}

    @property
    def n_shards(self) -> int:
        """Number of shards of the complete run."""
        return -(-self.n_units // self.units_per_shard)

    def ranges(self) -> Iterator[tuple[int, int]]:
        """First unit and last unit + 1 of every shard, in order."""
        step = self.units_per_shard
        return ((start, min(start + step, self.n_units)) for start in range(0, self.n_units, step))

    def has_range(self, start: int, stop: int) -> bool:
        """Whether this range of units is that of a shard."""
        step = self.units_per_shard
        return 0 <= start < self.n_units and start % step == 0 and stop == min(start + step, self.n_units)

    def to_json(self) -> str:
        """The text of `run.json`."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "run_hash": self.run_hash,
            "game": self.game,
            "mode": self.mode,
            "n_units": self.n_units,
            "units_per_shard": self.units_per_shard,
            "seed": self.seed,
            "rules": dict(self.rules),
            "rules_hash": self.rules_hash,
            "policies": [dict(policy) for policy in self.policies],
            "situation": self.situation and dict(self.situation),
            "deals": self.deals and dict(self.deals),
            "versions": dict(self.versions),
            "columns": [column._asdict() for column in self.columns],
        } | self._comparison()
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "RunInfo":
        """Read `to_json` back; ValueError when it is none, or was edited."""
        try:
            content = json.loads(text)
        except RecursionError:
            raise ValueError("not the run.json of a run") from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError("not the run.json of a run")
        if content.get("version") != VERSION:
            raise ValueError(f"run.json is of version {content.get('version')}, this program reads version {VERSION}")
        _check_content(content)
        try:
            info = cls(
                **{name: content[name] for name in ("game", "mode", "n_units", "units_per_shard", "seed")},
                **{name: content[name] for name in ("rules", "rules_hash", "situation", "deals", "versions")},
                policies=tuple(content["policies"]),
                columns=tuple(Column(**column) for column in content["columns"]),
                comparison=content.get("comparison"),
            )
            is_same = info.run_hash == content["run_hash"]
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ValueError(f"run.json is not as it was written: {_one_line(error)}") from None
        if not is_same:
            raise ValueError("run.json was changed after it was written: its hash does not fit")
        return info


def _check_content(content: Mapping[str, Any]) -> None:
    """ValueError where a part of `run.json` that its hash leaves out, or all reading rests on, cannot be."""
    for name in ("n_units", "units_per_shard"):
        value = content.get(name)
        if type(value) is not int or not 1 <= value <= MAX_UNITS:
            raise ValueError(f"run.json: {name} must be an integer from 1 to {MAX_UNITS}, got {shown(value)}")
    for name in ("rules", "versions"):
        if not isinstance(content.get(name), dict):
            raise ValueError(f"run.json: {name} must be an object, got {shown(content.get(name))}")
    columns = content.get("columns")
    if not isinstance(columns, list) or not all(
        isinstance(column, dict) and all(isinstance(text, str) for text in column.values()) for column in columns
    ):
        raise ValueError("run.json: columns must be a list of objects of text")


class Shard(NamedTuple):
    """One finished shard: its range of units and its file."""

    start: int
    stop: int
    path: Path


class Receipt(NamedTuple):
    """What the footer of a shard says: range of units, number of rows, SHA-256 (hex) over the columns."""

    start: int
    stop: int
    n_rows: int
    sha256: str


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages whose work is in a run."""
    from importlib.metadata import version

    names = {"gunzi_sim": "gunzi-sim", "numpy": "numpy", "numba": "numba", "pyarrow": "pyarrow"}
    return {"python": platform.python_version()} | {name: version(package) for name, package in names.items()}


# Tables


def schema_of(columns: Sequence[Column], metadata: Mapping[str, str] | None = None) -> pa.Schema:
    """Arrow schema of a table; unit and meaning of each column are in its field's metadata."""
    fields = [
        pa.field(name, pa.type_for_alias(dtype), nullable=False, metadata={"unit": unit, "doc": doc})
        for name, dtype, unit, doc in columns
    ]
    return pa.schema(fields, metadata=metadata)


def table_of(rows: npt.NDArray[np.void], columns: Sequence[Column]) -> pa.Table:
    """Arrow table of a structured array with (at least) one field for every column; the rows are copied."""
    arrays = [np.empty(len(rows), dtype) for _, dtype, _, _ in columns]
    for start in range(0, len(rows), _SPLIT_ROWS):
        block = rows[start : start + _SPLIT_ROWS]
        for array, column in zip(arrays, columns):
            array[start : start + _SPLIT_ROWS] = block[column.name]
    schema = schema_of(columns)
    # From buffers: `pa.array` would import pandas to see whether it was given something of it.
    filled = [
        pa.Array.from_buffers(field.type, len(array), [None, pa.py_buffer(array)])
        for field, array in zip(schema, arrays)
    ]
    return pa.Table.from_arrays(filled, schema=schema)


def content_hash(table: pa.Table) -> str:
    """SHA-256 (hex) over names, types and little-endian values, column by column; chunks make no difference."""
    digest = hashlib.sha256()
    for name, column in zip(table.column_names, table.columns):
        digest.update(f"{name}:{column.type}:{len(column)};".encode())
        for chunk in column.chunks:
            values = _values_of(chunk)
            digest.update(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).data)
    return digest.hexdigest()


def _values_of(chunk: pa.Array) -> npt.NDArray[Any]:
    """Values of a column of numbers, without a copy; pyarrow's own way would import pandas."""
    dtype = np.dtype(chunk.type.to_pandas_dtype())
    return np.frombuffer(chunk.buffers()[1], dtype)[chunk.offset : chunk.offset + len(chunk)]


def one_table(tables: Sequence[pa.Table], columns: Sequence[Column]) -> pa.Table:
    """The tables one after the other; a table without rows when there is none."""
    return pa.concat_tables(tables) if tables else schema_of(columns).empty_table()


def to_pandas(table: pa.Table) -> Any:
    """A pandas DataFrame with the table's own small integer types."""
    return table.to_pandas(split_blocks=True)


def csv_lines(table: pa.Table) -> str:
    """The table as comma-separated values, a row a line, without a line of names."""
    sink = pa.BufferOutputStream()
    pc.write_csv(table, sink, pc.WriteOptions(include_header=False, quoting_style="none"))
    return str(sink.getvalue().to_pybytes(), "utf-8")


def json_lines(table: pa.Table) -> str:
    """The table as one JSON object a row, a row a line."""
    text: str = to_pandas(table).to_json(orient="records", lines=True)
    return text


def encode(table: pa.Table) -> pa.Buffer:
    """
    Parquet file of a table, in memory.

    Small integers are split into byte streams, of which all but one are zeros that zstd swallows: a tenth larger than
    with dictionaries, and written twice as fast. Hashes do not shrink, unit numbers hardly move.
    """
    encodings = {name: "BYTE_STREAM_SPLIT" for name in table.column_names}
    encodings |= {name: encoding for name, encoding in _ENCODINGS.items() if name in encodings}
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        row_group_size=ROW_GROUP,
        compression="zstd",
        compression_level=1,
        use_dictionary=False,
        column_encoding=encodings,
        write_statistics=[name for name in table.column_names if name == "round_id"],
        write_page_checksum=True,
    )
    return sink.getvalue()


_ENCODINGS = {"round_id": "DELTA_BINARY_PACKED", "trace_hash": "PLAIN"}


# The run directory


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[Path]:
    """
    The run directory `path`, made when it is missing, and locked until the end of the block.

    Raises
    ------
    InputError
        The path is a file, or a directory that is not empty and no run.
    BusyError
        Another process holds it; the message names that process.
    OSError
        It cannot be made or written.
    """
    run_dir = Path(path)
    if run_dir.exists() and not run_dir.is_dir():
        raise InputError(f"{run_dir} exists and is no directory; give a new name")
    if run_dir.is_dir() and not is_run(run_dir):
        strangers = sorted(entry.name for entry in run_dir.iterdir() if not _is_own(entry.name))
        if strangers:
            raise InputError(f"{run_dir} exists, is not empty and is no run (it holds {strangers[0]}); give a new name")
    run_dir.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(run_dir / ".lock", timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise BusyError(f"{run_dir} is in use by {_holder(run_dir)}; wait for it, or give another directory") from None
    holder = run_dir / ".holder"
    try:
        holder.write_text(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        yield run_dir
    finally:
        with suppress(OSError):
            holder.unlink()
        lock.release()


def is_run(path: str | os.PathLike[str]) -> bool:
    """Whether the directory holds a run."""
    return Path(path, "run.json").is_file()


def create(run_dir: Path, info: RunInfo, deals: npt.NDArray[np.uint8] | None = None) -> None:
    """Begin a run in a locked, empty directory: given deals first, then `run.json`, which makes it a run."""
    if list_shards(run_dir):
        raise InputError(f"{run_dir} has shards but no run.json, so it is no run; give a new name")
    (run_dir / "shards").mkdir(exist_ok=True)
    remove_leftovers(run_dir)
    if deals is not None:
        (run_dir / "deals.parquet").unlink(missing_ok=True)  # of a run killed before its run.json
        width = deals.shape[1]
        column = pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(width), len(deals), [None, pa.py_buffer(np.ascontiguousarray(deals))]
        )
        sink = pa.BufferOutputStream()
        pq.write_table(
            pa.table({"deck": column}), sink, row_group_size=8192, compression="zstd", use_dictionary=False,
            write_statistics=False, write_page_checksum=True,
        )  # fmt: skip
        commit(run_dir / "deals.parquet", sink.getvalue())
    commit(run_dir / "run.json", info.to_json().encode())


def read_info(path: str | os.PathLike[str]) -> RunInfo:
    """
    The content of `run.json`.

    Raises
    ------
    InputError
        There is no run at `path`.
    DamagedError
        Its `run.json` cannot be understood.
    """
    run_dir = Path(path)
    if not is_run(run_dir):
        what = "is no run: it has no run.json" if run_dir.exists() else "does not exist"
        raise InputError(f"{run_dir} {what}")
    try:
        return RunInfo.from_json((run_dir / "run.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedError(f"{run_dir / 'run.json'}: {error}") from None


def deals_info(deals: npt.NDArray[np.uint8]) -> dict[str, Any]:
    """What `run.json` says of given deals: their number and their SHA-256."""
    return {"n": len(deals), "sha256": hashlib.sha256(np.ascontiguousarray(deals).data).hexdigest()}


def read_deals(run_dir: Path, info: RunInfo) -> npt.NDArray[np.uint8] | None:
    """The given deals of a run, uint8[n, cards], or None; DamagedError when they are not what was given."""
    if info.deals is None:
        return None
    path = run_dir / "deals.parquet"
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            column = file.read().column("deck").combine_chunks()
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise DamagedError(f"{path}: {_one_line(error)}") from None
    deals = np.frombuffer(column.buffers()[1], np.uint8).reshape(len(column), column.type.byte_width)
    if deals_info(deals) != dict(info.deals):
        raise DamagedError(f"{path}: its content is not what was given (SHA-256)")
    return deals


def remove_leftovers(run_dir: Path) -> None:
    """Remove the temporary files of a killed run; only under the lock."""
    for folder in (run_dir, run_dir / "shards"):
        for path in folder.glob(f"{_TEMPORARY}*"):
            path.unlink(missing_ok=True)


# Shards


def shard_path(run_dir: Path, start: int, stop: int, table: str = "hands") -> Path:
    """File of the shard of units `start` to `stop - 1` of a table."""
    return run_dir / "shards" / f"{table}-{start:012d}-{stop:012d}.parquet"


def write_shard(run_dir: Path, info: RunInfo, start: int, stop: int, rows: npt.NDArray[np.void]) -> Receipt:
    """
    Store all rows of the units `start` to `stop - 1`, once.

    Parameters
    ----------
    run_dir, info
        The run.
    start, stop : int
        Range of units.
    rows : structured[n_rows]
        Their rows in order, a field a column.

    Raises
    ------
    DamagedError
        The shard is there already with another content.
    OSError
        It cannot be written; nothing of it is left then.
    """
    table = table_of(rows, info.columns)
    receipt = Receipt(start, stop, len(rows), content_hash(table))
    footer = {"run_hash": info.run_hash, "range": f"{start}-{stop}", "rows": str(len(rows)), "sha256": receipt.sha256}
    table = table.replace_schema_metadata({META + key: value for key, value in footer.items()})
    path = shard_path(run_dir, start, stop, info.table)
    try:
        commit(path, encode(table))
    except FileExistsError:
        if check_shard(info, Shard(start, stop, path)) != receipt:
            raise DamagedError(f"{path}: holds other rows than this program plays") from None
    return receipt


def list_shards(run_dir: Path) -> list[Shard]:
    """The finished shards in the order of their units."""
    found = [(_SHARD.fullmatch(path.name), path) for path in (run_dir / "shards").glob("*.parquet")]
    return sorted(Shard(int(match[1]), int(match[2]), path) for match, path in found if match)


def check_shard(info: RunInfo, shard: Shard) -> Receipt:
    """
    Look at a shard's footer only: it must belong to this run and this range.

    Raises
    ------
    DamagedError
        It does not, or cannot be read.
    """
    try:
        with pq.ParquetFile(shard.path) as file:
            return _receipt(info, shard, file)
    except DamagedError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedError(f"{shard.path}: {_one_line(error)}; {_REMEDY}") from None


def read_shard(info: RunInfo, shard: Shard, columns: Sequence[str] | None = None) -> pa.Table:
    """
    The rows of a shard, page CRCs checked.

    Parameters
    ----------
    info, shard
        The run and one of its shards.
    columns : sequence of str, optional
        Names of columns, in the order wanted; all of them when None.

    Raises
    ------
    DamagedError
        The file does not hold what was written.
    """
    wanted = info.columns if columns is None else pick(info.columns, columns)
    schema = schema_of(wanted)
    try:
        with pq.ParquetFile(shard.path, page_checksum_verification=True) as file:
            _receipt(info, shard, file)
            table = file.read(columns=[column.name for column in wanted], use_threads=False)
    except DamagedError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedError(f"{shard.path}: {_one_line(error)}; {_REMEDY}") from None
    table = table.select(schema.names).replace_schema_metadata(None)
    return pa.Table.from_arrays(table.columns, schema=schema)


def verify_shard(info: RunInfo, shard: Shard) -> Receipt:
    """Read a whole shard and compare its SHA-256 with the footer's; DamagedError where it differs."""
    receipt = check_shard(info, shard)
    if content_hash(read_shard(info, shard)) != receipt.sha256:
        raise DamagedError(f"{shard.path}: its rows are not those written (SHA-256); {_REMEDY}")
    return receipt


def pick(columns: Sequence[Column], names: Sequence[str]) -> tuple[Column, ...]:
    """The columns of these names, in this order; all must exist."""
    known = {column.name: column for column in columns}
    return tuple(known[name] for name in names)


# Tables outside a run


def write_file(path: Path, rows: npt.NDArray[np.void], columns: Sequence[Column], metadata: Mapping[str, str]) -> None:
    """Store a table of its own, with page CRCs and texts in its footer; errors as `commit`."""
    table = table_of(rows, columns)
    footer = dict(metadata) | {"sha256": content_hash(table)}
    commit(path, encode(table.replace_schema_metadata({META + key: text for key, text in footer.items()})))


def read_file(path: Path, columns: Sequence[Column], form: str) -> tuple[dict[str, npt.NDArray[Any]], dict[str, str]]:
    """Columns and texts that `write_file` stored with `format` = `form`; InputError for another file, DamagedError."""
    try:
        with open(path, "rb") as raw:
            if raw.read(len(_PARQUET)) != _PARQUET:
                raise InputError(f"{path} is no Parquet file")
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            found = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
            table = file.read(use_threads=False)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedError(f"{path}: {_one_line(error)}") from None
    footer = {key.removeprefix(META): text for key, text in found.items()}
    if footer.get("format") != form:
        raise InputError(f"{path} holds no table of the kind {form}")
    if not table.schema.equals(schema_of(columns)) or content_hash(table) != footer.get("sha256"):
        raise DamagedError(f"{path}: its columns are not those written")
    return {name: table.column(name).to_numpy() for name in table.column_names}, footer


# Committing a file


def commit(path: Path, data: "pa.Buffer | bytes") -> None:
    """
    Write a file so that it is there complete and on the disk, or not at all.

    Raises
    ------
    FileExistsError
        The final name is taken.
    OSError
        Writing failed; no temporary file is left.
    """
    temporary = path.with_name(f"{_TEMPORARY}{os.getpid()}-{threading.get_ident()}-{path.name}")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            if path.exists():  # no hard links here: the run's lock keeps other writers away
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
            os.rename(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink()
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Bring the folder's entries to the disk, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _receipt(info: RunInfo, shard: Shard, file: pq.ParquetFile) -> Receipt:
    """What the footer says, after a comparison with the run, the file's name and the expected schema."""
    footer = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
    if footer.get(META + "run_hash") != info.run_hash:
        raise DamagedError(f"{shard.path}: belongs to another run")
    if not info.has_range(shard.start, shard.stop):
        raise DamagedError(f"{shard.path}: its range is none of the run's")
    n_rows = file.metadata.num_rows
    if footer.get(META + "range") != f"{shard.start}-{shard.stop}" or footer.get(META + "rows") != str(n_rows):
        raise DamagedError(f"{shard.path}: its footer does not fit its name or its rows")
    if not file.schema_arrow.equals(schema_of(info.columns)):
        raise DamagedError(f"{shard.path}: its columns are not those of run.json")
    return Receipt(shard.start, shard.stop, n_rows, footer.get(META + "sha256", ""))


def _is_own(name: str) -> bool:
    """Whether a run that was killed before its `run.json` may have left this entry."""
    return name in _OWN_FILES or name == "deals.parquet" or name.startswith(_TEMPORARY)


def _holder(run_dir: Path) -> str:
    """Who holds the lock, in words."""
    try:
        holder = json.loads((run_dir / ".holder").read_text())
        return f"process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"


def _one_line(error: BaseException) -> str:
    """An error's text without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
