"""Hand records of any game: JSON Lines, the envelope, bad lines and files, verdicts."""

import json
import random
import subprocess
import sys
import tracemalloc

import pytest
from gunzi.random_records import first_record, later_record
from hypothesis import given
from hypothesis import strategies as st

from gunzi_sim import games, record
from gunzi_sim.record import RecordError, Verdict

GOOD = later_record(random.Random(1))
LINE = record.write(GOOD)
OTHER = record.write(first_record(random.Random(2)))
WRONG = record.write(GOOD | {"result": GOOD["result"] | {"attacker_points": 301}})
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def fault(line):
    """Message of a line that is no record."""
    with pytest.raises(RecordError) as error:
        record.parse_line(line)
    assert error.value.clause == "FORMAT"
    message = error.value.message
    assert message and "\n" not in message and len(message) < 300, message
    message.encode()
    return message


def changed(**changes):
    """The good line with some keys changed; a value of `...` takes the key out."""
    fields = json.loads(LINE) | changes
    return json.dumps({key: value for key, value in fields.items() if value is not ...})


def test_canonical_line_has_the_keys_in_order_and_no_blanks():
    fields = json.loads(LINE)
    assert (
        list(fields)
        == (
            "format version game rules first_hand levels dealer owed first_seat deck claim declarations tribute bury "
            "joker_buries plays result"
        ).split()
    )
    assert LINE == json.dumps(fields, separators=(",", ":")) and "\n" not in LINE
    assert LINE.startswith('{"format":"gunzi-sim/hand","version":1,"game":"gunzi","rules":{"preset":"standard"},')
    with_source = record.write(GOOD | {"source": {"seed": 1, "round": 2, "hand": 3}})
    assert '"rules":{"preset":"standard"},"source":{"seed":1,"round":2,"hand":3},"first_hand":' in with_source


def test_rules_are_written_as_preset_and_differences_in_the_order_of_g15():
    line = changed(rules={"win_score": 125, "follow": "loose", "preset": "dalian", "jokers_may_open": False})
    written = record.write(record.parse_line(line))
    assert '"rules":{"preset":"dalian","follow":"loose","win_score":125},' in written
    assert '"rules":{"preset":"standard"},' in record.write(record.parse_line(changed(rules={})))


def test_text_and_bytes_read_alike():
    assert record.parse_line(LINE) == record.parse_line(LINE.encode()) == record.parse_line(f" {LINE}\r\n") == GOOD


def test_result_and_source_may_be_missing_and_nothing_else():
    assert "result" not in record.parse_line(changed(result=...))
    for key in json.loads(LINE):
        if key != "result":
            assert f"key {key!r} is missing" in fault(changed(**{key: ...}))


@given(JSON)
def test_source_is_free_and_kept(source):
    read = record.parse_line(changed(source=source))
    assert read["source"] == source
    line = record.write(read)
    assert record.write(record.parse_line(line)) == line
    line.encode()


@pytest.mark.parametrize(
    "line, part",
    [
        ("", "not JSON"),
        ("hello", "not JSON"),
        (LINE[:-1], "not JSON"),
        (LINE + LINE, "not JSON"),
        (LINE + "\x00", "not JSON"),
        (LINE.replace("gunzi", "gun\x00zi", 1), "not JSON"),
        (b"\x00" * 100, "not JSON"),
        (b"\xff\xfe" + LINE.encode("utf-16-le"), "not UTF-8"),
        (LINE.encode()[:50] + b"\xe9" + LINE.encode()[50:], "not UTF-8 text: byte 50"),
        ("[]", "must be an object"),
        ("3", "must be an object"),
        ("null", "must be an object"),
        (f"[{LINE}]", "must be an object"),
        ("NaN", "NaN is not JSON"),
        (changed(owed=float("nan")), "NaN is not JSON"),
        (changed(source=float("inf")), "Infinity is not JSON"),
        (changed(source=[-float("inf")]), "-Infinity is not JSON"),
        (changed(owed=0).replace('"owed": 0', '"owed": 1e999'), "number out of range"),
        (changed(owed=2**64), "number out of range"),
        (changed(source=-(2**63) - 1), "number out of range"),
        (changed(owed=0).replace('"owed": 0', '"owed": ' + "9" * 10_000), "number out of range"),
        (changed(owed=0).replace('"owed": 0', '"owed": -' + "9" * 10_000), "number out of range"),
        (changed(owed=0).replace('"owed": 0', '"owed": 00'), "not JSON"),
        (LINE.replace('"version":1', '"version":1,"version":1'), "key 'version' is there twice"),
        (changed(source={"a": 0}).replace('"a": 0', '"a": 0, "a": 0'), "key 'a' is there twice"),
        ("[" * 500_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        (changed(source=0).replace('"source": 0', '"source": ' + "[" * 500 + "]" * 500), "source: nested too deeply"),
        (changed(source="\ud800"), "half of a surrogate pair"),
        (changed(source={"\udfff": 1}), "half of a surrogate pair"),
        (LINE + " " * (1 << 20), "line longer than 1048576 bytes"),
    ],
    ids=range(31),
)
def test_what_is_no_json_object_is_format(line, part):
    assert part in fault(line)


@pytest.mark.parametrize(
    "changes, part",
    [
        ({"format": "gunzi-sim/hands"}, "format must be 'gunzi-sim/hand', got 'gunzi-sim/hands'"),
        ({"format": None}, "format must be"),
        ({"version": 2}, "version must be 1, got 2"),
        ({"version": "1"}, "version must be 1, got '1'"),
        ({"version": True}, "version must be 1, got True"),
        ({"version": 1.0}, "version must be 1, got 1.0"),
        ({"game": "Gunzi"}, "unknown game 'Gunzi'; did you mean 'gunzi'?"),
        ({"game": ["gunzi"]}, "unknown game ['gunzi']"),
        ({"game": "../gunzi"}, "unknown game"),
        ({"rules": None}, "rules: rules must be an object of options, got None"),
        ({"rules": "standard"}, "rules: rules must be an object"),
        ({"rules": {"preset": "standart"}}, "rules: unknown preset 'standart' of gunzi; did you mean 'standard'?"),
        ({"rules": {"folow": "loose"}}, "rules: unknown option 'folow' of gunzi; did you mean 'follow'?"),
        ({"rules": {"follow": "lose"}}, "rules: follow must be strict or loose, got 'lose'; did you mean 'loose'?"),
        ({"rules": {"self_overcall": "yes"}}, "rules: self_overcall must be true or false, got 'yes'"),
        ({"rules": {"win_score": 121}}, "rules: win_score must be a multiple of 5"),
        ({"rules": {"win_score": 200}}, "rules: win_score must be at most tribute_high (150), got 200"),
        ({"dek": []}, "unknown key 'dek'; did you mean 'deck'?"),
        ({"x\ny\x1b": []}, r"unknown key 'x\ny\x1b'"),
        ({"k" * 10_000: 1}, "unknown key"),
    ],
    ids=range(20),
)
def test_bad_envelope_is_format(changes, part):
    assert part in fault(changed(**changes))


@given(st.binary(max_size=200) | st.text(max_size=200) | JSON.map(json.dumps))
def test_anything_else_is_format_and_nothing_worse(line):
    fault(line)


@given(st.data())
def test_a_damaged_line_is_format_or_a_record(data):
    line = bytearray(LINE.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(line) - 1))
        line[place : place + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=3))
    try:
        record.parse_line(bytes(line))
    except RecordError as error:
        assert error.clause == "FORMAT" and "\n" not in error.message


# -------------------------------------------------------------------------------------------------------- files


def write_lines(path, *lines):
    path.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))
    return str(path)


def test_verify_gives_a_verdict_for_every_record(tmp_path):
    file = write_lines(tmp_path / "table.jsonl", LINE, "", WRONG, "  \r", "{}", OTHER)
    verdicts = list(record.verify([file]))
    assert [(v.file, v.line, v.clause) for v in verdicts] == [
        (file, 1, None),
        (file, 3, "G11.3" if GOOD["result"]["dig"] else "G11.2"),
        (file, 5, "FORMAT"),
        (file, 6, None),
    ]
    assert [v.ok for v in verdicts] == [True, False, False, True]
    assert all(v.play is None for v in verdicts)


def test_verdict_reads_as_record_md_says():
    verdict = Verdict("table.jsonl", 3, "G10.4", 17, "play 17 (seat 2): pair led and a pair held")
    assert str(verdict) == "table.jsonl:3: G10.4: play 17 (seat 2): pair led and a pair held"
    assert list(verdict._asdict()) == ["file", "line", "clause", "play", "message"]


def test_a_faulty_play_is_numbered(tmp_path):
    plays = [list(play) for play in GOOD["plays"]]
    plays[4] = [53, 53, 53, 53]
    (verdict,) = record.verify([write_lines(tmp_path / "a.jsonl", record.write(GOOD | {"plays": plays}))])
    assert (verdict.clause, verdict.play) == ("G10.1", 4)
    assert str(verdict).startswith(f"{tmp_path}/a.jsonl:1: G10.1: play 4 (seat ")


def test_files_are_read_in_order_and_tolerantly(tmp_path):
    bom = write_lines(tmp_path / "a.jsonl", b"\xef\xbb\xbf" + LINE.encode() + b"\r", OTHER, "")
    empty = write_lines(tmp_path / "b.jsonl")
    last = write_lines(tmp_path / "c.jsonl", "", OTHER)
    verdicts = list(record.verify([bom, tmp_path / "b.jsonl", last]))
    assert [(v.file, v.line, v.ok) for v in verdicts] == [(bom, 1, True), (bom, 2, True), (last, 2, True)]
    assert list(record.verify([empty])) == list(record.verify([])) == []


@pytest.mark.parametrize(
    "name, reason", [("none.jsonl", "No such file"), (".", "Is a directory"), ("a\x00b", "null byte")]
)
def test_a_file_that_cannot_be_read_stops_before_any_verdict(tmp_path, name, reason):
    good = write_lines(tmp_path / "a.jsonl", LINE)
    with pytest.raises(games.InputError, match=rf"^cannot read .*{reason}"):
        next(record.verify([good, tmp_path / name]))


def test_a_huge_line_is_format_and_never_held(tmp_path):
    file = tmp_path / "huge.jsonl"
    with open(file, "wb") as out:
        out.write(LINE.encode() + b"\n" + b'{"source":"')
        out.truncate(200 << 20)
        out.seek(0, 2)
        out.write(b'"}\n' + LINE.encode() + b"\n" + b"[" * (3 << 20))
    tracemalloc.start()
    try:
        verdicts = list(record.verify([file]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [(v.line, v.clause) for v in verdicts] == [(1, None), (2, "FORMAT"), (3, None), (4, "FORMAT")]
    assert verdicts[1].message == verdicts[3].message == "line longer than 1048576 bytes"
    assert peak < 16 << 20


def test_the_longest_line_is_read_and_one_byte_more_is_not(tmp_path):
    blanks = b" " * (record.LINE_LIMIT - len(LINE) - 1)
    file = write_lines(tmp_path / "a.jsonl", LINE.encode() + blanks, LINE.encode() + blanks + b" ", LINE)
    assert [(v.line, v.clause) for v in record.verify([file])] == [(1, None), (2, "FORMAT"), (3, None)]


def test_read_one_line(tmp_path):
    file = write_lines(tmp_path / "a.jsonl", "", LINE, "{}", OTHER)
    assert record.read_one(file) == record.read_one(file, 2) == GOOD
    assert record.write(record.read_one(file, 4)) == OTHER
    with pytest.raises(RecordError):
        record.read_one(file, 3)
    for line in (1, 5):
        with pytest.raises(games.InputError, match=rf"no record in line {line}$"):
            record.read_one(file, line)
    with pytest.raises(games.InputError, match=r"no record$"):
        record.read_one(write_lines(tmp_path / "b.jsonl", ""))


def test_reading_and_verifying_import_nothing_compiled(tmp_path):
    file = write_lines(tmp_path / "a.jsonl", LINE, WRONG)
    code = (
        "import sys; from gunzi_sim import record, game, games\n"
        f"assert len(list(record.verify([{file!r}]))) == 2\n"
        "heavy = {'numpy', 'numba', 'pandas', 'pyarrow'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_games_by_name():
    assert games.rules_class("gunzi").GAME == "gunzi"
    assert games.records("gunzi").KEYS[0] == "first_hand"
    for getter in (games.referee, games.records, games.rules_of, games.rules_class):
        with pytest.raises(games.InputError, match="unknown game 'gunzy'; did you mean 'gunzi'"):
            getter("gunzy")
