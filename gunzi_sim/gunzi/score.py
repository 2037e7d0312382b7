"""
What a played-out hand is worth (G11.3 to G14): points, levels, round end, next dealer, tribute owed, settlement.

Scoring reads the counts that `play` left in the state record and writes the results beside them. Left out: how the
points were won (`play`).
"""

from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi.rules import EndAt300, RoundWonBy, ThreeBigEnds, TributeRounding, TributeSettlement
from gunzi_sim.jit import njit

END_NONE, END_ZERO, END_SCORE, END_THREE_BIG, END_THREE_SMALL, END_PASSED, END_CUT = range(7)

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
