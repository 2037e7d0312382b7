"""
Tables on disk: structured arrays as Arrow tables, Arrow tables as Parquet files. The only file that knows Arrow.

Tables are of int8, int16, int32, int64 and float64 without nulls, one column a field. Every page carries a CRC; footers
hold texts under `META`. A file appears under its final name complete or not at all (`commit`). Left out: which tables
there are (`run_files`, `match_equity`).
"""

import errno
import hashlib
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

from gunzi_sim.game import Column, InputError

ROW_GROUP = 131_072
"""Most rows of a row group."""
DECKS_A_GROUP = 8192
META = "gunzi_sim."
"""Prefix of this package's keys in a footer."""
TEMPORARY = ".tmp-"
"""How the names of files begin that are not complete yet."""

_SPLIT_ROWS = 8192  # rows turned into columns at a time, few enough to stay in the cache
_PARQUET = b"PAR1"
"""How a Parquet file begins."""
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES}
_ENCODINGS = {"round_id": "DELTA_BINARY_PACKED", "trace_hash": "PLAIN"}
"""Of columns that are not split into byte streams."""


class DamagedError(OSError):
    """A file does not hold what was written: its CRC, hash, footer or schema is wrong."""


class Opened(NamedTuple):
    """A Parquet file: texts of its footer without `META`, number of rows, schema, and a table of the columns read."""

    footer: Mapping[str, str]
    n_rows: int
    schema: pa.Schema
    table: Any


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

    Small integers are split into byte streams, of which all but one are zeros that zstd swallows; no dictionary has to
    be made. Hashes do not shrink, unit numbers hardly move.
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


def pick(columns: Sequence[Column], names: Sequence[str]) -> tuple[Column, ...]:
    """The columns of these names, in this order; all must exist."""
    known = {column.name: column for column in columns}
    return tuple(known[name] for name in names)


# Files


def with_footer(table: pa.Table, footer: Mapping[str, str]) -> pa.Table:
    """The table with texts for its footer."""
    return table.replace_schema_metadata({META + key: text for key, text in footer.items()})


def open_file(path: Path, columns: Sequence[str] | None = ()) -> Opened:
    """
    What a Parquet file holds, page CRCs checked.

    Parameters
    ----------
    path : Path
    columns : sequence of str, optional
        Names of columns to read; none of them by default, all when None.

    Raises
    ------
    DamagedError
        It cannot be read.
    """
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            texts = {key.decode(): value.decode() for key, value in (file.metadata.metadata or {}).items()}
            footer = {key.removeprefix(META): text for key, text in texts.items() if key.startswith(META)}
            names = None if columns is None else list(columns)
            table = None if names == [] else file.read(columns=names, use_threads=False)
            return Opened(footer, file.metadata.num_rows, file.schema_arrow, table)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedError(f"{path}: {_one_line(error)}") from None


def in_order(table: pa.Table, columns: Sequence[Column]) -> pa.Table:
    """These columns of a table in this order, with their schema."""
    schema = schema_of(columns)
    return pa.Table.from_arrays(table.select(schema.names).columns, schema=schema)


def write_file(path: Path, rows: npt.NDArray[np.void], columns: Sequence[Column], metadata: Mapping[str, str]) -> None:
    """Store a table of its own, with page CRCs and texts in its footer; errors as `commit`."""
    table = table_of(rows, columns)
    commit(path, encode(with_footer(table, dict(metadata) | {"sha256": content_hash(table)})))


def read_file(
    path: Path, columns: Sequence[Column], form: str
) -> tuple[dict[str, npt.NDArray[Any]], Mapping[str, str]]:
    """Columns and texts that `write_file` stored as a `form`; InputError for other files, DamagedError for bad ones."""
    try:
        with open(path, "rb") as raw:
            if raw.read(len(_PARQUET)) != _PARQUET:
                raise InputError(f"{path} is no Parquet file")
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    footer, _, _, table = open_file(path, None)
    if footer.get("format") != form:
        raise InputError(f"{path} holds no table of the kind {form}")
    if not table.schema.equals(schema_of(columns)) or content_hash(table) != footer.get("sha256"):
        raise DamagedError(f"{path}: its columns are not those written")
    return {name: table.column(name).to_numpy() for name in table.column_names}, footer


def write_decks(path: Path, decks: npt.NDArray[np.uint8]) -> None:
    """Store decks, uint8[n, cards], one a row; errors as `commit`."""
    width = decks.shape[1]
    column = pa.FixedSizeBinaryArray.from_buffers(
        pa.binary(width), len(decks), [None, pa.py_buffer(np.ascontiguousarray(decks))]
    )
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.table({"deck": column}), sink, row_group_size=DECKS_A_GROUP, compression="zstd", use_dictionary=False,
        write_statistics=False, write_page_checksum=True,
    )  # fmt: skip
    commit(path, sink.getvalue())


def read_decks(path: Path) -> npt.NDArray[np.uint8]:
    """Decks that `write_decks` stored; DamagedError where they cannot be read."""
    table = open_file(path, None).table
    try:
        column = table.column("deck").combine_chunks()
    except KeyError as error:
        raise DamagedError(f"{path}: {_one_line(error)}") from None
    return np.frombuffer(column.buffers()[1], np.uint8).reshape(len(column), column.type.byte_width)


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
    temporary = path.with_name(f"{TEMPORARY}{os.getpid()}-{threading.get_ident()}-{path.name}")
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
            if path.exists():  # no hard links here, so two writers at once might both get this far
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


def _one_line(error: BaseException) -> str:
    """An error's text without line breaks."""
    return " ".join(str(error).split()) or type(error).__name__
