"""
Tables and sentences of the command line, as lines of (text, style) segments: summaries, benchmarks, check-ups.

Plain Python over values that others computed; every word is in `texts.py`. Left out: printing and colours (`console`),
a hand trick by trick (`replay`).
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

from gunzi_sim.texts import TEXTS, Line, Words, pad, width

GAP = "  "


def table(rows: Sequence[Sequence[str]], numbers: frozenset[int] | set[int] = frozenset()) -> Iterator[Line]:
    """Rows of cells in columns, the first row dim; the columns `numbers` are aligned to the right."""
    widths = [max(width(row[place]) for row in rows) for place in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [
            " " * (size - width(cell)) + cell if place in numbers else pad(cell, size)
            for place, (cell, size) in enumerate(zip(row, widths))
        ]
        yield [(GAP.join(cells).rstrip(), "" if number else "dim")]


def summary(found: Any, words: Words) -> Iterator[Line]:
    """A `results.Summary`: what was counted, then one line a figure with its interval (a dash where there is none)."""
    starts = words(f"summary.{found.start}s", n=_thousands(found.n_starts))
    yield [(words("summary.head", starts=starts, hands=_thousands(found.n_rows)), "title")]
    keys = ("summary.figure", "summary.estimate", "summary.interval", f"summary.n_{found.start}s", "summary.unit")
    rows = [[*found.by, *(words(key, percent=f"{found.confidence:.0%}") for key in keys)]]
    for row in found.rows:
        estimate, interval = figures(row.estimate, row.lo, row.hi, row.unit, words)
        name, unit = named(f"figure.{row.name}", row.name, words), named(f"unit.{row.unit}", row.unit, words)
        rows.append([*map(str, row.group), name, estimate, interval, _thousands(row.n), unit])
    n_by = len(found.by)
    yield from table(rows, {*range(n_by), n_by + 1, n_by + 2, n_by + 3})


def figures(estimate: float | None, lo: float | None, hi: float | None, unit: str, words: Words) -> tuple[str, str]:
    """An estimate and its interval as texts, to two digits of the interval's half-width; shares in percent."""
    none = words.mark("none")
    if estimate is None:
        return none, none
    factor, sign = (100, " %") if unit.startswith("share") else (1, "")
    if lo is None or hi is None:
        return f"{factor * estimate:.4g}{sign}", none
    half = factor * (hi - lo) / 2
    places = max(0, min(6, 1 - math.floor(math.log10(half)))) if half > 0 else 2
    texts = [f"{factor * value:.{places}f}" for value in (estimate, lo, hi)]
    return f"{texts[0]}{sign}", words("summary.range", lo=texts[1], hi=texts[2])


def sentence(found: Any, words: Words, name: str = "attackers_take_deal") -> str:
    """One figure of a summary in words, with its interval and what was counted."""
    row = next(row for row in found.rows if row.name == name)
    estimate, interval = figures(row.estimate, row.lo, row.hi, row.unit, words)
    counted = {
        "starts": words(f"summary.{found.start}s", n=_thousands(found.n_starts)),
        "hands": _thousands(found.n_rows),
    }
    return words(f"sentence.{name}", estimate=estimate, interval=interval, **counted)


def comparison(found: Any, words: Words) -> Iterator[Line]:
    """A `comparison.ArmSummary`: what was compared, one line a figure and arm, then a sentence for every arm."""
    starts = words(f"summary.{found.start}s", n=_thousands(found.n_starts))
    yield [(words("compare.head", starts=starts, hands=_thousands(found.n_hands), baseline=found.baseline), "title")]
    keys = ("arm", "estimate", "interval", "difference", "interval", "saved", "unit")
    rows = [[words("summary.figure"), *(words(f"compare.{key}", percent=f"{found.confidence:.0%}") for key in keys)]]
    for row in found.rows:
        estimate, interval = figures(row.estimate, row.lo, row.hi, row.unit, words)
        gap, around = figures(row.difference, row.difference_lo, row.difference_hi, row.unit, words)
        saved = words.mark("none") if row.saved is None else f"{row.saved:.1f}"
        name, unit = named(f"figure.{row.name}", row.name, words), named(f"unit.{row.unit}", row.unit, words)
        rows.append([name, row.arm, estimate, interval, gap, around, saved, unit])
    yield from table(rows, {2, 3, 4, 5, 6})
    yield []
    for row in found.judged():
        yield [(verdict(found, row, words), "win")]
    if found.is_sequential:
        yield [(words("compare.sequential", percent=f"{found.confidence:.0%}"), "dim")]


def verdict(found: Any, row: Any, words: Words) -> str:
    """What a comparison says of one arm, in a sentence."""
    starts = words(f"summary.{found.start}s", n=_thousands(row.n))
    gap, around = figures(row.difference, row.difference_lo, row.difference_hi, row.unit, words)
    kind = row.verdict.name.lower()
    if not found.of_side:
        kind = {"better": "higher", "worse": "lower"}.get(kind, kind)
    values = {
        "arm": row.arm,
        "baseline": found.baseline,
        "figure": named(f"figure.{row.name}", row.name, words),
        "gap": gap,
        "interval": around,
        "percent": f"{found.confidence:.0%}",
        "starts": starts,
        "unit": named(f"unit.{row.unit}", row.unit, words),
    }
    text = words(f"verdict.{kind}", **values)
    differing = found.differing.get(row.arm)
    if differing is not None:
        text += " " + words(f"verdict.differing_{found.start}s", share=f"{100 * differing:.1f}")
    if row.saved is not None:
        text += " " + words("verdict.saved", saved=f"{row.saved:.1f}")
    return text


MOST_SHOWN = 12
"""Answers of an advice that are listed."""


def advice(found: Any, words: Words) -> Iterator[Line]:
    """An `advice.Advice`: the answers, best first, what was found, and the facts that would change it."""
    yield [(words("advise.head", hands=_thousands(found.n_hands), seat=found.seat, inner=found.inner), "title")]
    unit = "share" if found.unit == "probability" else "chips"
    keys = ("answer", "value", "interval", "difference", "interval", "takes", "dig", "points")
    rows = [[words(f"advise.{key}", percent=f"{found.confidence:.0%}") for key in keys]]
    for row in found.answers[:MOST_SHOWN]:
        value, own = figures(row.value, row.lo, row.hi, unit, words)
        gap, around = figures(row.difference, row.difference_lo, row.difference_hi, unit, words)
        pairs = zip((row.takes_deal, row.dig), (row.takes_deal_error, row.dig_error))
        shares = [f"{100 * share:.1f} ± {100 * error:.1f} %" for share, error in pairs]
        points = f"{row.attacker_points:.0f} ± {row.attacker_points_error:.0f}"
        rows.append([_cards(row.cards, words), value, own, gap, around, *shares, points])
    yield from table(rows, set(range(1, len(keys))))
    if len(found.answers) > MOST_SHOWN:
        yield [(words("advise.more", n=len(found.answers) - MOST_SHOWN), "dim")]
    yield []
    key = "advise.decided" if found.decided else "advise.open"
    if len(found.answers) == 1 and found.n_legal == 1:
        key = "advise.only"
    elif len(found.answers) > 1 and all(row.difference == 0 and row.difference_hi is None for row in found.answers):
        key = "advise.alike"
    yield [(words(key, answer=_cards(found.answers[0].cards, words), percent=f"{found.confidence:.0%}"), "win")]
    for change in found.changes:
        gain, interval = figures(change.gain, change.lo, change.hi, unit, words)
        count = words("advise.at_least" if change.is_least else "advise.fewer", n=change.least)
        values = {
            "what": words(f"fact.{change.what}"),
            "where": words(f"where.{change.where}"),
            "count": count,
            "answer": _cards(change.answer, words),
            "gain": gain,
            "interval": interval,
            "share": f"{100 * change.share:.0f}",
        }
        yield [(words("advise.change", **values), "")]
    if not found.changes:
        yield [(words("advise.no_change"), "dim")]
    if found.unit == "probability":
        yield [(words("advise.of_equity"), "dim")]
    if found.n_legal is None:
        yield [(words("advise.some"), "dim")]
    elif found.n_legal > len(found.answers):
        yield [(words("advise.some_of", n=len(found.answers), all=found.n_legal), "dim")]
    if found.share_smaller:
        yield [(words("advise.smaller", share=f"{100 * found.share_smaller:.1f}"), "dim")]


def _cards(cards: Sequence[int], words: Words) -> str:
    """Cards side by side; no card is a pass."""
    return " ".join(map(words.card, cards)) if cards else words("advise.none")


def progress(done: Any, unit: str, words: Words) -> str:
    """A `runner.Progress` in one line: units done, rate, time left."""
    left = words.mark("none") if done.left_s is None else words("progress.left", seconds=_seconds(done.left_s))
    values = {
        "done": _thousands(done.units_done),
        "all": _thousands(done.n_units),
        "rate": _thousands(done.hands_per_s),
    }
    return words(f"progress.{unit}", left=left, **values)


def equity(found: Any, owed: int, words: Words) -> Iterator[Line]:
    """A `match_equity.Equity`: a round's start, then win probability and error by both levels, for one tribute."""
    counted = {"hands": _thousands(found.about["n_hands"]), "states": len(found.rows)}
    yield [(words("equity.head", **counted), "title")]
    yield [(f"{found.played_by}; {words('run.seed', seed=found.about['seed'])}", "dim")]
    if found.period > 1:
        yield [(words("equity.start", value=_percent(found.start(), words)), "")]
    for row in found.rows[found.rows["first_hand"] == 1]:
        value = _percent((row["win_probability"], row["standard_error"]), words)
        yield [(words("equity.first", value=value, dealer=_of_dealer(found, row["dealer"], words)), "")]
    for dealer in range(found.period):
        levels, square = found.grid(owed, dealer)
        yield []
        yield [(words("equity.table", owed=owed, dealer=_of_dealer(found, dealer, words)), "")]
        cells = [[_percent(cell, words) for cell in line] for line in square[["win_probability", "standard_error"]]]
        rows = [["", *map(words.rank, levels)], *([words.rank(own), *line] for own, line in zip(levels, cells))]
        yield from table(rows, set(range(len(levels) + 1)))


def _of_dealer(found: Any, dealer: int, words: Words) -> str:
    """Which dealer, where the policies of the seats tell dealers apart."""
    seats = ", ".join(str(seat) for seat in range(len(found.about["policies"])) if seat % found.period == dealer)
    return words("equity.dealer", seats=seats) if found.period > 1 else ""


def _percent(found: Sequence[float], words: Words) -> str:
    """A probability and its standard error in percent; a dash where there is none."""
    value, error = found
    none = words.mark("none")
    return none if math.isnan(value) else f"{100 * value:.1f}{words.mark('half')}{100 * error:.1f}"


def bench(report: dict[str, Any], words: Words) -> Iterator[Line]:
    """A report of `benching.bench`."""
    yield [(words("bench.head", ns=f"{report['shuffle_ns']:.0f}", repeats=report["repeats"]), "title")]
    rows = [[words(f"bench.{key}") for key in ("what", "ns_per_hand", "shuffles", "hands_per_s", "ns_per_decision")]]
    for name, part in [
        *report["phases"].items(),
        *((f"policy {key}", part) for key, part in report["policies"].items()),
    ]:
        decision = f"{part['ns_per_decision']:.1f}" if "ns_per_decision" in part else ""
        rate = _thousands(part["hands_per_s"])
        rows.append([name, f"{part['ns_per_hand']:,.0f}", f"{part['shuffles_per_hand']:.2f}", rate, decision])
    yield from table(rows, {1, 2, 3, 4})
    yield []
    yield [(words("bench.own", ratio=report["own_policy_ratio"]), "")]
    yield [(words("bench.compare", ratio=report["compare_over_run"]), "")]
    written = report["phases"]["writing"]
    yield [(words("bench.bytes", bytes=written["bytes_per_hand"]), "")]
    threads = report["threads"]
    yield [(words("bench.threads", ratio=threads["two_over_one"], cpus=threads["cpus"]), "")]
    if "starts" in report:
        starts = report["starts"]
        yield [(words("bench.starts", cold=starts["cold_s"], warm=starts["warm_s"], rounds=starts["warm_rounds"]), "")]


def doctor(found: dict[str, Any], words: Words) -> Iterator[Line]:
    """What `checkup` found."""
    machine, cache = found["machine"], found["cache"]
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    lines = [
        ("doctor.versions", f"Python {machine['python']}, {packages}"),
        ("doctor.system", machine["system"]),
        ("doctor.cpu", f"{machine['cpu']} ({machine['cpu_model']})"),
        ("doctor.threads", words("doctor.threads_text", threads=machine["threads"], cpus=machine["cpus"])),
        ("doctor.compiler", words("doctor.on" if machine["compiler"] else "doctor.off")),
        ("doctor.cache", cache["folder"]),
        ("", words("doctor.warm" if cache["warm"] else "doctor.cold")),
    ]
    if not cache["writable"]:
        lines.append(("", words("doctor.unwritable")))
    faults = found["rng"]["faults"]
    lines.append(("doctor.rng", words("doctor.rng_ok") if not faults else "; ".join(faults)))
    for label, text in lines:
        yield [
            (pad(words(label) if label else "", 10), "dim"),
            (text, "bad" if label == "doctor.rng" and faults else ""),
        ]
    run = found.get("run")
    if run is not None:
        for fault in run["faults"]:
            yield [(pad(words("doctor.run"), 10), "dim"), (fault, "bad")]
        text = words("doctor.run_text", ok=run["shards_ok"], bad=len(run["faults"]), all=run["shards_all"])
        yield [(pad(words("doctor.run"), 10), "dim"), (text, "")]


def named(key: str, name: str, words: Words) -> str:
    """A name of the game's data in the reader's language, as it is where the table has none."""
    return words(key) if key in TEXTS else name


def _thousands(number: float) -> str:
    return f"{number:,.0f}"


def _seconds(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02} min"
