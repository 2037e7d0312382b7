"""
The policy `random`: every legal choice is possible, by the distributions below.

"Of kinds" is uniform over the distinct kinds of a set, however many copies of each; "n of kinds, one after another"
draws n times, each time uniformly over the kinds still left, so a kind held twice can be drawn twice.

claim    a fair coin.
declare  uniform over passing and all legal codes.
pay      everything that must go; the rest of the cards allowed, of kinds, one after another. `return` likewise.
bury     six of kinds, one after another, among all cards that rules let the seat bury next: no joker beyond
         `max_jokers_per_seat`, and under `bury_big_first` no small joker while a big one is held.
jokers   step 0: uniform over all legal pairs (big, small) of numbers. Step 1: as `pay`.
lead     uniform over all legal plays: every kind as a single, every kind held twice as a pair, thrice as a triple.
follow   the part that rules force, then: a single of the legal kinds; an owed pair or triple of the kinds that can make
         one; all other cards of kinds, one after another, of the led suit while it is held, else of the rest.

A follow to a single takes one word of its stream, even where it is forced. All other forced choices take none; a lead
takes one. Left out: what is legal, which `tricks` says.
"""

from gunzi_sim.bits import bit_index, kth_bit, popcount
from gunzi_sim.gunzi.rules import Follow
from gunzi_sim.gunzi.tricks import NO_PLACES, add, count_within, remove
from gunzi_sim.gunzi.view import BIG_JOKER, CARDS_SIG, CODE_SIG, JOKER_PLACES, N_BOTTOM, SMALL_JOKER
from gunzi_sim.jit import njit
from gunzi_sim.rng import below

STRICT = int(Follow.STRICT)

# --- helpers (first: a decision is compiled where it is defined) ----------------------------------------------------


@njit
def _choice(n_choices, draws):
    """0 … n - 1, uniformly; a single choice takes no draw."""
    return below(draws, n_choices) if n_choices > 1 else 0


@njit
def _any_bit(places, draws):
    """One of the places, uniformly; a single one takes no draw. There must be one."""
    n_places = popcount(places)
    return kth_bit(places, below(draws, n_places)) if n_places > 1 else places


@njit
def _draw_cards(a1, a2, a3, n_cards, draws):
    """The planes of n cards of a set that holds as many: of kinds, one after another."""
    q1, q2, q3 = NO_PLACES, NO_PLACES, NO_PLACES
    for _ in range(n_cards):
        card = _any_bit(a1, draws)
        a1, a2, a3 = remove(a1, a2, a3, card, NO_PLACES, NO_PLACES)
        q1, q2, q3 = add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    return q1, q2, q3


@njit
def _draw_cut(a1, a2, a3, must, cut, n_cards, draws):
    """All cards of a set at `must`, and others at `cut` that make up n cards, of kinds, one after another."""
    n_free = n_cards - count_within(a1, a2, a3, must)
    q1, q2, q3 = _draw_cards(a1 & cut, a2 & cut, a3 & cut, n_free, draws)
    return (a1 & must) | q1, (a2 & must) | q2, (a3 & must) | q3


@njit
def _joker_planes(n_big, n_small):
    """Planes of so many big and small jokers, 0..3 each."""
    q1 = (BIG_JOKER if n_big > 0 else NO_PLACES) | (SMALL_JOKER if n_small > 0 else NO_PLACES)
    q2 = (BIG_JOKER if n_big > 1 else NO_PLACES) | (SMALL_JOKER if n_small > 1 else NO_PLACES)
    q3 = (BIG_JOKER if n_big > 2 else NO_PLACES) | (SMALL_JOKER if n_small > 2 else NO_PLACES)
    return q1, q2, q3


@njit
def _follow_many(h1, h2, h3, led, n_cards, is_strict, draws):
    """Planes of a follow to a pair or triple (G10.3, G10.4)."""
    s1, s2, s3 = h1 & led, h2 & led, h3 & led
    n_suit = popcount(s1) + popcount(s2) + popcount(s3)
    if n_suit <= n_cards:
        q1, q2, q3 = _draw_cards(h1 & ~led, h2 & ~led, h3 & ~led, n_cards - n_suit, draws)
        return s1 | q1, s2 | q2, s3 | q3
    if is_strict and s2 != NO_PLACES:
        if n_cards == 3 and s3 != NO_PLACES:
            kind = _any_bit(s3, draws)
            return kind, kind, kind
        if n_cards == 3:  # no triple of the suit, so the pair is all of its kind
            kind = _any_bit(s2, draws)
            return kind | _any_bit(s1 & ~kind, draws), kind, NO_PLACES
        if (s2 & ~s3) != NO_PLACES:
            kind = _any_bit(s2, draws)
            return kind, kind, NO_PLACES
    return _draw_cards(s1, s2, s3, n_cards, draws)


# --- the eight decisions ---------------------------------------------------------------------------------------------


@njit(CODE_SIG)
def claim(view, params, draws):
    """1 (claim) or 0 with equal probability."""
    return below(draws, 2)


@njit(CODE_SIG)
def declare(view, params, draws):
    """A legal code or 0 (pass), each with the same probability."""
    choice = below(draws, popcount(view.legal_declarations) + 1)
    if choice == 0:
        return 0
    return bit_index(kth_bit(view.legal_declarations, choice - 1))


@njit(CARDS_SIG)
def pay_or_return(view, params, draws):
    """All cards at `tribute_must`, the rest of kinds at `tribute_cut`, one after another."""
    return _draw_cut(view.hand_1, view.hand_2, view.hand_3, view.tribute_must, view.tribute_cut, view.n_tribute, draws)


@njit(CARDS_SIG)
def bury(view, params, draws):
    """Six cards of kinds, one after another, among those that may be buried next (G8.2, G15)."""
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    q1, q2, q3 = NO_PLACES, NO_PLACES, NO_PLACES
    for _ in range(N_BOTTOM):
        pool = h1
        if count_within(q1, q2, q3, JOKER_PLACES) >= view.rule_max_jokers_per_seat:
            pool &= ~JOKER_PLACES
        elif view.rule_bury_big_first and (h1 & BIG_JOKER) != NO_PLACES:
            pool &= ~SMALL_JOKER
        card = _any_bit(pool, draws)
        h1, h2, h3 = remove(h1, h2, h3, card, NO_PLACES, NO_PLACES)
        q1, q2, q3 = add(q1, q2, q3, card, NO_PLACES, NO_PLACES)
    return q1, q2, q3


@njit(CARDS_SIG)
def jokers(view, params, draws):
    """Numbers of big and small jokers uniform over the legal pairs; then the cards picked up, like a tribute."""
    if view.joker_step == 1:
        return _draw_cut(
            view.bottom_1, view.bottom_2, view.bottom_3, view.pick_must, view.pick_cut, view.n_picks, draws
        )
    n_held = count_within(view.hand_1, view.hand_2, view.hand_3, BIG_JOKER)
    n_small_held = count_within(view.hand_1, view.hand_2, view.hand_3, SMALL_JOKER)
    most = view.max_jokers
    if view.rule_bury_big_first:
        n_jokers = _choice(min(most, n_held + n_small_held) + 1, draws)
        return _joker_planes(min(n_jokers, n_held), max(n_jokers - n_held, 0))
    n_pairs = 0
    for n_big in range(min(n_held, most) + 1):
        n_pairs += min(n_small_held, most - n_big) + 1
    n_big, n_small = 0, _choice(n_pairs, draws)
    while n_small > min(n_small_held, most - n_big):
        n_small -= min(n_small_held, most - n_big) + 1
        n_big += 1
    return _joker_planes(n_big, n_small)


@njit(CARDS_SIG)
def lead(view, params, draws):
    """One legal lead, all with the same probability."""
    h1, h2, h3 = view.hand_1, view.hand_2, view.hand_3
    n_singles, n_pairs = popcount(h1), popcount(h2)
    choice = _choice(n_singles + n_pairs + popcount(h3), draws)
    if choice < n_singles:
        return kth_bit(h1, choice), NO_PLACES, NO_PLACES
    choice -= n_singles
    if choice < n_pairs:
        kind = kth_bit(h2, choice)
        return kind, kind, NO_PLACES
    kind = kth_bit(h3, choice - n_pairs)
    return kind, kind, kind


@njit(CARDS_SIG)
def follow(view, params, draws):
    """A legal follow: what is owed by uniform choice of a kind, free cards of kinds, one after another."""
    h1, led, n_cards = view.hand_1, view.led, view.n_cards
    in_suit = h1 & led
    if n_cards == 1:
        pool = in_suit if in_suit != NO_PLACES else h1
        return kth_bit(pool, below(draws, popcount(pool))), NO_PLACES, NO_PLACES
    return _follow_many(h1, view.hand_2, view.hand_3, led, n_cards, view.rule_follow == STRICT, draws)
