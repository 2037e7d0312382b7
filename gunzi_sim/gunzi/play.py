"""
The engine of 打滚子: tricks, hands and rounds, from a range of keys to rows of the table.

`play_range` is the one entry, compiled for one pinned signature: policies come as tuples of function pointers, so a new
policy or mix compiles nothing here. It plays whole units (rounds, or single hands) and stops before the first that does
not fit into the rows it was given. No allocation inside a hand. Left out: bidding (`bidding`), tribute and the bottom
(`bottom`), results (`score`); the host's side is `engine`.
"""

import numpy as np
from numba import from_dtype, int64, types, uint8, uint64

from gunzi_sim.bits import bit_index, popcount
from gunzi_sim.cards import NOBODY
from gunzi_sim.deal import deal_kinds
from gunzi_sim.gunzi.bidding import BIG_KIND, N_BOTTOM, SMALL_KIND, bid_first_hand, bid_later_hand, fold_draws
from gunzi_sim.gunzi.bottom import (
    BOTTOM,
    ask_bury,
    ask_jokers,
    count_bottom,
    expose_bottom,
    pay_tribute,
    show_hand,
)
from gunzi_sim.gunzi.rules import Follow
from gunzi_sim.gunzi.score import BLOCKS_AHEAD, END_CUT, END_NONE, STATE_TYPE, TRICKS_AHEAD, VOID_DEAL, score_hand
from gunzi_sim.gunzi.trace import T_PLAY, fold, hash_deck, head, trace_places, z_sum
from gunzi_sim.gunzi.tricks import add, lead_fault, remove, several_fault, single_fault
from gunzi_sim.gunzi.view import (
    BEATS,
    CARDS_SIG,
    CLOSING_DRAW,
    CODE_SIG,
    DRAWS_TYPE,
    FIRST_PURPOSE,
    FIVES,
    FOLLOW,
    GROUPS,
    LEAD,
    MIN_LEVEL,
    OK,
    PARAMS_TYPE,
    PLACE_OF,
    ROW,
    SMALL_PLACE,
    SUIT_PLACES,
    TENS,
    TRACE_Z_AT,
    TRUMP_GROUP,
    VIEW_DYNAMIC,
    VIEW_TYPE,
    VIEW_WORDS,
)
from gunzi_sim.jit import njit
from gunzi_sim.rng import below, fill_blocks, start_draws

NONE = np.uint64(0)
ONE = np.uint64(1)
N_SEATS = 4
N_DECK = 162
N_CARDS = 39
"""Cards of a seat."""
BYTE = 8
HAND_BITS = np.uint64(16)
STRICT = int(Follow.STRICT)
FIRST_SEAT_STREAM = 1 << 24
WORDS_A_BLOCK = 4
MAX_HANDS = 32_767
"""Hands after which a round is cut."""
ROUNDS, HANDS = 0, 1
"""Modes: a unit is a round, its key round_id << 16 | hand; or a single hand, its key its number."""
SUIT_MASK = np.uint64((1 << SUIT_PLACES) - 1)
PLAN_MODE, PLAN_START, PLAN_STOP, PLAN_LAST_HAND, PLAN_UNITS, PLAN_ROWS = range(6)
SITUATION_FIRST_HAND, SITUATION_LEVELS, _, SITUATION_DEALER, SITUATION_OWED = range(5)


# --- tricks ----------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def bytes_of_places(plane):
    """Places of one plane's cards, plus one, a byte a card, lowest first."""
    code = 0
    shift = 0
    while plane != NONE:
        code |= (bit_index(plane) + 1) << shift
        shift += BYTE
        plane &= plane - ONE
    return code, shift


@njit
def history_code(q1, q2, q3):
    """A play of up to three cards as `view.history` holds it: place + 1 of each card, one byte a card."""
    low, shift = bytes_of_places(q1)
    middle, more = bytes_of_places(q2)
    high, _ = bytes_of_places(q3)
    return low | middle << shift | high << (shift + more)


@njit
def fill_draws(state, first_trick):
    """Compute the first block of words of each seat's next follows in one go, as vector code. Written in place."""
    for i in range(BLOCKS_AHEAD):
        trick = first_trick + i // N_SEATS
        state.streams[i] = np.uint64((FIRST_PURPOSE + FOLLOW) << 24 | (i % N_SEATS) << 16 | trick)
    fill_blocks(state.seed, state.key, state.streams, state.ahead_lo, state.ahead_hi)


@njit
def play_tricks(state, views, draws, params, leads, follows):
    """
    Play the 39 cards of each seat (G10, G11): who takes which points, and who wins the last trick.

    Parameters
    ----------
    state : STATE record
        Written in place: `hands`, `trick_points`, `dealer_points`, `tricks`, `dig`, `hash`.
    views, draws, params : records[4]
        By seat; views and draws are written in place.
    leads, follows : tuples of 4 functions
        The decisions of each seat.

    Returns
    -------
    bool
        False where `state.status` names a broken rule.
    """
    fives, tens = state.fives, state.tens
    constants = TRACE_Z_AT[state.z_level, state.trump]
    strict = state.rules.follow == STRICT
    attackers = 1 - (state.dealer & 1)
    hands = state.hands
    seed, key = state.seed, state.key
    hash_so_far = state.hash
    leader = state.dealer
    cards_left = N_CARDS
    trick = 0
    won_attackers = 0
    won_dealers = 0
    p1, p2, p3 = NONE, NONE, NONE  # all cards of earlier tricks
    tracing = state.tracing
    draw_ahead = state.draw_ahead
    while cards_left > 0:
        if draw_ahead and trick % TRICKS_AHEAD == 0:
            fill_draws(state, trick)
        t1, t2, t3 = NONE, NONE, NONE  # cards of this trick
        n_cards = 0
        led = NONE
        led_group = 0
        best_seat = NOBODY
        beating = NONE
        points = 0
        for position in range(N_SEATS):
            seat = (leader + position) & 3
            h1, h2, h3 = hands[seat, 0], hands[seat, 1], hands[seat, 2]
            view = views[seat]
            view.hand_1 = h1
            view.hand_2 = h2
            view.hand_3 = h3
            view.cards_left = cards_left
            view.trick = trick
            view.leader = leader
            view.position = position
            view.n_cards = n_cards
            view.led = led
            view.led_group = led_group
            view.best_seat = best_seat
            view.beating = beating
            view.table_points = points
            view.attacker_points = won_attackers
            view.dealer_points = won_dealers
            view.played_1 = p1
            view.played_2 = p2
            view.played_3 = p3
            decision = FOLLOW if position else LEAD
            stream = (FIRST_PURPOSE + decision) << 24 | seat << 16 | trick
            start_draws(draws[seat], seed, key, np.uint64(stream))
            if draw_ahead and position:
                ahead = trick % TRICKS_AHEAD * N_SEATS + seat
                draws[seat].lo = state.ahead_lo[ahead]
                draws[seat].hi = state.ahead_hi[ahead]
                draws[seat].left = WORDS_A_BLOCK
                draws[seat].block = ONE
            if tracing:
                state.asked_seat = seat
                state.asked_decision = decision
            if position == 0:
                q1, q2, q3 = leads[seat](view, params[seat], draws[seat])
            else:
                q1, q2, q3 = follows[seat](view, params[seat], draws[seat])
            if tracing:
                trace_places(state, T_PLAY, seat, 0, q1, q2, q3)
            if position == 0:
                fault = lead_fault(h1, h2, h3, q1, q2, q3)
                n_cards = 3 if q3 != NONE else 2 if q2 != NONE else 1
            elif n_cards == 1:
                fault = single_fault(h1, q1, q2 | q3, led)
            else:
                fault = several_fault(h1, h2, h3, q1, q2, q3, led, n_cards, strict)
            if fault != OK:
                state.status = fault
                return False
            word = head(T_PLAY, seat, 0)
            if n_cards == 1:
                place = bit_index(q1)
                word += constants[place]
                code = place + 1
                hits = q1
                points += (5 if q1 & fives else 0) + (10 if q1 & tens else 0)
                hands[seat, 0], hands[seat, 1], hands[seat, 2] = remove(h1, h2, h3, q1, NONE, NONE)
                t1, t2, t3 = add(t1, t2, t3, q1, NONE, NONE)
            else:
                word += z_sum(q1, constants) + z_sum(q2, constants) + z_sum(q3, constants)
                code = history_code(q1, q2, q3)
                hits = q2 if n_cards == 2 else q3
                points += points_of(q1, fives, tens) + points_of(q2, fives, tens) + points_of(q3, fives, tens)
                hands[seat, 0], hands[seat, 1], hands[seat, 2] = remove(h1, h2, h3, q1, q2, q3)
                t1, t2, t3 = add(t1, t2, t3, q1, q2, q3)
            hash_so_far = fold(hash_so_far, word)
            for other in range(N_SEATS):
                views[other].history[trick, seat] = code
            if position == 0:
                place = bit_index(q1)
                led_group = min(place // SUIT_PLACES, TRUMP_GROUP)
                led = GROUPS[led_group]
                best_seat = seat
                beating = BEATS[place]
            else:
                if hits & beating:  # pattern, suit and rank in one AND; an equal play comes too late (G11.1)
                    best_seat = seat
                    beating = BEATS[bit_index(hits & beating)]
                if q1 & ~led:
                    for other in range(N_SEATS):
                        views[other].voids[seat] |= 1 << led_group
        p1, p2, p3 = add(p1, p2, p3, t1, t2, t3)
        for other in range(N_SEATS):
            views[other].winners[trick] = best_seat
        if best_seat & 1 == attackers:
            won_attackers += points
        else:
            won_dealers += points
        leader = best_seat
        cards_left -= n_cards
        trick += 1
    state.hash = hash_so_far
    state.trick_points = won_attackers
    state.dealer_points = won_dealers
    state.tricks = trick
    state.dig = 1 if leader & 1 == attackers else 0
    return True


@njit(forceinline=True)
def points_of(plane, fives, tens):
    """Card points of one plane."""
    return 5 * popcount(plane & fives) + 10 * popcount(plane & tens)


# --- one hand --------------------------------------------------------------------------------------------------------


@njit
def reset_hand(state, views, view_words):
    """Clear the state and the views for a deal (or a deal anew) of the hand that `state` names. Written in place."""
    state.trump = NOBODY
    state.declared_by = NOBODY
    state.declared_as = 0
    state.declared_code = 0
    state.n_declarations = 0
    state.exposed = 0
    state.payer = NOBODY
    state.receiver = NOBODY
    state.tribute_moved = 0
    state.tribute_short = 0
    state.tribute_reversed = 0
    state.tribute_cancelled = 0
    state.dry_pot = 0
    state.status = OK
    state.n_trace = 0
    if state.first_hand:
        state.dealer = NOBODY
        state.level = state.rules.start_level
    else:
        state.level = state.levels[state.dealer & 1]
    state.z_level = state.level - MIN_LEVEL
    state.fives = FIVES[state.z_level]
    state.tens = TENS[state.z_level]
    for seat in range(N_SEATS):
        state.next_draw[seat] = (seat - state.first_seat) & 3
        for plane in range(3):
            state.kinds[seat, plane] = NONE
            state.speaking[seat, plane] = NONE
        state.legal[seat] = NONE
        state.big_buried[seat] = 0
        state.small_buried[seat] = 0
        for word in range(VIEW_DYNAMIC, VIEW_WORDS):
            view_words[seat, word] = NONE
        view = views[seat]
        view.seat = seat
        view.level_0 = state.levels[0]
        view.level_1 = state.levels[1]
        view.level = state.level
        view.first_hand = state.first_hand
        view.first_seat = state.first_seat
        view.dealer = state.dealer
        view.trump = NOBODY
        view.owed = state.owed
        view.fives = state.fives
        view.tens = state.tens
        view.declared_by = NOBODY
        view.payer = NOBODY
        view.receiver = NOBODY
        view.best_seat = NOBODY


@njit
def sort_hands(state, views):
    """Bring the dealt hands and the bottom from kinds to places, now that trump is known. Written in place."""
    for seat in range(N_SEATS):
        fold_draws(state, seat, CLOSING_DRAW - 1)
        k1, k2, k3 = state.kinds[seat, 0], state.kinds[seat, 1], state.kinds[seat, 2]
        state.hands[seat, 0] = places_of(k1, state.level, state.trump)
        state.hands[seat, 1] = places_of(k2, state.level, state.trump)
        state.hands[seat, 2] = places_of(k3, state.level, state.trump)
        state.big_dealt[seat] = n_copies(k1, k2, k3, BIG_KIND)
        state.small_dealt[seat] = n_copies(k1, k2, k3, SMALL_KIND)
        views[seat].dealer = state.dealer
        views[seat].trump = state.trump
        show_hand(state, views, seat)
    b1, b2, b3 = NONE, NONE, NONE
    for i in range(CLOSING_DRAW, CLOSING_DRAW + N_BOTTOM):
        place = PLACE_OF[state.z_level, state.trump, state.decks[0, i]]
        b1, b2, b3 = add(b1, b2, b3, ONE << np.uint64(place), NONE, NONE)
    state.hands[BOTTOM, 0] = b1
    state.hands[BOTTOM, 1] = b2
    state.hands[BOTTOM, 2] = b3


@njit(forceinline=True)
def n_copies(k1, k2, k3, kind):
    """Copies of one kind in a hand by kind."""
    bit = np.uint64(kind)
    return np.int64((k1 >> bit & ONE) + (k2 >> bit & ONE) + (k3 >> bit & ONE))


@njit
def places_of(plane, level, trump):
    """A plane of kinds as a plane of places."""
    places = (plane >> np.uint64(SMALL_KIND)) << np.uint64(SMALL_PLACE)
    side = 0
    level_shift = np.uint64(level - MIN_LEVEL)
    for suit in range(4):
        cards = plane >> np.uint64(13 * suit)
        two = cards & ONE
        ranks = cards >> ONE & SUIT_MASK
        level_card = ranks >> level_shift & ONE
        ranks &= ~(ONE << level_shift)
        group = TRUMP_GROUP if suit == trump else side
        side += 1 if suit != trump else 0
        places |= ranks << np.uint64(SUIT_PLACES * group)
        places |= two << np.uint64(48 + group)
        places |= level_card << np.uint64(52 + group)
    return places


@njit
def play_hand(state, views, view_words, draws, params, given, claims, declares, pays, returns, buries, jokers, leads,
              follows):  # fmt: skip
    """
    One hand from the deal to its result (G3 to G14); `state` names the hand and gets everything about it.

    Returns False where `state.status` is a policy's fault or VOID_DEAL. Without `given` the deck is dealt, and dealt
    again while it is void; with it, `state.decks` holds the cards already.
    """
    state.attempt = 0
    while True:
        if not given:
            deal_kinds(state.seed, state.key, state.attempt, state.decks[0][:N_DECK], state.scratch)
        if state.first_hand:
            start_draws(draws[0], state.seed, state.key, np.uint64(FIRST_SEAT_STREAM | state.attempt))
            state.first_seat = below(draws[0], N_SEATS)
        else:
            state.first_seat = state.dealer
        reset_hand(state, views, view_words)
        hash_deck(state)
        if state.first_hand:
            has_suit = bid_first_hand(state, views, draws, params, claims)
        else:
            has_suit = bid_later_hand(state, views, draws, params, declares)
        if has_suit:
            break
        if state.status != VOID_DEAL or given:
            return False
        state.attempt += 1
    sort_hands(state, views)
    if not pay_tribute(state, views, draws, params, pays, returns):
        return False
    expose_bottom(state, views)
    if not state.dry_pot:
        if not ask_bury(state, views, draws, params, buries):
            return False
        if state.rules.others_bury_jokers and not ask_jokers(state, views, draws, params, jokers):
            return False
    count_bottom(state)
    if not play_tricks(state, views, draws, params, leads, follows):
        return False
    score_hand(state)
    return True


# --- ranges of rounds or hands ---------------------------------------------------------------------------------------


@njit
def cut_round(state):
    """End a round that reached the greatest number of hands. Written in place."""
    state.round_end = END_CUT
    state.next_dealer = NOBODY
    state.owed_next = 0


@njit
def start_unit(state, situation):
    """Put `state` before the first hand of a unit: a round's start, or the stated situation. Written in place."""
    state.hand = 0
    state.first_hand = situation[SITUATION_FIRST_HAND]
    state.levels[0] = situation[SITUATION_LEVELS]
    state.levels[1] = situation[SITUATION_LEVELS + 1]
    state.dealer = situation[SITUATION_DEALER]
    state.owed = situation[SITUATION_OWED]


@njit
def go_on(state):
    """Put `state` before the next hand of its round (G12.4, G13). Written in place."""
    state.hand += 1
    state.first_hand = 0
    state.levels[0] += state.raises[0]
    state.levels[1] += state.raises[1]
    state.dealer = state.next_dealer
    state.owed = state.owed_next


@njit
def write_row(state, round_id, out_row):
    """One hand's columns from its state. Written in place."""
    out_row.round_id = round_id
    out_row.hand = state.hand
    out_row.first_hand = state.first_hand
    out_row.level_0 = state.levels[0]
    out_row.level_1 = state.levels[1]
    out_row.level = state.level
    out_row.dealer = state.dealer
    out_row.trump = state.trump
    out_row.declared_by = state.declared_by
    out_row.declared_as = state.declared_as
    out_row.owed = state.owed
    out_row.tribute_moved = state.tribute_moved
    out_row.tribute_short = state.tribute_short
    out_row.tribute_reversed = state.tribute_reversed
    out_row.exposed = state.exposed
    out_row.dry_pot = state.dry_pot
    out_row.big_dealt_0 = state.big_dealt[0]
    out_row.big_dealt_1 = state.big_dealt[1]
    out_row.big_dealt_2 = state.big_dealt[2]
    out_row.big_dealt_3 = state.big_dealt[3]
    out_row.small_dealt_0 = state.small_dealt[0]
    out_row.small_dealt_1 = state.small_dealt[1]
    out_row.small_dealt_2 = state.small_dealt[2]
    out_row.small_dealt_3 = state.small_dealt[3]
    out_row.trumps_0 = state.trumps[0]
    out_row.trumps_1 = state.trumps[1]
    out_row.trumps_2 = state.trumps[2]
    out_row.trumps_3 = state.trumps[3]
    out_row.big_buried_0 = state.big_buried[0]
    out_row.big_buried_1 = state.big_buried[1]
    out_row.big_buried_2 = state.big_buried[2]
    out_row.big_buried_3 = state.big_buried[3]
    out_row.small_buried_0 = state.small_buried[0]
    out_row.small_buried_1 = state.small_buried[1]
    out_row.small_buried_2 = state.small_buried[2]
    out_row.small_buried_3 = state.small_buried[3]
    out_row.bottom_big = state.bottom_big
    out_row.bottom_small = state.bottom_small
    out_row.bottom_points = state.bottom_points
    out_row.attacker_points = state.attacker_points
    out_row.dig = state.dig
    out_row.takes_deal = state.takes_deal
    out_row.raise_0 = state.raises[0]
    out_row.raise_1 = state.raises[1]
    out_row.next_dealer = state.next_dealer
    out_row.owed_next = state.owed_next
    out_row.round_end = state.round_end
    out_row.round_winner = state.round_winner
    out_row.settlement_0 = state.settlement[0]
    out_row.settlement_1 = state.settlement[1]
    out_row.settlement_2 = state.settlement[2]
    out_row.settlement_3 = state.settlement[3]
    out_row.tricks = state.tricks
    out_row.trace_hash = np.int64(state.hash)


POLICIES_OF_CODES = types.UniTuple(types.FunctionType(CODE_SIG), 4)
POLICIES_OF_CARDS = types.UniTuple(types.FunctionType(CARDS_SIG), 4)
RANGE_SIG = int64(
    types.Array(STATE_TYPE, 1, "C"),  # state[1]
    types.Array(VIEW_TYPE, 1, "C"),  # views[4]
    uint64[:, ::1],  # view_words[4, VIEW_WORDS], the same memory
    types.Array(DRAWS_TYPE, 1, "C"),  # draws[4]
    types.Array(PARAMS_TYPE, 1, "C"),  # params[4]
    int64[::1],  # plan
    int64[::1],  # situation
    uint8[:, ::1],  # deals[n, 162]
    POLICIES_OF_CODES,  # claims
    POLICIES_OF_CODES,  # declares
    POLICIES_OF_CARDS,  # pays
    POLICIES_OF_CARDS,  # returns
    POLICIES_OF_CARDS,  # buries
    POLICIES_OF_CARDS,  # jokers
    POLICIES_OF_CARDS,  # leads
    POLICIES_OF_CARDS,  # follows
    types.Array(from_dtype(ROW), 1, "C"),  # out_rows
)


@njit(RANGE_SIG, nogil=True)
def play_range(state, views, view_words, draws, params, plan, situation, deals, claims, declares, pays, returns, buries,
               jokers, leads, follows, out_rows):  # fmt: skip
    """
    Play units `plan[PLAN_START]` to `plan[PLAN_STOP]` - 1 into `out_rows`, whole units only.

    Parameters
    ----------
    state : STATE[1]
        Needs `rules`, `seed`, `tracing` and `draw_ahead`; it is left as the last hand played left it, with `status` and
        `key` where a policy failed. Written in place.
    views, draws : VIEW[4], DRAWS[4]
        By seat; the views need the rules. Written in place.
    view_words : uint64[4, VIEW_WORDS]
        The memory of the views.
    params : PARAMS[4]
        By seat.
    plan : int64[6]
        PLAN_MODE (ROUNDS or HANDS), PLAN_START, PLAN_STOP, PLAN_LAST_HAND (a round is left after this hand);
        PLAN_UNITS and PLAN_ROWS are written: units played and rows filled.
    situation : int64[5]
        Where each unit starts: first_hand, levels of side 0 and 1, dealer, tribute owed.
    deals : uint8[n, 162]
        Kinds of given decks, one for each unit from the start on; n = 0: the decks are dealt.
    claims, declares, pays, returns, buries, jokers, leads, follows : tuples of 4 functions
        The decisions of each seat.
    out_rows : ROW[n]
        Written in place.

    Returns
    -------
    int64
        0, or `state.status`.
    """
    table = state[0]
    in_rounds = plan[PLAN_MODE] == ROUNDS
    given = len(deals) > 0
    table.status = OK
    n_units = 0
    n_kept = 0  # rows of whole units
    n_rows = 0
    for unit in range(plan[PLAN_START], plan[PLAN_STOP]):
        start_unit(table, situation)
        if given:
            for i in range(N_DECK):
                table.decks[0, i] = deals[n_units, i]
        while n_rows < len(out_rows):
            table.key = np.uint64(unit) << HAND_BITS | np.uint64(table.hand) if in_rounds else np.uint64(unit)
            if not play_hand(table, views, view_words, draws, params, given, claims, declares, pays, returns, buries,
                             jokers, leads, follows):  # fmt: skip
                break
            if in_rounds and table.hand == MAX_HANDS - 1 and table.round_end == END_NONE:
                cut_round(table)
            write_row(table, unit, out_rows[n_rows])
            n_rows += 1
            if not in_rounds or table.round_end != END_NONE or table.hand == plan[PLAN_LAST_HAND]:
                n_units += 1
                n_kept = n_rows
                break
            go_on(table)
        if n_kept < n_rows or table.status != OK or n_units <= unit - plan[PLAN_START]:
            break
    plan[PLAN_UNITS] = n_units
    plan[PLAN_ROWS] = n_kept
    return table.status
