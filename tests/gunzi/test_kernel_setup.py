"""The compiled clauses before play: claim and flips (G4), declarations (G5), tribute (G6), bottom (G7, G8)."""

import itertools
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from counts import count
from from_host import from_host

from gunzi.kernel_records import (
    STANDARD,
    at_level,
    call,
    cards_at,
    clause,
    kernel_rules,
    kernel_state,
    kinds,
    planes,
    planes_by_kind,
)
from gunzi.random_records import DECK, random_deck, random_rules
from gunzi_sim.cards import BIG, NOBODY, SMALL
from gunzi_sim.gunzi import referee_play, referee_setup
from gunzi_sim.gunzi.bidding import (
    declaration_fault,
    draw_for_suit,
    find_kinds,
    flip_for_dealer,
    flip_rank,
    held_declarations,
    legal_declarations,
    suit_after_claim,
)
from gunzi_sim.gunzi.bottom import (
    burial_fault,
    count_bottom,
    direct_tribute,
    is_dry_pot,
    joker_fault,
    payable_places,
)
from gunzi_sim.gunzi.play import sort_hands
from gunzi_sim.gunzi.rules import PRESETS, DryPot, FirstFlip, GunziRules, TributePoints
from gunzi_sim.gunzi.state import VOID_DEAL
from gunzi_sim.gunzi.tricks import count as n_cards_of
from gunzi_sim.gunzi.tricks import fits_cut, highest_cut, lowest_cut, return_cut
from gunzi_sim.gunzi.view import FIVES, JOKER_PLACES, MIN_LEVEL, TENS, THREE_BIG, THREE_SMALL

SPADES, HEARTS, DIAMONDS, CLUBS = range(4)


def with_deck(rules, cards, **fields):
    """A state that holds a deck whose bottom is the given cards; the rest in any order, or a whole deck of kinds."""
    cards = kinds(cards)
    if len(cards) < 162:
        rest = Counter(DECK)
        rest.subtract(cards)
        cards = [*rest.elements(), *cards]
    state = kernel_state(rules, **fields)
    state["decks"][0, 0, :162] = cards
    return state


# --- G4: the first hand ----------------------------------------------------------------------------------------------


def test_g4_3_order_of_flips():
    rising = kinds("H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA H2 JS JB")
    ranks = [from_host(flip_rank)(kind) for kind in rising]
    assert all(low < high for low, high in itertools.pairwise(ranks))
    assert len({int(from_host(flip_rank)(kind)) for kind in kinds("S2 H2 D2 C2")}) == 1


def flip(bottom, first_seat=0, first_flip=FirstFlip.SMALLEST):
    state = with_deck(
        replace(STANDARD, first_flip=first_flip), bottom, first_seat=first_seat, dealer=NOBODY, trump=NOBODY
    )
    if not call(flip_for_dealer, state):
        assert state["status"][0] == VOID_DEAL
        return None
    for view in state["views"][0]:
        assert [int(kind) - 1 for kind in view["flipped"]] == [*kinds(bottom)[:4], -1, -1]  # G4.4: four are public
    assert state["exposed"][0] == 0  # G4.4
    return int(state["dealer"][0]), int(state["trump"][0])


@pytest.mark.parametrize("first_seat", range(4))
@pytest.mark.parametrize(
    ("bottom", "smallest", "largest"),
    [
        ("H4 S3 DK C9 S4 S5", (1, SPADES), (2, DIAMONDS)),
        ("H4 D4 S4 C4 H3 HA", (0, HEARTS), (0, HEARTS)),  # equal: the earlier flip; b4 and b5 are not flipped
        ("D2 SA HA C2 H3 H4", (1, SPADES), (0, DIAMONDS)),  # 2s above aces
        ("JS JB C2 JS H3 H4", (2, CLUBS), (2, CLUBS)),  # jokers above 2s, but ignored where the largest wins
        ("HT JB H9 H5 S3 S3", (3, HEARTS), (0, HEARTS)),
        ("SQ HK DK CQ C3 C3", (0, SPADES), (1, HEARTS)),
    ],
)
def test_g4_3_the_smallest_flip_or_the_largest_suited_one(bottom, smallest, largest, first_seat):
    for option, (place, suit) in {FirstFlip.SMALLEST: smallest, FirstFlip.LARGEST: largest}.items():
        assert flip(bottom, first_seat, option) == ((first_seat + place) % 4, suit)


@pytest.mark.parametrize("option", FirstFlip)
def test_g4_3_four_jokers_are_dealt_again(option):
    assert flip("JS JB JS JB H3 H4", first_flip=option) is None


def test_g4_3_agrees_with_the_referee_on_random_bottoms():
    rng = random.Random(43)
    for _ in range(count(1000, 200)):
        bottom = rng.sample(DECK if rng.random() < 0.7 else kinds("JSx3 JBx3 S2 H2 S3 H3 HA"), 6)
        first_seat, option = rng.randrange(4), rng.choice(list(FirstFlip))
        assert flip(bottom, first_seat, option) == referee_setup.seats_flip(bottom, first_seat, option)


def claimed_suit(deck, draw):
    state = with_deck(STANDARD, deck)
    return int(call(suit_after_claim, state, draw))


def test_g4_2_the_first_suited_card_after_the_claim_names_the_suit():
    deck = [kinds("S9")[0]] * 162
    deck[8], deck[12], deck[16], deck[20] = BIG, BIG, SMALL, kinds("D3")[0]
    assert claimed_suit(deck, 8) == DIAMONDS  # jokers are skipped, a 3 counts by its suit
    assert claimed_suit(deck, 12) == DIAMONDS
    deck[20] = kinds("C2")[0]
    assert claimed_suit(deck, 8) == CLUBS
    deck[9], deck[10], deck[11] = kinds("H4 H4 H4")  # other seats' cards
    assert claimed_suit(deck, 8) == CLUBS
    deck[4] = kinds("H4")[0]  # drawn before
    assert claimed_suit(deck, 8) == CLUBS


def test_g4_2_else_the_first_suited_bottom_card():
    deck = [kinds("S9")[0]] * 162
    deck[153], deck[155] = BIG, BIG
    deck[156:] = kinds("JS JB D3 C4 C4 C4")
    assert claimed_suit(deck, 153) == DIAMONDS
    assert claimed_suit(deck, 155) == DIAMONDS
    deck[156:] = kinds("C4 JB D3 C4 C4 C6")
    assert claimed_suit(deck, 155) == CLUBS
    deck[149] = BIG
    assert claimed_suit(deck, 149) == CLUBS  # only a joker follows in hand


# --- G5: declarations ------------------------------------------------------------------------------------------------


def codes(names):
    """Codes of declarations as their forms: `2H` is a pair of hearts, `bS` three big jokers naming spades."""
    found = set()
    for name in names.split():
        strength = {"s": THREE_SMALL, "b": THREE_BIG}.get(name[0]) or int(name[0])
        suits = "SHDC" if name[1] == "*" else name[1]
        found |= {4 * strength + "SHDC".index(suit) for suit in suits}
    return found


def bits(word):
    return {bit for bit in range(64) if int(word) >> bit & 1}


def speaking(seats_cards, rules=STANDARD, level=5, standing=None):
    """A state in which seats hold cards that may speak; `standing` is (seat, code) of the last declaration."""
    state = kernel_state(rules, **at_level(level), declared_by=NOBODY)
    for seat, cards in seats_cards.items():
        state["speaking"][0, seat] = planes_by_kind(cards)
    if standing:
        state["declared_by"], state["declared_code"], state["n_declarations"] = *standing, 1
        state["declared_as"] = standing[1] // 4
    return state


def legal(cards, rules=STANDARD, level=5, standing=None, seat=0):
    return bits(call(legal_declarations, speaking({seat: cards}, rules, level, standing), seat))


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("H5", "1H"),
        ("H5x2 S5", "1H 2H 1S"),
        ("C5x3", "1C 2C 3C"),
        ("H5 D5 C5", "1H 1D 1C"),  # not identical: no pair, no triple
        ("H6x3 S2x3 SA", ""),  # the rank is the hand's level
        ("JSx2 JBx2", ""),
        ("JS JBx2", ""),  # small and big do not mix
        ("JSx3", "s*"),
        ("JBx3 D5", "b* 1D"),
    ],
)
def test_g5_2_forms_of_a_declaration(cards, expected):
    k = planes_by_kind(cards)
    assert bits(from_host(held_declarations)(*k, 5)) == codes(expected)


@pytest.mark.parametrize("level", range(3, 15))
def test_g5_2_level_cards_of_every_level(level):
    rank = "23456789TJQKA"[level - 2]
    assert bits(from_host(held_declarations)(*planes_by_kind(f"S{rank} C{rank}x2"), level)) == codes("1S 1C 2C")


EVERYTHING = "S5x3 H5x3 D5x3 C5x3 JSx3 JBx3"


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        ("1H", "2* 3* s* b*"),
        ("2H", "3* s* b*"),
        ("3H", "s* b*"),
        ("sH", "b*"),
        ("bH", ""),
    ],
)
def test_g5_3_a_later_declaration_is_strictly_stronger(standing, expected):
    (code,) = codes(standing)
    assert legal(EVERYTHING, standing=(1, code)) == codes(expected)
    assert legal(EVERYTHING, standing=(0, code)) == codes(expected)  # G5.4: also one's own, in any suit


@pytest.mark.parametrize(
    ("preset", "may_open"), [("standard", True), ("classic", True), ("qiqi", False), ("dalian", False)]
)
def test_g5_3_three_jokers_open_where_the_rules_say_so(preset, may_open):
    rules = PRESETS[preset]
    assert legal("JSx3 JBx3 H5", rules) == codes("1H s* b*" if may_open else "1H")
    for standing in (0, 1):
        assert legal("JSx3 JBx3 H5", rules, standing=(standing, *codes("1S"))) == codes("s* b*")


@pytest.mark.parametrize(
    ("standing", "expected"), [("1H", "2H 3H"), ("2H", "3H"), ("3H", ""), ("1S", "2S 3S"), ("sH", ""), ("bH", "")]
)
def test_g5_4_without_self_overcall_only_more_of_the_same_card(standing, expected):
    rules = replace(STANDARD, self_overcall=False)
    (code,) = codes(standing)
    assert legal(EVERYTHING, rules, standing=(0, code)) == codes(expected)
    assert legal(EVERYTHING, rules, standing=(1, code)) == legal(EVERYTHING, standing=(1, code))
    assert legal(EVERYTHING, rules, standing=(2, code)) == legal(EVERYTHING, standing=(2, code))  # the partner's


def test_g5_2_to_g5_4_clauses_of_faults():
    no_open = replace(STANDARD, jokers_may_open=False)
    once = replace(STANDARD, self_overcall=False)
    cases = [
        ("1H", "S5", STANDARD, None, "G5.2"),
        ("2H", "H5", STANDARD, None, "G5.2"),
        ("sH", "JSx2", STANDARD, None, "G5.2"),
        ("sH", "JSx3", no_open, None, "G5.3"),
        ("1H", "H5", STANDARD, (1, "1S"), "G5.3"),
        ("2H", "H5x2", STANDARD, (1, "3S"), "G5.3"),
        ("2H", "H5x2", once, (0, "1S"), "G5.4"),
        ("bH", "JBx3", once, (0, "1H"), "G5.4"),
    ]
    for code, cards, rules, standing, expected in cases:
        given = standing and (standing[0], *codes(standing[1]))
        state = speaking({0: cards}, rules, standing=given)
        assert clause(call(declaration_fault, state, 0, *codes(code))) == expected, (code, cards)
    for code in (-1, 1, 3, 24, 99):
        assert clause(call(declaration_fault, speaking({0: EVERYTHING}), 0, code)) == "G5.2"


def test_g5_2_to_g5_4_agree_with_the_referee():
    rng = random.Random(54)
    for _ in range(count(400, 100)):
        rules, level = random_rules(rng), rng.randint(3, 14)
        level_kinds = [13 * suit + level - 2 for suit in range(4)]
        pool = [kind for kind in [*level_kinds, SMALL, BIG] for _ in range(3)]
        hand = rng.sample(pool, rng.randint(1, 14))
        standing, given = None, None
        if rng.random() < 0.7:
            strength, suit, by = rng.randint(1, 5), rng.randrange(4), rng.randrange(4)
            kind = {4: SMALL, 5: BIG}.get(strength, level_kinds[suit])
            standing, given = referee_setup.Standing(by, kind, strength, suit), (by, 4 * strength + suit)
        expected = set()
        for code in range(4, 24):
            strength, suit = divmod(code, 4)
            shown = [{4: SMALL, 5: BIG}.get(strength, level_kinds[suit])] * min(strength, 3)
            fault = referee_setup.declaration_fault(Counter(hand), 0, shown, suit, standing, level, rules)
            if fault is None:
                expected.add(code)
            else:
                state = speaking({0: hand}, rules, level, given)
                assert clause(call(declaration_fault, state, 0, code)) == fault.clause
        assert legal(hand, rules, level, given) == expected


def test_g5_2_draws_that_may_speak():
    rng = random.Random(55)
    for level in [0, *range(3, 15)]:
        deck = random_deck(rng)
        state = with_deck(STANDARD, deck)
        n_found = call(find_kinds, state, level)
        wanted = [BIG] if level == 0 else [SMALL, BIG, *(13 * suit + level - 2 for suit in range(4))]
        assert state["decks"][0, 1, :n_found].tolist() == [draw for draw in range(156) if deck[draw] in wanted]


@pytest.mark.parametrize(
    ("bottom", "suit", "n_shown"),
    [("D3 S4 S4 S4 H9 H9", DIAMONDS, 1), ("JS JB C2 S4 H9 H9", CLUBS, 3), ("JSx3 JBx2 H9", HEARTS, 6)],
)
def test_g5_7_the_first_suited_bottom_card(bottom, suit, n_shown):
    state = with_deck(STANDARD, bottom)
    assert call(draw_for_suit, state)
    assert (state["trump"][0], state["exposed"][0]) == (suit, 0)
    for view in state["views"][0]:
        assert [int(kind) - 1 for kind in view["flipped"] if kind] == kinds(bottom)[:n_shown]


def test_g5_7_six_jokers_are_dealt_again():
    state = with_deck(STANDARD, "JSx3 JBx3")
    assert not call(draw_for_suit, state)
    assert state["status"][0] == VOID_DEAL


# --- G6: tribute -----------------------------------------------------------------------------------------------------


def paid(hand, owed, points, level=7, trump=SPADES):
    """Cards that must be paid, and kinds among which the payer chooses."""
    state = kernel_state(replace(STANDARD, tribute_points=points), **at_level(level))
    payable = call(payable_places, state)
    h = [plane & payable for plane in planes(hand, level, trump)]
    must, cut = from_host(highest_cut)(*h, owed)
    must_kinds = [kind for plane in h for kind in cards_at(plane & must, level, trump)]
    return sorted(must_kinds), sorted(set(cards_at(h[0] & cut, level, trump)))


ALL, NONE, LEVEL = TributePoints.ALL, TributePoints.NONE, TributePoints.LEVEL


@pytest.mark.parametrize(("points", "second"), [(LEVEL, "SQ"), (NONE, "SQ"), (ALL, "SK")], ids=["level", "none", "all"])
def test_g16_the_payer_gives_big_joker_and_the_next_eligible(points, second):
    assert paid("JB SK SQ S9 HA", 2, points) == (sorted(kinds(f"JB {second}")), [])


@pytest.mark.parametrize(
    ("preset", "expected"), [("standard", "DT"), ("dalian", "DT"), ("classic", "DT"), ("qiqi", "S2")]
)
def test_g16_at_level_10_the_ten_is_payable_under_level_and_above_every_2(preset, expected):
    points = PRESETS[preset].tribute_points
    assert paid("DT S2 H2 SA", 1, points, level=10) == (kinds(expected), [])


def test_g6_2_among_equal_cards_the_payer_chooses():
    assert paid("JB H7 D7x2 S2", 3, LEVEL) == (kinds("JB"), sorted(kinds("H7 D7")))
    assert paid("JB H7 D7x2 S2", 4, LEVEL) == (sorted(kinds("JB H7 D7x2")), [])
    assert paid("JB HA DA CA", 2, LEVEL) == (kinds("JB"), sorted(kinds("HA DA CA")))  # side suits by rank alone
    assert paid("HA S3", 1, LEVEL) == (kinds("S3"), [])  # trumps before side cards
    assert paid("SK SK S5 D9", 1, LEVEL) == (kinds("D9"), [])


def test_g6_2_point_cards_of_the_level_are_payable_under_level_alone():
    for level, rank in ((5, "5"), (10, "T"), (13, "K")):
        assert paid(f"D{rank} S3", 1, LEVEL, level) == (kinds(f"D{rank}"), [])
        assert paid(f"D{rank} S3", 1, NONE, level) == (kinds("S3"), [])
    assert paid("DT S3", 1, LEVEL, 5) == (kinds("S3"), [])


def returned(hand, n_cards, level=5, trump=SPADES):
    h = planes(hand, level, trump)
    at = level - MIN_LEVEL
    must, cut = from_host(return_cut)(*h, n_cards, FIVES[at] | TENS[at])
    must_kinds = [kind for plane in h for kind in cards_at(plane & must, level, trump)]
    return sorted(must_kinds), sorted(set(cards_at(h[0] & cut, level, trump)))


def test_g6_4_what_may_be_returned():
    assert returned("HA H9x2 HK HT S3 JB", 2) == ([], sorted(kinds("HA H9")))  # side cards without points, any
    assert returned("HA H9 HK HT S3 JB", 2) == (sorted(kinds("HA H9")), [])
    assert returned("HA HK HT S4 S3 SK JB", 2) == (sorted(kinds("HA S3")), [])  # then the lowest trumps without points
    assert returned("HA HK H2 D2 JB", 2) == (kinds("HA"), sorted(kinds("H2 D2")))
    assert returned("HK DT CT C5 SK JB", 2) == (kinds("JB"), sorted(kinds("DT CT")))  # then the lowest; C5 is a trump
    assert returned("HK DTx2 SK JB", 3) == (sorted(kinds("JB DTx2")), [])


def test_g6_2_and_g6_4_agree_with_the_referee_on_random_choices():
    rng = random.Random(64)
    seen = Counter()
    for _ in range(count(1500, 400)):
        level, trump, points = rng.randint(3, 14), rng.randrange(4), rng.choice(list(TributePoints))
        order = referee_play.order_of(level, trump)
        few = rng.sample(range(54), 7)
        hand = rng.sample([kind for kind in few for _ in range(3)], rng.randint(4, 12))
        n_cards = rng.randint(1, 4)
        chosen = rng.sample(hand, n_cards)
        h, q = planes(hand, level, trump), planes(chosen, level, trump)
        at = level - MIN_LEVEL
        must, cut = from_host(return_cut)(*h, n_cards, FIVES[at] | TENS[at])
        fits = from_host(fits_cut)(*h, *q, must, cut)
        assert fits == (referee_setup.return_fault(Counter(hand), chosen, n_cards, order) is None), (hand, chosen)
        seen["return", bool(fits)] += 1
        payable = call(payable_places, kernel_state(replace(STANDARD, tribute_points=points), **at_level(level)))
        able = [plane & payable for plane in h]
        if from_host(n_cards_of)(*able) >= n_cards:
            must, cut = from_host(highest_cut)(*able, n_cards)
            fits = from_host(fits_cut)(*able, *q, must & payable, cut & payable)
            fault = referee_setup.pay_fault(Counter(hand), chosen, n_cards, order, points)
            assert fits == (fault is None), (hand, chosen, level, trump, points)
            seen["pay", bool(fits)] += 1
    assert len(seen) == 4


def direction(owed=3, dealer=1, big=(0, 0, 0, 0), rules=STANDARD):
    state = kernel_state(rules, dealer=dealer, owed=owed, big_dealt=big, payer=NOBODY, receiver=NOBODY)
    moves = bool(call(direct_tribute, state))
    row = state[0]
    return moves, *(int(row[name]) for name in ("payer", "receiver", "tribute_reversed", "tribute_cancelled"))


@pytest.mark.parametrize("dealer", range(4))
def test_g6_1_the_previous_seat_pays_the_dealer(dealer):
    assert direction(dealer=dealer) == (True, (dealer - 1) % 4, dealer, 0, 0)
    assert direction(owed=0, dealer=dealer) == (False, NOBODY, NOBODY, 0, 0)


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("preset", PRESETS)
def test_g6_5_three_big_jokers_reverse_or_cancel(dealer, preset):
    rules = PRESETS[preset]
    payer = (dealer - 1) % 4
    for holder in range(4):
        big = [3 * (seat == holder) for seat in range(4)]
        two = [2 * (seat == holder) for seat in range(4)]
        plain = (True, payer, dealer, 0, 0)
        expected = plain
        if rules.tribute_three_big and holder == payer:
            expected = (True, dealer, payer, 1, 0)
        if rules.tribute_three_big and holder == (payer + 2) % 4:
            expected = (False, NOBODY, NOBODY, 0, 1)
        assert direction(2, dealer, big, rules) == expected
        assert direction(2, dealer, two, rules) == plain
        assert direction(0, dealer, big, rules)[0] is False


# --- G7: dry pot -----------------------------------------------------------------------------------------------------


def dry(bottom, option, level=3, trump=SPADES):
    return bool(from_host(is_dry_pot)(kernel_rules(replace(STANDARD, dry_pot=option)), planes(bottom, level, trump)[0]))


SIDE_OR, NO_MAIN, OFF = DryPot


@pytest.mark.parametrize(
    ("bottom", "side_or", "no_main"),
    [
        ("H3 C4 C8 D7 D9 H9", False, True),  # G16: a level card is neither side nor permanent
        ("C4 C8 D7 D9 H9 HK", True, True),
        ("C4 C8 D7 D9 H2 JB", True, True),  # 2s and jokers are permanent
        ("S4 S8 S7 S9 HK HQ", False, False),
        ("S4 S8 S7 S9 SK SQ", True, True),  # all six trump
        ("S3 H3 S2 H2 JS JB", True, True),
        ("S4 H3 S2 H2 JS JB", True, True),
        ("S4 C4 C8 D7 D9 H9", False, False),
        ("S2 C4 C8 D7 D9 H9", True, True),  # the trump 2 is not plain
        ("S3 C4 C8 D7 D9 H9", False, True),
    ],
)
def test_g7_2_and_g16_dry_pots(bottom, side_or, no_main):
    assert dry(bottom, SIDE_OR) == side_or
    assert dry(bottom, NO_MAIN) == no_main
    assert not dry(bottom, OFF)


def test_g7_2_agrees_with_the_referee():
    rng = random.Random(72)
    for _ in range(count(2000, 500)):
        level, trump, option = rng.randint(3, 14), rng.randrange(4), rng.choice(list(DryPot))
        bottom = rng.sample(DECK if rng.random() < 0.5 else kinds("S2 S3 S4 S5 H2 H3 JS JB H5 D6 D2"), 6)
        expected = referee_setup.is_dry_pot(bottom, referee_play.order_of(level, trump), option)
        assert dry(bottom, option, level, trump) == expected, (bottom, level, trump, option)


# --- G8: burying -----------------------------------------------------------------------------------------------------


def jokers_clause(hand, n_big, n_small, rules=STANDARD):
    state = kernel_state(rules)
    state["hands"][0, 2] = planes(hand)
    return clause(call(joker_fault, state, 2, n_big, n_small))


def test_g16_and_g8_2_a_small_joker_goes_only_with_all_big_ones():
    hand = "JBx2 JS H9"
    assert jokers_clause(hand, 0, 1) == "G8.2"
    assert jokers_clause(hand, 1, 1) == "G8.2"
    assert jokers_clause(hand, 2, 1) == ""
    assert jokers_clause(hand, 1, 0) == ""  # one of two big jokers may go
    assert jokers_clause("JSx3", 0, 2) == ""
    free = replace(STANDARD, bury_big_first=False)
    assert jokers_clause(hand, 0, 1, free) == ""
    assert jokers_clause(hand, 1, 1, free) == ""


@pytest.mark.parametrize("most", range(7))
def test_g15_max_jokers_per_seat(most):
    rules = GunziRules(max_jokers_per_seat=most)
    for n in range(7):
        n_big = min(n, 3)
        assert jokers_clause("JBx3 JSx3", n_big, n - n_big, rules) == ("" if n <= most else "G15")
    assert jokers_clause("JBx3 JSx3", 0, most + 1, rules) == "G15"  # the number before the order


def picked(bottom, n_cards, level=5, trump=HEARTS):
    """Cards a seat must take from the bottom for its jokers, and kinds among which it chooses."""
    at = level - MIN_LEVEL
    pickable = ~(FIVES[at] | TENS[at] | JOKER_PLACES)
    b = [plane & pickable for plane in planes(bottom, level, trump)]
    must, cut = from_host(lowest_cut)(*b, n_cards)
    must_kinds = [kind for plane in b for kind in cards_at(plane & must, level, trump)]
    return sorted(must_kinds), sorted(set(cards_at(b[0] & cut, level, trump)))


def test_g16_and_g8_4_one_joker_takes_one_of_the_smallest():
    bottom = "S7 S8 C7 C8 D8 D9"
    assert picked(bottom, 1) == ([], sorted(kinds("S7 C7")))
    assert picked(bottom, 2) == (sorted(kinds("S7 C7")), [])
    assert picked(bottom, 3) == (sorted(kinds("S7 C7")), sorted(kinds("S8 C8 D8")))
    assert picked("H3 H4 S9 SK DT JB", 1) == (kinds("S9"), [])  # side before trump, no points, no joker
    assert picked("H3 H4 S9 SK DT JB", 2) == (sorted(kinds("S9 H3")), [])


def burial(hand, bottom, jokers, rules=STANDARD):
    state = kernel_state(rules)
    state["hands"][0, 2], state["hands"][0, 4] = planes(hand, trump=HEARTS), planes(bottom, trump=HEARTS)
    at = 5 - MIN_LEVEL
    pickable = ~(FIVES[at] | TENS[at] | JOKER_PLACES)
    b = [plane & pickable for plane in planes(bottom, trump=HEARTS)]
    return clause(call(burial_fault, state, 2, *planes(jokers, trump=HEARTS), from_host(n_cards_of)(*b)))


def test_g16_and_g8_4_no_more_jokers_than_pickable_cards():
    bottom = "JSx3 JB S7 S8"
    assert burial("JBx2 H9", bottom, "JBx2") == ""
    assert burial("JBx3 H9", "JSx3 S7 S8 SK", "JBx3") == "G8.4"
    assert burial("JBx3 H9", "JSx3 S7 S8 S9", "JBx3") == ""
    assert burial("JB H9", "SK HK DT DT JS JS", "JB") == "G8.4"  # points and jokers only: barred
    assert burial("JB H9", bottom, "JBx2") == "G8.4"  # not held
    assert burial("JB H9", bottom, "H9") == "G8.4"  # no joker
    assert burial("JBx2 JS", "S7 S8 S9 C9 C9 C8", "JB JS") == "G8.2"
    assert burial("JBx2 JS", "S7 S8 S9 C9 C9 C8", "JBx2 JS", replace(STANDARD, max_jokers_per_seat=2)) == "G15"


def test_g8_5_jokers_and_points_of_the_bottom_are_counted():
    state = kernel_state(**at_level(5), trump=HEARTS)
    state["hands"][0, 4] = planes("JBx2 JS SK D5 H9", trump=HEARTS)
    state["hands"][0, 1] = planes("H9 S2 S5 SA SKx2", trump=HEARTS)
    call(count_bottom, state)
    row = state[0]
    assert [int(row[name]) for name in ("bottom_big", "bottom_small", "bottom_points")] == [2, 1, 15]
    assert row["trumps"].tolist() == [0, 3, 0, 0]


# --- from kinds to places --------------------------------------------------------------------------------------------


def test_g3_1_and_g9_1_hands_and_bottom_by_place():
    rng = random.Random(31)
    for level, trump in itertools.product(range(3, 15), range(4)):
        deck, first = random_deck(rng), rng.randrange(4)
        state = with_deck(STANDARD, deck, first_seat=first, trump=trump, dealer=1, **at_level(level))
        state["next_draw"] = [(seat - first) % 4 for seat in range(4)]
        call(sort_hands, state)
        for seat in range(4):
            held = [deck[draw] for draw in range(156) if (first + draw) % 4 == seat]
            assert state["hands"][0, seat].tolist() == planes(held, level, trump)
            view = state["views"][0, seat]
            assert [view["hand_1"], view["hand_2"], view["hand_3"]] == planes(held, level, trump)
            dealt = [int(state[name][0, seat]) for name in ("big_dealt", "small_dealt")]
            assert dealt == [held.count(BIG), held.count(SMALL)]
        assert state["hands"][0, 4].tolist() == planes(deck[156:], level, trump)
        assert np.all(state["next_draw"] >= 156)
