"""
Whether what a player tells of a hand agrees with the rules, as far as the cards that the player knows decide it.

The clauses are the referee's own (`referee_setup`); here is which cards they are asked about. Of another seat's hand
only the cards told are known, so a clause is asked about these alone; the own hand is turned back to the deal. The
cards that a dealer got with a bottom nobody saw are not told: then the bottom is taken that speaks for the player most.

Left out: whether the hidden cards can lie so (`facts`, `sampler`), and the plays (`seen`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gunzi_sim.cards import BIG, SMALL, kind_name
from gunzi_sim.game import InputError
from gunzi_sim.gunzi.referee_play import Fault, Order, order_of
from gunzi_sim.gunzi.referee_setup import (
    Standing,
    bury_fault,
    declaration_fault,
    eligible,
    first_suited,
    is_dry_pot,
    joker_bury_fault,
    pay_fault,
    return_fault,
    return_group,
    seats_flip,
    strength_of,
)
from gunzi_sim.gunzi.rules import FirstClaim, GunziRules
from gunzi_sim.gunzi.told import Told, names
from gunzi_sim.gunzi.view import N_BOTTOM, N_DEALT, N_SEATS

SUITS = ("spades", "hearts", "diamonds", "clubs")
N_FLIPPED = 4
"""Cards turned up for dealer and trump of a first hand (G4.3)."""


@dataclass(frozen=True)
class Setting:
    """The hand that is spoken of: who asks, who deals, the levels of both sides, trump suit, tribute owed."""

    rules: GunziRules
    seat: int
    dealer: int
    levels: tuple[int, int]
    trump: int
    owed: int
    told: Told

    @property
    def level(self) -> int:
        """Level of the hand (G2.2)."""
        return self.levels[self.dealer % 2]

    @property
    def order(self) -> Order:
        """Order of cards (G9)."""
        return order_of(self.level, self.trump)

    @property
    def is_dealer(self) -> bool:
        """Whether the dealer asks."""
        return self.seat == self.dealer

    @property
    def is_dry(self) -> bool:
        """Whether an exposed bottom stays as it is (G7.2)."""
        bottom = self.told.bottom
        return bottom is not None and is_dry_pot(bottom, self.order, self.rules.dry_pot)

    @property
    def owes_untold(self) -> bool:
        """Whether tribute was owed, and what came of it was not told."""
        return bool(self.owed) and not self.told.tribute and not self.told.tribute_cancelled

    @property
    def payer_and_receiver(self) -> tuple[int, int]:
        """G6.1, G6.5: the seat before the dealer pays it, or the other way round."""
        before = (self.dealer - 1) % N_SEATS
        tribute = self.told.tribute
        return (self.dealer, before) if tribute and tribute.is_reversed else (before, self.dealer)


def check_copies(cards: Iterable[int]) -> None:
    """No kind has more than three copies (G1.2)."""
    for kind, copies in Counter(cards).items():
        if copies > 3:
            raise InputError(f"{copies} copies of {kind_name(kind)} are named, there are three (G1.2)")


def check_start(now: Setting) -> None:
    """Claim, declarations, cards turned up, and what a first hand cannot have (G2, G4, G5), whoever asks."""
    told, rules = now.told, now.rules
    if told.is_first_hand:
        _check_first_hand(now)
    if told.flipped and (told.claim or told.declarations):
        raise InputError("seen.flipped: no card is turned up where somebody claimed or declared (G4.3, G5.7)")
    if told.is_first_hand and not told.claim:
        if told.bottom is not None:
            raise InputError("seen.bottom: in a first hand it is exposed after a claim alone (G7.1); tell seen.claim")
        if not told.flipped and rules.first_claim == FirstClaim.AUTOMATIC:
            raise InputError("seen: under these rules tell seen.claim, or the four cards of seen.flipped (first_claim)")
    if told.flipped and told.bottom is not None:
        raise InputError("seen.bottom: a bottom of which cards were turned up is not exposed (G7.1)")
    if len(told.flipped) > N_BOTTOM:
        raise InputError(f"seen.flipped: the bottom has {N_BOTTOM} cards, got {len(told.flipped)}")
    if told.is_first_hand:
        _check_first_flip(now)
    elif told.flipped:
        _check_flip(now)
    if told.claim and told.claim.draw is not None and told.bottom is not None and not n_after(now, told.claim.seat):
        if not any(first_suited([kind]) == now.trump for kind in told.bottom):
            raise InputError(f"seen.claim: no card followed, and the bottom has none of {SUITS[now.trump]} (G4.2)")
    standing = None
    for i, (seat, cards, suit) in enumerate(told.declarations):
        fault = declaration_fault(Counter(cards), seat, cards, suit, standing, now.level, rules)
        _refuse(fault, f"seen.declarations[{i}] (seat {seat})")
        standing = Standing(seat, cards[0], strength_of(cards, suit, now.level), suit)
    if standing and standing.suit != now.trump:
        raise InputError("seen.declarations: the last one must name the trump suit (G5.1)")


def _check_first_hand(now: Setting) -> None:
    told, start = now.told, now.rules.start_level
    if told.declarations:
        raise InputError("seen.declarations: in a first hand nobody declares, only claims (G4.5)")
    if now.owed or told.tribute or told.tribute_cancelled:
        raise InputError("seen.first_hand: no tribute is owed in a first hand (G2.5)")
    if now.levels != (start, start):
        text = f"{now.levels[0]},{now.levels[1]}"
        raise InputError(f"seen.first_hand: a round starts with both sides at level {start}, got levels {text} (G2.1)")
    if told.claim and told.claim.seat != now.dealer:
        raise InputError(f"seen.claim: the claimer is the dealer (G4.1), but seat {now.dealer} deals")


def _check_first_flip(now: Setting) -> None:
    """G4.3; who drew the first card, and so who turned up which, is not told."""
    flipped = now.told.flipped
    if not flipped:
        return
    if len(flipped) != N_FLIPPED:
        raise InputError(f"seen.flipped: four cards are turned up in a first hand (G4.3), got {len(flipped)}")
    found = seats_flip(flipped, 0, now.rules.first_flip)
    if found is None:
        raise InputError("seen.flipped: after four jokers the hand is dealt again (G4.3)")
    _check_trump(now, found[1], "seen.flipped", "G4.3")


def _check_flip(now: Setting) -> None:
    """G5.7: jokers, then one card that names the suit."""
    *jokers, last = now.told.flipped
    found = first_suited([last])
    if found is None or first_suited(jokers) is not None:
        what = "cards are turned up until the first that is no joker (G5.7)"
        hint = "; is it a first_hand?" if len(now.told.flipped) == N_FLIPPED else ""
        raise InputError(f"seen.flipped: {what}{hint}")
    _check_trump(now, found, "seen.flipped", "G5.7")


def _check_trump(now: Setting, suit: int, where: str, clause: str) -> None:
    if suit != now.trump:
        raise InputError(f"{where} makes {SUITS[suit]} trump ({clause}), not {SUITS[now.trump]}")


def check_tribute(now: Setting) -> None:
    """Tribute and return as everybody saw them (G6)."""
    told, rules, tribute = now.told, now.rules, now.told.tribute
    if told.tribute_cancelled and tribute:
        raise InputError("seen.tribute: no card moves where the tribute was cancelled (G6.5)")
    if told.tribute_cancelled and not now.owed:
        raise InputError("seen.tribute_cancelled: no tribute was owed (G6.1); give what was owed")
    if not rules.tribute_three_big and (told.tribute_cancelled or (tribute and tribute.is_reversed)):
        raise InputError("seen: under these rules three big jokers change no tribute (tribute_three_big, G6.5)")
    if tribute is None:
        return
    if tribute.is_reversed and not now.owed:
        raise InputError("seen.tribute: no tribute was owed (G6.1); give what was owed")
    paid, returned = tribute.cards, tribute.returned
    if len(paid) != len(returned):
        raise InputError(f"seen.tribute: {len(paid)} cards were paid, but {len(returned)} returned (G6.4)")
    if len(paid) > now.owed:
        raise InputError(f"seen.tribute: {len(paid)} cards were paid, but {now.owed} owed (G6.1)")
    barred = Counter(paid) - Counter(eligible(Counter(paid), now.level, rules.tribute_points))
    if barred:
        value = rules.tribute_points.name.lower()
        raise InputError(f"seen.tribute: {names(barred)} may not be paid (tribute_points is {value!r}, G6.2)")


def final_bottom(told: Told, given: Sequence[int] | None) -> list[int] | None:
    """The bottom after all burials told: as given, or from the dealer's six; None where neither was told."""
    if told.bury is None:
        return None if given is None else list(given)
    bottom = Counter(told.bury)
    for i, made in enumerate(told.joker_buries):
        lacking = Counter(made.taken) - bottom
        if lacking:
            where = f"seen.joker_buries[{i}] (seat {made.seat})"
            raise InputError(f"{where}: {names(lacking.elements())} was not in the bottom (G8.4)")
        bottom = bottom - Counter(made.taken) + Counter(made.jokers)
    if given is not None and Counter(given) != bottom:
        what = names(bottom.elements())
        raise InputError(f"the bottom is not what seen.bury and seen.joker_buries make it, {what} (G8.4)")
    return list(bottom.elements())


def first_burial(told: Told, final: Sequence[int] | None) -> list[int] | None:
    """The six cards that the dealer buried, from the bottom after all burials told; None where that is not known."""
    if final is None:
        return None
    bottom = Counter(final)
    for made in reversed(told.joker_buries):
        bottom.update(made.taken)
        lacking = Counter(made.jokers) - bottom
        if lacking:
            what = names(lacking.elements())
            raise InputError(f"seen.joker_buries: {what} of seat {made.seat} is not in the bottom (G8.4)")
        bottom.subtract(made.jokers)
    return list(bottom.elements())


def check_burials(now: Setting, first: Sequence[int] | None, own: Counter[int]) -> None:
    """
    What the dealer and the others buried (G8), as far as it was shown.

    Parameters
    ----------
    now : Setting
    first : sequence of int, optional
        The six cards that the dealer buried, where they are known.
    own : Counter of kinds
        The own hand before it buried anything.
    """
    told, rules = now.told, now.rules
    if now.is_dry:
        if told.bury is not None or told.joker_buries:
            raise InputError("the exposed bottom is a dry pot, so nobody buried (G7.3)")
        return
    bottom = list(first or [])
    if first is not None:
        _refuse(bury_fault(own if now.is_dealer else Counter(bottom), bottom, rules), f"buried by seat {now.dealer}")
    last = 0
    for i, (seat, jokers, taken) in enumerate(told.joker_buries):
        where = f"seen.joker_buries[{i}] (seat {seat})"
        if not rules.others_bury_jokers:
            raise InputError(f"{where}: under these rules only the dealer buries jokers (others_bury_jokers, G8.4)")
        asked = (seat - now.dealer) % N_SEATS
        if asked <= last:
            raise InputError(f"{where}: the dealer's next, partner and previous are asked in turn, once each (G8.4)")
        last = asked
        held = own if seat == now.seat else Counter(jokers)
        _refuse(joker_bury_fault(held, jokers, taken, bottom, now.order, rules), where)
        bottom = list((Counter(bottom) - Counter(taken) + Counter(jokers)).elements())


def unburied(now: Setting, hand: Iterable[int], first: Sequence[int] | None) -> Counter[int]:
    """The own hand before it buried anything, from that after it: a dealer's with the bottom, if it took one up."""
    own = Counter(hand)
    for made in now.told.joker_buries:
        if made.seat == now.seat:
            _take_back(own, made.taken, "seen.joker_buries: the own seat picked up", "G8.4")
            own.update(made.jokers)
    if now.is_dealer and not now.is_dry:
        own.update(first or [])
    return own


def check_own(now: Setting, own: Counter[int], dealt_bottom: Sequence[int] | None) -> None:
    """
    Bidding and tribute against the own cards.

    Parameters
    ----------
    now : Setting
    own : Counter of kinds
        The own hand before it buried anything, a dealer's with the bottom that it took up.
    dealt_bottom : sequence of int, optional
        That bottom, where it is told.
    """
    told = now.told
    own = own.copy()
    payer, receiver = now.payer_and_receiver
    paid, returned = (told.tribute.cards, told.tribute.returned) if told.tribute else ([], [])
    if now.seat == payer:
        own.update(paid)
        _take_back(own, returned, "seen.tribute: the own seat got", "G6.4")
    elif now.seat == receiver:
        own.update(returned)
        _take_back(own, paid, "seen.tribute: the own seat was paid", "G6.2")
    check_copies(own.elements())
    with_bottom = now.is_dealer and not now.is_dry
    if with_bottom and dealt_bottom is not None:
        _take_back(own, dealt_bottom, "the dealer took up", "G8.1")
        with_bottom = False
    if with_bottom:
        lacking = Counter(told.flipped) - own
        if lacking:
            raise InputError(f"seen.flipped: the dealer, who took it up, lacks {names(lacking.elements())} (G8.1)")
    if now.owes_untold and now.seat in (payer, receiver):
        return  # cards may have come and gone
    _check_own_bidding(now, own, with_bottom)
    if told.tribute and now.seat == payer:
        dealt = _without_six(now, own, paid, _pay_order(now)) if with_bottom else own
        _refuse(pay_fault(dealt, paid, now.owed, now.order, now.rules.tribute_points), "seen.tribute: the own payment")
    elif told.tribute and now.seat == receiver:
        kept = list((Counter(returned) - Counter(paid)).elements())
        dealt = _without_six(now, own, kept, _return_order(now)) if with_bottom else own
        _refuse(return_fault(dealt + Counter(paid), returned, len(paid), now.order), "seen.tribute: the own return")


def _check_own_bidding(now: Setting, own: Counter[int], with_bottom: bool) -> None:
    """
    Cards that the own seat showed, and what three big jokers of its own make of a tribute (G4.1, G5.2, G6.5).

    `with_bottom`: six of the cards were the bottom, nobody says which.
    """
    told, rules = now.told, now.rules
    for i, (seat, cards, _) in enumerate(told.declarations):
        lacking = Counter(cards) - own
        if seat == now.seat and lacking:
            raise InputError(f"seen.declarations[{i}]: the own seat did not hold {names(lacking.elements())} (G5.2)")
    if told.claim and told.claim.seat == now.seat:
        if not own[BIG]:
            raise InputError("seen.claim: the own seat did not hold a big joker (G4.1)")
        n_jokers = own[BIG] + own[SMALL] - 1  # that may have come after the claim
        follows = told.claim.draw is None or n_after(now, now.seat) > n_jokers
        if follows and not any(first_suited([kind]) == now.trump for kind in own):
            raise InputError(f"seen.claim: the own seat was dealt no card of {SUITS[now.trump]} (G4.2)")
    is_automatic = rules.first_claim == FirstClaim.AUTOMATIC
    if told.claim and told.claim.draw is not None and is_automatic and not with_bottom:
        n_most = n_after(now, now.seat) + (told.claim.seat == now.seat)
        if own[BIG] > n_most:
            raise InputError(f"seen.claim: an earlier big joker of the own {own[BIG]} would have claimed (G4.1)")
    if told.is_first_hand and not told.claim and is_automatic and own[BIG] and not with_bottom:
        raise InputError("seen.claim: the own big joker claims by itself under these rules (first_claim, G4.1)")
    before = (now.dealer - 1) % N_SEATS
    if rules.tribute_three_big and (told.tribute or told.tribute_cancelled):
        has_three = own[BIG] == 3
        if now.seat == before and has_three != (told.tribute is not None and told.tribute.is_reversed):
            raise InputError("seen.tribute: it is reversed where the payer holds three big jokers, else not (G6.5)")
        if now.seat == (before + 2) % N_SEATS and has_three != told.tribute_cancelled:
            raise InputError("seen.tribute: the payer's partner cancels it by three big jokers, else not (G6.5)")


def n_after(now: Setting, seat: int) -> int:
    """Cards that a seat drew after a claim whose draw was told (G3.1)."""
    claim = now.told.claim
    assert claim is not None and claim.draw is not None
    first = claim.draw + ((seat - claim.seat) % N_SEATS or N_SEATS)  # its next draw
    return max(0, -(-(N_DEALT - first) // N_SEATS))


def _without_six(
    now: Setting, own: Counter[int], kept: Sequence[int], order: Callable[[int], tuple[int, int]]
) -> Counter[int]:
    """A dealer's 45 cards without a bottom nobody saw: cards turned up, then the first by an order, none of `kept`."""
    pool = own - Counter(kept) - Counter(now.told.flipped)
    bottom = [*now.told.flipped, *sorted(pool.elements(), key=order)][:N_BOTTOM]
    return own - Counter(bottom)


def _pay_order(now: Setting) -> Callable[[int], tuple[int, int]]:
    """Cards that would have to be paid first (G6.2)."""
    strength, points = now.order.strength, now.rules.tribute_points
    return lambda kind: (0 if eligible(Counter([kind]), now.level, points) else 1, -strength[kind])


def _return_order(now: Setting) -> Callable[[int], tuple[int, int]]:
    """Cards that would have to be returned first (G6.4)."""
    return lambda kind: (return_group(kind, now.order), now.order.strength[kind])


def _take_back(own: Counter[int], cards: Iterable[int], what: str, clause: str) -> None:
    """Remove cards that must be there. `own` is changed in place."""
    lacking = Counter(cards) - own
    if lacking:
        raise InputError(f"{what} {names(lacking.elements())}, which the cards told do not have ({clause})")
    own.subtract(cards)


def _refuse(fault: Fault | None, where: str) -> None:
    if fault:
        raise InputError(f"{where}: {fault.message} ({fault.clause})")
