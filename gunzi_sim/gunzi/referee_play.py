"""
The referee's half that sees one trick: points (G1.3), order of cards (G9), leading, following (G10), winning (G11).

Plain Python, written from the rule book clause by clause. Cards are kinds (0..53, see `cards`), a hand is a `Counter`
of kinds, a play is a list of kinds in the order shown. A clause function answers a `Fault` or None; nothing here knows
of phases before the play, of rounds or of settlement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from gunzi_sim.cards import BIG, N_KINDS, SMALL, card_points, kind_name, rank_of, suit_of
from gunzi_sim.gunzi.rules import Follow

TRUMP = 4
"""The suit number of all trumps in `Order.suit`; 0..3 are the printed suits S H D C."""

SUIT_NAMES = ("spades", "hearts", "diamonds", "clubs", "trumps")
POINTS = tuple(card_points(kind) for kind in range(N_KINDS))


class Fault(NamedTuple):
    """What is wrong with a record: clause of the rule book, index of the play (None outside the play), one sentence."""

    clause: str
    play: int | None
    message: str


class Order(NamedTuple):
    """
    The order of cards in one hand (G9).

    `suit[kind]` is 0..3 or `TRUMP`. `strength[kind]` is one scale for all cards: side cards by rank alone, every trump
    above every side card, equal numbers for equal cards.
    """

    level: int
    trump: int
    suit: tuple[int, ...]
    strength: tuple[int, ...]


def names(cards: Iterable[int]) -> str:
    """Canonical names of cards, for messages."""
    return " ".join(kind_name(kind) for kind in cards) or "no card"


def points_of(cards: Iterable[int]) -> int:
    """Card points of cards (G1.3): 5 a five, 10 a ten or king, trump or not."""
    return sum(POINTS[kind] for kind in cards)


@cache
def order_of(level: int, trump: int) -> Order:
    """Order of cards at a level (rank 3..14) and trump suit (0..3), G9.1."""
    suits, strengths = [], []
    for kind in range(N_KINDS):
        strength = _trump_strength(kind, level, trump)
        suits.append(TRUMP if strength else suit_of(kind))
        strengths.append(strength or rank_of(kind))
    return Order(level, trump, tuple(suits), tuple(strengths))


def _trump_strength(kind: int, level: int, trump: int) -> int:
    """G9.1: place of a trump, all above the side cards' 3..14; 0 for a side card."""
    if kind == BIG:
        return 60
    if kind == SMALL:
        return 50
    suit, rank = suit_of(kind), rank_of(kind)
    if rank == level:
        return 41 if suit == trump else 40
    if rank == 2:
        return 36 if suit == trump else 35
    return 20 + rank if suit == trump else 0


def holds(hand: Counter[int], cards: Sequence[int]) -> bool:
    """Whether a hand holds all the cards, copies counted."""
    for kind in cards:
        if hand[kind] < cards.count(kind):
            return False
    return True


def missing(hand: Counter[int], cards: Sequence[int]) -> str:
    """Names of the cards that a hand does not hold, for messages."""
    return names((Counter(cards) - hand).elements())


def take(hand: Counter[int], cards: Iterable[int]) -> None:
    """Remove cards from a hand that holds them. `hand` is changed in place and keeps no zeros."""
    for kind in cards:
        left = hand[kind] - 1
        if left:
            hand[kind] = left
        else:
            hand.pop(kind)


def is_pattern(play: Sequence[int]) -> bool:
    """G10.1: a single, or two or three identical cards; so big and small joker do not pair."""
    return 1 <= len(play) <= 3 and play.count(play[0]) == len(play)


def lead_fault(hand: Counter[int], play: Sequence[int]) -> Fault | None:
    """G10.1: a lead is held, and is a single, a pair or a triple."""
    if not holds(hand, play):
        return Fault("G10.1", None, f"{missing(hand, play)} led but not held")
    if not is_pattern(play):
        return Fault("G10.1", None, f"{names(play)} led, which is no single, pair or triple")
    return None


def follow_fault(
    hand: Counter[int], led: Sequence[int], play: Sequence[int], order: Order, follow: Follow
) -> Fault | None:
    """G10.3 (held, how many, which suit), then G10.4 (pattern); G10.5: loose following stops after G10.3."""
    if not holds(hand, play):
        return Fault("G10.3", None, f"{missing(hand, play)} played but not held")
    if len(play) != len(led):
        return Fault("G10.3", None, f"{len(led)} cards led, but {len(play)} played")
    suit = order.suit[led[0]]
    n_played = [order.suit[kind] for kind in play].count(suit)
    if n_played == 1 == len(led):
        return None  # the common case: a single in its suit
    in_suit = {kind: copies for kind, copies in hand.items() if order.suit[kind] == suit}
    n_suit = sum(in_suit.values())
    n_due = min(n_suit, len(led))
    if n_played < n_due:
        return Fault("G10.3", None, f"{n_due} of the led {SUIT_NAMES[suit]} must be played, but {names(play)} played")
    if follow == Follow.STRICT and n_suit >= 2:
        return _strict_fault(in_suit, len(led), play, SUIT_NAMES[suit])
    return None


def _strict_fault(in_suit: dict[int, int], n_led: int, play: Sequence[int], suit_name: str) -> Fault | None:
    """
    G10.4, for a play that satisfies G10.3.

    Parameters
    ----------
    in_suit : dict
        Copies held of each kind of the led suit; at least two cards in all.
    n_led : int
        1, 2 or 3 cards led.
    play : list of kinds
    suit_name : str
        Name of the led suit, for the message.
    """
    held = set(in_suit.values())
    best = max([play.count(kind) for kind in play if kind in in_suit])
    if n_led == 2 and 2 in held and best < 2:
        return Fault("G10.4", None, f"pair led and a pair held in {suit_name}, but {names(play)} played")
    if n_led == 3 and 3 in held and best < 3:
        return Fault("G10.4", None, f"triple led and a triple held in {suit_name}, but {names(play)} played")
    if n_led == 3 and 2 in held and best < 2:
        return Fault("G10.4", None, f"triple led and a pair held in {suit_name}, but {names(play)} played")
    return None


def trick_winner(lead_seat: int, plays: Sequence[Sequence[int]], level: int, trump: int) -> int:
    """
    Seat that wins a complete trick (G11.1); of equal plays the earlier wins.

    Parameters
    ----------
    lead_seat : int
        Seat that led `plays[0]`.
    plays : four lists of kinds
        In playing order from the leader.
    level, trump : int
        Rank 3..14 of the level, suit 0..3.
    """
    order = order_of(level, trump)
    led = plays[0]
    led_suit = order.suit[led[0]]
    winner, best = 0, order.strength[led[0]]
    for step in range(1, 4):
        play = plays[step]
        top = play[0]
        competes = order.suit[top] in (led_suit, TRUMP) and play.count(top) == len(led)
        if competes and order.strength[top] > best:  # the scale puts every trump above every side card
            winner, best = step, order.strength[top]
    return (lead_seat + winner) % 4


def trick_points(plays: Iterable[Sequence[int]]) -> int:
    """Card points on the table (G11.2)."""
    return sum([POINTS[kind] for play in plays for kind in play])
