"""
What a player tells of a hand at the table, from words to kinds.

`seen` has keys of a hand record, all optional, with cards as a list of names or as one text:

    dealer          seat of the dealer, 0 when not given
    first_hand      true in the first hand of a round
    claim           {"seat": s, "draw": i} of a first hand; without a draw it is taken to have come before the last six
                    cards of the seat
    declarations    [{"seat": s, "cards": […], "suit": "H"}, …] in time order; the suit is needed for three jokers only
                    (a draw may stand there and tells nothing now)
    tribute         {"cards": […], "returned": […]}, with "reversed": true where the dealer paid (G6.5)
    tribute_cancelled   true where three big jokers of the payer's partner cancelled it (G6.5)
    bottom          the six cards dealt to the bottom, where they were exposed
    bury            the six cards of the bottom after the dealer buried, where they were shown
    joker_buries    [{"seat": s, "jokers": […], "taken": […]}, …] in the order made
    flipped         cards of the bottom turned up for the dealer or the trump suit, in order
    may_bury        the largest number of jokers that the own seat was told it may bury (G8.4), 0 where it was not
                    asked; untold, it is taken to have been allowed all its jokers
    plays           all plays from the first trick on, four a trick, the last trick perhaps unfinished

Left out: whether it agrees with the rules (`cross_check`) and what a seat's view is then (`seen`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gunzi_sim.cards import BIG, SMALL, kind_name, parse_card, parse_hand, parse_suit
from gunzi_sim.game import InputError, did_you_mean, shown, whole_number
from gunzi_sim.gunzi.view import N_BOTTOM, N_DEALT, N_SEATS

KEYS = {
    "dealer": (),
    "first_hand": (),
    "claim": ("seat", "draw"),
    "declarations": ("seat", "cards", "suit", "draw"),
    "tribute": ("cards", "returned", "reversed"),
    "tribute_cancelled": (),
    "bottom": (),
    "bury": (),
    "joker_buries": ("seat", "jokers", "taken"),
    "flipped": (),
    "may_bury": (),
    "plays": (),
}
"""What can be told, with the keys of its parts."""
JOKER_KINDS = (SMALL, BIG)
N_COPIES, N_JOKERS = 3, 6


class Claim(NamedTuple):
    """G4.1: who claimed, and at which draw where that was told."""

    seat: int
    draw: int | None


class Declaration(NamedTuple):
    """G5.2."""

    seat: int
    cards: list[int]
    suit: int


class Tribute(NamedTuple):
    """G6: kinds paid and returned; the dealer paid where it was reversed."""

    cards: list[int]
    returned: list[int]
    is_reversed: bool


class JokerBury(NamedTuple):
    """G8.4: jokers that a seat buried, and what it picked up."""

    seat: int
    jokers: list[int]
    taken: list[int]


@dataclass(frozen=True)
class Told:
    """What was told; None, False and empty lists for what was not."""

    dealer: int | None
    is_first_hand: bool
    claim: Claim | None
    declarations: list[Declaration]
    tribute: Tribute | None
    tribute_cancelled: bool
    bottom: list[int] | None
    bury: list[int] | None
    joker_buries: list[JokerBury]
    flipped: list[int]
    may_bury: int | None
    plays: list[list[int]]


def told(seen: object) -> Told:
    """
    What was told, as kinds.

    Raises
    ------
    InputError
        An unknown key, or a value that is none, with its place.
    """
    if not isinstance(seen, Mapping):
        raise InputError(f"what was seen must be an object, got {shown(seen)}")
    _check_keys(seen, tuple(KEYS), "seen")
    claim = None if seen.get("claim") is None else _claim(seen["claim"])
    flipped = seen.get("flipped")
    dealer = None if seen.get("dealer") is None else a_seat(seen["dealer"], "seen.dealer")
    return Told(
        dealer=dealer,
        is_first_hand=_flag(seen, "first_hand", "seen") or claim is not None,
        claim=claim,
        declarations=[_declaration(one, f"seen.declarations[{i}]") for i, one in _listed(seen, "declarations")],
        tribute=None if seen.get("tribute") is None else _tribute(seen["tribute"]),
        tribute_cancelled=_flag(seen, "tribute_cancelled", "seen"),
        bottom=_six(seen, "bottom"),
        bury=_six(seen, "bury"),
        joker_buries=[
            _joker_bury(one, f"seen.joker_buries[{i}]", dealer or 0) for i, one in _listed(seen, "joker_buries")
        ],
        flipped=[] if flipped is None else some_cards(flipped, "seen.flipped"),
        may_bury=None if seen.get("may_bury") is None else _number(seen["may_bury"], "seen.may_bury", N_JOKERS),
        plays=[_play(play, f"seen.plays[{i}]") for i, play in _listed(seen, "plays")],
    )


def a_seat(value: object, where: str) -> int:
    """A seat; InputError with its place for anything else."""
    seat = whole_number(value)
    if seat is None or not 0 <= seat < N_SEATS:
        raise InputError(f"{where} must be a seat from 0 to 3, got {shown(value)}")
    return seat


def a_suit(value: object, where: str) -> int:
    """A suit 0..3 from its letter; InputError with its place for anything else."""
    try:
        return parse_suit(value if isinstance(value, str) else "")
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def some_cards(value: object, where: str, n: int | None = None) -> list[int]:
    """Kinds from a text or a list of names, `n` of them where given; InputError with their place for anything else."""
    if not isinstance(value, str):
        if not isinstance(value, Sequence) or not all(isinstance(name, str) for name in value):
            raise InputError(f"{where} must be cards, as text or as a list of names, got {shown(value)}")
    try:
        cards = parse_hand(value) if isinstance(value, str) else [parse_card(name) for name in value]
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    if n is not None and len(cards) != n:
        raise InputError(f"{where} must have {n} cards, got {len(cards)}")
    return cards


def names(cards: Iterable[int]) -> str:
    """Names of cards, for messages."""
    return " ".join(map(kind_name, cards)) or "no card"


def _check_keys(value: Mapping[str, Any], allowed: Sequence[str], where: str) -> None:
    for key in value:
        if key not in allowed:
            raise InputError(f"{where}: unknown key {shown(key)}{did_you_mean(key, allowed)}")


def _number(value: object, where: str, most: int) -> int:
    found = whole_number(value)
    if found is None or not 0 <= found <= most:
        raise InputError(f"{where} must be a number from 0 to {most}, got {shown(value)}")
    return found


def _play(value: object, where: str) -> list[int]:
    cards = some_cards(value, where)
    if not 1 <= len(cards) <= N_COPIES:
        raise InputError(f"{where} must have one to three cards (G10.1), got {len(cards)}")
    return cards


def _object(value: Any, part: str, where: str, needed: Sequence[str]) -> Mapping[str, Any]:
    """One part of what was told, with all the keys that it needs and none that is unknown."""
    lacking = next((key for key in needed if not isinstance(value, Mapping) or key not in value), None)
    if lacking:
        raise InputError(f"{where} must be an object with {lacking!r}, got {shown(value)}")
    _check_keys(value, KEYS[part], where)
    return value  # type: ignore[no-any-return]


def _flag(value: Mapping[str, Any], key: str, where: str) -> bool:
    found = value.get(key)
    if found is None:
        return False
    if not isinstance(found, bool):
        raise InputError(f"{where}.{key} must be true or false, got {shown(found)}")
    return found


def _six(seen: Mapping[str, Any], key: str) -> list[int] | None:
    return None if seen.get(key) is None else some_cards(seen[key], f"seen.{key}", N_BOTTOM)


def _listed(seen: Mapping[str, Any], key: str) -> Iterable[tuple[int, Any]]:
    """The numbered entries of a list, none where it was not told."""
    found = seen.get(key)
    if found is None:
        return ()
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise InputError(f"seen.{key} must be a list, got {shown(found)}")
    return enumerate(found)


def _claim(value: Any) -> Claim:
    made = _object(value, "claim", "seen.claim", ["seat"])
    draw = None if made.get("draw") is None else _number(made["draw"], "seen.claim.draw", N_DEALT - 1)
    return Claim(a_seat(made["seat"], "seen.claim.seat"), draw)


def _declaration(value: Any, where: str) -> Declaration:
    made = _object(value, "declarations", where, ["seat", "cards"])
    cards = some_cards(made["cards"], f"{where}.cards")
    if not cards:
        raise InputError(f"{where}.cards must have one to three cards (G5.2), got none")
    if made.get("suit") is None and cards[0] in JOKER_KINDS:
        raise InputError(f"{where} must be an object with 'suit', got {shown(value)}")
    if made.get("draw") is not None:
        _number(made["draw"], f"{where}.draw", N_DEALT - 1)
    suit = cards[0] // 13 if made.get("suit") is None else a_suit(made["suit"], f"{where}.suit")
    return Declaration(a_seat(made["seat"], f"{where}.seat"), cards, suit)


def _tribute(value: Any) -> Tribute:
    made = _object(value, "tribute", "seen.tribute", ["cards", "returned"])
    cards, returned = (some_cards(made[key], f"seen.tribute.{key}") for key in ("cards", "returned"))
    return Tribute(cards, returned, _flag(made, "reversed", "seen.tribute"))


def _joker_bury(value: Any, where: str, dealer: int) -> JokerBury:
    made = _object(value, "joker_buries", where, ["seat", "jokers", "taken"])
    if a_seat(made["seat"], f"{where}.seat") == dealer:
        raise InputError(f"{where}: the dealer's jokers are told by seen.bury, those of the other seats here (G8.4)")
    jokers = some_cards(made["jokers"], f"{where}.jokers")
    taken = some_cards(made["taken"], f"{where}.taken", len(jokers))
    if not jokers:
        raise InputError(f"{where}: a seat that buries no joker is left out")
    return JokerBury(a_seat(made["seat"], f"{where}.seat"), jokers, taken)
