"""Records of 打滚子: round trips, tolerant reading, every FORMAT fault, and trace → record."""

import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gunzi_sim import cards, game, record
from gunzi_sim.gunzi import records, referee
from gunzi_sim.gunzi.records import Step
from gunzi_sim.record import RecordError

from .random_records import first_record, later_record, random_record
from .test_rules import ROWS, THRESHOLDS, values

DTYPES = {"int8": 7, "int16": 15, "int64": 63}
ALIASES = {"S": "♠ 黑桃 黑 s", "H": "♥ 红桃 红 h", "D": "♦ 方块 方 d", "C": "♣ 梅花 梅 c"}

LATER = later_record(random.Random(5), owed=2, declarations=[])
FIRST = first_record(random.Random(6))


def line_of(rec):
    return json.loads(record.write(rec))


def fault(fields):
    """Message of a record that must be FORMAT."""
    with pytest.raises(RecordError) as error:
        record.parse_line(json.dumps(fields))
    assert error.value.clause == "FORMAT" and "\n" not in error.value.message and len(error.value.message) < 300
    return error.value.message


# ------------------------------------------------------------------------------------------------------- round trips


@pytest.mark.parametrize("seed", range(60))
def test_record_to_line_to_record(seed):
    rec = random_record(random.Random(seed))
    line = record.write(rec)
    read = record.parse_line(line)
    assert read == rec and list(read) == [key for key in list(read) if key in rec]
    assert record.write(read) == line
    assert referee.check(read) is None and read["result"] == referee.derive(read)


DECK = st.permutations([kind for kind in range(54) for _ in range(3)])
CARDS = st.lists(st.integers(0, 53), max_size=8)
SEAT = st.integers(0, 3)
DRAW = st.integers(0, 155)
RULES = st.fixed_dictionaries(
    {"preset": st.sampled_from(["standard", "classic", "qiqi", "dalian"])},
    optional={
        row[0]: st.sampled_from(values(row[1]))
        for row in ROWS
        if row[0] not in (*THRESHOLDS, "start_level", "end_level")
    },
)


@st.composite
def formed_records(draw):
    """Records that are well formed, whatever they say: their lists and numbers are free."""
    first = draw(st.booleans())
    declaration = st.fixed_dictionaries({"seat": SEAT, "draw": st.none() | DRAW, "cards": CARDS, "suit": SEAT})
    tribute = st.none() | st.fixed_dictionaries({"cards": CARDS.filter(bool), "returned": CARDS})
    joker_bury = st.fixed_dictionaries({"seat": SEAT, "jokers": CARDS, "taken": CARDS})
    rec = {
        "format": "gunzi-sim/hand",
        "version": 1,
        "game": "gunzi",
        "rules": game.from_mapping(records.GunziRules, draw(RULES)),
        "source": draw(st.none() | st.dictionaries(st.text(max_size=5), st.integers(0, 2**64 - 1), max_size=3)),
        "first_hand": first,
        "levels": draw(st.lists(st.integers(3, 10), min_size=2, max_size=2)),
        "dealer": None if first else draw(SEAT),
        "owed": draw(st.integers(0, 40)),
        "first_seat": draw(SEAT),
        "deck": draw(DECK),
        "claim": draw(st.none() | st.fixed_dictionaries({"seat": SEAT, "draw": DRAW})) if first else None,
        "declarations": draw(st.lists(declaration, max_size=3)),
        "tribute": draw(tribute),
        "bury": draw(st.none() | CARDS),
        "joker_buries": draw(st.lists(joker_bury, max_size=3)),
        "plays": draw(st.lists(CARDS, max_size=6)),
    }
    if draw(st.booleans()):
        del rec["source"]
    if draw(st.booleans()):
        rec["result"] = draw(st.sampled_from([LATER, FIRST]))["result"]
    return rec


@given(formed_records())
def test_any_well_formed_record_round_trips(rec):
    line = record.write(rec)
    read = record.parse_line(line)
    assert read == rec and list(read) == list(rec) and read["rules"].preset == rec["rules"].preset
    assert record.write(read) == line


def spelled(rng, value):
    """The value with every card name respelled at random, in objects whose keys are shuffled."""
    if isinstance(value, dict):
        items = [(key, item if key in ("rules", "source") else spelled(rng, item)) for key, item in value.items()]
        rng.shuffle(items)
        return dict(items)
    if isinstance(value, list):
        return [spelled(rng, item) for item in value]
    if value in ("JS", "JB"):
        return rng.choice([value, value.lower(), {"JS": "小王", "JB": "大王"}[value]])
    if isinstance(value, str) and value[0] in "SHDC" and len(value) <= 2:
        suit = rng.choice([value[0], *ALIASES[value[0]].split()])
        rank = rng.choice([value[1:], value[1:].lower(), value[1:].replace("T", "10")])
        return suit + rank
    return value


@pytest.mark.parametrize("seed", range(30))
def test_tolerant_spellings_read_as_the_same_record(seed):
    rng = random.Random(seed)
    rec = random_record(rng)
    fields = line_of(rec)
    text = json.dumps(spelled(rng, fields), indent=rng.choice([None, 2]), ensure_ascii=rng.random() < 0.5)
    read = record.parse_line(text)
    assert read == rec and record.write(read) == record.write(rec)


def test_a_tribute_without_cards_is_none():
    fields = line_of(FIRST) | {"tribute": {"cards": [], "returned": []}}
    assert record.parse_line(json.dumps(fields))["tribute"] is None


def test_canonical_order_inside():
    rec = LATER | {
        "declarations": [{"suit": 1, "cards": [1], "draw": None, "seat": 3}],
        "tribute": {"returned": [2], "cards": [1]},
        "joker_buries": [{"taken": [1], "jokers": [53], "seat": 0}],
        "result": dict(reversed(LATER["result"].items())),
    }
    text = record.write(rec)
    assert '"declarations":[{"seat":3,"draw":null,"cards":["S3"],"suit":"H"}]' in text
    assert '"tribute":{"cards":["S3"],"returned":["S4"]}' in text
    assert '"joker_buries":[{"seat":0,"jokers":["JB"],"taken":["S3"]}]' in text
    assert '"claim":{"seat":1,"draw":7}' in record.write(FIRST | {"claim": {"draw": 7, "seat": 1}})
    keys = (
        "dealer level trump exposed dry_pot winners attacker_points bottom_points dig takes_deal raise round_winner "
        "round_end levels_after next_dealer owed_next tribute_moved tribute_short settlement"
    )
    assert list(json.loads(text)["result"]) == keys.split() == list(records.RESULT_KEYS) == list(referee.derive(LATER))


# ------------------------------------------------------------------------------------------------------------ FORMAT

NO_CARD = ["S1", "", "5S", "JJ", "NT", "S5x2", 5, None, True, ["S5"], {}]
NO_SEAT = [4, -1, True, "0", 1.0, None, [0], 2**63]
NO_FLAG = [0, 1, "true", None, []]
NO_LIST = ["S5 S6", {}, 3, True, {"0": "S5"}]

WRONG_VALUES = {
    "first_hand": NO_FLAG,
    "levels": [None, 3, "3,3", [3], [3, 3, 3], [3, 11], [2, 3], [True, 3], [3.0, 3], ["3", 3], [3, None], {"0": 3}],
    "owed": [-1, True, 1.0, "1", None, 1 << 15, 2**63, [1]],
    "first_seat": NO_SEAT,
    "deck": [*NO_LIST, None, []],
    "declarations": [*NO_LIST, None, [None], [[]], [{}]],
    "tribute": [[], 3, True, "", {}, {"cards": []}, {"cards": None, "returned": []}, {"cards": [], "returned": "S5"}],
    "bury": [*NO_LIST, *([card] for card in NO_CARD)],
    "joker_buries": [*NO_LIST, None, [None], [[]], [{}]],
    "plays": [*NO_LIST, None, ["S5"], [None], [{}], *([[card]] for card in NO_CARD)],
    "result": [None, [], True, "", {}],
}


@pytest.mark.parametrize("key, value", [(key, value) for key, wrong in WRONG_VALUES.items() for value in wrong])
def test_wrong_type_or_range_is_format(key, value):
    message = fault(line_of(LATER) | {key: value})
    assert message.startswith(key)


@pytest.mark.parametrize("card", NO_CARD)
def test_a_wrong_card_is_named_with_its_place(card):
    fields = line_of(LATER)
    fields["deck"][17] = card
    assert fault(fields).startswith("deck[17]")
    fields = line_of(LATER)
    fields["plays"][40][-1] = card
    assert fault(fields).startswith("plays[40][")


def test_dealer_is_null_in_a_first_hand_and_only_there():
    assert "dealer must be null in a first hand" in fault(line_of(FIRST) | {"dealer": 2})
    for wrong in NO_SEAT:
        assert fault(line_of(LATER) | {"dealer": wrong}).startswith("dealer must be an integer 0..3")


def test_a_claim_in_a_later_hand_is_format():
    assert "claim must be null in a later hand" in fault(line_of(LATER) | {"claim": {"seat": 0, "draw": 0}})


GOOD_CLAIM = {"seat": 0, "draw": 0}


@pytest.mark.parametrize(
    "claim",
    [*({"seat": wrong, "draw": 0} for wrong in NO_SEAT)]
    + [{"seat": 0, "draw": wrong} for wrong in (None, -1, 162, True, 1.0, "3")]
    + [{"seat": 0}, {"draw": 0}, {}, [], 3, True, GOOD_CLAIM | {"suit": "S"}],
)
def test_a_wrong_claim_is_format(claim):
    assert fault(line_of(FIRST) | {"claim": claim}).startswith("claim")


DECLARATION = {"seat": 1, "draw": 5, "cards": ["H3"], "suit": "H"}
JOKER_BURY = {"seat": 1, "jokers": ["JS"], "taken": ["S3"]}
ENTRIES = [
    ("declarations", DECLARATION, key, wrong)
    for key, wrongs in {
        "seat": NO_SEAT,
        "draw": [-1, 162, True, 1.0, "5", []],
        "cards": [*NO_LIST, None, ["S1"], [5]],
        "suit": ["NT", "", None, 1, True, "S5"],
        "sute": ["H"],
    }.items()
    for wrong in wrongs
] + [
    ("joker_buries", JOKER_BURY, key, wrong)
    for key, wrongs in {
        "seat": NO_SEAT,
        "jokers": [*NO_LIST, None, ["JX"]],
        "taken": [*NO_LIST, None, ["S1"]],
        "card": ["JS"],
    }.items()
    for wrong in wrongs
]


@pytest.mark.parametrize("name, entry, key, wrong", ENTRIES)
def test_a_wrong_entry_is_format(name, entry, key, wrong):
    assert record.parse_line(json.dumps(line_of(LATER) | {name: [entry]}))
    assert fault(line_of(LATER) | {name: [entry, entry | {key: wrong}]}).startswith(f"{name}[1]")


@pytest.mark.parametrize("name, entry", [("declarations", DECLARATION), ("joker_buries", JOKER_BURY)])
def test_a_missing_key_of_an_entry_is_format(name, entry):
    for key in entry:
        short = {k: v for k, v in entry.items() if k != key}
        assert fault(line_of(LATER) | {name: [short]}) == f"{name}[0]: key {key!r} is missing"


def test_impossible_deck_names_the_fourth_copy():
    fields = line_of(LATER)
    deck = fields["deck"]
    kind = deck[100]
    others = [i for i, name in enumerate(deck) if name == kind]
    other_place = next(i for i in range(120, 162) if deck[i] != kind)
    lost = deck[other_place]
    deck[other_place] = kind
    places = sorted([*others, other_place])
    message = fault(fields)
    before = ", ".join(map(str, places[:3]))
    assert message == f"deck[{places[3]}] ({kind}) is the fourth copy, after indices {before}; missing {lost}"


def test_a_deck_too_short_or_too_long():
    fields = line_of(LATER)
    gone = fields["deck"].pop(31)
    assert fault(fields) == f"deck must have 162 cards, got 161; missing {gone}"
    fields["deck"] = []
    assert fault(fields) == "deck must have 162 cards, got 0; missing S2 S2 S2 S3 S3 S3 …"
    fields = line_of(LATER)
    fields["deck"].append("S5")
    assert "deck[162] (S5) is the fourth copy" in fault(fields)


def test_levels_are_held_to_the_rules_range():
    wide = line_of(LATER) | {"rules": {"preset": "standard", "start_level": 5, "end_level": "A"}, "result": ...}
    del wide["result"]
    assert record.parse_line(json.dumps(wide | {"levels": [14, 5]}))["levels"] == [14, 5]
    assert fault(wide | {"levels": [14, 4]}) == "levels[1] must be an integer 5..14, got 4"
    assert fault(wide | {"levels": [15, 5]}) == "levels[0] must be an integer 5..14, got 15"


@pytest.mark.parametrize("key", records.RESULT_KEYS)
def test_an_incomplete_result_is_format(key):
    fields = line_of(LATER)
    del fields["result"][key]
    assert fault(fields) == f"result: key {key!r} is missing"


NO_INTEGER = [True, "1", 1.0, [1]]
INTEGERS = ["dealer", "level", "attacker_points", "bottom_points", "owed_next", "tribute_moved", "tribute_short"]
WRONG_RESULTS = {
    **{key: [*NO_INTEGER, None] for key in INTEGERS},
    **{key: NO_INTEGER for key in ("round_winner", "next_dealer")},
    **{key: NO_FLAG for key in ("exposed", "dry_pot", "dig", "takes_deal")},
    "trump": ["NT", 1, None, True],
    "winners": [None, 3, "0123", [None], [True], [1.0], {}],
    "raise": [None, [0], [0, 0, 0], [True, 0], 1],
    "levels_after": [None, [3], [3, 3, 3], ["3", 3]],
    "settlement": [None, [0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, None]],
    "round_end": ["Zero", "cut", 0, False, ["zero"]],
    "rounds": [0],
}


@pytest.mark.parametrize("key, value", [(key, value) for key, wrong in WRONG_RESULTS.items() for value in wrong])
def test_a_result_of_the_wrong_type_is_format(key, value):
    fields = line_of(LATER)
    fields["result"][key] = value
    assert fault(fields).startswith("result")


def test_a_wrong_but_well_formed_result_is_left_to_the_referee():
    fields = line_of(LATER)
    fields["result"] |= {"dealer": 7, "level": 99, "owed_next": -1, "winners": [9], "attacker_points": 2**60}
    assert record.parse_line(json.dumps(fields))["result"]["dealer"] == 7


def test_plays_missing_or_left_over_are_format():
    for plays in (LATER["plays"][:-1], [*LATER["plays"], [0]], []):
        rec = {key: value for key, value in LATER.items() if key != "result"} | {"plays": plays}
        assert referee.check(record.parse_line(record.write(rec))).clause == "FORMAT"


# ------------------------------------------------------------------------------------------------------------- trace


def planes(kinds):
    """Kinds held at least once, twice, three times."""
    count = Counter(kinds)
    return [sum(1 << kind for kind in count if count[kind] >= n) for n in (1, 2, 3)]


def trace_of(rec):
    """The rows that a kernel writes for a record, from the contract of `from_trace`."""
    rows = []
    if rec["claim"]:
        rows.append((1, rec["claim"]["seat"], rec["claim"]["draw"], []))
    for d in rec["declarations"]:
        rows.append((2, d["seat"], (255 if d["draw"] is None else d["draw"]) << 8 | d["suit"], d["cards"]))
    if rec["tribute"]:
        rows.append((3, 1, 0, rec["tribute"]["cards"]))
        rows.append((4, 2, 0, rec["tribute"]["returned"]))
    if rec["bury"] is not None:
        rows.append((5, 0, 0, rec["bury"]))
    for b in rec["joker_buries"]:
        rows.append((6, b["seat"], len(b["jokers"]), b["jokers"] + b["taken"]))
    rows += [(7, 0, 0, play) for play in rec["plays"]]
    return [(step, seat, argument, *planes(kinds)) for step, seat, argument, kinds in rows]


def sorted_lists(rec):
    """The record with every list of cards in the order of a trace, the highest kind first."""

    def down(kinds):
        return sorted(kinds, reverse=True)

    return rec | {
        "declarations": [d | {"cards": down(d["cards"])} for d in rec["declarations"]],
        "tribute": rec["tribute"] and {key: down(kinds) for key, kinds in rec["tribute"].items()},
        "bury": rec["bury"] and down(rec["bury"]),
        "joker_buries": [b | {"jokers": down(b["jokers"]), "taken": down(b["taken"])} for b in rec["joker_buries"]],
        "plays": [down(play) for play in rec["plays"]],
    }


@pytest.mark.parametrize("seed", range(60))
def test_trace_to_record(seed):
    rec = random_record(random.Random(1000 + seed)) | {"source": {"seed": 1, "round": 2, "hand": 3}}
    header = {key: rec[key] for key in ("rules", "source", "first_hand", "levels", "owed", "first_seat", "deck")}
    header |= {"dealer": referee.derive(rec)["dealer"], "levels": tuple(rec["levels"])}
    built = records.from_trace(header, trace_of(rec))
    expected = sorted_lists({key: value for key, value in rec.items() if key != "result"})
    assert built == expected
    assert referee.check(built) is None and referee.trace_hash(built) == referee.trace_hash(rec)
    assert record.parse_line(record.write(built)) == built


def test_trace_types_are_those_of_the_hash():
    assert [(step.name, int(step)) for step in Step] == [
        ("CLAIM", 1),
        ("DECLARE", 2),
        ("PAY", 3),
        ("RETURN", 4),
        ("BURY", 5),
        ("JOKER_BURY", 6),
        ("PLAY", 7),
    ]
    rec = sorted_lists(random_record(random.Random(3)))
    seats = iter(referee_words(rec))
    assert cards.trace_hash(rec["deck"], seats) == referee.trace_hash(rec)


def referee_words(rec):
    """Words of a record whose seats are found by playing it: the leader of each trick is the last one's winner."""
    result = referee.derive(rec)
    row = referee.row(rec)
    payer = (result["dealer"] + (0 if row["tribute_reversed"] else 3)) % 4
    receiver = (result["dealer"] + (3 if row["tribute_reversed"] else 0)) % 4
    leaders = [result["dealer"], *result["winners"]]
    seats = {Step.PAY: payer, Step.RETURN: receiver, Step.BURY: result["dealer"]}
    n_plays = 0
    for step, seat, argument, *held in trace_of(rec):
        if step == Step.PLAY:
            seat = (leaders[n_plays // 4] + n_plays) % 4
            n_plays += 1
        kinds = [kind for kind in range(54) for plane in held if plane >> kind & 1]
        yield cards.trace_word(step, seats.get(step, seat), argument, kinds)


# ----------------------------------------------------------------------------------------------------------- columns


def test_columns_of_the_table_hands():
    names = (
        "round_id hand first_hand level_0 level_1 level dealer trump declared_by declared_as owed tribute_moved "
        "tribute_short tribute_reversed exposed dry_pot big_dealt_0 big_dealt_1 big_dealt_2 big_dealt_3 small_dealt_0 "
        "small_dealt_1 small_dealt_2 small_dealt_3 trumps_0 trumps_1 trumps_2 trumps_3 big_buried_0 big_buried_1 "
        "big_buried_2 big_buried_3 small_buried_0 small_buried_1 small_buried_2 small_buried_3 bottom_big bottom_small "
        "bottom_points attacker_points dig takes_deal raise_0 raise_1 next_dealer owed_next round_end round_winner "
        "settlement_0 settlement_1 settlement_2 settlement_3 tricks trace_hash"
    ).split()
    assert [column.name for column in records.COLUMNS] == names
    fixed = {"round_id": "int64", "hand": "int16", "trace_hash": "int64"}
    for column in records.COLUMNS:
        assert column.dtype in DTYPES and column.dtype == fixed.get(column.name, column.dtype)
        assert column.unit and len(column.doc) > 15


@pytest.mark.parametrize("seed", range(100))
def test_rows_fit_their_columns(seed):
    row = referee.row(random_record(random.Random(seed)))
    bits = {column.name: DTYPES[column.dtype] for column in records.COLUMNS}
    assert list(row) == [name for name in bits if name not in ("round_id", "hand")]
    assert all(-(1 << bits[name]) <= value < 1 << bits[name] for name, value in row.items())
