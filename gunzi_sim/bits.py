"""
Bit primitives of the kernels, on 64-bit masks.

Compiled, each is one to four machine instructions, inlined into its caller. Under `NUMBA_DISABLE_JIT=1` plain Python
twins of the three counting instructions give the same results. Masks are uint64, counts and indexes int64; an argument
of another integer type must not be negative.
"""

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from gunzi_sim.jit import njit

ZERO = np.uint64(0)
ONE = np.uint64(1)
TOP = np.uint64(1 << 63)

if numba.config.DISABLE_JIT:
    HAS_PDEP = False

    def _ctpop(x):
        """Number of ones."""
        return np.uint64(int(x).bit_count())

    def _cttz(x):
        """Number of zeros below the lowest one, 64 for 0."""
        return np.uint64((int(x) & -int(x)).bit_length() - 1 if x else 64)

    def _ctlz(x):
        """Number of zeros above the highest one, 64 for 0."""
        return np.uint64(64 - int(x).bit_length())

else:
    _TRIPLE, _CPU, _FEATURES = cpu_target.target_context.codegen().magic_tuple()
    # Zen 1 and 2 emulate pdep in microcode, slower than the search.
    HAS_PDEP = _TRIPLE.startswith("x86_64") and "+bmi2" in _FEATURES.split(",") and _CPU not in ("znver1", "znver2")
    """Whether `kth_bit` is the bit-deposit instruction; else it searches by popcount."""

    @intrinsic
    def _ctpop(typing_context, x):
        """Number of ones."""
        return types.uint64(types.uint64), lambda context, builder, signature, args: builder.ctpop(args[0])

    @intrinsic
    def _cttz(typing_context, x):
        """Number of zeros below the lowest one, 64 for 0."""

        def codegen(context, builder, signature, args):
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.uint64(types.uint64), codegen

    @intrinsic
    def _ctlz(typing_context, x):
        """Number of zeros above the highest one, 64 for 0."""

        def codegen(context, builder, signature, args):
            return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

        return types.uint64(types.uint64), codegen

    @intrinsic
    def _pdep(typing_context, source, mask):
        """Low bits of `source` laid on the ones of `mask`, lowest first."""

        def codegen(context, builder, signature, args):
            word = ir.IntType(64)
            deposit = ir.FunctionType(word, [word, word])
            return builder.call(cgutils.get_or_insert_function(builder.module, deposit, "llvm.x86.bmi.pdep.64"), args)

        return types.uint64(types.uint64, types.uint64), codegen


@njit(forceinline=True)
def popcount(x):
    """Number of set bits, 0..64."""
    return np.int64(_ctpop(np.uint64(x)))


@njit(forceinline=True)
def bit_index(x):
    """Index of the lowest set bit, 0..63. `x` must not be 0, for which it is 64."""
    return np.int64(_cttz(np.uint64(x)))


@njit(forceinline=True)
def lowest_bit(x):
    """Mask of the lowest set bit alone; 0 for 0."""
    x = np.uint64(x)
    return x & ~(x - ONE)


@njit(forceinline=True)
def highest_bit(x):
    """Mask of the highest set bit alone; 0 for 0."""
    x = np.uint64(x)
    return TOP >> _ctlz(x) if x else ZERO


@njit(forceinline=True)
def _kth_bit_by_search(x, k):
    """`kth_bit` without `pdep`: halves the word six times by the count of its lower half."""
    x = np.uint64(x)
    k = np.uint64(k)
    if k >= _ctpop(x):
        return ZERO
    place = ZERO
    for width in (32, 16, 8, 4, 2, 1):
        n_bits = np.uint64(width)
        n_below = _ctpop((x >> place) & ((ONE << n_bits) - ONE))
        if k >= n_below:
            k = k - n_below
            place = place + n_bits
    return ONE << place


@njit(forceinline=True)
def kth_bit(x, k):
    """
    Mask of the k-th lowest set bit.

    Parameters
    ----------
    x : uint64
        Bits to choose from.
    k : int
        0..63, counted from 0 at the lowest set bit.

    Returns
    -------
    uint64
        One bit of `x`; 0 where `x` has k set bits or fewer.
    """
    if HAS_PDEP:
        return _pdep(ONE << np.uint64(k), np.uint64(x))
    return _kth_bit_by_search(x, k)
