"""
Stacked decks: dealing orders of kinds in which something rare is likely, each recipe by name.

A recipe says which cards some seats and the bottom get; the rest is random, and so is the order in which a seat draws
its cards, unless the recipe gives the last ones. Seats are counted from the one that draws first.
"""

from collections import Counter

from gunzi_sim.cards import BIG, SMALL, card_points, rank_of, suit_of

DECK = [kind for kind in range(54) for _ in range(3)]
JOKERS = [SMALL, BIG] * 3
N_HAND = 39


def build(rng, piles, bottom=(), last=None, are_early=False):
    """
    A dealing order of 162 kinds.

    `piles` gives cards by seat (counted from the first to draw), shuffled with what is dealt to it besides; `bottom`
    b0, b1, … in order; `last` the cards that a seat draws at its end. With `are_early` the piles are drawn first.
    """
    last = last or {}
    rest = Counter(DECK)
    for cards in [*piles.values(), bottom, *last.values()]:
        rest.subtract(cards)
    pool = list(rest.elements())
    if min(rest.values()) < 0 or len(bottom) > 6:
        raise ValueError("more cards asked for than there are")
    rng.shuffle(pool)
    hands = []
    for seat in range(4):
        hand, end = list(piles.get(seat, ())), list(last.get(seat, ()))
        while len(hand) + len(end) < N_HAND:
            hand.append(pool.pop())
        if not are_early:
            rng.shuffle(hand)
        hands.append(hand + end)
    return [hands[draw % 4][draw // 4] for draw in range(4 * N_HAND)] + list(bottom) + pool


def random_deck(rng, level):
    """A shuffled deck."""
    return rng.sample(DECK, len(DECK))


def three_jokers(rng, level):
    """Three big jokers, three small ones, or both, each at one seat."""
    piles = {seat: [] for seat in range(4)}
    chosen = rng.choice([[BIG], [SMALL], [BIG, SMALL], [BIG, SMALL]])
    for kind in chosen:
        piles[rng.randrange(4)] += [kind] * 3
    return build(rng, piles, are_early=rng.random() < 0.5)


def jokers_below(rng, level):
    """Some jokers in the bottom, first of all or anywhere; often all of them or just the first four."""
    n = rng.choice([2, 3, 4, 4, 4, 5, 6, 6, 6])
    bottom = rng.sample(JOKERS, n)
    others = [kind for kind in rng.sample(DECK, 60) if kind < SMALL][: 6 - n]
    bottom += others
    if rng.random() < 0.2:
        rng.shuffle(bottom)
    return build(rng, {}, bottom)


def dry_bottom(rng, level):
    """A bottom of one suit's cards and permanent trumps, or of other suits'; a seat can name the suit."""
    suit = rng.randrange(4)
    level_kind = suit * 13 + level - 2
    trumps = [kind for kind in DECK if kind >= SMALL or rank_of(kind) in (2, level) or suit_of(kind) == suit]
    sides = [kind for kind in DECK if kind >= SMALL or rank_of(kind) == 2 or suit_of(kind) != suit]
    pool = list((Counter(rng.choice([trumps, sides])) - Counter([level_kind] * 3)).elements())
    return build(rng, {rng.randrange(4): [level_kind] * 3}, rng.sample(pool, 6))


def level_cards(rng, level):
    """Most level cards and some jokers at one or two seats: overcalls and reinforcements."""
    kinds = [suit * 13 + level - 2 for suit in range(4)] * 3 + JOKERS
    piles = {seat: [] for seat in range(4)}
    seats = rng.sample(range(4), rng.randint(1, 2))
    for kind in rng.sample(kinds, 14):
        piles[rng.choice(seats)].append(kind)
    return build(rng, piles)


def late_claim(rng, level):
    """The big jokers drawn last: no suited card of the claimer follows."""
    seat = rng.randrange(4)
    n = rng.randint(1, 3)
    small = [SMALL] * rng.randint(0, 2)
    bottom = [BIG] * (3 - n)
    bottom += rng.sample([SMALL] * (3 - len(small)), rng.randint(0, 3 - len(small)))
    rng.shuffle(bottom)
    return build(rng, {}, bottom, {seat: [BIG] * n + small})


def strong_side(rng, level):
    """One side has all trumps of a suit and the highest side cards; the points lie anywhere."""
    return _strong(rng, level, 0, False)


def strong_first_side(rng, level):
    """The dealers' side of a later hand wins nearly all tricks, and has all jokers, three of a kind at a seat."""
    return _strong(rng, level, 0, True)


def strong_second_side(rng, level):
    """The same for the attackers of a later hand."""
    return _strong(rng, level, 1, True)


def _strong(rng, level, side, has_jokers):
    if not has_jokers:
        side = rng.randrange(2)
    suit = rng.randrange(4)
    trumps = [kind for kind in DECK if kind >= SMALL or rank_of(kind) in (2, level) or suit_of(kind) == suit]
    sides = sorted((Counter(DECK) - Counter(trumps)).elements(), key=rank_of, reverse=True)
    cards = trumps + sides[: 2 * N_HAND - len(trumps)]
    rest = list((Counter(DECK) - Counter(cards)).elements())
    bottom = rng.sample(rest, 6)
    if rng.random() < 0.5:  # points in the bottom, or none
        bottom = sorted(rest, key=card_points, reverse=rng.random() < 0.5)[:6]
    piles = {side: [], side + 2: []}
    if has_jokers:
        kinds = rng.sample((SMALL, BIG), 2)
        piles[rng.choice([side, side + 2])] += [kinds[0]] * 3
        piles[rng.choice([side, side + 2])] += [kinds[1]] * 3
        cards = [kind for kind in cards if kind < SMALL]
    rng.shuffle(cards)
    for seat in (side, side + 2):
        while len(piles[seat]) < N_HAND:
            piles[seat].append(cards.pop())
    return build(rng, piles, bottom)


def pointless_bottom(rng, level):
    """Nothing but point cards and jokers in the bottom: nobody but the dealer buries jokers, if he leaves it so."""
    points = [kind for kind in DECK if card_points(kind)]
    return build(rng, {rng.randrange(4): [SMALL] * 2}, rng.sample([*points, BIG, BIG], 6))


FIRST_HANDS = (random_deck, jokers_below, late_claim, strong_side, three_jokers)
LATER_HANDS = (
    random_deck,
    three_jokers,
    jokers_below,
    dry_bottom,
    level_cards,
    strong_side,
    strong_first_side,
    strong_second_side,
    pointless_bottom,
)
