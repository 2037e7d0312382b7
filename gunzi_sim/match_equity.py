"""
Match equity: how likely the dealers' side wins the round, by both levels and the tribute owed, from simulated hands.

A hand is dealt anew, and policies know of the past what the state tells them (`race.State`). So given its state a hand
does not depend on those before it, and the states of a round are a Markov chain, which `chain` solves. Hands are
counted from state to state, either those of the rounds of a run (`of_run`) or single hands that are played for it from
every state (`equity_design`). Within a run hands of one round depend on each other by their states alone, so the rows
of counts may be taken for independent there too.

Tribute owed is taken as it is, however large. A state that nobody came to has no row: it is not made up from others.
"""

import base64
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gunzi_sim import chain, games, run_info, storage
from gunzi_sim import game as contract
from gunzi_sim.game import Column, InputError, Rules, shown
from gunzi_sim.race import (
    FIRST_NEXT,
    LOST,
    OUTCOME_BITS,
    STATE_LIMITS,
    USED,
    WON,
    State,
    Tally,
    chain_counts,
    codes_of,
    outcomes_of,
    period_of,
    state_of,
    unplayed,
)
from gunzi_sim.results import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMAT = "gunzi-sim/equity"
VERSION = 1
MAX_STATES = 10_000
"""Most states of one system; it is solved densely."""

COLUMNS = (
    Column("first_hand", "int8", "flag", "1: the first hand of a round, seen by the side that comes to deal it"),
    Column("dealer", "int8", "seat", "dealer, modulo the number of seats after which the policies repeat"),
    Column("level_dealers", "int8", "level", "level of the dealers' side (G2.1)"),
    Column("level_others", "int8", "level", "level of the other side"),
    Column("owed", "int16", "cards", "tribute owed in the hand (G6.1, G12.4)"),
    Column("n_hands", "int64", "hands", "hands played from this state"),
    Column("win_probability", "float64", "probability", "that the dealers' side wins the round"),
    Column("standard_error", "float64", "probability", "standard error of win_probability"),
    Column("hands_left", "float64", "hands", "mean number of hands to the end of the round, this one included"),
)
"""Columns of the stored table, one row a state."""
THIN_CELL = 0.02
"""Standard error from which a cell of the heat map is hatched."""
STATE_FIELDS = ("first_hand", "dealer", "level_dealers", "level_others", "owed")
_ROW = np.dtype([(column.name, column.dtype) for column in COLUMNS])


class Value(NamedTuple):
    """A probability, or a difference of two, with its standard error."""

    probability: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Equity:
    """
    The table of win probabilities.

    Attributes
    ----------
    about : mapping
        `game`, `rules` (every option, and the preset), `rules_hash`, `policies` (one a seat), `period`, `seed`,
        `n_hands` and `versions`.
    rows : structured[n_states]
        `COLUMNS`, in rising order of the states' codes.
    pairs, counts : int64[n]
        Transition counts: code of the state << 28 | outcome, rising, and hands.
    """

    about: Mapping[str, Any]
    rows: npt.NDArray[np.void]
    pairs: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]

    def __repr__(self) -> str:
        return f"<Equity of {self.played_by}: {len(self.rows)} states, {self.about['n_hands']} hands>"

    @property
    def rules(self) -> Rules:
        """The rules it holds for."""
        return contract.from_mapping(games.rules_class(self.about["game"]), self.about["rules"])

    @property
    def played_by(self) -> str:
        """Preset, options that differ from it, and policies, on one line."""
        mapping = contract.to_mapping(self.rules).items()
        changes = "".join(f", {name}={value}" for name, value in mapping if name != "preset")
        policies = self.about["policies"][: 1 if self.period == 1 else None]
        return f"{self.about['rules']['preset']}{changes}; {','.join(policies)}"

    @property
    def period(self) -> int:
        """Seats after which the policies repeat: 1, 2 or 4."""
        return int(self.about["period"])

    @cached_property
    def codes(self) -> npt.NDArray[np.int64]:
        """Code of each row's state, rising: int64[n_states]."""
        return codes_of(*(self.rows[name].astype(np.int64) for name in STATE_FIELDS))

    @cached_property
    def solution(self) -> chain.Solution:
        """The solved chain, its states in the order of `rows`; solved again from the counts where it was loaded."""
        return chain.solve(chain_counts(self.codes, self.pairs, self.counts))

    def states(self) -> list[State]:
        """Every state there is, in the order of `rows`."""
        return [
            State(int(row["level_dealers"]), int(row["level_others"]), int(row["owed"]), int(row["dealer"]),
                  bool(row["first_hand"]))
            for row in self.rows
        ]  # fmt: skip

    def value(self, state: State | Sequence[int]) -> Value:
        """
        Probability that the dealers' side wins the round from a state.

        Raises
        ------
        InputError
            No hand was played from this state.
        """
        row = self.rows[self._place(state)]
        return Value(float(row["win_probability"]), float(row["standard_error"]))

    def difference(self, state: State | Sequence[int], other: State | Sequence[int]) -> Value:
        """Value of one state less that of another, with the error that heeds their covariance; errors as `value`."""
        places = self._place(state), self._place(other)
        weights = np.zeros(len(self.rows))
        np.add.at(weights, list(places), (1.0, -1.0))
        values = self.rows["win_probability"][list(places)]
        return Value(float(values[0] - values[1]), self.solution.variance(weights) ** 0.5)

    def start(self) -> Value:
        """
        Probability that side 0 wins a round from its start: one half, without error, where all policies are alike.

        Raises
        ------
        InputError
            No first hand was played.
        """
        firsts = np.flatnonzero(self.rows["first_hand"] == 1)
        if not len(firsts):
            raise InputError("no first hand was played, so a round's start has no value")
        if self.period == 1:
            return Value(0.5, 0.0)
        hands = self.rows["n_hands"][firsts]
        shares = hands / hands.sum()
        signs = np.where(self.rows["dealer"][firsts] % 2 == 0, 1.0, -1.0)
        values = np.where(signs > 0, 0.0, 1.0) + signs * self.rows["win_probability"][firsts]
        mean = float(shares @ values)
        weights = np.zeros(len(self.rows))
        weights[firsts] = signs * shares
        chance = float(shares @ (values - mean) ** 2) / int(hands.sum())  # which seat comes to deal
        return Value(mean, (self.solution.variance(weights) + chance) ** 0.5)

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        return storage.to_pandas(storage.table_of(self.rows, COLUMNS))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: what it is about, the start, and every state."""
        start = self.start()._asdict() if self.rows["first_hand"].any() else None
        return dict(self.about) | {
            "start": start, "states": [dict(zip(_ROW.names or (), row)) for row in self.rows.tolist()]
        }  # fmt: skip

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """
        Store the table; what it is about and the counts go into the file's footer.

        Raises
        ------
        InputError
            The path is taken, or lies in no directory.
        OSError
            The disk failed; nothing of the file is left then.
        """
        target = check_new_file(path)
        packed = zlib.compress(np.stack([self.pairs, self.counts]).astype("<i8").tobytes())
        footer = {
            "format": FORMAT,
            "version": str(VERSION),
            "about": json.dumps(self.about),
            "transitions": base64.b64encode(packed).decode(),
        }
        storage.write_file(target, self.rows, COLUMNS, footer)

    def grid(self, owed: int = 0, dealer: int = 0) -> tuple[list[int], npt.NDArray[np.void]]:
        """
        The rows of later hands with one tribute and dealer as a square.

        Returns
        -------
        levels : list of int
        rows : structured[n_levels, n_levels]
            By level of the dealers' side and of the other; `n_hands` 0 and NaN where there is no such state.
        """
        levels = list(games.records(self.about["game"]).levels_between(self.rules))
        square = np.zeros((len(levels), len(levels)), _ROW)
        for name in ("win_probability", "standard_error", "hands_left"):
            square[name] = np.nan
        is_meant = (self.rows["first_hand"] == 0) & (self.rows["owed"] == owed) & (self.rows["dealer"] == dealer)
        rows = self.rows[is_meant]
        square[rows["level_dealers"] - levels[0], rows["level_others"] - levels[0]] = rows
        return levels, square

    def plot(
        self, where: "str | os.PathLike[str] | Axes", owed: int = 0, dealer: int = 0, thin: float = THIN_CELL
    ) -> None:
        """
        Heat map of the win probability over both levels.

        Parameters
        ----------
        where : path or matplotlib Axes
            A new file (`.svg`, `.png`, `.pdf`, …; texts of an SVG stay texts), or axes to draw on.
        owed : int
            Tribute owed, cards.
        dealer : int
            Dealer modulo the period of the policies.
        thin : float
            Cells whose standard error is larger are hatched; states without a hand are left blank.

        Raises
        ------
        InputError
            No hand was played with that tribute and dealer, or the file cannot be made.
        """
        if not isinstance(where, (str, os.PathLike)):
            self._draw(where, owed, dealer, thin)
            return
        target = check_new_file(where)
        import matplotlib as mpl
        from matplotlib.figure import Figure

        with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": FORMAT}):
            figure = Figure(figsize=(7.0, 6.0), layout="constrained")
            known = sorted(figure.canvas.get_supported_filetypes())
            if target.suffix[1:] not in known:
                raise InputError(f"a figure is a file that ends in {', '.join(known)}, got {shown(target.name)}")
            self._draw(figure.subplots(), owed, dealer, thin)
            figure.savefig(target, metadata={"Date": None} if target.suffix == ".svg" else None)

    def _draw(self, axes: "Axes", owed: int, dealer: int, thin: float) -> None:
        """Draw the heat map on axes."""
        from matplotlib.patches import Rectangle

        levels, square = self.grid(owed, dealer)
        values, errors = square["win_probability"], square["standard_error"]
        if not square["n_hands"].any():
            raise InputError(f"no hand was played with {shown(owed)} cards owed and dealer {shown(dealer)}")
        edges = np.arange(len(levels) + 1) + levels[0] - 0.5
        mesh = axes.pcolormesh(edges, edges, values, vmin=0, vmax=1, cmap="RdBu")
        for row, column in np.argwhere(square["n_hands"] > 0).tolist():
            value = float(values[row, column])
            colour = "black" if 0.2 < value < 0.8 else "white"
            place = levels[column], levels[row]
            axes.text(*place, f"{100 * value:.0f}", ha="center", va="center", color=colour)
            if errors[row, column] > thin:
                corner = place[0] - 0.5, place[1] - 0.5
                axes.add_patch(Rectangle(corner, 1, 1, fill=False, hatch="////", edgecolor="grey", linewidth=0))
        axes.set(xticks=levels, yticks=levels, aspect="equal")
        axes.set_xlabel("level of the other side")
        axes.set_ylabel("level of the dealers' side")
        seat = f", dealer {dealer}" if self.period > 1 else ""
        axes.set_title(f"{self.played_by}: tribute owed {owed}{seat}")
        label = f"probability that the dealers' side wins (hatched: error > {thin:g})"
        axes.figure.colorbar(mesh, ax=axes, label=label)

    def places(self, codes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Row of each code, and whether it has one: int64[n], bool[n]."""
        places = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return places, self.codes[places] == codes

    def _place(self, state: State | Sequence[int]) -> int:
        """Row of a state; InputError where it has none."""
        asked = State(*state)
        numbers = [contract.whole_number(int(x) if isinstance(x, bool) else x) for x in asked]
        if None not in numbers and all(0 <= int(x or 0) < limit for x, limit in zip(numbers, STATE_LIMITS)):
            level_dealers, level_others, owed, dealer, first_hand = (np.array([x]) for x in numbers)
            places, is_there = self.places(codes_of(first_hand, dealer, level_dealers, level_others, owed))
            if is_there[0]:
                return int(places[0])
        raise InputError(f"no hand was played from {shown(tuple(asked))} (level of dealers, of others, owed, …)")


def load(path: str | os.PathLike[str]) -> Equity:
    """
    A table that `Equity.to_parquet` stored.

    Raises
    ------
    InputError
        There is none.
    storage.DamagedError
        It is not what was written.
    """
    columns, footer = storage.read_file(Path(path), COLUMNS, FORMAT)
    if footer.get("version") != str(VERSION):
        raise InputError(f"{path} is of version {footer.get('version')}, this program reads version {VERSION}")
    rows = np.zeros(len(columns["owed"]), _ROW)
    for name, values in columns.items():
        rows[name] = values
    try:
        about = json.loads(footer["about"])
        packed = np.frombuffer(zlib.decompress(base64.b64decode(footer["transitions"])), "<i8").reshape(2, -1)
    except (KeyError, ValueError, zlib.error) as error:
        raise storage.DamagedError(f"{path}: its footer is not what was written: {error}") from None
    return Equity(about, rows, packed[0].astype(np.int64), packed[1].astype(np.int64))


def win_probability_of(rows: Any, equity: Equity) -> npt.NDArray[np.float64]:
    """
    What hands are worth after they are played, to side 0, in probability of winning the round.

    Differences between arms on the same deals are then differences in that probability.

    Parameters
    ----------
    rows : table of hands
        Structured array, pandas or Arrow table, or mapping, with the columns `USED`.
    equity : Equity
        Of the policies that play the rounds to their end.

    Returns
    -------
    float64[n_rows]
        1 or 0 where the round is over, else the value of the next state; NaN where that is none of the table's, or the
        round was cut.
    """
    hands = {name: np.asarray(rows[name]).astype(np.int64) for name in USED}
    side, outcomes = hands["dealer"] & 1, outcomes_of(hands, equity.period)
    is_next = outcomes >= FIRST_NEXT
    places, is_known = equity.places(np.where(is_next, outcomes - FIRST_NEXT >> 1, 0))
    values = np.where(is_known, equity.rows["win_probability"][places], np.nan)
    values = np.where((outcomes - FIRST_NEXT) & 1, 1 - values, values)
    values = np.where(is_next, values, np.where(outcomes == WON, 1.0, np.where(outcomes == LOST, 0.0, np.nan)))
    found: npt.NDArray[np.float64] = np.where(side == 0, values, 1 - values)
    return found


def check_new_file(path: str | os.PathLike[str]) -> Path:
    """The path of a file to be made; InputError where it is taken or lies in no directory."""
    target = Path(path)
    if not os.fspath(path):
        raise InputError("a file to be made needs a name, got none")
    if target.exists():
        raise InputError(f"{target} exists; give a new name")
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is no directory")
    return target


# From hands to counts


def of_run(run: Run) -> Equity:
    """
    The equity of a run's policies, from the hands of its rounds.

    Raises
    ------
    InputError
        A run of single hands or of a game without levels, or one too short for its states.
    """
    if run.mode != "rounds":
        raise InputError("equity comes of rounds, or of hands played for it; this is a run of single hands")
    check_game(run.info.game)
    tally = Tally(period_of(run.policies))
    for table in run.tables(USED):
        tally.add({name: table.column(name).to_numpy() for name in USED})
    return made(tally, run.info)


def made(tally: Tally, info: run_info.RunInfo) -> Equity:
    """The table of what was counted."""
    pairs, counts = tally.counted()
    missing = unplayed(pairs)
    if len(missing):
        raise InputError(f"too few hands: none was played from {len(missing)} states, {state_of(int(missing[0]))}, …")
    codes, first = np.unique(pairs >> OUTCOME_BITS, return_index=True)
    if not len(codes):
        raise InputError("there are no hands")
    if len(codes) > MAX_STATES:
        raise InputError(f"there are {len(codes)} states, more than the {MAX_STATES} that are solved for")
    rows = np.zeros(len(codes), _ROW)
    for row, code in zip(rows, codes.tolist()):
        state = state_of(code)
        for name, value in state._asdict().items():
            row[name] = value
    rows["n_hands"] = np.add.reduceat(counts, first)
    about = {
        "game": info.game,
        "rules": dict(info.rules),
        "rules_hash": info.rules_hash,
        "policies": [policy["text"] for policy in info.policies],
        "period": tally.period,
        "seed": info.seed,
        "n_hands": int(counts.sum()),
        "versions": dict(info.versions),
    }
    found = Equity(about, rows, pairs, counts)
    rows["win_probability"] = found.solution.values
    rows["standard_error"] = found.solution.standard_errors
    rows["hands_left"] = found.solution.steps
    return found


def check_game(game: str) -> None:
    """InputError for a game whose hands tell of no levels, dealer and tribute."""
    known = {column.name for column in games.get(game).columns}
    if not set(USED) <= known:
        raise InputError(f"{game} has no race of levels, so no equity of this kind")
