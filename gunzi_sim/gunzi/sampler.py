"""
Hands that the other seats may hold: drawn with equal probability from all that agree with what a seat knows (`facts`).

Equal is every way to lay the unseen cards, the three copies of a kind being three cards, into the locations of
`facts.FACTS`. A *split* of a kind says how many of its unseen copies lie in each location; it stands for u! / (c0! c1!
c2! c3!) ways. Kinds that may lie anywhere are *free*: whatever else is drawn, their cards are dealt like a shuffled
deck. The other kinds are decided one after another. `prepare` counts, last kind first, the ways to go on from every
state, a state being the room left in the locations; `draw` goes forward and takes each split with the probability of
its share of the ways. Nothing is tried and rejected, but for the rare facts about several kinds (`sum_*`).

Table: float64, by kind in order, then room in the bottom, at the first and at the second location; the room at the
third follows from the cards left. Counts of ways stay below 1e65 and are exact up to 2^53.

In order: `facts.gather`, `measure`, `prepare`, any number of `draw`. Left out: what is known (`facts`).
"""

import numpy as np

from gunzi_sim.bits import bit_index, popcount
from gunzi_sim.gunzi.facts import N_COPIES, N_LOCATIONS, N_PLACES, NONE, ONE, OTHERS
from gunzi_sim.jit import njit
from gunzi_sim.rng import below, next_word

MOST_CARDS = 124
"""More than all unseen cards: 117 of three other hands and 6 of the bottom."""
MOST_ROOM = 64
"""More than any location holds: 39 cards and a tribute on its way."""
TRIES = 10_000
"""Hands drawn for one that agrees with the facts about several kinds, before `draw` gives up."""
HIGH_WORD = np.uint64(5)
LOW_WORD = np.uint64(6)
LOW_SIZE = float(1 << 26)
UNIT = 2.0**-53


def _splits():
    """Every split of 1, 2 and 3 copies: copies by location, and ways."""
    factorial = (1, 1, 2, 6)
    found = {
        n: [
            (a, b, c, n - a - b - c)
            for a in range(n, -1, -1)
            for b in range(n - a, -1, -1)
            for c in range(n - a - b, -1, -1)
        ]
        for n in range(1, N_COPIES + 1)
    }
    numbers = {n: [factorial[n] / np.prod([factorial[c] for c in one]) for one in found[n]] for n in found}
    most = max(map(len, found.values()))
    copies = np.zeros((N_COPIES + 1, most, N_LOCATIONS), np.int64)
    ways = np.zeros((N_COPIES + 1, most), np.float64)
    for n, splits in found.items():
        copies[n, : len(splits)] = splits
        ways[n, : len(splits)] = numbers[n]
    return copies, ways, np.array([0, *(len(found[n]) for n in found)], np.int64)


SPLIT_COPIES, SPLIT_WAYS, N_SPLITS = _splits()
"""int64[4, 20, 4], float64[4, 20], int64[4]: by unseen copies, the splits, their ways, and how many there are."""


def _pascal():
    table = np.zeros((MOST_CARDS, MOST_ROOM), np.float64)
    table[:, 0] = 1
    for n in range(1, MOST_CARDS):
        table[n, 1:] = table[n - 1, 1:] + table[n - 1, :-1]
    return table


CHOICES = _pascal()
"""float64[124, 64]: ways to choose k of n cards."""


# --- kinds -----------------------------------------------------------------------------------------------------------


@njit
def measure(out_facts):
    """
    Find the free kinds and the splits of the others; to be called again when a fact has been changed.

    Parameters
    ----------
    out_facts : FACTS record
        The sampler's own fields are written in place.

    Returns
    -------
    int64
        Cells of the table that `prepare` and `draw` need.
    """
    facts = out_facts
    n_kinds, n_free = 0, 0
    n_cards = 0
    for place in range(N_PLACES):
        n_copies = facts.unseen[place]
        if n_copies <= 0:
            continue
        splits, is_free = allowed_splits(facts, place, n_copies)
        if is_free:
            facts.free[n_free] = place
            n_free += 1
            n_cards += n_copies
        else:
            facts.places[n_kinds] = place
            facts.splits[n_kinds] = splits
            n_kinds += 1
    facts.n_kinds = n_kinds
    facts.n_free = n_free
    facts.remaining[n_kinds] = n_cards
    for i in range(n_kinds - 1, -1, -1):
        n_cards += facts.unseen[facts.places[i]]
        facts.remaining[i] = n_cards
    return (n_kinds + 1) * layer_size(facts)


@njit(forceinline=True)
def layer_size(facts):
    """Cells of the table for one kind."""
    return (facts.capacity[OTHERS] + 1) * (facts.capacity[0] + 1) * (facts.capacity[1] + 1)


@njit
def allowed_splits(facts, place, n_copies):
    """Bits of the splits of a kind that the facts allow, and whether that is every split there could be."""
    splits = NONE
    is_free = True
    with_bottom = facts.capacity[OTHERS] > 0
    for i in range(N_SPLITS[n_copies]):
        split = SPLIT_COPIES[n_copies, i]
        if split[OTHERS] and not with_bottom:
            continue
        fits = 1
        for location in range(N_LOCATIONS):
            fits &= facts.allowed[location, place] >> split[location]
        if facts.joint_location < OTHERS:
            fits &= facts.joint[place] >> (split[facts.joint_location] + split[OTHERS])
        if fits & 1:
            splits |= ONE << np.uint64(i)
        else:
            is_free = False
    return splits, is_free


# --- counting --------------------------------------------------------------------------------------------------------


@njit
def prepare(facts, out_table):
    """
    Count the ways to lay the unseen cards, from every state.

    Parameters
    ----------
    facts : FACTS record
        After `measure`.
    out_table : float64[n]
        At least as many cells as `measure` says. Written in place.

    Returns
    -------
    float64
        Ways that agree with the facts about single kinds; 0.0 where they contradict each other, or the numbers of cards
        do not match.
    """
    capacity = facts.capacity
    n_room = 0
    for location in range(N_LOCATIONS):
        if capacity[location] < 0:
            return 0.0
        n_room += capacity[location]
    for place in range(N_PLACES):
        if facts.unseen[place] < 0:
            return 0.0
    if n_room != facts.remaining[0]:
        return 0.0
    deal_free(facts, out_table)
    for i in range(facts.n_kinds - 1, -1, -1):
        count_kind(facts, i, out_table)
    return out_table[layer_size(facts) - 1]


@njit
def deal_free(facts, out_table):
    """The last layer: ways to deal the free cards into any room that they fill. Written in place."""
    n_first, n_second, n_third, n_bottom = facts.capacity[0], facts.capacity[1], facts.capacity[2], facts.capacity[3]
    n_cards = facts.remaining[facts.n_kinds]
    cell = facts.n_kinds * layer_size(facts)
    for bottom in range(n_bottom + 1):
        for first in range(n_first + 1):
            n_left = n_cards - bottom - first
            ways = 0.0
            if n_left >= 0:
                ways = CHOICES[n_cards, bottom] * CHOICES[n_cards - bottom, first]
            for second in range(n_second + 1):
                fits = second <= n_left <= second + n_third
                out_table[np.uint64(cell)] = ways * CHOICES[n_left, second] if fits else 0.0
                cell += 1


@njit
def count_kind(facts, i, out_table):
    """
    The layer of one kind from that of the next: a sum over splits. Written in place.

    Only states that the cards can fill are counted; those with too little room at the third location are 0, those with
    too much are never looked at.
    """
    n_first, n_second, n_third, n_bottom = facts.capacity[0], facts.capacity[1], facts.capacity[2], facts.capacity[3]
    n_cards = facts.remaining[i]
    n_copies = facts.unseen[facts.places[i]]
    width = n_second + 1
    here = i * layer_size(facts)
    for bottom in range(n_bottom + 1):
        for first in range(n_first + 1):
            n_left = n_cards - bottom - first
            low, high = max(0, n_left - n_third), min(n_second, n_left)
            for second in range(width):
                out_table[np.uint64(here + second)] = 0.0
            splits = facts.splits[i]
            while splits != NONE and low <= high:
                number = bit_index(splits)
                splits &= splits - ONE
                split = SPLIT_COPIES[n_copies, number]
                if split[3] <= bottom and split[0] <= first:
                    there = here + layer_size(facts) - (split[3] * (n_first + 1) + split[0]) * width - split[1]
                    ways = SPLIT_WAYS[n_copies, number]
                    for second in range(np.uint64(max(low, split[1])), np.uint64(high + 1)):
                        out_table[np.uint64(here) + second] += ways * out_table[np.uint64(there) + second]
            here += width


# --- drawing ---------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def uniform(draws):
    """A float64 in [0, 1), a multiple of 2^-53, of two words: 27 bits of the first, then 26 of the second."""
    high = next_word(draws) >> HIGH_WORD
    low = next_word(draws) >> LOW_WORD
    return (np.float64(high) * LOW_SIZE + np.float64(low)) * UNIT


@njit(forceinline=True)
def lay(row, bit, n_copies, out_hands):
    """Add n copies, 1 to 3, of a kind that a row does not have yet. Written in place."""
    out_hands[row, 0] |= bit
    if n_copies > 1:
        out_hands[row, 1] |= bit
    if n_copies > 2:
        out_hands[row, 2] |= bit


@njit
def draw(facts, table, draws, out_hands):
    """
    One way to lay the unseen cards, each with the same probability.

    Parameters
    ----------
    facts : FACTS record
    table : float64[n]
        After `prepare`, which found a way.
    draws : DRAWS record
        Two words for each kind that is not free, at least one for each free card but the last.
    out_hands : uint64[5, 3]
        Planes of what the seats hold now, and of the bottom. Written in place.

    Returns
    -------
    bool
        False where no way drawn agreed with the facts about several kinds.
    """
    for _ in range(TRIES):
        for row in range(len(out_hands)):
            for plane in range(N_COPIES):
                out_hands[row, plane] = facts.seen[row, plane]
        draw_kinds(facts, table, draws, out_hands)
        if facts.n_sums == 0 or keeps_sums(facts, out_hands):
            return True
    return False


@njit
def draw_kinds(facts, table, draws, out_hands):
    """Lay the kinds that are not free, then deal the free ones into the room left. `out_hands` is written in place."""
    first, second, third, bottom = facts.capacity[0], facts.capacity[1], facts.capacity[2], facts.capacity[3]
    size = layer_size(facts)
    width = facts.capacity[1] + 1
    depth = (facts.capacity[0] + 1) * width
    cell = size - 1
    for i in range(facts.n_kinds):
        place = facts.places[i]
        n_copies = facts.unseen[place]
        rest = uniform(draws) * table[np.uint64(cell)]
        splits = facts.splits[i]
        chosen = 0
        while splits != NONE and rest >= 0.0:
            number = bit_index(splits)
            splits &= splits - ONE
            split = SPLIT_COPIES[n_copies, number]
            if split[0] <= first and split[1] <= second and split[2] <= third and split[3] <= bottom:
                there = cell + size - split[3] * depth - split[0] * width - split[1]
                ways = SPLIT_WAYS[n_copies, number] * table[np.uint64(there)]
                if ways > 0.0:  # rounding may leave the last of them to be taken
                    chosen = number
                    rest -= ways
        split = SPLIT_COPIES[n_copies, chosen]
        bit = ONE << np.uint64(place)
        for location in range(N_LOCATIONS):
            if split[location]:
                lay(facts.owner[location], bit, split[location], out_hands)
        first -= split[0]
        second -= split[1]
        third -= split[2]
        bottom -= split[3]
        cell += size - split[3] * depth - split[0] * width - split[1]
    draw_free(facts, first, second, third, bottom, draws, out_hands)


@njit
def draw_free(facts, first, second, third, bottom, draws, out_hands):
    """Deal the free cards, one by one, each to any room with the same probability. `out_hands` is written in place."""
    n_left = first + second + third + bottom
    for i in range(facts.n_free):
        place = facts.free[i]
        bit = ONE << np.uint64(place)
        for _ in range(facts.unseen[place]):
            room = below(draws, n_left)
            n_left -= 1
            if room < first:
                first -= 1
                location = 0
            elif room < first + second:
                second -= 1
                location = 1
            elif room < first + second + third:
                third -= 1
                location = 2
            else:
                bottom -= 1
                location = 3
            row = facts.owner[location]
            out_hands[row, 2] |= out_hands[row, 1] & bit
            out_hands[row, 1] |= out_hands[row, 0] & bit
            out_hands[row, 0] |= bit


@njit
def keeps_sums(facts, hands):
    """Whether hands agree with the facts about several kinds."""
    for i in range(facts.n_sums):
        n_cards = 0
        for location in range(N_LOCATIONS):
            if facts.sum_locations[i] >> location & 1:
                row = facts.owner[location]
                for plane in range(N_COPIES):
                    n_cards += popcount(hands[row, plane] & facts.sum_places[i])
        if not facts.sum_least[i] <= n_cards <= facts.sum_most[i]:
            return False
    return True
