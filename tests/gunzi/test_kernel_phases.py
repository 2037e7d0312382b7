"""The order of events in whole hands of the kernel, from stacked decks and policies of known habits."""

import random

import numpy as np
import pytest
from counts import count

from gunzi.random_records import deal, random_deck
from gunzi_sim import games
from gunzi_sim.cards import BIG
from gunzi_sim.game import Job, PolicyError, Situation
from gunzi_sim.gunzi import engine, referee
from gunzi_sim.gunzi.rules import PRESETS, FirstClaim, GunziRules

STANDARD = PRESETS["standard"]
NEVER_CLAIMS = "basic:claim_trumps=40"
ALWAYS_CLAIMS = "basic:claim_trumps=0"
AT_THE_END = "basic:declare_cards=40"
LEVEL_CARDS = "S5x3 H5x3 D5x3 C5x3"


def played(deck, policies, situation, rules=STANDARD):
    """Record and row of one hand from a deck, found in order by the referee."""
    specs = games.parse_policies("gunzi", policies)
    job = Job("gunzi", rules, specs, 5, "hands", situation, np.array([deck], np.uint8))
    ((record, row),) = games.get("gunzi").traced(job, 0)
    assert referee.check(record) is None
    return record, row


FIRST = Situation(first_hand=True)


def test_g4_1_an_automatic_claim_is_made_at_the_first_big_joker_whatever_the_policy():
    rng = random.Random(41)
    for _ in range(count(20, 3)):
        deck = random_deck(rng)
        draws = [draw for draw in range(156) if deck[draw] == BIG]
        record, row = played(deck, NEVER_CLAIMS, FIRST, GunziRules(first_claim=FirstClaim.AUTOMATIC))
        assert record["claim"] == {"seat": (record["first_seat"] + draws[0]) % 4, "draw": draws[0]}
        assert row["exposed"] == 1
        record, row = played(deck, NEVER_CLAIMS, FIRST)
        assert (record["claim"], row["exposed"]) == (None, 0)
        record, _ = played(deck, ALWAYS_CLAIMS, FIRST)
        assert record["claim"]["draw"] == draws[0]


def test_g4_4_the_flip_does_not_expose_the_bottom_and_so_gives_no_dry_pot():
    deck = deal(random.Random(44), bottom="H4 H6 H7 H8 H9 HJ")
    record, row = played(deck, NEVER_CLAIMS, FIRST)
    assert (row["trump"], row["exposed"], row["dry_pot"]) == (1, 0, 0)  # all six are trumps
    assert record["bury"] is not None
    first = record["first_seat"]
    claimed = deal(random.Random(44), {first: "JB H3"}, "H4 H6 H7 H8 H9 HJ", first)
    record, row = played(claimed, ALWAYS_CLAIMS, FIRST)
    assert (row["dealer"], row["trump"], row["exposed"], row["dry_pot"]) == (first, 1, 1, 1)  # G4.2, G7.1, G7.2
    assert (record["bury"], record["joker_buries"]) == (None, [])  # G7.3


@pytest.mark.parametrize("dealer", range(4))
def test_g2_2_and_g3_2_the_dealers_side_gives_the_level_and_the_dealer_draws_first(dealer):
    levels = (5, 9)
    record, row = played(random_deck(random.Random(dealer)), "random", Situation(False, levels, dealer, 0))
    assert row["level"] == levels[dealer % 2]
    assert record["first_seat"] == dealer
    assert row["dealer"] == dealer


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("step", range(4))
def test_g5_5_in_the_closing_window_all_four_seats_are_asked_once(dealer, step):
    speaker = (dealer + step) % 4
    hands = {seat: "JS JB" for seat in range(4) if seat != speaker} | {speaker: LEVEL_CARDS}
    deck = deal(random.Random(55), hands, first=dealer)
    record, row = played(deck, AT_THE_END, Situation(False, (5, 5), dealer, 0))
    assert {(said["seat"], said["draw"]) for said in record["declarations"]} == {(speaker, None)}
    assert row["exposed"] == 1


@pytest.mark.parametrize("dealer", range(4))
def test_g5_5_the_closing_window_begins_with_the_dealer(dealer):
    hands = {seat: LEVEL_CARDS.split()[seat] for seat in range(4)}  # each may say a triple, none more
    deck = deal(random.Random(56), hands, first=dealer)
    record, _ = played(deck, AT_THE_END, Situation(False, (5, 5), dealer, 0))
    said = record["declarations"][0]
    assert (said["seat"], said["draw"], len(said["cards"])) == (dealer, None, 3)


@pytest.mark.parametrize("n_cards", [0, 5, 7])
def test_g8_1_six_cards_are_buried(n_cards):
    def bury(view, params, draws):
        places = view.hand_1 & np.uint64((1 << 36) - 1)
        buried = np.uint64(0)
        for _ in range(n_cards):
            lowest = places & ~(places - np.uint64(1))
            buried |= lowest
            places ^= lowest
        return buried, np.uint64(0), np.uint64(0)

    policy = engine.make_policy("careless", "bury", bury, engine.built_in_policies()["random"])
    job = Job("gunzi", STANDARD, games.parse_policies("gunzi", "random"), 8, "hands", Situation())
    with pytest.raises(PolicyError) as caught:
        list(engine.traced(job, {"random": policy}, 0))
    assert (caught.value.clause, caught.value.decision) == ("G8.1", "bury")
