"""
The engine of 打滚子: tricks, hands and rounds, from a range of keys to rows of the table.

`play_range` is the one entry, compiled for one pinned signature: policies come as addresses in the state, so a new
policy or mix compiles nothing here. It plays whole units (rounds, or single hands) and stops before the first that does
not fit into the rows it was given. No allocation inside a hand. Left out: bidding (`bidding`), tribute and the bottom
(`bottom`), results (`score`); the host's side is `engine`.

Functions marked `inline="always"` are called in one place and inlined before they are compiled, which shortens the
compilation.
"""

import numpy as np
from numba import from_dtype, int64, types, uint8

from gunzi_sim.bits import bit_index
from gunzi_sim.cards import NOBODY
from gunzi_sim.deal import deal_kinds
from gunzi_sim.gunzi.bidding import BIG_KIND, RANKS_A_SUIT, SMALL_KIND, bid_first_hand, bid_later_hand, fold_draws
from gunzi_sim.gunzi.bottom import ask_bury, ask_jokers, count_bottom, expose_bottom, pay_tribute, show_hand
from gunzi_sim.gunzi.questions import ask_cards, begin_question
from gunzi_sim.gunzi.rules import Follow
from gunzi_sim.gunzi.score import END_CUT, END_NONE, score_hand
from gunzi_sim.gunzi.state import BLOCKS_AHEAD, STATE_TYPE, TRICKS_AHEAD, VOID_DEAL
from gunzi_sim.gunzi.trace import T_PLAY, fold, hash_deck, head, trace_places, z_sum
from gunzi_sim.gunzi.tricks import add, card_points, lead_fault, remove, several_fault, single_fault
from gunzi_sim.gunzi.view import (
    BAD_LEAD,
    BEATS,
    BOTTOM,
    BURY,
    CLOSING_DRAW,
    FIRST_PURPOSE,
    FIVES,
    FOLLOW,
    GROUPS,
    LEAD,
    LEVEL_PLACE,
    MIN_LEVEL,
    N_BOTTOM,
    N_HAND,
    N_SEATS,
    N_SUITS,
    OK,
    PLACE_OF,
    ROW,
    SMALL_PLACE,
    SUIT_PLACES,
    TENS,
    TRACE_Z_AT,
    TRUMP_GROUP,
    TWO_PLACE,
    VIEW_CLEARED,
)
from gunzi_sim.jit import njit
from gunzi_sim.rng import below, fill_blocks, give_block, start_draws

NONE = np.uint64(0)
ONE = np.uint64(1)
N_DECK = 162
BYTE = 8
HAND_BITS = np.uint64(16)
STRICT = int(Follow.STRICT)
FIRST_SEAT_STREAM = 1 << 24
MAX_HANDS = 32_767
"""Hands after which a round is cut."""
ROUNDS, HANDS = 0, 1
"""Modes: a unit is a round, its key round_id << 16 | hand; or a single hand, its key its number."""
GROUP_MASK = np.uint64(0xF)
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


@njit(inline="always")
def fill_draws(state, first_trick):
    """Compute the first block of words of each seat's next follows in one go, as vector code. Written in place."""
    for i in range(BLOCKS_AHEAD):
        trick = first_trick + i // N_SEATS
        state.streams[i] = np.uint64((FIRST_PURPOSE + FOLLOW) << 24 | (i % N_SEATS) << 16 | trick)
    fill_blocks(state.seed, state.key, state.streams, state.ahead_lo, state.ahead_hi)


@njit(inline="always")
def use_draws_ahead(state, seat, trick):
    """Give the draws of a follow that has begun their first block, from `fill_draws`. Written in place."""
    ahead = trick % TRICKS_AHEAD * N_SEATS + seat
    give_block(state.draws[seat], state.ahead_lo[ahead], state.ahead_hi[ahead])


@njit(inline="always")
def show_table(state, leader, trick, cards_left, won_attackers, won_dealers, p1, p2, p3):
    """Show every seat what has been played and won, and the leader the empty table. Written in place."""
    for seat in range(N_SEATS):
        view = state.views[seat]
        view.cards_left = cards_left
        view.trick = trick
        view.leader = leader
        view.attacker_points = won_attackers
        view.dealer_points = won_dealers
        view.played_1 = p1
        view.played_2 = p2
        view.played_3 = p3
    view = state.views[leader]
    view.position = 0
    view.n_cards = 0
    view.led = NONE
    view.led_group = 0
    view.best_seat = NOBODY
    view.beating = NONE
    view.table_points = 0


@njit(inline="always")
def show_play(state, seat, trick, code):
    """Write a play into the history of every view."""
    for other in range(N_SEATS):
        state.views[other].history[trick, seat] = code


@njit
def play_tricks(state):
    """
    Play the cards that the seats hold (G10, G11): who takes which points, and who wins the last trick.

    It begins where `state.start_…` says, within a trick too; draws are not computed ahead then. One body, so that
    points, hash and cards gone stay in registers from play to play.

    Parameters
    ----------
    state : STATE record
        Written in place: `hands`, `trick_points`, `dealer_points`, `tricks`, `dig`, `hash`, and the views.

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
    hash_so_far = state.hash
    leader = state.start_leader
    cards_left = state.start_cards
    trick = state.start_trick
    won_attackers = state.start_points[0]
    won_dealers = state.start_points[1]
    p1, p2, p3 = state.start_played[0], state.start_played[1], state.start_played[2]  # all cards played
    voids = state.start_voids  # bit 4 * seat + group: the seat has shown to be out of the group
    tracing = state.tracing
    draw_ahead = state.draw_ahead
    next_position = state.start_position
    n_cards = state.start_n_cards
    led_group = state.start_led_group
    best_seat = state.start_best_seat
    beating = state.start_beating
    points = state.start_table_points
    while cards_left > 0:
        if next_position == 0:
            if draw_ahead and trick % TRICKS_AHEAD == 0:
                fill_draws(state, trick)
            show_table(state, leader, trick, cards_left, won_attackers, won_dealers, p1, p2, p3)
            h1, h2, h3 = hands[leader, 0], hands[leader, 1], hands[leader, 2]
            show_hand(state, leader)
            begin_question(state, leader, LEAD, trick)
            q1, q2, q3 = ask_cards(state, leader, LEAD)
            if tracing:
                trace_places(state, T_PLAY, leader, 0, q1, q2, q3)
            if lead_fault(h1, h2, h3, q1, q2, q3) != OK:
                state.status = BAD_LEAD
                return False
            hands[leader, 0], hands[leader, 1], hands[leader, 2] = remove(h1, h2, h3, q1, q2, q3)
            p1, p2, p3 = add(p1, p2, p3, q1, q2, q3)
            n_cards = 3 if q3 != NONE else 2 if q2 != NONE else 1
            place = bit_index(q1)
            hash_so_far = fold(hash_so_far, head(T_PLAY, leader, 0) + np.uint64(n_cards) * constants[place])
            show_play(state, leader, trick, (place + 1) * (1 if n_cards == 1 else 0x101 if n_cards == 2 else 0x10101))
            points = n_cards * card_value(q1, fives, tens)
            led_group = min(place // SUIT_PLACES, TRUMP_GROUP)
            best_seat = leader
            beating = BEATS[place]
            next_position = 1
        led = GROUPS[led_group]
        for position in range(next_position, N_SEATS):
            seat = (leader + position) & 3
            h1, h2, h3 = hands[seat, 0], hands[seat, 1], hands[seat, 2]
            show_hand(state, seat)
            view = state.views[seat]
            view.position = position
            view.n_cards = n_cards
            view.led = led
            view.led_group = led_group
            view.best_seat = best_seat
            view.beating = beating
            view.table_points = points
            begin_question(state, seat, FOLLOW, trick)
            if draw_ahead:
                use_draws_ahead(state, seat, trick)
            q1, q2, q3 = ask_cards(state, seat, FOLLOW)
            if tracing:
                trace_places(state, T_PLAY, seat, 0, q1, q2, q3)
            word = head(T_PLAY, seat, 0)
            if n_cards == 1:
                fault = single_fault(h1, q1, q2 | q3, led)
                place = bit_index(q1)
                hits = q1
            else:
                fault = several_fault(h1, h2, h3, q1, q2, q3, led, n_cards, strict)
                hits = q2 if n_cards == 2 else q3
            if fault != OK:
                state.status = fault
                return False
            if n_cards == 1:
                word += constants[place]
                code = place + 1
                points += card_value(q1, fives, tens)
                hands[seat, 0], hands[seat, 1], hands[seat, 2] = remove(h1, h2, h3, q1, NONE, NONE)
                p1, p2, p3 = add(p1, p2, p3, q1, NONE, NONE)
            else:
                word += z_sum(q1, constants) + z_sum(q2, constants) + z_sum(q3, constants)
                code = history_code(q1, q2, q3)
                points += card_points(q1, q2, q3, fives, tens)
                hands[seat, 0], hands[seat, 1], hands[seat, 2] = remove(h1, h2, h3, q1, q2, q3)
                p1, p2, p3 = add(p1, p2, p3, q1, q2, q3)
            hash_so_far = fold(hash_so_far, word)
            show_play(state, seat, trick, code)
            hits &= beating  # pattern, suit and rank in one AND; an equal play comes too late (G11.1)
            best_seat = seat if hits != NONE else best_seat
            beating &= BEATS[bit_index(hits)]
            shown = ONE << np.uint64(4 * seat + led_group) if q1 & ~led != NONE else NONE
            if shown & ~voids != NONE:
                voids |= shown
                for other in range(N_SEATS):
                    state.views[other].voids[seat] = np.int64(voids >> np.uint64(4 * seat) & GROUP_MASK)
        for other in range(N_SEATS):
            state.views[other].winners[trick] = best_seat
        if best_seat & 1 == attackers:
            won_attackers += points
        else:
            won_dealers += points
        leader = best_seat
        cards_left -= n_cards
        trick += 1
        next_position = 0
    state.hash = hash_so_far
    state.trick_points = won_attackers
    state.dealer_points = won_dealers
    state.tricks = trick
    state.dig = 1 if leader & 1 == attackers else 0
    return True


@njit(forceinline=True)
def card_value(card, fives, tens):
    """Card points of one card (G1.3)."""
    return (5 if card & fives else 0) + (10 if card & tens else 0)


# --- one hand --------------------------------------------------------------------------------------------------------


@njit
def reset_hand(state):
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
        for word in range(VIEW_CLEARED):
            state.view_words[seat, word] = NONE
        start_draws(state.draws[seat], state.seed, state.key, NONE)
        view = state.views[seat]
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
def sort_hands(state):
    """Bring the dealt hands and the bottom from kinds to places, now that trump is known. Written in place."""
    for seat in range(N_SEATS):
        fold_draws(state, seat, CLOSING_DRAW - 1)
        k1, k2, k3 = state.kinds[seat, 0], state.kinds[seat, 1], state.kinds[seat, 2]
        state.hands[seat, 0] = places_of(k1, state.level, state.trump)
        state.hands[seat, 1] = places_of(k2, state.level, state.trump)
        state.hands[seat, 2] = places_of(k3, state.level, state.trump)
        state.big_dealt[seat] = n_copies(k1, k2, k3, BIG_KIND)
        state.small_dealt[seat] = n_copies(k1, k2, k3, SMALL_KIND)
        state.views[seat].dealer = state.dealer
        state.views[seat].trump = state.trump
        show_hand(state, seat)
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
    for suit in range(N_SUITS):
        cards = plane >> np.uint64(RANKS_A_SUIT * suit)
        two = cards & ONE
        ranks = cards >> ONE & SUIT_MASK
        level_card = ranks >> level_shift & ONE
        ranks &= ~(ONE << level_shift)
        group = TRUMP_GROUP if suit == trump else side
        side += 1 if suit != trump else 0
        places |= ranks << np.uint64(SUIT_PLACES * group)
        places |= two << np.uint64(TWO_PLACE + group)
        places |= level_card << np.uint64(LEVEL_PLACE + group)
    return places


@njit(inline="always")
def play_hand(state, given):
    """
    One hand from the deal to its result (G3 to G14); `state` names the hand and gets everything about it.

    Returns False where `state.status` is a policy's fault or VOID_DEAL. Without `given` the deck is dealt, and dealt
    again while it is void; with it, `state.decks` holds the cards already.
    """
    state.attempt = 0
    while True:
        if not given:
            deal_kinds(state.seed, state.key, state.attempt, state.decks[0][:N_DECK], state.scratch[:])
        if state.first_hand:
            start_draws(state.draws[0], state.seed, state.key, np.uint64(FIRST_SEAT_STREAM | state.attempt))
            state.first_seat = below(state.draws[0], N_SEATS)
        else:
            state.first_seat = state.dealer
        reset_hand(state)
        hash_deck(state)
        if bid_first_hand(state) if state.first_hand else bid_later_hand(state):
            break
        if state.status != VOID_DEAL or given:
            return False
        state.attempt += 1
    sort_hands(state)
    if not pay_tribute(state):
        return False
    expose_bottom(state)
    begin_play(state)
    return finish_hand(state, LEAD if state.dry_pot else BURY)


@njit(inline="always")
def begin_play(state):
    """Let play begin with the first trick, and the question for jokers with the dealer's next seat."""
    state.first_asked = 1
    state.start_trick = 0
    state.start_leader = state.dealer
    state.start_cards = N_HAND
    state.start_position = 0
    state.start_voids = NONE
    for i in range(2):
        state.start_points[i] = 0
    for i in range(3):
        state.start_played[i] = NONE


@njit
def finish_hand(state, decision):
    """
    A hand from the decision BURY, JOKERS or LEAD (the play) to its result (G8, G10 to G14).

    Returns False where `state.status` is a policy's fault.
    """
    if decision == BURY and not ask_bury(state):
        return False
    if decision != LEAD and not ask_jokers(state):
        return False
    count_bottom(state)
    if not play_tricks(state):
        return False
    score_hand(state)
    return True


# --- ranges of rounds or hands ---------------------------------------------------------------------------------------


@njit(inline="always")
def cut_round(state):
    """End a round that reached the greatest number of hands. Written in place."""
    state.round_end = END_CUT
    state.next_dealer = NOBODY
    state.owed_next = 0


@njit(inline="always")
def start_unit(state, situation):
    """Put `state` before the first hand of a unit: a round's start, or the stated situation. Written in place."""
    state.hand = 0
    state.first_hand = situation[SITUATION_FIRST_HAND]
    state.levels[0] = situation[SITUATION_LEVELS]
    state.levels[1] = situation[SITUATION_LEVELS + 1]
    state.dealer = situation[SITUATION_DEALER]
    state.owed = situation[SITUATION_OWED]


@njit(inline="always")
def go_on(state):
    """Put `state` before the next hand of its round (G12.4, G13). Written in place."""
    state.hand += 1
    state.first_hand = 0
    state.levels[0] += state.raises[0]
    state.levels[1] += state.raises[1]
    state.dealer = state.next_dealer
    state.owed = state.owed_next


@njit(inline="always")
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


RANGE_SIG = int64(
    types.Array(STATE_TYPE, 1, "C"),  # state[1]
    int64[::1],  # plan
    int64[::1],  # situation
    uint8[:, ::1],  # deals[n, 162]
    types.Array(from_dtype(ROW), 1, "C"),  # out_rows
)


@njit(RANGE_SIG, nogil=True)
def play_range(state, plan, situation, deals, out_rows):
    """
    Play units `plan[PLAN_START]` to `plan[PLAN_STOP]` - 1 into `out_rows`, whole units only.

    Parameters
    ----------
    state : STATE[1]
        Needs the run: `rules` (the views need them too), `calls`, `params`, `seed`, `tracing` and `draw_ahead`. It is
        left as the last hand played left it, with `status` and `key` where a policy failed. Written in place.
    plan : int64[6]
        PLAN_MODE (ROUNDS or HANDS), PLAN_START, PLAN_STOP, PLAN_LAST_HAND (a round is left after this hand);
        PLAN_UNITS and PLAN_ROWS are written: units played and rows filled.
    situation : int64[5]
        Where each unit starts: first_hand, levels of side 0 and 1, dealer, tribute owed.
    deals : uint8[n, 162]
        Kinds of given decks, one for each unit from the start on; n = 0: the decks are dealt.
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
            if not play_hand(table, given):
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
