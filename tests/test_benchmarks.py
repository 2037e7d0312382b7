"""The scripts of `benchmarks/` run; what they measure is not judged here."""

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from counts import IS_COMPILED

from gunzi_sim import deal

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
