import errno
import io
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time

import pytest
from counts import IS_COMPILED, count
from gunzi.random_records import random_record

import gunzi_sim as gz
from gunzi_sim import cli, game, layout, record, results, run_files, runner, storage
from gunzi_sim.console import _printable
from gunzi_sim.gunzi.rules import PRESETS, GunziRules
from gunzi_sim.texts import Words

HEAVY = {"numpy", "numba", "pandas", "pyarrow", "scipy"}


@pytest.fixture
def call(capsys):
    """Run one command line in this process: (status, stdout, stderr)."""

    def run(*words):
        status = cli.main([str(word) for word in words])
        out, err = capsys.readouterr()
        return status, out, err

    return run


@pytest.fixture
def refused(call):
    """Run a command line that must fail: its one line on stderr."""

    def run(status, *words):
        found, out, err = call(*words)
        assert found == status, err
        assert err.count("\n") == 1 and err.endswith("\n"), err
        assert err.startswith("gunzi-sim"), err
        assert len(err) < 500
        assert out == ""
        return err

    return run


def in_a_process(*words, **options):
    """Run one command line as a process of its own."""
    command = [sys.executable, "-m", "gunzi_sim.cli", *(str(word) for word in words)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=600, **options)


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "small"
    gz.simulate(gz.rules(), policies="random", hands=count(40, 4), seed=7, out=path, levels=(5, 3), threads=1)
    return path


@pytest.fixture(scope="module")
def rounds_run(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "rounds"
    gz.simulate(gz.rules(), policies="random", rounds=count(30, 1), seed=3, out=path, threads=1)
    return path


@pytest.fixture
def table(tmp_path):
    """Three records in a file; the second breaks a rule."""
    hands = [random_record(random.Random(seed), rules=GunziRules()) for seed in range(3)]
    hands[1]["plays"][0] = hands[1]["plays"][0] + hands[1]["plays"][0][:1] * 3
    path = tmp_path / "table.jsonl"
    path.write_text("".join(record.write(hand) + "\n" for hand in hands), encoding="utf-8")
    return path


# --- words ---


def test_no_words_print_the_help(call):
    status, out, err = call()
    assert (status, err) == (0, "")
    for name in ("demo", "run", "summary", "record", "verify", "show", "rules", "export", "bench", "doctor"):
        assert f"\n  {name} " in out


@pytest.mark.parametrize("name", ["demo", "run", "summary", "record", "verify", "show", "export", "bench", "doctor"])
def test_every_verb_has_the_common_options(call, name):
    status, out, err = call(name, "--help")
    assert (status, err) == (0, "")
    for option in ("--json", "--quiet", "--seed", "--lang", "--ascii"):
        assert f"\n  {option} " in out


@pytest.mark.parametrize("words", [["--version"], ["show", "--version"], ["rules", "list", "--version"]])
def test_version(call, words):
    assert call(*words) == (0, f"gunzi-sim {gz.__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["vrify"], "unknown command 'vrify'; did you mean 'verify'?"),
        (["compared"], "unknown command 'compared'; did you mean 'compare'?"),
        (["merge"], "unknown command 'merge'"),
        (["merge"], "unknown command 'merge'"),
        (["report"], "gunzi-sim report: RUN is missing"),
        (["rules"], "gunzi-sim rules: needs a command: list, show, diff, check, schema"),
        (["rules", "lst"], "gunzi-sim rules: unknown command 'lst'; did you mean 'list'?"),
        (["run"], "gunzi-sim run: OUT is missing"),
        (["verify"], "gunzi-sim verify: FILE is missing"),
        (["--json", "run"], "--json comes after the command"),
        (["run", "x", "--round", "3"], "unknown option '--round'; did you mean '--rounds'?"),
        (["run", "x", "--shard", "1/2"], "unknown option '--shard'"),
        (["run", "x", "--dask", "a"], "unknown option '--dask'"),
        (["run", "x", "--given", "a"], "unknown option '--given'"),
        (["run", "x", "--policy-file", "a"], "unknown option '--policy-file'; did you mean '--policies'?"),
        (["run", "x", "--rounds"], "--rounds"),
        (["show", "a", "b"], "argument"),
        (["rules", "list", "--lang", "fr"], "--lang must be en or zh, got 'fr'"),
        (["rules", "show", "clasic"], "unknown preset 'clasic' of gunzi; did you mean 'classic'?"),
        (["rules", "list", "--game", "gouji"], "unknown game 'gouji'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_words_give_one_line_with_the_nearest_name(refused, words, said):
    assert said in refused(2, *words)


@pytest.mark.parametrize("seed", ["-1", str(2**64), "nan", "1.5", "True", "", "0x10", "1e3", "9" * 5000, "٣"])
def test_a_bad_seed_is_refused(refused, seed):
    assert "--seed must be a whole number from 0 to 18446744073709551615" in refused(2, "rules", "list", "--seed", seed)


def test_any_verb_takes_every_common_option(call):
    words = ["--json", "--quiet", "--seed", 2**64 - 1, "--lang", "zh", "--ascii"]
    status, out, err = call("rules", "list", *words)
    assert (status, err) == (0, "")
    assert [json.loads(line)["preset"] for line in out.splitlines()] == list(PRESETS)


# --- rules ---


def test_rules_list_and_diff(call):
    _, out, _ = call("rules", "list")
    assert out.startswith("standard")
    assert "qiqi      jokers_may_open=no, tribute_points=none" in out
    _, out, _ = call("rules", "diff", "standard", "dalian")
    assert "first_flip              smallest            largest" in out.splitlines()
    _, out, _ = call("rules", "diff", "standard", "dalian", "--json")
    assert json.loads(out)["three_small_ends"] == [False, True]
    status, out, err = call("rules", "diff", "qiqi", "qiqi")
    assert (status, out) == (0, "") and "same rules" in err


def test_rules_show_writes_a_file_that_check_accepts(call, tmp_path):
    _, out, _ = call("rules", "show", "classic")
    path = tmp_path / "mine.toml"
    path.write_text(out.replace("win_score = 120", "win_score = 125"))
    status, out, _ = call("rules", "check", path)
    assert (status, out) == (0, f"{path}: ok, gunzi, preset classic, win_score=125\n")
    _, out, _ = call("rules", "check", path, "--json")
    assert json.loads(out)["changes"] == {"win_score": 125}
    _, out, _ = call("rules", "show", path, "--json")
    assert json.loads(out)["win_score"] == 125


def test_rules_schema_is_json(call):
    _, out, _ = call("rules", "schema")
    assert json.loads(out)["properties"]["follow"]["enum"] == ["strict", "loose"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('game = "gunzi"\nfolow = "loose"\n', "did you mean 'follow'?"),
        ('game = "gunzi"\nwin_score = true\n', "win_score must be"),
        ('game = "gunzi"\nwin_score = nan\n', "win_score must be"),
        (f'game = "gunzi"\nwin_score = {2**80}\n', "win_score must be"),
        ('game = "gunzi"\nwin_score = 121\n', "multiple of 5"),
        ('game = "gunzi"\nfollow = "strikt"\n', "did you mean 'strict'?"),
        ('game = "gunzy"\n', "unknown game 'gunzy'; did you mean 'gunzi'?"),
        ("follow = loose", "not TOML"),
        ("", "game"),
    ],
)
def test_a_bad_rules_file_is_refused(refused, tmp_path, text, said):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    for words in (["rules", "check", path], ["run", tmp_path / "out", "--rounds", 1, "--rules", path]):
        line = refused(2, *words)
        assert said in line and str(path) in line
    assert not (tmp_path / "out").exists()


def test_a_missing_rules_file_is_refused(refused, tmp_path):
    assert "no-such.toml" in refused(2, "rules", "check", tmp_path / "no-such.toml")


# --- verify and show ---


def test_verify_names_bad_records_by_file_line_and_clause(call, table):
    status, out, err = call("verify", table)
    lines = out.splitlines()
    assert (status, err, len(lines)) == (1, "", 2)
    assert lines[0].startswith(f"{table}:2: G10.1: play 0 (seat ")
    assert lines[1] == "2 ok, 1 bad"


def test_verify_as_json_lines(call, table):
    status, out, _ = call("verify", table, "--json")
    [found] = [json.loads(line) for line in out.splitlines()]
    assert status == 1
    assert list(found) == ["file", "line", "clause", "play", "message"]
    assert (found["file"], found["line"], found["clause"], found["play"]) == (str(table), 2, "G10.1", 0)


def test_verify_of_good_records(call, table, tmp_path):
    good = tmp_path / "good.jsonl"
    good.write_text(table.read_text().splitlines()[0])
    assert call("verify", good) == (0, "1 ok, 0 bad\n", "")
    assert call("verify", good, "--quiet") == (0, "", "")
    assert call("verify", good, "--json") == (0, "", "")


CORRUPT = {
    "cut off": b'{"format":"gunzi-sim/hand","versi',
    "no JSON": b"hello",
    "no object": b"[1, 2]",
    "not UTF-8": b'{"format":"\xff\xfe"}',
    "deep": b"[" * 200_000,
    "huge number": b'{"version":' + b"9" * 5000 + b"}",
    "nan": b'{"version":NaN}',
    "zeros": bytes(1000),
    "twice": b'{"version":1,"version":1}',
}


@pytest.mark.parametrize("name", CORRUPT)
def test_corrupt_lines_are_format_faults_and_the_rest_is_checked(call, table, tmp_path, name):
    path = tmp_path / "corrupt.jsonl"
    path.write_bytes(CORRUPT[name] + b"\n" + table.read_bytes().splitlines()[0] + b"\n")
    status, out, err = call("verify", path)
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert len(lines) == 2 and lines[0].startswith(f"{path}:1: FORMAT: ") and len(lines[0]) < 500
    assert lines[1] == "1 ok, 1 bad"
    assert call("show", path)[0] == 2


@pytest.mark.parametrize("verb", ["verify", "show"])
def test_a_file_that_cannot_be_read_is_wrong_input(refused, tmp_path, table, verb):
    assert "cannot read" in refused(2, verb, tmp_path / "none.jsonl")
    if verb == "verify":
        assert "cannot read" in refused(2, verb, tmp_path)
        assert "none.jsonl" in refused(2, verb, table, tmp_path / "none.jsonl")


def test_a_line_of_200_mb_is_one_bad_record_in_little_memory(tmp_path):
    path = tmp_path / "long.jsonl"
    with open(path, "wb") as file:
        for _ in range(200):
            file.write(b"a" * (1 << 20))
    script = (
        "import resource, sys\n"
        "from gunzi_sim import cli\n"
        f"status = cli.main(['verify', {str(path)!r}])\n"
        "print(status, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    first, counts, end = done.stdout.splitlines()
    assert first.startswith(f"{path}:1: FORMAT: line longer than ")
    assert (counts, done.stderr) == ("0 ok, 1 bad", "")
    status, peak = (int(word) for word in end.split())
    assert status == 1
    assert peak / (1 if sys.platform == "darwin" else 1024) < 150_000 / (1 if sys.platform != "darwin" else 1e-3)


def test_show_a_record(call, table):
    status, out, err = call("show", f"{table}:3")
    assert (status, err) == (0, "")
    assert out.startswith("Da Gunzi · ")
    assert "\nPlay · ▸ leads, * wins; D dealer\n" in out
    assert "\nResult\n" in out
    assert call("show", table)[1] != out


def test_show_in_chinese_and_in_ascii(call, table):
    _, out, _ = call("show", table, "--lang", "zh")
    for word in ("打滚子", "发牌", "主牌", "庄", "出牌", "黑桃", "大王", "结果", "积分"):
        assert word in out
    assert "♠" not in out
    _, out, _ = call("show", table, "--ascii")
    assert out.isascii()
    assert "JB" in out


def test_show_as_json_is_the_canonical_record(call, table):
    _, out, _ = call("show", f"{table}:1", "--json")
    assert out == table.read_text().splitlines()[0] + "\n"


def test_show_names_the_fault_of_a_bad_record(call, table):
    status, out, _ = call("show", f"{table}:2")
    assert status == 0
    assert "This record breaks G10.1: play 0" in out


def test_show_refuses_what_it_cannot_find(refused, table, small_run, tmp_path):
    assert "no record in line 9" in refused(2, "show", f"{table}:9")
    assert "lines are counted from 1" in refused(2, "show", f"{table}:0")
    assert "is no directory" in refused(2, "show", table, "--index", 1)
    assert "--index" in refused(2, "show", small_run)
    assert "is no run" in refused(2, "show", tmp_path, "--index", 0)
    for index in ("x", "-1", "1.5", "1:", ":2", "3:3", "999999", "0:999999", str(2**80)):
        assert "--index must" in refused(2, "show", small_run, "--index", index)
    assert "hand" in refused(2, "show", small_run, "--index", 0, "--hand", 5)
    assert "--hand must be a whole number" in refused(2, "show", small_run, "--index", 0, "--hand", -1)


def test_show_a_hand_of_a_run_is_the_stored_one(call, rounds_run):
    stored = gz.open_run(rounds_run).to_pandas()
    row = stored.iloc[-1]
    words = ["--index", row["round_id"], "--hand", row["hand"]]
    _, out, _ = call("show", rounds_run, *words, "--json")
    [line] = out.splitlines()
    assert json.loads(line)["result"]["attacker_points"] == row["attacker_points"]
    _, out, _ = call("show", rounds_run, *words)
    assert f"seed 3, round {row['round_id']}, hand {row['hand']}" in out
    assert f"The attackers have {row['attacker_points']} points" in out


@pytest.mark.parametrize(
    ("encoding", "lang", "words"),
    [
        ("utf-8", "en", Words("en")),
        ("cp1252", "en", Words("en", ascii=True, ascii_marks=True)),
        ("ascii", "zh", Words("en", ascii=True, ascii_marks=True)),
        ("gbk", "en", Words("en", ascii=True, ascii_marks=True)),
        ("gbk", "zh", Words("zh", ascii_marks=True)),
        ("utf-8", "zh", Words("zh")),
        (None, "en", Words("en")),
        ("no such encoding", "en", Words("en", ascii=True, ascii_marks=True)),
    ],
)
def test_a_console_gets_what_it_can_print(encoding, lang, words):
    assert _printable(Words(lang), encoding) == words


@pytest.mark.parametrize(("encoding", "lang"), [("ascii", "en"), ("cp1252", "en"), ("gbk", "zh"), ("gbk", "en")])
def test_show_on_a_console_without_symbols(table, encoding, lang):
    command = [sys.executable, "-m", "gunzi_sim.cli", "show", str(table), "--lang", lang]
    done = subprocess.run(command, capture_output=True, env=os.environ | {"PYTHONIOENCODING": encoding}, timeout=60)
    text = done.stdout.decode(encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "?" not in text and "\\u" not in text
    assert ("黑桃" in text) == (lang == "zh")


# --- quick starts ---


@pytest.mark.parametrize(
    "words", [["--help"], ["run", "--help"], ["rules", "list"], ["rules", "schema"], ["verify", "T"], ["show", "T"]]
)
def test_light_verbs_import_nothing_heavy_and_start_quickly(table, words):
    words = [str(table) if word == "T" else word for word in words]
    script = (
        "import sys\n"
        "from gunzi_sim import cli\n"
        f"cli.main({words!r})\n"
        "print('\\n' + ' '.join(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    took = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, encoding="utf-8", timeout=60
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        assert done.stderr == ""
    assert not set(done.stdout.splitlines()[-1].split()) & (HEAVY | {"rich"})
    assert min(took) < 0.5


# --- run ---


def quick(*words):
    return ["--policies", "random", "--hands", count(20, 2), "--threads", 1, *words]


def test_run_says_what_it_did_and_where(call, tmp_path):
    out_dir = tmp_path / "a"
    status, out, _ = call("run", out_dir, *quick("--seed", 5))
    n = f"{count(20, 2)}"
    assert (status, out) == (0, f"{n} single hands ({n} hands), seed 5: {out_dir}\n")
    assert gz.open_run(out_dir).seed == 5
    assert call("run", tmp_path / "b", *quick("--quiet")) == (0, "", "")
    status, out, err = call("run", tmp_path / "c", *quick("--json", "--seed", 9))
    found = json.loads(out)
    assert (status, err) == (0, "")
    assert (found["path"], found["seed"], found["hands"]) == (str(tmp_path / "c"), 9, count(20, 2))


def test_run_is_the_same_as_simulate(call, tmp_path):
    rules = ["--rules", "classic", "--set", "follow=loose", "--set", "bury_big_first=no"]
    start = ["--levels", "7,K", "--dealer", 2, "--owed", 1, "--set", "end_level=14"]
    words = ["--policies", "random,random,random,random", "--hands", count(30, 3), "--seed", 11]
    assert call("run", tmp_path / "a", *rules, *start, *words)[0] == 0
    options = {"follow": "loose", "bury_big_first": False, "end_level": 14}
    same = gz.simulate(
        gz.rules("gunzi", "classic", **options), "random", hands=count(30, 3), seed=11, levels=(7, 13), dealer=2, owed=1
    )
    assert gz.open_run(tmp_path / "a").to_arrow().equals(same.to_arrow())


BAD_RUNS = {
    "unknown option of the rules": (["--set", "folow=loose"], "did you mean 'follow'?"),
    "no value": (["--set", "follow"], "NAME=VALUE"),
    "unknown value": (["--set", "follow=losse"], "did you mean 'loose'?"),
    "out of range": (["--set", "win_score=400"], "win_score must be a multiple of 5"),
    "no multiple": (["--set", "win_score=121"], "multiple of 5"),
    "nan": (["--set", "win_score=nan"], "win_score must be"),
    "bool for int": (["--set", "win_score=true"], "win_score must be"),
    "int for bool": (["--set", "bury_big_first=2"], "bury_big_first must be yes or no"),
    "2^80": (["--set", f"win_score={2**80}"], "win_score must be"),
    "thresholds out of order": (["--set", "tribute_low=200"], "tribute_low"),
    "levels out of order": (["--set", "start_level=12"], "start_level"),
    "unknown preset": (["--rules", "standrad"], "did you mean 'standard'?"),
    "unknown policy": (["--policies", "randm"], "unknown policy 'randm'; did you mean 'random'?"),
    "three policies": (["--policies", "random,random,random"], "got 3"),
    "no policy": (["--policies", ""], "unknown policy ''"),
    "unknown parameter": (["--policies", "random:x=1"], "policy random"),
    "unknown game": (["--game", "poker"], "unknown game 'poker'"),
    "no hands": (["--hands", "0"], "--hands must be a whole number from 1"),
    "half a hand": (["--hands", "0.5"], "--hands must be a whole number"),
    "2^80 hands": (["--hands", str(2**80)], "--hands must be a whole number"),
    "hands and rounds": (["--rounds", "1"], "either rounds or hands"),
    "one level": (["--levels", "5"], "--levels must be two levels"),
    "level 2": (["--levels", "2,3"], "--levels must be a whole number from 3 to 14"),
    "level past the end": (["--levels", "11,3"], "levels must be integers from 3 to 10"),
    "dealer 4": (["--dealer", "4"], "--dealer must be a whole number from 0 to 3"),
    "owed -1": (["--owed", "-1"], "--owed must be a whole number from 0"),
    "first hand with a dealer": (["--first-hand", "--dealer", "0"], "a first hand has no dealer"),
    "no threads": (["--threads", "0"], "--threads must be a whole number from 1"),
    "seed 2^64": (["--seed", str(2**64)], "--seed must be a whole number"),
    "negative seed": (["--seed", "-1"], "--seed must be a whole number"),
}


@pytest.mark.parametrize("name", BAD_RUNS)
def test_a_bad_run_is_refused_in_one_line_and_leaves_nothing(refused, tmp_path, name):
    words, said = BAD_RUNS[name]
    assert said in refused(2, "run", tmp_path / "out", "--policies", "random", "--hands", 1, *words)
    assert not (tmp_path / "out").exists()


def test_rounds_begin_where_they_are_told(call, tmp_path):
    words = ["--policies", "random", "--rounds", 1, "--levels", "5,3", "--dealer", 2, "--owed", 2]
    assert call("run", tmp_path / "out", *words)[0] == 0
    first = gz.open_run(tmp_path / "out").to_pandas().iloc[0]
    names = ("hand", "first_hand", "level_0", "level_1", "dealer", "owed")
    assert [first[name] for name in names] == [0, 0, 5, 3, 2, 2]
    assert json.loads(call("record", *words, "--hand", 0)[1])["levels"] == [5, 3]
    assert "rounds from levels 5,3, dealer 2, owed 2" in call("summary", tmp_path / "out")[1]


def test_equity_is_stored_printed_and_drawn(call, refused, tmp_path, monkeypatch):
    from gunzi_sim import equity_design

    monkeypatch.setattr(equity_design, "LEAST_HANDS", count(16, 2))
    n_hands = count(600, 10)
    few = ["--set", "start_level=10", "--policies", "random", "--hands", n_hands, "--seed", 3, "--threads", 1]
    path, figure = tmp_path / "equity.parquet", tmp_path / "map.svg"
    status, out, _ = call("equity", path, *few, "--figure", figure)
    assert status == 0
    found = gz.load_equity(path)
    value, error = found.value((10, 10, 0))
    assert f"10  {100 * value:.1f}±{100 * error:.1f}" in out
    assert "standard, start_level=10; random; seed 3" in out
    assert "tribute owed 0" in figure.read_text(encoding="utf-8")
    status, out, _ = call("equity", tmp_path / "again.parquet", *few, "--json")
    again = json.loads(out)
    assert (status, len(again["states"]), again["seed"]) == (0, len(found.rows), 3)
    assert {"win_probability": value, "standard_error": error}.items() <= again["states"][0].items()
    assert "exists; give a new name" in refused(2, "equity", path, *few)
    assert "exists; give a new name" in refused(2, "equity", tmp_path / "b", *few, "--figure", figure)
    assert "庄家方，欠贡 1 张" in call("equity", tmp_path / "zh.parquet", *few, "--owed", 1, "--lang", "zh")[1]


def test_rounds_take_no_first_hand(refused, tmp_path):
    words = ["run", tmp_path / "out", "--rounds", 1, "--policies", "random"]
    assert "for single hands" in refused(2, *words, "--first-hand")
    assert "levels must be integers from 3 to 10" in refused(2, *words, "--levels", "3,11")
    assert "got neither" in refused(2, "run", tmp_path / "out", "--policies", "random")
    assert not (tmp_path / "out").exists()


def test_a_directory_that_is_no_run_is_left_alone(refused, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    assert "is not empty and is no run" in refused(2, "run", tmp_path, *quick())
    assert os.listdir(tmp_path) == ["thesis.txt"]
    assert "is no directory" in refused(2, "run", tmp_path / "thesis.txt", *quick())
    assert (tmp_path / "thesis.txt").read_text() == "mine"
    for verb in (["summary"], ["export", "--csv"], ["doctor"], ["record", "--index", 0]):
        assert "is no run" in refused(2, verb[0], tmp_path, *verb[1:])
        assert "does not exist" in refused(2, verb[0], tmp_path / "none", *verb[1:])


def test_a_finished_run_is_not_overwritten(refused, call, tmp_path):
    words = ["run", tmp_path / "a", *quick()]
    assert call(*words)[0] == 0
    before = gz.open_run(tmp_path / "a").to_arrow()
    assert "holds this run already" in refused(3, *words)
    assert "holds another run: its seed is 0, not 1" in refused(3, *words, "--seed", 1)
    assert call(*words, "--resume")[0] == 0
    assert call("run", tmp_path / "a", "--resume")[0] == 0
    assert gz.open_run(tmp_path / "a").to_arrow().equals(before)


def test_resume_of_nothing_is_refused(refused, tmp_path):
    assert "does not exist" in refused(2, "run", tmp_path / "a", "--resume")


def test_a_busy_directory_is_refused(refused, call, tmp_path):
    assert call("run", tmp_path / "a", *quick())[0] == 0
    with run_files.locked(tmp_path / "a"):
        assert "is in use by process" in refused(3, "run", tmp_path / "a", *quick("--resume"))


def test_a_directory_that_cannot_be_written_is_the_machines_fault(refused, tmp_path):
    if os.geteuid() == 0:  # whom no mode bits stop
        place = "/sys/gunzi-run" if os.path.isdir("/sys") else "/dev/null/gunzi-run"
    else:
        place = tmp_path / "shut" / "run"
        place.parent.mkdir(mode=0o500)
    refused(5, "run", place, *quick())


def test_a_full_disk_keeps_what_is_finished(refused, call, tmp_path, monkeypatch):
    monkeypatch.setitem(runner.UNITS_PER_SHARD, "hands", 2)
    words = ["run", tmp_path / "a", "--policies", "random", "--hands", 8, "--threads", 1, "--levels", "4,4"]
    sync, calls = os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) > 6:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    monkeypatch.setattr(storage.os, "fsync", full)
    line = refused(5, *words, "--quiet")
    assert "No space left on device" in line and "shards are kept" in line
    monkeypatch.setattr(storage.os, "fsync", sync)
    kept = gz.open_run(tmp_path / "a")
    assert 0 < kept.n_units_done < 8
    assert f"{kept.n_units_done // 2} of 4 shards are kept" in line
    assert not [name for name in os.listdir(tmp_path / "a" / "shards") if not name.startswith("hands-")]
    assert call(*words, "--resume")[0] == 0
    whole = gz.simulate(gz.rules(), "random", hands=8, levels=(4, 4))
    assert gz.open_run(tmp_path / "a").to_arrow().equals(whole.to_arrow())


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (MemoryError("12 GB"), 5, "not enough memory: 12 GB"),
        (MemoryError(), 5, "not enough memory"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), 5, "Permission denied: /x"),
        (OSError("odd"), 5, "odd"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (storage.DamagedError("a shard is damaged"), 5, "a shard is damaged"),
    ],
)
def test_failures_of_the_machine_have_their_status(refused, monkeypatch, rounds_run, error, status, said):
    def fail(*_):
        raise error

    monkeypatch.setattr(results.Run, "summary", fail)
    assert said in refused(status, "summary", rounds_run)


def test_a_fault_of_the_program_is_not_hidden(monkeypatch, rounds_run):
    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(results.Run, "summary", fail)
    with pytest.raises(ZeroDivisionError):
        cli.main(["summary", str(rounds_run)])


@pytest.fixture(scope="module")
def bad_policies():
    """A policy that leads a card it does not hold, and one that raises."""

    @gz.policy("gunzi", "lead", name="cheat", base="random")
    def cheat(view, params, draws):
        return ~(view.hand_1) & 1, 0, 0

    @gz.policy("gunzi", "lead", name="broken", base="random")
    def broken(view, params, draws):
        if view.seat >= 0:
            raise ValueError("no idea")
        return view.hand_1, view.hand_1, view.hand_1


def test_a_policy_that_breaks_the_rules_stops_the_run_by_name(refused, tmp_path, bad_policies):
    line = refused(4, "run", tmp_path / "a", "--policies", "cheat", "--hands", 2, "--threads", 1, "--quiet")
    assert "policy 'cheat', lead: G10.1" in line and "play 0" in line
    assert f"replay: gunzi-sim show {tmp_path / 'a'} --index " in line


def test_a_policy_that_raises_stops_the_run_by_name(refused, tmp_path, bad_policies):
    line = refused(4, "run", tmp_path / "b", "--policies", "random,broken,random,random", "--hands", 3, "--quiet")
    assert "policy 'broken', lead" in line and "no idea" in line


def test_the_replay_command_shows_the_offending_hand(call, tmp_path, bad_policies):
    _, _, err = call("run", tmp_path / "a", "--policies", "cheat", "--hands", 2, "--threads", 1, "--quiet")
    words = err.strip().split("replay: gunzi-sim ")[1].split()
    status, out, err = call(*words)
    assert (status, err.count("\n")) == (4, 1)
    assert "This record breaks G10.1: play 0" in out


def test_an_interrupt_keeps_finished_shards_and_resume_goes_on(tmp_path):
    out = tmp_path / "a"
    rounds = count(400_000, 3)
    command = [sys.executable, "-m", "gunzi_sim.cli", "run", str(out), "--policies", "random", "--rounds", str(rounds)]
    quiet = {**os.environ, "PYTHONWARNINGS": "ignore"}  # plain kernels warn of overflow in the middle of a line
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=quiet)
    ready = out / ("shards" if IS_COMPILED else "run.json")
    deadline = time.monotonic() + 300
    while not (ready.is_file() or (ready.is_dir() and any(ready.glob("hands-*")))):
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=300)
    last = next(line for line in stderr.splitlines() if "interrupted" in line)
    assert (process.returncode, stdout) == (130, "")
    assert "Traceback" not in stderr
    found = gz.open_run(out)
    if IS_COMPILED:  # else it may come before the first hand, or after the last
        assert f"{len(found.receipts)} of {found.info.n_shards} shards are kept" in last
        assert not found.is_complete
    assert last.endswith(f"gunzi-sim run {out} --resume goes on")
    found.check_files()


def test_progress_is_lines_where_there_is_no_terminal(call, monkeypatch, tmp_path):
    from gunzi_sim import console

    monkeypatch.setattr(console._Lines, "EVERY_S", 0.0)
    _, out, err = call("run", tmp_path / "a", *quick())
    assert f"{count(20, 2)} of {count(20, 2)} hands, " in err.splitlines()[-1]
    assert "hands/s" in err and "\x1b" not in err + out
    _, _, err = call("run", tmp_path / "b", *quick("--quiet"))
    assert err == ""


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--policies", "random"], "--policies"),
        (["--set", "follow=loose"], "--set"),
        (["--rules", "mild"], "--rules"),
        (["--seed", "9"], "--seed"),
        (["--levels", "5,5"], "--levels"),
        (["--first-hand"], "--first-hand"),
    ],
)
def test_what_a_run_decides_already_is_not_asked_for_again(refused, rounds_run, options, name):
    assert f"leave out {name}" in refused(2, "run", rounds_run, "--resume", *options)
    assert f"leave out {name}" in refused(2, "record", rounds_run, "--index", "0", *options)


def test_index_names_a_round_that_there_is(refused, rounds_run):
    n = count(30, 1)
    assert f"--index must be a whole number from 0 to {n - 1}, got '{n}'" in refused(
        2, "show", rounds_run, "--index", n
    )


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_a_group_of_verbs_has_help(call, flag):
    status, out, err = call("rules", flag)
    assert (status, err) == (0, "")
    assert all(f"rules {word}" in out for word in ("list", "show", "diff", "check", "schema"))


@pytest.mark.parametrize("target", ["", "nowhere/a.csv", "."])
def test_a_file_that_cannot_be_written_is_named_as_given(refused, monkeypatch, small_run, tmp_path, target):
    monkeypatch.chdir(tmp_path)
    assert f"-o must name a file in a directory that exists, got {target!r}" in refused(
        2, "export", small_run, "--csv", "-o", target
    )


def test_a_preset_comes_before_a_file_of_its_name(call, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "standard").write_text("nothing = 1")
    assert call("rules", "show", "standard")[0] == 0


def test_closed_streams_are_no_fault():
    command = f"{sys.executable} -m gunzi_sim.cli rules list >&- 2>&-"
    assert subprocess.run(command, shell=True, check=False).returncode == 0


# --- summary, export, record ---


def test_summary_shows_intervals_units_and_whose_rate(call, rounds_run):
    status, out, err = call("summary", rounds_run)
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0] == f"{count(30, 1)} rounds, {gz.open_run(rounds_run).n_rows:,} hands"
    assert lines[1] == "standard; random; seed 3"
    assert lines[2].split() == ["figure", "estimate", "95%", "interval", "rounds", "unit"]
    assert any(line.startswith("attackers take the deal ") and line.endswith(" of hands") for line in lines)
    assert max(map(len, lines)) <= 80
    _, out, _ = call("summary", rounds_run, "--lang", "zh")
    assert "抓分方上台" in out and "占局数" in out


def test_summary_by_columns_and_as_json(call, refused, small_run):
    _, out, _ = call("summary", small_run, "--by", "dealer,level")
    assert out.splitlines()[2].split()[:3] == ["dealer", "level", "figure"]
    assert "of rounds" not in out  # a group of hands holds no whole rounds
    _, out, _ = call("summary", small_run, "--by", "trump", "--json")
    found = json.loads(out)
    assert found["by"] == ["trump"] and found["start"] == "hand"
    assert found == gz.open_run(small_run).summary("trump").to_dict()
    assert "did you mean 'dealer'?" in refused(2, "summary", small_run, "--by", "deeler")


def test_summary_of_one_unit_has_no_interval(call, tmp_path):
    gz.simulate(gz.rules(), "random", rounds=1, out=tmp_path / "one", threads=1)
    _, out, _ = call("summary", tmp_path / "one")
    [line] = [line for line in out.splitlines() if line.startswith("attackers' points S")]
    assert line.split()[-3:-1] == ["–", "1"]
    _, out, _ = call("summary", tmp_path / "one", "--ascii")
    assert "–" not in out


@pytest.mark.parametrize(
    ("figure", "texts"),
    [
        ((0.5639, 0.5615, 0.5663, "share of hands"), ("56.39 %", "56.15 to 56.63")),
        ((127.96, 125.1, 130.8, "card points"), ("128.0", "125.1 to 130.8")),
        ((0.0, 0.0, 0.0188, "share of rounds"), ("0.00 %", "0.00 to 1.88")),
        ((3.0, 3.0, 3.0, "cards"), ("3.00", "3.00 to 3.00")),
        ((123456.0, 100000.0, 150000.0, "chips"), ("123456", "100000 to 150000")),
        ((0.25, None, None, "share of hands"), ("25 %", "–")),
        ((None, None, None, "levels"), ("–", "–")),
    ],
)
def test_figures_have_two_digits_of_their_interval(figure, texts):
    assert layout.figures(*figure, Words()) == texts


def test_export_csv_and_jsonl_hold_the_whole_table(call, rounds_run):
    import pandas as pd

    stored = gz.open_run(rounds_run).to_pandas()
    for option, read in (("--csv", pd.read_csv), ("--jsonl", lambda text: pd.read_json(text, lines=True))):
        status, out, err = call("export", rounds_run, option)
        assert (status, err) == (0, "")
        found = read(io.StringIO(out))
        assert list(found.columns) == list(stored.columns)
        assert (found.to_numpy() == stored.to_numpy()).all()
    lines = call("export", rounds_run, "--jsonl")[1].splitlines()
    assert [json.loads(line)["trace_hash"] for line in lines] == stored["trace_hash"].tolist()


def test_export_to_a_file_replaces_it_only_when_complete(call, refused, rounds_run, tmp_path, monkeypatch):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def fail(self, form):
        yield "half\n"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(results.Run, "texts", fail)
        refused(5, "export", rounds_run, "--csv", "-o", path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["table.csv"]
    status, out, _ = call("export", rounds_run, "--csv", "-o", path)
    assert (status, out) == (0, "")
    assert path.read_text() == call("export", rounds_run, "--csv")[1]


def test_export_needs_a_form(refused, rounds_run):
    assert "say --csv or --jsonl" in refused(2, "export", rounds_run)
    assert "say --csv or --jsonl" in refused(2, "export", rounds_run, "--csv", "--jsonl")


def test_record_writes_verified_records_of_a_run(call, rounds_run, tmp_path):
    path = tmp_path / "hands.jsonl"
    status, out, err = call("record", rounds_run, "--index", "0:1", "-o", path)
    n = len(path.read_text().splitlines())
    assert (status, out) == (0, "")
    assert f"{n} records: {path}" in err
    assert call("verify", path) == (0, f"{n} ok, 0 bad\n", "")
    for line, hand in zip(path.read_text().splitlines(), gz.open_run(rounds_run).record(index=0)):
        assert json.loads(line) == hand


def test_record_with_the_options_of_run_gives_the_same_hands(call, small_run):
    n = count(3, 1)
    _, stored, _ = call("record", small_run, "--index", f"0:{n}")
    _, planned, _ = call("record", "--policies", "random", "--hands", n, "--seed", 7, "--levels", "5,3")
    assert stored == planned
    assert [json.loads(line)["source"] for line in planned.splitlines()] == [
        {"seed": 7, "round": unit, "hand": 0} for unit in range(n)
    ]
    _, one, _ = call("record", "--policies", "random", "--hands", n, "--seed", 7, "--levels", "5,3", "--index", n - 1)
    assert one == planned.splitlines(keepends=True)[-1]


def test_record_refuses_what_is_unclear(refused, small_run):
    assert "say which rounds" in refused(2, "record", small_run)
    assert "not both" in refused(2, "record", small_run, "--rounds", 1)
    assert "got neither" in refused(2, "record", "--policies", "random")
    assert "--index must" in refused(2, "record", "--policies", "random", "--hands", 1, "--index", 1)


# --- pipes ---


def test_a_reader_that_leaves_early_ends_the_verb_quietly(tmp_path, table):
    many = tmp_path / "many.jsonl"
    many.write_text((table.read_text().splitlines()[1] + "\n") * 2000)
    command = [sys.executable, "-m", "gunzi_sim.cli", "verify", str(many)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 0


def test_a_full_device_behind_stdout_is_the_machines_fault(table):
    if not os.path.exists("/dev/full"):
        return
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "gunzi_sim.cli", "show", str(table)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 5
    assert done.stderr.count("\n") == 1 and "No space left on device" in done.stderr


def test_the_process_has_the_status_and_one_line(tmp_path, table):
    for status, words in [
        (0, ["rules", "list"]),
        (1, ["verify", table]),
        (2, ["rules", "shwo"]),
        (2, ["verify", tmp_path / "none"]),
    ]:
        done = in_a_process(*words)
        assert done.returncode == status
        assert done.stderr.count("\n") == (status == 2)
        assert "Traceback" not in done.stderr


# --- demo, bench, doctor ---


@pytest.fixture
def short_demo(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "DEMO_ROUNDS", count(50, 1))
    monkeypatch.setattr(cli, "DEMO_POLICY", "random")
    return tmp_path


def test_demo_shows_a_deal_a_sentence_and_three_commands(call, short_demo):
    status, out, _ = call("demo", "--seed", 2)
    assert status == 0
    assert out.startswith("The first deal of seed 2:\n")
    assert sum(line.startswith("seat ") for line in out.splitlines()) == 4
    assert "the attackers took the deal in " in out and "95 % interval" in out
    assert "The results are in gunzi-demo. Next:" in out
    commands = [line.split("  ")[1] for line in out.splitlines() if line.startswith("  gunzi-sim ")]
    assert len(commands) == 3
    for command in commands:
        assert call(*command.split()[1:])[0] == 0
    assert call("verify", "hands.jsonl")[0] == 0


def test_demo_takes_a_new_directory_each_time(call, short_demo):
    for name in ("gunzi-demo", "gunzi-demo-2", "gunzi-demo-3"):
        _, out, _ = call("demo", "--json")
        assert json.loads(out)["path"] == name
        assert gz.open_run(short_demo / name).is_complete
    assert call("demo", "--out", "elsewhere", "--quiet")[0] == 0
    assert gz.open_run("elsewhere").is_complete


def test_the_deal_of_the_demo_is_the_first_hand_of_its_run(call, short_demo):
    _, out, _ = call("demo", "--seed", 4, "--ascii")
    shown = [line for line in out.splitlines() if line.startswith(("Deal", "seat", "    "))]
    _, text, _ = call("record", "gunzi-demo", "--index", 0, "--hand", 0)
    hand = json.loads(text)
    assert f"first card to seat {hand['first_seat']}" in shown[0]
    from gunzi_sim.gunzi import story

    internal = record.parse_line(text)
    lines = story.tell_deal(internal["deck"], internal["first_seat"], Words("en", ascii=True))
    assert ["".join(part for part, _ in line).rstrip() for line in lines][1:] == shown


def test_doctor_checks_the_machine_and_a_run(call, small_run, tmp_path):
    status, out, _ = call("doctor", small_run)
    assert status == 0
    assert "gunzi-rng/1 gives the published numbers" in out
    assert "1 shards hold, 0 do not" in out
    assert "numba" in out and "cache" in out
    status, out, err = call("doctor", "--json")
    found = json.loads(out)
    assert (status, err, found["rng"]["faults"]) == (0, "", [])
    assert {"python", "packages", "cpu", "threads"} <= set(found["machine"])
    assert {"folder", "writable", "warm"} <= set(found["cache"])


def test_doctor_names_a_damaged_shard(call, tmp_path):
    gz.simulate(gz.rules(), "random", hands=2, out=tmp_path / "a", threads=1)
    [shard] = (tmp_path / "a" / "shards").iterdir()
    data = bytearray(shard.read_bytes())
    for place in range(200, 400):  # in the columns' pages
        data[place] ^= 255
    shard.write_bytes(data)
    status, out, _ = call("doctor", tmp_path / "a")
    assert status == 1
    assert str(shard) in out and "0 shards hold, 1 do not" in out


def test_doctor_fails_where_the_random_numbers_differ(call, monkeypatch):
    from gunzi_sim import checkup

    monkeypatch.setattr(checkup, "DECKS_SHA256", "0" * 64)
    monkeypatch.setattr(checkup, "FIRST_WORDS", ((0, 0, 0, "00000000 e169c58d bc57ac4c 9b00dbd8"),))
    status, out, _ = call("doctor", "--json")
    assert status == 1
    assert len(json.loads(out)["rng"]["faults"]) == 2


@pytest.mark.skipif(not IS_COMPILED, reason="what is timed is compiled kernels")
def test_bench_reports_phases_policies_and_threads(call, monkeypatch):
    from gunzi_sim import benching

    monkeypatch.setattr(benching, "SECONDS", 0.01)
    monkeypatch.setitem(runner.UNITS_PER_SHARD, "rounds", count(64, 1))
    status, out, err = call("bench", "--json", "--no-starts", "--repeats", 1, "--policies", "random")
    report = json.loads(out)
    assert (status, err) == (0, "")
    assert report["shuffle_ns"] > 0
    assert set(report["phases"]) == {"deal", "play and columns, random", "writing"}
    played = report["policies"]["random"]
    assert 25 * 4 < played["decisions_per_hand"] <= 39 * 4
    assert played["ns_per_hand"] > report["phases"]["deal"]["ns_per_hand"]
    assert report["threads"]["two_over_one"] > 0 and report["own_policy_ratio"] > 0
    text = ["".join(part for part, _ in line) for line in layout.bench(report, Words())]
    assert any(line.startswith("policy random") for line in text)


def test_wrong_input_of_every_kind_has_one_status():
    for error in (game.InputError("a"), game.RulesError("b"), game.RecordError("c")):
        assert cli._explain(error) == (2, str(error))
