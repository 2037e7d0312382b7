"""
Naive twin of the sampler: whether hands agree with what is public, and every way to lay the hidden cards.

Hands that somebody thinks of are turned back into a deck: plays, joker buries, burial and tribute are undone, and a
deck is made that deals such hands, with what was declared drawn early enough. The referee judges the record of that
deck with the same public decisions. Cards are kinds, hands are Counters, row 4 is the bottom. Nothing here is the
sampler's: rules come from the rule book, through the referee.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain, product
from typing import Any, NamedTuple

from gunzi_sim.cards import BIG, SMALL, card_points, suit_of
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.referee_play import TRUMP, order_of
from gunzi_sim.gunzi.referee_setup import N_DEALT, eligible, pickable
from gunzi_sim.gunzi.rules import FirstClaim

PAY, RETURN, BURY, JOKERS, LEAD, FOLLOW = "pay", "return", "bury", "jokers", "lead", "follow"
BEFORE_BURYING = (PAY, RETURN, BURY)
PUBLIC = (
    "dealer", "level", "trump", "declared_by", "declared_as", "exposed", "dry_pot", "payer", "receiver",
    "tribute_moved", "tribute_short", "tribute_reversed", "big_buried", "small_buried", "winners", "side_points",
)  # fmt: skip
TRIES = 40

Hands = list[Counter]


class Impossible(Exception):
    """Hands that no deck can have led to, with the reason."""


class Moment(NamedTuple):
    """
    A seat is asked something: the record up to then, and the true hands.

    `record` holds the decisions made so far, the true burial among them; `leaders` the leader of each trick.
    """

    record: dict[str, Any]
    seat: int
    decision: str
    dealer: int
    level: int
    trump: int
    exposed: bool
    dry_pot: bool
    leaders: list[int]
    hands: Hands
    was_told: bool
    """Whether the seat has been asked to bury jokers (G8.4)."""
    picks: bool
    """Whether the seat is to pick up bottom cards, which it sees (G8.4)."""
    public: Any
    """The referee's word on `record`."""

    @property
    def is_buried(self) -> bool:
        return not self.dry_pot and self.decision not in BEFORE_BURYING

    @property
    def knows_bottom(self) -> bool:
        """G7.3, G8.3, G8.4, G18: dry pot, own burial, or a joker buried."""
        if self.decision in (PAY, RETURN):
            return False
        bottom = self.hands[4]
        return self.picks or self.seat == self.dealer or self.dry_pot or bool(bottom[SMALL] + bottom[BIG])

    @property
    def payer_and_receiver(self) -> tuple[int, int]:
        previous = (self.dealer - 1) % 4
        deck, first = self.record["deck"], self.record["first_seat"]
        reverses = self.record["rules"].tribute_three_big and dealt(deck, first, previous)[BIG] == 3
        return (self.dealer, previous) if reverses else (previous, self.dealer)


def dealt(deck, first_seat, seat) -> Counter:
    return Counter(deck[draw] for draw in range(N_DEALT) if (first_seat + draw) % 4 == seat)


def moment(record, result, seat, decision, n_plays=0, was_told=False, picks=False) -> Moment:
    """
    The moment of a question in a complete record with its result; `n_plays` plays were made before.

    `was_told`: the seat has been asked to bury jokers; `picks`: it has buried some and is asked what it picks up.
    """
    dealer = result["dealer"]
    so_far = {**record, "result": None, "plays": record["plays"][:n_plays]}
    if decision in BEFORE_BURYING:
        so_far |= {"bury": None, "joker_buries": []}
    if decision == JOKERS:
        asked = (seat - dealer) % 4
        so_far["joker_buries"] = [one for one in record["joker_buries"] if (one["seat"] - dealer) % 4 < asked]
    if decision == PAY:
        so_far["tribute"] = None
    if decision == RETURN:
        so_far["tribute"] = {"cards": record["tribute"]["cards"], "returned": []}
    leaders = [dealer, *result["winners"]]
    facts = (dealer, result["level"], result["trump"], result["exposed"], result["dry_pot"], leaders)
    now = Moment(so_far, seat, decision, *facts, [], was_told, picks, judged(so_far))
    return now._replace(hands=true_hands(now))


def true_hands(now: Moment) -> Hands:
    """Where the cards really are: the dealt hands, and then one decision after another."""
    record = now.record
    hands = [dealt(record["deck"], record["first_seat"], seat) for seat in range(4)]
    hands.append(Counter(record["deck"][N_DEALT:]))
    if record["tribute"]:
        payer, receiver = now.payer_and_receiver
        move(record["tribute"]["cards"], hands[payer], hands[receiver])
        move(record["tribute"]["returned"], hands[receiver], hands[payer])
    if now.decision == BURY or now.is_buried:
        move(list(hands[4].elements()), hands[4], hands[now.dealer])
    if now.is_buried:
        move(record["bury"], hands[now.dealer], hands[4])
    for entry in record["joker_buries"]:
        move(entry["jokers"], hands[entry["seat"]], hands[4])
        move(entry["taken"], hands[4], hands[entry["seat"]])
    for number, play in enumerate(record["plays"]):
        move(play, hands[player(now, number)], Counter())
    return hands


def player(now: Moment, number: int) -> int:
    """Seat of a play."""
    return (now.leaders[number // 4] + number % 4) % 4


def move(cards, source: Counter, target: Counter) -> None:
    """Move cards; a source that has them not makes the hands impossible."""
    for kind in cards:
        if source[kind] == 0:
            raise Impossible("a card is missing where it must have been")
        source[kind] -= 1
        target[kind] += 1


# --- judging ---------------------------------------------------------------------------------------------------------


def fault(now: Moment, hands: Hands, rng: random.Random) -> str | None:
    """Why hands do not agree with all that the seat knows at a moment; None where they do."""
    if +hands[now.seat] != +now.hands[now.seat]:
        return "another own hand"
    if [hand.total() for hand in hands] != [hand.total() for hand in now.hands]:
        return "other numbers of cards"
    if together(hands) != together(now.hands):
        return "not the cards that are left"
    if now.knows_bottom and +hands[4] != +now.hands[4]:
        return "another bottom than the known one"
    if now.is_buried and not now.knows_bottom:
        if hands[4][SMALL] + hands[4][BIG]:
            return "G8.3: jokers in a hidden bottom"
        if was_barred(now) and pickable(hands[4].elements()):
            return "G8.4: not asked, though the bottom has cards to pick up"
    expected = now.public
    reason = "no deck"
    for attempt in range(TRIES):
        try:
            record = alternative(now, hands, rng, attempt)
        except Impossible as error:
            return str(error)
        found = judged(record)
        if found == expected:
            return None
        reason = f"{found[0]} instead of {expected[0]}"
        if now.exposed or not now.is_buried or now.seat == now.dealer:
            break  # there was nothing to choose
    return reason


def together(hands: Hands) -> Counter:
    """All cards of some hands."""
    cards: Counter = Counter()
    for hand in hands:
        cards.update(hand)
    return +cards


def was_barred(now: Moment) -> bool:
    """G8.4: the seat holds jokers, but was not asked to bury any."""
    rules = now.record["rules"]
    if now.was_told or now.seat == now.dealer or not rules.others_bury_jokers or not rules.max_jokers_per_seat:
        return False
    played = chain.from_iterable(
        play for number, play in enumerate(now.record["plays"]) if player(now, number) == now.seat
    )
    return any(kind >= SMALL for kind in chain(now.hands[now.seat].elements(), played))


def judged(record):
    """The referee's word on an unfinished record: where it stops, and all that is public until then."""
    table, stopped = referee.judge(record)
    return stopped, [getattr(table, name) for name in PUBLIC]


def alternative(now: Moment, hands: Hands, rng: random.Random, attempt: int) -> dict[str, Any]:
    """The record of a deck that leads to `hands` by the same public decisions; a hidden burial is as they say."""
    hands = [Counter(hand) for hand in hands]
    record = dict(now.record)
    for number, play in enumerate(record["plays"]):
        hands[player(now, number)].update(play)
    for entry in reversed(record["joker_buries"]):
        move(entry["taken"], hands[entry["seat"]], hands[4])
        move(entry["jokers"], hands[4], hands[entry["seat"]])
    if now.is_buried:
        record["bury"] = list(hands[4].elements())
        move(record["bury"], hands[4], hands[now.dealer])
    if now.is_buried or now.decision == BURY:
        bottom = dealt_bottom(now, hands[now.dealer], rng, attempt)
        move(bottom, hands[now.dealer], hands[4])
    else:
        bottom = ordered_bottom(now, hands[4])
    if record["tribute"]:
        payer, receiver = now.payer_and_receiver
        move(record["tribute"]["returned"], hands[payer], hands[receiver])
        move(record["tribute"]["cards"], hands[receiver], hands[payer])
    piles = [drawn(now, seat, hands[seat]) for seat in range(4)]
    first = record["first_seat"]
    record["deck"] = [piles[(first + draw) % 4][draw // 4] for draw in range(N_DEALT)] + bottom
    return record


def turned_up(now: Moment) -> list[int]:
    """G4.3, G5.7: bottom cards turned up in order, where nobody claimed or declared."""
    bottom = now.record["deck"][N_DEALT:]
    if now.exposed:
        return []
    if now.record["first_hand"]:
        return bottom[:4]
    n_jokers = next(n for n in range(6) if bottom[n] < SMALL)
    return bottom[: n_jokers + 1]


def ordered_bottom(now: Moment, cards: Counter) -> list[int]:
    """A bottom that has the given cards, in the true order where all were shown, else those turned up first."""
    if now.knows_bottom:
        return now.record["deck"][N_DEALT:]
    rest, shown = Counter(cards), Counter()
    up = turned_up(now)
    move(up, rest, shown)
    return up + list(rest.elements())


def dealt_bottom(now: Moment, hand: Counter, rng: random.Random, attempt: int) -> list[int]:
    """
    The dealt bottom, out of the dealer's 45 cards: the true one where the seat has seen it, else any that fits.

    The first attempt takes what the dealer can hardly have been dealt: cards due as tribute or return, early jokers.
    """
    record = now.record
    if now.exposed or now.seat == now.dealer:
        return record["deck"][N_DEALT:]
    up = turned_up(now)
    rest, bottom = Counter(hand), Counter()
    move(up, rest, bottom)
    tribute = record["tribute"] or {"cards": [], "returned": []}
    payer, receiver = now.payer_and_receiver
    kept = tribute["cards"] if receiver == now.dealer else tribute["returned"] if payer == now.dealer else []
    move((Counter(kept) - Counter(tribute["returned"] if receiver == now.dealer else [])).elements(), rest, Counter())
    pool = list(rest.elements())
    rng.shuffle(pool)
    order = order_of(now.level, now.trump)
    if attempt == 0 and payer == now.dealer:
        payable = set(eligible(Counter(pool), now.level, record["rules"].tribute_points))
        pool.sort(key=lambda kind: (kind not in payable, -order.strength[kind]))
    elif attempt == 0 and any(order.suit[kind] == TRUMP or card_points(kind) for kind in tribute["returned"]):
        pool.sort(key=lambda kind: (card_points(kind) > 0, order.suit[kind] == TRUMP, order.strength[kind]))
    if record["first_hand"] and record["rules"].first_claim == FirstClaim.AUTOMATIC:
        pool.sort(key=lambda kind: kind != BIG)
    return up + pool[: 6 - len(up)]


def drawn(now: Moment, seat: int, hand: Counter) -> list[int]:
    """An order in which a seat draws its cards, so that it could say what it said when it did."""
    record = now.record
    if hand.total() != 39 or min(hand.values()) < 0:
        raise Impossible(f"seat {seat} was dealt {hand.total()} cards")
    if seat == now.seat:
        own = record["deck"][(seat - record["first_seat"]) % 4 : N_DEALT : 4]
        if Counter(own) != +hand:
            raise Impossible("another hand dealt to the seat itself")
        return own
    if record["claim"]:
        return drawn_with_claim(now, seat, hand, record["claim"])
    early: Counter = Counter()
    for one in record["declarations"]:
        if one["seat"] == seat:
            early |= Counter(one["cards"])
    rest, first = Counter(hand), Counter()
    move(early.elements(), rest, first)
    late = Counter({BIG: rest.pop(BIG, 0)})
    return [*first.elements(), *rest.elements(), *late.elements()]


def drawn_with_claim(now: Moment, seat: int, hand: Counter, claim) -> list[int]:
    """The claimed big joker at its draw, a card of the trump suit next; other big jokers last."""
    late = [BIG] * hand[BIG]
    rest = [kind for kind in hand.elements() if kind != BIG]
    if seat != claim["seat"]:
        return rest + late
    if not late:
        raise Impossible("the claimer has no big joker")
    at = claim["draw"] // 4
    suited = next((kind for kind in rest if kind < SMALL and suit_of(kind) == now.trump), None)
    n_after = 38 - at
    is_early = now.record["rules"].first_claim == FirstClaim.AUTOMATIC  # no big joker may be drawn before
    has_room = n_after >= (len(late) if is_early else 1)
    after = [suited] if suited is not None and has_room else []
    for kind in after:
        rest.remove(kind)
    if not after:
        rest.sort()  # jokers last
    rest += late[1:]
    return [*rest[:at], BIG, *after, *rest[at:]]


# --- enumeration -----------------------------------------------------------------------------------------------------


def arrangements(now: Moment) -> Iterator[tuple[Hands, int]]:
    """
    Every way to lay the cards that a seat does not see, by kinds, with the number of ways for distinct copies.

    The numbers of cards are kept, nothing else is looked at.
    """
    hidden = [row for row in range(5) if row != now.seat and not (row == 4 and now.knows_bottom)]
    if now.decision == BURY:
        hidden.remove(4)
    unseen = sorted(sum((now.hands[row] for row in hidden), Counter()).items())
    room = [now.hands[row].total() for row in hidden]
    for laid in _lay(unseen, room):
        hands = [Counter(hand) for hand in now.hands]
        n_ways = 1
        for row in hidden:
            hands[row] = Counter()
        for (kind, n), split in zip(unseen, laid):
            n_ways *= math.factorial(n)
            for row, n_here in zip(hidden, split):
                n_ways //= math.factorial(n_here)
                if n_here:
                    hands[row][kind] = n_here
        yield hands, n_ways


def _lay(unseen, room) -> Iterator[list[tuple[int, ...]]]:
    if not unseen:
        yield []
        return
    (_, n), rest = unseen[0], unseen[1:]
    for split in product(*(range(min(n, size) + 1) for size in room)):
        if sum(split) == n:
            for laid in _lay(rest, [size - n_here for size, n_here in zip(room, split)]):
                yield [split, *laid]


def allowed_arrangements(now: Moment, rng: random.Random) -> list[tuple[Hands, int]]:
    """The arrangements that agree with all that the seat knows."""
    return [(hands, n_ways) for hands, n_ways in arrangements(now) if fault(now, hands, rng) is None]
