"""Naive twin of the sampler's counting: whole numbers, one kind after another, every state of room in a table."""

import math
from collections import Counter
from itertools import product


def n_ways(facts):
    """
    Ways to lay the unseen cards of a FACTS record that keep its facts, as an exact integer.

    Kept are those about single kinds and the first about several.
    """
    has_sum = int(facts["n_sums"]) > 0
    locations = [n for n in range(4) if has_sum and int(facts["sum_locations"][0]) >> n & 1]
    states = {(tuple(int(n) for n in facts["capacity"]), 0): 1}
    for place in range(facts["unseen"].size):
        n_copies = int(facts["unseen"][place])
        splits = [split for split in product(range(n_copies + 1), repeat=4) if sum(split) == n_copies]
        splits = [split for split in splits if is_allowed(facts, place, split)]
        in_sum = has_sum and int(facts["sum_places"][0]) >> place & 1
        after = Counter()
        for (room, total), ways in states.items():
            for split in splits:
                n_more = sum(split[location] for location in locations) if in_sum else 0
                left = tuple(n - n_here for n, n_here in zip(room, split))
                if min(left) >= 0:
                    share = math.factorial(n_copies)
                    for n_here in split:
                        share //= math.factorial(n_here)
                    after[left, total + n_more] += ways * share
        states = after
    least, most = (int(facts["sum_least"][0]), int(facts["sum_most"][0])) if has_sum else (0, 0)
    return sum(ways for (room, total), ways in states.items() if room == (0, 0, 0, 0) and least <= total <= most)


def is_allowed(facts, place, split):
    """Whether a split of one kind's unseen copies over the four locations keeps the facts about that kind."""
    if not all(int(facts["allowed"][location, place]) >> n & 1 for location, n in enumerate(split)):
        return False
    dealer = int(facts["joint_location"])
    return dealer > 3 or bool(int(facts["joint"][place]) >> (split[dealer] + split[3]) & 1)
