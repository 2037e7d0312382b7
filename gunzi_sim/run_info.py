"""
`run.json`: everything that decides the content of a run, and what is needed to read it.

A *unit* is an independent start: a round, or a hand in single-hand mode. Left out: files (`run_files`).
"""

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gunzi_sim.game import Column, shown

FORMAT = "gunzi-sim/run"
VERSION = 1
MAX_UNITS = 1 << 48
"""Most rounds or single hands of a run; a round's key has as many bits for its number."""


@dataclass(frozen=True)
class RunInfo:
    """
    Everything that decides the content of a run, and what is needed to read it; the content of `run.json`.

    `mode` is "rounds" or "hands". `rules` has every option, `policies` one `{"text", "source_hash"}` a seat,
    `situation` the stated start of hands or rounds (None: a round's own), `deals` `{"n", "sha256"}` of given
    deals (or None). `comparison` says what several arms that played the same units differ in (None for hands).
    """

    game: str
    mode: str
    n_units: int
    units_per_shard: int
    seed: int
    rules: Mapping[str, Any]
    rules_hash: str
    policies: tuple[Mapping[str, str], ...]
    columns: tuple[Column, ...]
    situation: Mapping[str, Any] | None = None
    deals: Mapping[str, Any] | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    comparison: Mapping[str, Any] | None = None

    @property
    def table(self) -> str:
        """Name of the table that is stored: one row a hand, or one an arm and unit."""
        return "hands" if self.comparison is None else "arms"

    @cached_property
    def run_hash(self) -> str:
        """SHA-256 (hex) over what decides the rows: all but the shards' size, the rules' spelling, other packages."""
        parts = {"format": FORMAT, "version": VERSION} | self._deciding()
        return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def difference(self, other: "RunInfo") -> str:
        """The first thing in which another run would differ, in words; empty when its rows are the same."""
        ours, theirs = self._deciding(), other._deciding()
        name = next((name for name in ours if ours[name] != theirs.get(name)), None)
        if name == "rules":
            options = [key for key in self.rules if key != "preset" and self.rules[key] != other.rules.get(key)]
            if options:
                return f"its rule {options[0]} is {self.rules[options[0]]}, not {other.rules.get(options[0])}"
            return "its rules have another version"
        if name == "policies":
            texts = [",".join(policy["text"] for policy in info.policies) for info in (self, other)]
            if texts[0] == texts[1]:
                return f"a policy of {texts[0]} has changed since"
            return f"its policies are {texts[0]}, not {texts[1]}"
        if name in ("deals", "columns"):
            return f"its {name} are others"
        if name == "comparison":
            return "its arms, or what they are compared by, are others"
        return f"its {name} is {ours[name]}, not {theirs.get(name)}" if name else ""

    def _deciding(self) -> dict[str, Any]:
        """What decides the rows, by the names that messages use."""
        return {
            "game": self.game,
            "mode": self.mode,
            f"number of {self.mode}": self.n_units,
            "seed": self.seed,
            "rules": self.rules_hash,
            "policies": [dict(policy) for policy in self.policies],
            "situation": self.situation and dict(self.situation),
            "deals": self.deals and dict(self.deals),
            "columns": [[column.name, column.dtype] for column in self.columns],
            "version of gunzi_sim": self.versions.get("gunzi_sim"),
        } | self._comparison()

    def _comparison(self) -> dict[str, Any]:
        """What only the description of a comparison holds."""
        return {} if self.comparison is None else {"comparison": self.comparison}

    @property
    def n_shards(self) -> int:
        """Number of shards of the complete run."""
        return -(-self.n_units // self.units_per_shard)

    def ranges(self) -> Iterator[tuple[int, int]]:
        """First unit and last unit + 1 of every shard, in order."""
        step = self.units_per_shard
        return ((start, min(start + step, self.n_units)) for start in range(0, self.n_units, step))

    def has_range(self, start: int, stop: int) -> bool:
        """Whether this range of units is that of a shard."""
        step = self.units_per_shard
        return 0 <= start < self.n_units and start % step == 0 and stop == min(start + step, self.n_units)

    def to_json(self) -> str:
        """The text of `run.json`."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "run_hash": self.run_hash,
            "game": self.game,
            "mode": self.mode,
            "n_units": self.n_units,
            "units_per_shard": self.units_per_shard,
            "seed": self.seed,
            "rules": dict(self.rules),
            "rules_hash": self.rules_hash,
            "policies": [dict(policy) for policy in self.policies],
            "situation": self.situation and dict(self.situation),
            "deals": self.deals and dict(self.deals),
            "versions": dict(self.versions),
            "columns": [column._asdict() for column in self.columns],
        } | self._comparison()
        return json.dumps(content, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "RunInfo":
        """Read `to_json` back; ValueError when it is none, or was edited."""
        try:
            content = json.loads(text)
        except RecursionError:
            raise ValueError("not the run.json of a run") from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError("not the run.json of a run")
        if content.get("version") != VERSION:
            raise ValueError(f"run.json is of version {content.get('version')}, this program reads version {VERSION}")
        _check_content(content)
        try:
            info = cls(
                **{name: content[name] for name in ("game", "mode", "n_units", "units_per_shard", "seed")},
                **{name: content[name] for name in ("rules", "rules_hash", "situation", "deals", "versions")},
                policies=tuple(content["policies"]),
                columns=tuple(Column(**column) for column in content["columns"]),
                comparison=content.get("comparison"),
            )
            is_same = info.run_hash == content["run_hash"]
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise ValueError(f"run.json is not as it was written: {' '.join(str(error).split())}") from None
        if not is_same:
            raise ValueError("run.json was changed after it was written: its hash does not fit")
        return info


def _check_content(content: Mapping[str, Any]) -> None:
    """ValueError where a part of `run.json` that its hash leaves out, or all reading rests on, cannot be."""
    for name in ("n_units", "units_per_shard"):
        value = content.get(name)
        if type(value) is not int or not 1 <= value <= MAX_UNITS:
            raise ValueError(f"run.json: {name} must be an integer from 1 to {MAX_UNITS}, got {shown(value)}")
    for name in ("rules", "versions"):
        if not isinstance(content.get(name), dict):
            raise ValueError(f"run.json: {name} must be an object, got {shown(content.get(name))}")
    columns = content.get("columns")
    if not isinstance(columns, list) or not all(
        isinstance(column, dict) and all(isinstance(text, str) for text in column.values()) for column in columns
    ):
        raise ValueError("run.json: columns must be a list of objects of text")


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages whose work is in a run."""
    from importlib.metadata import version

    names = {"gunzi_sim": "gunzi-sim", "numpy": "numpy", "numba": "numba", "pyarrow": "pyarrow"}
    return {"python": platform.python_version()} | {name: version(package) for name, package in names.items()}
