"""
Fit the table of joker burials of the policy `counting` (`gunzi_sim/gunzi/joker_table.py`).

    python analysis/fit_jokers.py --others none --hands 800000 --seed 1 --out gunzi_sim/gunzi/joker_table.py
    python analysis/fit_jokers.py --hands 400000 --seed 2 --out gunzi_sim/gunzi/joker_table.py --report jokers.md

For every role (dealer, next, partner, previous) the same deals are played by `counting` at all seats with and without a
forced burial by that role, which buries k jokers, big ones first, or as many as it holds; the other seats bury by the
table that is there, so that a second run answers to the first, or with `--others none` nothing. Gained is the
settlement of the role's side per player, and half a chip a player for each card of tribute that the hand leaves owed to
its side (minus for one it owes). The mean gain of each class (role, band of trumps, big and small jokers held, k) has a
99 % interval; the table takes the k whose interval begins highest above 0, and 0 where none does.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gunzi_sim import games, stats
from gunzi_sim.game import PolicySpec, Situation
from gunzi_sim.gunzi.joker_table import BANDS

GAME = "gunzi"
ROLES = ("dealer", "next", "partner", "previous")
FORCED = ((1, 0), (2, 0), (3, 0), (3, 1), (3, 2), (3, 3))
"""Parameters bury_big and bury_small of each arm: (3, n) buries all big jokers and up to n small ones."""
NOTHING = (("jokers", 0),)
OTHERS = {"table": "by the table of the run before", "none": "nothing"}
DEALER = 0
TRIBUTE_WORTH = 1
"""Twice the chips a player that a card of tribute to come is worth: one chip, to one of the two."""
CONFIDENCE = 0.99
"""Some three hundred classes are tried, so that 95 % would let in seven by chance."""
LEAST_HANDS = 100
"""A class met less often stays 0: its interval leans on too few hands."""
SETTLEMENT_PARTS = 4
"""Gains are counted in quarters of a chip a player, so that they are whole numbers."""


def play(seat: int, params, n_hands: int, seed: int, others: str):
    """
    Rows of hands whose dealer is seat 0, at each level but the last as often, nothing owed.

    One seat has parameters that bury nothing but what is forced; `others` is "table" where the others bury by it.
    """
    specs = [PolicySpec("counting", () if others == "table" else NOTHING)] * 4
    specs[seat] = PolicySpec("counting", (*NOTHING, *params))
    rules = games.rules_class(GAME)()
    levels = range(rules.start_level, rules.end_level)
    n_each = -(-n_hands // len(levels))
    found = []
    for level in levels:
        job = games.Job(GAME, rules, tuple(specs), seed + level, "hands", Situation(False, (level, level), DEALER, 0))
        rows = np.empty(n_each, games.get(GAME).row_dtype())
        games.get(GAME).play_range(job, 0, n_each, rows)
        found.append(rows)
    return np.concatenate(found)


def worth(rows, side: int):
    """What hands are worth to a player of a side, in quarters of a chip: int64[n]."""
    settlement = rows[f"settlement_{side}"].astype(np.int64) + rows[f"settlement_{side + 2}"]
    next_side = rows["next_dealer"].astype(np.int64) & 1
    is_over = rows["round_end"] != 0
    owed = np.where(is_over, 0, rows["owed_next"].astype(np.int64)) * np.where(next_side == side, 1, -1)
    return 2 * settlement + 2 * TRIBUTE_WORTH * owed


def held_jokers(rows, seat: int):
    """Big and small jokers that a seat holds before it may bury any: the dealer has taken the bottom."""
    held = []
    for size in ("big", "small"):
        dealt = [rows[f"{size}_dealt_{other}"].astype(np.int64) for other in range(4)]
        held.append(dealt[seat] + (3 - sum(dealt) if seat == DEALER else 0))
    return held


class Cell(NamedTuple):
    """The gain in chips a player from k jokers, for a role, a band of trumps, and big and small jokers held."""

    role: int
    band: int
    big: int
    small: int
    k: int
    gain: stats.Estimate


def fit(n_hands: int, seed: int, others: str, say):
    """
    Table of jokers to bury and the cells behind it.

    Returns
    -------
    table : int8[4, n_bands, 4, 4]
    cells : list of Cell
    """
    table = np.zeros((len(ROLES), len(BANDS) + 1, 4, 4), np.int8)
    lowest = np.zeros(table.shape)
    cells = []
    for role, name in enumerate(ROLES):
        seat = (DEALER + role) % 4
        base = play(seat, (), n_hands, seed, others)
        n_big, n_small = held_jokers(base, seat)
        trumps = base[f"trumps_{seat}"].astype(np.int64)  # the seat buries no trumps unless it must
        bands = np.searchsorted(BANDS, trumps, side="right")
        before = np.zeros(len(n_big), np.int64)  # what the action before buried: the same again is not tried twice
        for big, small in FORCED:
            forced = (("bury_big", big), ("bury_small", small), ("bury_roles", 1 << role))
            rows = play(seat, forced, n_hands, seed, others)
            n_buried = rows[f"big_buried_{seat}"].astype(np.int64) + rows[f"small_buried_{seat}"]
            wanted = np.minimum(big, n_big) + (np.minimum(small, n_small) if big == 3 else 0)
            fits = (n_buried == wanted) & (wanted > before) & (base["dry_pot"] == 0)
            before = wanted
            gains = worth(rows, seat & 1) - worth(base, seat & 1)
            for cell in np.unique(np.stack([bands, n_big, n_small, wanted])[:, fits], axis=1).T:
                band, b, s, k = map(int, cell)
                chosen = fits & (bands == band) & (n_big == b) & (n_small == s) & (wanted == k)
                n_parts = np.full(chosen.sum(), SETTLEMENT_PARTS)
                found = stats.ratio(stats.Moments.of(np.stack([gains[chosen], n_parts])), 0, 1, CONFIDENCE)
                cells.append(Cell(role, band, b, s, k, found))
                if chosen.sum() >= LEAST_HANDS and found.lo is not None and found.lo > lowest[role, band, b, s]:
                    table[role, band, b, s], lowest[role, band, b, s] = k, found.lo
            say(f"{name}: {big} big, {small} small")
    return table, cells


def as_module(table, given) -> str:
    """Source of the module that holds the table."""
    rows = []
    for role, name in enumerate(ROLES):
        rows.append(f"        [  # {name}")
        for band in table[role]:
            rows.append(f"            {band.tolist()},")
        rows.append("        ],")
    bands = ", ".join(map(str, BANDS))
    return f'''"""
How many jokers the policy `counting` buries: a table fitted by `analysis/fit_jokers.py`.

Fitted on {given.hands} hands for each of the {len(FORCED)} burials by each of the four roles, seed {given.seed}, while
the other seats buried {OTHERS[given.others]}. 0: no number of jokers has been shown to gain. Left out: what
the rules allow, which `handcraft.legal_jokers` keeps to.
"""

import numpy as np

BY_TABLE = -1
"""Value of the parameter `jokers` that asks for the table."""
BANDS = np.array([{bands}], dtype=np.int64)
"""Numbers of trumps, jokers included and before burying, at which a new band begins."""
JOKERS_TO_BURY = np.array(
    [
{chr(10).join(rows)}
    ],
    dtype=np.int8,
)
"""int8[4, 4, 4, 4]: jokers to bury, big ones first, by role (seats after the dealer), band, big and small ones held."""
'''


def as_markdown(cells) -> str:
    """All cells as a table in Markdown."""
    lines = ["| role | trumps | big | small | buried | hands | gain | 99 % interval |", "|" + "---|" * 8]
    edges = ["0", *(str(edge) for edge in BANDS)]
    for role, band, big, small, k, found in cells:
        interval = "" if found.lo is None else f"{found.lo:+.2f} … {found.hi:+.2f}"
        hand = f"{ROLES[role]} | {edges[band]}+ | {big} | {small} | {k}"
        lines.append(f"| {hand} | {found.n} | {found.estimate:+.2f} | {interval} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Fit and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--hands", type=int, default=20_000, help="hands of each arm")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--others", choices=("table", "none"), default="table", help="what the other seats bury by")
    parser.add_argument("--out", type=Path, help="Python file to write; else it is printed")
    parser.add_argument("--report", type=Path, help="Markdown file of all cells")
    given = parser.parse_args(arguments)
    began = time.monotonic()
    table, cells = fit(
        given.hands,
        given.seed,
        given.others,
        lambda text: print(f"{time.monotonic() - began:5.0f} s  {text}", flush=True),
    )
    if given.out:
        given.out.write_text(as_module(table, given), encoding="utf-8")
    else:
        print(as_module(table, given))
    if given.report:
        given.report.write_text(as_markdown(cells), encoding="utf-8")
    for role, name in enumerate(ROLES):
        tried = [cell for cell in cells if cell.role == role and cell.gain.lo is not None]
        print(f"{name}: gains in {(table[role] > 0).sum()} classes; {len(tried)} of classes and numbers tried")
    return 0


if __name__ == "__main__":
    sys.exit(main())
