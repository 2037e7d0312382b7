"""
Names of the games and their modules, imported on first use.

Reading a record or rules needs the plain-Python modules of a game only; these getters import nothing compiled.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from gunzi_sim.game import InputError as InputError
from gunzi_sim.game import Rules, did_you_mean, shown

GAMES = ("gunzi",)
"""Games by name; each has a folder of that name with the same file names."""


def referee(game: str) -> ModuleType:
    """The referee module of a game; InputError for an unknown name."""
    return _module(game, "referee")


def records(game: str) -> ModuleType:
    """The records module of a game; InputError for an unknown name."""
    return _module(game, "records")


def rules_of(game: str) -> ModuleType:
    """The rules module of a game; InputError for an unknown name."""
    return _module(game, "rules")


def rules_class(game: str) -> type[Rules]:
    """The rules class of a game; InputError for an unknown name."""
    found: type[Rules] = rules_of(game).RULES
    return found


def _module(game: str, name: str) -> ModuleType:
    if game not in GAMES:
        raise InputError(f"unknown game {shown(game)}{did_you_mean(game, GAMES)}")
    return import_module(f"gunzi_sim.{game}.{name}")
