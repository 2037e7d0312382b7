"""The kernel's mutants still fit its sources (`python tests/mutants_kernel.py` runs them)."""

from mutants import misfits
from mutants_kernel import MUTANTS


def test_every_mutant_fits_the_source():
    assert misfits(MUTANTS) == []


def test_there_is_a_mutant_for_every_part_of_the_rule_book():
    clauses = {mutant.name.split()[0].partition(".")[0] for mutant in MUTANTS}
    assert clauses == {f"G{n}" for n in range(1, 15)}
