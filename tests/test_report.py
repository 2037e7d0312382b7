import base64
import dataclasses
import hashlib
import io
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from counts import count
from gunzi.random_records import random_record
from scipy.stats import t

import gunzi_sim as gz
from gunzi_sim import cli, exhibit, page, plots, report, results, stats, tally
from gunzi_sim.game import InputError, Statistic, Term
from gunzi_sim.gunzi import exhibits, referee, steps
from gunzi_sim.texts import TEXTS, Words

ENGLISH, CHINESE = Words("en"), Words("zh")
EVIL = [
    '"><script>alert(1)</script>',
    "</script><img src=x onerror=alert(2)>",
    "<!--<script>",
    "'\"&amp;</title>",
    "$x$ \u202eabc\ud800 黑桃",
]
"""Texts that break out of where a careless page puts them."""
N_ROUNDS = count(120, 6)


@pytest.fixture(scope="module")
def run():
    return gz.simulate(gz.rules(follow="loose", win_score=125), "basic,random,basic,random", rounds=N_ROUNDS, seed=3)


@pytest.fixture(scope="module")
def pages(run):
    return {words.lang: report.run(run, words) for words in (ENGLISH, CHINESE)}


class Page(HTMLParser):
    """What a browser would find in a page: elements with attributes and the text directly in each, in order."""

    VOID = ("meta", "input", "img", "link", "br")

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "inside": [one["tag"] for one in self.open]}
        self.elements.append(element)
        if tag not in self.VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1]["tag"] == tag, (tag, [one["tag"] for one in self.open])
        self.open.pop()

    def handle_data(self, data):
        if self.open:
            self.open[-1]["text"] += data

    def all(self, tag, **attrs):
        return [
            one
            for one in self.elements
            if one["tag"] == tag and all(one["attrs"].get(key) == value for key, value in attrs.items())
        ]

    def texts(self):
        return [one["text"] for one in self.elements if one["tag"] not in ("script", "style")]


# --- counting ---


def random_rows(seed, n_units=60):
    """Rows by name, several a unit."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, n_units)
    units = np.repeat(np.arange(n_units, dtype=np.int64), sizes)
    n = len(units)
    return {
        "round_id": units,
        "hand": np.concatenate([np.arange(size) for size in sizes]).astype(np.int16),
        "a": rng.integers(-9, 10, n).astype(np.int16),
        "b": rng.integers(0, 3, n).astype(np.int8),
        "flag": rng.integers(0, 2, n).astype(np.int8),
    }


def in_pieces(rows, cuts):
    """The rows cut between units."""
    ends = [0, *(int(np.searchsorted(rows["round_id"], cut)) for cut in cuts), len(rows["round_id"])]
    return [{name: values[a:b] for name, values in rows.items()} for a, b in pairwise(ends)]


def fed(counter, rows, cuts=(1, 1, 17, 40)):
    for piece in in_pieces(rows, cuts):
        counter.add(piece, piece["round_id"])
    return counter


def as_dicts(rows):
    return [dict(zip(rows, map(int, values))) for values in zip(*rows.values())]


SIGNED = (Term("a", (("flag", (0,)),)), Term("b", (("flag", (1,)),)))
"""`a` where the flag is 0, `b` where it is 1."""


def signed(row):
    return row["b"] if row["flag"] else row["a"]


@pytest.mark.parametrize("of_unit", [False, True])
@pytest.mark.parametrize("width", [1, 4])
def test_bars_count_every_row_or_unit_once(of_unit, width):
    rows = random_rows(1)
    found = fed(tally.Bars(exhibit.Distribution("x", SIGNED, width, of_unit)), rows)
    values = [signed(row) for row in as_dicts(rows)]
    if of_unit:
        by_unit = Counter()
        for row in as_dicts(rows):
            by_unit[row["round_id"]] += signed(row)
        values = list(by_unit.values())
    counts = Counter(value // width * width for value in values)  # -1 // 4 is -1: bars below 0 are as wide as others
    assert {start: n for start, n in found.bars() if n} == counts
    starts = [start for start, _ in found.bars()]
    assert starts == list(range(min(counts), max(counts) + 1, width))
    assert found.n == len(values)
    assert found.mean == pytest.approx(sum(values) / len(values))
    assert found.median == sorted(values)[(len(values) - 1) // 2]


def test_a_heat_map_counts_rows_and_independent_units_by_cell():
    rows = random_rows(2)
    wanted = exhibit.HeatMap("x", exhibit.Axis("d", (Term("b"),)), exhibit.Axis("e", SIGNED), (Term("flag"),), True)
    found = fed(tally.Heat(wanted), rows).cells
    cells = {}
    for row in as_dicts(rows):
        cells.setdefault((row["b"], signed(row)), []).append(row)
    assert set(found) == set(cells)
    for key, inside in cells.items():
        units = {}
        for row in inside:
            units.setdefault(row["round_id"], []).append(row["flag"])
        assert found[key][:3] == (sum(row["flag"] for row in inside), len(inside), len(units))
        sums = [[sum(flags) for flags in units.values()], [len(flags) for flags in units.values()]]
        expected = stats.ratio(stats.Moments.of(np.array(sums)), 0, 1)
        if expected.lo is not None:
            half = expected.estimate - expected.lo
            assert found[key].error == pytest.approx(half / t.ppf(0.975, len(units) - 1))
        else:
            assert not found[key].error
    assert any(cell.n_units < cell.n_rows for cell in found.values())


def test_a_running_figure_is_that_of_its_first_units():
    """At every point value and interval are those that `stats.sequence` gives for the units so far, and no more."""
    rows = random_rows(3, 200)
    statistic = Statistic("x", "y", "", SIGNED, among=(("b", (0, 2)),))
    running = fed(tally.Running(statistic, 200, 500), rows, (1, 60, 61, 150))
    n, value, half = running.curve(0.9)
    assert n[0] == tally.FIRST_POINT and n[-1] == 200 and len(n) > 100
    whole = as_dicts(rows)
    for at in (0, len(n) // 2, len(n) - 1):
        part = [row for row in whole if row["round_id"] < n[at]]
        units = np.array([row["round_id"] for row in part])
        tops = [signed(row) for row in part]
        bottoms = [int(row["b"] != 1) for row in part]
        sums = stats.unit_sums(np.array([tops, bottoms, [0] * len(part), bottoms]), units)
        sums = np.vstack([sums[:2], np.zeros_like(sums[:1]), np.ones_like(sums[:1])])  # less a figure that is 0
        expected = stats.sequence(stats.Moments.of(sums), (0, 1), (2, 3), 500, 0.9)
        assert value[at] == pytest.approx(expected.estimate)
        assert value[at] - half[at] == pytest.approx(expected.lo)
        assert value[at] + half[at] == pytest.approx(expected.hi)


def test_a_running_figure_without_spread_is_not_drawn():
    rows = random_rows(4)
    rows["flag"][:] = 1
    statistic = Statistic("x", "y", "", (Term("flag"),), is_rate=True)
    n, _, _ = fed(tally.Running(statistic, 60, 60), rows).curve()
    assert len(n) == 0
    rows["flag"][rows["round_id"] == 45] = 0
    n, _, _ = fed(tally.Running(statistic, 60, 60), rows).curve()
    assert n[0] == 46 and n[-1] == 60


@pytest.mark.parametrize("n_units", [60, 5, 2, 1])
def test_hands_shown_are_the_extremes_and_the_middle(n_units):
    rows = random_rows(5, n_units)
    found = tally.Extremes(SIGNED)
    fed(found, rows)
    for piece in in_pieces(rows, (3, 30)):
        found.add_near(piece, piece["round_id"])
    whole = [(signed(row), row["round_id"], row["hand"]) for row in as_dicts(rows)]
    median = sorted(whole)[(len(whole) - 1) // 2][0]
    left, expected = list(whole), []
    for why, key in (
        ("gain", lambda one: (-one[0], *one[1:])),
        ("loss", lambda one: one),
        ("median", lambda one: (abs(one[0] - median), *one[1:])),
    ):
        for one in sorted(left, key=key)[:2]:
            expected.append((why, *one))
            left.remove(one)
    assert [tuple(pick) for pick in found.picks()] == expected


def test_level_axes_are_of_dealers_and_attackers():
    """G2.2: the hand is played at the dealers' level; theirs is side dealer % 2."""
    levels = exhibits.HEAT_MAPS[0]
    for dealer in range(4):
        row = {"dealer": dealer, "level_0": 5, "level_1": 8, "level": (5, 8)[dealer % 2], "takes_deal": 1}
        values = {name: np.array([value]) for name, value in row.items()}
        assert tally.amount(values, levels.down.terms, 1) == [(5, 8)[dealer % 2]]
        assert tally.amount(values, levels.across.terms, 1) == [(8, 5)[dealer % 2]]


def test_joker_axes_count_the_attackers_seats():
    jokers = exhibits.HEAT_MAPS[1]
    for dealer in range(4):
        row = {"dealer": dealer} | {f"{size}_dealt_{seat}": 1 << seat for size in ("big", "small") for seat in range(4)}
        values = {name: np.array([value]) for name, value in row.items()}
        for axis in (jokers.down, jokers.across):
            assert tally.amount(values, axis.terms, 1) == [(10, 5)[dealer % 2]]  # seats 1, 3 attack dealers 0 and 2


# --- steps of a replay ---


def ahead(step, led, order):
    """Seat that is winning an unfinished trick (G11.1): identical cards, as many as led, of the led suit or trumps."""
    strengths = {}
    for seat in [(step.lead + place) % 4 for place in range(4)]:
        cards = step.table[seat]
        if len(cards) == len(led) and len(set(cards)) == 1 and order.suit[cards[0]] in (order.suit[led[0]], 4):
            strengths[seat] = order.strength[cards[0]]
    return max(strengths, key=strengths.get)  # of equal ones the first


@pytest.mark.parametrize("seed", range(60))
def test_steps_reproduce_the_record(seed):
    record = random_record(random.Random(seed))
    result, hand_steps = referee.derive(record), steps.steps(record, ENGLISH)
    deck, order = Counter(record["deck"]), referee.judge(record)[0].order
    played, n_play, lead, points = Counter(), 0, result["dealer"], [0, 0]
    for step in hand_steps:
        if step.trick and step.moved is not None:
            place, trick = n_play % 4, n_play // 4
            play = record["plays"][n_play]
            assert (step.lead, step.moved, step.trick) == (lead, (lead + place) % 4, trick + 1)
            assert list(step.table[step.moved]) == play
            assert sum(bool(cards) for cards in step.table) == place + 1
            played.update(play)
            assert step.best == ahead(step, record["plays"][n_play - place], order)
            if place == 3:
                assert step.best == result["winners"][trick]
                taken = sum(
                    (0, 5, 10)[(kind % 13 == 3) + 2 * (kind % 13 in (8, 11))]
                    for cards in step.table
                    for kind in cards
                    if kind < 52
                )
                lead = step.best
                points[(lead - result["dealer"]) % 2] += taken
            n_play += 1
            assert step.points == points[1]
        held = Counter(kind for hand in step.hands for group in hand for kind in group)
        assert held + played + Counter(step.bottom) == deck, step
    assert n_play == len(record["plays"])
    dug = record["rules"].dig_multiplier * result["bottom_points"] if result["dig"] else 0
    assert hand_steps[-1].points == result["attacker_points"] == points[1] + dug
    assert not any(group for hand in hand_steps[-1].hands for group in hand)


@pytest.mark.parametrize("seed", range(20))
def test_hands_are_sorted_trumps_first(seed):
    """G9.1: once the trump suit is known, the first group is the trumps, high to low, and the rest lies by suit."""
    record = random_record(random.Random(seed))
    result, strength = referee.derive(record), referee.judge(record)[0].order.strength
    for step in steps.steps(record, ENGLISH)[-1 - len(record["plays"]) :]:
        for trumps, *suits in step.hands:
            for kind in trumps:
                is_trump = (
                    kind >= 52 or kind % 13 == 0 or kind % 13 + 2 == result["level"] or kind // 13 == result["trump"]
                )
                assert is_trump
            strengths = [strength[kind] for kind in trumps]
            assert strengths == sorted(strengths, reverse=True)
            for suit, group in enumerate(suits):
                assert list(group) == sorted((kind for kind in group if kind // 13 == suit), reverse=True)


def test_a_record_with_a_fault_has_no_steps():
    record = random_record(random.Random(1))
    record["plays"][0] = [kind for kind in range(54) if kind != record["plays"][0][0]][:1] * 3
    with pytest.raises(ValueError, match=r"G10\.1"):
        steps.steps(record, ENGLISH)


def test_steps_have_their_texts_in_chinese():
    for seed in range(20):
        for step in steps.steps(random_record(random.Random(seed)), CHINESE):
            assert re.search("[\u4e00-\u9fff]", step.text) and step.text.endswith("。")
            assert not re.search("[a-z]", step.text + step.score + step.phase)


# --- plots ---


def svg_tree(svg):
    return ElementTree.fromstring(svg.replace("<svg", '<svg xmlns:xlink="x"', 1))


def every_plot(label="x"):
    sizes = {(0, 0): (5, 40, 40), (0, 1): (9, 40, plots.THIN), (1, 1): (3, 90, 29)}
    cells = {key: tally.Cell(*size, 0, 0, 0) for key, size in sizes.items()}
    return [
        plots.running("one", [30, 60, 90], [0.5, 0.6, 0.55], [0.2, 0.1, 0.05], label, label, str),
        plots.bars("two", [(0, 3), (5, 0), (10, 4)], 5, 4.5, label, label),
        plots.heat(
            "three", cells, [(0, label), (1, "1")], [(0, "0"), (1, "1")], label, label, lambda value: f"{value:.3f}"
        ),
        plots.intervals("four", [(label, 0.1, -0.1, 0.3), ("b", None, None, None)], label, str),
    ]


@pytest.mark.parametrize("label", [*EVIL[:4], '$x^2$ #010101 id="a"', "抓分方得分"])
def test_labels_stay_text_and_stay_what_they_are(label):
    for svg in every_plot(label):
        texts = [node.text for node in svg_tree(svg).iter("text")]
        assert label in texts
        assert {node.tag for node in svg_tree(svg).iter()} <= {
            "svg",
            "g",
            "path",
            "defs",
            "use",
            "text",
            "clipPath",
            "rect",
            "pattern",
        }


def test_plots_share_a_page():
    """Every id is there once, and every reference leads to an id of its own plot."""
    seen = set()
    for svg in [*every_plot(), plots.bars("five", [(0, 3), (5, 0), (10, 4)], 5, 4.5, "x", "x")]:
        ids = [node.get("id") for node in svg_tree(svg).iter() if node.get("id")]
        assert len(set(ids)) == len(ids) and not seen & set(ids)
        references = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
        assert references and references <= set(ids)
        seen |= set(ids)


def test_cells_from_few_starts_are_hatched():
    """The cell of 29 starts alone, and it has no part in the range of colours."""
    svg = every_plot()[2]
    fills = re.findall(r"fill: (#\w+|url\(#three-h\w+\)|var\(--\w+\)); stroke: var", svg)
    assert [fill.startswith("url") for fill in fills[:3]] == [False, False, True]
    texts = [node.text for node in svg_tree(svg).iter("text")]
    assert {"0.125", "0.225", "0.033"} <= set(texts)
    shades = [fill for fill in fills[:3] if fill.startswith("#")]
    assert shades == ["#ddecf6", "#144b78"]  # the ends of the range


def test_plots_take_nothing_from_the_user_s_settings(monkeypatch):
    import matplotlib

    before = every_plot()
    with matplotlib.rc_context(
        {"axes.facecolor": "red", "axes.labelsize": 30, "xtick.direction": "in", "svg.fonttype": "path"}
    ):
        assert every_plot() == before


# --- the page ---


def test_the_page_needs_nothing_from_anywhere(pages):
    for text in pages.values():
        found = Page(text)
        assert "http" not in re.sub(r"http-equiv", "", text)
        assert not re.search(r"@import|\bsrc=|url\((?!#)|\bsrcset|<link|<base|<iframe|<object|<embed", text)
        for one in found.elements:
            for name, value in one["attrs"].items():
                assert not name.startswith("on")
                if name.endswith("href"):
                    assert value.startswith("#")


def test_the_browser_may_run_one_script_and_fetch_nothing(pages):
    for text in pages.values():
        found = Page(text)
        (policy,) = found.all("meta", **{"http-equiv": "Content-Security-Policy"})
        scripts = [one for one in found.all("script") if one["attrs"].get("type") != "application/json"]
        digests = [base64.b64encode(hashlib.sha256(one["text"].encode()).digest()).decode() for one in scripts]
        assert len(digests) == 1
        rules = dict(part.strip().split(" ", 1) for part in policy["attrs"]["content"].split(";"))
        assert rules["default-src"] == "'none'"
        assert rules["script-src"] == f"'sha256-{digests[0]}'"
        assert set(rules) == {"default-src", "script-src", "style-src", "base-uri", "form-action"}
        assert all(one["tag"] != "script" or "head" not in one["inside"] for one in found.elements)


def test_the_table_has_the_figures_of_the_summary(run, pages):
    summary = run.summary()
    rows = {
        one["attrs"]["data-figure"]: one["attrs"]
        for one in Page(pages["en"]).all("tr")
        if "data-figure" in one["attrs"]
    }
    assert list(rows) == [row.name for row in summary.rows]
    for row in summary.rows:
        shown = rows[row.name]
        for key in ("estimate", "lo", "hi"):
            value = getattr(row, key)
            assert shown[f"data-{key}"] == ("" if value is None else str(value))
        assert shown["data-n"] == str(row.n)
    points = next(row for row in summary.rows if row.name == "attacker_points")
    cell = re.search(r'data-figure="attacker_points".*?</td><td class="number">([\d.]+)</td>', pages["en"])[1]
    places = len(cell.partition(".")[2])
    assert cell == f"{points.estimate:.{places}f}"


def test_the_page_says_what_was_played(run, pages):
    texts = Page(pages["en"]).texts()
    for wanted in ("seat 0: basic; seat 1: random; seat 2: basic; seat 3: random", "3", "preset standard"):
        assert wanted in texts
    for changed in (["follow", "loose", "strict"], ["win_score", "125", "120"]):
        at = texts.index(changed[0])
        assert texts[at : at + 3] == changed
    assert "tribute_low" not in texts


def test_the_replays_are_those_of_the_run(run, pages):
    frame = run.to_pandas()
    frame["gain"] = frame.settlement_0.astype(int) + frame.settlement_2
    ordered = frame.sort_values(["gain", "round_id", "hand"], ascending=[False, True, True])
    best = ordered.iloc[0]
    stored = [one["text"] for one in Page(pages["en"]).all("script", **{"class": "steps"})]
    assert len(stored) == 6
    data = [json.loads(text)["boards"][0] for text in stored]
    (record,) = run.record(int(best.round_id), int(best.hand))
    expected = steps.steps(run.hands(int(best.round_id), int(best.hand))[0], ENGLISH)
    assert [step["text"] for step in data[0]] == [step.text for step in expected]
    assert data[0][-1]["points"] == record["result"]["attacker_points"] == int(best.attacker_points)
    notes = [one["text"] for one in Page(pages["en"]).all("p", **{"class": "note"})]
    assert any(f"gunzi-sim show RUN --index {best.round_id} --hand {best.hand}" in note for note in notes)


def test_a_heat_map_has_its_numbers_beside_it(run, pages):
    frame = run.to_pandas()
    dealers = frame.level
    attackers = frame.level_1.where(frame.dealer % 2 == 0, frame.level_0)
    shown = {
        one["attrs"]["data-cell"]: one["attrs"] for one in Page(pages["en"]).all("tr") if "data-cell" in one["attrs"]
    }
    # both heat maps use small numbers; cells of levels begin at the start level, 3, in both places
    for (first, second), part in frame.groupby([dealers, attackers]):
        if first > 3:
            attrs = shown[f"{first},{second}"]
            assert float(attrs["data-mean"]) == pytest.approx(part.takes_deal.mean())
            assert int(attrs["data-starts"]) == part.round_id.nunique()


def with_texts(run, texts):
    """The same run, its run.json holding other texts wherever it holds any."""
    info = dataclasses.replace(
        run.info,
        policies=tuple({"text": text, "source_hash": text} for text in texts[:4]),
        versions={text: text for text in texts},
        rules=dict(run.info.rules) | {"preset": texts[0], texts[1]: texts[2]},
        deals={"n": texts[0], "sha256": texts[1]},
        situation={"levels": texts[:2], "dealer": texts[2], "owed": texts[3]},
    )
    return results.Run(info, None, run._in_memory)


def test_texts_of_a_run_stay_texts(run):
    harmless = with_texts(run, ["a", "b", "c", "d", "e"])
    plain, evil = (Page(report.run(one, ENGLISH)) for one in (harmless, with_texts(run, EVIL)))
    assert [one["tag"] for one in plain.elements] == [one["tag"] for one in evil.elements]
    assert [set(one["attrs"]) for one in plain.elements] == [set(one["attrs"]) for one in evil.elements]
    shown = " ".join(evil.texts())
    for text in EVIL[:4]:
        assert text in shown
    assert "$x$ \ufffdabc\ufffd 黑桃" in shown
    warnings = [one["text"] for one in evil.all("p", **{"class": "warning"})]
    assert any("cannot be shown" in text and EVIL[0][:20] in text for text in warnings)
    assert not evil.all("section", **{"class": "replay"})


@pytest.mark.parametrize("text", EVIL)
def test_texts_of_a_replay_stay_texts(text):
    step = exhibit.Step(text, text, (((0,),),) * 4, ((), (), (), ()), (1, 2), 5, text)
    made = page.replay(text, text, text, [(text, [text] * 4, [step], text)], ENGLISH, parting=0)
    found = Page(made)
    assert len(found.all("script")) == 1 and found.elements[0]["tag"] == "section"
    shown = json.loads(found.all("script")[0]["text"])["boards"][0][0]
    safe = text.replace("\ud800", "?")
    assert (shown["text"], shown["phase"], shown["score"]) == (safe, safe, safe)
    visible = text.replace("\ud800", "\ufffd").replace("\u202e", "\ufffd")
    assert found.elements[1]["text"] == visible
    attributes = found.elements[0]["attrs"]
    assert set(attributes) == {"class", "id", "tabindex", "role", "aria-label"}
    assert (attributes["id"], attributes["aria-label"]) == (visible, f"{visible}. {visible}")
    assert found.all("pre")[0]["text"] == visible


def test_chinese_is_everywhere(pages):
    found = Page(pages["zh"])
    assert found.all("html")[0]["attrs"]["lang"] == "zh-CN"
    for tag in ("h1", "h2", "h3", "figcaption", "summary", "th"):
        for one in found.all(tag):
            if tag != "th" or re.search("[A-Za-z]{2}", one["text"]):
                assert re.search("[\u4e00-\u9fff]", one["text"]), one
    english = {
        text[0] for key, text in TEXTS.items() if key.startswith(("report.", "dist.", "axis.", "heat.", "figure."))
    }
    assert not english & set(found.texts())


def test_the_same_run_has_the_same_page(run, pages, tmp_path, monkeypatch):
    """On disk, cut otherwise, or in another process with other hashes of strings."""
    monkeypatch.setattr("gunzi_sim.runner.LEAST_PER_SHARD", {"rounds": 7, "hands": 7})
    rules = gz.rules(follow="loose", win_score=125)
    out = tmp_path / "elsewhere"
    again = gz.simulate(rules, "basic,random,basic,random", rounds=N_ROUNDS, seed=3, out=out, threads=2)
    again.report(tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == pages["en"]
    code = f"import gunzi_sim as gz; gz.open_run({str(out)!r}).report({str(tmp_path / 'b.html')!r})"
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    assert (tmp_path / "b.html").read_bytes() == (tmp_path / "a.html").read_bytes()


@pytest.mark.parametrize("n_hands", [1, 3])
def test_a_tiny_run_has_a_page(n_hands):
    run = gz.simulate(gz.rules(), "random", hands=n_hands, seed=1)
    found = Page(report.run(run, ENGLISH))
    assert len(found.all("section", **{"class": "replay"})) == n_hands
    if n_hands == 1:
        assert TEXTS["report.running_none"][0] in found.texts()
        assert not found.all("p", **{"class": "verdict"})


def test_an_unfinished_run_says_so(run, tmp_path, monkeypatch):
    monkeypatch.setattr("gunzi_sim.runner.LEAST_PER_SHARD", {"rounds": 2, "hands": 2})
    gz.simulate(gz.rules(), "random", hands=8, seed=1, out=tmp_path / "r")
    sorted((tmp_path / "r" / "shards").iterdir())[-1].unlink()
    found = Page(report.run(gz.open_run(tmp_path / "r"), ENGLISH))
    warnings = [one["text"] for one in found.all("p", **{"class": "warning"})]
    assert any(text.startswith("The run is not complete: 6 single hands of 8 single hands") for text in warnings)
    complete = Page(report.run(run, ENGLISH))
    assert not any("not complete" in one["text"] for one in complete.all("p", **{"class": "warning"}))


# --- where it is written ---


def test_a_report_replaces_a_file_and_no_directory(run, pages, tmp_path):
    target = tmp_path / "r.html"
    target.write_text("old")
    run.report(str(target), lang="zh")
    assert target.read_text(encoding="utf-8") == pages["zh"]
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    for bad in (tmp_path, tmp_path / "no" / "r.html"):
        with pytest.raises(InputError, match="must name a file in a directory that exists"):
            run.report(bad)
    with pytest.raises(InputError, match="lang must be en or zh, got 'fr'"):
        run.report(target, lang="fr")
    assert target.read_text(encoding="utf-8") == pages["zh"]


@pytest.fixture
def quick(monkeypatch):
    """Pages that say their language alone, where only the way to the file is tested."""
    monkeypatch.setattr(report, "html", lambda found, words: f"{found.n_units} {words.lang}")


def test_the_verb_writes_what_python_writes(quick, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gz.simulate(gz.rules(), "random", hands=4, seed=2, out="runs-a")
    assert cli.main(["report", "runs-a/", "--lang", "zh", "--quiet"]) == 0
    assert (tmp_path / "runs-a-report.html").read_text() == "4 zh"
    assert cli.main(["report", "runs-a", "-o", "b.html", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"path": "b.html"}
    assert (tmp_path / "b.html").read_text() == "4 en"
    assert cli.main(["report", "nothing-here"]) == 2
    assert "nothing-here" in capsys.readouterr().err
    assert cli.main(["report", "runs-a", "-o", "no/b.html"]) == 2
    assert "path must name a file" in capsys.readouterr().err


def test_chinese_does_not_depend_on_the_console(quick, tmp_path, monkeypatch):
    """A console that cannot print Chinese is told in English, but the page is in the language asked for."""
    gz.simulate(gz.rules(), "random", hands=2, seed=2, out=tmp_path / "r")
    console = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", console)
    assert cli.main(["report", str(tmp_path / "r"), "-o", str(tmp_path / "b.html"), "--lang", "zh"]) == 0
    assert console.buffer.getvalue().startswith(b"report: ")
    assert (tmp_path / "b.html").read_text() == "2 zh"
