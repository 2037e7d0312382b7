"""The generic half of rules, on a small game of the tests: checks, mappings, TOML, JSON Schema, hash, differences."""

import dataclasses
import json
import pickle
import tomllib
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import hypothesis
import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gunzi_sim import game
from gunzi_sim.game import RecordError, RulesError, option


class Chao(IntEnum):
    """Words that look like a yes/no option and are none."""

    NO = 0
    NT_ONLY = 1
    YES = 2


@dataclass(frozen=True, kw_only=True)
class ToyRules(game.Rules):
    """A game with one option of each form."""

    GAME: ClassVar[str] = "toy"
    VERSION: ClassVar[int] = 1
    chao: Chao = option(Chao.NO, "who may take the bottom again", "R7.5")
    returns: bool = option(True, "cards are returned", "R1")
    low: int = option(80, "lower bound", "R2", 5, 300, 5)
    high: int = option(150, "upper bound", "R2", 5, 300, 5)
    top: int = option(10, "last level", "R3", 3, 14, names={"A": 14})

    def check_together(self):
        if self.low > self.high:
            raise RulesError(f"low must be at most high ({self.high}), got {self.low}")


game.declare_presets(ToyRules, {"house": ToyRules(), "club": ToyRules(low=60, returns=False)})


def class_of(name):
    if name != "toy":
        raise ValueError(f"unknown game {name!r}")
    return ToyRules


PLAIN = st.fixed_dictionaries(
    {},
    optional={
        "preset": st.sampled_from(["house", "club"]),
        "chao": st.sampled_from(["no", "nt_only", "yes"]),
        "returns": st.booleans(),
        "low": st.integers(1, 20).map(lambda n: 5 * n),
        "high": st.integers(20, 60).map(lambda n: 5 * n),
        "top": st.one_of(st.integers(3, 14), st.just("A")),
    },
)

REFUSED = [
    ({"chao": "ntonly"}, "chao must be no or nt_only or yes, got 'ntonly'; did you mean 'nt_only'?"),
    ({"chao": 1}, "chao must be no or nt_only or yes, got 1"),
    ({"chao": True}, "chao must be no or nt_only or yes, got True"),
    ({"returns": 1}, "returns must be true or false, got 1"),
    ({"returns": "yes"}, "returns must be true or false, got 'yes'"),
    ({"returns": None}, "returns must be true or false, got None"),
    ({"low": True}, "low must be a multiple of 5 from 5 to 300, got True"),
    ({"low": 81}, "low must be a multiple of 5 from 5 to 300, got 81"),
    ({"low": 0}, "low must be a multiple of 5 from 5 to 300, got 0"),
    ({"low": 305}, "low must be a multiple of 5 from 5 to 300, got 305"),
    ({"low": -5}, "low must be a multiple of 5 from 5 to 300, got -5"),
    ({"low": 80.0}, "low must be a multiple of 5 from 5 to 300, got 80.0"),
    ({"low": float("nan")}, "low must be a multiple of 5 from 5 to 300, got nan"),
    ({"low": 2**80}, "low must be a multiple of 5 from 5 to 300, got 1208925819614629174706176"),
    ({"low": 10**5000}, "low must be a multiple of 5 from 5 to 300, got an integer of more than 128 bits"),
    ({"low": "80"}, "low must be a multiple of 5 from 5 to 300, got '80'"),
    ({"low": [80]}, "low must be a multiple of 5 from 5 to 300, got [80]"),
    ({"low": Chao.YES}, "low must be a multiple of 5 from 5 to 300, got <Chao.YES: 2>"),
    ({"top": 2}, "top must be an integer from 3 to 14 or 'A', got 2"),
    ({"top": "K"}, "top must be an integer from 3 to 14 or 'A', got 'K'"),
    ({"low": 200}, "low must be at most high (150), got 200"),
    ({"lo": 80}, "unknown option 'lo' of toy; did you mean 'low'?"),
    ({"zzz": 80}, "unknown option 'zzz' of toy; known: chao, returns, low, high, top"),
    ({"preset": "huose"}, "unknown preset 'huose' of toy; did you mean 'house'?"),
    ({"preset": ["house"]}, "unknown preset ['house'] of toy; known: house, club"),
    ({"game": "gunzi"}, "rules are of game 'gunzi', expected 'toy'"),
]


@pytest.mark.parametrize(
    "mapping, message", REFUSED, ids=[str(sorted(m))[2:-2] + str(i) for i, (m, _) in enumerate(REFUSED)]
)
def test_refused_in_one_line(mapping, message):
    with pytest.raises(RulesError) as error:
        game.from_mapping(ToyRules, mapping)
    assert str(error.value) == message


@pytest.mark.parametrize("mapping", [None, 3, "house", [("low", 80)]])
def test_a_mapping_must_be_one(mapping):
    with pytest.raises(RulesError, match="rules must be an object of options"):
        game.from_mapping(ToyRules, mapping)


def test_a_long_value_is_cut():
    with pytest.raises(RulesError) as error:
        game.from_mapping(ToyRules, {"chao": "x\n" * 10**6})
    assert "\n" not in str(error.value) and len(str(error.value)) < 120


def test_the_constructor_checks_alike():
    assert ToyRules(chao="yes", low=np.int64(60), top="A") == ToyRules(chao=Chao.YES, low=60, top=14)
    assert type(ToyRules(low=np.int64(60)).low) is int
    with pytest.raises(RulesError, match="low must be a multiple of 5"):
        ToyRules(low=True)
    with pytest.raises(dataclasses.FrozenInstanceError):
        ToyRules().low = 5


@given(PLAIN)
def test_mapping_round_trip_keeps_rules_preset_and_order(mapping):
    rules = game.from_mapping(ToyRules, mapping)
    written = game.to_mapping(rules)
    again = game.from_mapping(ToyRules, written)
    assert again == rules and hash(again) == hash(rules) and game.to_mapping(again) == written
    names = list(written)
    assert names[0] == "preset" and written["preset"] == mapping.get("preset", "house")
    assert names[1:] == [name for name in ("chao", "returns", "low", "high", "top") if name in names]
    preset = game.to_full_mapping(ToyRules.PRESETS[written["preset"]])
    assert all(written[name] != preset[name] for name in names[1:])


@given(PLAIN)
def test_values_are_those_given_and_else_the_presets(mapping):
    rules = game.from_mapping(ToyRules, mapping)
    full = game.to_full_mapping(rules)
    preset = game.to_full_mapping(ToyRules.PRESETS[mapping.get("preset", "house")])
    expected = preset | {name: value for name, value in mapping.items() if name != "preset"}
    assert full == expected | {"top": 14 if expected["top"] == "A" else expected["top"]}


@hypothesis.settings(suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture], max_examples=30)
@given(mapping=PLAIN)
def test_toml_round_trip(tmp_path, mapping):
    rules = game.from_mapping(ToyRules, mapping)
    file = tmp_path / "rules.toml"
    text = game.to_toml(rules)
    file.write_text(text, encoding="utf-8")
    again = game.load_toml(file, class_of)
    assert again == rules and again.preset == rules.preset
    assert list(tomllib.loads(text)) == ["game", "preset", "chao", "returns", "low", "high", "top"]


@pytest.mark.parametrize(
    "data, message",
    [
        (b"\xff", "not UTF-8 text"),
        (b"game = ", "not TOML"),
        (b"low = 80", 'begins with game = "'),
        (b"game = 3", 'begins with game = "'),
        (b'game = "toyy"', "unknown game 'toyy'"),
        (b'game = "toy"\nlo = 3', "did you mean 'low'"),
        (b'game = "toy"\nlow = nan', "got nan"),
        (b'game = "toy"\nlow = ' + b"9" * 5000, "rules.toml: "),
        (b'game = "toy"\nlow = 2024-01-01', "low must be"),
        (b'game = "toy"\n[options]\nlow = 5', "unknown option 'options'"),
        (b'game = "toy"\nlow = 80\nlow = 80', "not TOML"),
        (b'game = "toy"\nlow = ' + b"[" * 100_000, "not TOML"),
        (b"\x00", "not TOML"),
        (b"#" * ((1 << 20) + 1), "at most 1048576 bytes"),
    ],
)
def test_bad_rules_files_are_one_line(tmp_path, data, message):
    file = tmp_path / "rules.toml"
    file.write_bytes(data)
    with pytest.raises(RulesError) as error:
        game.load_toml(file, class_of)
    text = str(error.value)
    assert text.startswith(str(file)) and message in text and "\n" not in text and len(text) < len(str(file)) + 200


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(RulesError, match=r"cannot read rules file .*: No such file"):
        game.load_toml(tmp_path / "none.toml", class_of)
    with pytest.raises(RulesError, match=r"cannot read rules file .*: Is a directory"):
        game.load_toml(tmp_path, class_of)
    with pytest.raises(RulesError, match="cannot read rules file"):
        game.load_toml("a\x00b", class_of)


@pytest.mark.parametrize(
    "text, name, value",
    [
        ("returns=yes", "returns", True),
        ("returns=no", "returns", False),
        ("returns=TRUE", "returns", True),
        ("returns = off", "returns", False),
        ("chao=no", "chao", Chao.NO),
        ("chao=yes", "chao", Chao.YES),
        ("low=60", "low", 60),
        ("top=A", "top", 14),
    ],
)
def test_settings_of_the_command_line(text, name, value):
    parsed = game.parse_setting(ToyRules, text)
    assert parsed == (name, value) and type(parsed[1]) is type(value)


@pytest.mark.parametrize(
    "text, message",
    [
        ("low", "a setting is NAME=VALUE, got 'low'"),
        ("lwo=60", "did you mean 'low'"),
        ("=60", "unknown option ''"),
        ("low=", "got ''"),
        ("low=nan", "got 'nan'"),
        ("low=6e1", "got '6e1'"),
        ("low=60.0", "got '60.0'"),
        ("low=²", "got '²'"),
        ("low=" + "9" * 5000, "low must be"),
        ("low=true", "got 'true'"),
        ("returns=maybe", "returns must be yes or no, got 'maybe'"),
        ("chao=1", "chao must be no or nt_only or yes, got '1'"),
    ],
)
def test_refused_settings_are_one_line(text, message):
    with pytest.raises(RulesError) as error:
        game.parse_setting(ToyRules, text)
    assert message in str(error.value) and "\n" not in str(error.value) and len(str(error.value)) < 150


def test_change_keeps_the_preset():
    rules = game.change(ToyRules.PRESETS["club"], low=65)
    assert rules == ToyRules(low=65, returns=False) and game.to_mapping(rules) == {"preset": "club", "low": 65}
    with pytest.raises(RulesError, match="did you mean 'low'"):
        game.change(rules, lowe=3)
    assert pickle.loads(pickle.dumps(rules)).preset == "club"


def test_schema_accepts_what_is_accepted_and_refuses_what_is_refused():
    schema = game.json_schema(ToyRules)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    json.dumps(schema)
    for rules in ToyRules.PRESETS.values():
        assert validator.is_valid(game.to_mapping(rules)) and validator.is_valid(game.to_full_mapping(rules))
    assert validator.is_valid({"game": "toy", "top": "A"})
    for mapping, message in REFUSED:
        low = mapping.get("low")
        beyond_schema = "at most high" in message or isinstance(low, (IntEnum, float)) or low == 10**5000
        assert beyond_schema or not validator.is_valid(mapping), mapping


@given(PLAIN, PLAIN)
def test_hash_and_diff_tell_rules_apart(one, other):
    a, b = game.from_mapping(ToyRules, one), game.from_mapping(ToyRules, other)
    differences = game.diff(a, b)
    assert (a == b) == (game.rules_hash(a) == game.rules_hash(b)) == (not differences)
    full_a, full_b = game.to_full_mapping(a), game.to_full_mapping(b)
    assert {name: (x, y) for name, x, y in differences} == {
        name: (full_a[name], full_b[name]) for name in full_a if full_a[name] != full_b[name]
    }


def test_hash_holds_game_and_version():
    assert json.loads(game.canonical_json(ToyRules())) == {
        "game": "toy",
        "rules_version": 1,
        "chao": "no",
        "returns": True,
        "low": 80,
        "high": 150,
        "top": 10,
    }
    assert len(game.rules_hash(ToyRules())) == 64

    @dataclass(frozen=True, kw_only=True)
    class Newer(ToyRules):
        VERSION: ClassVar[int] = 2

    assert game.rules_hash(Newer()) != game.rules_hash(ToyRules())

    @dataclass(frozen=True, kw_only=True)
    class Other(ToyRules):
        GAME: ClassVar[str] = "other"

    with pytest.raises(RulesError, match="rules of toy and of other"):
        game.diff(ToyRules(), Other())


def test_nearest_ignores_case_and_gives_up_far_away():
    assert game.nearest("FOLLOW", ["follow", "dealer"]) == "follow"
    assert game.nearest("folow", ["follow", "dealer"]) == "follow"
    assert game.nearest("xyz", ["follow", "dealer"]) is None
    assert game.nearest("x" * 10**6, ["follow"]) is None


class Loud:
    def __repr__(self):
        raise ValueError("no")


def test_shown_never_fails():
    assert game.shown(Loud()) == "a value of type Loud"
    assert game.shown("a\nb") == r"'a\nb'"
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert len(game.shown(deep)) < 60


@pytest.mark.parametrize("value", [True, 1.0, "1", None, [1], -1, 4, 2**80])
def test_read_integer_refuses(value):
    with pytest.raises(RecordError, match=r"^seat must be an integer 0\.\.3, got "):
        game.read_integer(value, "seat", 0, 3)


def test_read_object_names_missing_and_unknown_keys():
    assert game.read_object({"a": 1}, "x", ("a", "b"), ("b",)) == {"a": 1}
    for value, message in [
        ([], "x must be an object, got []"),
        ({"a": 1}, "x: key 'b' is missing"),
        ({"a": 1, "b": 1, "bb": 1}, "x: unknown key 'bb'; did you mean 'b'?"),
    ]:
        with pytest.raises(RecordError) as error:
            game.read_object(value, "x", ("a", "b"))
        assert str(error.value) == message and error.value.clause == "FORMAT"
