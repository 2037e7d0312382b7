"""Hands played on from a view: with the true hidden cards, and the same policy, they end as the hand did."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from captured import play
from counts import IS_COMPILED, count
from from_host import host_njit

from gunzi_sim.game import Job, PolicySpec, Situation
from gunzi_sim.gunzi import engine, playout, referee
from gunzi_sim.gunzi.referee_play import trick_winner
from gunzi_sim.gunzi.rules import PRESETS, Follow
from gunzi_sim.gunzi.state import STATE
from gunzi_sim.gunzi.view import BURY, FOLLOW, JOKERS, LEAD, PARAMS, PLACE_OF

SEEN_LATER = (BURY, JOKERS, LEAD, FOLLOW)


def job_of(seed, n_jokers, **changes):
    rules = replace(PRESETS["standard"], **changes)
    specs = tuple(PolicySpec("basic", (("jokers", n),)) for n in n_jokers)
    return Job("gunzi", rules, specs, seed, "hands", Situation(False, (4, 7), 1, 2))


JOBS = {
    "hidden bottom": job_of(11, (0, 0, 0, 0)),
    "jokers of all seats": job_of(12, (1, 1, 1, 1)),
    "jokers of one seat": job_of(13, (0, 0, 2, 0)),
    "loose, no dry pot": job_of(14, (0, 1, 0, 0), follow=Follow.LOOSE, dry_pot=PRESETS["standard"].dry_pot.OFF),
    "first hand": replace(job_of(15, (0, 0, 0, 0)), situation=Situation(True, (3, 3))),
}


@host_njit
def played_on(state, view, params, hands, decision, is_forced, q1, q2, q3):
    playout.take_up(state[0], view[0], params[0], decision)
    for _ in range(2):  # a second time from the same state, which the first has used
        playout.lay_out(state[0], view[0], hands, decision)
        if is_forced:
            playout.force_answer(state[0], view[0].seat, decision, q1, q2, q3)
        status = playout.play_on(state, decision)
    return status


def inner_params(job, seat):
    """Parameters with which `basic` plays on as in the job."""
    bench = engine._bench(job, engine.built_in_policies())
    params = engine.zeroed(1, PARAMS)
    params[0] = bench.state["params"][0, seat]
    params["inner_calls"][0] = bench.state["calls"][0, :, seat]
    params["first_call"][0] = engine._first_call()
    return params


def planes(cards, level, trump):
    """Planes of places of some kinds."""
    found = [0, 0, 0]
    for kind in cards:
        bit = 1 << int(PLACE_OF[level - 3, trump, kind])
        found[next(n for n in range(3) if not found[n] & bit)] |= bit
    return found


def seats_of_plays(record, level, trump):
    """Who made each play, by the rule book."""
    leader, seats = referee.judge(record)[0].dealer, []
    for first in range(0, len(record["plays"]), 4):
        seats += [(leader + step) % 4 for step in range(4)]
        leader = trick_winner(leader, record["plays"][first : first + 4], level, trump)
    return seats


def true_cards(record, decision, view):
    """What each seat holds, and the bottom, when a question is asked: from the plays and burials that came after it."""
    level, trump = int(view["level"]), int(view["trump"])
    n_played = 4 * int(view["trick"]) + int(view["position"]) if decision in (LEAD, FOLLOW) else 0
    hands = [Counter() for _ in range(4)]
    for seat, cards in list(zip(seats_of_plays(record, level, trump), record["plays"]))[n_played:]:
        hands[seat].update(cards)
    bottom = Counter(record["deck"])
    for cards in record["plays"]:
        bottom.subtract(cards)
    order = [(int(view["dealer"]) + step) % 4 for step in range(1, 4)]
    asked = order.index(int(view["seat"])) if decision == JOKERS else 3 if decision in (LEAD, FOLLOW) else 0
    for burial in reversed(record["joker_buries"]):
        if order.index(burial["seat"]) >= asked:
            for taker, giver, cards in (
                (hands[burial["seat"]], bottom, burial["jokers"]),
                (bottom, hands[burial["seat"]], burial["taken"]),
            ):
                taker.update(cards)
                giver.subtract(cards)
    if decision == BURY:
        hands[int(view["dealer"])].update(bottom)
        bottom = Counter()
    rows = [*hands, bottom]
    assert all(n >= 0 for row in rows for n in row.values())
    return np.array([planes(row.elements(), level, trump) for row in rows], np.uint64)


@pytest.mark.parametrize("name", JOBS)
def test_a_hand_played_on_from_any_view_ends_as_it_did(name):
    job = JOBS[name]
    met = Counter()
    for unit in range(count(25, 2)):
        hand = play(job, unit)
        result = referee.derive(hand.record)
        for number, (decision, view) in enumerate(hand.asked):
            if decision not in SEEN_LATER or (decision == JOKERS and view["joker_step"]):
                continue
            if decision in (LEAD, FOLLOW) and number % 7 and view["cards_left"] < 39:
                continue  # the seats ask alike all through the play
            seat_params = inner_params(job, int(view["seat"]))
            alike = len({spec for spec in job.policies}) == 1
            if decision in (BURY, JOKERS) and not alike:
                continue  # all seats play on by the same parameters
            state = engine.zeroed(1, STATE)
            kept = engine.zeroed(1, view.dtype)
            kept[0] = view
            cards = true_cards(hand.record, decision, view)
            own = cards[int(view["seat"])]
            assert [int(view[f"hand_{n}"]) for n in (1, 2, 3)] == own.tolist(), (name, unit, number)
            assert played_on(state, kept, seat_params, cards, decision, False, 0, 0, 0) == 0
            found = {
                "attacker_points": int(state["attacker_points"][0]),
                "settlement": state["settlement"][0].tolist(),
                "owed_next": int(state["owed_next"][0]),
            }
            assert found["attacker_points"] == result["attacker_points"], (name, unit, number, decision)
            assert found["settlement"] == result["settlement"], (name, unit, number, decision)
            assert found["owed_next"] == result["owed_next"], (name, unit, number, decision)
            met[decision] += 1
    assert met[FOLLOW] and met[LEAD]
    if IS_COMPILED and name in ("hidden bottom", "jokers of all seats"):
        assert met[BURY] and met[JOKERS]


def test_a_forced_answer_is_given_once_and_the_inner_policy_goes_on():
    job = JOBS["hidden bottom"]
    hand = play(job, 0)
    n_other = 0
    for decision, view in hand.asked[-150::11]:
        if decision not in (LEAD, FOLLOW) or view["n_cards"] > 1:
            continue
        pool = int(view["hand_1"]) & int(view["led"]) or int(view["hand_1"])
        for place in (place for place in range(58) if pool >> place & 1):
            state, kept = engine.zeroed(1, STATE), engine.zeroed(1, view.dtype)
            kept[0] = view
            cards = true_cards(hand.record, decision, view)
            seat, trick = int(view["seat"]), int(view["trick"])
            params = inner_params(job, seat)
            assert played_on(state, kept, params, cards, decision, True, 1 << place, 0, 0) == 0
            assert state["views"][0, 0]["history"][trick, seat] == place + 1
            assert sum(state["start_points"][0]) <= state["trick_points"][0] + state["dealer_points"][0]
            total = state["trick_points"][0] + state["dealer_points"][0] + state["bottom_points"][0]
            assert total == 300  # G17: every card was played once
            n_other += 1
    assert n_other > 20
