"""Advice: ranking and stopping on made-up results, values of determined positions, and what is refused."""

import json
from typing import NamedTuple

import numpy as np
import pytest
from captured import play
from counts import IS_COMPILED, count
from gunzi.test_playout import job_of
from gunzi.test_search import legal_answers, question
from gunzi.test_seen import cards_at, named, told

import gunzi_sim as gz
from gunzi_sim import advice, games, layout, stats
from gunzi_sim.cards import kind_name, parse_hand
from gunzi_sim.game import PolicySpec
from gunzi_sim.gunzi import advisor, engine, referee
from gunzi_sim.gunzi.rules import PRESETS
from gunzi_sim.gunzi.view import FOLLOW, LEAD, ROW
from gunzi_sim.texts import Words

RULES = PRESETS["standard"]
HAND = "JBx2 JS SAx2 SKx2 SQ S9x2 S7 S4x2 H5x2 D5 S2 H2 HAx2 HK HT H7 DAx2 DKx2 DJ D8x2 D6 CA CQx2 CJ C9 C7x2 C4"


class FakeFact(NamedTuple):
    what: str
    where: int


class FakeTrials:
    """Answers whose results are drawn from normal distributions; the third is best where the fact holds."""

    seat, side = 1, 1
    answers = ([5], [6], [7])
    means = (0.0, 2.0, -1.0)
    bonus = 0.0
    n_legal = 3

    def __init__(self, rules, question, policy, spec, seed):
        self.rng = np.random.default_rng(seed)
        self.asked_for = []

    def play(self, n):
        self.asked_for.append(n)
        results = np.zeros((n, 3, 9), np.int64)
        features = self.rng.integers(0, 2, (n, 1))
        common = self.rng.normal(0, 20, (n, 1))
        own = self.rng.normal(0, 3, (n, 3))
        results[..., 0] = np.rint(np.array(self.means) + common + own)
        results[:, 2, 0] += np.rint(self.bonus * features[:, 0]).astype(int)
        return results, features

    def rows(self, results):
        rows = np.zeros(results.shape[:-1], ROW)
        rows["attacker_points"] = results[..., 0]
        return rows


class FakeAdvisor:
    FACTS_LOOKED_AT = (FakeFact("big_jokers", 3),)
    Trials = FakeTrials

    @staticmethod
    def words(fact, seat):
        return advisor.words(fact, seat)


@pytest.fixture
def fake(monkeypatch):
    class Own(FakeTrials):
        pass

    class OwnAdvisor(FakeAdvisor):
        Trials = Own

    monkeypatch.setattr(games, "advisor", lambda name: OwnAdvisor)
    return Own


def advised(**more):
    return advice.advise(RULES, {"decision": "lead"}, "basic", **{"hands": 4000, "seed": 3} | more)


def test_answers_are_ranked_by_paired_differences(fake):
    found = advised(hands=400, equivalence=1e-9)
    assert [answer.cards for answer in found.answers] == [(6,), (5,), (7,)]
    trials = fake(None, None, None, None, 3)
    values = np.concatenate([trials.play(n)[0][..., 0] for n in (32, 64, 128, 176)][:3])
    n = found.n_hands
    assert n <= 224 and found.decided
    gaps = (values[:n, 0] - values[:n, 1]).astype(float)
    row = found.answers[1]
    share = 1 - 0.05 / 3  # three pairs of three answers
    half = stats.sequence_half_width(gaps.var(ddof=1), n, 100, share)
    assert row.difference == pytest.approx(gaps.mean())
    assert (row.difference_lo, row.difference_hi) == pytest.approx((gaps.mean() - half, gaps.mean() + half))
    assert (row.value, row.attacker_points) == pytest.approx((values[:n, 0].mean(),) * 2)
    assert row.attacker_points_error == pytest.approx(values[:n, 0].std(ddof=1) / n**0.5)
    assert (row.takes_deal, row.takes_deal_error) == (0, 0)
    assert found.answers[0].difference == 0 and found.answers[0].difference_lo is None
    own = stats.sequence_half_width(values[:n, 1].var(ddof=1), n, 100, 1 - 0.05 / 3)
    assert found.answers[0].hi - found.answers[0].value == pytest.approx(own)


def text_of(found):
    """What the command line says of advice."""
    return "\n".join("".join(part for part, _ in line) for line in layout.advice(found, Words()))


def test_what_needs_no_comparison_is_said_plainly(fake):
    def alike(self, n):
        return np.ones((n, len(self.answers), 9), np.int64), np.zeros((n, 1), np.int64)

    fake.play, fake.answers, fake.n_legal = alike, ([5],), 1
    assert "is the only legal answer" in text_of(advised(hands=40))
    fake.n_legal = 9
    text = text_of(advised(hands=40))
    assert "only legal" not in text and "9 answers are legal; these 1 are a selection" in text
    fake.answers, fake.n_legal = ([5], [6], [7]), 3
    assert "All answers are worth the same" in text_of(advised(hands=40))


def test_it_stops_when_decided_and_not_before(fake):
    quick = advised()
    assert quick.decided and quick.n_hands < 1000
    fake.means = (0.0, 0.05, -1.0)
    slow = advised(hands=600)
    assert (slow.decided, slow.n_hands) == (False, 600)
    equal = advised(hands=4000, equivalence=2.0)
    assert equal.decided and equal.n_hands < 4000  # two answers are as good as each other


def test_wrong_decisions_stay_rare_though_it_looks_often(fake):
    """Two answers of the same worth: in 5 % of studies at most one of them is called worse."""
    fake.means = (0.0, 0.0, -9.0)
    wrong = sum(advised(hands=1000, seed=seed).decided for seed in range(count(200, 60)))
    assert wrong <= count(18, 8)


def test_the_fact_that_would_change_the_answer_is_named(fake):
    fake.bonus = 9.0
    fake.means = (0.0, 2.0, -3.5)
    (change,) = advised(hands=1500, equivalence=0.0).changes
    assert change[:4] == ("big_jokers", "partner", 1, True)
    assert change.answer == (7,)
    assert change.lo < 3.5 < change.hi
    assert 0.4 < change.share < 0.6
    fake.bonus = 0.0
    assert advised(hands=1500).changes == ()


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("random", "policy random draws at random; let basic or counting play the hands on"),
        ("search", "policy search plays hands on itself; let basic or counting play the hands on"),
        ("basic,basic", "policy must be the text of one policy, got 'basic,basic'"),
        ("basic:jokers=9", "jokers must be a whole number 0 to 6, got 9"),
    ],
)
def test_not_every_policy_can_play_hands_on(policy, message):
    with pytest.raises(gz.InputError, match=message):
        gz.advise(HAND, "S", 5, "jokers", seat=1, policy=policy)


@pytest.mark.skipif(not IS_COMPILED, reason="many hands are played on")
def test_the_policy_that_plays_on_has_its_parameters():
    usual, burying = (
        gz.advise(HAND, "S", 5, "jokers", seat=1, hands=64, policy=p) for p in ("basic", "basic:jokers=6")
    )
    assert {a.cards for a in usual.answers} == {a.cards for a in burying.answers}
    assert [a.value for a in usual.answers] != [a.value for a in burying.answers]


# --- real positions --------------------------------------------------------------------------------------------------


def positions(seed, n_hands, wanted):
    """Views of real hands with what a player would tell of them, late in the play."""
    job = job_of(seed, (0, 0, 0, 0))
    for unit in range(n_hands):
        hand = play(job, unit)
        for decision, view in hand.asked:
            if decision in (LEAD, FOLLOW) and int(view["cards_left"]) in wanted:
                yield job, hand, decision, view


@pytest.mark.skipif(not IS_COMPILED, reason="many hands are played on")
def test_a_position_with_one_possible_deal_has_its_exact_value():
    n_met = 0
    for job, hand, decision, view in positions(31, 30, {1, 2, 3}):
        seat = int(view["seat"])
        trials = advisor.Trials(
            job.rules, question_of(hand, decision, view), engine.own_policy("basic"), PolicySpec("basic"), 5
        )
        assert trials.n_ways >= 1
        if trials.n_ways > 1:
            continue
        results, _ = trials.play(4)
        assert (results == results[0]).all()
        settled = referee.derive(hand.record)["settlement"]
        played = hand.record["plays"][4 * int(view["trick"]) + int(view["position"])]
        places = [sorted(answer) for answer in trials.answers]
        value = results[0, places.index(sorted(played)), 0]
        assert value == settled[seat] + settled[seat ^ 2]  # `basic` played on as it does here
        n_met += 1
    assert n_met > 5


def question_of(hand, decision, view):
    """A question of a real hand, as a player would put it."""
    is_dealer = view["seat"] == view["dealer"]
    return {
        "decision": ("lead", "follow")[decision == FOLLOW],
        "hand": cards_at(view, "hand"),
        "seat": int(view["seat"]),
        "trump": int(view["trump"]),
        "levels": (int(view["level_0"]), int(view["level_1"])),
        "owed": int(view["owed"]),
        "bottom": cards_at(view, "bottom") if is_dealer and not view["dry_pot"] else None,
        "seen": told(hand.record, decision, view),
    }


@pytest.mark.skipif(not IS_COMPILED, reason="many hands are played on")
def test_all_legal_answers_are_tried_or_it_is_said_how_many_there_are():
    met = set()
    for job, hand, decision, view in positions(32, 6, {13, 26, 38}):
        if decision == LEAD or int(view["n_cards"]) == 1:
            continue
        one = question(decision, view)
        legal = legal_answers(one, RULES.follow)
        asked = question_of(hand, decision, view)
        trials = advisor.Trials(job.rules, asked, engine.own_policy("basic"), PolicySpec("basic"), 5)
        answers = [tuple(sorted(cards)) for cards in trials.answers]
        assert trials.n_legal == len(legal) and len(set(answers)) == len(answers) and set(answers) <= legal
        is_whole = len(legal) <= 48
        assert (set(answers) == legal) == is_whole
        met.add(is_whole)
    assert met == {True, False}


@pytest.mark.skipif(not IS_COMPILED, reason="many hands are played on")
def test_the_same_seed_gives_the_same_advice():
    first, again = (gz.advise(HAND, "S", 5, "jokers", seat=1, hands=64, seed=7) for _ in range(2))
    assert first.answers == again.answers
    assert gz.advise(HAND, "S", 5, "jokers", seat=1, hands=64, seed=8).answers != first.answers
    assert sorted(len(answer.cards) for answer in first.answers) == [0, 1, 2, 3]  # a small one only after both big
    assert {kind_name(kind) for answer in first.answers for kind in answer.cards} == {"JB", "JS"}


@pytest.mark.skipif(not IS_COMPILED, reason="many hands are played on")
def test_values_in_round_win_probability_come_from_the_match_equity():
    rules = gz.rules(start_level=10)
    equity = gz.equity(rules, "basic", hands=20_000, seed=1)
    found = gz.advise(HAND, "S", 10, "jokers", rules=rules, seat=1, hands=300, equity=equity)
    assert found.unit == "probability"
    trials = advisor.Trials(
        rules, games.seen("gunzi").from_words(rules, "jokers", HAND, 1, "S", 10, None, 0, None, {}),
        engine.own_policy("basic"), PolicySpec("basic"), 0,
    )  # fmt: skip
    results = trials.play(found.n_hands)[0]  # the same hidden hands
    rows = trials.rows(results)[:, trials.answers.index([])]
    value = next(answer.value for answer in found.answers if answer.cards == ())
    assert value == pytest.approx(1 - gz.win_probability_of(rows, equity).mean(), abs=1e-6)  # seat 1 is of side 1
    assert all(0 <= answer.value <= 1 for answer in found.answers)
    chips = gz.advise(HAND, "S", 10, "jokers", rules=rules, seat=1, hands=300)
    assert found.answers[-1].value < found.answers[0].value
    assert 0 < found.share_smaller < 0.5  # `basic` buries no jokers, so large tributes are in no table of its own
    assert {answer.cards for answer in chips.answers} == {answer.cards for answer in found.answers}


def test_contradictions_are_refused_with_their_reason():
    kinds = parse_hand(HAND)
    kinds.remove(parse_hand("S9")[0])  # ruffed a heart with hearts in hand
    seen = {"plays": [["H9"], ["S9"], ["H3"], ["H4"]]}
    with pytest.raises(gz.InputError, match="of the led hearts must be played"):
        gz.advise(" ".join(named(kinds)), "S", 5, "lead", seat=1, seen=seen)
    trumps = {"declarations": [{"seat": 2, "cards": "S5 S5 S5"}], "tribute": {"cards": "JB", "returned": "C3"}}
    with pytest.raises(gz.InputError, match=r"no deal agrees .*: seen.tribute contradicts"):
        gz.advise(HAND, "S", 5, "jokers", seat=1, owed=3, seen=trumps | {"tribute": {"cards": "C3", "returned": "C8"}})


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"seen": {"claim": {"seat": 0}, "declarations": [{"seat": 0, "cards": "S5"}]}},
            "in a first hand nobody declares, only claims .G4.5.",
        ),
        ({"hands": 1}, "hands must be an integer from 2, got 1"),
        ({"equivalence": -1.0}, "equivalence must be a number from 0, got -1.0"),
        ({"policy": "basics"}, "unknown policy 'basics'; did you mean 'basic'"),
        ({"level": None, "levels": (5, 11)}, "levels must be integers from 3 to 10, got 11"),
        ({"level": None}, "give the level of the hand, or the levels of both sides"),
        ({"levels": (5, 5)}, "give the level of the hand, or the levels of both sides, not both"),
        ({"trump": "X"}, "trump: unknown suit 'X'"),
        ({"seat": 4}, "seat must be a seat from 0 to 3, got 4"),
        ({"hand": HAND + " QQ"}, "hand: unknown card 'QQ'"),
        ({"seen": "nowhere.json"}, "cannot read nowhere.json: No such file"),
        ({"rules": "standard"}, "rules must come from rules"),
    ],
)
def test_bad_questions_are_refused(more, message):
    with pytest.raises(gz.InputError, match=message):
        gz.advise(**{"hand": HAND, "trump": "S", "level": 5, "decision": "jokers", "seat": 1} | more)


LEAD_HAND = "JBx2 JS SAx2 SKx2 SQ S9x2 S7 S4x2 H5x2 D5 S2 H2 HAx2 HK DAx2 DKx2 DJ D8x2 D6 CA CQx2 CJ C9 C7x2 C4"


@pytest.mark.parametrize(
    ("plays", "message"),
    [
        (["H3", "C3", "C3", "H7", "HT", "H3", "C3", "C3"], "4 copies of C3 are named, there are three .G1.2."),
        (
            ["H3", "H4", "C3", "H7", "HT", "H3", "H4", "H6"],
            "H6 is of a suit that the seat had shown to be out of .G10.3.",
        ),
    ],
)
def test_a_fourth_copy_and_a_suit_shown_void_are_refused(plays, message):
    with pytest.raises(gz.InputError, match=message):
        gz.advise(LEAD_HAND, "S", 5, "lead", seat=3, seen={"plays": plays})


def ways(hand, decision="jokers", seat=1, levels=(5, 5), owed=0, **seen):
    """Ways to lay the hidden cards that agree with a question, trump spades."""
    question = games.seen("gunzi").from_words(RULES, decision, hand, seat, "S", None, levels, owed, None, seen)
    return advisor.Trials(RULES, question, engine.own_policy("basic"), PolicySpec("basic"), 5).n_ways


@pytest.mark.skipif(not IS_COMPILED, reason="ways are counted over large tables")
def test_a_declaration_without_the_bottom_it_exposed_says_less_but_something():
    known = {"tribute": {"cards": "SA", "returned": "C3", "reversed": True}, "plays": ["C5", "S3", "S3"]}
    about = {"hand": HAND.replace("JBx2 JS", "JBx3"), "decision": "follow", "seat": 3, "owed": 1}
    shown = {"declarations": [{"seat": 2, "cards": "S5"}]}
    untold, told_less = ways(**about, **known), ways(**about, **known, **shown)
    told_all = ways(**about, **known, **shown, bottom=["C5", "H4", "H6", "H8", "D9", "S6"])
    assert 0 < told_all < told_less < untold


@pytest.mark.skipif(not IS_COMPILED, reason="ways are counted over large tables")
@pytest.mark.parametrize(
    ("hand", "more", "part"),
    [
        (HAND.replace("H5x2", "H5x3").replace("C4", "").strip(), {"declarations": [{"seat": 2, "cards": "H5"}]}, ""),
        (HAND.replace("JBx2 JS", "JBx3"), {"levels": (3, 3), "claim": {"seat": 2}, "dealer": 2}, "claim"),
        (HAND, {"owed": 1, "tribute_cancelled": True, "dealer": 2}, "tribute_cancelled"),
    ],
)
def test_cards_that_the_seat_holds_itself_cannot_have_been_shown(hand, more, part):
    """G4.1, G5.2, G6.5: another seat showed, or proved to hold, more copies than the own hand leaves."""
    shown = {"trump": "H", "declarations": more["declarations"]} if "declarations" in more else more
    settings = {key: shown.pop(key) for key in ("trump", "levels", "owed") if key in shown}
    settings = {"trump": "S", "level": None if "levels" in settings else 5} | settings
    with pytest.raises(gz.InputError, match=f"no deal agrees with what was told: seen.{part or 'declarations'}"):
        gz.advise(hand, decision="jokers", seat=1, seen=shown, **settings)


@pytest.mark.skipif(not IS_COMPILED, reason="many hands are played")
def test_a_match_equity_of_other_rules_is_refused():
    equity = gz.equity(gz.rules(start_level=10), "random", hands=600, seed=1)
    for other in (equity, 3):
        with pytest.raises(gz.InputError, match="equity must be a match equity of the same rules"):
            gz.advise(HAND, "S", 5, "jokers", seat=1, equity=other)


def test_what_was_seen_may_stand_in_a_file(tmp_path):
    path = tmp_path / "seen.json"
    for cards in ("declared", "H6"):
        seen = {"dealer": 3, "flipped": ["JS", "S6"]} if cards == "declared" else {"flipped": "H6"}
        path.write_text(json.dumps(seen))
        answers = []
        for known in (seen, path, str(path)):
            try:
                answers.append(gz.advise(HAND, "S", 5, "jokers", seat=1, seen=known, hands=2).answers)
            except gz.InputError as error:
                answers.append(str(error))
        assert answers[0] == answers[1] == answers[2]
        assert ("makes hearts trump" in answers[0]) == (cards == "H6")
    path.write_text("[1]")
    with pytest.raises(gz.InputError, match=r"must hold one JSON object, got \[1\]"):
        gz.advise(HAND, "S", 5, "jokers", seat=1, seen=path)
    path.write_text("{")
    with pytest.raises(gz.InputError, match="is no JSON"):
        gz.advise(HAND, "S", 5, "jokers", seat=1, seen=path)
    path.write_text('{"dealer": 1, "plays": [], "dealer": 2}')
    with pytest.raises(gz.InputError, match=r"seen\.json: key 'dealer' is there twice"):
        gz.advise(HAND, "S", 5, "jokers", seat=1, seen=path)
