"""A seat's question in words gives the view that the engine would show; what cannot have been is refused."""

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from captured import play
from counts import count
from sampled_hands import random_game

from gunzi_sim.cards import SMALL, kind_name, parse_hand
from gunzi_sim.game import InputError, Job, PolicySpec, Situation
from gunzi_sim.gunzi import seen
from gunzi_sim.gunzi.rules import PRESETS
from gunzi_sim.gunzi.view import BURY, DECISIONS, FOLLOW, JOKERS, KIND_AT, LEAD, VIEW

RULES = PRESETS["standard"]
NOT_TOLD = {
    "kinds_1", "kinds_2", "kinds_3", "draw", "legal_declarations", "declaration_draw", "first_seat", "joker_step",
    "tribute_must", "tribute_cut", "max_jokers", "pick_must", "pick_cut", "n_picks", "level_0", "level_1",
    "cards_left", "trick",
}  # fmt: skip
"""Fields left over from earlier questions, or of moments that a player does not tell."""


def cards_at(view, name, row=None):
    """Kinds of three planes of a view."""
    at = KIND_AT[int(view["level"]) - 3, int(view["trump"])]
    words = [view[f"{name}_{n}"] if row is None else view[f"{name}_{n}"][row] for n in (1, 2, 3)]
    return [int(at[place]) for word in words for place in range(58) if int(word) >> place & 1]


def named(cards):
    return [kind_name(kind) for kind in cards]


def told(record, decision, view):
    """What everybody saw of a record before a question, as a player would write it down."""
    n_plays = 4 * int(view["trick"]) + int(view["position"]) if decision in (LEAD, FOLLOW) else 0
    found = {
        "dealer": int(view["dealer"]),
        "first_hand": record["first_hand"],
        "plays": [named(cards) for cards in record["plays"][:n_plays]],
    }
    found["declarations"] = [
        {"seat": one["seat"], "cards": named(one["cards"]), "suit": "SHDC"[one["suit"]]}
        for one in record["declarations"]
    ]
    if record["claim"]:
        found["claim"] = dict(record["claim"])
    if record["tribute"]:
        found["tribute"] = {key: " ".join(named(cards)) for key, cards in record["tribute"].items()}
        found["tribute"]["reversed"] = bool(view["tribute_reversed"])
    found["tribute_cancelled"] = bool(view["tribute_cancelled"])
    if view["exposed"]:
        found["bottom"] = named(record["deck"][156:])
    found["flipped"] = [kind_name(int(kind) - 1) for kind in view["flipped"] if kind]
    order = [(int(view["dealer"]) + step) % 4 for step in range(1, 4)]
    before = (
        order if decision in (LEAD, FOLLOW) else order[: order.index(int(view["seat"]))] if decision == JOKERS else []
    )
    buries = [one for one in record["joker_buries"] if one["seat"] in before]
    found["joker_buries"] = [one | {key: named(one[key]) for key in ("jokers", "taken")} for one in buries]
    if record["bury"] and (buries or any(kind >= SMALL for kind in record["bury"])) and decision != BURY:
        found["bury"] = named(record["bury"])
    return found


@pytest.mark.parametrize(
    ("seed", "n_jokers", "first_hand"), [(21, (0, 0, 0, 0), False), (22, (1, 0, 2, 1), False), (23, (0, 0, 0, 0), True)]
)
def test_the_view_is_the_engines(seed, n_jokers, first_hand):
    rules = replace(RULES, dry_pot=RULES.dry_pot.OFF) if seed == 21 else RULES
    specs = tuple(PolicySpec("basic", (("jokers", n),)) for n in n_jokers)
    start = Situation(True, (3, 3)) if first_hand else Situation(False, (4, 7), 1, 2)
    job = Job("gunzi", rules, specs, seed, "hands", start)
    met = set()
    for unit in range(count(12, 2)):
        hand = play(job, unit)
        for decision, view in hand.asked:
            if decision not in (BURY, JOKERS, LEAD, FOLLOW) or view["joker_step"]:
                continue
            seat, dealer = int(view["seat"]), int(view["dealer"])
            known = told(hand.record, decision, view)
            bottom = None
            if decision == BURY:
                bottom = hand.record["deck"][156:]
            elif seat == dealer and not view["dry_pot"]:
                bottom = cards_at(view, "bottom")
            levels = (int(view["level_0"]), int(view["level_1"]))
            asked = seen.ask(
                rules, DECISIONS[decision], cards_at(view, "hand"), seat, int(view["trump"]), levels,
                int(view["owed"]), bottom, known,
            )  # fmt: skip
            assert asked.decision == decision
            if hand.record["claim"]:
                draws = (asked.view["first_seat"][0], asked.view["declaration_draw"][0, 0])
                assert draws == (hand.record["first_seat"], hand.record["claim"]["draw"])
                met.add("claim")
            in_play = decision in (LEAD, FOLLOW)
            for name in VIEW.names:
                hidden = name.startswith("dealt_bottom") and not view["exposed"] and decision != BURY
                old = name.startswith("rule_") or (not in_play and name in VIEW.names[3:20])
                if name not in NOT_TOLD and not hidden and not old:
                    assert np.array_equal(asked.view[name][0], view[name]), (unit, DECISIONS[decision], name)
            if in_play:
                assert [asked.view[name][0] for name in ("trick", "cards_left")] == [view["trick"], view["cards_left"]]
            if decision == JOKERS and view["bottom_known"]:
                assert asked.view["max_jokers"][0] == view["max_jokers"]
            met.add(decision)
    assert {BURY, JOKERS, LEAD, FOLLOW} <= met
    assert "claim" in met or not first_hand


def test_the_truth_is_never_refused():
    """Under rules of all kinds and with rare deals, whole or with parts left out."""
    rng = random.Random(8)
    met = Counter()
    n_hands = 0
    while n_hands < count(150, 12):
        hand = random_game(rng)
        if hand is None:
            continue
        n_hands += 1
        asked = [(d, view) for d, view in hand.asked if d in (BURY, JOKERS, LEAD, FOLLOW) and not view["joker_step"]]
        for decision, view in rng.sample(asked, 12):
            known = told(hand.record, decision, view)
            optional = ["declarations", "tribute", "tribute_cancelled"]
            optional += [] if known["first_hand"] else ["flipped"]  # a first hand says whether there was a claim
            left_out = [key for key in optional if rng.random() < 0.2]
            is_dealer = view["seat"] == view["dealer"]
            bottom = hand.record["deck"][156:] if decision == BURY else None
            if decision in (LEAD, FOLLOW) and is_dealer and not view["dry_pot"]:
                bottom = cards_at(view, "bottom")
            levels = (int(view["level_0"]), int(view["level_1"]))
            if decision == JOKERS and rng.random() < 0.5:
                known["may_bury"] = int(view["max_jokers"])
            seen.ask(
                hand.record["rules"], DECISIONS[decision], cards_at(view, "hand"), int(view["seat"]),
                int(view["trump"]), levels, int(view["owed"]), bottom,
                {key: value for key, value in known.items() if key not in left_out},
            )  # fmt: skip
            met.update(key for key, value in known.items() if value)
            met["reversed"] += bool(known.get("tribute", {}).get("reversed"))
            met["dry pot"] += bool(view["dry_pot"])
    wanted = {"claim", "declarations", "tribute", "tribute_cancelled", "flipped", "joker_buries", "reversed", "dry pot"}
    assert count(wanted, set()) <= set(+met)


def test_after_the_last_card_nobody_is_asked():
    job = Job("gunzi", RULES, (PolicySpec("basic"),) * 4, 3, "hands", Situation(False, (4, 7), 1))
    hand = play(job, 0)
    decision, view = hand.asked[-1]
    known = told(hand.record, decision, view) | {"plays": [named(cards) for cards in hand.record["plays"]]}
    for seat in range(4):
        bottom = hand.record["bury"] if seat == 1 and not view["dry_pot"] else None
        with pytest.raises(InputError, match="no card is left to play"):
            seen.ask(RULES, "lead", [], seat, int(view["trump"]), (4, 7), 0, bottom, known)


MOST = "S3x3 S4x3 S6x3 S7x3 S8x3 S9x3 STx3 SJx3 SQx3 SKx3 SAx3 H3x3"
FULL, OTHER, SHORT = f"{MOST} H4x2 JB", f"{MOST} H4x3", f"{MOST} H4x2"
SIX = "H5 H6 H7 H8 H9 HT"
SHOWN = {"seat": 1, "cards": "H5"}
REFUSED = [
    ("burry", FULL, {}, "decision must be bury or jokers or lead or follow, got 'burry'; did you mean 'bury'"),
    ("bury", FULL, {}, "to bury, the hand with the bottom must have 45 cards, got 39"),
    ("bury", FULL, {"bottom": "H5 H6 H7 H8 H9"}, "to bury, the hand with the bottom must have 45 cards, got 44"),
    ("bury", FULL, {"seat": 1, "bottom": SIX}, "only the dealer, seat 0, buries .G8.1., got seat 1"),
    ("bury", FULL, {"bottom": "S3 H6 H7 H8 H9 HT"}, "4 copies of S3 are named, there are three .G1.2."),
    ("jokers", FULL, {}, "the dealer buries jokers with its six cards .G8.1."),
    ("jokers", OTHER, {"seat": 1}, "no joker that it may bury, so it is not asked .G8.4."),
    ("jokers", FULL, {"seat": 1, "bottom": SIX}, "seat 1 does not know a bottom without a buried"),
    ("jokers", f"{FULL} H9", {"seat": 1}, "the hand must have 39 cards, got 40"),
    ("jokers", FULL, {"seat": 1, "seen": {"plays": ["H7"]}}, "jokers are buried before the play"),
    ("jokers", FULL, {"seat": 1, "seen": {"bury": "JS H6 H7 H8 H9"}}, "seen.bury must have 6 cards, got 5"),
    (
        "jokers",
        FULL,
        {"seat": 2, "seen": {"joker_buries": [{"seat": 1, "jokers": "JS", "taken": "H5"}]}},
        "jokers were buried, so the bottom was shown",
    ),
    ("jokers", FULL, {"seat": 1, "seen": {"dealers": 1}}, "seen: unknown key 'dealers'; did you mean 'dealer'"),
    ("lead", FULL, {}, "the dealer knows the bottom that it buried"),
    ("lead", FULL, {"seat": 1}, "after these plays it is seat 0's turn, not seat 1's"),
    ("follow", FULL, {"seat": 1}, "after these plays a seat has to lead, not to follow"),
    ("follow", FULL, {"seat": 1, "seen": {"plays": ["H7 H8"]}}, "H7 H8 is no single, pair or triple .G10.1."),
    ("follow", FULL, {"seat": 2, "seen": {"plays": ["H7", "H8 H8"]}}, "1 cards were led, got H8 H8 .G10.3."),
    ("follow", FULL, {"seat": 1, "seen": {"plays": ["H9", "H4", "D3", "D4"]}}, "the own plays must be 39 cards"),
    ("lead", SHORT, {"seat": 1, "seen": {"plays": ["H9", "JB", "D3", "D4"]}}, "1 of the led hearts must be .*G10.3"),
    (
        "lead",
        FULL,
        {"seat": 1, "seen": {"declarations": [{"seat": 1, "cards": "H5 D5"}]}},
        "is no declaration at level 5",
    ),
    ("lead", FULL, {"seat": 1, "seen": {"declarations": [SHOWN]}}, "must name the trump suit"),
    ("lead", FULL, {"seat": 1, "seen": {"tribute": {"cards": "H5", "returned": ""}}}, "1 cards were paid, but 0 ret"),
    (
        "lead",
        FULL,
        {"seat": 1, "seen": {"tribute": {"cards": "H5", "returned": "H6"}}},
        "1 cards were paid, but 0 owed",
    ),
    ("lead", FULL, {"seat": 1, "seen": {"plays": ["XX"]}}, "unknown card"),
]


@pytest.mark.parametrize(("decision", "hand", "more", "message"), REFUSED)
def test_what_cannot_have_been_is_refused(decision, hand, more, message):
    more = {"seat": 0} | {key: parse_hand(value) if key == "bottom" else value for key, value in more.items()}
    with pytest.raises(InputError, match=message):
        seen.ask(RULES, decision, parse_hand(hand), more.pop("seat"), 0, (5, 5), **more)
