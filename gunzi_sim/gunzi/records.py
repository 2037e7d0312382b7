"""
Records of 打滚子 and the columns of its table: the keys of a record (README, "Records"), the check of their structure,
and trace → record.

Internally a record is a dict with those keys in which cards are kinds 0..53, suits 0..3 and `rules` a `GunziRules`.
What a record says is judged by `referee.py`; here only its form is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from typing import Any

from gunzi_sim.cards import (
    KIND_NAMES,
    KIND_OF_NAME,
    N_KINDS,
    SMALL,
    SUITS,
    extra_copy,
    kind_name,
    ordinal,
    parse_card,
    parse_suit,
)
from gunzi_sim.game import (
    RECORD_FORMAT,
    RECORD_VERSION,
    Column,
    InputError,
    RecordError,
    Situation,
    Statistic,
    Term,
    did_you_mean,
    read_flag,
    read_integer,
    read_list,
    read_name,
    read_object,
    shown,
    whole_number,
)
from gunzi_sim.gunzi.rules import GAME, GunziRules, RoundWonBy

N_CARDS = 162
N_COPIES = 3


class Step(IntEnum):
    """Types of the stored decisions in a kernel's trace."""

    CLAIM = 1
    DECLARE = 2
    PAY = 3
    RETURN = 4
    BURY = 5
    JOKER_BURY = 6
    PLAY = 7


KEYS = (
    "first_hand",
    "levels",
    "dealer",
    "owed",
    "first_seat",
    "deck",
    "claim",
    "declarations",
    "tribute",
    "bury",
    "joker_buries",
    "plays",
)
"""Keys of a record between the envelope and `result`, in canonical order."""
RESULT_KEYS = (
    "dealer",
    "level",
    "trump",
    "exposed",
    "dry_pot",
    "winners",
    "attacker_points",
    "bottom_points",
    "dig",
    "takes_deal",
    "raise",
    "round_winner",
    "round_end",
    "levels_after",
    "next_dealer",
    "owed_next",
    "tribute_moved",
    "tribute_short",
    "settlement",
)
"""Keys of `result` in canonical order."""
ROUND_ENDS = ("zero", "score", "three_big", "three_small", "passed")
MAX_OWED = (1 << 15) - 1
"""Largest tribute owed that a record may state: the range of its column. No hand can leave more than 114."""
CLOSING = 255
"""Draw index of a declaration in the closing window, in a trace."""


def _by_seat(name: str, dtype: str, unit: str, doc: str) -> tuple[Column, ...]:
    """Four columns, one a seat."""
    return tuple(Column(f"{name}_{seat}", dtype, unit, f"{doc}, seat {seat}") for seat in range(4))


COLUMNS: tuple[Column, ...] = (
    Column(
        "round_id",
        "int64",
        "number",
        "round, or hand in single-hand mode; with seed and rules it decides every card",
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
    Column("level", "int8", "level", "level of the hand: that of the dealers' side (G2.2)"),
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
    Column("tricks", "int8", "tricks", "tricks played, 13 to 39"),
    Column("trace_hash", "int64", "hash", "equal exactly for hands that were dealt and played alike"),
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


def situation(
    rules: GunziRules,
    levels: Sequence[int] | None = None,
    dealer: int | None = None,
    owed: int | None = None,
    first_hand: bool = False,
) -> Situation:
    """
    Where single hands start, or rounds that begin with a later hand (`round_situation`).

    What is not given: a later hand, dealer 0, both sides at the start level, nothing owed.

    Raises
    ------
    InputError
        A level, dealer or tribute that cannot be, or one that a first hand does not have (G2.1, G4, G2.5).
    """
    start, end = rules.start_level, rules.end_level
    given = (start, start) if levels is None else levels
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        raise InputError(f"levels must be two levels, of side 0 and side 1, got {shown(levels)}")
    for level in given:
        if (whole_number(level) or 0) not in range(start, end + 1):
            raise InputError(f"levels must be integers from {start} to {end}, got {shown(level)}")
    if not isinstance(first_hand, bool):
        raise InputError(f"first_hand must be true or false, got {shown(first_hand)}")
    if first_hand and (dealer is not None or owed is not None):
        raise InputError("a first hand has no dealer and owes no tribute (G2.5); leave dealer and owed out")
    if first_hand and any(level != start for level in given):
        raise InputError(f"a first hand is played at the start level, {start} (G2.1), got levels {shown(levels)}")
    for name, value, high in (("dealer", dealer, 3), ("owed", owed, MAX_OWED)):
        if value is not None and whole_number(value) not in range(high + 1):
            raise InputError(f"{name} must be an integer from 0 to {high}, got {shown(value)}")
    return Situation(first_hand, (int(given[0]), int(given[1])), int(dealer or 0), int(owed or 0))


def round_situation(
    rules: GunziRules, levels: Sequence[int] | None = None, dealer: int | None = None, owed: int | None = None
) -> Situation | None:
    """
    Where rounds start that begin with a later hand; None, a round's own start, where nothing is given.

    Raises
    ------
    InputError
        As `situation`, or a round that would be over already (G2.4).
    """
    if levels is None and dealer is None and owed is None:
        return None
    found = situation(rules, levels, dealer, owed)
    if any(level not in levels_between(rules) for level in found.levels):
        end = rules.end_level
        raise InputError(f"levels: a side that reaches {end} has won the round (round_won_by, G2.4), got {levels}")
    return found


def levels_between(rules: GunziRules) -> range:
    """Levels at which a side can stand between two hands of a round (G2.1, G2.4)."""
    is_over = rules.round_won_by == RoundWonBy.REACHING and rules.start_level < rules.end_level
    return range(rules.start_level, rules.end_level if is_over else rules.end_level + 1)


def parse(fields: Mapping[str, Any], rules: GunziRules) -> dict[str, Any]:
    """
    The game's part of a record, checked in form and turned into numbers.

    Parameters
    ----------
    fields : mapping
        The values of `KEYS`, all present, and perhaps `result`, as JSON gives them.
    rules : GunziRules
        The record's rules.

    Returns
    -------
    dict
        The same keys in canonical order; cards are kinds 0..53, suits 0..3. A tribute without cards is None.

    Raises
    ------
    RecordError
        Clause `FORMAT`: a wrong type, name or range, an impossible deck, a dealer or claim where none can be, an
        incomplete result.
    """
    first_hand = read_flag(fields["first_hand"], "first_hand")
    record: dict[str, Any] = {
        "first_hand": first_hand,
        "levels": read_list(fields["levels"], "levels", _level_reader(rules), 2),
        "dealer": _dealer(fields["dealer"], first_hand),
        "owed": read_integer(fields["owed"], "owed", 0, MAX_OWED),
        "first_seat": _seat(fields["first_seat"], "first_seat"),
        "deck": _deck(fields["deck"]),
        "claim": _claim(fields["claim"], first_hand),
        "declarations": read_list(fields["declarations"], "declarations", _declaration),
        "tribute": _tribute(fields["tribute"]),
        "bury": None if fields["bury"] is None else _cards(fields["bury"], "bury"),
        "joker_buries": read_list(fields["joker_buries"], "joker_buries", _joker_bury),
        "plays": read_list(fields["plays"], "plays", _cards),
    }
    if "result" in fields:
        record["result"] = _result(fields["result"])
    return record


def plain(record: Mapping[str, Any]) -> dict[str, Any]:
    """The game's part of an internal record as JSON writes it, in canonical order; `result` only where there is one."""
    tribute = record["tribute"]
    fields = {key: record[key] for key in KEYS} | {
        "deck": _names(record["deck"]),
        "claim": record["claim"] and {key: record["claim"][key] for key in ("seat", "draw")},
        "declarations": [
            {"seat": d["seat"], "draw": d["draw"], "cards": _names(d["cards"]), "suit": SUITS[d["suit"]]}
            for d in record["declarations"]
        ],
        "tribute": tribute and {key: _names(tribute[key]) for key in ("cards", "returned")},
        "bury": None if record["bury"] is None else _names(record["bury"]),
        "joker_buries": [
            {"seat": b["seat"], "jokers": _names(b["jokers"]), "taken": _names(b["taken"])}
            for b in record["joker_buries"]
        ],
        "plays": [_names(play) for play in record["plays"]],
    }
    if "result" in record:
        result = {key: record["result"][key] for key in RESULT_KEYS}
        fields["result"] = result | {"trump": SUITS[result["trump"]]}
    return fields


def from_trace(header: Mapping[str, Any], words: Iterable[tuple[int, int, int, int, int, int]]) -> dict[str, Any]:
    """
    Internal record, without `result`, of a hand traced by the kernel.

    Parameters
    ----------
    header : mapping
        `rules` (GunziRules), `first_hand` (bool), `levels` (two ints before the hand), `dealer` (seat, or None in a
        first hand), `owed` (cards), `first_seat` (seat), `deck` (162 kinds in dealing order), and `source`, which may
        be missing.
    words : iterable of (type, seat, argument, k1, k2, k3)
        The stored decisions in the record's order, types as `Step`. k1, k2, k3 are 54-bit planes by kind: the kinds
        held at least once, twice, three times. The argument of a claim is its draw, of a declaration
        draw << 8 | suit (draw 255 in the closing window). A joker bury has jokers and taken cards in one word.

    Returns
    -------
    dict
        The record; cards of one list stand from the highest kind down (big joker first), as a trace keeps no order.
    """
    record: dict[str, Any] = {
        "format": RECORD_FORMAT,
        "version": RECORD_VERSION,
        "game": GAME,
        "rules": header["rules"],
    }
    if "source" in header:
        record["source"] = header["source"]
    dealer = header["dealer"]
    record |= {
        "first_hand": bool(header["first_hand"]),
        "levels": [int(level) for level in header["levels"]],
        "dealer": None if header["first_hand"] or dealer is None else int(dealer),
        "owed": int(header["owed"]),
        "first_seat": int(header["first_seat"]),
        "deck": [int(kind) for kind in header["deck"]],
        "claim": None,
        "declarations": [],
        "tribute": None,
        "bury": None,
        "joker_buries": [],
        "plays": [],
    }
    for step, seat, argument, *planes in words:
        _add_step(record, Step(int(step)), int(seat), int(argument), _plane_cards(*map(int, planes)))
    return record


def _add_step(record: dict[str, Any], step: Step, seat: int, argument: int, cards: list[int]) -> None:
    """Put one traced decision in its place in the record."""
    if step == Step.CLAIM:
        record["claim"] = {"seat": seat, "draw": argument}
    elif step == Step.DECLARE:
        draw = argument >> 8
        when = None if draw == CLOSING else draw
        record["declarations"].append({"seat": seat, "draw": when, "cards": cards, "suit": argument & 0xFF})
    elif step in (Step.PAY, Step.RETURN):
        if cards:
            tribute = record["tribute"] or {"cards": [], "returned": []}
            tribute["cards" if step == Step.PAY else "returned"] += cards
            record["tribute"] = tribute
    elif step == Step.BURY:
        record["bury"] = cards
    elif step == Step.JOKER_BURY:
        jokers = [kind for kind in cards if kind >= SMALL]
        taken = [kind for kind in cards if kind < SMALL]
        record["joker_buries"].append({"seat": seat, "jokers": jokers, "taken": taken})
    else:
        record["plays"].append(cards)


def _plane_cards(k1: int, k2: int, k3: int) -> list[int]:
    """Kinds of three planes with their copies, from the highest kind down."""
    cards = []
    left = k1 | k2 | k3
    while left:
        kind = left.bit_length() - 1
        cards += [kind] * ((k1 >> kind & 1) + (k2 >> kind & 1) + (k3 >> kind & 1))
        left ^= 1 << kind
    return cards


def _names(cards: Iterable[int]) -> list[str]:
    return [KIND_NAMES[kind] for kind in cards]


def _card(value: object, where: str) -> int:
    return read_name(value, where, parse_card)


def _cards(value: object, where: str) -> list[int]:
    """Kinds of a list of names; what is not plain in the table is read name by name, so that a fault has its place."""
    if isinstance(value, list):
        try:
            return [KIND_OF_NAME[name] for name in value]
        except (KeyError, TypeError):
            pass
    return read_list(value, where, _card)


def _seat(value: object, where: str) -> int:
    return read_integer(value, where, 0, 3)


def _suit(value: object, where: str) -> int:
    return read_name(value, where, parse_suit)


def _integer(value: object, where: str) -> int:
    return read_integer(value, where)


def _level_reader(rules: GunziRules) -> Callable[[object, str], int]:
    """Reader of a level between the first and the last of the rules."""
    return lambda value, where: read_integer(value, where, rules.start_level, rules.end_level)


def _dealer(value: object, first_hand: bool) -> int | None:
    """A seat; null in a first hand, and only there."""
    if first_hand:
        if value is not None:
            raise RecordError(f"dealer must be null in a first hand, where claim or flip decides, got {shown(value)}")
        return None
    return _seat(value, "dealer")


def _deck(value: object) -> list[int]:
    """162 cards, every kind three times; the message names the card that cannot be."""
    deck = _cards(value, "deck")
    extra = extra_copy(deck, N_COPIES)
    if extra is not None:
        place, earlier = extra
        before = ", ".join(map(str, earlier))
        fourth = f"({kind_name(deck[place])}) is the {ordinal(N_COPIES + 1)} copy, after indices {before}"
        raise RecordError(f"deck[{place}] {fourth}{_lacking(deck)}")
    if len(deck) != N_CARDS:
        raise RecordError(f"deck must have {N_CARDS} cards, got {len(deck)}{_lacking(deck)}")
    return deck


def _lacking(deck: list[int]) -> str:
    """`; missing S5 JB`: the cards that a whole deck has and this one does not, the first few of them."""
    count = Counter(deck)
    names = [kind_name(kind) for kind in range(N_KINDS) for _ in range(N_COPIES - count[kind])]
    return f"; missing {' '.join(names[:6])}{' …' if len(names) > 6 else ''}" if names else ""


def _claim(value: object, first_hand: bool) -> dict[str, int] | None:
    """Seat and draw of a claim, or null; null in every later hand."""
    if value is None:
        return None
    if not first_hand:
        raise RecordError(f"claim must be null in a later hand, got {shown(value)}")
    claim = read_object(value, "claim", ("seat", "draw"))
    return {
        "seat": _seat(claim["seat"], "claim.seat"),
        "draw": read_integer(claim["draw"], "claim.draw", 0, N_CARDS - 1),
    }


def _declaration(value: object, where: str) -> dict[str, Any]:
    """One declaration; draw null stands for the closing window."""
    made = read_object(value, where, ("seat", "draw", "cards", "suit"))
    draw = made["draw"]
    return {
        "seat": _seat(made["seat"], f"{where}.seat"),
        "draw": None if draw is None else read_integer(draw, f"{where}.draw", 0, N_CARDS - 1),
        "cards": _cards(made["cards"], f"{where}.cards"),
        "suit": _suit(made["suit"], f"{where}.suit"),
    }


def _tribute(value: object) -> dict[str, list[int]] | None:
    """Cards paid and returned; two empty lists mean that no card moves, as null does."""
    if value is None:
        return None
    tribute = read_object(value, "tribute", ("cards", "returned"))
    moved = {key: _cards(tribute[key], f"tribute.{key}") for key in ("cards", "returned")}
    return moved if moved["cards"] or moved["returned"] else None


def _joker_bury(value: object, where: str) -> dict[str, Any]:
    """One seat's joker bury."""
    bury = read_object(value, where, ("seat", "jokers", "taken"))
    return {
        "seat": _seat(bury["seat"], f"{where}.seat"),
        "jokers": _cards(bury["jokers"], f"{where}.jokers"),
        "taken": _cards(bury["taken"], f"{where}.taken"),
    }


def _result(value: object) -> dict[str, Any]:
    """
    The stored result, complete and of the right types.

    Its integers are not held to a range: a value that cannot be is wrong, and has the clause that defines it.
    """
    stored = read_object(value, "result", RESULT_KEYS)
    return {key: _RESULT_READERS[key](stored[key], f"result.{key}") for key in RESULT_KEYS}


def _or_null(read: Callable[[object, str], Any]) -> Callable[[object, str], Any]:
    return lambda value, where: None if value is None else read(value, where)


def _integers(n: int | None) -> Callable[[object, str], list[int]]:
    return lambda value, where: read_list(value, where, _integer, n)


def _end_word(value: object, where: str) -> str:
    if isinstance(value, str) and value in ROUND_ENDS:
        return value
    raise RecordError(f"{where}: unknown end {shown(value)}{did_you_mean(value, ROUND_ENDS)}")


_RESULT_READERS: dict[str, Callable[[object, str], Any]] = {
    "dealer": _integer,
    "level": _integer,
    "trump": _suit,
    "exposed": read_flag,
    "dry_pot": read_flag,
    "winners": _integers(None),
    "attacker_points": _integer,
    "bottom_points": _integer,
    "dig": read_flag,
    "takes_deal": read_flag,
    "raise": _integers(2),
    "round_winner": _or_null(_integer),
    "round_end": _or_null(_end_word),
    "levels_after": _integers(2),
    "next_dealer": _or_null(_integer),
    "owed_next": _integer,
    "tribute_moved": _integer,
    "tribute_short": _integer,
    "settlement": _integers(4),
}
