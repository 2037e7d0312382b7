"""
The state of a hand as the engine keeps it, and what a played-out hand is worth (G11.3 to G14).

Scoring reads the counts that `play` left in the state record and writes the results beside them. Left out: how the
points were won (`play`).
"""

import numpy as np
from numba import from_dtype

from gunzi_sim.cards import NOBODY
from gunzi_sim.deal import SCRATCH_WORDS
from gunzi_sim.gunzi.rules import EndAt300, RoundWonBy, ThreeBigEnds, TributeRounding, TributeSettlement
from gunzi_sim.gunzi.view import DECISIONS, DECK_BYTES, PARAMS, RULES, TRACE_COLUMNS, TRACE_ROWS, VIEW, VIEW_WORDS
from gunzi_sim.jit import njit
from gunzi_sim.rng import DRAWS

TRICKS_AHEAD = 8
BLOCKS_AHEAD = 4 * TRICKS_AHEAD
"""Blocks of the followers' draws that are computed at a time."""


def _with_overlays(base, overlays):
    """A record with further names for the memory of some of its fields."""
    fields = {name: base.fields[name] for name in base.names}
    fields |= {name: (np.dtype(form), base.fields[over][1]) for name, form, over in overlays}
    names = list(fields)
    return np.dtype(
        {
            "names": names,
            "formats": [fields[name][0] for name in names],
            "offsets": [fields[name][1] for name in names],
            "itemsize": base.itemsize,
            "aligned": True,
        }
    )


_FIELDS = np.dtype(
    [
        # the run
        ("rules", RULES),
        ("calls", "i8", (len(DECISIONS), 4)),  # addresses of the policies' functions, by decision and seat
        ("params", PARAMS, (4,)),  # by seat, as the two after
        ("draws", DRAWS, (4,)),
        ("views", VIEW, (4,)),
        # what decides the hand
        ("seed", "u8"),
        ("key", "u8"),
        ("attempt", "i8"),  # deals made void so far
        ("first_hand", "i8"),
        ("levels", "i8", (2,)),  # by side, before the hand
        ("level", "i8"),
        ("first_seat", "i8"),
        ("dealer", "i8"),
        ("trump", "i8"),
        ("owed", "i8"),
        ("fives", "u8"),  # places of the point cards at this level
        ("tens", "u8"),
        # bidding
        ("declared_by", "i8"),
        ("declared_as", "i8"),
        ("declared_code", "i8"),
        ("n_declarations", "i8"),
        ("exposed", "i8"),
        ("kinds", "u8", (4, 3)),  # hands by kind, as far as they were looked at while cards are drawn
        ("next_draw", "i8", (4,)),  # each seat's first draw not yet in `kinds`
        ("speaking", "u8", (4, 3)),  # level cards and jokers drawn so far, by kind
        ("legal", "u8", (4,)),  # declarations open to each seat, by code
        # cards by place: hands of the seats, then the bottom
        ("hands", "u8", (5, 3)),
        # tribute
        ("payer", "i8"),
        ("receiver", "i8"),
        ("tribute_moved", "i8"),
        ("tribute_short", "i8"),
        ("tribute_reversed", "i8"),
        ("tribute_cancelled", "i8"),
        # bottom
        ("dry_pot", "i8"),
        ("big_dealt", "i8", (4,)),
        ("small_dealt", "i8", (4,)),
        ("trumps", "i8", (4,)),
        ("big_buried", "i8", (4,)),
        ("small_buried", "i8", (4,)),
        ("bottom_big", "i8"),
        ("bottom_small", "i8"),
        ("bottom_points", "i8"),
        # play
        ("tricks", "i8"),
        ("trick_points", "i8"),  # card points the attackers took in tricks
        ("dealer_points", "i8"),
        ("dig", "i8"),
        # result
        ("attacker_points", "i8"),  # S
        ("takes_deal", "i8"),
        ("raises", "i8", (2,)),  # levels actually risen, by side
        ("next_dealer", "i8"),
        ("owed_next", "i8"),
        ("round_end", "i8"),
        ("round_winner", "i8"),
        ("settlement", "i8", (4,)),
        # trace
        ("hash", "u8"),
        ("tracing", "i8"),
        ("n_trace", "i8"),
        ("z_level", "i8"),  # indexes of view.TRACE_Z_AT
        # where it stopped
        ("status", "i8"),  # 0, or a fault of view.FAULT_CLAUSES, or VOID_DEAL
        ("asked_seat", "i8"),  # in trace mode: who was asked last, and for what
        ("asked_decision", "i8"),
        ("hand", "i8"),  # index of the hand in its round
        # work space
        ("decks", "u1", (2, DECK_BYTES)),  # kinds in dealing order, padded with zeros; draws that may speak
        ("scratch", "u8", (SCRATCH_WORDS,)),
        ("decisions", "u8", (TRACE_ROWS, TRACE_COLUMNS)),  # the trace
        ("draw_ahead", "i8"),  # whether policies take so many words that their first blocks are computed in bulk
        ("streams", "u8", (BLOCKS_AHEAD,)),
        ("ahead_lo", "u8", (BLOCKS_AHEAD,)),
        ("ahead_hi", "u8", (BLOCKS_AHEAD,)),
    ],
    align=True,
)
STATE = _with_overlays(
    _FIELDS,
    [
        ("deck_words", ("u8", (2, DECK_BYTES // 8)), "decks"),
        ("view_words", ("u8", (4, VIEW_WORDS)), "views"),
    ],
)
"""
What the engine keeps of a hand, its rules and its work space: one record, so that one pointer passes it.

Arrays passed to a compiled function are counted in and out, which costs more than the work of a short one; the arrays
of a record are not.
"""
STATE_TYPE = from_dtype(STATE)

VOID_DEAL = 100
"""Status of a given deal that would have to be dealt again (G4.3, G5.7)."""

END_NONE, END_ZERO, END_SCORE, END_THREE_BIG, END_THREE_SMALL, END_PASSED, END_CUT = range(7)

ATTACKERS_ONLY = int(ThreeBigEnds.ATTACKERS)
ENDS_OFF = int(ThreeBigEnds.OFF)
BOTH_SIDES = int(ThreeBigEnds.BOTH)
CAPTURED = int(EndAt300.CAPTURED)
REACHING = int(RoundWonBy.REACHING)
GENEROUS = int(TributeRounding.GENEROUS)
WHOLE_SIDES = int(TributeSettlement.SIDES)

N_COPIES = 3
ROUND_SCORE = 300
"""All card points of the deck, the bar of G12.5; S itself may pass it."""
POINTS_A_CARD = 10
"""Card points missing or left over for one card of tribute (G12.4)."""
SPECIAL_SETTLEMENT = 50


@njit
def score_hand(state):
    """
    Result of a hand that is played out: S, raises, round end, next dealer, tribute owed, settlement (G11.3 to G14).

    Parameters
    ----------
    state : STATE record
        Reads the rules and the counts of tricks, bottom and tribute; the fields from `attacker_points` to
        `settlement` are written in place.
    """
    rules = state.rules
    state.attacker_points = state.trick_points + state.dig * rules.dig_multiplier * state.bottom_points
    state.takes_deal = 1 if state.attacker_points >= rules.win_score else 0
    levels = joker_levels(state)
    dealers = state.dealer & 1
    state.raises[0] = 0
    state.raises[1] = 0
    state.round_end, state.round_winner = special_end(state)
    raised_side = NOBODY
    if state.round_end == END_NONE and state.takes_deal == state.dig:
        raised_side = 1 - dealers if state.takes_deal else dealers
        raise_levels(state, raised_side, 1 + levels)
    if state.round_end != END_NONE:
        state.next_dealer = NOBODY
        state.owed_next = 0
    else:
        state.next_dealer = (state.dealer + (1 if state.takes_deal else 2)) & 3
        state.owed_next = tribute_for_points(state.rules, state.attacker_points)
        if not (rules.dig_below_voids_jokers and state.dig and not state.takes_deal):
            state.owed_next += levels
    settle(state)


@njit
def joker_levels(state):
    """Levels (and cards of tribute) that the jokers of the final bottom are worth, `v`; none in a dry pot (G12.2)."""
    rules = state.rules
    if state.dry_pot:
        return 0
    return rules.big_joker_levels * state.bottom_big + rules.small_joker_levels * state.bottom_small


@njit
def special_end(state):
    """Round end and winning side by S = 0, S >= 300 and three jokers, tested in that order (G12.5); none: 0, NOBODY."""
    rules = state.rules
    dealers = state.dealer & 1
    if state.attacker_points == 0:
        return END_ZERO, dealers
    if state.attacker_points >= ROUND_SCORE:
        captured = state.dealer_points == 0 and (state.dig == 1 or state.bottom_points == 0)
        if rules.end_at_300 != CAPTURED or captured:
            return END_SCORE, 1 - dealers
    if state.dry_pot:
        return END_NONE, NOBODY
    attackers_dig = state.takes_deal == 1 and state.dig == 1
    dealers_hold = state.takes_deal == 0 and state.dig == 0
    if state.bottom_big == N_COPIES:
        if attackers_dig and rules.three_big_ends != ENDS_OFF:
            return END_THREE_BIG, 1 - dealers
        if dealers_hold and rules.three_big_ends == BOTH_SIDES:
            return END_THREE_BIG, dealers
    if state.bottom_small == N_COPIES and rules.three_small_ends:
        if attackers_dig:
            return END_THREE_SMALL, 1 - dealers
        if dealers_hold:
            return END_THREE_SMALL, dealers
    return END_NONE, NOBODY


@njit
def raise_levels(state, side, levels):
    """
    Raise `side` by `levels`, no further than the last level, and end the round where that wins it (G2.3, G2.4).

    A side at the last level passes it only as the dealers' side, which counts as one level risen; under
    `round_won_by="reaching"` a side that arrives there has won at once. Writes `raises`, `round_end`, `round_winner`.
    """
    rules = state.rules
    before = state.levels[side]
    risen = min(levels, rules.end_level - before)
    passes = before == rules.end_level and side == (state.dealer & 1)
    reaches = rules.round_won_by == REACHING and risen > 0 and before + risen == rules.end_level
    state.raises[side] = 1 if passes else risen
    if passes or reaches:
        state.round_end = END_PASSED
        state.round_winner = side


@njit
def tribute_for_points(rules, attacker_points):
    """Score part of the tribute owed in the next hand, cards (G12.4); a leftover 5 counts only below the low bar."""
    if attacker_points < rules.tribute_low:
        missing = rules.tribute_low - attacker_points
        if rules.tribute_rounding == GENEROUS:
            missing += POINTS_A_CARD - 1
        return missing // POINTS_A_CARD
    if attacker_points > rules.tribute_high:
        return (attacker_points - rules.tribute_high) // POINTS_A_CARD
    return 0


@njit
def settle(state):
    """Settlement of the four seats: result or special end (G14.1, G14.3), and the tribute that moved (G14.2)."""
    dealers = state.dealer & 1
    if END_ZERO <= state.round_end <= END_THREE_SMALL:
        gain = SPECIAL_SETTLEMENT if state.round_winner == dealers else -SPECIAL_SETTLEMENT
    elif state.takes_deal:
        gain = -(1 + 3 * state.raises[1 - dealers])
    else:
        gain = 3 * state.raises[dealers]
    for seat in range(4):
        state.settlement[seat] = gain if seat & 1 == dealers else -gain
    moved = state.tribute_moved
    if moved == 0:
        return
    state.settlement[state.payer] -= moved
    state.settlement[state.receiver] += moved
    if state.rules.tribute_settlement == WHOLE_SIDES:
        state.settlement[state.payer ^ 2] -= moved
        state.settlement[state.receiver ^ 2] += moved
