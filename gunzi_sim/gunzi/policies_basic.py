"""
The policy `basic`: a sensible club player. It takes no draws; `policies` describes its parameters.

Bidding: claims with many high trumps; declares its longest suit, reinforces it, overcalls the other side's shorter one.
Bottom: buries to void side suits and protects points, aces and pairs; buries jokers only on demand (`jokers`).
Leading: cashes triples, top pairs and top singles of side suits that no opponent is known to ruff, counting the cards
gone; then leads pairs, draws trumps while long in them, or exits with a small card. High trumps stay for the end.
Following: feeds points to a partner who will probably win, wins late with point cards or the cheapest winner, plays top
cards early, ruffs, keeps its last high trump for the last trick, and ducks with the smallest card otherwise.

Sets are planes of places as in `view`. A `pool` is a plane to choose one card from, never empty. A place is live while
another seat may hold a card of it; the buried bottom counts as held. Left out: what is legal, which `tricks` says.
"""

import numpy as np

from gunzi_sim.bits import bit_index, highest_bit, lowest_bit, popcount
from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi.handcraft import (
    HIGH_TRUMPS,
    LAST,
    N_TRUMPS,
    ONE,
    TWO,
    TWO_KINDS,
    alike,
    buried_cards,
    covered_places,
    cut_cards,
    ducked,
    ducked_cards,
    fed,
    fed_cards,
    is_with_partner,
    jokers_asked_for,
    legal_jokers,
    live_places,
    ruffed_suits,
    several_in_suit,
    suit_length,
)
from gunzi_sim.gunzi.tricks import NO_PLACES, count, count_within
from gunzi_sim.gunzi.view import (
    BEATS,
    CARDS_SIG,
    CLOSING_DRAW,
    CODE_SIG,
    MAIN_SUIT,
    N_SUITS,
    SIDE,
    TRUMP_GROUP,
    TRUMPS,
    TWOS,
)
from gunzi_sim.jit import njit

JOKER_KINDS = np.uint64(3 << 52)
LEVEL_CARD_CODES = np.uint64(0x1110)
"""Codes of declarations by level cards, in suit 0; shifted by a suit number they are those of that suit."""
ALL_CODES = np.uint64(0x111110)
"""The same with three jokers."""


# --- following -------------------------------------------------------------------------------------------------------


@njit
def _will_win(view, params, n_copies):
    """Whether the partner's best play, n cards alike, will probably stand against the seats still to play."""
    if view.position == LAST:
        return True
    voids = view.voids[(view.seat + 1) & 3]
    threats = view.led
    if (voids >> view.led_group) & 1:
        threats = NO_PLACES if (voids >> TRUMP_GROUP) & 1 else TRUMPS
    return popcount(view.beating & threats & live_places(view, n_copies)) <= params.feed_risk


@njit
def _price(view, params, trump):
    """Card points on the table for which a high trump is spent; more for a lone one that will win the last trick."""
    is_lone_top = trump == highest_bit(view.hand_1) and (view.hand_2 & trump) == NO_PLACES
    if is_lone_top and (BEATS[bit_index(trump)] & live_places(view, 1)) == NO_PLACES:
        return params.last_trump_points
    return params.high_trump_points


@njit(forceinline=True)
def _is_worth(view, params, card):
    """Whether to win with this card: always, but for high trumps."""
    return (card & HIGH_TRUMPS) == NO_PLACES or view.table_points >= _price(view, params, card)


@njit
def _last_single(view, params, pool, winners):
    """Card of the led suit for a single that the opponents are winning, played last: nothing comes after it."""
    fives, tens = view.fives, view.tens
    if winners != NO_PLACES:
        rich = winners & (fives | tens)
        card = fed(rich, fives, tens) if rich != NO_PLACES else lowest_bit(winners)
        if _is_worth(view, params, card):
            return card
    return ducked(pool, view.hand_2, fives, tens)


@njit
def _single_in_suit(view, params, pool):
    """Card of the led suit to play on a single; there are two or more kinds to choose from."""
    fives, tens = view.fives, view.tens
    winners = pool & view.beating
    partners = is_with_partner(view)
    if partners and _will_win(view, params, 1):
        return fed(pool, fives, tens)
    if view.position == LAST:
        return _last_single(view, params, pool, winners)
    if winners != NO_PLACES:
        if view.led_group != TRUMP_GROUP:
            top = winners & ~covered_places(live_places(view, 1))
            is_ruffed = (view.voids[(view.seat + 1) & 3] >> view.led_group) & 1
            if top != NO_PLACES and not is_ruffed:
                return fed(top, fives, tens)
        else:
            card = highest_bit(winners)
            if view.table_points >= _price(view, params, card):
                return card
        cheap = winners & ~(fives | tens | HIGH_TRUMPS)
        if cheap != NO_PLACES and view.position == LAST - 1 and not partners:
            return lowest_bit(cheap)
    return ducked(pool, view.hand_2, fives, tens)


@njit
def _single_when_void(view, params):
    """Card to play on a single of a suit that the hand is out of: fed, ruffed or thrown away."""
    fives, tens, pool = view.fives, view.tens, view.hand_1
    if is_with_partner(view):
        if _will_win(view, params, 1):
            return fed(pool, fives, tens)
        return ducked(pool, view.hand_2, fives, tens)
    ruffs = pool & view.beating
    if ruffs != NO_PLACES and view.table_points >= params.ruff_points:
        rich = ruffs & (fives | tens)
        if rich != NO_PLACES and view.position == LAST:
            return fed(rich, fives, tens)
        poor = ruffs & ~(fives | tens | HIGH_TRUMPS)
        if poor == NO_PLACES:
            poor = ruffs
        card = lowest_bit(poor)
        if _is_worth(view, params, card):
            return card
    return ducked(pool, view.hand_2, fives, tens)


@njit
def _many(view, params, n_cards):
    """Planes of a follow to a pair or triple."""
    fives, tens, led = view.fives, view.tens, view.led
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    s1, s2, s3 = h1 & led, h2 & led, h3 & led
    n_suit = count(s1, s2, s3)
    partners = is_with_partner(view)
    if not partners and (n_suit > n_cards or (n_suit == 0 and view.table_points >= params.ruff_points)):
        winners = (h2 if n_cards == 2 else h3) & view.beating  # of the led suit while it is held, else trumps
        if n_suit > n_cards:
            winners &= led
        if winners != NO_PLACES:
            rich = winners & (fives | tens)
            card = fed(rich, fives, tens) if rich != NO_PLACES and view.position == LAST else lowest_bit(winners)
            if _is_worth(view, params, card):
                return alike(card, n_cards)
    gives = partners and (n_cards == 3 or _will_win(view, params, n_cards))
    if n_suit > n_cards:
        return several_in_suit(view, s1, s2, s3, n_cards, gives)
    n_free = n_cards - n_suit
    if gives:
        q1, q2, q3 = fed_cards(h1 & ~led, h2 & ~led, h3 & ~led, n_free, fives, tens)
    else:
        q1, q2, q3 = ducked_cards(h1 & ~led, h2 & ~led, h3 & ~led, n_free, fives, tens)
    return s1 | q1, s2 | q2, s3 | q3


@njit(CARDS_SIG)
def follow(view, params, draws):
    """Forced singles at once; singles in suit or void; pairs and triples by `_many`."""
    n_cards = view.n_cards
    if n_cards != 1:
        return _many(view, params, n_cards)
    pool = view.hand_1 & view.led
    if pool == NO_PLACES:
        return _single_when_void(view, params), NO_PLACES, NO_PLACES
    if (pool & (pool - ONE)) == NO_PLACES:
        return pool, NO_PLACES, NO_PLACES
    return _single_in_suit(view, params, pool), NO_PLACES, NO_PLACES


# --- leading ---------------------------------------------------------------------------------------------------------


@njit
def _exit(view, params):
    """Planes of a lead from a hand with nothing to cash: the highest pair, a trump to draw others, a small card."""
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    pairs = h2 & SIDE
    if pairs == NO_PLACES:
        pairs = h2 & TRUMPS & ~HIGH_TRUMPS
    if pairs != NO_PLACES:
        card = highest_bit(pairs)
        return card, card, h3 & card
    fives, tens = view.fives, view.tens
    low_trumps = h1 & (MAIN_SUIT | TWOS)
    n_trumps = count_within(h1, h2, h3, TRUMPS)
    n_gone = count_within(view.played_1, view.played_2, view.played_3, TRUMPS)
    if low_trumps != NO_PLACES and 3 * n_trumps - (N_TRUMPS - n_trumps - n_gone) >= params.draw_trumps:
        poor = low_trumps & ~(fives | tens)
        return lowest_bit(poor if poor != NO_PLACES else low_trumps), NO_PLACES, NO_PLACES
    card = ducked(h1, h2, fives, tens)
    return card, h2 & card, h3 & card


@njit(CARDS_SIG)
def lead(view, params, draws):
    """Cashes side triples, top pairs and top singles where nobody ruffs; else exits."""
    h1 = view.hand_1
    if (h1 & (h1 - ONE)) == NO_PLACES:
        return h1, view.hand_2, view.hand_3
    fives, tens = view.fives, view.tens
    side = SIDE & ~ruffed_suits(view)
    triples = view.hand_3 & side
    if triples != NO_PLACES:
        return alike(highest_bit(triples), 3)
    pairs = view.hand_2 & side
    if pairs != NO_PLACES:
        top = pairs & ~covered_places(live_places(view, 2))
        if top != NO_PLACES:
            return alike(fed(top, fives, tens), 2)
    top = h1 & side & ~covered_places(live_places(view, 1))
    if top != NO_PLACES:
        return fed(top, fives, tens), NO_PLACES, NO_PLACES
    return _exit(view, params)


# --- bottom and tribute ----------------------------------------------------------------------------------------------


@njit(CARDS_SIG)
def bury(view, params, draws):
    """Jokers on demand; then small cards of the side suit that is cheapest to void, then of the next; then any."""
    n_big, n_small = jokers_asked_for(view, params, params.jokers)
    q1, q2, q3 = legal_jokers(view, n_big, n_small, view.rule_max_jokers_per_seat)
    return buried_cards(view, q1, q2, q3, view.fives | view.tens)


@njit(CARDS_SIG)
def jokers(view, params, draws):
    """Jokers on demand, big ones first; of the cards to pick up those that make pairs with the hand."""
    if view.joker_step == 0:
        n_big, n_small = jokers_asked_for(view, params, params.jokers)
        return legal_jokers(view, n_big, n_small, view.max_jokers)
    b1, b2, b3 = view.bottom_1, view.bottom_2, view.bottom_3
    return cut_cards(b1, b2, b3, view.pick_must, view.pick_cut, view.n_picks, view.hand_1)


@njit(CARDS_SIG)
def pay_or_return(view, params, draws):
    """What must go, then the lowest of what may; pairs and triples are kept while single cards are left."""
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    return cut_cards(h1, h2, h3, view.tribute_must, view.tribute_cut, view.n_tribute, ~h2)


# --- bidding ---------------------------------------------------------------------------------------------------------


@njit(CODE_SIG)
def claim(view, params, draws):
    """Claims with enough jokers, level cards and 2s, which are trumps in any suit."""
    high = JOKER_KINDS | TWO_KINDS | TWO_KINDS << np.uint64(view.level - TWO)
    return 1 if count_within(view.kinds_1, view.kinds_2, view.kinds_3, high) >= params.claim_trumps else 0


@njit(CODE_SIG)
def declare(view, params, draws):
    """Reinforces its own declaration, leaves the partner's, overcalls or opens with its longest suit, else passes."""
    legal, standing = view.legal_declarations, view.declared_by
    is_closing = view.draw >= CLOSING_DRAW
    if standing == view.seat:
        codes = legal & (LEVEL_CARD_CODES << np.uint64(view.declared_code % N_SUITS))
        return bit_index(highest_bit(codes)) if codes != NO_PLACES else 0
    needed = params.declare_cards
    if standing != NOBODY:
        if ((standing ^ view.seat) & 1) == 0:
            return 0
        needed = max(needed, suit_length(view, view.declared_code % N_SUITS) + params.overcall_cards)
    elif is_closing:
        needed = 0  # any suit of its own is better than one from the bottom
    ways = ALL_CODES if is_closing else LEVEL_CARD_CODES  # jokers are shown only when nothing more is drawn
    best, best_length = 0, needed - 1
    for suit in range(N_SUITS):
        codes = legal & (ways << np.uint64(suit))
        if codes != NO_PLACES:
            length = suit_length(view, suit)
            if length > best_length:
                best, best_length = bit_index(highest_bit(codes)), length
    return best
