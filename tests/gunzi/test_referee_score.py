"""Levels and the end of a round (G2), result (G12), next dealer (G13), settlement (G14), with G16's vectors."""

import itertools
import random
from dataclasses import replace

import pytest

from gunzi.random_records import Habits, deal, later_record, random_record, random_rules
from gunzi_sim.cards import parse_hand
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.referee_score import (
    Played,
    attacker_points,
    joker_levels,
    next_dealer,
    owed_score_part,
    raise_due,
    risen,
    score_hand,
    tribute_pts,
)
from gunzi_sim.gunzi.rules import (
    PRESETS,
    EndAt300,
    GunziRules,
    RoundWonBy,
    ThreeBigEnds,
    TributeRounding,
    TributeSettlement,
)

STANDARD = PRESETS["standard"]
NO_TRIBUTE = [0, 0, 0, 0]
ALL_PRESETS = pytest.mark.parametrize("preset", PRESETS)


def hand(trick_points, bottom=0, last="hold", big=0, small=0, dry=False):
    """A finished hand in which attackers took `trick_points` in tricks."""
    return Played(trick_points, 300 - trick_points - bottom, bottom, last == "dig", big, small, dry)


def score(played, rules=STANDARD, levels=(3, 3), dealer=0):
    return score_hand(levels, dealer, played, NO_TRIBUTE, rules)


# G16: settlement vectors. T, B, last, big, small, dry; S, win, D, A, owed, owed classic, round over, pts

VECTORS = [
    ((0, 30, "hold", 0, 0, False), (0, False, None, None, None, None, "dealers", -50)),
    ((0, 0, "dig", 0, 0, False), (0, False, None, None, None, None, "dealers", -50)),
    ((5, 0, "hold", 0, 0, False), (5, False, 1, 0, 8, 7, None, -3)),
    ((75, 20, "hold", 0, 0, False), (75, False, 1, 0, 1, 0, None, -3)),
    ((70, 25, "dig", 0, 0, False), (120, True, 0, 1, 0, 0, None, 4)),
    ((60, 10, "dig", 1, 1, False), (80, False, 0, 0, 0, 3, None, 0)),
    ((60, 10, "hold", 1, 1, False), (60, False, 4, 0, 5, 5, None, -12)),
    ((100, 10, "hold", 1, 0, False), (100, False, 3, 0, 2, 2, None, -9)),
    ((100, 5, "dig", 0, 2, False), (110, False, 0, 0, 0, 2, None, 0)),
    ((120, 0, "hold", 0, 3, False), (120, True, 0, 0, 3, 3, None, 1)),
    ((155, 0, "hold", 0, 0, False), (155, True, 0, 0, 0, 0, None, 1)),
    ((160, 0, "hold", 0, 0, False), (160, True, 0, 0, 1, 1, None, 1)),
    ((150, 20, "dig", 0, 1, False), (190, True, 0, 2, 5, 5, None, 7)),
    ((130, 0, "dig", 2, 0, True), (130, True, 0, 1, 0, 0, None, 4)),
    ((40, 0, "hold", 1, 1, True), (40, False, 1, 0, 4, 4, None, -3)),
    ((90, 0, "hold", 3, 0, False), (90, False, None, None, None, 6, "dealers", -50)),
    ((130, 0, "dig", 3, 0, False), (130, True, None, None, None, None, "attackers", 50)),
    ((130, 0, "hold", 3, 0, False), (130, True, 0, 0, 6, 6, None, 1)),
    ((180, 60, "dig", 0, 0, False), (300, True, None, None, None, None, "attackers", 50)),
    ((270, 30, "dig", 0, 0, False), (330, True, None, None, None, None, "attackers", 50)),
]


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize(("given", "expected"), VECTORS)
def test_g16_settlement_vectors(given, expected, dealer):
    points, win, dealers_raise, attackers_raise, owed, _, over, pts = expected
    side = dealer % 2
    result = score(hand(*given), dealer=dealer)
    assert (result.attacker_points, result.takes_deal) == (points, win)
    if over is None:
        assert (result.raises[side], result.raises[1 - side]) == (dealers_raise, attackers_raise)
        assert result.uncapped == result.raises
        assert result.owed_next == owed
        assert (result.round_end, result.round_winner) == (None, None)
        assert result.next_dealer == (dealer + (1 if win else 2)) % 4
        assert result.levels_after == (3 + result.raises[0], 3 + result.raises[1])
    else:
        assert result.round_winner == (side if over == "dealers" else 1 - side)
        assert (result.raises, result.owed_next, result.next_dealer) == ((0, 0), 0, None)
        assert result.levels_after == (3, 3)
    attackers = [result.settlement[(dealer + step) % 4] for step in (1, 3)]
    dealers = [result.settlement[(dealer + step) % 4] for step in (0, 2)]
    assert (attackers, dealers) == ([pts, pts], [-pts, -pts])


@pytest.mark.parametrize(("given", "expected"), VECTORS)
def test_g16_settlement_vectors_under_classic(given, expected):
    points, win, dealers_raise, attackers_raise, _, owed, over, pts = expected
    rules = PRESETS["classic"]
    result = score(hand(*given), rules)
    assert (result.attacker_points, result.takes_deal) == (points, win)
    if owed is None:
        assert result.round_winner == (0 if over == "dealers" else 1)
        assert result.settlement[1] == pts
        return
    assert result.round_winner is None
    assert result.owed_next == owed
    if over is None:
        assert result.raises == (dealers_raise, attackers_raise)
        assert result.settlement[1] == pts
    else:  # three big jokers held by the dealers' side: 7 levels instead of the round
        assert result.raises == (7, 0)
        assert result.levels_after == (10, 3)


def test_g16_there_are_twenty_vectors():
    assert len(VECTORS) == 20


# G2: levels


@pytest.mark.parametrize(
    ("level", "due", "expected"), [(3, 1, 1), (9, 1, 1), (9, 2, 1), (8, 4, 2), (10, 1, 0), (3, 7, 7), (3, 8, 7)]
)
def test_g2_3_no_raise_jumps_over_the_end_level(level, due, expected):
    assert risen(level, due, STANDARD) == expected


def test_g2_3_example_level_8_rising_4_is_10_and_no_win():
    result = score(hand(60, 10, "hold", 1, 1), levels=(8, 5))
    assert (result.raises, result.uncapped, result.levels_after) == ((2, 0), (4, 0), (10, 5))
    assert result.round_winner is None
    assert result.settlement == (6, -6, 6, -6)  # levels actually risen


@ALL_PRESETS
@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("jokers", [(0, 0), (1, 1)])
def test_g2_4_a_raise_as_dealers_at_the_end_level_wins_the_round(preset, dealer, jokers):
    levels = (10, 4) if dealer % 2 == 0 else (4, 10)
    result = score(hand(100, 0, "hold", *jokers), PRESETS[preset], levels, dealer)
    assert (result.round_end, result.round_winner) == ("passed", dealer % 2)
    assert result.raises[dealer % 2] == 1  # passing counts one level
    assert result.settlement[dealer] == 3
    assert (result.levels_after, result.owed_next, result.next_dealer) == ((3, 3), 0, None)


@ALL_PRESETS
def test_g2_4_attackers_at_the_end_level_take_the_deal_and_stay(preset):
    result = score(hand(130, 0, "dig"), PRESETS[preset], (7, 10))
    assert (result.round_end, result.takes_deal) == (None, True)
    assert (result.raises, result.levels_after, result.next_dealer) == ((0, 0), (7, 10), 1)
    assert result.settlement == (-1, 1, -1, 1)


def test_g2_4_no_raise_at_the_end_level_wins_nothing():
    assert score(hand(100, 0, "dig"), levels=(10, 10)).round_winner is None
    assert score(hand(130, 0, "hold"), levels=(10, 10)).round_winner is None
    assert score(hand(130, 0, "dig"), levels=(10, 3)).round_winner is None


def test_g2_4_rising_to_the_end_level_wins_only_by_reaching():
    reaching = replace(STANDARD, round_won_by=RoundWonBy.REACHING)
    dealers, attackers = hand(100, 0, "hold"), hand(130, 0, "dig", 0, 1)
    assert score(dealers, levels=(9, 3)).round_winner is None
    result = score(dealers, reaching, (9, 3))
    assert (result.round_end, result.round_winner, result.raises) == ("passed", 0, (1, 0))
    assert score(dealers, reaching, (8, 3)).round_winner is None
    assert score(attackers, levels=(3, 9)).round_winner is None
    result = score(attackers, reaching, (3, 8))
    assert (result.round_end, result.round_winner, result.raises) == ("passed", 1, (0, 2))
    assert result.settlement == (-7, 7, -7, 7)  # levels risen, no bonus
    result = score(attackers, reaching, (3, 9))
    assert (result.round_winner, result.raises) == (1, (0, 1))
    assert score(attackers, reaching, (3, 10)).round_winner is None  # stood there already
    assert score(dealers, reaching, (10, 3)).round_winner == 0  # passes


def test_g15_reaching_where_a_side_stood_at_the_end_level_it_wins_by_passing():
    rules = GunziRules(start_level=10, end_level=10, round_won_by=RoundWonBy.REACHING)
    assert score(hand(130, 0, "dig"), rules, (10, 10)).round_winner is None  # attackers did not pass
    result = score(hand(100, 0, "hold"), rules, (10, 10))
    assert (result.round_end, result.round_winner, result.raises) == ("passed", 0, (1, 0))


@pytest.mark.parametrize(("start", "end"), [(3, 10), (5, 5), (3, 14), (9, 13)])
def test_g2_5_after_a_round_both_sides_start_again(start, end):
    rules = GunziRules(start_level=start, end_level=end)
    result = score(hand(60, 0, "hold"), rules, (end, end))
    assert (result.levels_after, result.next_dealer, result.owed_next) == ((start, start), None, 0)


def test_g16_attackers_at_4_beat_dealers_at_7():
    result = score(hand(130, 0, "dig"), levels=(7, 4), dealer=0)
    assert (result.levels_after, result.next_dealer) == ((7, 5), 1)  # so the next hand is played at 5


# G11.3, G12.1: points and raises


@pytest.mark.parametrize("multiplier", range(9))
def test_g11_3_the_bottom_counts_by_its_multiplier_on_a_dig(multiplier):
    rules = GunziRules(dig_multiplier=multiplier)
    assert attacker_points(hand(40, 25, "dig"), rules) == 40 + 25 * multiplier
    assert attacker_points(hand(40, 25, "hold"), rules) == 40


def test_g11_3_s_can_reach_360():
    assert score(hand(240, 60, "dig")).attacker_points == 360


@pytest.mark.parametrize("win_score", [5, 100, 120, 150])
@pytest.mark.parametrize("last", ["dig", "hold"])
@pytest.mark.parametrize("v", [0, 1, 3])
def test_g12_1_the_four_cases_on_both_sides_of_the_win_score(win_score, last, v):
    rules = GunziRules(win_score=win_score, tribute_low=5)
    below, above = hand(win_score - 5, 0, last, 0, v), hand(win_score, 0, last, 0, v)
    assert raise_due(False, below, rules) == ((0, 0) if last == "dig" else (1 + v, 0))
    assert raise_due(True, above, rules) == ((0, 1 + v) if last == "dig" else (0, 0))
    if win_score > 5:
        assert not score(below, rules).takes_deal
    assert score(above, rules).takes_deal


@ALL_PRESETS
def test_g12_1_win_score_120_in_every_preset(preset):
    rules = PRESETS[preset]
    assert (rules.win_score, rules.tribute_low, rules.tribute_high) == (120, 80, 150)
    assert not score(hand(115), rules).takes_deal
    assert score(hand(120), rules).takes_deal


@pytest.mark.parametrize(("big", "small"), list(itertools.product(range(4), range(4))))
def test_g12_2_v_is_two_a_big_and_one_a_small_joker_and_nothing_in_a_dry_pot(big, small):
    assert joker_levels(hand(100, 0, "hold", big, small), STANDARD) == 2 * big + small
    assert joker_levels(hand(100, 0, "hold", big, small, True), STANDARD) == 0
    other = GunziRules(big_joker_levels=7, small_joker_levels=0)
    assert joker_levels(hand(100, 0, "hold", big, small), other) == 7 * big


# G12.4: tribute owed


@pytest.mark.parametrize(
    ("points", "generous", "floor"),
    [
        (0, 8, 8),
        (5, 8, 7),
        (10, 7, 7),
        (65, 2, 1),
        (70, 1, 1),
        (75, 1, 0),
        (80, 0, 0),  # both sides of the bound
        (115, 0, 0),
        (120, 0, 0),
        (150, 0, 0),
        (155, 0, 0),
        (160, 1, 1),
        (165, 1, 1),
        (170, 2, 2),
        (295, 14, 14),
    ],
)
def test_g12_4_score_part(points, generous, floor):
    for preset in ("standard", "dalian"):
        assert owed_score_part(points, PRESETS[preset]) == generous
    for preset in ("classic", "qiqi"):
        assert owed_score_part(points, PRESETS[preset]) == floor


def test_g12_4_score_part_follows_its_bounds():
    rules = GunziRules(tribute_low=5, win_score=100, tribute_high=100)
    assert [owed_score_part(points, rules) for points in (0, 5, 100, 105, 110)] == [1, 0, 0, 0, 1]
    floor = replace(rules, tribute_rounding=TributeRounding.FLOOR)
    assert owed_score_part(0, floor) == 0


@pytest.mark.parametrize(
    ("preset", "voids"), [("standard", True), ("dalian", True), ("classic", False), ("qiqi", False)]
)
def test_g12_4_joker_part_and_its_one_exception(preset, voids):
    rules = PRESETS[preset]
    cases = {
        (100, "hold"): 3,
        (100, "dig"): 0 if voids else 3,
        (130, "hold"): 3,
        (130, "dig"): 3,
        (40, "dig"): 4 if voids else 7,  # dalian voids v only, the score part stays
    }
    for (points, last), owed in cases.items():
        assert score(hand(points, 0, last, 1, 1), rules).owed_next == owed
        assert score(hand(points, 0, last, 1, 1, True), rules).owed_next == (4 if points == 40 else 0)


# G12.5: the ends of a round


def test_g12_5_and_g12_6_no_points_end_the_round_however_tricks_fell():
    for last in ("hold", "dig"):
        result = score(hand(0, 0, last))
        assert (result.round_end, result.round_winner, result.takes_deal) == ("zero", 0, False)
    assert score(hand(5)).round_end is None
    assert score(hand(0, 5, "dig")).round_end is None  # S = 10
    assert score(hand(0, 5, "hold")).round_end == "zero"


def test_g12_5_zero_by_multiplier():
    assert score(hand(0, 30, "dig"), GunziRules(dig_multiplier=0)).round_end == "zero"


@pytest.mark.parametrize(
    ("played", "by_score", "captured"),
    [
        (hand(295), None, None),
        (hand(300), "score", "score"),
        (hand(180, 60, "dig"), "score", None),  # the dealers' side took 60
        (hand(175, 60, "dig"), None, None),  # 295
        (hand(270, 30, "dig"), "score", "score"),
        (hand(265, 30, "dig"), "score", None),
        (hand(300, 0, "dig"), "score", "score"),
        (hand(295, 5, "hold"), None, None),
    ],
)
def test_g12_5_three_hundred(played, by_score, captured):
    assert score(played).round_end == by_score
    assert score(played, GunziRules(end_at_300=EndAt300.CAPTURED)).round_end == captured


def test_g12_5_captured_leaves_the_usual_result():
    result = score(hand(180, 60, "dig"), GunziRules(end_at_300=EndAt300.CAPTURED))
    assert (result.raises, result.owed_next, result.settlement[1]) == ((0, 1), 15, 4)


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("dry", [False, True])
@pytest.mark.parametrize("big", range(4))
def test_g12_5_three_big_jokers(preset, dry, big):
    rules = PRESETS[preset]
    both = preset in ("standard", "dalian")
    ends = {
        (130, "dig"): 1,
        (120, "dig"): 1,
        (115, "hold"): 0 if both else None,
        (90, "hold"): 0 if both else None,
        (130, "hold"): None,
        (115, "dig"): None,
    }
    for (points, last), winner in ends.items():
        result = score(hand(points, 0, last, big, 0, dry), rules)
        expected = winner if big == 3 and not dry else None
        assert result.round_winner == expected
        assert result.round_end == (None if expected is None else "three_big")
        if expected is not None:
            assert result.settlement[0] == (50 if expected == 0 else -50)


def test_g12_5_three_big_off():
    rules = GunziRules(three_big_ends=ThreeBigEnds.OFF)
    for points, last in [(130, "dig"), (90, "hold")]:
        assert score(hand(points, 0, last, 3), rules).round_end is None


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("small", [2, 3])
def test_g12_5_three_small_jokers(preset, small):
    rules = PRESETS[preset]
    ends = {(130, "dig"): 1, (115, "hold"): 0, (130, "hold"): None, (115, "dig"): None}
    for (points, last), winner in ends.items():
        result = score(hand(points, 0, last, 0, small), rules)
        expected = winner if preset == "dalian" and small == 3 else None
        assert result.round_winner == expected
        assert result.round_end == (None if expected is None else "three_small")
        assert score(hand(points, 0, last, 0, small, True), rules).round_end is None


def test_g12_5_ends_are_tested_in_order():
    rules = replace(PRESETS["dalian"], win_score=120)
    assert score(hand(0, 0, "hold", 3, 3), rules).round_end == "zero"
    assert score(hand(300, 0, "dig", 3, 3), rules).round_end == "score"
    assert score(hand(130, 0, "dig", 3, 3), rules).round_end == "three_big"
    off = replace(rules, three_big_ends=ThreeBigEnds.OFF)
    assert score(hand(130, 0, "dig", 3, 3), off).round_end == "three_small"
    attackers_only = replace(rules, three_big_ends=ThreeBigEnds.ATTACKERS)
    assert score(hand(90, 0, "hold", 3, 3), attackers_only).round_end == "three_small"
    passing = score(hand(90, 0, "hold", 3, 0), rules, (10, 3))
    assert (passing.round_end, passing.raises, passing.settlement[0]) == ("three_big", (0, 0), 50)
    zero = score(hand(0, 0, "hold"), rules, (10, 3))
    assert (zero.round_end, zero.raises) == ("zero", (0, 0))


def test_g12_3_an_end_replaces_raises_and_cancels_the_debt():
    result = score(hand(300, 0, "dig", 2, 0))
    assert (result.raises, result.uncapped, result.owed_next) == ((0, 0), (0, 0), 0)


# G13, G14


@pytest.mark.parametrize("dealer", range(4))
def test_g13_next_dealer(dealer):
    assert next_dealer(dealer, False) == (dealer + 2) % 4
    assert next_dealer(dealer, True) == (dealer + 1) % 4


@ALL_PRESETS
def test_g13_example_seat_1_deals_and_the_payer_is_the_new_dealers_previous(preset):
    rules = PRESETS[preset]
    won, lost = score(hand(120), rules, dealer=1), score(hand(115), rules, dealer=1)
    assert (won.next_dealer, lost.next_dealer) == (2, 3)
    for result, owing_side in [(won, 1), (lost, 0)]:  # the side that had to yield pays
        assert (result.next_dealer - 1) % 4 % 2 == owing_side


@pytest.mark.parametrize(
    ("played", "pts"),
    [
        (hand(100, 0, "hold"), -3),
        (hand(100, 0, "hold", 1), -9),
        (hand(100, 0, "dig"), 0),
        (hand(100, 0, "dig", 1), 0),
        (hand(130, 0, "hold"), 1),
        (hand(130, 0, "hold", 1), 1),
        (hand(130, 0, "dig"), 4),
        (hand(130, 0, "dig", 1), 10),
    ],
)
@ALL_PRESETS
def test_g14_1_per_player(preset, played, pts):
    assert score(played, PRESETS[preset]).settlement == (-pts, pts, -pts, pts)


@pytest.mark.parametrize(
    ("settlement", "expected"),
    [(TributeSettlement.PLAYERS, [2, 0, 0, -2]), (TributeSettlement.SIDES, [2, -2, 2, -2])],
)
def test_g14_2_tribute(settlement, expected):
    rules = GunziRules(tribute_settlement=settlement)
    assert tribute_pts(3, 0, 2, rules) == expected
    assert tribute_pts(0, 3, 2, rules) == [-n for n in expected]  # a reversal follows the cards


def test_g14_2_tribute_is_booked_in_the_hand_in_which_cards_move():
    quiet = Habits(jokers=0)
    deck = deal(random.Random(1), {0: "JBx2", 2: "JB"}, "SQ HA DA CA H9 S9")
    record = later_record(random.Random(2), deck, owed=3, declarations=[], habits=quiet)
    settlement = record["result"]["settlement"]
    assert (settlement[0] - settlement[2], settlement[3] - settlement[1]) == (3, -3)
    sides = referee.derive({**record, "rules": GunziRules(tribute_settlement=TributeSettlement.SIDES)})["settlement"]
    assert [sides[seat] - settlement[seat] for seat in range(4)] == [0, -3, 3, 0]


def test_g14_2_waived_tribute_is_never_booked():
    points = " ".join(f"{suit}{rank}x3" for suit in "SHDC" for rank in "5TK")
    deck = deal(random.Random(3), {3: f"{points} H4 H6 H7"}, "SQ HA DA CA H9 S9")
    record = later_record(random.Random(3), deck, PRESETS["qiqi"], owed=5, declarations=[])
    settlement = record["result"]["settlement"]
    assert (settlement[0] - settlement[2], settlement[3] - settlement[1]) == (3, -3)


@pytest.mark.parametrize(
    "played", [hand(0), hand(300), hand(130, 0, "dig", 3), hand(90, 0, "hold", 3), hand(60, 120, "dig", 3)]
)
def test_g14_3_fifty_instead_of_the_usual(played):
    result = score_hand((3, 3), 0, played, [1, 0, 0, -1], STANDARD)
    winner = result.round_winner
    base = [50 if seat % 2 == winner else -50 for seat in range(4)]
    assert list(result.settlement) == [base[0] + 1, base[1], base[2], base[3] - 1]  # tribute is added


@pytest.mark.parametrize("seed", range(200))
def test_g14_4_settlement_sums_to_zero(seed):
    rng = random.Random(seed)
    rules = random_rules(rng)
    bottom = 5 * rng.randrange(13)
    played = hand(5 * rng.randrange((300 - bottom) // 5 + 1), bottom, rng.choice(["dig", "hold"]))
    played = played._replace(big=rng.randrange(4), small=rng.randrange(4), dry_pot=rng.random() < 0.3)
    levels = (rng.randint(rules.start_level, rules.end_level), rng.randint(rules.start_level, rules.end_level))
    dealer = rng.randrange(4)
    tribute = tribute_pts((dealer - 1) % 4, dealer, rng.randrange(9), rules)
    result = score_hand(levels, dealer, played, tribute, rules)
    assert sum(result.settlement) == 0
    assert all(level <= rules.end_level for level in result.levels_after)
    assert min(result.raises) == 0
    assert (result.round_end is None) == (result.next_dealer is not None) == (result.round_winner is None)


@pytest.mark.parametrize("seed", range(30))
def test_g12_the_row_and_the_result_of_a_record_agree(seed):
    record = random_record(random.Random(seed))
    row, result = referee.row(record), record["result"]
    for key in ("dealer", "level", "trump", "exposed", "dry_pot", "attacker_points", "bottom_points", "dig"):
        assert row[key] == int(result[key])
    for key in ("takes_deal", "owed_next", "tribute_moved", "tribute_short"):
        assert row[key] == int(result[key])
    assert [row["raise_0"], row["raise_1"]] == result["raise"]
    assert [row[f"settlement_{seat}"] for seat in range(4)] == result["settlement"]
    ends = [None, "zero", "score", "three_big", "three_small", "passed"]
    assert ends[row["round_end"]] == result["round_end"]
    nobody = {None: 9}
    assert row["round_winner"] == nobody.get(result["round_winner"], result["round_winner"])
    assert row["next_dealer"] == nobody.get(result["next_dealer"], result["next_dealer"])
    assert row["tricks"] == len(result["winners"]) == len(record["plays"]) // 4


def test_g12_5_three_jokers_in_a_whole_record():
    deck = deal(random.Random(5), {0: "JBx3 H4 H6 H7"}, "SQ HA DA CA H9 S9")
    for seed in range(40):
        record = later_record(random.Random(seed), deck, declarations=[], bury=parse_hand("JBx3 H4 H6 H7"))
        result = record["result"]
        if result["takes_deal"] == result["dig"] and 0 < result["attacker_points"] < 300:
            assert (result["round_end"], result["round_winner"]) == ("three_big", int(result["dig"]))
            return
    raise AssertionError("no seed ends by three big jokers")
