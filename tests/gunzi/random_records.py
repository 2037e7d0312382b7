"""
Records for tests: stacked decks, and a plain player that completes any record by legal random choices.

`deal` builds a deck from named cards, `complete` plays a hand from it. Any phase may be given in advance (`claim`,
`declarations`, `tribute`, `bury`, `joker_buries`, the first `plays`); what is not given is chosen at random among what
the referee's clause functions allow. Records are internal ones: kinds, suits 0..3, `rules` a `GunziRules`.
"""

import random
from collections import Counter
from dataclasses import dataclass, replace

from gunzi_sim import game
from gunzi_sim.cards import BIG, SMALL, parse_hand, suit_of
from gunzi_sim.gunzi import referee
from gunzi_sim.gunzi.referee_play import TRUMP, follow_fault, order_of, take, trick_winner
from gunzi_sim.gunzi.referee_setup import (
    Standing,
    bury_fault,
    claim_fault,
    claimed_trump,
    dealt,
    declaration_fault,
    drawer,
    eligible,
    first_suited,
    is_dry_pot,
    joker_bury_fault,
    pickable,
    return_fault,
    seats_flip,
    strength_of,
)
from gunzi_sim.gunzi.rules import PRESETS, FirstClaim, GunziRules

DECK = [kind for kind in range(54) for _ in range(3)]
THRESHOLDS = ("tribute_low", "win_score", "tribute_high")


@dataclass
class Habits:
    """How the random seats lean: chances of claiming, of declaring at a chance to, and of burying jokers."""

    claim: float = 0.5
    declare: float = 0.15
    jokers: float = 0.4


def random_rules(rng: random.Random) -> GunziRules:
    """Rules with every option drawn at random, thresholds and levels in order."""
    changes = {}
    for opt in game.options(GunziRules):
        schema = opt.spec.schema()
        schema = schema.get("anyOf", [schema])[0]
        if schema.get("type") == "boolean":
            changes[opt.name] = rng.random() < 0.5
        elif "enum" in schema:
            changes[opt.name] = rng.choice(schema["enum"])
        else:
            changes[opt.name] = rng.randrange(schema["minimum"], schema["maximum"] + 1, schema.get("multipleOf", 1))
    changes |= dict(zip(THRESHOLDS, sorted(changes[name] for name in THRESHOLDS)))
    changes["start_level"], changes["end_level"] = sorted((changes["start_level"], changes["end_level"]))
    return GunziRules(**changes)


def deal(rng: random.Random, hands: dict[int, str] | None = None, bottom: str = "", first: int = 0) -> list[int]:
    """
    A deck in which each seat of `hands` draws the named cards first, in that order; the rest is random.

    `bottom` names b0, b1, …; what it leaves open is random too.
    """
    wanted = {seat: parse_hand(text) for seat, text in (hands or {}).items()}
    fixed_bottom = parse_hand(bottom)
    rest = Counter(DECK)
    for cards in [*wanted.values(), fixed_bottom]:
        rest.subtract(cards)
    assert min(rest.values()) >= 0, "more than three copies asked for"
    pool = list(rest.elements())
    rng.shuffle(pool)
    piles = {seat: list(wanted.get(seat, [])) for seat in range(4)}
    for pile in piles.values():
        pile.extend(pool.pop() for _ in range(39 - len(pile)))
    return [piles[(first + i) % 4][i // 4] for i in range(156)] + fixed_bottom + pool


def random_deck(rng: random.Random) -> list[int]:
    """A shuffled deck of kinds."""
    return rng.sample(DECK, len(DECK))


def first_record(rng: random.Random, deck=None, rules=PRESETS["standard"], first=0, habits=None, **given) -> dict:
    """A complete record of a round's first hand."""
    start = rules.start_level
    return complete(rng, deck, rules, True, (start, start), None, 0, first, habits or Habits(), given)


def later_record(
    rng: random.Random, deck=None, rules=PRESETS["standard"], levels=None, dealer=0, owed=0, habits=None, **given
) -> dict:
    """A complete record of a later hand; both sides at the start level if `levels` are not given."""
    levels = levels or (rules.start_level, rules.start_level)
    return complete(rng, deck, rules, False, levels, dealer, owed, dealer, habits or Habits(), given)


def random_record(rng: random.Random, rules=None, habits=None) -> dict:
    """A complete record of a hand in a random situation; of random rules if none are given."""
    rules = rules or random_rules(rng)
    if rng.random() < 0.25:
        return first_record(rng, None, rules, rng.randrange(4), habits)
    levels = tuple(rng.randint(rules.start_level, rules.end_level) for _ in range(2))
    owed = rng.choice([0, 0, 1, 2, 3, rng.randrange(12), rng.randrange(60)])
    return later_record(rng, None, rules, levels, rng.randrange(4), owed, habits)


def complete(rng, deck, rules, first_hand, levels, dealer, owed, first_seat, habits, given) -> dict:
    """Play one hand and derive its result. A given deck must not have to be dealt again."""
    record = {
        "format": "gunzi-sim/hand",
        "version": 1,
        "game": "gunzi",
        "rules": rules,
        "first_hand": first_hand,
        "levels": list(levels),
        "dealer": dealer,
        "owed": owed,
        "first_seat": first_seat,
    }
    for attempt in range(100):
        assert deck is None or attempt == 0, "the given deck is void"
        record["deck"] = deck or random_deck(rng)
        record["claim"], record["declarations"] = None, []
        if first_hand:
            record["claim"] = given.get("claim", random_claim(rng, record, habits))
        else:
            record["declarations"] = given.get("declarations", random_declarations(rng, record, habits))
        if not referee.is_void(
            record["deck"], first_hand, record["claim"] is not None, bool(record["declarations"]), rules
        ):
            break
    _after_trump(rng, record, habits, given)
    record["result"] = referee.derive(record)
    return record


def random_claim(rng, record, habits) -> dict | None:
    """Claim at one of the big jokers, or none where none must be made."""
    deck, first, rules = record["deck"], record["first_seat"], record["rules"]
    for draw in range(156):
        if deck[draw] == BIG and (rules.first_claim == FirstClaim.AUTOMATIC or rng.random() < habits.claim):
            claim = (drawer(first, draw), draw)
            assert claim_fault(deck, first, claim, rules.first_claim) is None
            return {"seat": claim[0], "draw": draw}
    return None


def random_declarations(rng, record, habits) -> list[dict]:
    """Declarations by seats that each take a chance to declare with the habit's probability."""
    deck, first = record["deck"], record["first_seat"]
    made: list[dict] = []
    for draw in range(156):
        if rng.random() < habits.declare:
            _maybe_declare(
                rng, record, drawer(first, draw), draw, dealt(deck, first, drawer(first, draw), draw + 1), made
            )
    asked, passes = record["dealer"], 0
    while passes < 4:
        before = len(made)
        if rng.random() < habits.declare:
            _maybe_declare(rng, record, asked, None, dealt(deck, first, asked), made)
        passes = passes + 1 if len(made) == before else 0
        asked = (asked + 1) % 4
    return made


def _maybe_declare(rng, record, seat, draw, held, made) -> None:
    """Append one of the legal declarations of a seat, if there is any."""
    rules, level = record["rules"], record["levels"][record["dealer"] % 2]
    standing = None
    if made:
        last = made[-1]
        standing = Standing(
            last["seat"], last["cards"][0], strength_of(last["cards"], last["suit"], level), last["suit"]
        )
    forms = [([13 * suit + level - 2] * n, suit) for suit in range(4) for n in (1, 2, 3)]
    forms += [([joker] * 3, suit) for joker in (SMALL, BIG) for suit in range(4)]
    legal = [form for form in forms if declaration_fault(held, seat, *form, standing, level, rules) is None]
    if legal:
        cards, suit = rng.choice(legal)
        made.append({"seat": seat, "draw": draw, "cards": cards, "suit": suit})


def _after_trump(rng, record, habits, given) -> None:
    """Tribute, burials and play of a record whose dealer and trump are decided. `record` is changed in place."""
    deck, rules = record["deck"], record["rules"]
    dealer, level, trump, exposed = _trump(record)
    order = order_of(level, trump)
    hands = [dealt(deck, record["first_seat"], seat) for seat in range(4)]
    record["tribute"] = given.get("tribute", None) or random_tribute(rng, record, hands, dealer, order)
    move_tribute(record, hands, dealer)
    bottom = deck[156:]
    record["bury"], record["joker_buries"] = None, []
    if not (exposed and is_dry_pot(bottom, order, rules.dry_pot)):
        hands[dealer].update(bottom)
        record["bury"] = given.get("bury") or random_bury(rng, hands[dealer], rules, habits)
        take(hands[dealer], record["bury"])
        random_joker_buries(rng, record, hands, dealer, order, habits, given.get("joker_buries"))
    record["plays"] = random_plays(rng, hands, dealer, order, rules, given.get("plays", []))


def _trump(record) -> tuple[int, int, int, bool]:
    """Dealer, level, trump and whether the bottom is exposed."""
    deck, rules = record["deck"], record["rules"]
    if record["first_hand"]:
        if record["claim"]:
            claim = record["claim"]
            return claim["seat"], rules.start_level, claimed_trump(deck, claim["draw"]), True
        dealer, trump = seats_flip(deck[156:], record["first_seat"], rules.first_flip)
        return dealer, rules.start_level, trump, False
    dealer = record["dealer"]
    made = record["declarations"]
    trump = made[-1]["suit"] if made else first_suited(deck[156:])
    return dealer, record["levels"][dealer % 2], trump, bool(made)


def direction(record, hands, dealer) -> tuple[int, int] | None:
    """Payer and receiver of a tribute that is owed, three big jokers looked at; None when nothing moves."""
    payer, receiver = (dealer - 1) % 4, dealer
    if record["rules"].tribute_three_big:
        if hands[(payer + 2) % 4][BIG] == 3:
            return None
        if hands[payer][BIG] == 3:
            payer, receiver = receiver, payer
    return (payer, receiver) if record["owed"] else None


def random_tribute(rng, record, hands, dealer, order) -> dict | None:
    """The highest cards, ties at random, and a random legal return."""
    seats = direction(record, hands, dealer)
    if seats is None:
        return None
    payable = eligible(hands[seats[0]], order.level, record["rules"].tribute_points)
    rng.shuffle(payable)
    payable.sort(key=lambda kind: -order.strength[kind])
    cards = payable[: record["owed"]]
    if not cards:
        return None
    pool = list((hands[seats[1]] + Counter(cards)).elements())
    rng.shuffle(pool)
    pool.sort(key=lambda kind: _return_class(kind, order))
    returned = pool[: len(cards)]
    assert return_fault(Counter(pool), returned, len(cards), order) is None
    return {"cards": cards, "returned": returned}


def _return_class(kind, order) -> tuple[int, int]:
    """Sort key under which any first n cards are a legal return: side cards without points all alike."""
    is_points = suit_of(kind) < 4 and kind % 13 + 2 in (5, 10, 13)
    is_trump = order.suit[kind] == TRUMP
    if is_points:
        return 2, order.strength[kind]
    return (1, order.strength[kind]) if is_trump else (0, 0)


def move_tribute(record, hands, dealer) -> None:
    """Move the cards of a record's tribute. `hands` is changed in place."""
    if record["tribute"]:
        payer, receiver = direction(record, hands, dealer)
        take(hands[payer], record["tribute"]["cards"])
        hands[receiver].update(record["tribute"]["cards"])
        take(hands[receiver], record["tribute"]["returned"])
        hands[payer].update(record["tribute"]["returned"])


def random_bury(rng, hand, rules, habits) -> list[int]:
    """Six cards that may be buried; jokers by habit."""
    jokers = [kind for kind in (SMALL, BIG) for _ in range(hand[kind])]
    others = [kind for kind in hand.elements() if kind < SMALL]
    for _ in range(30):
        n = rng.randint(0, len(jokers)) if rng.random() < habits.jokers else 0
        buried = rng.sample(jokers, n) + rng.sample(others, 6 - n)
        rng.shuffle(buried)
        if bury_fault(hand, buried, rules) is None:
            return buried
    return rng.sample(others, 6)


def random_joker_buries(rng, record, hands, dealer, order, habits, given=None) -> None:
    """Jokers buried by other seats, in order. `record` and `hands` are changed in place."""
    rules = record["rules"]
    bottom = list(record["bury"])
    entries = record["joker_buries"]
    if given is not None:
        entries.extend(given)
    elif rules.others_bury_jokers:
        for step in (1, 2, 3):
            seat = (dealer + step) % 4
            jokers = [kind for kind in (SMALL, BIG) for _ in range(hands[seat][kind])]
            if not jokers or rng.random() > habits.jokers:
                continue
            chosen = rng.sample(jokers, rng.randint(1, len(jokers)))
            taken = smallest_pick(rng, bottom, len(chosen), order)
            if joker_bury_fault(hands[seat], chosen, taken, bottom, order, rules) is None:
                entries.append({"seat": seat, "jokers": chosen, "taken": taken})
                bottom = list((Counter(bottom) - Counter(taken)).elements()) + chosen
    for entry in entries:
        take(hands[entry["seat"]], entry["jokers"])
        hands[entry["seat"]].update(entry["taken"])


def smallest_pick(rng, bottom, n, order) -> list[int]:
    """The n smallest pickable cards, ties at random."""
    cards = pickable(bottom)
    rng.shuffle(cards)
    return sorted(cards, key=lambda kind: order.strength[kind])[:n]


def random_plays(rng, hands, dealer, order, rules, given) -> list[list[int]]:
    """Legal random plays until every card is gone, after the `given` ones. `hands` is changed in place."""
    plays: list[list[int]] = []
    leader = dealer
    while len(plays) % 4 or any(hands):
        seat = (leader + len(plays) % 4) % 4
        if len(plays) < len(given):
            play = list(given[len(plays)])
        elif len(plays) % 4 == 0:
            kind = rng.choice(list(hands[seat]))
            play = [kind] * rng.randint(1, hands[seat][kind])
        else:
            play = random_follow(rng, hands[seat], plays[-(len(plays) % 4)], order, rules)
        take(hands[seat], play)
        plays.append(play)
        if len(plays) % 4 == 0:
            leader = trick_winner(leader, plays[-4:], order.level, order.trump)
    return plays


def random_follow(rng, hand, led, order, rules) -> list[int]:
    """A legal answer to a lead, found by trying."""
    n, suit = len(led), order.suit[led[0]]
    in_suit = [kind for kind in hand.elements() if order.suit[kind] == suit]
    others = [kind for kind in hand.elements() if order.suit[kind] != suit]
    if len(in_suit) <= n:
        alike = [kind for kind in set(others) if hand[kind] >= n]
        if not in_suit and alike and rng.random() < 0.5:
            return [rng.choice(alike)] * n
        return in_suit + rng.sample(others, n - len(in_suit))
    while True:
        kind = rng.choice(in_suit)
        n_alike = rng.randint(1, min(n, hand[kind]))
        rest = list(in_suit)
        for _ in range(n_alike):
            rest.remove(kind)
        play = [kind] * n_alike + rng.sample(rest, n - n_alike)
        if follow_fault(hand, led, play, order, rules.follow) is None:
            return play


def corrupt(record: dict, **changes) -> dict:
    """A copy of a record with some keys changed, and without a result."""
    return {**record, **changes, "result": None}


def with_rules(record: dict, **changes) -> dict:
    """A copy of a record judged under other rules, without a result."""
    return corrupt(record, rules=replace(record["rules"], **changes))


def clause(record: dict) -> str | None:
    """Clause of the first fault of a record, None when it has none."""
    fault = referee.check(record)
    return fault.clause if fault else None
