"""
`gunzi-sim`: arguments in, one call down, text out, and the exit status.

One function a verb; `verb` adds the common options and gives it its `Screen`. Errors of the layers below end in one
line on stderr and the status of `_explain`. Heavy imports stand inside the verbs that need them. Left out: options and
their checks (`options`), printing, progress (`console`), texts (`texts`, `layout`, `replay`), measuring (`benching`,
`checkup`).
"""

import argparse
import gc
import io
import itertools
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Any

from gunzi_sim import game
from gunzi_sim.cards import CardError
from gunzi_sim.console import Screen, discard_stdout, output, show_warning
from gunzi_sim.options import (
    Argument,
    Dealer,
    FirstHand,
    Game,
    Hand,
    Hands,
    Index,
    Levels,
    Option,
    OutFile,
    Owed,
    Policies,
    Rounds,
    Rules,
    RulesName,
    RunPath,
    Set,
    Threads,
    find,
    named_rules,
    parse,
    quoted,
    resumable,
    verb,
    whole,
)
from gunzi_sim.study_verbs import show_comparison

DONE, FAILED, USAGE, BUSY, POLICY, MACHINE, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
"""Exit statuses."""
DEMO_GAME, DEMO_POLICY, DEMO_ROUNDS = "gunzi", "basic", 10_000
RARE_COLLECTION = 100_000
"""New objects after which Python looks for garbage; loading makes many, and none of them is."""


# --- simulation ---


@verb("demo")
def demo(
    screen: Screen,
    out: Annotated[str | None, Option("--out", "Run directory, gunzi-demo by default.", "OUT")] = None,
) -> None:
    """Show a deal, simulate some rounds, say what came out and what to type next."""
    from gunzi_sim import layout, replay

    words = screen.words
    path = out or _free_name("gunzi-demo")
    if not screen.json and not screen.quiet:
        screen.say(words("demo.deal", seed=screen.seed))
        screen.lines(replay.tell_first_deal(DEMO_GAME, screen.seed, words, screen.columns))
        screen.say("\n" + words("demo.plays", rounds=f"{DEMO_ROUNDS:,}", policy=DEMO_POLICY))
        sys.stdout.flush()
    from gunzi_sim import api

    found = _simulated(screen, path, api.rules(DEMO_GAME), True, policies=DEMO_POLICY, rounds=DEMO_ROUNDS)
    summary = found.summary()
    if screen.json:
        screen.emit({"path": path, "seed": found.seed} | summary.to_dict())
        return
    screen.say(layout.sentence(summary, words))
    screen.say(words("demo.path", path=path))
    commands = [
        (f"gunzi-sim show {quoted(path)} --index 0 --hand 0", words("demo.show")),
        (f"gunzi-sim summary {quoted(path)} --by level", words("demo.summary")),
        (f"gunzi-sim record {quoted(path)} --index 0 -o hands.jsonl", words("demo.record")),
    ]
    if screen.quiet:
        return
    width = max(len(command) for command, _ in commands)
    screen.lines([("  " + command.ljust(width) + "   ", "title"), (what, "dim")] for command, what in commands)


@verb("run")
def run(
    screen: Screen,
    out: Annotated[str, Argument("OUT", "Run directory, made here.")],
    game_name: Game = "gunzi",
    rules: Rules = "standard",
    settings: Set = None,
    policies: Policies = "basic",
    rounds: Rounds = None,
    hands: Hands = None,
    levels: Levels = None,
    dealer: Dealer = None,
    owed: Owed = None,
    first_hand: FirstHand = False,
    threads: Threads = None,
    resume: Annotated[bool, Option("--resume", "Go on with a stopped run.")] = False,
) -> None:
    """Simulate into run directory OUT."""
    began = time.perf_counter()
    if resume and rounds is None and hands is None:
        given = (game_name, rules, settings, policies, levels, dealer, owed, first_hand, screen.seed)
        _check_unset("a run is gone on with as it began; leave out", given)
        found = _resumed(screen, out, threads)
    else:
        start = {"levels": levels, "dealer": dealer, "owed": owed, "first_hand": first_hand}
        amount = {"rounds": rounds, "hands": hands, "threads": threads, "resume": resume}
        chosen = named_rules(game_name, rules, settings or ())
        found = _simulated(screen, out, chosen, False, policies=policies, **amount, **start)
    if screen.json:
        counts = {found.mode: found.n_units, "n_rows": found.n_rows, "elapsed_s": round(time.perf_counter() - began, 3)}
        screen.emit({"path": out, "seed": found.seed} | counts)
    elif not screen.quiet:
        starts = screen.words(f"summary.{found.mode}", n=f"{found.n_units:,}")
        screen.say(screen.words("run.done", starts=starts, hands=f"{found.n_rows:,}", seed=found.seed, path=out))


@verb("summary")
def summary(
    screen: Screen,
    source: RunPath,
    by: Annotated[str | None, Option("--by", "One group a value.", "COLUMN[,COLUMN]")] = None,
) -> None:
    """Show means and rates of a run, with intervals."""
    from gunzi_sim import api, layout

    found: Any = api.open_run(source)
    if found.info.comparison is not None:
        if by is not None:
            raise game.InputError(f"{source} is a comparison of arms, which has no groups; leave --by out")
        show_comparison(screen, source, found)
        return
    if not found.is_complete:
        screen.note(f"{source} is not complete: {found.n_units_done} of {found.n_units} {found.mode} are there")
    if screen.json:
        screen.emit(found.summary(by).to_dict())
    else:
        head, *rest = layout.summary(found.summary(by), screen.words)
        screen.lines([head, [(_played_by(found), "dim")], *rest])


@verb("export")
def export(
    screen: Screen,
    source: RunPath,
    csv: Annotated[bool, Option("--csv", "Comma-separated values with a header.")] = False,
    jsonl: Annotated[bool, Option("--jsonl", "One JSON object a hand.")] = False,
    target: OutFile = None,
) -> None:
    """Write the table of a run as CSV or JSON Lines."""
    from gunzi_sim import api

    if csv == (jsonl or screen.json):
        raise game.InputError("say --csv or --jsonl")
    found = api.open_run(source)
    with output(target) as file:
        for text in found.texts("csv" if csv else "jsonl"):
            file.write(text)
    if target is not None:
        screen.note(f"{found.n_rows} hands: {target}")


@verb("report")
def report(
    screen: Screen,
    source: RunPath,
    target: Annotated[
        str | None, Option("--output", "The page; RUN-report.html here by default.", "FILE", short="-o")
    ] = None,
) -> None:
    """Write a run's report: one HTML page with tables, plots and hands to step through."""
    from gunzi_sim import api

    found = api.open_run(source)
    path = target or f"{os.path.basename(os.path.abspath(source)) or 'run'}-report.html"
    screen.load(found.info.game)
    found.report(path, screen.lang)
    if screen.json:
        screen.emit({"path": path})
    elif not screen.quiet:
        screen.say(screen.words("report.done", path=path))


def _run(path: str) -> Any:
    """The run in a directory; a comparison has no hands of its own."""
    from gunzi_sim import results

    return results.open_run(path)


def _played_by(run: Any) -> str:
    """Rules, policies and seed of a run, on one line."""
    changes = {name: value for name, value in game.to_mapping(run.rules).items() if name != "preset"}
    rules = f"{run.rules.preset}, {_settings(changes)}" if changes else run.rules.preset
    policies = run.policies[:1] if len(set(run.policies)) == 1 else run.policies
    start = run.info.situation if run.mode == "rounds" else None
    told = "; rounds from levels {levels[0]},{levels[1]}, dealer {dealer}, owed {owed}".format(**start) if start else ""
    return f"{rules}; {','.join(policies)}; seed {run.seed}{told}"


def _simulated(screen: Screen, out: str, rules: game.Rules, with_figures: bool, **amount: Any) -> Any:
    """`api.simulate` with spinner, progress (of the demo also the figures so far) and the command line's seed."""
    from gunzi_sim import api

    screen.load(rules.GAME)
    mode = "hands" if amount.get("rounds") is None else "rounds"
    with resumable(f"run {quoted(out)} --resume", out), screen.meter(mode, out if with_figures else None) as progress:
        return api.simulate(rules, seed=screen.seed, out=out, progress=progress, **amount)


def _resumed(screen: Screen, out: str, threads: int | None) -> Any:
    """Go on with the run in `out` as its run.json says."""
    found = _run(out)
    screen.load(found.info.game)
    with resumable(f"run {quoted(out)} --resume", out), screen.meter(found.mode) as progress:
        return found.resume(threads, progress)


def _free_name(name: str) -> str:
    """`name`, or `name-2`, … : the first that does not exist."""
    numbers = itertools.count(2)
    path = name
    while os.path.lexists(path):
        path = f"{name}-{next(numbers)}"
    return path


# --- records ---


@verb("verify")
def verify(screen: Screen, files: Annotated[list[str], Argument("FILE", "Files of records.", many=True)]) -> int:
    """Check hand records against the rule book."""
    from gunzi_sim import record

    n_ok = n_bad = 0
    for verdict in record.verify(files):
        if verdict.ok:
            n_ok += 1
            continue
        n_bad += 1
        if screen.json:
            screen.emit(verdict._asdict())
        else:
            screen.say(str(verdict))
    if not screen.json and not screen.quiet:
        screen.say(f"{n_ok} ok, {n_bad} bad")
    return FAILED if n_bad else DONE


@verb("show")
def show(
    screen: Screen,
    target: Annotated[str, Argument("FILE[:LINE] or RUN", "A record, or a run with --index.")],
    index: Index = None,
    hand: Hand = None,
) -> None:
    """Show a hand, trick by trick."""
    from gunzi_sim import record, replay

    if os.path.isdir(target):
        if index is None:
            raise game.InputError(f"{target} is a run; say which round with --index I")
        found = _hands_of_run(screen, target, index, hand)
    elif index is not None or hand is not None:
        raise game.InputError(f"--index and --hand are for a run; {target} is no directory")
    else:
        found = iter([replay.from_file(target)])
    try:
        for number, one in enumerate(found):
            if screen.json:
                screen.say(record.write(one))
                continue
            if number:
                screen.say("\n" + ("-" if screen.words.ascii else "─") * 79)
            screen.lines(replay.tell(one, screen.words, screen.columns))
    except game.PolicyError as error:  # the hand as far as it went
        if error.record is not None and not screen.json:
            screen.lines(replay.tell(error.record, screen.words, screen.columns))
        raise


@verb("record")
def record_(
    screen: Screen,
    source: Annotated[str | None, Argument("RUN", "A run; or give the options of run.")] = None,
    index: Index = None,
    hand: Hand = None,
    target: OutFile = None,
    game_name: Game = "gunzi",
    rules: Rules = "standard",
    settings: Set = None,
    policies: Policies = "basic",
    rounds: Rounds = None,
    hands: Hands = None,
    levels: Levels = None,
    dealer: Dealer = None,
    owed: Owed = None,
    first_hand: FirstHand = False,
) -> None:
    """Write records (JSON Lines) of simulated hands, of a run or of what the options of run say."""
    from gunzi_sim import record

    if source is not None:
        if rounds is not None or hands is not None:
            raise game.InputError("give a run, or --rounds or --hands with the options of run, not both")
        given = (game_name, rules, settings, policies, levels, dealer, owed, first_hand, screen.seed)
        _check_unset("a run has its own options; leave out", given)
        if index is None:
            raise game.InputError("say which rounds of the run with --index I or I:J")
        found = _hands_of_run(screen, source, index, hand)
    else:
        start = {"levels": levels, "dealer": dealer, "owed": owed, "first_hand": first_hand}
        chosen = named_rules(game_name, rules, settings or ())
        found = _hands_of_plan(screen, chosen, policies, rounds, hands, start, index, hand)
    with output(target) as file:
        n_written = 0
        for one in found:
            file.write(record.write(one) + "\n")
            n_written += 1
    if target is not None:
        screen.note(f"{n_written} records: {target}")


def _hands_of_run(screen: Screen, path: str, index: str, hand: int | None) -> Iterator[dict[str, Any]]:
    """Internal records of some hands of a run, simulated again."""
    run = _run(path)
    units = _units(index, run.n_units)
    screen.load(run.info.game)
    yield from (one for unit in units for one in run.hands(unit, hand))


def _hands_of_plan(
    screen: Screen,
    rules: game.Rules,
    policies: str,
    rounds: int | None,
    hands: int | None,
    start: dict[str, Any],
    index: str | None,
    hand: int | None,
) -> Iterator[dict[str, Any]]:
    """Internal records of the hands that `run` would play."""
    from gunzi_sim import api

    screen.load(rules.GAME)
    run = api.planned(rules, policies, rounds, hands, screen.seed, **start)
    units = range(run.n_units) if index is None else _units(index, run.n_units)
    yield from (one for unit in units for one in run.hands(unit, hand))


def _units(index: str, n_units: int) -> range:
    """The rounds that `I` or `I:J` means; all of them must exist."""
    first, colon, last = index.partition(":")
    parse_first, parse_last = whole(0, n_units - 1), whole(0, n_units)
    try:
        start, stop = parse_first(first), parse_last(last) if colon else parse_first(first) + 1
    except argparse.ArgumentTypeError as error:
        raise game.InputError(f"--index {error}") from None
    if not start < stop <= n_units:
        raise game.InputError(f"--index must lie from 0 to {n_units - 1}, I:J with I below J, got {game.shown(index)}")
    return range(start, stop)


# --- rules ---


@verb("rules list")
def rules_list(screen: Screen, game_name: Game = "gunzi") -> None:
    """Name the presets of a game."""
    from gunzi_sim import games

    presets = games.rules_class(game_name).PRESETS
    default = next(iter(presets.values()))
    for name, preset in presets.items():
        changes = {option: theirs for option, _, theirs in game.diff(default, preset)}
        if screen.json:
            screen.emit({"game": game_name, "preset": name, "changes": changes, "rules_hash": game.rules_hash(preset)})
        else:
            screen.say(f"{name:10}{_settings(changes) or '(the default)'}")


@verb("rules show")
def rules_show(screen: Screen, name: RulesName, game_name: Game = "gunzi") -> None:
    """Print a preset or rules file with every option, as a rules file."""
    rules = named_rules(game_name, name)
    if screen.json:
        screen.emit({"game": rules.GAME, "preset": rules.preset} | game.to_full_mapping(rules))
    else:
        screen.say(game.to_toml(rules).rstrip())


@verb("rules diff")
def rules_diff(screen: Screen, left: RulesName, right: RulesName, game_name: Game = "gunzi") -> None:
    """Print the options in which two rule sets differ."""
    differences = game.diff(named_rules(game_name, left), named_rules(game_name, right))
    if screen.json:
        screen.emit({option: [ours, theirs] for option, ours, theirs in differences})
        return
    for option, ours, theirs in differences:
        screen.say(f"{option:24}{game.as_text(ours):20}{game.as_text(theirs)}")
    if not differences:
        screen.note(f"{left} and {right} are the same rules")


@verb("rules check")
def rules_check(screen: Screen, file: Annotated[str, Argument("FILE", "A rules file.")]) -> None:
    """Check a rules file and say how it differs from its preset."""
    from gunzi_sim import games

    rules = game.load_toml(file, games.rules_class)
    changes = {name: value for name, value in game.to_mapping(rules).items() if name != "preset"}
    if screen.json:
        screen.emit({"file": file, "game": rules.GAME, "preset": rules.preset, "changes": changes})
    else:
        screen.say(f"{file}: ok, {rules.GAME}, preset {rules.preset}" + (f", {_settings(changes)}" if changes else ""))


@verb("rules schema")
def rules_schema(screen: Screen, game_name: Game = "gunzi") -> None:
    """Print the JSON Schema of a game's rules."""
    from gunzi_sim import games

    schema = game.json_schema(games.rules_class(game_name))
    screen.say(json.dumps(schema, ensure_ascii=False, indent=None if screen.json else 2))


def _check_unset(why: str, given: tuple[object, ...]) -> None:
    """InputError for the first of the options of `run` that a command line sets though a run decides it already."""
    names = ("--game", "--rules", "--set", "--policies", "--levels", "--dealer", "--owed", "--first-hand", "--seed")
    usual = ("gunzi", "standard", None, "basic", None, None, None, False, 0)
    for name, value, default in zip(names, given, usual, strict=True):
        if value != default:
            raise game.InputError(f"{why} {name}")


def _settings(changes: dict[str, Any]) -> str:
    return ", ".join(f"{name}={game.as_text(value)}" for name, value in changes.items())


# --- tools ---


@verb("bench")
def bench(
    screen: Screen,
    rules: Rules = "standard",
    policies: Annotated[
        str, Option("--policies", "Policies measured, each at all seats.", "NAME[,NAME]")
    ] = "random,basic,counting",
    repeats: Annotated[int, Option("--repeats", "Comparisons of each.", "N", whole(1, 99))] = 15,
    starts: Annotated[bool, Option("--no-starts", "Do not time a cold and a warm start.")] = True,
) -> None:
    """Measure hands and decisions a second, by phase and policy."""
    chosen = named_rules("gunzi", rules)
    screen.load(chosen.GAME)
    from gunzi_sim import benching, layout

    names = tuple(name.strip() for name in policies.split(","))
    report = benching.bench(
        chosen, names, screen.seed, repeats, starts, lambda what: screen.note(screen.words("bench.now", what=what))
    )
    if screen.json:
        screen.emit(report)
    else:
        screen.lines(layout.bench(report, screen.words))


@verb("doctor")
def doctor(
    screen: Screen,
    source: Annotated[str | None, Argument("RUN", "A run whose files are read to the end.")] = None,
) -> int:
    """Check this machine: versions, CPU, cache folder, threads, random numbers; and a run's files."""
    from gunzi_sim import checkup, layout

    found: dict[str, Any] = {"machine": checkup.machine(), "cache": checkup.cache()}
    screen.load("gunzi")
    found["rng"] = {"faults": checkup.rng_faults()}
    if source is not None:
        found["run"] = checkup.run(source)
    if screen.json:
        screen.emit(found)
    else:
        screen.lines(layout.doctor(found, screen.words))
    return FAILED if found["rng"]["faults"] or found.get("run", {}).get("faults") else DONE


# --- the end of a call ---


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Run one command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Words after the program's name; those of the process by default.

    Returns
    -------
    int
        The exit status.
    """
    if arguments is None:
        gc.set_threshold(RARE_COLLECTION)  # a tenth of a warm start is else spent on looking for garbage
    words = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None or sys.stderr is None:  # closed by whoever called
        sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning  # type: ignore[assignment]
            status = _call(words)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        discard_stdout()
        return DONE
    except (ValueError, RuntimeError, OSError, MemoryError, KeyboardInterrupt) as error:
        status, text = _explain(error)
        if not text:
            raise
        with suppress(OSError):
            print(f"{' '.join(['gunzi-sim', *find(words)])}: {' '.join(text.split())}", file=sys.stderr)
        return status


def _call(words: list[str]) -> int:
    """Run the verb that the words call; the status it ends with."""
    call = parse(words)
    if call.function is None:
        sys.stdout.write(call.text)
        return DONE
    return call.function(Screen(**call.common), **call.values) or DONE


def _explain(error: BaseException) -> tuple[int, str]:
    """Exit status and one sentence for an error; no sentence for what only a fault of this program raises."""
    if isinstance(error, (game.InputError, game.RulesError, game.RecordError, CardError)):
        return USAGE, str(error)
    if isinstance(error, game.PolicyError):
        return POLICY, str(error)
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED, str(error) or "interrupted"
    if isinstance(error, MemoryError):
        return MACHINE, f"not enough memory{f': {error}' if str(error) else ''}"
    if isinstance(error, OSError):
        return MACHINE, f"{error.strerror}: {error.filename}" if error.strerror and error.filename else str(error)
    if type(error).__name__ in ("BusyError", "OtherRunError"):  # run_files is not imported for this
        return BUSY, str(error)
    return FAILED, ""


if __name__ == "__main__":
    sys.exit(main())
