"""`gunzi-rng/1`: the published vectors, the kernel against Python integers, streams, bounded draws, seeds."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from counts import count
from from_host import from_host, host_njit
from hypothesis import given
from hypothesis import strategies as st
from naive import rng as naive

from gunzi_sim import rng
from gunzi_sim.game import InputError

TOP_64 = 2**64 - 1
TOP_32 = 2**32 - 1

VECTORS = [
    (0, 0, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    (1, 0, 0, "e3e80670 e50a0ebc 95f222c0 b615aa27"),
    (0, 1, 0, "844515e1 f08d6eaa 0f19c053 83f875f0"),
    (0, 0, 1, "6ad0c5ec ea236249 73a459f5 074944b3"),
    (0, 2**32, 0, "2dce73e5 1348e23f fcf8e0ec a287aadb"),
    (TOP_64, TOP_64, TOP_32, "f0c8891a a25c09bc af8fe7a5 31661961"),
]
"""Seed, key, stream and first words as the design fixes them."""

RANDOM123 = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
"""Known answers of Philox4x32-10 in the Random123 distribution: counter, key, words."""

words_64 = st.integers(0, TOP_64)
words_32 = st.integers(0, TOP_32)


def hexadecimal(text):
    return [int(word, 16) for word in text.split()]


def kernel_block(seed, key, stream, number):
    lo, hi = from_host(rng.block_words)(np.uint64(seed), np.uint64(key), np.uint64(stream), np.uint64(number))
    return [int(lo) >> 32, int(lo) & TOP_32, int(hi) >> 32, int(hi) & TOP_32]


def new_draws(seed, key, stream):
    """One DRAWS record at the start of a stream."""
    draws = np.recarray(1, rng.DRAWS)
    _start(draws[0], np.uint64(seed), np.uint64(key), np.uint64(stream))
    return draws


@host_njit
def _start(draws, seed, key, stream):
    rng.start_draws(draws, seed, key, stream)


@host_njit
def _start_filled(draws, seed, key, stream, lo, hi):
    rng.start_draws(draws, seed, key, stream)
    rng.give_block(draws, lo, hi)


@host_njit
def _take_words(draws, out_words):
    for i in range(out_words.size):
        out_words[i] = rng.next_word(draws)


@host_njit
def _take_below(draws, sizes, out_draws):
    for i in range(sizes.size):
        out_draws[i] = rng.below(draws, sizes[i])


@host_njit
def _take_coins(draws, numerator, denominator, out_coins):
    for i in range(out_coins.size):
        out_coins[i] = rng.coin(draws, numerator, denominator)


def take_words(draws, n):
    out = np.zeros(n, np.uint64)
    _take_words(draws[0], out)
    return out.tolist()


def take_below(draws, sizes):
    out = np.zeros(len(sizes), np.int64)
    _take_below(draws[0], np.array(sizes, np.int64), out)
    return out.tolist()


@pytest.mark.parametrize(("seed", "key", "stream", "words"), VECTORS)
def test_first_words(seed, key, stream, words):
    expected = hexadecimal(words)
    assert naive.block(seed, key, stream, 0) == expected
    assert kernel_block(seed, key, stream, 0) == expected
    assert take_words(new_draws(seed, key, stream), 4) == expected


@pytest.mark.parametrize(("counter", "philox_key", "words"), RANDOM123)
def test_philox_is_the_published_one(counter, philox_key, words):
    block, stream, key_low, key_high = hexadecimal(counter)
    seed_low, seed_high = hexadecimal(philox_key)
    seed, key = seed_high << 32 | seed_low, key_high << 32 | key_low
    assert naive.philox4x32(hexadecimal(counter), hexadecimal(philox_key)) == hexadecimal(words)
    assert kernel_block(seed, key, stream, block) == hexadecimal(words)


@given(words_64, words_64, words_32, words_32)
def test_block_of_any_counter(seed, key, stream, number):
    assert kernel_block(seed, key, stream, number) == naive.block(seed, key, stream, number)


@given(words_64, words_64, words_32, st.integers(0, 23))
def test_words_follow_block_by_block(seed, key, stream, n):
    draws = naive.words(seed, key, stream)
    assert take_words(new_draws(seed, key, stream), n) == [next(draws) for _ in range(n)]


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 8, 12, 31, 32, 33])
@given(seed=words_64, key=words_64)
def test_blocks_filled_together_are_those_of_each_stream(n, seed, key):
    streams = [TOP_32 - 12345 * i for i in range(n)]
    lo, hi = np.zeros(n, np.uint64), np.zeros(n, np.uint64)
    from_host(rng.fill_blocks)(np.uint64(seed), np.uint64(key), np.array(streams, np.uint64), lo, hi)
    for i, stream in enumerate(streams):
        draws = np.recarray(1, rng.DRAWS)
        _start_filled(draws[0], np.uint64(seed), np.uint64(key), np.uint64(stream), lo[i], hi[i])
        expected = naive.words(seed, key, stream)
        assert take_words(draws, 9) == [next(expected) for _ in range(9)]


@given(words_64, words_64, words_32, st.lists(st.integers(1, 2**32), max_size=12))
def test_below_any_size(seed, key, stream, sizes):
    draws = naive.words(seed, key, stream)
    assert take_below(new_draws(seed, key, stream), sizes) == [naive.below(draws, n) for n in sizes]


@pytest.mark.parametrize("size", [2**31 + 1, 3 * 2**30, 2**32 - 2**16 + 1])
@pytest.mark.parametrize("seed", range(5))
def test_below_with_many_rejections(size, seed):
    """Just above 2^31 every second word is rejected."""
    draws = naive.words(seed, 5, 6)
    assert take_below(new_draws(seed, 5, 6), [size] * 50) == [naive.below(draws, size) for _ in range(50)]


def test_below_one_takes_a_word():
    draws = new_draws(1, 2, 3)
    assert take_below(draws, [1]) == [0]
    expected = naive.block(1, 2, 3, 0)
    assert take_words(draws, 3) == expected[1:]


def test_rejection_makes_all_values_equally_likely():
    """Of all words, those not rejected give each value below n equally often: here with 6-bit words and every n."""
    word = 2**6
    for n in range(1, word + 1):
        kept = Counter(w * n // word for w in range(word) if w * n % word >= word % n)
        assert set(kept) == set(range(n))
        assert len(set(kept.values())) == 1


@given(words_64, st.integers(1, 1000), st.integers(0, 1000))
def test_coin_is_below(seed, denominator, numerator):
    n = 20
    out = np.zeros(n, np.bool_)
    _take_coins(new_draws(seed, 3, 4)[0], numerator, denominator, out)
    draws = naive.words(seed, 3, 4)
    assert out.tolist() == [naive.below(draws, denominator) < numerator for _ in range(n)]


def test_coin_frequency():
    n = count(100_000, 2_000)
    out = np.zeros(n, np.bool_)
    _take_coins(new_draws(11, 0, 0)[0], 3, 7, out)
    mean = Fraction(3, 7)
    assert abs(out.sum() - n * mean) < 4 * float(n * mean * (1 - mean)) ** 0.5


@pytest.mark.parametrize("seed", [0, 1, 20240101, 2**63, TOP_64, np.uint64(TOP_64), np.int8(5)])
def test_seeds_taken(seed):
    taken = rng.check_seed(seed)
    assert type(taken) is int
    assert taken == int(seed)


@pytest.mark.parametrize(
    "seed", [True, False, np.True_, 1.0, 0.5, float("nan"), "1", None, -1, 2**64, 2**80, np.int64(-1)]
)
def test_seeds_refused(seed):
    with pytest.raises(InputError, match=r"seed must be an integer from 0 to 2\^64 - 1") as error:
        rng.check_seed(seed)
    assert "\n" not in str(error.value)
    assert repr(seed) in str(error.value)
