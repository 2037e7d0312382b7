"""
What the club players' policies share: sets of cards to choose from, cards gone, burying jokers by parameters.

Sets are planes of places as in `view`. A `pool` is a plane to choose one card from, never empty. A place is live while
another seat may hold a card of it; the buried bottom counts as held. Left out: when to do what, which the policies say.
"""

import numpy as np

from gunzi_sim.bits import highest_bit, lowest_bit
from gunzi_sim.gunzi.rules import Follow
from gunzi_sim.gunzi.tricks import NO_PLACES, add, count, count_within, remove
from gunzi_sim.gunzi.view import (
    BIG_JOKER,
    GROUPS,
    JOKER_PLACES,
    LEVEL_CARDS,
    MAIN_SUIT,
    MIN_LEVEL,
    N_BOTTOM,
    N_SUITS,
    SIDE,
    SMALL_JOKER,
    TRUMP_GROUP,
    TRUMPS,
    TWOS,
)
from gunzi_sim.jit import njit

STRICT = int(Follow.STRICT)
ONE = np.uint64(1)
LANE = np.uint64(12)
TWO_LANES = np.uint64(24)
LANE_PLACES = np.uint64(0xFFF)
LANES = np.uint64(0x1001001001)
"""Lowest place of each side suit and of the trump suit; times one place of the first, that place in all four."""
FALL_1, FALL_2, FALL_4, FALL_8 = (np.uint64(0x001001001 * ((1 << 12 - n) - 1)) for n in (1, 2, 4, 8))
"""Places of a side suit that a shift right by n can reach from within it."""
HIGH_TRUMPS = LEVEL_CARDS | JOKER_PLACES
SUIT_KINDS = np.array([0x1FFF << 13 * suit for suit in range(N_SUITS)], dtype=np.uint64)
"""uint64[4]: kinds of each printed suit, 2s and level cards included."""
TWO_KINDS = np.uint64(sum(1 << 13 * suit for suit in range(N_SUITS)))
TWO = 2
"""Rank of the lowest kind of a suit."""
KEPT_COST, COST_LIMIT = 2, 1 << 10
"""Cards that a card to be kept counts for when a suit to void is sought; more than any suit costs."""
N_TRUMPS = 63
"""All trumps of the three decks (G17)."""
OUT_OF_TRUMPS = 1 << TRUMP_GROUP
"""Bit of `voids`; the bits below it are the side suits'."""
LAST = 3
"""Position of the seat that plays last to a trick."""


# --- sets -------------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def weakest(pool):
    """Lowest card: side suits before trumps, and by rank alone among them."""
    side = pool & SIDE
    if side == NO_PLACES:
        return lowest_bit(pool)
    rank = lowest_bit((side | side >> LANE | side >> TWO_LANES) & LANE_PLACES)
    return lowest_bit(side & (rank * LANES))


@njit(forceinline=True)
def fed(pool, fives, tens):
    """Card to give to the own side: ten points, else five, else the lowest; trumps only where no side card is."""
    if (pool & SIDE) != NO_PLACES:
        pool &= SIDE
    if (pool & tens) != NO_PLACES:
        return weakest(pool & tens)
    if (pool & fives) != NO_PLACES:
        return weakest(pool & fives)
    return weakest(pool)


@njit(forceinline=True)
def ducked(pool, multiples, fives, tens):
    """Card to lose: small without points, not of `multiples` if possible; then fives, 2s, tens, high trumps."""
    small = pool & (SIDE | MAIN_SUIT) & ~(fives | tens)
    if small != NO_PLACES:
        if (small & SIDE) != NO_PLACES:
            small &= SIDE
        if (small & ~multiples) != NO_PLACES:
            small &= ~multiples
        return weakest(small)
    if (pool & fives) != NO_PLACES:
        return weakest(pool & fives)
    if (pool & TWOS) != NO_PLACES:
        return lowest_bit(pool & TWOS)
    if (pool & tens) != NO_PLACES:
        return weakest(pool & tens)
    return lowest_bit(pool)


@njit
def fed_cards(a1, a2, a3, n_cards, fives, tens):
    """Planes of n cards, each chosen by `fed` from those left."""
    q1, q2, q3 = NO_PLACES, NO_PLACES, NO_PLACES
    for _ in range(n_cards):
        card = fed(a1, fives, tens)
        a1, a2, a3 = remove(a1, a2, a3, card, NO_PLACES, NO_PLACES)
        q1, q2, q3 = add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    return q1, q2, q3


@njit
def ducked_cards(a1, a2, a3, n_cards, fives, tens):
    """Planes of n cards, each chosen by `ducked` from those left; pairs are broken last."""
    q1, q2, q3 = NO_PLACES, NO_PLACES, NO_PLACES
    for _ in range(n_cards):
        card = ducked(a1, a2, fives, tens)
        a1, a2, a3 = remove(a1, a2, a3, card, NO_PLACES, NO_PLACES)
        q1, q2, q3 = add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    return q1, q2, q3


@njit(forceinline=True)
def alike(card, n_cards):
    """Planes of n cards of one kind, two or three."""
    return card, card, card if n_cards == 3 else NO_PLACES


@njit
def several_in_suit(view, s1, s2, s3, n_cards, gives):
    """Planes of n cards of the led suit out of more: the pattern owed (G10.4), then points or small cards."""
    fives, tens = view.fives, view.tens
    if view.rule_follow == STRICT:
        owed = s3 if n_cards == 3 else (s2 if (s2 & ~s3) != NO_PLACES else NO_PLACES)
        if owed != NO_PLACES:
            return alike(fed(owed, fives, tens) if gives else ducked(owed, s3, fives, tens), n_cards)
        if n_cards == 3 and s2 != NO_PLACES:
            pair = fed(s2, fives, tens) if gives else ducked(s2, NO_PLACES, fives, tens)
            rest = s1 & ~pair
            return pair | (fed(rest, fives, tens) if gives else ducked(rest, s2, fives, tens)), pair, NO_PLACES
    if gives:
        return fed_cards(s1, s2, s3, n_cards, fives, tens)
    return ducked_cards(s1, s2, s3, n_cards, fives, tens)


# --- what is known ----------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def covered_places(live):
    """Places of the side suits below some live place of the same suit."""
    covered = (live >> ONE) & FALL_1
    covered |= (covered >> ONE) & FALL_1
    covered |= (covered >> np.uint64(2)) & FALL_2
    covered |= (covered >> np.uint64(4)) & FALL_4
    return covered | ((covered >> np.uint64(8)) & FALL_8)


@njit(forceinline=True)
def live_places(view, n_copies):
    """Places of which other seats (or the bottom) may still hold n copies."""
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    p1, p2, p3 = view.played_1, view.played_2, view.played_3
    hole = (ONE << np.uint64(view.level - MIN_LEVEL)) * LANES
    if n_copies == 1:
        return ~(p3 | (p2 & h1) | (p1 & h2) | h3 | hole)
    if n_copies == 2:
        return ~(p2 | (p1 & h1) | h2 | hole)
    return ~(p1 | h1 | hole)


@njit(forceinline=True)
def is_with_partner(view):
    """Whether the own side wins the trick so far."""
    return ((view.best_seat ^ view.seat) & 1) == 0


@njit(forceinline=True)
def ruffed_suits(view):
    """Places of the side suits that an opponent is out of while it may still hold trumps."""
    left, right = view.voids[(view.seat + 1) & 3], view.voids[(view.seat + 3) & 3]
    voids = (left if left < OUT_OF_TRUMPS else 0) | (right if right < OUT_OF_TRUMPS else 0)
    places = GROUPS[0] if voids & 1 else NO_PLACES
    places |= GROUPS[1] if voids & 2 else NO_PLACES
    return places | (GROUPS[2] if voids & 4 else NO_PLACES)


@njit
def suit_length(view, suit):
    """Cards held of a suit that are trumps only if it is the trump suit: neither 2s nor level cards."""
    plain = SUIT_KINDS[suit] & ~(TWO_KINDS | TWO_KINDS << np.uint64(view.level - TWO))
    return count_within(view.kinds_1, view.kinds_2, view.kinds_3, plain)


# --- bottom and tribute -----------------------------------------------------------------------------------------------


@njit
def jokers_asked_for(view, params, n_jokers):
    """
    Big and small jokers that the seat is to bury: `n_jokers`, big ones first, and those of the parameters.

    `bury_big` and `bury_small` are least numbers of each for the roles of `bury_roles`, bit n for n seats after the
    dealer, with `bury_trumps` trumps or more. The numbers may be more than the seat holds.
    """
    n_held = count_within(view.hand_1, view.hand_2, view.hand_3, BIG_JOKER)
    n_big = min(n_jokers, n_held)
    n_small = n_jokers - n_big
    if (params.bury_big | params.bury_small) != 0 and (params.bury_roles >> ((view.seat - view.dealer) & 3)) & 1:
        if count_within(view.hand_1, view.hand_2, view.hand_3, TRUMPS) >= params.bury_trumps:
            n_big, n_small = max(n_big, params.bury_big), max(n_small, params.bury_small)
    return n_big, n_small


@njit
def legal_jokers(view, n_big, n_small, limit):
    """Planes of so many of the jokers held, no more than `limit`, small ones only as far as G8.2 lets them go."""
    b1, b2, b3 = view.hand_1 & BIG_JOKER, view.hand_2 & BIG_JOKER, view.hand_3 & BIG_JOKER
    s1, s2, s3 = view.hand_1 & SMALL_JOKER, view.hand_2 & SMALL_JOKER, view.hand_3 & SMALL_JOKER
    n_held = count(b1, b2, b3)
    n_big = min(n_big, n_held, limit)
    n_small = min(n_small, count(s1, s2, s3), limit - n_big)
    if view.rule_bury_big_first and n_big < n_held:
        n_small = 0
    return (
        (b1 if n_big > 0 else NO_PLACES) | (s1 if n_small > 0 else NO_PLACES),
        (b2 if n_big > 1 else NO_PLACES) | (s2 if n_small > 1 else NO_PLACES),
        (b3 if n_big > 2 else NO_PLACES) | (s3 if n_small > 2 else NO_PLACES),
    )


@njit
def shortest_suit(a1, a2, a3, spare, tried):
    """Group of the untried side suit that is cheapest to void: few cards, and few of them to be kept."""
    shortest, lowest_cost = 0, COST_LIMIT
    for group in range(TRUMP_GROUP):
        n_suit = count_within(a1, a2, a3, GROUPS[group])
        n_kept = n_suit - count_within(a1, a2, a3, GROUPS[group] & spare)
        cost = n_suit + KEPT_COST * n_kept
        if not (tried >> group) & 1 and cost < lowest_cost:
            shortest, lowest_cost = group, cost
    return shortest


@njit
def buried_cards(view, q1, q2, q3, kept_points):
    """
    Planes of the six cards of a burial that begins with some jokers.

    Then come cards of the side suit that is cheapest to void, of the next ones, and any; the highest card of a suit
    and `kept_points`, places of point cards, go last.
    """
    fives, tens = view.fives, view.tens
    n_left = N_BOTTOM - count(q1, q2, q3)
    a1, a2, a3 = view.hand_1 & ~JOKER_PLACES, view.hand_2 & ~JOKER_PLACES, view.hand_3 & ~JOKER_PLACES
    top = highest_bit(LANE_PLACES & ~(ONE << np.uint64(view.level - MIN_LEVEL)))
    spare = SIDE & ~(kept_points | top * LANES)
    tried = 0
    for _ in range(TRUMP_GROUP):
        group = shortest_suit(a1, a2, a3, spare, tried)
        tried |= 1 << group
        pool = GROUPS[group] & spare
        n_here = min(n_left, count_within(a1, a2, a3, pool))
        b1, b2, b3 = ducked_cards(a1 & pool, a2 & pool, a3 & pool, n_here, fives, tens)
        a1, a2, a3 = remove(a1, a2, a3, b1, b2, b3)
        q1, q2, q3 = add(q1, q2, q3, b1, b2, b3)
        n_left -= n_here
    b1, b2, b3 = ducked_cards(a1, a2, a3, n_left, fives, tens)
    return add(q1, q2, q3, b1, b2, b3)


@njit
def cut_cards(a1, a2, a3, must, cut, n_cards, liked):
    """Planes of n cards of a set: all at `must`, the rest at `cut`, at `liked` places first, the lowest first."""
    q1, q2, q3 = a1 & must, a2 & must, a3 & must
    a1, a2, a3 = a1 & cut, a2 & cut, a3 & cut
    for _ in range(n_cards - count(q1, q2, q3)):
        card = weakest(a1 & liked if (a1 & liked) != NO_PLACES else a1)
        a1, a2, a3 = remove(a1, a2, a3, card, NO_PLACES, NO_PLACES)
        q1, q2, q3 = add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    return q1, q2, q3
