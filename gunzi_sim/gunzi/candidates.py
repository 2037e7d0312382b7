"""
Answers worth trying: lists of candidates for `search` and for advice.

A list is uint64[n, 3], planes of one answer a row, and its length; functions that add to it return the new length. No
answer stands twice, every one is legal, and what comes when a list is full is left out. `thin` drops what differs from
others in rank alone; `list_legal_…` add all there are. Left out: which candidate is best (`policies_search`, `trials`).
"""

from gunzi_sim.bits import bit_index, popcount
from gunzi_sim.gunzi.handcraft import ONE, STRICT, alike, ducked_cards, fed_cards, legal_jokers, several_in_suit
from gunzi_sim.gunzi.odds import unseen_cards
from gunzi_sim.gunzi.tricks import NO_PLACES, add, count, count_within, remove, several_fault
from gunzi_sim.gunzi.view import (
    GROUPS,
    JOKER_PLACES,
    LEVEL_CARDS,
    MAIN_SUIT,
    N_BOTTOM,
    OK,
    SIDE,
    SUIT_PLACES,
    TRUMP_GROUP,
    TWOS,
)
from gunzi_sim.jit import njit

MOST_JOKERS = 3
"""Of one kind."""


# --- lists -----------------------------------------------------------------------------------------------------------


@njit
def put(out_cards, n, q1, q2, q3):
    """Add an answer to a list unless it is there or the list is full; the new length. Written in place."""
    for i in range(n):
        if out_cards[i, 0] == q1 and out_cards[i, 1] == q2 and out_cards[i, 2] == q3:
            return n
    if n == len(out_cards):
        return n
    out_cards[n, 0], out_cards[n, 1], out_cards[n, 2] = q1, q2, q3
    return n + 1


@njit
def list_leads(view, n, out_cards):
    """Add every kind held as a single, as the pair and as the triple that it is. Written in place."""
    rest = view.hand_1
    while rest != NO_PLACES:
        card = rest & (~rest + ONE)
        rest &= rest - ONE
        n = put(out_cards, n, card, view.hand_2 & card, view.hand_3 & card)  # all copies of the kind first
        if view.hand_2 & card:
            n = put(out_cards, n, card, NO_PLACES, NO_PLACES)
    return n


@njit
def list_follows(view, n, out_cards):
    """Add the legal answers to a trick that differ in kind, or in what they give or keep. Written in place."""
    n_cards = view.n_cards
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    if n_cards == 1:
        rest = h1 & view.led if h1 & view.led else h1
        while rest != NO_PLACES:
            card = rest & (~rest + ONE)
            rest &= rest - ONE
            n = put(out_cards, n, card, NO_PLACES, NO_PLACES)
        return n
    held = count_within(h1, h2, h3, view.led)
    same = (h2 if n_cards == 2 else h3) & (view.led if held else ~NO_PLACES)
    while same != NO_PLACES:
        card = same & (~same + ONE)
        same &= same - ONE
        q1, q2, q3 = alike(card, n_cards)
        n = put_legal(view, n, q1, q2, q3, out_cards)
    s1, s2, s3 = h1 & view.led, h2 & view.led, h3 & view.led
    if held >= n_cards:
        for gives in range(2):
            q1, q2, q3 = several_in_suit(view, s1, s2, s3, n_cards, gives == 1)
            n = put_legal(view, n, q1, q2, q3, out_cards)
        return n
    o1, o2, o3 = h1 & ~view.led, h2 & ~view.led, h3 & ~view.led
    q1, q2, q3 = fed_cards(o1, o2, o3, n_cards - held, view.fives, view.tens)
    n = put_legal(view, n, s1 | q1, s2 | q2, s3 | q3, out_cards)
    q1, q2, q3 = ducked_cards(o1, o2, o3, n_cards - held, view.fives, view.tens)
    return put_legal(view, n, s1 | q1, s2 | q2, s3 | q3, out_cards)


@njit
def put_legal(view, n, q1, q2, q3, out_cards):
    """As `put`, for an answer to a pair or triple that the rules allow."""
    return put(out_cards, n, q1, q2, q3) if is_legal(view, q1, q2, q3) else n


@njit
def is_legal(view, q1, q2, q3):
    """Whether an answer to a pair or triple is held and allowed (G10.3, G10.4)."""
    strict = view.rule_follow == STRICT
    return several_fault(view.hand_1, view.hand_2, view.hand_3, q1, q2, q3, view.led, view.n_cards, strict) == OK


@njit
def list_buries(view, n, out_cards):
    """
    Add buries of six cards: every legal number of big and of small jokers, the rest small cards without points of the
    side suits in each order of voiding them, then any; once also with points. Written in place.
    """
    limit = view.rule_max_jokers_per_seat
    for n_big in range(MOST_JOKERS + 1):
        for n_small in range(MOST_JOKERS + 1):
            j1, j2, j3 = legal_jokers(view, n_big, n_small, limit)
            if count(j1, j2, j3) != n_big + n_small:
                continue
            for first in range(TRUMP_GROUP):
                for second in range(TRUMP_GROUP):
                    if first != second:
                        n = put_bury(view, n, j1, j2, j3, first, second, True, out_cards)
            n = put_bury(view, n, j1, j2, j3, 0, 1, False, out_cards)
    return n


@njit
def put_bury(view, n, j1, j2, j3, first, second, keeps_points, out_cards):
    """Add one bury: jokers, then cards of the first suit, of the second, of any side suit, of any."""
    h1, h2, h3 = view.hand_1 & ~JOKER_PLACES, view.hand_2 & ~JOKER_PLACES, view.hand_3 & ~JOKER_PLACES
    q1, q2, q3 = j1, j2, j3
    free = ~(view.fives | view.tens) if keeps_points else ~NO_PLACES
    for step in range(4):
        pool = free
        if step < 2:
            pool &= GROUPS[first if step == 0 else second]
        elif step == 2:
            pool &= SIDE
        else:
            pool = ~NO_PLACES
        n_here = min(N_BOTTOM - count(q1, q2, q3), count_within(h1, h2, h3, pool))
        b1, b2, b3 = ducked_cards(h1 & pool, h2 & pool, h3 & pool, n_here, view.fives, view.tens)
        h1, h2, h3 = remove(h1, h2, h3, b1, b2, b3)
        q1, q2, q3 = add(q1, q2, q3, b1, b2, b3)
    return put(out_cards, n, q1, q2, q3)


@njit
def list_jokers(view, n, out_cards):
    """Add every number of big and of small jokers that the seat may bury, none included. Written in place."""
    for n_big in range(MOST_JOKERS + 1):
        for n_small in range(MOST_JOKERS + 1):
            q1, q2, q3 = legal_jokers(view, n_big, n_small, view.max_jokers)
            if count(q1, q2, q3) == n_big + n_small:
                n = put(out_cards, n, q1, q2, q3)
    return n


# --- everything legal ------------------------------------------------------------------------------------------------


@njit
def list_legal_leads(view, n, out_cards):
    """Add every lead: each kind held as a single, a pair and a triple (G10.1). Written in place."""
    n = list_leads(view, n, out_cards)
    rest = view.hand_3
    while rest != NO_PLACES:  # two of three copies
        card = rest & (~rest + ONE)
        rest &= rest - ONE
        n = put(out_cards, n, card, card, NO_PLACES)
    return n


@njit
def list_legal_follows(view, n, out_cards):
    """
    Add every legal answer to a pair or triple (G10.3, G10.4), as far as the list has room.

    Parameters
    ----------
    view : VIEW record
    n : int64
        Length of the list.
    out_cards : uint64[n_rows, 3]
        Written in place; may have no row at all.

    Returns
    -------
    n, n_legal : int64
        The new length, and how many legal answers there are, whether they had room or not.
    """
    n_legal = 0
    firsts = view.hand_1
    while firsts != NO_PLACES:
        a = firsts & (~firsts + ONE)
        seconds = firsts
        firsts &= firsts - ONE
        while seconds != NO_PLACES:
            b = seconds & (~seconds + ONE)
            thirds = seconds if view.n_cards == 3 else ONE  # for a pair one round without a third card
            seconds &= seconds - ONE
            while thirds != NO_PLACES:
                c = thirds & (~thirds + ONE) if view.n_cards == 3 else NO_PLACES
                thirds &= thirds - ONE
                q1, q2, q3 = add(a, NO_PLACES, NO_PLACES, b, NO_PLACES, NO_PLACES)
                q1, q2, q3 = add(q1, q2, q3, c, NO_PLACES, NO_PLACES)
                if is_legal(view, q1, q2, q3):
                    n_legal += 1
                    n = put(out_cards, n, q1, q2, q3)
    return n, n_legal


# --- alike -----------------------------------------------------------------------------------------------------------


@njit
def thin(view, n, out_cards):
    """
    Drop plays that differ from others in rank alone.

    Such are plays of the same number of cards of one kind, of the same suit, class of trumps and points, that win or
    lose the trick so far alike and break a pair or triple alike. Of these stay the lowest and the highest, and only one
    of those between which no unseen card lies.

    Parameters
    ----------
    view : VIEW record
    n : int64
        Length of the list.
    out_cards : uint64[n, 3]
        Plays; the first one stays. Written in place.

    Returns
    -------
    int64
        The new length.
    """
    unseen, _, _ = unseen_cards(view)
    n_kept = 1
    for i in range(1, n):
        if not is_covered(view, unseen, i, n_kept, n, out_cards):
            out_cards[n_kept, 0], out_cards[n_kept, 1], out_cards[n_kept, 2] = (
                out_cards[i, 0],
                out_cards[i, 1],
                out_cards[i, 2],
            )
            n_kept += 1
    return n_kept


@njit
def is_covered(view, unseen, i, n_kept, n, cards):
    """Whether the plays kept so far, or after play i, make it needless."""
    own = cards[i, 0]
    has_lower, has_higher = False, False
    for j in range(n):
        if (j < n_kept or j > i) and are_alike(view, cards[i], cards[j]):
            other = cards[j, 0]
            low, high = min(own, other), max(own, other)
            if unseen & (high | (high - ONE)) & ~(low - ONE) == NO_PLACES:
                return True
            has_lower |= other < own
            has_higher |= other > own
    return has_lower and has_higher


@njit
def are_alike(view, one, other):
    """Whether two plays, planes of cards, differ in rank alone; not where one is of cards of several kinds."""
    a, b = one[0], other[0]
    if popcount(a) != 1 or popcount(b) != 1:
        return False
    is_alike = (one[1] == NO_PLACES) == (other[1] == NO_PLACES) and (one[2] == NO_PLACES) == (other[2] == NO_PLACES)
    for places in (view.hand_2, view.hand_3, view.beating, view.fives, view.tens, MAIN_SUIT, TWOS, LEVEL_CARDS):
        is_alike &= (a & places == NO_PLACES) == (b & places == NO_PLACES)
    if not is_alike:
        return False
    if a & JOKER_PLACES != NO_PLACES:
        return False
    return bit_index(a) // SUIT_PLACES == bit_index(b) // SUIT_PLACES
