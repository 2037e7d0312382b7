"""
The policy `search`: hands played on, over hidden cards that agree with everything shown.

For each lead and each follow with a choice it lists the plays worth trying, the inner policy's answer first. It draws
hidden hands from its own draws (`sampler`), and on each of them plays every candidate to the end of the hand, the inner
policy answering everything after it (`playout`). Half of the candidates are dropped when a quarter and a half of the
hands are drawn, the worst ones. A candidate is taken instead of the inner answer only where it is better by more than
`CAUTION` standard errors of the paired differences, so that few hands do not make it worse than the inner policy.

What a result is worth to a side: its settlement, the tribute owed in the next hand, and a little for the points.
Parameters: `iterations`, the hidden hands drawn for a decision; `inner`, who plays on; and those of the inner policy.
Bidding, tribute and the bottom are the inner policy's.
"""

import numpy as np

from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi.facts import FACTS, gather
from gunzi_sim.gunzi.handcraft import alike, ducked_cards, fed_cards
from gunzi_sim.gunzi.play import N_SEATS, NONE, ONE, STRICT
from gunzi_sim.gunzi.playout import force_answer, lay_out, new_state, play_on, take_up
from gunzi_sim.gunzi.sampler import draw, measure, prepare
from gunzi_sim.gunzi.tricks import count_within, several_fault
from gunzi_sim.gunzi.view import CARDS_SIG, FOLLOW, LEAD, OK, call_cards
from gunzi_sim.jit import njit, record_maker

MOST_CANDIDATES = 48
"""Candidates that a list holds; a hand has rarely more, and what comes late in the list is left out."""
CAUTION = 1.0
"""Standard errors by which a candidate must be better than the inner answer."""
CHIP, CARD, POINT = 1.0, 0.75, 0.01
"""Worth of a chip of the side's settlement, of a tribute card owed to it in the next hand, and of a card point."""
new_facts = record_maker(FACTS)


# --- candidates ------------------------------------------------------------------------------------------------------


@njit
def put(out_cards, n, q1, q2, q3):
    """Add a play to a list unless it is there or the list is full; the new length. Written in place."""
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
    while rest != NONE:
        card = rest & (~rest + ONE)
        rest &= rest - ONE
        n = put(out_cards, n, card, view.hand_2 & card, view.hand_3 & card)  # all copies of the kind first
        if view.hand_2 & card:
            n = put(out_cards, n, card, NONE, NONE)
    return n


@njit
def list_follows(view, n, out_cards):
    """Add the legal answers to a trick that differ in kind, or in what they give or keep. Written in place."""
    n_cards = view.n_cards
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    if n_cards == 1:
        rest = h1 & view.led if h1 & view.led else h1
        while rest != NONE:
            card = rest & (~rest + ONE)
            rest &= rest - ONE
            n = put(out_cards, n, card, NONE, NONE)
        return n
    held = count_within(h1, h2, h3, view.led)
    same = (h2 if n_cards == 2 else h3) & (view.led if held else ~NONE)
    while same != NONE:
        card = same & (~same + ONE)
        same &= same - ONE
        q1, q2, q3 = alike(card, n_cards)
        n = put_legal(view, n, q1, q2, q3, out_cards)
    fives, tens = view.fives, view.tens
    pool = view.led if held >= n_cards else ~view.led
    n_free = n_cards if held >= n_cards else n_cards - held
    s1, s2, s3 = (NONE, NONE, NONE) if held >= n_cards else (h1 & view.led, h2 & view.led, h3 & view.led)
    q1, q2, q3 = fed_cards(h1 & pool, h2 & pool, h3 & pool, n_free, fives, tens)
    n = put_legal(view, n, s1 | q1, s2 | q2, s3 | q3, out_cards)
    q1, q2, q3 = ducked_cards(h1 & pool, h2 & pool, h3 & pool, n_free, fives, tens)
    return put_legal(view, n, s1 | q1, s2 | q2, s3 | q3, out_cards)


@njit
def put_legal(view, n, q1, q2, q3, out_cards):
    """As `put`, for an answer to a pair or triple that the rules allow (G10.3, G10.4)."""
    strict = view.rule_follow == STRICT
    fault = several_fault(view.hand_1, view.hand_2, view.hand_3, q1, q2, q3, view.led, view.n_cards, strict)
    return put(out_cards, n, q1, q2, q3) if fault == OK else n


# --- values ----------------------------------------------------------------------------------------------------------


@njit
def worth(state, seat):
    """What the result in a state is worth to a seat's side, in chips of both its seats: float64."""
    side = seat & 1
    chips = state.settlement[seat] + state.settlement[seat ^ 2]
    cards = 0
    if state.next_dealer != NOBODY:
        cards = state.owed_next if state.next_dealer & 1 == side else -state.owed_next
    points = state.attacker_points if state.dealer & 1 != side else -state.attacker_points
    return CHIP * chips + 2 * CARD * cards + POINT * points


@njit
def halve(sums, n_left, order):
    """Keep the better half of the candidates by their sums, the first one always. `order` is written in place."""
    for i in range(1, n_left):  # sorted, best first
        candidate = order[i]
        place = i
        while place > 1 and sums[order[place - 1]] < sums[candidate]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = candidate
    return max(2, (n_left + 1) // 2)


@njit
def pick(sums, squares, n_left, order, n_hands):
    """The candidate to play: the best, where it is clearly better than the first, else the first."""
    best = 0
    for i in range(1, n_left):
        candidate = order[i]
        if best == 0 or sums[candidate] > sums[best]:
            best = candidate
    if best == 0 or n_hands < 2:
        return 0
    mean = sums[best] / n_hands
    variance = (squares[best] - n_hands * mean * mean) / (n_hands - 1)
    return best if mean > CAUTION * np.sqrt(max(variance, 0.0) / n_hands) else 0


@njit
def search(view, params, draws, decision, cards, n_candidates):
    """
    Number of the best of several answers.

    Parameters
    ----------
    view, params, draws : records
        Of the question.
    decision : int64
        LEAD or FOLLOW.
    cards : uint64[n, 3]
        Planes of the answers, the inner policy's first.
    n_candidates : int64
        How many there are, two or more.

    Returns
    -------
    int64
        0 where nothing is better, or no hidden hands agree with what was shown.
    """
    # A record does not keep its array alive; an array that is handed over lives to the end of the call.
    return try_candidates(view, params, draws, decision, cards, n_candidates, new_facts(), new_state())


@njit
def try_candidates(view, params, draws, decision, cards, n_candidates, facts_array, work):
    """As `search`, with its work space: FACTS[1] and STATE[1]."""
    facts = facts_array[0]
    gather(view, facts)
    table = np.empty(measure(facts), np.float64)
    if prepare(facts, table) == 0.0:
        return 0
    take_up(work[0], view, params, decision)
    hands = np.zeros((N_SEATS + 1, 3), np.uint64)
    sums = np.zeros(MOST_CANDIDATES, np.float64)  # of differences to the first candidate on the same hidden hands
    squares = np.zeros(MOST_CANDIDATES, np.float64)
    order = np.arange(MOST_CANDIDATES)
    n_left = n_candidates
    n_hands = params.iterations
    for number in range(n_hands):
        if number > 1 and (4 * number == n_hands or 2 * number == n_hands):
            n_left = halve(sums, n_left, order)
        if not draw(facts, table, draws, hands):
            return 0
        usual = 0.0
        for i in range(n_left):
            candidate = order[i]
            lay_out(work[0], view, hands, decision)
            force_answer(work[0], view.seat, decision, cards[candidate, 0], cards[candidate, 1], cards[candidate, 2])
            if play_on(work, decision) != OK:
                return 0
            value = worth(work[0], view.seat)
            if candidate == 0:
                usual = value
            gain = value - usual
            sums[candidate] += gain
            squares[candidate] += gain * gain
    return pick(sums, squares, n_left, order, n_hands)


# --- decisions -------------------------------------------------------------------------------------------------------


@njit
def answer(view, params, draws, decision):
    """Planes of the inner policy's answer to a question."""
    return call_cards(params.inner_calls[decision], view, params, draws)


@njit(CARDS_SIG)
def lead(view, params, draws):
    """The best lead of those listed."""
    q1, q2, q3 = answer(view, params, draws, LEAD)
    cards = np.zeros((MOST_CANDIDATES, 3), np.uint64)
    n = list_leads(view, put(cards, 0, q1, q2, q3), cards)
    if n == 1:
        return q1, q2, q3
    best = search(view, params, draws, LEAD, cards, n)
    return cards[best, 0], cards[best, 1], cards[best, 2]


@njit(CARDS_SIG)
def follow(view, params, draws):
    """The best answer of those listed to a trick; forced ones at once."""
    q1, q2, q3 = answer(view, params, draws, FOLLOW)
    cards = np.zeros((MOST_CANDIDATES, 3), np.uint64)
    n = list_follows(view, put(cards, 0, q1, q2, q3), cards)
    if n == 1:
        return q1, q2, q3
    best = search(view, params, draws, FOLLOW, cards, n)
    return cards[best, 0], cards[best, 1], cards[best, 2]
