"""The built-in policies as tables for the host: functions in the order of `view.DECISIONS`, and what each needs."""

from gunzi_sim.gunzi import policies_random

RANDOM = (
    policies_random.claim,
    policies_random.declare,
    policies_random.pay_or_return,
    policies_random.pay_or_return,
    policies_random.bury,
    policies_random.jokers,
    policies_random.lead,
    policies_random.follow,
)

PARAMETERS = {"random": ()}
"""Names of the policies, and the parameters that each reads."""
DRAWS_USED = {"random": True}
"""Whether a policy takes words from its streams of draws."""

BUILT_IN = {"random": RANDOM}
"""Functions by policy."""
MODULES = (policies_random,)
"""Modules whose source is the policies' source."""
