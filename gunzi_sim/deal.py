"""
Shuffling and dealing on `gunzi-rng/1`: the deck of a (seed, key, attempt), whatever the number of cards.

A deck is d = 0 ... n - 1; for i = n - 1 ... 1, d[i] and d[below(i + 1)] are swapped, with the draws of stream
`attempt`. Card c is copy c // 54 of kind c % 54. The dealing order is the shuffled deck, first to last.

`plain_shuffle` says just that. The fast form gives the same deck in two loops: one of vector code for all words and the
indexes they give, four of them packed in a uint64; then one of swaps. The rare deck in which a word may have been
rejected goes to `plain_shuffle`.
"""

import numpy as np

from gunzi_sim.jit import njit
from gunzi_sim.rng import HALF, MASK, WORD_LIMIT, block_words

N_KINDS = 54
MAX_CARDS = 256
"""A card fits in a byte, and so does an index in a packed word."""
SCRATCH_WORDS = MAX_CARDS // 4
"""Elements of the scratch array of a fast shuffle: one for each block of four words."""

ZERO = np.uint64(0)
ONE = np.uint64(1)
BYTE = np.uint64(8)
BYTE_MASK = np.uint64(0xFF)


@njit
def plain_shuffle(seed, key, attempt, out_cards):
    """
    Shuffled cards, by the plain rule. It is the yardstick of the benchmarks: not to be made faster.

    Parameters
    ----------
    seed, key : uint64
    attempt : int
        0 for a hand's first deal, then 1, 2, ... for each redeal: the stream of the draws.
    out_cards : integer[n]
        The cards 0 ... n - 1 in dealing order. Written in place.
    """
    stream = np.uint64(attempt)
    for i in range(out_cards.size):
        out_cards[i] = i
    lo = ZERO
    hi = ZERO
    block = ZERO
    n_left = 0
    i = out_cards.size - 1
    while i > 0:
        if n_left == 0:
            lo, hi = block_words(np.uint64(seed), np.uint64(key), stream, block)
            block = block + ONE
            n_left = 4
        size = np.uint64(i + 1)
        product = (lo >> HALF) * size
        lo = lo << HALF | hi >> HALF
        hi = hi << HALF
        n_left -= 1
        if product & MASK < size and product & MASK < (WORD_LIMIT - size) % size:
            continue
        j = product >> HALF
        card = out_cards[i]
        out_cards[i] = out_cards[j]
        out_cards[j] = card
        i -= 1


@njit("void(uint64, uint64, int64, uint8[::1])")
def plain_shuffles(seed, first_key, n_shuffles, out_cards):
    """`plain_shuffle` of the keys from `first_key` on, one after another into the same cards: the yardstick's loop."""
    for i in range(n_shuffles):
        plain_shuffle(seed, first_key + np.uint64(i), 0, out_cards)


@njit
def deal_cards(seed, key, attempt, out_cards, scratch):
    """
    The cards of one deal, as `plain_shuffle` gives them.

    Parameters
    ----------
    seed, key : uint64
    attempt : int
        0 for a hand's first deal, then 1, 2, ... for each redeal.
    out_cards : uint8[n]
        n <= 256 cards in dealing order. Written in place.
    scratch : uint64[SCRATCH_WORDS]
        Overwritten.
    """
    for i in range(out_cards.size):
        out_cards[i] = i
    if _find_indexes(np.uint64(seed), np.uint64(key), np.uint64(attempt), out_cards.size, scratch):
        _swap(scratch, out_cards)
    else:
        plain_shuffle(seed, key, attempt, out_cards)


@njit
def deal_kinds(seed, key, attempt, out_kinds, scratch):
    """
    The kinds of the cards of one deal: `deal_cards` modulo 54, without the division.

    Parameters
    ----------
    seed, key : uint64
    attempt : int
        0 for a hand's first deal, then 1, 2, ... for each redeal.
    out_kinds : uint8[n]
        Kinds 0 ... 53 in dealing order; n = 54, 108, 162 or 216. Written in place.
    scratch : uint64[SCRATCH_WORDS]
        Overwritten.
    """
    for copy in range(out_kinds.size // N_KINDS):
        for kind in range(N_KINDS):
            out_kinds[copy * N_KINDS + kind] = kind
    if _find_indexes(np.uint64(seed), np.uint64(key), np.uint64(attempt), out_kinds.size, scratch):
        _swap(scratch, out_kinds)
    else:
        plain_shuffle(seed, key, attempt, out_kinds)
        for i in range(out_kinds.size):
            out_kinds[i] = out_kinds[i] % N_KINDS


@njit(forceinline=True)
def _packed_indexes(seed, key, stream, block, n_left):
    """
    Lemire indexes of one block's four words, and whether one of the words may have to be rejected.

    Word c chooses below `n_left - c`; where that is 0 or less the word is not needed and its index is of no meaning.
    Rejected words have a low half below 2^32 mod n; below n is what costs no division, and is as rare.
    """
    lo, hi = block_words(seed, key, stream, block)
    n0 = np.int64(n_left)
    n1 = n0 - np.int64(1)
    n2 = n0 - np.int64(2)
    n3 = n0 - np.int64(3)
    p0 = (lo >> HALF) * (np.uint64(n0) & MASK)
    p1 = (lo & MASK) * (np.uint64(n1) & MASK)
    p2 = (hi >> HALF) * (np.uint64(n2) & MASK)
    p3 = (hi & MASK) * (np.uint64(n3) & MASK)
    doubt = (
        (np.int64(p0 & MASK) < n0)
        | (np.int64(p1 & MASK) < n1)
        | (np.int64(p2 & MASK) < n2)
        | (np.int64(p3 & MASK) < n3)
    )
    packed = p0 >> HALF | (p1 >> HALF) << BYTE | (p2 >> HALF) << (BYTE + BYTE) | (p3 >> HALF) << (BYTE + BYTE + BYTE)
    return packed, np.int64(doubt)


@njit(forceinline=True)
def _find_indexes(seed, key, stream, n_cards, out_packed):
    """
    All indexes of one deal, four in each word from its lowest byte on; False where a word may have to be rejected.

    Blocks of no use fill up the last step. Two blocks a step: one alone leaves the processor waiting for its chain of
    multiplications; four more lanes of each are the vector code.
    """
    half = (n_cards + 30) // 32 * 4  # half of the blocks, n_cards - 1 words in all, rounded up to whole vectors
    doubt = np.int64(0)
    for i in range(half):
        j = half + i
        one, one_doubt = _packed_indexes(seed, key, stream, np.uint64(i), n_cards - 4 * i)
        two, two_doubt = _packed_indexes(seed, key, stream, np.uint64(j), n_cards - 4 * j)
        out_packed[np.uint64(i)] = one  # a signed index is tested for being negative, and the loop stays scalar
        out_packed[np.uint64(j)] = two
        doubt |= one_doubt | two_doubt
    return doubt == 0


@njit(forceinline=True)
def _swap(packed, out_cards):
    """The swaps of one deal, i = n - 1 ... 1, by the indexes of `_find_indexes`; in place."""
    i = np.uint64(out_cards.size - 1)
    n_blocks = (out_cards.size - 1) // 4
    for block in range(n_blocks):
        indexes = packed[block]
        for _ in range(4):
            j = indexes & BYTE_MASK
            indexes = indexes >> BYTE
            card = out_cards[i]
            out_cards[i] = out_cards[j]
            out_cards[j] = card
            i = i - ONE
    indexes = packed[n_blocks]
    while i > ZERO:
        j = indexes & BYTE_MASK
        indexes = indexes >> BYTE
        card = out_cards[i]
        out_cards[i] = out_cards[j]
        out_cards[j] = card
        i = i - ONE


@njit("void(uint64, uint64, uint8[:, ::1])", nogil=True)
def deals(seed, first_key, out_cards):
    """
    The first deals of consecutive keys.

    Parameters
    ----------
    seed, first_key : uint64
        The key of row k is `first_key + k` modulo 2^64.
    out_cards : uint8[m, n]
        One deal of n <= 256 cards a row, in dealing order. Written in place.
    """
    scratch = np.empty(SCRATCH_WORDS, np.uint64)
    for row in range(out_cards.shape[0]):
        deal_cards(seed, np.uint64(first_key) + np.uint64(row), 0, out_cards[row], scratch)
