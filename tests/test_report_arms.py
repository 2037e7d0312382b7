import json
import re

import numpy as np
import pytest
from counts import IS_COMPILED, count
from test_report import EVIL, Page, fed, in_pieces, random_rows

import gunzi_sim as gz
from gunzi_sim import exhibit, page, report, report_arms, stats, tally
from gunzi_sim.texts import TEXTS, Words

pytestmark = pytest.mark.skipif(not IS_COMPILED, reason="whole comparisons, minutes in plain Python")
ENGLISH, CHINESE = Words("en"), Words("zh")
ATTACK = '"><script>alert(1)</script>'
N_HANDS = count(300, 36)
ARMS = {"keep": {}, "two": {"jokers": 2}, ATTACK: {"policy": "random"}}


@pytest.fixture(scope="module")
def found():
    return gz.compare(ARMS, baseline="keep", rules=gz.rules(), hands=N_HANDS, seed=4)


@pytest.fixture(scope="module")
def pages(found):
    return {words.lang: report.html(found, words) for words in (ENGLISH, CHINESE)}


def rows_with(text, name):
    return [one["attrs"] for one in Page(text).all("tr") if name in one["attrs"]]


def numbers_of(text, plot, name):
    """Attributes of the rows of numbers under one plot."""
    figure = re.search(rf'id="{plot}-figure_1".*?</figure>', text, re.DOTALL)[0]
    return rows_with(figure.partition("</svg>")[2].removesuffix("</figure>"), name)


def replays(text):
    """Data of every replay, with its title and note."""
    parsed = Page(text)
    data = [json.loads(one["text"]) for one in parsed.all("script", **{"class": "steps"})]
    labels = [one["attrs"]["aria-label"] for one in parsed.all("section", **{"class": "replay"})]
    return list(zip(data, labels))


# --- counting ---


@pytest.mark.parametrize("most", [3, 60])
def test_bars_of_numbers_are_as_wide_as_it_takes(most):
    values = np.array([-7, -7, 3, 0, 90, 12])
    found = tally.bars_of(values, most)
    assert found.wanted.width == {3: 50, 60: 2}[most]
    assert found.n == 6 and found.mean == pytest.approx(values.mean())
    for start, n in found.bars():
        assert n == ((values >= start) & (values < start + found.wanted.width)).sum()
    assert len(found.bars()) <= most + 1


def test_a_paired_curve_is_the_sequence_of_the_first_units():
    rng = np.random.default_rng(6)
    lines = np.stack(
        [rng.integers(-5, 9, 250), rng.integers(1, 3, 250), rng.integers(-5, 5, 250), rng.integers(1, 3, 250)]
    )
    n, value, half = tally.paired_curve(lines, 400, 0.9)
    assert n[0] == tally.FIRST_POINT and n[-1] == 250
    for at in (0, 17, -1):
        expected = stats.sequence(stats.Moments.of(lines[:, : n[at]]), (0, 1), (2, 3), 400, 0.9)
        assert (value[at], half[at]) == pytest.approx((expected.estimate, expected.hi - expected.estimate))


def test_a_paired_curve_without_spread_is_empty():
    lines = np.ones((4, 80), np.int64)
    assert [len(part) for part in tally.paired_curve(lines, 80, 0.95)] == [0, 0, 0]


def test_hands_part_where_a_step_first_differs():
    step = exhibit.Step("p", "t", (), (), (), 0, "s")
    same = [step] * 4
    for at in range(4):
        other = [*same[:at], step._replace(text="u"), *same[at + 1 :]]
        assert report_arms.parting_of(same, other) == at
    moved = [*same[:2], step._replace(table=((1,),)), *same[3:]]  # the text alone does not decide
    assert report_arms.parting_of(same, moved) == 2
    assert report_arms.parting_of(same, same[:3]) == 2


# --- the page ---


def test_every_difference_is_that_of_the_summary(found, pages):
    summary = found.summary()
    rows = [attrs for attrs in rows_with(pages["en"], "data-difference")]
    assert [(attrs["data-figure"], attrs["data-arm"]) for attrs in rows] == [
        (row.name, row.arm) for row in summary.rows
    ]
    for attrs, row in zip(rows, summary.rows):
        for name in ("estimate", "difference", "difference_lo", "difference_hi", "saved"):
            value = getattr(row, name)
            assert attrs[f"data-{name.replace('_', '-')}"] == ("" if value is None else str(value))
    assert any(row.saved is not None for row in summary.rows)


def test_a_heat_map_has_the_gain_by_jokers_dealt(found, pages):
    """Every cell is the mean gain of the deals that gave the dealer and its partner so many jokers (G3.1)."""
    kinds = gz.deals(n=N_HANDS, seed=4) % 54
    of_side = kinds[:, [draw for draw in range(156) if draw % 4 in (0, 2)]]  # dealer 0 draws first
    big, small = (of_side == 53).sum(axis=1), (of_side == 52).sum(axis=1)
    sums, counts = found.values("settlement")
    for arm in (1, 2):
        gain = sums[arm] - sums[0]
        rows = numbers_of(pages["en"], f"heat-arm-{arm}", "data-cell")
        assert len(rows) == len(set(zip(big.tolist(), small.tolist())))
        for attrs in rows:
            n_big, n_small = map(int, attrs["data-cell"].split(","))
            chosen = (big == n_big) & (small == n_small)
            assert float(attrs["data-mean"]) == pytest.approx(gain[chosen].sum() / counts[arm][chosen].sum())
            assert int(attrs["data-starts"]) == chosen.sum()
            if chosen.sum() > 1:
                error = np.std(gain[chosen] / 2, ddof=1) / chosen.sum() ** 0.5  # two hands a deal
                assert float(attrs["data-error"]) == pytest.approx(error)
    assert "抓到的大王" in pages["zh"]


def test_given_deals_are_sorted_by_their_own_jokers():
    decks = gz.deals(n=40, seed=11)
    given = gz.compare({"a": {}, "b": {"jokers": 2}}, deals=decks)
    same = gz.compare({"a": {}, "b": {"jokers": 2}}, hands=40, seed=11)
    assert (given.decks(3, 9) == decks[3:9]).all() and (same.decks(3, 9) == decks[3:9]).all()


def test_rounds_and_first_hands_have_no_heat_map():
    for more in ({"rounds": 4}, {"hands": 4, "first_hand": True}):
        arms = gz.compare({"a": {}, "b": {"claim_trumps": 1}}, seed=2, **more)
        assert "heat-arm" not in report.html(arms, ENGLISH)


def test_the_verdict_of_every_arm_comes_first(found, pages):
    for lang, words in (("en", ENGLISH), ("zh", CHINESE)):
        said = [one["text"] for one in Page(pages[lang]).all("p", **{"class": "verdict"})]
        assert len(said) == 2 and "two" in said[0] and ATTACK in said[1] and all("keep" in text for text in said)
        assert all(("chips/hand" if lang == "en" else "积分/局") in text for text in said), words


def test_the_last_point_of_a_curve_is_the_difference_found(found, pages):
    judged = found.summary().judged()
    ends = []
    for place in (1, 2):
        rows = numbers_of(pages["en"], f"running-arm-{place}", "data-half")
        assert int(rows[-1]["data-n"]) == N_HANDS
        ends.append(float(rows[-1]["data-estimate"]))
    assert ends == pytest.approx([row.difference for row in judged])


def test_a_sequential_verdict_has_the_interval_of_its_curve():
    """With `until` the table's interval holds at every look, so it is the band's end."""
    found = gz.compare({"keep": {}, "dice": {"policy": "random"}}, hands=count(64, 40), seed=1, until="decided")
    (row,) = found.summary().judged()
    rows = rows_with(report.html(found, ENGLISH), "data-half")
    assert float(rows[-1]["data-estimate"]) + float(rows[-1]["data-half"]) == pytest.approx(row.difference_hi)


def gaps_of(found, arm):
    frame = found.to_pandas()
    own, usual = (frame[frame.arm == found.arms.index(name)].reset_index(drop=True) for name in (arm, "keep"))
    gaps = own.settlement - usual.settlement
    return gaps[(own.differs != 0) | (gaps != 0)]


def test_the_bars_are_the_gains_of_deals_that_differ(found, pages):
    for place, arm in enumerate(found.arms):
        if arm == "keep":
            continue
        bars = numbers_of(pages["en"], f"dist-arm-{place}", "data-bar")
        shown = {int(attrs["data-bar"]): int(attrs["data-count"]) for attrs in bars}
        gaps = gaps_of(found, arm)
        assert sum(shown.values()) == len(gaps)
        width = tally.bars_of(gaps.to_numpy()).wanted.width
        for start, n in shown.items():
            assert start % width == 0 and ((gaps >= start) & (gaps < start + width)).sum() == n


def test_the_deals_shown_are_the_extremes_of_the_arm_that_differs_most(found, pages):
    judged = found.summary().judged()
    arm = max(judged, key=lambda row: abs(row.difference)).arm
    gaps = gaps_of(found, arm)
    ordered = sorted((-gap, unit) for unit, gap in gaps.items())
    best = [(unit, -gap) for gap, unit in ordered[:2]]
    worst = sorted((gap, unit) for unit, gap in gaps.items())[:2]
    wanted = best + [(unit, gap) for gap, unit in worst]
    shown = [
        (int(re.search(r"hand (\d+)", label)[1]), int(re.search(r": ([+-]\d+)", label)[1]))
        for _, label in replays(pages["en"])
    ]
    assert len(shown) == 6 and shown[:4] == wanted
    middle = sorted(gaps)[(len(gaps) - 1) // 2]
    if N_HANDS > 100:
        assert all(gain == middle for _, gain in shown[4:])


def test_both_hands_are_those_of_the_arms_and_part_where_it_says(found, pages):
    arm = max(found.summary().judged(), key=lambda row: abs(row.difference)).arm
    for data, label in replays(pages["en"]):
        unit, side = int(re.search(r"hand (\d+)", label)[1]), int(re.search(r"is side (\d)", label)[1])
        for steps, name in zip(data["boards"], (arm, "keep")):
            (record,) = found.record(unit, name, side)
            assert steps[-1]["points"] == record["result"]["attacker_points"]
            assert sum(step["trick"] > 0 and step["moved"] is not None for step in steps) == len(record["plays"])
        ours, theirs = data["boards"]
        at = data["parting"]
        assert ours[:at] == theirs[:at] and ours[at] != theirs[at]
        assert f"part at step {at + 1}" in label


def test_the_side_shown_is_the_one_that_gained(found, pages):
    """Of the two turns of a deal the one in which the arm won or lost more."""
    arm = max(found.summary().judged(), key=lambda row: abs(row.difference)).arm
    for number, (_, label) in enumerate(replays(pages["en"])[:4]):
        unit, side = int(re.search(r"hand (\d+)", label)[1]), int(re.search(r"is side (\d)", label)[1])
        gains = []
        for turn in (0, 1):
            chips = [found.record(unit, name, turn)[0]["result"]["settlement"] for name in (arm, "keep")]
            gains.append(sum(chips[0][turn::2]) - sum(chips[1][turn::2]))
        assert gains[side] == (max(gains) if number < 2 else min(gains))
        assert sum(gains) == int(re.search(r": ([+-]\d+)", label)[1])


def test_names_of_arms_stay_texts(pages):
    for text in pages.values():
        parsed = Page(text)
        scripts = [one for one in parsed.all("script") if "type" not in one["attrs"]]
        assert len(scripts) == 1 and "alert" not in scripts[0]["text"]
        assert "<script>alert" not in text
        assert ATTACK in [one["text"] for one in parsed.all("h4")]
        assert ATTACK in [one["text"] for one in parsed.all("text")]
        assert ATTACK in [one["text"] for one in parsed.all("td")]
        assert "http" not in text.replace("http-equiv", "")


def test_chinese_is_everywhere(pages):
    english = {text[0] for key, text in TEXTS.items() if key.startswith(("report.", "compare.", "figure.", "unit."))}
    shown = set(Page(pages["zh"]).texts())
    assert not english & shown
    assert {"差的分布", "差别背后的牌局", "分歧处"} <= shown


def test_arms_that_differ_in_rules_only(tmp_path):
    """Whole rounds: the hand shown is the first of its round that differs, and the page is the same on disk."""
    amount = {"rounds": count(6, 2), "seed": 3, "policies": "random"}
    arms = {"strict": {}, "loose": {"follow": "loose"}}
    inside, stored = gz.compare(arms, **amount), gz.compare(arms, **amount, out=tmp_path / "c")
    text = report.html(inside, ENGLISH)
    stored.report(tmp_path / "c.html")
    assert (tmp_path / "c.html").read_text(encoding="utf-8") == text
    assert TEXTS["report.of_hand"][0] in Page(text).texts()
    shown = replays(text)
    assert shown
    for data, label in shown:
        unit, hand = map(int, re.search(r"round (\d+), hand (\d+)", label).groups())
        pairs = list(zip(inside.record(unit, "strict"), inside.record(unit, "loose")))
        for strict, loose in pairs[:hand]:
            assert {**strict, "rules": 0} == {**loose, "rules": 0}
        assert pairs[hand][0]["plays"] != pairs[hand][1]["plays"]
        points = [board[-1]["points"] for board in data["boards"]]
        assert points == [pairs[hand][turn]["result"]["attacker_points"] for turn in (1, 0)]


def test_a_difference_of_results_alone_is_shown():
    """The same play under other rules of scoring: the hands part at their result."""
    found = gz.compare({"usual": {}, "tenfold": {"dig_multiplier": 6}}, hands=count(40, 12), seed=2, policies="random")
    text = report.html(found, ENGLISH)
    assert replays(text)
    for data, _ in replays(text):
        assert data["parting"] == len(data["boards"][0]) - 1


def test_arms_that_do_not_differ():
    found = gz.compare({"a": {}, "b": {}}, hands=count(40, 4), seed=2, policies="random")
    parsed = Page(report.html(found, ENGLISH))
    assert "Nothing differs." in parsed.texts()
    assert not parsed.all("section", **{"class": "replay"})
    assert TEXTS["report.running_none"][0] in parsed.texts()


def test_the_median_of_hands_shown_does_not_depend_on_pieces():
    rows = random_rows(7)
    rows["gap"] = rows["a"]
    picks = []
    for cuts in ((), (5, 6, 40)):
        found = fed(tally.Extremes(report_arms._GAP), rows, cuts)
        for piece in in_pieces(rows, cuts):
            found.add_near(piece, piece["round_id"])
        picks.append(found.picks())
    assert picks[0] == picks[1]


@pytest.mark.parametrize("text", EVIL)
def test_names_beside_each_other_stay_texts(text):
    step = exhibit.Step("p", "t", (((0,),),) * 4, ((), (), (), ()), (), 0, "s")
    boards = [(text, ["a"] * 4, [step], "x"), ("b", ["b"] * 4, [step], "y")]
    parsed = Page(page.replay("r", "t", "n", boards, ENGLISH, 0))
    assert parsed.all("h4")[0]["text"] == text.replace("\ud800", "\ufffd").replace("\u202e", "\ufffd")
    assert len(parsed.all("script")) == 1
