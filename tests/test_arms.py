"""Arms on the same deals: their table against runs of their own, their differences against plain formulas."""

import itertools
import json
import math

import numpy as np
import pytest
from counts import IS_COMPILED, count

import gunzi_sim as gz
from gunzi_sim import runner, stats
from gunzi_sim.gunzi.rules import PRESETS
from gunzi_sim.stats import Verdict

RULES = PRESETS["standard"]
N_HANDS = count(3000, 12)
N_ROUNDS = count(60, 2)
DEALERS = {0: (0, 2), 1: (1, 3)}


def side_policies(hero, field, side):
    """Policies by seat with the hero on one side."""
    return [hero if seat % 2 == side else field for seat in range(4)]


def frame(rules, policies, seed, **amount):
    return gz.simulate(rules, policies=policies, seed=seed, **amount).to_pandas()


def own_sums(rows, side, unit):
    """What one side's hands add up to in a unit, by pandas and by name."""
    own = rows[rows.round_id == unit]
    deals = own[own.dealer.isin(DEALERS[side])]
    attacks = own[~own.dealer.isin(DEALERS[side])]
    chips = [f"settlement_{side}", f"settlement_{side + 2}"]
    return {
        "hands": len(own),
        "hands_dealing": len(deals),
        "hands_attacking": len(attacks),
        "settlement": own[chips].to_numpy().sum(),
        "settlement_dealing": deals[chips].to_numpy().sum(),
        "settlement_attacking": attacks[chips].to_numpy().sum(),
        "levels": own[f"raise_{side}"].sum(),
        "levels_given": own[f"raise_{1 - side}"].sum(),
        "points_attacking": attacks.attacker_points.sum(),
        "points_given": deals.attacker_points.sum(),
        "deals_taken": attacks.takes_deal.sum(),
        "deals_lost": deals.takes_deal.sum(),
        "digs": attacks.dig.sum(),
        "dug": deals.dig.sum(),
        "rounds": (own.round_end != 0).sum(),
        "round_won": (own.round_winner == side).sum(),
    }


@pytest.mark.parametrize("mode", ["hands", "rounds"])
def test_the_table_adds_up_runs_of_each_arm_on_each_side(mode):
    amount = {mode: count(12, 2)}
    found = gz.compare(
        {"keep": {}, "two": {"jokers": 2}, "loose": {"policy": "random", "follow": "loose"}}, seed=5, **amount
    )
    table = found.to_pandas()
    rules = {"loose": gz.rules("gunzi", "standard", follow="loose")}
    heroes = {"keep": "basic", "two": "basic:jokers=2", "loose": "random"}
    runs = {
        (arm, side): frame(rules.get(arm, RULES), side_policies(hero, "basic", side), 5, **amount)
        for arm, hero in heroes.items()
        for side in (0, 1)
    }
    assert len(table) == 3 * amount[mode]
    for place, (_, row) in enumerate(table.iterrows()):
        arm = found.arms[row.arm]
        assert (row.round_id, row.arm) == divmod(place, 3)
        firsts, seconds = (own_sums(runs[arm, side], side, row.round_id) for side in (0, 1))
        for name in set(table.columns) & set(firsts):
            assert row[name] == firsts[name] + seconds[name], (name, arm)
            assert row[f"{name}_first"] == firsts[name], (name, arm)
        traces = [runs[arm, side][runs[arm, side].round_id == row.round_id].trace_hash.tolist() for side in (0, 1)]
        usual = [runs["keep", s][runs["keep", s].round_id == row.round_id].trace_hash.tolist() for s in (0, 1)]
        assert row.differs == (traces != usual)
    assert ("round_won" in table.columns) == (mode == "rounds")
    assert set(table[table.arm == 1].differs) == {0, 1} or mode == "rounds" or not IS_COMPILED


def test_arms_that_differ_in_rules_only_are_played_once_by_all_seats():
    found = gz.compare({"plain": {}, "loose": {"follow": "loose"}}, rounds=N_ROUNDS, seed=3, baseline="plain")
    table = found.to_pandas()
    for number, rules in enumerate((RULES, gz.rules("gunzi", "standard", follow="loose"))):
        run = frame(rules, "basic", 3, rounds=N_ROUNDS)
        own = table[table.arm == number].set_index("round_id")
        assert own.attacker_points.tolist() == run.groupby("round_id").attacker_points.sum().tolist()
        assert own.hands.tolist() == run.groupby("round_id").size().tolist()
        assert own.attackers_dig.tolist() == run.groupby("round_id").dig.sum().tolist()
    assert "settlement" not in table.columns
    row = found.summary().judged()[0]
    assert row.name == "attacker_points" and row.arm == "loose"


def test_unlike_seats_are_rotated_for_rule_arms_too():
    found = gz.compare(
        {"plain": {}, "loose": {"follow": "loose"}},
        policies=["basic", "random", "basic", "random"],
        hands=count(40, 3),
        seed=3,
    )
    table = found.to_pandas()
    first = frame(RULES, ["basic", "random"] * 2, 3, hands=count(40, 3))
    second = frame(RULES, ["random", "basic"] * 2, 3, hands=count(40, 3))
    expected = first.settlement_0 + first.settlement_2 + second.settlement_1 + second.settlement_3
    assert table[table.arm == 0].settlement.tolist() == expected.tolist()


def test_four_unlike_seats_move_on_by_one():
    names = ["basic", "random", "basic:jokers=1", "random"]
    found = gz.compare({"plain": {}, "ruffs": {"ruff_points": 10}}, policies=names, hands=2, seed=8)
    jobs = found.plan().arms[0].jobs
    assert [[str(spec) for spec in job.policies] for job in jobs] == [names, [names[-1], *names[:3]]]
    jobs = found.plan().arms[1].jobs
    assert [str(spec) for spec in jobs[0].policies] == [
        "basic:ruff_points=10",
        "random",
        "basic:jokers=1:ruff_points=10",
        "random",
    ]


@pytest.mark.skipif(not IS_COMPILED, reason="too few hands without the compiler for a t interval")
def test_a_difference_is_the_paired_t_interval_of_the_deals():
    found = gz.compare({"keep": {}, "one": {"jokers": 1}}, hands=N_HANDS, seed=2)
    row = found.summary().judged()[0]
    heroes = [frame(RULES, side_policies("basic:jokers=1", "basic", side), 2, hands=N_HANDS) for side in (0, 1)]
    per_deal = sum(
        run[f"settlement_{side}"] + run[f"settlement_{side + 2}"] for side, run in enumerate(heroes)
    ).to_numpy(np.float64)
    per_deal /= 2  # the other arm's two sides add up to nothing
    half = stats.t_quantile(0.95, N_HANDS - 1) * per_deal.std(ddof=1) / math.sqrt(N_HANDS)
    assert row.difference == pytest.approx(per_deal.mean())
    assert (row.difference_lo, row.difference_hi) == pytest.approx((per_deal.mean() - half, per_deal.mean() + half))
    assert row.verdict is Verdict.WORSE
    assert found.summary().differing["one"] == (found.to_pandas().query("arm == 1").differs.mean())
    apart = sum(
        np.var(run[f"settlement_{side}"] + run[f"settlement_{side + 2}"], ddof=1) / 4 for side, run in enumerate(heroes)
    )
    base = frame(RULES, "basic", 2, hands=N_HANDS)
    apart += sum(np.var(base[f"settlement_{side}"] + base[f"settlement_{side + 2}"], ddof=1) / 4 for side in (0, 1))
    assert row.saved == pytest.approx(apart / per_deal.var(ddof=1))


def test_the_baseline_of_equal_seats_settles_to_nothing_and_wins_half():
    found = gz.compare({"keep": {}, "one": {"jokers": 1}}, rounds=N_ROUNDS, seed=2)
    by_name = {row.name: row for row in found.summary().rows if row.arm == "keep"}
    assert by_name["settlement"].estimate == 0
    assert by_name["round_won"].estimate == 0.5
    assert by_name["levels"].estimate == by_name["levels_given"].estimate


def test_arms_alike_do_not_differ_at_all():
    found = gz.compare({"a": {}, "b": {"jokers": 0}}, hands=count(200, 3), seed=2)
    row = found.summary().judged()[0]
    assert (row.difference, row.difference_lo, row.verdict) == (0.0, None, Verdict.UNDECIDED)
    assert found.summary().differing == {"a": 0.0, "b": 0.0}


def test_several_arms_have_intervals_wider_than_one_alone():
    arms = {"keep": {}, "one": {"jokers": 1}, "two": {"jokers": 2}, "three": {"jokers": 3}}
    together = {row.arm: row for row in gz.compare(arms, hands=count(400, 6), seed=2).summary().judged()}
    alone = gz.compare({"keep": {}, "two": {"jokers": 2}}, hands=count(400, 6), seed=2).summary().judged()[0]
    assert together["two"].difference == alone.difference
    widths = [row.difference_hi - row.difference_lo for row in (together["two"], alone)]
    assert 1.05 * widths[1] < widths[0] < 1.6 * widths[1]


def test_threads_and_batches_change_nothing(tmp_path, monkeypatch):
    amount = {"hands": count(20_000, 10), "seed": 4}
    arms = {"keep": {}, "one": {"jokers": 1}}
    whole = gz.compare(arms, threads=1, **amount).to_arrow()
    monkeypatch.setattr(runner, "FIRST_STEP", 7)
    monkeypatch.setattr(runner, "BATCH_S", 0.01)
    assert gz.compare(arms, threads=2, out=tmp_path / "c", **amount).to_arrow().equals(whole)
    assert gz.open_run(tmp_path / "c").to_arrow().equals(whole)


def test_a_stopped_comparison_goes_on_to_the_same_content(tmp_path):
    arms, amount = {"keep": {}, "one": {"jokers": 1}}, {"hands": count(20_000, 9_000), "seed": 4}
    if not IS_COMPILED:
        pytest.skip("several shards are too long without the compiler")
    whole = gz.compare(arms, out=tmp_path / "c", **amount).to_arrow()
    shards = sorted((tmp_path / "c" / "shards").glob("arms-*.parquet"))
    assert len(shards) == 3
    shards[1].unlink()
    found = gz.open_run(tmp_path / "c")
    assert not found.is_complete
    assert found.n_compared == 8192  # what lies after the gap is not used
    assert found.summary().n_starts == 8192
    again = found.resume()
    assert again.is_complete and again.to_arrow().equals(whole)
    with pytest.raises(gz.BusyError, match="its arms, or what they are compared by, are others"):
        gz.compare({"keep": {}, "two": {"jokers": 2}}, out=tmp_path / "c", resume=True, **amount)


@pytest.mark.skipif(not IS_COMPILED, reason="too few hands without the compiler for a decision")
def test_it_stops_when_decided_and_says_so_again(tmp_path):
    arms = {"keep": {}, "one": {"jokers": 1}}
    found = gz.compare(arms, hands=200_000, seed=4, until="decided", out=tmp_path / "c", threads=2)
    assert found.is_complete and found.n_compared == 8192 < found.n_units
    summary = found.summary()
    assert summary.is_sequential and summary.judged()[0].verdict is Verdict.WORSE
    fixed = gz.compare(arms, hands=8192, seed=4).summary().judged()[0]
    assert fixed.difference == summary.judged()[0].difference
    assert summary.judged()[0].difference_lo < fixed.difference_lo  # an interval for every look is wider
    opened = gz.open_run(tmp_path / "c")
    assert opened.is_complete and opened.summary() == summary
    assert opened.resume().n_compared == 8192
    assert len(list((tmp_path / "c" / "shards").iterdir())) == 1


@pytest.mark.skipif(not IS_COMPILED, reason="too few hands without the compiler for a narrow interval")
def test_it_stops_when_the_interval_is_narrow_enough():
    arms = {"keep": {}, "one": {"jokers": 1}}
    width = {}
    for limit in (0.3, 0.12):
        found = gz.compare(arms, hands=500_000, seed=4, until=f"half_width={limit}")
        row = found.summary().judged()[0]
        width[limit] = (row.difference_hi - row.difference_lo) / 2
        assert found.is_complete and width[limit] <= limit
        assert found.n_compared in runner.looks(found.info)
    assert width[0.12] > 0.08  # it did not go on for long


def test_looks_are_whole_shards_and_grow_by_a_quarter():
    info = gz.compare({"a": {}, "b": {"jokers": 1}}, hands=1).info
    from dataclasses import replace

    seen = runner.looks(replace(info, n_units=1050, units_per_shard=10))
    assert seen[:8] == [10, 20, 30, 40, 50, 60, 70, 80]
    assert seen[-1] == 1050 and all(n % 10 == 0 for n in seen)
    assert all(later <= 1.25 * n + 10 for n, later in itertools.pairwise(seen))


def test_any_hand_of_any_arm_can_be_played_again():
    found = gz.compare({"keep": {}, "one": {"jokers": 1}}, rounds=2, seed=4)
    for side in (0, 1):
        records = found.record(1, "one", side)
        run = gz.simulate(RULES, policies=side_policies("basic:jokers=1", "basic", side), rounds=2, seed=4)
        assert records == run.record(1)
    assert found.record(1, "one", 1, hand=0) == run.record(1, hand=0)


REFUSED_CHANGES = [
    ({"joker": 1}, "'joker' is neither .*; did you mean 'jokers'?"),
    ({"folow": "loose"}, "'folow' is neither .*; did you mean 'follow'?"),
    ({"jokers": 7}, "policy basic: jokers must be a whole number 0 to 6, got 7"),
    ({"jokers": True}, "parameter jokers must be a whole number, got True"),
    ({"jokers": 1.5}, "a change is a name with a word or whole number, got 'jokers': 1.5"),
    ({"policy": "random", "jokers": 1}, "'jokers' is neither a parameter of policy random"),
    ({"policy": "basics"}, "unknown policy 'basics'; did you mean 'basic'?"),
    ({"policy": "basic,random"}, "policy must be the text of one policy"),
    ({"follow": "odd"}, "follow must be strict or loose, got 'odd'"),
    ({"win_score": 60}, "win_score must be at least tribute_low"),
    ({"jokers": 2, "max_jokers_per_seat": 1}, "jokers=2, but max_jokers_per_seat is 1 .G8.2."),
    (["jokers"], "its changes must be a mapping"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED_CHANGES)
def test_an_arm_that_cannot_be_is_refused_by_name(changes, message):
    with pytest.raises(gz.InputError, match=f"arm 'b': {message}"):
        gz.compare({"a": {}, "b": changes}, hands=10)


REFUSED = [
    ({"baseline": "c"}, "the baseline must be one of the arms, got 'c'"),
    ({"figure": "settlements"}, "figure must be .*; did you mean 'settlement'"),
    ({"figure": "round_won"}, "figure must be one of the arms' figures, got 'round_won'"),
    ({"until": "soon"}, "until must be decided or half_width=X with X above 0, got 'soon'"),
    ({"until": "half_width=0"}, "until must be decided or half_width=X"),
    ({"until": "half_width=nan"}, "until must be decided or half_width=X"),
    ({"equivalence": -1}, "equivalence must be a number from 0, got -1"),
    ({"equivalence": float("inf")}, "equivalence must be a number from 0, got inf"),
    ({"rounds": 3}, "give either rounds or hands"),
    ({"arms": {"a": {}}}, "a comparison needs 2 to 64 arms, each with a name and what it changes, got 1"),
    ({"arms": [{"a": 1}]}, "a comparison needs 2 to 64 arms"),
    ({"arms": {"a": {}, "b:c": {}}}, "the name of an arm is 1 to 40 printable characters without"),
    ({"arms": {"a": {}, "": {}}}, "the name of an arm is 1 to 40 printable characters"),
    ({"arms": {"a": {}, "b": {"end_level": 5}}, "levels": (7, 3)}, "arm 'b': levels must be integers from 3 to 5"),
]


@pytest.mark.parametrize(("more", "message"), REFUSED)
def test_a_comparison_that_cannot_be_is_refused(more, message):
    with pytest.raises(gz.InputError, match=message):
        gz.compare(**{"arms": {"a": {}, "b": {"jokers": 1}}, "hands": 10} | more)


def test_a_policy_that_breaks_a_rule_is_named_with_its_arm(tmp_path):
    @gz.policy("gunzi", "lead", name="cheat_in_an_arm", base="basic", replace=True)
    def lead(view, params, draws):
        return view.hand_1, view.hand_2, view.hand_3

    with pytest.raises(gz.PolicyError, match=r"cheat_in_an_arm.*arm='b', side=0") as caught:
        gz.compare(
            {"a": {}, "b": {"policy": "cheat_in_an_arm"}},
            policies="basic",
            hands=1,
            out=tmp_path / "c",
            levels=(5, 5),
            dealer=1,
        )
    assert caught.value.arm == ("b", 0)
    with pytest.raises(gz.PolicyError) as again:
        gz.open_run(tmp_path / "c").record(index=0, arm="b", side=0, hand=0)
    assert again.value.detail == caught.value.detail


def test_run_json_names_what_was_compared(tmp_path):
    gz.compare({"a": {}, "b": {"jokers": 1, "follow": "loose"}}, hands=3, out=tmp_path / "c", equivalence=0.1)
    content = json.loads((tmp_path / "c" / "run.json").read_text())["comparison"]
    assert (content["baseline"], content["figure"], content["equivalence"], content["until"]) == (
        "a",
        "settlement",
        0.1,
        None,
    )
    assert [arm["changes"] for arm in content["arms"]] == [{}, {"jokers": 1, "follow": "loose"}]
    assert content["arms"][1]["policies"][0]["text"] == "basic:jokers=1"


def test_split_variance_is_that_of_parts_on_different_units():
    rng = np.random.default_rng(1)
    x = rng.integers(1, 9, (2, 500))
    y = rng.integers(-9, 9, (2, 500)) + 2 * x
    moments = stats.Moments.of(np.array([y.sum(axis=0), x.sum(axis=0), y[0], x[0]]))
    ratio = y.sum() / x.sum()
    residues = y - ratio * x
    expected = sum(500 * np.var(one, ddof=1) for one in residues) / x.sum() ** 2
    assert stats.split_variance(moments, (0, 1), (2, 3)) == pytest.approx(expected)
