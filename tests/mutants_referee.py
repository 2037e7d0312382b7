"""
Rule mutants of the referee, each of which its tests must kill: `python tests/mutants_referee.py [CLAUSE …]`, minutes.

Exit status 0 when all are killed. `test_referee_mutants.py` checks in the suite that each still fits the source, so
it is not among the tests run here.
"""

import sys

from mutants import Mutant, run

PLAY = "gunzi/referee_play.py"
SETUP = "gunzi/referee_setup.py"
SCORE = "gunzi/referee_score.py"
COURSE = "gunzi/referee.py"

TESTS = [f"tests/gunzi/test_referee_{part}.py" for part in ("deal", "tribute", "play", "score", "records")]
"""In the order of the clauses: a mutant is tried first where its clause is tested."""

MUTANTS = [
    Mutant(
        "G1.3 queens have points", PLAY, "card_points(kind) for kind", "card_points(kind + (kind % 13 == 10)) for kind"
    ),
    Mutant("G2.2 level of the attackers", COURSE, "[table.dealer % 2]  # G2.2", "[1 - table.dealer % 2]  # G2.2"),
    Mutant("G2.3 raises jump over the end", SCORE, "return min(due, rules.end_level - level)", "return due"),
    Mutant("G2.4 attackers pass", SCORE, "    if due[dealers_side] and levels[", "    if max(due) and levels["),
    Mutant(
        "G2.4 reaching always wins", SCORE, "if reaches and rules.round_won_by == RoundWonBy.REACHING", "if reaches"
    ),
    Mutant("G2.5 levels stay after a round", SCORE, "(rules.start_level,) * 2 if over else", "levels if over else"),
    Mutant("G3.1 dealt clockwise", SETUP, "deck[(seat - first_seat) % 4 :", "deck[(first_seat - seat) % 4 :"),
    Mutant(
        "G4.1 automatic claim may be late", SETUP, "if automatic and draw != big_draws[0]", "if automatic and draw < 0"
    ),
    Mutant(
        "G4.1 automatic claim may be missing", SETUP, "if automatic and big_draws:", "if automatic and not big_draws:"
    ),
    Mutant("G4.2 the claimed card counts", SETUP, "deck[draw + 4 : N_DEALT : 4]", "deck[draw + 8 : N_DEALT : 4]"),
    Mutant(
        "G4.3 the later of equal flips",
        SETUP,
        "_flip_rank(bottom[place]), place)",
        "_flip_rank(bottom[place]), -place)",
    ),
    Mutant(
        "G4.3 a two is the smallest",
        SETUP,
        "return 15 if rank_of(kind) == 2 else rank_of(kind)",
        "return rank_of(kind)",
    ),
    Mutant("G4.3 five flips", SETUP, "for place in range(4) if bottom", "for place in range(5) if bottom"),
    Mutant(
        "G4.4 the flip exposes",
        COURSE,
        "    table.dealer, table.trump = flip\n",
        "    table.dealer, table.trump = flip\n    table.exposed = True\n",
    ),
    Mutant("G5.2 any suit for level cards", SETUP, " and suit_of(kind) == suit else 0", " else 0"),
    Mutant(
        "G5.2 cards of later draws count", COURSE, "dealt(deck, first, seat, last_draw + 1)", "dealt(deck, first, seat)"
    ),
    Mutant(
        "G5.3 equal strength overcalls", SETUP, "if strength <= standing.strength", "if strength < standing.strength"
    ),
    Mutant("G5.3 jokers always open", SETUP, "and not rules.jokers_may_open", "and rules is None"),
    Mutant(
        "G5.4 own overcall always",
        SETUP,
        "seat == standing.seat and not rules.self_overcall",
        "seat == standing.seat and False",
    ),
    Mutant("G5.5 two declarations a draw", COURSE, "if draw <= last_draw", "if draw < last_draw"),
    Mutant(
        "G5.7 the last suited bottom card", COURSE, "first_suited(table.bottom)", "first_suited(table.bottom[::-1])"
    ),
    Mutant(
        "G6.1 the next seat pays",
        COURSE,
        "payer, receiver = (table.dealer - 1) % 4",
        "payer, receiver = (table.dealer + 1) % 4",
    ),
    Mutant("G6.2 level points never paid", SETUP, "tribute_points == TributePoints.LEVEL and", "False and"),
    Mutant("G6.2 the lowest are paid", SETUP, "__getitem__, reverse=True)", "__getitem__)"),
    Mutant("G6.3 short is G6.1", SETUP, '"G6.3" if len(cards) < n_due < owed', '"G6.3" if len(cards) < 0 < owed'),
    Mutant("G6.4 points may be returned", SETUP, "    if POINTS[kind]:\n        return 2\n", ""),
    Mutant(
        "G6.4 make-up of the highest",
        SETUP,
        "groups[0] + groups[1] + groups[2]",
        "groups[0] + groups[1][::-1] + groups[2]",
    ),
    Mutant("G6.5 reversal ignored", COURSE, "if holder == payer:", "if holder == 8:"),
    Mutant("G6.5 cancelling ignored", COURSE, "if holder == (payer + 2) % 4:", "if holder == 8:"),
    Mutant("G6.5 always on", COURSE, "if table.rules.tribute_three_big and 3 in", "if 3 in"),
    Mutant(
        "G7.2 six trumps are not dry",
        SETUP,
        "    if all(order.suit[kind] == TRUMP for kind in bottom):\n        return True\n",
        "",
    ),
    Mutant(
        "G7.2 level cards are permanent",
        SETUP,
        "rank_of(kind) == 2 for kind in bottom",
        "rank_of(kind) in (2, order.level) for kind in bottom",
    ),
    Mutant("G7.2 dry without exposure", COURSE, "table.exposed and is_dry_pot", "is_dry_pot"),
    Mutant("G8.2 big first ignored", SETUP, "rules.bury_big_first and SMALL", "rules is None and SMALL"),
    Mutant("G8.2 any big joker bars", SETUP, "hand[BIG] > buried.count(BIG)", "hand[BIG] > 0"),
    Mutant(
        "G8.2 the dealer is not bound by max_jokers_per_seat",
        SETUP,
        "n_jokers > rules.max_jokers_per_seat",
        "n_jokers > rules.max_jokers_per_seat and len(buried) < 6",
    ),
    Mutant("G8.4 any pick", SETUP, "smallest = open_cards[: len(jokers)]", "smallest = sorted(taken)[: len(jokers)]"),
    Mutant("G8.4 points are pickable", SETUP, "kind not in JOKERS and not POINTS[kind]", "kind not in JOKERS"),
    Mutant("G8.4 any order of asking", COURSE, "elif asked <= last:", "elif asked == 0:"),
    Mutant(
        "G9.1 other twos above level cards",
        PLAY,
        "return 36 if suit == trump else 35",
        "return 46 if suit == trump else 45",
    ),
    Mutant(
        "G9.1 level cards of a side suit are no trumps",
        PLAY,
        "return 41 if suit == trump else 40",
        "return 41 if suit == trump else 0",
    ),
    Mutant(
        "G10.1 big and small joker pair",
        PLAY,
        "and play.count(play[0]) == len(play)",
        "and len({min(kind, 52) for kind in play}) == 1",
    ),
    Mutant("G10.3 the suit need not be followed", PLAY, "if n_played < n_due", "if n_played < n_due and len(led) > 1"),
    Mutant("G10.3 half the suit will do", PLAY, "if n_played < n_due", "if n_played < min(n_due, 1)"),
    Mutant("G10.4 a triple must be broken", PLAY, "if n_led == 2 and 2 in held", "if n_led == 2 and held & {2, 3}"),
    Mutant(
        "G10.4 pair from a triple disallowed",
        PLAY,
        "n_led == 2 and 2 in held and best < 2",
        "n_led == 2 and 2 in held and in_suit.get(play[0]) != 2",
    ),
    Mutant("G10.4 no triple asked for", PLAY, "n_led == 3 and 3 in held", "n_led == 3 and 4 in held"),
    Mutant("G10.4 no pair under a triple", PLAY, "n_led == 3 and 2 in held", "n_led == 3 and 4 in held"),
    Mutant("G10.5 loose is strict", PLAY, "follow == Follow.STRICT and n_suit", "n_suit"),
    Mutant("G11.1 the later of equal plays wins", PLAY, "strength[top] > best", "strength[top] >= best"),
    Mutant("G11.1 any pattern competes", PLAY, " and play.count(top) == len(led)", ""),
    Mutant("G11.1 any suit competes", PLAY, "order.suit[top] in (led_suit, TRUMP) and ", ""),
    Mutant(
        "G11.3 the bottom counts on a hold",
        SCORE,
        "if played.dig else 0)\n\n\ndef raise",
        "if True else 0)\n\n\ndef raise",
    ),
    Mutant("G11.3 dig multiplier ignored", SCORE, "rules.dig_multiplier * played.bottom", "2 * played.bottom"),
    Mutant("G12.1 more than the win score wins", SCORE, "points >= rules.win_score", "points > rules.win_score"),
    Mutant("G12.1 no raise on a hold", SCORE, "return (0, 0) if played.dig else (earned, 0)", "return (0, 0)"),
    Mutant("G12.2 jokers count in a dry pot", SCORE, "    if played.dry_pot:\n        return 0\n", ""),
    Mutant(
        "G12.4 rounding always generous",
        SCORE,
        " if rules.tribute_rounding == TributeRounding.GENEROUS else missing // 10",
        "",
    ),
    Mutant(
        "G12.4 generous above too",
        SCORE,
        "(points - rules.tribute_high) // 10",
        "(points - rules.tribute_high + 5) // 10",
    ),
    Mutant(
        "G12.4 a dig voids above the win score",
        SCORE,
        "rules.dig_below_voids_jokers and not takes_deal and",
        "rules.dig_below_voids_jokers and",
    ),
    Mutant("G12.5 more than 300 points", SCORE, "points >= 300", "points > 300"),
    Mutant("G12.5 captured is score", SCORE, "or _captured_all(played)", "or True"),
    Mutant("G12.5 three big on a hold", SCORE, "attackers = takes_deal and played.dig", "attackers = takes_deal"),
    Mutant("G12.5 dry pots end rounds", SCORE, "    if played.dry_pot:\n        return None\n", ""),
    Mutant("G12.5 dealers never win by three big", SCORE, "rules.three_big_ends == ThreeBigEnds.BOTH", "rules is None"),
    Mutant("G12.5 three small always", SCORE, "rules.three_small_ends and (", "("),
    Mutant("G13 next dealer swapped", SCORE, "(1 if takes_deal else 2)", "(2 if takes_deal else 1)"),
    Mutant("G14.1 a loser pays one less", SCORE, "return 1 + 3 * n_risen", "return 3 * n_risen"),
    Mutant(
        "G14.2 sides pay like players", SCORE, "rules.tribute_settlement == TributeSettlement.SIDES", "rules is None"
    ),
    Mutant("G14.3 thirty points", SCORE, "SPECIAL_PTS = 50", "SPECIAL_PTS = 30"),
]


def tests_of(mutant: Mutant) -> list[str]:
    """The tests, those of the mutant's clause first."""
    clause = int(mutant.name.split()[0][1:].partition(".")[0])
    place = 3 if clause == 2 else next(place for place, last in enumerate((5, 8, 11, 14)) if clause <= last)
    return TESTS[place:] + TESTS[:place]


if __name__ == "__main__":
    chosen = [mutant for mutant in MUTANTS if mutant.name.startswith(tuple(sys.argv[1:]) or "G")]
    sys.exit(1 if run(chosen, tests_of) else 0)
