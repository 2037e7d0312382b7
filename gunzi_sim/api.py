"""
The Python face: simulate, open a run, rules, policies, deals, verification.

Every argument is checked here, once; a wrong one raises `InputError` (or `RulesError`) in one line. Nothing heavy is
imported before it is needed, so that reading rules and records stays quick.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from gunzi_sim import game as contract
from gunzi_sim import games
from gunzi_sim import record as records
from gunzi_sim.game import InputError, RecordError, Rules, shown, whole_number
from gunzi_sim.games import PolicySpec, Situation

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from gunzi_sim.advice import Advice
    from gunzi_sim.comparison import Comparison
    from gunzi_sim.match_equity import Equity
    from gunzi_sim.results import Run
    from gunzi_sim.runner import Progress

MAX_UNITS = 2**48
"""Most rounds or hands of a run."""
MAX_THREADS = 1024
_CHECKED_ROWS = 8192  # decks checked at a time

Path = str | os.PathLike[str]
F = TypeVar("F", bound=Callable[..., Any])


def rules(game: str = "gunzi", preset: str | None = None, **options: Any) -> Rules:
    """
    Rules of a game: a preset, some options changed.

    Parameters
    ----------
    game : str
        Name of the game.
    preset : str, optional
        Name of a preset, the game's first one when not given; or a rules file, a path that ends in `.toml`.
    **options
        Options of the rules by name (G15), as words, integers and booleans.

    Raises
    ------
    InputError, RulesError
        An unknown game, preset, option or value (the nearest is named), or a value out of range.
    """
    rules_class = games.rules_class(game)
    name = next(iter(rules_class.PRESETS)) if preset is None else preset
    is_file = isinstance(name, str) and name.endswith(".toml")
    start = contract.load_toml(name, games.rules_class) if is_file else contract.find_preset(rules_class, name)
    if start.GAME != game:
        raise InputError(f"{name} has rules of {start.GAME}, not of {game}")
    return contract.change(start, **options)


def simulate(
    rules: Rules,
    policies: str | PolicySpec | Sequence[str | PolicySpec] = "basic",
    rounds: int | None = None,
    hands: int | None = None,
    seed: int = 0,
    out: Path | None = None,
    threads: int | None = None,
    deals: "npt.NDArray[np.integer] | None" = None,
    levels: Sequence[int] | None = None,
    dealer: int | None = None,
    owed: int | None = None,
    first_hand: bool = False,
    resume: bool = False,
    progress: "Callable[[Progress], None] | None" = None,
) -> "Run":
    """
    Simulate complete rounds, or single hands from one situation.

    Parameters
    ----------
    rules : Rules
        From `rules`.
    policies : str or sequence of str
        One policy for all seats or one a seat, each `NAME` or `NAME:KEY=VALUE:…`.
    rounds, hands : int
        How many rounds, or how many single hands; exactly one of them, none with `deals`.
    seed : int
        0 … 2^64 - 1. Rules, policies and seed decide every card and draw; nothing else does.
    out : path, optional
        Run directory; the rows stay in memory when it is not given.
    threads : int, optional
        Threads that play, one a CPU when not given. Any number gives the same rows.
    deals : integer[n, 162], optional
        Decks of single hands in dealing order, card c being copy c // 54 of kind c % 54; hand k is dealt from row k.
    levels, dealer, owed, first_hand
        Situation of single hands: levels of side 0 and side 1, dealer, tribute owed; or a first hand. When not given a
        later hand, dealer 0, both sides at the start level, nothing owed. Rounds that are given one of the first three
        begin with a later hand in that situation, and go on from there.
    resume : bool
        Go on with a stopped run in `out`.
    progress : callable, optional
        Called with a `runner.Progress` about ten times a second.

    Raises
    ------
    InputError
        An argument that cannot be used, an `out` that is no place for a run, or a void deal.
    BusyError
        `out` is in use, or holds a run already.
    PolicyError
        A policy broke the rules; finished shards are kept.
    OSError
        The disk failed; finished shards are kept.
    """
    from gunzi_sim import results, runner

    job, n_units = _job(rules, policies, rounds, hands, seed, deals, levels, dealer, owed, first_hand)
    threads, out = _checked_running(out, threads, resume, progress)
    played = runner.run(job, n_units, out, threads, resume, progress)
    if out is not None:
        return results.open_run(out)
    return results.Run(played.info, None, played.tables or (), job.deals)


def planned(
    rules: Rules,
    policies: str | PolicySpec | Sequence[str | PolicySpec] = "basic",
    rounds: int | None = None,
    hands: int | None = None,
    seed: int = 0,
    deals: "npt.NDArray[np.integer] | None" = None,
    levels: Sequence[int] | None = None,
    dealer: int | None = None,
    owed: int | None = None,
    first_hand: bool = False,
) -> "Run":
    """The run that `simulate` would play, without rows: its hands can be had one by one (`Run.record`)."""
    from gunzi_sim import results, runner

    job, n_units = _job(rules, policies, rounds, hands, seed, deals, levels, dealer, owed, first_hand)
    return results.Run(runner.describe(job, n_units), None, (), job.deals)


def compare(
    arms: Mapping[str, Mapping[str, Any]],
    baseline: str | None = None,
    rules: Rules | None = None,
    policies: str | PolicySpec | Sequence[str | PolicySpec] = "basic",
    rounds: int | None = None,
    hands: int | None = None,
    seed: int = 0,
    out: Path | None = None,
    until: str | None = None,
    equivalence: float = 0.0,
    figure: str | None = None,
    threads: int | None = None,
    deals: "npt.NDArray[np.integer] | None" = None,
    levels: Sequence[int] | None = None,
    dealer: int | None = None,
    owed: int | None = None,
    first_hand: bool = False,
    resume: bool = False,
    progress: "Callable[[Progress], None] | None" = None,
) -> "Comparison":
    """
    Play the same deals under several arms and say how their figures differ.

    Parameters
    ----------
    arms : mapping of str to mapping
        What each arm changes, by its name: `policy`, parameters of its policy, options of the rules. An arm with a
        policy of its own plays it at seats 0 and 2, then at seats 1 and 3, against `policies`.
    baseline : str, optional
        Arm that the others are compared with; the first one when not given.
    rules, policies, seed, deals, levels, dealer, owed, first_hand
        As `simulate`; where the arms start from. The default rules are the preset `standard` of 打滚子.
    rounds, hands : int
        How many rounds or single hands; with `until`, at most so many.
    until : str, optional
        `decided`: stop when every arm is better, worse or practically equal; `half_width=X`: stop when no interval of
        `figure` is wider than 2 X.
    equivalence : float
        Differences of `figure` smaller than this do not matter.
    figure : str, optional
        What arms are judged by: `settlement` (of the side) by default; `attacker_points` where only rules differ.
    out, threads, resume, progress
        As `simulate`.

    Raises
    ------
    InputError
        An arm, figure or other argument that cannot be used, by its name.
    BusyError, PolicyError, OSError
        As `simulate`.
    """
    from gunzi_sim import arms as arms_of
    from gunzi_sim import comparison

    chosen = globals()["rules"]() if rules is None else rules
    field, n_units = _job(chosen, policies, rounds, hands, seed, deals, levels, dealer, owed, first_hand)
    threads, out = _checked_running(out, threads, resume, progress)
    start = {
        "levels": None if levels is None else [int(level) for level in levels],
        "dealer": None if dealer is None else int(dealer),
        "owed": None if owed is None else int(owed),
        "first_hand": first_hand,
    }
    plan = arms_of.plan(field, n_units, arms, baseline, start, until, equivalence, figure)
    return comparison.compare(plan, out, threads, resume, progress)


def advise(
    hand: str,
    trump: str,
    level: int | None = None,
    decision: str = "lead",
    rules: Rules | None = None,
    seat: int | str = "dealer",
    levels: Sequence[int] | None = None,
    bottom: str | None = None,
    owed: int = 0,
    seen: "Mapping[str, Any] | Path | None" = None,
    policy: str = "basic",
    hands: int = 1000,
    seed: int = 0,
    equivalence: float = 0.0,
    equity: "Equity | None" = None,
    progress: Callable[[int, int, float], None] | None = None,
) -> "Advice":
    """
    Rank the answers worth trying to one decision from what a seat can know.

    Parameters
    ----------
    hand : str
        The cards held now, `"JB JS SAx2 …"`; to bury, with the six of the bottom, or those in `bottom`.
    trump : str
        The trump suit.
    level, levels
        Level of the hand, or levels of side 0 and side 1; the start level when not given.
    decision : {"bury", "jokers", "lead", "follow"}
    rules : Rules, optional
        The preset `standard` of 打滚子 when not given.
    seat : int or "dealer"
        Who asks. The dealer is seat 0 unless `seen` says who deals.
    bottom : str, optional
        The bottom as the seat knows it: to bury, the dealt one; later the final one.
    owed : int
        Tribute that was owed in this hand.
    seen : mapping or path, optional
        What everybody saw (keys in `gunzi.told`), or a JSON file of it.
    policy : str
        Who plays the hands on at all seats.
    hands : int
        Most hidden hands drawn; fewer where the answer is decided before.
    seed : int
    equivalence : float
        Answers whose values differ by less are as good as each other.
    equity : Equity, optional
        Values are then probabilities that the seat's side wins the round, else chips of both its seats.
    progress : callable, optional
        Told hidden hands played, most of them, and seconds since the start.

    Raises
    ------
    InputError
        A hand that cannot be, or contradicts what was seen, with the reason.
    """
    from gunzi_sim import advice
    from gunzi_sim.arms import not_negative

    chosen = globals()["rules"]() if rules is None else rules
    if not isinstance(chosen, Rules):
        raise InputError(f"rules must come from rules(GAME, PRESET, …), got {shown(chosen)}")
    question = games.seen(chosen.GAME).from_words(
        chosen, decision, hand, seat, trump, level, levels, owed, bottom, _seen_things(seen)
    )
    most, margin = advice.check_hands(hands), not_negative("equivalence", equivalence)
    return advice.advise(chosen, question, policy, most, _checked_seed(seed), margin, equity, progress=progress)


def _seen_things(seen: "Mapping[str, Any] | Path | None") -> Mapping[str, Any]:
    """What was seen, from a mapping or from a JSON file."""
    if seen is None or isinstance(seen, Mapping):
        return seen or {}
    path = _checked_path("seen", seen)
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file, object_pairs_hook=records.unique)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    except RecordError as error:
        raise InputError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON: {' '.join(str(error).split())}") from None
    if not isinstance(found, dict):
        raise InputError(f"{path} must hold one JSON object, got {shown(found)}")
    return found


def open_run(path: Path) -> "Run | Comparison":
    """
    A run directory, finished or not; a `Comparison` where it holds arms.

    Raises
    ------
    InputError
        There is no run at `path`.
    OSError
        Its `run.json` is damaged.
    """
    from gunzi_sim import comparison

    return comparison.open_stored(_checked_path("path", path))


def equity(
    source: "Rules | Run",
    policies: str | PolicySpec | Sequence[str | PolicySpec] | None = None,
    hands: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: "Callable[[Progress], None] | None" = None,
) -> "Equity":
    """
    Probability of winning the round from every (levels, dealers' side, tribute owed), with errors.

    Parameters
    ----------
    source : Rules or Run
        Rules: single hands are played for it from every state (`equity_design`). A run of rounds: its hands
        are counted, and nothing else may be given.
    policies
        As `simulate`; "basic" when not given.
    hands : int, optional
        How many hands to play, about; `equity_design.HANDS` when not given.
    seed : int, optional
        0 when not given.
    threads, progress
        As `simulate`.

    Raises
    ------
    InputError
        An argument that cannot be used, or a run with too few rounds for its states.
    PolicyError
        A policy broke the rules.
    """
    from gunzi_sim import equity_design, match_equity
    from gunzi_sim.results import Run

    if isinstance(source, Run):
        given = {"policies": policies, "hands": hands, "seed": seed, "threads": threads, "progress": progress}
        for name, value in given.items():
            if value is not None:
                raise InputError(f"a run has its own hands; leave out {name}")
        return match_equity.of_run(source)
    n_hands = equity_design.HANDS if hands is None else hands
    chosen = "basic" if policies is None else policies
    job, n_hands = _job(source, chosen, None, n_hands, 0 if seed is None else seed, None, None, None, None, False)
    if threads is not None:
        threads = _checked_count("threads", threads, MAX_THREADS)
    return equity_design.simulated(job, n_hands, threads, progress)


def load_equity(path: Path) -> "Equity":
    """
    A table that `Equity.to_parquet` stored.

    Raises
    ------
    InputError
        There is none at `path`.
    OSError
        It is damaged.
    """
    from gunzi_sim import match_equity

    return match_equity.load(_checked_path("path", path))


def deals(game: str = "gunzi", n: int = 1, seed: int = 0) -> "npt.NDArray[np.uint8]":
    """
    The decks that single hands 0 … n - 1 of a seed are dealt from.

    Parameters
    ----------
    game : str
        Name of the game.
    n : int
        Number of decks.
    seed : int
        0 … 2^64 - 1.

    Returns
    -------
    uint8[n, 162]
        Cards in dealing order: card c is copy c // 54 of kind c % 54.
    """
    found = games.get(game)
    decks: npt.NDArray[np.uint8] = found.deals(_checked_count("n", n, MAX_UNITS), _checked_seed(seed))
    return decks


def policy(game: str, decision: str, name: str, base: str = "basic", replace: bool = False) -> Callable[[F], F]:
    """
    Decorator that makes a policy of a function for one decision; `base` takes the others.

    Parameters
    ----------
    game, decision : str
        The game and one of its decisions.
    name : str
        Name of the policy, for `policies=`. Under a name made before the decision is added to that policy.
    base : str
        Policy that takes the decisions not given.
    replace : bool
        Begin again from `base` instead of adding.

    Returns
    -------
    decorator
        Compiles the function `(view, params, draws)` at once and returns it unchanged.

    Raises
    ------
    InputError
        An unknown game, decision or base, or a function that does not compile; a field is named with the nearest.
    """

    def register(function: F) -> F:
        if not callable(function):
            raise InputError(f"a policy is made of a function, got {shown(function)}")
        games.register_policy(game, decision, name, base, function, replace)
        return function

    return register


@dataclass(frozen=True)
class Verification:
    """What `verify` found: how many records hold, and a verdict on each that does not."""

    n_ok: int
    bad: tuple[records.Verdict, ...]

    @property
    def n_bad(self) -> int:
        """How many records do not hold."""
        return len(self.bad)

    @property
    def ok(self) -> bool:
        """Whether all hold."""
        return not self.bad

    def __str__(self) -> str:
        return "\n".join([*(str(verdict) for verdict in self.bad), f"{self.n_ok} ok, {self.n_bad} bad"])


def verify(*paths: Path) -> Verification:
    """
    Check the records of files (JSON Lines) against the rule book.

    Raises
    ------
    InputError
        No file is given, or one cannot be read.
    """
    if not paths:
        raise InputError("verify needs at least one file")
    n_ok, bad = 0, []
    for verdict in records.verify([_checked_path("path", path) for path in paths]):
        if verdict.ok:
            n_ok += 1
        else:
            bad.append(verdict)
    return Verification(n_ok, tuple(bad))


# Checks


def _checked_running(
    out: Path | None, threads: int | None, resume: bool, progress: object
) -> tuple[int | None, str | None]:
    """Threads and run directory of something that is to be played."""
    if threads is not None:
        threads = _checked_count("threads", threads, MAX_THREADS)
    path = None if out is None else _checked_path("out", out)
    if not isinstance(resume, bool) or (resume and out is None):
        raise InputError(f"resume must be true or false, and needs out, got {shown(resume)}")
    if progress is not None and not callable(progress):
        raise InputError(f"progress must be callable, got {shown(progress)}")
    return threads, path


def _job(
    rules: Rules,
    policies: str | PolicySpec | Sequence[str | PolicySpec],
    rounds: int | None,
    hands: int | None,
    seed: int,
    deals: "npt.NDArray[np.integer] | None",
    levels: Sequence[int] | None,
    dealer: int | None,
    owed: int | None,
    first_hand: bool,
) -> tuple[games.Job, int]:
    """What to play, and how many units of it, from the arguments of `simulate`."""
    if not isinstance(rules, Rules):
        raise InputError(f"rules must come from rules(GAME, PRESET, …), got {shown(rules)}")
    decks = None if deals is None else _checked_decks(rules.GAME, deals)
    mode, n_units = _how_many(rounds, hands, decks)
    job = games.Job(
        game=rules.GAME,
        rules=rules,
        policies=games.parse_policies(rules.GAME, policies),
        seed=_checked_seed(seed),
        mode=mode,
        situation=_situation(rules, mode, levels, dealer, owed, first_hand),
        deals=decks,
    )
    return job, n_units


def _how_many(rounds: object, hands: object, decks: "npt.NDArray[np.uint8] | None") -> tuple[str, int]:
    """Mode and number of units."""
    if decks is not None:
        if rounds is not None:
            raise InputError("deals are played as single hands; leave rounds out")
        if hands is not None and _checked_count("hands", hands, MAX_UNITS) != len(decks):
            raise InputError(
                f"there are {len(decks)} deals, so hands must be {len(decks)} or left out, got {shown(hands)}"
            )
        return "hands", len(decks)
    if (rounds is None) == (hands is None):
        got = "neither" if rounds is None else "both"
        raise InputError(f"give either rounds or hands, how many to simulate; got {got}")
    if rounds is not None:
        return "rounds", _checked_count("rounds", rounds, MAX_UNITS)
    return "hands", _checked_count("hands", hands, MAX_UNITS)


def _situation(
    rules: Rules, mode: str, levels: Sequence[int] | None, dealer: int | None, owed: int | None, first_hand: bool
) -> Situation | None:
    """Where the units start; None: with a round's own start."""
    found: Situation | None
    if mode == "hands":
        found = games.records(rules.GAME).situation(rules, levels, dealer, owed, first_hand)
        return found
    if first_hand is not False:
        raise InputError("first_hand is for single hands (hands= or deals=); a round has a first hand unless told")
    found = games.records(rules.GAME).round_situation(rules, levels, dealer, owed)
    return found


def _checked_count(name: str, value: object, most: int) -> int:
    """A number of things from 1 to `most`."""
    number = whole_number(value)
    if number is None or not 1 <= number <= most:
        raise InputError(f"{name} must be an integer from 1 to {most}, got {shown(value)}")
    return number


def _checked_path(name: str, value: object) -> str:
    """A path as text; neither empty nor one that no system takes."""
    path = os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
    if not isinstance(path, str) or not path or "\0" in path:
        raise InputError(f"{name} must be the path of a file or directory, got {shown(value)}")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise InputError(f"{name} must be a path that is text in UTF-8, got {shown(value)}") from None
    return path


def _checked_seed(value: object) -> int:
    """The seed as a Python int."""
    from gunzi_sim.rng import check_seed

    return check_seed(value)


def _checked_decks(game: str, deals: object) -> "npt.NDArray[np.uint8]":
    """Given deals as uint8[n, n_cards], each row an order of all cards."""
    import numpy as np

    n_cards: int = games.get(game).deals(1, 0).shape[1]
    try:
        given = np.asarray(deals)
    except ValueError:
        raise InputError(
            f"deals must be an integer array of {n_cards} cards a row, got rows of unequal length"
        ) from None
    if given.ndim != 2 or given.shape[1] != n_cards or not np.issubdtype(given.dtype, np.integer):
        raise InputError(
            f"deals must be an integer array of shape (n, {n_cards}), got {given.dtype} of shape {given.shape}"
        )
    if not 1 <= len(given) <= MAX_UNITS:
        raise InputError("deals must have at least one row, got none")
    every = np.arange(n_cards)
    for start in range(0, len(given), _CHECKED_ROWS):
        is_good = (np.sort(given[start : start + _CHECKED_ROWS], axis=1) == every).all(axis=1)
        if not is_good.all():
            row = start + int(np.argmin(is_good))
            raise InputError(
                f"deals[{row}] is no order of the cards 0 to {n_cards - 1}: {_wrong_card(given[row].tolist())}"
            )
    return np.ascontiguousarray(given, np.uint8)


def _wrong_card(deck: list[int]) -> str:
    """What is wrong with a deck that is no permutation."""
    for card in deck:
        if not 0 <= card < len(deck):
            return f"there is no card {card}"
    twice = next(card for card in deck if deck.count(card) > 1)
    return f"card {twice} is there {deck.count(twice)} times"
