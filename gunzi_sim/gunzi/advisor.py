"""
Advice in 打滚子, host side: from a player's words to results of every candidate on the same hidden hands.

`Trials` builds the seat's view (`seen`), finds out whether any deal agrees with it, lists the answers and plays them
on (`trials`). Left out: estimates, ranking, stopping (the layer above).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gunzi_sim.calls import address_of
from gunzi_sim.cards import NOBODY
from gunzi_sim.game import InputError, PolicySpec
from gunzi_sim.gunzi import engine, playout, seen, trials
from gunzi_sim.gunzi.facts import FACTS
from gunzi_sim.gunzi.rules import GunziRules
from gunzi_sim.gunzi.state import STATE
from gunzi_sim.gunzi.view import BOTTOM, BURY, FAULT_CLAUSES, FIRST_PURPOSE, FOLLOW, KIND_AT, MIN_LEVEL, PARAMS, ROW
from gunzi_sim.rng import DRAWS

MOST_ANSWERS = 128
"""More than there are: at most 16 numbers of jokers with seven ways to bury the rest, and the policy's own."""
RESULT_COLUMNS = {
    "attacker_points": trials.POINTS,
    "takes_deal": trials.TAKES_DEAL,
    "dig": trials.DIG,
    "raise_0": trials.RAISE_0,
    "raise_1": trials.RAISE_1,
    "next_dealer": trials.NEXT_DEALER,
    "owed_next": trials.OWED_NEXT,
    "round_winner": trials.ROUND_WINNER,
}
"""Columns of the table `hands` that a trial gives."""


class Fact(NamedTuple):
    """Something about the hidden cards: what is counted, and where (a seat, or `BOTTOM`)."""

    what: str
    where: int


FACTS_LOOKED_AT = tuple(
    Fact(what, where) for what in ("big_jokers", "small_jokers", "trumps") for where in range(BOTTOM + 1)
)
"""In the order of `trials.note_hands`."""


class Trials:
    """
    The question of one seat, its candidates, and any number of trials.

    Attributes
    ----------
    seat, side : int
    answers : list of list of int
        Kinds of each candidate; the first is the inner policy's.
    n_ways : float
        Ways to lay the hidden cards.
    n_legal : int or None
        Legal answers in all; None for a bury, of which there are millions.
    """

    def __init__(
        self,
        rules: GunziRules,
        question: Mapping[str, Any],
        inner: engine.Policy,
        spec: PolicySpec,
        seed: int,
    ) -> None:
        """
        Raises
        ------
        InputError
            A hand that cannot be (`seen.ask`), or one that no deal agrees with; a policy that cannot play hands on.
        """
        if inner.uses_draws or any(parameter.name == "inner" for parameter in inner.parameters):
            why = "draws at random" if inner.uses_draws else "plays hands on itself"
            raise InputError(f"policy {inner.name} {why}; let basic or counting play the hands on")
        self.rules, self._inner = rules, inner.name
        asked = seen.ask(rules, **question)
        self.decision, self._view = asked.decision, engine.zeroed(1, asked.view.dtype)
        self._view[0] = asked.view[0]
        self.seat = int(asked.view["seat"][0])
        self.side = self.seat % 2
        self._params = engine.zeroed(1, PARAMS)
        values = {parameter.name: parameter.default for parameter in inner.parameters} | dict(spec.params)
        for name, value in values.items():
            self._params[name][0] = value
        self._params["inner_calls"][0] = inner.addresses
        self._params["first_call"][0] = address_of(playout.answer_first)
        self._draws = engine.zeroed(1, DRAWS)
        self._draws["seed"][0] = seed
        self._draws["stream"][0] = (FIRST_PURPOSE + self.decision) << 24 | self.seat << 16
        self._facts = engine.zeroed(1, FACTS)
        self._work = engine.zeroed(1, STATE)
        self._table = np.empty(trials.gather_facts(self._view[0], self._facts), np.float64)
        self.n_ways = trials.count_ways(self._facts, self._table)
        if self.n_ways == 0.0:
            raise InputError(self._contradiction(question))
        self._cards = np.zeros((MOST_ANSWERS, 3), np.uint64)
        n = trials.list_answers(self._view[0], self._params[0], self._draws[0], self.decision, self._cards)
        self._cards = np.ascontiguousarray(self._cards[:n])
        self.answers = [self._kinds(planes) for planes in self._cards]
        self.n_legal: int | None = len(self.answers)
        if self.decision == BURY:
            self.n_legal = None
        elif self.decision == FOLLOW:
            self.n_legal = int(trials.count_follows(self._view[0]))

    def play(self, n_hands: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """
        Play every candidate on new hidden hands.

        Returns
        -------
        results : int64[n, n_answers, trials.N_RESULTS]
        features : int64[n, trials.N_FEATURES]
            Counts of `FACTS_LOOKED_AT`. n is less than asked for where hidden hands could not be drawn.
        """
        results = np.zeros((n_hands, len(self.answers), trials.N_RESULTS), np.int64)
        features = np.zeros((n_hands, trials.N_FEATURES), np.int64)
        n_done = trials.try_answers(
            self._work, self._facts, self._table, self._view[0], self._params[0], self._draws[0], self.decision,
            self._cards, results, features,
        )  # fmt: skip
        if n_done < 0:
            clause = FAULT_CLAUSES[-n_done]
            raise InputError(f"policy {self._inner} broke a rule while it played hands on ({clause}); take another")
        return results[:n_done], features[:n_done]

    def rows(self, results: npt.NDArray[np.int64]) -> npt.NDArray[np.void]:
        """Results as rows of the table `hands`, as far as a round-win probability needs them: ROW[…]."""
        rows = np.zeros(results.shape[:-1], ROW)
        for name, column in RESULT_COLUMNS.items():
            rows[name] = results[..., column]
        view = self._view[0]
        rows["level_0"], rows["level_1"], rows["level"] = view["level_0"], view["level_1"], view["level"]
        rows["dealer"] = view["dealer"]
        rows["round_end"] = rows["round_winner"] != NOBODY  # any end: only 0 or not is read
        return rows

    def _kinds(self, planes: npt.NDArray[np.uint64]) -> list[int]:
        """Kinds of a set, jokers first, then trumps, high cards first."""
        at = KIND_AT[int(self._view["level"][0]) - MIN_LEVEL, int(self._view["trump"][0])]
        places = [place for plane in planes.tolist() for place in range(len(at)) if plane >> place & 1]
        return [int(at[place]) for place in sorted(places, reverse=True)]

    def _contradiction(self, question: Mapping[str, Any]) -> str:
        """What makes the hand impossible: a part without which some deal agrees, where there is one."""
        known = dict(question.get("seen") or {})
        for part in known:
            if part != "plays" and self._agrees(question, {key: value for key, value in known.items() if key != part}):
                return f"no deal agrees with what was told: seen.{part} contradicts the rest"
        return "no deal agrees with what was told, whichever part is left out: several contradict the cards and plays"

    def _agrees(self, question: Mapping[str, Any], known: Mapping[str, Any]) -> bool:
        """Whether a deal agrees with less that was seen."""
        try:
            asked = seen.ask(self.rules, **{**question, "seen": known})
        except InputError:
            return False
        view, facts = engine.zeroed(1, asked.view.dtype), engine.zeroed(1, FACTS)
        view[0] = asked.view[0]
        table = np.empty(trials.gather_facts(view[0], facts), np.float64)
        return bool(trials.count_ways(facts, table) > 0.0)


def words(fact: Fact, seat: int) -> Sequence[str]:
    """A fact as a key of texts and where it is, seen from a seat: `next`, `partner`, `previous`, `bottom`."""
    if fact.where == BOTTOM:
        return fact.what, "bottom"
    return fact.what, ("own", "next", "partner", "previous")[(fact.where - seat) % 4]
