"""
A seat's question at a table, in its player's words, as the view that a policy would get (G18).

What the player tells of the hand (`told`) is refused with its reason where it cannot have been: too many copies, a
wrong number of cards, bidding, tribute or burials against the rules (`cross_check`), an own play against the rules.
Whether some deal agrees with it all, the sampler finds out (`sampler.prepare`). Left out: bidding, `pay`, `return`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gunzi_sim.cards import BIG, NOBODY, SMALL, card_points, kind_name
from gunzi_sim.game import InputError, did_you_mean, shown
from gunzi_sim.gunzi.cross_check import (
    Setting,
    check_burials,
    check_copies,
    check_own,
    check_start,
    check_tribute,
    final_bottom,
    first_burial,
    unburied,
)
from gunzi_sim.gunzi.records import situation
from gunzi_sim.gunzi.referee_play import follow_fault, trick_points, trick_winner
from gunzi_sim.gunzi.referee_setup import pickable, strength_of
from gunzi_sim.gunzi.rules import GunziRules
from gunzi_sim.gunzi.told import JOKER_KINDS, a_seat, a_suit, names, some_cards, told
from gunzi_sim.gunzi.view import (
    BEATS,
    CLAIM_STRENGTH,
    DECISIONS,
    FIVES,
    GROUPS,
    MIN_LEVEL,
    N_BOTTOM,
    N_HAND,
    N_SEATS,
    N_SUITS,
    OPTION_NAMES,
    PLACE_OF,
    SUIT_PLACES,
    TENS,
    VIEW,
)

ASKED = ("bury", "jokers", "lead", "follow")
LATER_THAN_BURYING = ("bury", "joker_buries", "plays")


class Asked(NamedTuple):
    """A question: the decision's number in `view.DECISIONS`, and the view of the seat, VIEW[1]."""

    decision: int
    view: Any


def from_words(
    rules: GunziRules,
    decision: object,
    hand: object,
    seat: object,
    trump: object,
    level: object,
    levels: object,
    owed: object,
    bottom: object,
    seen: Mapping[str, Any],
) -> dict[str, Any]:
    """The arguments of `ask` from what a player writes; InputError for the first that cannot be."""
    if seat != "dealer":
        a_seat(seat, "seat")
    if level is not None and levels is not None:
        raise InputError("give the level of the hand, or the levels of both sides, not both")
    both = levels if levels is not None else None if level is None else (level, level)
    if both is None and not told(seen).is_first_hand:
        raise InputError("give the level of the hand, or the levels of both sides")
    known = situation(rules, both, None, owed)  # type: ignore[arg-type]
    return {
        "decision": decision,
        "hand": some_cards(hand, "hand"),
        "seat": None if seat == "dealer" else int(seat),  # type: ignore[call-overload]
        "trump": a_suit(trump, "trump"),
        "levels": known.levels,
        "owed": known.owed,
        "bottom": None if bottom is None else some_cards(bottom, "bottom"),
        "seen": seen,
    }


def ask(
    rules: GunziRules,
    decision: str,
    hand: Sequence[int],
    seat: int | None,
    trump: int,
    levels: Sequence[int],
    owed: int = 0,
    bottom: Sequence[int] | None = None,
    seen: Mapping[str, Any] | None = None,
) -> Asked:
    """
    The view of a seat that is asked.

    Parameters
    ----------
    rules : GunziRules
    decision : {"bury", "jokers", "lead", "follow"}
    hand : sequence of int
        Kinds of the cards held now; to bury, the six of the bottom may be among them or stand in `bottom`.
    seat : int or None
        Who asks; None: the dealer.
    trump : int
        Suit 0..3.
    levels : (int, int)
        Of side 0 and side 1 before the hand.
    owed : int
        Tribute that was owed in this hand.
    bottom : sequence of int, optional
        The bottom as the seat knows it: to bury, the dealt one; later the final one.
    seen : mapping, optional
        What everybody saw, see `told`.

    Raises
    ------
    InputError
        Something that cannot be, with the reason.
    """
    if decision not in ASKED:
        raise InputError(f"decision must be {' or '.join(ASKED)}, got {shown(decision)}{did_you_mean(decision, ASKED)}")
    known = told(seen or {})
    dealer = known.dealer or 0
    now = Setting(rules, dealer if seat is None else seat, dealer, (levels[0], levels[1]), trump, owed, known)
    check_start(now)
    check_tribute(now)
    made = _Table(now)
    if decision == "bury":
        made.before_burying(list(hand), bottom)
    elif decision == "jokers":
        made.check_asked_for_jokers()
        made.after_burying(bottom)
        made.ask_jokers(list(hand))
    else:
        made.after_burying(bottom)
        made.play_through(list(hand), decision)
    return Asked(DECISIONS.index(decision), made.array)


class _Table:
    """A view in the making: what is known of the hand so far, phase after phase."""

    def __init__(self, now: Setting) -> None:
        self.now, self.known = now, now.told
        self.seat, self.dealer, self.trump = now.seat, now.dealer, now.trump
        self.level, self.order = now.level, now.order
        self.final: list[int] | None = None
        self.first: list[int] | None = None
        self.to_play = now.dealer
        self.array = np.zeros(1, VIEW)
        self.view = self.array[0]
        view = self.view
        start = {
            "seat": now.seat, "level_0": now.levels[0], "level_1": now.levels[1], "level": self.level,
            "dealer": now.dealer, "first_seat": now.dealer, "trump": now.trump, "owed": now.owed,
            "declared_by": NOBODY, "payer": NOBODY, "receiver": NOBODY, "best_seat": NOBODY,
            "first_hand": int(now.told.is_first_hand),
            "fives": FIVES[self.level - MIN_LEVEL], "tens": TENS[self.level - MIN_LEVEL],
        }  # fmt: skip
        for name, value in start.items():
            view[name] = value
        for name in OPTION_NAMES:
            view[f"rule_{name}"] = int(getattr(now.rules, name))
        self._bidding()
        self._tribute()

    def planes(self, cards: Iterable[int], name: str) -> None:
        """Write some kinds as the three planes of a field."""
        for n, plane in enumerate(self._three(cards)):
            self.view[f"{name}_{n + 1}"] = plane

    def _bidding(self) -> None:
        """Claim and declarations (G4, G5), flipped cards, and whether the dealt bottom was told (G7.1)."""
        view, known = self.view, self.known
        codes = [
            (seat, strength_of(cards, suit, self.level) * N_SUITS + suit) for seat, cards, suit in known.declarations
        ]
        if codes:
            view["declared_by"], view["declared_code"] = codes[-1]
        if self.now.owes_untold:  # who showed a card may have paid it since
            codes = [one for one in codes if one[0] not in self.now.payer_and_receiver]
        if known.claim:  # kept like a declaration
            codes = [(known.claim.seat, CLAIM_STRENGTH * N_SUITS)]
            if known.claim.draw is not None:
                view["declaration_draw"][0] = known.claim.draw
                view["first_seat"] = (known.claim.seat - known.claim.draw) % N_SEATS
        for i, (seat, code) in enumerate(codes):
            view["declaration_seat"][i], view["declaration_code"][i] = seat, code
        view["n_declarations"] = len(codes)
        if known.claim:
            view["declared_by"], view["declared_code"] = codes[0]
        for i, kind in enumerate(known.flipped):
            view["flipped"][i] = kind + 1
        view["exposed"] = int(known.bottom is not None)  # of an exposed bottom that is not told nothing is concluded

    def _tribute(self) -> None:
        """Cards that moved between the dealer and the seat before it (G6); of a debt untold nothing is concluded."""
        view, tribute = self.view, self.known.tribute
        view["tribute_cancelled"] = self.known.tribute_cancelled
        if tribute is None:
            if not self.known.tribute_cancelled:
                view["owed"] = 0
            return
        view["tribute_reversed"] = tribute.is_reversed
        if tribute.cards:
            view["payer"], view["receiver"] = self.now.payer_and_receiver
        view["n_tribute"] = len(tribute.cards)
        view["tribute_short"] = view["owed"] - len(tribute.cards)
        self.planes(tribute.cards, "paid")
        self.planes(tribute.returned, "returned")

    def before_burying(self, hand: list[int], bottom: Sequence[int] | None) -> None:
        """The dealer holds 45 cards (G8.1)."""
        now, known = self.now, self.known
        if not now.is_dealer:
            raise InputError(f"only the dealer, seat {self.dealer}, buries (G8.1), got seat {self.seat}")
        for name in LATER_THAN_BURYING:
            if getattr(known, name):
                raise InputError(f"seen.{name} comes after the dealer's burial; leave it out")
        dealt = known.bottom if bottom is None else list(bottom)
        if known.bottom is not None and dealt is not None and Counter(dealt) != Counter(known.bottom):
            raise InputError("the bottom and seen.bottom differ; to bury, both are the dealt one")
        if (known.declarations or known.claim) and dealt is not None:  # G7.1
            now = replace(now, told=replace(known, bottom=dealt))
            self.view["exposed"] = 1
        if now.is_dry:
            raise InputError("the exposed bottom is a dry pot, so nobody buries (G7.3)")
        if dealt is not None and len(hand) == N_HAND:
            hand = hand + dealt
        _check_number(hand, N_HAND + N_BOTTOM, "to bury, the hand with the bottom")
        if dealt is not None:
            lacking = Counter(dealt) - Counter(hand)
            if lacking:
                raise InputError(f"the bottom's {names(lacking.elements())} is not in the hand")
            lacking = Counter(known.flipped) - Counter(dealt)
            if lacking:
                raise InputError(f"seen.flipped: {names(lacking.elements())} is not in the bottom")
        check_own(now, Counter(hand), dealt)
        self.planes(hand, "hand")
        # Where nobody else saw the bottom, it does not matter which of the 45 cards lay in it.
        self.planes(hand[:N_BOTTOM] if dealt is None else dealt, "dealt_bottom")

    def after_burying(self, bottom: Sequence[int] | None) -> None:
        """Buried jokers show the bottom (G8.3); the dealer knows it in any case; a dry pot stays (G7.3)."""
        view, known = self.view, self.known
        if known.bottom is not None:
            self.planes(known.bottom, "dealt_bottom")
        if bottom is not None:
            _check_number(bottom, N_BOTTOM, "the bottom")
        if self.now.is_dry:
            if bottom is not None and known.bottom is not None and Counter(bottom) != Counter(known.bottom):
                raise InputError("the bottom is a dry pot and stays as it was exposed (G7.3), but another one is given")
            view["dry_pot"], view["bottom_known"] = 1, 1
            self.final = known.bottom
        else:
            self.final = final_bottom(known, bottom)
            self.first = first_burial(known, self.final)
            self._shown_jokers()
        if self.final is not None:
            view["bottom_known"] = 1
            self.planes(self.final, "bottom")

    def _shown_jokers(self) -> None:
        """Who buried which jokers and picked up what (G8.3, G8.4); refuses a bottom that the seat cannot know."""
        view, known = self.view, self.known
        is_shown = bool(known.joker_buries) or any(kind in JOKER_KINDS for kind in known.bury or ())
        if self.final is None:
            if is_shown:
                raise InputError("jokers were buried, so the bottom was shown (G8.3); give seen.bury or the bottom")
            if self.now.is_dealer:
                raise InputError(
                    "the dealer knows the bottom that it buried (G8.1): give it; of a dry pot, seen.bottom"
                )
            return
        if not self.now.is_dealer and not is_shown:
            raise InputError(
                f"seat {self.seat} does not know a bottom without a buried joker (G8.3); leave it out, or tell in "
                "seen who buried jokers"
            )
        buried = {self.dealer: self.first or []}
        for seat, jokers, taken in known.joker_buries:
            buried[seat] = jokers
            for n, plane in enumerate(self._three(taken)):
                view[f"picked_{n + 1}"][seat] = plane
        for seat, cards in buried.items():
            view["buried_big"][seat], view["buried_small"][seat] = cards.count(BIG), cards.count(SMALL)

    def _check_own(self, hand: Iterable[int]) -> None:
        """Burials, tribute and bidding against the own cards when the play begins, or when jokers are asked for."""
        own = unburied(self.now, hand, self.first)
        check_burials(self.now, self.first, own)
        check_own(self.now, own, self.known.bottom)

    def _three(self, cards: Iterable[int]) -> list[int]:
        """Three planes of some kinds."""
        found = [0, 0, 0]
        for kind in cards:
            bit = 1 << int(PLACE_OF[self.level - MIN_LEVEL, self.trump, kind])
            plane = next((n for n in range(3) if not found[n] & bit), None)
            if plane is None:
                raise InputError(f"more than three copies of {kind_name(kind)} are named, there are three (G1.2)")
            found[plane] |= bit
        return found

    def check_asked_for_jokers(self) -> None:
        """Refuse a seat that is never asked for jokers, or not any more (G8.4)."""
        if self.now.is_dealer:
            raise InputError("the dealer buries jokers with its six cards (G8.1); ask for bury")
        if self.now.is_dry:
            raise InputError("the exposed bottom is a dry pot, so nobody buries (G7.3)")
        if self.known.plays:
            raise InputError("jokers are buried before the play (G8.4); leave seen.plays out")
        if not self.now.rules.others_bury_jokers:
            raise InputError("under these rules only the dealer buries jokers (others_bury_jokers, G8.4)")
        place = (self.seat - self.dealer) % N_SEATS
        if any((made.seat - self.dealer) % N_SEATS >= place for made in self.known.joker_buries):
            raise InputError(f"seat {self.seat} has been asked already (G8.4): next, partner, previous, once each")

    def ask_jokers(self, hand: list[int]) -> None:
        """A seat other than the dealer is asked how many jokers it buries, and told how many it may (G8.4)."""
        _check_number(hand, N_HAND, "the hand")
        self.planes(hand, "hand")
        check_copies([*hand, *(self.final or [])])
        self._check_own(hand)
        most = min(sum(kind in JOKER_KINDS for kind in hand), self.now.rules.max_jokers_per_seat)
        if self.final is not None:
            most = min(most, len(pickable(self.final)))
        most = self._told_most(most)
        if most == 0:
            raise InputError("the seat has no joker that it may bury, so it is not asked (G8.4)")
        self.view["max_jokers"] = most

    def _told_most(self, most: int) -> int:
        """The largest number of jokers that the seat may bury, as it was told, or at most (G8.4)."""
        told = self.known.may_bury
        if told is not None and told > most:
            raise InputError(f"seen.may_bury: the seat may bury {most} jokers at the most, got {told} (G8.4)")
        return most if told is None else told

    def play_through(self, hand: list[int], decision: str) -> None:
        """The plays so far (G10, G11); the seat must be the one to play."""
        view, plays = self.view, self.known.plays
        own = Counter(hand)
        seats = self._seats(plays)
        for seat, play in zip(seats, plays):
            if seat == self.seat:
                own.update(play)
        check_copies([*hand, *(kind for play in plays for kind in play), *(self.final or [])])
        if own.total() != N_HAND:
            raise InputError(f"the hand and the own plays must be {N_HAND} cards together, got {own.total()}")
        self._check_own(own.elements())
        if not self.now.is_dealer and self.now.rules.others_bury_jokers:  # taken to have been asked where it could be
            n_jokers = sum(unburied(self.now, own.elements(), None)[kind] for kind in JOKER_KINDS)
            view["max_jokers"] = self._told_most(min(n_jokers, self.now.rules.max_jokers_per_seat))
        gone: list[int] = []
        voids = [0] * N_SEATS
        for number, (seat, play) in enumerate(zip(seats, plays)):
            position = number % N_SEATS
            trick = plays[number - position : number + 1]
            self._check_play(number, seat, play, trick[0], own)
            if BIG in play and view["buried_small"][seat] and self.now.rules.bury_big_first:
                raise InputError(f"seen.plays[{number}] (seat {seat}): a big joker kept, a small one buried (G8.2)")
            for kind in play:
                if voids[seat] >> self._group(kind) & 1:
                    what = f"{kind_name(kind)} is of a suit that the seat had shown to be out of (G10.3)"
                    raise InputError(f"seen.plays[{number}] (seat {seat}): {what}")
            if position and any(self._group(kind) != self._group(trick[0][0]) for kind in play):
                voids[seat] |= 1 << self._group(trick[0][0])
            view["history"][number // N_SEATS][seat] = _code(self._places(play))
            if position == N_SEATS - 1:
                winner = trick_winner(seats[number - 3], trick, self.level, self.trump)
                view["winners"][number // N_SEATS] = winner
                points = "attacker_points" if (winner - self.dealer) % 2 else "dealer_points"
                view[points] += trick_points(trick)
                gone += [kind for cards in trick for kind in cards]
        view["voids"][:] = voids
        self.planes(gone, "played")
        self._open_trick(seats, plays, decision, hand)

    def _seats(self, plays: Sequence[Sequence[int]]) -> list[int]:
        """Who made each play: the dealer leads first, then each trick's winner (G10.2)."""
        leader, seats = self.dealer, []
        for first in range(0, len(plays), N_SEATS):
            trick = plays[first : first + N_SEATS]
            seats += [(leader + step) % N_SEATS for step in range(len(trick))]
            if len(trick) == N_SEATS:
                leader = trick_winner(leader, trick, self.level, self.trump)
        self.to_play = (leader + len(plays) % N_SEATS) % N_SEATS
        return seats

    def _check_play(self, number: int, seat: int, play: Sequence[int], led: Sequence[int], own: Counter[int]) -> None:
        """Refuse a play that cannot be; of the own plays all rules are checked. `own` loses the card played."""
        where = f"seen.plays[{number}] (seat {seat})"
        if number % N_SEATS == 0 and (not 1 <= len(play) <= 3 or len(set(play)) != 1):
            raise InputError(f"{where}: {names(play)} is no single, pair or triple (G10.1)")
        if len(play) != len(led):
            raise InputError(f"{where}: {len(led)} cards were led, got {names(play)} (G10.3)")
        if seat == self.seat:
            fault = follow_fault(own, led, play, self.order, self.now.rules.follow) if number % N_SEATS else None
            if fault:
                raise InputError(f"{where}: {fault.message} ({fault.clause})")
            own.subtract(play)

    def _open_trick(self, seats: Sequence[int], plays: Sequence[Sequence[int]], decision: str, hand: list[int]) -> None:
        """The trick that the seat is to play to."""
        view = self.view
        position = len(plays) % N_SEATS
        n_cards = len(plays[-position]) if position else 0
        wanted = "follow" if position else "lead"
        if not hand:
            raise InputError("no card is left to play")
        if wanted != decision:
            raise InputError(f"after these plays a seat has to {wanted}, not to {decision}")
        if self.to_play != self.seat:
            raise InputError(f"after these plays it is seat {self.to_play}'s turn, not seat {self.seat}'s")
        view["trick"], view["position"] = len(plays) // N_SEATS, position
        view["leader"] = (self.seat - position) % N_SEATS
        view["cards_left"] = len(hand)
        view["n_cards"] = n_cards
        self.planes(hand, "hand")
        if not position:
            return
        trick = plays[len(plays) - position :]
        led_place = self._places(trick[0])[0]
        group = min(led_place // SUIT_PLACES, 3)
        view["led"], view["led_group"] = GROUPS[group], group
        best, beating = int(view["leader"]), int(BEATS[led_place])
        for step, play in enumerate(trick[1:], start=1):
            places = self._places(play)
            if len(set(places)) == 1 and len(places) == n_cards and beating >> places[0] & 1:
                best = (int(view["leader"]) + step) % N_SEATS
                beating &= int(BEATS[places[0]])
        view["best_seat"], view["beating"] = best, beating
        view["table_points"] = sum(card_points(kind) for play in trick for kind in play)

    def _places(self, cards: Iterable[int]) -> list[int]:
        return sorted(int(PLACE_OF[self.level - MIN_LEVEL, self.trump, kind]) for kind in cards)

    def _group(self, kind: int) -> int:
        return min(self._places([kind])[0] // SUIT_PLACES, 3)


def _code(places: Sequence[int]) -> int:
    """A play as `view.history` holds it: place + 1, a byte a card, first every kind once, then second copies."""
    copies = Counter(places)
    by_plane = [place for n in range(3) for place in sorted(copies) if copies[place] > n]
    return sum(place + 1 << 8 * i for i, place in enumerate(by_plane))


def _check_number(cards: Sequence[int], n: int, what: str) -> None:
    if len(cards) != n:
        raise InputError(f"{what} must have {n} cards, got {len(cards)}")
