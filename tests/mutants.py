"""
Runs a suite against hand-made mutants: the package with one rule bent, which the tests must notice.

A mutant replaces one text, which must stand exactly once, in one source file. The package and the tests are copied to a
temporary folder, the text is replaced there, and pytest must fail. `mutants_referee.py` holds the referee's mutants.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Mutant(NamedTuple):
    """One bent rule: its clause and a name, the file below `gunzi_sim`, the text there and what replaces it."""

    name: str
    file: str
    old: str
    new: str


def misfits(mutants: Sequence[Mutant]) -> list[str]:
    """Names of mutants whose text does not stand exactly once in its file, or that change nothing."""
    wrong = []
    for mutant in mutants:
        source = (ROOT / "gunzi_sim" / mutant.file).read_text(encoding="utf-8")
        if source.count(mutant.old) != 1 or mutant.old == mutant.new:
            wrong.append(mutant.name)
    return wrong


def run(
    mutants: Sequence[Mutant],
    tests_of: Callable[[Mutant], Sequence[str]],
    environment: Mapping[str, str] | None = None,
) -> int:
    """
    Number of mutants that the tests let live, printed as they are tried; the unbent package must pass first.

    Parameters
    ----------
    mutants : sequence of Mutant
    tests_of : callable
        The files for pytest, relative to the project, that must notice a mutant, in the order to try them.
    environment : mapping, optional
        Variables added to pytest's.
    """
    wrong = misfits(mutants)
    if wrong:
        print("these mutants do not fit the sources:", "; ".join(wrong))
        return len(wrong)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("gunzi_sim", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        if not _passes(copy, sorted({test for mutant in mutants for test in tests_of(mutant)}), environment):
            print("the tests fail without any mutant")
            return len(mutants)
        alive = 0
        for mutant in mutants:
            start = time.perf_counter()
            path = copy / "gunzi_sim" / mutant.file
            source = path.read_text(encoding="utf-8")
            path.write_text(source.replace(mutant.old, mutant.new), encoding="utf-8")
            lives = all(_passes(copy, [test], environment) for test in tests_of(mutant))
            path.write_text(source, encoding="utf-8")
            alive += lives
            verdict = "LIVES" if lives else "killed"
            print(f"{verdict:6} {time.perf_counter() - start:5.1f} s  {mutant.name}", flush=True)
    print(f"{len(mutants) - alive} of {len(mutants)} mutants killed")
    return alive


def _passes(folder: Path, tests: Sequence[str], environment: Mapping[str, str] | None) -> bool:
    """Whether the tests pass on the package in `folder`; no bytecode is written, so that none can be stale."""
    command = [sys.executable, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    env = {**os.environ, **(environment or {}), "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False).returncode == 0
