"""Golden records (`golden_values.py`): one for every preset and option value, replayed by the referee."""

import pytest
from golden_values import FOLDER, UNSEEN, tells, values

from gunzi_sim import record as record_file
from gunzi_sim.game import options, to_mapping
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.rules import PRESETS, GunziRules

OPTIONS = [opt.name for opt in options(GunziRules)]
FILES = sorted(path.name for path in FOLDER.glob("*.jsonl"))


def golden(file):
    return (FOLDER / file).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("file", FILES)
def test_g15_golden_records_hold(file):
    for line in golden(file):
        record = record_file.parse_line(line)
        assert referee.check(record) is None
        assert referee.derive(record) == record["result"]
        assert referee.trace_hash(record) == record["source"]["trace_hash"]
        assert record_file.write(record) == line


@pytest.mark.parametrize("preset", PRESETS)
def test_g15_every_preset_has_golden_records(preset):
    records = [record_file.parse_line(line) for line in golden(f"preset_{preset}.jsonl")]
    assert {record["first_hand"] for record in records} == {True, False}
    assert [to_mapping(record["rules"]) for record in records] == [{"preset": preset}] * len(records)


@pytest.mark.parametrize("name", OPTIONS)
def test_g15_every_option_value_has_a_golden_record_that_tells_it(name):
    spec = next(opt.spec for opt in options(GunziRules) if opt.name == name)
    records = [record_file.parse_line(line) for line in golden(f"{name}.jsonl")]
    assert [spec.plain(getattr(record["rules"], name)) for record in records] == values(name)
    for record, value in zip(records, values(name)):
        assert tells(record, name) or value in UNSEEN[name]


def test_g15_every_golden_file_belongs_to_a_preset_or_option():
    assert FILES == sorted([f"{name}.jsonl" for name in OPTIONS] + [f"preset_{preset}.jsonl" for preset in PRESETS])
