"""
The policy `counting`: a player who remembers every public card. It takes no draws; `policies` has its parameters.

Every play is judged by one sum, in tenths of a card point times 1024ths of chance: the points on the table, won or
lost by the chance that the own side takes the trick (`odds`: cards unseen, voids, located trumps), less the worth of
the cards that leave the hand. A card that nothing unseen beats is sure to win where nobody can ruff; trumps are worth
more than the points they usually win, most of all pairs and one that must win the last trick, so that they stay for the
dig or the hold (G12.1). Where the deal is decided, points count for little, and the last trick alone is left.

Leading adds a liking for triples, pairs and sure winners, and a dislike of suits that an opponent ruffs and of drawing
trumps. The dealer voids side suits, and buries points as well when it is strong in trumps. Jokers are buried by
`JOKERS_TO_BURY`, a fitted table, or on demand. Bidding and tribute are those of `basic`.
"""

import numpy as np

from gunzi_sim.bits import bit_index, highest_bit, lowest_bit
from gunzi_sim.gunzi.handcraft import (
    LAST,
    ONE,
    buried_cards,
    cut_cards,
    ducked_cards,
    fed_cards,
    is_with_partner,
    jokers_asked_for,
    legal_jokers,
    several_in_suit,
)
from gunzi_sim.gunzi.joker_table import BANDS, BY_TABLE, JOKERS_TO_BURY
from gunzi_sim.gunzi.odds import (
    CHANCE_BITS,
    NONE_OF_CARDS,
    SURE,
    chance_beats,
    chance_held,
    located_trumps,
    n_not_void,
    unseen_cards,
)
from gunzi_sim.gunzi.tricks import NO_PLACES, count, count_within, remove
from gunzi_sim.gunzi.view import (
    BEATS,
    BIG_JOKER,
    CARDS_SIG,
    GROUPS,
    JOKER_PLACES,
    LEVEL_CARDS,
    MAIN_SUIT,
    N_HAND,
    N_SUITS,
    SIDE,
    SMALL_JOKER,
    SUIT_PLACES,
    TRUMP_GROUP,
    TRUMPS,
    TWOS,
)
from gunzi_sim.jit import njit

# The numbers below were found by hand, by playing paired deals against `basic`; tenths of a card point unless said.
TENTHS, PERCENT = 10, 100
FEW_ABOVE = 2
"""Unseen cards that may beat a card which is nearly the highest."""
TOP_CARD = 8
"""Side card that nothing unseen of its suit beats."""
NEAR_TOP = 3
"""Side card that at most FEW_ABOVE unseen ones beat."""
HELD_TEN = -2
"""Ten or king of a side suit beside its rank: it may be lost."""
HELD_FIVE = -5
"""Five of a side suit."""
OF_PAIR = 16
"""Card of a pair, of a side suit."""
OF_TRIPLE = 30
"""Card of a triple, of a side suit."""
VOID = 34
"""Being rid of the last card of a side suit, while there are trumps."""
PLAIN_TRUMP = 14
"""Card of the trump suit."""
TRUMP_TEN = -5
"""Ten or king of trumps beside that."""
A_TWO = 20
"""2."""
A_LEVEL_CARD = 70
"""Level card."""
A_SMALL_JOKER = 96
"""Small joker."""
A_BIG_JOKER = 181
"""Big joker."""
OF_TRUMP_PAIR = 99
"""Trump of a pair or triple beside that."""
TOP_TRUMP = -4
"""Trump that nothing unseen beats, beside that."""
LAST_TRUMP = 137
"""The same where it is the only trump: it can win the last trick."""
LATE_TRUMP = 1
"""Plain trump and 2: more for each eight cards played."""
LATE_HIGH_TRUMP = -5
"""Level card and joker: more for each eight cards played."""
TO_COME = 11
"""Points that each seat still to play may add to a single."""
PARTNER_REGAINS = 42
"""Percent of the chance that the partner, playing last, takes back what the next seat won."""
OVERTAKEN = 8
"""Percent of the chance that the next seat beats what the partner would win with."""
THE_LEAD = 5
"""Having the lead after the trick."""
WEIGHT_WON = 5
"""Weight of points in sixteenths when the attackers have won the deal."""
WEIGHT_SAFE = 5
"""The same when they cannot win it by tricks."""
PARTNER_TAKES = 40
"""Percent of the chance that the partner wins a lead that an opponent can beat."""
LED_POINTS = 12
"""Points in a trick for each card led."""
STAYING = 12
"""Leading again."""
PAIR_LEAD = 50
"""Leading a pair."""
TRIPLE_LEAD = 300
"""Leading a triple."""
SURE_SINGLE = 200
"""Leading a side card that nothing unseen of its suit beats, and that no opponent is known to ruff."""
SURE_PAIR = 236
"""The same for a pair."""
SURE_TRIPLE = -1
"""The same for a triple."""
RUFFED = 100
"""Leading a suit that an opponent is known to be out of."""
TRUMP_LENGTH = 6
"""Leading trumps: eighths for each by which thrice the own exceed those out."""
TRUMP_LEAD = -100
"""Leading trumps."""
LOW_TRUMPS = 200
"""Leading a pair or triple of plain trumps or 2s, beside that."""
LED_RANK = 10
"""Leading a single that is not sure: less for each four ranks."""
LED_WORTH = 17
"""Sixteenths of a card's worth that count when it is led."""
TRUMPS_TO_BURY_FIVES = 16
"""Trumps of the dealer's 45 cards from which it buries fives."""
TRUMPS_TO_BURY_TENS = 17
"""The same for tens and kings."""

WORST = -(1 << 60)
"""Less than any sum."""
ALL_POINTS = 300
FIVE, TEN = 50, 100
FULL_WEIGHT, WEIGHT_BITS = 16, 4
"""Weight of points while the deal is open, and its number of bits."""


# --- what cards are worth --------------------------------------------------------------------------------------------


@njit(forceinline=True)
def _points(view, card):
    """Points of a card, tenths."""
    return (FIVE if card & view.fives else 0) + (TEN if card & view.tens else 0)


@njit
def _weight(view):
    """Weight of points in sixteenths: little where the attackers have won the deal, or cannot win it by tricks."""
    needed = view.rule_win_score - view.attacker_points
    if needed <= 0:
        return WEIGHT_WON
    return WEIGHT_SAFE if needed > ALL_POINTS - view.attacker_points - view.dealer_points else FULL_WEIGHT


@njit
def _side_worth(view, n1, n2, n3, card):
    """What a side card is worth while it is held."""
    place = bit_index(card)
    group = place // SUIT_PLACES
    n_above = count_within(n1, n2, n3, BEATS[place] & SIDE)
    worth = TOP_CARD if n_above == 0 else NEAR_TOP if n_above <= FEW_ABOVE else 0
    if card & view.tens:
        worth += HELD_TEN
    elif card & view.fives:
        worth += HELD_FIVE
    if view.hand_3 & card:
        return worth + OF_TRIPLE
    if view.hand_2 & card:
        return worth + OF_PAIR
    if (view.hand_1 & GROUPS[group]) == card and (view.hand_1 & TRUMPS) != NO_PLACES:
        worth -= VOID
    return worth


@njit
def _trump_worth(view, n1, n2, n3, card):
    """What a trump is worth while it is held."""
    n_gone = N_HAND - view.cards_left
    if card & (MAIN_SUIT | TWOS):
        worth = (PLAIN_TRUMP if card & MAIN_SUIT else A_TWO) + LATE_TRUMP * n_gone // 8
        if card & view.tens:
            worth += TRUMP_TEN
    else:
        worth = A_LEVEL_CARD if card & LEVEL_CARDS else A_SMALL_JOKER if card & SMALL_JOKER else A_BIG_JOKER
        worth += LATE_HIGH_TRUMP * n_gone // 8
    if view.hand_2 & card:
        worth += OF_TRUMP_PAIR
    if count_within(n1, n2, n3, BEATS[bit_index(card)]) == 0:
        is_lone = (view.hand_1 & TRUMPS) == card and (view.hand_2 & card) == NO_PLACES
        worth += LAST_TRUMP if is_lone else TOP_TRUMP
    return worth


@njit
def _worth(view, n1, n2, n3, card):
    """What a card is worth while it is held."""
    return _side_worth(view, n1, n2, n3, card) if card & SIDE else _trump_worth(view, n1, n2, n3, card)


@njit
def _worth_of_all(view, n1, n2, n3, q1, q2, q3):
    """What several cards are worth, each as if it went alone."""
    worth = 0
    rest = q1
    while rest != NO_PLACES:
        card = lowest_bit(rest)
        rest ^= card
        worth += _worth(view, n1, n2, n3, card) * (3 if q3 & card else 2 if q2 & card else 1)
    return worth


# --- which cards come into question ----------------------------------------------------------------------------------


@njit(forceinline=True)
def _lowest(pool, pairs):
    """Lowest place of a pool, not one of `pairs` while there is another; none of none."""
    alone = pool & ~pairs
    return lowest_bit(alone if alone != NO_PLACES else pool)


@njit(forceinline=True)
def _choice_of_trumps(view, pool):
    """The trumps of a pool that differ in what matters: point cards, jokers, and the lowest of the other classes."""
    points, pairs = view.fives | view.tens, view.hand_2
    chosen = (pool & MAIN_SUIT & points) | (pool & JOKER_PLACES)
    chosen |= _lowest(pool & MAIN_SUIT & ~points, pairs) | _lowest(pool & TWOS, pairs)
    return chosen | _lowest(pool & LEVEL_CARDS & ~points, pairs) | lowest_bit(pool & LEVEL_CARDS)


@njit
def _choice_when_void(view, pool):
    """The same of a whole hand for a single: trumps that win and that lose, side cards with points, small ones."""
    side = pool & SIDE
    poor, pairs = side & ~(view.fives | view.tens), view.hand_2
    chosen = _choice_of_trumps(view, pool & ~view.beating) | _choice_of_trumps(view, pool & view.beating)
    chosen |= side & ~poor
    return (
        chosen | _lowest(poor & GROUPS[0], pairs) | _lowest(poor & GROUPS[1], pairs) | _lowest(poor & GROUPS[2], pairs)
    )


# --- following -------------------------------------------------------------------------------------------------------


@njit
def _free_and_located(view, n1, n2, n3, n_cards):
    """Planes of the free cards; places of which the next seat, and the partner, are known to hold n trumps alike."""
    l1, l2, l3 = located_trumps(view, n1, n2, n3, (view.seat + 1) & 3)
    p1, p2, p3 = NO_PLACES, NO_PLACES, NO_PLACES
    if view.position < LAST - 1:  # else the partner has played
        p1, p2, p3 = located_trumps(view, n1, n2, n3, (view.seat + 2) & 3)
    f1, f2, f3 = remove(n1, n2, n3, l1, l2, l3)
    f1, f2, f3 = remove(f1, f2, f3, p1, p2, p3)
    if n_cards == 1:
        return f1, f2, f3, l1, p1
    if n_cards == 2:
        return f1, f2, f3, l2, p2
    return f1, f2, f3, l3, p3


@njit(forceinline=True)
def _chance_of_side(view, f1, f2, f3, next_has, partner_has, is_own, beating, n_cards):
    """
    Chance that the own side takes the trick.

    Parameters
    ----------
    view : VIEW record
    f1, f2, f3, next_has, partner_has
        As `_free_and_located` gives them.
    is_own : bool
        Whether the own side is winning, this seat's play included.
    beating : uint64
        Places that beat the best play.
    n_cards : int64
        Cards led.

    Returns
    -------
    int64
        In 1024ths.
    """
    if view.position == LAST:
        return SURE if is_own else 0
    if view.position == LAST - 1 and not is_own:
        return 0
    group, seat = view.led_group, view.seat
    ruff = chance_held(f1, f2, f3, beating & TRUMPS, n_not_void(view, TRUMP_GROUP), n_cards)
    inside, void = 0, 0
    if group != TRUMP_GROUP:
        n_seats = n_not_void(view, group)
        inside = chance_held(f1, f2, f3, beating & view.led, n_seats, n_cards)
        void = NONE_OF_CARDS[n_seats, count_within(f1, f2, f3, view.led)]
    next_ruff = SURE if next_has & beating else ruff
    against = chance_beats(view.voids[(seat + 1) & 3], group, inside, void, next_ruff)
    if view.position == LAST - 1:
        return SURE - against
    partner_ruff = SURE if partner_has & beating else ruff
    partners = chance_beats(view.voids[(seat + 2) & 3], group, inside, void, partner_ruff)
    if is_own:
        return SURE - against + (against * partners >> CHANCE_BITS) * PARTNER_REGAINS // PERCENT
    return partners * (SURE - against * OVERTAKEN // PERCENT) >> CHANCE_BITS


@njit
def _single(view, pool):
    """Card to play on a single, out of two or more."""
    n1, n2, n3 = unseen_cards(view)
    f1, f2, f3, next_has, partner_has = n1, n2, n3, NO_PLACES, NO_PLACES
    if view.position < LAST:
        f1, f2, f3, next_has, partner_has = _free_and_located(view, n1, n2, n3, 1)
    stays = _chance_of_side(view, f1, f2, f3, next_has, partner_has, is_with_partner(view), view.beating, 1)
    at_stake = TENTHS * view.table_points + TO_COME * (LAST - view.position)
    weight = _weight(view)
    best, most = NO_PLACES, WORST
    rest = pool
    while rest != NO_PLACES:
        card = lowest_bit(rest)
        rest ^= card
        chance, gain = stays, 0
        if card & view.beating:
            beating = BEATS[bit_index(card)]
            chance = _chance_of_side(view, f1, f2, f3, next_has, partner_has, True, beating, 1)
            gain = THE_LEAD * chance
        gain += (2 * chance - SURE) * (at_stake + _points(view, card)) * weight >> WEIGHT_BITS
        gain -= SURE * _worth(view, n1, n2, n3, card)
        if gain > most:
            best, most = card, gain
    return best


@njit
def _losing(view, n_cards, gives):
    """Planes of a follow to a pair or triple that does not try to win: points where it `gives`, else small cards."""
    led = view.led
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    s1, s2, s3 = h1 & led, h2 & led, h3 & led
    n_free = n_cards - count(s1, s2, s3)
    if n_free < 0:
        return several_in_suit(view, s1, s2, s3, n_cards, gives)
    o1, o2, o3 = h1 & ~led, h2 & ~led, h3 & ~led
    if gives:
        q1, q2, q3 = fed_cards(o1, o2, o3, n_free, view.fives, view.tens)
    else:
        q1, q2, q3 = ducked_cards(o1, o2, o3, n_free, view.fives, view.tens)
    return s1 | q1, s2 | q2, s3 | q3


@njit
def _winners(view, n_cards):
    """Places of the hand whose cards, two or three alike, win so far and may be played."""
    led = view.led
    n_suit = count_within(view.hand_1, view.hand_2, view.hand_3, led)
    winners = (view.hand_2 if n_cards == 2 else view.hand_3) & view.beating
    if n_suit >= n_cards:
        return winners & led
    return winners if n_suit == 0 else NO_PLACES


@njit
def _several(view, n_cards):
    """Planes of a follow to a pair or triple."""
    n1, n2, n3 = unseen_cards(view)
    f1, f2, f3, next_has, partner_has = n1, n2, n3, NO_PLACES, NO_PLACES
    if view.position < LAST:
        f1, f2, f3, next_has, partner_has = _free_and_located(view, n1, n2, n3, n_cards)
    stays = _chance_of_side(view, f1, f2, f3, next_has, partner_has, is_with_partner(view), view.beating, n_cards)
    at_stake = TENTHS * view.table_points + TO_COME * (LAST - view.position) * n_cards
    weight = _weight(view)
    b1, b2, b3, most = NO_PLACES, NO_PLACES, NO_PLACES, WORST
    for gives in range(2):
        q1, q2, q3 = _losing(view, n_cards, gives == 1)
        hit = (q2 if n_cards == 2 else q3) & view.beating
        chance = stays
        if hit != NO_PLACES:
            beating = BEATS[bit_index(hit)]
            chance = _chance_of_side(view, f1, f2, f3, next_has, partner_has, True, beating, n_cards)
        points = FIVE * count_within(q1, q2, q3, view.fives) + TEN * count_within(q1, q2, q3, view.tens)
        gain = (2 * chance - SURE) * (at_stake + points) * weight >> WEIGHT_BITS
        gain -= SURE * _worth_of_all(view, n1, n2, n3, q1, q2, q3)
        if gain > most:
            b1, b2, b3, most = q1, q2, q3, gain
    winners = _winners(view, n_cards)
    while winners != NO_PLACES:
        card = lowest_bit(winners)
        winners ^= card
        beating = BEATS[bit_index(card)]
        chance = _chance_of_side(view, f1, f2, f3, next_has, partner_has, True, beating, n_cards)
        gain = (2 * chance - SURE) * (at_stake + n_cards * _points(view, card)) * weight >> WEIGHT_BITS
        gain += THE_LEAD * chance - SURE * n_cards * _worth(view, n1, n2, n3, card)
        if gain > most:
            b1, b2, b3, most = card, card, card if n_cards == 3 else NO_PLACES, gain
    return b1, b2, b3


@njit(CARDS_SIG)
def follow(view, params, draws):
    """Forced plays at once; else the play with the largest sum."""
    n_cards = view.n_cards
    if n_cards != 1:
        if view.cards_left == n_cards:
            return view.hand_1, view.hand_2, view.hand_3
        return _several(view, n_cards)
    pool = view.hand_1 & view.led
    if pool == NO_PLACES:
        pool = _choice_when_void(view, view.hand_1)
    if (pool & (pool - ONE)) == NO_PLACES:
        return pool, NO_PLACES, NO_PLACES
    return _single(view, pool), NO_PLACES, NO_PLACES


# --- leading ---------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def _may_ruff(voids, group):
    """Whether a seat is known to be out of a side suit, and not of trumps."""
    return (voids >> group) & 1 and not (voids >> TRUMP_GROUP) & 1


@njit
def _liking(view, n1, n2, n3, group, n_cards, is_ruffed):
    """What speaks for leading n cards alike of a group, whichever they are."""
    liking = PAIR_LEAD if n_cards == 2 else TRIPLE_LEAD if n_cards == 3 else 0
    if group == TRUMP_GROUP:
        n_trumps = count_within(view.hand_1, view.hand_2, view.hand_3, TRUMPS)
        n_out = count_within(n1, n2, n3, TRUMPS)
        return liking + TRUMP_LENGTH * (3 * n_trumps - n_out) // 8 + TRUMP_LEAD
    return liking - (RUFFED if is_ruffed else 0)


@njit(forceinline=True)
def _choice_of_leads(view, pool, group, n_cards):
    """Places of a group to consider: all pairs and triples; singles that differ in what matters."""
    if n_cards != 1:
        return pool
    if group == TRUMP_GROUP:
        return _choice_of_trumps(view, pool)
    poor = pool & ~(view.fives | view.tens)
    alone = poor & ~view.hand_2
    if alone == NO_PLACES:
        return (pool & ~poor) | highest_bit(poor)
    return (pool & ~poor) | highest_bit(alone) | lowest_bit(alone)


@njit(CARDS_SIG)
def lead(view, params, draws):
    """
    The single, pair or triple with the largest sum.

    Long because one loop over all leads shares what is known of the other hands; a part of it would take twenty names.
    """
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    if (h1 & (h1 - ONE)) == NO_PLACES:
        return h1, h2, h3
    seat = view.seat
    v1, v2, v3 = view.voids[(seat + 1) & 3], view.voids[(seat + 2) & 3], view.voids[(seat + 3) & 3]
    n1, n2, n3 = unseen_cards(view)
    a1, a2, a3 = located_trumps(view, n1, n2, n3, (seat + 1) & 3)
    b1, b2, b3 = located_trumps(view, n1, n2, n3, (seat + 2) & 3)
    c1, c2, c3 = located_trumps(view, n1, n2, n3, (seat + 3) & 3)
    f1, f2, f3 = remove(n1, n2, n3, a1, a2, a3)
    f1, f2, f3 = remove(f1, f2, f3, b1, b2, b3)
    f1, f2, f3 = remove(f1, f2, f3, c1, c2, c3)
    n_ruffers = n_not_void(view, TRUMP_GROUP)
    weight = _weight(view)
    best, most, best_n = NO_PLACES, WORST, 1
    for n_cards in range(1, 4):
        held = h1 if n_cards == 1 else h2 if n_cards == 2 else h3
        if held == NO_PLACES:
            break
        any_ruff = chance_held(f1, f2, f3, TRUMPS, n_ruffers, n_cards)
        next_has = a1 if n_cards == 1 else a2 if n_cards == 2 else a3
        partner_has = b1 if n_cards == 1 else b2 if n_cards == 2 else b3
        previous_has = c1 if n_cards == 1 else c2 if n_cards == 2 else c3
        for group in range(N_SUITS):
            rest = held & GROUPS[group]
            if rest == NO_PLACES:
                continue
            rest = _choice_of_leads(view, rest, group, n_cards)
            is_side = group != TRUMP_GROUP
            is_ruffed = is_side and (_may_ruff(v1, group) or _may_ruff(v3, group))
            liking = _liking(view, n1, n2, n3, group, n_cards, is_ruffed)
            n_seats = n_not_void(view, group)
            void = NONE_OF_CARDS[n_seats, count_within(f1, f2, f3, GROUPS[group])] if is_side else 0
            while rest != NO_PLACES:
                card = lowest_bit(rest)
                rest ^= card
                beating = BEATS[bit_index(card)]
                inside, ruff = 0, any_ruff
                if is_side:
                    inside = chance_held(f1, f2, f3, beating & SIDE, n_seats, n_cards)
                else:
                    ruff = chance_held(f1, f2, f3, beating, n_ruffers, n_cards)
                nexts = chance_beats(v1, group, inside, void, SURE if next_has & beating else ruff)
                partners = chance_beats(v2, group, inside, void, SURE if partner_has & beating else ruff)
                others = chance_beats(v3, group, inside, void, SURE if previous_has & beating else ruff)
                unbeaten = (SURE - nexts) * (SURE - others) >> CHANCE_BITS
                chance = unbeaten + ((SURE - unbeaten) * partners >> CHANCE_BITS) * PARTNER_TAKES // PERCENT
                gain = (2 * chance - SURE) * n_cards * (_points(view, card) + LED_POINTS) * weight >> WEIGHT_BITS
                gain += (unbeaten * (SURE - partners) >> CHANCE_BITS) * STAYING
                if is_side and inside == 0 and not is_ruffed:
                    gain += SURE * (SURE_SINGLE if n_cards == 1 else SURE_PAIR if n_cards == 2 else SURE_TRIPLE)
                elif n_cards > 1:
                    gain += SURE * LOW_TRUMPS if card & (MAIN_SUIT | TWOS) else 0
                else:
                    gain -= SURE * (LED_RANK * (bit_index(card) % SUIT_PLACES) // 4)
                worth = _side_worth(view, n1, n2, n3, card) if is_side else _trump_worth(view, n1, n2, n3, card)
                gain += SURE * (liking - n_cards * worth * LED_WORTH // 16)
                if gain > most:
                    best, most, best_n = card, gain, n_cards
    return best, best if best_n > 1 else NO_PLACES, best if best_n > 2 else NO_PLACES


# --- bottom ----------------------------------------------------------------------------------------------------------


@njit
def _jokers_by_table(view):
    """Jokers to bury by the fitted table, big ones first: by role, number of trumps and jokers held."""
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    n_trumps = count_within(h1, h2, h3, TRUMPS)
    role = (view.seat - view.dealer) & 3
    band = 0
    for i in range(len(BANDS)):
        band += 1 if n_trumps >= BANDS[i] else 0
    n_big, n_small = count_within(h1, h2, h3, BIG_JOKER), count_within(h1, h2, h3, SMALL_JOKER)
    return np.int64(JOKERS_TO_BURY[role, band, n_big, n_small])


@njit
def _jokers(view, params, limit):
    """Planes of the jokers to bury: by the table or on demand, as far as the rules let them go."""
    wanted = _jokers_by_table(view) if params.jokers == BY_TABLE else params.jokers
    n_big, n_small = jokers_asked_for(view, params, wanted)
    return legal_jokers(view, n_big, n_small, limit)


@njit(CARDS_SIG)
def jokers(view, params, draws):
    """Jokers by the table or on demand; of the cards to pick up those that make pairs with the hand."""
    if view.joker_step == 0:
        return _jokers(view, params, view.max_jokers)
    b1, b2, b3 = view.bottom_1, view.bottom_2, view.bottom_3
    return cut_cards(b1, b2, b3, view.pick_must, view.pick_cut, view.n_picks, view.hand_1)


@njit(CARDS_SIG)
def bury(view, params, draws):
    """Jokers; then the cards of the side suit that is cheapest to void, with its points when strong in trumps."""
    n_trumps = count_within(view.hand_1, view.hand_2, view.hand_3, TRUMPS)
    q1, q2, q3 = _jokers(view, params, view.rule_max_jokers_per_seat)
    kept_points = view.fives if n_trumps < TRUMPS_TO_BURY_FIVES else NO_PLACES
    kept_points |= view.tens if n_trumps < TRUMPS_TO_BURY_TENS else NO_PLACES
    return buried_cards(view, q1, q2, q3, kept_points)
