"""
Keyed random numbers, `gunzi-rng/1`: Philox4x32-10 as a function of (seed, key, stream).

A word stream is the blocks 0, 1, 2, ... of its (seed, key, stream), four 32-bit words each: the philox key is the seed,
low half first; the counter is (block, stream, low half of key, high half of key). `stream = purpose << 24 | seat << 16
| decision`; stream 0 is the deal. Every word depends on nothing else, so no order of evaluation changes a draw.

Words are kept in uint64 variables, below 2^32. Left out: shuffling (`deal`).
"""

import operator
from typing import Any

import numpy as np

from gunzi_sim.game import InputError
from gunzi_sim.jit import njit

DRAWS = np.dtype(
    [
        ("lo", "u8"),  # the next two words to come, the first in the high half
        ("hi", "u8"),  # the two words after those, likewise
        ("left", "i8"),  # words to come in lo and hi, 0..4
        ("block", "u8"),  # number of the next block
        ("stream", "u8"),  # purpose << 24 | seat << 16 | decision
        ("key", "u8"),
        ("seed", "u8"),
    ],
    align=True,
)
"""One word stream and the place reached in it: `start_draws` begins it, `next_word` moves it on."""

MASK = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
WORD_LIMIT = np.uint64(1 << 32)
M0 = np.uint64(0xD2511F53)
"""Multiplier of counter word 0."""
M1 = np.uint64(0xCD9E8D57)
"""Multiplier of counter word 2."""
W0 = np.uint64(0x9E3779B9)
"""Step of key word 0 from round to round."""
W1 = np.uint64(0xBB67AE85)
"""Step of key word 1 from round to round."""
N_ROUNDS = 10
SEED_LIMIT = 1 << 64


def check_seed(value: Any) -> int:
    """
    The seed as a Python int.

    Parameters
    ----------
    value : int or NumPy integer
        0 ... 2^64 - 1; bool, float and str are refused.

    Raises
    ------
    InputError
        For anything else, in one line.
    """
    try:
        seed = operator.index(value)
    except TypeError:
        seed = -1
    if isinstance(value, bool) or not 0 <= seed < SEED_LIMIT:
        raise InputError(f"seed must be an integer from 0 to 2^64 - 1 ({SEED_LIMIT - 1}), got {value!r}")
    return seed


@njit(forceinline=True)
def block_words(seed, key, stream, block):
    """
    One block, Philox4x32-10 of the counter (block, stream, key), as two packed words.

    Parameters
    ----------
    seed, key : uint64
    stream, block : uint64
        Below 2^32.

    Returns
    -------
    lo, hi : uint64
        Words 0 and 1, words 2 and 3 of the block; the earlier one in the high half.
    """
    k0 = seed & MASK
    k1 = seed >> HALF
    c0 = block & MASK  # tells the compiler that a 32-bit multiplication will do
    c1 = stream & MASK
    c2 = key & MASK
    c3 = key >> HALF
    for _ in range(N_ROUNDS - 1):
        p0 = c0 * M0
        p1 = c2 * M1
        c0 = (p1 >> HALF) ^ c1 ^ k0
        c1 = p1 & MASK
        c2 = (p0 >> HALF) ^ c3 ^ k1
        c3 = p0 & MASK
        k0 = (k0 + W0) & MASK
        k1 = (k1 + W1) & MASK
    # The last round leaves its products packed as they are.
    return (c2 * M1) ^ (c1 ^ k0) << HALF, (c0 * M0) ^ (c3 ^ k1) << HALF


@njit
def fill_blocks(seed, key, streams, out_lo, out_hi):
    """
    Block 0 of several streams of one (seed, key), in one loop of vector code: for draws that are likely to be taken.

    Parameters
    ----------
    seed, key : uint64
    streams : uint64[n]
        Stream numbers, below 2^32. Multiples of eight streams are fastest.
    out_lo, out_hi : uint64[n]
        `block_words` of each stream. Written in place.
    """
    # Two blocks a step: one alone leaves the processor waiting for its chain of multiplications. Signed indexes would
    # be tested for being negative, and the loop would stay scalar.
    half = streams.size // 2
    for n in range(half):
        i = np.uint64(n)
        j = np.uint64(half + n)
        lo, hi = block_words(seed, key, streams[i], np.uint64(0))
        more_lo, more_hi = block_words(seed, key, streams[j], np.uint64(0))
        out_lo[i] = lo
        out_hi[i] = hi
        out_lo[j] = more_lo
        out_hi[j] = more_hi
    if 2 * half < streams.size:
        last = np.uint64(2 * half)
        out_lo[last], out_hi[last] = block_words(seed, key, streams[last], np.uint64(0))


@njit(forceinline=True)
def start_draws(out_draws, seed, key, stream):
    """Set `out_draws` to the start of a word stream; the first block is computed when a word is asked for."""
    out_draws.key = np.uint64(key)
    out_draws.seed = np.uint64(seed)
    switch_stream(out_draws, stream)


@njit(forceinline=True)
def switch_stream(out_draws, stream):
    """Set `out_draws` to the start of another stream of the seed and key that it has."""
    out_draws.left = 0
    out_draws.block = np.uint64(0)
    out_draws.stream = np.uint64(stream)


@njit(forceinline=True)
def give_block(out_draws, lo, hi):
    """Give a stream that has just begun its block 0, as `fill_blocks` computes it: four words are ready."""
    out_draws.lo = lo
    out_draws.hi = hi
    out_draws.left = 4
    out_draws.block = np.uint64(1)


@njit
def _next_block(draws):
    """Replace the words to come by the next block."""
    draws.lo, draws.hi = block_words(draws.seed, draws.key, draws.stream, draws.block)
    draws.block = draws.block + np.uint64(1)
    draws.left = 4


@njit(forceinline=True)
def next_word(draws):
    """The next word of the stream: uint64 below 2^32. `draws` (one DRAWS record) moves on."""
    if draws.left == 0:
        _next_block(draws)
    lo = draws.lo
    hi = draws.hi
    draws.lo = lo << HALF | hi >> HALF
    draws.hi = hi << HALF
    draws.left = draws.left - 1
    return lo >> HALF


@njit
def _first_accepted(draws, size, product):
    """The product of a word with `size`, or of the first later word that is not to be rejected."""
    surplus = (WORD_LIMIT - size) % size
    while product & MASK < surplus:
        product = next_word(draws) * size
    return product


@njit(forceinline=True)
def below(draws, n):
    """
    A uniform integer below n, by Lemire's method on 32-bit words; a rejected word is followed by the next.

    Parameters
    ----------
    draws : DRAWS record
        Moves on by one word, rarely by more.
    n : int
        1 ... 2^32.

    Returns
    -------
    int64
        0 ... n - 1.
    """
    size = np.uint64(n)
    product = next_word(draws) * size
    # Only a low half below n can be below 2^32 mod n; the division is made for those alone.
    if product & MASK < size:
        product = _first_accepted(draws, size, product)
    return np.int64(product >> HALF)


@njit(forceinline=True)
def coin(draws, numerator, denominator):
    """True with probability numerator / denominator, by one `below`; 1 <= denominator <= 2^32."""
    return below(draws, denominator) < numerator
