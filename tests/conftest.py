"""For the whole suite: Hypothesis with the same examples in every run, fewer without the JIT; Ctrl-C interrupts."""

import signal

from counts import count
from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=count(100, 10))
settings.load_profile("suite")
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts background jobs with it ignored
