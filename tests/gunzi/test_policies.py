"""
The built-in policies, decision by decision, on views made by hand.

`random`: its distribution is compared with a naive twin in fractions, and the twin's choices with all that the referee
allows. `basic`: positions in which a club player knows what to do, each with the reason in the test's name or text.
"""

import itertools
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from counts import IS_COMPILED, count
from scipy.stats import chi2

from gunzi.random_records import random_rules
from gunzi_sim.cards import BIG, SMALL, kind_name, parse_hand
from gunzi_sim.game import Job, PolicySpec, Situation
from gunzi_sim.gunzi import engine, policies, referee_play
from gunzi_sim.gunzi.rules import PRESETS, Follow
from gunzi_sim.gunzi.view import (
    BEATS,
    CLOSING_DRAW,
    DECISIONS,
    FIVES,
    GROUPS,
    KIND_AT,
    MIN_LEVEL,
    PARAM_FIELDS,
    PARAMS,
    PLACE_OF,
    ROW,
    RULES,
    TENS,
    TRUMP_GROUP,
    VIEW,
)
from gunzi_sim.rng import DRAWS

LEVEL = 5
SPADES, HEARTS, DIAMONDS, CLUBS = range(4)
TRUMP = SPADES
ORDER = referee_play.order_of(LEVEL, TRUMP)
STANDARD = PRESETS["standard"]
H, D, C = 0, 1, 2
"""Groups of the side suits while spades are trump."""


def record(dtype, **fields):
    made = np.zeros(1, dtype) if IS_COMPILED else np.zeros(1, dtype).view(np.recarray)
    for name, value in fields.items():
        made[name] = value
    return made[0]


def planes(kinds, level=LEVEL, trump=TRUMP):
    copies = Counter(kinds)
    return [
        np.uint64(sum(1 << int(PLACE_OF[level - MIN_LEVEL, trump, kind]) for kind in copies if copies[kind] >= n))
        for n in (1, 2, 3)
    ]


def by_kind(kinds):
    copies = Counter(kinds)
    return [np.uint64(sum(1 << kind for kind in copies if copies[kind] >= n)) for n in (1, 2, 3)]


def kinds_of(cards, level=LEVEL, trump=TRUMP):
    """Sorted kinds of three planes."""
    at = KIND_AT[level - MIN_LEVEL, trump]
    return sorted(int(at[place]) for plane in cards for place in range(64) if int(plane) >> place & 1)


def cards(text):
    return sorted(parse_hand(text))


def named(name, value, to_planes=planes):
    return {f"{name}_{n}": plane for n, plane in zip((1, 2, 3), to_planes(value))}


def make_view(rules=STANDARD, **fields):
    """A view of seat 0 in a hand at level 5, spades trump, dealer 1; `hand` and other sets as card names."""
    sets = {}
    for name in ("hand", "bottom", "played"):
        if name in fields:
            kinds = fields.pop(name)
            sets |= named(name, parse_hand(kinds) if isinstance(kinds, str) else kinds)
    if "kinds" in fields:
        sets |= named("kinds", parse_hand(fields.pop("kinds")), by_kind)
    given = {f"rule_{name}": int(getattr(rules, name)) for name in RULES.names}
    given |= {"level": LEVEL, "trump": TRUMP, "dealer": 1, "declared_by": 9, "payer": 9, "receiver": 9, "best_seat": 9}
    given |= {"fives": FIVES[LEVEL - MIN_LEVEL], "tens": TENS[LEVEL - MIN_LEVEL]}
    return record(VIEW, **(given | sets | fields))


def place_mask(*names):
    return planes(parse_hand(" ".join(names)))[0]


def at_table(hand, *table, void=None, rules=STANDARD, **fields):
    """The view of seat 0, which is to follow these plays, the last of them seat 3's. `void` gives groups by seat."""
    plays = [parse_hand(play) if isinstance(play, str) else list(play) for play in table]
    leader = (0 - len(plays)) % 4
    led_group = min(int(PLACE_OF[LEVEL - MIN_LEVEL, TRUMP, plays[0][0]]) // 12, TRUMP_GROUP)
    filled = plays + [[kind] * len(plays[0]) for kind in plays[0][:1] for _ in range(4 - len(plays))]
    best = referee_play.trick_winner(leader, filled, LEVEL, TRUMP)
    best_card = plays[(best - leader) % 4][0]
    voids = [0, 0, 0, 0]
    for seat, groups in (void or {}).items():
        voids[seat] = sum(1 << group for group in groups)
    kinds = parse_hand(hand) if isinstance(hand, str) else hand
    return make_view(
        rules,
        hand=kinds,
        seat=0,
        leader=leader,
        position=len(plays),
        n_cards=len(plays[0]),
        led=GROUPS[led_group],
        led_group=led_group,
        best_seat=best,
        beating=BEATS[PLACE_OF[LEVEL - MIN_LEVEL, TRUMP, best_card]],
        table_points=referee_play.trick_points(plays),
        cards_left=len(kinds),
        voids=voids,
        **fields,
    )


def params_of(**changes):
    return record(PARAMS, **({p.name: p.default for p in policies.PARAMETERS["basic"]} | changes))


def stream(number=0):
    return record(DRAWS, key=np.uint64(number))


def ask(functions, decision, view, params=None, key=0):
    """What a policy decides: a code, or the sorted kinds of its planes."""
    answer = functions[DECISIONS.index(decision)](view, params or params_of(), stream(key))
    return int(answer) if decision in ("claim", "declare") else kinds_of(answer)


def basic(decision, view, **changes):
    return ask(policies.BASIC, decision, view, params_of(**changes))


# --- random: the naive twin ------------------------------------------------------------------------------------------


def mixed(parts):
    """Distribution of a two-step choice: `parts` gives (probability, distribution) pairs."""
    total = Counter()
    for share, choices in parts:
        for choice, probability in choices.items():
            total[choice] += share * probability
    return dict(total)


def one_after_another(pool, n_cards):
    """n times uniform over the kinds left: {sorted cards: probability}."""
    if n_cards == 0:
        return {(): Fraction(1)}
    kinds = sorted(set(pool))
    parts = []
    for kind in kinds:
        rest = list(pool)
        rest.remove(kind)
        after = one_after_another(rest, n_cards - 1)
        parts.append((Fraction(1, len(kinds)), {tuple(sorted((kind, *more))): p for more, p in after.items()}))
    return mixed(parts)


def joined(fixed, choices):
    return {tuple(sorted((*fixed, *choice))): p for choice, p in choices.items()}


def uniform(choices):
    return {tuple(choice): Fraction(1, len(choices)) for choice in choices}


def twin_follow(hand, led, is_strict):
    """Distribution of `random` for a follow, from its documentation."""
    suit = ORDER.suit[led[0]]
    mine = [kind for kind in hand if ORDER.suit[kind] == suit]
    others = [kind for kind in hand if ORDER.suit[kind] != suit]
    n_led = len(led)
    if len(mine) <= n_led:
        return joined(mine, one_after_another(others, n_led - len(mine)))
    copies = Counter(mine)
    pairs = sorted(kind for kind in copies if copies[kind] >= 2)
    triples = [kind for kind in pairs if copies[kind] == 3]
    if is_strict and n_led == 3 and triples:
        return uniform([(kind,) * 3 for kind in triples])
    if is_strict and n_led == 3 and pairs:
        parts = []
        for kind in pairs:
            rest = sorted(set(mine) - {kind})
            parts.append((Fraction(1, len(pairs)), joined((kind, kind), uniform([(other,) for other in rest]))))
        return mixed(parts)
    if is_strict and n_led == 2 and set(pairs) - set(triples):
        return uniform([(kind,) * 2 for kind in pairs])
    return one_after_another(mine, n_led)


def legal_follows(hand, led, follow):
    """Everything the referee allows."""
    subsets = set(itertools.combinations(sorted(hand), len(led)))
    return {
        play for play in subsets if referee_play.follow_fault(Counter(hand), led, list(play), ORDER, follow) is None
    }


def check_distribution(decision, view, expected, n=4000):
    """Chi-square of the decisions of `random` over independent streams; its choices are exactly those expected."""
    n = count(n, 400)
    seen = Counter()
    for key in range(n):
        answer = ask(policies.RANDOM, decision, view, key=key)
        seen[answer if isinstance(answer, int) else tuple(answer)] += 1
    assert set(seen) <= set(expected)
    statistic = sum((seen[choice] - n * float(p)) ** 2 / (n * float(p)) for choice, p in expected.items())
    assert statistic < chi2.isf(1e-6, max(len(expected) - 1, 1)), (seen, expected)
    if n * float(min(expected.values())) > 20:
        assert set(seen) == set(expected)


FOLLOWS = [
    ("H7", "H9 H2 D3"),
    ("H7", "H9 HT HTx2 S4"),
    ("H7", "D9x3 S4 JB"),
    ("H8x2", "H3 C4 C6x2 JS"),
    ("H8x2", "H6x2 H9 D3"),
    ("H8x2", "H9x3 H3 D4"),
    ("H8x2", "H9x3 C4"),
    ("H8x2", "H3x3 HTx2 H7 S4"),
    ("H8x2", "C4x3 D6"),
    ("S8x2", "JBx2 JS D5 S3 C4"),
    ("H8x3", "H6x2 H9 D4"),
    ("H8x3", "H6x2 C4x2 D7"),
    ("H8x3", "H6x2 H9x2 HJ D3"),
    ("H8x3", "H6x3 H9x3 HJ"),
    ("H8x3", "H3 H4 H6 H7x2 HJ"),
    ("H8x3", "H3 H4 H6 H7"),
    ("H8x3", "C3 C4x2 D6"),
]


@pytest.mark.parametrize("follow", list(Follow))
@pytest.mark.parametrize(("led", "hand"), FOLLOWS)
def test_g10_3_g10_4_random_follows_by_its_distribution_and_leaves_no_legal_play_out(led, hand, follow):
    led, hand = parse_hand(led), parse_hand(hand)
    expected = twin_follow(hand, led, follow == Follow.STRICT)
    assert set(expected) == legal_follows(hand, led, follow)
    rules = STANDARD if follow == Follow.STRICT else engine_rules(follow=Follow.LOOSE)
    check_distribution("follow", at_table(hand, led, rules=rules), expected)


def engine_rules(**changes):
    return type(STANDARD)(**changes)


@pytest.mark.parametrize("hand", ["H7", "H7x2 D3 JBx3", "S4x3", "H3 H4 D6x2 C9x3 JS"])
def test_g10_1_random_leads_every_legal_play_alike(hand):
    copies = Counter(parse_hand(hand))
    plays = [(kind,) * n for kind in sorted(copies) for n in range(1, copies[kind] + 1)]
    check_distribution("lead", make_view(hand=hand), uniform(plays))


def test_g8_1_g8_2_random_buries_every_legal_six():
    hand = parse_hand("JBx2 JS H3x2 D4 C6")
    legal = {six for six in itertools.combinations(sorted(hand), 6) if not (six.count(SMALL) and six.count(BIG) < 2)}
    expected = twin_bury(hand, 6, big_first=True, most_jokers=6)
    assert set(expected) == legal
    check_distribution("bury", make_view(hand=hand), expected)


@pytest.mark.parametrize("most_jokers", [0, 1, 2, 6])
@pytest.mark.parametrize("big_first", [False, True])
def test_g8_2_g15_random_bury_keeps_the_joker_rules(big_first, most_jokers):
    hand = parse_hand("JB JSx2 H3x2 D4x2 C6x2 C7")
    legal = {
        six
        for six in itertools.combinations(sorted(hand), 6)
        if six.count(SMALL) + six.count(BIG) <= most_jokers
        and not (big_first and six.count(SMALL) and not six.count(BIG))
    }
    expected = twin_bury(hand, 6, big_first, most_jokers)
    assert set(expected) == legal
    rules = engine_rules(bury_big_first=big_first, max_jokers_per_seat=most_jokers)
    check_distribution("bury", make_view(rules, hand=hand), expected)


def twin_bury(hand, n_cards, big_first, most_jokers):
    """Distribution of `random` for a bury, from its documentation."""
    if n_cards == 0:
        return {(): Fraction(1)}
    kinds = set(hand)
    if most_jokers == 0:
        kinds -= {SMALL, BIG}
    elif big_first and BIG in kinds:
        kinds -= {SMALL}
    parts = []
    for kind in sorted(kinds):
        rest = list(hand)
        rest.remove(kind)
        after = twin_bury(rest, n_cards - 1, big_first, most_jokers - (kind in (SMALL, BIG)))
        parts.append((Fraction(1, len(kinds)), joined((kind,), after)))
    return mixed(parts)


@pytest.mark.parametrize("most", [1, 2, 4, 5])
@pytest.mark.parametrize("big_first", [False, True])
def test_g8_4_random_buries_every_legal_number_of_jokers(big_first, most):
    n_big, n_small = 2, 3
    numbers = [
        (big, small)
        for big in range(n_big + 1)
        for small in range(n_small + 1)
        if big + small <= most and not (big_first and small and big < n_big)
    ]
    view = make_view(engine_rules(bury_big_first=big_first), hand="JBx2 JSx3 H4 D6", joker_step=0, max_jokers=most)
    check_distribution("jokers", view, uniform([(SMALL,) * small + (BIG,) * big for big, small in numbers]))


def test_g8_4_random_picks_among_equal_cards_of_the_bottom():
    view = make_view(
        hand="JBx2 JS H4",
        bottom="H3 D6x2 C6 H9 C9",
        joker_step=1,
        n_picks=3,
        pick_must=place_mask("H3"),
        pick_cut=place_mask("D6", "C6"),
    )
    expected = joined(cards("H3"), one_after_another(cards("D6x2 C6"), 2))
    check_distribution("jokers", view, expected)


@pytest.mark.parametrize("decision", ["pay", "return"])
def test_g6_2_g6_4_random_gives_what_must_go_and_chooses_the_rest(decision):
    view = make_view(
        hand="JB S9x2 H5 D5x2 C4",
        n_tribute=3,
        tribute_must=place_mask("JB"),
        tribute_cut=place_mask("H5", "D5"),
    )
    check_distribution(decision, view, joined([BIG], one_after_another(cards("H5 D5x2"), 2)))


def test_g5_3_random_declares_or_passes_alike():
    view = make_view(kinds="S5x2 H5", legal_declarations=np.uint64(1 << 4 | 1 << 8 | 1 << 5))
    check_distribution("declare", view, {0: Fraction(1, 4), 4: Fraction(1, 4), 5: Fraction(1, 4), 8: Fraction(1, 4)})


def test_g4_1_random_claims_half_the_time():
    check_distribution("claim", make_view(kinds="JB"), {0: Fraction(1, 2), 1: Fraction(1, 2)})


FORCED = [
    ("follow", at_table("H9x2 H3 D3", "H7x2")),
    ("follow", at_table("D3x2", "H7x2")),
    ("lead", make_view(hand="JB")),
    ("jokers", make_view(hand="H3", joker_step=0, max_jokers=0)),
    ("pay", make_view(hand="JB H5", n_tribute=1, tribute_must=place_mask("JB"))),
]


@pytest.mark.parametrize(("decision", "view"), FORCED)
def test_random_takes_no_word_for_a_forced_choice(decision, view):
    draws = stream()
    policies.RANDOM[DECISIONS.index(decision)](view, params_of(), draws)
    assert draws["block"] == 0


@pytest.mark.parametrize(
    ("decision", "view"),
    [
        ("follow", at_table("H9 H6 D3", "H7")),
        ("follow", at_table("H9 D3", "H7")),
        ("lead", make_view(hand="JB H4")),
    ],
)
def test_random_takes_one_word_for_a_single_or_a_lead(decision, view):
    draws = stream()
    policies.RANDOM[DECISIONS.index(decision)](view, params_of(), draws)
    assert (draws["block"], draws["left"]) == (1, 3)


# --- all: legal everywhere ------------------------------------------------------------------------------------------


def random_hand(rng, n_cards):
    deck = [kind for kind in range(54) for _ in range(3)]
    rng.shuffle(deck)
    narrow = [kind for kind in deck if kind % 13 < 6 or kind >= 39]  # fewer kinds, more pairs and triples
    return sorted((narrow if rng.random() < 0.5 else deck)[:n_cards])


@pytest.mark.parametrize("name", list(policies.BUILT_IN))
def test_g10_3_g10_4_every_follow_is_legal(name):
    rng = random.Random(name)
    for case in range(count(1500, 60)):
        led = [rng.randrange(54)] * rng.randint(1, 3)
        hand = random_hand(rng, rng.randint(len(led), 39))
        follow = rng.choice(list(Follow))
        plays = [led] + [sorted(rng.choices(range(54), k=len(led))) for _ in range(rng.randrange(3))]
        view = at_table(hand, *plays, rules=engine_rules(follow=follow), void={1: rng.sample(range(4), 2)})
        play = ask(policies.BUILT_IN[name], "follow", view, params_of(feed_risk=rng.randrange(4)), key=case)
        assert referee_play.follow_fault(Counter(hand), led, play, ORDER, follow) is None, (hand, plays, play)


@pytest.mark.parametrize("name", list(policies.BUILT_IN))
def test_g10_1_every_lead_is_legal(name):
    rng = random.Random(name)
    for case in range(count(1000, 60)):
        hand = random_hand(rng, rng.randint(1, 39))
        rest = sorted((Counter({kind: 3 for kind in range(54)}) - Counter(hand)).elements())
        played = rng.sample(rest, rng.randint(0, len(rest)))
        view = make_view(hand=hand, played=played, voids=[rng.randrange(16) for _ in range(4)])
        play = ask(policies.BUILT_IN[name], "lead", view, key=case)
        assert referee_play.lead_fault(Counter(hand), play) is None, (hand, play)


def test_both_policies_keep_every_rule_whatever_the_rules_and_parameters():
    """The kernel judges every decision; a broken rule raises PolicyError."""
    rng = random.Random(8)
    table = engine.built_in_policies()
    rows = np.zeros(4096, ROW)
    for _ in range(count(120, 1)):
        specs = []
        for _ in range(4):
            name = rng.choice(list(policies.BUILT_IN))
            chosen = [(p.name, rng.randint(p.low, p.high)) for p in policies.PARAMETERS[name] if rng.random() < 0.5]
            specs.append(PolicySpec(name, tuple(chosen)))
        rules = random_rules(rng)
        levels = (rng.randint(rules.start_level, rules.end_level), rng.randint(rules.start_level, rules.end_level))
        situation = Situation(levels=levels, dealer=rng.randrange(4), owed=rng.randrange(20), first_hand=False)
        for mode, n_units in (("rounds", count(4, 1)), ("hands", count(40, 2))):
            job = Job("gunzi", rules, tuple(specs), seed=rng.randrange(1 << 64), mode=mode, situation=situation)
            n_played, _ = engine.play_range(job, table, 0, n_units, rows)
            assert n_played > 0


# --- basic: following ------------------------------------------------------------------------------------------------


def test_basic_feeds_a_ten_to_the_partner_whose_ace_stands():
    """A ten is ten points for the side; the king is worth as much but may still win a trick."""
    assert basic("follow", at_table("HK HT H4", "HA", "H3")) == cards("HT")


def test_basic_feeds_when_it_plays_last_on_the_partners_trick():
    assert basic("follow", at_table("HT H4", "H9", "HQ", "H3")) == cards("HT")


def test_basic_gives_no_points_to_a_partner_who_will_be_beaten():
    """Hearts from queen to ace are out, and the next seat plays after us."""
    assert basic("follow", at_table("HT H4", "HJ", "H3")) == cards("H4")


def test_basic_gives_no_points_where_the_next_seat_is_known_to_ruff():
    view = at_table("HK HT H4", "HA", "H3", void={1: [H]})
    assert basic("follow", view) == cards("H4")


def test_basic_feeds_again_once_the_ruffing_seat_is_out_of_trumps():
    view = at_table("HK HT H4", "HA", "H3", void={1: [H, TRUMP_GROUP]})
    assert basic("follow", view) == cards("HT")


def test_basic_feeds_from_another_suit_when_void():
    assert basic("follow", at_table("DT D4 S3", "H9", "HA", "H3")) == cards("DT")


def test_basic_ducks_under_a_card_it_cannot_beat():
    """Nothing is won by a king under an ace: lose the smallest card."""
    assert basic("follow", at_table("HK HT H3", "H9", "H4", "HA")) == cards("H3")


def test_basic_ducks_with_a_single_rather_than_half_a_pair():
    """A pair is worth more together: it can be led, and it follows pairs."""
    assert basic("follow", at_table("H4x2 H6 HT", "H9", "H3", "HA")) == cards("H6")


def test_basic_wins_late_with_the_card_that_carries_points():
    """Last to play, nothing can take the king any more: bring its ten points home."""
    assert basic("follow", at_table("HA HK HQ H3", "H4", "H3", "H9")) == cards("HK")


def test_basic_wins_late_as_cheaply_as_it_can():
    assert basic("follow", at_table("HA HJ H3", "H4", "H3", "H9")) == cards("HJ")


def test_basic_plays_low_in_second_place_without_the_top_card():
    assert basic("follow", at_table("HK HQ H3", "H9")) == cards("H3")


def test_basic_cashes_the_ace_in_second_place():
    assert basic("follow", at_table("HA H3", "H9")) == cards("HA")


def test_basic_counts_the_aces_and_plays_the_king_when_they_are_gone():
    assert basic("follow", at_table("HK H3", "H9", played="HAx2")) == cards("H3")
    assert basic("follow", at_table("HK H3", "H9", played="HAx3")) == cards("HK")


def test_basic_saves_its_ace_from_a_seat_known_to_ruff():
    assert basic("follow", at_table("HA H3", "H9", void={1: [H]})) == cards("H3")


def test_basic_ruffs_for_points():
    """The opponents are about to take a ten: a small trump is cheaper."""
    assert basic("follow", at_table("S3 S9 D4", "H9", "HT", "HA")) == cards("S3")


def test_basic_ruffs_last_with_a_trump_that_carries_points():
    assert basic("follow", at_table("ST S3 D4", "H9", "HQ", "HA")) == cards("ST")


def test_basic_does_not_ruff_below_its_parameter():
    view = at_table("S3 S9 D4", "H9", "HT", "HA")
    assert basic("follow", view, ruff_points=10) == cards("S3")
    assert basic("follow", view, ruff_points=15) == cards("D4")


def test_basic_does_not_ruff_its_partners_trick():
    assert basic("follow", at_table("S3 S9 D4", "H9", "HA", "H3")) == cards("D4")


def test_basic_overruffs_with_the_lowest_trump_that_wins():
    assert basic("follow", at_table("S3 S9 SJ D4", "HT", "H4", "S7")) == cards("S9")


def test_basic_throws_no_points_on_a_trick_that_is_lost():
    assert basic("follow", at_table("DT CT C4 D6", "HT", "H4", "HA")) == cards("C4")


def test_basic_spends_a_joker_only_for_points():
    """Two jokers: one may go for ten points, none for an empty trick."""
    assert basic("follow", at_table("JBx2 D4", "H9", "H3", "HA")) == cards("D4")
    assert basic("follow", at_table("JBx2 D4", "H9", "HT", "HA")) == cards("JB")
    assert basic("follow", at_table("JBx2 D4", "H9", "HT", "HA"), high_trump_points=15) == cards("D4")


def test_g11_3_basic_keeps_the_trump_that_wins_the_last_trick():
    """The last trick decides over the bottom and the raise; a lone big joker takes it, so it costs more than others."""
    five = at_table("JB D4", "HA", "H3", "S5", played="")
    assert five["table_points"] == 5
    assert basic("follow", five) == cards("D4")
    assert basic("follow", five, last_trump_points=5) == cards("JB")
    small = at_table("JS D4", "HA", "H3", "S5")  # big jokers are out, so it is no sure winner: five points buy it
    assert basic("follow", small) == cards("JS")


def test_g10_4_basic_feeds_the_owed_pair_that_carries_points():
    assert basic("follow", at_table("HTx2 H3x2 H4", "H9x2", "HAx2", "H4 H6")) == cards("HTx2")


def test_g10_4_basic_loses_the_owed_pair_without_points():
    assert basic("follow", at_table("HTx2 H3x2 H4", "H9x2", "H4 H6", "HAx2")) == cards("H3x2")


def test_g10_4_basic_wins_a_pair_last_with_points():
    assert basic("follow", at_table("HAx2 HTx2 H3x2", "H7x2", "H4 H6", "H8x2")) == cards("HTx2")


def test_g10_4_basic_loses_two_small_cards_under_a_pair_it_cannot_beat():
    """Only triples in the suit: any two cards will do."""
    assert basic("follow", at_table("HT HK H4 H6", "H9x2", "H4 H6", "HAx2")) == cards("H4 H6")


def test_g11_1_basic_ruffs_a_pair_with_a_pair():
    assert basic("follow", at_table("S3x2 S9 S4 D4 D6", "HTx2", "H4 H6", "HAx2")) == cards("S3x2")


def test_basic_feeds_two_tens_to_the_partners_pair():
    assert basic("follow", at_table("DT CT D4 C4", "H9x2", "HAx2", "H4 H6")) == cards("DT CT")


def test_g10_4_basic_beats_a_triple_with_a_triple():
    assert basic("follow", at_table("H9x3 H6x3 H4", "H7x3", "H3 H4 H6", "H3 H4 H6")) == cards("H9x3")


# --- basic: leading --------------------------------------------------------------------------------------------------


def test_basic_cashes_an_ace():
    assert basic("lead", make_view(hand="HA H4 D6 S3")) == cards("HA")


def test_basic_does_not_cash_into_a_known_ruff():
    assert basic("lead", make_view(hand="HA H4 D6 S3", voids=[0, 1 << H, 0, 0])) == cards("H4")


def test_basic_cashes_when_the_void_opponent_has_no_trumps_left():
    assert basic("lead", make_view(hand="HA H4 D6 S3", voids=[0, 1 << H | 8, 0, 0])) == cards("HA")


def test_basic_counts_cards_and_cashes_a_king():
    """With two aces gone and one in the hand of somebody else the king must wait."""
    assert basic("lead", make_view(hand="HK D6 D4 S3", played="HAx2")) == cards("D4")
    assert basic("lead", make_view(hand="HK D6 D4 S3", played="HAx3")) == cards("HK")


def test_basic_knows_that_no_ace_is_out_at_level_ace():
    """The level rank is missing in the side suits, so a king is top."""
    level = 14
    hand = {f"hand_{n}": plane for n, plane in zip((1, 2, 3), planes(parse_hand("HK D6 D4 S3"), level))}
    view = make_view(level=level, fives=FIVES[level - MIN_LEVEL], tens=TENS[level - MIN_LEVEL], **hand)
    answer = policies.BASIC[DECISIONS.index("lead")](view, params_of(), stream())
    assert kinds_of(answer, level) == cards("HK")


def test_basic_leads_a_triple_before_all():
    """A triple is hardly ever beaten, and everybody must follow with three cards."""
    assert basic("lead", make_view(hand="H6x3 HA D4 S3")) == cards("H6x3")


def test_basic_leads_a_top_pair_before_single_aces():
    assert basic("lead", make_view(hand="HAx2 DA D4 S3")) == cards("HAx2")


def test_basic_takes_a_pair_as_top_when_no_higher_pair_can_be_out():
    """One ace in hand and one gone: nobody can hold a pair of them."""
    view = make_view(hand="HKx2 HA D4 S3", played="HA")
    assert basic("lead", view) == cards("HKx2")


def test_basic_draws_trumps_when_it_is_long():
    """With sixteen of the 51 trumps left it pulls those of the others, low ones first; with sixteen of 59 not yet."""
    hand = "S3 S4 S6 S7 S8 S9 SJ SQ S2 H2 D5 C5 H5 JS JBx2 D4"
    assert basic("lead", make_view(hand=hand, played="H2x2 D2x3 C2x3 S6x2 S7x2")) == cards("S3")
    assert basic("lead", make_view(hand=hand, played="S6x2 S7x2")) == cards("D4")
    assert basic("lead", make_view(hand="S3 S8 D4 DT")) == cards("D4")


def test_basic_exits_with_a_small_card_not_with_points_or_trumps():
    assert basic("lead", make_view(hand="DT D4 HK H6 SA JB")) == cards("D4")


def test_g11_3_basic_leads_its_high_trumps_last():
    assert basic("lead", make_view(hand="JB S5 H5 S4")) == cards("S4")
    assert basic("lead", make_view(hand="JB S5 H5")) == cards("H5")


# --- basic: bottom, tribute, bidding ---------------------------------------------------------------------------------

LONG = "S3x2 S4x2 S6x2 S7x2 S8x2 S9x2 SJ SQ SA S2 H2 D2 C2 S5 H5x2 "
"""Twenty-two trumps."""
DEALERS_HAND = LONG + "JBx2 JS HA HK HT H6 H7 H8 H9x2 HJ HQ DA DK D8 D9 D4 D6 D7 CT C3 C4"


def test_g8_1_basic_buries_to_void_a_side_suit_and_keeps_points_aces_jokers():
    """Clubs are shortest: their small cards go, then the small diamonds; points in the bottom may count double."""
    view = make_view(hand=DEALERS_HAND)
    assert len(parse_hand(DEALERS_HAND)) == 45
    assert basic("bury", view) == cards("C3 C4 D4 D6 D7 D8")


@pytest.mark.parametrize(("jokers", "buried"), [(0, 0), (1, 1), (2, 2), (3, 3), (6, 3)])
def test_g8_2_basic_buries_jokers_on_demand_big_ones_first(jokers, buried):
    six = basic("bury", make_view(hand=DEALERS_HAND), jokers=jokers)
    assert len(six) == 6
    assert [kind for kind in six if kind >= SMALL] == sorted([BIG, BIG, SMALL][:buried])


def test_g15_basic_buries_no_more_jokers_than_the_rules_let_it():
    six = basic("bury", make_view(engine_rules(max_jokers_per_seat=1), hand=DEALERS_HAND), jokers=6)
    assert [kind_name(kind) for kind in six if kind >= SMALL] == ["JB"]


@pytest.mark.parametrize(("jokers", "expected"), [(0, ""), (1, "JB"), (2, "JB JS"), (6, "JB JS")])
def test_g8_4_basic_buries_as_another_seat_only_on_demand(jokers, expected):
    view = make_view(hand="JB JSx2 H3 H4", joker_step=0, max_jokers=2)
    assert basic("jokers", view, jokers=jokers) == cards(expected)


def test_g8_4_basic_picks_up_what_makes_a_pair():
    view = make_view(
        hand="C6 H3", bottom="H6 D6 C6 H9 C9 DJ", joker_step=1, n_picks=1, pick_cut=place_mask("H6", "D6", "C6")
    )
    assert basic("jokers", view) == cards("C6")


def test_g6_4_basic_returns_its_lowest_single_cards():
    """A pair of 3s may be led some day; a lone 4 is worth nothing."""
    free = place_mask("H3", "H4", "D6", "D7")
    view = make_view(hand="H3x2 H4 D6 D7 HK S3 JB", n_tribute=2, tribute_cut=free)
    assert basic("return", view) == cards("H4 D6")


def test_g6_2_basic_pays_what_it_must_and_breaks_no_pair():
    view = make_view(
        hand="JB H5x2 D5 C4", n_tribute=2, tribute_must=place_mask("JB"), tribute_cut=place_mask("H5", "D5")
    )
    assert basic("pay", view) == cards("JB D5")


def code(strength, suit):
    return strength * 4 + suit


def legal(*codes):
    return np.uint64(sum(1 << one for one in codes))


SIX_HEARTS = "H3 H4 H6 H7 H8 H9 H5 S5 S3 S4"


def test_g5_2_basic_declares_its_longest_suit():
    view = make_view(kinds=SIX_HEARTS, draw=60, legal_declarations=legal(code(1, HEARTS), code(1, SPADES)))
    assert basic("declare", view) == code(1, HEARTS)


def test_basic_waits_for_a_long_suit_but_not_beyond_the_last_draw():
    """With two spades it waits; when nothing more is drawn its own suit beats one turned up from the bottom."""
    few = {"kinds": "S5 S3 S4", "legal_declarations": legal(code(1, SPADES))}
    assert basic("declare", make_view(draw=60, **few)) == 0
    assert basic("declare", make_view(draw=60, **few), declare_cards=2) == code(1, SPADES)
    assert basic("declare", make_view(draw=CLOSING_DRAW, **few)) == code(1, SPADES)


def test_g5_4_basic_overcalls_opponents_only_for_a_clearly_longer_suit():
    """Two more cards than in the standing suit by default."""
    open_to = legal(code(2, HEARTS))
    view = {"draw": 100, "declared_by": 1, "declared_code": code(1, SPADES), "legal_declarations": open_to}
    assert basic("declare", make_view(kinds="H5x2 H3 H4 H6 H7 H8 S3 S4 S6", **view)) == code(2, HEARTS)
    assert basic("declare", make_view(kinds="H5x2 H3 H4 H6 H7 H8 S3 S4 S6 S7", **view)) == 0
    assert basic("declare", make_view(kinds="H5x2 H3 H4 H6 H7 H8 S3 S4 S6", **view), overcall_cards=3) == 0


def test_g5_4_basic_leaves_its_partners_declaration():
    view = make_view(
        kinds="H5x2 H3x3 H4x3 H6",
        draw=100,
        declared_by=2,
        declared_code=code(1, SPADES),
        legal_declarations=legal(code(2, 1)),
    )
    assert basic("declare", view) == 0


def test_g5_4_basic_reinforces_its_own_declaration():
    """Two cards are harder to overcall than one, and they stay in the hand (G5.6)."""
    view = make_view(
        kinds="H5x2 S5x2 H3",
        draw=100,
        declared_by=0,
        declared_code=code(1, HEARTS),
        legal_declarations=legal(code(2, HEARTS), code(2, SPADES)),
    )
    assert basic("declare", view) == code(2, HEARTS)


def test_g5_5_basic_shows_jokers_only_when_nothing_more_is_drawn():
    view = {"kinds": "JSx3 H3 H4 H6 H7 H8 H9", "declared_by": 1, "declared_code": code(3, SPADES)}
    open_to = legal(*(code(4, suit) for suit in range(4)))
    assert basic("declare", make_view(draw=150, legal_declarations=open_to, **view)) == 0
    assert basic("declare", make_view(draw=CLOSING_DRAW + 1, legal_declarations=open_to, **view)) == code(4, HEARTS)


def test_g4_1_basic_claims_with_enough_trumps_of_any_suit():
    """Jokers, level cards and 2s are trumps whatever suit comes: five by default."""
    assert basic("claim", make_view(kinds="JB JS S2 H5 H3 H4")) == 0
    assert basic("claim", make_view(kinds="JB JS S2x2 H5 H3 H4")) == 1
    assert basic("claim", make_view(kinds="JB H3 H4"), claim_trumps=1) == 1


# --- tables, strength ------------------------------------------------------------------------------------------------


def test_tables_name_every_policy_and_its_parameters():
    assert set(policies.BUILT_IN) == set(policies.PARAMETERS) == set(policies.DRAWS_USED)
    assert (set(policies.BUILT_IN), policies.LATE) == ({"random", "basic"}, ("counting", "search"))
    for name in (*policies.BUILT_IN, *policies.LATE):
        table = policies.table(name)
        assert len(table.functions) == len(DECISIONS)
        assert len({parameter.name for parameter in table.parameters}) == len(table.parameters)
        for parameter in table.parameters:
            assert parameter.name in PARAM_FIELDS
            assert parameter.low <= parameter.default <= parameter.high
            assert parameter.doc


@pytest.mark.parametrize("decision", ["lead", "follow"])
def test_basic_takes_no_draws(decision):
    views = {"lead": make_view(hand="HA H4 D6 S3"), "follow": at_table("HK HT H4", "HA", "H3")}
    draws = stream(3)
    policies.BASIC[DECISIONS.index(decision)](views[decision], params_of(), draws)
    assert draws["block"] == 0
    assert not policies.DRAWS_USED["basic"]


def won_by_side_0(first, second, n_rounds, seed):
    """Rounds won by side 0, and the rows of all hands."""
    table = engine.built_in_policies()
    specs = tuple(PolicySpec(name) for name in (first, second, first, second))
    job = Job("gunzi", STANDARD, specs, seed=seed)
    rows = np.zeros(200 * n_rounds, ROW)
    n_units, n_rows = engine.play_range(job, table, 0, n_rounds, rows)
    assert n_units == n_rounds
    rows = rows[:n_rows]
    return int((rows["round_winner"] == 0).sum()), rows


def test_basic_beats_random_in_97_rounds_of_100_from_either_side():
    n_rounds = count(400, 2)
    wins, _ = won_by_side_0("basic", "random", n_rounds, seed=3)
    losses, _ = won_by_side_0("random", "basic", n_rounds, seed=4)
    assert wins + (n_rounds - losses) >= 0.97 * 2 * n_rounds


def test_basic_against_itself_gives_attackers_a_sensible_share_of_the_points():
    _, rows = won_by_side_0("basic", "basic", count(100, 1), seed=5)
    assert 80 < rows["attacker_points"].mean() < 160
    assert 0.15 < rows["takes_deal"].mean() < 0.85 or len(rows) < 20
