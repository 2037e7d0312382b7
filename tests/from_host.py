"""Kernels called from Python, which those without a signature are not compiled for."""

from functools import cache, partial

import numba
from counts import IS_COMPILED

from gunzi_sim.jit import njit

host_njit = partial(njit, for_host=True)
"""`jit.njit` for functions of the tests themselves."""


@cache
def from_host(kernel):
    """`kernel` as Python can call it, with arguments of any types that it takes."""
    if not IS_COMPILED:
        return kernel

    @numba.njit
    def call(*args):
        return kernel(*args)

    return call
