"""
A run on disk: its directory, its lock, its shards.

    run/  run.json         what decides the content, written once (`run_info`)
          deals.parquet    the given deals of a run that has them
          .lock, .holder   held for the run's life, and by whom
          shards/hands-000000000000-000000002048.parquet     first unit and last unit + 1; `arms-…` of a comparison

`round_id` numbers the units. A shard holds all rows of a fixed number of units. A file appears under its final name
complete or not at all, so a run killed anywhere goes on from the shards that are there. Every footer holds the SHA-256
of the shard's columns. Left out: Arrow and Parquet (`storage`), playing (`runner`), estimates (`results`).
"""

import hashlib
import json
import os
import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import filelock
import numpy as np
import numpy.typing as npt

from gunzi_sim.game import InputError
from gunzi_sim.run_info import RunInfo
from gunzi_sim.storage import (
    TEMPORARY,
    DamagedError,
    Opened,
    commit,
    content_hash,
    encode,
    in_order,
    open_file,
    pick,
    read_decks,
    schema_of,
    table_of,
    with_footer,
    write_decks,
)

_SHARD = re.compile(r"(?:hands|arms)-(\d{12,})-(\d{12,})\.parquet")
_REMEDY = "remove the file and resume the run"
_OWN_FILES = {".lock", ".holder", "shards"}  # may lie in a directory whose run was killed before run.json


class BusyError(RuntimeError):
    """The run directory is in use by another process, or holds another run."""


class OtherRunError(BusyError):
    """The run directory holds another run than the one asked for."""


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
        write_decks(run_dir / "deals.parquet", deals)
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
    deals = read_decks(path)
    if deals_info(deals) != dict(info.deals):
        raise DamagedError(f"{path}: its content is not what was given (SHA-256)")
    return deals


def remove_leftovers(run_dir: Path) -> None:
    """Remove the temporary files of a killed run; only under the lock."""
    for folder in (run_dir, run_dir / "shards"):
        for path in folder.glob(f"{TEMPORARY}*"):
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
    path = shard_path(run_dir, start, stop, info.table)
    try:
        commit(path, encode(with_footer(table, footer)))
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
    return _receipt(info, shard, _opened(shard, ()))


def read_shard(info: RunInfo, shard: Shard, columns: Sequence[str] | None = None) -> Any:
    """
    The rows of a shard, page CRCs checked.

    Parameters
    ----------
    info, shard
        The run and one of its shards.
    columns : sequence of str, optional
        Names of columns, in the order wanted; all of them when None.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    DamagedError
        The file does not hold what was written.
    """
    wanted = info.columns if columns is None else pick(info.columns, columns)
    opened = _opened(shard, [column.name for column in wanted])
    _receipt(info, shard, opened)
    return in_order(opened.table, wanted)


def verify_shard(info: RunInfo, shard: Shard) -> Receipt:
    """Read a whole shard and compare its SHA-256 with the footer's; DamagedError where it differs."""
    receipt = check_shard(info, shard)
    if content_hash(read_shard(info, shard)) != receipt.sha256:
        raise DamagedError(f"{shard.path}: its rows are not those written (SHA-256); {_REMEDY}")
    return receipt


def _opened(shard: Shard, columns: Sequence[str]) -> Opened:
    """The shard's file; DamagedError with what to do about it."""
    try:
        return open_file(shard.path, columns)
    except DamagedError as error:
        raise DamagedError(f"{error}; {_REMEDY}") from None


def _receipt(info: RunInfo, shard: Shard, file: Opened) -> Receipt:
    """What the footer says, after a comparison with the run, the file's name and the expected schema."""
    footer, n_rows = file.footer, file.n_rows
    if footer.get("run_hash") != info.run_hash:
        raise DamagedError(f"{shard.path}: belongs to another run")
    if not info.has_range(shard.start, shard.stop):
        raise DamagedError(f"{shard.path}: its range is none of the run's")
    if footer.get("range") != f"{shard.start}-{shard.stop}" or footer.get("rows") != str(n_rows):
        raise DamagedError(f"{shard.path}: its footer does not fit its name or its rows")
    if not file.schema.equals(schema_of(info.columns)):
        raise DamagedError(f"{shard.path}: its columns are not those of run.json")
    return Receipt(shard.start, shard.stop, n_rows, footer.get("sha256", ""))


def _is_own(name: str) -> bool:
    """Whether a run that was killed before its `run.json` may have left this entry."""
    return name in _OWN_FILES or name == "deals.parquet" or name.startswith(TEMPORARY)


def _holder(run_dir: Path) -> str:
    """Who holds the lock, in words."""
    try:
        holder = json.loads((run_dir / ".holder").read_text())
        return f"process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
