"""
Hands that the other seats may hold: drawn with equal probability from all that agree with what a seat knows (`facts`).

Equal is every way to lay the unseen cards, the three copies of a kind being three cards, into the locations of
`facts.FACTS`. A *split* of a kind says how many of its unseen copies lie in each location; it stands for u! / (c0! c1!
c2! c3!) ways. Kinds that may lie anywhere are *free*: whatever else is drawn, their cards are dealt like a shuffled
deck. The other kinds are decided one after another. `prepare` counts, last kind first, the ways to go on from every
state, a state being the room left in the locations; `draw` goes forward and takes each split with the probability of
its share of the ways. The first of the rare facts about several kinds (`sum_*`) is counted along as a *tally*, its
cards laid so far, which is part of the state; a second one is met by drawing again.

Table: float64, by kind in order, then tally, room in the bottom, at the first and at the second location; the room at
the third follows from the cards left. Counts of ways stay below 1e65 and are exact up to 2^53. The caller gives the
table's memory, as many cells as `measure` says: never more than 55 * 7 * 40 * 40, 4.9 MB, where no tribute is on its
way, and up to `MOST_TALLY` + 1 times that where there is a tally.

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
MOST_SPLITS = 20
SPLIT_BITS = 2
SPLIT_MASK = 3
"""A split is packed: the copies of each location in two bits, the first location's lowest."""
BOTTOM_SHIFT = SPLIT_BITS * OTHERS
MOST_TALLY = 10
"""Largest number of cards of a fact about several kinds that the table counts."""
TRIES = 1000
"""Hands drawn for one that agrees with the facts about several kinds, before `draw` gives up."""
HIGH_WORD = np.uint64(5)
LOW_WORD = np.uint64(6)
LOW_SIZE = float(1 << 26)
UNIT = 2.0**-53


def _splits():
    """Every split of 1, 2 and 3 copies, those of most ways first: packed copies by location, and ways."""
    factorial = (1, 1, 2, 6)
    codes = np.zeros((N_COPIES + 1, MOST_SPLITS), np.int64)
    ways = np.zeros((N_COPIES + 1, MOST_SPLITS), np.float64)
    numbers = [0]
    for n in range(1, N_COPIES + 1):
        found = [
            (factorial[n] // np.prod([factorial[c] for c in (a, b, c, n - a - b - c)]), a, b, c, n - a - b - c)
            for a in range(n + 1)
            for b in range(n + 1 - a)
            for c in range(n + 1 - a - b)
        ]
        for i, (n_ways, *split) in enumerate(sorted(found, reverse=True)):
            codes[n, i] = sum(copies << SPLIT_BITS * location for location, copies in enumerate(split))
            ways[n, i] = n_ways
        numbers.append(len(found))
    return codes, ways, np.array(numbers, np.int64)


SPLITS, SPLIT_WAYS, N_SPLITS = _splits()
"""int64[4, 20], float64[4, 20], int64[4]: by unseen copies, the splits, their ways, and how many there are."""


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
    choose_tally(facts)
    n_kinds, n_free = 0, 0
    n_cards = 0
    for place in range(N_PLACES):
        n_copies = facts.unseen[place]
        if n_copies <= 0:
            if not may_lack(facts, place):  # a kind without a split: there is no way
                facts.places[n_kinds] = place
                facts.splits[n_kinds] = NONE
                n_kinds += 1
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


@njit
def choose_tally(out_facts):
    """
    Which fact about several kinds the table counts: the first, where its cards are few. Written in place.

    A tally that may not grow beyond the most cards there can be ends there; where only a least number is known, it
    stays at that number.
    """
    facts = out_facts
    facts.tally_places, facts.tally_locations = NONE, 0
    facts.tally_least, facts.tally_size, facts.tally_saturates = 0, 1, 0
    if facts.n_sums == 0:
        return
    least, most = facts.sum_least[0], facts.sum_most[0]
    if most < max(least, 0):  # a contradiction: the tally stays below its least number
        facts.tally_least = 1
    elif most <= MOST_TALLY or least <= MOST_TALLY:
        facts.tally_saturates = 1 if most > MOST_TALLY else 0
        facts.tally_size = (least if facts.tally_saturates else most) + 1
        facts.tally_least = least
        facts.tally_places, facts.tally_locations = facts.sum_places[0], facts.sum_locations[0]


@njit(forceinline=True)
def is_tallied(facts, place):
    """Whether cards of a kind count for the tally."""
    return facts.tally_places >> np.uint64(place) & ONE != NONE


@njit(forceinline=True)
def tally_after(facts, tally, split):
    """The tally when a split of a kind that counts is laid; -1 where it may not be."""
    for location in range(N_LOCATIONS):
        if facts.tally_locations >> location & 1:
            tally += split >> SPLIT_BITS * location & SPLIT_MASK
    if tally < facts.tally_size:
        return tally
    return facts.tally_size - 1 if facts.tally_saturates else -1


@njit(forceinline=True)
def block_size(facts):
    """Cells of the table for one kind and tally."""
    return (facts.capacity[OTHERS] + 1) * (facts.capacity[0] + 1) * (facts.capacity[1] + 1)


@njit(forceinline=True)
def layer_size(facts):
    """Cells of the table for one kind."""
    return facts.tally_size * block_size(facts)


@njit(forceinline=True)
def cell_of(facts, i, tally, bottom, first, second):
    """Cell of the table: the ways to lay kinds from the i-th on into that room."""
    at = (i * facts.tally_size + tally) * (facts.capacity[OTHERS] + 1) + bottom
    return (at * (facts.capacity[0] + 1) + first) * (facts.capacity[1] + 1) + second


@njit
def may_lack(facts, place):
    """Whether no location need have a copy of a kind."""
    fits = 1 if facts.joint_location >= OTHERS else facts.joint[place]
    for location in range(N_LOCATIONS):
        fits &= facts.allowed[location, place]
    return fits & 1 == 1


@njit
def allowed_splits(facts, place, n_copies):
    """Bits of the splits of a kind that the facts allow, and whether that is every split there could be."""
    splits = NONE
    is_free = not is_tallied(facts, place)
    with_bottom = facts.capacity[OTHERS] > 0
    for i in range(N_SPLITS[n_copies]):
        split = SPLITS[n_copies, i]
        n_bottom = split >> BOTTOM_SHIFT
        if n_bottom and not with_bottom:
            continue
        fits = 1
        for location in range(N_LOCATIONS):
            fits &= facts.allowed[location, place] >> (split >> SPLIT_BITS * location & SPLIT_MASK)
        if facts.joint_location < OTHERS:
            n_dealer = split >> SPLIT_BITS * facts.joint_location & SPLIT_MASK
            fits &= facts.joint[place] >> (n_dealer + n_bottom)
        if fits & 1:
            splits |= ONE << np.uint64(i)
        else:
            is_free = False
    return splits, is_free


@njit(forceinline=True)
def unpacked(split):
    """Copies of a split at the first, second and third location and in the bottom."""
    return (
        split & SPLIT_MASK,
        split >> SPLIT_BITS & SPLIT_MASK,
        split >> 2 * SPLIT_BITS & SPLIT_MASK,
        split >> 3 * SPLIT_BITS,
    )


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
        Ways that agree with the facts about single kinds and with the tally; 0.0 where they contradict each other, or
        the numbers of cards do not match.
    """
    capacity = facts.capacity
    n_room = 0
    for location in range(N_LOCATIONS):
        if capacity[location] < 0:
            return 0.0
        n_room += capacity[location]
        if capacity[location] >= MOST_ROOM:
            return 0.0
    for place in range(N_PLACES):
        if facts.unseen[place] < 0:
            return 0.0
    if n_room != facts.remaining[0] or n_room >= MOST_CARDS:
        return 0.0
    deal_free(facts, out_table)
    for i in range(facts.n_kinds - 1, -1, -1):
        count_kind(facts, i, out_table)
    return out_table[block_size(facts) - 1]


@njit
def deal_free(facts, out_table):
    """The last layer: ways to deal the free cards into any room that they fill. Written in place."""
    n_first, n_second, n_third, n_bottom = facts.capacity[0], facts.capacity[1], facts.capacity[2], facts.capacity[3]
    n_cards = facts.remaining[facts.n_kinds]
    cell = facts.n_kinds * layer_size(facts)
    for tally in range(facts.tally_size):
        for bottom in range(n_bottom + 1):
            for first in range(n_first + 1):
                n_left = n_cards - bottom - first
                ways = 0.0
                if n_left >= 0 and tally >= facts.tally_least:
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
    for tally in range(facts.tally_size):
        for bottom in range(facts.capacity[OTHERS] + 1):
            for first in range(facts.capacity[0] + 1):
                count_row(facts, i, tally, bottom, first, out_table)


@njit(forceinline=True)
def count_row(facts, i, tally, bottom, first, out_table):
    """One row of a layer, by room at the second location. Written in place."""
    n_left = facts.remaining[i] - bottom - first
    low, high = max(0, n_left - facts.capacity[2]), min(facts.capacity[1], n_left)
    here = cell_of(facts, i, tally, bottom, first, 0)
    for second in range(facts.capacity[1] + 1):
        out_table[np.uint64(here + second)] = 0.0
    if low > high:
        return
    n_copies = facts.unseen[facts.places[i]]
    counts = is_tallied(facts, facts.places[i])
    splits = facts.splits[i]
    while splits != NONE:
        number = bit_index(splits)
        splits &= splits - ONE
        n1, n2, _, n4 = unpacked(SPLITS[n_copies, number])
        next_tally = tally_after(facts, tally, SPLITS[n_copies, number]) if counts else tally
        if n4 <= bottom and n1 <= first and next_tally >= 0:
            there = cell_of(facts, i + 1, next_tally, bottom - n4, first - n1, 0) - n2
            ways = SPLIT_WAYS[n_copies, number]
            for second in range(np.uint64(max(low, n2)), np.uint64(high + 1)):
                out_table[np.uint64(here) + second] += ways * out_table[np.uint64(there) + second]


# --- drawing ---------------------------------------------------------------------------------------------------------


@njit(forceinline=True)
def uniform(draws):
    """A float64 in [0, 1), a multiple of 2^-53, of two words: 27 bits of the first, then 26 of the second."""
    high = next_word(draws) >> HIGH_WORD
    low = next_word(draws) >> LOW_WORD
    return (np.float64(high) * LOW_SIZE + np.float64(low)) * UNIT


@njit(forceinline=True)
def lay(facts, place, split, out_hands):
    """Add the copies of a split to hands that do not have that kind yet. Written in place."""
    bit = ONE << np.uint64(place)
    for location in range(N_LOCATIONS):
        row = np.uint64(facts.owner[location])
        n_copies = split >> SPLIT_BITS * location & SPLIT_MASK
        out_hands[row, 0] |= bit if n_copies > 0 else NONE
        out_hands[row, 1] |= bit if n_copies > 1 else NONE
        out_hands[row, 2] |= bit if n_copies > 2 else NONE


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
        False where no way drawn agreed with the facts about several kinds; the last of them is left in `out_hands`.
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
    tally = 0
    for i in range(facts.n_kinds):
        place = facts.places[i]
        n_copies = facts.unseen[place]
        counts = is_tallied(facts, place)
        rest = uniform(draws) * table[np.uint64(cell_of(facts, i, tally, bottom, first, second))]
        splits = facts.splits[i]
        chosen, tally_chosen = 0, tally
        while splits != NONE and rest >= 0.0:
            number = bit_index(splits)
            splits &= splits - ONE
            n1, n2, n3, n4 = unpacked(SPLITS[n_copies, number])
            next_tally = tally_after(facts, tally, SPLITS[n_copies, number]) if counts else tally
            if n1 <= first and n2 <= second and n3 <= third and n4 <= bottom and next_tally >= 0:
                there = cell_of(facts, i + 1, next_tally, bottom - n4, first - n1, second - n2)
                ways = SPLIT_WAYS[n_copies, number] * table[np.uint64(there)]
                if ways > 0.0:  # rounding may leave the last of them to be taken
                    chosen, tally_chosen = number, next_tally
                    rest -= ways
        n1, n2, n3, n4 = unpacked(SPLITS[n_copies, chosen])
        lay(facts, place, SPLITS[n_copies, chosen], out_hands)
        first -= n1
        second -= n2
        third -= n3
        bottom -= n4
        tally = tally_chosen
    draw_free(facts, first, second, third, bottom, draws, out_hands)


@njit
def draw_free(facts, first, second, third, bottom, draws, out_hands):
    """Deal the free cards, one by one, each to any room with the same probability. `out_hands` is written in place."""
    end_1 = first  # the room of the first location ends here, then that of the second …
    end_2 = end_1 + second
    end_3 = end_2 + third
    n_left = end_3 + bottom
    for i in range(facts.n_free):
        place = facts.free[i]
        split = 0
        for _ in range(facts.unseen[place]):
            room = below(draws, n_left)
            # No branches: which location it is cannot be foreseen.
            in_1, in_2, in_3 = np.int64(room < end_1), np.int64(room < end_2), np.int64(room < end_3)
            end_1 -= in_1
            end_2 -= in_2
            end_3 -= in_3
            n_left -= 1
            split += 1 << SPLIT_BITS * (OTHERS - in_1 - in_2 - in_3)
        lay(facts, place, split, out_hands)


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
