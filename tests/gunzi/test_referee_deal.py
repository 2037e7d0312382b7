"""Seats and cards (G1), levels before the hand (G2), the deal (G3), claims and flips (G4), declarations (G5)."""

import random
from collections import Counter

import pytest

from gunzi.random_records import (
    DECK,
    Habits,
    clause,
    corrupt,
    deal,
    first_record,
    later_record,
    random_deck,
    with_rules,
)
from gunzi_sim.cards import parse_card, parse_hand
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.referee_play import points_of
from gunzi_sim.gunzi.referee_setup import claimed_trump, dealt, seats_flip
from gunzi_sim.gunzi.rules import PRESETS, FirstClaim, FirstFlip, GunziRules

S, H, D, C = range(4)
STANDARD = PRESETS["standard"]
QUIET = Habits(claim=0, declare=0, jokers=0)
ALL_PRESETS = pytest.mark.parametrize("preset", PRESETS)
OPENING = [name for name in PRESETS if PRESETS[name].jokers_may_open]
NOT_OPENING = [name for name in PRESETS if not PRESETS[name].jokers_may_open]


def said(seat, draw, text, suit=None):
    """A declaration; the suit is that of its cards if none is given."""
    cards = parse_hand(text)
    return {"seat": seat, "draw": draw, "cards": cards, "suit": cards[0] // 13 if suit is None else suit}


def draw_of(seat, nth, first=0):
    """Index in the deck of a seat's nth card, from 0."""
    return (seat - first) % 4 + 4 * nth


# G1: players, cards, points


def test_g1_1_next_is_plus_one_and_partners_share_a_side():
    record = later_record(random.Random(1), levels=(5, 7), dealer=3)
    row = referee.row(record)
    assert row["level"] == 7  # seat 3 is of side 1
    assert row["next_dealer"] == (0 if row["takes_deal"] else 1)


@pytest.mark.parametrize("place", [0, 80, 161])
def test_g1_2_a_fourth_copy_is_no_deck(place):
    record = first_record(random.Random(2))
    deck = list(record["deck"])
    deck[place] = (deck[place] + 1) % 54
    assert clause(corrupt(record, deck=deck)) == "FORMAT"


def test_g1_2_thirty_nine_cards_a_seat_and_six_in_the_bottom():
    deck = random_deck(random.Random(3))
    hands = [dealt(deck, 1, seat) for seat in range(4)]
    assert [hand.total() for hand in hands] == [39] * 4
    assert sum(hands, Counter(deck[156:])) == Counter(DECK)


def test_g1_3_points_of_fives_tens_and_kings_are_300():
    assert points_of(DECK) == 300
    assert [points_of(parse_hand(name)) for name in ("S5", "HT", "DK", "CQ", "JB", "S2")] == [5, 10, 10, 0, 0, 0]


@pytest.mark.parametrize("level", [5, 10])
def test_g1_3_trump_and_level_cards_keep_their_points(level):
    rules = GunziRules(start_level=level, end_level=level)
    record = later_record(random.Random(level), rules=rules, declarations=[])
    table, _ = referee.judge(record)
    assert sum(table.side_points) + points_of(table.bottom) == 300


# G2: levels before the hand


@pytest.mark.parametrize(("levels", "expected"), [([2, 3], "FORMAT"), ([3, 11], "FORMAT"), ([3, 10], None)])
def test_g2_1_levels_run_from_start_to_end_level(levels, expected):
    record = later_record(random.Random(4), declarations=[], habits=QUIET)
    assert clause(corrupt(record, levels=levels)) == expected


@pytest.mark.parametrize("levels", [[4, 3], [3, 4], [10, 10]])
def test_g2_1_a_round_starts_at_the_start_level(levels):
    record = first_record(random.Random(5))
    assert clause(corrupt(record, levels=levels)) == "G2.1"


@pytest.mark.parametrize(("dealer", "level"), [(0, 5), (1, 8), (2, 5), (3, 8)])
def test_g2_2_the_level_is_that_of_the_dealers_side(dealer, level):
    record = later_record(random.Random(6), levels=(5, 8), dealer=dealer)
    assert record["result"]["level"] == level


def test_g2_5_no_tribute_is_owed_in_a_first_hand():
    record = first_record(random.Random(7))
    assert clause(corrupt(record, owed=1)) == "G2.5"


def test_g2_5_the_dealer_of_a_first_hand_is_not_given():
    record = first_record(random.Random(8))
    assert clause(corrupt(record, dealer=record["result"]["dealer"])) == "FORMAT"


def test_g5_1_the_dealer_of_a_later_hand_is_given():
    record = later_record(random.Random(9))
    assert clause(corrupt(record, dealer=None)) == "FORMAT"


# G3: deal


@pytest.mark.parametrize("first", range(4))
def test_g3_1_card_i_goes_to_seat_first_plus_i(first):
    deck = random_deck(random.Random(10))
    for n_drawn in (0, 1, 5, 155, 156):
        naive = [Counter() for _ in range(4)]
        for i in range(n_drawn):
            naive[(first + i) % 4][deck[i]] += 1
        assert [dealt(deck, first, seat, n_drawn) for seat in range(4)] == naive


def test_g3_2_the_dealer_draws_first_in_a_later_hand():
    record = later_record(random.Random(11), dealer=2, declarations=[])
    assert record["first_seat"] == 2
    assert clause(corrupt(record, first_seat=3)) == "G3.2"


@pytest.mark.parametrize("first", range(4))
def test_g3_2_any_seat_may_draw_first_in_a_first_hand(first):
    assert clause(first_record(random.Random(12), first=first)) is None


# G4: claim


def claim_deck(rest="H5"):
    """Seat 2 draws a big joker second, then a small one, then `rest`; seat 1 draws a big joker third."""
    return deal(random.Random(13), {2: f"C9 JB JS {rest}", 1: "S9 D9 JB H8", 0: "C8x3", 3: "D8x3"}, "JB C4 C6 C7 D4 D6")


@ALL_PRESETS
def test_g4_1_the_claimer_is_the_dealer(preset):
    claim = {"seat": 2, "draw": draw_of(2, 1)}
    record = first_record(random.Random(14), claim_deck(), PRESETS[preset], claim=claim)
    assert record["result"]["dealer"] == 2
    assert record["result"]["trump"] == H
    assert record["result"]["exposed"]
    assert (referee.row(record)["declared_by"], referee.row(record)["declared_as"]) == (2, 6)


@pytest.mark.parametrize(
    ("seat", "draw"),
    [
        (2, draw_of(2, 2)),  # a small joker
        (2, draw_of(2, 0)),  # before the big one
        (2, draw_of(2, 3)),  # not later
        (3, draw_of(2, 1)),  # another seat's draw
        (0, 156),  # the bottom's big joker is nobody's draw
    ],
)
@pytest.mark.parametrize("first_claim", FirstClaim)
def test_g4_1_a_claim_is_made_by_the_drawer_of_a_big_joker_at_once(seat, draw, first_claim):
    rules = GunziRules(first_claim=first_claim)
    record = first_record(random.Random(15), claim_deck(), rules, claim={"seat": 2, "draw": draw_of(2, 1)})
    assert clause(corrupt(record, claim={"seat": seat, "draw": draw})) == "G4.1"


def test_g4_1_voluntary_another_big_joker_is_another_chance():
    late = {"seat": 1, "draw": draw_of(1, 2)}
    record = first_record(random.Random(16), claim_deck(), claim=late)
    assert record["result"]["dealer"] == 1
    assert clause(with_rules(record, first_claim=FirstClaim.AUTOMATIC)) == "G4.1"


def test_g4_1_voluntary_nobody_has_to_claim():
    record = first_record(random.Random(17), claim_deck(), claim=None)
    assert record["result"]["dealer"] == 1  # C4 is flipped by seat 1
    assert clause(with_rules(record, first_claim=FirstClaim.AUTOMATIC)) == "G4.1"


def test_g4_1_automatic_does_not_reach_into_the_bottom():
    deck = deal(random.Random(18), {}, "JBx3 C4 C6 C7")
    record = first_record(random.Random(18), deck, GunziRules(first_claim=FirstClaim.AUTOMATIC), claim=None)
    assert record["result"]["dealer"] == 3


def test_g4_1_a_claim_in_a_later_hand_is_no_record():
    record = later_record(random.Random(19))
    assert clause(corrupt(record, claim={"seat": 0, "draw": 0})) == "FORMAT"


@pytest.mark.parametrize(("card", "suit"), [("H2", H), ("D3", D), ("CA", C), ("S3", S)])
def test_g4_2_trump_is_the_next_suited_card_whatever_its_rank(card, suit):
    assert claimed_trump(claim_deck(card), draw_of(2, 1)) == suit  # the small joker between is skipped


def test_g4_2_the_card_before_the_claim_does_not_count():
    deck = deal(random.Random(20), {0: "S9 JB H9"})
    assert claimed_trump(deck, draw_of(0, 1)) == H


def test_g4_2_without_a_later_card_the_bottom_decides_and_is_exposed():
    deck = deal(random.Random(21), {}, "JS D4 C4 C6 C7 D6")
    swap = draw_of(3, 38)
    other = deck.index(parse_card("JB"))
    deck[swap], deck[other] = deck[other], deck[swap]
    record = first_record(random.Random(21), deck, claim={"seat": 3, "draw": swap})
    assert record["result"]["trump"] == D
    assert record["result"]["exposed"]


@pytest.mark.parametrize(
    ("first_flip", "bottom", "place", "suit"),
    [
        (FirstFlip.SMALLEST, "S4 H3 D5 C6", 1, H),  # a 3 is the smallest though a level card
        (FirstFlip.SMALLEST, "S2 HA D2 JS", 1, H),  # A below 2
        (FirstFlip.SMALLEST, "JS JB C2 JB", 2, C),  # 2 below the jokers
        (FirstFlip.SMALLEST, "S9 H7 D7 C7", 1, H),  # equal: the earlier
        (FirstFlip.SMALLEST, "S9 H9 D9 C9", 0, S),
        (FirstFlip.SMALLEST, "SK HQ DJ CT", 3, C),
        (FirstFlip.LARGEST, "S4 HA D5 C6", 1, H),
        (FirstFlip.LARGEST, "SA H2 JB C2", 1, H),  # 2 above A, jokers ignored, the earlier 2
        (FirstFlip.LARGEST, "JS JB D3 JB", 2, D),
        (FirstFlip.LARGEST, "S9 H7 D9 C9", 0, S),
        (FirstFlip.LARGEST, "S3 H4 D3 C4", 1, H),
    ],
)
@pytest.mark.parametrize("first", range(4))
def test_g4_3_the_flip_makes_dealer_and_trump(first_flip, bottom, place, suit, first):
    assert seats_flip(parse_hand(bottom), first, first_flip) == ((first + place) % 4, suit)


@ALL_PRESETS
def test_g4_3_flip_by_preset(preset):
    deck = deal(random.Random(22), {}, "HA C4 C4 D6 JBx2", first=1)
    jokers = [i for i in range(156) if deck[i] == parse_card("JB")]
    rules = PRESETS[preset]
    claim = None if rules.first_claim == FirstClaim.VOLUNTARY else {"seat": (1 + jokers[0]) % 4, "draw": jokers[0]}
    record = first_record(random.Random(22), deck, rules, first=1, claim=claim)
    if claim is None:
        expected = (2, C) if preset != "dalian" else (1, H)
        assert (record["result"]["dealer"], record["result"]["trump"]) == expected
        assert (referee.row(record)["declared_by"], referee.row(record)["declared_as"]) == (9, 7)


def test_g4_3_four_jokers_are_dealt_again():
    deck = deal(random.Random(23), {}, "JSx2 JBx2 C4 C6")
    record = first_record(random.Random(23), claim=None)
    for first_flip in FirstFlip:
        bad = with_rules({**record, "deck": deck, "claim": None}, first_flip=first_flip)
        assert clause(bad) == "G4.3"
    assert referee.is_void(deck, True, False, False, STANDARD)
    assert not referee.is_void(deck, True, True, False, STANDARD)
    assert not referee.is_void(deck, True, False, False, GunziRules(first_claim=FirstClaim.AUTOMATIC))
    assert not referee.is_void(deck, False, False, False, STANDARD)


def test_g4_4_the_flip_does_not_expose_the_bottom():
    deck = deal(random.Random(24), {}, "H4 C6 C7 D6 D8 D9")  # six side cards but for trump
    record = first_record(random.Random(24), deck, claim=None)
    assert not record["result"]["exposed"]
    assert not record["result"]["dry_pot"]
    assert record["bury"] is not None


def test_g4_5_no_declaration_in_a_first_hand():
    record = first_record(random.Random(25), claim_deck(), claim=None)
    assert clause(corrupt(record, declarations=[said(2, None, "H3")])) == "G4.5"


# G5: declarations. Level 3, dealer 0; every named card is drawn in this order.


def declare_deck():
    return deal(
        random.Random(26),
        {0: "H3 H3 D3 C9 H3", 1: "S3 S3 S3 JBx3", 2: "D3 D3 JSx3", 3: "C9 C9 C3x3"},
        "HA SA DA CA H9 S9",
    )


def declared(declarations, **rules):
    """Clause of a hand with these declarations; a legal one is completed."""
    rules = GunziRules(**rules)
    legal = later_record(random.Random(27), declare_deck(), rules, habits=QUIET, declarations=[])
    fault = clause(corrupt(legal, declarations=declarations))
    if fault is None or not fault.startswith("G5"):
        record = later_record(random.Random(28), declare_deck(), rules, habits=QUIET, declarations=declarations)
        assert record["result"]["trump"] == declarations[-1]["suit"]
        assert record["result"]["exposed"]
        assert referee.row(record)["declared_by"] == declarations[-1]["seat"]
        return None
    return fault


@pytest.mark.parametrize(
    "declaration",
    [
        said(0, 0, "H3"),
        said(0, 4, "H3x2"),
        said(0, 16, "H3x3"),
        said(0, 8, "D3"),
        said(1, draw_of(1, 5), "JBx3", S),
        said(2, draw_of(2, 4), "JSx3", D),
        said(3, None, "C3"),  # an attacker, in the closing window
    ],
)
def test_g5_2_forms_of_a_declaration(declaration):
    assert declared([declaration]) is None


@pytest.mark.parametrize(
    "declaration",
    [
        said(0, 0, "H3", S),  # another suit than its card's
        said(0, 12, "C9"),  # no level card
        said(0, 8, "H3 D3"),  # not identical
        said(0, None, "C3"),  # not held
        said(0, 4, "H3x3"),  # the third copy is drawn later
        said(0, 4, "D3"),  # drawn next
        said(1, draw_of(1, 4), "JBx2", S),
        said(1, draw_of(1, 3), "JB", S),
        said(2, draw_of(2, 4), "JS", S),
        said(1, None, "JBx2 JS", S),  # not held, and no form
        {"seat": 0, "draw": 0, "cards": [], "suit": S},
    ],
)
def test_g5_2_what_is_no_declaration(declaration):
    assert declared([declaration]) == "G5.2"


def test_g5_2_the_rank_is_the_hands_level_for_attackers_too():
    deck = deal(random.Random(29), {1: "H7 H5", 0: "S5 S7"})
    record = later_record(random.Random(29), deck, levels=(5, 7), habits=QUIET, declarations=[said(1, None, "H5")])
    assert record["result"]["trump"] == H
    assert clause(corrupt(record, declarations=[said(1, None, "H7")])) == "G5.2"


LADDER = [
    (said(0, None, "H3"), 1),
    (said(0, None, "H3x2"), 2),
    (said(1, None, "S3x3"), 3),
    (said(2, None, "JSx3", C), 4),
    (said(1, None, "JBx3", D), 5),
]


@pytest.mark.parametrize("low", range(5))
@pytest.mark.parametrize("high", range(5))
def test_g5_3_a_later_declaration_is_strictly_stronger(low, high):
    fault = declared([LADDER[low][0], LADDER[high][0]])
    assert fault == (None if high > low else "G5.3")


@pytest.mark.parametrize("step", range(5))
def test_g5_3_strength_is_stored(step):
    declaration, strength = LADDER[step]
    record = later_record(random.Random(30), declare_deck(), habits=QUIET, declarations=[declaration])
    assert referee.row(record)["declared_as"] == strength


def test_g5_3_as_many_cards_of_another_seat_are_not_stronger():
    assert declared([said(0, 4, "H3x2"), said(2, None, "D3x2")]) == "G5.3"
    assert declared([said(2, 6, "D3x2"), said(0, None, "H3x3")]) is None


@pytest.mark.parametrize("preset", OPENING)
def test_g5_3_jokers_may_open(preset):
    rules = PRESETS[preset]
    record = later_record(random.Random(31), declare_deck(), rules, declarations=[said(2, None, "JSx3", C)])
    assert record["result"]["trump"] == C


@pytest.mark.parametrize("preset", NOT_OPENING)
@pytest.mark.parametrize("declaration", [said(2, None, "JSx3", C), said(1, None, "JBx3", D)])
def test_g5_3_jokers_may_not_open_but_overcall(preset, declaration):
    rules = PRESETS[preset]
    both = [said(0, 0, "H3"), declaration]
    record = later_record(random.Random(32), declare_deck(), rules, declarations=both)
    assert record["result"]["trump"] == declaration["suit"]
    assert clause(corrupt(record, declarations=[declaration])) == "G5.3"


@pytest.mark.parametrize(
    ("declarations", "with_no"),
    [
        ([said(0, 0, "H3"), said(0, 4, "H3x2")], None),  # reinforced
        ([said(0, 0, "H3"), said(0, None, "H3x3")], None),
        ([said(2, 2, "D3"), said(2, None, "JSx3", D)], "G5.4"),  # jokers, naming the standing suit
        ([said(1, 1, "S3"), said(1, None, "JBx3", H)], "G5.4"),
        ([said(0, 8, "D3"), said(0, None, "H3x2")], "G5.4"),  # the same ladder in another suit
        ([said(0, 0, "H3"), said(2, None, "D3x2")], None),  # another seat
        ([said(0, 0, "H3"), said(2, 6, "D3x2"), said(0, None, "H3x3")], None),  # no longer the standing declarer
    ],
)
def test_g5_4_own_overcall(declarations, with_no):
    assert declared(declarations, self_overcall=True) is None
    assert declared(declarations, self_overcall=False) == with_no


@pytest.mark.parametrize("declaration", [said(1, 0, "H3"), said(0, 1, "H3"), said(0, 2, "H3"), said(3, 4, "C3")])
def test_g5_5_only_the_seat_that_drew_may_declare(declaration):
    assert declared([declaration]) == "G5.5"


@pytest.mark.parametrize(
    ("declarations", "expected"),
    [
        ([said(0, 16, "H3"), said(1, 5, "S3x2")], "G5.5"),  # back in time
        ([said(0, 16, "H3"), said(0, 16, "H3x2")], "G5.5"),  # twice at one draw
        ([said(0, None, "H3"), said(1, 5, "S3x2")], "G5.5"),  # a draw after the closing window
        ([said(0, 156, "H3")], "G5.5"),
        ([said(3, None, "C3"), said(2, None, "D3x2"), said(1, None, "S3x3"), said(2, None, "JSx3", D)], None),
        ([said(0, None, "H3"), said(0, None, "H3x2")], None),  # asked again after three passes
        ([said(0, 16, "H3"), said(1, 17, "S3x2"), said(0, 20, "H3x3")], None),
    ],
)
def test_g5_5_declarations_are_in_time_order(declarations, expected):
    assert declared(declarations) == expected


def test_g5_5_timing_is_judged_before_cards_and_strength():
    assert declared([said(3, 0, "H3")]) == "G5.5"  # not held either
    assert declared([said(0, 16, "H3x3"), said(1, 5, "S3")]) == "G5.5"  # weaker too


def test_g5_2_cards_are_judged_before_strength():
    assert declared([said(0, 16, "H3x3"), said(1, 17, "D3")]) == "G5.2"
    assert declared([said(0, 16, "H3x3"), said(1, 17, "S3"), said(0, 4, "H3")]) == "G5.3"  # the first fault


def test_g5_6_cards_shown_stay_in_the_hand():
    record = later_record(random.Random(33), declare_deck(), habits=QUIET, declarations=[said(0, 16, "H3x3")])
    table, fault = referee.judge(record)
    assert fault is None
    gone = Counter(kind for play in record["plays"] for kind in play) + Counter(table.bottom)
    assert gone == Counter(DECK)


@pytest.mark.parametrize(
    ("bottom", "suit"),
    [("HA SA DA CA H9 S9", H), ("JB JS D2 CA H9 S9", D), ("JBx3 JSx2 C3", C), ("S3 HA DA CA H9 S9", S)],
)
@ALL_PRESETS
def test_g5_7_nobody_declares_the_first_suited_bottom_card_is_trump(bottom, suit, preset):
    deck = deal(random.Random(34), {}, bottom)
    record = later_record(random.Random(34), deck, PRESETS[preset], declarations=[])
    assert record["result"]["trump"] == suit
    assert not record["result"]["exposed"]
    assert not record["result"]["dry_pot"]
    assert (referee.row(record)["declared_by"], referee.row(record)["declared_as"]) == (9, 0)


def test_g5_7_six_jokers_are_dealt_again():
    deck = deal(random.Random(35), {0: "H3"}, "JBx3 JSx3")
    record = later_record(random.Random(35), deck, declarations=[said(0, 0, "H3")])
    assert record["result"]["dry_pot"]  # six trumps, exposed: no void hand
    assert clause(corrupt(record, declarations=[])) == "G5.7"
    assert referee.is_void(deck, False, False, False, STANDARD)
    assert not referee.is_void(deck, False, False, True, STANDARD)
