"""
The built-in policies as tables for the host: functions in the order of `view.DECISIONS`, and what each needs.

Policies that take long to compile are *late*: `table` imports one when it is first named.
"""

from types import ModuleType
from typing import Any, NamedTuple

from gunzi_sim.game import Parameter
from gunzi_sim.gunzi import handcraft, policies_basic, policies_random

RANDOM = (
    policies_random.claim,
    policies_random.declare,
    policies_random.pay_or_return,
    policies_random.pay_or_return,
    policies_random.bury,
    policies_random.jokers,
    policies_random.lead,
    policies_random.follow,
)
BASIC = (
    policies_basic.claim,
    policies_basic.declare,
    policies_basic.pay_or_return,
    policies_basic.pay_or_return,
    policies_basic.bury,
    policies_basic.jokers,
    policies_basic.lead,
    policies_basic.follow,
)
BUILT_IN = {"random": RANDOM, "basic": BASIC}
"""Functions by policy."""

BIDDING = (
    Parameter("claim_trumps", 5, 0, 40, "jokers, level cards and 2s in hand from which it claims; 40: never"),
    Parameter("declare_cards", 5, 0, 40, "plain cards of a suit from which it declares it; 40: only at the end"),
    Parameter("overcall_cards", 2, 0, 40, "plain cards more than in the opponents' suit from which it overcalls"),
)
BURIALS = (
    Parameter("bury_big", 0, 0, 3, "big jokers that it buries at least, when it may"),
    Parameter("bury_small", 0, 0, 3, "the same for small jokers, which go only once no big one is kept (G8.2)"),
    Parameter("bury_roles", 15, 0, 15, "roles that these two hold for: 1 dealer + 2 next + 4 partner + 8 previous"),
    Parameter("bury_trumps", 0, 0, 45, "trumps in hand, jokers included, from which these two hold"),
)
"""Joker burials on demand, for studies of them."""

PARAMETERS = {
    "random": (),
    "basic": (
        Parameter("jokers", 0, 0, 6, "jokers it buries when it may, big ones first"),
        *BIDDING,
        Parameter("ruff_points", 0, 0, 300, "card points on the table from which it ruffs a trick of the opponents"),
        Parameter("high_trump_points", 5, 0, 300, "card points on the table worth a level card or joker"),
        Parameter("last_trump_points", 10, 0, 300, "the same for a lone trump that can win the last trick"),
        Parameter("feed_risk", 1, 0, 58, "kinds that may still beat the partner's play while it feeds him points"),
        Parameter("draw_trumps", 10, -63, 117, "draws trumps when thrice its own exceed the unseen by this"),
        *BURIALS,
    ),
}
"""Names of the policies, and the parameters that each reads, fields of `view.PARAMS`."""

DRAWS_USED = {"random": True, "basic": False}
"""Whether a policy takes words from its streams of draws."""
MODULES = (policies_random, handcraft, policies_basic)
"""Modules whose source is the policies' source."""

INNER = ("basic", "counting")
"""Policies that may play hands on for `search`, by the value of its parameter `inner`."""
LATE = ("counting", "search")
"""Names of the late policies."""


class PolicyTable(NamedTuple):
    """A policy: functions, parameters, the modules that are its source, and whether its follows take draws."""

    functions: tuple[Any, ...]
    parameters: tuple[Parameter, ...]
    modules: tuple[ModuleType, ...]
    uses_draws: bool = False


def table(name: str) -> PolicyTable:
    """A policy by name; the kernels of a late one are compiled now unless they are on disk."""
    if name in BUILT_IN:
        return PolicyTable(BUILT_IN[name], PARAMETERS[name], MODULES, DRAWS_USED[name])
    return _search() if name == "search" else _counting()


def _counting() -> PolicyTable:
    from gunzi_sim.gunzi import joker_table, odds, policies_counting

    functions = (
        *BASIC[:4],
        policies_counting.bury,
        policies_counting.jokers,
        policies_counting.lead,
        policies_counting.follow,
    )
    jokers = Parameter("jokers", -1, -1, 6, "jokers it buries when it may, big ones first; -1: by the fitted table")
    return PolicyTable(functions, (jokers, *BIDDING, *BURIALS), (*MODULES, odds, joker_table, policies_counting))


def _search() -> PolicyTable:
    from gunzi_sim.gunzi import candidates, facts, playout, policies_search, sampler

    counting = _counting()
    own = (
        Parameter("iterations", 32, 1, 100_000, "hidden hands that it plays on for a decision"),
        Parameter("inner", 1, 0, len(INNER) - 1, "who plays them on: 0 basic, 1 counting"),
    )
    known = {parameter.name: parameter for parameter in (*PARAMETERS["basic"], *counting.parameters)}
    functions = (
        *counting.functions[:4],
        policies_search.bury,
        policies_search.jokers,
        policies_search.lead,
        policies_search.follow,
    )
    modules = (*counting.modules, facts, candidates, sampler, playout, policies_search)
    return PolicyTable(functions, own + tuple(known.values()), modules)
