"""
What a report of 打滚子 shows: figures that run on, distributions, heat maps, and by what its hands are picked.

Data alone; the types are in `exhibit`. Names are keys of the texts.
"""

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
