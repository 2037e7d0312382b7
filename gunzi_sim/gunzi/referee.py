"""
The referee of 打滚子: plays a record through in time order, finds its first fault, derives its result and table row.

Plain Python, written from the rule book alone and plain where that is slower; the compiled engine is compared with it.
A record is in its internal form (`records`): cards are kinds 0..53, suits 0..3, `rules` a `GunziRules`; its
structure (keys, types) is taken as checked. Decisions are judged in `referee_setup` (before the play) and
`referee_play` (tricks), the finished hand in `referee_score`; here is the course of a hand, and what is told about it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gunzi_sim.cards import BIG, N_KINDS, NOBODY, SMALL, kind_name, trace_word
from gunzi_sim.cards import trace_hash as hash_of_trace
from gunzi_sim.gunzi.referee_play import (
    TRUMP,
    Fault,
    Order,
    follow_fault,
    lead_fault,
    names,
    order_of,
    points_of,
    take,
    trick_points,
    trick_winner,
)
from gunzi_sim.gunzi.referee_score import ROUND_ENDS, Played, Score, score_hand, tribute_pts
from gunzi_sim.gunzi.referee_setup import (
    N_DEALT,
    Standing,
    bury_fault,
    claim_fault,
    claimed_trump,
    dealt,
    declaration_fault,
    drawer,
    first_suited,
    is_dry_pot,
    is_void,
    joker_bury_fault,
    pay_fault,
    return_fault,
    seats_flip,
    strength_of,
)
from gunzi_sim.gunzi.rules import GunziRules

__all__ = ["Fault", "check", "derive", "is_void", "judge", "row", "trace_hash", "trick_winner"]

Record = Mapping[str, Any]

CLOSING = 255
"""Draw index of the closing window in a declaration's trace word."""
CLAIM, DECLARE, PAY, RETURN, BURY, JOKERS, PLAY = 1, 2, 3, 4, 5, 6, 7
"""Types of trace words."""
AS_CLAIM, AS_SEATS_FLIP = 6, 7
"""Codes of `declared_as` in a first hand; 0 is the bottom flip, 1..5 the strength of a declaration."""


@dataclass
class Table:
    """Everything known about a hand while its record is played through. Hands and bottom change as cards move."""

    rules: GunziRules
    hands: list[Counter[int]]
    bottom: list[int]
    dealer: int = NOBODY
    level: int = 0
    trump: int = 0
    declared_by: int = NOBODY
    declared_as: int = 0
    exposed: bool = False
    dry_pot: bool = False
    payer: int = NOBODY
    receiver: int = NOBODY
    tribute_moved: int = 0
    tribute_short: int = 0
    tribute_reversed: bool = False
    big_dealt: list[int] = field(default_factory=list)
    small_dealt: list[int] = field(default_factory=list)
    big_buried: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    small_buried: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    trumps: list[int] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    side_points: list[int] = field(default_factory=lambda: [0, 0])

    @property
    def order(self) -> Order:
        """Order of cards, once the trump suit is known."""
        return order_of(self.level, self.trump)


def check(record: Record) -> Fault | None:
    """First fault of a record, in time order, its stored `result` last; None when all holds."""
    table, fault = judge(record)
    if fault is None and record.get("result") is not None:
        return _result_fault(record, table)
    return fault


def derive(record: Record) -> dict[str, Any]:
    """
    The `result` of a record, keys in the order written, suits as integers.

    Raises
    ------
    ValueError
        The record has a fault; the message is its clause and sentence.
    """
    return _result(record, _sound_table(record))


def row(record: Record) -> dict[str, int]:
    """
    The columns of the table `hands` that one record decides: all but `round_id` and `hand`.

    Raises
    ------
    ValueError
        The record has a fault; the message is its clause and sentence.
    """
    table = _sound_table(record)
    score = _score(record, table)
    jokers = Counter(table.bottom)
    columns = {
        "first_hand": record["first_hand"],
        "level_0": record["levels"][0],
        "level_1": record["levels"][1],
        "level": table.level,
        "dealer": table.dealer,
        "trump": table.trump,
        "declared_by": table.declared_by,
        "declared_as": table.declared_as,
        "owed": record["owed"],
        "tribute_moved": table.tribute_moved,
        "tribute_short": table.tribute_short,
        "tribute_reversed": table.tribute_reversed,
        "exposed": table.exposed,
        "dry_pot": table.dry_pot,
        **_by_seat("big_dealt", table.big_dealt),
        **_by_seat("small_dealt", table.small_dealt),
        **_by_seat("trumps", table.trumps),
        **_by_seat("big_buried", table.big_buried),
        **_by_seat("small_buried", table.small_buried),
        "bottom_big": jokers[BIG],
        "bottom_small": jokers[SMALL],
        "bottom_points": points_of(table.bottom),
        "attacker_points": score.attacker_points,
        "dig": _dig(table),
        "takes_deal": score.takes_deal,
        "raise_0": score.raises[0],
        "raise_1": score.raises[1],
        "next_dealer": NOBODY if score.next_dealer is None else score.next_dealer,
        "owed_next": score.owed_next,
        "round_end": ROUND_ENDS.index(score.round_end),
        "round_winner": NOBODY if score.round_winner is None else score.round_winner,
        **_by_seat("settlement", score.settlement),
        "tricks": len(table.winners),
        "trace_hash": hash_of_trace(record["deck"], _trace_words(record, table)),
    }
    return {name: int(value) for name, value in columns.items()}


def trace_hash(record: Record) -> int:
    """
    Hash of the deck and of all stored decisions of a record (README, "Random numbers and `trace_hash`"), signed 64-bit.

    Raises
    ------
    ValueError
        The record has a fault; the message is its clause and sentence.
    """
    return hash_of_trace(record["deck"], _trace_words(record, _sound_table(record)))


def judge(record: Record) -> tuple[Table, Fault | None]:
    """Play a record through up to its first fault, if any, without looking at its `result`."""
    deck, first = record["deck"], record["first_seat"]
    fault = _header_fault(record)
    hands = [dealt(deck, first, seat) for seat in range(4)] if fault is None else []
    table = Table(record["rules"], hands, list(deck[N_DEALT:]))
    table.big_dealt = [hand[BIG] for hand in hands]
    table.small_dealt = [hand[SMALL] for hand in hands]
    trump_fault = _first_hand if record["first_hand"] else _later_hand
    fault = (
        fault
        or trump_fault(record, table)
        or _tribute(record, table)
        or _burials(record, table)
        or _tricks(record, table)
    )
    return table, fault


def _header_fault(record: Record) -> Fault | None:
    """What is known before the first card is drawn: a whole deck, levels, dealer, debt, first seat (G2, G3.2)."""
    rules: GunziRules = record["rules"]
    copies: Counter[int] = Counter(record["deck"])
    wrong = [kind for kind in range(N_KINDS) if copies[kind] != 3]
    if wrong or len(record["deck"]) != 162:
        which = f": {copies[wrong[0]]} copies of {kind_name(wrong[0])}" if wrong else ""
        return Fault("FORMAT", None, f"deck is not three copies of 54 cards{which}")
    for level in record["levels"]:
        if not rules.start_level <= level <= rules.end_level:
            return Fault("FORMAT", None, f"level {level} is not from {rules.start_level} to {rules.end_level}")
    return _first_header_fault(record) if record["first_hand"] else _later_header_fault(record)


def _first_header_fault(record: Record) -> Fault | None:
    """G2.1, G2.5: a first hand starts from nothing; its dealer is found, not given."""
    start = record["rules"].start_level
    if record["dealer"] is not None:
        return Fault("FORMAT", None, "dealer given in a first hand, where the claim or the flip makes him")
    if list(record["levels"]) != [start, start]:
        return Fault("G2.1", None, f"a round starts at level {start} for both sides, not at {list(record['levels'])}")
    if record["owed"] != 0:
        return Fault("G2.5", None, f"{record['owed']} tribute cards owed in a first hand")
    return None


def _later_header_fault(record: Record) -> Fault | None:
    """G3.2: in a later hand the dealer is known and draws first; nobody claims."""
    if record["dealer"] is None:
        return Fault("FORMAT", None, "dealer missing in a later hand")
    if record["claim"] is not None:
        return Fault("FORMAT", None, "claim given in a later hand")
    if record["first_seat"] != record["dealer"]:
        return Fault("G3.2", None, f"seat {record['first_seat']} draws first, not the dealer, seat {record['dealer']}")
    return None


def _first_hand(record: Record, table: Table) -> Fault | None:
    """G4: dealer and trump of a round's first hand, by claim or by the seats' flip. `table` is changed in place."""
    deck, first, rules = record["deck"], record["first_seat"], table.rules
    claim = record["claim"]
    if record["declarations"]:
        return Fault("G4.5", None, "a declaration in a first hand")
    made = None if claim is None else (claim["seat"], claim["draw"])
    fault = claim_fault(deck, first, made, rules.first_claim)
    if fault:
        return fault
    table.level = rules.start_level
    if made:
        table.dealer, table.trump, table.exposed = made[0], claimed_trump(deck, made[1]), True
        table.declared_by, table.declared_as = made[0], AS_CLAIM
        return None
    flip = seats_flip(table.bottom, first, rules.first_flip)
    if flip is None:
        return Fault("G4.3", None, "four jokers flipped: the hand must be dealt again")
    table.dealer, table.trump = flip
    table.declared_as = AS_SEATS_FLIP
    return None


def _later_hand(record: Record, table: Table) -> Fault | None:
    """G5: trump of a later hand, by the last declaration or by the bottom flip (G5.7). `table` is changed in place."""
    deck, first = record["deck"], record["first_seat"]
    table.dealer = record["dealer"]
    table.level = record["levels"][table.dealer % 2]  # G2.2
    standing = None
    last_draw = -1
    for number, declaration in enumerate(record["declarations"]):
        seat, draw, cards, suit = (declaration[key] for key in ("seat", "draw", "cards", "suit"))
        fault = _timing_fault(seat, draw, last_draw, first)
        last_draw = N_DEALT if draw is None else draw
        held = dealt(deck, first, seat, last_draw + 1)
        fault = fault or declaration_fault(held, seat, cards, suit, standing, table.level, table.rules)
        if fault:
            return fault._replace(message=f"declaration {number} (seat {seat}): {fault.message}")
        standing = Standing(seat, cards[0], strength_of(cards, suit, table.level), suit)
    if standing:
        table.trump, table.exposed = standing.suit, True
        table.declared_by, table.declared_as = standing.seat, standing.strength
        return None
    flipped = first_suited(table.bottom)
    if flipped is None:
        return Fault("G5.7", None, "nobody declared and six jokers in the bottom: the hand must be dealt again")
    table.trump = flipped
    return None


def _timing_fault(seat: int, draw: int | None, last_draw: int, first_seat: int) -> Fault | None:
    """
    G5.5: one declaration a draw, by the seat that drew; then the closing window (`draw` None).

    In the closing window any order of seats can be: nobody has to wait for more than three passes, and four end it.
    """
    if draw is None:
        return None
    if not 0 <= draw < N_DEALT:
        return Fault("G5.5", None, f"draw {draw} is none of 0 to {N_DEALT - 1}")
    if draw <= last_draw:
        return Fault("G5.5", None, f"draw {draw} is not after the declaration before")
    if seat != drawer(first_seat, draw):
        return Fault("G5.5", None, f"draw {draw} is seat {drawer(first_seat, draw)}'s")
    return None


def _tribute(record: Record, table: Table) -> Fault | None:
    """G6: tribute and return, reversed or cancelled by three big jokers (G6.5). `table` is changed in place."""
    owed = record["owed"]
    given = record["tribute"] or {"cards": [], "returned": []}
    cards, returned = given["cards"], given["returned"]
    if owed == 0:
        moved = [*cards, *returned]
        return Fault("G6.1", None, f"no tribute owed, but {names(moved)} moved") if moved else None
    payer, receiver = (table.dealer - 1) % 4, table.dealer
    holder = table.big_dealt.index(3) if table.rules.tribute_three_big and 3 in table.big_dealt else NOBODY
    if holder == (payer + 2) % 4:
        return Fault("G6.5", None, f"seat {holder} holds three big jokers: no tribute") if cards or returned else None
    if holder == payer:
        payer, receiver = receiver, payer
        table.tribute_reversed = True
    hands, order, points = table.hands, table.order, table.rules.tribute_points
    fault = pay_fault(hands[payer], cards, owed, order, points)
    if fault:
        ignored = table.tribute_reversed and returned and not pay_fault(hands[receiver], cards, owed, order, points)
        if ignored:
            return Fault("G6.5", None, f"seat {receiver} paid, but holds three big jokers: the dealer pays")
        return fault._replace(message=f"seat {payer}: {fault.message}")
    take(hands[payer], cards)
    hands[receiver].update(cards)
    fault = return_fault(hands[receiver], returned, len(cards), order)
    if fault:
        return fault._replace(message=f"seat {receiver}: {fault.message}")
    take(hands[receiver], returned)
    hands[payer].update(returned)
    table.payer, table.receiver = payer, receiver
    table.tribute_moved, table.tribute_short = len(cards), owed - len(cards)
    return None


def _burials(record: Record, table: Table) -> Fault | None:
    """G7.2, G7.3, G8: the dealer's six and the others' jokers, or a dry pot. `table` is changed in place."""
    table.dry_pot = table.exposed and is_dry_pot(table.bottom, table.order, table.rules.dry_pot)
    buried, joker_buries = record["bury"], record["joker_buries"]
    if table.dry_pot:
        if buried is not None or joker_buries:
            return Fault("G7.3", None, f"{'cards' if buried is not None else 'jokers'} buried in a dry pot")
        return None
    if buried is None:
        return Fault("G7.2", None, "nothing buried, though the bottom is no dry pot")
    hand = table.hands[table.dealer]
    hand.update(table.bottom)
    fault = bury_fault(hand, buried, table.rules)
    if fault:
        return fault._replace(message=f"dealer (seat {table.dealer}): {fault.message}")
    take(hand, buried)
    table.bottom = list(buried)
    table.big_buried[table.dealer], table.small_buried[table.dealer] = buried.count(BIG), buried.count(SMALL)
    return _joker_buries(joker_buries, table)


def _joker_buries(joker_buries: Sequence[Mapping[str, Any]], table: Table) -> Fault | None:
    """G8.4: the other seats' jokers, in the order of asking. `table` is changed in place."""
    last = 0
    for entry in joker_buries:
        seat, jokers, taken = entry["seat"], entry["jokers"], entry["taken"]
        asked = (seat - table.dealer) % 4
        fault = None
        if not table.rules.others_bury_jokers:
            fault = Fault("G8.4", None, "jokers buried, but only the dealer may (others_bury_jokers)")
        elif asked <= last:
            fault = Fault("G8.4", None, "jokers buried out of the order of asking: next, partner, previous, once each")
        elif not jokers:
            fault = Fault("FORMAT", None, "a seat that buries no joker is left out")
        hand = table.hands[seat]
        fault = fault or joker_bury_fault(hand, jokers, taken, table.bottom, table.order, table.rules)
        if fault:
            return fault._replace(message=f"seat {seat}: {fault.message}")
        last = asked
        take(hand, jokers)
        hand.update(taken)
        for kind in taken:
            table.bottom.remove(kind)
        table.bottom.extend(jokers)
        table.big_buried[seat], table.small_buried[seat] = jokers.count(BIG), jokers.count(SMALL)
    return None


def _tricks(record: Record, table: Table) -> Fault | None:
    """G10, G11: the tricks, until every card is played (G10.2). `table` is changed in place."""
    plays, hands, order, follow = record["plays"], table.hands, table.order, table.rules.follow
    table.trumps = [sum(n for kind, n in hand.items() if order.suit[kind] == TRUMP) for hand in hands]
    leader = table.dealer
    for number, play in enumerate(plays):
        step = number % 4
        seat = (leader + step) % 4
        hand = hands[seat]
        if step == 0:
            led = play
            fault = lead_fault(hand, play) if hand else Fault("FORMAT", None, "no card is left to play")
        else:
            fault = follow_fault(hand, led, play, order, follow)
        if fault:
            return Fault(fault.clause, number, f"play {number} (seat {seat}): {fault.message}")
        take(hand, play)
        if step == 3:
            trick = plays[number - 3 : number + 1]
            leader = trick_winner(leader, trick, table.level, table.trump)
            table.winners.append(leader)
            table.side_points[leader % 2] += trick_points(trick)
    n_left = sum(hand.total() for hand in hands)
    if n_left:
        return Fault("FORMAT", None, f"plays are missing after play {len(plays) - 1}: {n_left} cards are left")
    return None


def _dig(table: Table) -> bool:
    """G11.3: attackers won the last trick."""
    return (table.winners[-1] - table.dealer) % 2 == 1


def _score(record: Record, table: Table) -> Score:
    """G12 to G14 of a hand played to its end."""
    side = table.dealer % 2
    played = Played(
        attackers=table.side_points[1 - side],
        dealers=table.side_points[side],
        bottom=points_of(table.bottom),
        dig=_dig(table),
        big=table.bottom.count(BIG),
        small=table.bottom.count(SMALL),
        dry_pot=table.dry_pot,
    )
    tribute = tribute_pts(table.payer, table.receiver, table.tribute_moved, table.rules)
    return score_hand((record["levels"][0], record["levels"][1]), table.dealer, played, tribute, table.rules)


def _sound_table(record: Record) -> Table:
    table, fault = judge(record)
    if fault:
        raise ValueError(f"{fault.clause}: {fault.message}")
    return table


def _result(record: Record, table: Table) -> dict[str, Any]:
    """The `result` of a table played to its end, keys in the order written."""
    score = _score(record, table)
    return {
        "dealer": table.dealer,
        "level": table.level,
        "trump": table.trump,
        "exposed": table.exposed,
        "dry_pot": table.dry_pot,
        "winners": table.winners,
        "attacker_points": score.attacker_points,
        "bottom_points": points_of(table.bottom),
        "dig": _dig(table),
        "takes_deal": score.takes_deal,
        "raise": list(score.raises),
        "round_winner": score.round_winner,
        "round_end": score.round_end,
        "levels_after": list(score.levels_after),
        "next_dealer": score.next_dealer,
        "owed_next": score.owed_next,
        "tribute_moved": table.tribute_moved,
        "tribute_short": table.tribute_short,
        "settlement": list(score.settlement),
    }


def _result_fault(record: Record, table: Table) -> Fault | None:
    """The first wrong value of a stored `result`, in the order of `_result_clauses`."""
    stored, derived = record["result"], _result(record, table)
    odd = sorted(set(stored) ^ set(derived))
    if odd:
        return Fault("FORMAT", None, f"result: missing or unknown {', '.join(odd)}")
    for key, clause in _result_clauses(stored, derived, record, table):
        if stored[key] != derived[key]:
            return Fault(clause, None, f"result: {key} is {derived[key]!r}, not {stored[key]!r}")
    return None


def _result_clauses(
    stored: Mapping[str, Any], derived: Mapping[str, Any], record: Record, table: Table
) -> list[tuple[str, str]]:
    """Each key of `result` with the clause that defines it in this hand."""
    first, dig = record["first_hand"], derived["dig"]
    ends = (derived["round_end"], stored["round_end"])
    passed = ends[0] == "passed" or (ends[0] is None and ends[1] == "passed")
    uncapped = list(_score(record, table).uncapped)
    return [
        ("dealer", "G4" if first else "G13"),
        ("trump", "G4" if first else "G5"),
        ("winners", "G11.1"),
        ("attacker_points", "G11.3" if dig else "G11.2"),
        ("dry_pot", "G7.2"),
        ("raise", "G2.3" if stored["raise"] == uncapped else "G12.1"),
        ("round_winner", "G2.4" if passed else "G12.5"),
        ("round_end", "G2.4" if passed else "G12.5"),
        ("owed_next", "G12.4"),
        ("next_dealer", "G13"),
        ("settlement", "G14"),
        ("level", "G2.2"),
        ("exposed", "G7.1"),
        ("takes_deal", "G12.1"),
        ("tribute_moved", "G6.1"),
        ("tribute_short", "G6.3"),
        ("levels_after", "G2.3" if derived["round_end"] is None else "G2.5"),
        ("bottom_points", "G1.3"),
        ("dig", "G11.3"),
    ]


def _by_seat(name: str, values: Sequence[int]) -> dict[str, int]:
    return {f"{name}_{seat}": values[seat] for seat in range(4)}


def _trace_words(record: Record, table: Table) -> Iterator[int]:
    """One word a stored decision, in the record's order; `table` knows who paid and who led."""
    claim, tribute = record["claim"], record["tribute"]
    if claim is not None:
        yield trace_word(CLAIM, claim["seat"], claim["draw"], [])
    for declaration in record["declarations"]:
        draw = CLOSING if declaration["draw"] is None else declaration["draw"]
        yield trace_word(DECLARE, declaration["seat"], draw << 8 | declaration["suit"], declaration["cards"])
    if tribute is not None and tribute["cards"]:
        yield trace_word(PAY, table.payer, 0, tribute["cards"])
        yield trace_word(RETURN, table.receiver, 0, tribute["returned"])
    if record["bury"] is not None:
        yield trace_word(BURY, table.dealer, 0, record["bury"])
    for entry in record["joker_buries"]:
        yield trace_word(JOKERS, entry["seat"], len(entry["jokers"]), [*entry["jokers"], *entry["taken"]])
    leaders = [table.dealer, *table.winners]
    for number, play in enumerate(record["plays"]):
        yield trace_word(PLAY, (leaders[number // 4] + number % 4) % 4, 0, play)
