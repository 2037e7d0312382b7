"""
Hand records: JSON Lines in the canonical form, read tolerantly, and verified by the games' referees.

One record is one line, a JSON object with an envelope (`format version game rules source`), the game's own keys, and
perhaps `result`. Internally it is a dict with these keys in which the game's `records.py` has turned names into numbers
and `rules` is the game's frozen rules. A line that is no record raises `RecordError` (clause `FORMAT`), whatever is in
it; no line is held in memory beyond `LINE_LIMIT` bytes. Nothing compiled is imported here.
"""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, NamedTuple

from gunzi_sim import games
from gunzi_sim.game import (
    RECORD_FORMAT,
    RECORD_VERSION,
    InputError,
    RecordError,
    RulesError,
    did_you_mean,
    from_mapping,
    read_object,
    shown,
    to_mapping,
)

__all__ = ["LINE_LIMIT", "Record", "RecordError", "Verdict", "parse_line", "read", "read_one", "verify", "write"]

LINE_LIMIT = 1 << 20
"""Longest line read as a record, in bytes; a hand of 打滚子 takes about 4,000."""
SOURCE_DEPTH = 32
"""Deepest nesting inside `source`."""
_ENVELOPE = ("format", "version", "game", "rules", "source")
_OPTIONAL = ("source", "result")
_INTEGERS = range(-(1 << 63), 1 << 64)
_BOM = b"\xef\xbb\xbf"

Record = dict[str, Any]


class Verdict(NamedTuple):
    """What `verify` says of one record; `clause` is None when it holds. Its text is the line that is printed."""

    file: str
    line: int
    clause: str | None
    play: int | None
    message: str

    @property
    def ok(self) -> bool:
        """Whether the record holds."""
        return self.clause is None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.clause or 'ok'}{': ' if self.message else ''}{self.message}"


def write(record: Mapping[str, Any]) -> str:
    """One internal record as its canonical line, without the line break."""
    fields: dict[str, Any] = {
        "format": RECORD_FORMAT,
        "version": RECORD_VERSION,
        "game": record["game"],
        "rules": to_mapping(record["rules"]),
    }
    if "source" in record:
        fields["source"] = record["source"]
    fields |= games.records(record["game"]).plain(record)
    return json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def parse_line(line: str | bytes) -> Record:
    """
    The internal record of one line.

    Parameters
    ----------
    line : str or bytes
        JSON text, UTF-8 when bytes; keys in any order, `result` and `source` may be missing.

    Returns
    -------
    dict
        Keys in canonical order; cards are kinds, suits 0..3, `rules` the game's rules.

    Raises
    ------
    RecordError
        Clause `FORMAT`, one line: not JSON, a wrong or missing key, type, name or range, an impossible deck.
    """
    fields = _parse_json(line)
    game = _check_head(fields)
    records = games.records(game)
    read_object(fields, "record", (*_ENVELOPE, *records.KEYS, "result"), _OPTIONAL)
    try:
        rules = from_mapping(games.rules_class(game), fields["rules"])
    except RulesError as error:
        raise RecordError(f"rules: {error}") from None
    record: Record = {"format": RECORD_FORMAT, "version": RECORD_VERSION, "game": game, "rules": rules}
    if "source" in fields:
        record["source"] = _source(fields["source"])
    record |= records.parse(fields, rules)
    return record


def read(path: str | os.PathLike[str]) -> Iterator[tuple[int, Record | RecordError]]:
    """
    Records of a file with their line numbers, from 1; empty lines are skipped.

    Yields
    ------
    (int, dict or RecordError)
        The internal record, or what is wrong with the line.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    for number, line in _lines(path):
        yield number, _parsed(line)


def read_one(path: str | os.PathLike[str], line: int = 0) -> Record:
    """
    The record in one line of a file, counted from 1; with line 0, the first record.

    Raises
    ------
    InputError
        The file cannot be read, or has no such line.
    RecordError
        The line is no record.
    """
    for number, text in _lines(path):
        if line in (0, number):
            record = _parsed(text)
            if isinstance(record, RecordError):
                raise record
            return record
    raise InputError(f"{os.fspath(path)}: no record in line {line}" if line else f"{os.fspath(path)}: no record")


def verify(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Verdict]:
    """
    One verdict for every record of the files, in their order; those that hold have no clause.

    Raises
    ------
    InputError
        A file cannot be read; all of them are tried before the first verdict.
    """
    names = [os.fspath(path) for path in paths]
    for name in names:
        with _opened(name):
            pass
    for name in names:
        for number, record in read(name):
            yield _verdict(name, number, record)


def _verdict(name: str, number: int, record: Record | RecordError) -> Verdict:
    """The game's referee on one record."""
    if isinstance(record, RecordError):
        return Verdict(name, number, record.clause, None, record.message)
    fault = games.referee(record["game"]).check(record)
    if fault is None:
        return Verdict(name, number, None, None, "")
    return Verdict(name, number, fault.clause, fault.play, fault.message)


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    """The file, open for reading; InputError when it cannot be."""
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def _unreadable(path: str | os.PathLike[str], error: Exception) -> InputError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return InputError(f"cannot read {os.fspath(path)!r}: {reason}")


def _lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines that are not blank; None for one longer than `LINE_LIMIT`, of which only a piece is ever held."""
    with _opened(path) as file:
        try:
            number = 0
            while line := file.readline(LINE_LIMIT + 1):
                number += 1
                if len(line) > LINE_LIMIT:
                    while line and not line.endswith(b"\n"):
                        line = file.readline(LINE_LIMIT)
                    yield number, None
                    continue
                if number == 1:
                    line = line.removeprefix(_BOM)
                if line.strip():
                    yield number, line
        except OSError as error:
            raise _unreadable(path, error) from None


def _parsed(line: bytes | None) -> Record | RecordError:
    """The record of a line, or its error as a value."""
    try:
        if line is None:
            raise RecordError(f"line longer than {LINE_LIMIT} bytes")
        return parse_line(line)
    except RecordError as error:
        return error


def _parse_json(line: str | bytes) -> dict[str, Any]:
    """The object of a line; what JSON leaves open (equal keys, NaN, huge numbers, nesting) is refused."""
    if len(line) > LINE_LIMIT:
        raise RecordError(f"line longer than {LINE_LIMIT} bytes")
    try:
        text = line if isinstance(line, str) else line.decode()
        value = json.loads(
            text,
            object_pairs_hook=unique,
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_constant,
        )
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8 text: byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise RecordError(f"not JSON: {error.msg}, column {error.colno}") from None
    except RecursionError:
        raise RecordError("not a record: nested too deeply") from None
    if not isinstance(value, dict):
        raise RecordError(f"record must be an object, got {shown(value)}")
    return value


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON without equal keys, for `object_pairs_hook`; RecordError for another."""
    found = dict(pairs)
    if len(found) < len(pairs):
        count = Counter(key for key, _ in pairs)
        twice = next(key for key in count if count[key] > 1)
        raise RecordError(f"key {shown(twice)} is there twice")
    return found


def _integer(digits: str) -> int:
    if len(digits) <= 20 and (number := int(digits)) in _INTEGERS:
        return number
    raise RecordError(f"number out of range: {digits[:24]}{'…' if len(digits) > 24 else ''}")


def _float(digits: str) -> float:
    if math.isfinite(number := float(digits)):
        return number
    raise RecordError(f"number out of range: {digits[:24]}{'…' if len(digits) > 24 else ''}")


def _constant(name: str) -> float:
    raise RecordError(f"{name} is not JSON")


def _check_head(fields: Mapping[str, Any]) -> str:
    """Name of the record's game, after format and version."""
    for key in ("format", "version", "game"):
        if key not in fields:
            raise RecordError(f"record: key {key!r} is missing")
    if fields["format"] != RECORD_FORMAT:
        raise RecordError(f"format must be {RECORD_FORMAT!r}, got {shown(fields['format'])}")
    version = fields["version"]
    if type(version) is not int or version != RECORD_VERSION:
        raise RecordError(f"version must be {RECORD_VERSION}, got {shown(version)}")
    game = fields["game"]
    if not isinstance(game, str) or game not in games.GAMES:
        raise RecordError(f"unknown game {shown(game)}{did_you_mean(game, games.GAMES)}")
    return game


def _source(value: Any) -> Any:
    """The free `source`, if it can be written again: not too deep, and no half of a character pair."""
    level, deeper = 0, [value]
    while deeper:
        level += 1
        if level > SOURCE_DEPTH:
            raise RecordError("source: nested too deeply")
        containers = [item for item in deeper if isinstance(item, (dict, list))]
        deeper = [inner for item in containers for inner in (item.values() if isinstance(item, dict) else item)]
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise RecordError("source: text with half of a surrogate pair") from None
    return value
