"""
The contract of every game, plain Python: columns, the figures of its summary, generic halves of its rules and records.

A game's rules are a frozen dataclass derived from `Rules`, one field an option, each made by `option(default, doc,
clause, …)`. From the fields alone this module checks values, reads and writes mappings and TOML, makes a JSON Schema,
compares and hashes. What binds several options together is the game's own `check_together`. In mappings an
enumeration is its lower-case name, a yes/no option a boolean, everything else an integer. The `read_…` functions check
one value of a record each.
"""

from __future__ import annotations

import dataclasses
import difflib
import hashlib
import json
import operator
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import tomli_w

RECORD_FORMAT = "gunzi-sim/hand"
RECORD_VERSION = 1
FILE_LIMIT = 1 << 20
"""Largest rules file read, in bytes."""
_SHOWN = 40
T = TypeVar("T")
_TRUE = ("yes", "true", "on", "1")
_FALSE = ("no", "false", "off", "0")


class InputError(ValueError):
    """Wrong usage or input: one line saying what is wrong, where, and what is allowed."""


class RulesError(ValueError):
    """Rules that cannot be: one line naming the option, what is allowed and what was given."""


class RecordError(ValueError):
    """
    A record that is none: one line in `message`, its clause (`FORMAT`) in `clause`.

    Raised by a game's `records.py` and by `record.py`; it lives here because both need it.
    """

    def __init__(self, message: str, clause: str = "FORMAT") -> None:
        super().__init__(message)
        self.clause = clause
        self.message = message


class PolicyError(RuntimeError):
    """
    A policy broke a rule or failed: which, in what decision, by which clause and where.

    Attributes
    ----------
    policy, decision, clause, detail, message : str
        `clause` is empty for a policy that raised an exception; `message` is the whole, without how to replay the hand.
    unit, hand : int
        Round and hand, or the number of the single hand and 0.
    play : int or None
        Index of the play in the hand's record.
    record : dict or None
        The hand as far as it went, the offending decision last.
    arm : tuple of str and int, or None
        In a comparison: the arm, and the side that played it.
    """

    arm: tuple[str, int] | None = None

    def __init__(
        self,
        policy: str,
        decision: str,
        clause: str,
        unit: int,
        hand: int | None,
        play: int | None,
        detail: str,
        record: dict[str, Any] | None = None,
    ) -> None:
        self.policy, self.decision, self.clause, self.detail = policy, decision, clause, detail
        self.unit, self.hand, self.play, self.record = unit, hand or 0, play, record
        where = f"hand {unit}" if hand is None else f"round {unit}, hand {hand}"
        where += "" if play is None else f", play {play}"
        self.message = f"policy {policy!r}, {decision}: {clause + ' ' if clause else ''}in {where}: {detail}"
        super().__init__(self.message)

    def replay_options(self) -> str:
        """Options of `gunzi-sim show RUN` that show the hand again."""
        return f"--index {self.unit}" + (f" --hand {self.hand}" if self.hand else "")


class Situation(NamedTuple):
    """Where each unit starts, where that is stated. The defaults are the later hand of single hands."""

    first_hand: bool = False
    levels: tuple[int, int] = (3, 3)
    dealer: int = 0
    owed: int = 0


class Parameter(NamedTuple):
    """One integer parameter of a policy: its default and the least and greatest value."""

    name: str
    default: int
    low: int
    high: int
    doc: str


class PolicySpec(NamedTuple):
    """A policy and its parameters as text names them; `str` gives the canonical form `basic:jokers=2`."""

    name: str
    params: tuple[tuple[str, int], ...] = ()

    def __str__(self) -> str:
        """Canonical text."""
        return ":".join([self.name, *(f"{key}={value}" for key, value in self.params)])


@dataclass(frozen=True)
class Job:
    """Everything that decides the hands of a run, beside their keys."""

    game: str
    rules: Any
    policies: tuple[PolicySpec, ...]
    """One a seat."""
    seed: int = 0
    mode: str = "rounds"
    """`rounds` or `hands`."""
    situation: Situation | None = None
    """Start of each unit; None: a round's own start, and of single hands the later hand `Situation()`."""
    deals: Any = None
    """None, or given decks: uint8[n, n_cards], cards in dealing order, deck k for hand k."""


class Column(NamedTuple):
    """One stored column of a game's table: integers only, with unit and meaning."""

    name: str
    dtype: str
    unit: str
    doc: str


Where = tuple[tuple[str, tuple[int, ...]], ...]
"""Which rows: those in which every named column holds one of its values; the empty tuple means every row."""


class Term(NamedTuple):
    """Part of a statistic: every row of `where` counts its `column`, or 1 when there is none."""

    column: str | None = None
    where: Where = ()


class Statistic(NamedTuple):
    """
    One figure of a game's summary: the sum of its terms over the number of rows `among` which it is counted.

    `is_rate` marks a share of yes (each row 0 or 1). `once_a_round`: each round has at most one row in `among`;
    such a figure is left out of single-hand studies and of groups of hands.
    """

    name: str
    unit: str
    doc: str
    terms: tuple[Term, ...]
    is_rate: bool = False
    among: Where = ()
    once_a_round: bool = False


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, letter case aside; None when none is near."""
    by_lower = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name[:100].lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[near[0]] if near else None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """`; did you mean 'follow'?` for a name near a known one, else the list of known names after `; known: `."""
    names = list(known)
    near = nearest(name, names) if isinstance(name, str) else None
    return f"; did you mean {near!r}?" if near is not None else f"; known: {', '.join(names)}"


def as_text(value: object) -> str:
    """An option's or a parameter's value as texts and tables have it."""
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def shown(value: object) -> str:
    """A user's value on one line, cut to a length that fits a message; an enumeration's member by its name."""
    if isinstance(value, int) and not isinstance(value, Enum) and value.bit_length() > 128:
        return "an integer of more than 128 bits"
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        text = f"a value of type {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def read_integer(value: object, where: str, low: int | None = None, high: int | None = None) -> int:
    """An integer of a record within its bounds; RecordError naming `where`, what is allowed and what stands there."""
    if type(value) is int and (low is None or value >= low) and (high is None or value <= high):
        return value
    span = "" if low is None else f" >= {low}" if high is None else f" {low}..{high}"
    raise RecordError(f"{where} must be an integer{span}, got {shown(value)}")


def read_flag(value: object, where: str) -> bool:
    """A boolean of a record, or RecordError."""
    if isinstance(value, bool):
        return value
    raise RecordError(f"{where} must be true or false, got {shown(value)}")


def read_name(value: object, where: str, parse: Callable[[str], T]) -> T:
    """A name of a record, given to `parse`, whose ValueError becomes a RecordError."""
    if not isinstance(value, str):
        raise RecordError(f"{where} must be a name, got {shown(value)}")
    try:
        return parse(value)
    except ValueError as error:
        raise RecordError(f"{where}: {error}") from None


def read_list(value: object, where: str, read: Callable[[object, str], T], n: int | None = None) -> list[T]:
    """A list of a record, of `n` entries where given, each read by `read(entry, "where[i]")`; RecordError otherwise."""
    if not isinstance(value, list):
        raise RecordError(f"{where} must be a list, got {shown(value)}")
    if n is not None and len(value) != n:
        raise RecordError(f"{where} must have {n} entries, got {len(value)}")
    return [read(entry, f"{where}[{i}]") for i, entry in enumerate(value)]


def read_object(value: object, where: str, keys: Sequence[str], optional: Collection[str] = ()) -> dict[str, Any]:
    """An object of a record that has just `keys`, those in `optional` perhaps; RecordError with the nearest name."""
    if not isinstance(value, dict):
        raise RecordError(f"{where} must be an object, got {shown(value)}")
    for key in value:
        if key not in keys:
            raise RecordError(f"{where}: unknown key {shown(key)}{did_you_mean(key, keys)}")
    for key in keys:
        if key not in value and key not in optional:
            raise RecordError(f"{where}: key {key!r} is missing")
    return value


class Spec(Protocol):
    """What one option may hold; `YesNo`, `Word` and `Whole` are its three forms."""

    allowed: str
    """The allowed values in words, for messages."""

    def check(self, name: str, value: object) -> Any:
        """The value as the rules store it; RulesError when it is not allowed."""

    def parse(self, name: str, text: str) -> Any:
        """The value of a text from the command line; RulesError when it is not allowed."""

    def plain(self, value: Any) -> Any:
        """The stored value as JSON and TOML write it."""

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the plain value."""


class YesNo:
    """A yes/no option: a boolean, also `yes` and `no` on the command line."""

    allowed = "true or false"

    def check(self, name: str, value: object) -> bool:
        """Booleans only."""
        if not isinstance(value, bool):
            raise RulesError(f"{name} must be {self.allowed}, got {shown(value)}")
        return value

    def parse(self, name: str, text: str) -> bool:
        """Read yes/no, true/false, on/off or 1/0."""
        word = text.lower()
        if word not in _TRUE + _FALSE:
            raise RulesError(f"{name} must be yes or no, got {shown(text)}")
        return word in _TRUE

    def plain(self, value: bool) -> bool:
        """The boolean itself."""
        return value

    def schema(self) -> dict[str, Any]:
        """JSON Schema of a boolean."""
        return {"type": "boolean"}


class Word:
    """An option that is one of an enumeration's members, written by its lower-case name."""

    def __init__(self, words: type[IntEnum]) -> None:
        self.words = words
        self.names = {member.name.lower(): member for member in words}
        self.allowed = " or ".join(self.names)

    def check(self, name: str, value: object) -> IntEnum:
        """A member of the enumeration, or its lower-case name; a bare integer is refused."""
        if isinstance(value, self.words):
            return value
        if isinstance(value, str) and value in self.names:
            return self.names[value]
        near = nearest(value, self.names) if isinstance(value, str) else None
        hint = f"; did you mean {near!r}?" if near else ""
        raise RulesError(f"{name} must be {self.allowed}, got {shown(value)}{hint}")

    def parse(self, name: str, text: str) -> IntEnum:
        """As `check`."""
        return self.check(name, text)

    def plain(self, value: IntEnum) -> str:
        """The member's lower-case name."""
        return value.name.lower()

    def schema(self) -> dict[str, Any]:
        """JSON Schema: one of the names."""
        return {"enum": list(self.names)}


class Whole:
    """A whole number from `low` to `high` in steps of `step`; `names` are words read as numbers (`A` is 14)."""

    def __init__(self, low: int, high: int, step: int = 1, names: Mapping[str, int] | None = None) -> None:
        self.low, self.high, self.step = low, high, step
        self.names = dict(names or {})
        what = "an integer" if step == 1 else f"a multiple of {step}"
        also = "".join(f" or {word!r}" for word in self.names)
        self.allowed = f"{what} from {low} to {high}{also}"

    def check(self, name: str, value: object) -> int:
        """An integer in range (numpy's too); booleans, floats and enumerations are refused."""
        number = self.names.get(value) if isinstance(value, str) else whole_number(value)
        if number is None or not self.low <= number <= self.high or number % self.step:
            raise RulesError(f"{name} must be {self.allowed}, got {shown(value)}")
        return number

    def parse(self, name: str, text: str) -> int:
        """Read a decimal number, or one of the words."""
        digits = text[1:] if text[:1] in ("-", "+") else text
        is_number = digits.isascii() and digits.isdigit() and len(digits) < 20
        return self.check(name, int(text) if is_number else text)

    def plain(self, value: int) -> int:
        """The number itself."""
        return value

    def schema(self) -> dict[str, Any]:
        """JSON Schema: an integer in range, or one of the words."""
        number: dict[str, Any] = {"type": "integer", "minimum": self.low, "maximum": self.high}
        if self.step > 1:
            number["multipleOf"] = self.step
        return {"anyOf": [number, {"enum": list(self.names)}]} if self.names else number


class Option(NamedTuple):
    """One option of a game's rules: its name, what it may hold, its default, meaning and clause."""

    name: str
    spec: Spec
    default: Any
    doc: str
    clause: str


def whole_number(value: object) -> int | None:
    """The value as an int when it is a whole number (numpy's too), neither a boolean nor an enumeration; else None."""
    if isinstance(value, (bool, Enum)):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def option(
    default: Any,
    doc: str,
    clause: str,
    low: int = 0,
    high: int = 0,
    step: int = 1,
    names: Mapping[str, int] | None = None,
    spec: Spec | None = None,
) -> Any:
    """
    A field of a game's rules.

    Parameters
    ----------
    default : bool, IntEnum member or int
        The value under the game's first preset; its type decides what the option may hold.
    doc, clause : str
        Meaning in words, and the clause of the rule book that reads it.
    low, high, step : int
        Range of an integer option.
    names : mapping of str to int, optional
        Words an integer option reads as numbers.
    spec : Spec, optional
        What the option may hold, where it is none of the three forms.
    """
    if spec is None:
        if isinstance(default, bool):
            spec = YesNo()
        elif isinstance(default, IntEnum):
            spec = Word(type(default))
        else:
            spec = Whole(low, high, step, names)
    return dataclasses.field(default=default, metadata={"spec": spec, "doc": doc, "clause": clause})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """
    Base of a game's rules. Checked once, when made; equal when every option is.

    `preset` remembers which preset the rules were written against. It says how they are written again, not what they
    are: it enters neither equality nor hash.
    """

    GAME: ClassVar[str]
    VERSION: ClassVar[int]
    """Goes up when the meaning of an option changes; enters the hash."""
    PRESETS: ClassVar[Mapping[str, Rules]]
    """Presets by name; the first is the default, and equal to the defaults of the fields."""

    def __post_init__(self) -> None:
        for opt in options(type(self)):
            object.__setattr__(self, opt.name, opt.spec.check(opt.name, getattr(self, opt.name)))
        self.check_together()

    def check_together(self) -> None:
        """Raise RulesError where options that are fine alone contradict each other; a game overrides this."""

    @property
    def preset(self) -> str:
        """Name of the preset these rules are written against."""
        name = self.__dict__.get("_preset")
        return name if isinstance(name, str) else next(iter(self.PRESETS))


R = TypeVar("R", bound=Rules)


def options(rules_class: type[Rules]) -> tuple[Option, ...]:
    """The options of a game in the order of its fields."""
    return tuple(
        Option(f.name, f.metadata["spec"], f.default, f.metadata["doc"], f.metadata["clause"])
        for f in dataclasses.fields(rules_class)
    )


def find_preset(rules_class: type[R], name: object) -> R:
    """The preset of that name; RulesError with the nearest name when there is none."""
    presets = rules_class.PRESETS
    if not isinstance(name, str) or name not in presets:
        raise RulesError(f"unknown preset {shown(name)} of {rules_class.GAME}{did_you_mean(name, presets)}")
    return presets[name]  # type: ignore[return-value]


def declare_presets(rules_class: type[R], presets: dict[str, R]) -> dict[str, R]:
    """
    Give a rules class its presets, each written against itself from now on; the same dict.

    The first preset must be equal to the defaults of the fields.
    """
    rules_class.PRESETS = presets
    for name, rules in presets.items():
        presets[name] = _against(rules, name)
    return presets


def _against(rules: R, preset: str) -> R:
    """The same rules, written against the preset of that name."""
    copy = dataclasses.replace(rules)
    object.__setattr__(copy, "_preset", preset)
    return copy


def from_mapping(rules_class: type[R], mapping: Mapping[str, object]) -> R:
    """
    Rules from `{"preset": NAME, option: value, …}`; `game` may be given, no preset means the first one.

    Raises
    ------
    RulesError
        Another game, an unknown preset, option or value (with the nearest name), or a value out of range.
    """
    if not isinstance(mapping, Mapping):
        raise RulesError(f"rules must be an object of options, got {shown(mapping)}")
    if mapping.get("game", rules_class.GAME) != rules_class.GAME:
        raise RulesError(f"rules are of game {shown(mapping['game'])}, expected {rules_class.GAME!r}")
    base = find_preset(rules_class, mapping.get("preset", next(iter(rules_class.PRESETS))))
    known = {opt.name: opt for opt in options(rules_class)}
    changes = {}
    for name, value in mapping.items():
        if name in known:
            changes[name] = value
        elif name not in ("game", "preset"):
            raise RulesError(f"unknown option {shown(name)} of {rules_class.GAME}{did_you_mean(name, known)}")
    return change(base, **changes)


def change(rules: R, **changes: Any) -> R:
    """The same rules with some options changed, written against the same preset; RulesError as `from_mapping`."""
    known = [opt.name for opt in options(type(rules))]
    for name in changes:
        if name not in known:
            raise RulesError(f"unknown option {shown(name)} of {rules.GAME}{did_you_mean(name, known)}")
    return _against(dataclasses.replace(rules, **changes), rules.preset)


def to_full_mapping(rules: Rules) -> dict[str, Any]:
    """Every option with its plain value, in the order of the rule book; neither game nor preset."""
    return {opt.name: opt.spec.plain(getattr(rules, opt.name)) for opt in options(type(rules))}


def to_mapping(rules: Rules) -> dict[str, Any]:
    """`preset` first, then only the options that differ from it, in the order of the rule book."""
    base = to_full_mapping(rules.PRESETS[rules.preset])
    changed = {name: value for name, value in to_full_mapping(rules).items() if value != base[name]}
    return {"preset": rules.preset} | changed


def to_toml(rules: Rules) -> str:
    """A rules file with `game`, `preset` and every option; `load_toml` reads it back to equal rules."""
    return tomli_w.dumps({"game": rules.GAME, "preset": rules.preset} | to_full_mapping(rules))


def load_toml(path: str | Path, class_of: Callable[[str], type[Rules]]) -> Rules:
    """
    Rules from a TOML file: `game`, then perhaps `preset`, then options.

    Parameters
    ----------
    path : str or Path
        The file, UTF-8, at most `FILE_LIMIT` bytes.
    class_of : callable
        Gives the rules class of a game's name; raises ValueError for an unknown one.

    Raises
    ------
    RulesError
        One line beginning with the file's name: unreadable, not TOML, no game, or rules that cannot be.
    """
    mapping = _read_toml(path)
    game = mapping.get("game")
    if not isinstance(game, str):
        raise RulesError(f'{path}: a rules file begins with game = "…", got {shown(game)}')
    try:
        return from_mapping(class_of(game), mapping)
    except ValueError as error:
        raise RulesError(f"{path}: {error}") from None


def parse_setting(rules_class: type[Rules], text: str) -> tuple[str, Any]:
    """
    Option name and checked value of a command line's `NAME=VALUE`; yes/no options read `yes` and `no`.

    Raises
    ------
    RulesError
        No `=`, an unknown option (with the nearest name), or a value that is not allowed.
    """
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    known = {opt.name: opt for opt in options(rules_class)}
    if not equals:
        raise RulesError(f"a setting is NAME=VALUE, got {shown(text)}")
    if name not in known:
        raise RulesError(f"unknown option {shown(name)} of {rules_class.GAME}{did_you_mean(name, known)}")
    return name, known[name].spec.parse(name, value)


def json_schema(rules_class: type[Rules]) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the game's rules as a mapping or rules file."""
    properties: dict[str, Any] = {
        "game": {"const": rules_class.GAME},
        "preset": {"enum": list(rules_class.PRESETS), "default": next(iter(rules_class.PRESETS))},
    }
    for opt in options(rules_class):
        about = {"description": f"{opt.doc} ({opt.clause})", "default": opt.spec.plain(opt.default)}
        properties[opt.name] = opt.spec.schema() | about
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Rules of {rules_class.GAME}",
        "description": "Options that are not given have the preset's value; the defaults shown are the first preset's.",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def canonical_json(rules: Rules) -> str:
    """Every option of the rules with game and rules version, as compact JSON in the order of the rule book."""
    head = {"game": rules.GAME, "rules_version": rules.VERSION}
    return json.dumps(head | to_full_mapping(rules), separators=(",", ":"))


def rules_hash(rules: Rules) -> str:
    """SHA-256 (hex) of `canonical_json`: equal exactly when game, version and every option are."""
    return hashlib.sha256(canonical_json(rules).encode()).hexdigest()


def diff(left: Rules, right: Rules) -> list[tuple[str, Any, Any]]:
    """Options in which two rule sets of one game differ, in their order: (name, left's plain value, right's)."""
    if left.GAME != right.GAME:
        raise RulesError(f"rules of {left.GAME} and of {right.GAME} cannot be compared")
    ours, theirs = to_full_mapping(left), to_full_mapping(right)
    return [(name, value, theirs[name]) for name, value in ours.items() if value != theirs[name]]


def _read_toml(path: str | Path) -> dict[str, Any]:
    """The file's table; RulesError when it cannot be read or is not TOML."""
    try:
        with open(path, "rb") as file:
            data = file.read(FILE_LIMIT + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise RulesError(f"cannot read rules file {str(path)!r}: {reason}") from None
    if len(data) > FILE_LIMIT:
        raise RulesError(f"{path}: a rules file has at most {FILE_LIMIT} bytes")
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise RulesError(f"{path}: not UTF-8 text") from None
    except ValueError as error:
        raise RulesError(f"{path}: not TOML: {' '.join(str(error).split())}") from None
    except RecursionError:
        raise RulesError(f"{path}: not TOML: nested too deeply") from None
