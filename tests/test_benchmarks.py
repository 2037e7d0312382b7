"""The scripts of `benchmarks/` run; what they measure is not judged here."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from counts import IS_COMPILED

import gunzi_sim as gz
from gunzi_sim import deal
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
