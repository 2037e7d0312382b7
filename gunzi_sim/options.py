"""
The words of a command line: verbs, options and what they may hold, and one line for what is wrong with them.

`verb` makes a function of (screen, …) a subcommand that also takes the common options. Parsers raise
`typer.BadParameter` with what is allowed and what was given; `usage` turns every complaint of typer into one sentence
with the nearest known name. Left out: what the verbs do (`cli`).
"""

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

from gunzi_sim import game
from gunzi_sim.console import Screen

MAX_SEED = 2**64 - 1
MAX_UNITS = 2**48
F = TypeVar("F", bound=Callable[..., Any])


class Verbs(typer.core.TyperGroup):
    """A group of verbs in the order written, whose unknown members are named in one line with the nearest known one."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Names in the order written."""
        return list(self.commands)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the verb, or say which one is near."""
        if args and args[0] not in self.commands:
            raise typer.BadParameter(
                f"unknown command {game.shown(args[0])}{game.did_you_mean(args[0], self.commands)}"
            )
        return super().resolve_command(ctx, args)


def whole(low: int, high: int) -> Callable[[Any], int]:
    """Parser of an option that is a whole number from low to high."""

    def parse(text: Any) -> int:
        word = str(text).strip()
        digits = word[1:] if word[:1] in ("-", "+") else word
        number = int(word) if digits.isascii() and digits.isdigit() and len(digits) <= 40 else None
        if number is None or not low <= number <= high:
            raise typer.BadParameter(f"must be a whole number from {low} to {high}, got {game.shown(word)}")
        return number

    return parse


def one_of(*allowed: str) -> Callable[[str], str]:
    """Parser of an option that is one of a few words."""

    def parse(text: str) -> str:
        if text not in allowed:
            raise typer.BadParameter(f"must be {' or '.join(allowed)}, got {game.shown(text)}")
        return text

    return parse


def levels(text: Any) -> list[int]:
    """Parser of two levels, `5,3`; `A` is 14."""
    words = str(text).split(",")
    if len(words) != 2:
        raise typer.BadParameter(f"must be two levels, of side 0 and side 1, such as 5,3, got {game.shown(text)}")
    return [whole(3, 14)({"J": 11, "Q": 12, "K": 13, "A": 14}.get(word.strip().upper(), word)) for word in words]


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"gunzi-sim {version('gunzi-sim')}")
        raise typer.Exit()


Version = Annotated[
    bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
]
COMMON: dict[str, tuple[Any, Any]] = {
    "json": (Annotated[bool, typer.Option("--json", help="Machine-readable output, nothing else on stdout.")], False),
    "quiet": (Annotated[bool, typer.Option("--quiet", help="No progress, no remarks.")], False),
    "seed": (
        Annotated[int, typer.Option("--seed", metavar="N", parser=whole(0, MAX_SEED), help="Seed, 0 … 2^64 - 1.")],
        0,
    ),
    "lang": (
        Annotated[str, typer.Option("--lang", metavar="en|zh", parser=one_of("en", "zh"), help="Language of texts.")],
        "en",
    ),
    "ascii": (Annotated[bool, typer.Option("--ascii", help="Cards and marks in ASCII.")], False),
    "version": (Version, False),
}
"""Options every verb takes, as (annotation, default)."""
_COMMON_NAMES = [f"--{key}" for key in COMMON]


RULES_HELP = "A preset's name, or a rules file (TOML)."
Game = Annotated[str, typer.Option("--game", metavar="NAME", help="The game.")]
RulesName = Annotated[str, typer.Argument(metavar="RULES", help=RULES_HELP)]
RunPath = Annotated[str, typer.Argument(metavar="RUN", help="A run directory.")]
RulesOption = Annotated[str, typer.Option("--rules", metavar="RULES", help=RULES_HELP)]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change one option of the rules; repeatable.")
]
PoliciesOption = Annotated[
    str, typer.Option("--policies", metavar="NAME[,…]", help="One for all seats or one a seat, NAME:KEY=VALUE:….")
]
RoundsOption = Annotated[
    int | None, typer.Option("--rounds", metavar="N", parser=whole(1, MAX_UNITS), help="Number of rounds.")
]
HandsOption = Annotated[
    int | None,
    typer.Option("--hands", metavar="N", parser=whole(1, MAX_UNITS), help="Number of single hands instead."),
]
LevelsOption = Annotated[
    list[int] | None,
    typer.Option("--levels", metavar="L,L", parser=levels, help="With --hands: levels of both sides."),
]
DealerOption = Annotated[
    int | None, typer.Option("--dealer", metavar="SEAT", parser=whole(0, 3), help="With --hands: the dealer.")
]
OwedOption = Annotated[
    int | None, typer.Option("--owed", metavar="N", parser=whole(0, 32_767), help="With --hands: tribute owed.")
]
FirstHandOption = Annotated[bool, typer.Option("--first-hand", help="With --hands: first hands of a round.")]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", metavar="N", parser=whole(1, 1024), help="Threads; one a CPU by default.")
]
IndexOption = Annotated[
    str | None, typer.Option("--index", metavar="I[:J]", help="Round I (or hand, with --hands); or I to J - 1.")
]
HandOption = Annotated[
    int | None, typer.Option("--hand", metavar="K", parser=whole(0, 65_535), help="Hand K of the round; else all.")
]
OutFile = Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Write here, not to stdout.")]


def verb(group: typer.Typer, name: str | None = None) -> Callable[[F], F]:
    """Make a function of (screen, …) a verb of the group; the common options become its `Screen`."""

    def register(function: F) -> F:
        signature = inspect.signature(function)
        own = list(signature.parameters.values())[1:]
        added = [
            inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
            for key, (annotation, default) in COMMON.items()
        ]

        @functools.wraps(function)
        def call(**values: Any) -> None:
            common = {key: values.pop(key) for key in COMMON}
            del common["version"]
            function(Screen(**common), **values)

        keyword = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
        call.__signature__ = signature.replace(parameters=keyword + added)  # type: ignore[attr-defined]
        call.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword + added}
        group.command(name)(call)
        return function

    return register


def usage(error: Any) -> str:
    """What is wrong with the words, and the nearest known name."""
    context: Any = getattr(error, "ctx", None)
    name = type(error).__name__
    commands = getattr(getattr(context, "command", None), "commands", None)
    if name == "NoSuchOption":
        known = [option for parameter in context.command.params for option in parameter.opts if option[:1] == "-"]
        if commands and error.option_name.split("=")[0] in _COMMON_NAMES:
            return f"{error.option_name} comes after the command: gunzi-sim COMMAND {error.option_name}"
        known.append("--help")
        return f"unknown option {game.shown(error.option_name)}{game.did_you_mean(error.option_name, known)}"
    if commands and error.message.startswith("Missing command"):
        return f"needs a command: {', '.join(commands)}"
    parameter = getattr(error, "param", None)
    label = "" if parameter is None else _label(parameter)
    if name == "MissingParameter":
        return f"{label} is missing; usage: {' '.join(context.command.get_usage(context).split()[1:])}"
    if parameter is not None:
        return f"{label} {error.message}"
    return str(error.message[:1].lower() + error.message[1:].rstrip("."))


def _label(parameter: Any) -> str:
    """An option by its name, an argument by the word that stands for it."""
    option = next((option for option in parameter.opts if option.startswith("--")), None)
    return option or parameter.metavar or str(parameter.name).upper()


def where(command: Any, words: list[str]) -> str:
    """`gunzi-sim VERB`, as far as the words name one."""
    known, path = command, ["gunzi-sim"]
    for word in words:
        known = getattr(known, "commands", {}).get(word)
        if known is None:
            break
        path.append(word)
    return " ".join(path)
