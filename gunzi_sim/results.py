"""
What a run holds: its table as Arrow or pandas, estimates with intervals, hands as records.

A `Run` reads its shards one by one; a summary needs the memory of one shard, whatever the run's size. Estimates are
clustered by independent start (`stats`). Which figures a game has is data in its `records.SUMMARY`. Left out: playing
(`runner`), texts and colours (`cli`, `replay`).
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gunzi_sim import game as contract
from gunzi_sim import games, record, run_files, run_info, runner, stats, storage
from gunzi_sim.files import written
from gunzi_sim.game import InputError, Rules, Statistic, Term, Where, did_you_mean, shown, whole_number
from gunzi_sim.stats import Estimate, Moments
from gunzi_sim.texts import Words

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MAX_GROUPS = 1000
"""Most groups of a summary; more would need the memory of the run."""
HANDS_PER_ROUND = Statistic("hands_per_round", "hands", "hands of a round", (Term(),), once_a_round=True)
"""The figure that every game has in rounds."""

Groups = dict[tuple[int, ...], Moments]


class SummaryRow(NamedTuple):
    """
    One figure of one group.

    `group` has a value for each column of `Summary.by`; `estimate`, `lo`, `hi` are in `unit`, None where there is none;
    `n` counts the independent starts behind the figure, `n_rows` the hands of the group.
    """

    group: tuple[int, ...]
    name: str
    unit: str
    doc: str
    estimate: float | None
    lo: float | None
    hi: float | None
    n: int
    n_rows: int


@dataclass(frozen=True)
class Summary:
    """
    Means and rates of a run with their intervals, clustered by independent start.

    `start` says what an independent start is, "round" or "hand"; there are `n_starts` of them, and `n_rows` hands.
    """

    game: str
    start: str
    n_starts: int
    n_rows: int
    by: tuple[str, ...]
    confidence: float
    rows: tuple[SummaryRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; a row of a group has its columns first."""
        rows = [dict(zip(self.by, row.group)) | row._asdict() for row in self.rows]
        for row in rows:
            del row["group"]
        head = {"game": self.game, "start": self.start, "n_starts": self.n_starts, "n_rows": self.n_rows}
        return head | {"by": list(self.by), "confidence": self.confidence, "rows": rows}

    def to_pandas(self) -> "pd.DataFrame":
        """One line a figure: the columns of `by`, then name, unit, doc, estimate, lo, hi, n, n_rows."""
        import pandas as pd

        names = [*self.by, *SummaryRow._fields[1:]]
        frame = pd.DataFrame([(*row.group, *row[1:]) for row in self.rows], columns=names)
        return frame.astype({name: "float64" for name in ("estimate", "lo", "hi")})

    def __str__(self) -> str:
        lines = [[*self.by, "figure", "estimate", f"{self.confidence:.0%} interval", "n", "unit"]]
        for row in self.rows:
            interval = "–" if row.lo is None else f"{_digits(row.lo)} … {_digits(row.hi)}"
            group = [str(value) for value in row.group]
            lines.append([*group, row.name, _digits(row.estimate), interval, str(row.n), row.unit])
        widths = [max(len(line[place]) for line in lines) for place in range(len(lines[0]))]
        title = f"{self.game}: {self.n_starts} {self.start}s, {self.n_rows} hands; n counts {self.start}s"
        return "\n".join([title, *("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)])


class Stored:
    """
    A table of integers with its description, on disk (`path`) or in memory (`path` is None).

    `info` is the content of its `run.json`.
    """

    def __init__(
        self,
        info: run_info.RunInfo,
        path: Path | None = None,
        tables: "Sequence[pa.Table]" = (),
        deals: npt.NDArray[np.uint8] | None = None,
    ) -> None:
        self.info = info
        self.path = path
        self._in_memory = list(tables)
        self._deals = deals

    @property
    def mode(self) -> str:
        """What its units are: "rounds" or "hands"."""
        return self.info.mode

    @property
    def n_units(self) -> int:
        """Rounds or single hands of the complete table."""
        return self.info.n_units

    @property
    def seed(self) -> int:
        """The seed it was played with."""
        return self.info.seed

    @property
    def columns(self) -> tuple[contract.Column, ...]:
        """Columns of its table, with dtype, unit and meaning."""
        return self.info.columns

    @cached_property
    def rules(self) -> Rules:
        """The rules it was played by."""
        return contract.from_mapping(games.rules_class(self.info.game), self.info.rules)

    @cached_property
    def _shards(self) -> list[run_files.Shard]:
        """The shards that were finished when this run was first looked into."""
        return [] if self.path is None else run_files.list_shards(self.path)

    @cached_property
    def receipts(self) -> tuple[run_files.Receipt, ...]:
        """What the footers of its finished shards say, in order; empty in memory."""
        return tuple(run_files.check_shard(self.info, shard) for shard in self._shards)

    @property
    def n_units_done(self) -> int:
        """Rounds or single hands that are there."""
        if self.path is None:
            return self.n_units
        return sum(receipt.stop - receipt.start for receipt in self.receipts)

    @property
    def n_rows(self) -> int:
        """Rows that are there."""
        if self.path is None:
            return sum(table.num_rows for table in self._in_memory)
        return sum(receipt.n_rows for receipt in self.receipts)

    @property
    def is_complete(self) -> bool:
        """Whether every round or hand is there."""
        return self.n_units_done == self.n_units

    def to_arrow(self, columns: Sequence[str] | None = None) -> "pa.Table":
        """
        The table as Arrow, in the order of rounds and hands; unit and meaning of each column in its field's metadata.

        Parameters
        ----------
        columns : sequence of str, optional
            Only these, in this order.

        Raises
        ------
        InputError
            An unknown column; the nearest is named.
        """
        return storage.one_table(list(self.tables(columns)), storage.pick(self.columns, self._checked(columns)))

    def to_pandas(self, columns: Sequence[str] | None = None) -> "pd.DataFrame":
        """The table as pandas, with the stored small integer types; arguments and errors as `to_arrow`."""
        frame: pd.DataFrame = storage.to_pandas(self.to_arrow(columns))
        return frame

    def tables(self, columns: Sequence[str] | None = None) -> "Iterator[pa.Table]":
        """The table piece by piece, whole rounds each, for runs larger than memory; arguments as `to_arrow`."""
        names = self._checked(columns)
        if self.path is None:
            yield from (table.select(names) for table in self._in_memory)
            return
        for shard in self._shards:
            yield run_files.read_shard(self.info, shard, names)

    def texts(self, form: str, columns: Sequence[str] | None = None) -> Iterator[str]:
        """
        The table as text, piece by piece.

        Parameters
        ----------
        form : {"csv", "jsonl"}
            Comma-separated values with a line of names first, or one JSON object a hand.
        columns : sequence of str, optional
            As `to_arrow`.

        Raises
        ------
        InputError
            Another form, or an unknown column.
        """
        if form not in ("csv", "jsonl"):
            raise InputError(f"a table is exported as csv or jsonl, got {shown(form)}")
        names = self._checked(columns)
        if form == "csv":
            yield ",".join(names) + "\n"
        for table in self.tables(names):
            if table.num_rows:
                yield storage.csv_lines(table) if form == "csv" else storage.json_lines(table)

    def report(self, path: str | os.PathLike[str], lang: str = "en") -> None:
        """
        Write its report: one HTML page that needs nothing else, with tables, plots and hands to step through.

        Parameters
        ----------
        path : path
            The file; one that exists is replaced.
        lang : {"en", "zh"}
            Language of the page.

        Raises
        ------
        InputError
            Another language, or `path` names no file in a directory that exists.
        OSError
            The disk failed; no half of a page is left.
        """
        from gunzi_sim import report  # here, because most runs are not reported

        if lang not in ("en", "zh"):
            raise InputError(f"lang must be en or zh, got {shown(lang)}")
        if not isinstance(path, (str, os.PathLike)):
            raise InputError(f"path must be the path of a file, got {shown(path)}")
        if self.path is not None and self.path.resolve() in Path(path).resolve().parents:
            raise InputError(f"{os.fspath(path)} lies in the run's own directory; give a path outside it")
        with written(os.fspath(path)) as file:
            file.write(report.html(self, Words("zh" if lang == "zh" else "en")))

    def check_files(self) -> int:
        """Read every shard and compare it with its SHA-256; the number of rows. DamagedError names a bad file."""
        if self.path is None:
            return self.n_rows
        return sum(run_files.verify_shard(self.info, shard).n_rows for shard in self._shards)

    def _checked(self, names: Sequence[str] | None) -> list[str]:
        """Names of columns, all of them known; every column when None."""
        known = [column.name for column in self.columns]
        if names is None:
            return known
        if isinstance(names, str):
            raise InputError(f"columns must be a sequence of names, got {shown(names)}")
        for name in names:
            if name not in known:
                raise InputError(f"unknown column {shown(name)}{did_you_mean(name, known)}")
        return list(names)


class Run(Stored):
    """A run: one row a hand; complete unless it was stopped."""

    def __repr__(self) -> str:
        place = "in memory" if self.path is None else str(self.path)
        progress = "" if self.is_complete else f", {self.n_units_done} of them played"
        return (
            f"<Run of {self.info.game}: {self.info.n_units} {self.info.mode}{progress}, {self.n_rows} hands, {place}>"
        )

    @property
    def policies(self) -> tuple[str, ...]:
        """Policies by seat, with their parameters."""
        return tuple(policy["text"] for policy in self.info.policies)

    def summary(self, by: str | Sequence[str] | None = None, confidence: float = stats.CONFIDENCE) -> Summary:
        """
        Means and rates with intervals, clustered by round (or hand, in single-hand mode).

        Parameters
        ----------
        by : str or sequence of str, optional
            Columns whose values make groups; several also in one text with commas.
        confidence : float
            Coverage of the intervals, 0 < confidence < 1.

        Raises
        ------
        InputError
            An unknown column (the nearest is named), more than `MAX_GROUPS` groups, or no coverage.
        """
        if not isinstance(confidence, float) or not 0 < confidence < 1:
            raise InputError(f"confidence must lie between 0 and 1, got {shown(confidence)}")
        names = [name.strip() for name in by.split(",")] if isinstance(by, str) and by else list(by or ())
        names = list(dict.fromkeys(self._checked(names)))
        wanted = _Wanted(self.info, tuple(names))
        groups: Groups = {}
        n_rows: dict[tuple[int, ...], int] = {}
        for table in self.tables(wanted.columns):
            values = {name: table.column(name).to_numpy() for name in table.column_names}
            for group, moments, n_new in wanted.moments(values):
                groups[group] = groups[group] + moments if group in groups else moments
                n_rows[group] = n_rows.get(group, 0) + n_new
            if len(groups) > MAX_GROUPS:
                raise InputError(f"by {','.join(names)}: more than {MAX_GROUPS} groups")
        if not names and not groups:
            groups, n_rows = {(): Moments.zero(wanted.n_quantities)}, {(): 0}
        rows = [
            SummaryRow(group, statistic.name, statistic.unit, statistic.doc, *figure, n_rows[group])
            for group in sorted(groups)
            for statistic, figure in wanted.figures(groups[group], confidence)
        ]
        start = self.mode.removesuffix("s")
        return Summary(self.info.game, start, self.n_units_done, self.n_rows, tuple(names), confidence, tuple(rows))

    def record(self, index: int, hand: int | None = None) -> list[dict[str, Any]]:
        """
        Hands of the run, simulated again, as records with the keys and card names that the README lists.

        Parameters
        ----------
        index : int
            `round_id`.
        hand : int, optional
            One hand of the round; all of them when it is not given.

        Returns
        -------
        list of dict
            In the order of the hands, `result` included.

        Raises
        ------
        InputError
            There is no such round or hand, or this program would play another run (`runner.job_of`).
        """
        return [json.loads(record.write(one)) for one in self.hands(index, hand)]

    def hands(self, index: int, hand: int | None = None) -> list[dict[str, Any]]:
        """The same hands as internal records (`record`), `result` included; arguments and errors as `record`."""
        unit = whole_number(index)
        if unit is None or not 0 <= unit < self.n_units:
            raise InputError(f"index must be a round_id from 0 to {self.n_units - 1}, got {shown(index)}")
        if hand is not None and (whole_number(hand) is None or hand < 0):
            raise InputError(f"hand must be an integer from 0, got {shown(hand)}")
        job = runner.job_of(self.path, self.info, self._deals)
        referee = games.referee(self.info.game)
        found = games.get(self.info.game).records(job, unit, hand)
        return [one | {"result": referee.derive(one)} for one in found]

    def resume(self, threads: int | None = None, progress: Callable[[runner.Progress], None] | None = None) -> "Run":
        """Play what is missing of a stopped run; the complete run. Arguments and errors as `api.simulate`."""
        if self.path is None:
            return self
        job = runner.job_of(self.path, self.info)
        return Run(runner.run(job, self.n_units, self.path, threads, True, progress).info, self.path)


def open_run(path: str | os.PathLike[str]) -> Run:
    """
    A run directory, finished or not.

    Raises
    ------
    InputError
        There is no run, or it holds a comparison.
    storage.DamagedError
        Its `run.json` is not what was written.
    """
    info = run_files.read_info(path)
    if info.comparison is not None:
        raise InputError(f"{path} holds a comparison of arms, not the hands of a run")
    return Run(info, Path(path))


class _Wanted:
    """The quantities of a summary: the numerator of every figure, then the different denominators."""

    def __init__(self, info: run_info.RunInfo, by: tuple[str, ...]) -> None:
        is_rounds = info.mode == "rounds"
        known: Sequence[Statistic] = games.records(info.game).SUMMARY
        self.by = by
        self.is_rounds = is_rounds
        self.statistics = [one for one in known if (is_rounds and not by) or not one.once_a_round]
        if is_rounds and not by:
            self.statistics.insert(0, HANDS_PER_ROUND)
        self.bottoms: list[Where] = list(dict.fromkeys(one.among for one in self.statistics))
        wheres = [term.where for one in self.statistics for term in one.terms] + self.bottoms
        used = [name for where in wheres for name, _ in where]
        used += [term.column for one in self.statistics for term in one.terms if term.column]
        self.columns = list(dict.fromkeys(["round_id", *by, *used]))

    @property
    def n_quantities(self) -> int:
        """Number of quantities; the last counts each unit once."""
        return len(self.statistics) + len(self.bottoms) + 1

    def moments(self, values: dict[str, npt.NDArray[np.integer]]) -> Iterator[tuple[tuple[int, ...], Moments, int]]:
        """Group, moments and number of rows, group by group, of one piece of the table; `values` by column name."""
        units = values["round_id"].astype(np.int64)
        rows = np.zeros((self.n_quantities, len(units)), np.int64)
        quantities(self.statistics, self.bottoms, values, rows)
        rows[-1] = np.concatenate(([True], units[1:] != units[:-1]))[: len(units)]
        keys, codes = _codes([values[name] for name in self.by], len(units))
        counts = np.bincount(codes, minlength=len(keys))
        for code, moments in stats.group_moments(rows, units, codes):
            yield keys[code], moments, int(counts[code])

    def figures(self, moments: Moments, confidence: float) -> Iterator[tuple[Statistic, Estimate]]:
        """Every figure of one group."""
        for place, statistic in enumerate(self.statistics):
            bottom = len(self.statistics) + self.bottoms.index(statistic.among)
            if statistic is HANDS_PER_ROUND:
                yield statistic, stats.ratio(moments, place, self.n_quantities - 1, confidence)
            elif statistic.is_rate and (statistic.once_a_round or not self.is_rounds):  # the start itself is yes or no
                yield statistic, stats.wilson(int(moments.sums[place]), int(moments.sums[bottom]), confidence)
            else:
                figure = stats.ratio(moments, place, bottom, confidence)
                yield statistic, within(figure, 0.0, 1.0) if statistic.is_rate else figure


def quantities(
    statistics: Sequence[Statistic],
    amongs: Sequence[Where],
    values: Mapping[str, npt.NDArray[np.integer]],
    out: npt.NDArray[np.int64],
) -> None:
    """
    What each hand adds to the sums of figures, and to what they are counted among.

    Parameters
    ----------
    statistics : sequence of Statistic
    amongs : sequence of Where
        The different `among` of the statistics.
    values : mapping of str to integer[n_hands]
        Columns of the hands, by name.
    out : int64[n, n_hands]
        Lines of the statistics, then of `amongs`; what follows is left alone. Zeros at first, written in place.
    """
    for line, statistic in zip(out, statistics):
        for term in statistic.terms:
            np.add(line, values[term.column] if term.column else 1, out=line, where=_mask(values, term.where))
    for line, where in zip(out[len(statistics) :], amongs):
        np.add(line, 1, out=line, where=_mask(values, where))


def _mask(values: Mapping[str, npt.NDArray[np.integer]], where: Where) -> "npt.NDArray[np.bool_] | bool":
    """Which rows `where` means; True for all of them."""
    mask: npt.NDArray[np.bool_] | bool = True
    for name, allowed in where:
        mask = np.logical_or.reduce([values[name] == value for value in allowed]) & mask
    return mask


def _codes(
    columns: Sequence[npt.NDArray[np.integer]], n_rows: int
) -> tuple[list[tuple[int, ...]], npt.NDArray[np.int64]]:
    """Groups by the values of the columns: the values of each group, and every row's place among the groups."""
    codes = np.zeros(n_rows, np.int64)
    keys: list[tuple[int, ...]] = [()]
    for column in columns:
        values, places = np.unique(column, return_inverse=True)
        pairs, codes = np.unique(codes * len(values) + places, return_inverse=True)
        keys = [(*keys[pair // len(values)], int(values[pair % len(values)])) for pair in pairs.tolist()]
    return keys, codes


def within(figure: Estimate, low: float, high: float) -> Estimate:
    """The figure with its interval cut to what is possible."""
    if figure.lo is None or figure.hi is None:
        return figure
    return figure._replace(lo=max(low, figure.lo), hi=min(high, figure.hi))


def _digits(value: float | None) -> str:
    """Four significant digits (more before the point), or a dash."""
    if value is None:
        return "–"
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"
