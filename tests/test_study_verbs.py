"""The verbs `compare` and `advise`: what they print, refuse and leave behind."""

import json
import os

import pytest
from counts import IS_COMPILED, count

import gunzi_sim as gz
from gunzi_sim import cli, layout
from gunzi_sim.texts import Words

HAND = "JBx2 JS SAx2 SKx2 SQ S9x2 S7 S4x2 H5x2 D5 S2 H2 HAx2 HK HT H7 DAx2 DKx2 DJ D8x2 D6 CA CQx2 CJ C9 C7x2 C4"
ARMS = ("--arm", "keep", "--arm", "one:jokers=1,ruff_points=5", "--baseline", "keep")


@pytest.fixture
def call(capsys):
    def run(*words):
        status = cli.main([str(word) for word in words])
        out, err = capsys.readouterr()
        return status, out, err

    return run


def test_compare_prints_the_table_and_a_sentence(call, tmp_path):
    path = tmp_path / "c"
    status, out, err = call("compare", path, *ARMS, "--hands", count(400, 4), "--seed", 3)
    found = gz.open_run(path).summary()
    row = found.judged()[0]
    assert status == 0
    values = (row.difference, row.difference_lo, row.difference_hi, row.unit)
    assert all(text in out for text in layout.figures(*values, Words()))
    assert ("one is worse than keep" in out) == (row.verdict == "worse")
    assert "seed 3" in err
    status, out, _ = call("summary", path, "--lang", "zh")
    assert status == 0 and "两家积分" in out and "keep" in out
    status, out, err = call("compare", path, *ARMS, "--hands", count(400, 4), "--seed", 3)
    assert (status, out) == (3, "") and "holds this run already" in err
    status, _, err = call("compare", path, *ARMS, "--hands", count(500, 5), "--seed", 3, "--resume")
    assert status == 3 and "number of hands" in err
    assert call("compare", path, "--resume", "--quiet")[0] == 0


def test_compare_emits_json_only(call, tmp_path):
    status, out, err = call("compare", tmp_path / "c", *ARMS, "--rounds", 2, "--json", "--figure", "round_won")
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert (found["baseline"], found["figure"], found["n_starts"], found["start"]) == ("keep", "round_won", 2, "round")
    assert {row["arm"] for row in found["rows"]} == {"keep", "one"}
    assert [row["verdict"] for row in found["rows"] if row["verdict"]] == ["undecided"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--hands", 5), "a comparison needs 2 to 64 arms"),
        (("--arm", "a", "--arm", "a", "--hands", 5), "--arm: the name 'a' is given twice"),
        (("--arm", "a:jokers", "--arm", "b", "--hands", 5), "--arm a: changes are written KEY=VALUE, each once"),
        (("--arm", "a:joker=1", "--arm", "b", "--hands", 5), "arm 'a': 'joker' is neither a parameter of policy basic"),
        ((*ARMS, "--hands", 5, "--until", "half_width=-1"), "until must be decided or half_width=X"),
        ((*ARMS, "--hands", 5, "--equivalence", "nan"), "--equivalence must be a number from 0, got 'nan'"),
        (ARMS, "give either rounds or hands"),
    ],
)
def test_compare_refuses_in_one_line_and_leaves_nothing(call, tmp_path, words, message):
    status, out, err = call("compare", tmp_path / "c", *words)
    assert (status, out) == (2, "")
    assert err.startswith("gunzi-sim compare: ") and message in err and err.count("\n") == 1
    assert not (tmp_path / "c").exists()


def test_a_run_is_no_comparison_and_a_comparison_no_run(call, tmp_path):
    gz.simulate(gz.rules(), hands=2, out=tmp_path / "run")
    call("compare", tmp_path / "c", *ARMS, "--hands", 2)
    assert call("compare", tmp_path / "run", "--resume")[0] == 2
    for verb in (("show", tmp_path / "c", "--index", 0), ("record", tmp_path / "c", "--index", 0)):
        status, _, err = call(*verb)
        assert status == 2 and "holds a comparison of arms, not the hands of a run" in err
    status, _, err = call("run", tmp_path / "c", "--hands", 2, "--resume")
    assert status in (2, 3) and err.count("\n") == 1
    assert call("summary", tmp_path / "c", "--by", "level")[0] == 2
    status, out, _ = call("export", tmp_path / "c", "--csv")
    assert status == 0 and out.startswith("round_id,arm,differs,settlement,")


@pytest.mark.parametrize("option", [("--seed", 9), ("--baseline", "one"), ("--equivalence", 3), ("--figure", "x")])
def test_compare_goes_on_as_it_began(call, tmp_path, option):
    call("compare", tmp_path / "c", *ARMS, "--hands", 2)
    status, _, err = call("compare", tmp_path / "c", "--resume", *option)
    assert status == 2 and f"a comparison is gone on with as it began; leave out {option[0]}" in err


def test_a_report_does_not_overwrite_its_own_run(call, tmp_path):
    gz.simulate(gz.rules(), hands=2, out=tmp_path / "run")
    status, _, err = call("report", tmp_path / "run", "-o", tmp_path / "run" / "run.json")
    assert status == 2 and "lies in the run's own directory" in err
    assert gz.open_run(tmp_path / "run").is_complete


@pytest.mark.skipif(not IS_COMPILED, reason="many hands are played on")
def test_advise_ranks_answers_in_both_languages(call):
    words = ("advise", "--hand", HAND, "--trump", "S", "--level", 5, "--decision", "jokers", "--seat", 1, "--hands", 60)
    status, out, _ = call(*words)
    expected = gz.advise(HAND, "S", 5, "jokers", seat=1, hands=60)
    assert status == 0
    assert (
        "big big small" in out and "none" in out and out.splitlines()[0].startswith(f"{expected.n_hands} hidden hands")
    )
    assert out.splitlines()[2].split("  ")[0] == " ".join(["big"] * len(expected.answers[0].cards))
    status, out, _ = call(*words, "--lang", "zh")
    assert "大王 大王 小王" in out and "不扣" in out
    status, out, err = call(*words, "--json")
    found = json.loads(out)
    assert (status, err, found["n_hands"]) == (0, "", expected.n_hands)
    assert found["answers"][0]["cards"] == ["JB"] * len(expected.answers[0].cards)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--hand": None}, "--hand is missing"),
        ({"--decision": None}, "--decision is missing"),
        ({"--trump": "X"}, "trump: unknown suit 'X'"),
        ({"--hand": HAND + " H6"}, "the hand must have 39 cards, got 40"),
        ({"--seat": "9"}, "seat must be a seat from 0 to 3, got 9"),
        ({"--level": "2"}, "--level must be a whole number from 3 to 14, got '2'"),
        ({"--seen": os.devnull}, "is no JSON"),
        ({"--policy": "random"}, "policy random draws at random"),
        ({"--equity": "nowhere.parquet"}, "nowhere.parquet"),
    ],
)
def test_advise_refuses_in_one_line(call, changes, message):
    words = {"--hand": HAND, "--trump": "S", "--level": "5", "--decision": "jokers", "--seat": "1"} | changes
    status, out, err = call("advise", *(part for pair in words.items() if pair[1] is not None for part in pair))
    assert (status, out) == (2, "")
    assert err.startswith("gunzi-sim advise: ") and message in err and err.count("\n") == 1
