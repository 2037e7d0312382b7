"""
Advice for one decision at the table: answers ranked, with intervals, and the fact that would change them.

Hidden cards are drawn with equal probability from all that agree with what the seat knows; every candidate is played to
the end of the hand on the same ones. Estimates are settlements of the seat's side (chips of both seats), or, where a
match equity is given, probabilities of winning the round. Intervals hold at every look (confidence sequences): those of
values for all answers together, those of differences for every pair (Bonferroni), because the best answer is picked
from the same data and looking goes on until it is decided.

Left out: views, candidates and playouts (a game's `advisor`).
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gunzi_sim import games, stats
from gunzi_sim.game import InputError, Rules, shown
from gunzi_sim.match_equity import Equity, win_probability_of
from gunzi_sim.stats import Moments

FIRST_BATCH, MOST_BATCH = 32, 512
LEAST_IN_FACT = 40
"""Hidden hands in which a fact must hold, and not hold, to be looked at."""
SHOWN = ("takes_deal", "dig", "attacker_points")
"""Columns of the table `hands` that are shown of every answer beside its value."""
PROBABILITY_SCALE = 1_000_000
"""Round-win probabilities are counted in millionths, so that sums are exact."""


class Answer(NamedTuple):
    """
    One candidate: its cards as kinds, its value and the value less that of the best answer, each with an interval.

    `takes_deal` and `dig` are the shares of hidden hands in which the attackers take the deal and win the last trick,
    `attacker_points` their mean score, each with its standard error. Parts of intervals are None where nothing varies.
    """

    cards: tuple[int, ...]
    value: float
    lo: float | None
    hi: float | None
    difference: float
    difference_lo: float | None
    difference_hi: float | None
    takes_deal: float
    takes_deal_error: float
    dig: float
    dig_error: float
    attacker_points: float
    attacker_points_error: float
    n: int


class Change(NamedTuple):
    """
    A fact under which another answer is better: of `what`, `where` has `least` or more where `is_least`, else fewer.

    `share` of the hidden hands have it; there `answer` gains `gain` on the best answer (`lo` … `hi`).
    """

    what: str
    where: str
    least: int
    is_least: bool
    share: float
    answer: tuple[int, ...]
    gain: float
    lo: float
    hi: float


@dataclass(frozen=True)
class Advice:
    """
    Ranked answers, best first, in `unit`, "chips" or "probability".

    `decided`: every other answer is worse than the best, or as good as it. `share_smaller`: of results that lead to a
    larger tribute than the match equity knows, which were given the value of the largest it knows. `n_legal`: legal
    answers in all, of which `answers` are a selection where they are fewer; None where nobody counts them (to bury).
    """

    decision: str
    seat: int
    unit: str
    inner: str
    seed: int
    n_hands: int
    elapsed_s: float
    decided: bool
    confidence: float
    answers: tuple[Answer, ...]
    changes: tuple[Change, ...]
    n_legal: int | None
    share_smaller: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; cards by name."""
        from gunzi_sim.cards import kind_name

        def named(row: Any, key: str) -> dict[str, Any]:
            found: dict[str, Any] = row._asdict()
            return found | {key: [kind_name(kind) for kind in getattr(row, key)]}

        found = {name: getattr(self, name) for name in self.__dataclass_fields__}
        found["answers"] = [named(row, "cards") for row in self.answers]
        found["changes"] = [named(row, "answer") for row in self.changes]
        return found


def advise(
    rules: Rules,
    question: Mapping[str, Any],
    inner: str,
    hands: int,
    seed: int = 0,
    equivalence: float = 0.0,
    equity: Equity | None = None,
    confidence: float = stats.CONFIDENCE,
    progress: Callable[[int, int, float], None] | None = None,
) -> Advice:
    """
    Rank the answers to one question.

    Parameters
    ----------
    rules : Rules
    question : mapping
        What the player knows, as the game's `advisor` takes it.
    inner : str
        Policy that plays every hand on, for all seats.
    hands : int
        Most hidden hands; fewer where it is decided before.
    seed : int
        Decides the hidden hands.
    equivalence : float
        Answers whose values differ by less are as good as each other.
    equity : Equity, optional
        Values are then probabilities that the seat's side wins the round.
    confidence : float
        Of the intervals, all together.
    progress : callable, optional
        Told hands played, most hands, and seconds since the start.

    Raises
    ------
    InputError
        What cannot be, or contradicts itself, with the reason.
    """
    began = time.perf_counter()
    game = games.get(rules.GAME)
    if equity is not None and not (isinstance(equity, Equity) and equity.rules == rules):
        raise InputError("equity must be a match equity of the same rules; estimate it with these")
    if progress is not None and not callable(progress):
        raise InputError(f"progress must be callable, got {shown(progress)}")
    if not isinstance(inner, str) or "," in inner:
        raise InputError(f"policy must be the text of one policy, got {shown(inner)}")
    spec = games.parse_policies(rules.GAME, inner)[0]
    trials = games.advisor(rules.GAME).Trials(rules, question, games.find_policy(rules.GAME, spec.name), spec, seed)
    study = _Study(trials, equity, hands, confidence)
    batch = FIRST_BATCH
    while study.n < hands:
        if not study.add(min(batch, hands - study.n)):
            break
        if progress:
            progress(study.n, hands, time.perf_counter() - began)
        if study.is_decided(equivalence):
            break
        batch = min(MOST_BATCH, 2 * batch)
    if study.n == 0:
        raise InputError("hardly any hidden hands agree with what was told; none was found")
    return Advice(
        decision=str(question["decision"]),
        seat=trials.seat,
        unit="chips" if equity is None else "probability",
        inner=inner,
        seed=seed,
        n_hands=study.n,
        elapsed_s=round(time.perf_counter() - began, 3),
        decided=study.is_decided(equivalence),
        confidence=confidence,
        answers=study.ranked(),
        changes=study.changes(games.advisor(game.name)),
        n_legal=trials.n_legal,
        share_smaller=study.n_smaller / study.n_results if study.n_results else 0.0,
    )


class _Study:
    """Values of all candidates on the hidden hands so far."""

    def __init__(self, trials: Any, equity: Equity | None, most: int, confidence: float) -> None:
        self.trials, self.equity, self.confidence = trials, equity, confidence
        self.best_n = stats.quarter(most)
        k = len(trials.answers)
        self.share = stats.share_of(confidence, k * (k - 1) // 2)  # every pair: the best is picked from the data
        self.moments = Moments.zero(k + 2)  # the values, nought, one
        self.values = np.zeros((0, k), np.int64)
        self.features = np.zeros((0, 0), np.int64)
        self.rows: list[npt.NDArray[np.void]] = []
        self.n_results = self.n_smaller = 0

    @property
    def scale(self) -> float:
        """Counted units in one chip, or in a probability of 1."""
        return 1.0 if self.equity is None else float(PROBABILITY_SCALE)

    @property
    def n(self) -> int:
        """Hidden hands so far."""
        return self.moments.n

    def add(self, n_hands: int) -> int:
        """Play on more hidden hands; how many there were."""
        results, features = self.trials.play(n_hands)
        rows = self.trials.rows(results)
        values = results[..., 0]
        if self.equity is not None:
            own = self._chances(rows)
            values = np.rint(own * PROBABILITY_SCALE).astype(np.int64)
        self.rows.append(rows)
        self.values = np.concatenate([self.values, values])
        self.features = np.concatenate([self.features.reshape(-1, features.shape[1]), features])
        known = np.array([[0], [1]], np.int64).repeat(len(values), axis=1)
        self.moments = self.moments + Moments.of(np.concatenate([values.T, known]))
        return len(values)

    def _chances(self, rows: npt.NDArray[np.void]) -> npt.NDArray[np.float64]:
        """Probabilities that the side wins the round; of a tribute that the equity lacks, those of the next smaller."""
        assert self.equity is not None
        flat = rows.reshape(-1).copy()
        chances = win_probability_of(flat, self.equity)
        self.n_results += len(flat)
        lacking = np.isnan(chances)
        self.n_smaller += int(lacking.sum())
        while lacking.any():
            if (flat["owed_next"][lacking] == 0).any():
                raise InputError("the match equity lacks levels that a hand leads to; estimate it under these rules")
            flat["owed_next"][lacking] -= 1
            chances[lacking] = win_probability_of(flat[lacking], self.equity)
            lacking = np.isnan(chances)
        return (chances if self.trials.side == 0 else 1 - chances).reshape(rows.shape)

    @property
    def best(self) -> int:
        """Place of the answer with the highest value; of equals the first."""
        return int(np.argmax([int(total) for total in self.moments.sums[:-2]]))

    def gap(self, answer: int, other: int, share: float | None = None) -> stats.Difference:
        """Value of an answer less that of another, in the unit, with an interval for every look and pair."""
        one = len(self.trials.answers) + 1
        found = stats.sequence(self.moments, (answer, one), (other, one), self.best_n, share or self.share)
        estimate, lo, hi = (None if value is None else value / self.scale for value in found[:3])
        return found._replace(estimate=estimate, lo=lo, hi=hi)

    def is_decided(self, equivalence: float) -> bool:
        """Whether every other answer is worse than the best, or as good as it."""
        best = self.best
        for other in range(len(self.trials.answers)):
            found = self.gap(other, best)
            if other == best or (found.hi is None and found.estimate == 0):
                continue
            if stats.verdict(found, equivalence) not in (stats.Verdict.WORSE, stats.Verdict.EQUAL):
                return False
        return True

    def ranked(self) -> tuple[Answer, ...]:
        """The answers, best first."""
        count, best = len(self.trials.answers), self.best
        rows = np.concatenate(self.rows)
        found = []
        for place, cards in enumerate(self.trials.answers):
            value = self.gap(place, count, stats.share_of(self.confidence, count))  # less nought
            gap = self.gap(place, best)
            takes, digs, points = (_mean_and_error(rows[name][:, place]) for name in SHOWN)
            mean, less = value.estimate or 0.0, gap.estimate or 0.0
            found.append(
                Answer(tuple(cards), mean, value.lo, value.hi, less, gap.lo, gap.hi, *takes, *digs, *points, self.n)
            )
        order = sorted(range(count), key=lambda place: (-found[place].value, place))
        return tuple(found[place] for place in order)

    def changes(self, advisor: Any) -> tuple[Change, ...]:
        """Facts about hidden cards under which another answer is clearly better, the most telling first."""
        facts = advisor.FACTS_LOOKED_AT
        tests = [(i, least) for i in range(len(facts)) for least in self._thresholds(i)]
        share = stats.share_of(self.confidence, 2 * len(tests) * len(self.trials.answers))
        found = []
        for i, least in tests:
            is_there = self.features[:, i] >= least
            for is_least, mask in ((True, is_there), (False, ~is_there)):
                change = self._change(advisor, facts[i], least, is_least, mask, share)
                if change is not None:
                    found.append(change)
        found.sort(key=lambda change: -change.gain * change.share)
        kept: dict[tuple[str, str], Change] = {}
        for change in found:
            kept.setdefault((change.what, change.where), change)
        return tuple(kept.values())[:3]

    def _thresholds(self, feature: int) -> list[int]:
        """Counts that part the hidden hands in two large enough parts."""
        counts = self.features[:, feature]
        steps = range(int(counts.min(initial=0)) + 1, int(counts.max(initial=0)) + 1)
        return [n for n in steps if LEAST_IN_FACT <= int((counts >= n).sum()) <= self.n - LEAST_IN_FACT]

    def _change(
        self, advisor: Any, fact: Any, least: int, is_least: bool, mask: npt.NDArray[np.bool_], share: float
    ) -> Change | None:
        """The better answer among the hidden hands of `mask`, where there clearly is one."""
        part = self.values[mask]
        other, best = int(np.argmax(part.sum(axis=0))), self.best
        if other == best:
            return None
        moments = Moments.of(np.stack([part[:, other], part[:, best], np.ones(len(part), np.int64)]))
        gap = stats.sequence(moments, (0, 2), (1, 2), self.best_n, share)
        if gap.lo is None or gap.lo <= 0 or gap.hi is None or gap.estimate is None:
            return None
        what, where = advisor.words(fact, self.trials.seat)
        parts = (gap.estimate / self.scale, gap.lo / self.scale, gap.hi / self.scale)
        return Change(what, where, least, is_least, len(part) / self.n, tuple(self.trials.answers[other]), *parts)


def _mean_and_error(values: npt.NDArray[Any]) -> tuple[float, float]:
    """Mean of values, and its standard error."""
    return float(values.mean()), float(values.astype(float).std(ddof=1) / np.sqrt(len(values)))


def check_hands(value: object) -> int:
    """A number of hidden hands from 2."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 2:
        raise InputError(f"hands must be an integer from 2, got {shown(value)}")
    return value
