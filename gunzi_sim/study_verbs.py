"""
Verbs of `gunzi-sim` for studies: `compare`, `equity`, `advise`. As in `cli`: arguments in, one call down, text out.

`cli` imports this module, which makes its verbs known. Left out: the verbs of simulation and records (`cli`).
"""

from typing import Annotated, Any

from gunzi_sim import game
from gunzi_sim.console import Screen
from gunzi_sim.options import (
    MAX_OWED,
    MAX_UNITS,
    Argument,
    Dealer,
    FirstHand,
    Game,
    Hands,
    Levels,
    Option,
    Owed,
    Policies,
    Rounds,
    Rules,
    Set,
    Threads,
    level_number,
    named_rules,
    number,
    quoted,
    resumable,
    two_levels,
    verb,
    whole,
)

Arms = Annotated[
    list[str] | None,
    Option("--arm", "An arm and what it changes: policy, its parameters, rules.", "NAME:KEY=VALUE,…", many=True),
]


@verb("compare")
def compare(
    screen: Screen,
    out: Annotated[str, Argument("OUT", "Run directory of the comparison, made here.")],
    arms: Arms = None,
    baseline: Annotated[str | None, Option("--baseline", "Arm compared with; the first one.", "NAME")] = None,
    game_name: Game = "gunzi",
    rules: Rules = "standard",
    settings: Set = None,
    policies: Policies = "basic",
    rounds: Rounds = None,
    hands: Hands = None,
    until: Annotated[
        str | None, Option("--until", "Stop when all is decided, or when intervals are narrow.", "decided|half_width=X")
    ] = None,
    equivalence: Annotated[
        float, Option("--equivalence", "Smaller differences do not matter.", "X", number(0.0))
    ] = 0.0,
    figure: Annotated[str | None, Option("--figure", "What arms are judged by.", "NAME")] = None,
    levels: Levels = None,
    dealer: Dealer = None,
    owed: Owed = None,
    first_hand: FirstHand = False,
    threads: Threads = None,
    resume: Annotated[bool, Option("--resume", "Go on with a stopped comparison.")] = False,
) -> None:
    """Play the same deals under several arms and say how they differ."""
    from gunzi_sim import api

    if resume and not arms and rounds is None and hands is None:
        given = {
            "--baseline": baseline, "--set": settings, "--until": until, "--figure": figure, "--levels": levels,
            "--dealer": dealer, "--owed": owed, "--equivalence": equivalence or None,
            "--first-hand": first_hand or None, "--seed": screen.seed or None,
            "--rules": None if rules == "standard" else rules,
            "--policies": None if policies == "basic" else policies,
        }  # fmt: skip
        for name, value in given.items():
            if value is not None:
                raise game.InputError(f"a comparison is gone on with as it began; leave out {name}")
        found = api.open_run(out)
        if not hasattr(found, "arms"):
            raise game.InputError(
                f"{out} holds the hands of a run; gunzi-sim run {quoted(out)} --resume goes on with it"
            )
        screen.load(found.info.game)
        with resumable(f"compare {quoted(out)} --resume"), screen.meter(found.mode) as progress:
            found = found.resume(threads, progress)
    else:
        chosen = named_rules(game_name, rules, settings or ())
        changes = parse_arms(arms or [])
        screen.load(chosen.GAME)
        mode = "hands" if rounds is None else "rounds"
        with resumable(f"compare {quoted(out)} --resume"), screen.meter(mode) as progress:
            found = api.compare(
                changes, baseline, chosen, policies, rounds, hands, seed=screen.seed, out=out, until=until,
                equivalence=equivalence, figure=figure, threads=threads, levels=levels, dealer=dealer, owed=owed,
                first_hand=first_hand, resume=resume, progress=progress,
            )  # fmt: skip
    show_comparison(screen, out, found)


@verb("equity")
def equity(
    screen: Screen,
    out: Annotated[str, Argument("OUT", "Parquet file, made here.")],
    game_name: Game = "gunzi",
    rules: Rules = "standard",
    settings: Set = None,
    policies: Policies = "basic",
    hands: Annotated[
        int, Option("--hands", "Number of hands to play, about; every state gets some.", "N", whole(1, MAX_UNITS))
    ] = 1_000_000,
    owed: Annotated[int, Option("--owed", "Tribute owed, of table and figure.", "N", whole(0, MAX_OWED))] = 0,
    figure: Annotated[str | None, Option("--figure", "Draw a heat map, SVG, PNG or PDF.", "FILE")] = None,
    threads: Threads = None,
) -> None:
    """Estimate the probability to win the round by levels, deal and tribute."""
    from gunzi_sim import api, layout, match_equity

    for path in filter(None, (out, figure)):
        match_equity.check_new_file(path)
    if figure is not None and not figure.lower().endswith((".svg", ".png", ".pdf")):
        raise game.InputError(f"--figure must end in .svg, .png or .pdf, got {game.shown(figure)}")
    chosen = named_rules(game_name, rules, settings or ())
    screen.load(chosen.GAME)
    with screen.meter("hands") as progress:
        found = api.equity(chosen, policies, hands, screen.seed, threads, progress)
    found.to_parquet(out)
    if figure is not None:
        try:
            found.plot(figure, owed)
        except game.InputError as error:
            raise game.InputError(f"{error}; the table is stored in {out}") from None
    if screen.json:
        screen.emit({"path": out} | found.to_dict())
    else:
        screen.lines(layout.equity(found, owed, screen.words))


@verb("advise")
def advise(
    screen: Screen,
    hand: Annotated[str, Option("--hand", "Cards held now; to bury, with the six of the bottom.", "CARDS")] = "",
    seat: Annotated[str, Option("--seat", "Who asks; the dealer is seat 0 unless SEEN says else.", "SEAT")] = "dealer",
    trump: Annotated[str, Option("--trump", "The trump suit.", "S|H|D|C")] = "",
    level: Annotated[
        int | None, Option("--level", "Level of the hand; needed but in a first hand.", "N", level_number)
    ] = None,
    levels: Annotated[list[int] | None, Option("--levels", "Levels of both sides instead.", "L,L", two_levels)] = None,
    bottom: Annotated[str | None, Option("--bottom", "The bottom, where the seat knows it.", "CARDS")] = None,
    owed: Annotated[int, Option("--owed", "Tribute owed in this hand.", "N", whole(0, MAX_OWED))] = 0,
    decision: Annotated[str, Option("--decision", "bury, jokers, lead or follow.", "NAME")] = "",
    seen: Annotated[str | None, Option("--seen", "What everybody saw (JSON).", "FILE")] = None,
    game_name: Game = "gunzi",
    rules: Rules = "standard",
    settings: Set = None,
    policy: Annotated[str, Option("--policy", "Who plays the hands on.", "NAME")] = "basic",
    hands: Annotated[int, Option("--hands", "Most hidden hands drawn.", "N", whole(2, MAX_UNITS))] = 1000,
    equivalence: Annotated[
        float, Option("--equivalence", "Smaller differences do not matter.", "X", number(0.0))
    ] = 0.0,
    equity_file: Annotated[
        str | None, Option("--equity", "A file of `equity`: values in round-win probability.", "FILE")
    ] = None,
) -> None:
    """Rank the answers worth trying to one decision of a hand at the table."""
    from gunzi_sim import api, layout

    for name, value in (("--hand", hand), ("--trump", trump), ("--decision", decision)):
        if not value:
            raise game.InputError(f"{name} is missing; gunzi-sim advise --help says more")
    chosen = named_rules(game_name, rules, settings or ())
    place: int | str = int(seat) if seat.isascii() and seat.isdigit() and len(seat) < 3 else seat
    values = None if equity_file is None else api.load_equity(equity_file)
    screen.load(chosen.GAME, with_advisor=True)
    with screen.countdown() as progress:
        found = api.advise(
            hand, trump, level, decision, chosen, place, levels=levels, bottom=bottom, owed=owed, seen=seen,
            policy=policy, hands=hands, seed=screen.seed, equivalence=equivalence, equity=values, progress=progress,
        )  # fmt: skip
    if screen.json:
        screen.emit(found.to_dict())
    else:
        screen.lines(layout.advice(found, screen.words))


def parse_arms(texts: list[str]) -> dict[str, dict[str, str]]:
    """What each arm changes, from the texts `NAME:KEY=VALUE,…` of a command line."""
    arms: dict[str, dict[str, str]] = {}
    for text in texts:
        name, _, rest = text.partition(":")
        name = name.strip()
        if name in arms:
            raise game.InputError(f"--arm: the name {game.shown(name)} is given twice")
        arms[name] = {}
        for setting in filter(None, (part.strip() for part in rest.split(","))):
            key, equals, value = (part.strip() for part in setting.partition("="))
            if not equals or key in arms[name]:
                raise game.InputError(
                    f"--arm {name}: changes are written KEY=VALUE, each once, got {game.shown(setting)}"
                )
            arms[name][key] = value
    return arms


def show_comparison(screen: Screen, path: str, found: Any) -> None:
    """Print a comparison: its figures, what it found, and where it lies."""
    from gunzi_sim import layout

    if not found.is_complete:
        screen.note(f"{path} is not complete: {found.n_compared} of at most {found.n_units} {found.mode} are compared")
    summary = found.summary()
    if screen.json:
        screen.emit({"path": path, "seed": found.seed} | summary.to_dict())
        return
    screen.lines(layout.comparison(summary, screen.words))
    screen.note(screen.words("compare.path", path=path, seed=found.seed))
