"""
Sets of cards as planes, following suit, and the highest or lowest cards of a set.

A set is three uint64 planes of places (see `view`). Functions return new planes; nothing here knows whose cards they
are, and nothing allocates. Left out: who wins a trick (one AND with `view.BEATS` in `play`) and points won (`score`).
"""

import numpy as np

from gunzi_sim.bits import popcount
from gunzi_sim.gunzi.view import BAD_FOLLOW, BAD_LEAD, BAD_PATTERN, CLASSES, OK, SIDE, TRUMPS
from gunzi_sim.jit import njit

NO_PLACES = np.uint64(0)


@njit(forceinline=True)
def count(a1, a2, a3):
    """Cards in a set."""
    return popcount(a1) + popcount(a2) + popcount(a3)


@njit(forceinline=True)
def count_within(a1, a2, a3, places):
    """Cards of a set that lie at `places`."""
    return popcount(a1 & places) + popcount(a2 & places) + popcount(a3 & places)


@njit(forceinline=True)
def add(a1, a2, a3, b1, b2, b3):
    """Union of two sets, copies added; more than three copies of a kind cannot be."""
    return (
        a1 | b1,
        a2 | b2 | (a1 & b1),
        a3 | b3 | (a2 & b1) | (a1 & b2),
    )


@njit(forceinline=True)
def remove(a1, a2, a3, b1, b2, b3):
    """The set a without the cards of its subset b."""
    none, one, two = ~b1, b1 & ~b2, b2 & ~b3
    return (
        (a1 & none) | (a2 & one) | (a3 & two),
        (a2 & none) | (a3 & one),
        a3 & none,
    )


@njit(forceinline=True)
def is_subset(b1, b2, b3, a1, a2, a3):
    """Whether planes b are well formed (each within the one before) and every card of b is in a."""
    return ((b1 & ~a1) | (b2 & ~a2) | (b3 & ~a3) | (b2 & ~b1) | (b3 & ~b2)) == NO_PLACES


@njit
def card_points(a1, a2, a3, fives, tens):
    """Card points of a set (G1.3)."""
    return 5 * count_within(a1, a2, a3, fives) + 10 * count_within(a1, a2, a3, tens)


@njit(forceinline=True)
def lead_fault(h1, h2, h3, q1, q2, q3):
    """Clause code of a lead: n identical cards that are held (G10.1), else BAD_LEAD."""
    if not is_subset(q1, q2, q3, h1, h2, h3) or popcount(q1) != 1:
        return BAD_LEAD
    return OK


@njit(forceinline=True)
def single_fault(h1, q1, q2, led):
    """Clause code of a follow to a single: one held card, of the led suit while there is one (G10.3)."""
    legal = h1 & led if (h1 & led) != NO_PLACES else h1
    if (q1 & ~legal) | q2 != NO_PLACES or popcount(q1) != 1:
        return BAD_FOLLOW
    return OK


@njit
def several_fault(h1, h2, h3, q1, q2, q3, led, n_cards, strict):
    """
    Clause code of a follow to a pair or triple: number and suit (G10.3), then strict following's pattern (G10.4).

    Parameters
    ----------
    h1, h2, h3, q1, q2, q3 : uint64
        Planes of the hand and of the play.
    led : uint64
        Places of the led suit.
    n_cards : int64
        2 or 3 cards led.
    strict : bool
        Whether `follow` is strict.

    Returns
    -------
    int64
        OK, BAD_FOLLOW (G10.3) or BAD_PATTERN (G10.4).
    """
    if not is_subset(q1, q2, q3, h1, h2, h3) or count(q1, q2, q3) != n_cards:
        return BAD_FOLLOW
    held = count_within(h1, h2, h3, led)
    if count_within(q1, q2, q3, led) != min(held, n_cards):
        return BAD_FOLLOW
    if not strict or held <= n_cards:
        return OK
    return pattern_fault(h2 & led, h3 & led, q2, q3, n_cards)


@njit
def pattern_fault(pairs, triples, q2, q3, n_cards):
    """
    Clause code of G10.4 where more cards of the led suit are held than were led and all played are of it.

    A pair is owed where some kind is held in exactly two copies; a triple where there is one, else a pair and one more.
    """
    if n_cards == 2:
        return BAD_PATTERN if (pairs & ~triples) != NO_PLACES and q2 == NO_PLACES else OK
    if triples != NO_PLACES:
        return BAD_PATTERN if q3 == NO_PLACES else OK
    return BAD_PATTERN if pairs != NO_PLACES and q2 == NO_PLACES else OK


@njit
def highest_cut(a1, a2, a3, n_cards):
    """
    Where the n highest cards of a set end by the order of G9.1.

    Returns
    -------
    must, cut : uint64
        Places above the cut, whose cards all belong to the n highest, and the places of equal strength that give the
        rest. `cut` is none where nothing is left to choose; `must` then holds n cards, or all of a smaller set.
    """
    above = NO_PLACES
    n_above = 0
    for i in range(len(CLASSES) - 1, -1, -1):
        if n_above == n_cards:
            break
        here = count_within(a1, a2, a3, CLASSES[i])
        if n_above + here > n_cards:
            return above, CLASSES[i]
        n_above += here
        above |= CLASSES[i]
    return above, NO_PLACES


@njit
def lowest_cut(a1, a2, a3, n_cards):
    """Where the n lowest cards of a set end; returns as `highest_cut`, `must` lying below the cut."""
    below = NO_PLACES
    n_below = 0
    for i in range(len(CLASSES)):
        if n_below == n_cards:
            break
        here = count_within(a1, a2, a3, CLASSES[i])
        if n_below + here > n_cards:
            return below, CLASSES[i]
        n_below += here
        below |= CLASSES[i]
    return below, NO_PLACES


@njit
def fits_cut(a1, a2, a3, q1, q2, q3, must, cut):
    """Whether a subset q of a holds all cards of a at `must` and beyond them only cards at `cut`."""
    missing = ((a1 & ~q1) | (a2 & ~q2) | (a3 & ~q3)) & must
    return missing == NO_PLACES and (q1 & ~(must | cut)) == NO_PLACES


@njit
def return_cut(a1, a2, a3, n_cards, points):
    """
    Cards that may be returned for a tribute: side cards without points, failing them the lowest (G6.4).

    Parameters
    ----------
    a1, a2, a3 : uint64
        The receiver's cards, those just received included.
    n_cards : int64
        Cards to return.
    points : uint64
        Places of the point cards.

    Returns
    -------
    must, cut : uint64
        As `highest_cut`: all held cards at `must` are returned, the rest of n comes from `cut`.
    """
    free = SIDE & ~points
    n_free = count_within(a1, a2, a3, free)
    if n_free > n_cards:
        return NO_PLACES, free
    trumps = TRUMPS & ~points
    n_trumps = count_within(a1, a2, a3, trumps)
    if n_free + n_trumps > n_cards:
        below, cut = lowest_cut(a1 & trumps, a2 & trumps, a3 & trumps, n_cards - n_free)
        return free | (below & trumps), cut & trumps
    below, cut = lowest_cut(a1 & points, a2 & points, a3 & points, n_cards - n_free - n_trumps)
    return free | trumps | (below & points), cut & points
