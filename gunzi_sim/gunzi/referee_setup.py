"""
The referee's half that sees one decision before the play: deal (G3), claim, flip (G4), declaration (G5), tribute (G6),
dry pot (G7), burying (G8).

Plain Python, written from the rule book clause by clause, on the words of `referee_play`: kinds, `Counter` hands,
`Fault`. Every function takes the cards it needs and keeps nothing; the course of a hand is in `referee`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gunzi_sim.cards import BIG, SMALL, kind_name, rank_of, suit_of
from gunzi_sim.gunzi.referee_play import POINTS, TRUMP, Fault, Order, holds, missing, names
from gunzi_sim.gunzi.rules import DryPot, FirstClaim, FirstFlip, GunziRules, TributePoints

JOKERS = (SMALL, BIG)
N_DEALT = 156
"""Cards dealt to the seats; the other six of the deck are the bottom."""

THREE_SMALL = 4
THREE_BIG = 5


class Standing(NamedTuple):
    """The declaration that holds so far: seat, shown card, strength 1..5 (`strength_of`) and suit."""

    seat: int
    kind: int
    strength: int
    suit: int


def drawer(first_seat: int, draw: int) -> int:
    """G3.1: the seat that gets `deck[draw]`."""
    return (first_seat + draw) % 4


def dealt(deck: Sequence[int], first_seat: int, seat: int, n_drawn: int = N_DEALT) -> Counter[int]:
    """G3.1: cards of a seat after the first `n_drawn` draws."""
    return Counter(deck[(seat - first_seat) % 4 : n_drawn : 4])


def first_suited(cards: Iterable[int]) -> int | None:
    """Suit of the first card that is no joker (G4.2, G5.7); None when all are jokers."""
    return next((suit_of(kind) for kind in cards if kind not in JOKERS), None)


def is_void(
    deck_kinds: Sequence[int], first_hand: bool, has_claim: bool, has_declaration: bool, rules: GunziRules
) -> bool:
    """
    Whether the deal is thrown in: four jokers flipped (G4.3), or nobody declared and six jokers in the bottom (G5.7).

    `deck_kinds` is the dealing order; `has_claim` and `has_declaration` say whether anybody claimed or declared. Under
    `first_claim` "automatic" a big joker drawn is a claim, asked for or not.
    """
    bottom = deck_kinds[N_DEALT:]
    if first_hand:
        automatic = rules.first_claim == FirstClaim.AUTOMATIC and BIG in deck_kinds[:N_DEALT]
        return not has_claim and not automatic and first_suited(bottom[:4]) is None
    return not has_declaration and first_suited(bottom) is None


def claim_fault(
    deck: Sequence[int], first_seat: int, claim: tuple[int, int] | None, first_claim: FirstClaim
) -> Fault | None:
    """G4.1: a claim (seat, draw) is its drawer's at a big joker's draw; automatic: at the first, and compulsory."""
    big_draws = [draw for draw in range(N_DEALT) if deck[draw] == BIG]
    automatic = first_claim == FirstClaim.AUTOMATIC
    if claim is None:
        if automatic and big_draws:
            return Fault("G4.1", None, f"no claim, but the big joker of draw {big_draws[0]} claims by itself")
        return None
    seat, draw = claim
    if draw not in big_draws:
        return Fault("G4.1", None, f"claim at draw {draw}, which is no big joker dealt to a seat")
    if seat != drawer(first_seat, draw):
        return Fault("G4.1", None, f"claim by seat {seat} at draw {draw} of seat {drawer(first_seat, draw)}")
    if automatic and draw != big_draws[0]:
        return Fault("G4.1", None, f"claim at draw {draw}, but the big joker of draw {big_draws[0]} claims by itself")
    return None


def claimed_trump(deck: Sequence[int], draw: int) -> int:
    """G4.2: suit of the claimer's first suited card after the claim at `draw`, else of the first suited bottom card."""
    own = first_suited(deck[draw + 4 : N_DEALT : 4])
    if own is not None:
        return own
    from_bottom = first_suited(deck[N_DEALT:])
    if from_bottom is None:
        raise ValueError("six jokers in the bottom and one claimed: no deck of three copies")
    return from_bottom


def seats_flip(bottom: Sequence[int], first_seat: int, first_flip: FirstFlip) -> tuple[int, int] | None:
    """G4.3: (dealer, trump) from the flips of b0..b3; jokers never win a flip; None when all four are jokers."""
    places = [place for place in range(4) if bottom[place] not in JOKERS]
    if not places:
        return None
    sign = 1 if first_flip == FirstFlip.SMALLEST else -1
    best = min(places, key=lambda place: (sign * _flip_rank(bottom[place]), place))
    return drawer(first_seat, best), suit_of(bottom[best])


def _flip_rank(kind: int) -> int:
    """G4.3: printed rank with the 2 above the ace."""
    return 15 if rank_of(kind) == 2 else rank_of(kind)


def strength_of(cards: Sequence[int], suit: int, level: int) -> int:
    """G5.2, G5.3: 1..3 identical level cards of `suit` 1..3, three small jokers 4, three big 5; no declaration 0."""
    if not 1 <= len(cards) <= 3 or cards.count(cards[0]) != len(cards):
        return 0
    kind = cards[0]
    if kind in JOKERS:
        return (THREE_SMALL if kind == SMALL else THREE_BIG) if len(cards) == 3 else 0
    return len(cards) if rank_of(kind) == level and suit_of(kind) == suit else 0


def declaration_fault(
    held: Counter[int],
    seat: int,
    cards: Sequence[int],
    suit: int,
    standing: Standing | None,
    level: int,
    rules: GunziRules,
) -> Fault | None:
    """G5.2 (held, form), G5.3 (opening, strength), G5.4 (own overcall); `held` is the hand at that moment."""
    if not holds(held, cards):
        return Fault("G5.2", None, f"{missing(held, cards)} declared but not held")
    strength = strength_of(cards, suit, level)
    if strength == 0:
        return Fault("G5.2", None, f"{names(cards)} for {'SHDC'[suit]} is no declaration at level {level}")
    if standing is None:
        if strength >= THREE_SMALL and not rules.jokers_may_open:
            return Fault("G5.3", None, "jokers may not open")
        return None
    if strength <= standing.strength:
        return Fault("G5.3", None, f"{names(cards)} is not stronger than the standing declaration")
    if seat == standing.seat and not rules.self_overcall and cards[0] != standing.kind:
        shown = kind_name(standing.kind)
        return Fault("G5.4", None, f"the standing declarer may only add copies of {shown}, not show {names(cards)}")
    return None


def eligible(hand: Counter[int], level: int, tribute_points: TributePoints) -> list[int]:
    """G6.2: cards that may be paid as tribute."""
    return [kind for kind in hand.elements() if _may_be_paid(kind, level, tribute_points)]


def _may_be_paid(kind: int, level: int, tribute_points: TributePoints) -> bool:
    if not POINTS[kind] or tribute_points == TributePoints.ALL:
        return True
    return tribute_points == TributePoints.LEVEL and rank_of(kind) == level


def pay_fault(hand: Counter[int], cards: Sequence[int], owed: int, order: Order, points: TributePoints) -> Fault | None:
    """G6.1, G6.3 (how many), then G6.2 (held, eligible, the highest) of a tribute of `owed` cards from a hand."""
    payable = eligible(hand, order.level, points)
    n_due = min(owed, len(payable))
    if len(cards) != n_due:
        clause = "G6.3" if len(cards) < n_due < owed else "G6.1"
        return Fault(clause, None, f"{n_due} tribute cards due, but {len(cards)} paid")
    if not holds(hand, cards):
        return Fault("G6.2", None, f"{missing(hand, cards)} paid but not held")
    barred = [kind for kind in cards if not _may_be_paid(kind, order.level, points)]
    if barred:
        return Fault("G6.2", None, f"{names(barred)} may not be paid: point cards are not eligible")
    payable.sort(key=order.strength.__getitem__, reverse=True)
    highest = payable[:n_due]
    if not _equals(cards, highest, order):
        return Fault("G6.2", None, f"{names(cards)} paid, but the highest eligible cards are {names(highest)}")
    return None


def return_fault(hand: Counter[int], cards: Sequence[int], n_due: int, order: Order) -> Fault | None:
    """
    G6.4: `n_due` side cards without points, from a hand with the tribute in it.

    Where those are too few, all of them, then the lowest trumps without points, then the lowest cards that remain.
    """
    if len(cards) != n_due:
        return Fault("G6.4", None, f"{n_due} cards to return, but {len(cards)} returned")
    if not holds(hand, cards):
        return Fault("G6.4", None, f"{missing(hand, cards)} returned but not held")
    held = sorted(hand.elements(), key=order.strength.__getitem__)
    groups: tuple[list[int], list[int], list[int]] = ([], [], [])
    for kind in held:
        groups[return_group(kind, order)].append(kind)
    returned = sorted(cards, key=lambda kind: (return_group(kind, order), order.strength[kind]))
    if n_due <= len(groups[0]):
        wrong = [kind for kind in returned if return_group(kind, order) > 0]
        if wrong:
            return Fault("G6.4", None, f"{names(wrong)} returned, but there are enough side cards without points")
        return None
    due = (groups[0] + groups[1] + groups[2])[:n_due]
    if not _equals(returned, due, order):
        return Fault("G6.4", None, f"{names(returned)} returned, but few side cards are left, so {names(due)} are due")
    return None


def return_group(kind: int, order: Order) -> int:
    """G6.4: 0 for side cards without points, 1 for trumps without points, 2 for the rest."""
    if POINTS[kind]:
        return 2
    return 1 if order.suit[kind] == TRUMP else 0


def _equals(cards: Sequence[int], others: Sequence[int], order: Order) -> bool:
    """Whether two lists are the same but for the choice among equal cards."""
    return sorted(order.strength[kind] for kind in cards) == sorted(order.strength[kind] for kind in others)


def is_dry_pot(bottom: Sequence[int], order: Order, dry_pot: DryPot) -> bool:
    """G7.2, for an exposed bottom of six cards."""
    if dry_pot == DryPot.OFF:
        return False
    if all(order.suit[kind] == TRUMP for kind in bottom):
        return True
    if dry_pot == DryPot.NO_MAIN_SUIT:
        return not any(_is_plain_trump(kind, order) for kind in bottom)
    return all(order.suit[kind] != TRUMP or kind in JOKERS or rank_of(kind) == 2 for kind in bottom)


def _is_plain_trump(kind: int, order: Order) -> bool:
    """G9.1: a card of the trump suit that is neither level card nor 2."""
    return suit_of(kind) == order.trump and rank_of(kind) not in (2, order.level)


def _joker_fault(hand: Counter[int], buried: Sequence[int], rules: GunziRules) -> Fault | None:
    """G15 `max_jokers_per_seat`, then G8.2: no small joker buried while a big one of `hand` (before) is kept."""
    n_jokers = sum(buried.count(joker) for joker in JOKERS)
    if n_jokers > rules.max_jokers_per_seat:
        return Fault("G15", None, f"{n_jokers} jokers buried, max_jokers_per_seat is {rules.max_jokers_per_seat}")
    if rules.bury_big_first and SMALL in buried and hand[BIG] > buried.count(BIG):
        return Fault("G8.2", None, "a small joker buried while a big one is kept")
    return None


def bury_fault(hand: Counter[int], buried: Sequence[int], rules: GunziRules) -> Fault | None:
    """G8.1, then the joker rules, of the dealer's six; `hand` has the 45 cards."""
    if len(buried) != 6:
        return Fault("G8.1", None, f"{len(buried)} cards buried, not 6")
    if not holds(hand, buried):
        return Fault("G8.1", None, f"{missing(hand, buried)} buried but not held")
    return _joker_fault(hand, buried, rules)


def pickable(bottom: Iterable[int]) -> list[int]:
    """G8.4: bottom cards that may be picked up for buried jokers: neither joker nor point card."""
    return [kind for kind in bottom if kind not in JOKERS and not POINTS[kind]]


def joker_bury_fault(
    hand: Counter[int],
    jokers: Sequence[int],
    taken: Sequence[int],
    bottom: Sequence[int],
    order: Order,
    rules: GunziRules,
) -> Fault | None:
    """G8.4 (jokers, held, limit), G15, G8.2, then G8.4's pick: the smallest pickable of `bottom`, one a joker."""
    if any(kind not in JOKERS for kind in jokers):
        return Fault("G8.4", None, f"{names(jokers)} buried, only jokers may be")
    if not holds(hand, jokers):
        return Fault("G8.4", None, f"{missing(hand, jokers)} buried but not held")
    open_cards = sorted(pickable(bottom), key=order.strength.__getitem__)
    if len(jokers) > len(open_cards):
        return Fault("G8.4", None, f"{len(jokers)} jokers buried, but the bottom has {len(open_cards)} cards to pick")
    fault = _joker_fault(hand, jokers, rules)
    if fault:
        return fault
    smallest = open_cards[: len(jokers)]
    if Counter(taken) - Counter(open_cards) or not _equals(taken, smallest, order):
        return Fault("G8.4", None, f"{names(taken)} picked up, but the smallest are {names(smallest)}")
    return None
