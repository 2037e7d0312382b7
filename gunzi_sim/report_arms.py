"""
A comparison of arms as one HTML page: verdicts, arms, differences, how they came in and spread, six deals as replays.

In a replay an arm and the baseline play one deal side by side, step by step together, and a button leads to where they
part. Left out: HTML (`page`), drawing (`plots`), counting (`tally`), what a comparison is (`comparison`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gunzi_sim import games, layout, page, pieces, plots, stats, tally
from gunzi_sim.exhibit import Step
from gunzi_sim.game import InputError, PolicyError, RulesError, Term, as_text
from gunzi_sim.texts import Words

_GAP = (Term("gap"),)
MOST_DEALS, DEALS_AT_ONCE = 200_000, 20_000
"""Deals that heat maps are made of, the first ones."""


def comparison(found: Any, words: Words, confidence: float) -> str:
    """
    The page of a comparison.

    Parameters
    ----------
    found : comparison.Comparison
        Complete or not, on disk or in memory.
    words : Words
        Language of the page.
    confidence : float
        Coverage of its intervals.

    Returns
    -------
    str
        HTML; hands that this program cannot play again are missing, and the page says why.
    """
    summary = found.summary(confidence)
    starts = words(f"summary.{found.mode}", n=f"{summary.n_starts:,}")
    title = words("report.of_arms", game=words("game"), arms=len(found.arms), starts=starts)
    gaps = _Gaps(found, summary)
    sections = (
        (words("report.arms"), _arms(found, words)),
        (words("report.differences", baseline=found.baseline), _differences(found, summary, words)),
        (words("report.running"), _running(gaps, summary, starts, words)),
        (words("report.gaps"), _distributions(gaps, words)),
        *([(words("report.heat"), _heat_maps(gaps, words))] if _has_deals(found) else []),
        (words("report.deals_behind"), _replays(gaps, words)),
    )
    return pieces.whole(title, _verdicts(found, summary, words), sections, words)


class _Gaps:
    """The figure judged by, unit by unit, of every arm and of the baseline."""

    def __init__(self, found: Any, summary: Any) -> None:
        self.found, self.figure = found, summary.figure
        self.unit = next(row.unit for row in summary.rows if row.name == self.figure)
        self.sums, self.counts = found.values(self.figure)
        self.baseline = found.arms.index(found.baseline)
        self.others = [arm for arm in range(len(found.arms)) if arm != self.baseline]
        self.differs = (self._column("differs") != 0) | (self.sums != self.sums[self.baseline])
        judged = {row.arm: abs(row.difference or 0.0) for row in summary.judged()}
        self.shown = max(self.others, key=lambda arm: judged[found.arms[arm]])

    def _column(self, name: str) -> Any:
        """A column of the table by arm: integer[n_arms, n_units]."""
        values = self.found.to_arrow([name]).column(name).to_numpy()
        return values.reshape(-1, len(self.found.arms)).T[:, : self.found.n_compared]

    def lines(self, arm: int) -> Any:
        """Sums and counts of an arm, then of the baseline: int64[4, n_units]."""
        return np.stack([line[place] for place in (arm, self.baseline) for line in (self.sums, self.counts)])

    def of(self, arm: int) -> Any:
        """Gain of an arm over the baseline in every unit: int64[n_units]."""
        return self.sums[arm] - self.sums[self.baseline]

    def side_gains(self, arm: int, unit: int) -> list[int]:
        """The gain of one unit by the side that plays the arm; one entry where the figures are those of the hand."""
        whole = int(self.of(arm)[unit])
        if not self.found.of_side:
            return [whole]
        first = self._column(f"{self.figure}_first")[:, unit]
        of_first = int(first[arm]) - int(first[self.baseline])
        return [of_first, whole - of_first]


# --- head ---


def _verdicts(found: Any, summary: Any, words: Words) -> Iterator[str]:
    """A sentence for every arm, and whether all is there."""
    for row in summary.judged():
        yield page.tag("p", layout.verdict(summary, row, words), kind="verdict")
    if summary.is_sequential:
        yield page.tag("p", words("compare.sequential", percent=f"{summary.confidence:.0%}"), kind="note")
    if not found.is_complete:
        done, whole = (words(f"summary.{found.mode}", n=f"{n:,}") for n in (found.n_compared, found.n_units))
        yield page.tag("p", words("report.part", done=done, all=whole), kind="warning")


def _arms(found: Any, words: Words) -> Iterator[str]:
    """What each arm changes, and what all of them start from."""
    head = [words(f"report.{key}") for key in ("arm", "arm_changes", "arm_policies")]
    rows = []
    for arm in found.comparison["arms"]:
        mark = f" ({words('report.baseline')})" if arm["name"] == found.baseline else ""
        changes = ", ".join(f"{key}={as_text(value)}" for key, value in arm["changes"].items())
        policies = ",".join(policy["text"] for policy in arm["policies"])
        rows.append((arm["name"] + mark, changes or words.mark("none"), policies))
    yield page.tag("p", words("report.of_side" if found.of_side else "report.of_hand"), kind="note")
    yield page.table(head, rows)
    judged = pieces.figure_name(found.comparison["figure"], words)
    more = [(words("report.judged_by"), judged), (words("report.until"), _until(found.comparison["until"], words))]
    if found.comparison["equivalence"]:
        more.append((words("report.equivalence"), f"{found.comparison['equivalence']:g}"))
    yield page.tag("h3", words("report.field"))
    field = [policy["text"] for policy in found.info.policies]
    yield from pieces.setup(found, field, more, words)


def _until(until: str | None, words: Words) -> str:
    if until is None:
        return words("report.until_end")
    name, _, width = until.partition("=")
    return words(f"report.until_{name}", width=width)


# --- differences ---


def _differences(found: Any, summary: Any, words: Words) -> Iterator[str]:
    """The judged figure drawn, then every figure of every arm as a table with exact values as attributes."""
    is_rate = next(row.unit for row in summary.rows if row.name == summary.figure).startswith("share")
    rows = [(row.arm, row.difference, row.difference_lo, row.difference_hi) for row in summary.judged()]
    title = pieces.figure_name(summary.figure, words)
    unit = pieces.unit_name(next(row.unit for row in summary.rows if row.name == summary.figure), words)
    svg = plots.intervals("differences", rows, unit, pieces.percent if is_rate else pieces.plain)
    percent = f"{summary.confidence:.0%}"
    yield page.tag("p", words("report.differences_note", percent=percent), kind="note")
    keys = ("arm", "estimate", "interval", "difference", "interval", "saved", "unit")
    head = [words("summary.figure"), *(words(f"compare.{key}", percent=percent) for key in keys)]
    cells = [_cells(row, words) for row in summary.rows]
    exact = [_exact(row) for row in summary.rows]
    unfold = (words("report.data"), page.table(head, cells, frozenset(range(2, 7)), exact))
    yield page.figure(svg, title, words("report.differences_of", baseline=found.baseline), unfold, unfolded=True)


def _cells(row: Any, words: Words) -> tuple[str, ...]:
    estimate, interval = layout.figures(row.estimate, row.lo, row.hi, row.unit, words)
    gap, around = layout.figures(row.difference, row.difference_lo, row.difference_hi, row.unit, words)
    saved = words.mark("none") if row.saved is None else f"{row.saved:.1f}"
    name, unit = pieces.figure_name(row.name, words), pieces.unit_name(row.unit, words)
    return name, row.arm, estimate, interval, gap, around, saved, unit


def _exact(row: Any) -> Mapping[str, object]:
    keys = ("arm", "estimate", "difference", "difference_lo", "difference_hi", "saved")
    values = {key.replace("_", "-"): getattr(row, key) for key in keys}
    return {"figure": row.name} | {key: "" if value is None else value for key, value in values.items()}


def _running(gaps: _Gaps, summary: Any, starts: str, words: Words) -> Iterator[str]:
    """The difference of every arm as it came in, with a confidence sequence that holds for all arms together."""
    found, share = gaps.found, stats.share_of(summary.confidence, len(gaps.others))
    best_n = stats.quarter(found.n_units) if summary.is_sequential else found.n_units
    curves = [(arm, tally.paired_curve(gaps.lines(arm), best_n, share)) for arm in gaps.others]
    curves = [(arm, curve) for arm, curve in curves if len(curve[0]) > 1]
    if not curves:
        yield page.tag("p", words("report.running_none"), kind="note")
        return
    first = min(int(curve[0][0]) for _, curve in curves)
    note = words("report.running_note", starts=starts, percent=f"{summary.confidence:.0%}", first=first)
    yield page.tag("p", note, kind="note")
    yield '<div class="plots">'
    for arm, curve in curves:
        x = words(f"report.n_{found.mode}")
        yield pieces.running(f"arm-{arm}", _title(gaps, arm, words), curve, x, gaps.unit, pieces.NO_LIMITS, words)
    yield "</div>"


def _distributions(gaps: _Gaps, words: Words) -> Iterator[str]:
    """Gains of every arm over the baseline, of the units that were played otherwise."""
    yield page.tag("p", words(f"report.gaps_note_{gaps.found.mode}"), kind="note")
    yield '<div class="plots">'
    for arm in gaps.others:
        differs = gaps.differs[arm]
        if not differs.any():
            continue
        bars = tally.bars_of(gaps.of(arm)[differs])
        alike = words(f"report.alike_{gaps.found.mode}", share=f"{100 * (1 - differs.mean()):.3g}")
        share = words(f"report.share_{gaps.found.mode}")
        x = pieces.figure_name(gaps.figure, words)
        yield pieces.bars(f"arm-{arm}", bars, _title(gaps, arm, words), x, share, alike, words)
    yield "</div>"


def _has_deals(found: Any) -> bool:
    """Whether the units are deals of which it is known who draws first."""
    return found.mode == "hands" and not dict(found.info.situation or {}).get("first_hand", True)


def _heat_maps(gaps: _Gaps, words: Words) -> Iterator[str]:
    """The mean gain of every arm by what was dealt."""
    found, shown = gaps.found, games.exhibits(gaps.found.info.game)
    n_units = min(found.n_compared, MOST_DEALS)
    keys = [
        shown.of_deals(found.decks(start, min(n_units, start + DEALS_AT_ONCE)))
        for start in range(0, n_units, DEALS_AT_ONCE)
    ]
    if not keys:
        return
    cells_by = np.concatenate(keys, axis=1)
    note = words("report.heat_deals", n=f"{n_units:,}") if n_units < found.n_compared else ""
    yield page.tag("p", f"{words('report.heat_note', thin=plots.THIN)} {note}".strip(), kind="note")
    yield '<div class="plots">'
    for arm in gaps.others:
        cells = tally.cells_of(cells_by, gaps.of(arm)[:n_units], gaps.counts[arm][:n_units])
        cells = {key: cell for key, cell in cells.items() if cell.n_rows}
        title = words("report.gap_by_deal", gap=_title(gaps, arm, words))
        label = pieces.tenths_percent if gaps.unit.startswith("share") else pieces.short
        if cells:
            yield pieces.heat_map(f"arm-{arm}", title, cells, shown.DEAL_AXES, label, words)
    yield "</div>"


def _title(gaps: _Gaps, arm: int, words: Words) -> str:
    """Which figure of which arm less that of the baseline."""
    names = {"arm": gaps.found.arms[arm], "baseline": gaps.found.baseline}
    return words("report.gap", figure=pieces.figure_name(gaps.figure, words), **names)


# --- replays ---


class _Pair(NamedTuple):
    """One deal under an arm and under the baseline: which side plays the arm, which hand, both records."""

    side: int
    hand: int
    records: tuple[dict[str, Any], dict[str, Any]]


def _replays(gaps: _Gaps, words: Words) -> Iterator[str]:
    """Six units of the arm that differs most, side by side with the baseline."""
    found, arm = gaps.found, gaps.shown
    units = np.flatnonzero(gaps.differs[arm])
    extremes = tally.Extremes(_GAP)
    values = {"gap": gaps.of(arm)[units], "hand": np.zeros(len(units), np.int64)}
    extremes.add(values, units)
    extremes.add_near(values, units)
    picks = extremes.picks()
    if not picks:
        yield page.tag("p", words("report.alike_all"), kind="note")
        return
    names = {"arm": found.arms[arm], "baseline": found.baseline}
    figure = pieces.figure_name(gaps.figure, words)
    note = words("report.pairs_note", figure=figure, median=f"{extremes.bars.median:+d}", **names)
    yield page.tag("p", f"{note} {pieces.legend(words)}", kind="note")
    try:
        pairs = [_pair(gaps, arm, pick) for pick in picks]
    except (InputError, RulesError, PolicyError) as error:
        yield page.tag("p", words("report.no_replays", why=error), kind="warning")
        return
    yield f"<noscript>{page.tag('p', words('report.no_script'), kind='warning')}</noscript>"
    for number, (pick, pair) in enumerate(zip(picks, pairs)):
        boards = [
            pieces.board(name, record, words) for name, record in zip((names["arm"], names["baseline"]), pair.records)
        ]
        parting = parting_of(boards[0][2], boards[1][2])
        title = words("report.replay", why=words(f"report.{pick.why}"), gain=f"{pick.gain:+d}")
        yield page.replay(f"replay-{number}", title, _where(found, pick, pair, parting, words), boards, words, parting)


def _where(found: Any, pick: tally.Pick, pair: _Pair, parting: int, words: Words) -> str:
    """Which deal it is, who plays the arm, and where the hands part."""
    key = "report.round_hand" if found.mode == "rounds" else "report.hand"
    parts = [words(key, unit=pick.unit, hand=pair.hand)]
    if found.of_side:
        parts.append(words("report.arm_side", side=pair.side, one=pair.side, other=pair.side + 2))
    parts.append(words("report.part_at", step=parting + 1))
    return f" {words.mark('dot')} ".join(parts)


def _pair(gaps: _Gaps, arm: int, pick: tally.Pick) -> _Pair:
    """The hand in which the arm and the baseline first part, of the side whose gain does most for the pick's reason."""
    found = gaps.found
    gains = gaps.side_gains(arm, pick.unit)
    weight = {"gain": 1, "loss": -1}.get(pick.why, 1 if pick.gain >= 0 else -1)
    parted = []
    for side, gain in enumerate(gains):
        both = [found.hands(pick.unit, name, side) for name in (found.arms[arm], found.baseline)]
        for hand, records in enumerate(zip(*both)):
            if _played(records[0]) != _played(records[1]):
                parted.append((-weight * gain, side, _Pair(side, hand, records)))
                break
    return min(parted, key=lambda one: one[:2])[2]


def _played(record: Mapping[str, Any]) -> dict[str, Any]:
    """What was dealt, decided and won in a hand, whatever its rules are called."""
    return {key: value for key, value in record.items() if key not in ("rules", "source")}


def parting_of(one: Sequence[Step], other: Sequence[Step]) -> int:
    """The first step in which two hands differ."""
    alike = (ours == theirs for ours, theirs in zip(one, other))
    return next((at for at, same in enumerate(alike) if not same), min(len(one), len(other)) - 1)
