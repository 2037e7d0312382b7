"""How many cases a test takes: fewer where the kernels run as plain Python."""

import os

IS_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0")


def count(compiled: int, plain: int) -> int:
    """`compiled` cases, or `plain` under NUMBA_DISABLE_JIT=1."""
    return compiled if IS_COMPILED else plain
