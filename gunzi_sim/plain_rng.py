"""
`gunzi-rng/1` in plain integers, as its definition reads: slow, and there before anything is compiled or imported.

`demo` shows a deal with it before the kernels compile, `doctor` compares the kernels with it. The kernels' form, and
what a stream is, stand in `rng` and `deal`.
"""

from collections.abc import Iterator

MASK = (1 << 32) - 1
N_ROUNDS = 10


def block(seed: int, key: int, stream: int, number: int) -> tuple[int, int, int, int]:
    """The four 32-bit words of one block: Philox4x32-10 of the counter (number, stream, key)."""
    k0, k1 = seed & MASK, seed >> 32
    c0, c1, c2, c3 = number, stream, key & MASK, key >> 32
    for _ in range(N_ROUNDS):
        p0, p1 = c0 * 0xD2511F53, c2 * 0xCD9E8D57
        c0, c1, c2, c3 = (p1 >> 32) ^ c1 ^ k0, p1 & MASK, (p0 >> 32) ^ c3 ^ k1, p0 & MASK
        k0, k1 = (k0 + 0x9E3779B9) & MASK, (k1 + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def words(seed: int, key: int, stream: int) -> Iterator[int]:
    """The word stream of a (seed, key, stream), without end."""
    number = 0
    while True:
        yield from block(seed, key, stream, number)
        number += 1


def below(stream: Iterator[int], n: int) -> int:
    """An integer 0 … n - 1 from the next word; a word that would favour some is rejected, and the next one taken."""
    while True:
        product = next(stream) * n
        if product & MASK >= (1 << 32) % n:
            return product >> 32


def shuffled(n_cards: int, seed: int, key: int, attempt: int = 0) -> list[int]:
    """The cards 0 … n_cards - 1 in dealing order."""
    stream = words(seed, key, attempt)
    deck = list(range(n_cards))
    for i in range(n_cards - 1, 0, -1):
        j = below(stream, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck
