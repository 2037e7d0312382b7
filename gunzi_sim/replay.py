"""
One hand again, as a record or as text.

A hand comes from a file of records (`FILE` or `FILE:LINE`) or is simulated again from its run; the game's `story` tells
it. Reading a file imports nothing compiled. Left out: printing (`cli.py`), what a game's text says (its `story.py`).
"""

import os
from collections.abc import Iterator

from gunzi_sim import games, plain_rng, record
from gunzi_sim.cards import N_KINDS
from gunzi_sim.game import InputError
from gunzi_sim.texts import Line, Words

FIRST_SEAT_STREAM = 1 << 24
"""Stream of the draw for the seat that is dealt the first card."""


def split_target(target: str) -> tuple[str, int]:
    """
    File and line of `FILE` or `FILE:LINE`; line 0 stands for the first record.

    A file of exactly this name is taken whole, whatever it ends in.
    """
    path, colon, line = target.rpartition(":")
    if not colon or not path or not (line.isascii() and line.isdigit() and len(line) < 16) or os.path.exists(target):
        return target, 0
    if int(line) == 0:
        raise InputError(f"{target}: lines are counted from 1")
    return path, int(line)


def from_file(target: str) -> record.Record:
    """
    The internal record that `FILE` or `FILE:LINE` names.

    Raises
    ------
    InputError
        The file cannot be read, or has no such line.
    record.RecordError
        The line is no record.
    """
    path, line = split_target(target)
    return record.read_one(path, line)


def tell(hand: record.Record, words: Words, columns: int = 80) -> Iterator[Line]:
    """One hand in words: lines of (text, style) segments, for a terminal of so many columns."""
    lines: Iterator[Line] = games.story(hand["game"]).tell(hand, words, columns)
    return lines


def tell_first_deal(game: str, seed: int, words: Words, columns: int = 80) -> Iterator[Line]:
    """The first deal of round 0 in words, without a kernel; by the streams of `gunzi-rng/1`."""
    story = games.story(game)
    deck = [card % N_KINDS for card in plain_rng.shuffled(story.N_CARDS, seed, key=0)]
    first_seat = plain_rng.below(plain_rng.words(seed, 0, FIRST_SEAT_STREAM), games.N_SEATS[game])
    lines: Iterator[Line] = story.tell_deal(deck, first_seat, words, columns)
    return lines
