"""Hypothesis for the whole suite: the same examples in every run, and no time limit on a loaded machine."""

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")
