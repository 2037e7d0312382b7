"""
The policy `counting` in positions made by hand, each with what its documentation promises; burials on demand.

Pairs of positions differ in one piece of public knowledge, and the decision must differ with it.
"""

import numpy as np
import pytest
from counts import count

from gunzi.test_policies import (
    HEARTS,
    STANDARD,
    H,
    ask,
    at_table,
    cards,
    engine_rules,
    make_view,
    named,
    record,
)
from gunzi_sim.cards import BIG, SMALL, parse_hand
from gunzi_sim.game import Job, PolicySpec
from gunzi_sim.gunzi import engine, policies
from gunzi_sim.gunzi.joker_table import BANDS, JOKERS_TO_BURY
from gunzi_sim.gunzi.view import PARAMS, PLACE_OF, ROW

LEVEL, TRUMP, DEALER = 5, 0, 1
DEFAULTS = {parameter.name: parameter.default for parameter in policies.table("counting").parameters}


def counting(decision, view, **changes):
    return ask(policies.table("counting").functions, decision, view, record(PARAMS, **(DEFAULTS | changes)))


def history(*tricks):
    """`view.history` of tricks given as {seat: cards}."""
    codes = np.zeros((39, 4), np.uint32)
    for number, plays in enumerate(tricks):
        for seat, play in plays.items():
            places = [int(PLACE_OF[LEVEL - 3, TRUMP, kind]) + 1 for kind in parse_hand(play)]
            codes[number, seat] = sum(place << 8 * i for i, place in enumerate(places))
    return codes


def lead_from(hand, **fields):
    return make_view(hand=hand, cards_left=len(parse_hand(hand)), **fields)


def declared(seat, strength, suit):
    """A declaration that stands, as fields of a view."""
    seats, codes = np.zeros(6, np.int64), np.zeros(6, np.int64)
    seats[0], codes[0] = seat, strength * 4 + suit
    return {"n_declarations": 1, "declaration_seat": seats, "declaration_code": codes}


# --- cards that are high ---------------------------------------------------------------------------------------------


def test_a_king_is_cashed_once_all_aces_are_gone():
    hand = "HK H6 D6 D4 C7 C3 S3 S4"
    assert counting("lead", lead_from(hand, played="HAx3")) == cards("HK")
    assert counting("lead", lead_from(hand, played="HAx2")) != cards("HK")


def test_own_cards_count_as_seen():
    """All other hearts lie in the own hand, so the next seat is out of them and ruffs: the king is not for the ace."""
    hearts = "HK H3x3 H4x3 H6x3 H7x3 H8x3 H9x3 HJx3 HQx3"
    gone = "HAx3 HKx2 HTx3"
    assert counting("follow", at_table(hearts, "HA", "HT", played=gone))[0] < cards("HT")[0]
    assert counting("follow", at_table("HK H3", "HA", "HT", played=gone)) == cards("HK")


def test_a_known_bottom_counts_as_seen():
    """The dealer buried the last ace: only it knows that its king is high."""
    hand = "HK H6 D6 D4 C7 C3 S3 S4"
    view = {"played": "HAx2", "bottom": "HA D3x2 D7x2 D8"}
    assert counting("lead", lead_from(hand, bottom_known=1, **view)) == cards("HK")
    assert counting("lead", lead_from(hand, bottom_known=0, **view)) != cards("HK")


def test_nothing_is_cashed_into_a_known_ruff():
    hand = "HA H6 D6 D4 C7 C3 S3 S4"
    assert counting("lead", lead_from(hand)) == cards("HA")
    assert counting("lead", lead_from(hand, voids=[0, 1 << H, 0, 0])) != cards("HA")
    assert counting("lead", lead_from(hand, voids=[0, 1 << H | 8, 0, 0])) == cards("HA")  # out of trumps too


# --- the partner's tricks --------------------------------------------------------------------------------------------


def test_the_partner_is_fed_when_its_card_is_high():
    assert counting("follow", at_table("HK H6 D4 S9", "HA", "H4")) == cards("HK")
    assert counting("follow", at_table("HK H6 D4 S9", "H9", "H4")) == cards("H6")


def test_the_partner_is_not_fed_where_the_next_seat_ruffs():
    assert counting("follow", at_table("HK H6 D4 S9", "HA", "H4", void={1: [H]})) == cards("H6")
    assert counting("follow", at_table("HK H6 D4 S9", "HA", "H4", void={1: [H, 3]})) == cards("HK")


TRUMPS_ABOVE_ACE = "JBx2 JSx3 S5x3 H5x3 D5x3 C5x3 S2x3 H2x3 D2x3 C2x3"
"""All trumps above the ace but one big joker."""


def led_ace(played, **fields):
    """The partner has led the ace of trumps; seat 1 is still to play behind a king and a 3."""
    return at_table("SK S3 D4 C4 H4", "SA", "S4", played=played, **fields)


@pytest.mark.parametrize(("receiver", "expected"), [(1, "S3"), (3, "SK"), (2, "SK")])
def test_a_paid_card_lies_with_its_receiver(receiver, expected):
    paid = named("paid", parse_hand("JB"))
    assert counting("follow", led_ace(TRUMPS_ABOVE_ACE, payer=0, receiver=receiver, **paid)) == cards(expected)


def test_a_card_of_unknown_place_is_more_likely_elsewhere():
    """A third of a chance is no reason to withhold ten points."""
    assert counting("follow", led_ace(TRUMPS_ABOVE_ACE)) == cards("SK")


@pytest.mark.parametrize(("declarer", "expected"), [(1, "S3"), (3, "SK")])
def test_a_declared_card_lies_with_its_declarer(declarer, expected):
    played = TRUMPS_ABOVE_ACE.replace("JBx2", "JBx3").replace("H5x3", "H5x2")
    shown = declared(declarer, 1, HEARTS)
    assert counting("follow", led_ace(played, history=history({}), **shown)) == cards(expected)


def test_a_declared_card_that_its_declarer_has_played_is_gone():
    """Seat 1 played the heart 5 that it had shown; the one still out may be anywhere."""
    played = TRUMPS_ABOVE_ACE.replace("JBx2", "JBx3").replace("H5x3", "H5x2")
    shown = declared(1, 1, HEARTS)
    at_first = led_ace(played, trick=1, history=history({1: "H5"}), **shown)
    assert counting("follow", at_first) == cards("SK")
    assert counting("follow", led_ace(played, trick=1, history=history({3: "H5"}), **shown)) == cards("S3")


# --- the last trick --------------------------------------------------------------------------------------------------


def test_g11_3_the_trump_that_wins_the_last_trick_is_kept():
    """Ten points do not buy the only big joker; twenty do, unless the attackers have won the deal already."""
    ten, twenty = ("JB D4", "HT", "H3", "HA"), ("JB D4", "HT", "H3", "HK")
    assert counting("follow", at_table(*ten)) == cards("D4")
    assert counting("follow", at_table(*twenty)) == cards("JB")
    assert counting("follow", at_table(*twenty, attacker_points=130)) == cards("D4")


def test_a_trump_pair_is_kept_for_the_end():
    """An unpaired trump ruffs, though it is the higher one."""
    assert counting("follow", at_table("S6x2 S9 D4", "HT", "H3", "HA")) == cards("S9")


# --- the bottom ------------------------------------------------------------------------------------------------------


def test_g8_1_points_are_buried_only_by_a_dealer_strong_in_trumps():
    """Two tens are the whole of a suit; many trumps will hold the last trick, few will not."""
    side = "CTx2 HA HQ H9x2 H8x2 H7 H6 DA DQ DJx2 D9x2 D8 D7 D6"
    strong = "JBx2 JSx2 S5 H5 D5 C5 S2x2 H2 D2 SAx2 SQ SJ S9x2 S8 S7x2 S6 S4 S3x2 S3"
    weak = "JS S5 SA S9 S8 S7 S6 S4 S3 HJx3 H4x3 H3x3 D4x3 D3x3 C9 C8"
    tens = cards("CTx2")
    for trumps, expected in ((strong, tens), (weak, [])):
        hand = f"{side} {trumps}"
        assert len(parse_hand(hand)) == 45
        assert [kind for kind in counting("bury", make_view(hand=hand)) if kind in tens] == expected


def hand_with(n_big, n_small, n_trumps, n_cards):
    """Jokers, then spades, then other cards that are no trumps."""
    spades = [kind for kind in parse_hand("S3x3 S4x3 S6x3 S7x3 S8x3 S9x3 SJx3 SQx3 SAx3")]
    others = [kind for kind in parse_hand("H3x3 H4x3 H6x3 H7x3 H8x3 H9x3 D3x3 D4x3 D6x3 D7x3 D8x3 D9x3 DJx3 C3x3 C4x3")]
    jokers = [BIG] * n_big + [SMALL] * n_small
    hand = jokers + spades[: n_trumps - len(jokers)]
    return hand + others[: n_cards - len(hand)]


def n_buried(hand, role, **changes):
    """Big and small jokers that `counting` buries in a role (seats after the dealer)."""
    seat = (DEALER + role) % 4
    if role == 0:
        answer = counting("bury", make_view(hand=hand, seat=seat, dealer=DEALER), **changes)
    else:
        most = sum(kind >= SMALL for kind in hand)
        view = make_view(hand=hand, seat=seat, dealer=DEALER, joker_step=0, max_jokers=most)
        answer = counting("jokers", view, **changes)
    return answer.count(BIG), answer.count(SMALL)


@pytest.mark.parametrize("role", range(4))
def test_jokers_are_buried_by_the_fitted_table(role):
    """Every class of the table: role, trumps on both sides of a band's edge, jokers held."""
    edges = [0, *BANDS.tolist(), 99]
    for band in range(len(BANDS) + 1):
        for n_trumps in {max(edges[band], 12), min(edges[band + 1] - 1, 25)}:
            for n_big, n_small in np.ndindex(4, 4):
                k = int(JOKERS_TO_BURY[role, band, n_big, n_small])
                hand = hand_with(n_big, n_small, n_trumps, 39 + 6 * (role == 0))
                expected = (min(k, n_big), max(0, k - n_big))
                assert n_buried(hand, role) == expected, (n_trumps, n_big, n_small)
                assert n_buried(hand, role, jokers=0) == (0, 0)


def test_g8_2_the_table_asks_for_no_more_jokers_than_are_held():
    for _, _, n_big, n_small in np.argwhere(JOKERS_TO_BURY >= 0):
        assert (JOKERS_TO_BURY[:, :, n_big, n_small] <= n_big + n_small).all()


# --- burials on demand, of both players ------------------------------------------------------------------------------

DEMANDS = [  # (held, demanded, buried), big and small
    ((2, 1), (1, 0), (1, 0)),
    ((2, 1), (2, 0), (2, 0)),
    ((2, 1), (3, 0), (2, 0)),
    ((2, 1), (1, 1), (1, 0)),  # G8.2: no small one while a big one is kept
    ((2, 1), (2, 1), (2, 1)),
    ((2, 3), (3, 2), (2, 2)),
    ((0, 2), (0, 1), (0, 1)),
    ((0, 2), (3, 3), (0, 2)),
    ((1, 2), (0, 2), (0, 0)),
]


def buried(name, hand, role, rules=STANDARD, limit=6, **changes):
    """Big and small jokers that a policy buries; `jokers` is 0 unless changed."""
    seat = (DEALER + role) % 4
    defaults = {parameter.name: parameter.default for parameter in policies.table(name).parameters}
    params = record(PARAMS, **(defaults | {"jokers": 0} | changes))
    fields = {} if role == 0 else {"joker_step": 0, "max_jokers": min(limit, sum(kind >= SMALL for kind in hand))}
    view = make_view(rules, hand=hand, seat=seat, dealer=DEALER, **fields)
    answer = ask(policies.table(name).functions, "bury" if role == 0 else "jokers", view, params)
    assert len(answer) == 6 or role
    return answer.count(BIG), answer.count(SMALL)


@pytest.mark.parametrize("name", ["basic", "counting"])
@pytest.mark.parametrize("role", range(4))
@pytest.mark.parametrize(("held", "demanded", "expected"), DEMANDS)
def test_g8_2_jokers_are_buried_on_demand(name, role, held, demanded, expected):
    hand = hand_with(*held, 18, 39 + 6 * (role == 0))
    big, small = demanded
    assert buried(name, hand, role, bury_big=big, bury_small=small) == expected


@pytest.mark.parametrize("name", ["basic", "counting"])
@pytest.mark.parametrize("role", range(4))
def test_only_the_roles_named_bury(name, role):
    hand = hand_with(2, 2, 18, 39 + 6 * (role == 0))
    for roles in range(16):
        expected = (2, 1) if roles >> role & 1 else (0, 0)
        assert buried(name, hand, role, bury_big=2, bury_small=1, bury_roles=roles) == expected


@pytest.mark.parametrize("name", ["basic", "counting"])
@pytest.mark.parametrize("role", [0, 2])
def test_only_with_so_many_trumps(name, role):
    hand = hand_with(1, 1, 18, 39 + 6 * (role == 0))
    assert buried(name, hand, role, bury_big=1, bury_trumps=18) == (1, 0)
    assert buried(name, hand, role, bury_big=1, bury_trumps=19) == (0, 0)


@pytest.mark.parametrize("name", ["basic", "counting"])
def test_g8_4_g15_burials_on_demand_keep_the_limits(name):
    """A limit takes small ones away first; with a big one kept none may go."""
    hand = hand_with(2, 2, 18, 45)
    for most, expected in [(0, (0, 0)), (1, (1, 0)), (2, (2, 0)), (3, (2, 1)), (6, (2, 2))]:
        rules = engine_rules(max_jokers_per_seat=most)
        assert buried(name, hand, 0, rules, bury_big=3, bury_small=3) == expected
        if most:
            assert buried(name, hand[:39], 1, limit=most, bury_big=3, bury_small=3) == expected


@pytest.mark.parametrize("name", ["basic", "counting"])
def test_g8_2_small_ones_go_first_where_the_rules_let_them(name):
    hand = hand_with(2, 2, 18, 45)
    assert buried(name, hand, 0, engine_rules(bury_big_first=False), bury_small=2) == (0, 2)


@pytest.mark.parametrize("name", ["basic", "counting"])
def test_the_larger_of_two_demands_holds(name):
    hand = hand_with(2, 2, 18, 45)
    assert buried(name, hand, 0, jokers=3, bury_big=1) == (2, 1)
    assert buried(name, hand, 0, jokers=1, bury_big=2, bury_small=1) == (2, 1)


# --- strength --------------------------------------------------------------------------------------------------------


def test_counting_beats_basic_in_two_rounds_of_three_from_either_side():
    n_rounds = count(300, 1)
    table, won = engine.known_policies(), 0
    for side in (0, 1):
        specs = tuple(PolicySpec("counting" if seat % 2 == side else "basic") for seat in range(4))
        rows = np.zeros(200 * n_rounds, ROW)
        n_units, n_rows = engine.play_range(Job("gunzi", STANDARD, specs, seed=6), table, 0, n_rounds, rows)
        assert n_units == n_rounds
        won += int((rows["round_winner"][:n_rows] == side)[rows["round_end"][:n_rows] != 0].sum())
    assert won >= 2 * n_rounds * 2 / 3 or n_rounds == 1
