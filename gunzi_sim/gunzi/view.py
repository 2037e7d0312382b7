"""
What a policy of 打滚子 gets: record types, places of cards, signatures of the eight decisions.

Places. Cards in play sit at fixed bits for every level and trump: three side suits of twelve places (3 … A, a hole at
the level rank) at bits 0–11, 12–23, 24–35 in the suit order S, H, D, C without the trump suit; trump at 36–57: the
trump suit 3 … A at 36–47 (same hole), the three other 2s at 48–50, the trump 2 at 51, the three other level cards at
52–54, the trump level card at 55, small joker 56, big joker 57 (G9.1). While the trump suit is unknown (`claim`,
`declare`) cards are counted by kind instead: bit suit * 13 + rank - 2, jokers 52 and 53.

Planes. A set of cards with copies is three uint64 words: bits held at least once, twice, three times, so the third is
contained in the second and the second in the first.

The engine writes a view and never reads it back; every seat has a record of its own, cleared before each hand.
Left out: the rules of following and winning (`tricks`), scoring (`score`), anything about points in the deck's order.
"""

from dataclasses import fields

import numpy as np
from numba import from_dtype, int64, types, uint64

from gunzi_sim.calls import caller
from gunzi_sim.cards import TRACE_Z
from gunzi_sim.gunzi.records import COLUMNS
from gunzi_sim.gunzi.rules import GunziRules
from gunzi_sim.rng import DRAWS

# --- decisions -------------------------------------------------------------------------------------------------------

DECISIONS = ("claim", "declare", "pay", "return", "bury", "jokers", "lead", "follow")
CODE_DECISIONS = ("claim", "declare")
CLAIM, DECLARE, PAY, RETURN, BURY, JOKERS, LEAD, FOLLOW = range(8)
FIRST_PURPOSE = 2
"""Stream purpose of decision d is FIRST_PURPOSE + d (0 is the deal, 1 the first seat)."""
DECK_BYTES = 168
"""Bytes of a deck of 162 kinds, padded to whole 64-bit words."""
TRACE_ROWS = 192
"""Rows that a hand's trace can need: 7 declarations, 2 tributes, 4 buries, 156 plays."""
TRACE_COLUMNS = 6
CLOSING_DRAW = 156
"""Index of the first question in the closing window of a bidding (G5.5); also the number of cards drawn."""

# --- places ----------------------------------------------------------------------------------------------------------

N_SEATS, N_SUITS = 4, 4
N_HAND, N_BOTTOM, N_DEALT = 39, 6, 156
"""Cards of a seat, of the bottom, and of all seats (G1.2)."""
BOTTOM = 4
"""Row of the bottom beside the four seats'."""
N_PLACES = 58
NO_PLACE = 64
"""`bit_index` of an empty plane."""
SUIT_PLACES = 12
TRUMP_GROUP = 3
TWO_PLACE, LEVEL_PLACE = 48, 52
"""First places of the 2s and of the level cards."""
SMALL_PLACE, BIG_PLACE = 56, 57
MIN_LEVEL, MAX_LEVEL = 3, 14

SIDE = np.uint64((1 << 36) - 1)
"""All places of the three side suits."""
TRUMPS = np.uint64(((1 << 58) - 1) ^ ((1 << 36) - 1))
MAIN_SUIT = np.uint64(0xFFF << 36)
"""Plain cards of the trump suit: neither 2s nor level cards."""
TWOS = np.uint64(0xF << 48)
LEVEL_CARDS = np.uint64(0xF << 52)
SMALL_JOKER = np.uint64(1 << SMALL_PLACE)
BIG_JOKER = np.uint64(1 << BIG_PLACE)
JOKER_PLACES = np.uint64(3 << SMALL_PLACE)
GROUPS = np.array([0xFFF, 0xFFF << 12, 0xFFF << 24, ((1 << 58) - 1) ^ ((1 << 36) - 1)], dtype=np.uint64)
"""uint64[4]: places of the three side suits and of trump, by group number."""


def _strength_classes():
    side = [(1 << r) | (1 << (12 + r)) | (1 << (24 + r)) for r in range(SUIT_PLACES)]
    plain = [1 << p for p in range(36, 48)]
    return side + plain + [0x7 << 48, 1 << 51, 0x7 << 52, 1 << 55, 1 << 56, 1 << 57]


def _beats():
    masks = []
    for place in range(N_PLACES):
        if place < 36:
            group = place // SUIT_PLACES
            higher = sum(1 << p for p in range(place + 1, (group + 1) * SUIT_PLACES))
            masks.append(higher | int(TRUMPS))
        else:
            end = {48: 51, 49: 51, 50: 51, 52: 55, 53: 55, 54: 55}.get(place, place + 1)
            masks.append(sum(1 << p for p in range(end, N_PLACES)))
    return masks + [(1 << 64) - 1] * (NO_PLACE + 1 - N_PLACES)


def _place(kind, level, trump):
    if kind >= 52:
        return SMALL_PLACE + kind - 52
    suit, rank = kind // 13, kind % 13 + 2
    group = TRUMP_GROUP if suit == trump else suit - (suit > trump)
    if rank == 2:
        return 48 + group
    if rank == level:
        return 52 + group
    return group * SUIT_PLACES + rank - 3


_LEVELS = range(MIN_LEVEL, MAX_LEVEL + 1)

CLASSES = np.array(_strength_classes(), dtype=np.uint64)
"""uint64[30]: places of equal strength, weakest class first; side suits are compared by rank alone (G9.1)."""
BEATS = np.array(_beats(), dtype=np.uint64)
"""uint64[65]: places that win against the card at each place, in its own suit or as trump (G11.1); all from 58 on."""
PLACE_OF = np.array([[[_place(k, v, t) for k in range(54)] for t in range(4)] for v in _LEVELS], dtype=np.uint8)
"""uint8[12, 4, 54]: place of each kind, by level - 3 and trump suit."""
KIND_AT = np.full((len(_LEVELS), 4, N_PLACES), 54, dtype=np.uint8)
"""uint8[12, 4, 58]: kind at each place, 54 at the holes."""
for _level in range(len(_LEVELS)):
    for _trump in range(4):
        KIND_AT[_level, _trump, PLACE_OF[_level, _trump]] = np.arange(54)
TRACE_Z_AT = np.append(np.array(TRACE_Z, dtype=np.uint64), np.uint64(0))[KIND_AT]
"""uint64[12, 4, 58]: trace constant of the kind at each place."""


def _places_of_ranks(level, ranks):
    return sum(1 << _place(suit * 13 + rank - 2, level, 0) for rank in ranks for suit in range(4))


FIVES = np.array([_places_of_ranks(v, (5,)) for v in _LEVELS], dtype=np.uint64)
"""uint64[12]: places of the 5s, by level - 3 (the trump suit does not matter)."""
TENS = np.array([_places_of_ranks(v, (10, 13)) for v in _LEVELS], dtype=np.uint64)
"""uint64[12]: places of the 10s and kings, by level - 3."""

# --- records ---------------------------------------------------------------------------------------------------------

OPTION_NAMES = tuple(field.name for field in fields(GunziRules))
RULES = np.dtype([(name, "i8") for name in OPTION_NAMES], align=True)
"""The rules as integers, one field an option of G15."""


def _planes(name):
    return [(f"{name}_{n}", "u8") for n in (1, 2, 3)]


RULE_FIELDS = [(f"rule_{name}", "i8") for name in OPTION_NAMES]

PLAY_FIELDS = [  # first: a small offset makes short code
    *_planes("hand"),  # own cards by place
    ("cards_left", "i8"),  # cards of every seat when this trick began
    ("trick", "i8"),
    ("leader", "i8"),
    ("position", "i8"),  # 0 leads, 3 plays last
    ("n_cards", "i8"),  # cards led; 0 when leading
    ("led", "u8"),  # places of the led suit; 0 when leading
    ("led_group", "i8"),  # 0-2 side suit, 3 trump
    ("best_seat", "i8"),  # winning so far; NOBODY when leading
    ("beating", "u8"),  # places whose cards, n_cards of them alike, would win against the best play so far
    ("table_points", "i8"),  # card points in this trick so far
    ("attacker_points", "i8"),  # card points taken in tricks so far
    ("dealer_points", "i8"),
    *_planes("played"),  # all cards played before this trick
]

HAND_FIELDS = [
    ("seat", "i8"),  # whose view this is
    ("level_0", "i8"),  # levels of side 0 and 1 before the hand
    ("level_1", "i8"),
    ("level", "i8"),  # of this hand
    ("first_hand", "i8"),
    ("first_seat", "i8"),  # drew the first card
    ("dealer", "i8"),  # NOBODY while unknown
    ("trump", "i8"),  # suit 0-3, NOBODY while unknown
    ("owed", "i8"),  # tribute owed in this hand, cards
    ("fives", "u8"),  # places of the 5s, and of the 10s and kings, at this level
    ("tens", "u8"),
    # bidding
    *_planes("kinds"),  # own cards drawn so far, by kind
    ("draw", "i8"),  # index of the draw just made; 156 + n in the closing window
    ("legal_declarations", "u8"),  # bit `code` is set when declare may return it
    ("declared_by", "i8"),  # standing declaration or claim; NOBODY for none
    ("declared_code", "i8"),  # its code, 0 for none; 24 for a claim
    ("n_declarations", "i8"),
    ("declaration_seat", "i8", (6,)),
    ("declaration_code", "i8", (6,)),
    ("declaration_draw", "i8", (6,)),
    ("flipped", "i8", (6,)),  # bottom cards turned up for the dealer or the suit: kind + 1, 0 for none
    # tribute
    ("payer", "i8"),  # NOBODY when no card moves
    ("receiver", "i8"),
    ("n_tribute", "i8"),  # cards that move
    ("tribute_short", "i8"),
    ("tribute_reversed", "i8"),
    ("tribute_cancelled", "i8"),
    ("tribute_must", "u8"),  # asked to pay or return: every held card at these places goes …
    ("tribute_cut", "u8"),  # … and the rest of n_tribute is chosen among the held cards at these
    *_planes("paid"),
    *_planes("returned"),
    # bottom
    ("exposed", "i8"),
    ("dry_pot", "i8"),
    *_planes("dealt_bottom"),  # where exposed, and for the dealer; else empty
    ("bottom_known", "i8"),  # whether this seat knows the bottom as it lies now
    *_planes("bottom"),
    ("joker_step", "i8"),  # in `jokers`: 0 = which jokers to bury, 1 = which cards to pick up
    ("max_jokers", "i8"),  # in `jokers`: largest number this seat may bury (G8.4)
    ("pick_must", "u8"),  # in step 1: every bottom card at these places is taken …
    ("pick_cut", "u8"),  # … and the rest chosen among those at these
    ("n_picks", "i8"),  # in step 1: cards to take
    ("buried_big", "i8", (4,)),  # public: jokers buried by seat (the dealer's too, once shown)
    ("buried_small", "i8", (4,)),
    ("picked_1", "u8", (4,)),  # public: cards picked up by seat
    ("picked_2", "u8", (4,)),
    ("picked_3", "u8", (4,)),
    # play, continued
    ("voids", "i8", (4,)),  # by seat: bit g is set when it has shown to be out of group g
    ("winners", "i1", (40,)),  # seat that won each finished trick
    ("history", "u4", (39, 4)),  # by trick and seat: place + 1 of each card, one byte a card
]

VIEW = np.dtype(PLAY_FIELDS + HAND_FIELDS + RULE_FIELDS, align=True)
"""What one seat may know (G18)."""
VIEW_WORDS = VIEW.itemsize // 8
VIEW_CLEARED = VIEW.fields[RULE_FIELDS[0][0]][1] // 8
"""64-bit words at the start of a view that are cleared before each hand."""

PARAM_FIELDS = (
    "jokers", "claim_trumps", "declare_cards", "overcall_cards", "ruff_points", "high_trump_points",
    "last_trump_points", "feed_risk", "draw_trumps", "bury_big", "bury_small", "bury_roles", "bury_trumps",
    "iterations", "inner",
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7",
)  # fmt: skip
PLAYOUT_FIELDS = [  # for policies that play hands on; not parameters
    ("inner_calls", "i8", (len(DECISIONS),)),  # addresses of the functions of the policy that plays on
    ("first_call", "i8"),  # address of `playout.answer_first`
    ("is_forced", "i8"),  # whether the next answer to the decision `forced_decision` stands in `forced`
    ("forced_decision", "i8"),
    ("forced", "u8", (3,)),
]
PARAMS = np.dtype([(name, "i8") for name in PARAM_FIELDS] + PLAYOUT_FIELDS, align=True)
"""Parameters of a policy: of the built-in ones (described in `policies`), and x0 … x7 for users' policies."""

ROW = np.dtype([(column.name, column.dtype) for column in COLUMNS], align=True)
"""One row of the table `hands`."""

# --- signatures ------------------------------------------------------------------------------------------------------

VIEW_TYPE = from_dtype(VIEW)
PARAMS_TYPE = from_dtype(PARAMS)
DRAWS_TYPE = from_dtype(DRAWS)
CODE_SIG = int64(VIEW_TYPE, PARAMS_TYPE, DRAWS_TYPE)
"""Signature of `claim` and `declare`: an integer code."""
CARDS_SIG = types.UniTuple(uint64, 3)(VIEW_TYPE, PARAMS_TYPE, DRAWS_TYPE)
"""Signature of the other decisions: three planes of places."""
call_code = caller(CODE_SIG)
call_cards = caller(CARDS_SIG)

# --- codes of declarations -------------------------------------------------------------------------------------------

THREE_SMALL, THREE_BIG = 4, 5
CLAIM_STRENGTH, FLIP_STRENGTH = 6, 7
"""declared_as in the table (0 is the bottom flip); a declaration's code is strength * 4 + suit, 0 passes."""

# --- faults ----------------------------------------------------------------------------------------------------------

FAULT_CLAUSES = (
    "", "G4.1", "G5.2", "G5.3", "G5.4", "G6.1", "G6.2", "G6.3", "G6.4", "G8.1", "G8.2", "G8.4", "G15",
    "G10.1", "G10.3", "G10.4",
)  # fmt: skip
(
    OK, BAD_CLAIM, BAD_DECLARATION, WEAK_DECLARATION, SELF_OVERCALL, BAD_PAY_NUMBER, BAD_PAY, BAD_PAY_SHORT, BAD_RETURN,
    BAD_BURY, BAD_JOKER_ORDER, BAD_JOKERS, TOO_MANY_JOKERS, BAD_LEAD, BAD_FOLLOW, BAD_PATTERN,
) = range(len(FAULT_CLAUSES))  # fmt: skip
