"""Shuffles: the decks the design fixes, fast form = plain form = Python integers, batches, uniformity."""

import hashlib
import math

import numpy as np
import pytest
from counts import count
from from_host import from_host, host_njit
from hypothesis import given
from hypothesis import strategies as st
from naive import rng as naive

from gunzi_sim import deal

DECK_SIZES = [54, 108, 162, 216]
words_64 = st.integers(0, 2**64 - 1)

REJECTED = [(162, 101393), (162, 953603), (162, 995039), (54, 771439), (108, 177326), (216, 820555), (216, 1785825)]
"""Number of cards and key, with seed 0, of shuffles in which a word is rejected."""
DOUBTED = [(162, 43860), (162, 118392), (162, 1798875), (54, 1476105), (108, 890872), (216, 1874790)]
"""The same, where a word's low half is below n, not below 2^32 mod n; with REJECTED, each of four words."""


def plain(n, seed, key, attempt=0):
    out = np.zeros(n, np.uint8)
    from_host(deal.plain_shuffle)(np.uint64(seed), np.uint64(key), attempt, out)
    return out.tolist()


def fast(n, seed, key, attempt=0):
    out = np.zeros(n, np.uint8)
    from_host(deal.deal_cards)(np.uint64(seed), np.uint64(key), attempt, out, np.zeros(deal.SCRATCH_WORDS, np.uint64))
    return out.tolist()


def kinds(n, seed, key, attempt=0):
    out = np.zeros(n, np.uint8)
    from_host(deal.deal_kinds)(np.uint64(seed), np.uint64(key), attempt, out, np.zeros(deal.SCRATCH_WORDS, np.uint64))
    return out.tolist()


@host_njit
def _is_without_doubt(seed, key, n_cards, scratch):
    return deal._find_indexes(seed, key, np.uint64(0), n_cards, scratch)


def goes_the_fast_way(n, seed, key):
    return _is_without_doubt(np.uint64(seed), np.uint64(key), n, np.zeros(deal.SCRATCH_WORDS, np.uint64))


def test_first_cards_of_seed_0_key_0():
    first = [11, 132, 16, 36, 17, 157, 52, 40, 38, 69, 83, 29]
    assert plain(162, 0, 0)[:12] == first
    assert fast(162, 0, 0)[:12] == first
    assert kinds(162, 0, 0)[:12] == [card % 54 for card in first]


def test_thousand_decks():
    n = count(1000, 30)
    out = np.zeros((n, 162), np.uint8)
    deal.deals(20240101, 0, out)
    decks = [naive.shuffle(162, 20240101, key) for key in range(1000)]
    assert out.tolist() == decks[:n]
    digest = hashlib.sha256(b"".join(map(bytes, decks))).hexdigest()
    assert digest == "f1a112393c203fb2ae65af4b9eb0e9230e1a93323e0b4fd8212c88f25a682025"


@pytest.mark.parametrize(("n", "key"), REJECTED)
def test_rejection_takes_the_next_word(n, key):
    assert naive.n_words_of_shuffle(n, 0, key) == n  # one more than n - 1
    assert not goes_the_fast_way(n, 0, key)
    expected = naive.shuffle(n, 0, key)
    assert plain(n, 0, key) == expected
    assert fast(n, 0, key) == expected
    assert kinds(n, 0, key) == [card % 54 for card in expected]


@pytest.mark.parametrize(("n", "key"), DOUBTED)
def test_doubt_without_rejection(n, key):
    assert naive.n_words_of_shuffle(n, 0, key) == n - 1
    assert not goes_the_fast_way(n, 0, key)
    expected = naive.shuffle(n, 0, key)
    assert plain(n, 0, key) == expected
    assert fast(n, 0, key) == expected
    assert kinds(n, 0, key) == [card % 54 for card in expected]


def test_doubt_is_rare():
    """About n^2 / 2 of 2^32 decks leave the fast way: two of the first 118,392 keys do."""
    n = count(118_392, 20)
    assert sum(not goes_the_fast_way(162, 0, key) for key in range(n)) == count(2, 0)


@pytest.mark.parametrize("n", DECK_SIZES)
@given(seed=words_64, key=words_64, attempt=st.integers(0, 255))
def test_three_forms_agree_on_whole_packs(n, seed, key, attempt):
    expected = naive.shuffle(n, seed, key, attempt)
    assert plain(n, seed, key, attempt) == expected
    assert fast(n, seed, key, attempt) == expected
    assert kinds(n, seed, key, attempt) == [card % 54 for card in expected]


@pytest.mark.parametrize("n", [*range(1, 40), 128, 129, 130, 255, 256])
def test_any_number_of_cards(n):
    for key in range(3):
        expected = naive.shuffle(n, 8, key)
        assert plain(n, 8, key) == expected
        assert fast(n, 8, key) == expected


@pytest.mark.parametrize("seed", [0, 7, 2**63, 2**64 - 1])
@pytest.mark.parametrize("first_key", [0, 1000, 2**63 - 1, 2**64 - 2])
def test_batch_row_is_the_deal_of_its_key(seed, first_key):
    out = np.zeros((3, 162), np.uint8)
    deal.deals(seed, first_key, out)
    assert out.tolist() == [naive.shuffle(162, seed, (first_key + row) % 2**64) for row in range(3)]


def test_scratch_and_output_of_earlier_deals_do_not_matter():
    scratch = np.full(deal.SCRATCH_WORDS, 2**64 - 1, np.uint64)
    out = np.full(162, 255, np.uint8)
    from_host(deal.deal_cards)(np.uint64(3), np.uint64(4), 0, out, scratch)
    from_host(deal.deal_cards)(np.uint64(3), np.uint64(5), 0, out, scratch)
    assert out.tolist() == naive.shuffle(162, 3, 5)


def test_g3_1_every_card_is_as_likely_in_every_place():
    """Chi-squared of card by place, n - 1 free in each of n places."""
    n_decks, n = count(200_000, 200), 54
    out = np.zeros((n_decks, n), np.uint8)
    deal.deals(1, 0, out)
    assert (np.sort(out, axis=1) == np.arange(n)).all()
    table = np.zeros((n, n), np.int64)
    np.add.at(table, (np.arange(n)[None, :], out), 1)
    mean = n_decks / n
    chi_squared = ((table - mean) ** 2 / mean).sum()
    free = (n - 1) ** 2
    assert abs(chi_squared - free) < 5 * math.sqrt(2 * free)


def test_g3_1_neighbours_are_independent():
    """Ordered pairs of the first two cards are equally likely."""
    n_decks, n = count(200_000, 200), 54
    out = np.zeros((n_decks, n), np.uint8)
    deal.deals(2, 0, out)
    pairs = np.bincount(out[:, 0].astype(np.int64) * n + out[:, 1], minlength=n * n).reshape(n, n)
    assert (pairs.diagonal() == 0).all()
    unequal = pairs[~np.eye(n, dtype=bool)]
    mean = n_decks / unequal.size
    chi_squared = ((unequal - mean) ** 2 / mean).sum()
    free = unequal.size - 1
    assert abs(chi_squared - free) < 5 * math.sqrt(2 * free)
