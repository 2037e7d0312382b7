"""
Arms of a comparison: the same deals played under several policies or rules, and how sure their differences are.

An *arm* changes policy parameters, the policy, or options of the rules. Where some arm has a policy of its own, or the
seats have unlike policies, the arm is played by one *side*, once as side 0 and once as side 1 on every deal, against
the other policies; its figures are those of that side. Where arms differ in rules only and all seats play alike, every
deal is played once an arm and the figures are those of the hand. Deals and draws are keyed (`rng`), so all arms meet
the same ones, and what differs from the first divergence on is the arm's effect.

The table `arms` has one row a unit (round, or single hand) and arm: sums over the hands that the arm played in it.
Left out: which figures a game has (its `figures`), threads and files (`runner`, `storage`), differences and verdicts
(`comparison`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gunzi_sim import game as contract
from gunzi_sim import games, results, runner, stats
from gunzi_sim.cards import GOLDEN
from gunzi_sim.game import Column, InputError, Job, Rules, Statistic, Where, did_you_mean, shown
from gunzi_sim.run_info import RunInfo

MAX_ARMS = 64
POLICY = "policy"
"""Key of a change that names the policy itself."""
DECIDED, HALF_WIDTH = "decided", "half_width"
"""Rules by which a comparison stops early."""
_SCALAR = (str, int, np.integer)


class Arm(NamedTuple):
    """
    One arm: its name, what it changes, and its jobs, one a rotation of the seats.

    In rotation r its policies sit as side r. `changes` has words and numbers, as JSON writes them.
    """

    name: str
    changes: Mapping[str, Any]
    rules: Rules
    jobs: tuple[Job, ...]


@dataclass(frozen=True)
class Plan:
    """A comparison that can be played: its arms, what is stored of it, and what its figures are."""

    info: RunInfo
    arms: tuple[Arm, ...]
    deals: npt.NDArray[np.uint8] | None


# --- from words to arms ----------------------------------------------------------------------------------------------


def plan(
    field: Job,
    n_units: int,
    changes: Mapping[str, Mapping[str, Any]],
    baseline: str | None = None,
    start: Mapping[str, Any] | None = None,
    until: str | None = None,
    equivalence: float = 0.0,
    figure: str | None = None,
) -> Plan:
    """
    A comparison from what its arms change.

    Parameters
    ----------
    field : Job
        Rules, policies by seat, seed, mode and deals that the arms start from.
    n_units : int
        Rounds or single hands; with `until`, at most so many.
    changes : mapping of str to mapping
        What each arm changes, by its name: `policy`, parameters of its policy, options of the rules.
    baseline : str, optional
        Name of the arm that the others are compared with; the first one.
    start : mapping, optional
        Situation of hands or rounds as the user gave it: `levels`, `dealer`, `owed`, `first_hand`.
    until : str, optional
        `decided`, or `half_width=X`: stop when every verdict is reached, or when no interval is wider.
    equivalence : float
        Differences smaller than this do not matter, in the unit of `figure`.
    figure : str, optional
        What the arms are judged by; the first of the game's figures.

    Raises
    ------
    InputError
        Arms that cannot be, each by its name; an unknown baseline or figure (the nearest is named).
    """
    start = dict(start or {})
    arms = _parse_arms(field, changes, start)
    names = [arm.name for arm in arms]
    baseline = names[0] if baseline is None else baseline
    if baseline not in names:
        raise InputError(f"the baseline must be one of the arms, got {shown(baseline)}{did_you_mean(baseline, names)}")
    figures = Figures(field.game, field.mode, len(arms[0].jobs) > 1)
    judged = [one.name for one in figures.statistics]
    figure = judged[0] if figure is None else figure
    if figure not in judged:
        raise InputError(f"figure must be one of the arms' figures, got {shown(figure)}{did_you_mean(figure, judged)}")
    comparison = {
        "baseline": baseline,
        "figure": figure,
        "equivalence": not_negative("equivalence", equivalence),
        "until": _checked_until(until),
        "start": start,
        "arms": [_described(arm) for arm in arms],
    }
    info = runner.describe(field, n_units)
    if until is not None:
        info = replace(info, units_per_shard=min(info.units_per_shard, runner.LEAST_PER_SHARD[field.mode]))
    info = replace(info, columns=figures.columns, comparison=json.loads(json.dumps(comparison)))
    return Plan(info, arms, field.deals)


def _described(arm: Arm) -> dict[str, Any]:
    """What decides an arm's rows, for `run.json`."""
    policies = [
        {"text": str(spec), "source_hash": games.policy_source_hash(arm.jobs[0].game, spec)}
        for spec in arm.jobs[0].policies
    ]
    rules_hash = contract.rules_hash(arm.rules)
    return {"name": arm.name, "changes": dict(arm.changes), "rules_hash": rules_hash, "policies": policies}


def _parse_arms(field: Job, changes: Mapping[str, Mapping[str, Any]], start: Mapping[str, Any]) -> tuple[Arm, ...]:
    """The arms with their jobs."""
    if not isinstance(changes, Mapping) or not 2 <= len(changes) <= MAX_ARMS:
        got = len(changes) if isinstance(changes, (Mapping, Sequence)) else shown(changes)
        raise InputError(f"a comparison needs 2 to {MAX_ARMS} arms, each with a name and what it changes, got {got}")
    parsed = []
    for name, wanted in changes.items():
        _check_name(name)
        try:
            parsed.append(_parse_arm(field, name, wanted, start))
        except (InputError, contract.RulesError) as error:
            raise InputError(f"arm {name!r}: {error}") from None
    is_unlike = len({spec for arm in parsed for spec in arm.jobs[0].policies}) > 1
    if is_unlike:
        parsed = [arm._replace(jobs=(arm.jobs[0], _rotated(arm.jobs[0]))) for arm in parsed]
    return tuple(parsed)


def _parse_arm(field: Job, name: str, wanted: Mapping[str, Any], start: Mapping[str, Any]) -> Arm:
    """One arm, with the job of its first rotation: seats 0 and 2 have its policy."""
    if not isinstance(wanted, Mapping):
        raise InputError(f"its changes must be a mapping of names to values, got {shown(wanted)}")
    known_options = [option.name for option in contract.options(type(field.rules))]
    rule_changes, settings, policy = {}, {}, None
    for key, value in wanted.items():
        if not isinstance(key, str) or not isinstance(value, _SCALAR):
            raise InputError(f"a change is a name with a word or whole number, got {shown(key)}: {shown(value)}")
        if key == POLICY:
            policy = value
        elif key in known_options:
            rule_changes[key] = _rule_value(type(field.rules), key, value)
        else:
            settings[key] = value
    rules = contract.change(field.rules, **rule_changes)
    specs = list(field.policies)
    for seat in range(0, len(specs), 2):
        specs[seat] = _spec(field.game, str(specs[seat]) if policy is None else policy, settings, known_options)
        conflict = games.figures(field.game).conflict(rules, dict(specs[seat].params))
        if conflict:
            raise InputError(conflict)
    situation = field.situation
    if field.mode == "hands":
        situation = games.records(field.game).situation(rules, **start)
    elif situation is not None:
        given = {name: start.get(name) for name in ("levels", "dealer", "owed")}
        situation = games.records(field.game).round_situation(rules, **given)
    plain = contract.to_full_mapping(rules)
    changes = {key: plain[key] if key in rule_changes else _plain(value) for key, value in wanted.items()}
    return Arm(name, changes, rules, (replace(field, rules=rules, policies=tuple(specs), situation=situation),))


def _spec(game: str, policy: object, settings: Mapping[str, Any], options: Sequence[str]) -> contract.PolicySpec:
    """A policy with some parameters changed; an unknown name is looked for among parameters and options."""
    if not isinstance(policy, str) or "," in policy:
        raise InputError(f"{POLICY} must be the text of one policy, got {shown(policy)}")
    base = games.parse_policies(game, policy)[0]
    known = [parameter.name for parameter in games.find_policy(game, base.name).parameters]
    for key, value in settings.items():
        if key not in known:
            near = did_you_mean(key, [*known, *options, POLICY])
            raise InputError(f"{shown(key)} is neither a parameter of policy {base.name} nor an option{near}")
        if isinstance(value, bool):
            raise InputError(f"parameter {key} must be a whole number, got {shown(value)}")
    texts = {key: str(value) for key, value in dict(base.params).items()}
    texts |= {key: value if isinstance(value, str) else str(int(value)) for key, value in settings.items()}
    return games.parse_policies(game, ":".join([base.name, *(f"{key}={text}" for key, text in texts.items())]))[0]


def _rule_value(rules_class: type[Rules], name: str, value: Any) -> Any:
    """The value of an option, from the text of a command line or as Python has it."""
    if isinstance(value, str):
        return contract.parse_setting(rules_class, f"{name}={value}")[1]
    return value


def _plain(value: Any) -> Any:
    """A change as JSON writes it."""
    return value if isinstance(value, str) else int(value)


def _rotated(job: Job) -> Job:
    """The same job with every policy one seat further on, so that each side has what the other had."""
    return replace(job, policies=(job.policies[-1], *job.policies[:-1]))


def _check_name(name: object) -> None:
    """A name of an arm: text that stands on one line, without what separates words of a command line."""
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name.strip()) <= 40 or set(name) & set(":,="):
        raise InputError(f"the name of an arm is 1 to 40 printable characters without : , =, got {shown(name)}")


def not_negative(name: str, value: object) -> float:
    """A finite number from 0."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 0 <= value < float("inf"):
        raise InputError(f"{name} must be a number from 0, got {shown(value)}")
    return float(value)


def _checked_until(until: object) -> str | None:
    """A rule for stopping, in one spelling."""
    if until is None or until == DECIDED:
        return None if until is None else DECIDED
    name, _, text = until.partition("=") if isinstance(until, str) else ("", "", "")
    try:
        width = float(text)
    except ValueError:
        width = 0.0
    if name != HALF_WIDTH or not 0 < width < float("inf"):
        raise InputError(f"until must be {DECIDED} or {HALF_WIDTH}=X with X above 0, got {shown(until)}")
    return f"{HALF_WIDTH}={width!r}"


# --- playing ---------------------------------------------------------------------------------------------------------


class Figures:
    """The figures of a comparison and the columns of its table."""

    def __init__(self, game: str, mode: str, of_side: bool) -> None:
        known = games.figures(game)
        both = known.OF_SIDE if of_side else (known.OF_HAND,)
        self.of_side = of_side
        self.by_rotation: tuple[tuple[Statistic, ...], ...] = tuple(
            tuple(one for one in statistics if mode == "rounds" or not one.once_a_round) for statistics in both
        )
        self.statistics = self.by_rotation[0]
        self.amongs: tuple[list[Where], ...] = tuple(
            list(dict.fromkeys([(), *(one.among for one in statistics)])) for statistics in self.by_rotation
        )
        counts = known.COUNTS[0]
        self.columns = (
            Column("round_id", "int64", "round", "number of the round, or of the single hand"),
            Column("arm", "int8", "arm", "place of the arm in run.json, from 0"),
            Column("differs", "int8", "flag", "1 when a hand was dealt or played otherwise than in the baseline"),
            *(Column(one.name, "int32", one.unit, f"sum over the hands: {one.doc}") for one in self.statistics),
            *(Column(counts[where], "int32", "hands", f"number of {counts[where]}") for where in self.amongs[0]),
        )
        self.names = [column.name for column in self.columns[3:]]
        if of_side:
            self.columns += tuple(
                column._replace(name=f"{column.name}_first", doc=f"the same of the arm as side 0 alone: {column.doc}")
                for column in self.columns[3:]
            )
        self.stored = [column.name for column in self.columns[3:]]
        wheres = [where for one in self.by_rotation for stat in one for where in (stat.among, *_wheres(stat))]
        terms = [term.column for one in self.by_rotation for stat in one for term in stat.terms if term.column]
        self.used = list(dict.fromkeys([*terms, *(name for where in wheres for name, _ in where)]))

    def ratio(self, statistic: Statistic, arm: int) -> stats.Ratio:
        """Places of a figure of one arm among the quantities of all arms."""
        top = arm * len(self.stored) + self.statistics.index(statistic)
        return top, arm * len(self.stored) + len(self.statistics) + self.amongs[0].index(statistic.among)

    def first_ratio(self, statistic: Statistic, arm: int) -> stats.Ratio:
        """The same of the hands in which side 0 has the arm."""
        top, bottom = self.ratio(statistic, arm)
        return top + len(self.names), bottom + len(self.names)

    def sums(self, hands: npt.NDArray[np.void], rotation: int, n_units: int) -> npt.NDArray[np.int64]:
        """Quantities of one rotation, added up inside each unit: int64[n, n_units]."""
        values = {name: np.ascontiguousarray(hands[name]) for name in self.used}
        rows = np.zeros((len(self.names), len(hands)), np.int64)
        results.quantities(self.by_rotation[rotation], self.amongs[rotation], values, rows)
        return rows if len(hands) == n_units else stats.unit_sums(rows, hands["round_id"])


def _wheres(statistic: Statistic) -> list[Where]:
    return [term.where for term in statistic.terms]


class Arms:
    """Fills the table `arms`: plays every different job once and adds up its hands for all arms that have it."""

    def __init__(self, plan: Plan) -> None:
        info = plan.info
        self.game = games.get(info.game).bound()
        self.figures = Figures(info.game, info.mode, len(plan.arms[0].jobs) > 1)
        self.arms = plan.arms
        self.jobs: list[Job] = []
        self.places: list[list[int]] = []
        for arm in plan.arms:
            for job in arm.jobs:
                if not any(_plays_alike(job, other) for other in self.jobs):
                    self.jobs.append(job)
            self.places.append(
                [next(i for i, other in enumerate(self.jobs) if _plays_alike(job, other)) for job in arm.jobs]
            )
        assert info.comparison is not None
        self.baseline = [arm.name for arm in plan.arms].index(info.comparison["baseline"])
        self.rows_per_unit = len(plan.arms)
        self.hands_per_unit = runner.ROWS_PER_UNIT[info.mode]

    def row_dtype(self) -> np.dtype[np.void]:
        """A field a column."""
        return np.dtype([(column.name, column.dtype) for column in self.figures.columns], align=True)

    def play_range(self, start: int, stop: int, out_rows: npt.NDArray[np.void]) -> tuple[int, int, int]:
        """As `runner.Player`."""
        n_units = min(stop - start, len(out_rows) // len(self.arms))
        if n_units == 0:
            return 0, 0, 0
        hands = [self._hands(place, start, start + n_units) for place in range(len(self.jobs))]
        traces = [_traces(rows, n_units) for rows in hands]
        base = [traces[place] for place in self.places[self.baseline]]
        rows = out_rows[: n_units * len(self.arms)].reshape(n_units, len(self.arms))
        for number, places in enumerate(self.places):
            turns = [self.figures.sums(hands[place], turn, n_units) for turn, place in enumerate(places)]
            rows["round_id"][:, number] = np.arange(start, start + n_units)
            rows["arm"][:, number] = number
            rows["differs"][:, number] = np.any([traces[p] != own for p, own in zip(places, base)], axis=0)
            lines = [*np.sum(turns, axis=0), *turns[0]]  # without rotation there are no names for the second half
            for name, line in zip(self.figures.stored, lines):
                rows[name][:, number] = line
        return n_units, rows.size, sum(map(len, hands))

    def _hands(self, place: int, start: int, stop: int) -> npt.NDArray[np.void]:
        """All hands of some units of a job; a PolicyError carries the arm and side that failed."""
        buffer = np.empty((stop - start) * self.hands_per_unit, self.game.row_dtype())
        unit, n_rows = start, 0
        while unit < stop:
            try:
                n_units, n_new = self.game.play_range(self.jobs[place], unit, stop, buffer[n_rows:])
            except contract.PolicyError as error:
                number = next(i for i, places in enumerate(self.places) if place in places)
                error.arm = (self.arms[number].name, self.places[number].index(place))
                raise
            unit, n_rows = unit + n_units, n_rows + n_new
            if unit < stop:
                buffer = np.concatenate([buffer[:n_rows], np.empty(len(buffer) + 1024, buffer.dtype)])
        return buffer[:n_rows]


def _plays_alike(one: Job, other: Job) -> bool:
    """Whether two jobs of one comparison, which share seed and deals, play the same hands."""
    return (one.rules, one.policies, one.situation) == (other.rules, other.policies, other.situation)


def _traces(hands: npt.NDArray[np.void], n_units: int) -> npt.NDArray[np.uint64]:
    """One number a unit, equal for units whose hands were dealt and played alike."""
    traces = np.ascontiguousarray(hands["trace_hash"]).view(np.uint64)
    if len(hands) == n_units:
        return traces
    order = hands["hand"].astype(np.uint64) * np.uint64(2) + np.uint64(1)  # so that their order counts
    starts = np.flatnonzero(np.diff(hands["round_id"], prepend=-1))
    found: npt.NDArray[np.uint64] = np.add.reduceat(traces * (order * np.uint64(GOLDEN)), starts)
    return found
