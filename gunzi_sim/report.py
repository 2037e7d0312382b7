"""
A run as one HTML page: what was played, figures, estimates as they came in, distributions, heat maps, and six hands as
replays.

`run` reads the table twice, piece by piece. The page depends on the run and this program's version alone: not on where
the run lies, how it was cut, or when the page is made. What a game shows is data in its `exhibits`. Left out: HTML
(`page`), drawing (`plots`), counting (`tally`).
"""

from collections.abc import Iterator
from typing import Any

from gunzi_sim import games, layout, page, pieces, plots, report_arms, stats, tally
from gunzi_sim.game import InputError, PolicyError, RulesError
from gunzi_sim.texts import Words


def html(found: Any, words: Words, confidence: float = stats.CONFIDENCE) -> str:
    """The page of a `results.Run`, or of a `comparison.Comparison`, as `run` and `report_arms.comparison` make it."""
    return (run if found.info.comparison is None else report_arms.comparison)(found, words, confidence)


def run(found: Any, words: Words, confidence: float = stats.CONFIDENCE) -> str:
    """
    The page of a run.

    Parameters
    ----------
    found : results.Run
        Complete or not, on disk or in memory.
    words : Words
        Language of the page.
    confidence : float
        Coverage of its intervals.

    Returns
    -------
    str
        HTML. Hands that this program cannot play again (other version, unknown policy) are missing; the page says why.
    """
    summary = found.summary(confidence=confidence)
    counts = _Counts(found)
    starts = words(f"summary.{found.mode}", n=f"{summary.n_starts:,}")
    title = words("report.of_run", game=words("game"), starts=starts, hands=f"{summary.n_rows:,}")
    sections = (
        ("setup", pieces.setup(found, found.policies, (), words)),
        ("figures", _figures(summary, words)),
        ("running", _running(counts, starts, confidence, words)),
        ("distributions", _distributions(counts, words)),
        ("heat", _heat_maps(counts, words)),
        ("replays", _replays(found, counts, words)),
    )
    named = [(words(f"report.{name}"), parts) for name, parts in sections]
    return pieces.whole(title, _verdict(found, summary, words), named, words)


class _Counts:
    """What is counted in a run's table, in two passes over it."""

    def __init__(self, found: Any) -> None:
        shown = games.exhibits(found.info.game)
        is_rounds = found.mode == "rounds"
        statistics = {one.name: one for one in games.records(found.info.game).SUMMARY}
        running = [statistics[name] for name in shown.RUNNING if is_rounds or not statistics[name].once_a_round]
        self.mode = found.mode
        self.running = [tally.Running(one, found.n_units_done, found.n_units) for one in running]
        self.bars = [tally.Bars(one) for one in shown.DISTRIBUTIONS if is_rounds or not one.of_unit]
        self.heat = [tally.Heat(one) for one in shown.HEAT_MAPS if is_rounds or not one.of_rounds]
        self.extremes = tally.Extremes(shown.GAIN)
        parts: list[Any] = [*self.running, *self.bars, *self.heat, self.extremes]
        for values in _pieces(found, set().union(*(part.columns for part in parts))):
            for part in parts:
                part.add(values, values["round_id"])
        for values in _pieces(found, self.extremes.columns):
            self.extremes.add_near(values, values["round_id"])


def _pieces(found: Any, columns: set[str]) -> Iterator[dict[str, Any]]:
    """The table piece by piece, as arrays by column name."""
    names = [column.name for column in found.columns if column.name in columns | {"round_id"}]
    for table in found.tables(names):
        yield {name: table.column(name).to_numpy() for name in names}


# --- head ---


def _verdict(found: Any, summary: Any, words: Words) -> Iterator[str]:
    """The main figure in a sentence, and whether all of the run is there."""
    name = games.exhibits(found.info.game).HEADLINE
    if any(row.name == name and row.lo is not None for row in summary.rows):
        yield page.tag("p", layout.sentence(summary, words, name), kind="verdict")
    if not found.is_complete:
        done, whole = (words(f"summary.{found.mode}", n=f"{n:,}") for n in (found.n_units_done, found.n_units))
        yield page.tag("p", words("report.part", done=done, all=whole), kind="warning")


# --- figures and plots ---


def _figures(summary: Any, words: Words) -> Iterator[str]:
    """The summary as a table; the exact values are attributes of its rows."""
    percent = f"{summary.confidence:.0%}"
    keys = ("figure", "estimate", "interval", f"n_{summary.start}s", "unit")
    rows, values = [], []
    for row in summary.rows:
        estimate, interval = layout.figures(row.estimate, row.lo, row.hi, row.unit, words)
        name, unit = pieces.figure_name(row.name, words), pieces.unit_name(row.unit, words)
        rows.append((name, estimate, interval, f"{row.n:,}", unit))
        exact = {"estimate": row.estimate, "lo": row.lo, "hi": row.hi, "n": row.n}
        values.append({"figure": row.name} | {key: "" if value is None else value for key, value in exact.items()})
    yield page.tag("p", words("report.figures_note"), kind="note")
    head = [words(f"summary.{key}", percent=percent) for key in keys]
    yield page.table(head, rows, frozenset({1, 2, 3}), values)


def _running(counts: _Counts, starts: str, confidence: float, words: Words) -> Iterator[str]:
    """Each figure as it came in, with its confidence sequence."""
    curves = [(one.statistic, one.curve(confidence)) for one in counts.running]
    curves = [(statistic, curve) for statistic, curve in curves if len(curve[0]) > 1]
    if not curves:
        yield page.tag("p", words("report.running_none"), kind="note")
        return
    first = min(int(curve[0][0]) for _, curve in curves)
    note = words("report.running_note", starts=starts, percent=f"{confidence:.0%}", first=first)
    yield page.tag("p", note, kind="note")
    yield '<div class="plots">'
    for statistic, curve in curves:
        title = pieces.figure_name(statistic.name, words)
        limits = (0.0, 1.0) if statistic.is_rate else pieces.NO_LIMITS
        x = words(f"report.n_{counts.mode}")
        yield pieces.running(statistic.name, title, curve, x, statistic.unit, limits, words)
    yield "</div>"


def _distributions(counts: _Counts, words: Words) -> Iterator[str]:
    """How often each value came."""
    yield '<div class="plots">'
    for one in counts.bars:
        if one.n:
            title = words(f"dist.{one.wanted.name}")
            share = words("report.share_rounds" if one.wanted.of_unit else "report.share_hands")
            yield pieces.bars(one.wanted.name, one, title, title, share, "", words)
    yield "</div>"


def _heat_maps(counts: _Counts, words: Words) -> Iterator[str]:
    """Means by two columns, thin cells hatched."""
    yield page.tag("p", words("report.heat_note", thin=plots.THIN), kind="note")
    yield '<div class="plots">'
    for one in counts.heat:
        if not one.cells:
            continue
        wanted = one.wanted
        label = pieces.tenths_percent if wanted.is_rate else pieces.short
        title = words(f"heat.{wanted.name}")
        yield pieces.heat_map(wanted.name, title, one.cells, (wanted.down, wanted.across), label, words)
    yield "</div>"


# --- replays ---


def _replays(found: Any, counts: _Counts, words: Words) -> Iterator[str]:
    """The hands behind the numbers, played again."""
    shown = games.exhibits(found.info.game)
    picks = counts.extremes.picks()
    figure = layout.named(f"dist.{shown.GAIN_NAME}", shown.GAIN_NAME, words)
    note = words("report.replays_note", figure=figure, median=f"{counts.extremes.bars.median:+d}")
    yield page.tag("p", f"{note} {pieces.legend(words)}", kind="note")
    try:
        records = [found.hands(pick.unit, pick.hand if found.mode == "rounds" else None)[0] for pick in picks]
    except (InputError, RulesError, PolicyError) as error:
        yield page.tag("p", words("report.no_replays", why=error), kind="warning")
        return
    yield f"<noscript>{page.tag('p', words('report.no_script'), kind='warning')}</noscript>"
    for number, (pick, record) in enumerate(zip(picks, records)):
        title = words("report.replay", why=words(f"report.{pick.why}"), gain=f"{pick.gain:+d}")
        is_rounds = found.mode == "rounds"
        where = words("report.round_hand" if is_rounds else "report.hand", unit=pick.unit, hand=pick.hand)
        command = f"gunzi-sim show RUN --index {pick.unit}" + (f" --hand {pick.hand}" if is_rounds else "")
        note = f"{where} {words.mark('dot')} {words('report.again', command=command)}"
        yield page.replay(f"replay-{number}", title, note, [pieces.board("", record, words)], words)
