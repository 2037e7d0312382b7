"""
A run as one HTML page: what was played, figures, estimates as they came in, distributions, heat maps, and six hands as
replays.

`run` reads the table twice, piece by piece. The page depends on the run and this program's version alone: not on where
the run lies, how it was cut, or when the page is made. What a game shows is data in its `exhibits`. Left out: HTML
(`page`), drawing (`plots`), counting (`tally`).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

from gunzi_sim import game as contract
from gunzi_sim import games, layout, page, plots, stats, tally
from gunzi_sim.game import InputError, PolicyError, RulesError
from gunzi_sim.texts import Line, Words

COLUMNS_OF_TEXT = 100
"""Width of a hand told as text."""
_ROWS = 12  # of the numbers behind a running figure


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
    body = [
        f"<header>{page.tag('h1', title)}",
        *_verdict(found, summary, words),
        "</header>",
        *_section("report.setup", _setup(found, words), words),
        *_section("report.figures", _figures(summary, words), words),
        *_section("report.running", _running(counts, starts, confidence, words), words),
        *_section("report.distributions", _distributions(counts, words), words),
        *_section("report.heat", _heat_maps(counts, words), words),
        *_section("report.replays", _replays(found, counts, words), words),
        page.tag("footer", words("report.made_by", version=version("gunzi-sim"))),
    ]
    return page.document(f"gunzi_sim: {title}", body, words)


class _Counts:
    """What is counted in a run's table, in two passes over it."""

    def __init__(self, found: Any) -> None:
        shown = games.exhibits(found.info.game)
        rounds = found.mode == "rounds"
        statistics = {one.name: one for one in games.records(found.info.game).SUMMARY}
        running = [statistics[name] for name in shown.RUNNING if rounds or not statistics[name].once_a_round]
        self.mode = found.mode
        self.running = [tally.Running(one, found.n_units_done, found.n_units) for one in running]
        self.bars = [tally.Bars(one) for one in shown.DISTRIBUTIONS if rounds or not one.of_unit]
        self.heat = [tally.Heat(one) for one in shown.HEAT_MAPS if rounds or not one.of_rounds]
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


def _section(key: str, pieces: Iterable[str], words: Words) -> list[str]:
    return ["<section>", page.tag("h2", words(key)), *pieces, "</section>"]


# --- head ---


def _verdict(found: Any, summary: Any, words: Words) -> Iterator[str]:
    """The main figure in a sentence, and whether all of the run is there."""
    name = games.exhibits(found.info.game).HEADLINE
    if any(row.name == name and row.lo is not None for row in summary.rows):
        yield page.tag("p", layout.sentence(summary, words, name), kind="verdict")
    if not found.is_complete:
        done, whole = (words(f"summary.{found.mode}", n=f"{n:,}") for n in (found.n_units_done, found.n_units))
        yield page.tag("p", words("report.part", done=done, all=whole), kind="warning")


def _setup(found: Any, words: Words) -> Iterator[str]:
    """Game, rules, policies, seed, size and versions."""
    info = found.info
    preset = words("report.preset", preset=info.rules.get("preset", words.mark("none")))
    rows = [
        (words("report.game"), f"{words('game')} ({info.game})"),
        (words("report.rules"), preset),
        (words("report.policies"), _policies(found.policies, words)),
        (words("report.seed"), str(info.seed)),
        (words("report.size"), words(f"summary.{info.mode}", n=f"{info.n_units:,}")),
    ]
    if info.situation is not None:
        rows.append((words("report.start"), _start(dict(info.situation), words)))
    if info.deals is not None:
        rows.append((words("report.deals"), f"{info.deals.get('n')}, SHA-256 {info.deals.get('sha256')}"))
    rows.append((words("report.versions"), ", ".join(f"{name} {text}" for name, text in info.versions.items())))
    yield page.facts(rows)
    yield page.tag("h3", words("report.changed"))
    changes = _changes(info)
    if not changes:
        yield page.tag("p", words("report.unchanged"), kind="note")
        return
    yield page.table([words(f"report.{key}") for key in ("option", "here", "there")], changes)


def _policies(texts: Sequence[str], words: Words) -> str:
    """The policies by seat; one for all of them once."""
    if len(set(texts)) == 1:
        return texts[0]
    return "; ".join(f"{words('hand.seat', seat=seat)}: {text}" for seat, text in enumerate(texts))


def _start(situation: dict[str, Any], words: Words) -> str:
    levels = " / ".join(map(str, situation.get("levels", ())))
    key = "report.first_hand" if situation.get("first_hand") else "report.later_hand"
    return words(key, levels=levels, dealer=situation.get("dealer"), owed=situation.get("owed"))


def _changes(info: Any) -> list[tuple[str, str, str]]:
    """Options that differ from the run's preset: name, value here, value there; of unreadable rules, all of them."""
    try:
        rules = contract.from_mapping(games.rules_class(info.game), info.rules)
    except RulesError:
        return [(str(name), str(value), "?") for name, value in info.rules.items()]
    return [(name, _value(ours), _value(theirs)) for name, theirs, ours in contract.diff(_preset(rules), rules)]


def _preset(rules: contract.Rules) -> contract.Rules:
    return rules.PRESETS[rules.preset]


def _value(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


# --- figures and plots ---


def _figures(summary: Any, words: Words) -> Iterator[str]:
    """The summary as a table; the exact values are attributes of its rows."""
    percent = f"{summary.confidence:.0%}"
    keys = ("figure", "estimate", "interval", f"n_{summary.start}s", "unit")
    rows, values = [], []
    for row in summary.rows:
        estimate, interval = layout.figures(row.estimate, row.lo, row.hi, row.unit, words)
        name, unit = layout.named(f"figure.{row.name}", row.name, words), _unit(row.unit, words)
        rows.append((name, estimate, interval, f"{row.n:,}", unit))
        exact = {"estimate": row.estimate, "lo": row.lo, "hi": row.hi, "n": row.n}
        values.append({"figure": row.name} | {key: "" if value is None else value for key, value in exact.items()})
    yield page.tag("p", words("report.figures_note"), kind="note")
    head = [words(f"summary.{key}", percent=percent) for key in keys]
    yield page.table(head, rows, frozenset({1, 2, 3}), values)


def _unit(unit: str, words: Words) -> str:
    return layout.named(f"unit.{unit}", unit, words)


def _running(counts: _Counts, starts: str, confidence: float, words: Words) -> Iterator[str]:
    """Each figure as it came in, with its confidence sequence."""
    percent = f"{confidence:.0%}"
    curves = [(one, *one.curve(confidence)) for one in counts.running]
    curves = [curve for curve in curves if len(curve[1]) > 1]
    if not curves:
        yield page.tag("p", words("report.running_none"), kind="note")
        return
    first = min(int(n[0]) for _, n, _, _ in curves)
    yield page.tag("p", words("report.running_note", starts=starts, percent=percent, first=first), kind="note")
    yield '<div class="plots">'
    for one, n, value, half in curves:
        statistic = one.statistic
        title = layout.named(f"figure.{statistic.name}", statistic.name, words)
        label = _percent if statistic.is_rate else _plain
        x = words(f"report.n_{counts.mode}")
        y = _unit(statistic.unit, words)
        limits = (0.0, 1.0) if statistic.is_rate else (-math.inf, math.inf)
        curve = (n.tolist(), value.tolist(), half.tolist())
        svg = plots.running(f"running-{statistic.name}", *curve, x, y, label, limits)
        chosen = sorted({round(place * (len(n) - 1) / (_ROWS - 1)) for place in range(_ROWS)})
        rows = [(f"{n[at]:,}", *_with_half(value[at], half[at], statistic.is_rate, words)) for at in chosen]
        exact = [{"n": int(n[at]), "estimate": float(value[at]), "half": float(half[at])} for at in chosen]
        head = ["n", words("summary.estimate"), words.mark("half")]
        unfold = (words("report.data"), page.table(head, rows, frozenset({0, 1, 2}), exact))
        yield page.figure(svg, title, "", unfold)
    yield "</div>"


def _with_half(value: float, half: float, is_rate: bool, words: Words) -> tuple[str, str]:
    """A value and its half width, to two digits of the latter."""
    factor, sign = (100, " %") if is_rate else (1, "")
    places = max(0, min(6, 1 - math.floor(math.log10(factor * half)))) if half > 0 else 2
    return f"{factor * value:.{places}f}{sign}", f"{factor * half:.{places}f}"


def _percent(value: float) -> str:
    return f"{100 * value:.4g} %"


def _plain(value: float) -> str:
    return f"{value:g}"


def _whole_percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def _short(value: float) -> str:
    return f"{value:.3g}"


def _distributions(counts: _Counts, words: Words) -> Iterator[str]:
    """How often each value came."""
    yield '<div class="plots">'
    for one in counts.bars:
        found = one.bars()
        if not found:
            continue
        name, width = one.wanted.name, one.wanted.width
        title = words(f"dist.{name}")
        note = words("report.bars_note", n=f"{one.n:,}", mean=f"{one.mean:.4g}")
        if width > 1:
            note += " " + words("report.bars_width", width=width)
        share = words("report.share_rounds" if one.wanted.of_unit else "report.share_hands")
        svg = plots.bars(f"dist-{name}", found, width, one.mean, title, share)
        rows = [
            (_bar_name(start, width), f"{count:,}", f"{100 * count / one.n:.3g} %") for start, count in found if count
        ]
        head = [words("report.value"), words("report.count"), share]
        yield page.figure(svg, title, note, (words("report.data"), page.table(head, rows, frozenset({0, 1, 2}))))
    yield "</div>"


def _bar_name(start: int, width: int) -> str:
    """The values of one bar."""
    return str(start) if width == 1 else f"{start} … {start + width - 1}"


def _heat_maps(counts: _Counts, words: Words) -> Iterator[str]:
    """Means by two columns, thin cells hatched."""
    yield page.tag("p", words("report.heat_note", thin=plots.THIN), kind="note")
    yield '<div class="plots">'
    for one in counts.heat:
        if not one.cells:
            continue
        wanted = one.wanted
        label = _whole_percent if wanted.is_rate else _short
        down, across = (_span([key[at] for key in one.cells]) for at in (0, 1))
        svg = plots.heat(
            f"heat-{wanted.name}",
            one.cells,
            [(value, wanted.down.label(value)) for value in down],
            [(value, wanted.across.label(value)) for value in across],
            words(f"axis.{wanted.across.name}"),
            words(f"axis.{wanted.down.name}"),
            label,
        )
        rows, exact = [], []
        for (first, second), cell in sorted(one.cells.items()):
            thin = words("report.thin") if cell.n_units < plots.THIN else ""
            names = (wanted.down.label(first), wanted.across.label(second))
            rows.append((*names, label(cell.mean), f"{cell.n_rows:,}", f"{cell.n_units:,}", thin))
            exact.append({"cell": f"{first},{second}", "mean": cell.mean, "starts": cell.n_units})
        keys = (f"axis.{wanted.down.name}", f"axis.{wanted.across.name}", f"heat.{wanted.name}")
        head = [*map(words, keys), words("report.rows"), words("report.starts"), ""]
        unfold = (words("report.data"), page.table(head, rows, frozenset(range(5)), exact))
        yield page.figure(svg, words(f"heat.{wanted.name}"), "", unfold)
    yield "</div>"


def _span(values: Sequence[int]) -> range:
    """All values from the least to the greatest."""
    return range(min(values), max(values) + 1)


# --- replays ---


def _replays(found: Any, counts: _Counts, words: Words) -> Iterator[str]:
    """The hands behind the numbers, played again."""
    shown = games.exhibits(found.info.game)
    picks = counts.extremes.picks()
    figure = layout.named(f"dist.{shown.GAIN_NAME}", shown.GAIN_NAME, words)
    note = words("report.replays_note", figure=figure, median=f"{counts.extremes.bars.median:+d}")
    legend = words("report.legend", lead=words.mark("lead"), won=words.mark("won"))
    yield page.tag("p", f"{note} {legend}", kind="note")
    try:
        records = [found.hands(pick.unit, pick.hand if found.mode == "rounds" else None)[0] for pick in picks]
    except (InputError, RulesError, PolicyError) as error:
        yield page.tag("p", words("report.no_replays", why=error), kind="warning")
        return
    yield f"<noscript>{page.tag('p', words('report.no_script'), kind='warning')}</noscript>"
    for number, (pick, record) in enumerate(zip(picks, records)):
        title = words("report.replay", why=words(f"report.{pick.why}"), gain=f"{pick.gain:+d}")
        rounds = found.mode == "rounds"
        where = words("report.round_hand" if rounds else "report.hand", unit=pick.unit, hand=pick.hand)
        command = f"gunzi-sim show RUN --index {pick.unit}" + (f" --hand {pick.hand}" if rounds else "")
        note = f"{where} {words.mark('dot')} {words('report.again', command=command)}"
        yield page.replay(f"replay-{number}", title, note, [_board("", record, words)], words)


def _board(name: str, record: dict[str, Any], words: Words) -> tuple[str, list[str], list[Any], str]:
    """One hand as `page.replay` takes it."""
    steps = games.steps(record["game"])
    text = _text(games.story(record["game"]).tell(record, words, COLUMNS_OF_TEXT))
    return name, steps.seats(record, words), steps.steps(record, words), text


def _text(lines: Iterable[Line]) -> str:
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)
