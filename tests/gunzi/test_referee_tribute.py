"""Tribute (G6), exposed bottom and dry pot (G7), burying (G8)."""

import random
from collections import Counter

import pytest

from gunzi.random_records import Habits, clause, corrupt, deal, first_record, later_record, with_rules
from gunzi_sim.cards import parse_hand
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.referee_play import order_of
from gunzi_sim.gunzi.referee_setup import (
    bury_fault,
    is_dry_pot,
    joker_bury_fault,
    pay_fault,
    pickable,
    return_fault,
)
from gunzi_sim.gunzi.rules import PRESETS, DryPot, GunziRules, TributePoints

S, H, D, C = range(4)
STANDARD = PRESETS["standard"]
QUIET = Habits(claim=0, declare=0, jokers=0)
ALL_PRESETS = pytest.mark.parametrize("preset", PRESETS)
POINT_CARDS = " ".join(f"{suit}{rank}x3" for suit in "SHDC" for rank in "5TK")


def paid(hand, cards, owed, level=7, trump=S, points=TributePoints.LEVEL):
    """Clause of paying `cards` from `hand`."""
    fault = pay_fault(Counter(parse_hand(hand)), parse_hand(cards), owed, order_of(level, trump), points)
    return fault and fault.clause


def given_back(hand, cards, n_due, level=7, trump=S):
    """Clause of returning `cards` from `hand`, which has the tribute in it."""
    fault = return_fault(Counter(parse_hand(hand)), parse_hand(cards), n_due, order_of(level, trump))
    return fault and fault.clause


def tribute(cards, returned):
    return {"cards": parse_hand(cards), "returned": parse_hand(returned)}


# G6.1, G6.2: who pays, and the highest


def owing(rules=STANDARD, payer="JBx2 S3 SA SK"):
    """A hand of dealer 0 at level 3, trump spades, in which seat 3 owes two cards and has two big jokers."""
    deck = deal(random.Random(1), {3: payer, 0: "H4 H6 H7 H8", 1: "H9 D9", 2: "C9 D8 JB"}, "SQ HA DA CA H9 S9")
    return later_record(random.Random(2), deck, rules, owed=2, habits=QUIET, declarations=[])


@ALL_PRESETS
def test_g6_1_the_dealers_previous_seat_pays_the_dealer(preset):
    record = owing(PRESETS[preset])
    assert sorted(record["tribute"]["cards"]) == parse_hand("JBx2")
    row = referee.row(record)
    assert (row["tribute_moved"], row["tribute_short"], row["tribute_reversed"]) == (2, 0, 0)
    assert clause(corrupt(record, tribute=None)) == "G6.1"
    assert clause(corrupt(record, tribute=tribute("JB", "H4"))) == "G6.1"
    assert clause(corrupt(record, tribute=tribute("JBx2 S3", "H4 H6 H8"))) == "G6.1"
    assert clause(corrupt(record, tribute=tribute("H9 D9", "H4 H6"))) == "G6.2"  # nobody else pays
    assert clause(corrupt(record, owed=0)) == "G6.1"


def test_g6_1_nothing_moves_when_nothing_is_owed():
    record = later_record(random.Random(3), owed=0)
    assert record["tribute"] is None
    assert clause(corrupt(record, tribute={"cards": [], "returned": record["plays"][0]})) == "G6.1"


@pytest.mark.parametrize("dealer", range(4))
def test_g6_1_payer_and_receiver_turn_with_the_dealer(dealer):
    deck = deal(random.Random(4), {(dealer - 1) % 4: "JBx2 S3", dealer: "JB"}, "SQ HA DA CA H9 S9", first=dealer)
    record = later_record(random.Random(4), deck, dealer=dealer, owed=2, habits=QUIET, declarations=[])
    before = referee.row(corrupt(record))
    settlement = [before[f"settlement_{seat}"] for seat in range(4)]
    rest = [settlement[seat] - settlement[(seat + 2) % 4] for seat in range(4)]
    assert rest[dealer] == 2  # two cards received by the dealer and none by his partner
    assert rest[(dealer - 1) % 4] == -2


PAYING = [
    # G16: level 7, trump spades
    ("JB SK SQ S9 H3", "JB SQ", 2, TributePoints.LEVEL, None),
    ("JB SK SQ S9 H3", "JB SK", 2, TributePoints.ALL, None),
    ("JB SK SQ S9 H3", "JB SQ", 2, TributePoints.NONE, None),
    ("JB SK SQ S9 H3", "JB SK", 2, TributePoints.LEVEL, "G6.2"),
    ("JB SK SQ S9 H3", "JB SK", 2, TributePoints.NONE, "G6.2"),
    ("JB SK SQ S9 H3", "JB SQ", 2, TributePoints.ALL, "G6.2"),
    ("JB SK SQ S9 H3", "SK SQ", 2, TributePoints.ALL, "G6.2"),  # not the highest
    ("JBx2 JS", "JB JS", 2, TributePoints.ALL, "G6.2"),
    ("JB JS S7 H7", "JB JS S7", 3, TributePoints.ALL, None),  # trump level card before the others
    ("JB JS S7 H7", "JB JS H7", 3, TributePoints.ALL, "G6.2"),
    ("H7 D7 C7 S2", "D7 C7", 2, TributePoints.ALL, None),  # other level cards are equal
    ("H7 D7 C7 S2", "H7 C7", 2, TributePoints.ALL, None),
    ("H7 S2", "S2", 1, TributePoints.ALL, "G6.2"),
    ("H2 D2 S2 SA", "S2 H2", 2, TributePoints.ALL, None),
    ("H2 D2 S2 SA", "S2 D2", 2, TributePoints.ALL, None),
    ("H2 D2 S2 SA", "H2 D2", 2, TributePoints.ALL, "G6.2"),
    ("S3 HA DA", "S3 DA", 2, TributePoints.ALL, None),  # every trump above every side card
    ("S3 HA DA", "HA DA", 2, TributePoints.ALL, "G6.2"),
    ("HA DQ CA HQ", "HA CA CQ", 3, TributePoints.ALL, "G6.2"),  # CQ is not held
    ("HA DQ CA HQ", "HA CA DQ", 3, TributePoints.ALL, None),  # side suits by rank alone
    ("HA DQ CA HQ", "HA CA HQ", 3, TributePoints.ALL, None),
    ("HA DQ CA HQ", "HA DQ HQ", 3, TributePoints.ALL, "G6.2"),
    ("HA HK HQ HT H9 H5 H4", "HA HQ H9", 3, TributePoints.NONE, None),
    ("HA HK HQ HT H9 H5 H4", "HA HQ HT", 3, TributePoints.NONE, "G6.2"),
]


@pytest.mark.parametrize(("hand", "cards", "owed", "points", "expected"), PAYING)
def test_g6_2_the_highest_eligible_cards_are_paid(hand, cards, owed, points, expected):
    assert paid(hand, cards, owed, points=points) == expected


@pytest.mark.parametrize(
    ("points", "cards", "expected"),
    [
        (TributePoints.LEVEL, "DT", None),
        (TributePoints.ALL, "DT", None),
        (TributePoints.NONE, "DT", "G6.2"),
        (TributePoints.LEVEL, "S2", "G6.2"),
        (TributePoints.NONE, "S2", None),
    ],
)
def test_g6_2_level_ten_is_payable_and_above_every_two(points, cards, expected):
    assert paid("DT S2 SA SK", cards, 1, level=10, points=points) == expected


@pytest.mark.parametrize("preset", ["classic", "qiqi", "dalian", "standard"])
def test_g6_2_point_cards_by_preset(preset):
    points = PRESETS[preset].tribute_points
    best = {"classic": "JB SK", "qiqi": "JB SQ", "dalian": "JB SQ", "standard": "JB SQ"}[preset]
    assert paid("JB SK SQ S9 H3", best, 2, points=points) is None
    ten = {"classic": "DT", "qiqi": "S2", "dalian": "DT", "standard": "DT"}[preset]
    assert paid("DT S2 SA SK", ten, 1, level=10, points=points) is None


# G6.3: short


def test_g6_3_too_few_eligible_cards_are_all_paid():
    assert paid("HK HT H5 H4", "H4", 2) is None
    assert paid("HK HT H5 H4", "", 2) == "G6.3"
    assert paid("HK HT H5 H4", "H4 HK", 2) == "G6.1"
    assert paid("HK HT H5 H4", "HK", 2) == "G6.2"
    assert paid("HK HT H5 H4", "", 1) == "G6.1"  # not short: just too few
    assert paid("HK HT H5", "", 2) is None


def test_g6_3_the_rest_is_waived_and_recorded():
    deck = deal(random.Random(5), {3: f"{POINT_CARDS} H4 H6 H7"}, "SQ HA DA CA H9 S9")
    rules = PRESETS["qiqi"]
    record = later_record(random.Random(5), deck, rules, owed=5, habits=QUIET, declarations=[])
    assert sorted(record["tribute"]["cards"]) == parse_hand("H4 H6 H7")
    row = referee.row(record)
    assert (row["tribute_moved"], row["tribute_short"]) == (3, 2)
    assert clause(corrupt(record, tribute=tribute("H7 H6", "C4 C6"))) == "G6.3"
    assert clause(corrupt(record, tribute=None)) == "G6.3"


def test_g6_3_just_enough_is_not_short():
    deck = deal(random.Random(6), {3: f"{POINT_CARDS} H3 H4 H6"}, "SQ HA DA CA H9 S9")
    record = later_record(random.Random(6), deck, PRESETS["qiqi"], owed=3, habits=QUIET, declarations=[])
    row = referee.row(record)
    assert (row["tribute_moved"], row["tribute_short"]) == (3, 0)


# G6.4: the return

RETURNING = [
    ("H3 D4 C6 HK S4 JB", "H3 C6", 2, None),
    ("H3 D4 C6 HK S4 JB", "H3 C6", 3, "G6.4"),
    ("H3 D4 C6 HK S4 JB", "H3 C6 D4", 2, "G6.4"),
    ("H3 D4 C6 HK S4 JB", "H3 C9", 2, "G6.4"),  # not held
    ("H3 D4 C6 HK S4 JB", "H3 HK", 2, "G6.4"),  # points
    ("H3 D4 C6 HK S4 JB", "H3 S4", 2, "G6.4"),  # a trump
    ("H3 D4 C6 HK S4 JB", "HA D4", 2, "G6.4"),
    ("H3 HA", "HA", 1, None),  # any of his choice, not the lowest
    ("H3 H7 D2 JB", "H3", 1, None),
    ("H3 H7 D2 JB", "H7", 1, "G6.4"),  # a level card is a trump
    ("H3 H7 D2 JB", "D2", 1, "G6.4"),  # a 2 is a trump
    # too few: all side cards without points, then the lowest trumps without points
    ("H3 D4 S4 S6 SQ HK", "H3 D4 S4", 3, None),
    ("H3 D4 S4 S6 SQ HK", "H3 D4 S6", 3, "G6.4"),
    ("H3 D4 S4 S6 SQ HK", "H3 S4 S6", 3, "G6.4"),
    ("H3 D4 S4 S6 SQ HK", "H3 D4 HK", 3, "G6.4"),
    ("H3 S5 S6 ST SQ", "H3 S6", 2, None),  # S5 has points
    ("H3 S5 S6 ST SQ", "H3 S5", 2, "G6.4"),
    ("H3 D2 C2 S2", "H3 C2", 2, None),  # equal trumps: his choice
    ("H3 D2 C2 S2", "H3 D2", 2, None),
    ("H3 D2 C2 S2", "H3 S2", 2, "G6.4"),
    # then the lowest that remain
    ("H3 S6 H5 D5 HK ST", "H3 S6 D5", 3, None),
    ("H3 S6 H5 D5 HK ST", "H3 S6 HK", 3, "G6.4"),
    ("H3 S6 HK ST S5", "H3 S6 HK", 3, None),  # side before trump
    ("H3 S6 HK ST S5", "H3 S6 S5", 3, "G6.4"),
    ("H3 S6 HK ST S5", "H3 S6 HK S5", 4, None),
    ("JB JS SK", "JS JB", 2, None),  # jokers have no points
    ("JB JS SK", "JS SK", 2, "G6.4"),
]


@pytest.mark.parametrize(("hand", "cards", "n_due", "expected"), RETURNING)
def test_g6_4_the_return(hand, cards, n_due, expected):
    assert given_back(hand, cards, n_due) == expected


def test_g6_4_cards_just_received_may_be_returned_but_not_cards_of_the_bottom():
    all_side = " ".join(f"H{rank}x3" for rank in "456789TJQKA") + " D4x3 D6x3"
    deck = deal(random.Random(7), {3: all_side, 0: "C4 C6"}, "SQ DAx3 S9 S8")
    record = later_record(random.Random(7), deck, owed=1, habits=QUIET, declarations=[])
    for returned, is_legal in [("HA", True), ("C4", True), ("DA", False), ("HQ", False)]:
        fault = clause(corrupt(record, tribute=tribute("HA", returned)))
        assert (fault != "G6.4") == is_legal


def test_g6_4_number_and_kind_of_the_return_in_a_record():
    record = owing()
    cards = parse_hand("JBx2")
    for returned, expected in [
        ("H4 H6", None),
        ("H6 H8", None),
        ("H4", "G6.4"),
        ("H4 H6 H8", "G6.4"),
        ("JBx2", "G6.4"),
    ]:
        again = corrupt(record, tribute={"cards": cards, "returned": parse_hand(returned)})
        fault = clause(again)
        assert fault == expected if expected else fault is None or not fault.startswith("G6")


# G6.5: three big jokers


def three_big(seat, rules=STANDARD, owed=2):
    named = {0: "H4 H6 H7 H8", 3: "C4 C6 C7 C8", seat: "JBx3 S4 S6 H9 D4 D6"}
    deck = deal(random.Random(8), named, "SQ HA DA CA H9 S9")
    return later_record(random.Random(8), deck, rules, owed=owed, habits=QUIET, declarations=[])


@pytest.mark.parametrize("preset", ["standard", "classic"])
def test_g6_5_held_by_the_payer_the_dealer_pays(preset):
    record = three_big(3, PRESETS[preset])
    row = referee.row(record)
    assert (row["tribute_reversed"], row["tribute_moved"], row["tribute_short"]) == (1, 2, 0)
    assert record["result"]["tribute_moved"] == 2
    settlement = record["result"]["settlement"]
    assert settlement[0] - settlement[2] == -2  # the dealer paid
    assert settlement[3] - settlement[1] == 2
    ignored = tribute("JBx2", "H4 H6")
    assert clause(corrupt(record, tribute=ignored)) == "G6.5"
    assert clause(corrupt(record, tribute=None)) == "G6.1"
    assert clause(with_rules(record, tribute_three_big=False)) == "G6.2"


@pytest.mark.parametrize("preset", ["standard", "classic"])
def test_g6_5_held_by_the_payers_partner_nothing_moves(preset):
    record = three_big(1, PRESETS[preset])
    assert record["tribute"] is None
    row = referee.row(record)
    assert (row["tribute_reversed"], row["tribute_moved"], row["tribute_short"]) == (0, 0, 0)
    settlement = record["result"]["settlement"]
    assert settlement[0] == settlement[2]
    usual = later_record(random.Random(8), record["deck"], GunziRules(tribute_three_big=False), owed=2, declarations=[])
    assert clause(corrupt(record, tribute=usual["tribute"])) == "G6.5"
    assert clause(with_rules(record, tribute_three_big=False)) == "G6.1"


@pytest.mark.parametrize("seat", [0, 2])
def test_g6_5_held_by_the_dealers_side_changes_nothing(seat):
    row = referee.row(three_big(seat))
    assert (row["tribute_reversed"], row["tribute_moved"]) == (0, 2)


@pytest.mark.parametrize("preset", ["qiqi", "dalian"])
@pytest.mark.parametrize("seat", [1, 3])
def test_g6_5_switched_off(preset, seat):
    record = three_big(seat, PRESETS[preset])
    row = referee.row(record)
    assert (row["tribute_reversed"], row["tribute_moved"]) == (0, 2)
    if seat == 3:
        assert record["tribute"]["cards"] == parse_hand("JBx2")


def test_g6_5_is_tested_before_any_card_moves():
    """The dealer gets his third big joker as tribute; the payer's partner never had three."""
    deck = deal(random.Random(9), {0: "JBx2 H4 H6", 3: "JB"}, "SQ HA DA CA H9 S9")
    record = later_record(random.Random(9), deck, owed=1, habits=QUIET, declarations=[])
    row = referee.row(record)
    assert (row["tribute_reversed"], row["tribute_moved"]) == (0, 1)


def test_g6_5_two_big_jokers_do_not_reverse():
    assert referee.row(owing())["tribute_reversed"] == 0


def test_g6_5_no_reversal_without_debt():
    row = referee.row(three_big(3, owed=0))
    assert (row["tribute_reversed"], row["tribute_moved"]) == (0, 0)


# G7: the exposed bottom, dry pot


def test_g7_1_declared_or_claimed_is_exposed():
    deck = deal(random.Random(10), {0: "H3", 1: "JB S4"}, "S4 HA DA CA H9 S9")
    says = [{"seat": 0, "draw": 0, "cards": parse_hand("H3"), "suit": H}]
    assert later_record(random.Random(10), deck, declarations=says)["result"]["exposed"]
    assert not later_record(random.Random(10), deck, declarations=[])["result"]["exposed"]
    assert first_record(random.Random(10), deck, claim={"seat": 1, "draw": 1})["result"]["exposed"]


DRY = [
    # trump spades, level 3: side_or_permanent, no_main_suit
    ("H3 C4 C8 D7 D9 H9", False, True),  # G16: a level card is neither side nor permanent
    ("H4 C4 C8 D7 D9 H9", True, True),
    ("H2 C4 C8 D7 D9 H9", True, True),
    ("S2 C4 C8 D7 D9 H9", True, True),
    ("JB JS S2 D2 D9 H9", True, True),
    ("S4 C4 C8 D7 D9 H9", False, False),
    ("S3 C4 C8 D7 D9 H9", False, True),
    ("S4 S6 SA S3 JB H2", True, True),  # six trumps
    ("H3 D3 C3 S3 JB H2", True, True),
    ("S4 S6 SA S3 JB H4", False, False),
    ("S4 S6 S7 S8 S9 SA", True, True),
    ("S4 S6 S7 S8 S9 HA", False, False),
    ("H2 D2 C2 S2 JB JS", True, True),
]


@pytest.mark.parametrize(("bottom", "side_or_permanent", "no_main_suit"), DRY)
def test_g7_2_dry_pot(bottom, side_or_permanent, no_main_suit):
    cards, order = parse_hand(bottom), order_of(3, S)
    assert is_dry_pot(cards, order, DryPot.SIDE_OR_PERMANENT) == side_or_permanent
    assert is_dry_pot(cards, order, DryPot.NO_MAIN_SUIT) == no_main_suit
    assert not is_dry_pot(cards, order, DryPot.OFF)


@ALL_PRESETS
@pytest.mark.parametrize(("bottom", "side_or_permanent", "no_main_suit"), DRY)
def test_g7_2_dry_pot_by_preset(preset, bottom, side_or_permanent, no_main_suit):
    deck = deal(random.Random(11), {0: "S3 H4"}, bottom)
    says = [{"seat": 0, "draw": 0, "cards": parse_hand("S3"), "suit": S}]
    record = later_record(random.Random(11), deck, PRESETS[preset], declarations=says)
    dry = no_main_suit if preset == "dalian" else side_or_permanent
    assert record["result"]["dry_pot"] == dry
    assert (record["bury"] is None) == dry
    assert not later_record(random.Random(11), deck, PRESETS[preset], declarations=[])["result"]["dry_pot"]


def dry_record(**rules):
    deck = deal(random.Random(12), {0: "S3 H4 H6 H7 H8 H9 HJ", 1: "JB"}, "JBx2 JS D4 C4 C6")
    says = [{"seat": 0, "draw": 0, "cards": parse_hand("S3"), "suit": S}]
    return later_record(random.Random(12), deck, GunziRules(**rules), habits=QUIET, declarations=says)


def test_g7_2_nothing_buried_without_a_dry_pot():
    record = dry_record(dry_pot=DryPot.OFF)
    assert clause(corrupt(record, bury=None)) == "G7.2"


def test_g7_3_a_dry_pot_stays_as_it_is():
    record = dry_record()
    assert record["result"]["dry_pot"]
    row = referee.row(record)
    assert (row["bottom_big"], row["bottom_small"]) == (2, 1)
    assert sum(row[f"{size}_buried_{seat}"] for size in ("big", "small") for seat in range(4)) == 0
    assert clause(corrupt(record, bury=parse_hand("H4 H6 H7 H8 H9 HJ"))) == "G7.3"
    joker = {"seat": 1, "jokers": parse_hand("JB"), "taken": parse_hand("C4")}
    assert clause(corrupt(record, joker_buries=[joker])) == "G7.3"


def test_g7_3_the_dealer_does_not_have_the_bottom():
    record = dry_record()
    plays = [list(play) for play in record["plays"]]
    plays[0] = parse_hand("JS")
    assert clause(corrupt(record, plays=plays)) == "G10.1"


# G8.1, G8.2: the dealer buries


def buried(hand, cards, **rules):
    fault = bury_fault(Counter(parse_hand(hand)), parse_hand(cards), GunziRules(**rules))
    return fault and fault.clause


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("H4 H5 HT HK JB S3", None),  # any six, points and jokers included
        ("H4 H5 HT HK S3", "G8.1"),
        ("H4 H5 HT HK JB S3 H4", "G8.1"),
        ("H4 H5 HT HK JB S4", "G8.1"),  # not held
        ("H4x3 HT HK S3", "G8.1"),  # one copy too many
        ("", "G8.1"),
    ],
)
def test_g8_1_any_six_held_cards(cards, expected):
    assert buried("H4x2 H5 HT HK JB S3", cards) == expected


def test_g8_1_cards_of_the_bottom_may_be_buried_again():
    deck = deal(random.Random(13), {0: "H4x3 D4x3"}, "SQ HA DA CA H9 S9")
    bottom = parse_hand("S9 H9 CA DA HA SQ")
    record = later_record(random.Random(13), deck, habits=QUIET, declarations=[], bury=bottom)
    assert clause(corrupt(record, bury=parse_hand("H4x3 D4x3 C4"))) == "G8.1"
    assert referee.row(record)["bottom_points"] == 0


JOKER_ORDER = [
    ("JBx2 JS", "JS", "G8.2"),  # G16: the small alone
    ("JBx2 JS", "JB JS", "G8.2"),  # or with one big
    ("JBx2 JS", "JBx2 JS", None),
    ("JBx2 JS", "JB", None),
    ("JBx2 JS", "JBx2", None),
    ("JBx2 JS", "", None),
    ("JSx3", "JS", None),
    ("JB JSx2", "JB JS", None),
    ("JB JSx2", "JSx2", "G8.2"),
]


@pytest.mark.parametrize(("jokers", "given", "expected"), JOKER_ORDER)
def test_g8_2_no_small_joker_while_a_big_one_is_kept(jokers, given, expected):
    others = "H4 H6 H7 H8 H9 HJ"
    n = 6 - len(parse_hand(given))
    cards = f"{given} {' '.join(others.split()[:n])}"
    assert buried(f"{jokers} {others}", cards) == expected
    assert buried(f"{jokers} {others}", cards, bury_big_first=False) is None
    for seat_fault in (others_buried(jokers, given), others_buried(jokers, given, bury_big_first=False)):
        assert seat_fault in (None, "G8.2")
    assert others_buried(jokers, given) == expected
    assert others_buried(jokers, given, bury_big_first=False) is None


def others_buried(jokers, given, bottom="S3 H3 H4 D6", taken=None, level=5, trump=S, **rules):
    """Clause of burying `given` of a seat's `jokers`, taking the smallest cards of a bottom without equal cards."""
    order = order_of(level, trump)
    cards = parse_hand(given)
    smallest = sorted(pickable(parse_hand(bottom)), key=lambda kind: order.strength[kind])[: len(cards)]
    picked = smallest if taken is None else parse_hand(taken)
    fault = joker_bury_fault(Counter(parse_hand(jokers)), cards, picked, parse_hand(bottom), order, GunziRules(**rules))
    return fault and fault.clause


@pytest.mark.parametrize("most", range(7))
@pytest.mark.parametrize("n", range(1, 7))
def test_g8_2_max_jokers_per_seat_binds_every_seat(most, n):
    jokers = ["JB", "JB", "JB", "JS", "JS", "JS"][:n]
    expected = "G15" if n > most else None
    cards = " ".join([*jokers, *["H3", "H4", "H6", "H7", "H8", "H9"][: 6 - n]])
    assert buried("JBx3 JSx3 H3 H4 H6 H7 H8 H9", cards, max_jokers_per_seat=most) == expected
    bottom = "H3 H4 H6 H7 H8 H9"
    assert others_buried("JBx3 JSx3", " ".join(jokers), bottom, max_jokers_per_seat=most) == expected


def test_g8_2_max_jokers_is_judged_before_the_joker_order():
    assert buried("JB JSx2 H3 H4 H6 H7 H8", "JSx2 H3 H4 H6 H7", max_jokers_per_seat=1) == "G15"
    assert others_buried("JB JSx2", "JSx2", max_jokers_per_seat=1) == "G15"


# G8.4: the other seats' jokers

PICKS = [
    # G16: level 5, trump hearts
    ("JB", "JB", "S7 S8 C7 C8 D8 D9", "S7", None),
    ("JB", "JB", "S7 S8 C7 C8 D8 D9", "C7", None),
    ("JB", "JB", "S7 S8 C7 C8 D8 D9", "S8", "G8.4"),
    ("JBx2", "JBx2", "S7 S8 C7 C8 D8 D9", "S7 C7", None),
    ("JBx2", "JBx2", "S7 S8 C7 C8 D8 D9", "S7 C8", "G8.4"),
    ("JBx2 JS", "JBx2 JS", "S7 S8 C7 C8 D8 D9", "S7 C7 D8", None),
    ("JB", "JB", "S7 S8 C7 C8 D8 D9", "S7 C7", "G8.4"),  # one a joker
    ("JB", "JB", "S7 S8 C7 C8 D8 D9", "", "G8.4"),
    ("JB", "JB", "S7 S8 C7 C8 D8 D9", "H7", "G8.4"),  # not in the bottom
    ("JBx2", "JBx2", "S7 S8 C7 C8 D8 D9", "S7x2", "G8.4"),
    ("JBx2", "JBx2", "JSx3 JB S7 S8", "S7 S8", None),
    ("JBx2 JS", "JBx2 JS", "JSx2 JB S7 S8 SK", "S7 S8 SK", "G8.4"),  # at most two
    ("JB", "JB", "S5 ST SK D5 H3 HA", "H3", None),  # no point cards, though smaller
    ("JB", "JB", "S5 ST SK D5 H3 HA", "S5", "G8.4"),
    ("JB", "JB", "JS H3 SA S9 S8 S4", "S4", None),
    ("JB", "JB", "JS H3 SA S9 S8 S4", "H3", "G8.4"),  # side before trump
    ("JB", "JB", "JS H3 H4 H2 HA ST", "H3", None),
    ("JBx2", "JBx2", "JS H3 SA CK CT C5", "SA H3", None),
    ("JB", "JB", "C2 S2 H2 S5 D5 C5", "C2", None),
    ("JB", "JB", "C2 S2 H2 S5 D5 C5", "S2", None),
    ("JB", "JB", "C2 S2 H2 S5 D5 C5", "H2", "G8.4"),  # the trump 2 is higher
    ("JB", "JB", "S5 ST SK D5 JS JSx2", "", "G8.4"),  # only points and jokers: barred
    ("JB", "JS", "S7 S8 C7 C8 D8 D9", "S7", "G8.4"),  # not held
    ("JB S7", "S7", "S7 S8 C7 C8 D8 D9", "S7", "G8.4"),  # no joker
]


@pytest.mark.parametrize(("hand", "given", "bottom", "taken", "expected"), PICKS)
def test_g8_4_the_smallest_cards_are_picked(hand, given, bottom, taken, expected):
    assert others_buried(hand, given, bottom, taken, trump=H) == expected


def test_g8_4_level_cards_of_points_are_not_pickable():
    assert pickable(parse_hand("S5 HT CK JB JS S4")) == parse_hand("S4")


def test_g8_4_the_limit_is_judged_before_the_joker_order_and_that_before_the_pick():
    assert others_buried("JB JSx3", "JSx3", "S7 S8 SK SK HK HT", "S7 S8") == "G8.4"
    assert others_buried("JB JSx3", "JS", "S7 S8 SK SK HK HT", "S8") == "G8.2"
    assert others_buried("JSx3", "JSx3", "S7 S8 SK SK HK HT", "S7 S8", max_jokers_per_seat=2) == "G8.4"


def asked(joker_buries, **rules):
    """Clause of a hand of dealer 0 at level 3, trump spades, in which each other seat has a joker of each size."""
    named = {1: "JB JS", 2: "JB JS", 3: "JB JS", 0: "C4x3 C6x3"}
    deck = deal(random.Random(14), named, "S4 HA DA CA H9 S9")
    entries = [
        {"seat": seat, "jokers": parse_hand(jokers), "taken": parse_hand(taken)} for seat, jokers, taken in joker_buries
    ]
    record = later_record(
        random.Random(15), deck, habits=QUIET, declarations=[], bury=parse_hand("C4x3 C6x3"), joker_buries=[]
    )
    bad = with_rules({**record, "joker_buries": entries}, **rules)
    fault = clause(bad)
    if fault in ("G10.1", "G10.3", None):  # the plays no longer fit
        good = later_record(
            random.Random(15),
            deck,
            GunziRules(**rules),
            habits=QUIET,
            declarations=[],
            bury=parse_hand("C4x3 C6x3"),
            joker_buries=entries,
        )
        row = referee.row(good)
        assert row["bottom_big"] == sum(parse_hand(jokers).count(53) for _, jokers, _ in joker_buries)
        assert row["bottom_small"] == sum(parse_hand(jokers).count(52) for _, jokers, _ in joker_buries)
        for seat, jokers, _ in joker_buries:
            assert row[f"big_buried_{seat}"] == parse_hand(jokers).count(53)
            assert row[f"small_buried_{seat}"] == parse_hand(jokers).count(52)
        return None
    return fault


@pytest.mark.parametrize(
    ("joker_buries", "expected"),
    [
        ([(1, "JB", "C4")], None),
        ([(2, "JB JS", "C4x2")], None),
        ([(1, "JB", "C4"), (2, "JB", "C4"), (3, "JB", "C4")], None),
        ([(1, "JB", "C4"), (3, "JB JS", "C4x2")], None),
        ([(1, "JB JS", "C4x2"), (2, "JB JS", "C4 C6"), (3, "JB JS", "C6x2")], None),  # until nothing is left
        ([(2, "JB", "C4"), (1, "JB", "C4")], "G8.4"),  # order of asking
        ([(1, "JB", "C4"), (1, "JS", "C4")], "G8.4"),  # asked once
        ([(0, "JB", "C4")], "G8.4"),  # the dealer is not asked
        ([(3, "JB", "C4"), (0, "JB", "C4")], "G8.4"),
        ([(1, "JB JS", "C4x2"), (2, "JB JS", "C4x2")], "G8.4"),  # the third C4 is left alone
        ([(1, "JS", "C4")], "G8.2"),
        ([(1, "JB", "C6")], "G8.4"),
        ([(1, "", "")], "FORMAT"),
    ],
)
def test_g8_4_order_of_asking(joker_buries, expected):
    assert asked(joker_buries) == expected


def test_g8_4_others_may_be_barred():
    assert asked([(1, "JB", "C4")], others_bury_jokers=False) == "G8.4"
    assert asked([], others_bury_jokers=False) is None


def test_g8_4_a_card_picked_up_belongs_to_the_seat():
    deck = deal(random.Random(16), {1: "JB JS", 0: "C4x3 C6x3"}, "S4 HA DA CA H9 S9")
    entry = {"seat": 1, "jokers": parse_hand("JB"), "taken": parse_hand("C4")}
    record = later_record(
        random.Random(16), deck, habits=QUIET, declarations=[], bury=parse_hand("C4x3 C6x3"), joker_buries=[entry]
    )
    seat_1 = Counter()
    leader = 0
    for number, play in enumerate(record["plays"]):
        if (leader + number % 4) % 4 == 1:
            seat_1.update(play)
        if number % 4 == 3:
            leader = record["result"]["winners"][number // 4]
    assert seat_1[parse_hand("C4")[0]] >= 1
    assert seat_1[parse_hand("JB")[0]] == 0
    assert sum(seat_1.values()) == 39


def test_g8_5_all_buried_jokers_are_pooled():
    assert asked([(1, "JB", "C4"), (2, "JB", "C4"), (3, "JB", "C4")]) is None
    deck = deal(random.Random(17), {1: "JB", 2: "JB", 3: "JS", 0: "JB C4x3 C6x3"}, "S4 HA DA CA H9 S9")
    entries = [{"seat": seat, "jokers": parse_hand("JB"), "taken": parse_hand("C4")} for seat in (1, 2)]
    record = later_record(
        random.Random(17), deck, habits=QUIET, declarations=[], bury=parse_hand("JB C4x3 C6x2"), joker_buries=entries
    )
    row = referee.row(record)
    assert row["bottom_big"] == 3
    assert [row[f"big_buried_{seat}"] for seat in range(4)] == [1, 1, 1, 0]
