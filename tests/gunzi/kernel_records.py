"""The kernel's records and planes for tests: a STATE with rules and fields set, sets of cards by place or by kind."""

from collections import Counter
from functools import cache

import numba
import numpy as np
from counts import IS_COMPILED

from gunzi_sim.cards import parse_hand
from gunzi_sim.gunzi.rules import PRESETS
from gunzi_sim.gunzi.state import STATE
from gunzi_sim.gunzi.view import FAULT_CLAUSES, FIVES, KIND_AT, MIN_LEVEL, PLACE_OF, RULES, TENS

STANDARD = PRESETS["standard"]


def records(n, dtype):
    """Zeroed records whose elements the kernels take, compiled or not."""
    made = np.zeros(n, dtype)
    return made if IS_COMPILED else made.view(np.recarray)


def kernel_rules(rules=STANDARD):
    """The RULES record of some rules."""
    made = records(1, RULES)
    for name in RULES.names:
        made[name] = int(getattr(rules, name))
    return made[0]


def kernel_state(rules=STANDARD, **fields):
    """STATE[1] under some rules; other fields zero but for those given."""
    made = records(1, STATE)
    for name in RULES.names:
        made["rules"][name] = int(getattr(rules, name))
    for name, value in fields.items():
        made[name] = value
    return made


def call(kernel, states, *args):
    """
    `kernel(states[0], *args)`, which returns and writes into the state as the engine's own calls do.

    A state has overlaid fields and so cannot be handed over alone by the host, only in its array.
    """
    return _on_first(kernel)(states, *args)


@cache
def _on_first(kernel):
    if not IS_COMPILED:
        return lambda states, *args: kernel(states[0], *args)

    @numba.njit
    def on_first(states, *args):
        return kernel(states[0], *args)

    return on_first


def at_level(level):
    """The fields of a STATE that a level sets."""
    at = level - MIN_LEVEL
    return {"level": level, "z_level": at, "fives": FIVES[at], "tens": TENS[at]}


def kinds(cards):
    """Kinds of cards given by name, or kinds as they are."""
    return parse_hand(cards) if isinstance(cards, str) else list(cards)


def planes(cards, level=5, trump=0):
    """Three planes of places of cards by name or kind."""
    return planes_by_kind(int(PLACE_OF[level - MIN_LEVEL, trump, kind]) for kind in kinds(cards))


def planes_by_kind(cards):
    """Three planes of bits, of cards by name or of bit numbers."""
    copies = Counter(kinds(cards))
    return [np.uint64(sum(1 << bit for bit in copies if copies[bit] >= n)) for n in (1, 2, 3)]


def cards_at(plane, level=5, trump=0):
    """Sorted kinds at the places of one plane; holes are left out."""
    at = KIND_AT[level - MIN_LEVEL, trump]
    return sorted(int(at[place]) for place in range(58) if int(plane) >> place & 1 and at[place] < 54)


def clause(code):
    """Clause of a fault code, "" for none."""
    return FAULT_CLAUSES[int(code)]
