"""The scripts of `benchmarks/` run; what they measure is not judged here."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from counts import IS_COMPILED, count

import gunzi_sim as gz
from gunzi_sim import deal, stats
from gunzi_sim.game import PolicySpec
from gunzi_sim.gunzi.rules import PRESETS
from gunzi_sim.race import State

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"


@pytest.mark.skipif(not IS_COMPILED, reason="times compiled code")
def test_the_yardstick_and_what_stands_beside_it(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    script = import_module("yardstick")
    cards, scratch = np.zeros(162, np.uint8), np.zeros(deal.SCRATCH_WORDS, np.uint64)
    for kernel in (script._cards, script._kinds):
        assert script.best_ns(kernel, cards, scratch, n=1, repeats=1) > 0
    streams = np.arange(8, dtype=np.uint64)
    assert script.best_ns(script._blocks, streams, np.zeros_like(streams), np.zeros_like(streams), n=1, repeats=1) > 0
    assert script.time_yardstick() > 0


@pytest.mark.skipif(not IS_COMPILED, reason="thousands of hands")
def test_rounds_are_compared_with_their_equity(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    script = import_module("equity_check")
    monkeypatch.setattr(script, "STATES", (State(10, 10, 0), State(10, 10, 1)))
    rules = gz.rules(start_level=10)
    equity = gz.equity(rules, "random", hands=1000, threads=1)
    rows = list(script.compared(rules, "random", equity, 50, 7))
    assert [state.first_hand for state, _, _ in rows] == [False, False, True]
    gaps = np.array([share - equity.value(state).probability for state, share, _ in rows])
    assert script.chi_square(equity, rows[:1]) == pytest.approx(
        gaps[0] ** 2 / (rows[0][2] + equity.value(rows[0][0]).standard_error ** 2)
    )
    assert script.chi_square(equity, rows) > script.chi_square(equity, rows[:1])


def test_the_ladder_gives_a_policy_no_gain_over_itself(monkeypatch):
    """Played from both sides of the same deals, a policy wins exactly as much as it loses."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    script = import_module("ladder")
    spec = PolicySpec("basic")
    for mode, n_units in (("hands", count(50, 2)), ("rounds", count(10, 1))):
        settlement, share = script.duel(spec, spec, n_units, 1, mode, PRESETS["standard"])
        assert settlement.estimate == 0
        assert share.estimate == (0.5 if mode == "rounds" else 0)


def test_the_ladder_credits_the_policy_above(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    script = import_module("ladder")
    specs = (PolicySpec("basic"), PolicySpec("random"))
    settlement, share = script.duel(*specs, count(20, 1), 1, "rounds", PRESETS["standard"])
    assert settlement.estimate > 0 and share.estimate == 1
    assert script.interval(stats.Estimate(0.25, 0.125, 0.375, 9), 100, 1) == "+25.0 [+12.5, +37.5]"


def binomial_bounds(share, n):
    """Where a count of n lies but for one time in a million."""
    half = 4.9 * (share * (1 - share) / n) ** 0.5
    return (share - half) * n, (share + half) * n


@pytest.mark.skipif(not IS_COMPILED, reason="thousands of rounds")
def test_intervals_of_real_rounds_cover_and_false_alarms_are_rare(monkeypatch):
    """A reduced run of `benchmarks/intervals.py`, whose bars are for 2,000 studies."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    script = import_module("intervals")
    for share in script.coverage(300, 20, 1):
        low, high = binomial_bounds(0.945, 300)  # 20 rounds are few for the delta method
        assert low < share.count < min(high, 299.5)
    alarms = script.false_alarms(200, 15, 1)
    assert alarms.count < binomial_bounds(0.055, 200)[1]
    ours, fixed = script.alarms_at_looks(200, 219, 1)
    assert ours.count <= binomial_bounds(0.05, 200)[1] / 2
    assert fixed.count > ours.count + 10


def test_the_policy_of_the_a_a_studies_differs_by_luck_only(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    script = import_module("intervals")
    values = script.aa_values(count(40, 2), 1, "hands")
    assert (values[1] == 2).all() and (values[3] == 2).all()
    assert (values[0] != values[2]).any()
