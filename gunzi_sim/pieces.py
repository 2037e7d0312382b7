"""
Parts that reports of runs and of comparisons share: what was played, running figures, bars, a hand as a board.

Left out: HTML (`page`), drawing (`plots`), counting (`tally`), what is shown in which order (`report`, `report_arms`).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from gunzi_sim import game as contract
from gunzi_sim import games, layout, page, plots, tally
from gunzi_sim.exhibit import Axis
from gunzi_sim.game import RulesError
from gunzi_sim.texts import Line, Words

COLUMNS_OF_TEXT = 100
"""Width of a hand told as text."""
NO_LIMITS = (-math.inf, math.inf)
_ROWS = 12  # of the numbers behind a running figure


def whole(title: str, head: Iterable[str], sections: Iterable[tuple[str, Iterable[str]]], words: Words) -> str:
    """A report: what stands above it all, sections under their headings, and who made it."""
    body = [f"<header>{page.tag('h1', title)}", *head, "</header>"]
    for heading, parts in sections:
        body += section(heading, parts)
    body.append(page.tag("footer", words("report.made_by", version=version("gunzi-sim"))))
    return page.document(f"gunzi_sim: {title}", body, words)


def section(heading: str, parts: Iterable[str]) -> list[str]:
    """A part of a page under its heading."""
    return ["<section>", page.tag("h2", heading), *parts, "</section>"]


def figure_name(name: str, words: Words) -> str:
    """A figure of a game in the reader's language."""
    return layout.named(f"figure.{name}", name, words)


def unit_name(unit: str, words: Words) -> str:
    """The unit of a figure."""
    return layout.named(f"unit.{unit}", unit, words)


# --- what was played ---


def setup(found: Any, policies: Sequence[str], more: Iterable[tuple[str, str]], words: Words) -> Iterator[str]:
    """
    Game, rules, policies, seed, size and versions, then the options that differ from the preset.

    Parameters
    ----------
    found : results.Stored
        A run or a comparison.
    policies : sequence of str
        By seat.
    more : iterable of (label, text)
        Rows of its own.
    words : Words
        Language.
    """
    info = found.info
    preset = words("report.preset", preset=info.rules.get("preset", words.mark("none")))
    rows = [
        (words("report.game"), f"{words('game')} ({info.game})"),
        (words("report.rules"), preset),
        (words("report.policies"), _policies(policies, words)),
        (words("report.seed"), str(info.seed)),
        (words("report.size"), words(f"summary.{info.mode}", n=f"{info.n_units:,}")),
        *more,
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
    differences = contract.diff(rules.PRESETS[rules.preset], rules)
    return [(name, contract.as_text(ours), contract.as_text(theirs)) for name, theirs, ours in differences]


# --- plots with their numbers ---


def heat_map(
    name: str,
    title: str,
    cells: Mapping[tuple[int, int], tally.Cell],
    axes: tuple[Axis, Axis],
    label: Callable[[float], str],
    words: Words,
) -> str:
    """
    Means by two axes, thin cells hatched, with the numbers behind them.

    Parameters
    ----------
    name, title : str
        Name of the plot, and the text above it.
    cells : mapping of (down, across) to tally.Cell
    axes : (down, across)
    label : callable
        A mean in words.
    words : Words
        Language.
    """
    down, across = axes
    spans = [range(min(values), max(values) + 1) for values in zip(*cells)]
    of_rows, of_columns = ([(value, axis.label(value)) for value in span] for axis, span in zip(axes, spans))
    y, x = (words(f"axis.{axis.name}") for axis in axes)
    svg = plots.heat(f"heat-{name}", cells, of_rows, of_columns, x, y, label)
    rows, exact = [], []
    for (first, second), cell in sorted(cells.items()):
        thin = words("report.thin") if cell.n_units < plots.THIN else ""
        shown = (down.label(first), across.label(second))
        error = words.mark("none") if cell.error is None else label(cell.error)
        rows.append((*shown, label(cell.mean), error, f"{cell.n_rows:,}", f"{cell.n_units:,}", thin))
        of_cell = {"cell": f"{first},{second}", "mean": cell.mean, "error": cell.error, "starts": cell.n_units}
        exact.append({key: "" if value is None else value for key, value in of_cell.items()})
    head = [y, x, title, words("report.error"), words("report.rows"), words("report.starts"), ""]
    return page.figure(svg, title, "", (words("report.data"), page.table(head, rows, frozenset(range(6)), exact)))


def tenths_percent(value: float) -> str:
    """A share in percent."""
    return f"{100 * value:.1f} %"


def short(value: float) -> str:
    """A number of three digits."""
    return f"{value:.3g}"


def running(
    name: str, title: str, curve: Sequence[Any], x: str, unit: str, limits: tuple[float, float], words: Words
) -> str:
    """
    A figure as it came in.

    Parameters
    ----------
    name, title : str
        Name of the plot, and the text above it.
    curve : (n, value, half)
        Arrays: numbers of units, the figure after as many, half width of its interval.
    x : str
        Text of the axis of units.
    unit : str
        Of the figure, as the game's data has it.
    limits : (float, float)
        Between which the figure must lie.
    words : Words
        Language.
    """
    n, value, half = curve
    is_rate = unit.startswith("share")
    axes = (x, unit_name(unit, words), percent if is_rate else plain)
    svg = plots.running(f"running-{name}", n.tolist(), value.tolist(), half.tolist(), *axes, limits)
    chosen = sorted({round(place * (len(n) - 1) / (_ROWS - 1)) for place in range(_ROWS)})
    rows = [(f"{n[at]:,}", *_with_half(value[at], half[at], is_rate)) for at in chosen]
    exact = [{"n": int(n[at]), "estimate": float(value[at]), "half": float(half[at])} for at in chosen]
    head = ["n", words("summary.estimate"), words.mark("half")]
    return page.figure(svg, title, "", (words("report.data"), page.table(head, rows, frozenset({0, 1, 2}), exact)))


def _with_half(value: float, half: float, is_rate: bool) -> tuple[str, str]:
    """A value and its half width, to two digits of the latter."""
    factor, sign = (100, " %") if is_rate else (1, "")
    places = max(0, min(6, 1 - math.floor(math.log10(factor * half)))) if half > 0 else 2
    return f"{factor * value:.{places}f}{sign}", f"{factor * half:.{places}f}"


def bars(name: str, found: tally.Bars, title: str, x: str, share: str, note: str, words: Words) -> str:
    """How often each value came; `share` says of what, `note` stands first under the title."""
    width = found.wanted.width
    notes = [note, words("report.bars_note", n=f"{found.n:,}", mean=f"{found.mean:.4g}")]
    if width > 1:
        notes.append(words("report.bars_width", width=width))
    counts = found.bars()
    svg = plots.bars(f"dist-{name}", counts, width, found.mean, x, share)
    rows, exact = [], []
    for start, count in counts:
        if count:
            value = str(start) if width == 1 else f"{start} … {start + width - 1}"
            rows.append((value, f"{count:,}", f"{100 * count / found.n:.3g} %"))
            exact.append({"bar": start, "count": count})
    head = [words("report.value"), words("report.count"), share]
    unfold = (words("report.data"), page.table(head, rows, frozenset({0, 1, 2}), exact))
    return page.figure(svg, title, " ".join(filter(None, notes)), unfold)


def percent(value: float) -> str:
    """A share as a label of an axis."""
    return f"{100 * value:.4g} %"


def plain(value: float) -> str:
    """A number as a label of an axis."""
    return f"{value:g}"


# --- hands ---


def board(name: str, record: dict[str, Any], words: Words) -> tuple[str, list[str], list[Any], str]:
    """One hand as `page.replay` takes it."""
    steps = games.steps(record["game"])
    text = _text(games.story(record["game"]).tell(record, words, COLUMNS_OF_TEXT))
    return name, steps.seats(record, words), steps.steps(record, words), text


def _text(lines: Iterable[Line]) -> str:
    return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)


def legend(words: Words) -> str:
    """What the marks of a replay mean."""
    return words("report.legend", lead=words.mark("lead"), won=words.mark("won"))
