"""Order of cards (G9), leading and following (G10), winning tricks (G11)."""

import random
from collections import Counter
from itertools import combinations

import pytest

from gunzi.random_records import DECK, Habits, clause, corrupt, deal, later_record, random_record, with_rules
from gunzi_sim.cards import kind_name, parse_hand
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.referee_play import (
    TRUMP,
    follow_fault,
    lead_fault,
    order_of,
    points_of,
    trick_points,
    trick_winner,
)
from gunzi_sim.gunzi.rules import PRESETS, Follow, GunziRules

S, H, D, C = range(4)
QUIET = Habits(claim=0, declare=0, jokers=0)
LEVELS = range(3, 15)


# G9: order of cards


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trump", range(4))
def test_g9_1_the_whole_order_spelled_out(level, trump):
    plain = [rank for rank in "AKQJT9876543" if rank != "3456789TJQKA"[level - 3]]
    rank = "3456789TJQKA"[level - 3]
    suits = "SHDC"
    mine, others = suits[trump], [suit for suit in suits if suit != suits[trump]]
    ladder = [["JB"], ["JS"], [mine + rank], [suit + rank for suit in others], [mine + "2"]]
    ladder += [[suit + "2" for suit in others], *[[mine + r] for r in plain], *[[s + r for s in others] for r in plain]]
    order = order_of(level, trump)
    strengths = []
    for place, names in enumerate(ladder):
        kinds = [parse_hand(name)[0] for name in names]
        assert len({order.strength[kind] for kind in kinds}) == 1, names
        strengths.append(order.strength[kinds[0]])
        is_trump = place < 6 + len(plain)
        assert [order.suit[kind] for kind in kinds] == [TRUMP if is_trump else kind // 13 for kind in kinds]
    assert strengths == sorted(strengths, reverse=True)
    assert len(set(strengths)) == len(ladder)
    assert sum(len(names) for names in ladder) == 54


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trump", range(4))
def test_g9_2_kinds_and_cards_of_each_suit(level, trump):
    suit = order_of(level, trump).suit
    kinds = Counter(suit)
    assert kinds == {TRUMP: 21} | {side: 11 for side in range(4) if side != trump}
    cards = Counter(suit[kind] for kind in DECK)  # G17
    assert cards[TRUMP] == 63
    assert sum(cards.values()) - cards[TRUMP] == 99


# G10.1: leads


@pytest.mark.parametrize(
    ("hand", "play", "expected"),
    [
        ("H7 H8", "H7", None),
        ("H7x2 H8", "H7x2", None),
        ("H7x3", "H7x3", None),
        ("JBx3", "JBx3", None),  # G16: three big jokers are a triple
        ("H7x3", "H7x2", None),
        ("H7 H8", "H9", "G10.1"),  # not held
        ("H7 H8", "H7x2", "G10.1"),  # one copy too many
        ("H5 D5", "H5 D5", "G10.1"),  # G16: no pair
        ("JB JS", "JB JS", "G10.1"),  # G16: no pair
        ("H7 H8", "H7 H8", "G10.1"),
        ("H7x2 H8x2", "H7x2 H8x2", "G10.1"),  # no runs
        ("H7x2 H8", "H7x2 H8", "G10.1"),
        ("HA HK", "HA HK", "G10.1"),  # no throws
        ("H7", "", "G10.1"),
    ],
)
def test_g10_1_leads(hand, play, expected):
    fault = lead_fault(Counter(parse_hand(hand)), parse_hand(play))
    assert (fault and fault.clause) == expected


# G10.3, G10.4, G10.5: following; level 5, trump spades


def legal_answers(hand, led, follow, level=5, trump=S):
    """All legal answers, each as a set of canonical names in order."""
    cards = parse_hand(hand)
    found = set()
    for chosen in combinations(cards, len(parse_hand(led))):
        if follow_fault(Counter(cards), parse_hand(led), list(chosen), order_of(level, trump), follow) is None:
            found.add(" ".join(sorted(map(kind_name, chosen))))
    return found


# led, hand, answers under strict, under loose where they differ
FOLLOWING = [
    ("H7", "H9 H2", ["H9"], None),  # G16: H2 is trump
    ("S7", "H5 D2 C9", ["H5", "D2"], None),  # G16: C9 illegal
    ("H7", "S9 C9 D9", ["S9", "C9", "D9"], None),  # void: anything
    ("H7", "H8 H9 HA", ["H8", "H9", "HA"], None),  # nobody has to win
    ("H8x2", "H3 C4 C6 JS", ["C4 H3", "C6 H3", "H3 JS"], None),  # G16
    ("H8x2", "H6x2 H9", ["H6 H6"], ["H6 H6", "H6 H9"]),  # G16
    ("H8x2", "H9x3 H3", ["H3 H9", "H9 H9"], None),  # G16: the triple need not be broken into a pair
    ("H8x2", "H9x3 C4", ["H9 H9"], None),  # G16
    ("H8x2", "H3x3 HTx2 H7", ["HT HT", "H3 H3"], ["HT HT", "H3 H3", "H3 H7", "H3 HT", "H7 HT"]),  # G16
    ("H8x2", "H3 H4 C6x2", ["H3 H4"], None),
    ("H8x2", "C4x2 S6x2", ["C4 C4", "C4 S6", "S6 S6"], None),
    ("H8x2", "H3x2 C4x2", ["H3 H3"], None),
    ("H8x3", "H6x2 H9", ["H6 H6 H9"], None),  # G16
    ("H8x3", "H6x2 C4 C6", ["C4 H6 H6", "C6 H6 H6"], None),  # G16
    (
        "H8x3",
        "H6x2 H9x2 HJ",
        ["H6 H6 H9", "H6 H6 HJ", "H6 H9 H9", "H9 H9 HJ"],
        ["H6 H6 H9", "H6 H6 HJ", "H6 H9 H9", "H9 H9 HJ", "H6 H9 HJ"],
    ),  # G16
    ("H8x3", "H6x3 H9", ["H6 H6 H6"], ["H6 H6 H6", "H6 H6 H9"]),
    ("H8x3", "H6x3 H9x2", ["H6 H6 H6"], ["H6 H6 H6", "H6 H6 H9", "H6 H9 H9"]),
    ("H8x3", "H3 H4 H6 H7", ["H3 H4 H6", "H3 H4 H7", "H3 H6 H7", "H4 H6 H7"], None),
    ("H8x3", "H3 C4x2", ["C4 C4 H3"], None),
    ("H8x3", "H3 H4 C6 C7", ["C6 H3 H4", "C7 H3 H4"], None),
    ("S8x2", "H5x2 SA", ["H5 H5"], ["H5 H5", "H5 SA"]),  # level cards are of the trump suit
    ("S8x2", "H2x2 JB JS", ["H2 H2"], ["H2 H2", "H2 JB", "H2 JS", "JB JS"]),
    ("S8x2", "H5 D5 C9x2", ["D5 H5"], None),  # equal level cards are no pair, but must follow
    ("S8x2", "JB JS SA", ["JB JS", "JB SA", "JS SA"], None),
    ("S8x3", "JBx3 H5 SA", ["JB JB JB"], ["JB JB JB", "H5 JB JB", "JB JB SA", "H5 JB SA"]),
    ("H5x2", "H6x2 D2x2", ["D2 D2"], None),  # a led level card leads trump
]


@pytest.mark.parametrize(("led", "hand", "strict", "loose"), FOLLOWING)
def test_g10_3_g10_4_g10_5_following(led, hand, strict, loose):
    assert legal_answers(hand, led, Follow.STRICT) == set(strict)
    assert legal_answers(hand, led, Follow.LOOSE) == set(loose or strict)


@pytest.mark.parametrize("preset", PRESETS)
def test_g10_4_every_preset_follows_strictly(preset):
    assert legal_answers("H6x2 H9", "H8x2", PRESETS[preset].follow) == {"H6 H6"}


@pytest.mark.parametrize(
    ("hand", "led", "play", "clause"),
    [
        ("H6x2 H9", "H8x2", "H6", "G10.3"),  # how many before pattern
        ("H6x2 H9", "H8x2", "H6x3", "G10.3"),  # not held
        ("H6x2 H9", "H8x2", "H6x2 H9", "G10.3"),
        ("H6x2 C9", "H8x2", "H6 C9", "G10.3"),  # suit before pattern
        ("H6x2 H9", "H8x2", "H6 H9", "G10.4"),
        ("H6x3 H9", "H8x3", "H6x2 H9", "G10.4"),
        ("H6x2 H9 HJ HQ", "H8x3", "H9 HJ HQ", "G10.4"),
        ("H6", "H8", "", "G10.3"),
        ("H6", "H8", "H7", "G10.3"),
    ],
)
@pytest.mark.parametrize("follow", Follow)
def test_g10_3_comes_before_g10_4(hand, led, play, clause, follow):
    fault = follow_fault(Counter(parse_hand(hand)), parse_hand(led), parse_hand(play), order_of(5, S), follow)
    if clause == "G10.4" and follow == Follow.LOOSE:
        assert fault is None
    else:
        assert fault.clause == clause


# Whole records: where the fault stands


def played():
    """Dealer 0 leads a heart pair; seat 1 has a heart pair and a single, seat 2 no heart; level 3, trump spades."""
    named = {0: "H8x2 CA", 1: "H6x2 H9", 3: "H4 H7x2"}
    others = "HJx3 HQx3 HKx3 HAx3 HTx3 H9x2 H8 H7 H6 H5x3 H4x2"
    named[0] += " " + others
    deck = deal(random.Random(1), named, "SQ DA D9 D8 C9 C8")
    first = [parse_hand("H8x2"), parse_hand("H6x2")]
    return later_record(
        random.Random(1), deck, habits=QUIET, declarations=[], bury=parse_hand("DA D9 D8 C9 C8 HJ"), plays=first
    )


def replayed(record, number, text):
    """The record with one play replaced."""
    plays = [list(play) for play in record["plays"]]
    plays[number] = parse_hand(text)
    return corrupt(record, plays=plays)


@pytest.mark.parametrize(
    ("number", "text", "expected"),
    [
        (0, "H8 CA", "G10.1"),
        (0, "S3x3", "G10.1"),
        (1, "H6 H9", "G10.4"),
        (1, "H6", "G10.3"),
        (1, "H9x2", "G10.3"),
        (3, "H4 H7", "G10.4"),
    ],
)
def test_g10_the_faulty_play_is_named(number, text, expected):
    fault = referee.check(replayed(played(), number, text))
    assert (fault.clause, fault.play) == (expected, number)
    assert fault.message.startswith(f"play {number} (seat {number}): ")


def test_g10_4_message_names_pattern_suit_and_cards():
    fault = referee.check(replayed(played(), 1, "H6 H9"))
    assert fault.message == "play 1 (seat 1): pair led and a pair held in hearts, but H6 H9 played"


def test_g10_5_loose_following_in_a_record():
    record = replayed(played(), 1, "H6 H9")
    fault = referee.check(with_rules(record, follow=Follow.LOOSE))
    assert fault is None or fault.play > 1


def test_g10_2_the_dealer_leads_then_the_winner():
    for seed in range(20):
        record = random_record(random.Random(seed))
        owner = owners(record)
        result = record["result"]
        leaders = [result["dealer"], *result["winners"]]
        for number, play in enumerate(record["plays"]):
            seat = (leaders[number // 4] + number % 4) % 4
            for kind in play:
                owner[seat][kind] -= 1
                assert owner[seat][kind] >= 0, (seed, number)
        assert all(not +hand for hand in owner)


def owners(record):
    """Hands when play begins, followed through tribute and burials by hand."""
    first, deck, result = record["first_seat"], record["deck"], record["result"]
    hands = [Counter(deck[i] for i in range(156) if (first + i) % 4 == seat) for seat in range(4)]
    dealer = result["dealer"]
    if record["tribute"]:
        payer, receiver = (dealer - 1) % 4, dealer
        if referee.row(record)["tribute_reversed"]:
            payer, receiver = receiver, payer
        for giver, taker, cards in [
            (payer, receiver, record["tribute"]["cards"]),
            (receiver, payer, record["tribute"]["returned"]),
        ]:
            hands[giver].subtract(cards)
            hands[taker].update(cards)
    if record["bury"] is not None:
        hands[dealer].update(deck[156:])
        hands[dealer].subtract(record["bury"])
    for entry in record["joker_buries"]:
        hands[entry["seat"]].subtract(entry["jokers"])
        hands[entry["seat"]].update(entry["taken"])
    return hands


@pytest.mark.parametrize("n", [1, 3, 4, 40])
def test_g10_2_missing_plays_are_no_record(n):
    record = played()
    fault = referee.check(corrupt(record, plays=record["plays"][:-n]))
    assert (fault.clause, fault.play) == ("FORMAT", None)


def test_g10_2_plays_left_over_are_no_record():
    record = played()
    fault = referee.check(corrupt(record, plays=[*record["plays"], parse_hand("H8")]))
    assert (fault.clause, fault.play) == ("FORMAT", len(record["plays"]))


# G11.1: winners. Level 5, trump spades; the leader is seat 2

WINNING = [
    ("H5 D5 C5 D3", 0),  # G16: equal, the leader wins
    ("HK CA H3 H4", 0),  # G16: a discard loses
    ("H8x2 JB,JS H9,HT H3,H4", 0),  # G16: big and small joker are no pair
    ("H8x2 JB,JS S3x2 H3,H4", 2),  # G16: S3 S3 wins
    ("H8 H9 HA HK", 2),
    ("H8 HA HA HK", 1),  # equal: the earlier
    ("H8 S3 HA S4", 3),  # trump beats side, higher trump beats lower
    ("H8 S3 S3 HA", 1),
    ("S8 S9 S3 HA", 1),
    ("S8 CA DA HA", 0),
    ("S8 H2 D2 C2", 1),  # other 2s are equal
    ("S8 H2 S2 C2", 2),  # the trump 2 is above
    ("S8 S2 H5 D5", 2),  # other level cards are above the 2s, and equal
    ("S8 H5 S5 JS", 3),
    ("S8 JS JB JB", 2),
    ("S8 H5 S5 D5", 2),
    ("H8x2 H9,HT HJ,HQ CAx2", 0),  # no pair among hearts, a pair of another side suit
    ("H8x2 H9x2 H7x2 CA,CK", 1),
    ("H8x2 H9x2 SA,SK S3x2", 3),
    ("H8x2 H5,D5 C5x2 S2,H2", 2),  # two different level cards are no pair
    ("H8x3 H9x2,HA S3x3 S4x2,S6", 2),
    ("H8x3 H9x3 HAx2,HK H3x3", 1),
    ("H5 HA DA SA", 0),  # a level card led is trump: side cards lose
    ("C2 H2 SK S2", 3),
    ("JB JB JB JS", 0),
    ("H3 D4 C4 DA", 0),  # side suits do not beat each other
]


@pytest.mark.parametrize(("plays", "step"), WINNING)
@pytest.mark.parametrize("lead_seat", range(4))
def test_g11_1_who_wins(plays, step, lead_seat):
    trick = [parse_hand(play) for play in plays.split()]
    assert trick_winner(lead_seat, trick, 5, S) == (lead_seat + step) % 4


def naive_beats(challenger, holder, led, level, trump):
    """Whether one play beats another, told from the words of G11.1 and G9.1 alone."""
    if len(set(challenger)) != 1:
        return False
    a, b = kind_name(challenger[0]), kind_name(holder[0])
    rank, mine = "23456789TJQKA"[level - 2], "SHDC"[trump]

    def is_trump(name):
        return name[0] in (mine, "J") or name[1] in ("2", rank)

    def height(name):
        if name[0] == "J":
            return (4, "SB".index(name[1]))
        if name[1] == rank:
            return (3, name[0] == mine)
        if name[1] == "2":
            return (2, name[0] == mine)
        return (1, "3456789TJQKA".index(name[1]))

    if is_trump(a) != is_trump(b):
        return is_trump(a)
    if not is_trump(a) and a[0] != kind_name(led[0])[0]:
        return False
    return height(a) > height(b)


@pytest.mark.parametrize("seed", range(300))
def test_g11_1_random_tricks_against_a_naive_winner(seed):
    rng = random.Random(seed)
    level, trump, n = rng.randint(3, 14), rng.randrange(4), rng.randint(1, 3)
    high = [kind for kind in range(54) if kind >= 52 or kind % 13 in (0, level - 2)]
    plays = []
    for _ in range(4):
        pool = high if rng.random() < 0.5 else range(54)
        plays.append([rng.choice(pool)] * n if rng.random() < 0.8 or not plays else rng.sample(DECK, n))
    best = 0
    for step in (1, 2, 3):
        if naive_beats(plays[step], plays[best], plays[0], level, trump):
            best = step
    assert trick_winner(1, plays, level, trump) == (1 + best) % 4, plays


# G11.2, G11.3: points


def test_g11_2_points_on_the_table():
    assert trick_points([parse_hand(play) for play in ("HK", "H5", "ST", "CA")]) == 25


@pytest.mark.parametrize("seed", range(25))
def test_g11_2_g11_3_points_of_a_hand(seed):
    """Tricks of the two sides and the bottom make 300 points; a dig adds the bottom by its multiplier."""
    record = random_record(random.Random(seed))
    result, rules = record["result"], record["rules"]
    by_side = [0, 0]
    for trick, winner in enumerate(result["winners"]):
        by_side[winner % 2] += sum(points_of(play) for play in record["plays"][4 * trick : 4 * trick + 4])
    attackers = 1 - result["dealer"] % 2
    assert sum(by_side) + result["bottom_points"] == 300
    assert result["dig"] == (result["winners"][-1] % 2 == attackers)
    expected = by_side[attackers] + (rules.dig_multiplier * result["bottom_points"] if result["dig"] else 0)
    assert result["attacker_points"] == expected


@pytest.mark.parametrize("multiplier", range(9))
def test_g11_3_dig_multiplier_counts_only_on_a_dig(multiplier):
    digs = set()
    for seed in range(12):
        record = later_record(random.Random(seed), bury=None, declarations=[], habits=QUIET)
        plain = referee.derive(with_rules(record, dig_multiplier=0))
        changed = referee.derive(with_rules(record, dig_multiplier=multiplier))
        added = changed["attacker_points"] - plain["attacker_points"]
        assert added == (multiplier * plain["bottom_points"] if plain["dig"] else 0)
        digs.add((plain["dig"], plain["bottom_points"] > 0))
    assert {(True, True), (False, True)} <= digs


def test_g11_3_the_pattern_of_the_last_trick_does_not_matter():
    lengths = set()
    for seed in [*range(60, 70), *range(159, 162)]:
        record = random_record(random.Random(seed), GunziRules(dig_multiplier=2))
        result = record["result"]
        if result["dig"] and result["bottom_points"]:
            side = 1 - result["dealer"] % 2
            tricks = sum(
                trick_points(record["plays"][4 * trick : 4 * trick + 4])
                for trick, winner in enumerate(result["winners"])
                if winner % 2 == side
            )
            assert result["attacker_points"] - tricks == 2 * result["bottom_points"]
            lengths.add(len(record["plays"][-1]))
    assert len(lengths) >= 2


@pytest.mark.parametrize("seed", range(40))
def test_g10_random_records_hold(seed):
    assert clause(random_record(random.Random(1000 + seed))) is None
