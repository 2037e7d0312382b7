"""Hypothesis for the whole suite: the same examples in every run, fewer without the JIT, and no time limit."""

from counts import count
from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=count(100, 10))
settings.load_profile("suite")
