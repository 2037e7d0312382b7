"""
What arms of a comparison of 打滚子 are judged by, as data: figures of one side, and figures of a hand as a whole.

Where arms differ in policies, one side plays them and the figures are that side's; `OF_SIDE[s]` holds those of side s,
under the same names for both. Where arms differ in rules only, all seats play alike and `OF_HAND` holds the figures.
Left out: sums and intervals (`arms`).
"""

from collections.abc import Mapping

from gunzi_sim.game import Rules, Statistic, Term, Where
from gunzi_sim.gunzi.records import SUMMARY

_DEALING: tuple[Where, Where] = ((("dealer", (0, 2)),), (("dealer", (1, 3)),))
_ROUND_IS_OVER: Where = (("round_end", (1, 2, 3, 4, 5, 6)),)


def _of_side(side: int) -> tuple[Statistic, ...]:
    """The figures of one side."""
    dealing, attacking = _DEALING[side], _DEALING[1 - side]
    seats = (f"settlement_{side}", f"settlement_{side + 2}")
    return (
        Statistic("settlement", "chips", "settlement of the side's two seats together (G14)", tuple(map(Term, seats))),
        Statistic(
            "round_won",
            "share of rounds",
            "rounds that the side won (G2.4, G12.5)",
            (Term(where=(("round_winner", (side,)),)),),
            is_rate=True,
            among=_ROUND_IS_OVER,
            once_a_round=True,
        ),
        Statistic("levels", "levels", "levels that the side rose (G2.3)", (Term(f"raise_{side}"),)),
        Statistic("levels_given", "levels", "levels that the other side rose (G2.3)", (Term(f"raise_{1 - side}"),)),
        Statistic(
            "settlement_dealing",
            "chips",
            "settlement of both seats in hands in which the side deals (G14)",
            tuple(Term(seat, dealing) for seat in seats),
            among=dealing,
        ),
        Statistic(
            "settlement_attacking",
            "chips",
            "settlement of both seats in hands in which the side attacks (G14)",
            tuple(Term(seat, attacking) for seat in seats),
            among=attacking,
        ),
        Statistic(
            "points_attacking",
            "card points",
            "S in hands in which the side attacks (G11)",
            (Term("attacker_points", attacking),),
            among=attacking,
        ),
        Statistic(
            "points_given",
            "card points",
            "S in hands in which the side deals (G11)",
            (Term("attacker_points", dealing),),
            among=dealing,
        ),
        Statistic(
            "deals_taken",
            "share of hands",
            "hands in which the side attacks and takes the deal (G12.1)",
            (Term("takes_deal", attacking),),
            is_rate=True,
            among=attacking,
        ),
        Statistic(
            "deals_lost",
            "share of hands",
            "hands in which the side deals and loses the deal (G12.1)",
            (Term("takes_deal", dealing),),
            is_rate=True,
            among=dealing,
        ),
        Statistic(
            "digs",
            "share of hands",
            "hands in which the side attacks and wins the last trick (G11.3)",
            (Term("dig", attacking),),
            is_rate=True,
            among=attacking,
        ),
        Statistic(
            "dug",
            "share of hands",
            "hands in which the side deals and loses the last trick (G11.3)",
            (Term("dig", dealing),),
            is_rate=True,
            among=dealing,
        ),
    )


OF_SIDE = (_of_side(0), _of_side(1))
"""Figures of side 0 and of side 1, the usual one to judge by first."""
OF_HAND = tuple(one for one in SUMMARY if one.name not in ("round_won_by_side_0", "settlement_side_0"))
"""Figures of arms that differ in rules only, the usual one to judge by first."""
COUNTS: tuple[Mapping[Where, str], Mapping[Where, str]] = (
    {(): "hands", _ROUND_IS_OVER: "rounds", _DEALING[0]: "hands_dealing", _DEALING[1]: "hands_attacking"},
    {(): "hands", _ROUND_IS_OVER: "rounds", _DEALING[1]: "hands_dealing", _DEALING[0]: "hands_attacking"},
)
"""Names of what figures are counted among, for side 0 and for side 1; in `OF_HAND` as for side 0."""


def conflict(rules: Rules, params: Mapping[str, int]) -> str:
    """Why a policy's parameters cannot do under these rules what they say, in words; empty where they can."""
    most: int = rules.max_jokers_per_seat  # type: ignore[attr-defined]
    for name in ("jokers", "bury_big", "bury_small"):
        if params.get(name, 0) > most:
            return f"{name}={params[name]}, but max_jokers_per_seat is {most} (G8.2)"
    return ""
