"""
What a seat knows of the cards it does not see (G18), read from its view: numbers of cards, and copies that may be.

The hidden cards lie in four *locations*: the next seat, the partner, the previous seat, and the bottom where the seat
does not know it (`OTHERS` is its number; elsewhere it has no cards). A fact says which numbers of copies of a kind a
location may hold: a set of counts 0 to 3, bit c of four for c copies. Two more forms are needed. The dealer's hand and
a hidden bottom were one hand of 45 cards, so what is known of that hand is a set of counts for both together (`joint`).
And two rare facts are about the number of cards of several kinds (`sum_*`): the claimer of a first hand was dealt a
card of the trump suit (G4.2), and what a dealer gave or returned as tribute leaves few cards that can have come to him
with a bottom nobody saw (G6.2, G6.4).

Each fact is found at the moment when it became known (the deal, after the tribute, after the joker buries, a trick)
and moved to now by the cards that have come and gone in public since. Only what the rules make certain is a fact: what
a seat did not say, or why it played what, tells nothing here.

Left out: drawing hands (`sampler`); the questions `claim` and `declare`, before which no suit is trump; that a seat
which was told to bury at most n jokers knows of n pickable cards in a hidden bottom (G8.4; that it was not asked is
used); and that a claimer without a card of the trump suit among its last one to five draws drew only jokers then, where
the bottom could have named the suit (G4.2).
"""

import numpy as np

from gunzi_sim.bits import bit_index, popcount
from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi.rules import FirstClaim, Follow, TributePoints
from gunzi_sim.gunzi.view import (
    BIG_PLACE,
    BOTTOM,
    CLAIM_STRENGTH,
    CLASSES,
    GROUPS,
    JOKER_PLACES,
    LEVEL_CARDS,
    LEVEL_PLACE,
    MIN_LEVEL,
    N_BOTTOM,
    N_HAND,
    N_PLACES,
    N_SEATS,
    N_SUITS,
    PLACE_OF,
    SIDE,
    SMALL_PLACE,
    SUIT_PLACES,
    THREE_BIG,
    THREE_SMALL,
    TRUMP_GROUP,
    TRUMPS,
    TWO_PLACE,
)
from gunzi_sim.jit import njit

NONE = np.uint64(0)
ONE = np.uint64(1)
BYTE = 0xFF
N_COPIES = 3
N_JOKERS = 6
SUIT_KINDS = 13
N_LOCATIONS = 4
OTHERS = 3
"""Locations that are seats; also the number of the bottom's location."""
ANY, NO_COPY, EVERY_COPY = 0b1111, 0b0001, 0b1000
"""Sets of counts: all of them, only none, only three."""
LANE_HOLES = np.uint64(0x1001001001)
"""Lowest place of each suit; shifted by level - 3, the places where no card is."""
ALL_PLACES = np.uint64((1 << N_PLACES) - 1)
MAIN_TRUMPS = np.uint64(0xFFF << 36 | 1 << (TWO_PLACE + TRUMP_GROUP) | 1 << (LEVEL_PLACE + TRUMP_GROUP))
"""All cards printed in the trump suit."""
STRICT = int(Follow.STRICT)
AUTOMATIC = int(FirstClaim.AUTOMATIC)
ALL_PAYABLE = int(TributePoints.ALL)
LEVEL_PAYABLE = int(TributePoints.LEVEL)
MAX_SUMS = 2

_FIELDS = np.dtype(
    [
        ("seat", "i8"),
        ("owner", "i8", (N_LOCATIONS,)),  # by location: seat, or BOTTOM
        ("capacity", "i8", (N_LOCATIONS,)),  # by location: cards it holds that are not seen
        ("unseen", "i8", (N_PLACES,)),  # by place: copies in all locations together
        ("allowed", "i8", (N_LOCATIONS, N_PLACES)),  # by location and place: set of counts
        ("joint", "i8", (N_PLACES,)),  # by place: set of counts for the dealer's hand and the bottom together
        ("joint_location", "i8"),  # the dealer's location where `joint` counts, else NOBODY
        ("n_sums", "i8"),
        ("sum_places", "u8", (MAX_SUMS,)),  # the cards at these places …
        ("sum_locations", "i8", (MAX_SUMS,)),  # … in the locations of these bits …
        ("sum_least", "i8", (MAX_SUMS,)),  # … are at least and at most so many
        ("sum_most", "i8", (MAX_SUMS,)),
        ("seen", "u8", (5, 3)),  # own hand and a known bottom, in their rows; else empty
        # on the way
        ("played", "i8", (N_SEATS, N_PLACES)),  # copies played, by seat
        ("then", "i8", (N_PLACES,)),  # sets of counts of one seat at an earlier moment
        ("counts", "i8", (N_PLACES,)),  # copies in the dealt bottom that are known
        # the sampler's own
        ("n_kinds", "i8"),
        ("places", "i8", (N_PLACES,)),
        ("splits", "u8", (N_PLACES,)),
        ("remaining", "i8", (N_PLACES + 1,)),
        ("tally_places", "u8"),  # of the sum that the table counts …
        ("tally_locations", "i8"),
        ("tally_least", "i8"),
        ("tally_size", "i8"),  # … from 0 to one less than this
        ("tally_saturates", "i8"),
        ("n_free", "i8"),
        ("free", "i8", (N_PLACES,)),
    ],
    align=True,
)
FACTS = np.dtype((np.record, _FIELDS))
"""
What is known of the hidden cards, as plain arrays; `gather` fills it from a view, a host may change it.

`np.zeros(1, FACTS)` makes one, compiled or not. A compiled function hands that array to another one, which takes its
element 0: an element alone does not keep the memory of its array alive.
"""


@njit(forceinline=True)
def copies(p1, p2, p3, place):
    """Copies of the card at one place in a set of planes."""
    bit = np.uint64(place)
    return np.int64((p1 >> bit & ONE) + (p2 >> bit & ONE) + (p3 >> bit & ONE))


@njit(forceinline=True)
def moved(counts, n_gone):
    """A set of counts after `n_gone` copies have gone; they have come where it is negative."""
    return counts >> n_gone if n_gone >= 0 else (counts << -n_gone) & ANY


@njit(forceinline=True)
def at_least(n_copies):
    """The set of counts from n on."""
    return ANY << n_copies & ANY


@njit
def gather(view, out_facts):
    """
    All that a view tells of the hidden cards.

    Parameters
    ----------
    view : VIEW record
        Of a seat that is asked for anything but `claim` or `declare`.
    out_facts : FACTS record
        Written in place, all but the sampler's own fields.
    """
    start_facts(view, out_facts)
    count_cards(view, out_facts)
    count_plays(view, out_facts)
    count_unseen(view, out_facts)
    for location in range(OTHERS):
        know_dealt(view, out_facts.owner[location], out_facts)
        know_tribute(view, out_facts.owner[location], out_facts)
        know_now(view, location, out_facts)
    know_bottom(view, out_facts)


@njit
def start_facts(view, out_facts):
    """Begin with nothing known but the own hand and the bottom, where it is. Written in place."""
    facts = out_facts
    facts.seat = view.seat
    facts.joint_location = NOBODY
    facts.n_sums = 0
    for place in range(N_PLACES):
        facts.joint[place] = ANY
        for i in range(N_SEATS):
            facts.allowed[i, place] = ANY
            facts.played[i, place] = 0
    for row in range(N_SEATS + 1):
        for plane in range(N_COPIES):
            facts.seen[row, plane] = NONE
    facts.seen[view.seat, 0], facts.seen[view.seat, 1], facts.seen[view.seat, 2] = view.hand_1, view.hand_2, view.hand_3
    if view.bottom_known:
        facts.seen[BOTTOM, 0], facts.seen[BOTTOM, 1], facts.seen[BOTTOM, 2] = (
            view.bottom_1,
            view.bottom_2,
            view.bottom_3,
        )


@njit(forceinline=True)
def count_planes(p1, p2, p3):
    """Cards in a set of planes."""
    return popcount(p1) + popcount(p2) + popcount(p3)


@njit
def count_cards(view, out_facts):
    """How many cards each location holds: the trick on the table and a tribute half made counted. Written in place."""
    facts = out_facts
    n_paid = count_planes(view.paid_1, view.paid_2, view.paid_3)
    n_returned = count_planes(view.returned_1, view.returned_2, view.returned_3)
    for location in range(OTHERS):
        seat = (view.seat + 1 + location) & 3
        n_cards = view.cards_left if view.cards_left else N_HAND
        if view.cards_left and ((seat - view.leader) & 3) < view.position:
            n_cards -= view.n_cards
        if seat == view.payer:
            n_cards += n_returned - n_paid
        elif seat == view.receiver:
            n_cards += n_paid - n_returned
        facts.owner[location] = seat
        facts.capacity[location] = n_cards
    n_own = count_planes(view.hand_1, view.hand_2, view.hand_3)
    has_bottom = n_own == N_HAND + N_BOTTOM and n_paid == n_returned  # the dealer who is to bury
    facts.owner[OTHERS] = BOTTOM
    facts.capacity[OTHERS] = 0 if view.bottom_known or has_bottom else N_BOTTOM


@njit
def count_unseen(view, out_facts):
    """Copies of each kind that are neither seen nor played. Written in place."""
    facts = out_facts
    seen = facts.seen
    held = ALL_PLACES & ~(LANE_HOLES << np.uint64(view.level - MIN_LEVEL))
    for place in range(N_PLACES):
        n_left = N_COPIES * np.int64(held >> np.uint64(place) & ONE)
        for row in (view.seat, BOTTOM):
            n_left -= copies(seen[row, 0], seen[row, 1], seen[row, 2], place)
        for seat in range(N_SEATS):
            n_left -= facts.played[seat, place]
        facts.unseen[place] = n_left


# --- play ------------------------------------------------------------------------------------------------------------


@njit
def count_plays(view, out_facts):
    """
    Copies that each seat has played, and what the plays tell of the hands: voids and the patterns of strict following.

    Goes back from the trick on the table, so that at each trick `played` counts what has gone since. Written in place.
    """
    facts = out_facts
    if view.cards_left == 0:
        return
    for location in range(OTHERS):
        for group in range(TRUMP_GROUP + 1):
            if view.voids[facts.owner[location]] >> group & 1:
                forbid(NO_COPY, GROUPS[group], facts.allowed[location])
    strict = view.rule_follow == STRICT
    leader, n_plays = view.leader, view.position
    trick = view.trick
    while trick >= 0:
        led = np.int64(view.history[trick, leader])
        for step in range(n_plays):
            seat = (leader + step) & 3
            code = np.int64(view.history[trick, seat])
            rest = code
            while rest:
                facts.played[seat, (rest & BYTE) - 1] += 1
                rest >>= 8
            if strict and led > BYTE and step > 0 and seat != view.seat:
                know_pattern(led, code, facts.played[seat], facts.allowed[(seat - view.seat - 1) & 3])
        trick -= 1
        leader = view.dealer if trick <= 0 else np.int64(view.winners[trick - 1])
        n_plays = N_SEATS


@njit
def forbid(kept, places, out_allowed):
    """Keep only the counts of a set at some places. Written in place."""
    while places != NONE:
        out_allowed[bit_index(places)] &= kept
        places &= places - ONE


@njit
def know_pattern(led, code, since, out_allowed):
    """
    Copies that a seat cannot have held when it answered a pair or triple as it did (G10.4).

    Who played as many cards of the led suit as were led and no pair had no kind just twice; and so for triples. That
    holds for a hand's last cards of the suit too, so nothing need be known of how many more there were.

    Parameters
    ----------
    led, code : int64
        The lead and the play as `view.history` has them.
    since : int64[58]
        Copies that the seat has played since, this play's included.
    out_allowed : int64[58]
        Sets of counts of the seat now. Written in place.
    """
    first = (led & BYTE) - 1
    first = 36 if first >= TRUMP_GROUP * SUIT_PLACES else first - first % SUIT_PLACES
    last = N_PLACES if first == TRUMP_GROUP * SUIT_PLACES else first + SUIT_PLACES
    a, b, c = (code & BYTE) - 1, (code >> 8 & BYTE) - 1, (code >> 16) - 1
    is_triple_led = led >> 16 > 0
    if not is_triple_led:
        c = a
    if min(a, b, c) < first or max(a, b, c) >= last:
        return
    has_pair = a == b or (is_triple_led and (b == c or a == c))
    for n_copies in (2, 3):
        if n_copies == 2 and has_pair:
            continue
        if n_copies == 3 and (not is_triple_led or (a == b and b == c)):
            continue
        for place in range(first, last):
            if since[place] <= n_copies:
                out_allowed[place] &= ~(1 << (n_copies - since[place]))


# --- the deal --------------------------------------------------------------------------------------------------------


@njit
def know_dealt(view, seat, out_facts):
    """Sets of counts of a seat's dealt hand, to `then`: declarations, claims, three big jokers (G4, G5, G6.5)."""
    then = out_facts.then
    for place in range(N_PLACES):
        then[place] = ANY
    for i in range(view.n_declarations):
        if view.declaration_seat[i] == seat:
            know_declared(view, view.declaration_code[i], then)
    if view.first_hand and view.rule_first_claim == AUTOMATIC:
        then[BIG_PLACE] &= early_claim_counts(view, seat)
    if view.owed and view.rule_tribute_three_big:
        asked = (view.dealer + 3) & 3
        if seat == asked:
            then[BIG_PLACE] &= EVERY_COPY if view.tribute_reversed else ANY ^ EVERY_COPY
        elif seat == asked ^ 2:
            if view.tribute_cancelled:
                then[BIG_PLACE] &= EVERY_COPY
            elif not view.tribute_reversed:  # else the payer has them all
                then[BIG_PLACE] &= ANY ^ EVERY_COPY


@njit
def know_declared(view, code, out_then):
    """A hand that showed what a declaration's code says, or a big joker for a claim (G5.2, G4.1). Written in place."""
    strength, suit = code // N_SUITS, code % N_SUITS
    if strength == CLAIM_STRENGTH:
        out_then[BIG_PLACE] &= at_least(1)
    elif strength == THREE_BIG:
        out_then[BIG_PLACE] &= EVERY_COPY
    elif strength == THREE_SMALL:
        out_then[SMALL_PLACE] &= EVERY_COPY
    else:
        kind = suit * SUIT_KINDS + view.level - 2
        out_then[PLACE_OF[view.level - MIN_LEVEL, view.trump, kind]] &= at_least(strength)


@njit(forceinline=True)
def draws_after(view, seat, draw):
    """Cards that a seat drew after a draw (G3.1)."""
    first = (seat - view.first_seat) & 3
    return N_HAND - ((draw - first) // N_SEATS + 1 if draw >= first else 0)


@njit
def early_claim_counts(view, seat):
    """Big jokers that a seat may have been dealt where the first one drawn claims by itself (G4.1)."""
    if view.n_declarations == 0:
        return NO_COPY
    n_most = draws_after(view, seat, view.declaration_draw[0]) + (1 if seat == view.dealer else 0)
    return (2 << min(n_most, N_COPIES)) - 1


# --- tribute ---------------------------------------------------------------------------------------------------------


@njit
def know_tribute(view, seat, out_facts):
    """Move the sets in `then` from the dealt hand to the hand after the tribute, and add what it told (G6)."""
    then = out_facts.then
    payer = view.payer
    if payer == NOBODY and view.tribute_short:  # no card moved, none was eligible
        payer = view.dealer if view.tribute_reversed else (view.dealer + 3) & 3
    if seat == payer and (view.paid_1 != NONE or view.payer == NOBODY):
        know_paid(view, then)
    if seat != view.payer and seat != view.receiver:
        return
    sign = 1 if seat == view.payer else -1
    for place in range(N_PLACES):
        n_paid = copies(view.paid_1, view.paid_2, view.paid_3, place)
        n_returned = copies(view.returned_1, view.returned_2, view.returned_3, place)
        then[place] = moved(then[place], sign * (n_paid - n_returned))
    if seat == view.receiver:
        know_returned(view, then)


@njit
def eligible_places(view):
    """Places whose cards may be paid as tribute (G6.2)."""
    if view.rule_tribute_points == ALL_PAYABLE:
        return ALL_PLACES
    without_points = ALL_PLACES & ~(view.fives | view.tens)
    return without_points | LEVEL_CARDS if view.rule_tribute_points == LEVEL_PAYABLE else without_points


@njit
def know_paid(view, out_then):
    """What a payer's dealt hand held: the cards paid, and nothing eligible above the lowest of them (G6.2, G6.3)."""
    eligible = eligible_places(view)
    lowest = 0
    while lowest < len(CLASSES) and view.paid_1 & CLASSES[lowest] == NONE:
        lowest += 1
    for i in range(0 if view.tribute_short else lowest, len(CLASSES)):
        is_free = i == lowest and not view.tribute_short  # equal cards may be kept
        places = CLASSES[i] & eligible
        while places != NONE:
            place = bit_index(places)
            n_paid = copies(view.paid_1, view.paid_2, view.paid_3, place)
            out_then[place] &= at_least(n_paid) if is_free else 1 << n_paid
            places &= places - ONE


@njit
def know_returned(view, out_then):
    """What the receiver has not, when it returned trumps or point cards: the cards due before them (G6.4)."""
    points = view.fives | view.tens
    free, trumps = SIDE & ~points, TRUMPS & ~points
    if view.returned_1 & ~free == NONE:
        return
    forbid(NO_COPY, free, out_then)
    pool = trumps
    if view.returned_1 & points != NONE:
        forbid(NO_COPY, trumps, out_then)
        pool = points
    highest = len(CLASSES) - 1
    while view.returned_1 & pool & CLASSES[highest] == NONE:
        highest -= 1
    for i in range(highest):
        forbid(NO_COPY, pool & CLASSES[i], out_then)


# --- the bottom ------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def is_buried(view):
    """Whether the dealer has taken the bottom and buried six cards; nobody else is asked between the two."""
    return not view.dry_pot and (view.cards_left > 0 or view.max_jokers > 0)


@njit
def know_now(view, location, out_facts):
    """Move the sets in `then`, of the hand after the tribute, to the hand now: bottom, jokers, plays. In place."""
    facts = out_facts
    seat = facts.owner[location]
    if seat == view.dealer and is_buried(view):
        know_dealer(view, location, facts)
    else:
        p1, p2, p3 = view.picked_1[seat], view.picked_2[seat], view.picked_3[seat]
        for place in range(N_PLACES):
            n_gone = facts.played[seat, place] - copies(p1, p2, p3, place)
            facts.allowed[location, place] &= moved(facts.then[place], n_gone + n_buried(view, seat, place))
    if view.buried_small[seat] > 0 and view.rule_bury_big_first:  # G8.2; big jokers never come back
        facts.allowed[location, BIG_PLACE] &= NO_COPY
    if view.first_hand and seat == view.declared_by:
        know_claimed_suit(view, location, facts)


@njit(forceinline=True)
def n_buried(view, seat, place):
    """Jokers at a place that a seat is known to have buried."""
    if place == BIG_PLACE:
        return view.buried_big[seat]
    return view.buried_small[seat] if place == SMALL_PLACE else 0


@njit
def first_buried(view, place):
    """Copies that the dealer buried, of a bottom that is known: as it lies now, without what others did (G8.4)."""
    n_copies = copies(view.bottom_1, view.bottom_2, view.bottom_3, place)
    for step in range(1, N_SEATS):
        seat = (view.dealer + step) & 3
        n_copies += copies(view.picked_1[seat], view.picked_2[seat], view.picked_3[seat], place)
        n_copies -= n_buried(view, seat, place)
    return n_copies


@njit
def flipped_at(view, out_counts):
    """Copies of the bottom cards turned up, by place. Returns how many cards; `out_counts` is written in place."""
    for place in range(N_PLACES):
        out_counts[place] = 0
    n_cards = 0
    for i in range(N_BOTTOM):
        if view.flipped[i]:
            out_counts[PLACE_OF[view.level - MIN_LEVEL, view.trump, view.flipped[i] - 1]] += 1
            n_cards += 1
    return n_cards


@njit
def know_dealer(view, location, out_facts):
    """
    What the dealer's hand and the first burial may be, 45 cards of which the dealt bottom was a part (G8.1).

    A dealt bottom that was not exposed is known as far as it was turned up; the rest may be anything. Written in place.
    """
    facts = out_facts
    turned_up = facts.counts
    n_unknown = 0
    if view.exposed:
        for place in range(N_PLACES):
            turned_up[place] = copies(view.dealt_bottom_1, view.dealt_bottom_2, view.dealt_bottom_3, place)
    else:
        n_unknown = N_BOTTOM - flipped_at(view, turned_up)
    n_most, fixed = n_unknown, NONE
    for place in range(N_PLACES):
        n_gone = facts.played[view.dealer, place]
        if view.bottom_known:
            n_gone += first_buried(view, place)
        counts = 0
        for n_from_bottom in range(min(n_unknown, N_COPIES) + 1):
            counts |= moved(facts.then[place], n_gone - turned_up[place] - n_from_bottom)
        if view.bottom_known:
            facts.allowed[location, place] &= counts
        else:
            facts.joint[place] &= counts
        n_held = one_count(facts.then[place])
        if n_unknown and n_held <= N_COPIES:
            fixed |= ONE << np.uint64(place)
            n_most += n_held + turned_up[place] - n_gone
    if not view.bottom_known:
        facts.joint_location = location
    if fixed & ALL_PLACES != NONE:
        add_sum(fixed, location, 0, n_most, facts)


@njit(forceinline=True)
def one_count(counts):
    """The only count of a set; 4 where there are others."""
    return bit_index(np.uint64(counts)) if counts & (counts - 1) == 0 else N_COPIES + 1


@njit
def add_sum(places, location, n_least, n_most, out_facts):
    """Add a fact about a number of cards in the dealer's hand, and in the bottom where `joint` counts. In place."""
    facts = out_facts
    i = facts.n_sums
    facts.sum_places[i] = places
    facts.sum_locations[i] = 1 << location | (1 << OTHERS if facts.joint_location == location else 0)
    facts.sum_least[i] = n_least
    facts.sum_most[i] = n_most
    facts.n_sums = i + 1


@njit
def know_claimed_suit(view, location, out_facts):
    """The claimer was dealt a card of the trump suit after its claim, where jokers alone cannot follow (G4.2)."""
    facts = out_facts
    n_after = draws_after(view, view.dealer, view.declaration_draw[0])
    in_bottom = view.dealt_bottom_1 & MAIN_TRUMPS != NONE
    if n_after == 0 or (n_after < N_JOKERS and in_bottom):
        return
    n_least = 1
    places = MAIN_TRUMPS
    while places != NONE:
        place = bit_index(places)
        n_least -= facts.played[view.dealer, place]
        if is_buried(view):
            n_least += copies(view.dealt_bottom_1, view.dealt_bottom_2, view.dealt_bottom_3, place)
            if view.bottom_known:
                n_least -= first_buried(view, place)
        places &= places - ONE
    if n_least > 0:
        add_sum(MAIN_TRUMPS, location, n_least, N_COPIES * N_PLACES, facts)


@njit
def know_bottom(view, out_facts):
    """What a hidden bottom may be: without jokers once it is buried (G8.3), with the cards turned up before."""
    facts = out_facts
    if facts.capacity[OTHERS] == 0:
        forbid(NO_COPY, ALL_PLACES, facts.allowed[OTHERS])
    elif not is_buried(view):
        flipped_at(view, facts.counts)
        for place in range(N_PLACES):
            facts.allowed[OTHERS, place] &= at_least(facts.counts[place])
    else:
        forbid(NO_COPY, JOKER_PLACES, facts.allowed[OTHERS])
        n_jokers = own_jokers(view, facts)
        if view.rule_others_bury_jokers and view.rule_max_jokers_per_seat and n_jokers and not view.max_jokers:
            forbid(NO_COPY, ALL_PLACES & ~(view.fives | view.tens), facts.allowed[OTHERS])  # G8.4: not asked


@njit
def own_jokers(view, facts):
    """Jokers that the seat itself was dealt or got as tribute, of which it has buried none."""
    n_jokers = 0
    for place in (SMALL_PLACE, BIG_PLACE):
        n_jokers += copies(view.hand_1, view.hand_2, view.hand_3, place) + facts.played[view.seat, place]
    return n_jokers
