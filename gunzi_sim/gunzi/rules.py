"""
打滚子 (da gunzi): the options of its rules and the four presets.

The game. Four seats, two sides (0 and 2 against 1 and 3), three decks with jokers: 39 cards a seat and six in the
bottom (G1). A round is a race from level 3 to level 10; the level of the dealers' side is the level of the hand, and
its twelve cards are level cards, high trumps (G2). A hand goes through these phases:

1. Deal, one card at a time (G3). In the first hand of a round a drawn big joker may be claimed: the claimer deals,
   the suit of its next suited card is trump. Nobody claims: four bottom cards are flipped, and the smallest makes
   dealer and trump (G4). In later hands the dealer is known, and level cards or three jokers are shown to set the
   trump suit; a stronger showing overrides (G5). Nobody shows: bottom cards are drawn until a suited one.
2. Tribute (G6). The seat before the dealer pays its highest cards, as many as the last hand left owed, and gets
   others back.
3. A claimed or declared trump exposes the bottom; some bottoms make a dry pot and stay as they are (G7). Otherwise
   the dealer takes the six and buries six; then the other seats may swap jokers into the bottom for its smallest
   cards (G8).
4. 39 cards of play in singles, pairs and triples of identical cards. Suit must be followed, and under strict
   following so must pairs and triples (G9, G10). The highest play of the led pattern wins the trick and its points,
   an earlier one of two equals (G11).
5. Attackers with `win_score` points take the deal. Raises go to the attackers who win the last trick, and to dealers
   who hold it; buried jokers add levels, and tribute owed in the next hand (G12, G13). Some ends close the round at
   once: no points, 300 points, three jokers of a kind in the bottom, or a raise won as dealers at the last level.
   Chips settle each hand (G14).

Where the source texts differ, the difference is an option here; a preset is one text's choice (G15).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

from gunzi_sim import game
from gunzi_sim.game import RulesError, option

GAME = "gunzi"
VERSION = 1
MAX_LEVEL = 14
MIN_LEVEL = 3


class Follow(IntEnum):
    """What a holder of the led suit owes to a led pair or triple: its like, or any cards of the suit."""

    STRICT = 0
    LOOSE = 1


class FirstClaim(IntEnum):
    """Whether the first big joker drawn in a first hand may be claimed, or is claimed without being asked."""

    VOLUNTARY = 0
    AUTOMATIC = 1


class FirstFlip(IntEnum):
    """Which of four flipped bottom cards makes dealer and trump when nobody claimed."""

    SMALLEST = 0
    LARGEST = 1


class DryPot(IntEnum):
    """Exposed bottoms that stay besides six trumps: six side cards or permanent trumps; no plain trump; none at all."""

    SIDE_OR_PERMANENT = 0
    NO_MAIN_SUIT = 1
    OFF = 2


class TributePoints(IntEnum):
    """Which point cards may be paid as tribute: all, none, or only those of the hand's level."""

    ALL = 0
    NONE = 1
    LEVEL = 2


class TributeRounding(IntEnum):
    """What a leftover 5 below `tribute_low` counts: nothing, or one card more."""

    FLOOR = 0
    GENEROUS = 1


class EndAt300(IntEnum):
    """What 300 points mean: the final score, or every card point captured."""

    SCORE = 0
    CAPTURED = 1


class ThreeBigEnds(IntEnum):
    """For whom three big jokers in the final bottom end the round: the attackers, either side, nobody."""

    ATTACKERS = 0
    BOTH = 1
    OFF = 2


class RoundWonBy(IntEnum):
    """Whether a round is won by a raise beyond the last level as dealers, or by reaching that level."""

    PASSING = 0
    REACHING = 1


class TributeSettlement(IntEnum):
    """Who settles tribute in chips: payer and receiver, or every player of their sides."""

    PLAYERS = 0
    SIDES = 1


@dataclass(frozen=True, kw_only=True)
class GunziRules(game.Rules):
    """
    One way to play 打滚子; the defaults are the preset `standard`. The fields are the options of G15 in its order.

    Raises
    ------
    RulesError
        A value of the wrong type or out of range, or thresholds out of order.
    """

    GAME: ClassVar[str] = GAME
    VERSION: ClassVar[int] = VERSION

    follow: Follow = option(
        Follow.STRICT,
        "a led pair or triple must be answered with its like (strict), or with any cards of the suit",
        "G10.4",
    )
    first_claim: FirstClaim = option(
        FirstClaim.VOLUNTARY,
        "the first big joker drawn in a first hand may be claimed, or is claimed automatically",
        "G4.1",
    )
    first_flip: FirstFlip = option(
        FirstFlip.SMALLEST, "which of the four flipped bottom cards makes dealer and trump when nobody claims", "G4.3"
    )
    self_overcall: bool = option(
        True,
        "the standing declarer may overcall with other cards too; without it, only add copies of the same card",
        "G5.4",
    )
    jokers_may_open: bool = option(True, "three jokers may be the first declaration, not only an overcall", "G5.3")
    dry_pot: DryPot = option(
        DryPot.SIDE_OR_PERMANENT,
        "which exposed bottoms, besides six trumps, stay as they are; off: none at all",
        "G7.2",
    )
    bury_big_first: bool = option(True, "a seat buries a small joker only if it keeps no big one", "G8.2")
    others_bury_jokers: bool = option(True, "seats other than the dealer may swap jokers into the bottom", "G8.4")
    max_jokers_per_seat: int = option(
        6, "most jokers one seat may bury, the dealer included; 0: nobody buries any", "G8.2", 0, 6
    )
    tribute_points: TributePoints = option(
        TributePoints.LEVEL, "which point cards may be paid as tribute: all, none, or only level cards", "G6.2"
    )
    tribute_rounding: TributeRounding = option(
        TributeRounding.GENEROUS,
        "a leftover 5 below tribute_low counts as nothing (floor) or as one card (generous)",
        "G12.4",
    )
    tribute_three_big: bool = option(
        True, "three big jokers held by the payer reverse the tribute, held by its partner cancel it", "G6.5"
    )
    dig_below_voids_jokers: bool = option(
        True, "attackers who win the last trick below win_score owe nothing for jokers in the bottom", "G12.4"
    )
    end_at_300: EndAt300 = option(
        EndAt300.SCORE,
        "300 points end the round by the final score, or only when every card point was captured",
        "G12.5",
    )
    three_big_ends: ThreeBigEnds = option(
        ThreeBigEnds.BOTH,
        "three big jokers in the final bottom end the round: for attackers, for either side, for nobody",
        "G12.5",
    )
    three_small_ends: bool = option(
        False, "three small jokers in the final bottom end the round, for either side", "G12.5"
    )
    round_won_by: RoundWonBy = option(
        RoundWonBy.PASSING, "a round is won by a raise beyond end_level as dealers, or by reaching it", "G2.4"
    )
    tribute_settlement: TributeSettlement = option(
        TributeSettlement.PLAYERS,
        "tribute is settled between payer and receiver, or between all players of the sides",
        "G14.2",
    )
    win_score: int = option(120, "card points from which the attackers take the deal", "G12.1", 5, 300, 5)
    tribute_low: int = option(80, "card points below which the attackers owe tribute", "G12.4", 5, 300, 5)
    tribute_high: int = option(150, "card points above which the dealers' side owes tribute", "G12.4", 5, 300, 5)
    big_joker_levels: int = option(
        2, "levels, and tribute cards, for each big joker in the final bottom", "G12.1", 0, 7
    )
    small_joker_levels: int = option(
        1, "levels, and tribute cards, for each small joker in the final bottom", "G12.1", 0, 7
    )
    dig_multiplier: int = option(
        2, "times the bottom's points are added when attackers win the last trick", "G11.3", 0, 8
    )
    start_level: int = option(
        3, "level of both sides when a round begins", "G2.1", MIN_LEVEL, MAX_LEVEL, names={"A": 14}
    )
    end_level: int = option(
        10, "last level, where raises stop and rounds are won", "G2.3", MIN_LEVEL, MAX_LEVEL, names={"A": 14}
    )

    def check_together(self) -> None:
        """Thresholds and levels must be in order (G15)."""
        if self.tribute_low > self.win_score:
            raise RulesError(f"win_score must be at least tribute_low ({self.tribute_low}), got {self.win_score}")
        if self.win_score > self.tribute_high:
            raise RulesError(f"win_score must be at most tribute_high ({self.tribute_high}), got {self.win_score}")
        if self.start_level > self.end_level:
            raise RulesError(f"start_level must be at most end_level ({self.end_level}), got {self.start_level}")


_STANDARD = GunziRules()
_CLASSIC = GunziRules(
    first_claim=FirstClaim.AUTOMATIC,
    tribute_points=TributePoints.ALL,
    tribute_rounding=TributeRounding.FLOOR,
    dig_below_voids_jokers=False,
    three_big_ends=ThreeBigEnds.ATTACKERS,
)
_QIQI = GunziRules(
    jokers_may_open=False,
    tribute_points=TributePoints.NONE,
    tribute_rounding=TributeRounding.FLOOR,
    tribute_three_big=False,
    dig_below_voids_jokers=False,
    three_big_ends=ThreeBigEnds.ATTACKERS,
)
_DALIAN = GunziRules(
    first_flip=FirstFlip.LARGEST,
    jokers_may_open=False,
    dry_pot=DryPot.NO_MAIN_SUIT,
    tribute_three_big=False,
    three_small_ends=True,
)

PRESETS = game.declare_presets(
    GunziRules, {"standard": _STANDARD, "classic": _CLASSIC, "qiqi": _QIQI, "dalian": _DALIAN}
)
"""`standard` is the best-supported mix; `classic`, `qiqi` and `dalian` are the source texts S0, S1 and S2 (G15)."""
RULES = GunziRules
"""The rules class, by the name that `games.py` looks for."""
