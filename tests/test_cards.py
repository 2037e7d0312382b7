"""Card notation, names and the trace hash, against the README ("Records", "Random numbers and `trace_hash`")."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gunzi_sim import cards
from gunzi_sim.cards import CardError, format_hand, kind_name, parse_card, parse_hand, parse_suit

KINDS = st.integers(0, 53)
SUIT_SPELLINGS = {
    "S": ["s", "♠", "黑桃", "黑"],
    "H": ["h", "♥", "红桃", "红"],
    "D": ["d", "♦", "方块", "方"],
    "C": ["c", "♣", "梅花", "梅"],
}


def spellings(kind):
    """Every spelling of a kind that the README names, spelled out apart from the module's own table."""
    if kind >= 52:
        return [["JS", "js", "Js", "小王"], ["JB", "jb", "jB", "大王"]][kind - 52]
    suit, rank = "SHDC"[kind // 13], "23456789TJQKA"[kind % 13]
    ranks = [rank, rank.lower()] + (["10"] if rank == "T" else [])
    return [s + r for s in [suit, *SUIT_SPELLINGS[suit]] for r in ranks]


def test_kinds_are_numbered_as_design_says():
    names = [s + r for s in "SHDC" for r in "23456789TJQKA"] + ["JS", "JB"]
    assert [kind_name(kind) for kind in range(54)] == names
    assert [parse_card(name) for name in names] == list(range(54))


@pytest.mark.parametrize("kind", range(54))
def test_every_spelling_reads_as_its_kind(kind):
    for text in spellings(kind):
        assert parse_card(text) == kind, text


@pytest.mark.parametrize(
    "text, kind",
    [("Ｓ５", 3), ("♥️10", 21), (" hq ", 23), ("♡K", 24), ("方片A", 38)],
    ids=["full width", "emoji heart", "blanks", "white heart", "方片"],
)
def test_common_variants_are_read(text, kind):
    assert parse_card(text) == kind


@pytest.mark.parametrize("suit", range(4))
def test_every_suit_spelling(suit):
    letter = "SHDC"[suit]
    for text in [letter, *SUIT_SPELLINGS[letter]]:
        assert parse_suit(text) == suit


@pytest.mark.parametrize("text", ["", "X", "SS", "NT", "5"])
def test_unknown_suit_is_refused(text):
    with pytest.raises(CardError, match="suits are S H D C"):
        parse_suit(text)


def test_g1_3_points_by_kind():
    points = [cards.card_points(kind) for kind in range(54)]
    assert 3 * sum(points) == 300
    named = {kind_name(kind): n for kind, n in enumerate(points) if n}
    assert named == {s + r: n for s in "SHDC" for r, n in [("5", 5), ("T", 10), ("K", 10)]}


def test_suit_and_rank():
    assert [(cards.suit_of(k), cards.rank_of(k)) for k in (0, 12, 13, 51, 52, 53)] == [
        (0, 2),
        (0, 14),
        (1, 2),
        (3, 14),
        (4, 15),
        (4, 16),
    ]


@pytest.mark.parametrize(
    "text, meant",
    [("S1", "SA"), ("5S", "S5"), ("10h", "HT"), ("JBB", "JB"), ("H11", "H"), ("SX", "S"), ("黑桃11", "")],
)
def test_unknown_card_names_the_nearest(text, meant):
    with pytest.raises(CardError) as error:
        parse_card(text)
    message = str(error.value)
    assert "\n" not in message and repr(text) in message and meant in message


@pytest.mark.parametrize("text", ["", "zz", "\x00", "S" * 10**6, "\ud800", "S5x2", "S\n5"])
def test_nonsense_is_one_short_line(text):
    with pytest.raises(CardError) as error:
        parse_card(text)
    assert "\n" not in str(error.value) and len(str(error.value)) < 160


def test_hand_of_the_record_text():
    assert parse_hand("S5x2 JB HT") == [3, 3, 53, 21]
    assert parse_hand(" s5X2,JB ,  ♥10、 大王,,梅2×3 ") == [3, 3, 53, 21, 53, 39, 39, 39]
    assert parse_hand("S5,HT\tJS\nC2") == [3, 21, 52, 39]
    assert parse_hand("S5x1") == [3]
    assert parse_hand("") == parse_hand(" , ") == []


@pytest.mark.parametrize("text", ["S5x4", "S5x0", "S5x99999999999", "S5x", "x2", "S5xx2", "S5x2x2", "S5x-1"])
def test_impossible_copies_are_refused(text):
    with pytest.raises(CardError) as error:
        parse_hand(text)
    assert "\n" not in str(error.value)


def test_impossible_hand_names_the_fourth_copy():
    with pytest.raises(CardError, match="'S5x4': there are only 3 copies of S5"):
        parse_hand("HT S5x4")
    with pytest.raises(CardError, match=r"card 6 \(S5\) is the fourth copy, after cards 1, 2, 4$"):
        parse_hand("S5x2 JB S5 HT S5")
    with pytest.raises(CardError, match=r"card 3 \(JB\) is the third copy, after cards 1, 2$"):
        parse_hand("JB JB JB", copies=2)
    assert parse_hand("JB JB JB JB", copies=4) == [53] * 4


@given(st.lists(KINDS, max_size=60))
def test_extra_copy_is_the_first_one_too_many(kinds):
    found = cards.extra_copy(kinds)
    if max(Counter(kinds).values(), default=0) <= 3:
        assert found is None
    else:
        place, earlier = found
        assert all(n <= 3 for n in Counter(kinds[:place]).values())
        assert [kinds[i] for i in earlier] == [kinds[place]] * 3 and max(earlier) < place


def up_to_three_copies(kinds):
    kept = Counter()
    for kind in kinds:
        kept[kind] += 1
        if kept[kind] <= 3:
            yield kind


@given(st.lists(KINDS, max_size=60).map(lambda kinds: list(up_to_three_copies(kinds))))
def test_kinds_to_text_to_kinds(kinds):
    text = format_hand(kinds)
    assert parse_hand(text) == kinds
    assert format_hand(parse_hand(text)) == text


@given(st.data(), st.lists(KINDS, max_size=20).map(lambda kinds: list(up_to_three_copies(kinds))))
def test_any_spelling_of_a_hand_reads_alike(data, kinds):
    words = [data.draw(st.sampled_from(spellings(kind))) for kind in kinds]
    separators = [data.draw(st.sampled_from([" ", ",", ", ", "\t", "，", "  "])) for _ in kinds]
    assert parse_hand("".join(word + gap for word, gap in zip(words, separators))) == kinds


@given(KINDS)
def test_what_is_shown_to_a_reader_reads_back(kind):
    assert cards.pretty(kind, ascii=True) == kind_name(kind)
    assert parse_card(cards.pretty(kind, lang="zh")) == kind
    if kind < 52:
        assert parse_card(cards.pretty(kind)) == kind
    assert {cards.pretty(k) for k in range(54)} == {cards.pretty(k) for k in range(54)} | {"♥10", "small", "big"}


def test_trace_constants_are_splitmix64():
    """SplitMix64 of state 0: its first outputs are published with the generator (Vigna, splitmix64.c)."""
    assert cards.TRACE_Z[:3] == (0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F)
    assert len(set(cards.TRACE_Z)) == 54 and all(0 < z < 1 << 64 for z in cards.TRACE_Z)


def naive_hash(deck, words):
    """The README's recurrence, written out."""
    packed = list(deck) + [0] * (-len(deck) % 8)
    all_words = [sum(packed[i + j] << 8 * j for j in range(8)) for i in range(0, len(packed), 8)] + list(words)
    h = 0
    for w in all_words:
        h = ((h ^ w) * 0x9E3779B97F4A7C15) % 2**64
        h ^= h >> 32
    return h if h < 2**63 else h - 2**64


@given(st.lists(KINDS, max_size=170), st.lists(st.integers(0, 2**64 - 1), max_size=8))
def test_trace_hash_is_designs_recurrence(deck, words):
    assert cards.trace_hash(deck, words) == naive_hash(deck, words)


def test_trace_word():
    plain = cards.trace_word(7, 2, 5, [])
    assert plain == 7 << 56 | 2 << 48 | 5
    assert cards.trace_word(7, 2, 5, [3, 3, 53]) == (plain + 2 * cards.TRACE_Z[3] + cards.TRACE_Z[53]) % 2**64
