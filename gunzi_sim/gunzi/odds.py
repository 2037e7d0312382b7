"""
What a seat that counts cards knows of the others, and the chances that it draws from it.

Unseen are the cards that this seat cannot place: neither its own, nor played (in this trick too), nor in a bottom that
it knows. Located are trumps that all know to lie in one hand: declared, got as tribute, or picked up, and not played or
given away since. Free are unseen cards that are not located. Sets are planes of places as in `view`.

Chances are whole numbers of 1024ths. A free card is in the hand of each seat that is not known to be out of its suit
with the same chance, a little less than equal shares, since some lie in the bottom. Left out: what a card is worth.
"""

import numpy as np

from gunzi_sim.bits import popcount
from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi.handcraft import LANES, ONE
from gunzi_sim.gunzi.tricks import NO_PLACES, add, count_within, remove
from gunzi_sim.gunzi.view import (
    BIG_JOKER,
    CLAIM_STRENGTH,
    LEVEL_PLACE,
    MIN_LEVEL,
    N_SUITS,
    SMALL_JOKER,
    THREE_SMALL,
    TRUMP_GROUP,
    TRUMPS,
)
from gunzi_sim.jit import njit

SURE = 1024
"""The chance of what is certain."""
CHANCE_BITS = 10
LOW_BYTE = 0xFF
BYTE = 8
N_OTHERS = 3
IN_HANDS = (95, 100)
"""Share of the free cards that hands hold, as a fraction; the rest lies in the bottom."""
MOST_CARDS, MOST_PLACES = 128, 64


def _share(n_seats):
    """Chance that a given one of the seats holds a free card, as a fraction; none for no seats."""
    return (IN_HANDS[0], IN_HANDS[1] * n_seats) if n_seats else (0, 1)


def _all_of(n_seats, n_copies):
    """Chance that it holds n free copies."""
    held, of = _share(n_seats)
    return held**n_copies, of**n_copies


def _two_of_three(n_seats):
    """Chance that it holds two or three of three free copies."""
    held, of = _share(n_seats)
    return held**3 + 3 * held**2 * (of - held), of**3


def _chances_of_none(chances, n):
    """Chance that none of k things happens, each with the chance of m seats: int64[4, n], by m and k; exact."""
    rows = [[(2 * SURE * (of - happens) ** k + of**k) // (2 * of**k) for k in range(n)] for happens, of in chances]
    return np.array(rows, dtype=np.int64)


_SEATS = range(N_OTHERS + 1)
NONE_OF_CARDS = _chances_of_none([_share(m) for m in _SEATS], MOST_CARDS)
"""int64[4, 128]: that one of m seats holds none of k cards."""
NO_PAIR_OF_TWO = _chances_of_none([_all_of(m, 2) for m in _SEATS], MOST_PLACES)
"""int64[4, 64]: that it holds no pair at any of k places of which two copies are free."""
NO_PAIR_OF_THREE = _chances_of_none([_two_of_three(m) for m in _SEATS], MOST_PLACES)
"""int64[4, 64]: the same for places of which all three copies are free."""
NO_TRIPLE = _chances_of_none([_all_of(m, 3) for m in _SEATS], MOST_PLACES)
"""int64[4, 64]: that it holds no triple at any of them."""


# --- cards -----------------------------------------------------------------------------------------------------------


@njit
def unseen_cards(view):
    """Planes of the cards that this seat has not seen and does not hold."""
    g1, g2, g3 = add(view.played_1, view.played_2, view.played_3, view.hand_1, view.hand_2, view.hand_3)
    if view.bottom_known:
        g1, g2, g3 = add(g1, g2, g3, view.bottom_1, view.bottom_2, view.bottom_3)
    for step in range(view.position):
        code = np.int64(view.history[view.trick, (view.leader + step) & 3])
        while code > 0:
            g1, g2, g3 = add(g1, g2, g3, ONE << np.uint64((code & LOW_BYTE) - 1), NO_PLACES, NO_PLACES)
            code >>= BYTE
    hole = (ONE << np.uint64(view.level - MIN_LEVEL)) * LANES
    return ~(g3 | hole), ~(g2 | hole), ~(g1 | hole)


@njit
def without(a1, a2, a3, b1, b2, b3):
    """The set a without those cards of b that are in it."""
    return remove(a1, a2, a3, a1 & b1, a2 & b2, a3 & b3)


@njit
def shown_trump(view, code):
    """Place and number of the cards that a declaration or claim has shown: (uint64, int64)."""
    strength, suit = code // N_SUITS, code % N_SUITS
    if strength == CLAIM_STRENGTH:
        return BIG_JOKER, 1
    if strength >= THREE_SMALL:
        return SMALL_JOKER if strength == THREE_SMALL else BIG_JOKER, 3
    group = TRUMP_GROUP if suit == view.trump else suit - (1 if suit > view.trump else 0)
    return ONE << np.uint64(LEVEL_PLACE + group), strength


@njit
def received_trumps(view, seat):
    """Planes of the trumps shown by a seat, or given to it, that it did not give away before play began."""
    a1, a2, a3 = NO_PLACES, NO_PLACES, NO_PLACES
    for i in range(view.n_declarations):
        if view.declaration_seat[i] == seat:
            place, n_shown = shown_trump(view, view.declaration_code[i])
            a1 |= place
            a2 |= place if n_shown > 1 else NO_PLACES
            a3 |= place if n_shown > 2 else NO_PLACES
    if view.payer == seat:
        a1, a2, a3 = without(a1, a2, a3, view.paid_1, view.paid_2, view.paid_3)
        a1, a2, a3 = add(a1, a2, a3, view.returned_1, view.returned_2, view.returned_3)
    elif view.receiver == seat:
        a1, a2, a3 = add(a1, a2, a3, view.paid_1, view.paid_2, view.paid_3)
        a1, a2, a3 = without(a1, a2, a3, view.returned_1, view.returned_2, view.returned_3)
    n_big, n_small = view.buried_big[seat], view.buried_small[seat]
    if n_big + n_small > 0:
        a1, a2, a3 = without(
            a1,
            a2,
            a3,
            (BIG_JOKER if n_big > 0 else NO_PLACES) | (SMALL_JOKER if n_small > 0 else NO_PLACES),
            (BIG_JOKER if n_big > 1 else NO_PLACES) | (SMALL_JOKER if n_small > 1 else NO_PLACES),
            (BIG_JOKER if n_big > 2 else NO_PLACES) | (SMALL_JOKER if n_small > 2 else NO_PLACES),
        )
    a1, a2, a3 = add(a1, a2, a3, view.picked_1[seat], view.picked_2[seat], view.picked_3[seat])
    return a1 & TRUMPS, a2 & TRUMPS, a3 & TRUMPS


@njit
def without_played(view, a1, a2, a3, seat):
    """A set without the cards of it that a seat has played in the tricks before this one."""
    for trick in range(view.trick):
        code = np.int64(view.history[trick, seat])
        while code > 0:
            card = ONE << np.uint64((code & LOW_BYTE) - 1)
            if a1 & card:
                a1, a2, a3 = remove(a1, a2, a3, card, NO_PLACES, NO_PLACES)
            code >>= BYTE
    return a1, a2, a3


@njit
def located_trumps(view, n1, n2, n3, seat):
    """
    Planes of the trumps that a seat is known to hold: those of `received_trumps` that it has not played.

    A dealer who buried a card that it had shown or received is believed to hold it still, unless this seat sees it.

    Parameters
    ----------
    view : VIEW record
    n1, n2, n3 : uint64
        The unseen cards.
    seat : int64
        Another seat, which has not played to this trick.

    Returns
    -------
    uint64, uint64, uint64
    """
    if view.n_declarations == 0 and view.payer == NOBODY and view.picked_1[seat] == NO_PLACES:
        return NO_PLACES, NO_PLACES, NO_PLACES
    a1, a2, a3 = received_trumps(view, seat)
    a1 &= n1
    if a1 & view.played_1:  # else none of them has been played by anybody
        a1, a2, a3 = without_played(view, a1, a2 & a1, a3 & a1, seat)
    return a1, a2 & n2, a3 & n3


# --- chances ---------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def n_not_void(view, group):
    """Other seats that are not known to be out of a group, 0 to 3."""
    seat = view.seat
    v1, v2, v3 = view.voids[(seat + 1) & 3], view.voids[(seat + 2) & 3], view.voids[(seat + 3) & 3]
    return N_OTHERS - ((v1 >> group) & 1) - ((v2 >> group) & 1) - ((v3 >> group) & 1)


@njit(forceinline=True)
def chance_held(f1, f2, f3, places, n_seats, n_cards):
    """Chance that a given one of n seats holds n cards alike at `places`, out of the free cards."""
    if n_cards == 1:
        return SURE - NONE_OF_CARDS[n_seats, count_within(f1, f2, f3, places)]
    n_three = popcount(places & f3)
    if n_cards == 3:
        return SURE - NO_TRIPLE[n_seats, n_three]
    n_two = popcount(places & f2) - n_three
    return SURE - (NO_PAIR_OF_TWO[n_seats, n_two] * NO_PAIR_OF_THREE[n_seats, n_three] >> CHANCE_BITS)


@njit(forceinline=True)
def chance_beats(voids, group, inside, void, ruff):
    """
    Chance that a seat can beat a play.

    Parameters
    ----------
    voids : int64
        Groups that the seat is known to be out of.
    group : int64
        The led group.
    inside, void, ruff : int64
        Chances that it has what beats the play in the led side suit; that it is out of that; that its trumps beat it.
    """
    if (voids >> TRUMP_GROUP) & 1:
        ruff = 0
    if group == TRUMP_GROUP or (voids >> group) & 1:
        return ruff
    return inside + (void * ruff >> CHANCE_BITS)
