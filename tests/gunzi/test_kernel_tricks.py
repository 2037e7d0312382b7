"""The compiled rules of sets, leading, following and winning (G9 to G11): G16's examples, and against the referee."""

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from counts import count
from from_host import from_host

from gunzi.kernel_records import cards_at, clause, kinds, planes
from gunzi.random_records import DECK
from gunzi_sim.cards import card_points as points_of_kind
from gunzi_sim.gunzi import referee_play, tricks
from gunzi_sim.gunzi.rules import Follow
from gunzi_sim.gunzi.view import BEATS, CLASSES, FIVES, GROUPS, KIND_AT, MIN_LEVEL, PLACE_OF, SIDE, TENS, TRUMPS

add, card_points, lead_fault, remove, several_fault, single_fault = map(
    from_host,
    (tricks.add, tricks.card_points, tricks.lead_fault, tricks.remove, tricks.several_fault, tricks.single_fault),
)
ORDERS = [(level, trump) for level in range(3, 15) for trump in range(4)]
SPADES = 0


def led_places(led, level=5, trump=SPADES):
    """Places of the suit of the first card led."""
    place = int(PLACE_OF[level - MIN_LEVEL, trump, kinds(led)[0]])
    return GROUPS[min(place // 12, 3)]


def follow_clause(hand, led, play, strict=True, level=5, trump=SPADES):
    """Clause that a follow breaks, "" for none, by the functions that `play` uses."""
    h, q = planes(hand, level, trump), planes(play, level, trump)
    places, n_cards = led_places(led, level, trump), len(kinds(led))
    if n_cards == 1:
        return clause(single_fault(h[0], q[0], q[1] | q[2], places))
    return clause(several_fault(*h, *q, places, n_cards, strict))


def legal_follows(hand, led, strict=True):
    """All legal answers to a lead as sets of sorted kinds."""
    n_cards = len(kinds(led))
    plays = {tuple(sorted(play)) for play in itertools.combinations(kinds(hand), n_cards)}
    return {play for play in plays if follow_clause(hand, led, play, strict) == ""}


def sets(*plays):
    return {tuple(sorted(kinds(play))) for play in plays}


def winner(plays, level=5, trump=SPADES):
    """Position of the winning play by BEATS, as `play_tricks` finds it."""
    n_cards = len(kinds(plays[0]))
    best = 0
    beating = BEATS[PLACE_OF[level - MIN_LEVEL, trump, kinds(plays[0])[0]]]
    for position in (1, 2, 3):
        hits = planes(plays[position], level, trump)[n_cards - 1] & beating
        if hits:
            best, beating = position, BEATS[int(hits).bit_length() - 1]
    return best


# --- G9: order of cards ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("level", "trump"), ORDERS)
def test_g9_1_places_are_in_the_order_of_the_cards(level, trump):
    order = referee_play.order_of(level, trump)
    at = PLACE_OF[level - MIN_LEVEL, trump]
    assert len(set(at.tolist())) == 54
    for kind in range(54):
        assert KIND_AT[level - MIN_LEVEL, trump, at[kind]] == kind
        assert bool(int(TRUMPS) >> int(at[kind]) & 1) == (order.suit[kind] == referee_play.TRUMP)
        strength_class = [i for i in range(len(CLASSES)) if int(CLASSES[i]) >> int(at[kind]) & 1]
        assert len(strength_class) == 1
    classes = {kind: next(i for i in range(len(CLASSES)) if int(CLASSES[i]) >> int(at[kind]) & 1) for kind in range(54)}
    for one, two in itertools.combinations(range(54), 2):
        if order.strength[one] == order.strength[two]:
            assert classes[one] == classes[two]
        else:
            assert (classes[one] < classes[two]) == (order.strength[one] < order.strength[two])


def test_g9_1_and_g9_2_numbers_of_kinds():
    for level, trump in ORDERS:
        places = PLACE_OF[level - MIN_LEVEL, trump].tolist()
        assert sum(int(TRUMPS) >> place & 1 for place in places) == 21
        for group in range(3):
            assert sum(int(GROUPS[group]) >> place & 1 for place in places) == 11
    assert int(SIDE) & int(TRUMPS) == 0


def test_g9_1_the_whole_trump_order_at_level_5_with_spades():
    falling = "JB JS S5 H5 S2 H2 SA SK SQ SJ ST S9 S8 S7 S6 S4 S3".split()
    places = [int(planes(name)[0]) for name in falling]
    assert places == sorted(places, reverse=True)
    for equals in ("H5 D5 C5", "H2 D2 C2"):
        assert any(int(planes(equals)[0]) == int(places_) for places_ in CLASSES)


def test_g1_3_points_at_every_level_and_trump():
    for level, trump in ORDERS:
        at = level - MIN_LEVEL
        for kind in range(54):
            for n in (1, 2, 3):
                found = card_points(*planes([kind] * n, level, trump), FIVES[at], TENS[at])
                assert found == n * points_of_kind(kind)
        assert card_points(*planes(DECK, level, trump), FIVES[at], TENS[at]) == 300


def test_g10_3_sets_add_and_remove_copies():
    rng = random.Random(10)
    for _ in range(count(1000, 300)):
        cards = rng.sample(DECK, 60)
        part = cards[: rng.randrange(61)]
        rest = cards[len(part) :]
        assert list(add(*planes(part), *planes(rest))) == planes(cards)
        assert list(remove(*planes(cards), *planes(part))) == planes(rest)


# --- G10: leading ----------------------------------------------------------------------------------------------------

LEADER = "H8x3 HK S5 D5 JB JS C9x2 JBx2"


@pytest.mark.parametrize("lead", ["H8", "H8x2", "H8x3", "C9x2", "JBx3", "JS", "S5", "D5"])
def test_g10_1_single_pair_and_triple_of_identical_cards_may_be_led(lead):
    assert clause(lead_fault(*planes(LEADER), *planes(lead))) == ""


@pytest.mark.parametrize("lead", ["", "S5 D5", "JB JS", "H8 HK", "H8x2 HK", "C9x3", "HKx2", "SA", "H8 C9", "JSx2"])
def test_g10_1_nothing_else_may_be_led_nor_cards_not_held(lead):
    assert clause(lead_fault(*planes(LEADER), *planes(lead))) == "G10.1"


def test_g10_1_planes_that_are_no_set_are_no_lead():
    pair = planes("H8x2")
    assert clause(lead_fault(*planes(LEADER), np.uint64(0), pair[1], pair[2])) == "G10.1"
    assert clause(lead_fault(*planes(LEADER), pair[0], np.uint64(0), pair[1])) == "G10.1"
    assert clause(lead_fault(*planes(LEADER), pair[0] | np.uint64(1 << 60), pair[2], pair[2])) == "G10.1"


# --- G16: following --------------------------------------------------------------------------------------------------


def test_g16_lead_h7_hand_h9_h2_only_h9():
    assert legal_follows("H9 H2", "H7") == sets("H9")
    assert follow_clause("H9 H2", "H7", "H2") == "G10.3"


def test_g16_lead_s7_c9_is_illegal_where_trumps_are_held():
    assert legal_follows("H5 D2 C9", "S7") == sets("H5", "D2")
    assert follow_clause("H5 D2 C9", "S7", "C9") == "G10.3"


@pytest.mark.parametrize("strict", [True, False])
def test_g16_a_lone_heart_and_any_other(strict):
    assert legal_follows("H3 C4 C6 JS", "H8x2", strict) == sets("H3 C4", "H3 C6", "H3 JS")
    assert follow_clause("H3 C4 C6 JS", "H8x2", "C4 C6", strict) == "G10.3"


def test_g16_a_pair_must_be_played_under_strict_following():
    assert legal_follows("H6x2 H9", "H8x2") == sets("H6x2")
    assert follow_clause("H6x2 H9", "H8x2", "H6 H9") == "G10.4"
    assert legal_follows("H6x2 H9", "H8x2", strict=False) == sets("H6x2", "H6 H9")  # G10.5


def test_g16_a_triple_need_not_be_broken_for_a_pair():
    assert legal_follows("H9x3 H3", "H8x2") == sets("H9 H3", "H9x2")
    assert legal_follows("H9x3 C4", "H8x2") == sets("H9x2")


def test_g16_a_pair_may_come_from_a_triple():
    assert legal_follows("H3x3 HTx2 H7", "H8x2") == sets("HTx2", "H3x2")
    assert follow_clause("H3x3 HTx2 H7", "H8x2", "H3 H7") == "G10.4"


def test_g16_following_a_triple():
    assert legal_follows("H6x2 H9", "H8x3") == sets("H6x2 H9")
    assert legal_follows("H6x2 C4 C7 JB", "H8x3") == sets("H6x2 C4", "H6x2 C7", "H6x2 JB")
    assert legal_follows("H6x2 H9x2 HJ", "H8x3") == sets("H6x2 H9", "H6x2 HJ", "H9x2 H6", "H9x2 HJ")
    assert legal_follows("H6x3 H9x2 HJ", "H8x3") == sets("H6x3")
    assert follow_clause("H6x3 H9x2 HJ", "H8x3", "H9x2 HJ") == "G10.4"
    assert legal_follows("H3 H4 H6 H7", "H8x3") == sets("H3 H4 H6", "H3 H4 H7", "H3 H6 H7", "H4 H6 H7")


def test_g10_3_number_of_cards_and_cards_held():
    assert follow_clause("H9 H3 C4", "H8", "H9 H3") == "G10.3"
    assert follow_clause("H9 H3 C4", "H8", "") == "G10.3"
    assert follow_clause("H9 H3 C4", "H8", "HA") == "G10.3"
    assert follow_clause("H9 H3 C4", "H8x2", "H9 H3 C4") == "G10.3"
    assert follow_clause("H9 H3 C4", "H8x2", "H9x2") == "G10.3"
    assert follow_clause("H9 C4 C6", "H8x3", "H9 C4") == "G10.3"
    assert legal_follows("C4 D9", "H8") == sets("C4", "D9")


# --- G16, G11: winning -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plays", "expected"),
    [
        (["H5", "D5", "C5", "H6"], 0),  # other level cards are equal: the leader wins
        (["HK", "CA", "H3", "H4"], 0),
        (["HK", "CA", "HA", "HA"], 2),  # of equal plays the earlier
        (["HK", "S3", "HA", "S4"], 3),
        (["HK", "D2", "C2", "H2"], 1),  # other 2s are equal
        (["D2", "S2", "C5", "S5"], 3),
        (["S5", "JS", "JB", "JB"], 2),
        (["SA", "D2", "SK", "SQ"], 1),
        (["H8x2", "JB JS", "S3x2", "H9 HT"], 2),  # big and small joker are no pair
        (["H8x2", "JB JS", "H9 HT", "HA HK"], 0),
        (["H8x2", "S5 D5", "H9x2", "DAx2"], 2),
        (["H8x3", "S3x2 S4", "H9x2 HT", "JBx3"], 3),
        (["H8x3", "HAx3", "S3x3", "CAx3"], 2),
        (["C3", "D4", "HA", "DA"], 0),
    ],
)
def test_g11_1_and_g16_who_wins(plays, expected):
    assert winner(plays) == expected
    assert referee_play.trick_winner(0, [kinds(play) for play in plays], 5, SPADES) == expected


@pytest.mark.parametrize(("level", "trump"), ORDERS)
def test_g11_1_every_card_against_every_other(level, trump):
    for lead in range(54):
        beaten = [
            kind
            for kind in range(54)
            if referee_play.trick_winner(0, [[lead], [kind], [lead], [lead]], level, trump) == 1
        ]
        assert cards_at(BEATS[PLACE_OF[level - MIN_LEVEL, trump, lead]], level, trump) == beaten, lead


def test_g10_3_to_g10_5_agree_with_the_referee_on_random_hands():
    rng = random.Random(103)
    seen = Counter()
    for _ in range(count(6000, 1500)):
        level, trump = rng.choice(ORDERS)
        order = referee_play.order_of(level, trump)
        few = rng.sample(range(54), rng.randint(2, 9))
        hand = rng.sample([kind for kind in few for _ in range(3)], rng.randint(1, min(12, 3 * len(few))))
        lead_kind = rng.choice([*few, rng.randrange(54)])
        n_cards = rng.randint(1, 3)
        held = rng.sample(hand, min(len(hand), n_cards))
        play = held if rng.random() < 0.9 else [rng.randrange(54) for _ in range(rng.randint(1, 3))]
        if max(Counter(play).values()) > 3:
            continue
        strict = rng.random() < 0.7
        led = [lead_kind] * n_cards
        fault = referee_play.follow_fault(Counter(hand), led, play, order, Follow.STRICT if strict else Follow.LOOSE)
        expected = fault.clause if fault else ""
        assert follow_clause(hand, led, play, strict, level, trump) == expected, (hand, led, play, level, trump, strict)
        seen[expected] += 1
    assert set(seen) == {"", "G10.3", "G10.4"}
