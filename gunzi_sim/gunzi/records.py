"""
Records of 打滚子 and the columns of its table: the keys of RECORD.md, the check of their structure, and trace → record.

Internally a record is a dict with the keys of RECORD.md in which cards are kinds 0..53, suits 0..3 and `rules` a
`GunziRules`. What a record says is judged by `referee.py`; here only its form is.
"""

from __future__ import annotations

from gunzi_sim.game import Column, Statistic, Term


def _by_seat(name: str, dtype: str, unit: str, doc: str) -> tuple[Column, ...]:
    """Four columns, one a seat."""
    return tuple(Column(f"{name}_{seat}", dtype, unit, f"{doc}, seat {seat}") for seat in range(4))


COLUMNS: tuple[Column, ...] = (
    Column(
        "round_id",
        "int64",
        "number",
        "round, or hand in single-hand mode; with seed and rules it decides every card (DESIGN)",
    ),
    Column("hand", "int16", "number", "hand of its round, from 0; 0 in single-hand mode"),
    Column(
        "first_hand",
        "int8",
        "flag",
        "1 in the first hand of a round (G4), where dealer and trump come from a claim or a flip",
    ),
    Column("level_0", "int8", "level", "level of side 0 (seats 0 and 2) before the hand (G2.1)"),
    Column("level_1", "int8", "level", "level of side 1 (seats 1 and 3) before the hand (G2.1)"),
    Column("level", "int8", "level", "level of the hand: that of the dealer's side (G2.2)"),
    Column("dealer", "int8", "seat", "dealer of the hand (G4, G13)"),
    Column("trump", "int8", "suit", "trump suit: 0 spades, 1 hearts, 2 diamonds, 3 clubs"),
    Column("declared_by", "int8", "seat", "seat whose claim or declaration stands; 9 nobody"),
    Column(
        "declared_as",
        "int8",
        "code",
        "how trump was made: 0 bottom flip (G5.7), 1 to 3 level cards, 4 three small, 5 three big jokers (G5.2), "
        "6 claim (G4.1), 7 seats' flip (G4.3)",
    ),
    Column("owed", "int16", "cards", "tribute owed in this hand, from the hand before (G6.1)"),
    Column("tribute_moved", "int8", "cards", "tribute cards paid, in either direction (G6)"),
    Column("tribute_short", "int16", "cards", "tribute waived because the payer had too few eligible cards (G6.3)"),
    Column("tribute_reversed", "int8", "flag", "1 when three big jokers turned the tribute round (G6.5)"),
    Column("exposed", "int8", "flag", "1 when the dealt bottom was shown to all (G7.1)"),
    Column("dry_pot", "int8", "flag", "1 when the bottom stayed as it was (G7.2)"),
    *_by_seat("big_dealt", "int8", "cards", "big jokers in hand after the deal"),
    *_by_seat("small_dealt", "int8", "cards", "small jokers in hand after the deal"),
    *_by_seat("trumps", "int8", "cards", "trumps in hand when play begins (G9.1)"),
    *_by_seat("big_buried", "int8", "cards", "big jokers buried (G8)"),
    *_by_seat("small_buried", "int8", "cards", "small jokers buried (G8)"),
    Column("bottom_big", "int8", "cards", "big jokers in the final bottom"),
    Column("bottom_small", "int8", "cards", "small jokers in the final bottom"),
    Column("bottom_points", "int8", "card points", "points of the final bottom, counted once (G1.3)"),
    Column("attacker_points", "int16", "card points", "S: from tricks, plus the bottom at its multiplier (G11)"),
    Column("dig", "int8", "flag", "1 when the attackers won the last trick (G11.3)"),
    Column("takes_deal", "int8", "flag", "1 when the attackers reached win_score (G12.1)"),
    Column("raise_0", "int8", "levels", "levels that side 0 actually rose (G2.3); 1 for passing the last level"),
    Column("raise_1", "int8", "levels", "levels that side 1 actually rose (G2.3); 1 for passing the last level"),
    Column("next_dealer", "int8", "seat", "dealer of the next hand (G13); 9 when the round is over"),
    Column("owed_next", "int16", "cards", "tribute owed in the next hand (G12.4); 0 when the round is over"),
    Column(
        "round_end",
        "int8",
        "code",
        "how the round ended with this hand: 0 it goes on, 1 no points, 2 300 points, 3 three big jokers, "
        "4 three small jokers (G12.5), 5 passed (G2.4), 6 cut at the greatest number of hands",
    ),
    Column("round_winner", "int8", "side", "side that won the round with this hand; 9 none"),
    *_by_seat("settlement", "int16", "chips", "settlement of the hand, tribute included (G14)"),
    Column("tricks", "int8", "tricks", "tricks played"),
    Column("trace_hash", "int64", "hash", "equal exactly for hands that were dealt and played alike (DESIGN)"),
)
"""Columns of the table `hands`, in the order in which they are stored; flags are 0 or 1."""


_DEALER_ON_SIDE = ((("dealer", (0, 2)),), (("dealer", (1, 3)),))
_ROUND_IS_OVER = (("round_end", (1, 2, 3, 4, 5, 6)),)


def _round_end(name: str, code: int, doc: str) -> Statistic:
    """Share of rounds that ended in one way."""
    terms = (Term(where=(("round_end", (code,)),)),)
    return Statistic(name, "share of rounds", doc, terms, is_rate=True, among=_ROUND_IS_OVER, once_a_round=True)


SUMMARY: tuple[Statistic, ...] = (
    Statistic(
        "round_won_by_side_0",
        "share of rounds",
        "rounds won by side 0, seats 0 and 2",
        (Term(where=(("round_winner", (0,)),)),),
        is_rate=True,
        among=_ROUND_IS_OVER,
        once_a_round=True,
    ),
    Statistic("attacker_points", "card points", "S, the attackers' final score (G11)", (Term("attacker_points"),)),
    Statistic(
        "attackers_take_deal",
        "share of hands",
        "hands in which the attackers took the deal (G12.1)",
        (Term("takes_deal"),),
        is_rate=True,
    ),
    Statistic(
        "attackers_dig",
        "share of hands",
        "hands in which the attackers won the last trick (G11.3)",
        (Term("dig"),),
        is_rate=True,
    ),
    Statistic(
        "dealers_raise",
        "levels",
        "levels that the dealers' side rose (G2.3)",
        tuple(Term(f"raise_{side}", _DEALER_ON_SIDE[side]) for side in range(2)),
    ),
    Statistic(
        "attackers_raise",
        "levels",
        "levels that the attackers rose (G2.3)",
        tuple(Term(f"raise_{side}", _DEALER_ON_SIDE[1 - side]) for side in range(2)),
    ),
    Statistic(
        "settlement_side_0",
        "chips",
        "settlement of seats 0 and 2 together (G14)",
        (Term("settlement_0"), Term("settlement_2")),
    ),
    Statistic("bottom_jokers", "cards", "jokers in the final bottom", (Term("bottom_big"), Term("bottom_small"))),
    Statistic("bottom_points", "card points", "points of the final bottom, counted once", (Term("bottom_points"),)),
    Statistic(
        "exposed", "share of hands", "hands whose dealt bottom was shown (G7.1)", (Term("exposed"),), is_rate=True
    ),
    Statistic("dry_pot", "share of hands", "hands with a dry pot (G7.2)", (Term("dry_pot"),), is_rate=True),
    Statistic("tribute_moved", "cards", "tribute cards paid (G6)", (Term("tribute_moved"),)),
    _round_end("ends_without_points", 1, "rounds ended by attackers without a point (G12.5)"),
    _round_end("ends_by_score", 2, "rounds ended by 300 points of the attackers (G12.5)"),
    _round_end("ends_by_three_big", 3, "rounds ended by three big jokers in the bottom (G12.5)"),
    _round_end("ends_by_three_small", 4, "rounds ended by three small jokers in the bottom (G12.5)"),
    _round_end("ends_by_passing", 5, "rounds ended by passing the last level, or reaching it (G2.4)"),
)
"""Figures of the summary in the order shown."""
