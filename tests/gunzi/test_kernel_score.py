"""The compiled result of a hand (G11.3 to G14) on state records: G16's vectors, every bound on both sides, options."""

import random
from dataclasses import replace

import pytest
from counts import count
from from_host import from_host

from gunzi.kernel_records import STANDARD, call, kernel_rules, kernel_state
from gunzi.random_records import random_rules
from gunzi.test_referee_score import VECTORS
from gunzi_sim.cards import NOBODY
from gunzi_sim.gunzi import referee_score
from gunzi_sim.gunzi.rules import (
    PRESETS,
    EndAt300,
    GunziRules,
    RoundWonBy,
    ThreeBigEnds,
    TributeRounding,
    TributeSettlement,
)
from gunzi_sim.gunzi.score import (
    END_NONE,
    END_PASSED,
    END_SCORE,
    END_THREE_BIG,
    END_THREE_SMALL,
    END_ZERO,
    score_hand,
    tribute_for_points,
)

ALL_PRESETS = pytest.mark.parametrize("preset", PRESETS)
ALL_DEALERS = pytest.mark.parametrize("dealer", range(4))


def score(trick_points, bottom=0, last="hold", big=0, small=0, dry=False, rules=STANDARD, levels=(3, 3), dealer=0,
          dealer_points=None, **fields):  # fmt: skip
    """The state of a hand in which attackers took `trick_points` in tricks, scored."""
    state = kernel_state(
        rules,
        levels=levels,
        dealer=dealer,
        trick_points=trick_points,
        dealer_points=300 - trick_points - bottom if dealer_points is None else dealer_points,
        bottom_points=bottom,
        dig=last == "dig",
        bottom_big=big,
        bottom_small=small,
        dry_pot=dry,
        payer=fields.pop("payer", NOBODY),
        receiver=fields.pop("receiver", NOBODY),
        **fields,
    )
    call(score_hand, state)
    return state[0]


def end(state):
    return int(state["round_end"]), int(state["round_winner"])


def raises(state):
    """Levels risen by the dealers' side and by the attackers."""
    side = int(state["dealer"]) % 2
    return int(state["raises"][side]), int(state["raises"][1 - side])


def settled(state):
    return [int(pts) for pts in state["settlement"]]


# --- G16 -------------------------------------------------------------------------------------------------------------


@ALL_DEALERS
@pytest.mark.parametrize(("given", "expected"), VECTORS)
def test_g16_settlement_vectors(given, expected, dealer):
    points, win, dealers_raise, attackers_raise, owed, _, over, pts = expected
    state = score(*given, dealer=dealer)
    assert (state["attacker_points"], state["takes_deal"]) == (points, win)
    if over is None:
        assert raises(state) == (dealers_raise, attackers_raise)
        assert state["owed_next"] == owed
        assert end(state) == (END_NONE, NOBODY)
        assert state["next_dealer"] == (dealer + (1 if win else 2)) % 4
    else:
        assert state["round_end"] != END_NONE
        assert state["round_winner"] == (dealer % 2 if over == "dealers" else 1 - dealer % 2)
        assert raises(state) == (0, 0)
        assert (state["owed_next"], state["next_dealer"]) == (0, NOBODY)
    assert settled(state) == [-pts if (seat - dealer) % 2 == 0 else pts for seat in range(4)]


@ALL_DEALERS
@pytest.mark.parametrize(("given", "expected"), VECTORS)
def test_g16_settlement_vectors_under_classic(given, expected, dealer):
    points, win, dealers_raise, attackers_raise, _, owed, over, pts = expected
    state = score(*given, rules=PRESETS["classic"], dealer=dealer)
    assert (state["attacker_points"], state["takes_deal"]) == (points, win)
    if owed is None:
        assert state["round_winner"] == (dealer % 2 if over == "dealers" else 1 - dealer % 2)
        assert state["settlement"][(dealer + 1) % 4] == pts
        return
    assert end(state) == (END_NONE, NOBODY)
    assert state["owed_next"] == owed
    if over is None:
        assert raises(state) == (dealers_raise, attackers_raise)
        assert state["settlement"][(dealer + 1) % 4] == pts
    else:  # three big jokers held by the dealers' side: 7 levels instead of the round
        assert raises(state) == (7, 0)


# --- G2: levels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("level", "small", "end_level", "risen"),
    [(3, 0, 10, 1), (9, 0, 10, 1), (9, 1, 10, 1), (8, 3, 10, 2), (7, 2, 10, 3), (6, 3, 10, 4), (13, 3, 14, 1)],
)
@pytest.mark.parametrize("last", ["hold", "dig"])
def test_g2_3_no_raise_jumps_over_the_end_level(level, small, end_level, risen, last):
    rules = GunziRules(end_level=end_level)
    dealers = last == "hold"
    state = score(100 if dealers else 130, 0, last, 0, small, rules=rules, levels=(level, 4) if dealers else (4, level))
    assert raises(state) == ((risen, 0) if dealers else (0, risen))
    assert end(state) == (END_NONE, NOBODY)
    assert state["settlement"][1] == (-3 * risen if dealers else 1 + 3 * risen)  # G14.1: levels actually risen


@ALL_PRESETS
@ALL_DEALERS
@pytest.mark.parametrize("small", [0, 2])
def test_g2_4_a_raise_as_dealers_at_the_end_level_wins_the_round(preset, dealer, small):
    levels = (10, 4) if dealer % 2 == 0 else (4, 10)
    state = score(100, 0, "hold", 0, small, rules=PRESETS[preset], levels=levels, dealer=dealer)
    assert end(state) == (END_PASSED, dealer % 2)
    assert raises(state) == (1, 0)  # passing counts one level
    assert settled(state) == [3 if (seat - dealer) % 2 == 0 else -3 for seat in range(4)]  # G14.3: no bonus
    assert (state["owed_next"], state["next_dealer"]) == (0, NOBODY)  # G12.3


@ALL_PRESETS
@ALL_DEALERS
def test_g2_4_attackers_at_the_end_level_take_the_deal_and_stay(preset, dealer):
    for dealers_level in (7, 10):
        levels = (dealers_level, 10) if dealer % 2 == 0 else (10, dealers_level)
        state = score(130, 0, "dig", rules=PRESETS[preset], levels=levels, dealer=dealer)
        assert end(state) == (END_NONE, NOBODY)
        assert (state["takes_deal"], raises(state), state["next_dealer"]) == (1, (0, 0), (dealer + 1) % 4)
        assert state["settlement"][dealer] == -1


def test_g2_4_no_raise_at_the_end_level_wins_nothing():
    assert end(score(100, 0, "dig", levels=(10, 10))) == (END_NONE, NOBODY)
    assert end(score(130, 0, "hold", levels=(10, 10))) == (END_NONE, NOBODY)


def test_g2_4_rising_to_the_end_level_wins_only_by_reaching():
    reaching = replace(STANDARD, round_won_by=RoundWonBy.REACHING)
    assert end(score(100, levels=(9, 3))) == (END_NONE, NOBODY)
    assert end(score(100, levels=(9, 3), rules=reaching)) == (END_PASSED, 0)
    assert end(score(100, levels=(8, 3), rules=reaching)) == (END_NONE, NOBODY)
    state = score(130, 0, "dig", 0, 1, levels=(3, 8), rules=reaching)
    assert (end(state), raises(state), settled(state)) == ((END_PASSED, 1), (0, 2), [-7, 7, -7, 7])
    assert end(score(130, 0, "dig", 0, 1, levels=(3, 8))) == (END_NONE, NOBODY)
    assert end(score(130, 0, "dig", levels=(3, 10), rules=reaching)) == (END_NONE, NOBODY)  # stood there already
    assert end(score(100, levels=(10, 3), rules=reaching)) == (END_PASSED, 0)


def test_g15_reaching_where_a_side_stood_at_the_end_level_it_wins_by_passing():
    rules = GunziRules(start_level=10, end_level=10, round_won_by=RoundWonBy.REACHING)
    assert end(score(130, 0, "dig", rules=rules, levels=(10, 10))) == (END_NONE, NOBODY)
    state = score(100, rules=rules, levels=(10, 10))
    assert (end(state), raises(state)) == ((END_PASSED, 0), (1, 0))


def test_g16_attackers_at_4_beat_dealers_at_7():
    state = score(130, 0, "dig", levels=(7, 4))
    assert (raises(state), state["next_dealer"]) == ((0, 1), 1)  # 5, at which seat 1 deals


# --- G11.3, G12.1: points and raises ---------------------------------------------------------------------------------


@pytest.mark.parametrize("multiplier", range(9))
def test_g11_3_the_bottom_counts_by_its_multiplier_on_a_dig_alone(multiplier):
    rules = GunziRules(dig_multiplier=multiplier)
    assert score(40, 25, "dig", rules=rules)["attacker_points"] == 40 + 25 * multiplier
    assert score(40, 25, "hold", rules=rules)["attacker_points"] == 40


def test_g11_3_s_can_reach_360():
    assert score(240, 60, "dig")["attacker_points"] == 360


@pytest.mark.parametrize("win_score", [10, 100, 120, 150])
@pytest.mark.parametrize("last", ["dig", "hold"])
@pytest.mark.parametrize("small", [0, 1, 2])
def test_g12_1_the_four_cases_on_both_sides_of_the_win_score(win_score, last, small):
    rules = GunziRules(win_score=win_score, tribute_low=5)
    below = score(win_score - 5, 0, last, 0, small, rules=rules)
    above = score(win_score, 0, last, 0, small, rules=rules)
    assert (below["takes_deal"], above["takes_deal"]) == (0, 1)
    assert raises(below) == ((0, 0) if last == "dig" else (1 + small, 0))
    assert raises(above) == ((0, 1 + small) if last == "dig" else (0, 0))


@ALL_PRESETS
def test_g12_1_win_score_120_in_every_preset(preset):
    assert not score(115, rules=PRESETS[preset])["takes_deal"]
    assert score(120, rules=PRESETS[preset])["takes_deal"]


@pytest.mark.parametrize(("big_levels", "small_levels"), [(2, 1), (0, 0), (7, 0), (0, 7), (1, 3)])
@pytest.mark.parametrize(("big", "small"), [(0, 1), (1, 0), (2, 0), (1, 2), (0, 3)])
def test_g12_1_and_g12_4_jokers_count_by_their_options_for_levels_and_tribute(big_levels, small_levels, big, small):
    rules = GunziRules(big_joker_levels=big_levels, small_joker_levels=small_levels, end_level=14)
    v = big_levels * big + small_levels * small
    state = score(100, 0, "hold", big, small, rules=rules)
    assert (raises(state), state["owed_next"]) == ((min(1 + v, 11), 0), v)
    dry = score(100, 0, "hold", big, small, dry=True, rules=rules)
    assert (raises(dry), dry["owed_next"]) == ((1, 0), 0)  # G12.2


# --- G12.4: tribute owed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "generous", "floor"),
    [
        (5, 8, 7),
        (10, 7, 7),
        (65, 2, 1),
        (70, 1, 1),
        (75, 1, 0),
        (79, 1, 0),
        (80, 0, 0),
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
    for preset, owed in {"standard": generous, "dalian": generous, "classic": floor, "qiqi": floor}.items():
        assert from_host(tribute_for_points)(kernel_rules(PRESETS[preset]), points) == owed
        assert score(points, rules=PRESETS[preset])["owed_next"] == owed


def test_g12_4_score_part_follows_its_bounds():
    rules = GunziRules(tribute_low=10, win_score=100, tribute_high=100)
    assert [score(points, rules=rules)["owed_next"] for points in (5, 10, 100, 105, 110)] == [1, 0, 0, 0, 1]
    floor = replace(rules, tribute_rounding=TributeRounding.FLOOR)
    assert score(5, rules=floor)["owed_next"] == 0


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
        (40, "dig"): 4 if voids else 7,  # only v is voided, the score part stays
    }
    for (points, last), owed in cases.items():
        assert score(points, 0, last, 1, 1, rules=rules)["owed_next"] == owed


# --- G12.5: ends of a round ------------------------------------------------------------------------------------------


@ALL_PRESETS
@ALL_DEALERS
@pytest.mark.parametrize("last", ["hold", "dig"])
def test_g12_5_no_points_end_the_round_and_five_do_not(preset, dealer, last):
    assert end(score(0, 0, last, rules=PRESETS[preset], dealer=dealer)) == (END_ZERO, dealer % 2)
    assert end(score(5, 0, last, rules=PRESETS[preset], dealer=dealer)) == (END_NONE, NOBODY)


def test_g12_6_points_of_the_bottom_count_for_zero():
    assert end(score(0, 20, "dig")) == (END_NONE, NOBODY)
    assert end(score(0, 20, "hold")) == (END_ZERO, 0)
    assert end(score(0, 20, "dig", rules=GunziRules(dig_multiplier=0))) == (END_ZERO, 0)


@ALL_PRESETS
@ALL_DEALERS
def test_g12_5_300_points_end_the_round_and_295_do_not(preset, dealer):
    for points, bottom in ((300, 0), (180, 60), (270, 30), (280, 10)):
        state = score(points, bottom, "dig", rules=PRESETS[preset], dealer=dealer)
        assert end(state) == (END_SCORE, 1 - dealer % 2)
    assert end(score(295, rules=PRESETS[preset], dealer=dealer)) == (END_NONE, NOBODY)
    assert end(score(275, 10, "dig", rules=PRESETS[preset], dealer=dealer)) == (END_NONE, NOBODY)


@pytest.mark.parametrize(
    ("trick_points", "bottom", "last", "captured"),
    [
        (300, 0, "hold", True),
        (300, 0, "dig", True),
        (270, 30, "dig", True),
        (240, 60, "dig", True),
        (265, 30, "dig", False),  # the dealers' side took a 5
        (180, 60, "dig", False),
        (295, 0, "hold", False),
    ],
)
def test_g12_5_captured_needs_every_card_point(trick_points, bottom, last, captured):
    rules = replace(STANDARD, end_at_300=EndAt300.CAPTURED)
    assert end(score(trick_points, bottom, last, rules=rules)) == ((END_SCORE, 1) if captured else (END_NONE, NOBODY))


def test_g12_5_captured_with_a_hold_needs_a_bottom_without_points():
    # S >= 300 with points in a held bottom cannot be dealt; the clause is tested on its own counts
    rules = replace(STANDARD, end_at_300=EndAt300.CAPTURED)
    assert end(score(300, 10, "hold", rules=rules, dealer_points=0)) == (END_NONE, NOBODY)
    assert end(score(300, 10, "hold", dealer_points=0)) == (END_SCORE, 1)


@ALL_DEALERS
@pytest.mark.parametrize("option", ThreeBigEnds)
def test_g12_5_three_big_jokers(option, dealer):
    rules = replace(STANDARD, three_big_ends=option)
    side = dealer % 2
    attackers = (END_THREE_BIG, 1 - side) if option != ThreeBigEnds.OFF else (END_NONE, NOBODY)
    dealers = (END_THREE_BIG, side) if option == ThreeBigEnds.BOTH else (END_NONE, NOBODY)
    cases = {(120, "dig"): attackers, (115, "hold"): dealers, (120, "hold"): (0, NOBODY), (115, "dig"): (0, NOBODY)}
    for (points, last), expected in cases.items():
        assert end(score(points, 0, last, 3, 0, rules=rules, dealer=dealer)) == expected
        assert end(score(points, 0, last, 2, 3, rules=rules, dealer=dealer)) == (END_NONE, NOBODY)
        assert end(score(points, 0, last, 3, 3, dry=True, rules=rules, dealer=dealer)) == (END_NONE, NOBODY)  # G7.3


@ALL_DEALERS
@pytest.mark.parametrize("option", [False, True])
def test_g12_5_three_small_jokers_end_in_both_directions(option, dealer):
    rules = replace(STANDARD, three_small_ends=option)
    side = dealer % 2
    attackers = (END_THREE_SMALL, 1 - side) if option else (END_NONE, NOBODY)
    dealers = (END_THREE_SMALL, side) if option else (END_NONE, NOBODY)
    cases = {(120, "dig"): attackers, (115, "hold"): dealers, (120, "hold"): (0, NOBODY), (115, "dig"): (0, NOBODY)}
    for (points, last), expected in cases.items():
        assert end(score(points, 0, last, 0, 3, rules=rules, dealer=dealer)) == expected
        assert end(score(points, 0, last, 3, 2, rules=replace(rules, three_big_ends=ThreeBigEnds.OFF)))[0] == END_NONE
        assert end(score(points, 0, last, 0, 3, dry=True, rules=rules, dealer=dealer)) == (END_NONE, NOBODY)


def test_g12_5_order_zero_then_score_then_three_big_then_three_small_then_passing():
    rules = replace(STANDARD, three_small_ends=True)
    assert end(score(0, 0, "hold", 3, 3, rules=rules, levels=(10, 3))) == (END_ZERO, 0)
    assert end(score(300, 0, "dig", 3, 3, rules=rules)) == (END_SCORE, 1)
    assert end(score(130, 0, "dig", 3, 3, rules=rules)) == (END_THREE_BIG, 1)
    only_attackers = replace(rules, three_big_ends=ThreeBigEnds.ATTACKERS)
    assert end(score(100, 0, "hold", 3, 3, rules=only_attackers)) == (END_THREE_SMALL, 0)
    state = score(100, 0, "hold", 0, 3, rules=rules, levels=(10, 3))
    assert (end(state), raises(state)) == ((END_THREE_SMALL, 0), (0, 0))  # G12.3: instead of raises
    not_captured = replace(rules, end_at_300=EndAt300.CAPTURED)
    assert end(score(285, 10, "dig", 3, 0, rules=not_captured)) == (END_THREE_BIG, 1)


# --- G13, G14 --------------------------------------------------------------------------------------------------------


@ALL_DEALERS
def test_g13_next_dealer(dealer):
    assert score(115, dealer=dealer)["next_dealer"] == (dealer + 2) % 4
    assert score(115, 0, "dig", dealer=dealer)["next_dealer"] == (dealer + 2) % 4
    assert score(120, dealer=dealer)["next_dealer"] == (dealer + 1) % 4
    assert score(120, 0, "dig", dealer=dealer)["next_dealer"] == (dealer + 1) % 4


def test_g16_seat_1_deals():
    assert score(120, dealer=1)["next_dealer"] == 2
    assert score(115, dealer=1)["next_dealer"] == 3


@pytest.mark.parametrize(("payer", "receiver"), [(3, 0), (0, 3), (1, 2)])
@pytest.mark.parametrize("moved", [1, 4])
def test_g14_2_tribute_is_settled_by_players_or_sides(payer, receiver, moved):
    given = {"payer": payer, "receiver": receiver, "tribute_moved": moved}
    plain = settled(score(100, 0, "dig"))
    assert plain == [0, 0, 0, 0]
    players = [moved * ((seat == receiver) - (seat == payer)) for seat in range(4)]
    assert settled(score(100, 0, "dig", **given)) == players
    sides = [moved * ((seat % 2 == receiver % 2) - (seat % 2 == payer % 2)) for seat in range(4)]
    rules = replace(STANDARD, tribute_settlement=TributeSettlement.SIDES)
    assert settled(score(100, 0, "dig", rules=rules, **given)) == sides


def test_g14_3_special_ends_are_fifty_beside_the_tribute():
    given = {"payer": 3, "receiver": 0, "tribute_moved": 2}
    assert settled(score(0, **given)) == [52, -50, 50, -52]
    assert settled(score(300, **given)) == [-48, 50, -50, 48]
    rules = replace(STANDARD, three_small_ends=True)
    assert settled(score(100, 0, "hold", 0, 3, rules=rules)) == [50, -50, 50, -50]
    assert settled(score(100, 0, "hold", levels=(10, 3), **given)) == [5, -3, 3, -5]


# --- against the referee ---------------------------------------------------------------------------------------------


def test_g12_to_g14_agree_with_the_referee_on_random_counts():
    rng = random.Random(12)
    ends = set()
    for _ in range(count(4000, 1000)):
        rules = random_rules(rng)
        levels = [rng.randint(rules.start_level, rules.end_level) for _ in range(2)]
        bottom = rng.choice([0, 5, 10, 30, 60])
        points = rng.choice([0, 5, 300 - bottom, rules.win_score, 5 * rng.randint(0, (300 - bottom) // 5)])
        points = min(points, 300 - bottom)
        jokers = rng.choice([(0, 0), (3, 0), (0, 3), (3, 3), (rng.randint(0, 3), rng.randint(0, 3))])
        last, dry, dealer = rng.choice(["dig", "hold"]), rng.random() < 0.2, rng.randrange(4)
        payer, receiver, moved = rng.choice([(NOBODY, NOBODY, 0), ((dealer - 1) % 4, dealer, rng.randint(1, 9))])
        state = score(points, bottom, last, *jokers, dry, rules, levels, dealer, payer=payer, receiver=receiver,
                      tribute_moved=moved)  # fmt: skip
        played = referee_score.Played(points, 300 - points - bottom, bottom, last == "dig", *jokers, dry)
        tribute = referee_score.tribute_pts(payer, receiver, moved, rules) if moved else [0] * 4
        expected = referee_score.score_hand(tuple(levels), dealer, played, tribute, rules)
        found = (
            int(state["attacker_points"]),
            bool(state["takes_deal"]),
            tuple(int(n) for n in state["raises"]),
            referee_score.ROUND_ENDS[int(state["round_end"])],
            None if state["round_winner"] == NOBODY else int(state["round_winner"]),
            None if state["next_dealer"] == NOBODY else int(state["next_dealer"]),
            int(state["owed_next"]),
            tuple(settled(state)),
        )
        assert found == (
            expected.attacker_points,
            expected.takes_deal,
            expected.raises,
            expected.round_end,
            expected.round_winner,
            expected.next_dealer,
            expected.owed_next,
            expected.settlement,
        ), (rules, levels, played)
        ends.add(expected.round_end)
    assert ends == set(referee_score.ROUND_ENDS)
