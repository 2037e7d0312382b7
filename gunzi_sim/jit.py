"""
Compilation of the kernels: `njit`, with a disk cache of the package's own.

Numba's disk cache looks at the file of a function alone. It does not notice that a function called from there has
changed, and it gives unchecked code to a run that asks for bounds checks. So compiled kernels lie in

    (NUMBA_CACHE_DIR, or the user's cache folder of gunzi_sim) / hash of sources, versions and NUMBA_* settings /

where the hash covers every source that can reach a kernel (`NOT_IN_KERNELS` lists those that cannot), Python, numba,
llvmlite and every environment variable of numba that may change the generated code. Folders of other hashes are left
alone. `numba.config.CACHE_DIR` is set while a function is decorated and restored at once; nothing is hashed before the
first decoration.
"""

import functools
import hashlib
import inspect
import os
import pickle
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
import platformdirs
from numba import types
from numba.core import sigutils

NOT_IN_KERNELS = frozenset(
    [
        "__init__.py",
        "advice.py",
        "api.py",
        "arms.py",
        "benching.py",
        "chain.py",
        "checkup.py",
        "cli.py",
        "comparison.py",
        "console.py",
        "equity_design.py",
        "gunzi/advisor.py",
        "exhibit.py",
        "files.py",
        "games.py",
        "gunzi/cross_check.py",
        "gunzi/engine.py",
        "gunzi/exhibits.py",
        "gunzi/figures.py",
        "gunzi/referee.py",
        "gunzi/referee_play.py",
        "gunzi/referee_score.py",
        "gunzi/referee_setup.py",
        "gunzi/seen.py",
        "gunzi/told.py",
        "gunzi/steps.py",
        "gunzi/story.py",
        "layout.py",
        "match_equity.py",
        "options.py",
        "page.py",
        "pieces.py",
        "plain_rng.py",
        "race.py",
        "plots.py",
        "record.py",
        "replay.py",
        "report.py",
        "report_arms.py",
        "results.py",
        "run_files.py",
        "run_info.py",
        "runner.py",
        "storage.py",
        "tally.py",
        "study_verbs.py",
        "texts.py",
    ]
)
"""Sources that no kernel can reach, as paths below the package; editing them keeps compiled kernels valid."""

HARMLESS_VARIABLES = frozenset(
    [
        "NUMBA_CACHE_DIR",
        "NUMBA_CAPTURED_ERRORS",
        "NUMBA_COLOR_SCHEME",
        "NUMBA_DEBUG_CACHE",
        "NUMBA_DEFAULT_NUM_THREADS",
        "NUMBA_DISABLE_JIT",
        "NUMBA_DISABLE_PERFORMANCE_WARNINGS",
        "NUMBA_FULL_TRACEBACKS",
        "NUMBA_NUM_THREADS",
        "NUMBA_SHOW_HELP",
        "NUMBA_THREADING_LAYER",
        "NUMBA_THREADING_LAYER_PRIORITY",
        "NUMBA_WARNINGS",
    ]
)
"""Variables of numba that do not change generated code; every other NUMBA_* variable is part of the hash."""

_PROBE_BYTES = 1 << 20  # a full disk or quota still takes an empty file
_decorating = threading.RLock()


def njit(signature_or_function: Any = None, *, for_host: bool = False, **options: Any) -> Any:
    """
    `numba.njit` with the package's cache folder; the same call forms, and `cache=True` unless told otherwise.

    A function without a signature is for kernels: it is compiled once for integers, not once for each constant that it
    is called with, and without the wrappers by which Python could call it. It is not cached, since those that call it
    are, and each place on disk that is looked up delays every start.

    Parameters
    ----------
    signature_or_function : function, numba signature, str, list of those, or None
        As for `numba.njit`: bare decorator, explicit signature(s), or keywords alone.
    for_host : bool
        Python too calls this function, which has no signature.
    **options
        Options of `numba.njit`. A function without a source file (typed at a prompt or in a notebook) is never cached.

    Returns
    -------
    numba dispatcher, or a decorator that makes one
        Under `NUMBA_DISABLE_JIT=1` the function itself.
    """
    cached = options.pop("cache", True)

    def decorate(function: Callable[..., Any]) -> Any:
        if numba.config.DISABLE_JIT:
            return function
        signatures = () if signature_or_function is None or bare else (signature_or_function,)
        for_kernels = not signatures and not for_host
        folder = _usable_folder() if cached and not for_kernels and _has_source(function) else None
        if for_kernels:
            options.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
        with _decorating:
            before = numba.config.CACHE_DIR
            numba.config.CACHE_DIR = folder or before
            try:
                compiled = numba.njit(*signatures, cache=folder is not None, **options)(function)
            except (pickle.UnpicklingError, EOFError):
                _warn(f"compiled kernels in {folder} are damaged and compiled anew until you remove that folder")
                compiled = numba.njit(*signatures, cache=False, **options)(function)
            finally:
                numba.config.CACHE_DIR = before
        return _for_kernels(compiled) if for_kernels else compiled

    is_signature = isinstance(signature_or_function, list) or sigutils.is_signature(signature_or_function)
    bare = signature_or_function is not None and not is_signature
    return decorate(signature_or_function) if bare else decorate


def _for_kernels(compiled: Any) -> Any:
    """
    Let constants among the arguments of a call be integers, and refuse calls from Python, which has no way in.

    Numba would compile for each value of a constant, and a call without a wrapper would end the process.
    """
    template = compiled.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return template(tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()})

    def add_overload(result: Any) -> None:
        compiled.overloads[tuple(result.signature.args)] = result

    def compile_for_args(*args: Any, **kws: Any) -> None:
        raise TypeError(f"{compiled.py_func.__name__} is a part of kernels; Python cannot call it")

    compiled.get_call_template = get_call_template
    compiled.add_overload = add_overload
    compiled._compile_for_args = compile_for_args
    return compiled


def record_maker(dtype: Any) -> Any:
    """What makes an array of one zeroed record in a kernel; without compilation its elements have attributes too."""
    if numba.config.DISABLE_JIT:
        return lambda: np.zeros(1, dtype).view(np.recarray)

    def make() -> Any:
        return np.zeros(1, dtype)

    return njit(make)


def cache_folder() -> Path:
    """Folder of the kernels compiled from these sources with these settings; it need not exist yet."""
    return cache_root() / _code_hash()


def cache_root() -> Path:
    """Folder of the cache folders of all states of the sources: `NUMBA_CACHE_DIR`, or in the user's cache."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    return Path(given).absolute() if given else Path(platformdirs.user_cache_dir("gunzi_sim", appauthor=False))


def is_warm(module: str = "*") -> bool:
    """
    Whether a run need not compile: compiled kernels wait on disk, or the JIT is off.

    Parameters
    ----------
    module : str
        Last name of a module, such as `"play"`: asks for a kernel of that module. Default: of any.
    """
    return bool(numba.config.DISABLE_JIT) or any(cache_folder().glob(f"*/{module}.*.nbi"))


@functools.cache
def _code_hash() -> str:
    """Sixteen hex digits that change whenever compiled kernels might."""
    digest = hashlib.sha256()
    versions = (sys.version, numba.__version__, llvmlite.__version__)
    settings = sorted(
        (name, value)
        for name, value in os.environ.items()
        if name.startswith("NUMBA_") and name not in HARMLESS_VARIABLES
    )
    digest.update(repr((versions, settings)).encode())
    package = Path(__file__).parent
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if name not in NOT_IN_KERNELS:
            source = path.read_bytes()
            digest.update(f"\n{name} {len(source)}\n".encode())
            digest.update(source)
    return digest.hexdigest()[:16]


@functools.cache
def _usable_folder() -> str | None:
    """`cache_folder()`, made and found writable; None, and one warning, where that fails."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_PROBE_BYTES))
    except OSError as error:
        _warn(
            f"cannot write the cache folder {folder} ({error.strerror or error}): kernels are compiled anew in every "
            "process; set NUMBA_CACHE_DIR to a writable folder"
        )
        return None
    return str(folder)


@functools.cache
def _warn(text: str) -> None:
    """Warn, once for each text."""
    warnings.warn(text, RuntimeWarning, stacklevel=4)


def _has_source(function: Callable[..., Any]) -> bool:
    """Whether the function stands in a file, without which numba refuses to cache."""
    try:
        return os.path.exists(inspect.getfile(function))
    except TypeError:
        return False
