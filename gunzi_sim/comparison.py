"""
What a comparison of arms found: paired differences with simultaneous intervals, verdicts, any hand of any arm again.

Differences are taken within units (rounds, or single hands) that all arms played; their intervals hold for all arms
together, and where the comparison was to stop on a decision, at every look as well. Left out: what an arm is and how
it is played (`arms`), estimators (`stats`), pages and tables for people (`report`, `layout`).
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gunzi_sim import arms as arms_of
from gunzi_sim import games, record, results, run_files, runner, stats
from gunzi_sim.arms import DECIDED, Arms, Figures, Plan, not_negative
from gunzi_sim.game import Column, InputError, Statistic, did_you_mean, shown, whole_number
from gunzi_sim.run_info import RunInfo
from gunzi_sim.stats import Moments, Verdict

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


class ArmFigure(NamedTuple):
    """
    One figure of one arm: its own value, and the value less the baseline's, in `unit`.

    `lo` and `hi` are the figure's own interval; `difference_lo` and `difference_hi` hold for all arms together. `saved`
    is how many times as many hands an interval of the same width would need if every arm, and every rotation of its
    seats, had deals of its own. Parts are None where there is nothing to say; the
    baseline itself has no difference. `n` counts units; `verdict` is None but for the figure that is judged by.
    """

    arm: str
    name: str
    unit: str
    doc: str
    estimate: float | None
    lo: float | None
    hi: float | None
    difference: float | None
    difference_lo: float | None
    difference_hi: float | None
    saved: float | None
    n: int
    verdict: Verdict | None


@dataclass(frozen=True)
class ArmSummary:
    """
    What a comparison found: a figure a row, arms in their order inside each figure.

    `figure` is the one judged by; differences within `equivalence` do not matter. `differing` holds the share of units
    in which an arm's play parted from the baseline's. `is_sequential`: the intervals of `figure` hold at every look.
    """

    game: str
    start: str
    n_starts: int
    n_hands: int
    baseline: str
    figure: str
    equivalence: float
    of_side: bool
    confidence: float
    is_sequential: bool
    differing: Mapping[str, float | None]
    rows: tuple[ArmFigure, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return found | {"differing": dict(self.differing), "rows": [row._asdict() for row in self.rows]}

    def to_pandas(self) -> "pd.DataFrame":
        """One line a figure and arm, columns as the fields of `ArmFigure`."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=ArmFigure._fields)

    def __str__(self) -> str:
        from gunzi_sim import layout, texts

        lines = layout.comparison(self, texts.Words())
        return "\n".join("".join(part for part, _ in line).rstrip() for line in lines).rstrip()

    def judged(self) -> list[ArmFigure]:
        """The rows with a verdict, one for every arm but the baseline."""
        return [row for row in self.rows if row.verdict is not None]


def compare(
    plan: Plan,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    resume: bool = False,
    progress: Callable[[runner.Progress], None] | None = None,
) -> "Comparison":
    """
    Play a comparison; arguments and errors as `runner.run`.

    A PolicyError names the arm.
    """
    enough = None
    if plan.info.comparison and plan.info.comparison["until"] is not None:
        enough = _enough
    played = runner.play(plan.info, Arms(plan), out, threads, resume, progress, plan.deals, enough)
    if out is not None:
        return Comparison(played.info, Path(out))
    return Comparison(played.info, None, played.tables or (), plan.deals)


def _enough(info: RunInfo, path: Path | None, tables: "Mapping[int, pa.Table]", n_units: int) -> bool:
    """Whether a comparison may stop with its first `n_units` units."""
    ordered = [tables[start] for start in sorted(tables)]
    return Comparison(info, path, ordered).may_stop(n_units)


# --- results ---------------------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """What one shard adds: last unit + 1, moments, differing units by arm, hands."""

    stop: int
    moments: Moments
    differing: npt.NDArray[np.int64]
    n_hands: int


class Comparison(results.Stored):
    """Arms that played the same units: their table, differences and verdicts, and any hand of any arm again."""

    def __repr__(self) -> str:
        place = "in memory" if self.path is None else str(self.path)
        return f"<Comparison of {self.info.game}: {', '.join(self.arms)}; {self.n_compared} {self.mode}, {place}>"

    @property
    def comparison(self) -> Mapping[str, Any]:
        """What `run.json` says of it: arms, baseline, figure, equivalence, until, start."""
        return self.info.comparison or {}

    @property
    def arms(self) -> tuple[str, ...]:
        """Names of the arms, in their order."""
        return tuple(arm["name"] for arm in self.comparison["arms"])

    @property
    def baseline(self) -> str:
        """Name of the arm that the others are compared with."""
        return str(self.comparison["baseline"])

    @property
    def of_side(self) -> bool:
        """Whether figures are those of the side that plays an arm, in both rotations; else those of the hand."""
        return "settlement" in [column.name for column in self.columns]

    @cached_property
    def _parts(self) -> list[_Part]:
        """Shard by shard without a gap."""
        figures = Figures(self.info.game, self.mode, self.of_side)
        parts: list[_Part] = []
        for table in self.tables(["round_id", "differs", *figures.stored]):
            values = {name: table.column(name).to_numpy() for name in table.column_names}
            units = values["round_id"][:: len(self.arms)]
            first = int(units[0])
            if first != (parts[-1].stop if parts else 0):
                break
            quantities = _by_arm([values[name] for name in figures.stored], len(self.arms))
            differing = values["differs"].reshape(-1, len(self.arms)).sum(axis=0, dtype=np.int64)
            parts.append(_Part(first + len(units), Moments.of(quantities), differing, int(values["hands"].sum())))
        return parts

    @cached_property
    def n_compared(self) -> int:
        """Units that are there without a gap from the first on, up to where the comparison was to stop."""
        there = self._parts[-1].stop if self._parts else 0
        if self.comparison["until"] is None:
            return there
        seen = [n_units for n_units in runner.looks(self.info) if n_units <= there]
        return next((n_units for n_units in seen if self.may_stop(n_units)), there)

    @property
    def is_complete(self) -> bool:
        """Whether all units are there, or as many as its rule for stopping asked for."""
        return self.n_compared == self.n_units or (
            self.comparison["until"] is not None and self.n_compared > 0 and self.may_stop(self.n_compared)
        )

    def may_stop(self, n_units: int) -> bool:
        """Whether its rule for stopping is met by the first `n_units` units."""
        until = self.comparison["until"]
        judged = self._summary(n_units, stats.CONFIDENCE).judged()
        if until == DECIDED:
            return all(row.verdict is not Verdict.UNDECIDED for row in judged)
        width = float(until.partition("=")[2])
        return all(
            row.difference_lo is not None
            and row.difference_hi is not None
            and row.difference_hi - row.difference_lo <= 2 * width
            for row in judged
        )

    def summary(
        self, confidence: float = stats.CONFIDENCE, figure: str | None = None, equivalence: float | None = None
    ) -> ArmSummary:
        """
        Every figure of every arm, its difference from the baseline, and the verdict on the figure judged by.

        Parameters
        ----------
        confidence : float
            Coverage, of all arms together for differences; 0 < confidence < 1.
        figure : str, optional
            What to judge by, where it is not what the comparison was made with.
        equivalence : float, optional
            Differences smaller than this do not matter; as the comparison was made with.

        Raises
        ------
        InputError
            An unknown figure, or a number out of range.
        """
        if not isinstance(confidence, float) or not 0 < confidence < 1:
            raise InputError(f"confidence must lie between 0 and 1, got {shown(confidence)}")
        return self._summary(self.n_compared, confidence, figure, equivalence)

    def _summary(
        self, n_units: int, confidence: float, figure: str | None = None, equivalence: float | None = None
    ) -> ArmSummary:
        """`summary` over the first `n_units` units, whole shards."""
        figures = Figures(self.info.game, self.mode, self.of_side)
        known = [statistic.name for statistic in figures.statistics]
        name = self.comparison["figure"] if figure is None else figure
        if name not in known:
            raise InputError(f"figure must be one of the arms' figures, got {shown(name)}{did_you_mean(name, known)}")
        is_sequential = self.comparison["until"] == DECIDED and name == self.comparison["figure"]
        margin = self.comparison["equivalence"] if equivalence is None else not_negative("equivalence", equivalence)
        parts = [part for part in self._parts if part.stop <= n_units]
        moments = sum((part.moments for part in parts), Moments.zero(len(self.arms) * len(figures.stored)))
        differing = sum((part.differing for part in parts), np.zeros(len(self.arms), np.int64))
        rows: list[ArmFigure] = []
        for statistic in figures.statistics:
            is_judged = statistic.name == name
            rows += self._rows(figures, statistic, moments, confidence, is_judged, is_judged and is_sequential, margin)
        shares = [int(count) / moments.n if moments.n else None for count in differing]
        return ArmSummary(
            game=self.info.game,
            start=self.mode.removesuffix("s"),
            n_starts=moments.n,
            n_hands=sum(part.n_hands for part in parts),
            baseline=self.baseline,
            figure=name,
            equivalence=margin,
            of_side=self.of_side,
            confidence=confidence,
            is_sequential=is_sequential,
            differing=dict(zip(self.arms, shares)),
            rows=tuple(rows),
        )

    def _rows(
        self,
        figures: Figures,
        statistic: Statistic,
        moments: Moments,
        confidence: float,
        is_judged: bool,
        is_sequential: bool,
        margin: float,
    ) -> list[ArmFigure]:
        """One figure of every arm."""
        ratios = [figures.ratio(statistic, arm) for arm in range(len(self.arms))]
        baseline = self.arms.index(self.baseline)
        others = [ratio for arm, ratio in enumerate(ratios) if arm != baseline]
        if is_sequential:
            share = stats.share_of(confidence, len(others))  # the sequences hold for all arms together
            best_n = stats.quarter(self.n_units)
            gaps = [stats.sequence(moments, ratio, ratios[baseline], best_n, share) for ratio in others]
        else:
            gaps = stats.differences(moments, others, ratios[baseline], confidence)
        rows = []
        for arm, (own, ratio) in enumerate(zip(self.arms, ratios)):
            value = stats.ratio(moments, *ratio, confidence)
            gap = (
                stats.Difference(None, None, None, moments.n, None) if arm == baseline else gaps[arm - (arm > baseline)]
            )
            verdict = stats.verdict(gap, margin) if is_judged and arm != baseline else None
            if statistic.is_rate:
                value = results.within(value, 0.0, 1.0)
            about = (own, statistic.name, statistic.unit, statistic.doc)
            saved = self._saved(figures, statistic, moments, arm, gap)
            rows.append(ArmFigure(*about, *value[:3], *gap[:3], saved, moments.n, verdict))
        return rows

    def _saved(
        self, figures: Figures, statistic: Statistic, moments: Moments, arm: int, gap: stats.Difference
    ) -> float | None:
        """Factor saved by the same deals for the arms, and by both rotations on each deal."""
        if gap.saved is None or not self.of_side:
            return gap.saved
        pair = (arm, self.arms.index(self.baseline))
        together = sum(stats.ratio_covariance(moments, *[figures.ratio(statistic, one)] * 2) for one in pair)
        apart = sum(
            stats.split_variance(moments, figures.ratio(statistic, one), figures.first_ratio(statistic, one))
            for one in pair
        )
        return gap.saved * apart / together

    def decks(self, start: int, stop: int) -> npt.NDArray[np.uint8]:
        """Dealt decks of the units `start` to `stop - 1` of single hands, cards in dealing order: uint8[n, n_cards]."""
        given = self._deals if self.path is None else run_files.read_deals(self.path, self.info)
        if given is not None:
            return given[start:stop]
        found: npt.NDArray[np.uint8] = games.get(self.info.game).deals(stop - start, self.info.seed, start)
        return found

    def values(self, figure: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """
        One figure, unit by unit.

        Returns
        -------
        sums, counts : int64[n_arms, n_units]
            What the arm's hands add up to in each unit, and among how many it is counted.
        """
        figures = Figures(self.info.game, self.mode, self.of_side)
        statistic = next((one for one in figures.statistics if one.name == figure), None)
        if statistic is None:
            known = [one.name for one in figures.statistics]
            raise InputError(f"unknown figure {shown(figure)}{did_you_mean(figure, known)}")
        top, bottom = figures.ratio(statistic, 0)
        table = self.to_arrow([figures.names[top], figures.names[bottom]])
        lines = _by_arm([column.to_numpy() for column in table.columns], len(self.arms))[:, : self.n_compared]
        return lines[0::2], lines[1::2]

    def hands(self, index: int, arm: str, side: int = 0, hand: int | None = None) -> list[dict[str, Any]]:
        """
        Hands that an arm played in one unit, simulated again, as internal records with `result`.

        Parameters
        ----------
        index : int
            `round_id`.
        arm : str
            Name of the arm.
        side : int
            Side that played the arm's policy; 0 where the figures are those of the hand.
        hand : int, optional
            One hand of the round; all of them when it is not given.
        """
        unit = whole_number(index)
        if unit is None or not 0 <= unit < self.n_units:
            raise InputError(f"index must be a round_id from 0 to {self.n_units - 1}, got {shown(index)}")
        if arm not in self.arms:
            raise InputError(f"unknown arm {shown(arm)}{did_you_mean(arm, self.arms)}")
        jobs = self.plan().arms[self.arms.index(arm)].jobs
        if whole_number(side) not in range(len(jobs)):
            raise InputError(f"side must be an integer from 0 to {len(jobs) - 1}, got {shown(side)}")
        referee = games.referee(self.info.game)
        return [
            one | {"result": referee.derive(one)} for one in games.get(self.info.game).records(jobs[side], unit, hand)
        ]

    def record(self, index: int, arm: str, side: int = 0, hand: int | None = None) -> list[dict[str, Any]]:
        """The same hands as records with the keys and card names that the README lists; arguments as `hands`."""
        return [json.loads(record.write(one)) for one in self.hands(index, arm, side, hand)]

    def plan(self) -> Plan:
        """What it was made from; InputError where this program would play something else."""
        field = runner.job_of(self.path, replace(self.info, comparison=None, columns=self._hand_columns), self._deals)
        known = self.comparison
        changes = {arm["name"]: arm["changes"] for arm in known["arms"]}
        made = arms_of.plan(
            field,
            self.n_units,
            changes,
            *(known[name] for name in ("baseline", "start", "until", "equivalence", "figure")),
        )
        difference = self.info.difference(made.info)
        if difference:
            place = self.path or "this comparison"
            raise InputError(f"{place} cannot be played again by this program: {difference}")
        return made

    @property
    def _hand_columns(self) -> tuple[Column, ...]:
        return games.get(self.info.game).columns

    def resume(
        self, threads: int | None = None, progress: Callable[[runner.Progress], None] | None = None
    ) -> "Comparison":
        """Play what is missing of a stopped comparison; arguments and errors as `compare`."""
        return self if self.path is None else compare(self.plan(), self.path, threads, True, progress)


def _by_arm(columns: Sequence[npt.NDArray[np.integer]], n_arms: int) -> npt.NDArray[np.int64]:
    """Columns of the table as int64[n_arms * n_columns, n_units], the columns of an arm together."""
    stacked = np.array([column.reshape(-1, n_arms) for column in columns], np.int64)
    return np.ascontiguousarray(stacked.transpose(2, 0, 1)).reshape(n_arms * len(columns), -1)


def open_stored(path: str | os.PathLike[str]) -> "Comparison | results.Run":
    """What a run directory holds, finished or not: arms, or the hands of a run; errors as `results.open_run`."""
    info = run_files.read_info(path)
    return results.open_run(path) if info.comparison is None else Comparison(info, Path(path))
