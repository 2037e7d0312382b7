"""Bit primitives against Python integers, and the instructions they become."""

import numpy as np
import pytest
from counts import IS_COMPILED
from from_host import from_host, host_njit
from hypothesis import given
from hypothesis import strategies as st

from gunzi_sim import bits

words = st.integers(0, 2**64 - 1)
EDGES = [0, 1, 2, 3, 2**31, 2**32 - 1, 2**32, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1]


def set_bits(x):
    """Masks of the set bits of a Python integer, lowest first."""
    return [1 << i for i in range(64) if x >> i & 1]


def check(x):
    ones = set_bits(x)
    word = np.uint64(x)
    assert from_host(bits.popcount)(word) == len(ones)
    assert from_host(bits.bit_index)(word) == (ones[0].bit_length() - 1 if ones else 64)
    assert from_host(bits.lowest_bit)(word) == (ones[0] if ones else 0)
    assert from_host(bits.highest_bit)(word) == (ones[-1] if ones else 0)
    for k in range(64):
        expected = ones[k] if k < len(ones) else 0
        assert from_host(bits.kth_bit)(word, k) == expected
        assert from_host(bits._kth_bit_by_search)(word, k) == expected


@pytest.mark.parametrize("x", EDGES)
def test_edges(x):
    check(x)


@given(words)
def test_against_python_integers(x):
    check(x)


@given(words, words)
def test_sparse_words(x, y):
    check(x & y)


if IS_COMPILED:

    @host_njit(cache=False)  # cached code cannot be inspected
    def _all_primitives(x, k):
        return (
            bits.popcount(x) + bits.bit_index(x),
            bits.lowest_bit(x) | bits.highest_bit(x) | bits.kth_bit(x, k),
        )

    def test_primitives_become_inlined_instructions():
        _all_primitives(np.uint64(12), 1)
        (assembly,) = _all_primitives.inspect_asm().values()
        body = assembly[: assembly.index(".Lfunc_end")]  # the wrappers for Python come after it
        assert "call" not in body
        if bits.HAS_PDEP:  # such a processor counts bits too
            assert "pdep" in body
            assert "popcnt" in body
            assert "tzcnt" in body
