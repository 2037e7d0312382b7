"""
Golden records: which values need one, and how they are made again: `python tests/golden_values.py`, some minutes.

`tests/golden/` holds one file a preset and option, one canonical record a value. `source` says which value a record
stands for and pins its `trace_hash`. Records are found by random play, tried until the value can be seen: until the
same record is judged otherwise under a neighbouring value (`tells`), where there is such a record.
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gunzi.random_records import Habits, clause, deal, first_record, later_record, random_deck, with_rules

from gunzi_sim import record as record_file
from gunzi_sim.game import change, options
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.rules import PRESETS, GunziRules

FOLDER = Path(__file__).resolve().parent / "golden"
SCORES = ("win_score", "tribute_low", "tribute_high")
ALL_VALUES_UP_TO = 16
"""Options with more values than this have a record for both ends, the presets' value and its neighbours."""

UNSEEN = {
    "follow": ["strict"],
    "first_claim": ["automatic"],
    "self_overcall": [False],
    "jokers_may_open": [False],
    "bury_big_first": [True],
    "others_bury_jokers": [False],
    "max_jokers_per_seat": [0],
    "tribute_low": [5],
}
"""Values that only forbid, so that a record of theirs holds under the others too; and one seen only at S = 5."""

TRIES = 3000


def values(name: str) -> list[Any]:
    """The plain values of an option that need a golden record, in their order."""
    opt = next(opt for opt in options(GunziRules) if opt.name == name)
    schema = opt.spec.schema()
    schema = schema.get("anyOf", [schema])[0]
    if schema.get("type") == "boolean":
        return [False, True]
    if "enum" in schema:
        return list(schema["enum"])
    step = schema.get("multipleOf", 1)
    whole = list(range(schema["minimum"], schema["maximum"] + 1, step))
    if len(whole) <= ALL_VALUES_UP_TO:
        return whole
    return sorted({whole[0], opt.default - step, opt.default, opt.default + step, whole[-1]})


def neighbours(name: str, value: Any) -> list[Any]:
    """Values that a record of `value` is compared with: one step away for numbers, all others for words."""
    if type(value) is int:
        step = 5 if name in SCORES else 1
        return [value - step, value + step]
    return [other for other in values(name) if other != value]


def rules_with(name: str, value: Any, rng: random.Random) -> GunziRules:
    """Standard rules with one option changed, and those that must or should go with it."""
    more: dict[str, Any] = {}
    if name in SCORES:
        more["tribute_low"] = min(80, value)
        more["win_score"] = min(120, value) if name == "tribute_high" else max(120, value)
        more["tribute_high"] = max(150, value)
        more["dig_multiplier"] = rng.randrange(9)
        more["end_at_300"] = "captured"
    elif name == "start_level":
        more["end_level"] = max(10, value)
    elif name == "end_at_300":
        more["dig_multiplier"] = 8
    return change(PRESETS["standard"], **(more | {name: value}))


def tells(record: dict, name: str) -> bool:
    """Whether a record is judged otherwise under a neighbouring value of one option."""
    value = getattr(record["rules"], name)
    opt = next(opt for opt in options(GunziRules) if opt.name == name)
    for other in neighbours(name, opt.spec.plain(value)):
        try:
            changed = with_rules(record, **{name: other})
        except ValueError:  # out of range, or out of order with another option
            continue
        if clause(changed) is not None or referee.derive(changed) != record["result"]:
            return True
    return False


def attempts(name: str, value: Any) -> Iterator[dict]:
    """Records under one value of an option, of many kinds of hands, without end."""
    for seed in range(TRIES):
        rng = random.Random(f"{name} {value} {seed}")
        rules = rules_with(name, value, rng)
        habits = Habits(claim=rng.choice([0, 1]), declare=rng.choice([0, 0.02, 0.3]), jokers=rng.choice([0, 1]))
        if rng.random() < 0.25 or name.startswith("first_"):
            yield first_record(rng, None, rules, rng.randrange(4), habits)
            continue
        dealer = rng.randrange(4)
        levels = (rng.randint(rules.start_level, rules.end_level), rng.randint(rules.start_level, rules.end_level))
        owed = rng.choice([0, 1, 2, 5])
        yield later_record(rng, _deck(rng, dealer), rules, levels, dealer, owed, habits)


def _deck(rng: random.Random, dealer: int) -> list[int]:
    """A shuffled deck, or one in which one seat has many jokers; never one that must be dealt again."""
    seat = (dealer + rng.choice([0, 0, 1, 2, 3])) % 4
    jokers = rng.choice(["", "", "JBx3", "JSx3", "JBx3 JSx3", "JB JSx3", "JBx3 JSx2"])
    return deal(rng, {seat: jokers}, "C4", dealer) if jokers else _sound_deck(rng)


def _sound_deck(rng: random.Random) -> list[int]:
    """A shuffled deck whose bottom has a suited card."""
    while True:
        deck = random_deck(rng)
        if min(deck[156:]) < 52:
            return deck


def golden(name: str, value: Any) -> dict:
    """The golden record of one option's value: the first that tells it, or the first of all where none can."""
    first = None
    for record in attempts(name, value):
        first = first or record
        if value in UNSEEN.get(name, []) or tells(record, name):
            return _labelled(record, f"{name}={value}")
    print(f"{name}={value}: no record tells it", file=sys.stderr)
    return _labelled(first, f"{name}={value}")


def golden_of_preset(name: str) -> list[dict]:
    """Three golden records of a preset: a first hand, a later one, and one with tribute and buried jokers."""
    rng = random.Random(name)
    rules = PRESETS[name]
    named = "JB JSx2"
    records = [
        first_record(rng, None, rules, 2),
        later_record(rng, _sound_deck(rng), rules, (5, 8), 1, habits=Habits(declare=0.3)),
        later_record(rng, deal(rng, {3: named}, "C4", 3), rules, (7, 4), 3, 3, Habits(declare=0, jokers=1)),
    ]
    return [_labelled(record, f"preset {name}, hand {number}") for number, record in enumerate(records)]


def _labelled(record: dict, label: str) -> dict:
    return record | {"source": {"golden": label, "trace_hash": referee.trace_hash(record)}}


def _write(file: str, records: list[dict]) -> None:
    text = "".join(record_file.write(record) + "\n" for record in records)
    (FOLDER / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for preset in PRESETS:
        _write(f"preset_{preset}.jsonl", golden_of_preset(preset))
    for opt in options(GunziRules):
        _write(f"{opt.name}.jsonl", [golden(opt.name, value) for value in values(opt.name)])
