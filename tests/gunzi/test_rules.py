"""G15: the options of 打滚子, their ranges and the four presets, copied from the table of the rule book."""

import dataclasses
import json
from itertools import product

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gunzi_sim import game
from gunzi_sim.game import RulesError
from gunzi_sim.gunzi.rules import PRESETS, GunziRules

TABLE = """
follow | strict loose | strict | strict | strict | strict
first_claim | voluntary automatic | automatic | voluntary | voluntary | voluntary
first_flip | smallest largest | smallest | smallest | largest | smallest
self_overcall | yes no | yes | yes | yes | yes
jokers_may_open | yes no | yes | no | no | yes
dry_pot | side_or_permanent no_main_suit off | side_or_permanent | side_or_permanent | no_main_suit | side_or_permanent
bury_big_first | yes no | yes | yes | yes | yes
others_bury_jokers | yes no | yes | yes | yes | yes
max_jokers_per_seat | 0..6 | 6 | 6 | 6 | 6
tribute_points | all none level | all | none | level | level
tribute_rounding | floor generous | floor | floor | generous | generous
tribute_three_big | yes no | yes | no | no | yes
dig_below_voids_jokers | yes no | no | no | yes | yes
end_at_300 | score captured | score | score | score | score
three_big_ends | attackers both off | attackers | attackers | both | both
three_small_ends | yes no | no | no | yes | no
round_won_by | passing reaching | passing | passing | passing | passing
tribute_settlement | players sides | players | players | players | players
win_score | 5..300..5 | 120 | 120 | 120 | 120
tribute_low | 5..300..5 | 80 | 80 | 80 | 80
tribute_high | 5..300..5 | 150 | 150 | 150 | 150
big_joker_levels | 0..7 | 2 | 2 | 2 | 2
small_joker_levels | 0..7 | 1 | 1 | 1 | 1
dig_multiplier | 0..8 | 2 | 2 | 2 | 2
start_level | 3..14 | 3 | 3 | 3 | 3
end_level | 3..14 | 10 | 10 | 10 | 10
"""
ROWS = [[cell.strip() for cell in line.split("|")] for line in TABLE.strip().splitlines()]
COLUMN = {"classic": 2, "qiqi": 3, "dalian": 4, "standard": 5}
THRESHOLDS = ("tribute_low", "win_score", "tribute_high")


def value(text):
    """A cell of the table as JSON writes it."""
    return {"yes": True, "no": False}.get(text, int(text) if text.isdigit() else text)


def values(text):
    """All values of an option."""
    if ".." in text:
        low, high, step = (*map(int, text.split("..")), 1)[:3]
        return list(range(low, high + 1, step))
    return [value(word) for word in text.split()]


def outside(text):
    """Values just beyond an option's."""
    if ".." in text:
        low, high, step = (*map(int, text.split("..")), 1)[:3]
        return [low - step, high + step, low + 0.5, str(low), True, None, float("nan"), 2**80] + (
            [low + 1] * (step > 1)
        )
    if text == "yes no":
        return [0, 1, "yes", "no", None, "true"]
    return [0, 1, True, None, text.split()[0].upper(), text.split()[0] + "x", ""]


def test_g15_options_in_order():
    assert [field.name for field in dataclasses.fields(GunziRules)] == [row[0] for row in ROWS]


@pytest.mark.parametrize("preset", COLUMN)
def test_g15_presets(preset):
    assert game.to_full_mapping(PRESETS[preset]) == {row[0]: value(row[COLUMN[preset]]) for row in ROWS}
    assert PRESETS[preset].preset == preset and game.to_mapping(PRESETS[preset]) == {"preset": preset}


def test_g15_standard_is_the_default():
    assert set(PRESETS) == set(COLUMN) and next(iter(PRESETS)) == "standard"
    assert GunziRules() == PRESETS["standard"] == game.from_mapping(GunziRules, {})


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_g15_values_allowed_and_no_others(row):
    name = row[0]
    extremes = {"tribute_low": 5, "win_score": 150, "tribute_high": 300, "start_level": 3, "end_level": 14}
    for allowed in values(row[1]):
        around = {other: number for other, number in extremes.items() if other != name}
        if name in THRESHOLDS:
            around["win_score"] = allowed if name != "win_score" else None
            around = {k: v for k, v in around.items() if v is not None}
        rules = game.from_mapping(GunziRules, around | {name: allowed})
        assert game.to_full_mapping(rules)[name] == allowed
    for refused in outside(row[1]):
        with pytest.raises(RulesError, match=f"^{name} must be ") as error:
            game.from_mapping(GunziRules, {name: refused})
        assert "got " in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    "row", [row for row in ROWS if "yes" not in row[1] and ".." not in row[1]], ids=lambda row: row[0]
)
def test_g15_words_have_the_tables_order(row):
    spec = next(opt.spec for opt in game.options(GunziRules) if opt.name == row[0])
    assert [(member.name.lower(), int(member)) for member in spec.words] == [
        (w, i) for i, w in enumerate(row[1].split())
    ]


@given(st.lists(st.integers(1, 60).map(lambda n: 5 * n), min_size=3, max_size=3))
def test_g15_thresholds_in_order(numbers):
    mapping = dict(zip(THRESHOLDS, numbers))
    if numbers == sorted(numbers):
        assert game.to_full_mapping(game.from_mapping(GunziRules, mapping)).items() >= mapping.items()
    else:
        with pytest.raises(RulesError, match=r"win_score must be at (least|most) tribute_(low|high)"):
            game.from_mapping(GunziRules, mapping)


@pytest.mark.parametrize("start, end", list(product(range(3, 15), repeat=2)))
def test_g15_start_level_not_above_end_level(start, end):
    if start <= end:
        rules = game.from_mapping(GunziRules, {"start_level": start, "end_level": end})
        assert (rules.start_level, rules.end_level) == (start, end)
    else:
        with pytest.raises(RulesError, match=f"start_level must be at most end_level \\({end}\\), got {start}"):
            game.from_mapping(GunziRules, {"start_level": start, "end_level": end})


def test_g15_ace_is_read_as_14():
    rules = game.from_mapping(GunziRules, {"start_level": "A", "end_level": "A"})
    assert (rules.start_level, rules.end_level) == (14, 14)
    assert game.to_mapping(rules) == {"preset": "standard", "start_level": 14, "end_level": 14}
    assert game.parse_setting(GunziRules, "end_level=A") == ("end_level", 14)


@pytest.mark.parametrize(
    "mapping, meant",
    [
        ({"folow": "loose"}, "follow"),
        ({"follow": "lose"}, "loose"),
        ({"winscore": 100}, "win_score"),
        ({"preset": "Dalien"}, "dalian"),
        ({"dry_pot": "no_main"}, "no_main_suit"),
        ({"three_big_end": "off"}, "three_big_ends"),
    ],
)
def test_unknown_names_get_the_nearest(mapping, meant):
    with pytest.raises(RulesError, match=f"did you mean '{meant}'"):
        game.from_mapping(GunziRules, mapping)


def test_every_option_is_documented_with_a_clause():
    for opt in game.options(GunziRules):
        assert len(opt.doc) > 20 and opt.clause[0] == "G" and float(opt.clause[1:]) > 1


def test_schema_is_valid_and_fits_every_preset():
    schema = json.loads(json.dumps(game.json_schema(GunziRules)))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for preset in PRESETS.values():
        validator.validate({"game": "gunzi"} | game.to_mapping(preset) | game.to_full_mapping(preset))
    for row in ROWS:
        for allowed in values(row[1]):
            validator.validate({row[0]: allowed})
        for refused in outside(row[1]):
            if refused == refused and refused != 2**80:
                assert not validator.is_valid({row[0]: refused}), (row[0], refused)


def test_rules_hash_of_the_presets_stays():
    """A changed hash means that stored runs no longer name these rules; then VERSION must go up."""
    hashes = {name: game.rules_hash(rules) for name, rules in PRESETS.items()}
    assert len(set(hashes.values())) == 4
    assert hashes["standard"] == "55dd4d2a88244d1619286023786f8918b6d3653bd13c01d6f9e0e40e7a998880"
