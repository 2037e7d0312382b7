"""
From the deal to a dealer and a trump suit: claim, flips, declarations (G4, G5).

Cards are drawn one at a time; `state.kinds` holds the hands by kind, and the seat that drew is asked when it may say
something. Functions return False where the hand cannot go on: a policy's fault, or a deal that is void. Left out:
tribute and what follows (`play`).
"""

import numpy as np

from gunzi_sim.bits import bit_index
from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi.questions import ask_code, begin_question
from gunzi_sim.gunzi.rules import FirstClaim, FirstFlip
from gunzi_sim.gunzi.state import VOID_DEAL
from gunzi_sim.gunzi.trace import CLOSING, T_CLAIM, T_DECLARE, hash_kinds, write_trace
from gunzi_sim.gunzi.view import (
    BAD_CLAIM,
    BAD_DECLARATION,
    CLAIM,
    CLAIM_STRENGTH,
    CLOSING_DRAW,
    DECK_BYTES,
    DECLARE,
    FLIP_STRENGTH,
    N_BOTTOM,
    N_SEATS,
    N_SUITS,
    SELF_OVERCALL,
    THREE_BIG,
    THREE_SMALL,
    WEAK_DECLARATION,
)
from gunzi_sim.jit import njit

NONE = np.uint64(0)
ONE = np.uint64(1)
SMALL_KIND, BIG_KIND = 52, 53
SMALL_BIT = np.uint64(1 << SMALL_KIND)
BIG_BIT = np.uint64(1 << BIG_KIND)
RANKS_A_SUIT = 13
N_FLIPS = 4
"""Bottom cards that the seats turn up when nobody claims, one each (G4.3)."""
TWO_ABOVE_ACE = 15
NO_KIND = 99
CODE_LIMIT = 24
"""Codes of declarations lie below: strength * 4 + suit with strengths 1 to 5."""
AUTOMATIC = int(FirstClaim.AUTOMATIC)
LARGEST = int(FirstFlip.LARGEST)


@njit
def fold_draws(state, seat, last):
    """Bring the cards that `seat` drew up to draw `last` into its hand by kind. `state.kinds` is written in place."""
    deck = state.decks[0]
    k1, k2, k3 = state.kinds[seat, 0], state.kinds[seat, 1], state.kinds[seat, 2]
    draw = state.next_draw[seat]
    while draw <= last:
        bit = ONE << np.uint64(deck[draw])
        k3 |= k2 & bit
        k2 |= k1 & bit
        k1 |= bit
        draw += N_SEATS
    state.kinds[seat, 0] = k1
    state.kinds[seat, 1] = k2
    state.kinds[seat, 2] = k3
    state.next_draw[seat] = draw


@njit
def find_kinds(state, level):
    """
    Draws of the cards that may speak: of the big jokers for level 0, else of the jokers and the cards of rank `level`.

    Returns
    -------
    int64
        Number of draws found; they stand in `state.decks[1]`, in order. Written in place.
    """
    deck, found, flag_words = state.decks[0], state.decks[1], state.deck_words[1]
    first = np.uint8(BIG_KIND if level == 0 else SMALL_KIND)
    rank = np.uint8(level - 2 if level else NO_KIND)
    second, third, fourth = (
        np.uint8(rank + RANKS_A_SUIT),
        np.uint8(rank + 2 * RANKS_A_SUIT),
        np.uint8(rank + 3 * RANKS_A_SUIT),
    )
    for i in range(DECK_BYTES):  # bytes all through, so that it becomes vector code
        kind = deck[i]
        found[i] = (kind >= first) | (kind == rank) | (kind == second) | (kind == third) | (kind == fourth)
    n_found = 0
    for i in range(len(flag_words)):
        flags = flag_words[i]
        while flags:
            found[n_found] = 8 * i + (bit_index(flags) >> 3)
            n_found += 1
            flags &= flags - ONE
    while n_found > 0 and found[n_found - 1] >= CLOSING_DRAW:
        n_found -= 1
    return n_found


@njit
def start_question(state, seat, decision, draw):
    """Make the view and the keyed draws of a seat ready for `claim` or `declare` after a draw. Written in place."""
    fold_draws(state, seat, min(draw, CLOSING_DRAW - 1))
    view = state.views[seat]
    view.kinds_1 = state.kinds[seat, 0]
    view.kinds_2 = state.kinds[seat, 1]
    view.kinds_3 = state.kinds[seat, 2]
    view.draw = draw
    view.legal_declarations = state.legal[seat]
    begin_question(state, seat, decision, state.attempt << 8 | draw)


# --- first hand ------------------------------------------------------------------------------------------------------


@njit
def bid_first_hand(state):
    """
    Dealer and trump suit of a first hand, by claim or by the seats' flips (G4).

    Parameters
    ----------
    state : STATE record
        Written in place.

    Returns
    -------
    bool
        False where `state.status` says why the hand cannot go on.
    """
    claimer = NOBODY
    for i in range(find_kinds(state, 0)):
        draw = np.int64(state.decks[1, i])
        seat = (state.first_seat + draw) & 3
        claim = 1
        if state.rules.first_claim != AUTOMATIC:
            start_question(state, seat, CLAIM, draw)
            claim = ask_code(state, seat, CLAIM)
            if claim < 0 or claim > 1:
                state.status = BAD_CLAIM
                return False
        if claim == 1:
            claimer = seat
            note_claim(state, seat, draw)
            break
    if claimer == NOBODY:
        return flip_for_dealer(state)
    return True


@njit
def note_claim(state, seat, draw):
    """Make `seat` the dealer after its claim at `draw`; the trump suit follows from the cards to come (G4.1, G4.2)."""
    hash_kinds(state, T_CLAIM, seat, draw, NONE, NONE, NONE)
    if state.tracing:
        write_trace(state, T_CLAIM, seat, draw, NONE, NONE, NONE)
    state.dealer = seat
    state.trump = suit_after_claim(state, draw)
    state.declared_by = seat
    state.declared_as = CLAIM_STRENGTH
    state.exposed = 1
    for other in range(N_SEATS):
        state.views[other].declared_by = seat
        state.views[other].declared_code = CLAIM_STRENGTH * N_SUITS
        state.views[other].n_declarations = 1
        state.views[other].declaration_seat[0] = seat
        state.views[other].declaration_code[0] = CLAIM_STRENGTH * N_SUITS
        state.views[other].declaration_draw[0] = draw


@njit
def suit_after_claim(state, draw):
    """Suit of the claimer's first suited card after `draw`, else of the first suited bottom card (G4.2)."""
    deck = state.decks[0]
    position = draw + N_SEATS
    while position < CLOSING_DRAW:
        if deck[position] < SMALL_KIND:
            return np.int64(deck[position]) // RANKS_A_SUIT
        position += N_SEATS
    for position in range(CLOSING_DRAW, CLOSING_DRAW + N_BOTTOM):
        if deck[position] < SMALL_KIND:
            return np.int64(deck[position]) // RANKS_A_SUIT
    return NOBODY


@njit
def flip_rank(kind):
    """Rank of a flipped card by the printed order 3 … A, 2, small joker, big joker (G4.3)."""
    if kind >= SMALL_KIND:
        return TWO_ABOVE_ACE + 1 + kind - SMALL_KIND
    rank = kind % RANKS_A_SUIT + 2
    return TWO_ABOVE_ACE if rank == 2 else rank


@njit
def flip_for_dealer(state):
    """
    Nobody claimed: each seat turns up a bottom card, and the smallest (or largest suited) makes the dealer (G4.3).

    Returns False, status VOID_DEAL, when all four are jokers.
    """
    deck = state.decks[0]
    best = -1
    best_rank = 0
    for flip in range(N_FLIPS):
        kind = np.int64(deck[CLOSING_DRAW + flip])
        for seat in range(N_SEATS):
            state.views[seat].flipped[flip] = kind + 1
        rank = flip_rank(kind)
        if kind >= SMALL_KIND:
            continue  # jokers lie above every suited card, and where the largest wins they are ignored
        if best < 0 or (rank > best_rank if state.rules.first_flip == LARGEST else rank < best_rank):
            best = flip
            best_rank = rank
    if best < 0:
        state.status = VOID_DEAL
        return False
    state.dealer = (state.first_seat + best) & 3
    state.trump = np.int64(deck[CLOSING_DRAW + best]) // RANKS_A_SUIT
    state.declared_as = FLIP_STRENGTH
    return True


# --- other hands -----------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def hear(state, seat, bit):
    """Add a level card or joker, the bit of its kind, to what `seat` may declare with. Written in place."""
    s1, s2 = state.speaking[seat, 0], state.speaking[seat, 1]
    state.speaking[seat, 2] |= s2 & bit
    state.speaking[seat, 1] = s2 | (s1 & bit)
    state.speaking[seat, 0] = s1 | bit


@njit
def held_declarations(k1, k2, k3, level):
    """Bits of the declaration codes that a hand by kind can show, whatever stands (G5.2)."""
    shift = np.uint64(level - 2)
    codes = NONE
    strength = 1
    for plane in (k1, k2, k3):
        ranks = plane >> shift
        suits = ranks & ONE
        for suit in range(1, N_SUITS):
            suits |= (ranks >> np.uint64(RANKS_A_SUIT * suit) & ONE) << np.uint64(suit)
        codes |= suits << np.uint64(strength * N_SUITS)
        strength += 1
    if k3 & SMALL_BIT:
        codes |= np.uint64(0xF << (THREE_SMALL * N_SUITS))
    if k3 & BIG_BIT:
        codes |= np.uint64(0xF << (THREE_BIG * N_SUITS))
    return codes


@njit
def legal_declarations(state, seat):
    """Bits of the declaration codes that `seat` may say now (G5.2 to G5.4)."""
    rules = state.rules
    codes = held_declarations(state.speaking[seat, 0], state.speaking[seat, 1], state.speaking[seat, 2], state.level)
    standing = state.declared_code
    if standing == 0:
        if not rules.jokers_may_open:
            codes &= np.uint64((1 << (THREE_SMALL * N_SUITS)) - 1)
        return codes
    codes &= ~((ONE << np.uint64((standing // N_SUITS + 1) * N_SUITS)) - ONE)
    if state.declared_by == seat and not rules.self_overcall:
        codes &= reinforcements(standing)
    return codes


@njit
def reinforcements(standing):
    """Bits of the codes that show more copies of the same level card as the standing declaration (G5.4)."""
    codes = NONE
    for strength in range(standing // N_SUITS + 1, THREE_SMALL):
        codes |= ONE << np.uint64(strength * N_SUITS + standing % N_SUITS)
    return codes


@njit
def declaration_fault(state, seat, code):
    """Clause that a declaration breaks: cards not held or no such form, then strength, then self-overcalling."""
    if code < N_SUITS or code >= CODE_LIMIT:
        return BAD_DECLARATION
    held = held_declarations(state.speaking[seat, 0], state.speaking[seat, 1], state.speaking[seat, 2], state.level)
    if held & (ONE << np.uint64(code)) == NONE:
        return BAD_DECLARATION
    strength = code // N_SUITS
    if state.declared_code == 0:
        if strength >= THREE_SMALL and not state.rules.jokers_may_open:
            return WEAK_DECLARATION
    elif strength <= state.declared_code // N_SUITS:
        return WEAK_DECLARATION
    return SELF_OVERCALL


@njit
def bid_later_hand(state):
    """
    Trump suit of a hand whose dealer is known: declarations after each draw and in the closing window (G5).

    Parameters and result as `bid_first_hand`.
    """
    deck, speakers = state.decks[0], state.decks[1]
    n_speaking = find_kinds(state, state.level)
    n_heard = 0
    draw = 0
    while draw < CLOSING_DRAW:
        if (state.legal[0] | state.legal[1] | state.legal[2] | state.legal[3]) == NONE:
            if n_heard == n_speaking:
                break
            draw = np.int64(speakers[n_heard])  # until then nobody has anything to say
        seat = (state.first_seat + draw) & 3
        if n_heard < n_speaking and draw == speakers[n_heard]:
            n_heard += 1
            hear(state, seat, ONE << np.uint64(deck[draw]))
            state.legal[seat] = legal_declarations(state, seat)
        if state.legal[seat]:
            if ask_declaration(state, seat, draw) < 0:
                return False
        draw += 1
    n_passes = 0
    question = 0
    while n_passes < N_SEATS:
        seat = (state.dealer + question) & 3
        n_passes += 1
        if state.legal[seat]:
            said = ask_declaration(state, seat, CLOSING_DRAW + question)
            if said < 0:
                return False
            if said > 0:
                n_passes = 0
        question += 1
    if state.declared_code == 0:
        return draw_for_suit(state)
    state.trump = state.declared_code % N_SUITS
    state.exposed = 1
    return True


@njit
def ask_declaration(state, seat, draw):
    """Ask a seat that may declare; returns the code said, 0 for a pass, -1 for a fault (in `state.status`)."""
    start_question(state, seat, DECLARE, draw)
    code = ask_code(state, seat, DECLARE)
    if code == 0:
        return 0
    argument = (draw if draw < CLOSING_DRAW else CLOSING) << 8 | (code & 3)
    shown = shown_cards(code, state.level)
    k2 = shown if code >= 2 * N_SUITS else NONE
    k3 = shown if code >= 3 * N_SUITS else NONE
    if state.tracing:
        write_trace(state, T_DECLARE, seat, argument, shown, k2, k3)
    if code < 0 or code >= CODE_LIMIT or state.legal[seat] & (ONE << np.uint64(code)) == NONE:
        state.status = declaration_fault(state, seat, code)
        return -1
    hash_kinds(state, T_DECLARE, seat, argument, shown, k2, k3)
    note_declaration(state, seat, code, draw)
    return code


@njit
def shown_cards(code, level):
    """Bit of the kind that a declaration shows; none for a code that stands for nothing."""
    if code < N_SUITS or code >= CODE_LIMIT:
        return NONE
    if code // N_SUITS == THREE_BIG:
        return BIG_BIT
    if code // N_SUITS == THREE_SMALL:
        return SMALL_BIT
    return ONE << np.uint64(code % N_SUITS * RANKS_A_SUIT + level - 2)


@njit
def note_declaration(state, seat, code, draw):
    """Let a legal declaration stand: tell all seats, and find anew what each may say. Written in place."""
    n_before = state.n_declarations
    state.declared_by = seat
    state.declared_code = code
    state.declared_as = code // N_SUITS
    state.n_declarations = n_before + 1
    for other in range(N_SEATS):
        state.views[other].declared_by = seat
        state.views[other].declared_code = code
        state.views[other].n_declarations = n_before + 1
        state.views[other].declaration_seat[n_before] = seat
        state.views[other].declaration_code[n_before] = code
        state.views[other].declaration_draw[n_before] = draw
        state.legal[other] = legal_declarations(state, other)


@njit
def draw_for_suit(state):
    """Nobody declared: the first suited bottom card names the suit; False, VOID_DEAL, when all are jokers (G5.7)."""
    deck = state.decks[0]
    for i in range(N_BOTTOM):
        kind = np.int64(deck[CLOSING_DRAW + i])
        for seat in range(N_SEATS):
            state.views[seat].flipped[i] = kind + 1
        if kind < SMALL_KIND:
            state.trump = kind // RANKS_A_SUIT
            return True
    state.status = VOID_DEAL
    return False
