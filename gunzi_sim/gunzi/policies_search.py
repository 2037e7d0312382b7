"""
The policy `search`: hands played on, over hidden cards that agree with everything shown.

For each bury, joker bury, lead and follow with a choice it takes the plays worth trying (`candidates`), the inner
policy's answer first. It draws hidden hands from its own draws (`sampler`), and on each of them plays every candidate
to the end of the hand, the inner policy answering everything after it (`playout`). After a quarter and a half of the
hidden hands it drops the candidates that have fallen behind the first, and of the others the worse half. A candidate is
taken instead of the inner answer only where it is better by more than `CAUTION` standard errors of the paired
differences, so that few hands do not make it worse than the inner policy.

What a result is worth to a side: its settlement as far as `MOST_CHIPS`, the tribute owed in the next hand, and a little
for the points; the last is there because few hidden hands show a small gain in points sooner than a won hand.
Parameters: `iterations`, the hidden hands drawn for a decision; `inner`, who plays on; and those of the inner policy.
Bidding and tribute are those of `counting`, cards to pick up the inner policy's; so are the bury and the jokers where
the parameters demand a number of jokers.
"""

import numpy as np

from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi.candidates import list_buries, list_follows, list_jokers, list_leads, thin
from gunzi_sim.gunzi.facts import FACTS, gather
from gunzi_sim.gunzi.joker_table import BY_TABLE
from gunzi_sim.gunzi.playout import force_answer, lay_out, new_state, play_on, take_up
from gunzi_sim.gunzi.sampler import draw, measure, prepare
from gunzi_sim.gunzi.view import BURY, CARDS_SIG, FOLLOW, JOKERS, LEAD, N_SEATS, OK, call_cards
from gunzi_sim.jit import njit, record_maker

MOST_CANDIDATES = 48
"""Candidates that a list holds; a hand has rarely more, and what comes late in the list is left out."""
CAUTION = 1.0
"""Standard errors by which a candidate must be better than the inner answer."""
HOPE = 1.0
"""Standard errors by which a candidate may look worse than the inner answer on the way before it is dropped."""
MOST_CHIPS = 20.0
"""Chips of both seats of a side from which more of them count no more: one rare end of a round outweighs all else."""
CARD, POINT = 0.75, 0.15
"""Worth in chips, for each seat, of a tribute card owed in the next hand, and for the side of a card point."""
new_facts = record_maker(FACTS)


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
    return min(MOST_CHIPS, max(-MOST_CHIPS, chips)) + 2 * CARD * cards + POINT * points


@njit(forceinline=True)
def mean_and_error(total, square, n_hands):
    """Mean of n values and its standard error, from their sum and the sum of their squares; two or more of them."""
    mean = total / n_hands
    variance = (square - n_hands * mean * mean) / (n_hands - 1)
    return mean, np.sqrt(max(variance, 0.0) / n_hands)


@njit
def drop_worse(sums, squares, n_left, out_order, n_hands):
    """
    Keep the first candidate, and those that have not fallen behind it.

    Parameters
    ----------
    sums, squares : float64[n]
        By candidate, of the differences to the first one on the same hidden hands.
    n_left : int64
        Candidates left.
    out_order : int64[n]
        Candidates, those left in front. Written in place.
    n_hands : int64
        Hidden hands so far, two or more.

    Returns
    -------
    int64
        Candidates left now. One whose results were the first one's on every hand is not among them.
    """
    n_kept = 1
    for i in range(1, n_left):
        mean, error = mean_and_error(sums[out_order[i]], squares[out_order[i]], n_hands)
        if mean + HOPE * error > 0.0:
            out_order[n_kept] = out_order[i]
            n_kept += 1
    return n_kept


@njit
def halve(sums, n_left, out_order):
    """Candidates left when the better half by their sums stays, the first always. `out_order` is written in place."""
    for i in range(1, n_left):  # sorted, best first
        candidate = out_order[i]
        place = i
        while place > 1 and sums[out_order[place - 1]] < sums[candidate]:
            out_order[place] = out_order[place - 1]
            place -= 1
        out_order[place] = candidate
    return min(n_left, max(2, (n_left + 1) // 2))


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
    mean, error = mean_and_error(sums[best], squares[best], n_hands)
    return best if mean > CAUTION * error else 0


# --- trials ----------------------------------------------------------------------------------------------------------


@njit
def search(view, params, draws, decision, cards, n_candidates):
    """
    Number of the best of several answers.

    Parameters
    ----------
    view, params, draws : records
        Of the question.
    decision : int64
        BURY, JOKERS, LEAD or FOLLOW.
    cards : uint64[n, 3]
        Planes of the answers, the inner policy's first.
    n_candidates : int64
        How many there are.

    Returns
    -------
    int64
        0 where nothing is better, or no hidden hands agree with what was shown. No draws are taken for one answer.
    """
    if n_candidates == 1:
        return 0
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
    values = np.zeros(MOST_CANDIDATES, np.float64)
    sums = np.zeros(MOST_CANDIDATES, np.float64)  # of differences to the first candidate on the same hidden hands
    squares = np.zeros(MOST_CANDIDATES, np.float64)
    order = np.arange(MOST_CANDIDATES)
    n_left = n_candidates
    n_hands = 0
    for number in range(params.iterations):
        if n_hands > 1 and (number == params.iterations // 4 or number == params.iterations // 2):
            n_left = halve(sums, drop_worse(sums, squares, n_left, order, n_hands), order)
        if n_left == 1 or not draw(facts, table, draws, hands):
            return 0
        if not play_all(work, view, decision, hands, cards, n_left, order, values):
            continue
        n_hands += 1
        for i in range(1, n_left):
            gain = values[order[i]] - values[0]
            sums[order[i]] += gain
            squares[order[i]] += gain * gain
    return pick(sums, squares, n_left, order, n_hands)


@njit
def play_all(work, view, decision, hands, cards, n_left, order, out_values):
    """
    Play the candidates left on one set of hidden hands. Written in place: their values.

    Returns False where one cannot be played: more jokers than a hidden bottom has cards for, which then is not what the
    seat was told (G8.4).
    """
    for i in range(n_left):
        candidate = order[i]
        lay_out(work[0], view, hands, decision)
        force_answer(work[0], view.seat, decision, cards[candidate, 0], cards[candidate, 1], cards[candidate, 2])
        if play_on(work, decision) != OK:
            return False
        out_values[candidate] = worth(work[0], view.seat)
    return True


# --- decisions -------------------------------------------------------------------------------------------------------


@njit
def answer(view, params, draws, decision):
    """Planes of the inner policy's answer to a question."""
    return call_cards(params.inner_calls[decision], view, params, draws)


@njit(forceinline=True)
def chooses_jokers(params):
    """Whether the parameters leave the number of jokers to bury open."""
    return params.jokers == BY_TABLE and (params.bury_big | params.bury_small) == 0


@njit
def start_list(view, params, draws, decision):
    """A list that holds the inner policy's answer alone: uint64[MOST_CANDIDATES, 3]."""
    cards = np.zeros((MOST_CANDIDATES, 3), np.uint64)
    cards[0, 0], cards[0, 1], cards[0, 2] = answer(view, params, draws, decision)
    return cards


@njit(CARDS_SIG)
def bury(view, params, draws):
    """The best bury of those listed."""
    cards = start_list(view, params, draws, BURY)
    n = list_buries(view, 1, cards) if chooses_jokers(params) else 1
    best = search(view, params, draws, BURY, cards, n)
    return cards[best, 0], cards[best, 1], cards[best, 2]


@njit(CARDS_SIG)
def jokers(view, params, draws):
    """The best number of jokers; the inner policy's cards to pick up."""
    cards = start_list(view, params, draws, JOKERS)
    n = list_jokers(view, 1, cards) if view.joker_step == 0 and chooses_jokers(params) else 1
    best = search(view, params, draws, JOKERS, cards, n)
    return cards[best, 0], cards[best, 1], cards[best, 2]


@njit(CARDS_SIG)
def lead(view, params, draws):
    """The best lead of those listed."""
    cards = start_list(view, params, draws, LEAD)
    n = thin(view, list_leads(view, 1, cards), cards)
    best = search(view, params, draws, LEAD, cards, n)
    return cards[best, 0], cards[best, 1], cards[best, 2]


@njit(CARDS_SIG)
def follow(view, params, draws):
    """The best answer of those listed to a trick; forced ones at once."""
    cards = start_list(view, params, draws, FOLLOW)
    n = thin(view, list_follows(view, 1, cards), cards)
    best = search(view, params, draws, FOLLOW, cards, n)
    return cards[best, 0], cards[best, 1], cards[best, 2]
