"""
The studies of `analysis/`: one cell of every table against a plain recomputation, intervals, verdicts, determinism.

Recomputed is with `gz.simulate` over all hands and pandas alone; the policies are spelled out here.
"""

import json
import math
import os
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from counts import IS_COMPILED

import gunzi_sim as gz
from gunzi_sim import stats
from gunzi_sim.game import InputError

ANALYSIS = Path(__file__).parent.parent / "analysis"
STUDIES = (
    *("joker_values", "trump_sweep", "break_even", "prices", "joker_levels", "big_first", "three_big"),
    *("information", "following", "rule_variants", "presets", "claims"),
)
HANDS, SEED = 800, 5
compiled_only = pytest.mark.skipif(not IS_COMPILED, reason="plays thousands of hands, which takes compiled kernels")


@pytest.fixture
def load(monkeypatch):
    """Import a module of `analysis/`, with small cells allowed."""
    monkeypatch.syspath_prepend(ANALYSIS)
    modules = [import_module(name) for name in ("study", "joker_values", "break_even")]
    for module in modules:
        monkeypatch.setattr(module, "THIN", 20)
    return import_module


@pytest.fixture
def cut(monkeypatch, load):
    """The same, with the long lists of actions, levels and variants cut short."""

    def small(name):
        module = load(name)
        if name in ("trump_sweep", "claims"):
            monkeypatch.setattr(load("trump_sweep"), "THRESHOLDS", (0, 16, 18))
        if name == "joker_values":
            study = load("study")
            monkeypatch.setattr(module, "ACTIONS", (study.Action(1, 0), study.Action(2, 0), study.Action(1, 1)))
        if name in ("joker_levels", "claims"):
            levels = load("joker_levels")
            monkeypatch.setattr(levels, "EARLY", (3,))
            monkeypatch.setattr(levels, "LATE", (10,))
            monkeypatch.setattr(levels, "HALVES", ((10,), (3,)))
        if name == "rule_variants":
            variants = (("win_score", 110), ("follow", "loose"), ("max_jokers_per_seat", 0))
            monkeypatch.setattr(module, "VARIANTS", variants)
        return module

    return small


@pytest.fixture
def table(cut, load):
    """Rows of a study at the size of these tests; every study is played once."""

    def rows_of(name):
        module = cut(name)
        if name not in PLAYED:
            hands, pools = SIZES.get(name, (HANDS, ["basic"]))
            PLAYED[name] = module.run(load("study").options(hands, SEED, pools))
        return PLAYED[name]

    return rows_of


PLAYED: dict[str, list] = {}
SIZES = {"three_big": (6 * HANDS, ["basic"]), "information": (HANDS, ["basic", "counting"])}


def dealt(policies, hands=HANDS, level=3, **rules):
    """Single hands of the deals of `SEED`, all of them."""
    found = gz.simulate(gz.rules("gunzi", **rules), policies, hands=hands, seed=SEED, levels=(level, level))
    return found.to_pandas().astype(np.int64)


def seats(role, policy, others="basic"):
    policies = [others] * 4
    policies[role] = policy
    return policies


def chips(hands, side):
    return hands[f"settlement_{side}"] + hands[f"settlement_{side + 2}"]


def one_row(rows, **wanted):
    found = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    assert len(found) == 1, (len(found), wanted)
    return found[0]


def equals(row, values, scale=1.0):
    """Whether a row has the mean and number of some values."""
    assert row["n"] == len(values) >= 20
    assert row["estimate"] == pytest.approx(scale * values.mean(), abs=1e-9)
    assert row["lo"] < row["estimate"] < row["hi"] or row["note"]


# --- one cell of every table ------------------------------------------------------------------------------------------


@compiled_only
def test_joker_values(table):
    """Dealer with two big jokers, those of the bottom counted, who buries both."""
    rows = table("joker_values")
    a, b = dealt("basic"), dealt(seats(0, "basic:bury_big=2"))
    in_bottom = 3 - sum(a[f"big_dealt_{seat}"] for seat in range(4))
    chosen = (a.big_dealt_0 + in_bottom == 2) & (a.dry_pot == 0)
    gained = (chips(b, 0) - chips(a, 0))[chosen]
    wanted = {"role": "dealer", "bury": "2+0", "held": 2}
    equals(one_row(rows, measure="value", **wanted), gained)
    equals(one_row(rows, measure="levels", **wanted), gained, 1 / 6)


@compiled_only
@pytest.mark.parametrize("pool", ["basic", "random"])
def test_trump_sweep(cut, load, table, pool):
    """Previous seat, one small joker without big ones, 16 trumps or more; opponents that draw keep their draws."""
    script, study = cut("trump_sweep"), load("study")
    given = study.options(HANDS, SEED, [pool])
    if pool == "basic":
        rows = table("trump_sweep")
    else:
        task = study.Task(study.POOLS[pool], 3, study.ONE_SMALL)
        pairs = study.play([task], study.Deals.of(HANDS, SEED), SEED, given.meter)
        rows = script.rows_of(pairs, given)
    a = dealt(seats(3, "basic", pool))
    chosen = (a.big_dealt_3 == 0) & (a.small_dealt_3 >= 1)
    if pool == "basic":
        b = dealt(seats(3, "basic:bury_small=1"))
        done = chosen & (b.small_buried_3 == 1)
        gained = (chips(b, 1) - chips(a, 1))[done & (a.trumps_3 >= 16)]
        equals(one_row(rows, role="previous", bury="0+1", trumps=16, hands="at least"), gained)
        ruled = ((chips(b, 1) - chips(a, 1)) * (a.trumps_3 >= 16))[done]
        equals(one_row(rows, role="previous", bury="0+1", trumps=16, hands="rule"), ruled)
    else:  # the same deals, dealt again as the numbers 0, 1, 2, … of a run of their own, which fixes the draws
        decks = gz.deals("gunzi", n=HANDS, seed=SEED)[chosen]
        rules = gz.rules("gunzi")
        policies = [seats(3, one, pool) for one in ("basic", "basic:bury_small=1")]
        a, b = (gz.simulate(rules, p, deals=decks, seed=SEED).to_pandas().astype(np.int64) for p in policies)
        gained = (chips(b, 1) - chips(a, 1))[b.small_buried_3 == 1]
        equals(one_row(rows, role="previous", bury="0+1", trumps=0, hands="at least"), gained)


@compiled_only
def test_prices(table):
    """Partner of the dealer, one big joker: last tricks and the line are those of its own side."""
    rows = table("prices")
    a, b = dealt("basic"), dealt(seats(2, "basic:bury_big=1"))
    done = b.big_buried_2 == 1
    last, line = (-(b[name] - a[name])[done] for name in ("dig", "takes_deal"))
    wanted = {"role": "partner", "bury": "1+0"}
    equals(one_row(rows, measure="last", **wanted), last)
    equals(one_row(rows, measure="line", **wanted), line)
    equals(one_row(rows, measure="last less line", **wanted), last - line)
    equals(one_row(rows, measure="points", **wanted), (a.attacker_points - b.attacker_points)[done])
    levels = (b.raise_0 - b.raise_1 - a.raise_0 + a.raise_1)[done]
    equals(one_row(rows, measure="levels", **wanted), levels)
    owed = [hands.owed_next * (1 - 2 * (hands.next_dealer % 2)) * (hands.next_dealer < 9) for hands in (a, b)]
    equals(one_row(rows, measure="tribute", **wanted), (owed[1] - owed[0])[done])
    both = (chips(b, 0) - chips(a, 0) + owed[1] - owed[0])[done]
    equals(one_row(rows, measure="value and tribute", **wanted), both)


@compiled_only
def test_joker_levels(table):
    """Next seat at level 10, and the late levels against the early ones."""
    rows = table("joker_levels")
    gained, at_stake = {}, {}
    for level in (3, 10):
        a, b = dealt("basic", level=level), dealt(seats(1, "basic:bury_big=1"), level=level)
        done = b.big_buried_1 == 1
        gained[level] = (chips(b, 1) - chips(a, 1))[done]
        more = [np.maximum(0, hands.raise_0 + hands.raise_1 - 1) for hands in (a, b)]
        at_stake[level] = (more[1] - more[0])[done]
    wanted = {"role": "next", "bury": "1+0"}
    equals(one_row(rows, measure="value", level=10, **wanted), gained[10])
    equals(one_row(rows, measure="stake", level=3, **wanted), at_stake[3])
    found = one_row(rows, measure="value", level="8-10 less 3-7", **wanted)
    assert found["estimate"] == pytest.approx(gained[10].mean() - gained[3].mean())


@compiled_only
def test_break_even(table):
    """Dealer with 16 or 17 trumps: the chances of holding and of being dug when nothing is buried."""
    rows = table("break_even")
    a, b = dealt("basic"), dealt(seats(0, "basic:bury_big=1"))
    chosen = (b.big_buried_0 == 1) & a.trumps_0.isin((16, 17))
    held = (a.dig == 0) & (a.attacker_points < 120)
    dug = (a.dig == 1) & (a.attacker_points >= 120)
    wanted = {"role": "dealer", "bury": "1+0", "trumps": "16-17"}
    equals(one_row(rows, measure="x", **wanted), (held.astype(int) - dug)[chosen])
    equals(one_row(rows, measure="y", **wanted), (chips(b, 0) - chips(a, 0))[chosen])


@compiled_only
def test_big_first(table):
    """The small joker alone, kept big one and all, against the two together."""
    rows = table("big_first")
    a, alone, both, big = (
        dealt(seats(2, policy), bury_big_first=False)
        for policy in ("basic", "basic:bury_small=1", "basic:bury_big=1:bury_small=1", "basic:bury_big=1")
    )
    holds = (a.big_dealt_2 == 1) & (a.small_dealt_2 >= 1)
    of_small = (chips(alone, 0) - chips(a, 0))[holds & (alone.small_buried_2 == 1)]
    of_both = (chips(both, 0) - chips(a, 0))[holds & (both.small_buried_2 + both.big_buried_2 == 2)]
    of_big = (chips(big, 0) - chips(a, 0))[holds & (big.big_buried_2 == 1)]
    equals(one_row(rows, role="partner", measure="value", bury="0+1"), of_small)
    equals(one_row(rows, role="partner", measure="per level", bury="1+1"), of_both, 1 / 3)
    cost = one_row(rows, role="partner", measure="cost of the rule")
    assert cost["estimate"] == pytest.approx(of_small.mean() - of_both.mean())
    half = one_row(rows, role="partner", measure="big less small per level")
    assert half["estimate"] == pytest.approx(of_big.mean() / 2 - of_small.mean())


@compiled_only
def test_three_big(table):
    """Partner with all three: how often they end the round for its side or against it, when both sides can win so."""
    hands = 6 * HANDS
    rows = table("three_big")
    a, b = (dealt(seats(2, policy), hands, three_big_ends="both") for policy in ("basic", "basic:bury_big=3"))
    done = b.big_buried_2 == 3
    wanted = {"role": "partner", "three_big_ends": "both"}
    equals(one_row(rows, measure="value", **wanted), (chips(b, 0) - chips(a, 0))[done])
    equals(one_row(rows, measure="ends for", **wanted), ((b.round_end == 3) & (b.round_winner == 0))[done].astype(int))
    against = ((b.round_end == 3) & (b.round_winner == 1))[done].astype(int)
    equals(one_row(rows, measure="ends against", **wanted), against)


@compiled_only
def test_following(table):
    """Dealer, one big joker, loose, and strict against it."""
    rows = table("following")
    gained = {}
    for way in ("strict", "loose"):
        a, b = (dealt(seats(0, policy), follow=way) for policy in ("basic", "basic:bury_big=1"))
        gained[way] = (a.dig - b.dig)[b.big_buried_0 == 1]
    wanted = {"role": "dealer", "bury": "1+0", "measure": "last"}
    equals(one_row(rows, follow="loose", **wanted), gained["loose"])
    found = one_row(rows, follow="strict less loose", **wanted)
    assert found["estimate"] == pytest.approx(gained["strict"].mean() - gained["loose"].mean())


@compiled_only
def test_information(table):
    """Last seat after the dealer's burial; and looking at the bottom tells nothing to a policy that never looks."""
    rows = table("information")
    a, b = (dealt(["basic:bury_big=1", "basic", "basic", last]) for last in ("basic", "basic:bury_small=1"))
    done = (b.big_buried_0 >= 1) & (b.small_buried_3 == 1) & (a.big_dealt_3 == 0)
    wanted = {"pool": "basic", "seat": "previous", "bury": "0+1", "dealer": "one big"}
    equals(one_row(rows, **wanted), (chips(b, 1) - chips(a, 1))[done])
    for seat in ("partner", "attackers", "all three"):
        assert one_row(rows, pool="basic", measure="value of seeing", seat=seat)["estimate"] == 0
    assert any(row["estimate"] for row in rows if row["pool"] == "counting" and row["measure"] == "value of seeing")


@compiled_only
def test_a_blindfold_changes_nothing_where_nothing_is_shown(load):
    """Nobody buries a joker: the others know of no bottom, and play alike with and without the blindfold."""
    blind = load("information").blindfolded("counting")
    quiet = "counting:jokers=0"
    plain, covered = dealt(quiet, 100), dealt([quiet, *[f"{blind}:jokers=0"] * 3], 100)
    hidden = (plain.dry_pot == 0) & (plain.bottom_big + plain.bottom_small == 0)
    assert hidden.sum() > 50
    assert (plain.trace_hash == covered.trace_hash)[hidden].all()
    shown = [f"{quiet}:bury_big=1", *["counting"] * 3], [f"{quiet}:bury_big=1", *[blind + ":jokers=-1"] * 3]
    one, other = (dealt(policies, 100) for policies in shown)
    assert (one.trace_hash != other.trace_hash)[one.big_buried_0 == 1].any()


@compiled_only
def test_rule_variants(table):
    """What 110 points instead of 120 do to the hands of a round, and to the first dealer's luck."""
    rows = table("rule_variants")
    n_rounds = HANDS // 20
    usual, other = (
        gz.simulate(
            gz.rules("gunzi", win_score=score), "basic:bury_big=1:bury_small=1", rounds=n_rounds, seed=SEED
        ).to_pandas()
        for score in (120, 110)
    )
    wanted = {"jokers": "burying", "option": "win_score", "value": "110"}
    hands = one_row(rows, measure="hands per round", **wanted)
    assert hands["estimate"] == pytest.approx((len(other) - len(usual)) / n_rounds)
    points = one_row(rows, measure="attacker points", **wanted)
    assert points["estimate"] == pytest.approx(other.attacker_points.mean() - usual.attacker_points.mean())
    won = []
    for table in (usual, other):
        first, last = table.groupby("round_id").first(), table.groupby("round_id").last()
        won.append((last.round_winner == first.dealer % 2).mean())
    assert one_row(rows, measure="first dealer wins", **wanted)["estimate"] == pytest.approx(won[1] - won[0])
    a, b = (dealt(seats(0, policy)) for policy in ("basic", "basic:bury_big=1"))
    equals(one_row(rows, measure="joker value", option="standard"), (chips(b, 0) - chips(a, 0))[b.big_buried_0 == 1])
    barred = one_row(rows, measure="joker value", option="max_jokers_per_seat")
    assert (barred["n"], barred["estimate"]) == (0, None)


@compiled_only
def test_presets(table):
    """The takeover rate of `dalian` less that of `standard`."""
    rows = table("presets")
    usual, other = (
        gz.simulate(gz.rules("gunzi", preset), "basic", rounds=HANDS // 20, seed=SEED).to_pandas()
        for preset in ("standard", "dalian")
    )
    found = one_row(rows, jokers="as it plays", option="dalian", measure="takeover")
    assert found["estimate"] == pytest.approx(other.takes_deal.mean() - usual.takes_deal.mean())


@compiled_only
def test_claims(table):
    """The cases are rows of the studies, with their intervals; every claim has a verdict for every part."""
    rows, sweep = table("claims"), table("trump_sweep")
    case = one_row(rows, claim="1 attackers never bury", part="next, 1+0", case="all hands")
    usual = one_row(sweep, role="next", bury="1+0", trumps=0, hands="at least")
    assert all(case[key] == usual[key] for key in ("estimate", "lo", "hi", "n"))
    found = [row for row in rows if row["measure"] == "verdict"]
    assert len(found) == 4 + 2 + 8 + 2 * 4 + 8
    assert {row["note"].split(";")[0] for row in found} <= {"holds", "does not hold", "undecided"}


# --- intervals and verdicts -------------------------------------------------------------------------------------------


def made_up(lo, hi):
    return {"estimate": None if lo is None else (lo + hi) / 2, "lo": lo, "hi": hi}


ABOVE, BELOW, NEITHER, THIN = made_up(0.1, 0.5), made_up(-0.5, -0.1), made_up(-0.1, 0.2), made_up(None, None)


@pytest.mark.parametrize(
    ("cases", "expected"),
    [
        ([(ABOVE, 1), (BELOW, -1)], "holds"),
        ([(ABOVE, 1), (NEITHER, 1)], "undecided"),
        ([(ABOVE, 1), (NEITHER, 1, False)], "holds"),
        ([(ABOVE, 1), (THIN, 1)], "undecided"),
        ([(ABOVE, 1), (BELOW, 1)], "does not hold"),
        ([(ABOVE, 1), (BELOW, 1, False)], "does not hold"),
        ([(BELOW, -1), (ABOVE, -1, False)], "does not hold"),
        ([(NEITHER, 1, False)], "undecided"),
        ([(made_up(0.0, 0.5), 1)], "undecided"),
        ([], "undecided"),
    ],
)
def test_verdicts(load, cases, expected):
    claims = load("claims")
    found, against = claims.verdict(claims.Case(*case) for case in cases)
    assert found == expected
    assert bool(against) == (expected == "does not hold")


def hands_of(deals, values):
    return pd.DataFrame({"deal": deals, "value": values})


def test_a_cell_of_all_deals_has_the_usual_interval(load):
    study = load("study")
    values = np.random.default_rng(1).integers(-9, 10, 300)
    (row,) = study.intervals([study.cell({}, hands_of(np.arange(300), values))], 300, "value", "chips")
    half = stats.t_quantile(0.95, 299) * values.std(ddof=1) / math.sqrt(300)
    assert (row["lo"], row["hi"]) == pytest.approx((values.mean() - half, values.mean() + half))


def test_intervals_of_parts_hold_together(load, monkeypatch):
    """Two halves of the deals: wider than alone, no wider than Bonferroni's, and deals in pieces change nothing."""
    study = load("study")
    values = np.random.default_rng(2).integers(-9, 10, 400)
    halves = [hands_of(np.arange(start, 400, 2), values[start::2]) for start in (0, 1)]
    cells = [study.cell({"half": place}, hands) for place, hands in enumerate(halves)]
    together = study.intervals(cells, 400, "value", "chips")
    for row, one in zip(together, cells):
        (alone,) = study.intervals([one], 400, "value", "chips")
        errors = [row["hi"] - row["lo"], alone["hi"] - alone["lo"]]
        assert errors[1] < errors[0] < errors[1] * stats.t_quantile(0.975, 399) / stats.t_quantile(0.95, 399) * 1.001
    monkeypatch.setattr(study, "CHUNK", 7)
    assert study.intervals(cells, 400, "value", "chips") == together


def test_contrasts_of_the_same_deals_are_paired(load):
    """One cell is the other plus 3 in every second deal: the spread is that of the difference alone."""
    study = load("study")
    values = np.random.default_rng(3).integers(-50, 51, 200)
    more = values + 3 * (np.arange(200) % 2)
    one, other = (study.cell({}, hands_of(np.arange(200), of)) for of in (more, values))
    (row,) = study.contrasts([({}, one, other)], 200, "value", "chips")
    half = stats.t_quantile(0.95, 199) * (more - values).std(ddof=1) / math.sqrt(200)
    assert (row["lo"], row["hi"]) == pytest.approx((1.5 - half, 1.5 + half))
    twice = study.contrasts([({}, one, other), ({}, other, one)], 200, "value", "chips")
    wider = half * stats.t_quantile(0.975, 199) / stats.t_quantile(0.95, 199)
    assert (twice[0]["lo"], twice[0]["hi"]) == pytest.approx((1.5 - wider, 1.5 + wider))


def test_thin_cells_have_no_figure(load):
    study = load("study")
    thin = study.cell({}, hands_of(np.arange(19), np.arange(19)))
    thick = study.cell({}, hands_of(np.arange(100), np.arange(100)))
    rows = study.intervals([thin, thick], 100, "value", "chips") + study.contrasts([({}, thin, thick)], 100, "", "")
    assert [row["estimate"] is None for row in rows] == [True, False, True]
    assert rows[0]["note"].startswith("thin") and "thin" in study.markdown(rows)


def test_the_line_through_groups_finds_its_root(load):
    """Hands of seven groups on the line y = 8 (x - 1/4), x being a share of zeros and ones."""
    script = load("break_even")
    frames = []
    for group, share in enumerate(range(1, 8)):
        x = np.repeat([1, 0], [100 * share, 100 * (8 - share)])
        y = share - 2 + np.tile([3, -3], 400)  # 8 (share / 8 - 1 / 4), and a spread that cancels
        frames.append(pd.DataFrame({"trumps": script.BOUNDS[group], "x": x, "value": y}))
    hands = pd.concat(frames).assign(deal=lambda table: np.arange(len(table)) * 7 % 5600)
    slope, root = script.line_rows({}, hands)
    assert slope["estimate"] == pytest.approx(8) and root["estimate"] == pytest.approx(0.25)
    assert root["lo"] < 0.25 < root["hi"] and root["note"] == ""
    flat = script.line_rows({}, hands.assign(value=np.random.default_rng(1).integers(-5, 6, len(hands))))
    assert flat[1]["estimate"] is None and flat[1]["note"].startswith("no break-even")


def test_jokers_of_the_deals(load):
    """Jokers by role as the engine deals them; those of the bottom are the dealer's."""
    deals = load("study").Deals.of(20, SEED)
    hands = dealt("basic", 20)
    for seat in range(1, 4):
        assert (deals.big[:, seat] == hands[f"big_dealt_{seat}"]).all()
        assert (deals.small[:, seat] == hands[f"small_dealt_{seat}"]).all()
    assert (deals.big.sum(axis=1) == 3).all() and (deals.small.sum(axis=1) == 3).all()


def test_unknown_pools_are_named(load):
    with pytest.raises(InputError, match="clever"):
        load("study").options(10, 1, ["basic", "clever"])


# --- files, notebook --------------------------------------------------------------------------------------------------


@compiled_only
@pytest.mark.parametrize("name", STUDIES)
def test_scripts_write_table_and_figure_with_the_same_bytes(cut, load, table, tmp_path, capsys, name):
    """Two studies are played anew and four are drawn anew; all are written by the same function."""
    module, study, played = cut(name), load("study"), table(name)
    arguments = ["--hands", str(HANDS), "--seed", str(SEED), "--pools", "basic", "--out"]
    one, other = tmp_path / "one", tmp_path / "other"
    for out in (one, other) if name in ("prices", "presets", "break_even", "claims") else (one,):
        run = module.run if name in ("prices", "presets") else lambda given: played
        main = (str(ANALYSIS / f"{name}.py"), module.__doc__, run, module.draw, module.HANDS, [*arguments, str(out)])
        assert study.main(*main) == 0
    files = sorted(path.name for path in one.iterdir())
    assert files == [f"{name}.csv", f"{name}.md", f"{name}.svg"]
    if other.exists():
        assert all((one / file).read_bytes() == (other / file).read_bytes() for file in files)
    assert (one / f"{name}.svg").read_text(encoding="utf-8").count("<text") > 5
    table = pd.read_csv(one / f"{name}.csv")
    assert len(table) > 10 and {"estimate", "lo", "hi", "n"} <= set(table)
    assert f"python analysis/{name}.py --hands {HANDS} --seed {SEED} --pools basic" in (one / f"{name}.md").read_text(
        "utf-8"
    )


@compiled_only
def test_notebook_runs(monkeypatch):
    """Headless, at the smallest size; committed without outputs."""
    path = ANALYSIS / "studies.ipynb"
    stored = json.loads(path.read_text(encoding="utf-8"))
    codes = [cell for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in codes)
    assert all(f"import {name}\n" in "".join(codes[0]["source"]) for name in STUDIES)
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    root = str(ANALYSIS.parent)
    monkeypatch.setenv("ANALYSIS_HANDS", "100")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])]))
    book = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(ANALYSIS)}}
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources=where).execute()
    shown = [[sorted(out.data)[0] for out in cell.outputs] for cell in book.cells if cell.cell_type == "code"]
    assert not shown[0]
    assert all(kinds[:2] == ["image/svg+xml", "text/markdown"] for kinds in shown[1:]), shown
