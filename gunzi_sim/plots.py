"""
Plots as SVG text to stand inside a page: lines with a band, bars, heat maps, intervals.

Matplotlib draws, without a window and without its global state. Text stays text, sizes are the page's, and colours are
the page's variables (`COLOURS`), so that a plot is as readable in the dark as in the light. The same values give the
same bytes. Every id begins with the plot's own name, for many plots in one page. Left out: what is drawn (`report`).
"""

import io
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gunzi_sim.tally import Cell

COLOURS = {"#010101": "ink", "#020202": "faint", "#030303": "accent", "#040404": "band", "#050505": "paper"}
"""Colours that matplotlib is given, and the variables of the page that take their place."""
INK, FAINT, ACCENT, BAND, PAPER = COLOURS
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "gunzi_sim",
    "text.parse_math": False,
    "font.size": 9.0,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.unicode_minus": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.4,
    "hatch.color": FAINT,
    "hatch.linewidth": 0.8,
}
NO_METADATA = {"Creator": None, "Date": None, "Format": None, "Type": None}
SIZE = (6.4, 3.0)
"""Inches; the page scales them."""
THIN = 30
"""A cell of a heat map from fewer independent units is hatched."""
_LOW, _HIGH = (0xDD, 0xEC, 0xF6), (0x14, 0x4B, 0x78)  # ends of the colours of a heat map
Label = Callable[[float], str]


def running(
    name: str,
    n: list[float],
    value: list[float],
    half: list[float],
    x: str,
    y: str,
    label: Label,
    limits: tuple[float, float] = (-math.inf, math.inf),
) -> str:
    """
    A figure as it came in, with the band of its interval.

    Parameters
    ----------
    name : str
        Name of the plot, the beginning of its ids.
    n, value, half : list of float
        Numbers of units, the figure after as many, half width of its interval.
    x, y : str
        Texts of the axes.
    label : callable
        Text of a value on the y axis.
    limits : (float, float)
        Between which the figure must lie, whatever the interval.
    """
    with _axes() as (figure, axes):
        low = [max(limits[0], a - b) for a, b in zip(value, half)]
        high = [min(limits[1], a + b) for a, b in zip(value, half)]
        axes.set_xscale("log")
        axes.fill_between(n, low, high, color=BAND, linewidth=0)
        axes.plot(n, value, color=ACCENT, linewidth=1.6)
        last = value[-1]
        axes.axhline(last, color=FAINT, linewidth=0.8, linestyle=(0, (4, 3)))
        reach = max(half[len(half) // 4 :] + [abs(a - last) for a in value[len(value) // 4 :]]) * 1.3
        if reach > 0:
            margin = 0.04 * reach
            axes.set_ylim(max(limits[0] - margin, last - reach), min(limits[1] + margin, last + reach))
        axes.set_xlim(n[0], n[-1])
        axes.set_xticks(*_marks(n[0], n[-1]))
        axes.minorticks_off()
        axes.yaxis.set_major_formatter(lambda number, _: label(number))
        axes.grid(True)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        return _svg(figure, name)


def bars(name: str, found: Sequence[tuple[int, int]], width: int, mean: float, x: str, y: str) -> str:
    """Bars of (first value, count) without a gap, each over `width` values, as shares, with a line at the mean."""
    total = sum(count for _, count in found) or 1
    with _axes() as (figure, axes):
        first = found[0][0] - (0.5 if width == 1 else 0.0)
        edges = [first + place * width for place in range(len(found) + 1)]
        axes.stairs([100 * count / total for _, count in found], edges, fill=True, color=ACCENT)
        axes.axvline(mean, color=INK, linewidth=1.0, linestyle=(0, (4, 3)))
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.yaxis.set_major_formatter(lambda number, _: f"{number:g} %")
        axes.grid(True, axis="y")
        axes.set_axisbelow(True)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        return _svg(figure, name)


def heat(
    name: str,
    cells: Mapping[tuple[int, int], Cell],
    down: Sequence[tuple[int, str]],
    across: Sequence[tuple[int, str]],
    x: str,
    y: str,
    label: Label,
) -> str:
    """A cell for each pair of (value, text) in `down` and `across`, its mean in words; thin ones hatched."""
    from matplotlib.patches import Rectangle

    solid = [cell.mean for cell in cells.values() if cell.n_units >= THIN] or [cell.mean for cell in cells.values()]
    low, high = min(solid), max(solid)
    with _axes((SIZE[0], max(2.8, 0.9 + 0.34 * len(down)))) as (figure, axes):
        for row, (first, _) in enumerate(down):
            for column, (second, _) in enumerate(across):
                cell = cells.get((first, second))
                if cell is None:
                    continue
                place = (column - 0.5, row - 0.5)
                share = min(1.0, max(0.0, (cell.mean - low) / (high - low))) if high > low else 0.5
                thin = cell.n_units < THIN
                fill, ink = (PAPER, INK) if thin else _shade(share)
                hatch = "////" if thin else None
                edge = FAINT if thin else PAPER
                axes.add_patch(Rectangle(place, 1, 1, facecolor=fill, edgecolor=edge, hatch=hatch, linewidth=1))
                axes.text(column, row, label(cell.mean), ha="center", va="center", color=ink, fontsize=8)
        axes.set_xlim(-0.5, len(across) - 0.5)
        axes.set_ylim(len(down) - 0.5, -0.5)
        axes.set_xticks(range(len(across)), [text for _, text in across])
        axes.set_yticks(range(len(down)), [text for _, text in down])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        return _svg(figure, name)


def intervals(
    name: str, rows: Sequence[tuple[str, float | None, float | None, float | None]], x: str, label: Label
) -> str:
    """One line a row of (text, estimate, lo, hi): a point and its interval, beside a line at zero."""
    with _axes((SIZE[0], 0.9 + 0.36 * len(rows))) as (figure, axes):
        axes.axvline(0.0, color=INK, linewidth=1.0)
        for row, (_, estimate, lo, hi) in enumerate(rows):
            if lo is not None and hi is not None:
                axes.plot([lo, hi], [row, row], color=ACCENT, linewidth=2.2, solid_capstyle="butt")
            if estimate is not None:
                axes.plot([estimate], [row], color=ACCENT, marker="o", markersize=6)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_yticks(range(len(rows)), [text for text, *_ in rows])
        axes.xaxis.set_major_formatter(lambda number, _: label(number))
        axes.grid(True, axis="x")
        axes.set_xlabel(x)
        return _svg(figure, name)


# --- pieces ---


@contextmanager
def _axes(size: tuple[float, float] = SIZE) -> Iterator[tuple[Any, Any]]:
    """An empty figure with one pair of axes, in the page's style."""
    import matplotlib
    from matplotlib.figure import Figure

    with warnings.catch_warnings(), matplotlib.rc_context():
        warnings.filterwarnings("ignore", message=".*[Gg]lyph", category=UserWarning)  # the browser has its own fonts
        matplotlib.rcdefaults()  # whatever a user's matplotlibrc says
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=size, layout="constrained")
        figure.patch.set_visible(False)
        axes = figure.add_subplot()
        axes.patch.set_visible(False)
        yield figure, axes


def _marks(low: float, high: float) -> tuple[list[int], list[str]]:
    """Round numbers of units from low to high with their texts, thinned to what fits."""
    steps = [factor * 10**power for power in range(16) for factor in (1, 2, 5)]
    found = [step for step in steps if low <= step <= high]
    if len(found) > 8:
        found = [step for step in found if str(step)[0] == "1"]
    found = found or [round(low), round(high)]
    return found, [f"{step:,}" for step in found]


def _shade(share: float) -> tuple[str, str]:
    """Colours of a cell and of its text; share 0 is the lightest."""
    parts = [round(a + (b - a) * share) for a, b in zip(_LOW, _HIGH)]
    return "#" + "".join(f"{part:02x}" for part in parts), "#ffffff" if share > 0.5 else "#10202c"


_PROLOGUE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_OWN_STYLE = re.compile(r"<style.*?</style>", re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_FOR_FILES = re.compile(r' xmlns(:\w+)?="[^"]*"| (width|height|version)="[^"]*"')
_FONTS = re.compile(r" font-family: [^;]*;")
_IDS = re.compile(r'((?: id="|href="#|url\(#))([^")]+)')


def _svg(figure: Any, name: str) -> str:
    """The figure as one `<svg>` for a page: no prologue, no style of its own, own ids, the page's colours and font."""
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata=NO_METADATA)
    text = _OWN_STYLE.sub("", _PROLOGUE.sub("", file.getvalue().decode("utf-8"), count=1))
    head, end, body = text.partition(">")

    def adapt(tag: re.Match[str]) -> str:  # tags alone: labels stay as they are
        found = _FONTS.sub("", _IDS.sub(rf"\g<1>{name}-\g<2>", tag[0]))
        for colour, variable in COLOURS.items():
            found = found.replace(colour, f"var(--{variable})")
        return found

    return _FOR_FILES.sub("", head) + end + _TAG.sub(adapt, body).strip()
