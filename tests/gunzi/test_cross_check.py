"""What a player tells of the bidding, the tribute and the burials is judged by the rules; the truth passes."""

import pytest

import gunzi_sim as gz
from gunzi_sim.cards import parse_hand
from gunzi_sim.game import InputError
from gunzi_sim.gunzi import seen

SPADES = "S3x3 S4x3 S6x3 S7x3 S8x3 S9x3 STx3 SJx3 SQx3 SKx3 SAx3"
ONE_BIG = f"{SPADES} H3x3 H4x2 JB"
NO_BIG = f"{SPADES} H3x3 H4x3"
TWO_BIG = f"{SPADES} H3x3 H4 JBx2"
THREE_BIG = f"{SPADES} H3x3 JBx3"
PICKED = f"{SPADES} H3x3 H4 C3 JB"
SIX = "H5 H6 H7 H8 H9 HT"
DRY = "S2 H2 D2 C2 H5 D5"
SHOWN = "JS H6 H7 H8 C9 C3"
"""A bottom with one small joker; C3 is its smallest card."""


def ask(decision, hand=ONE_BIG, seat=1, trump=0, levels=(5, 5), owed=0, given=None, options=None, **told):
    """A question of seat 1; the dealer is seat 0. `given` is the bottom that it knows, `told` what was seen."""
    rules = gz.rules("gunzi", "standard", **options or {})
    given = given and parse_hand(given)
    return seen.ask(rules, decision, parse_hand(hand), seat, trump, levels, owed, given, told)


def declared(*cards):
    """Declarations of seats 2, 3, 2, …; three jokers are for the suit after a slash."""
    parts = [text.partition("/") for text in cards]
    return [{"seat": 2 + i % 2, "cards": shown} | ({"suit": s} if s else {}) for i, (shown, _, s) in enumerate(parts)]


def tribute(cards, returned, is_reversed=False):
    return {"cards": cards, "returned": returned, "reversed": is_reversed}


def buried(*entries):
    return [dict(zip(("seat", "jokers", "taken"), entry)) for entry in entries]


BIDDING = [
    ("G5.2", {"declarations": declared("S6")}, "S6 for S is no declaration at level 5"),
    ("G5.2", {"declarations": declared("H5 D5")}, "is no declaration"),
    ("G5.2", {"declarations": declared("JS JS/S")}, "is no declaration"),
    ("G5.2", {"declarations": [{"seat": 2, "cards": "S5", "suit": "H"}]}, "S5 for H is no declaration"),
    ("G5.2", {"declarations": [{"seat": 1, "cards": "S5"}]}, "the own seat did not hold S5"),
    ("G5.3", {"declarations": declared("H5 H5", "S5")}, "S5 is not stronger"),
    ("G5.3", {"declarations": declared("H5 H5", "S5 S5")}, "S5 S5 is not stronger"),
    ("G5.3", {"declarations": declared("JS JS JS/S"), "options": {"jokers_may_open": False}}, "jokers may not open"),
    (
        "G5.4",
        {
            "declarations": [{"seat": 2, "cards": "H5"}, {"seat": 2, "cards": "S5 S5"}],
            "options": {"self_overcall": False},
        },
        "the standing declarer may only add copies",
    ),
    ("G5.1", {"declarations": declared("JS JS JS/H")}, "the last one must name the trump suit"),
    ("G5.1", {"declarations": declared("S5", "H5 H5")}, "the last one must name the trump suit"),
    ("G4.5", {"first_hand": True, "levels": (3, 3), "declarations": declared("S3")}, "in a first hand nobody declares"),
    ("G2.5", {"first_hand": True, "levels": (3, 3), "owed": 2}, "no tribute is owed in a first hand"),
    (
        "G2.5",
        {"first_hand": True, "levels": (3, 3), "tribute": tribute("JB", "C4")},
        "no tribute is owed in a first hand",
    ),
    ("G2.1", {"first_hand": True}, "starts with both sides at level 3, got levels 5,5"),
    ("G2.1", {"claim": {"seat": 0}, "levels": (3, 4)}, "starts with both sides at level 3, got levels 3,4"),
    ("G4.1", {"claim": {"seat": 2}, "levels": (3, 3)}, "the claimer is the dealer .G4.1., but seat 0 deals"),
    (
        "G4.1",
        {"first_hand": True, "flipped": "H4 S3 S6 C8", "levels": (3, 3), "options": {"first_claim": "automatic"}},
        "the own big joker claims by itself",
    ),
    ("G4.3", {"first_hand": True, "levels": (3, 3), "flipped": "S4 H6 D7"}, "four cards are turned up"),
    ("G4.3", {"first_hand": True, "levels": (3, 3), "flipped": "JS JS JS JB"}, "the hand is dealt again"),
    ("G4.3", {"first_hand": True, "levels": (3, 3), "flipped": "S6 H4 D7 C8"}, "makes hearts trump"),
    (
        "G4.3",
        {"first_hand": True, "levels": (3, 3), "flipped": "S6 H4 D7 C8", "options": {"first_flip": "largest"}},
        "makes clubs trump",
    ),
    ("G5.7", {"flipped": "H6 S7"}, "turned up until the first that is no joker"),
    ("G5.7", {"flipped": "JS"}, "turned up until the first that is no joker"),
    ("G5.7", {"flipped": "JS H6"}, "makes hearts trump"),
    ("G5.7", {"flipped": "S6", "declarations": declared("S5")}, "no card is turned up where somebody"),
    ("G7.1", {"flipped": "S6", "bottom": SIX}, "is not exposed"),
    ("G7.1", {"first_hand": True, "levels": (3, 3), "bottom": SIX}, "exposed after a claim alone"),
    ("G5.7", {"flipped": "S6 H4 D7 C8"}, "is it a first_hand"),
    ("", {"flipped": "JS JS JS JB JB JB S6"}, "the bottom has 6 cards, got 7"),
    (
        "first_claim",
        {"hand": NO_BIG, "first_hand": True, "levels": (3, 3), "options": {"first_claim": "automatic"}},
        "tell seen.claim, or the four cards of seen.flipped",
    ),
    (
        "G4.1",
        {"claim": {"seat": 0, "draw": 152}, "levels": (3, 3), "options": {"first_claim": "automatic"}, "hand": TWO_BIG},
        "an earlier big joker of the own 2 would have claimed",
    ),
    (
        "G4.2",
        {"claim": {"seat": 0, "draw": 155}, "levels": (3, 3), "bottom": "H4 H6 H7 D7 D8 D9"},
        "has none of spades",
    ),
]
TRIBUTE = [
    ("G6.5", {"owed": 1, "tribute": tribute("JB", "C4"), "tribute_cancelled": True}, "no card moves"),
    ("G6.1", {"tribute_cancelled": True}, "no tribute was owed"),
    ("G6.1", {"tribute": tribute("", "", True)}, "no tribute was owed"),
    ("G6.1", {"seat": 3, "owed": 2, "tribute": tribute("", "")}, "2 tribute cards due, but 0 paid"),
    ("G6.5", {"owed": 1, "tribute_cancelled": True, "options": {"tribute_three_big": False}}, "change no tribute"),
    (
        "G6.5",
        {"owed": 1, "tribute": tribute("JB", "C4", True), "options": {"tribute_three_big": False}},
        "change no tribute",
    ),
    ("G6.1", {"owed": 1, "tribute": tribute("JB JS", "C4 C6")}, "2 cards were paid, but 1 owed"),
    ("G6.4", {"owed": 1, "tribute": tribute("JB", "C4 C6")}, "1 cards were paid, but 2 returned"),
    ("G6.2", {"owed": 1, "tribute": tribute("HK", "C4")}, "HK may not be paid .tribute_points is 'level'"),
    (
        "G6.2",
        {"owed": 1, "tribute": tribute("D5", "C4"), "options": {"tribute_points": "none"}},
        "D5 may not be paid .tribute_points is 'none'",
    ),
    ("G6.2", {"seat": 3, "owed": 1, "tribute": tribute("S2", "H4")}, "the highest eligible cards are JB"),
    ("G6.1", {"seat": 3, "hand": NO_BIG, "owed": 2, "tribute": tribute("JB", "H4")}, "2 tribute cards due, but 1 paid"),
    (
        "G6.4",
        {"seat": 3, "owed": 1, "tribute": tribute("JB", "D9")},
        "the own seat got D9, which the cards told do not",
    ),
    (
        "G6.5",
        {"seat": 3, "hand": f"{SPADES} H3x3 H4 JBx2", "owed": 1, "tribute": tribute("JB", "H4")},
        "reversed where the payer holds three",
    ),
    ("G1.2", {"seat": 3, "hand": THREE_BIG, "owed": 1, "tribute": tribute("JB", "H3")}, "4 copies of JB"),
    ("G6.5", {"seat": 3, "owed": 1, "tribute": tribute("SA", "H6", True)}, "reversed where the payer holds three"),
    ("G6.5", {"hand": THREE_BIG, "owed": 1, "tribute": tribute("SA", "H6")}, "partner cancels it by three big jokers"),
    ("G6.5", {"owed": 1, "tribute_cancelled": True}, "partner cancels it by three big jokers"),
    (
        "G6.2",
        {"seat": 3, "hand": THREE_BIG, "owed": 1, "tribute": tribute("H4", "S2", True)},
        "the own seat was paid H4",
    ),
    (
        "G6.4",
        {"seat": 3, "hand": f"{SPADES} H3x2 H4 JBx3", "owed": 1, "tribute": tribute("H4", "S2", True)},
        "there are enough side cards",
    ),
]
BURIALS = [
    ("G15", {"bury": "JS JS H6 H7 H8 H9", "options": {"max_jokers_per_seat": 1}}, "max_jokers_per_seat is 1"),
    (
        "G8.4",
        {"seat": 3, "bury": SHOWN, "joker_buries": buried((2, "JS", "C3"), (1, "JS", "H6"))},
        "asked in turn, once each",
    ),
    (
        "G8.4",
        {"seat": 3, "bury": SHOWN, "joker_buries": buried((0, "JS", "C3"))},
        "the dealer's jokers are told by seen.bury",
    ),
    ("G8.4", {"seat": 2, "bury": SHOWN, "joker_buries": buried((3, "JS", "C3"))}, "seat 2 has been asked already"),
    ("G8.4", {"seat": 3, "bury": SHOWN, "joker_buries": buried((1, "JS", "H6"))}, "the smallest are C3"),
    ("G8.4", {"seat": 3, "bury": SHOWN, "joker_buries": buried((1, "JS", "D4"))}, "D4 was not in the bottom"),
    ("G8.4", {"seat": 3, "bury": SHOWN, "joker_buries": buried((1, "S2", "C3"))}, "only jokers may be"),
    (
        "G8.4",
        {"seat": 3, "bury": SHOWN, "joker_buries": buried((1, "JS", "C3")), "options": {"others_bury_jokers": False}},
        "only the dealer buries jokers",
    ),
    (
        "G15",
        {
            "seat": 3,
            "bury": SHOWN,
            "joker_buries": buried((1, "JS JS", "C3 H6")),
            "options": {"max_jokers_per_seat": 1},
        },
        "max_jokers_per_seat is 1",
    ),
    ("G8.4", {"may_bury": 2}, "the seat may bury 1 jokers at the most, got 2"),
    ("G8.4", {"may_bury": 0}, "so it is not asked"),
    ("", {"may_bury": 7}, "seen.may_bury must be a number from 0 to 6, got 7"),
    ("", {"may_bury": True}, "seen.may_bury must be a number from 0 to 6, got True"),
    ("", {"declarations": [{"seat": 2, "cards": "S5", "draw": "z"}]}, "draw must be a number from 0 to 155, got 'z'"),
    ("", {"claim": {"seat": 0, "draw": 156}, "levels": (3, 3)}, "draw must be a number from 0 to 155, got 156"),
    ("G10.1", {"plays": ["H9", "", "H3", "H4"]}, r"seen.plays.1. must have one to three cards .G10.1., got 0"),
    ("G7.3", {"bottom": DRY, "bury": SHOWN}, "dry pot, so nobody buries"),
]


@pytest.mark.parametrize(("clause", "more", "message"), BIDDING + TRIBUTE + BURIALS)
def test_what_the_rules_forbid_is_refused(clause, more, message):
    with pytest.raises(InputError, match=message) as caught:
        ask("jokers", **more)
    assert clause in str(caught.value)


TRUE = [
    {"declarations": [{"seat": 2, "cards": "S5"}, {"seat": 2, "cards": "S5 S5"}], "options": {"self_overcall": False}},
    {"declarations": declared("H5", "S5 S5", "H5x3", "JSx3/S")},
    {"declarations": [{"seat": 1, "cards": "S5"}], "hand": ONE_BIG.replace("H3x3", "S5 H3x2")},
    {"claim": {"seat": 0, "draw": 17}, "levels": (3, 3)},
    {"first_hand": True, "levels": (3, 3), "flipped": "H4 S3 JB C8"},
    {"first_hand": True, "levels": (3, 3), "flipped": "H4 JB S2 C8", "options": {"first_flip": "largest"}},
    {"flipped": "JS JB S6"},
    {"owed": 1, "tribute": tribute("D5", "C4")},
    {"owed": 1, "tribute": tribute("HK", "C4"), "options": {"tribute_points": "all"}},
    {"seat": 3, "owed": 1, "tribute": tribute("JB", "H4")},
    {"seat": 3, "hand": f"{SPADES} H3x2 H4 JBx3", "owed": 1, "tribute": tribute("H4", "H3", True)},
    {"seat": 1, "hand": THREE_BIG, "owed": 1, "tribute_cancelled": True},
    {"seat": 3, "bury": SHOWN, "joker_buries": buried((1, "JS", "C3"), (2, "JS", "H6"))},
]


@pytest.mark.parametrize("more", TRUE)
def test_what_the_rules_allow_is_not_refused(more):
    view = ask("jokers", **more).view[0]
    assert view["n_declarations"] == max(len(more.get("declarations", ())), "claim" in more)
    assert view["n_tribute"] == ("tribute" in more)


def dealer(decision="lead", **more):
    """A question of the dealer, seat 0."""
    return ask(decision, **{"seat": 0} | more)


DEALER = [
    ("G8.2", {"given": "JS H6 H7 H8 H9 C3"}, "a small joker buried while a big one is kept"),
    ("G8.4", {"given": SIX, "bury": SHOWN}, "the bottom is not what seen.bury and seen.joker_buries make it"),
    ("G8.4", {"given": SIX, "joker_buries": buried((1, "JS", "C3"))}, "JS of seat 1 is not in the bottom"),
    ("G7.3", {"given": SIX, "bottom": DRY}, "stays as it was exposed"),
    ("G8.1", {"given": SIX, "bottom": "C3 C4 C6 C7 C8 SA"}, "the dealer took up C3 C4 C6 C7 C8"),
    ("G4.1", {"given": SIX, "hand": NO_BIG, "claim": {"seat": 0}, "levels": (3, 3)}, "did not hold a big joker"),
    ("G4.2", {"given": SIX, "claim": {"seat": 0}, "levels": (3, 3), "trump": 2}, "was dealt no card of diamonds"),
    ("G5.2", {"given": SIX, "declarations": [{"seat": 0, "cards": "S5"}]}, "the own seat did not hold S5"),
    ("G6.2", {"given": SIX, "owed": 1, "tribute": tribute("C9", "H4")}, "the own seat was paid C9"),
    ("G6.4", {"given": SIX, "owed": 1, "tribute": tribute("SA", "S2")}, "returned, but there are enough side cards"),
]


@pytest.mark.parametrize(("clause", "more", "message"), DEALER)
def test_the_dealer_too_is_held_to_the_rules(clause, more, message):
    with pytest.raises(InputError, match=message) as caught:
        dealer(**more)
    assert clause in str(caught.value)


def test_a_bottom_nobody_saw_may_have_held_what_the_return_lacks():
    """G6.4: six side cards without points are in the hand; had they come with the bottom, a trump was due."""
    burial = "C5 H5 HK HT D5 S2"
    told = {"tribute": tribute("SA", "S3"), "owed": 1, "hand": NO_BIG.replace("S3x3", "S3x2 S2"), "given": burial}
    assert dealer(**told).view["n_tribute"][0] == 1
    with pytest.raises(InputError, match=r"there are enough side cards without points .G6\.4"):
        dealer(**told, flipped="S2")  # now only five of the six are not known
    assert dealer(**told | {"tribute": tribute("SA", "C6")}, flipped="S2").view["n_tribute"][0] == 1


def test_cards_that_may_have_come_or_gone_unseen_prove_nothing():
    """A big joker taken up with a hidden bottom claims nothing; a card shown may have been paid in a tribute untold."""
    unclaimed = {
        "first_hand": True,
        "levels": (3, 3),
        "options": {"first_claim": "automatic"},
        "flipped": "H5 S3 H6 H7",
    }
    assert dealer(given=SIX, **unclaimed).view["first_hand"][0] == 1
    view = ask("jokers", seat=3, owed=1, declarations=[{"seat": 3, "cards": "S5"}]).view
    assert view["declared_by"][0] == 3 and view["n_declarations"][0] == 0  # nor to the others
    assert ask("jokers", owed=1, declarations=declared("H5", "S5 S5")).view["n_declarations"][0] == 1


BURY = [
    ({"plays": ["H3"]}, "seen.plays comes after the dealer's burial"),
    ({"bury": SHOWN}, "seen.bury comes after the dealer's burial"),
    ({"joker_buries": buried((1, "JS", "C3"))}, "seen.joker_buries comes after the dealer's burial"),
    ({"flipped": "S6"}, "S6 is not in the bottom"),
    ({"declarations": [{"seat": 2, "cards": "S5"}], "given": DRY}, "dry pot, so nobody buries .G7.3."),
]


@pytest.mark.parametrize(("more", "message"), BURY)
def test_a_burial_comes_before_what_follows_it(more, message):
    with pytest.raises(InputError, match=message):
        dealer("bury", **{"given": SIX} | more)


def test_an_own_joker_bury_is_judged_by_the_own_hand():
    told = {"seat": 1, "plays": ["H7"], "bury": SHOWN}
    with pytest.raises(InputError, match=r"a small joker buried while a big one is kept .G8\.2"):
        ask("follow", PICKED, **told, joker_buries=buried((1, "JS", "C3")))
    with pytest.raises(InputError, match="the own seat picked up C3, which the cards told do not have"):
        ask("follow", ONE_BIG, **told, joker_buries=buried((1, "JB", "C3")))
    assert ask("follow", PICKED, **told, joker_buries=buried((1, "JB", "C3"))).view["buried_big"][0, 1] == 1


def test_the_jokers_of_a_bottom_that_the_dealer_gives_are_its_own_or_told():
    view = dealer(given="JB H6 H7 H8 JS C9", joker_buries=buried((2, "JS", "C3"))).view
    assert view["buried_big"][0].tolist() == [1, 0, 0, 0]
    assert view["buried_small"][0].tolist() == [0, 0, 1, 0]


def test_what_the_seat_was_told_at_the_joker_question_is_kept():
    """G8.4: the largest number; also of a seat that has buried since."""
    assert ask("jokers", TWO_BIG, may_bury=1).view["max_jokers"][0] == 1
    assert ask("jokers", TWO_BIG).view["max_jokers"][0] == 2
    told = {"plays": ["H7"], "bury": SHOWN, "joker_buries": buried((1, "JB", "C3"))}
    assert ask("follow", PICKED, **told, may_bury=2).view["max_jokers"][0] == 2
    with pytest.raises(InputError, match="the seat may bury 2 jokers at the most, got 3"):
        ask("follow", PICKED, **told, may_bury=3)


def test_who_buried_a_small_joker_kept_no_big_one_to_play():
    told = {"bury": SHOWN, "joker_buries": buried((2, "JS", "C3")), "plays": ["H7", "H8", "JB"]}
    with pytest.raises(InputError, match=r"seen.plays.2. .seat 2.: a big joker kept, a small one buried .G8.2."):
        ask("follow", ONE_BIG.replace("H4x2", "H4").replace("JB", "H8 JB"), seat=3, **told)
    assert ask("follow", ONE_BIG, seat=3, **told, options={"bury_big_first": False}).view["position"][0] == 3


def test_burials_told_during_the_play_are_judged_too():
    told = {"seat": 1, "plays": ["H7"]}
    with pytest.raises(InputError, match=r"the exposed bottom is a dry pot, so nobody buried .G7\.3"):
        ask("follow", **told, bottom=DRY, bury=SHOWN)
    buries = {"bury": SHOWN, "joker_buries": buried((2, "JS", "C3"))}
    with pytest.raises(InputError, match=r"only the dealer buries jokers .others_bury_jokers, G8\.4"):
        ask("follow", **told, **buries, options={"others_bury_jokers": False})
    assert ask("follow", **told, **buries).view["buried_small"][0].tolist() == [1, 0, 1, 0]


def test_the_dealer_has_the_cards_that_were_turned_up():
    """G5.7, G8.1: also where it does not say which six of its 45 lay in the bottom."""
    hand = f"{ONE_BIG} {SIX}"
    with pytest.raises(InputError, match=r"the dealer, who took it up, lacks S2 .G8\.1"):
        dealer("bury", hand=hand, flipped="S2")
    assert dealer("bury", hand=hand, flipped="S6").view["flipped"][0, 0] == parse_hand("S6")[0] + 1


WORDS = [
    ("bury", {"seat": 0, "given": SIX, "bottom": "H5 H6 H7 H8 H9 HJ"}, "the bottom and seen.bottom differ"),
    (
        "bury",
        {"seat": 0, "hand": f"{ONE_BIG} {SIX}", "given": "D6 H6 H7 H8 H9 HT"},
        "the bottom's D6 is not in the hand",
    ),
    ("jokers", {"bottom": ["C3", "C3", "C3", "C3", "S6", "H7"]}, "more than three copies of C3"),
    ("jokers", {"options": {"others_bury_jokers": False}}, "only the dealer buries jokers"),
    ("jokers", {"bury": "JS S3 H6 H7 H8 H9"}, "4 copies of S3"),
    ("follow", {"plays": ["S3"]}, "4 copies of S3"),
    ("jokers", {"claim": 3}, "seen.claim must be an object with 'seat', got 3"),
    ("jokers", {"claim": {"seat": 4}}, "seen.claim.seat must be a seat from 0 to 3, got 4"),
    ("jokers", {"bury": 7}, "seen.bury must be cards, as text or as a list of names, got 7"),
    ("jokers", {"first_hand": 1}, "seen.first_hand must be true or false, got 1"),
    ("jokers", {"plays": "H7"}, "seen.plays must be a list, got 'H7'"),
    ("jokers", {"declarations": [{"seat": 2, "cards": ""}]}, "must have one to three cards .G5.2., got none"),
    ("jokers", {"declarations": [{"seat": 2, "cards": "JSx3"}]}, "must be an object with 'suit'"),
    ("jokers", {"declarations": [{"seat": 2, "cards": "JSx3", "suit": "X"}]}, "declarations.0..suit: unknown suit 'X'"),
    ("jokers", {"joker_buries": buried((2, "", ""))}, "a seat that buries no joker is left out"),
]


@pytest.mark.parametrize(("decision", "more", "message"), WORDS)
def test_words_that_make_no_sense_are_refused_with_their_place(decision, more, message):
    with pytest.raises(InputError, match=message):
        ask(decision, **more)


def test_what_was_seen_is_an_object():
    with pytest.raises(InputError, match="what was seen must be an object, got 7"):
        seen.ask(gz.rules(), "jokers", parse_hand(ONE_BIG), 1, 0, (5, 5), seen=7)
