"""G18: cards that a seat cannot see never change its view or its decision; `hidden_cards` says how that is tried."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gunzi_sim.gunzi.view import DECISIONS

COMMAND = Path(__file__).resolve().parent.parent / "hidden_cards.py"
CASES = 500


def run(*options):
    """Status and output of the command, in a process of its own: it works without the JIT."""
    done = subprocess.run(
        [sys.executable, str(COMMAND), *options],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_g18_hidden_cards_change_no_view_and_no_decision():
    status, out, error = run("--cases", str(CASES))
    assert (status, error) == (0, ""), out + error
    n_compared, n_different = map(int, re.search(r"(\d+) decisions compared, (\d+) differ", out).groups())
    assert n_compared >= CASES
    assert n_different == 0
    compared = {(policy, decision) for policy, decision, _ in re.findall(r"^(\w+) +(\w+) +(\d+)$", out, re.M)}
    assert compared == {(policy, decision) for policy in ("random", "basic", "counting") for decision in DECISIONS}


@pytest.mark.parametrize("fault", ["view", "policy"])
def test_g18_a_planted_fault_is_found(fault):
    status, out, _ = run("--cases", "4000", "--plant", fault)
    assert status == 1, out
    assert f"same view: {fault == 'policy'}" in out
