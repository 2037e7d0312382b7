import random
import re
import string
from collections import Counter

import pytest
from gunzi import random_records
from gunzi.random_records import first_record, later_record

from gunzi_sim import games, record, replay, texts
from gunzi_sim.cards import BIG, card_points, parse_hand
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.rules import PRESETS, GunziRules
from gunzi_sim.texts import Words, pad, width

ENGLISH, CHINESE, PLAIN = Words("en"), Words("zh"), Words("en", ascii=True)


def told(hand, words=ENGLISH, columns=80) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in replay.tell(hand, words, columns)]


def trick_rows(lines: list[str]) -> list[str]:
    return [line for line in lines if re.match(r" {0,2}\d{1,2}  [ ▸>]", line)]


def hand_of(seed: int, **changes) -> dict:
    rng = random.Random(seed)
    return random_records.random_record(rng, rules=GunziRules(**changes) if changes else None)


# --- texts ---


@pytest.mark.parametrize("key", texts.TEXTS)
def test_every_text_has_the_same_places_in_both_languages(key):
    places = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in texts.TEXTS[key]]
    assert places[0] == places[1]
    assert texts.TEXTS[key][0].isascii()


def test_width_counts_chinese_twice():
    assert width("黑桃5") == 5
    assert pad("庄", 4) == "庄  "
    assert pad("seat 0", 4) == "seat 0"


def test_names_of_cards():
    kinds = parse_hand("ST H5 JS JB")
    assert [ENGLISH.card(kind) for kind in kinds] == ["♠10", "♥5", "small", "big"]
    assert [CHINESE.card(kind) for kind in kinds] == ["黑桃10", "红桃5", "小王", "大王"]
    assert [PLAIN.card(kind) for kind in kinds] == ["ST", "H5", "JS", "JB"]


# --- a hand in words ---


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("words", [ENGLISH, CHINESE, PLAIN], ids=["en", "zh", "ascii"])
def test_any_hand_can_be_told_in_eighty_columns(seed, words):
    lines = told(hand_of(seed), words)
    wide = [line for line in lines[2:] if width(line) > 82]  # line 1 lists the options, which here are random
    assert not wide
    if words.ascii:
        assert "\n".join(lines).isascii()


@pytest.mark.parametrize("seed", range(20))
def test_g3_1_the_deal_shows_each_seat_its_39_cards(seed):
    hand = hand_of(seed)
    lines = told(hand, PLAIN)
    start = next(number for number, line in enumerate(lines) if line.startswith("Deal"))
    text = "\n".join(lines[start + 1 :]).split("\n\n")[0]
    for seat in range(4):
        part = text.split(f"seat {seat}")[1].split("\nseat")[0]
        assert Counter(cards_in(part)) == Counter(hand["deck"][(seat - hand["first_seat"]) % 4 : 156 : 4])


def cards_in(text: str) -> list[int]:
    """Kinds in the deal of one seat, written in ASCII."""
    kinds = []
    for line in text.split("\n"):
        suit = None
        for word in re.sub(r"(trumps|others) +\d+", "", line).split():
            if word in "SHDC":
                suit = word
            elif suit:
                kinds += parse_hand(" ".join(suit + rank for rank in word))
            else:
                kinds += parse_hand(word)
    return kinds


@pytest.mark.parametrize("seed", range(20))
def test_g11_tricks_show_plays_leader_winner_and_points(seed):
    hand = hand_of(seed)
    result = referee.derive(hand)
    rows = trick_rows(told(hand, PLAIN))
    assert len(rows) == len(result["winners"])
    lead, total = result["dealer"], 0
    for trick, (row, winner) in enumerate(zip(rows, result["winners"])):
        cells = [row[5 + 14 * seat : 19 + 14 * seat] for seat in range(4)]
        played = hand["plays"][4 * trick : 4 * trick + 4]
        for step in range(4):
            seat = (lead + step) % 4
            assert parse_hand(cells[seat].strip(" >*")) == played[step]
            assert cells[seat].startswith(">") == (step == 0)
            assert ("*" in cells[seat]) == (seat == winner)
        points = sum(card_points(kind) for play in played for kind in play)
        total += points if (winner - result["dealer"]) % 2 else 0
        assert [int(number) for number in row[61:].split()] == ([points] if points else []) + [total]
        lead = winner


def test_a_first_hand_tells_claim_and_trump():
    rng = random.Random(1)
    deck = random_records.deal(rng, hands={2: "JB S7"}, first=2)
    text = "\n".join(told(first_record(rng, deck, first=2, claim={"seat": 2, "draw": 0})))
    assert "first hand of a round" in text
    assert "seat 2 claims the deal at its card 1" in text
    assert "♠7 makes the trump suit: ♠ spades" in text


def test_a_first_hand_without_claim_tells_the_flip():
    rng = random.Random(2)
    deck = random_records.deal(rng, bottom="S9 HK D3 CA", first=1)
    text = "\n".join(told(first_record(rng, deck, first=1, claim=None)))
    assert "seat 1 ♠9   seat 2 ♥K   seat 3 ♦3   seat 0 ♣A → seat 3 becomes the dealer" in text
    assert "by the seats' flip" in text


def test_declarations_say_who_what_and_when():
    rng = random.Random(3)
    deck = random_records.deal(rng, hands={1: "H5", 2: "S5 S5"})
    made = [
        {"seat": 1, "draw": 1, "cards": parse_hand("H5"), "suit": 1},
        {"seat": 2, "draw": None, "cards": parse_hand("S5 S5"), "suit": 0},
    ]
    hand = later_record(rng, deck, levels=[5, 3], dealer=0, declarations=made)
    lines = told(hand)
    assert "  seat 1 shows ♥5: ♥ hearts · at its card 1" in lines
    assert "  seat 2 shows ♠5♠5: ♠ spades · after the last card" in lines
    assert "trump    ♠ spades · declared by seat 2 ♠5♠5" in lines
    chinese = told(hand, CHINESE)
    assert "  1 号位亮 红桃5：红桃 · 抓到第 1 张牌时" in chinese


def later(seed, bottom="", hands=None, rules=PRESETS["standard"], **given):
    rng = random.Random(seed)
    deck = random_records.deal(rng, hands=hands, bottom=bottom)
    return later_record(rng, deck, rules=rules, levels=[5, 3], dealer=0, **given)


def test_g5_7_a_bottom_flip_shows_the_drawn_cards():
    text = "\n".join(told(later(4, bottom="JB JS D9", declarations=[])))
    assert "nobody declares; bottom cards are drawn: big small ♦9" in text


def test_g6_tribute_is_told_with_cards_and_direction():
    lines = told(later(15, hands={3: "JB SA", 0: "D9 D8 D7"}, declarations=[], owed=1))
    assert any(line.startswith("  seat 3 gives seat 0 big") for line in lines)
    assert any(line.startswith("  seat 0 returns ") for line in lines)


def test_g6_5_reversed_and_cancelled_tribute_are_told():
    reversed_tribute = "\n".join(told(later(6, hands={3: "JBx3"}, declarations=[], owed=1)))
    assert "reversed, for the payer holds three big jokers" in reversed_tribute
    assert "  seat 0 gives seat 3 " in reversed_tribute
    cancelled = "\n".join(told(later(7, hands={1: "JBx3"}, declarations=[], owed=2)))
    assert "2 owed, but the payer's partner holds three big jokers: none" in cancelled


def test_g7_2_a_dry_pot_is_told():
    made = [{"seat": 1, "draw": 1, "cards": parse_hand("H5"), "suit": 1}]
    text = "\n".join(told(later(8, hands={1: "H5"}, bottom="H3 H4 H6 H7 H8 H9", declarations=made)))
    assert "dry pot: the bottom stays, nobody buries" in text
    assert "Bury" not in text


def test_g8_burying_is_told_with_jokers_and_the_final_bottom():
    six = parse_hand("JB S6 S7 S8 S9 C9")
    given = {"bury": six, "joker_buries": [{"seat": 1, "jokers": [BIG], "taken": parse_hand("C9")}]}
    hand = later(9, bottom="S6 S7 S8 S9 C9 D9", hands={0: "JB", 1: "JB D8"}, declarations=[], **given)
    lines = told(hand)
    assert "  seat 0 buries big ♠6 ♠7 ♠8 ♠9 ♣9" in lines
    assert "  seat 1 buries big and takes ♣9" in lines
    assert any(line.startswith("  big×2 ") and line.endswith("0 points · final bottom, shown to all") for line in lines)


@pytest.mark.parametrize("seed", range(30))
def test_g12_the_result_is_told(seed):
    hand = hand_of(seed)
    result = referee.derive(hand)
    text = "\n".join(told(hand))
    assert f"The attackers have {result['attacker_points']} points ({hand['rules'].win_score} needed)" in text
    assert ("and take the deal" in text) == result["takes_deal"]
    assert ("Dig: " in text) == result["dig"]
    assert ("The round is over" in text) == (result["round_end"] is not None)
    if result["round_end"] is None:
        assert f"seat {result['next_dealer']} deals" in text
        assert text.count("rises by") == sum(levels > 0 for levels in result["raise"])
    for seat, points in enumerate(result["settlement"]):
        assert f"seat {seat} {points:+d}" in text


def test_header_names_only_options_that_differ():
    hand = random_records.with_rules(hand_of(1, win_score=125), bury_big_first=False)
    assert told(hand)[1] == "rules    standard, bury_big_first=no, win_score=125"


def test_source_of_simulated_and_of_real_hands():
    hand = hand_of(1) | {"source": {"seed": 1, "round": 17, "hand": 2}}
    assert "seed 1, round 17, hand 2" in told(hand)[0]
    assert "Friday\\n table" not in told(hand | {"source": "Friday\n table"})[0]
    assert "Friday table" in told(hand | {"source": "Friday\n table"})[0]


# --- faulty records ---


def test_a_fault_in_the_play_is_named_and_told_up_to_it():
    hand = hand_of(11, follow="strict")
    hand["plays"][40] = [hand["plays"][0][0]]  # a card that is gone, three copies aside
    fault = referee.check(hand)
    assert fault is not None and fault.play is not None
    lines = told(hand)
    assert any(f"This record breaks {fault.clause}: {fault.message}" in line for line in lines)
    assert len(trick_rows(lines)) >= fault.play // 4
    assert not any(line.startswith("Result") for line in lines)


def test_a_fault_before_the_play_still_shows_the_deal():
    hand = later(12, declarations=[])
    hand["bury"] = hand["bury"][:5]
    lines = told(hand)
    assert any("This record breaks G8.1" in line for line in lines)
    assert sum(line.startswith("seat ") for line in lines) == 4
    assert "♠" in "\n".join(lines)


def test_a_wrong_result_is_named_and_the_right_one_told():
    hand = hand_of(13)
    right = referee.derive(hand)
    hand["result"] = right | {"attacker_points": right["attacker_points"] + 5}
    lines = told(hand)
    assert any("This record breaks G11" in line for line in lines)
    assert any(f"The attackers have {right['attacker_points']} points" in line for line in lines)


# --- targets ---


def test_split_target(tmp_path, monkeypatch):
    assert replay.split_target("table.jsonl") == ("table.jsonl", 0)
    assert replay.split_target("table.jsonl:3") == ("table.jsonl", 3)
    assert replay.split_target("C:\\x\\table.jsonl") == ("C:\\x\\table.jsonl", 0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a:3").write_text("")
    assert replay.split_target("a:3") == ("a:3", 0)
    with pytest.raises(games.InputError, match="counted from 1"):
        replay.split_target("b:0")


def test_from_file_takes_the_line_asked_for(tmp_path):
    hands = [hand_of(seed) for seed in (1, 2)]
    path = tmp_path / "table.jsonl"
    path.write_text("\n".join(record.write(hand) for hand in hands))
    assert replay.from_file(f"{path}:2")["deck"] == hands[1]["deck"]
    assert replay.from_file(str(path))["deck"] == hands[0]["deck"]
    with pytest.raises(games.InputError, match="no record in line 3"):
        replay.from_file(f"{path}:3")
