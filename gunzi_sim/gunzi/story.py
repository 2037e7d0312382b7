"""
One hand of 打滚子 told for people: deal, trump suit, tribute, bottom, every trick, result.

`tell(record, words, columns)` yields lines of (text, style) segments from an internal record; all that the record does
not say itself comes from the referee. Of a record with a fault, the fault is named first, then it is told as far as it
is sound. Left out: colours and printing (`cli.py`), the texts (`texts.py`), finding the record (`replay.py`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from gunzi_sim.cards import BIG, SMALL, card_points, rank_of, suit_of
from gunzi_sim.game import to_mapping
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.referee import Table
from gunzi_sim.gunzi.referee_play import TRUMP, Order, trick_points
from gunzi_sim.gunzi.referee_setup import N_DEALT
from gunzi_sim.texts import Line, Segment, Words, pad, width

Record = dict[str, Any]

LABEL = 9
"""Columns of the labels on the left."""
N_CARDS = 162
LIMIT = 300
"""All card points (G1.3), the score that ends a round (G12.5)."""


def tell(record: Record, words: Words, columns: int = 80) -> Iterator[Line]:
    """
    Lines of one hand.

    Parameters
    ----------
    record : dict
        Internal record: cards are kinds 0..53, suits 0..3, `rules` a `GunziRules`.
    words : Words
        Language and marks.
    columns : int
        Width of the terminal; longer lists of cards are broken.

    Yields
    ------
    list of (text, style)
    """
    table, fault = referee.judge(record)
    wrong = fault or referee.check(record)
    yield from _title(record, words)
    if wrong is not None:
        yield [(words("fault", clause=wrong.clause, message=wrong.message), "bad")]
    play_began = bool(table.trumps)
    if not play_began:
        yield from tell_deal(record["deck"], record["first_seat"], words, columns)
        return
    yield from _header(record, table, words)
    yield from _deal(record, table.order, words, columns)
    before = _claim(record, table, words) if record["first_hand"] else _later(record, table, words)
    for line in [*before, *_bottom(record, table, words)]:
        yield from _broken(line, columns)
    yield from _tricks(record, table, words)
    if fault is None:
        yield from _result(record, referee.derive(record), words)


# --- header and deal ---


def _title(record: Record, words: Words) -> Iterator[Line]:
    dot = f" {words.mark('dot')} "
    source = record.get("source")
    if isinstance(source, dict) and {"seed", "round", "hand"} <= source.keys():
        name = words("hand.source", **{key: source[key] for key in ("seed", "round", "hand")})
    else:
        name = " ".join(str(source).split())[:60] if source is not None else words("hand.title")
    title = [words("game"), name, *([words("hand.first")] if record["first_hand"] else [])]
    yield [(dot.join(title), "title")]
    options = to_mapping(record["rules"])
    changed = [f"{name}={_option(value)}" for name, value in options.items() if name != "preset"]
    yield _labelled(words("hand.rules"), ", ".join([options["preset"], *changed]))


def _option(value: object) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _header(record: Record, table: Table, words: Words) -> Iterator[Line]:
    levels = [rank_text(level) for level in record["levels"]]
    level = rank_text(table.level)
    yield _labelled(words("hand.levels"), words("hand.levels_text", level_0=levels[0], level_1=levels[1], level=level))
    dealer = table.dealer
    other, another = sorted([(dealer + 1) % 4, (dealer + 3) % 4])
    text = words("hand.dealer_text", dealer=dealer, side=dealer % 2, other=other, another=another)
    yield _labelled(words("hand.dealer"), text)
    shown = record["declarations"][-1]["cards"] if record["declarations"] else []
    line = [*_labelled(words("hand.trump"), ""), (words.suit(table.trump), _style(table.trump))]
    line.append((f" {words.mark('dot')} {_how_declared(record, words)}", ""))
    yield [*line, (" ", ""), *_cards(shown, words)]


def _how_declared(record: Record, words: Words) -> str:
    if record["declarations"]:
        return words("trump.declared", seat=record["declarations"][-1]["seat"])
    if record["claim"] is not None:
        return words("trump.claim", seat=record["claim"]["seat"])
    return words("trump.flip" if record["first_hand"] else "trump.bottom")


def _deal(record: Record, order: Order, words: Words, columns: int) -> Iterator[Line]:
    """The four dealt hands: trumps high to low (G9.1), then the side suits."""
    yield from _heading(words("deal"), words("deal.first", seat=record["first_seat"]), words)
    for seat in range(4):
        drawn = _dealt(record["deck"], record["first_seat"], seat)
        hand = sorted(drawn, key=lambda kind: (-order.strength[kind], kind))
        trumps = [kind for kind in hand if order.suit[kind] == TRUMP]
        suits = [[kind for kind in hand if order.suit[kind] == suit] for suit in range(4)]
        runs = [_suit_run(suit, words) for suit in suits if suit]
        name, n_trumps = words("hand.seat", seat=seat), len(trumps)
        pieces = [_same(group, words) for group in _groups(trumps)]
        for label, text, n, part in ((name, "deal.trumps", n_trumps, pieces), ("", "deal.side", 39 - n_trumps, runs)):
            start = [(pad(label, LABEL), ""), (pad(f"{words(text)} {n:>2}", 11), "dim")]
            yield from _wrap(start, part, columns)


def tell_deal(deck: Sequence[int], first_seat: int, words: Words, columns: int = 80) -> Iterator[Line]:
    """Lines of the four dealt hands before the trump suit is known, by printed suit; `deck` holds kinds."""
    yield from _heading(words("deal"), words("deal.first", seat=first_seat), words)
    for seat in range(4):
        drawn = _dealt(deck, first_seat, seat)
        hand = sorted(drawn, key=lambda kind: (suit_of(kind) < TRUMP, suit_of(kind), -kind))
        jokers = [kind for kind in hand if kind >= SMALL]
        suits = [[kind for kind in hand if suit_of(kind) == suit] for suit in range(4)]
        pieces = [_same(group, words) for group in _groups(jokers)] + [_suit_run(suit, words) for suit in suits if suit]
        yield from _wrap([(pad(words("hand.seat", seat=seat), LABEL), "")], pieces, columns)


def _dealt(deck: Sequence[int], first_seat: int, seat: int) -> Sequence[int]:
    """Kinds dealt to a seat, in the order drawn (G3.1)."""
    return deck[(seat - first_seat) % 4 : N_DEALT : 4]


def _suit_run(kinds: list[int], words: Words) -> Segment:
    """One side suit of a hand: its mark once, then the ranks, equal ones side by side."""
    ranks = [(words.rank(rank_of(group[0])), len(group)) for group in _groups(kinds)]
    groups = [rank * n if len(rank) == 1 or n == 1 else f"{rank}{words.mark('times')}{n}" for rank, n in ranks]
    return (f"{words.suit_mark(suit_of(kinds[0]))} {' '.join(groups)} ", _style(suit_of(kinds[0])))


# --- before the play ---


def _claim(record: Record, table: Table, words: Words) -> Iterator[Line]:
    yield from _heading(words("claim"), "", words)
    claim, deck = record["claim"], record["deck"]
    if claim is None:
        yield [("  " + words("claim.none"), "")]
        line: Line = [("  ", "")]
        for step, kind in enumerate(deck[N_DEALT : N_DEALT + 4]):
            seat = (record["first_seat"] + step) % 4
            line += [(words("claim.flip", seat=seat) + " ", ""), _card(kind, words), ("   ", "")]
        yield [*line[:-1], (f" {words.mark('to')} " + words("claim.flip_won", seat=table.dealer), "")]
        return
    yield [("  " + words("claim.made", seat=claim["seat"], card=claim["draw"] // 4 + 1), "")]
    suited = [kind for kind in deck[claim["draw"] + 4 : N_DEALT : 4] if suit_of(kind) < TRUMP]
    key = "claim.suit" if suited else "claim.suit_bottom"
    kind = (suited or [kind for kind in deck[N_DEALT:] if suit_of(kind) < TRUMP])[0]
    yield [*_fill(words, key, {"what": [kind]}), (words.suit(table.trump), _style(table.trump))]


def _later(record: Record, table: Table, words: Words) -> Iterator[Line]:
    yield from _declarations(record, words)
    yield from _tribute(record, table, words)


def _declarations(record: Record, words: Words) -> Iterator[Line]:
    yield from _heading(words("declare"), "", words)
    if not record["declarations"]:
        bottom = record["deck"][N_DEALT:]
        n_drawn = 1 + next(place for place, kind in enumerate(bottom) if suit_of(kind) < TRUMP)
        yield _fill(words, "declare.none", {"what": bottom[:n_drawn]})
    for made in record["declarations"]:
        when = words("declare.closing") if made["draw"] is None else words("declare.at", card=made["draw"] // 4 + 1)
        line = _fill(words, "declare.made", {"what": made["cards"]}, seat=made["seat"])
        yield [*line, (words.suit(made["suit"]), _style(made["suit"])), (f" {words.mark('dot')} {when}", "dim")]


def _tribute(record: Record, table: Table, words: Words) -> Iterator[Line]:
    yield from _heading(words("tribute"), "", words)
    owed, tribute = record["owed"], record["tribute"]
    if owed == 0:
        yield [("  " + words("tribute.none"), "dim")]
        return
    if table.tribute_reversed:
        yield [("  " + words("tribute.reversed"), "")]
    if tribute is not None:
        seats = {"payer": table.payer, "receiver": table.receiver}
        yield _fill(words, "tribute.paid", {"what": tribute["cards"]}, **seats)
        yield _fill(words, "tribute.returned", {"what": tribute["returned"]}, **seats)
    if table.tribute_short:
        yield [("  " + words("tribute.short", short=table.tribute_short, owed=owed), "")]
    elif tribute is None:
        yield [("  " + words("tribute.cancelled", owed=owed), "")]


def _bottom(record: Record, table: Table, words: Words) -> Iterator[Line]:
    yield from _heading(words("bottom"), words("bottom.exposed" if table.exposed else "bottom.hidden"), words)
    yield _bottom_line(record["deck"][N_DEALT:], "", words)
    if table.dry_pot:
        yield [("  " + words("bottom.dry"), "points")]
        return
    yield from _heading(words("bury"), "", words)
    yield _fill(words, "bury.dealer", {"what": record["bury"]}, seat=table.dealer)
    for made in record["joker_buries"]:
        yield _fill(words, "bury.jokers", {"what": made["jokers"], "taken": made["taken"]}, seat=made["seat"])
    final = sorted(table.bottom, key=lambda kind: (-table.order.strength[kind], kind))
    has_jokers = BIG in final or SMALL in final  # then the bottom is shown (G8.3)
    yield _bottom_line(final, words("bury.shown" if has_jokers else "bury.hidden"), words)


def _bottom_line(kinds: list[int], note: str, words: Words) -> Line:
    points = words("bottom.points", points=sum(card_points(kind) for kind in kinds))
    notes = f" {words.mark('dot')} ".join(filter(None, [points, note]))
    return [("  ", ""), *_cards(kinds, words), ("   ", ""), (notes, "dim")]


# --- play and result ---


def _tricks(record: Record, table: Table, words: Words) -> Iterator[Line]:
    """One line a trick, one column a seat, with the points of the trick and the attackers' points so far."""
    yield from _heading(words("play"), words("play.legend", lead=words.mark("lead"), won=words.mark("won")), words)
    column = 17 if words.lang == "zh" else 14
    head = pad(words("play.trick"), 5)
    for seat in range(4):
        head += pad(" " + words("hand.seat_dealer" if seat == table.dealer else "hand.seat", seat=seat), column)
    yield [(f"{head}{words('play.points')} {words('play.total')}", "dim")]
    plays, lead, total = record["plays"], table.dealer, 0
    for trick, winner in enumerate([*table.winners, None]):
        played = plays[4 * trick : 4 * trick + 4]
        if not played:
            break
        line: Line = [(f"{trick + 1:>3}  ", "dim")]
        for seat in range(4):
            step = (seat - lead) % 4
            cell = _cell(played[step], column - 2, words) if step < len(played) else []
            line.append((words.mark("lead") if step == 0 else " ", ""))
            line += [(text, ("win " + style).strip() if seat == winner else style) for text, style in cell]
            line.append((words.mark("won") if seat == winner else " ", "win"))
            line.append((" " * (column - 2 - sum(width(text) for text, _ in cell)), ""))
        if winner is None:
            yield line
            break
        points = trick_points(played)
        total += points if (winner - table.dealer) % 2 else 0
        widths = [width(words(key)) for key in ("play.points", "play.total")]
        yield [*line, (f"{points or '':>{widths[0]}}", "points"), (f" {total:>{widths[1]}}", "")]
        lead = winner


def _cell(kinds: list[int], columns: int, words: Words) -> Line:
    """One play in a column: equal cards side by side, others apart, names shortened where they must be."""
    gap = "" if words.lang == "zh" else " "
    line = [segment for group in _groups(kinds) for segment in [(gap, ""), _same(group, words)]][1:]
    if sum(width(text) for text, _ in line) <= columns:
        return line
    return [(_SHORTENED.sub(lambda match: _SHORT[match[0]], text), style) for text, style in line]


_SHORT = {"黑桃": "黑", "红桃": "红", "方块": "方", "梅花": "梅", "small": "JS", "big": "JB"}
_SHORTENED = re.compile("|".join(_SHORT))


def _result(record: Record, result: dict[str, Any], words: Words) -> Iterator[Line]:
    yield from _heading(words("result"), "", words)
    yield from map(_sentence, outcome(record, result, words))


def outcome(record: Record, result: dict[str, Any], words: Words) -> Iterator[str]:
    """What a hand ends in, as sentences; `result` is the referee's."""
    rules = record["rules"]
    key = "result.dig" if result["dig"] else "result.hold"
    last = result["winners"][-1]
    yield words(key, seat=last, points=result["bottom_points"], times=rules.dig_multiplier)
    key = "result.takes_deal" if result["takes_deal"] else "result.keeps_deal"
    yield words(key, attacker_points=result["attacker_points"], win_score=rules.win_score)
    if result["round_end"] is None:
        yield (" " if words.lang == "en" else "").join(_raises(record, result, words))
        level_0, level_1 = (rank_text(level) for level in result["levels_after"])
        following = {"dealer": result["next_dealer"], "owed": result["owed_next"]}
        yield words("result.next", level_0=level_0, level_1=level_1, **following)
    else:
        why = words(f"end.{result['round_end']}", limit=LIMIT)
        yield words("result.round", why=why, side=result["round_winner"])
    seats = [words("result.seat", seat=seat, points=f"{points:+d}") for seat, points in enumerate(result["settlement"])]
    yield words("result.settlement", list=("，" if words.lang == "zh" else ", ").join(seats))


def _raises(record: Record, result: dict[str, Any], words: Words) -> list[str]:
    texts = []
    for side, levels in enumerate(result["raise"]):
        if levels:
            before, after = (rank_text(values[side]) for values in (record["levels"], result["levels_after"]))
            change = {"before": before, "after": after, "to": words.mark("to")}
            texts.append(words("result.raise", side=side, levels=levels, **change))
    return texts or [words("result.no_raise")]


# --- pieces ---


def rank_text(level: int) -> str:
    """A level as people write it: 3 … 10, J, Q, K, A."""
    return {11: "J", 12: "Q", 13: "K", 14: "A"}.get(level, str(level))


def _heading(text: str, note: str, words: Words) -> Iterator[Line]:
    yield []
    yield [(text, "title"), (f" {words.mark('dot')} {note}" if note else "", "dim")]


def _labelled(label: str, text: str) -> Line:
    return [(pad(label, LABEL), "dim"), (text, "")]


def _sentence(text: str) -> Line:
    return [("  " + text, "")]


def _style(suit: int) -> str:
    return "red" if suit in (1, 2) else ""


def _card(kind: int, words: Words) -> Segment:
    return (words.card(kind), _style(suit_of(kind)))


def _cards(kinds: Iterable[int], words: Words) -> Line:
    return [segment for group in _groups(kinds) for segment in [(" ", ""), _same(group, words)]][1:]


def _fill(words: Words, key: str, cards: dict[str, list[int]], **values: object) -> Line:
    """A text whose places named in `cards` become cards in their colours."""
    line: Line = [("  ", "")]
    marked = {name: f"\0{name}\0" for name in cards}
    for number, part in enumerate(words(key, **values, **marked).split("\0")):
        line += _cards(cards[part], words) if number % 2 else [(part, "")]
    return line


def _broken(line: Line, columns: int) -> Iterator[Line]:
    """A line broken between its segments where it is wider than the terminal."""
    part: Line = []
    used = 0
    for text, style in line:
        if used + width(text) > columns and used > 4:
            yield part
            part, used = [("    ", "")], 4
        part = [*part, (text, style)]
        used += width(text)
    yield part


def _groups(kinds: Iterable[int]) -> list[list[int]]:
    """Runs of equal kinds, in the order given."""
    return [list(run) for _, run in groupby(kinds)]


def _same(group: list[int], words: Words) -> Segment:
    """Equal cards side by side, `♠8♠8`; or, of other names, with their number: `黑桃8×2`, `big×2`, `S8x2`."""
    name, n = words.card(group[0]), len(group)
    if n > 1:
        by_number = words.ascii or words.lang == "zh" or group[0] >= SMALL
        name = name + words.mark("times") + str(n) if by_number else name * n
    return (name, _style(suit_of(group[0])))


def _wrap(start: Line, pieces: list[Segment], columns: int) -> Iterator[Line]:
    """A list of pieces after a label, broken into lines that keep the label's indentation."""
    indent = sum(width(text) for text, _ in start)
    line, used = start, indent
    for text, style in pieces:
        if used + width(text) > columns and used > indent:
            yield line
            line, used = [(" " * indent, "")], indent
        line = [*line, (text + " ", style)]
        used += width(text) + 1
    yield line
