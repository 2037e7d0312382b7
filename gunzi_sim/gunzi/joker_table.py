"""
How many jokers the policy `counting` buries: a table fitted by `analysis/fit_jokers.py`.

Fitted on 400000 hands for each of the 6 burials by each of the four roles, seed 2, while
the other seats buried by the table of the run before. 0: no number of jokers has been shown to gain. Left out: what
the rules allow, which `handcraft.legal_jokers` keeps to.
"""

import numpy as np

BY_TABLE = -1
"""Value of the parameter `jokers` that asks for the table."""
BANDS = np.array([15, 18, 21], dtype=np.int64)
"""Numbers of trumps, jokers included and before burying, at which a new band begins."""
JOKERS_TO_BURY = np.array(
    [
        [  # dealer
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 0]],
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
            [[0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 1, 1], [1, 1, 3, 0]],
        ],
        [  # next
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
            [[0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 1, 1], [0, 2, 2, 0]],
            [[0, 0, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1], [2, 2, 3, 0]],
            [[0, 1, 1, 0], [1, 1, 1, 1], [1, 2, 2, 0], [3, 3, 3, 0]],
        ],
        [  # partner
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1], [0, 2, 2, 0]],
            [[0, 0, 0, 0], [0, 0, 1, 1], [1, 1, 1, 1], [1, 3, 3, 0]],
        ],
        [  # previous
            [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [2, 0, 0, 0]],
            [[0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 1, 1], [2, 2, 2, 0]],
            [[0, 0, 0, 0], [0, 1, 1, 1], [1, 1, 1, 2], [1, 3, 3, 0]],
            [[0, 1, 1, 1], [1, 1, 1, 1], [1, 2, 2, 2], [1, 3, 3, 0]],
        ],
    ],
    dtype=np.int8,
)
"""int8[4, 4, 4, 4]: jokers to bury, big ones first, by role (seats after the dealer), band, big and small ones held."""
