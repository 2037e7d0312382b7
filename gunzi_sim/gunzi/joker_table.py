"""
How many jokers the policy `counting` buries: a table fitted by `analysis/fit_jokers.py`.

Left out: what the rules allow, which `handcraft.legal_jokers` keeps to.
"""

import numpy as np

BY_TABLE = -1
"""Value of the parameter `jokers` that asks for the table."""
BANDS = np.array([15, 18, 21], dtype=np.int64)
"""Numbers of trumps, jokers included and before burying, at which a new band begins."""
JOKERS_TO_BURY = np.zeros((4, 4, 4, 4), dtype=np.int8)
"""int8[4, 4, 4, 4]: jokers to bury, big ones first, by role (seats after the dealer), band, big and small ones held."""
