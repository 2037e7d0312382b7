"""
The state of a hand as the engine keeps it: one record, which every phase reads and writes.

Left out: what a policy sees of it, the record `view.VIEW`, four of which it holds.
"""

import numpy as np
from numba import from_dtype

from gunzi_sim.deal import SCRATCH_WORDS
from gunzi_sim.gunzi.view import (
    DECISIONS,
    DECK_BYTES,
    OPTION_NAMES,
    PARAMS,
    RULES,
    TRACE_COLUMNS,
    TRACE_ROWS,
    VIEW,
    VIEW_WORDS,
)
from gunzi_sim.rng import DRAWS

TRICKS_AHEAD = 8
BLOCKS_AHEAD = 4 * TRICKS_AHEAD
"""Blocks of the followers' draws that are computed at a time."""


def _with_overlays(base, overlays):
    """A record with further names for the memory of some of its fields."""
    fields = {name: base.fields[name] for name in base.names}
    fields |= {name: (np.dtype(form), base.fields[over][1]) for name, form, over in overlays}
    names = list(fields)
    return np.dtype(
        {
            "names": names,
            "formats": [fields[name][0] for name in names],
            "offsets": [fields[name][1] for name in names],
            "itemsize": base.itemsize,
            "aligned": True,
        }
    )


_FIELDS = np.dtype(
    [
        # the run
        ("rules", RULES),
        ("calls", "i8", (len(DECISIONS), 4)),  # addresses of the policies' functions, by decision and seat
        ("params", PARAMS, (4,)),  # by seat, as the two after
        ("draws", DRAWS, (4,)),
        ("views", VIEW, (4,)),
        # what decides the hand
        ("seed", "u8"),
        ("key", "u8"),
        ("attempt", "i8"),  # deals made void so far
        ("first_hand", "i8"),
        ("levels", "i8", (2,)),  # by side, before the hand
        ("level", "i8"),
        ("first_seat", "i8"),
        ("dealer", "i8"),
        ("trump", "i8"),
        ("owed", "i8"),
        ("fives", "u8"),  # places of the point cards at this level
        ("tens", "u8"),
        # bidding
        ("declared_by", "i8"),
        ("declared_as", "i8"),
        ("declared_code", "i8"),
        ("n_declarations", "i8"),
        ("exposed", "i8"),
        ("kinds", "u8", (4, 3)),  # hands by kind, as far as they were looked at while cards are drawn
        ("next_draw", "i8", (4,)),  # each seat's first draw not yet in `kinds`
        ("speaking", "u8", (4, 3)),  # level cards and jokers drawn so far, by kind
        ("legal", "u8", (4,)),  # declarations open to each seat, by code
        # cards by place: hands of the seats, then the bottom
        ("hands", "u8", (5, 3)),
        # tribute
        ("payer", "i8"),
        ("receiver", "i8"),
        ("tribute_moved", "i8"),
        ("tribute_short", "i8"),
        ("tribute_reversed", "i8"),
        ("tribute_cancelled", "i8"),
        # bottom
        ("dry_pot", "i8"),
        ("big_dealt", "i8", (4,)),
        ("small_dealt", "i8", (4,)),
        ("trumps", "i8", (4,)),
        ("big_buried", "i8", (4,)),
        ("small_buried", "i8", (4,)),
        ("bottom_big", "i8"),
        ("bottom_small", "i8"),
        ("bottom_points", "i8"),
        ("first_asked", "i8"),  # steps from the dealer of the first seat asked to bury jokers
        # where play begins: at the first trick, or within a hand that is played on
        ("start_trick", "i8"),
        ("start_leader", "i8"),
        ("start_cards", "i8"),  # cards of each seat before that trick
        ("start_position", "i8"),  # seats that have played to it
        ("start_points", "i8", (2,)),  # card points taken before it by attackers, by the dealers' side
        ("start_played", "u8", (3,)),
        ("start_voids", "u8"),  # bit 4 * seat + group
        ("start_n_cards", "i8"),  # of the plays to it so far, as in a view
        ("start_led_group", "i8"),
        ("start_best_seat", "i8"),
        ("start_beating", "u8"),
        ("start_table_points", "i8"),
        # play
        ("tricks", "i8"),
        ("trick_points", "i8"),  # card points the attackers took in tricks
        ("dealer_points", "i8"),
        ("dig", "i8"),
        # result
        ("attacker_points", "i8"),  # S
        ("takes_deal", "i8"),
        ("raises", "i8", (2,)),  # levels actually risen, by side
        ("next_dealer", "i8"),
        ("owed_next", "i8"),
        ("round_end", "i8"),
        ("round_winner", "i8"),
        ("settlement", "i8", (4,)),
        # trace
        ("hash", "u8"),
        ("tracing", "i8"),
        ("n_trace", "i8"),
        ("z_level", "i8"),  # indexes of view.TRACE_Z_AT
        # where it stopped
        ("status", "i8"),  # 0, or a fault of view.FAULT_CLAUSES, or VOID_DEAL
        ("asked_seat", "i8"),  # in trace mode: who was asked last, and for what
        ("asked_decision", "i8"),
        ("hand", "i8"),  # index of the hand in its round
        # work space
        ("decks", "u1", (2, DECK_BYTES)),  # kinds in dealing order, padded with zeros; draws that may speak
        ("scratch", "u8", (SCRATCH_WORDS,)),
        ("decisions", "u8", (TRACE_ROWS, TRACE_COLUMNS)),  # the trace
        ("draw_ahead", "i8"),  # whether policies take so many words that their first blocks are computed in bulk
        ("streams", "u8", (BLOCKS_AHEAD,)),
        ("ahead_lo", "u8", (BLOCKS_AHEAD,)),
        ("ahead_hi", "u8", (BLOCKS_AHEAD,)),
    ],
    align=True,
)
STATE = _with_overlays(
    _FIELDS,
    [
        ("deck_words", ("u8", (2, DECK_BYTES // 8)), "decks"),
        ("view_words", ("u8", (4, VIEW_WORDS)), "views"),
        ("rule_words", ("u8", (len(OPTION_NAMES),)), "rules"),
    ],
)
"""
What the engine keeps of a hand, its rules and its work space: one record, so that one pointer passes it.

Arrays passed to a compiled function are counted in and out, which costs more than the work of a short one; the arrays
of a record are not.
"""
STATE_TYPE = from_dtype(STATE)

VOID_DEAL = 100
"""Status of a given deal that would have to be dealt again (G4.3, G5.7)."""
