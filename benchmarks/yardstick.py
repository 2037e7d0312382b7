"""
The yardstick: one plain scalar 162-card shuffle on gunzi-rng/1 (`gunzi_sim.deal.plain_shuffle`), which nobody tunes.

Speeds of the engine are given as multiples of it, timed in the same run, so that machines can be compared. The
kernel stands in the package, where `gunzi-sim bench` finds it too; this script times it alone, beside the fast forms.

    python benchmarks/yardstick.py
"""

import time

import numpy as np

from gunzi_sim import deal, rng
from gunzi_sim.jit import njit

N_CARDS = 162
N_STREAMS = 160


@njit(for_host=True)
def _cards(n, out_cards, scratch):
    for key in range(n):
        deal.deal_cards(np.uint64(0), np.uint64(key), 0, out_cards, scratch)


@njit(for_host=True)
def _kinds(n, out_cards, scratch):
    for key in range(n):
        deal.deal_kinds(np.uint64(0), np.uint64(key), 0, out_cards, scratch)


@njit(for_host=True)
def _blocks(n, streams, out_lo, out_hi):
    for key in range(n):
        rng.fill_blocks(np.uint64(0), np.uint64(key), streams, out_lo, out_hi)


def best_ns(kernel, *arrays, n=500, repeats=400):
    """Nanoseconds of one of `n` calls inside `kernel(n, *arrays)`, the best of many short pieces."""
    kernel(1, *arrays)
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter_ns()
        kernel(n, *arrays)
        best = min(best, time.perf_counter_ns() - start)
    return best / n


def time_yardstick():
    """Nanoseconds of one yardstick shuffle."""
    return best_ns(lambda n, cards: deal.plain_shuffles(0, 0, n, cards), np.zeros(N_CARDS, np.uint8))


def main():
    """Print the yardstick and what is measured beside it."""
    cards, scratch = np.zeros(N_CARDS, np.uint8), np.zeros(deal.SCRATCH_WORDS, np.uint64)
    streams = np.arange(N_STREAMS, dtype=np.uint64)
    yardstick = time_yardstick()
    print(f"plain shuffle, the yardstick     {yardstick:8.1f} ns")
    for name, kernel in (("fast deal of cards", _cards), ("fast deal of kinds", _kinds)):
        elapsed = best_ns(kernel, cards, scratch)
        print(f"{name:30s}   {elapsed:8.1f} ns   {elapsed / yardstick:5.2f} yardsticks")
    elapsed = best_ns(_blocks, streams, np.zeros_like(streams), np.zeros_like(streams), n=200) / N_STREAMS
    print(f"one of {N_STREAMS} blocks filled together   {elapsed:8.2f} ns")


if __name__ == "__main__":
    main()
