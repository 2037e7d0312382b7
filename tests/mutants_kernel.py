"""
Rule mutants of the kernel, each of which its tests must kill: `python tests/mutants_kernel.py [CLAUSE …]`, minutes.

They run without the JIT, so that nothing is compiled. Exit status 0 when all are killed. `test_kernel_mutants.py`
checks in the suite that each still fits the source.
"""

import sys

from mutants import Mutant, run

PLAY = "gunzi/play.py"
TRICKS = "gunzi/tricks.py"
SCORE = "gunzi/score.py"
BIDDING = "gunzi/bidding.py"
BOTTOM = "gunzi/bottom.py"
VIEW = "gunzi/view.py"

TESTS = {
    SCORE: ["tests/gunzi/test_kernel_score.py"],
    TRICKS: ["tests/gunzi/test_kernel_tricks.py", "tests/gunzi/test_kernel_setup.py"],
    VIEW: ["tests/gunzi/test_kernel_tricks.py"],
    BIDDING: ["tests/gunzi/test_kernel_setup.py"],
    BOTTOM: ["tests/gunzi/test_kernel_setup.py"],
    PLAY: [],
}
"""Tests of the clauses in each file; `WHOLE_HANDS` comes after them, against the referee."""
WHOLE_HANDS = ["tests/gunzi/test_kernel_phases.py", "tests/gunzi/test_differential.py"]

MUTANTS = [
    Mutant("G1.3 queens for kings", VIEW, "_places_of_ranks(v, (10, 13))", "_places_of_ranks(v, (10, 12))"),
    Mutant(
        "G2.2 level of the attackers",
        PLAY,
        "state.level = state.levels[state.dealer & 1]",
        "state.level = state.levels[1 - (state.dealer & 1)]",
    ),
    Mutant("G2.3 raises jump over the end", SCORE, "min(levels, rules.end_level - before)", "levels"),
    Mutant("G2.4 attackers pass", SCORE, "before == rules.end_level and side == (state.dealer & 1)", "risen == 0"),
    Mutant("G2.4 reaching always wins", SCORE, "rules.round_won_by == REACHING and risen > 0", "risen > 0"),
    Mutant("G3.2 the first seat draws first", PLAY, "state.first_seat = state.dealer", "state.first_seat = 0"),
    Mutant("G4.1 automatic claims are asked for", BIDDING, "state.rules.first_claim != AUTOMATIC", "state is not None"),
    Mutant("G4.2 the claimed card's successor is skipped", BIDDING, "position = draw + N_SEATS", "position = draw + 8"),
    Mutant("G4.3 a two is the smallest", BIDDING, "return TWO_ABOVE_ACE if rank == 2 else rank", "return rank"),
    Mutant("G4.3 the later of equal flips", BIDDING, "else rank < best_rank", "else rank <= best_rank"),
    Mutant("G4.3 the largest never wins", BIDDING, "state.rules.first_flip == LARGEST", "state.rules.first_flip > 9"),
    Mutant("G5.2 level cards of the next rank", BIDDING, "np.uint64(level - 2)", "np.uint64(level - 1)"),
    Mutant(
        "G5.3 equal strength overcalls",
        BIDDING,
        "codes &= ~((ONE << np.uint64((standing // N_SUITS + 1) * N_SUITS)) - ONE)",
        "codes &= ~((ONE << np.uint64(standing // N_SUITS * N_SUITS)) - ONE)",
    ),
    Mutant("G5.3 jokers always open", BIDDING, "        if not rules.jokers_may_open:\n", "        if False:\n"),
    Mutant("G5.4 own overcall always", BIDDING, "seat and not rules.self_overcall", "seat and False"),
    Mutant("G5.5 three passes close the bidding", BIDDING, "while n_passes < N_SEATS", "while n_passes < N_SEATS - 1"),
    Mutant(
        "G5.5 the closing window starts after the dealer",
        BIDDING,
        "(state.dealer + question)",
        "(state.dealer + 1 + question)",
    ),
    Mutant("G6.1 the next seat pays", BOTTOM, "payer = (state.dealer + 3) & 3", "payer = (state.dealer + 1) & 3"),
    Mutant(
        "G6.2 level points never paid", BOTTOM, "return without_points | LEVEL_CARDS if", "return without_points if"
    ),
    Mutant("G6.2 the payer's lowest cards", TRICKS, "range(len(CLASSES) - 1, -1, -1)", "range(len(CLASSES))"),
    Mutant("G6.4 points may be returned", TRICKS, "free = SIDE & ~points", "free = SIDE"),
    Mutant("G6.5 no reversal", BOTTOM, "state.big_dealt[payer] == N_COPIES", "state.big_dealt[payer] > N_COPIES"),
    Mutant("G6.5 no cancelling", BOTTOM, "big_dealt[payer ^ 2] == N_COPIES", "big_dealt[payer ^ 2] > N_COPIES"),
    Mutant(
        "G7.2 level cards are permanent",
        BOTTOM,
        "~(SIDE | TWOS | JOKER_PLACES)",
        "~(SIDE | TWOS | LEVEL_CARDS | JOKER_PLACES)",
    ),
    Mutant("G7.2 dry without exposure", BOTTOM, "if state.exposed and is_dry_pot", "if is_dry_pot"),
    Mutant("G8.1 seven buried cards", BOTTOM, "count(q1, q2, q3) != N_BOTTOM", "count(q1, q2, q3) < 0"),
    Mutant("G8.2 big first ignored", BOTTOM, "rules.bury_big_first and n_small > 0", "False and n_small > 0"),
    Mutant("G8.2 any big joker bars", BOTTOM, "n_small > 0 and n_big < held_big", "n_small > 0 and held_big > 0"),
    Mutant("G8.4 points are pickable", BOTTOM, "~(state.fives | state.tens | JOKER_PLACES)", "~JOKER_PLACES"),
    Mutant("G8.4 the order of asking turned", BOTTOM, "(state.dealer + step) & 3", "(state.dealer - step) & 3"),
    Mutant(
        "G9.1 the trump 2 is like the others",
        VIEW,
        "return side + plain + [0x7 << 48, 1 << 51,",
        "return side + plain + [0xF << 48, 0,",
    ),
    Mutant(
        "G10.1 any cards may be led",
        TRICKS,
        " or popcount(q1) != 1:\n        return BAD_LEAD",
        ":\n        return BAD_LEAD",
    ),
    Mutant("G10.3 half the suit will do", TRICKS, "!= min(held, n_cards)", "< min(held, 1)"),
    Mutant(
        "G10.4 a triple must be broken", TRICKS, "(pairs & ~triples) != NO_PLACES and q2", "pairs != NO_PLACES and q2"
    ),
    Mutant("G10.4 no triple owed", TRICKS, "BAD_PATTERN if q3 == NO_PLACES", "BAD_PATTERN if q2 == NO_PLACES"),
    Mutant("G10.5 loose is strict", TRICKS, "if not strict or held", "if held"),
    Mutant(
        "G11.1 the later of equal plays wins",
        VIEW,
        "higher = sum(1 << p for p in range(place + 1, (group + 1) * SUIT_PLACES))",
        "higher = sum(1 << p for p in range(place, (group + 1) * SUIT_PLACES))",
    ),
    Mutant("G11.1 equal twos: the later wins", VIEW, "48: 51, 49: 51, 50: 51", "48: 49, 49: 50, 50: 51"),
    Mutant(
        "G11.1 a pair wins by one card", PLAY, "hits = q2 if n_cards == 2 else q3", "hits = q1 if n_cards == 2 else q3"
    ),
    Mutant("G11.2 the leader takes the points", PLAY, "if best_seat & 1 == attackers", "if leader & 1 == attackers"),
    Mutant("G11.3 the bottom counts once", SCORE, "state.dig * rules.dig_multiplier", "state.dig"),
    Mutant(
        "G11.3 dig by the first trick",
        PLAY,
        "state.dig = 1 if leader & 1 == attackers else 0",
        "state.dig = 1 if won_attackers > won_dealers else 0",
    ),
    Mutant(
        "G12.1 more than the win score wins",
        SCORE,
        "state.attacker_points >= rules.win_score",
        "state.attacker_points > rules.win_score",
    ),
    Mutant("G12.2 jokers count in a dry pot", SCORE, "    if state.dry_pot:\n        return 0\n", ""),
    Mutant("G12.4 a dig voids above the win score", SCORE, "and state.dig and not state.takes_deal)", "and state.dig)"),
    Mutant(
        "G12.4 generous above too",
        SCORE,
        "return (attacker_points - rules.tribute_high) //",
        "return (attacker_points - rules.tribute_high + 5) //",
    ),
    Mutant(
        "G12.5 more than 300 points",
        SCORE,
        "state.attacker_points >= ROUND_SCORE",
        "state.attacker_points > ROUND_SCORE",
    ),
    Mutant("G12.5 captured is score", SCORE, "rules.end_at_300 != CAPTURED or captured", "True"),
    Mutant("G12.5 three big on a hold", SCORE, "state.takes_deal == 1 and state.dig == 1", "state.takes_deal == 1"),
    Mutant("G13 next dealer swapped", SCORE, "(1 if state.takes_deal else 2)", "(2 if state.takes_deal else 1)"),
    Mutant("G14.1 a loser pays one less", SCORE, "gain = -(1 + 3 * state", "gain = -(3 * state"),
    Mutant(
        "G14.2 sides pay like players", SCORE, "tribute_settlement == WHOLE_SIDES", "tribute_settlement > WHOLE_SIDES"
    ),
]


def tests_of(mutant: Mutant) -> list[str]:
    """The clause tests of the mutant's file, then whole hands."""
    return [*TESTS[mutant.file], *WHOLE_HANDS]


if __name__ == "__main__":
    chosen = [mutant for mutant in MUTANTS if mutant.name.startswith(tuple(sys.argv[1:]) or "G")]
    sys.exit(1 if run(chosen, tests_of, {"NUMBA_DISABLE_JIT": "1"}) else 0)
