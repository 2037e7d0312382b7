"""
G17's counts on a million deals, against exact hypergeometric values, and the points of whole hands.

A mean or share may lie five standard errors from its exact value; the errors are exact too.
"""

from dataclasses import replace
from functools import cache
from math import comb, sqrt

import numpy as np
import pytest
from counts import count
from from_host import host_njit

from gunzi.kernel_records import STANDARD, kernel_rules
from gunzi_sim import games
from gunzi_sim.cards import BIG, SMALL
from gunzi_sim.cards import card_points as points_of_kind
from gunzi_sim.game import Job, PolicySpec, Situation
from gunzi_sim.gunzi import engine, referee
from gunzi_sim.gunzi.bottom import is_dry_pot
from gunzi_sim.gunzi.play import PLAN_START, PLAN_STOP
from gunzi_sim.gunzi.rules import DryPot
from gunzi_sim.gunzi.view import GROUPS, MIN_LEVEL, PLACE_OF, ROW, TRUMPS

N_DEALS = count(1_000_000, 2_000)
CHUNK = count(100_000, 2_000)
N_CARDS, N_HAND, N_BOTTOM = 162, 39, 6
LEVEL, TRUMP = 5, 0
Z_LIMIT = 5
PLACES = PLACE_OF[LEVEL - MIN_LEVEL, TRUMP]
IS_TRUMP = np.array([int(TRUMPS) >> int(place) & 1 for place in PLACES], np.uint8)
POINTS = np.array([points_of_kind(kind) for kind in range(54)], np.uint8)
DRY_KINDS = {DryPot.SIDE_OR_PERMANENT: (99 + 18, 18), DryPot.NO_MAIN_SUIT: (N_CARDS - 33, 63 - 33)}
"""Cards of which a bottom may consist besides six trumps, and how many of those are trumps (G7.2)."""


@host_njit
def count_dry(rules, bottoms, places):
    """Number of bottoms, rows of kinds, that are dry pots."""
    n_dry = 0
    for i in range(len(bottoms)):
        plane = np.uint64(0)
        for j in range(bottoms.shape[1]):
            plane |= np.uint64(1) << np.uint64(places[bottoms[i, j]])
        if is_dry_pot(rules, plane):
            n_dry += 1
    return n_dry


@cache
def tallies():
    """
    What a million deals show, summed: `hands` by seat, `bottom` and `dry` by option.

    Histograms are int64[n]: numbers of jokers, of trumps; sums are ints.
    """
    rules = {option: kernel_rules(replace(STANDARD, dry_pot=option)) for option in DryPot}
    big, small, trumps = np.zeros((4, 4), np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    bottom_points, pointless, jokers = 0, 0, np.zeros(7, np.int64)
    dry = dict.fromkeys(DryPot, 0)
    cards = np.zeros((CHUNK, N_CARDS), np.uint8)
    for start in range(0, N_DEALS, CHUNK):
        engine.deal_batch(17, start, cards)
        kinds = cards % 54
        hands, bottoms = kinds[:, :156].reshape(CHUNK, N_HAND, 4), kinds[:, 156:]
        for seat in range(4):
            hand = hands[:, :, seat]
            n_big, n_small = (hand == BIG).sum(1), (hand == SMALL).sum(1)
            big[seat] += np.bincount(n_big, minlength=4)
            small[seat] += np.count_nonzero((n_big == 0) & (n_small > 0))
            trumps[seat] += IS_TRUMP[hand].sum(dtype=np.int64)
        points = POINTS[bottoms].sum(1, dtype=np.int64)
        bottom_points += int(points.sum())
        pointless += int(np.count_nonzero(points == 0))
        jokers += np.bincount((bottoms >= SMALL).sum(1), minlength=7)
        for option in DryPot:
            dry[option] += int(count_dry(rules[option], np.ascontiguousarray(bottoms), PLACES))
    return {"big": big, "small": small, "trumps": trumps, "points": bottom_points, "pointless": pointless,
            "jokers": jokers, "dry": dry}  # fmt: skip


def hypergeometric(k, n_marked, n_drawn):
    """Probability of k marked cards among those drawn from the whole deck."""
    return comb(n_marked, k) * comb(N_CARDS - n_marked, n_drawn - k) / comb(N_CARDS, n_drawn)


def is_near_share(n_hits, exact):
    return abs(n_hits - N_DEALS * exact) <= Z_LIMIT * sqrt(N_DEALS * exact * (1 - exact))


def is_near_sum(total, mean, variance):
    return abs(total - N_DEALS * mean) <= Z_LIMIT * sqrt(N_DEALS * variance)


def moments(values, n_drawn):
    """Exact mean and variance of the sum of n cards drawn from the deck, each worth its value."""
    values = np.repeat(np.asarray(values, float), 3)
    share = n_drawn / N_CARDS
    return n_drawn * values.mean(), n_drawn * values.var() * (1 - share) * N_CARDS / (N_CARDS - 1)


def test_g17_numbers_of_trumps_and_side_cards():
    assert 3 * IS_TRUMP.sum() == 63
    assert [3 * sum(int(GROUPS[group]) >> int(place) & 1 for place in PLACES) for group in range(4)] == [33, 33, 33, 63]
    assert 3 * POINTS.sum() == 300


def test_g17_points_of_a_random_bottom():
    mean, variance = moments(POINTS, N_BOTTOM)
    assert round(mean, 2) == 11.11
    assert is_near_sum(tallies()["points"], mean, variance)
    exact = hypergeometric(0, 36, N_BOTTOM)
    assert round(exact, 3) == 0.215
    assert is_near_share(tallies()["pointless"], exact)


@pytest.mark.parametrize(("n_jokers", "rounded"), [(0, 0.794), (1, 0.189), (2, 0.016)])
def test_g17_jokers_of_a_random_bottom(n_jokers, rounded):
    exact = hypergeometric(n_jokers, 6, N_BOTTOM)
    assert round(exact, 3) == rounded
    assert is_near_share(tallies()["jokers"][n_jokers], exact)


@pytest.mark.parametrize("seat", range(4))
@pytest.mark.parametrize(("n_big", "rounded"), [(0, 0.435), (1, 0.421), (2, 0.131), (3, 0.013)])
def test_g17_big_jokers_of_a_hand(n_big, rounded, seat):
    exact = hypergeometric(n_big, 3, N_HAND)
    assert round(exact, 3) == rounded
    assert is_near_share(tallies()["big"][seat, n_big], exact)


@pytest.mark.parametrize("seat", range(4))
def test_g17_trumps_of_a_hand(seat):
    mean, variance = moments(IS_TRUMP, N_HAND)
    assert round(mean, 2) == 15.17
    assert is_near_sum(tallies()["trumps"][seat], mean, variance)


@pytest.mark.parametrize("seat", range(4))
def test_g17_no_big_but_a_small_joker(seat):
    exact = hypergeometric(0, 3, N_HAND) - hypergeometric(0, 6, N_HAND)
    assert round(exact, 3) == 0.249
    assert is_near_share(tallies()["small"][seat], exact)


@pytest.mark.parametrize(
    ("option", "rounded"), [(DryPot.SIDE_OR_PERMANENT, 0.140), (DryPot.NO_MAIN_SUIT, 0.252)], ids=lambda x: str(x)
)
def test_g17_dry_pots_of_a_random_bottom(option, rounded):
    n_kept, n_both = DRY_KINDS[option]
    exact = (comb(63, N_BOTTOM) + comb(n_kept, N_BOTTOM) - comb(n_both, N_BOTTOM)) / comb(N_CARDS, N_BOTTOM)
    assert round(exact, 3) == rounded
    assert is_near_share(tallies()["dry"][option], exact)


def test_g7_2_no_bottom_is_dry_where_dry_pots_are_off():
    assert tallies()["dry"][DryPot.OFF] == 0


# --- points of whole hands -------------------------------------------------------------------------------------------


def hands_job(policy, first_hand):
    situation = Situation(first_hand=first_hand, owed=0 if first_hand else 2)
    return Job("gunzi", STANDARD, (PolicySpec(policy),) * 4, 17, "hands", situation)


@pytest.mark.parametrize("policy", ["random", "basic", "counting"])
@pytest.mark.parametrize("first_hand", [True, False])
def test_g17_all_points_are_taken_or_lie_in_the_bottom(policy, first_hand):
    job = hands_job(policy, first_hand)
    bench = engine._bench(job, engine.known_policies())
    rows = np.zeros(1, ROW)
    for unit in range(count(100, 5)):
        bench.plan[PLAN_START], bench.plan[PLAN_STOP] = unit, unit + 1
        assert engine._call(bench, engine._kinds(job, unit, unit + 1), rows) == 0
        state = bench.state[0]
        assert state["trick_points"] + state["dealer_points"] + state["bottom_points"] == 300
        assert rows["attacker_points"][0] == state["trick_points"] + 2 * state["dig"] * state["bottom_points"]


@pytest.mark.parametrize("policy", ["random", "basic", "counting"])
def test_g17_points_by_the_cards_of_the_tricks(policy):
    for unit in range(count(40, 4)):
        ((record, row),) = games.get("gunzi").traced(hands_job(policy, False), unit)
        result = referee.derive(record)
        tricks = [sum(points_of_kind(kind) for play in record["plays"][4 * n : 4 * n + 4] for kind in play)
                  for n in range(len(result["winners"]))]  # fmt: skip
        won = [sum(points for points, seat in zip(tricks, result["winners"]) if seat % 2 == side) for side in (0, 1)]
        attackers, bottom = 1 - int(row["dealer"]) % 2, int(row["bottom_points"])
        assert won[0] + won[1] + bottom == 300
        assert row["attacker_points"] == won[attackers] + 2 * int(row["dig"]) * bottom
