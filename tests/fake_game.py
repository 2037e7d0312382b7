"""
A game for tests of runner, storage, results: its rows are a hash of (seed, unit, hand), its rounds have 1 to 40 hands.

It has the columns of 打滚子 and values in their ranges, but nobody plays. `install` puts it in the place of the engine.
"""

import hashlib
import time
from dataclasses import dataclass, field

import numpy as np

from gunzi_sim import games
from gunzi_sim.games import PolicySpec
from gunzi_sim.gunzi.records import COLUMNS
from gunzi_sim.gunzi.rules import PRESETS

RANGES = {
    "level_0": (3, 11),
    "level_1": (3, 11),
    "level": (3, 11),
    "dealer": (0, 4),
    "trump": (0, 4),
    "declared_by": (0, 4),
    "declared_as": (0, 8),
    "attacker_points": (0, 361),
    "bottom_points": (0, 61),
    "round_end": (0, 1),
    "round_winner": (9, 10),
    "next_dealer": (0, 4),
    "tricks": (13, 40),
}
LOWS, HIGHS = np.array([RANGES.get(column.name, (0, 2 if column.unit == "flag" else 3)) for column in COLUMNS]).T
DTYPE = np.dtype([(column.name, column.dtype) for column in COLUMNS])


def words(n, *key):
    """Random 64-bit words of a key: uint64[n]."""
    return np.frombuffer(hashlib.shake_128(repr(key).encode()).digest(8 * n), np.uint64)


def unit_rows(seed, unit, mode):
    """Rows of one unit: structured[n_hands]."""
    n_hands = 1 + int(words(1, seed, unit)[0]) % 40 if mode == "rounds" else 1
    rows = np.zeros(n_hands, DTYPE)
    for hand in range(n_hands):
        drawn = words(len(COLUMNS), seed, unit, hand)
        values = LOWS + (drawn % (HIGHS - LOWS).astype(np.uint64)).astype(np.int64)
        rows[hand] = tuple(values.tolist())
        rows["trace_hash"][hand] = drawn[:1].view(np.int64)[0]
    rows["round_id"], rows["hand"] = unit, np.arange(n_hands)
    if mode == "rounds":
        rows["round_end"][-1] = 1 + rows["tricks"][-1] % 5
        rows["round_winner"][-1] = rows["bottom_points"][-1] % 2
    return rows


@dataclass
class FakeGame:
    """What `games.get` gives, as far as the runner asks."""

    pause_s: float = 0.0
    """Time a unit takes."""
    bad_units: dict = field(default_factory=dict)
    """Units at which a call raises, and what."""
    calls: list = field(default_factory=list)
    name: str = "gunzi"
    columns: tuple = COLUMNS

    def bound(self):
        return self

    def row_dtype(self):
        return DTYPE

    def play_range(self, job, start, stop, out):
        self.calls.append((start, stop))
        n_rows = 0
        for unit in range(start, stop):
            if unit in self.bad_units:
                raise self.bad_units[unit]
            rows = unit_rows(job.seed, unit, job.mode)
            if n_rows + len(rows) > len(out):
                return unit - start, n_rows
            out[n_rows : n_rows + len(rows)] = rows
            n_rows += len(rows)
            if self.pause_s:
                time.sleep(self.pause_s)
        return stop - start, n_rows


def expected(seed, n_units, mode):
    """All rows of a run, as a structured array."""
    return np.concatenate([np.zeros(0, DTYPE), *(unit_rows(seed, unit, mode) for unit in range(n_units))])


def sha256(table):
    """Content of a table, by way of pandas' values and not of `storage.content_hash`."""
    digest = hashlib.sha256()
    for name in table.column_names:
        digest.update(table.column(name).to_numpy().tobytes())
    return digest.hexdigest()


def install(patch, **settings):
    """Put a fake game in the place of the real one; `patch` is pytest's monkeypatch, or anything with its setattr."""
    game = FakeGame(**settings)
    patch.setattr(games, "get", lambda name: game)
    patch.setattr(games, "policy_source_hash", lambda name, spec: f"source of {spec}")
    patch.setattr(games, "parse_policies", lambda name, given: tuple(PolicySpec(text) for text in given))
    return game


def job(**changes):
    """A job that the fake game plays."""
    known = {"game": "gunzi", "rules": PRESETS["standard"], "policies": (PolicySpec("random"),) * 4, "seed": 7}
    return games.Job(**known | changes)
