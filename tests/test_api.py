import enum
import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
from counts import count

import gunzi_sim as gz
from gunzi_sim import record as records
from gunzi_sim import results, run_files, run_info, runner
from gunzi_sim.gunzi import referee

N_ROUNDS = count(8, 2)


@pytest.fixture(scope="module")
def rules():
    return gz.rules("gunzi", "standard")


@pytest.fixture(scope="module")
def run(rules):
    """A few rounds in memory."""
    return gz.simulate(rules, policies="random", rounds=N_ROUNDS, seed=3, threads=1)


def hashes(run):
    return run.to_pandas(["round_id", "hand", "trace_hash"]).to_numpy().tolist()


# ---------------------------------------------------------------------------------------------------------- the names


def test_importing_the_package_imports_nothing_heavy():
    code = """
import sys
import gunzi_sim as gz
gz.rules, gz.verify, gz.simulate, dir(gz)
gz.rules("gunzi", "classic", follow="loose")
heavy = {"numpy", "numba", "pandas", "pyarrow", "scipy"} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_public_name_is_there_and_listed():
    assert {"simulate", "open_run", "rules", "policy", "deals", "verify"} <= set(gz.__all__)
    for name in gz.__all__:
        assert getattr(gz, name) is not None
        assert name in dir(gz)
    assert gz.__version__ == run_info.package_versions()["gunzi_sim"]
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        gz.simulat  # noqa: B018


# -------------------------------------------------------------------------------------------------------------- rules


def test_rules_are_a_preset_with_options(rules):
    assert gz.rules() == gz.rules("gunzi") == rules
    loose = gz.rules("gunzi", "classic", follow="loose", win_score=100)
    assert (loose.preset, loose.follow.name, loose.win_score) == ("classic", "LOOSE", 100)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": "gunz"}, "unknown game 'gunz'; did you mean 'gunzi'"),
        ({"game": None}, "unknown game None"),
        ({"preset": "standart"}, "unknown preset 'standart'.*did you mean 'standard'"),
        ({"folow": "loose"}, "unknown option 'folow'.*did you mean 'follow'"),
        ({"follow": "lose"}, "follow must be strict or loose, got 'lose'; did you mean 'loose'"),
        ({"win_score": 301}, "win_score must be .* 5 to 300"),
        ({"win_score": float("nan")}, "win_score must be .* got nan"),
        ({"win_score": True}, "win_score must be .* got True"),
        ({"win_score": 2**80}, "win_score must be"),
        ({"self_overcall": 1}, "self_overcall must be true or false, got 1"),
    ],
)
def test_rules_that_cannot_be_are_named(arguments, words):
    with pytest.raises((gz.InputError, gz.RulesError), match=words) as caught:
        gz.rules(**arguments)
    assert "\n" not in str(caught.value)


# ----------------------------------------------------------------------------------------------------- wrong arguments


class Word(enum.IntEnum):
    TEN = 10


WRONG = [
    ({}, "either rounds or hands.*got neither"),
    ({"rounds": 5, "hands": 5}, "either rounds or hands.*got both"),
    ({"rounds": 0}, "rounds must be an integer from 1"),
    ({"rounds": -3}, "rounds must be an integer from 1 to 281474976710656, got -3"),
    ({"rounds": True}, "rounds must be .* got True"),
    ({"rounds": 2.0}, r"rounds must be .* got 2\.0"),
    ({"rounds": float("nan")}, "rounds must be .* got nan"),
    ({"rounds": "10"}, "rounds must be .* got '10'"),
    ({"rounds": 2**80}, "rounds must be"),
    ({"rounds": Word.TEN}, "rounds must be"),
    ({"hands": 0}, "hands must be an integer from 1"),
    ({"hands": False}, "hands must be .* got False"),
    ({"rounds": 5, "seed": -1}, "seed must be an integer from 0 to 2.64 - 1.*, got -1"),
    ({"rounds": 5, "seed": 2**64}, "seed must be .* got 18446744073709551616"),
    ({"rounds": 5, "seed": True}, "seed must be .* got True"),
    ({"rounds": 5, "seed": 1.0}, "seed must be"),
    ({"rounds": 5, "seed": "1"}, "seed must be"),
    ({"rounds": 5, "seed": None}, "seed must be"),
    ({"rounds": 5, "threads": 0}, "threads must be an integer from 1"),
    ({"rounds": 5, "threads": -2}, "threads must be"),
    ({"rounds": 5, "threads": 1.5}, "threads must be"),
    ({"rounds": 5, "policies": "randon"}, "unknown policy 'randon'; did you mean 'random'"),
    ({"rounds": 5, "policies": "random,basic,random"}, "1 policy for all seats or 4.*got 3"),
    ({"rounds": 5, "policies": ["random"] * 5}, "got 5"),
    ({"rounds": 5, "policies": []}, "got 0"),
    ({"rounds": 5, "policies": 7}, "policies must be"),
    ({"rounds": 5, "policies": [1, 2, 3, 4]}, "a policy is given by name, got 1"),
    ({"rounds": 5, "policies": "random:x=1"}, "no parameter 'x'"),
    ({"rounds": 5, "rules": "standard"}, r"rules must come from rules\(.*got 'standard'"),
    ({"rounds": 5, "rules": None}, "rules must come from rules"),
    ({"rounds": 5, "levels": (11, 3)}, "levels must be integers from 3 to 10, got 11"),
    ({"rounds": 5, "levels": (2, 3)}, "levels must be integers from 3 to 10, got 2"),
    ({"rounds": 5, "dealer": 4}, "dealer must be an integer from 0 to 3, got 4"),
    ({"rounds": 5, "owed": -1}, "owed must be an integer from 0"),
    ({"rounds": 5, "first_hand": True}, "first_hand is for single hands"),
    ({"rounds": 5, "levels": (5, 3), "first_hand": True}, "first_hand is for single hands"),
    ({"hands": 5, "levels": (11, 3)}, "levels must be integers from 3 to 10, got 11"),
    ({"hands": 5, "levels": (2, 3)}, "levels must be integers from 3 to 10, got 2"),
    ({"hands": 5, "levels": (5, True)}, "levels must be .* got True"),
    ({"hands": 5, "levels": (5,)}, "levels must be two levels"),
    ({"hands": 5, "levels": "53"}, "levels must be two levels"),
    ({"hands": 5, "levels": 5}, "levels must be two levels"),
    ({"hands": 5, "dealer": 4}, "dealer must be an integer from 0 to 3, got 4"),
    ({"hands": 5, "dealer": -1}, "dealer must be"),
    ({"hands": 5, "dealer": False}, "dealer must be"),
    ({"hands": 5, "owed": -1}, "owed must be an integer from 0"),
    ({"hands": 5, "owed": 1.5}, "owed must be"),
    ({"hands": 5, "first_hand": 1}, "first_hand must be true or false"),
    ({"hands": 5, "first_hand": True, "dealer": 0}, "a first hand has no dealer"),
    ({"hands": 5, "first_hand": True, "owed": 0}, "a first hand has no dealer and owes no tribute"),
    ({"hands": 5, "first_hand": True, "levels": (4, 3)}, r"at the start level, 3 \(G2\.1\)"),
    ({"rounds": 5, "resume": True}, "resume .*needs out"),
    ({"rounds": 5, "resume": 1, "out": "x"}, "resume must be true or false"),
    ({"rounds": 5, "out": ""}, "out must be the path"),
    ({"rounds": 5, "out": "a\0b"}, "out must be the path"),
    ({"rounds": 5, "out": b"run"}, "out must be the path"),
    ({"rounds": 5, "out": 7}, "out must be the path"),
    ({"rounds": 5, "progress": 7}, "progress must be callable"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=lambda value: str(value)[:40])
def test_wrong_arguments_are_named_in_one_line(rules, arguments, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(gz.InputError, match=words) as caught:
        gz.simulate(**{"rules": rules, "policies": "random"} | arguments)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200
    assert list(tmp_path.iterdir()) == []


def decks(n=3):
    return gz.deals("gunzi", n=n, seed=2)


def with_card(deck, place, card):
    changed = deck.astype(np.int64)
    changed[place] = card
    return changed


WRONG_DEALS = [
    (lambda: decks()[0], r"shape \(n, 162\), got uint8 of shape \(162,\)"),
    (lambda: decks()[:, :161], r"got uint8 of shape \(3, 161\)"),
    (lambda: decks()[None], r"got uint8 of shape \(1, 3, 162\)"),
    (lambda: decks()[:0], "at least one row"),
    (lambda: decks().astype(float), "got float64"),
    (lambda: decks() > 3, "got bool"),
    (lambda: decks().astype(object), "got object"),
    (lambda: [[1, 2], [3]], "rows of unequal length"),
    (lambda: 7, r"got int64 of shape \(\)"),
    (lambda: "decks", "must be an integer array"),
    (lambda: with_card(decks(), (1, 5), 162), r"deals\[1\] is no order of the cards 0 to 161: there is no card 162"),
    (lambda: with_card(decks(), (2, 0), -1), r"deals\[2\].*there is no card -1"),
    (lambda: with_card(decks(), (0, 0), 300), r"deals\[0\].*there is no card 300"),
    (lambda: with_card(decks(), (2, 0), decks()[2, 1]), r"deals\[2\].* card \d+ is there 2 times"),
    (lambda: with_card(np.tile(decks(1), (9000, 1)), (8500, 3), 162), r"deals\[8500\]"),
]


@pytest.mark.parametrize(("make", "words"), WRONG_DEALS, ids=[words[:30] for _, words in WRONG_DEALS])
def test_wrong_deals_are_named_by_their_row(rules, make, words):
    with pytest.raises(gz.InputError, match=words) as caught:
        gz.simulate(rules, policies="random", deals=make())
    assert "\n" not in str(caught.value)


def test_deals_are_single_hands(rules):
    with pytest.raises(gz.InputError, match="deals are played as single hands"):
        gz.simulate(rules, policies="random", deals=decks(), rounds=3)
    with pytest.raises(gz.InputError, match="there are 3 deals, so hands must be 3 or left out, got 4"):
        gz.simulate(rules, policies="random", deals=decks(), hands=4)
    assert gz.simulate(rules, policies="random", deals=decks(), hands=3).n_rows == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": "gunz", "n": 1}, "unknown game"),
        ({"n": 0}, "n must be an integer from 1"),
        ({"n": True}, "n must be"),
        ({"n": 2, "seed": -1}, "seed must be"),
    ],
)
def test_wrong_arguments_of_deals(arguments, words):
    with pytest.raises(gz.InputError, match=words):
        gz.deals(**arguments)


# ------------------------------------------------------------------------------------------------------------ the rows


def test_threads_shards_and_batches_change_no_row(rules, run, monkeypatch, tmp_path):
    cells = list(itertools.product([1, 2, 3], [1, 4096], [1, 64]))
    assert len(cells) >= 12
    for number, (threads, units_per_shard, step) in enumerate(cells[:: count(1, 5)]):
        monkeypatch.setattr(runner, "UNITS_PER_SHARD", {"rounds": units_per_shard})
        monkeypatch.setattr(runner, "FIRST_STEP", step)
        out = tmp_path / str(number) if number % 3 == 1 else None
        again = gz.simulate(rules, policies="random", rounds=N_ROUNDS, seed=3, threads=threads, out=out)
        assert again.to_arrow().equals(run.to_arrow())


def test_a_longer_run_begins_with_the_same_rounds(rules, run):
    longer = gz.simulate(rules, policies="random", rounds=N_ROUNDS + 2, seed=3)
    assert hashes(longer)[: run.n_rows] == hashes(run)


def test_seed_rules_and_policies_change_the_rows(rules, run):
    others = [
        gz.simulate(rules, policies="random", rounds=N_ROUNDS, seed=4),
        gz.simulate(gz.rules("gunzi", "standard", follow="loose"), policies="random", rounds=N_ROUNDS, seed=3),
        gz.simulate(rules, policies="basic,random,basic,random", rounds=N_ROUNDS, seed=3),
    ]
    assert len({tuple(map(tuple, hashes(one))) for one in [run, *others]}) == 4


def test_a_rules_file_is_read(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('game = "gunzi"\npreset = "standard"\nwin_score = 125\n')
    assert gz.rules("gunzi", str(path)).win_score == 125
    assert gz.rules("gunzi", str(path), follow="loose").follow != gz.rules().follow


def test_a_path_that_is_no_text_is_refused():
    with pytest.raises(gz.InputError, match="out must be a path that is text in UTF-8"):
        gz.simulate(gz.rules(), hands=1, out="a\udcff")


@pytest.mark.parametrize("seed", [0, 2**63, 2**64 - 1, np.uint64(5)])
def test_every_seed_of_64_bits_can_be_played_and_stored(rules, seed, tmp_path):
    run = gz.simulate(rules, policies="random", hands=2, seed=seed, out=tmp_path / "run")
    assert run.seed == int(seed)
    assert json.loads((tmp_path / "run" / "run.json").read_text())["seed"] == int(seed)
    assert run.record(index=1)[0]["source"]["seed"] == int(seed)


def test_single_hands_are_dealt_from_deals(rules):
    n = count(40, 5)
    hands = gz.simulate(rules, policies="random", hands=n, seed=2, levels=(5, 7), dealer=3, owed=2)
    given = gz.simulate(rules, policies="random", deals=decks(n), seed=2, levels=(5, 7), dealer=3, owed=2)
    assert given.to_arrow().equals(hands.to_arrow())
    frame = hands.to_pandas()
    assert frame["round_id"].tolist() == list(range(n)) and set(frame["hand"]) == {0}
    assert {
        tuple(row) for row in frame[["first_hand", "level_0", "level_1", "level", "dealer", "owed"]].to_numpy()
    } == {(0, 5, 7, 7, 3, 2)}


def test_single_hands_start_at_the_rules_start_level(rules):
    late = gz.rules("gunzi", "standard", start_level=6)
    frame = gz.simulate(late, policies="random", hands=5).to_pandas()
    assert set(frame["level_0"]) == set(frame["level_1"]) == {6}
    first = gz.simulate(late, policies="random", hands=5, first_hand=True).to_pandas()
    assert set(first["first_hand"]) == {1} and set(first["level"]) == {6}


def test_rounds_may_begin_in_a_stated_situation(rules, tmp_path):
    """The first hand is a later hand as stated; what follows, follows from it (G12, G13)."""
    n = count(30, 2)
    start = {"levels": (5, 3), "dealer": 1, "owed": 2}
    run = gz.simulate(rules, policies="random", rounds=n, seed=4, out=tmp_path / "run", threads=1, **start)
    assert run.info.situation == {"levels": [5, 3], "dealer": 1, "owed": 2, "first_hand": False}
    assert run.is_complete and run.summary().rows[1].n == n
    rows = run.to_pandas().to_dict("records")
    for before, row in zip([None, *rows], rows):
        begins = row["hand"] == 0
        levels = [row["level_0"], row["level_1"]]
        assert row["first_hand"] == 0
        assert begins == (before is None or before["round_end"] != 0)
        if begins:
            assert (levels, row["dealer"], row["owed"]) == ([5, 3], 1, 2)
        else:
            assert levels == [before[f"level_{side}"] + before[f"raise_{side}"] for side in (0, 1)]
            assert (row["dealer"], row["owed"]) == (before["next_dealer"], before["owed_next"])
    again = gz.open_run(tmp_path / "run")
    record = again.record(index=n - 1)[0]
    assert (record["levels"], record["dealer"], record["owed"], record["claim"]) == ([5, 3], 1, 2, None)
    assert referee.check(records.parse_line(json.dumps(record))) is None
    run_files.list_shards(tmp_path / "run")[0].path.unlink()
    assert hashes(gz.open_run(tmp_path / "run").resume(threads=1)) == hashes(run)


def test_what_is_not_stated_of_a_rounds_start_is_as_in_single_hands(rules):
    late = gz.rules("gunzi", "standard", start_level=6)
    row = gz.simulate(late, policies="random", rounds=1, owed=1, threads=1).to_pandas().iloc[0]
    assert [row[name] for name in ("first_hand", "level_0", "level_1", "dealer", "owed")] == [0, 6, 6, 0, 1]


def test_a_usual_round_is_the_run_it_was(rules, run):
    """Not even a situation like that of single hands: a round begins with a first hand (G2.1)."""
    assert run.info.situation is None
    assert set(run.to_pandas().query("hand == 0")["first_hand"]) == {1}
    stated = gz.simulate(rules, policies="random", rounds=N_ROUNDS, seed=3, threads=1, levels=(3, 3))
    assert stated.info.run_hash != run.info.run_hash
    assert hashes(stated) != hashes(run)


def test_g2_4_no_round_begins_where_it_would_be_over():
    reaching = gz.rules("gunzi", "standard", round_won_by="reaching")
    with pytest.raises(gz.InputError, match=r"a side that reaches 10 has won the round .*G2\.4.*got \(3, 10\)"):
        gz.simulate(reaching, policies="random", rounds=1, levels=(3, 10))
    one_level = gz.rules("gunzi", "standard", round_won_by="reaching", start_level=10)
    assert gz.simulate(one_level, policies="random", rounds=1, levels=(10, 10), threads=1).n_rows > 0


def test_given_deals_are_stored_beside_run_json(rules, tmp_path):
    given = decks(6)[::-1]
    run = gz.simulate(rules, policies="random", deals=given.astype(np.int32), seed=2, out=tmp_path / "run")
    assert (run_files.read_deals(tmp_path / "run", run.info) == given).all()
    record = gz.open_run(tmp_path / "run").record(index=4)[0]
    assert records.parse_line(json.dumps(record))["deck"] == (given[4] % 54).tolist()


def stacked(bottom):
    """A deck whose bottom begins with these cards; no card decides a claim before all is dealt."""
    rest = [card for card in range(162) if card not in bottom]
    return np.array([rest + bottom], np.uint8)


def test_g4_3_a_void_given_deal_is_an_error(rules):
    jokers = [52, 53, 106, 107, 160, 161]
    void = np.concatenate([decks(2), stacked(jokers)])
    with pytest.raises(gz.InputError, match=r"deals\[2\] is void"):
        gz.simulate(rules, policies="random", deals=void, first_hand=True)


# ------------------------------------------------------------------------------------------------------------- records


def test_every_record_is_its_row(run):
    table = run.to_pandas()
    for index in range(N_ROUNDS):
        found = run.record(index=index)
        rows = table[table["round_id"] == index]
        assert [one["source"] for one in found] == [
            {"seed": 3, "round": index, "hand": hand} for hand in range(len(rows))
        ]
        for one, row in zip(found, rows.to_dict("records")):
            internal = records.parse_line(json.dumps(one))
            assert referee.check(internal) is None
            assert referee.row(internal) | {"round_id": row["round_id"], "hand": row["hand"]} == row


def test_hands_of_a_long_round_are_had_one_by_one(rules):
    """More hands than the rows that a traced round is given at first."""
    played = gz.simulate(rules, policies="basic", rounds=1, seed=0, threads=1)
    assert played.n_rows > 20
    (record,) = played.record(index=0, hand=17)
    assert referee.row(records.parse_line(json.dumps(record)))["trace_hash"] == hashes(played)[17][2]


def test_one_hand_of_a_round(run):
    assert run.record(index=1, hand=1) == [run.record(index=1)[1]]
    assert run.record(np.int64(1), np.int8(1)) == run.record(index=1, hand=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"index": N_ROUNDS}, f"index must be a round_id from 0 to {N_ROUNDS - 1}, got {N_ROUNDS}"),
        ({"index": -1}, "index must be"),
        ({"index": True}, "index must be"),
        ({"index": "1"}, "index must be"),
        ({"index": 0, "hand": -1}, "hand must be"),
        ({"index": 0, "hand": 1.5}, "hand must be"),
        ({"index": 0, "hand": 500}, "not hand 500"),
    ],
)
def test_a_record_that_is_not_there(run, arguments, words):
    with pytest.raises(gz.InputError, match=words):
        run.record(**arguments)


def test_records_of_a_stored_run_verify(rules, tmp_path):
    run = gz.simulate(rules, policies="random", rounds=2, seed=3, out=tmp_path / "run")
    lines = [json.dumps(one) for index in range(2) for one in gz.open_run(tmp_path / "run").record(index)]
    good = tmp_path / "good.jsonl"
    good.write_text("\n".join(lines) + "\n")
    found = gz.verify(good)
    assert (found.ok, found.n_ok, found.n_bad, str(found)) == (True, run.n_rows, 0, f"{run.n_rows} ok, 0 bad")
    broken = json.loads(lines[0])
    broken["result"]["attacker_points"] += 5
    bad = tmp_path / "bad.jsonl"
    bad.write_text(lines[1] + "\n" + json.dumps(broken) + "\nrubbish\n")
    found = gz.verify(str(good), bad)
    assert (found.ok, found.n_ok, found.n_bad) == (False, run.n_rows + 1, 2)
    assert [(verdict.line, verdict.clause[:3]) for verdict in found.bad] == [(2, "G11"), (3, "FOR")]
    assert str(found).endswith(f"{run.n_rows + 1} ok, 2 bad")


def test_verify_needs_files_that_can_be_read(tmp_path):
    with pytest.raises(gz.InputError, match="at least one file"):
        gz.verify()
    with pytest.raises(gz.InputError, match="cannot read"):
        gz.verify(tmp_path / "none.jsonl")
    with pytest.raises(gz.InputError, match="path must be the path of a file"):
        gz.verify(3)


# --------------------------------------------------------------------------------------------------------------- runs


def test_a_stored_run_is_opened_resumed_and_described(rules, run, tmp_path):
    stored = gz.simulate(rules, policies="random", rounds=N_ROUNDS, seed=3, out=tmp_path / "run", threads=1)
    opened = gz.open_run(str(tmp_path / "run"))
    assert isinstance(opened, gz.Run) and isinstance(opened, results.Run)
    assert opened.to_arrow().equals(run.to_arrow()) and stored.to_arrow().equals(run.to_arrow())
    assert opened.summary() == run.summary()
    assert opened.rules == rules and opened.policies == ("random",) * 4
    content = json.loads((tmp_path / "run" / "run.json").read_text())
    assert content["rules"] == {"preset": "standard"} | content["rules"] and len(content["rules"]) == 27
    assert {policy["text"] for policy in content["policies"]} == {"random"}
    assert {"gunzi_sim", "numpy", "numba", "pyarrow", "python"} == set(content["versions"])
    again = gz.simulate(rules, policies="random", rounds=N_ROUNDS, seed=3, out=tmp_path / "run", resume=True)
    assert again.to_arrow().equals(run.to_arrow())
    with pytest.raises(gz.BusyError, match="holds this run already"):
        gz.simulate(rules, policies="random", rounds=N_ROUNDS, seed=3, out=tmp_path / "run")
    with pytest.raises(gz.BusyError, match="its rule follow is strict, not loose"):
        loose = gz.rules("gunzi", "standard", follow="loose")
        gz.simulate(loose, policies="random", rounds=N_ROUNDS, seed=3, out=tmp_path / "run", resume=True)


def test_open_run_wants_a_run(tmp_path):
    with pytest.raises(gz.InputError, match="does not exist"):
        gz.open_run(tmp_path / "none")
    with pytest.raises(gz.InputError, match="path must be the path of a file or directory, got None"):
        gz.open_run(None)


def test_planned_is_the_run_that_simulate_plays(rules, run):
    from gunzi_sim import api

    planned = api.planned(rules, policies="random", rounds=N_ROUNDS, seed=3)
    assert planned.info == run.info
    assert planned.record(index=1) == run.record(index=1)


# ----------------------------------------------------------------------------------------------------------- policies


def test_a_policy_of_ones_own(rules, tmp_path):
    @gz.policy("gunzi", "jokers", name="test-none", base="random")
    def no_jokers(view, params, draws):
        return np.uint64(0), np.uint64(0), np.uint64(0)

    assert no_jokers.__name__ == "no_jokers"
    run = gz.simulate(
        rules, policies="test-none,random,test-none,random", hands=count(300, 40), seed=1, out=tmp_path / "run"
    )
    frame = run.to_pandas()
    for seat in (0, 2):
        others = frame[frame["dealer"] != seat]
        assert others[f"big_buried_{seat}"].sum() == others[f"small_buried_{seat}"].sum() == 0
    others = frame[frame["dealer"] != 1]
    assert others["big_buried_1"].sum() + others["small_buried_1"].sum() > 0
    assert gz.open_run(tmp_path / "run").record(index=7)[0]["source"]["round"] == 7

    @gz.policy("gunzi", "jokers", name="test-none", base="random", replace=True)
    def other(view, params, draws):
        return np.uint64(0), np.uint64(0), np.uint64(0 * view.seat)

    with pytest.raises(gz.InputError, match=r"a policy of .* has changed since"):
        gz.open_run(tmp_path / "run").record(index=7)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gunz", "lead", "x"), "unknown game"),
        (("gunzi", "leed", "x"), "unknown decision 'leed'; did you mean 'lead'"),
        (("gunzi", "lead", "x", "rando"), "unknown policy 'rando'; did you mean 'random'"),
        (("gunzi", "lead", "basic"), "comes with the game"),
        (("gunzi", "lead", "a,b"), "a policy's name is made of letters"),
    ],
)
def test_a_policy_that_cannot_be(arguments, words):
    with pytest.raises(gz.InputError, match=words):
        gz.policy(*arguments)(lambda view, params, draws: 0)


def test_a_policy_is_a_function():
    with pytest.raises(gz.InputError, match="made of a function, got 7"):
        gz.policy("gunzi", "lead", name="x")(7)
