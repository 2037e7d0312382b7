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
from gunzi_sim.gunzi.rules import Follow
from gunzi_sim.gunzi.tricks import NO_PLACES, add, count, count_within, remove
from gunzi_sim.gunzi.view import (
    BEATS,
    CARDS_SIG,
    CLOSING_DRAW,
    CODE_SIG,
    GROUPS,
    JOKER_PLACES,
    LEVEL_CARDS,
    MAIN_SUIT,
    MIN_LEVEL,
    SIDE,
    TRUMP_GROUP,
    TRUMPS,
    TWOS,
)
from gunzi_sim.jit import njit

STRICT = int(Follow.STRICT)
BURIED_CARDS = 6
N_SUITS = 4
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
JOKER_KINDS = np.uint64(3 << 52)
TWO = 2
"""Rank of the lowest kind of a suit."""
LEVEL_CARD_CODES = np.uint64(0x1110)
"""Codes of declarations by level cards, in suit 0; shifted by a suit number they are those of that suit."""
ALL_CODES = np.uint64(0x111110)
"""The same with three jokers."""
KEPT_COST, COST_LIMIT = 2, 1 << 10
"""Cards that a card to be kept counts for when a suit to void is sought; more than any suit costs."""
N_TRUMPS = 63
"""All trumps of the three decks (G17)."""
OUT_OF_TRUMPS = 1 << TRUMP_GROUP
"""Bit of `voids`; the bits below it are the side suits'."""
LAST = 3
"""Position of the seat that plays last to a trick."""


# --- sets ------------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def _weakest(pool):
    """Lowest card: side suits before trumps, and by rank alone among them."""
    side = pool & SIDE
    if side == NO_PLACES:
        return lowest_bit(pool)
    rank = lowest_bit((side | side >> LANE | side >> TWO_LANES) & LANE_PLACES)
    return lowest_bit(side & (rank * LANES))


@njit(forceinline=True)
def _fed(pool, fives, tens):
    """Card to give to the own side: ten points, else five, else the lowest; trumps only where no side card is."""
    if (pool & SIDE) != NO_PLACES:
        pool &= SIDE
    if (pool & tens) != NO_PLACES:
        return _weakest(pool & tens)
    if (pool & fives) != NO_PLACES:
        return _weakest(pool & fives)
    return _weakest(pool)


@njit(forceinline=True)
def _ducked(pool, multiples, fives, tens):
    """Card to lose: small without points, not of `multiples` if possible; then fives, 2s, tens, high trumps."""
    small = pool & (SIDE | MAIN_SUIT) & ~(fives | tens)
    if small != NO_PLACES:
        if (small & SIDE) != NO_PLACES:
            small &= SIDE
        if (small & ~multiples) != NO_PLACES:
            small &= ~multiples
        return _weakest(small)
    if (pool & fives) != NO_PLACES:
        return _weakest(pool & fives)
    if (pool & TWOS) != NO_PLACES:
        return lowest_bit(pool & TWOS)
    if (pool & tens) != NO_PLACES:
        return _weakest(pool & tens)
    return lowest_bit(pool)


@njit
def _fed_cards(a1, a2, a3, n_cards, fives, tens):
    """Planes of n cards, each chosen by `_fed` from those left."""
    q1, q2, q3 = NO_PLACES, NO_PLACES, NO_PLACES
    for _ in range(n_cards):
        card = _fed(a1, fives, tens)
        a1, a2, a3 = remove(a1, a2, a3, card, NO_PLACES, NO_PLACES)
        q1, q2, q3 = add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    return q1, q2, q3


@njit
def _ducked_cards(a1, a2, a3, n_cards, fives, tens):
    """Planes of n cards, each chosen by `_ducked` from those left; pairs are broken last."""
    q1, q2, q3 = NO_PLACES, NO_PLACES, NO_PLACES
    for _ in range(n_cards):
        card = _ducked(a1, a2, fives, tens)
        a1, a2, a3 = remove(a1, a2, a3, card, NO_PLACES, NO_PLACES)
        q1, q2, q3 = add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    return q1, q2, q3


@njit(forceinline=True)
def _covered(live):
    """Places of the side suits below some live place of the same suit."""
    covered = (live >> ONE) & FALL_1
    covered |= (covered >> ONE) & FALL_1
    covered |= (covered >> np.uint64(2)) & FALL_2
    covered |= (covered >> np.uint64(4)) & FALL_4
    return covered | ((covered >> np.uint64(8)) & FALL_8)


@njit(forceinline=True)
def _live(view, n_copies):
    """Places of which other seats (or the bottom) may still hold n copies."""
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    p1, p2, p3 = view.played_1, view.played_2, view.played_3
    hole = (ONE << np.uint64(view.level - MIN_LEVEL)) * LANES
    if n_copies == 1:
        return ~(p3 | (p2 & h1) | (p1 & h2) | h3 | hole)
    if n_copies == 2:
        return ~(p2 | (p1 & h1) | h2 | hole)
    return ~(p1 | h1 | hole)


# --- following -------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def _partners(view):
    """Whether the own side wins the trick so far."""
    return ((view.best_seat ^ view.seat) & 1) == 0


@njit
def _will_win(view, params, n_copies):
    """Whether the partner's best play, n cards alike, will probably stand against the seats still to play."""
    if view.position == LAST:
        return True
    voids = view.voids[(view.seat + 1) & 3]
    threats = view.led
    if (voids >> view.led_group) & 1:
        threats = NO_PLACES if (voids >> TRUMP_GROUP) & 1 else TRUMPS
    return popcount(view.beating & threats & _live(view, n_copies)) <= params.feed_risk


@njit
def _price(view, params, trump):
    """Card points on the table for which a high trump is spent; more for a lone one that will win the last trick."""
    is_lone_top = trump == highest_bit(view.hand_1) and (view.hand_2 & trump) == NO_PLACES
    if is_lone_top and (BEATS[bit_index(trump)] & _live(view, 1)) == NO_PLACES:
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
        card = _fed(rich, fives, tens) if rich != NO_PLACES else lowest_bit(winners)
        if _is_worth(view, params, card):
            return card
    return _ducked(pool, view.hand_2, fives, tens)


@njit
def _single_in_suit(view, params, pool):
    """Card of the led suit to play on a single; there are two or more kinds to choose from."""
    fives, tens = view.fives, view.tens
    winners = pool & view.beating
    partners = _partners(view)
    if partners and _will_win(view, params, 1):
        return _fed(pool, fives, tens)
    if view.position == LAST:
        return _last_single(view, params, pool, winners)
    if winners != NO_PLACES:
        if view.led_group != TRUMP_GROUP:
            top = winners & ~_covered(_live(view, 1))
            is_ruffed = (view.voids[(view.seat + 1) & 3] >> view.led_group) & 1
            if top != NO_PLACES and not is_ruffed:
                return _fed(top, fives, tens)
        else:
            card = highest_bit(winners)
            if view.table_points >= _price(view, params, card):
                return card
        cheap = winners & ~(fives | tens | HIGH_TRUMPS)
        if cheap != NO_PLACES and view.position == LAST - 1 and not partners:
            return lowest_bit(cheap)
    return _ducked(pool, view.hand_2, fives, tens)


@njit
def _single_when_void(view, params):
    """Card to play on a single of a suit that the hand is out of: fed, ruffed or thrown away."""
    fives, tens, pool = view.fives, view.tens, view.hand_1
    if _partners(view):
        if _will_win(view, params, 1):
            return _fed(pool, fives, tens)
        return _ducked(pool, view.hand_2, fives, tens)
    ruffs = pool & view.beating
    if ruffs != NO_PLACES and view.table_points >= params.ruff_points:
        rich = ruffs & (fives | tens)
        if rich != NO_PLACES and view.position == LAST:
            return _fed(rich, fives, tens)
        poor = ruffs & ~(fives | tens | HIGH_TRUMPS)
        if poor == NO_PLACES:
            poor = ruffs
        card = lowest_bit(poor)
        if _is_worth(view, params, card):
            return card
    return _ducked(pool, view.hand_2, fives, tens)


@njit(forceinline=True)
def _alike(card, n_cards):
    """Planes of n cards of one kind, two or three."""
    return card, card, card if n_cards == 3 else NO_PLACES


@njit
def _many_in_suit(view, s1, s2, s3, n_cards, gives):
    """Planes of n cards of the led suit out of more: the pattern owed (G10.4), then points or small cards."""
    fives, tens = view.fives, view.tens
    if view.rule_follow == STRICT:
        owed = s3 if n_cards == 3 else (s2 if (s2 & ~s3) != NO_PLACES else NO_PLACES)
        if owed != NO_PLACES:
            return _alike(_fed(owed, fives, tens) if gives else _ducked(owed, s3, fives, tens), n_cards)
        if n_cards == 3 and s2 != NO_PLACES:
            pair = _fed(s2, fives, tens) if gives else _ducked(s2, NO_PLACES, fives, tens)
            rest = s1 & ~pair
            return pair | (_fed(rest, fives, tens) if gives else _ducked(rest, s2, fives, tens)), pair, NO_PLACES
    if gives:
        return _fed_cards(s1, s2, s3, n_cards, fives, tens)
    return _ducked_cards(s1, s2, s3, n_cards, fives, tens)


@njit
def _many(view, params, n_cards):
    """Planes of a follow to a pair or triple."""
    fives, tens, led = view.fives, view.tens, view.led
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    s1, s2, s3 = h1 & led, h2 & led, h3 & led
    n_suit = count(s1, s2, s3)
    partners = _partners(view)
    if not partners and (n_suit > n_cards or (n_suit == 0 and view.table_points >= params.ruff_points)):
        winners = (h2 if n_cards == 2 else h3) & view.beating  # of the led suit while it is held, else trumps
        if n_suit > n_cards:
            winners &= led
        if winners != NO_PLACES:
            rich = winners & (fives | tens)
            card = _fed(rich, fives, tens) if rich != NO_PLACES and view.position == LAST else lowest_bit(winners)
            if _is_worth(view, params, card):
                return _alike(card, n_cards)
    gives = partners and (n_cards == 3 or _will_win(view, params, n_cards))
    if n_suit > n_cards:
        return _many_in_suit(view, s1, s2, s3, n_cards, gives)
    n_free = n_cards - n_suit
    if gives:
        q1, q2, q3 = _fed_cards(h1 & ~led, h2 & ~led, h3 & ~led, n_free, fives, tens)
    else:
        q1, q2, q3 = _ducked_cards(h1 & ~led, h2 & ~led, h3 & ~led, n_free, fives, tens)
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


@njit(forceinline=True)
def _ruffed_suits(view):
    """Places of the side suits that an opponent is out of while it may still hold trumps."""
    left, right = view.voids[(view.seat + 1) & 3], view.voids[(view.seat + 3) & 3]
    voids = (left if left < OUT_OF_TRUMPS else 0) | (right if right < OUT_OF_TRUMPS else 0)
    places = GROUPS[0] if voids & 1 else NO_PLACES
    places |= GROUPS[1] if voids & 2 else NO_PLACES
    return places | (GROUPS[2] if voids & 4 else NO_PLACES)


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
    card = _ducked(h1, h2, fives, tens)
    return card, h2 & card, h3 & card


@njit(CARDS_SIG)
def lead(view, params, draws):
    """Cashes side triples, top pairs and top singles where nobody ruffs; else exits."""
    h1 = view.hand_1
    if (h1 & (h1 - ONE)) == NO_PLACES:
        return h1, view.hand_2, view.hand_3
    fives, tens = view.fives, view.tens
    side = SIDE & ~_ruffed_suits(view)
    triples = view.hand_3 & side
    if triples != NO_PLACES:
        return _alike(highest_bit(triples), 3)
    pairs = view.hand_2 & side
    if pairs != NO_PLACES:
        top = pairs & ~_covered(_live(view, 2))
        if top != NO_PLACES:
            return _alike(_fed(top, fives, tens), 2)
    top = h1 & side & ~_covered(_live(view, 1))
    if top != NO_PLACES:
        return _fed(top, fives, tens), NO_PLACES, NO_PLACES
    return _exit(view, params)


# --- bottom and tribute ----------------------------------------------------------------------------------------------


@njit
def _jokers_to_bury(view, n_jokers):
    """Planes of n of the jokers held (or all), big ones first (G8.2)."""
    q1, q2, q3 = NO_PLACES, NO_PLACES, NO_PLACES
    a1, a2, a3 = view.hand_1 & JOKER_PLACES, view.hand_2 & JOKER_PLACES, view.hand_3 & JOKER_PLACES
    for _ in range(min(n_jokers, count(a1, a2, a3))):
        card = highest_bit(a1)
        a1, a2, a3 = remove(a1, a2, a3, card, NO_PLACES, NO_PLACES)
        q1, q2, q3 = add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    return q1, q2, q3


@njit
def _shortest_suit(a1, a2, a3, spare, tried):
    """Group of the untried side suit that is cheapest to void: few cards, and few of them to be kept."""
    shortest, lowest_cost = 0, COST_LIMIT
    for group in range(TRUMP_GROUP):
        n_suit = count_within(a1, a2, a3, GROUPS[group])
        n_kept = n_suit - count_within(a1, a2, a3, GROUPS[group] & spare)
        cost = n_suit + KEPT_COST * n_kept
        if not (tried >> group) & 1 and cost < lowest_cost:
            shortest, lowest_cost = group, cost
    return shortest


@njit(CARDS_SIG)
def bury(view, params, draws):
    """Jokers on demand; then small cards of the side suit that is cheapest to void, then of the next; then any."""
    fives, tens = view.fives, view.tens
    q1, q2, q3 = _jokers_to_bury(view, min(params.jokers, view.rule_max_jokers_per_seat))
    n_left = BURIED_CARDS - count(q1, q2, q3)
    a1, a2, a3 = view.hand_1 & ~JOKER_PLACES, view.hand_2 & ~JOKER_PLACES, view.hand_3 & ~JOKER_PLACES
    top = highest_bit(LANE_PLACES & ~(ONE << np.uint64(view.level - MIN_LEVEL)))
    spare = SIDE & ~(fives | tens | top * LANES)
    tried = 0
    for _ in range(TRUMP_GROUP):
        group = _shortest_suit(a1, a2, a3, spare, tried)
        tried |= 1 << group
        pool = GROUPS[group] & spare
        n_here = min(n_left, count_within(a1, a2, a3, pool))
        b1, b2, b3 = _ducked_cards(a1 & pool, a2 & pool, a3 & pool, n_here, fives, tens)
        a1, a2, a3 = remove(a1, a2, a3, b1, b2, b3)
        q1, q2, q3 = add(q1, q2, q3, b1, b2, b3)
        n_left -= n_here
    b1, b2, b3 = _ducked_cards(a1, a2, a3, n_left, fives, tens)
    return add(q1, q2, q3, b1, b2, b3)


@njit
def _cut_cards(a1, a2, a3, must, cut, n_cards, liked):
    """Planes of n cards of a set: all at `must`, the rest at `cut`, at `liked` places first, the lowest first."""
    q1, q2, q3 = a1 & must, a2 & must, a3 & must
    a1, a2, a3 = a1 & cut, a2 & cut, a3 & cut
    for _ in range(n_cards - count(q1, q2, q3)):
        card = _weakest(a1 & liked if (a1 & liked) != NO_PLACES else a1)
        a1, a2, a3 = remove(a1, a2, a3, card, NO_PLACES, NO_PLACES)
        q1, q2, q3 = add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    return q1, q2, q3


@njit(CARDS_SIG)
def jokers(view, params, draws):
    """Jokers on demand, big ones first; of the cards to pick up those that make pairs with the hand."""
    if view.joker_step == 0:
        return _jokers_to_bury(view, min(params.jokers, view.max_jokers))
    b1, b2, b3 = view.bottom_1, view.bottom_2, view.bottom_3
    return _cut_cards(b1, b2, b3, view.pick_must, view.pick_cut, view.n_picks, view.hand_1)


@njit(CARDS_SIG)
def pay_or_return(view, params, draws):
    """What must go, then the lowest of what may; pairs and triples are kept while single cards are left."""
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    return _cut_cards(h1, h2, h3, view.tribute_must, view.tribute_cut, view.n_tribute, ~h2)


# --- bidding ---------------------------------------------------------------------------------------------------------


@njit(CODE_SIG)
def claim(view, params, draws):
    """Claims with enough jokers, level cards and 2s, which are trumps in any suit."""
    high = JOKER_KINDS | TWO_KINDS | TWO_KINDS << np.uint64(view.level - TWO)
    return 1 if count_within(view.kinds_1, view.kinds_2, view.kinds_3, high) >= params.claim_trumps else 0


@njit
def _suit_length(view, suit):
    """Cards held of a suit that are trumps only if it is the trump suit: neither 2s nor level cards."""
    plain = SUIT_KINDS[suit] & ~(TWO_KINDS | TWO_KINDS << np.uint64(view.level - TWO))
    return count_within(view.kinds_1, view.kinds_2, view.kinds_3, plain)


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
        needed = max(needed, _suit_length(view, view.declared_code % N_SUITS) + params.overcall_cards)
    elif is_closing:
        needed = 0  # any suit of its own is better than one from the bottom
    ways = ALL_CODES if is_closing else LEVEL_CARD_CODES  # jokers are shown only when nothing more is drawn
    best, best_length = 0, needed - 1
    for suit in range(N_SUITS):
        codes = legal & (ways << np.uint64(suit))
        if codes != NO_PLACES:
            length = _suit_length(view, suit)
            if length > best_length:
                best, best_length = bit_index(highest_bit(codes)), length
    return best
