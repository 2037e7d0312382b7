"""
One hand of 打滚子 as the steps of a replay: every hand of cards, the table, the points, and the move in words.

`steps(record, words)` plays an internal record without a fault through once more; who pays, leads and wins comes from
the referee. Left out: the page (`page`), the whole hand as one text (`story`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gunzi_sim.cards import SMALL, suit_of
from gunzi_sim.exhibit import Step
from gunzi_sim.gunzi import referee, story
from gunzi_sim.gunzi.referee_play import TRUMP, Order, take, trick_points, trick_winner
from gunzi_sim.gunzi.referee_setup import N_DEALT, dealt
from gunzi_sim.texts import Words

Record = Mapping[str, Any]
NOTHING: tuple[tuple[int, ...], ...] = ((), (), (), ())


def steps(record: Record, words: Words) -> list[Step]:
    """
    The steps of one hand, from the deal to its result.

    Parameters
    ----------
    record : mapping
        Internal record: cards are kinds 0..53, suits 0..3, `rules` a `GunziRules`.
    words : Words
        Language of the texts.

    Raises
    ------
    ValueError
        The record has a fault; the message is its clause and sentence.
    """
    result = referee.derive(record)
    table, _ = referee.judge(record)
    return list(_Replay(record, table, words).steps(result))


def seats(record: Record, words: Words) -> list[str]:
    """Names of the seats, the dealer marked."""
    dealer = referee.derive(record)["dealer"]
    return [words("hand.seat_dealer" if seat == dealer else "hand.seat", seat=seat) for seat in range(4)]


class _Replay:
    """A hand while it is played through: hands, bottom and points as they are at the moment."""

    def __init__(self, record: Record, table: referee.Table, words: Words) -> None:
        self.record, self.facts, self.words = record, table, words
        self.hands = [dealt(record["deck"], record["first_seat"], seat) for seat in range(4)]
        self.bottom: list[int] = list(record["deck"][N_DEALT:])
        self.points = [0, 0]  # attackers, dealers' side
        self.order: Order | None = None

    def steps(self, result: Mapping[str, Any]) -> Iterator[Step]:
        """All steps; hands, bottom and points change on the way."""
        yield self._step("deal", self.words("step.deal", seat=self.record["first_seat"]))
        yield from self._claim() if self.record["first_hand"] else self._declarations()
        yield from self._tribute()
        yield from self._bottom()
        yield from self._play()
        self.points[0] = result["attacker_points"]
        ends = story.outcome(dict(self.record), dict(result), self.words)
        yield self._step("result", ("" if self.words.lang == "zh" else " ").join(ends), trick=len(result["winners"]))

    def _step(self, phase: str, text: str, **more: Any) -> Step:
        score = self.words("step.score", attackers=self.points[0], dealers=self.points[1])
        hands = tuple(_groups(hand, self.order) for hand in self.hands)
        table = more.pop("table", NOTHING)
        bottom = tuple(_sorted(self.bottom, self.order))
        return Step(self.words(phase), _sentence(text, self.words), hands, table, bottom, self.points[0], score, **more)

    def _names(self, kinds: Iterable[int]) -> str:
        return " ".join(map(self.words.card, kinds))

    def _set_trump(self) -> str:
        """From now on cards are sorted by the hand's order; the name of the trump suit."""
        self.order = self.facts.order
        return self.words.suit(self.facts.trump)

    def _claim(self) -> Iterator[Step]:
        """G4: a claim, or the flip of four bottom cards."""
        claim, words = self.record["claim"], self.words
        trump = self._set_trump()
        if claim is None:
            first = self.record["first_seat"]
            flips = [(words.card(kind), (first + step) % 4) for step, kind in enumerate(self.bottom[:4])]
            cards = " ".join(f"{words('claim.flip', seat=seat)} {card}" for card, seat in flips)
            text = f"{words('claim.none')} {cards}, {words('claim.flip_won', seat=self.facts.dealer)}"
            yield self._step("claim", words("step.trump", what=text, trump=trump))
            return
        text = words("claim.made", seat=claim["seat"], card=claim["draw"] // 4 + 1)
        yield self._step("claim", words("step.trump", what=text, trump=trump), moved=claim["seat"])

    def _declarations(self) -> Iterator[Step]:
        """G5: each declaration, or the bottom card that makes the trump suit."""
        made, words = self.record["declarations"], self.words
        for number, one in enumerate(made):
            if number == len(made) - 1:
                self._set_trump()
            text = words("declare.made", seat=one["seat"], what=self._names(one["cards"])) + words.suit(one["suit"])
            shown = _on_table({one["seat"]: one["cards"]})
            yield self._step("declare", text, moved=one["seat"], table=shown)
        if not made:
            n_drawn = 1 + next(place for place, kind in enumerate(self.bottom) if suit_of(kind) < TRUMP)
            text = words("declare.none", what=self._names(self.bottom[:n_drawn]))
            yield self._step("declare", words("step.trump", what=text, trump=self._set_trump()))

    def _tribute(self) -> Iterator[Step]:
        """G6: the cards paid, then those returned; or why there are none."""
        owed, tribute, facts, words = self.record["owed"], self.record["tribute"], self.facts, self.words
        if owed == 0:
            return
        if tribute is None:
            key = "tribute.short" if facts.tribute_short else "tribute.cancelled"
            yield self._step("tribute", words(key, short=facts.tribute_short, owed=owed))
            return
        sides = {"payer": facts.payer, "receiver": facts.receiver}
        for key, giver, taker in (("paid", facts.payer, facts.receiver), ("returned", facts.receiver, facts.payer)):
            moved = tribute["cards" if key == "paid" else "returned"]
            take(self.hands[giver], moved)
            self.hands[taker].update(moved)
            text = words(f"tribute.{key}", what=self._names(moved), **sides)
            if key == "paid" and facts.tribute_reversed:
                text = f"{words('tribute.reversed')}: {text}"
            yield self._step("tribute", text, moved=giver, table=_on_table({giver: moved}))

    def _bottom(self) -> Iterator[Step]:
        """G7, G8: the dealer takes up the bottom and buries, the others bury jokers; or a dry pot."""
        dealer, words = self.facts.dealer, self.words
        if self.facts.dry_pot:
            yield self._step("bottom", words("bottom.dry"))
            return
        text = words("step.takes_up", seat=dealer, what=self._names(self.bottom))
        self.hands[dealer].update(self.bottom)
        self.bottom = []
        yield self._step("bottom", text, moved=dealer)
        buried = self.record["bury"]
        take(self.hands[dealer], buried)
        self.bottom = list(buried)
        yield self._step("bury", words("bury.dealer", seat=dealer, what=self._names(buried)), moved=dealer)
        for one in self.record["joker_buries"]:
            seat, jokers, taken = one["seat"], one["jokers"], one["taken"]
            take(self.hands[seat], jokers)
            self.hands[seat].update(taken)
            for kind in taken:
                self.bottom.remove(kind)
            self.bottom += jokers
            text = words("bury.jokers", seat=seat, what=self._names(jokers), taken=self._names(taken))
            yield self._step("bury", text, moved=seat)

    def _play(self) -> Iterator[Step]:
        """G10, G11: every play; the fourth of a trick says who wins it."""
        plays, words, lead = self.record["plays"], self.words, self.facts.dealer
        for number, play in enumerate(plays):
            place = number % 4
            seat = (lead + place) % 4
            trick = plays[number - place : number + 1]
            take(self.hands[seat], play)
            text = words("step.plays" if place else "step.leads", seat=seat, what=self._names(play))
            best = (lead + _winning(trick, self.facts)) % 4
            leader = lead
            if place == 3:
                lead = self.facts.winners[number // 4]
                points = trick_points(trick)
                self.points[(lead - self.facts.dealer) % 2 == 0] += points
                text += words("step.wins", seat=best, points=points)
            table = _on_table({(leader + at) % 4: cards for at, cards in enumerate(trick)})
            yield self._step("play", text, table=table, trick=number // 4 + 1, moved=seat, lead=leader, best=best)


def _winning(trick: Sequence[Sequence[int]], table: referee.Table) -> int:
    """Place, from the leader on, of the play that wins a trick as far as it goes (G11.1)."""
    missing = [list(trick[0])] * (4 - len(trick))  # equal plays later in the trick do not win
    return trick_winner(0, [*map(list, trick), *missing], table.level, table.trump)


def _on_table(shown: Mapping[int, Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(shown.get(seat, ())) for seat in range(4))


def _sorted(kinds: Iterable[int], order: Order | None) -> list[int]:
    """High to low: trumps first once they are known, else jokers; then the suits S H D C."""
    if order is None:
        return sorted(kinds, key=lambda kind: (kind < SMALL, suit_of(kind), -kind))
    return sorted(kinds, key=lambda kind: (order.suit[kind] != TRUMP, order.suit[kind], -order.strength[kind], kind))


def _groups(hand: Counter[int], order: Order | None) -> tuple[tuple[int, ...], ...]:
    """A hand in five groups: trumps (before the trump suit is known, jokers), then the suits S H D C."""
    kinds = _sorted(hand.elements(), order)
    suits = [suit_of(kind) if order is None else order.suit[kind] for kind in kinds]
    return tuple(tuple(kind for kind, its in zip(kinds, suits) if its == suit) for suit in (TRUMP, 0, 1, 2, 3))


def _sentence(text: str, words: Words) -> str:
    """The text with a capital and a full stop where it is a part of a sentence."""
    end = "。" if words.lang == "zh" else "."
    whole = text[:1].upper() + text[1:]
    return whole if whole.endswith((".", "。", "!", "?")) else whole + end
