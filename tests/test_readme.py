"""The README says what the program does: its code runs, its lists are complete."""

import re
from pathlib import Path

import pytest
from counts import count

from gunzi_sim import cli, game, games, options
from gunzi_sim.cards import TRACE_Z
from gunzi_sim.gunzi import policies, records, view

TEXT = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
CODE = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_the_two_commands_are_there():
    assert "\n    python -m pip install . && gunzi-sim demo\n" in TEXT
    assert "\n    python -m pip install -e '.[test]' && python -m pytest\n" in TEXT


def test_its_python_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for code in CODE:
        small = (
            code.replace("20_000", str(count(200, 2)))
            .replace("2_000", str(count(40, 1)))
            .replace("1_000", str(count(20, 2)))
            .replace("index=17", "index=0")
        )
        exec(compile(small, "README.md", "exec"), {})
    assert "round_won_by_side_0" in capsys.readouterr().out


def test_its_first_example_is_ten_lines_and_its_policy_at_most_fifteen():
    lengths = [len([line for line in code.splitlines() if line.strip()]) for code in CODE]
    assert lengths[0] <= 10
    assert "@gz.policy" in CODE[1] and lengths[1] <= 15


def test_its_rules_file_is_one(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(re.search(r"```toml\n(.*?)```", TEXT, re.DOTALL)[1])
    assert game.load_toml(path, games.rules_class).win_score == 125


@pytest.mark.parametrize(
    "name", sorted({re.sub(r"_[123]$", "", field[0]) for field in view.PLAY_FIELDS + view.HAND_FIELDS} - {"level_0"})
)
def test_it_describes_every_field_of_a_view(name):
    forms = [rf"`{name}(_1)?(\[[\d, ]+\])?`"]
    assert any(re.search(form, TEXT) for form in forms), name


@pytest.mark.parametrize("decision", view.DECISIONS)
def test_it_describes_every_decision(decision):
    assert f"`{decision}`" in TEXT


@pytest.mark.parametrize("name", [column.name for column in records.COLUMNS])
def test_it_describes_every_column(name):
    assert f"`{name}`" in TEXT or f"`{name[:-1]}0` … `3`" in TEXT


@pytest.mark.parametrize("policy", ["basic", "counting", "search"])
def test_it_describes_every_parameter(policy):
    for parameter in policies.table(policy).parameters:
        assert f"| `{parameter.name}` [{parameter.default}] | {parameter.doc} |" in TEXT


def test_the_verbs_are_those_of_the_command_line():
    assert options.VERBS[("verify",)].function is cli.verify


@pytest.mark.parametrize("words", options.VERBS, ids=" ".join)
def test_it_names_every_command(words):
    assert f"gunzi-sim {words[0]}" in TEXT
    assert words[-1] in TEXT


def test_it_publishes_the_constants_of_the_trace_hash():
    assert [int(word, 16) for word in re.findall(r"\b[0-9a-f]{16}\b", TEXT)] == list(TRACE_Z)


def test_its_speed_table_has_every_phase_of_the_bench():
    for phase in ("deal", "`random`", "`basic`", "`counting`", "writing"):
        assert re.search(rf"^\| [^|]*{phase}[^|]*\|( (\d+(\.\d+)?|–) \|)+$", TEXT, re.MULTILINE), phase
