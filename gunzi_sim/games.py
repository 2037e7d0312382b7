"""
Names of the games and their modules, imported on first use, and the policies known to this process.

Reading a record or rules needs the plain-Python modules of a game only; `get` gives a `Game`, whose methods import the
game's engine, and with it the compiled kernels, when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import ModuleType
from typing import Any

from gunzi_sim.game import Column, Job, Parameter, PolicySpec, Rules, Situation, did_you_mean, shown
from gunzi_sim.game import InputError as InputError
from gunzi_sim.game import PolicyError as PolicyError

GAMES = ("gunzi",)
"""Games by name; each has a folder of that name with the same file names."""
KERNEL_MODULE = "play"
"""Module of each game whose compiled kernel on disk means that a run need not compile."""
ADVISOR_MODULE = "trials"
"""The same for advice."""
N_SEATS = {"gunzi": 4}
"""Seats of each game."""


def referee(game: str) -> ModuleType:
    """The referee module of a game; InputError for an unknown name."""
    return _module(game, "referee")


def records(game: str) -> ModuleType:
    """The records module of a game; InputError for an unknown name."""
    return _module(game, "records")


def advisor(game: str) -> ModuleType:
    """The module of a game that plays the answers to one question on; compiles what the cache does not have."""
    return _module(game, "advisor")


def figures(game: str) -> ModuleType:
    """The module of a game that says what arms are compared by; InputError for an unknown name."""
    return _module(game, "figures")


def seen(game: str) -> ModuleType:
    """The module of a game that makes a question of a player's words; InputError for an unknown name."""
    return _module(game, "seen")


def story(game: str) -> ModuleType:
    """The module of a game that tells a hand in words; InputError for an unknown name."""
    return _module(game, "story")


def exhibits(game: str) -> ModuleType:
    """The module of a game that says what its report shows; InputError for an unknown name."""
    return _module(game, "exhibits")


def steps(game: str) -> ModuleType:
    """The module of a game that makes the steps of a replay; InputError for an unknown name."""
    return _module(game, "steps")


def rules_of(game: str) -> ModuleType:
    """The rules module of a game; InputError for an unknown name."""
    return _module(game, "rules")


def rules_class(game: str) -> type[Rules]:
    """The rules class of a game; InputError for an unknown name."""
    found: type[Rules] = rules_of(game).RULES
    return found


@dataclass(frozen=True)
class Game:
    """A game by name. What needs no kernel is answered without the engine."""

    name: str
    policies: dict[str, Any] = field(default_factory=dict, repr=False)
    """Policies by name; filled with the built-in ones when the engine is first imported."""

    @property
    def rules_class(self) -> type[Rules]:
        """Class of its rules."""
        return rules_class(self.name)

    @property
    def columns(self) -> tuple[Column, ...]:
        """Columns of its table."""
        found: tuple[Column, ...] = records(self.name).COLUMNS
        return found

    @property
    def n_seats(self) -> int:
        """Number of seats."""
        return N_SEATS[self.name]

    @property
    def decisions(self) -> tuple[str, ...]:
        """Names of the decisions of a policy."""
        found: tuple[str, ...] = self.engine().DECISIONS
        return found

    def engine(self) -> ModuleType:
        """The host side of its kernels; compiles them where the cache has none."""
        module = _module(self.name, "engine")
        for name, policy in module.built_in_policies().items():
            self.policies.setdefault(name, policy)
        return module

    def bound(self) -> Game:
        """The game with its policies as they are now, whatever is registered later."""
        self.engine()
        return replace(self, policies=dict(self.policies))

    def row_dtype(self) -> Any:
        """NumPy dtype of one row of its table."""
        return self.engine().ROW

    def play_range(self, job: Job, start: int, stop: int, out_rows: Any) -> tuple[int, int]:
        """
        Play units start to stop - 1 into `out_rows`, whole units only.

        Returns
        -------
        n_units, n_rows : int
            Units played before the first that did not fit, and rows filled.

        Raises
        ------
        PolicyError
            A policy broke a rule or raised.
        InputError
            A given deal is void.
        """
        played: tuple[int, int] = self.engine().play_range(job, self._table(job), start, stop, out_rows)
        return played

    def records(self, job: Job, unit: int, hand: int | None = None) -> list[dict[str, Any]]:
        """Internal records, without `result`, of one unit's hands, or of one of them; InputError where it has none."""
        found: list[dict[str, Any]] = self.engine().records_of(job, self._table(job), unit, hand)
        return found

    def traced(self, job: Job, unit: int) -> Iterator[tuple[dict[str, Any], Any]]:
        """Record without `result` and row of the table, hand by hand, of one unit."""
        found: Iterator[tuple[dict[str, Any], Any]] = self.engine().traced(job, self._table(job), unit)
        return found

    def _table(self, job: Job) -> dict[str, Any]:
        """The policies by name, those of a job that come late among them."""
        engine = self.engine()
        for spec in job.policies:
            if spec.name not in self.policies and spec.name in engine.LATE_POLICIES:
                self.policies[spec.name] = engine.own_policy(spec.name)
        return self.policies

    def deals(self, n: int, seed: int, first: int = 0) -> Any:
        """Dealt decks of n single hands from number `first` on, cards in dealing order: uint8[n, n_cards]."""
        return self.engine().deals(n, seed, first)


_GAMES: dict[str, Game] = {}


def get(name: str) -> Game:
    """The game of that name; InputError for an unknown one."""
    _check_game(name)
    return _GAMES.setdefault(name, Game(name))


# --- policies --------------------------------------------------------------------------------------------------------


def find_policy(game: str, name: str) -> Any:
    """A policy of a game by name; InputError with the nearest known name."""
    found = get(game)
    engine = found.engine()
    if name not in found.policies and name in engine.LATE_POLICIES:
        found.policies[name] = engine.own_policy(name)
    if name not in found.policies:
        known = list(dict.fromkeys([*engine.built_in_policies(), *engine.LATE_POLICIES, *found.policies]))
        raise InputError(f"unknown policy {shown(name)}{did_you_mean(name, known)}")
    return found.policies[name]


def parse_policies(game: str, given: str | PolicySpec | Sequence[str | PolicySpec]) -> tuple[PolicySpec, ...]:
    """
    One policy a seat from `basic`, `basic:jokers=2,random,…` or a sequence of such names.

    Parameters
    ----------
    game : str
    given : str or sequence
        One policy for all seats, or one a seat; parameters as `NAME:KEY=VALUE:…`.

    Raises
    ------
    InputError
        For another number of policies, an unknown name or parameter (nearest named), or a value out of range.
    """
    if isinstance(given, PolicySpec) or isinstance(given, str):
        given = given.split(",") if isinstance(given, str) else [given]
    if not isinstance(given, Sequence):
        raise InputError(f"policies must be a name or a sequence of names, got {shown(given)}")
    n_seats = get(game).n_seats
    if len(given) not in (1, n_seats):
        raise InputError(f"policies must name 1 policy for all seats or {n_seats}, one a seat, got {len(given)}")
    specs = [_parse_policy(game, text) for text in given]
    return tuple(specs * n_seats if len(specs) == 1 else specs)


def _parse_policy(game: str, given: object) -> PolicySpec:
    """One policy from its text."""
    if isinstance(given, PolicySpec):
        given = str(given)
    if not isinstance(given, str):
        raise InputError(f"a policy is given by name, got {shown(given)}")
    name, *settings = given.strip().split(":")
    parameters = {parameter.name: parameter for parameter in find_policy(game, name).parameters}
    values: dict[str, int] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals or key in values:
            raise InputError(f"policy {name}: parameters are written KEY=VALUE, each once, got {shown(setting)}")
        if key not in parameters:
            known = did_you_mean(key, parameters) if parameters else "; it has none"
            raise InputError(f"policy {name} has no parameter {shown(key)}{known}")
        values[key] = _parameter_value(name, parameters[key], value)
    return PolicySpec(name, tuple((key, values[key]) for key in parameters if key in values))


def _parameter_value(policy: str, parameter: Parameter, text: str) -> int:
    """A parameter's value from its text, checked against its range."""
    allowed = f"policy {policy}: {parameter.name} must be a whole number {parameter.low} to {parameter.high}"
    digits = text.strip().removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 20):
        raise InputError(f"{allowed}, got {shown(text)}")
    value = int(text)
    if not parameter.low <= value <= parameter.high:
        raise InputError(f"{allowed}, got {shown(value)}")
    return value


def policy_source_hash(game: str, spec: PolicySpec) -> str:
    """SHA-256 of a policy's source, hexadecimal."""
    found: str = find_policy(game, spec.name).source_hash
    return found


def register_policy(
    game: str, decision: str, name: str, base: str, function: Callable[..., Any], anew: bool = False
) -> Any:
    """
    Make a policy of `function` for one decision, and of the policy `base` for all others, known by `name`.

    A name already made in this process gets the decision added; a built-in name is refused.

    Raises
    ------
    InputError
        For an unknown game, decision or base, a name that cannot be used, or a function that does not compile.
    """
    found = get(game)
    engine = found.engine()
    if not isinstance(name, str) or not name.replace("_", "").replace("-", "").isalnum():
        raise InputError(f"a policy's name is made of letters, digits, - and _, got {shown(name)}")
    if name in engine.built_in_policies() or name in engine.LATE_POLICIES:
        raise InputError(f"policy {name!r} comes with the game; take another name")
    start = found.policies[name] if name in found.policies and not anew else find_policy(game, base)
    found.policies[name] = engine.make_policy(name, decision, function, start)
    return found.policies[name]


def _check_game(game: object) -> None:
    if game not in GAMES:
        raise InputError(f"unknown game {shown(game)}{did_you_mean(game, GAMES)}")


def _module(game: str, name: str) -> ModuleType:
    _check_game(game)
    return import_module(f"gunzi_sim.{game}.{name}")


__all__ = [
    "GAMES",
    "Game",
    "InputError",
    "Job",
    "PolicyError",
    "PolicySpec",
    "Situation",
    "advisor",
    "figures",
    "find_policy",
    "get",
    "parse_policies",
    "policy_source_hash",
    "records",
    "referee",
    "register_policy",
    "rules_class",
    "rules_of",
    "seen",
    "story",
]
