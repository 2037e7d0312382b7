"""
The words of a command line: verbs, options and what they may hold.

`verb` makes a function of (screen, …) a subcommand. Each parameter after the screen carries an `Argument` or `Option`
in its annotation; the common options are added. `parse` finds the verb and its values; whatever is wrong is an
`InputError` of one sentence with what is allowed, what was given and the nearest known name. Argparse does the
splitting; the parser of one verb is made when it is called. Left out: what the verbs do (`cli`).
"""

import argparse
import inspect
import math
import os
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from typing import Annotated, Any, NamedTuple, NoReturn, TypeVar, get_args

from gunzi_sim import game
from gunzi_sim.game import InputError, shown

MAX_SEED = 2**64 - 1
MAX_UNITS = 2**48
MAX_THREADS = 1024
MAX_OWED = 2**15 - 1
F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Argument:
    """A word by its place; `many` takes one or more. Without a default it must be given."""

    metavar: str
    help: str
    many: bool = False


@dataclass(frozen=True)
class Option:
    """A named option; a bool is a flag, `many` may be repeated, `parse` makes the value of a text."""

    name: str
    help: str
    metavar: str = ""
    parse: Callable[[str], Any] = str
    many: bool = False
    short: str = ""


class Verb(NamedTuple):
    """A subcommand: its words, its function, and what it says of itself."""

    words: tuple[str, ...]
    function: Callable[..., int | None]
    doc: str


class Call(NamedTuple):
    """A parsed command line: the function, its values, and those of the common options; or a text to print."""

    function: Callable[..., int | None] | None
    values: dict[str, Any]
    common: dict[str, Any]
    text: str = ""


VERBS: dict[tuple[str, ...], Verb] = {}
"""Every subcommand by its words, in the order written."""
GROUPS = {"rules": "Rule variants as documents: list, show, diff, check, schema."}
"""First words of subcommands of two words, with what they are about."""
ABOUT = "Simulate 打滚子 (da gunzi) by the thousand, check hands from the table, show them trick by trick."


def verb(words: str) -> Callable[[F], F]:
    """Make a function of (screen, …) the subcommand of these words."""

    def register(function: F) -> F:
        path = tuple(words.split())
        VERBS[path] = Verb(path, function, inspect.getdoc(function) or "")
        return function

    return register


# --- values ---


def whole(low: int, high: int) -> Callable[[str], int]:
    """Parser of a whole number from low to high."""

    def parse_whole(text: str) -> int:
        word = text.strip()
        digits = word[1:] if word[:1] in ("-", "+") else word
        number = int(word) if digits.isascii() and digits.isdigit() and len(digits) <= 40 else None
        if number is None or not low <= number <= high:
            raise argparse.ArgumentTypeError(f"must be a whole number from {low} to {high}, got {shown(word)}")
        return number

    return parse_whole


def one_of(*allowed: str) -> Callable[[str], str]:
    """Parser of one of a few words."""

    def parse_word(text: str) -> str:
        if text not in allowed:
            raise argparse.ArgumentTypeError(f"must be {' or '.join(allowed)}, got {shown(text)}")
        return text

    return parse_word


def number(low: float) -> Callable[[str], float]:
    """Parser of a finite decimal number from `low`."""

    def parse_number(text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not low <= found < math.inf:
            raise argparse.ArgumentTypeError(f"must be a number from {low:g}, got {shown(text)}")
        return found

    return parse_number


def two_levels(text: str) -> list[int]:
    """Parser of two levels, `5,3`; J, Q, K and A are 11 to 14."""
    words = text.split(",")
    if len(words) != 2:
        raise argparse.ArgumentTypeError(f"must be two levels, of side 0 and side 1, such as 5,3, got {shown(text)}")
    names = {"J": "11", "Q": "12", "K": "13", "A": "14"}
    return [whole(3, 14)(names.get(word.strip().upper(), word)) for word in words]


RULES_HELP = "A preset's name, or a rules file (TOML)."
Game = Annotated[str, Option("--game", "The game.", "NAME")]
RulesName = Annotated[str, Argument("RULES", RULES_HELP)]
RunPath = Annotated[str, Argument("RUN", "A run directory.")]
Rules = Annotated[str, Option("--rules", RULES_HELP, "RULES")]
Set = Annotated[
    list[str] | None, Option("--set", "Change one option of the rules; repeatable.", "NAME=VALUE", many=True)
]
Policies = Annotated[
    str, Option("--policies", "One for all seats, or one a seat; each NAME:KEY=VALUE:….", "NAME[,NAME,NAME,NAME]")
]
Rounds = Annotated[int | None, Option("--rounds", "Number of rounds.", "N", whole(1, MAX_UNITS))]
Hands = Annotated[int | None, Option("--hands", "Number of single hands instead.", "N", whole(1, MAX_UNITS))]
Levels = Annotated[list[int] | None, Option("--levels", "Start: levels of both sides.", "L,L", two_levels)]
Dealer = Annotated[int | None, Option("--dealer", "Start: the dealer.", "SEAT", whole(0, 3))]
Owed = Annotated[int | None, Option("--owed", "Start: tribute owed.", "N", whole(0, MAX_OWED))]
FirstHand = Annotated[bool, Option("--first-hand", "With --hands: first hands of a round.")]
Threads = Annotated[int | None, Option("--threads", "Threads; one a CPU by default.", "N", whole(1, MAX_THREADS))]
Index = Annotated[str | None, Option("--index", "Round I (or hand, with --hands), or I to J - 1.", "I[:J]")]
Hand = Annotated[int | None, Option("--hand", "Hand K of the round; else all.", "K", whole(0, 65_535))]
OutFile = Annotated[str | None, Option("--output", "Write here, not to stdout.", "FILE", short="-o")]

COMMON: dict[str, tuple[Option, Any]] = {
    "json": (Option("--json", "Machine-readable output, nothing else on stdout."), False),
    "quiet": (Option("--quiet", "No progress, no remarks."), False),
    "seed": (Option("--seed", "Seed, 0 to 2^64 - 1.", "N", whole(0, MAX_SEED)), 0),
    "lang": (Option("--lang", "Language of texts.", "en|zh", one_of("en", "zh")), "en"),
    "ascii": (Option("--ascii", "Cards and marks in ASCII."), False),
}
"""Options every verb takes, with their defaults."""


# --- a command line ---


def parse(words: Sequence[str]) -> Call:
    """
    The verb and its values.

    Raises
    ------
    InputError
        In one sentence: an unknown verb or option (the nearest is named), a missing or surplus word, a bad value.
    """
    if not words or words[0] in ("-h", "--help"):
        return Call(None, {}, {}, _overview())
    if words[0] == "--version":
        return Call(None, {}, {}, _version())
    path = find(words)
    if path and path not in VERBS and words[1:2] in (["-h"], ["--help"]):
        return Call(None, {}, {}, _group_help(path[0]))
    if path not in VERBS:
        raise InputError(_no_verb(words, path))
    parser = _parser(VERBS[path])
    try:
        values, rest = parser.parse_known_intermixed_args(list(words[len(path) :]))
    except _Text as text:
        return Call(None, {}, {}, str(text))
    if rest:
        raise InputError(_surplus(rest, parser))
    found = vars(values)
    common = {name: found.pop(name) for name in COMMON}
    return Call(VERBS[path].function, found, common)


def find(words: Sequence[str]) -> tuple[str, ...]:
    """As many first words as belong to a verb or group."""
    n = 2 if words and words[0] in GROUPS else 1
    path = tuple(words[:n])
    if path in VERBS:
        return path
    return path[:1] if path[:1] and path[0] in GROUPS else ()


class _Text(Exception):
    """A text was asked for instead of a call."""


class _Say(argparse.Action):
    """An option that ends parsing with a text."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        raise _Text(_version() if self.dest == "version" else parser.format_help())


class _Parser(argparse.ArgumentParser):
    """An argument parser that raises."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, by the option's long name or the argument's word."""
        missing = re.fullmatch(r"the following arguments are required: (.*)", message)
        if missing:
            raise InputError(f"{missing[1]} is missing; {self.prog} --help says more")
        match = re.fullmatch(r"argument (?:\S+/)?(\S+): (.*)", message, re.DOTALL)
        raise InputError(f"{match[1]} {match[2]}" if match else message)


def _parser(found: Verb) -> _Parser:
    """The parser of one verb, made from its function's signature."""
    program = " ".join(["gunzi-sim", *found.words])
    parser = _Parser(prog=program, description=found.doc, allow_abbrev=False, add_help=False)
    parser.usage = program
    for parameter in list(inspect.signature(found.function).parameters.values())[1:]:
        kind = get_args(parameter.annotation)[1]
        if isinstance(kind, Argument):
            nargs = "+" if kind.many else None if parameter.default is parameter.empty else "?"
            default = None if parameter.default is parameter.empty else parameter.default
            parser.add_argument(parameter.name, metavar=kind.metavar, help=kind.help, nargs=nargs, default=default)
            word = kind.metavar + (" ..." if kind.many else "")
            parser.usage += f" [{word}]" if nargs == "?" else f" {word}"
        else:
            _add(parser, parameter.name, kind, parameter.default)
    parser.usage += " [OPTIONS]"
    for name, (option, default) in COMMON.items():
        _add(parser, name, option, default)
    for names, doc in ((["--version"], "Print the version and end."), (["-h", "--help"], "Print this and end.")):
        parser.add_argument(*names, action=_Say, nargs=0, default=argparse.SUPPRESS, help=doc)
    return parser


def _add(parser: _Parser, name: str, option: Option, default: Any) -> None:
    names = [option.short, option.name] if option.short else [option.name]
    if isinstance(default, bool):
        parser.add_argument(*names, dest=name, action="store_false" if default else "store_true", help=option.help)
        return
    shown_default = "" if default is None else f" [{default}]"
    parser.add_argument(
        *names,
        dest=name,
        metavar=option.metavar,
        type=option.parse,
        action="append" if option.many else "store",
        default=default,
        help=(option.help + shown_default).replace("%", "%%"),
    )


def _no_verb(words: Sequence[str], path: tuple[str, ...]) -> str:
    """What is wrong with words that name no verb."""
    known = [verb[len(path)] for verb in VERBS if verb[: len(path)] == path and len(verb) > len(path)]
    known = list(dict.fromkeys(known))
    rest = words[len(path) :]
    if not rest:
        return f"needs a command: {', '.join(known)}"
    if rest[0].startswith("-") and rest[0].split("=")[0] in [option.name for option, _ in COMMON.values()]:
        return f"{rest[0]} comes after the command: gunzi-sim COMMAND {rest[0]}"
    what = "option" if rest[0].startswith("-") else "command"
    return f"unknown {what} {shown(rest[0])}{game.did_you_mean(rest[0], known)}"


def _surplus(rest: Sequence[str], parser: _Parser) -> str:
    """What is wrong with words that are left over."""
    option = next((word for word in rest if word.startswith("-")), None)
    if option is None:
        return f"unexpected argument {shown(rest[0])}"
    known = [name for action in parser._actions for name in action.option_strings if name.startswith("--")]
    name = option.split("=")[0]
    return f"unknown option {shown(name)}{game.did_you_mean(name, known)}"


def _version() -> str:
    return f"gunzi-sim {version('gunzi-sim')}\n"


def _group_help(group: str) -> str:
    """The help of a group of verbs."""
    verbs = [found for path, found in VERBS.items() if path[0] == group]
    lines = [f"  {' '.join(found.words):15}{found.doc.splitlines()[0]}" for found in verbs]
    return "\n".join([f"usage: gunzi-sim {group} COMMAND [OPTIONS]", "", GROUPS[group], "", *lines, ""])


def _overview() -> str:
    """The help of the program: its verbs."""
    rows = {path[0]: found.doc.split("\n")[0] for path, found in VERBS.items() if len(path) == 1} | GROUPS
    names = list(dict.fromkeys(path[0] for path in VERBS))
    lines = [f"  {name:9}{rows[name]}" for name in names]
    return "\n".join(
        [
            "usage: gunzi-sim COMMAND [OPTIONS]",
            "",
            ABOUT,
            "",
            "commands:",
            *lines,
            "",
            "options:",
            "  --version  Print the version and end.",
            "  --help     Print this, or with a command its options.",
            "",
        ]
    )


# --- what verbs share ---


def named_rules(game_name: str, name: str, settings: Sequence[str] = ()) -> game.Rules:
    """Rules from a preset's name or a file's, with the command line's settings."""
    from gunzi_sim import games

    rules_class = games.rules_class(game_name)
    is_file = name not in rules_class.PRESETS and (name.endswith(".toml") or os.path.isfile(name))
    rules = game.load_toml(name, games.rules_class) if is_file else game.find_preset(rules_class, name)
    return game.change(rules, **dict(game.parse_setting(type(rules), text) for text in settings))


@contextmanager
def resumable(again: str, run: str | None = None) -> Iterator[None]:
    """Say how what stops can be gone on with, by the command `again`, or how a hand of `run` that failed is shown."""
    try:
        yield
    except game.PolicyError as error:
        if run is not None:
            error.args = (f"{error.message}; replay: gunzi-sim show {quoted(run)} {error.replay_options()}",)
        raise
    except KeyboardInterrupt as error:
        error.args = (f"{str(error) or 'interrupted'}; gunzi-sim {again} goes on",)
        raise


def quoted(path: str) -> str:
    """A path as a shell takes it."""
    return path if os.name == "nt" else shlex.quote(path)
