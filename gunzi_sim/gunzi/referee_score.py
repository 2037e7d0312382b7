"""
The referee's half that sees a finished hand: levels (G2), result (G12), next dealer (G13), settlement (G14).

Plain Python, written from the rule book. A side is 0 or 1, a pair of numbers "by side" is indexed by it; points are
card points; settlement is per seat. Nothing here knows cards.
"""

from __future__ import annotations

from typing import NamedTuple

from gunzi_sim.gunzi.rules import EndAt300, GunziRules, RoundWonBy, ThreeBigEnds, TributeRounding, TributeSettlement

ROUND_ENDS = (None, "zero", "score", "three_big", "three_small", "passed")
"""Words of a record's `round_end`, at their codes in the table."""

SPECIAL_PTS = 50


class Played(NamedTuple):
    """What the score of a hand depends on, besides rules, levels and dealer."""

    attackers: int
    """Card points that attackers took in tricks."""
    dealers: int
    """Card points that the dealers' side took in tricks."""
    bottom: int
    """Card points in the final bottom."""
    dig: bool
    """Attackers won the last trick."""
    big: int
    """Big jokers in the final bottom."""
    small: int
    """Small jokers in the final bottom."""
    dry_pot: bool


class Score(NamedTuple):
    """Result of a hand, all that G12 to G14 derive. `uncapped` and `raises` are by side, `settlement` by seat."""

    attacker_points: int
    takes_deal: bool
    uncapped: tuple[int, int]
    raises: tuple[int, int]
    round_end: str | None
    round_winner: int | None
    levels_after: tuple[int, int]
    next_dealer: int | None
    owed_next: int
    settlement: tuple[int, int, int, int]


def joker_levels(played: Played, rules: GunziRules) -> int:
    """`v`: what the final bottom's jokers count, for levels and for blood; nothing in a dry pot (G12.2)."""
    if played.dry_pot:
        return 0
    return rules.big_joker_levels * played.big + rules.small_joker_levels * played.small


def attacker_points(played: Played, rules: GunziRules) -> int:
    """S: attackers' trick points (G11.2), with the bottom at its multiplier after a dig (G11.3)."""
    return played.attackers + (rules.dig_multiplier * played.bottom if played.dig else 0)


def raise_due(takes_deal: bool, played: Played, rules: GunziRules) -> tuple[int, int]:
    """G12.1: levels that (dealers' side, attackers) have earned, before any cap or end of the round."""
    earned = 1 + joker_levels(played, rules)
    if takes_deal:
        return (0, earned) if played.dig else (0, 0)
    return (0, 0) if played.dig else (earned, 0)


def special_end(points: int, takes_deal: bool, played: Played, rules: GunziRules) -> tuple[str, bool] | None:
    """G12.5 without passing, in the order tested: the word for the end and whether attackers win the round."""
    if points == 0:
        return "zero", False
    if points >= 300 and (rules.end_at_300 == EndAt300.SCORE or _captured_all(played)):
        return "score", True
    if played.dry_pot:
        return None
    attackers = takes_deal and played.dig
    dealers = not takes_deal and not played.dig
    if played.big == 3:
        if attackers and rules.three_big_ends != ThreeBigEnds.OFF:
            return "three_big", True
        if dealers and rules.three_big_ends == ThreeBigEnds.BOTH:
            return "three_big", False
    if played.small == 3 and rules.three_small_ends and (attackers or dealers):
        return "three_small", attackers
    return None


def _captured_all(played: Played) -> bool:
    """G12.5, `end_at_300` "captured": no points in the dealers' side's tricks, and dig or an empty bottom."""
    return played.dealers == 0 and (played.dig or played.bottom == 0)


def passes(levels: tuple[int, int], due: tuple[int, int], dealers_side: int, rules: GunziRules) -> int | None:
    """
    G2.4: the side whose raise wins the round, or None.

    `levels` (before the hand) and `due` (uncapped) are by side. Passing is a raise earned as the dealers' side in a
    hand played at the end level; with "reaching" also a raise that brings a side to that level.
    """
    if due[dealers_side] and levels[dealers_side] == rules.end_level:
        return dealers_side
    for side in (0, 1):
        reaches = levels[side] < rules.end_level <= levels[side] + due[side]
        if reaches and rules.round_won_by == RoundWonBy.REACHING:
            return side
    return None


def risen(level: int, due: int, rules: GunziRules) -> int:
    """G2.3: levels that a side at `level` rises for a raise of `due`: not over the end level."""
    return min(due, rules.end_level - level)


def owed_score_part(points: int, rules: GunziRules) -> int:
    """G12.4: cards owed for the score; a leftover 5 counts as 10 only below `tribute_low` and only if generous."""
    if points < rules.tribute_low:
        missing = rules.tribute_low - points
        return (missing + 5) // 10 if rules.tribute_rounding == TributeRounding.GENEROUS else missing // 10
    if points > rules.tribute_high:
        return (points - rules.tribute_high) // 10
    return 0


def owed_joker_part(takes_deal: bool, played: Played, rules: GunziRules) -> int:
    """G12.4: cards owed for the bottom's jokers; voided below the win by a dig under `dig_below_voids_jokers`."""
    if rules.dig_below_voids_jokers and not takes_deal and played.dig:
        return 0
    return joker_levels(played, rules)


def next_dealer(dealer: int, takes_deal: bool) -> int:
    """G13: the dealer's next seat when the attackers take the deal, else his partner."""
    return (dealer + (1 if takes_deal else 2)) % 4


def attacker_pts(takes_deal: bool, dig: bool, n_risen: int, special: tuple[str, bool] | None) -> int:
    """G14.1 and G14.3: settlement of one attacker without tribute; a dealer's-side player has the opposite."""
    if special is not None:
        return SPECIAL_PTS if special[1] else -SPECIAL_PTS
    if takes_deal:
        return 1 + 3 * n_risen
    return 0 if dig else -3 * n_risen


def tribute_pts(payer: int, receiver: int, n_moved: int, rules: GunziRules) -> list[int]:
    """G14.2: settlement of the tribute, by seat; `payer` and `receiver` are those who really gave and got."""
    pts = [0, 0, 0, 0]
    for seat in range(4):
        whole_side = rules.tribute_settlement == TributeSettlement.SIDES
        if seat == payer or (whole_side and seat % 2 == payer % 2):
            pts[seat] -= n_moved
        if seat == receiver or (whole_side and seat % 2 == receiver % 2):
            pts[seat] += n_moved
    return pts


def score_hand(levels: tuple[int, int], dealer: int, played: Played, tribute: list[int], rules: GunziRules) -> Score:
    """
    Result of a hand (G12), with the next dealer (G13) and the settlement (G14).

    Parameters
    ----------
    levels : tuple of int
        Levels before the hand, by side.
    dealer : int
        Seat 0..3.
    played : Played
    tribute : list of int
        Settlement of this hand's tribute by seat (`tribute_pts`).
    rules : GunziRules
    """
    side = dealer % 2
    points = attacker_points(played, rules)
    takes_deal = points >= rules.win_score
    special = special_end(points, takes_deal, played, rules)
    due_dealers, due_attackers = (0, 0) if special else raise_due(takes_deal, played, rules)
    due = (due_attackers, due_dealers) if side else (due_dealers, due_attackers)
    raises = [risen(levels[s], due[s], rules) for s in (0, 1)]
    round_end, round_winner = None, None
    if special:
        round_end, round_winner = special[0], (1 - side if special[1] else side)
    else:
        round_winner = passes(levels, due, side, rules)
        if round_winner is not None:
            round_end = "passed"
            raises[round_winner] = max(raises[round_winner], 1)  # passing counts one level
    pts = attacker_pts(takes_deal, played.dig, sum(raises), special)
    settlement = [(-pts if seat % 2 == side else pts) + tribute[seat] for seat in range(4)]
    over = round_end is not None
    return Score(
        attacker_points=points,
        takes_deal=takes_deal,
        uncapped=due,
        raises=(raises[0], raises[1]),
        round_end=round_end,
        round_winner=round_winner,
        levels_after=(rules.start_level,) * 2 if over else (levels[0] + raises[0], levels[1] + raises[1]),
        next_dealer=None if over else next_dealer(dealer, takes_deal),
        owed_next=0 if over else owed_score_part(points, rules) + owed_joker_part(takes_deal, played, rules),
        settlement=(settlement[0], settlement[1], settlement[2], settlement[3]),
    )
