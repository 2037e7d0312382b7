"""
What a report of 打滚子 shows: figures that run on, distributions, heat maps, and by what its hands are picked.

Data, and what a heat map of deals counts in a deck; the types are in `exhibit`. Names are keys of the texts.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from gunzi_sim.cards import BIG, N_KINDS, SMALL
from gunzi_sim.exhibit import Axis, Distribution, HeatMap
from gunzi_sim.game import Term

HEADLINE = "attackers_take_deal"
"""Figure of the summary that a report begins with, in a sentence."""
RUNNING = ("round_won_by_side_0", "attacker_points", "settlement_side_0")
"""Figures of the summary drawn as they came in; those of rounds are left out of single-hand studies."""
GAIN = (Term("settlement_0"), Term("settlement_2"))
"""Amount by which the hands shown are picked: what side 0 gains."""
GAIN_NAME = "settlement_side_0"

DISTRIBUTIONS = (
    Distribution("hands_per_round", (Term(),), of_unit=True),
    Distribution("attacker_points", (Term("attacker_points"),), width=10),
    Distribution("settlement_side_0", GAIN, width=4),
    Distribution("tricks", (Term("tricks"),)),
)

_RANKS = ((11, "J"), (12, "Q"), (13, "K"), (14, "A"))
_DEALER_ON_SIDE = ((("dealer", (0, 2)),), (("dealer", (1, 3)),))


def _of_attackers(name: str) -> tuple[Term, ...]:
    """Sum over the seats that attack of a column stored by seat."""
    return tuple(Term(f"{name}_{seat}", _DEALER_ON_SIDE[1 - seat % 2]) for seat in range(4))


HEAT_MAPS = (
    HeatMap(
        "takes_deal_by_levels",
        Axis("level_dealers", (Term("level"),), _RANKS),
        Axis("level_attackers", tuple(Term(f"level_{1 - side}", _DEALER_ON_SIDE[side]) for side in range(2)), _RANKS),
        (Term("takes_deal"),),
        is_rate=True,
        of_rounds=True,
    ),
    HeatMap(
        "takes_deal_by_jokers",
        Axis("big_attackers", _of_attackers("big_dealt")),
        Axis("small_attackers", _of_attackers("small_dealt")),
        (Term("takes_deal"),),
        is_rate=True,
    ),
)

DEAL_AXES = (Axis("big_dealers", ()), Axis("small_dealers", ()))
"""What deals of later hands are sorted by, where arms played the same ones; the amounts are `of_deals`."""
_N_DEALT = 156


def of_deals(decks: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
    """
    Amounts of `DEAL_AXES` in deals of later hands, in which the dealer draws first (G3.1, G3.2).

    Parameters
    ----------
    decks : uint8[n, 162]
        Cards in dealing order, card c being copy c // 54 of kind c % 54.

    Returns
    -------
    int64[2, n]
        Big and small jokers dealt to the dealer and its partner.
    """
    kinds = decks[:, :_N_DEALT:2] % N_KINDS
    return np.stack([(kinds == joker).sum(axis=1) for joker in (BIG, SMALL)])
