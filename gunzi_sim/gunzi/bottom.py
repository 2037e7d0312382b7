"""
Between bidding and play: tribute, the exposed bottom, dry pot, burying (G6 to G8).

`state.hands` holds the four hands and the bottom by place. Each phase asks its policies, checks what they return
against the rules, writes the state, and shows every view what its seat may know. A phase returns False where a policy
broke a rule (`state.status`). Left out: bidding (`bidding`), tricks (`play`).
"""

import numpy as np

from gunzi_sim.bits import popcount
from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi.questions import ask_cards, begin_question
from gunzi_sim.gunzi.rules import DryPot, TributePoints
from gunzi_sim.gunzi.trace import T_BURY, T_JOKERS, T_PAY, T_RETURN, hash_places, trace_places
from gunzi_sim.gunzi.tricks import (
    add,
    card_points,
    count,
    count_within,
    fits_cut,
    highest_cut,
    is_subset,
    lowest_cut,
    remove,
    return_cut,
)
from gunzi_sim.gunzi.view import (
    BAD_BURY,
    BAD_JOKER_ORDER,
    BAD_JOKERS,
    BAD_PAY,
    BAD_PAY_NUMBER,
    BAD_PAY_SHORT,
    BAD_RETURN,
    BIG_JOKER,
    BOTTOM,
    BURY,
    JOKER_PLACES,
    JOKERS,
    LEVEL_CARDS,
    MAIN_SUIT,
    N_BOTTOM,
    N_SEATS,
    OK,
    PAY,
    RETURN,
    SIDE,
    SMALL_JOKER,
    TOO_MANY_JOKERS,
    TRUMPS,
    TWOS,
)
from gunzi_sim.jit import njit

NONE = np.uint64(0)
EVERYWHERE = ~NONE
N_COPIES = 3
DRY_OFF = int(DryPot.OFF)
SIDE_OR_PERMANENT = int(DryPot.SIDE_OR_PERMANENT)
ALL_PAYABLE = int(TributePoints.ALL)
LEVEL_PAYABLE = int(TributePoints.LEVEL)


@njit
def start_cards(state, seat, decision, step):
    """Make a seat's view of its own cards and its keyed draws ready for a decision. Written in place."""
    show_hand(state, seat)
    begin_question(state, seat, decision, step)


@njit
def show_hand(state, seat):
    """Write a seat's own cards into its view."""
    view = state.views[seat]
    view.hand_1 = state.hands[seat, 0]
    view.hand_2 = state.hands[seat, 1]
    view.hand_3 = state.hands[seat, 2]


@njit
def take_from(state, owner, q1, q2, q3):
    """Remove a subset of an owner's cards (a seat, or BOTTOM). `state.hands` is written in place."""
    hands = state.hands
    hands[owner, 0], hands[owner, 1], hands[owner, 2] = remove(
        hands[owner, 0], hands[owner, 1], hands[owner, 2], q1, q2, q3
    )


@njit
def give_to(state, owner, q1, q2, q3):
    """Add cards to an owner's. `state.hands` is written in place."""
    hands = state.hands
    hands[owner, 0], hands[owner, 1], hands[owner, 2] = add(
        hands[owner, 0], hands[owner, 1], hands[owner, 2], q1, q2, q3
    )


@njit
def holds(state, owner, q1, q2, q3):
    """Whether an owner has all cards of well-formed planes."""
    return is_subset(q1, q2, q3, state.hands[owner, 0], state.hands[owner, 1], state.hands[owner, 2])


# --- tribute ---------------------------------------------------------------------------------------------------------


@njit
def direct_tribute(state):
    """
    Who pays and who receives: the dealer's previous seat pays the dealer, unless three big jokers reverse or cancel it.

    Returns whether cards are to move (G6.1, G6.5). Writes `payer`, `receiver`, `tribute_reversed`, `tribute_cancelled`.
    """
    if state.owed == 0:
        return False
    payer = (state.dealer + 3) & 3
    receiver = state.dealer
    if state.rules.tribute_three_big:
        if state.big_dealt[payer] == N_COPIES:
            payer, receiver = receiver, payer
            state.tribute_reversed = 1
        elif state.big_dealt[payer ^ 2] == N_COPIES:
            state.tribute_cancelled = 1
            return False
    state.payer = payer
    state.receiver = receiver
    return True


@njit
def payable_places(state):
    """Places whose cards may be paid as tribute (G6.2)."""
    rules = state.rules
    if rules.tribute_points == ALL_PAYABLE:
        return EVERYWHERE
    without_points = ~(state.fives | state.tens)
    return without_points | LEVEL_CARDS if rules.tribute_points == LEVEL_PAYABLE else without_points


@njit
def pay_tribute(state):
    """
    Tribute and its return (G6); the number paid and waived goes to `tribute_moved` and `tribute_short`.

    Parameters
    ----------
    state : STATE record
        Written in place.

    Returns
    -------
    bool
        False where `state.status` names a broken rule.
    """
    moves = direct_tribute(state)
    if moves:
        hand = state.hands[state.payer]
        payable = payable_places(state)
        n_payable = count_within(hand[0], hand[1], hand[2], payable)
        state.tribute_moved = min(state.owed, n_payable)
        state.tribute_short = state.owed - state.tribute_moved
        moves = state.tribute_moved > 0
        if not moves:
            state.payer = NOBODY
            state.receiver = NOBODY
    show_tribute(state)
    if not moves:
        return True
    if not ask_pay(state, payable):
        return False
    return ask_return(state)


@njit
def show_tribute(state):
    """Tell every seat whether and how tribute moves. Written in place."""
    for seat in range(N_SEATS):
        view = state.views[seat]
        view.payer = state.payer
        view.receiver = state.receiver
        view.n_tribute = state.tribute_moved
        view.tribute_short = state.tribute_short
        view.tribute_reversed = state.tribute_reversed
        view.tribute_cancelled = state.tribute_cancelled


@njit
def ask_pay(state, payable):
    """Ask the payer for his highest payable cards and move them (G6.2); False for a broken rule."""
    payer = state.payer
    n_cards = state.tribute_moved
    h1, h2, h3 = state.hands[payer, 0] & payable, state.hands[payer, 1] & payable, state.hands[payer, 2] & payable
    must, cut = highest_cut(h1, h2, h3, n_cards)
    view = state.views[payer]
    view.tribute_must = must & payable
    view.tribute_cut = cut & payable
    start_cards(state, payer, PAY, 0)
    q1, q2, q3 = ask_cards(state, payer, PAY)
    if state.tracing:
        trace_places(state, T_PAY, payer, 0, q1, q2, q3)
    n_paid = count(q1, q2, q3)
    if n_paid != n_cards:
        state.status = BAD_PAY_SHORT if n_paid < n_cards and state.tribute_short > 0 else BAD_PAY_NUMBER
        return False
    if not holds(state, payer, q1, q2, q3) or not fits_cut(h1, h2, h3, q1, q2, q3, must & payable, cut & payable):
        state.status = BAD_PAY
        return False
    hash_places(state, T_PAY, payer, 0, q1, q2, q3)
    take_from(state, payer, q1, q2, q3)
    give_to(state, state.receiver, q1, q2, q3)
    for seat in range(N_SEATS):
        state.views[seat].paid_1 = q1
        state.views[seat].paid_2 = q2
        state.views[seat].paid_3 = q3
    return True


@njit
def ask_return(state):
    """Ask the receiver for as many cards back and move them (G6.4); False for a broken rule."""
    receiver = state.receiver
    n_cards = state.tribute_moved
    hand = state.hands[receiver]
    h1, h2, h3 = hand[0], hand[1], hand[2]
    must, cut = return_cut(h1, h2, h3, n_cards, state.fives | state.tens)
    view = state.views[receiver]
    view.tribute_must = must
    view.tribute_cut = cut
    start_cards(state, receiver, RETURN, 0)
    q1, q2, q3 = ask_cards(state, receiver, RETURN)
    if state.tracing:
        trace_places(state, T_RETURN, receiver, 0, q1, q2, q3)
    if (
        not holds(state, receiver, q1, q2, q3)
        or count(q1, q2, q3) != n_cards
        or not fits_cut(h1, h2, h3, q1, q2, q3, must, cut)
    ):
        state.status = BAD_RETURN
        return False
    hash_places(state, T_RETURN, receiver, 0, q1, q2, q3)
    take_from(state, receiver, q1, q2, q3)
    give_to(state, state.payer, q1, q2, q3)
    for seat in range(N_SEATS):
        state.views[seat].returned_1 = q1
        state.views[seat].returned_2 = q2
        state.views[seat].returned_3 = q3
    return True


# --- the bottom ------------------------------------------------------------------------------------------------------


@njit
def is_dry_pot(rules, bottom_1):
    """Whether an exposed bottom, given by its plane of places, is a dry pot (G7.2)."""
    if rules.dry_pot == DRY_OFF:
        return False
    if bottom_1 & SIDE == NONE:
        return True
    if rules.dry_pot == SIDE_OR_PERMANENT:
        return bottom_1 & ~(SIDE | TWOS | JOKER_PLACES) == NONE
    return bottom_1 & MAIN_SUIT == NONE


@njit
def expose_bottom(state):
    """Show the bottom where trump was claimed or declared, and find out whether it stays (G7). Written in place."""
    bottom = state.hands[BOTTOM]
    if state.exposed and is_dry_pot(state.rules, bottom[0]):
        state.dry_pot = 1
    for seat in range(N_SEATS):
        view = state.views[seat]
        view.exposed = state.exposed
        view.dry_pot = state.dry_pot
        if state.exposed or seat == state.dealer:
            view.dealt_bottom_1 = bottom[0]
            view.dealt_bottom_2 = bottom[1]
            view.dealt_bottom_3 = bottom[2]
        if state.dry_pot:
            show_bottom(state, view)


@njit
def show_bottom(state, view):
    """Let a seat know the bottom as it lies now. Written in place."""
    view.bottom_known = 1
    view.bottom_1 = state.hands[BOTTOM, 0]
    view.bottom_2 = state.hands[BOTTOM, 1]
    view.bottom_3 = state.hands[BOTTOM, 2]


@njit
def joker_fault(state, seat, n_big, n_small):
    """Clause broken by a seat that buries these of the jokers it holds: too many, then the order (G15, G8.2)."""
    rules = state.rules
    if n_big + n_small > rules.max_jokers_per_seat:
        return TOO_MANY_JOKERS
    held_big = count_within(state.hands[seat, 0], state.hands[seat, 1], state.hands[seat, 2], BIG_JOKER)
    if rules.bury_big_first and n_small > 0 and n_big < held_big:
        return BAD_JOKER_ORDER
    return OK


@njit
def ask_bury(state):
    """The dealer takes the bottom and buries six cards (G8.1, G8.2, G8.3); False for a broken rule."""
    dealer = state.dealer
    bottom = state.hands[BOTTOM]
    give_to(state, dealer, bottom[0], bottom[1], bottom[2])
    start_cards(state, dealer, BURY, 0)
    q1, q2, q3 = ask_cards(state, dealer, BURY)
    if state.tracing:
        trace_places(state, T_BURY, dealer, 0, q1, q2, q3)
    if not holds(state, dealer, q1, q2, q3) or count(q1, q2, q3) != N_BOTTOM:
        state.status = BAD_BURY
        return False
    n_big = count_within(q1, q2, q3, BIG_JOKER)
    n_small = count_within(q1, q2, q3, SMALL_JOKER)
    state.status = joker_fault(state, dealer, n_big, n_small)
    if state.status != OK:
        return False
    hash_places(state, T_BURY, dealer, 0, q1, q2, q3)
    take_from(state, dealer, q1, q2, q3)
    bottom[0] = q1
    bottom[1] = q2
    bottom[2] = q3
    state.big_buried[dealer] = n_big
    state.small_buried[dealer] = n_small
    show_bottom(state, state.views[dealer])
    if n_big + n_small > 0:
        show_burial(state, dealer)
    return True


@njit
def show_burial(state, seat):
    """A bottom with a buried joker lies open: show it, and who buried what, to all (G8.3). Written in place."""
    for other in range(N_SEATS):
        view = state.views[other]
        show_bottom(state, view)
        view.buried_big[seat] = state.big_buried[seat]
        view.buried_small[seat] = state.small_buried[seat]


# --- jokers of the other seats ---------------------------------------------------------------------------------------


@njit
def ask_jokers(state):
    """
    Ask the three other seats in turn whether they bury jokers for the smallest bottom cards (G8.4).

    False where `state.status` names a broken rule.
    """
    rules = state.rules
    if not rules.others_bury_jokers:
        return True
    pickable = ~(state.fives | state.tens | JOKER_PLACES)
    for step in range(state.first_asked, N_SEATS):
        seat = (state.dealer + step) & 3
        hand = state.hands[seat]
        bottom = state.hands[BOTTOM]
        n_pickable = count_within(bottom[0], bottom[1], bottom[2], pickable)
        n_held = count_within(hand[0], hand[1], hand[2], JOKER_PLACES)
        most = min(n_held, n_pickable)
        if min(most, rules.max_jokers_per_seat) == 0:
            continue
        state.views[seat].max_jokers = min(most, rules.max_jokers_per_seat)
        state.views[seat].joker_step = 0
        start_cards(state, seat, JOKERS, 0)
        q1, q2, q3 = ask_cards(state, seat, JOKERS)
        n_jokers = count(q1, q2, q3)
        if n_jokers == 0:
            continue
        state.status = burial_fault(state, seat, q1, q2, q3, n_pickable)
        if state.status != OK:
            if state.tracing:
                trace_places(state, T_JOKERS, seat, n_jokers, q1, q2, q3)
            return False
        if not exchange_jokers(state, seat, pickable, q1, q2, q3):
            return False
    return True


@njit
def burial_fault(state, seat, q1, q2, q3, n_pickable):
    """Clause broken by the jokers that a seat wants to bury, before it is said what it picks up (G8.4, G15, G8.2)."""
    if q1 & ~JOKER_PLACES != NONE or not holds(state, seat, q1, q2, q3) or count(q1, q2, q3) > n_pickable:
        return BAD_JOKERS
    n_big = count_within(q1, q2, q3, BIG_JOKER)
    return joker_fault(state, seat, n_big, count_within(q1, q2, q3, SMALL_JOKER))


@njit
def exchange_jokers(state, seat, pickable, q1, q2, q3):
    """Put a seat's jokers into the bottom and let it take as many of the smallest cards; False for a broken rule."""
    n_jokers = count(q1, q2, q3)
    bottom = state.hands[BOTTOM]
    b1, b2, b3 = bottom[0] & pickable, bottom[1] & pickable, bottom[2] & pickable
    below, cut = lowest_cut(b1, b2, b3, n_jokers)
    must = below & pickable
    cut &= pickable
    t1, t2, t3 = b1 & must, b2 & must, b3 & must
    if cut != NONE:
        n_cut = n_jokers - count(t1, t2, t3)
        kind = b1 & cut
        if popcount(kind) == 1:  # copies of one kind: nothing to choose
            t1 |= kind
            t2 |= kind if n_cut > 1 else NONE
            t3 |= kind if n_cut > 2 else NONE
        else:
            view = state.views[seat]
            view.joker_step = 1
            view.pick_must = must
            view.pick_cut = cut
            view.n_picks = n_jokers
            show_bottom(state, view)
            start_cards(state, seat, JOKERS, 1)
            t1, t2, t3 = ask_cards(state, seat, JOKERS)
    a1, a2, a3 = add(q1, q2, q3, t1, t2, t3)
    if state.tracing:
        trace_places(state, T_JOKERS, seat, n_jokers, a1, a2, a3)
    if (
        not is_subset(t1, t2, t3, b1, b2, b3)
        or count(t1, t2, t3) != n_jokers
        or not fits_cut(b1, b2, b3, t1, t2, t3, must, cut)
    ):
        state.status = BAD_JOKERS
        return False
    hash_places(state, T_JOKERS, seat, n_jokers, a1, a2, a3)
    take_from(state, seat, q1, q2, q3)
    take_from(state, BOTTOM, t1, t2, t3)
    give_to(state, seat, t1, t2, t3)
    give_to(state, BOTTOM, q1, q2, q3)
    state.big_buried[seat] = count_within(q1, q2, q3, BIG_JOKER)
    state.small_buried[seat] = count_within(q1, q2, q3, SMALL_JOKER)
    show_burial(state, seat)
    for other in range(N_SEATS):
        state.views[other].picked_1[seat] = t1
        state.views[other].picked_2[seat] = t2
        state.views[other].picked_3[seat] = t3
    return True


@njit
def count_bottom(state):
    """Jokers and points of the final bottom, and each seat's trumps, before play. Written in place."""
    bottom = state.hands[BOTTOM]
    state.bottom_big = count_within(bottom[0], bottom[1], bottom[2], BIG_JOKER)
    state.bottom_small = count_within(bottom[0], bottom[1], bottom[2], SMALL_JOKER)
    state.bottom_points = card_points(bottom[0], bottom[1], bottom[2], state.fives, state.tens)
    for seat in range(N_SEATS):
        hand = state.hands[seat]
        state.trumps[seat] = count_within(hand[0], hand[1], hand[2], TRUMPS)
