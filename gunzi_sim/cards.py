"""
Cards: kinds, names, points, and the hash of a traced hand. Plain Python; kernel files make arrays of these tables.

A *kind* is a suit and rank, 0..53: `suit * 13 + (rank - 2)` with suits S H D C and ranks 2 … 14 (ace), then 52 the
small and 53 the big joker. A *card* of a game with several decks is `copy * 54 + kind`. Names are canonical (`S5 HT
JS JB`) when written; reading is tolerant. Nothing here knows a game: which cards are trumps or may be led is said
elsewhere.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

SUITS = "SHDC"
RANKS = "23456789TJQKA"
SMALL = 52
BIG = 53
N_KINDS = 54
"""Suit index of the jokers."""
NOBODY = 9
"""Stands for no seat, in columns and kernels."""

SUIT_SYMBOLS = "♠♥♦♣"
SUIT_NAMES = {"en": ("spades", "hearts", "diamonds", "clubs"), "zh": ("黑桃", "红桃", "方块", "梅花")}

_SUIT_ALIASES = (
    ("S", "♠", "♤", "黑桃", "黑"),
    ("H", "♥", "♡", "红桃", "红", "紅桃", "紅"),
    ("D", "♦", "♢", "方块", "方片", "方塊", "方"),
    ("C", "♣", "♧", "梅花", "草花", "梅"),
)
_JOKER_ALIASES = {"JS": SMALL, "小王": SMALL, "JB": BIG, "大王": BIG}
_COPIES = re.compile(r"(.+?)[X×*]([0-9]+)", re.DOTALL)
_SEPARATORS = re.compile(r"[\s,、;]+")
_SHOWN = 24
_MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


class CardError(ValueError):
    """A card name or hand that cannot be; one line saying which, and the nearest name where there is one."""


def _name_table() -> dict[str, int]:
    """Every accepted spelling, upper case, with its kind; the canonical names come first."""
    names = {f"{suit}{rank}": 13 * s + r for s, suit in enumerate(SUITS) for r, rank in enumerate(RANKS)}
    names |= {"JS": SMALL, "JB": BIG}
    for s, aliases in enumerate(_SUIT_ALIASES):
        for alias in aliases:
            for r, rank in enumerate(RANKS):
                names[alias + rank] = 13 * s + r
            names[alias + "10"] = 13 * s + RANKS.index("T")
    return names | _JOKER_ALIASES


KIND_OF_NAME = _name_table()
"""Kind of every spelling in capitals; `parse_card` reads more."""
KIND_NAMES: tuple[str, ...] = tuple(KIND_OF_NAME)[:N_KINDS]
"""Canonical name of every kind."""
_POINTS_OF_RANK = {5: 5, 10: 10, 13: 10}


def kind_name(kind: int) -> str:
    """Canonical name of a kind 0..53: `S5`, `HT`, `JS`, `JB`."""
    return KIND_NAMES[kind]


def suit_of(kind: int) -> int:
    """Suit 0..3 (S H D C) of a kind; 4 for a joker."""
    return kind // 13


def rank_of(kind: int) -> int:
    """Rank 2..14 of a kind; 15 for the small, 16 for the big joker."""
    return kind - 37 if kind >= SMALL else kind % 13 + 2


def card_points(kind: int) -> int:
    """Card points of a kind: 5 for a five, 10 for a ten or a king, else 0."""
    return _POINTS_OF_RANK.get(rank_of(kind), 0)


def parse_card(text: str) -> int:
    """
    Kind of one card name, read tolerantly: `T` or `10`, either letter case, ♠ ♥ ♦ ♣, 黑桃 红桃 方块 梅花, 小王 大王.

    Raises
    ------
    CardError
        The text names no card; the message is one line with the nearest name.
    """
    kind = KIND_OF_NAME.get(text)
    if kind is None:
        kind = KIND_OF_NAME.get(_plain(text))
    if kind is None:
        raise CardError(f"unknown card {_shown(text)}{_suggestion(text)}")
    return kind


def parse_suit(text: str) -> int:
    """
    Suit 0..3 of `S H D C` or one of its aliases (♠, 黑桃, 黑, lower case).

    Raises
    ------
    CardError
        The text names no suit.
    """
    plain = _plain(text)
    for suit, aliases in enumerate(_SUIT_ALIASES):
        if plain in aliases:
            return suit
    raise CardError(f"unknown suit {_shown(text)}; suits are S H D C")


def parse_hand(text: str, copies: int = 3) -> list[int]:
    """
    Kinds of a hand written as names separated by blanks or commas, with `x2`, `x3` for copies: `S5x2 JB HT`.

    Parameters
    ----------
    text : str
        The hand; empty text is an empty hand.
    copies : int
        Number of decks, so the number of equal cards a hand can hold.

    Returns
    -------
    list of int
        Kinds 0..53 in the order written.

    Raises
    ------
    CardError
        An unknown name, a bad number of copies, or more equal cards than there are decks (the message names the card).
    """
    kinds: list[int] = []
    for word in _SEPARATORS.split(unicodedata.normalize("NFKC", text)):
        if word:
            kinds.extend(_parse_word(word, copies))
    extra = extra_copy(kinds, copies)
    if extra is not None:
        place, earlier = extra
        before = ", ".join(str(n + 1) for n in earlier)
        raise CardError(
            f"card {place + 1} ({kind_name(kinds[place])}) is the {ordinal(copies + 1)} copy, after cards {before}"
        )
    return kinds


def extra_copy(kinds: Sequence[int], copies: int = 3) -> tuple[int, list[int]] | None:
    """Index of the first card that is one too many for `copies` decks, and those of its equals; None when all fit."""
    if max(Counter(kinds).values(), default=0) <= copies:
        return None
    places: dict[int, list[int]] = {}
    for place, kind in enumerate(kinds):
        equals = places.setdefault(kind, [])
        if len(equals) == copies:
            return place, equals
        equals.append(place)
    return None


def ordinal(n: int) -> str:
    """`fourth` for 4; from the sixth on in digits."""
    return _ORDINALS.get(n, f"{n}th")


def format_hand(kinds: Iterable[int]) -> str:
    """Cards as text that `parse_hand` reads back in the same order; equal neighbours are written once, with `x2`."""
    runs = ((kind_name(kind), sum(1 for _ in run)) for kind, run in groupby(kinds))
    return " ".join(name if n == 1 else f"{name}x{n}" for name, n in runs)


def pretty(kind: int, ascii: bool = False, lang: str = "en") -> str:
    """
    Name of a kind for a reader: `♠5 ♥10 small big`, in Chinese `♠5 ♥10 小王 大王`; with `ascii` the canonical name.

    `lang` is `en` or `zh`; it decides the jokers' names alone, the suits are symbols in both.
    """
    if ascii:
        return kind_name(kind)
    if kind >= SMALL:
        return (("small", "big") if lang == "en" else ("小王", "大王"))[kind - SMALL]
    rank = RANKS[kind % 13]
    return SUIT_SYMBOLS[kind // 13] + ("10" if rank == "T" else rank)


def _trace_z(kind: int) -> int:
    """Finaliser of splitmix64 at (kind + 1) golden steps."""
    z = (kind + 1) * GOLDEN & _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


TRACE_Z: tuple[int, ...] = tuple(_trace_z(kind) for kind in range(N_KINDS))
"""One 64-bit constant a kind; a decision's word is its head plus the sum of these over its cards (`trace_word`)."""


def trace_word(kind_of_word: int, seat: int, argument: int, cards: Iterable[int]) -> int:
    """64-bit word of one stored decision: type << 56 | seat << 48 | argument, plus the sum of Z over its cards."""
    return ((kind_of_word << 56 | seat << 48 | argument) + sum(TRACE_Z[kind] for kind in cards)) & _MASK


def trace_hash(deck_kinds: Sequence[int], words: Iterable[int]) -> int:
    """
    Hash of a dealt and played hand, as stored in the column `trace_hash`.

    Parameters
    ----------
    deck_kinds : sequence of int
        Kinds 0..53 in dealing order; they enter eight to a word, little-endian, zero-padded.
    words : iterable of int
        One 64-bit word a stored decision, in the record's order (`trace_word`).

    Returns
    -------
    int
        The hash as a signed 64-bit integer.
    """
    deck = bytes(deck_kinds)
    h = 0
    for start in range(0, len(deck), 8):
        h = _mixed(h, int.from_bytes(deck[start : start + 8], "little"))
    for word in words:
        h = _mixed(h, word)
    return h - (1 << 64) if h >> 63 else h


_ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}


def _mixed(h: int, word: int) -> int:
    h = (h ^ word) * GOLDEN & _MASK
    return h ^ h >> 32


def _parse_word(word: str, copies: int) -> list[int]:
    """Kinds of one word of a hand, `S5` or `S5x2`."""
    match = _COPIES.fullmatch(word.upper())
    if match is None:
        return [parse_card(word)]
    kind = parse_card(match[1])
    n = int(match[2]) if len(match[2]) < 4 else 1000
    if n < 1:
        raise CardError(f"{_shown(word)}: copies run from x1 to x{copies}")
    if n > copies:
        raise CardError(f"{_shown(word)}: there are only {copies} copies of {kind_name(kind)}")
    return [kind] * n


def _plain(text: str) -> str:
    """The spelling that the table holds: full-width letters folded, variation selectors off, upper case."""
    return unicodedata.normalize("NFKC", text[:_SHOWN]).replace("\ufe0f", "").replace("\ufe0e", "").strip().upper()


def _suggestion(text: str) -> str:
    """`; did you mean 'SA'?` with the nearest canonical name, or nothing."""
    plain = _plain(text)
    turned = plain[-1:] + plain[:-1]
    if turned in KIND_OF_NAME:
        name = KIND_NAMES[KIND_OF_NAME[turned]]
    elif plain.endswith("1") and plain[:-1] + "A" in KIND_OF_NAME:
        name = KIND_NAMES[KIND_OF_NAME[plain[:-1] + "A"]]
    else:
        near = difflib.get_close_matches(plain, KIND_OF_NAME, n=1, cutoff=0.5)
        if not near:
            return "; cards are suit S H D C and rank 2 … 9 T J Q K A, or JS, JB"
        name = KIND_NAMES[KIND_OF_NAME[near[0]]]
    return f"; did you mean {name}?"


def _shown(text: str) -> str:
    """A user's text, quoted and cut to a length that fits a line."""
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
