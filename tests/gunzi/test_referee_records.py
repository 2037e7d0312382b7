"""Whole records: every fault that a record can have, wrong results, the table row, the trace's hash."""

import random

import pytest

from gunzi.random_records import (
    Habits,
    clause,
    corrupt,
    deal,
    first_record,
    later_record,
    random_record,
    with_rules,
)
from gunzi_sim import record as record_file
from gunzi_sim.cards import BIG, SMALL, parse_hand
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.records import COLUMNS
from gunzi_sim.gunzi.rules import PRESETS, FirstClaim, GunziRules

S, H, D, C = range(4)
QUIET = Habits(claim=0, declare=0, jokers=0)


def said(seat, draw, text, suit):
    return {"seat": seat, "draw": draw, "cards": parse_hand(text), "suit": suit}


def moved(cards, returned):
    return {"cards": parse_hand(cards), "returned": parse_hand(returned)}


# One sound record of each phase. Level 3 throughout; the dealer of later hands is seat 0.

HANDS = {0: "H3 H3 H4x3 H6x3 H8", 1: "JB JS S3", 2: "D3x3 D4x3", 3: "JB S4 SA SQ SJ H7"}
BOTTOM = "S6 HA DA CA H9 S9"


def first(claim=None, rules=PRESETS["standard"]):
    return first_record(random.Random(1), deal(random.Random(1), HANDS, BOTTOM), rules, habits=QUIET, claim=claim)


def later(owed=0, declarations=(), rules=PRESETS["standard"], **given):
    """A hand of dealer 0; one card owed is seat 3's big joker, more are left to chance, the dealer's bury too."""
    deck = deal(random.Random(2), HANDS, BOTTOM)
    if owed == 1:
        given = {"tribute": moved("JB", "H8")} | given
    if owed < 2:
        given = {"bury": parse_hand("H4x3 H6x3")} | given
    return later_record(
        random.Random(2), deck, rules, owed=owed, habits=QUIET, declarations=list(declarations), **given
    )


def dry():
    deck = deal(random.Random(3), HANDS, "JS DA DK DQ CQ CA")
    return later_record(random.Random(3), deck, habits=QUIET, declarations=[said(0, 0, "H3", H)])


def reversed_tribute():
    deck = deal(random.Random(4), {3: "JBx3 H4 H6", 0: "H7 H8"}, BOTTOM)
    return later_record(random.Random(4), deck, owed=1, habits=QUIET, declarations=[])


def cancelled_tribute():
    deck = deal(random.Random(5), {1: "JBx3 H4 H6", 0: "H7 H8"}, BOTTOM)
    return later_record(random.Random(5), deck, owed=1, habits=QUIET, declarations=[])


def short_tribute():
    points = " ".join(f"{suit}{rank}x3" for suit in "SHDC" for rank in "5TK")
    deck = deal(random.Random(6), {3: f"{points} H4 H6 H7", 0: "C4 C6 C7"}, BOTTOM)
    return later_record(random.Random(6), deck, PRESETS["qiqi"], owed=5, habits=QUIET, declarations=[])


def joker(seat, jokers, taken):
    return {"seat": seat, "jokers": parse_hand(jokers), "taken": parse_hand(taken)}


CLAIM_1 = {"seat": 1, "draw": 1}
AUTOMATIC = GunziRules(first_claim=FirstClaim.AUTOMATIC)
OPENED = [said(0, 0, "H3", H)]

FAULTS = [
    # what is wrong, a sound record, the change, the clause
    ("level out of range", later, {"levels": [3, 11]}, "FORMAT"),
    ("dealer given in a first hand", first, {"dealer": 0}, "FORMAT"),
    ("dealer missing in another", later, {"dealer": None}, "FORMAT"),
    ("claim in a later hand", later, {"claim": CLAIM_1}, "FORMAT"),
    ("first hand not at the start level", first, {"levels": [3, 4]}, "G2.1"),
    ("tribute owed in a first hand", first, {"owed": 2}, "G2.5"),
    ("first seat not the dealer", later, {"first_seat": 1}, "G3.2"),
    ("claim not at a big joker", first, {"claim": {"seat": 1, "draw": 5}}, "G4.1"),
    ("claim by another seat", first, {"claim": {"seat": 2, "draw": 1}}, "G4.1"),
    ("automatic claim missing", lambda: first(CLAIM_1, AUTOMATIC), {"claim": None}, "G4.1"),
    ("automatic claim late", lambda: first(CLAIM_1, AUTOMATIC), {"claim": {"seat": 3, "draw": 3}}, "G4.1"),
    ("declaration in a first hand", first, {"declarations": OPENED}, "G4.5"),
    ("declared cards not held", later, {"declarations": [said(0, 0, "H3x2", H)]}, "G5.2"),
    ("no level card", later, {"declarations": [said(0, 8, "H4", H)]}, "G5.2"),
    ("not stronger", later, {"declarations": [*OPENED, said(2, 2, "D3", D)]}, "G5.3"),
    ("declarations out of time order", later, {"declarations": [said(2, 6, "D3x2", D), *OPENED]}, "G5.5"),
    ("declaration at another seat's draw", later, {"declarations": [said(0, 1, "H3", H)]}, "G5.5"),
    ("tribute not owed", later, {"tribute": moved("JB", "H4")}, "G6.1"),
    ("tribute missing", lambda: later(2), {"tribute": None}, "G6.1"),
    ("too many tribute cards", lambda: later(1), {"tribute": moved("JB SA", "H4 H6")}, "G6.1"),
    ("too few tribute cards", lambda: later(2), {"tribute": moved("JB", "H4")}, "G6.1"),
    ("too few where it is short", short_tribute, {"tribute": moved("H7", "C4")}, "G6.3"),
    ("paid card not held", lambda: later(1), {"tribute": moved("D3", "H4")}, "G6.2"),
    ("paid card not the highest", lambda: later(1), {"tribute": moved("SQ", "H4")}, "G6.2"),
    ("reversal ignored", reversed_tribute, {"tribute": moved("JB", "H7")}, "G6.5"),
    ("cancellation ignored", cancelled_tribute, {"tribute": moved("SA", "H7")}, "G6.5"),
    ("illegal return: a trump", lambda: later(1), {"tribute": moved("JB", "JB")}, "G6.4"),
    ("illegal return: not held", lambda: later(1), {"tribute": moved("JB", "D4")}, "G6.4"),
    ("illegal return: too many", lambda: later(1), {"tribute": moved("JB", "H4 H6")}, "G6.4"),
    ("bury null without a dry pot", later, {"bury": None}, "G7.2"),
    ("bury in a dry pot", dry, {"bury": parse_hand("H4x3 H6x3")}, "G7.3"),
    ("joker bury in a dry pot", dry, {"joker_buries": [joker(1, "JB", "CQ")]}, "G7.3"),
    ("buried card not held", later, {"bury": parse_hand("H4x3 H6x2 D3")}, "G8.1"),
    ("five cards buried", later, {"bury": parse_hand("H4x3 H6x2")}, "G8.1"),
    ("joker order", later, {"joker_buries": [joker(1, "JS", "H4")]}, "G8.2"),
    ("order of asking", later, {"joker_buries": [joker(3, "JB", "H4"), joker(1, "JB", "H4")]}, "G8.4"),
    ("repetition", later, {"joker_buries": [joker(1, "JB", "H4"), joker(1, "JS", "H4")]}, "G8.4"),
    ("pick", later, {"joker_buries": [joker(1, "JB", "H6")]}, "G8.4"),
    ("plays missing", later, lambda record: {"plays": record["plays"][:-4]}, "FORMAT"),
    ("plays left over", later, lambda record: {"plays": [*record["plays"], parse_hand("H4")]}, "FORMAT"),
    ("lead not held", later, lambda record: {"plays": [parse_hand("D3x3"), *record["plays"][1:]]}, "G10.1"),
    ("redeal after four flipped jokers", first, {"deck": deal(random.Random(7), {}, "JSx2 JBx2 H4 H6")}, "G4.3"),
    ("redeal after six jokers", later, {"deck": deal(random.Random(8), {}, "JSx3 JBx3")}, "G5.7"),
    ("no deck", later, lambda record: {"deck": [record["deck"][-1], *record["deck"][1:]]}, "FORMAT"),
]


@pytest.mark.parametrize(("what", "sound", "change", "expected"), FAULTS, ids=[fault[0] for fault in FAULTS])
def test_record_other_faults(what, sound, change, expected):
    record = sound()
    assert clause(record) is None
    changes = change(record) if callable(change) else change
    assert clause(corrupt(record, **changes)) == expected


@pytest.mark.parametrize(
    ("what", "sound", "rules", "expected"),
    [
        (
            "jokers open where they may not",
            lambda: later_record(
                random.Random(9),
                deal(random.Random(9), {0: "JSx3"}),
                habits=QUIET,
                declarations=[said(0, None, "JSx3", H)],
            ),
            {"jokers_may_open": False},
            "G5.3",
        ),
        ("option off", lambda: later(joker_buries=[joker(1, "JB", "H4")]), {"others_bury_jokers": False}, "G8.4"),
        (
            "more jokers than the option",
            lambda: later(joker_buries=[joker(1, "JB JS", "H4x2")]),
            {"max_jokers_per_seat": 1},
            "G15",
        ),
    ],
)
def test_record_faults_under_other_rules(what, sound, rules, expected):
    record = sound()
    assert clause(record) is None
    assert clause(with_rules(record, **rules)) == expected


def test_record_g8_4_limit():
    named = {0: "SKx3 DKx3", 1: "JB"}
    deck = deal(random.Random(10), named, BOTTOM)
    record = later_record(
        random.Random(10), deck, habits=QUIET, declarations=[], bury=parse_hand("SKx3 DKx3"), joker_buries=[]
    )
    assert clause(corrupt(record, joker_buries=[joker(1, "JB", "SK")])) == "G8.4"


def test_record_the_first_fault_in_time_is_reported():
    record = later(1)
    steps = [
        ({"plays": [parse_hand("D3x3"), *record["plays"][1:]]}, "G10.1"),
        ({"joker_buries": [joker(1, "JS", "H4")]}, "G8.2"),
        ({"bury": parse_hand("H4x3 H6x2")}, "G8.1"),
        ({"tribute": moved("JB", "JB")}, "G6.4"),
        ({"tribute": moved("SQ", "JB")}, "G6.2"),
        ({"declarations": [said(0, 1, "H3", H)]}, "G5.5"),
        ({"first_seat": 2}, "G3.2"),
    ]
    changes = {}
    for change, expected in steps:
        changes |= change
        assert clause(corrupt(record, **changes)) == expected


# Wrong results


def wrong(record, **changes):
    """Clause when some values of a record's result are changed."""
    return clause({**record, "result": {**record["result"], **changes}})


def other_seat(seat):
    return (seat + 1) % 4


def test_result_values_and_their_clauses_in_a_first_hand():
    record = first(CLAIM_1)
    assert wrong(record, dealer=2) == "G4"
    assert wrong(record, trump=(record["result"]["trump"] + 1) % 4) == "G4"
    assert wrong(record, exposed=False) == "G7.1"


@pytest.mark.parametrize("seed", range(12))
def test_result_values_and_their_clauses(seed):
    rng = random.Random(seed)
    record = later_record(rng, levels=(rng.randint(3, 10), rng.randint(3, 10)), dealer=seed % 4, owed=seed % 3)
    result = record["result"]
    over = result["round_end"] is not None
    winners = [other_seat(result["winners"][0]), *result["winners"][1:]]
    expected = {
        "dealer": (other_seat(result["dealer"]), "G13"),
        "trump": ((result["trump"] + 1) % 4, "G5"),
        "winners": (winners, "G11.1"),
        "attacker_points": (result["attacker_points"] + 5, "G11.3" if result["dig"] else "G11.2"),
        "dry_pot": (not result["dry_pot"], "G7.2"),
        "raise": ([8, 8], "G12.1"),
        "owed_next": (result["owed_next"] + 1, "G12.4"),
        "next_dealer": (other_seat(result["next_dealer"] or 0), "G13"),
        "settlement": ([9, 9, -9, -9], "G14"),
        "level": (result["level"] + 1, "G2.2"),
        "exposed": (not result["exposed"], "G7.1"),
        "takes_deal": (not result["takes_deal"], "G12.1"),
        "tribute_moved": (result["tribute_moved"] + 1, "G6.1"),
        "tribute_short": (result["tribute_short"] + 1, "G6.3"),
        "levels_after": ([4, 11], "G2.5" if over else "G2.3"),
        "bottom_points": (result["bottom_points"] + 5, "G1.3"),
        "dig": (not result["dig"], "G11.3"),
    }
    assert clause(record) is None
    for key, (value, expected_clause) in expected.items():
        assert wrong(record, **{key: value}) == expected_clause, key
    assert wrong(record, winners=result["winners"][:-1]) == "G11.1"
    # of several wrong values, the first in this order
    changes = {}
    for key, (value, expected_clause) in reversed(expected.items()):
        changes[key] = value
        assert wrong(record, **changes) == expected_clause, key


def ending(end, levels=(10, 10), **rules):
    """A record of a hand with this `round_end` (None: the round goes on), by trying seeds."""
    for seed in range(400):
        record = later_record(random.Random(seed), levels=levels, rules=GunziRules(**rules), habits=QUIET)
        result = record["result"]
        if result["round_end"] == end and (end or max(result["raise"])):
            return record
    raise AssertionError(f"no seed ends by {end}")


def test_result_raise_uncapped_is_g2_3():
    record = ending("passed", big_joker_levels=2)
    winner = record["result"]["round_winner"]
    assert wrong(record, **{"raise": [2 * (winner == 0), 2 * (winner == 1)]}) == "G12.1"
    deck = deal(random.Random(11), {0: "JBx2 H4x3 H6"}, BOTTOM)
    for seed in range(40):
        record = later_record(
            random.Random(seed), deck, levels=(8, 8), habits=QUIET, declarations=[], bury=parse_hand("JBx2 H4x3 H6")
        )
        result = record["result"]
        if max(result["raise"]) == 2:  # five levels earned, two left
            uncapped = [5 if n else 0 for n in result["raise"]]
            assert wrong(record, **{"raise": uncapped}) == "G2.3"
            assert wrong(record, **{"raise": [4 if n else 0 for n in result["raise"]]}) == "G12.1"
            return
    raise AssertionError("no seed rises")


def test_result_round_end_by_passing_is_g2_4_and_others_g12_5():
    passed, special = ending("passed"), ending("score", dig_multiplier=8)
    goes_on = ending(None, (3, 3))
    assert wrong(passed, round_end=None) == "G2.4"
    assert wrong(passed, round_winner=1 - passed["result"]["round_winner"]) == "G2.4"
    assert wrong(goes_on, round_end="passed") == "G2.4"
    assert wrong(special, round_end=None) == "G12.5"
    assert wrong(special, round_end="passed") == "G12.5"
    assert wrong(special, round_winner=1 - special["result"]["round_winner"]) == "G12.5"
    assert wrong(goes_on, round_end="three_big") == "G12.5"
    assert wrong(goes_on, round_winner=0) == "G12.5"


def test_result_of_an_incomplete_form_is_no_record():
    record = later()
    for key in record["result"]:
        cut = {name: value for name, value in record["result"].items() if name != key}
        assert clause({**record, "result": cut}) == "FORMAT"
    assert wrong(record, extra=1) == "FORMAT"


def test_result_may_be_missing():
    record = later()
    assert clause({key: value for key, value in record.items() if key != "result"}) is None
    assert clause({**record, "result": None}) is None


def test_derive_and_row_refuse_a_faulty_record():
    bad = corrupt(later(), bury=None)
    for call in (referee.derive, referee.row, referee.trace_hash):
        with pytest.raises(ValueError, match=r"G7\.2: nothing buried"):
            call(bad)


# The row


def test_row_has_the_tables_columns_in_order():
    names = [column.name for column in COLUMNS]
    row = referee.row(later())
    assert ["round_id", "hand", *row] == names
    assert all(type(value) is int for value in row.values())


@pytest.mark.parametrize("seed", range(30))
def test_row_jokers_and_trumps_by_hand(seed):
    record = random_record(random.Random(seed), habits=Habits(jokers=1.0))
    row, result = referee.row(record), record["result"]
    deck, first_seat, dealer = record["deck"], record["first_seat"], result["dealer"]
    for seat in range(4):
        own = [deck[i] for i in range(156) if (first_seat + i) % 4 == seat]
        assert (row[f"big_dealt_{seat}"], row[f"small_dealt_{seat}"]) == (own.count(BIG), own.count(SMALL))
    buried = {seat: [] for seat in range(4)}
    buried[dealer] += record["bury"] or []
    bottom = record["bury"] or deck[156:]
    for entry in record["joker_buries"]:
        buried[entry["seat"]] += entry["jokers"]
        bottom = bottom + entry["jokers"]
    for seat in range(4):
        assert (row[f"big_buried_{seat}"], row[f"small_buried_{seat}"]) == (
            buried[seat].count(BIG),
            buried[seat].count(SMALL),
        )
    assert (row["bottom_big"], row["bottom_small"]) == (bottom.count(BIG), bottom.count(SMALL))
    trumps = [0, 0, 0, 0]
    leaders = [dealer, *result["winners"]]
    for number, play in enumerate(record["plays"]):
        seat = (leaders[number // 4] + number % 4) % 4
        for kind in play:
            rank = kind % 13 + 2
            trumps[seat] += kind >= SMALL or kind // 13 == result["trump"] or rank in (2, result["level"])
    assert [row[f"trumps_{seat}"] for seat in range(4)] == trumps


# The hash of the trace


def naive_hash(record, decisions):
    """`trace_hash`, spelled out. `decisions` are (type, seat, argument, cards)."""
    mask = 2**64 - 1

    def z(kind):
        x = (kind + 1) * 0x9E3779B97F4A7C15 & mask
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & mask
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & mask
        return x ^ (x >> 31)

    padded = bytes(record["deck"]) + bytes(6)
    words = [int.from_bytes(padded[i : i + 8], "little") for i in range(0, 168, 8)]
    for kind, seat, argument, cards in decisions:
        words.append(((kind << 56) + (seat << 48) + argument + sum(map(z, cards))) & mask)
    h = 0
    for word in words:
        h = ((h ^ word) * 0x9E3779B97F4A7C15) & mask
        h ^= h >> 32
    return h - 2**64 if h >= 2**63 else h


def plays_of(record):
    leaders = [record["result"]["dealer"], *record["result"]["winners"]]
    return [(7, (leaders[n // 4] + n % 4) % 4, 0, play) for n, play in enumerate(record["plays"])]


def test_trace_hash_of_every_kind_of_decision():
    declarations = [said(0, 0, "H3", H), said(2, None, "D3x3", D)]
    record = later(1, declarations, joker_buries=[joker(1, "JB", "H4")])
    tribute = record["tribute"]
    decisions = [
        (2, 0, 0 << 8 | H, parse_hand("H3")),
        (2, 2, 255 << 8 | D, parse_hand("D3x3")),
        (3, 3, 0, tribute["cards"]),
        (4, 0, 0, tribute["returned"]),
        (5, 0, 0, record["bury"]),
        (6, 1, 1, parse_hand("JB H4")),
        *plays_of(record),
    ]
    assert referee.trace_hash(record) == naive_hash(record, decisions) == referee.row(record)["trace_hash"]
    claimed = first(CLAIM_1)
    decisions = [(1, 1, 1, []), (5, 1, 0, claimed["bury"]), *plays_of(claimed)]
    assert referee.trace_hash(claimed) == naive_hash(claimed, decisions)
    pot = dry()
    assert referee.trace_hash(pot) == naive_hash(pot, [(2, 0, 0 << 8 | H, parse_hand("H3")), *plays_of(pot)])
    turned = reversed_tribute()
    tribute = turned["tribute"]
    decisions = [
        (3, 0, 0, tribute["cards"]),
        (4, 3, 0, tribute["returned"]),
        (5, 0, 0, turned["bury"]),
        *plays_of(turned),
    ]
    assert referee.trace_hash(turned) == naive_hash(turned, decisions)


def test_trace_hash_ignores_the_order_of_cards_in_one_decision():
    record = later()
    assert referee.trace_hash(record) == referee.trace_hash({**record, "bury": record["bury"][::-1]})


# Lines


@pytest.mark.parametrize("seed", range(40))
def test_records_survive_writing_and_reading(seed):
    record = random_record(random.Random(seed))
    line = record_file.write(record)
    again = record_file.parse_line(line)
    assert clause(again) is None
    assert record_file.write(again) == line
    assert referee.row(again) == referee.row(record)
