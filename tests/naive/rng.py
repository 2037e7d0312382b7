"""`gunzi-rng/1` in Python integers: the published Philox4x32-10 (Salmon et al. 2011), one step a line."""

import itertools

WORD = 2**32


def philox4x32(counter, key, n_rounds=10):
    """Four words from four counter words and two key words."""
    a, b, c, d = counter
    x, y = key
    for _ in range(n_rounds):
        high_a, low_a = divmod(0xD2511F53 * a, WORD)
        high_c, low_c = divmod(0xCD9E8D57 * c, WORD)
        a, b, c, d = high_c ^ b ^ x, low_c, high_a ^ d ^ y, low_a
        x = (x + 0x9E3779B9) % WORD
        y = (y + 0xBB67AE85) % WORD
    return [a, b, c, d]


def block(seed, key, stream, number):
    """Block `number` of a word stream."""
    return philox4x32([number, stream, key % WORD, key // WORD], [seed % WORD, seed // WORD])


def words(seed, key, stream):
    """Endless iterator over the words of a stream."""
    for number in itertools.count():
        yield from block(seed, key, stream, number)


def below(stream_words, n):
    """Uniform integer below n from an iterator over words; a word with its low product below 2^32 mod n is skipped."""
    while True:
        high, low = divmod(next(stream_words) * n, WORD)
        if low >= WORD % n:
            return high


def shuffle(n, seed, key, attempt=0):
    """The cards 0 ... n - 1 in dealing order."""
    draws = words(seed, key, attempt)
    deck = list(range(n))
    for i in range(n - 1, 0, -1):
        j = below(draws, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def n_words_of_shuffle(n, seed, key, attempt=0):
    """How many words a shuffle takes: n - 1, and one more for each rejection."""
    counted = itertools.count()
    draws = (word for word, _ in zip(words(seed, key, attempt), counted, strict=False))
    for i in range(n - 1, 0, -1):
        below(draws, i + 1)
    return next(counted)
