"""
The terminal: what a verb writes on, progress, colours, and what this console can print.

With `cli` the only file that prints. Colours and boards come from rich, imported where there is a terminal to draw on.
Left out: which words are shown (`texts`, `layout`), the verbs (`cli`).
"""

import json as json_text
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import IO, Any

from gunzi_sim.files import written
from gunzi_sim.texts import Line, Words

COLOURS = {
    "": "",
    "title": "bold",
    "dim": "dim",
    "red": "red",
    "win": "bold",
    "win red": "bold red",
    "points": "yellow",
    "bad": "bold red",
}
"""Terminal style of each style of `texts.py`."""


class Screen:
    """What a verb writes on: language and symbols this console can print, colours, `--json`, `--quiet`."""

    def __init__(self, json: bool, quiet: bool, seed: int, lang: str, ascii: bool) -> None:
        self.json, self.quiet, self.seed, self.lang = json, quiet, seed, lang
        self.words = _printable(Words("zh" if lang == "zh" else "en", ascii), getattr(sys.stdout, "encoding", None))
        self.is_terminal = sys.stdout.isatty()

    @property
    def columns(self) -> int:
        """Width of the terminal, 80 elsewhere."""
        return max(60, shutil.get_terminal_size((80, 24)).columns) if self.is_terminal else 80

    def lines(self, lines: Iterable[Line]) -> None:
        """Print lines of (text, style) segments, coloured on a terminal."""
        if not self.is_terminal or "NO_COLOR" in os.environ:
            for line in lines:
                self.say("".join(text for text, _ in line).rstrip())
            return
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False, soft_wrap=True)
        for line in lines:
            console.print(Text.assemble(*((text, COLOURS.get(style, style)) for text, style in line)))

    def say(self, text: str) -> None:
        """Print one plain line."""
        print(text)

    def emit(self, value: Any) -> None:
        """Print one value as one line of JSON."""
        print(json_text.dumps(value, ensure_ascii=False, separators=(",", ":")))

    @property
    def is_lively(self) -> bool:
        """Whether stderr is a terminal that may be drawn on."""
        return sys.stderr.isatty() and not self.quiet and not self.json

    def load(self, name: str, with_advisor: bool = False) -> None:
        """Import the engine of a game, perhaps what plays hands on too; with a spinner where that compiles."""
        from gunzi_sim import games, jit

        module = games.ADVISOR_MODULE if with_advisor else games.KERNEL_MODULE
        with self._spinner(self.words("run.compiling")) if not jit.is_warm(module) else nullcontext():
            games.get(name).engine()
            if with_advisor:
                games.advisor(name)

    def _spinner(self, text: str) -> AbstractContextManager[Any]:
        """A turning mark beside the text until the end of the block; on no terminal the text alone."""
        if not self.is_lively:
            self.note(text)
            return nullcontext()
        from rich.console import Console

        return Console(stderr=True).status(text)

    @contextmanager
    def meter(self, mode: str, figures_of: str | None = None) -> Iterator[Callable[[Any], None] | None]:
        """What a run of rounds or hands reports to: a board on a terminal, else a line every few seconds."""
        if self.quiet or self.json:
            yield None
        elif not self.is_lively:
            yield _Lines(self, mode).report
        else:
            from rich.console import Console
            from rich.live import Live

            with Live(console=Console(stderr=True), transient=figures_of is None, auto_refresh=False) as live:
                yield _Board(self, live, mode, figures_of).report

    @contextmanager
    def countdown(self) -> Iterator[Callable[[int, int, float], None] | None]:
        """What something short reports to, done, all and seconds: one line that is written over on a terminal."""
        if not self.is_lively:
            yield None
            return
        from rich.console import Console

        with Console(stderr=True).status(self.words("advise.now")) as status:

            def report(done: int, most: int, elapsed_s: float) -> None:
                rate = done / elapsed_s if elapsed_s > 0 else 0.0
                left = (most - done) / rate if rate > 0 else 0.0
                values = {"done": f"{done:,}", "all": f"{most:,}", "rate": f"{rate:,.0f}", "left": f"{left:.0f}"}
                status.update(self.words("advise.progress", **values))

            yield report

    def note(self, text: str) -> None:
        """A remark for people, on stderr; none with --quiet or --json."""
        if not self.quiet and not self.json:
            print(text, file=sys.stderr, flush=True)


class _Lines:
    """Progress as plain lines, one every few seconds."""

    EVERY_S = 5.0

    def __init__(self, screen: "Screen", mode: str) -> None:
        self.screen, self.mode, self.next_s = screen, mode, self.EVERY_S

    def report(self, done: Any) -> None:
        """Print a line when it is time."""
        if done.elapsed_s >= self.next_s:
            from gunzi_sim import layout

            self.next_s = done.elapsed_s + self.EVERY_S
            self.screen.note(layout.progress(done, self.mode, self.screen.words))


class _Board:
    """Progress on a terminal: a bar with rate and time left; of the demo also the figures so far."""

    def __init__(self, screen: "Screen", live: Any, mode: str, path: str | None) -> None:
        self.screen, self.live, self.mode, self.path = screen, live, mode, path
        self.n_shards, self.table = 0, ""

    def report(self, done: Any) -> None:
        """Draw the board anew."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        from gunzi_sim import layout

        bar = ProgressBar(total=done.n_units, completed=done.units_done, width=40)
        parts: list[Any] = [bar, Text(layout.progress(done, self.mode, self.screen.words))]
        if self.path is not None:
            self._look_again()
            parts.append(Text(self.table))
        self.live.update(Group(*parts), refresh=True)

    def _look_again(self) -> None:
        """The figures of the shards that are finished, when there are more of them."""
        from gunzi_sim import api, layout

        found = api.open_run(self.path or "")
        if len(found.receipts) > self.n_shards:
            self.n_shards = len(found.receipts)
            lines = layout.summary(found.summary(), self.screen.words)
            self.table = "\n".join("".join(text for text, _ in line) for line in lines)


def _printable(words: Words, encoding: str | None) -> Words:
    """The words as a console of this encoding can print them: ASCII cards, and English, where it must be."""

    def fits(text: str) -> bool:
        try:
            text.encode(encoding or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    if words.lang == "zh" and not fits("黑桃大王号位"):
        words = Words("en", words.ascii)
    if words.lang == "en" and not fits("♠♥♦♣"):
        words = Words("en", ascii=True)
    return words if fits("▸→–±×·") else replace(words, ascii_marks=True)


@contextmanager
def output(path: str | None) -> Iterator[IO[str]]:
    """Stdout, or a file that is there complete or not at all; devices and pipes are written directly."""
    if path is None:
        yield sys.stdout
        return
    with written(path, "-o") as file:
        yield file


def show_warning(message: Any, *_: Any) -> None:
    """A warning as one line on stderr."""
    print(f"gunzi-sim: {' '.join(str(message).split())}", file=sys.stderr)


def discard_stdout() -> None:
    """Nobody reads stdout any more: what is left in its buffer goes nowhere, also when Python ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
