"""
The pieces of a report as HTML: tables, figures, replays, and the document around them.

Every text goes through `escape`; what scripts read is JSON without a `<`. The document needs nothing from anywhere: its
script and style are inside (`report.js`, `report.css`), and its policy lets a browser run that script and nothing else.
Left out: what a report says (`report`), how a plot is drawn (`plots`).
"""

import base64
import hashlib
import html
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from gunzi_sim import cards
from gunzi_sim.exhibit import Step
from gunzi_sim.texts import Words

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz01"
"""A letter for each kind of card, in the data of a replay."""
BUTTONS = (
    ("first", "|◀", "report.first"),
    ("previous", "◀◀", "report.previous_trick"),
    ("back", "◀", "report.back"),
    ("forward", "▶", "report.forward"),
    ("next", "▶▶", "report.next_trick"),
    ("last", "▶|", "report.last"),
)
"""Buttons of a replay: what each does, its symbol, its label."""
_TEXT_SYMBOL = "\ufe0e"  # not as a coloured picture
_HARMFUL = ("Cc", "Cs", "Cf")  # control characters, halves of characters, turners of direction


def escape(text: object) -> str:
    """A text for HTML, in an element or a quoted attribute; control characters become a replacement mark."""
    whole = str(text)
    if not whole.isprintable():
        whole = "".join("\ufffd" if unicodedata.category(c) in _HARMFUL and c != "\n" else c for c in whole)
    return html.escape(whole, quote=True)


def data(value: Any) -> str:
    """A value as JSON inside a `<script>`: nothing in it can end the element or begin a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.encode("utf-8", "replace").decode("utf-8")
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def tag(name: str, text: object, **attributes: object) -> str:
    """One element with a text; the attribute `kind` is its class."""
    return f"<{name}{_attributes(attributes)}>{escape(text)}</{name}>"


def _attributes(attributes: Mapping[str, object]) -> str:
    names = {"kind": "class"}
    return "".join(f' {names.get(key, key.replace("_", "-"))}="{escape(value)}"' for key, value in attributes.items())


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """A table of label and text."""
    lines = [f"<tr>{tag('th', label, scope='row')}{tag('td', text)}</tr>" for label, text in rows]
    return f'<table class="facts">{"".join(lines)}</table>'


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: frozenset[int] = frozenset(),
    values: Sequence[Mapping[str, object]] = (),
) -> str:
    """
    Rows of texts under a head.

    Parameters
    ----------
    head, rows : sequences of str
        Texts of the cells.
    numbers : set of int
        Columns of numbers.
    values : sequence of mapping
        Exact values of each row, by the names of its `data-` attributes.
    """
    top = "".join(tag("th", text, scope="col") for text in head)
    lines = []
    for number, row in enumerate(rows):
        exact = {f"data-{name}": value for name, value in values[number].items()} if values else {}
        cells = [tag("td", text, **({"kind": "number"} if at in numbers else {})) for at, text in enumerate(row)]
        lines.append(f"<tr{_attributes(exact)}>{''.join(cells)}</tr>")
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def figure(svg: str, title: str, note: str, numbers: tuple[str, str], unfolded: bool = False) -> str:
    """A plot with its title, a note, and (label, table) of its numbers to unfold, or unfolded to begin with."""
    named = svg.replace("<svg", f'<svg role="img" aria-label="{escape(title)}"', 1)
    small = f"<small>{escape(note)}</small>" if note else ""
    unfold = f"<details{' open' if unfolded else ''}>{tag('summary', numbers[0])}{numbers[1]}</details>"
    return f"<figure><figcaption>{escape(title)}{small}</figcaption>{named}{unfold}</figure>"


# --- replays ---


def replay(
    name: str,
    title: str,
    note: str,
    boards: Sequence[tuple[str, Sequence[str], Sequence[Step], str]],
    words: Words,
    parting: int | None = None,
) -> str:
    """
    One hand to step through, or several side by side that step together.

    Parameters
    ----------
    name : str
        Its id.
    title, note : str
        Texts above it.
    boards : sequence of (str, sequence of str, sequence of Step, str)
        Of each hand: its name (none shown when empty), names of the seats, steps, and the whole hand as text.
    words : Words
        Language.
    parting : int, optional
        Step at which the hands part; a button leads there.
    """
    label = escape(f"{title}. {note}")
    content = {"boards": [[_step(step) for step in steps] for _, _, steps, _ in boards], "parting": parting}
    dot = f" {words.mark('dot')} "
    summaries = [tag("summary", dot.join(filter(None, [board, words("report.as_text")]))) for board, *_ in boards]
    texts = [f"<details>{summary}{tag('pre', text)}</details>" for summary, (*_, text) in zip(summaries, boards)]
    return "".join(
        [
            f'<section class="replay" id="{escape(name)}" tabindex="0" role="group" aria-label="{label}">',
            tag("h3", title),
            tag("p", note, kind="note"),
            _bar(words, parting is not None),
            '<div class="boards">',
            *(_board(board, seats, words) for board, seats, _, _ in boards),
            "</div>",
            f'<script type="application/json" class="steps">{data(content)}</script>',
            *texts,
            "</section>",
        ]
    )


def _step(step: Step) -> dict[str, Any]:
    """One step as the script reads it, cards as letters."""

    def letters(kinds: Iterable[int]) -> str:
        return "".join(LETTERS[kind] for kind in kinds)

    return {
        "phase": step.phase,
        "text": step.text,
        "score": step.score,
        "points": step.points,
        "trick": step.trick,
        "moved": step.moved,
        "lead": step.lead,
        "best": step.best,
        "table": [letters(kinds) for kinds in step.table],
        "hands": [" ".join(map(letters, groups)) for groups in step.hands],
        "bottom": letters(step.bottom),
    }


def _bar(words: Words, parts: bool) -> str:
    """The buttons, the slider and the number of the step."""
    found = []
    for what, symbol, key in BUTTONS:
        label = escape(words(key))
        found.append(
            f'<button type="button" data-go="{what}" aria-label="{label}" title="{label}">'
            f'<span aria-hidden="true">{symbol}{_TEXT_SYMBOL}</span></button>'
        )
    if parts:
        found.append(tag("button", words("report.parting"), type="button", data_go="parting"))
    found.append(f'<input type="range" min="0" max="0" value="0" aria-label="{escape(words("report.position"))}">')
    found.append('<output class="count"></output>')
    label = escape(words("report.control"))
    return f'<div class="bar" role="toolbar" aria-label="{label}">{"".join(found)}</div>'


def _board(name: str, seats: Sequence[str], words: Words) -> str:
    """What the script fills with a step: the move in words, the seats with table and hand, points, bottom."""
    rows = [
        f'<tr data-seat="{place}"><th scope="row"><span class="mark"></span>{escape(seat)}</th>'
        f'<td class="on-table"></td><td class="in-hand"></td></tr>'
        for place, seat in enumerate(seats)
    ]
    head = "".join(tag("th", words(f"report.{key}"), scope="col") for key in ("seat", "table", "cards"))
    return "".join(
        [
            '<div class="board">',
            tag("h4", name) if name else "",
            '<p class="move" aria-live="polite"><span class="phase" data-part="phase"></span>'
            '<span data-part="text"></span></p>',
            f'<table class="felt"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>',
            f'<div class="totals"><span data-part="score"></span>'
            f'<span>{escape(words("bottom"))}: <span data-part="bottom"></span></span></div>',
            "</div>",
        ]
    )


# --- document ---


def document(title: str, body: Sequence[str], words: Words) -> str:
    """The whole page around the pieces of its body."""
    script, style = (_file(name) for name in ("report.js", "report.css"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        [
            "<!DOCTYPE html>",
            f'<html lang="{"zh-CN" if words.lang == "zh" else "en"}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            tag("title", title),
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            "<main>",
            *body,
            "</main>",
            _deck(words),
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _deck(words: Words) -> str:
    """The names of the cards, for all replays of the page."""
    suits = [cards.SUITS[suit] if words.ascii else cards.SUIT_SYMBOLS[suit] for suit in range(4)]
    names = [suits[cards.suit_of(kind)] + words.rank(cards.rank_of(kind)) for kind in range(cards.SMALL)]
    names += [words.card(kind) for kind in (cards.SMALL, cards.BIG)]
    red = [kind for kind in range(cards.SMALL) if cards.suit_of(kind) in (1, 2)]
    found = {"letters": LETTERS, "names": names, "red": red, "lead": words.mark("lead"), "won": words.mark("won")}
    return f'<script type="application/json" id="deck">{data(found)}</script>'


def _file(name: str) -> str:
    """A file of the package, as its text."""
    return files("gunzi_sim").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")
