"""
A seat's question at a table, in its player's words, as the view that a policy would get (G18).

The player tells the own hand and what everybody saw: `seen` has keys of a hand record, all optional, with cards as a
list of names or as one text:

    dealer          seat of the dealer, 0 when not given
    first_hand      true in the first hand of a round
    claim           {"seat": s}, of a first hand; it is taken to have come before the last six cards of the seat
    declarations    [{"seat": s, "cards": […], "suit": "H"}, …] in time order; the suit is needed for three jokers only
    tribute         {"cards": […], "returned": […]}, with "reversed": true where the dealer paid (G6.5)
    tribute_cancelled   true where three big jokers of the payer's partner cancelled it (G6.5)
    bottom          the six cards dealt to the bottom, where they were exposed
    bury            the six cards of the bottom after the dealer buried, where they were shown
    joker_buries    [{"seat": s, "jokers": […], "taken": […]}, …] in the order made
    flipped         cards of the bottom turned up for the dealer or the trump suit, in order
    plays           all plays from the first trick on, four a trick, the last trick perhaps unfinished

What cannot have been is refused with its reason: too many copies, a wrong number of cards, an own play against the
rules. Whether some deal agrees with it all, the sampler finds out (`sampler.prepare`). Left out: bidding, `pay`,
`return`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gunzi_sim.cards import BIG, NOBODY, SMALL, card_points, kind_name, parse_card, parse_hand, parse_suit
from gunzi_sim.game import InputError, did_you_mean, shown, whole_number
from gunzi_sim.gunzi.records import situation
from gunzi_sim.gunzi.referee_play import follow_fault, order_of, trick_points, trick_winner
from gunzi_sim.gunzi.referee_setup import is_dry_pot, pickable
from gunzi_sim.gunzi.rules import GunziRules
from gunzi_sim.gunzi.view import (
    BEATS,
    CLAIM_STRENGTH,
    DECISIONS,
    FIVES,
    GROUPS,
    MIN_LEVEL,
    OPTION_NAMES,
    PLACE_OF,
    SUIT_PLACES,
    TENS,
    THREE_BIG,
    THREE_SMALL,
    VIEW,
)

KEYS = (
    "dealer", "first_hand", "claim", "declarations", "tribute", "tribute_cancelled", "bottom", "bury", "joker_buries",
    "flipped", "plays",
)  # fmt: skip
ASKED = ("bury", "jokers", "lead", "follow")
N_HAND, N_BOTTOM, N_SEATS, N_SUITS = 39, 6, 4, 4
JOKER_KINDS = (SMALL, BIG)


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
        _seat(seat, "seat")
    if level is not None and levels is not None:
        raise InputError("give the level of the hand, or the levels of both sides, not both")
    both = levels if levels is not None else None if level is None else (level, level)
    known = situation(rules, both, None, owed)  # type: ignore[arg-type]
    return {
        "decision": decision,
        "hand": _cards(hand, "hand"),
        "seat": None if seat == "dealer" else int(seat),  # type: ignore[call-overload]
        "trump": _suit(trump, "trump"),
        "levels": known.levels,
        "owed": known.owed,
        "bottom": None if bottom is None else _cards(bottom, "bottom"),
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
        What everybody saw, see above.

    Raises
    ------
    InputError
        Something that cannot be, with the reason.
    """
    if decision not in ASKED:
        raise InputError(f"decision must be {' or '.join(ASKED)}, got {shown(decision)}{did_you_mean(decision, ASKED)}")
    known = _checked_seen(seen or {})
    dealer = known.get("dealer", 0)
    made = _Table(rules, dealer if seat is None else seat, dealer, trump, levels, owed, known)
    if decision == "bury":
        made.before_burying(list(hand), bottom)
    else:
        if decision == "jokers":
            made.check_asked_for_jokers()
        made.after_burying(list(hand), bottom)
        if decision == "jokers":
            made.ask_jokers(list(hand))
        else:
            made.play_through(list(hand), decision)
    return Asked(DECISIONS.index(decision), made.array)


def _checked_seen(seen: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of `seen`, cards as kinds."""
    if not isinstance(seen, Mapping):
        raise InputError(f"what was seen must be an object, got {shown(seen)}")
    for key in seen:
        if key not in KEYS:
            raise InputError(f"seen: unknown key {shown(key)}{did_you_mean(key, KEYS)}")
    found: dict[str, Any] = {
        name: _flag(seen.get(name, False), f"seen.{name}") for name in ("first_hand", "tribute_cancelled")
    }
    for key in ("bottom", "bury"):
        if seen.get(key) is not None:
            found[key] = _cards(seen[key], f"seen.{key}", N_BOTTOM)
    if seen.get("dealer") is not None:
        found["dealer"] = _seat(seen["dealer"], "seen.dealer")
    if seen.get("claim") is not None:
        found["claim"] = _seat(_part(seen["claim"], "seat", "seen.claim"), "seen.claim.seat")
    if seen.get("tribute") is not None:
        found["tribute"] = tuple(
            _cards(_part(seen["tribute"], key, "seen.tribute"), f"seen.tribute.{key}") for key in ("cards", "returned")
        )
        found["tribute_reversed"] = _flag(seen["tribute"].get("reversed", False), "seen.tribute.reversed")
    found["flipped"] = _cards([] if seen.get("flipped") is None else seen["flipped"], "seen.flipped")
    found["declarations"] = [_declaration(one, i) for i, one in enumerate(_list(seen, "declarations"))]
    found["joker_buries"] = [_joker_bury(one, i) for i, one in enumerate(_list(seen, "joker_buries"))]
    found["plays"] = [_cards(play, f"seen.plays[{i}]") for i, play in enumerate(_list(seen, "plays"))]
    return found


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise InputError(f"{where} must be true or false, got {shown(value)}")
    return value


def _list(seen: Mapping[str, Any], key: str) -> Sequence[Any]:
    found = seen.get(key)
    if found is None:
        return []
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise InputError(f"seen.{key} must be a list, got {shown(found)}")
    return found


def _part(value: Any, key: str, where: str) -> Any:
    if not isinstance(value, Mapping) or key not in value:
        raise InputError(f"{where} must be an object with {key!r}, got {shown(value)}")
    return value[key]


def _declaration(value: Any, i: int) -> tuple[int, int]:
    """Seat and code of a declaration: strength * 4 + suit."""
    where = f"seen.declarations[{i}]"
    cards = _cards(_part(value, "cards", where), f"{where}.cards")
    if not 1 <= len(cards) <= 3 or len(set(cards)) != 1:
        raise InputError(f"{where} must be one to three equal cards (G5.2), got {_names(cards)}")
    kind = cards[0]
    if kind in JOKER_KINDS:
        if len(cards) != 3:
            raise InputError(f"{where}: jokers are declared by three of a kind (G5.2), got {_names(cards)}")
        strength = THREE_BIG if kind == JOKER_KINDS[1] else THREE_SMALL
        suit = _suit(_part(value, "suit", where), f"{where}.suit")
    else:
        strength, suit = len(cards), kind // 13
    return _seat(_part(value, "seat", where), f"{where}.seat"), strength * N_SUITS + suit


def _joker_bury(value: Any, i: int) -> tuple[int, list[int], list[int]]:
    where = f"seen.joker_buries[{i}]"
    jokers = _cards(_part(value, "jokers", where), f"{where}.jokers")
    taken = _cards(_part(value, "taken", where), f"{where}.taken", len(jokers))
    if not jokers or not set(jokers) <= set(JOKER_KINDS):
        raise InputError(f"{where}.jokers must be jokers, got {_names(jokers)}")
    return _seat(_part(value, "seat", where), f"{where}.seat"), jokers, taken


def _seat(value: object, where: str) -> int:
    seat = whole_number(value)
    if seat is None or not 0 <= seat < N_SEATS:
        raise InputError(f"{where} must be a seat from 0 to 3, got {shown(value)}")
    return seat


def _suit(value: object, where: str) -> int:
    try:
        return parse_suit(value if isinstance(value, str) else "")
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None


def _cards(value: object, where: str, n: int | None = None) -> list[int]:
    """Kinds from a text or a list of names."""
    try:
        if isinstance(value, str):
            cards = parse_hand(value)
        elif isinstance(value, Sequence) and all(isinstance(name, str) for name in value):
            cards = [parse_card(name) for name in value]
        else:
            raise InputError(f"{where} must be cards, as text or as a list of names, got {shown(value)}")
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{where}: {error}") from None
    if n is not None and len(cards) != n:
        raise InputError(f"{where} must have {n} cards, got {len(cards)}")
    return cards


def _names(cards: Iterable[int]) -> str:
    return " ".join(map(kind_name, cards)) or "no card"


class _Table:
    """A view in the making: what is known of the hand so far, phase after phase."""

    def __init__(
        self,
        rules: GunziRules,
        seat: int,
        dealer: int,
        trump: int,
        levels: Sequence[int],
        owed: int,
        known: Mapping[str, Any],
    ) -> None:
        self.rules, self.seat, self.dealer, self.trump, self.known = rules, seat, dealer, trump, known
        self.level = levels[dealer % 2]
        self.order = order_of(self.level, trump)
        self.final: list[int] | None = None
        self.to_play = dealer
        self.array = np.zeros(1, VIEW)
        self.view = self.array[0]
        view = self.view
        start = {
            "seat": seat, "level_0": levels[0], "level_1": levels[1], "level": self.level, "dealer": dealer,
            "first_seat": dealer, "trump": trump, "owed": owed, "declared_by": NOBODY, "payer": NOBODY,
            "receiver": NOBODY, "best_seat": NOBODY, "first_hand": int(known["first_hand"] or "claim" in known),
            "fives": FIVES[self.level - MIN_LEVEL], "tens": TENS[self.level - MIN_LEVEL],
        }  # fmt: skip
        for name, value in start.items():
            view[name] = value
        for name in OPTION_NAMES:
            view[f"rule_{name}"] = int(getattr(rules, name))
        self._bidding()
        self._tribute()

    def planes(self, cards: Iterable[int], name: str) -> None:
        """Write some kinds as the three planes of a field."""
        for n, plane in enumerate(self._three(cards)):
            self.view[f"{name}_{n + 1}"] = plane

    def _bidding(self) -> None:
        """Claim and declarations (G4, G5), flipped cards, and whether the dealt bottom was told (G7.1)."""
        view, made = self.view, self.known["declarations"]
        if len(made) > len(view["declaration_seat"]):
            raise InputError(f"seen.declarations: there are at most {len(view['declaration_seat'])}, got {len(made)}")
        for i, (seat, code) in enumerate(made):
            view["declaration_seat"][i], view["declaration_code"][i] = seat, code
            if code // N_SUITS < THREE_SMALL and code % N_SUITS != self.trump and i == len(made) - 1:
                raise InputError("seen.declarations: the last one must name the trump suit (G5.1)")
        view["n_declarations"] = len(made)
        if made:
            view["declared_by"], view["declared_code"] = made[-1]
        if "claim" in self.known:
            if made:
                raise InputError("seen: a first hand has a claim, later hands have declarations; not both (G4.5)")
            if self.known["claim"] != self.dealer:
                raise InputError(f"seen.claim: the claimer is the dealer (G4.1), but seat {self.dealer} deals")
            made = [(self.known["claim"], CLAIM_STRENGTH * N_SUITS)]  # a claim is kept like a declaration
            view["declared_by"], view["declared_code"] = made[0]
            view["declaration_seat"][0], view["declaration_code"][0] = made[0]
            view["n_declarations"] = 1
        if len(self.known["flipped"]) > N_BOTTOM:
            raise InputError(f"seen.flipped: the bottom has {N_BOTTOM} cards, got {len(self.known['flipped'])}")
        for i, kind in enumerate(self.known["flipped"]):
            view["flipped"][i] = kind + 1
        view["exposed"] = int("bottom" in self.known)  # of an exposed bottom that is not told nothing is concluded

    def _tribute(self) -> None:
        """Cards that moved between the dealer and the seat before it (G6); of a debt untold nothing is concluded."""
        view, known = self.view, self.known
        view["tribute_cancelled"] = known["tribute_cancelled"]
        if "tribute" not in known:
            if not known["tribute_cancelled"]:
                view["owed"] = 0
            return
        paid, returned = known["tribute"]
        if len(paid) != len(returned):
            raise InputError(f"seen.tribute: {len(paid)} cards were paid, but {len(returned)} returned (G6.4)")
        if len(paid) > view["owed"]:
            raise InputError(f"seen.tribute: {len(paid)} cards were paid, but {view['owed']} owed (G6.1)")
        before = (self.dealer - 1) % N_SEATS
        view["tribute_reversed"] = known["tribute_reversed"]
        if paid:
            view["payer"], view["receiver"] = before, self.dealer
            if known["tribute_reversed"]:
                view["payer"], view["receiver"] = self.dealer, before
        view["n_tribute"] = len(paid)
        view["tribute_short"] = view["owed"] - len(paid)
        self.planes(paid, "paid")
        self.planes(returned, "returned")

    def before_burying(self, hand: list[int], bottom: Sequence[int] | None) -> None:
        """The dealer holds 45 cards (G8.1)."""
        if self.seat != self.dealer:
            raise InputError(f"only the dealer, seat {self.dealer}, buries (G8.1), got seat {self.seat}")
        if self.is_dry:
            raise InputError("the exposed bottom is a dry pot, so nobody buries (G7.3)")
        dealt = self.known.get("bottom") if bottom is None else list(bottom)
        if dealt is not None and len(hand) == N_HAND:
            hand = hand + dealt
        _check_number(hand, N_HAND + N_BOTTOM, "to bury, the hand with the bottom")
        _check_copies(hand)
        if dealt is None:  # which of the 45 lay in the bottom matters only where others saw it
            dealt = hand[:N_BOTTOM]
        if Counter(dealt) - Counter(hand):
            raise InputError(f"the bottom's {_names((Counter(dealt) - Counter(hand)).elements())} is not in the hand")
        self.planes(hand, "hand")
        self.planes(dealt, "dealt_bottom")

    @property
    def is_dry(self) -> bool:
        """Whether the exposed bottom stays as it is (G7.2)."""
        return "bottom" in self.known and is_dry_pot(self.known["bottom"], self.order, self.rules.dry_pot)

    def after_burying(self, hand: list[int], bottom: Sequence[int] | None) -> None:
        """Buried jokers show the bottom (G8.3); the dealer knows it in any case; a dry pot stays (G7.3)."""
        _check_copies(hand)
        view, known = self.view, self.known
        if "bottom" in known:
            self.planes(known["bottom"], "dealt_bottom")
        if self.is_dry:
            if "bury" in known or known["joker_buries"]:
                raise InputError("the exposed bottom is a dry pot, so nobody buried (G7.3)")
            view["dry_pot"], view["bottom_known"] = 1, 1
            self.final = known["bottom"]
            self.planes(self.final, "bottom")
            return
        final = list(bottom) if bottom is not None else known.get("bury")
        if final is not None:
            _check_number(final, N_BOTTOM, "the bottom")
        shown_jokers = known["joker_buries"] or any(kind in JOKER_KINDS for kind in known.get("bury", ()))
        buried = {self.dealer: [kind for kind in known.get("bury", ()) if kind in JOKER_KINDS]}
        if bottom is None and final is not None:
            final = list(final)
            for seat, jokers, taken in known["joker_buries"]:
                lacking = Counter(taken) - Counter(final)
                if lacking:
                    raise InputError(
                        f"seat {seat} took {_names(lacking.elements())}, which was not in the bottom (G8.4)"
                    )
                final = list((Counter(final) - Counter(taken) + Counter(jokers)).elements())
        for seat, jokers, taken in known["joker_buries"]:
            if seat == self.dealer or seat in buried:
                raise InputError(f"seen.joker_buries: seat {seat} is asked once, the dealer not at all (G8.4)")
            buried[seat] = jokers
            for n, plane in enumerate(self._three(taken)):
                view[f"picked_{n + 1}"][seat] = plane
        for seat, jokers in buried.items():
            view["buried_big"][seat] = jokers.count(JOKER_KINDS[1])
            view["buried_small"][seat] = jokers.count(JOKER_KINDS[0])
        if final is None:
            if shown_jokers:
                raise InputError("jokers were buried, so the bottom was shown (G8.3); give seen.bury or the bottom")
            if self.seat == self.dealer:
                raise InputError("the dealer knows the bottom that it buried (G8.1); give the bottom")
            return
        if self.seat != self.dealer and not shown_jokers:
            raise InputError(f"seat {self.seat} does not know a bottom without a buried joker (G8.3); leave it out")
        view["bottom_known"] = 1
        self.planes(final, "bottom")
        self.final = final

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
        if self.seat == self.dealer:
            raise InputError("the dealer buries jokers with its six cards (G8.1); ask for bury")
        if self.is_dry:
            raise InputError("the exposed bottom is a dry pot, so nobody buries (G7.3)")
        if self.known["plays"]:
            raise InputError("jokers are buried before the play (G8.4); leave seen.plays out")
        if not self.rules.others_bury_jokers:
            raise InputError("under these rules only the dealer buries jokers (others_bury_jokers, G8.4)")
        if self.seat in [seat for seat, _, _ in self.known["joker_buries"]]:
            raise InputError(f"seat {self.seat} has been asked already (G8.4)")

    def ask_jokers(self, hand: list[int]) -> None:
        """A seat other than the dealer is asked how many jokers it buries, and told how many it may (G8.4)."""
        _check_number(hand, N_HAND, "the hand")
        self.planes(hand, "hand")
        most = min(sum(kind in JOKER_KINDS for kind in hand), self.rules.max_jokers_per_seat)
        if self.final is not None:
            _check_copies([*hand, *self.final])
            most = min(most, len(pickable(self.final)))
        if most == 0:
            raise InputError("the seat has no joker that it may bury, so it is not asked (G8.4)")
        self.view["max_jokers"] = most

    def play_through(self, hand: list[int], decision: str) -> None:
        """The plays so far (G10, G11); the seat must be the one to play."""
        view, plays = self.view, self.known["plays"]
        own = Counter(hand)
        seats = self._seats(plays)
        for seat, play in zip(seats, plays):
            if seat == self.seat:
                own.update(play)
        _check_copies([*hand, *(kind for play in plays for kind in play), *(self.final or [])])
        if own.total() != N_HAND:
            raise InputError(f"the hand and the own plays must be {N_HAND} cards together, got {own.total()}")
        if self.seat != self.dealer and self.rules.others_bury_jokers:  # taken to have been asked where it could be
            view["max_jokers"] = min(sum(own[kind] for kind in JOKER_KINDS), self.rules.max_jokers_per_seat)
        gone: list[int] = []
        voids = [0] * N_SEATS
        for number, (seat, play) in enumerate(zip(seats, plays)):
            position = number % N_SEATS
            trick = plays[number - position : number + 1]
            self._check_play(number, seat, play, trick[0], own)
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
            raise InputError(f"{where}: {_names(play)} is no single, pair or triple (G10.1)")
        if len(play) != len(led):
            raise InputError(f"{where}: {len(led)} cards were led, got {_names(play)} (G10.3)")
        if seat == self.seat:
            fault = follow_fault(own, led, play, self.order, self.rules.follow) if number % N_SEATS else None
            if fault:
                raise InputError(f"{where}: {fault.clause}: {fault.message}")
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


def _check_copies(cards: Iterable[int]) -> None:
    """No kind has more than three copies (G1.2)."""
    for kind, copies in Counter(cards).items():
        if copies > 3:
            raise InputError(f"{copies} copies of {kind_name(kind)} are named, there are three (G1.2)")
