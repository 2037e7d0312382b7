"""
Calls of compiled functions by address: how kernels call policies that they were not compiled with.

Numba can pass compiled functions as arguments too, but looks up each of them anew on every call of the kernel. An
address is found once, and is valid as long as the function lives. Under `NUMBA_DISABLE_JIT=1` an address is a number
that a table of Python functions knows.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_functions: dict[int, Callable[..., Any]] = {}
_numbers = itertools.count(1)


def address_of(function: Any) -> int:
    """
    Address of a function compiled for one explicit signature.

    Parameters
    ----------
    function : numba dispatcher
        With exactly one signature. The address is valid while it lives.

    Raises
    ------
    ValueError
        There are several signatures or none.
    """
    if numba.config.DISABLE_JIT:
        number = next(_numbers)
        _functions[number] = function
        return number
    if len(function.overloads) != 1:
        raise ValueError(f"{function.__name__} must have one signature, has {len(function.overloads)}")
    (compiled,) = function.overloads.values()
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


def forget(address: int) -> None:
    """Drop a Python function that has been given a number; compiled ones have their addresses from elsewhere."""
    _functions.pop(int(address), None)


def caller(signature: Any) -> Any:
    """
    What calls a policy's function of a given signature by its address, for use in kernels.

    Parameters
    ----------
    signature : numba signature of (view, params, draws)
        Of the functions called.

    Returns
    -------
    function (address : int64, view, params, draws)
        An exception of the called function passes on, as in any compiled call.
    """
    if numba.config.DISABLE_JIT:
        return lambda address, view, params, draws: _functions[int(address)](view, params, draws)

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing_context: Any, address: Any, view: Any, params: Any, draws: Any) -> Any:
        def codegen(context: Any, builder: Any, called: Any, values: Any) -> Any:
            convention = context.call_conv
            form = convention.get_function_type(signature.return_type, signature.args)
            pointer = builder.inttoptr(values[0], form.as_pointer())
            status, result = convention.call_function(
                builder, pointer, signature.return_type, signature.args, values[1:]
            )
            with cgutils.if_unlikely(builder, status.is_error):
                convention.return_status_propagate(builder, status)
            return result

        return signature.return_type(types.int64, *signature.args), codegen

    return call
