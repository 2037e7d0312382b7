"""
Whether a decision can depend on cards that the seat cannot see (G18): `python tests/hidden_cards.py --cases 10000`.

A hand is played. It is played again from a deck in which some cards changed places; the seats other than the watched
one do what they did before. As long as that is legal and the watched seat *knows the same*, its view must be the same
word for word, and so must its draws and its decision. What a seat knows is worked out here from the rule book, the
deck and the decisions, not from its view. Runs without the JIT, where policies are plain functions that may be watched.
Exit status 1 when a difference is found. `--plant view` or `--plant policy` plants a fault that must be found.
"""

import argparse
import os
import random
import subprocess
import sys
from collections import Counter
from typing import NamedTuple

import numpy as np
from counts import IS_COMPILED
from gunzi.random_records import random_deck, random_rules

from gunzi_sim import calls
from gunzi_sim.cards import BIG, SMALL, card_points
from gunzi_sim.game import Job, PolicySpec, Situation
from gunzi_sim.gunzi import engine, play
from gunzi_sim.gunzi.play import PLAN_START, PLAN_STOP
from gunzi_sim.gunzi.referee_setup import claimed_trump, eligible, first_suited, seats_flip
from gunzi_sim.gunzi.rules import PRESETS, FirstClaim
from gunzi_sim.gunzi.view import (
    BURY,
    CLAIM,
    DECISIONS,
    DECLARE,
    FOLLOW,
    JOKER_PLACES,
    JOKERS,
    KIND_AT,
    LEAD,
    MIN_LEVEL,
    PAY,
    RETURN,
    ROW,
)

N_SEATS = 4
N_DEALT = 156
PASSES = (CLAIM, DECLARE, JOKERS)
"""Decisions that a seat may be asked for without anybody hearing of it: a pass is no event."""
POLICIES = ("random", "basic", "basic:2", "counting", "counting:2")
N_POLICIES = len({name.partition(":")[0] for name in POLICIES})
LATE = 99
"""Time at which a card of the bottom is played."""


class Decision(NamedTuple):
    """One answer of one seat: when, what, and for watched seats the words of the view and of the draws."""

    seat: int
    decision: int
    step: int
    answer: int | tuple[int, ...]
    words: bytes


class Diverged(Exception):
    """The hand cannot go on as the other one did, or the watched seat knows something else."""


def planes_kinds(planes, level, trump):
    """Kinds of planes of places."""
    at = KIND_AT[level - MIN_LEVEL, trump]
    return [int(at[place]) for plane in planes for place in range(58) if int(plane) >> place & 1]


def n_jokers(planes):
    return sum((int(plane) & int(JOKER_PLACES)).bit_count() for plane in planes)


# --- what a seat knows -----------------------------------------------------------------------------------------------


class Knower:
    """What one seat knows of a hand, by the rule book: the deck's cards that it sees, and what was done."""

    def __init__(self, job, deck, first_seat, seat):
        self.rules, self.situation, self.deck = job.rules, job.situation, deck
        self.first_seat, self.seat = first_seat, seat
        self.events = []
        self.buried = None
        self.jokers_shown = False

    def hear(self, done):
        """Take in one decision of any seat; what is not public leaves no more than its trace."""
        if done.decision in PASSES and not (done.answer if isinstance(done.answer, int) else any(done.answer)):
            return
        if done.decision == BURY:
            self.buried = done
            self.jokers_shown = n_jokers(done.answer) > 0
            if not self.jokers_shown and done.seat != self.seat:  # G8.3: hidden
                self.events.append((done.seat, BURY))
                return
        elif done.decision == JOKERS:
            self.jokers_shown = True
        self.events.append(done[:4])

    def knows(self, decision, step):
        """All that the seat knows when it is asked, as something to compare."""
        n_drawn = min(step + 1, N_DEALT) if decision in (CLAIM, DECLARE) else N_DEALT
        own = sorted(self.dealt(self.seat, n_drawn).elements())
        if decision in (CLAIM, DECLARE):
            return own, list(self.events)
        dealer, level, trump, named, turned_up = self.after_bidding()
        known = [own, list(self.events), dealer, level, trump, named, turned_up, self.tribute_facts(dealer, level)]
        if decision >= BURY and (named is not None or self.seat == dealer):  # G7.1
            known.append(sorted(self.deck[N_DEALT:]))
        if decision >= JOKERS and self.buried:
            if self.jokers_shown:
                known.append(self.buried.answer)
            known.append(self.told(dealer, level, trump))
        return known

    def dealt(self, seat, n_drawn=N_DEALT):
        return Counter(self.deck[draw] for draw in range(n_drawn) if (self.first_seat + draw) % N_SEATS == seat)

    def after_bidding(self):
        """Dealer, level, trump suit, draw of the last claim or declaration, bottom cards turned up (G4, G5)."""
        bottom = self.deck[N_DEALT:]
        first, start = self.situation.first_hand, self.rules.start_level
        said = [event for event in self.events if event[1] in (CLAIM, DECLARE)]
        draw = self.claim_draw(said) if first else None
        if draw is not None:
            return (self.first_seat + draw) % N_SEATS, start, claimed_trump(self.deck, draw), draw, ()
        if first:
            dealer, trump = seats_flip(bottom, self.first_seat, self.rules.first_flip)
            return dealer, start, trump, None, tuple(bottom[:4])
        dealer = self.situation.dealer
        level = self.situation.levels[dealer % 2]
        if said:
            return dealer, level, said[-1][3] % 4, said[-1][2], ()
        n_turned = next(n for n in range(6) if bottom[n] < SMALL) + 1
        return dealer, level, first_suited(bottom), None, tuple(bottom[:n_turned])

    def claim_draw(self, said):
        """Draw of the claim, None for none; it may be made without a question (G4.1)."""
        if self.rules.first_claim == FirstClaim.AUTOMATIC:
            return next((draw for draw in range(N_DEALT) if self.deck[draw] == BIG), None)
        return said[0][2] if said else None

    def tribute_facts(self, dealer, level):
        """Who holds three big jokers as far as the tribute tells, and how many cards move (G6.3, G6.5)."""
        if not self.situation.owed:
            return None
        payer = (dealer - 1) % N_SEATS
        reverses = self.rules.tribute_three_big and self.dealt(payer)[BIG] == 3
        cancels = self.rules.tribute_three_big and self.dealt((payer + 2) % N_SEATS)[BIG] == 3
        hand = self.dealt(dealer if reverses else payer)
        return reverses, cancels, min(self.situation.owed, len(eligible(hand, level, self.rules.tribute_points)))

    def told(self, dealer, level, trump):
        """The largest number of jokers that the seat was told it may bury (G8.4); None for the dealer."""
        if self.seat == dealer or not self.rules.others_bury_jokers:
            return None
        bottom = Counter(planes_kinds(self.buried.answer, level, trump))
        for step in range(1, (self.seat - dealer) % N_SEATS):
            bottom = self.after_burial((dealer + step) % N_SEATS, bottom, level, trump)
        n_pickable = sum(n for kind, n in bottom.items() if kind < SMALL and not card_points(kind))
        n_held = self.dealt(self.seat)[BIG] + self.dealt(self.seat)[SMALL]
        for seat, decision, _, answer in (event for event in self.events if event[1:2] in ((PAY,), (RETURN,))):
            n_held += n_jokers(answer) * (-1 if seat == self.seat else self.gets(seat, decision))
        return min(n_pickable, n_held, self.rules.max_jokers_per_seat)

    def gets(self, giver, decision):
        """1 when this seat gets what `giver` pays or returns, else 0."""
        other = RETURN if decision == PAY else PAY
        return int(any(event[0] == self.seat and event[1] == other for event in self.events if event[0] != giver))

    def after_burial(self, seat, bottom, level, trump):
        """The bottom after a seat's jokers; which cards it took instead does not change how many can be picked up."""
        n_taken = 0
        for event in self.events:
            if event[0] == seat and event[1] == JOKERS and event[2] == 0:
                n_taken = n_jokers(event[3])
        plain = [kind for kind in bottom.elements() if kind < SMALL and not card_points(kind)]
        return bottom - Counter(plain[:n_taken])


# --- playing a hand twice --------------------------------------------------------------------------------------------


POLICY_TABLE = engine.known_policies()


class Table:
    """A hand played without the JIT, whose every decision goes through `decide`."""

    def __init__(self, job, deck, unit, plant=None):
        self.job, self.deck, self.unit, self.plant = job, deck, unit, plant
        self.bench = engine._bench(job, POLICY_TABLE)
        self.done = []

    def play(self):
        """Play the hand to its end, or to its first fault."""
        self.bench.plan[PLAN_START], self.bench.plan[PLAN_STOP] = self.unit, self.unit + 1
        numbers = self.bench.state["calls"][0]
        for seat, spec in enumerate(self.job.policies):
            for decision, function in enumerate(POLICY_TABLE[spec.name].functions):
                numbers[decision, seat] = calls.address_of(self._watched(decision, seat, function))
        try:
            return engine._call(self.bench, np.array([self.deck], np.uint8), np.zeros(1, ROW))
        finally:
            for number in numbers.ravel().tolist():
                calls.forget(number)

    def first_seat(self):
        return int(self.bench.state["first_seat"][0])

    def _watched(self, decision, seat, function):
        def ask(view, params, draws):
            step = 0
            if decision in (CLAIM, DECLARE):
                step = int(view.draw)
            elif decision in (LEAD, FOLLOW):
                step = int(view.trick)
            elif decision == JOKERS:
                step = int(view.joker_step)
            words = view.tobytes() + draws.tobytes()
            answer = self.decide(seat, decision, step, words, view, lambda: function(view, params, draws))
            answer = int(answer) if decision in (CLAIM, DECLARE) else tuple(int(plane) for plane in answer)
            self.done.append(Decision(seat, decision, step, answer, words))
            return answer if isinstance(answer, int) else tuple(np.uint64(plane) for plane in answer)

        return ask

    def decide(self, seat, decision, step, words, view, ask):
        """The policy's answer; with a policy planted that looks into another hand, another one."""
        if self.plant == "policy" and decision == LEAD:
            return self.cheat(seat, view)
        return ask()

    def cheat(self, seat, view):
        """Lead a single that the next seat's cards, read from the engine's state, choose."""
        other = int(self.bench.state["hands"][0, (seat + 1) % N_SEATS, 0])
        places = [place for place in range(64) if int(view.hand_1) >> place & 1]
        return 1 << places[other % len(places)], 0, 0


class Again(Table):
    """The same hand from another deck: all seats but one repeat themselves, and the one is compared."""

    def __init__(self, job, deck, unit, plant, before, seat):
        super().__init__(job, deck, unit, plant)
        self.script = {(done.seat, done.decision, done.step): done.answer for done in before.done}
        self.seat = seat
        self.old = list(before.done)
        self.n_old = self.n_heard = 0
        self.knower = None
        self.old_knower = Knower(job, before.deck, before.first_seat(), seat)
        self.compared = Counter()
        self.differences = []

    def decide(self, seat, decision, step, words, view, ask):
        if self.knower is None:
            self.knower = Knower(self.job, self.deck, self.first_seat(), self.seat)
        for done in self.done[self.n_heard :]:
            self.knower.hear(done)
        self.n_heard = len(self.done)
        if seat != self.seat:
            return self.repeat(seat, decision, step, view)
        old = self.next_old()
        if old is None or old[1:3] != (decision, step):
            raise Diverged
        if self.knower.knows(decision, step) != self.old_knower.knows(decision, step):
            raise Diverged
        answer = super().decide(seat, decision, step, words, view, ask)
        self.old_knower.hear(old)
        self.compared[decision] += 1
        said = int(answer) if isinstance(old.answer, int) else tuple(int(plane) for plane in answer)
        if words != old.words or said != old.answer:
            self.differences.append((self.unit, DECISIONS[decision], step, seat, words == old.words))
        return answer

    def next_old(self):
        """The watched seat's next decision of the hand before; all until then is taken in by its knower."""
        while self.n_old < len(self.old):
            old = self.old[self.n_old]
            self.n_old += 1
            if old.seat == self.seat:
                return old
            self.old_knower.hear(old)
        return None

    def repeat(self, seat, decision, step, view):
        """What the seat did before; a hidden burial with what it now holds instead."""
        answer = self.script.get((seat, decision, step))
        if answer is None:
            if decision in PASSES:
                return 0 if decision != JOKERS else (0, 0, 0)
            raise Diverged
        if decision == BURY and not n_jokers(answer):
            return self.bury_instead(answer, (int(view.hand_1), int(view.hand_2), int(view.hand_3)))
        return answer

    @staticmethod
    def bury_instead(answer, hand):
        """The burial, its cards that are not held replaced by others held, from the lowest place."""
        buried, held = copies(answer), copies(hand)
        kept = Counter({place: min(n, held[place]) for place, n in buried.items()})
        others = sorted(place for place in (held - kept).elements() if place < 56)
        for place in others[: sum(buried.values()) - sum(kept.values())]:
            kept[place] += 1
        return tuple(sum(1 << place for place, n in kept.items() if n >= copy) for copy in (1, 2, 3))


def copies(planes):
    return Counter(place for plane in planes for place in range(64) if plane >> place & 1)


# --- changing the deck -----------------------------------------------------------------------------------------------


def times(table):
    """By position of the deck: the trick in which its owner last played that kind, LATE for the bottom."""
    state = table.bench.state[0]
    level, trump, dealer = int(state["level"]), int(state["trump"]), int(state["dealer"])
    last = Counter()
    for done in table.done:
        if done.decision in (LEAD, FOLLOW, BURY):
            time = LATE if done.decision == BURY else done.step
            for kind in planes_kinds(done.answer, level, trump):
                last[done.seat, kind] = max(last[done.seat, kind], time)
    first = table.first_seat()
    owners = [(first + draw) % N_SEATS if draw < N_DEALT else dealer for draw in range(len(table.deck))]
    return owners, [last[owner, kind] for owner, kind in zip(owners, table.deck)]


def changed_deck(rng, table, seat):
    """Another deck: one to forty pairs of cards changed, many of them buried or played late."""
    owners, last = times(table)
    deck = list(table.deck)
    n_pairs = rng.choice([1, 1, 1, 1, 2, 3, 8, 40])
    places = [position for position in range(len(deck)) if owners[position] != seat or position >= N_DEALT]
    if n_pairs >= 8 and rng.random() < 0.5:
        places = range(len(deck))
    buried = [position for position in places if last[position] == LATE]
    for _ in range(n_pairs):
        ones = buried if buried and rng.random() < 0.4 else places
        pairs = [(rng.choice(ones), rng.choice(places)) for _ in range(12 if n_pairs < 8 else 1)]
        one, two = max(pairs, key=lambda pair: (deck[pair[0]] != deck[pair[1]], min(last[pair[0]], last[pair[1]])))
        deck[one], deck[two] = deck[two], deck[one]
    return deck


def watched_seat(rng, table):
    """Any seat; more often the dealer or the payer, who decide more."""
    dealer = int(table.bench.state["dealer"][0])
    return rng.choice([dealer, (dealer - 1) % N_SEATS, *range(N_SEATS)])


def random_job(rng):
    """A hand of random rules or a preset, first or later, with random policies."""
    rules = random_rules(rng) if rng.random() < 0.5 else rng.choice(list(PRESETS.values()))
    first_hand = rng.random() < 0.3
    start, end = rules.start_level, rules.end_level
    levels = (start, start) if first_hand else (rng.randint(start, end), rng.randint(start, end))
    owed = 0 if first_hand else rng.choice([0, 1, 2, 3, 6])
    situation = Situation(first_hand, levels, rng.randrange(N_SEATS), owed)
    specs = []
    for name in rng.choices(POLICIES, k=N_SEATS):
        policy, _, n = name.partition(":")
        specs.append(PolicySpec(policy, (("jokers", int(n)),) if n else ()))
    return Job("gunzi", rules, tuple(specs), rng.getrandbits(64), "hands", situation)


def leaky_bury(state):
    """A planted fault of the engine: the dealer's burial lies open for every seat."""
    is_legal = TRUE_BURY(state)
    for view in state.views:
        view.bottom_1, view.bottom_2, view.bottom_3 = state.hands[4]
    return is_legal


TRUE_BURY = play.ask_bury


def search(n_cases, seed=1, plant=None, n_decks=6):
    """
    Compare at least so many decisions, each kind by each policy among them; with a fault planted, until it shows.

    Returns
    -------
    compared : Counter
        Compared decisions by (policy, decision).
    differences : list
        (unit, decision, step, seat, whether the views were alike).
    """
    rng = random.Random(seed)
    compared, differences = Counter(), []
    play.ask_bury = leaky_bury if plant == "view" else TRUE_BURY
    unit = 0
    try:
        while sum(compared.values()) < n_cases or (not plant and len(compared) < N_POLICIES * len(DECISIONS)):
            if plant and differences:
                break
            unit += 1
            before = Table(random_job(rng), random_deck(rng), unit, plant)
            if before.play():
                continue  # the deck is void
            for _ in range(n_decks):
                seat = watched_seat(rng, before)
                again = Again(before.job, changed_deck(rng, before, seat), unit, plant, before, seat)
                try:
                    again.play()
                except Diverged:
                    pass
                name = before.job.policies[seat].name
                compared.update({(name, DECISIONS[decision]): n for decision, n in again.compared.items()})
                differences += again.differences
    finally:
        play.ask_bury = TRUE_BURY
    return compared, differences


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument("--cases", type=int, default=10_000, help="decisions to compare, at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plant", choices=["view", "policy"], help="a fault that must be found")
    args = parser.parse_args()
    if IS_COMPILED:
        return subprocess.run([sys.executable, *sys.argv], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}).returncode
    with np.errstate(over="ignore"):  # hashes overflow; plain NumPy says so
        compared, differences = search(args.cases, args.seed, args.plant)
    for (policy, decision), n in sorted(compared.items()):
        print(f"{policy:8} {decision:8} {n:7}")
    print(f"{sum(compared.values())} decisions compared, {len(differences)} differ")
    for difference in differences[:10]:
        print("unit {}, {} {}, seat {}, same view: {}".format(*difference))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
