"""
What a game's report shows, as data: which figures run on, distributions, heat maps, and the steps of a replay.

A game's `exhibits.py` fills in the tables, its `steps.py` makes the steps; `tally` counts, `plots` and `page` draw. An
amount of a row is the sum of its `Term`s, as in a `Statistic`.
"""

from typing import NamedTuple

from gunzi_sim.game import Term


class Distribution(NamedTuple):
    """
    How often an amount takes which value; `width` values share a bar.

    `of_unit` adds the amounts of all rows of a unit and counts units; such a distribution is left out of single-hand
    studies. Its text is `dist.NAME`.
    """

    name: str
    terms: tuple[Term, ...]
    width: int = 1
    of_unit: bool = False


class Axis(NamedTuple):
    """One axis of a heat map: the amount a row is sorted by, and names of its values where numbers do not do."""

    name: str
    terms: tuple[Term, ...]
    labels: tuple[tuple[int, str], ...] = ()

    def label(self, value: int) -> str:
        """A value as people write it."""
        return dict(self.labels).get(value, str(value))


class HeatMap(NamedTuple):
    """The mean amount of `terms` by two axes; `is_rate` marks a share of yes. `of_rounds` leaves single hands out."""

    name: str
    down: Axis
    across: Axis
    terms: tuple[Term, ...]
    is_rate: bool
    of_rounds: bool = False


class Step(NamedTuple):
    """
    One moment of a replay, everything visible. Cards are kinds.

    `hands` has groups of cards by seat, in the order in which people sort them; `table` the cards on the table by seat,
    `moved` the seat whose step this is, `lead` who leads, `best` who is winning the trick or has won it. `trick` counts
    from 1, 0 before the first. `points` are those of the attackers so far.
    """

    phase: str
    text: str
    hands: tuple[tuple[tuple[int, ...], ...], ...]
    table: tuple[tuple[int, ...], ...]
    bottom: tuple[int, ...]
    points: int
    score: str
    trick: int = 0
    moved: int | None = None
    lead: int | None = None
    best: int | None = None
