"""
What `gunzi-sim doctor` finds: versions, processor, cache of kernels, a self-test of the random numbers, a run's shards.

The vectors are those published for `gunzi-rng/1`; on a machine that fails them a run would not be what its seed names.
Left out: printing (`cli`).
"""

import hashlib
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from gunzi_sim import deal, games, jit, plain_rng, run_files, runner, storage

PACKAGES = ("gunzi-sim", "numpy", "numba", "llvmlite", "pandas", "pyarrow", "rich", "scipy")
FIRST_WORDS = (
    (0, 0, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    (1, 0, 0, "e3e80670 e50a0ebc 95f222c0 b615aa27"),
    (0, 1, 0, "844515e1 f08d6eaa 0f19c053 83f875f0"),
    (0, 0, 1, "6ad0c5ec ea236249 73a459f5 074944b3"),
    (0, 1 << 32, 0, "2dce73e5 1348e23f fcf8e0ec a287aadb"),
    ((1 << 64) - 1, (1 << 64) - 1, (1 << 32) - 1, "f0c8891a a25c09bc af8fe7a5 31661961"),
)
"""First block of (seed, key, stream), in hexadecimal."""
DECKS_SEED = 20240101
DECKS_SHA256 = "f1a112393c203fb2ae65af4b9eb0e9230e1a93323e0b4fd8212c88f25a682025"
"""Of the 162-card decks of keys 0 … 999, one byte a card."""
LATER_DECKS = [((1 << 64) - 1, (1 << 64) - 1), (0, 101393)]
"""Seed and key of decks that the kernels must deal as plain integers do; in the last one a word is rejected."""


def machine() -> dict[str, Any]:
    """Versions, system and processor."""
    import llvmlite.binding

    return {
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "system": platform.platform(),
        "cpu": _cpu_name() or llvmlite.binding.get_host_cpu_name(),
        "cpu_model": llvmlite.binding.get_host_cpu_name(),
        "cpus": os.cpu_count(),
        "threads": runner.available_cpus(),
        "compiler": os.environ.get("NUMBA_DISABLE_JIT", "0") in ("", "0"),
    }


def cache() -> dict[str, Any]:
    """Where compiled kernels lie, whether the folder can be written, and whether the next run starts warm."""
    folder = jit.cache_folder()
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    return {
        "folder": str(folder),
        "writable": os.access(nearest, os.W_OK),
        "warm": jit.is_warm(games.KERNEL_MODULE),
    }


def rng_faults() -> list[str]:
    """What differs: plain integers from the published words, the kernels' decks from both; empty when all hold."""
    faults = []
    for seed, key, stream, words in FIRST_WORDS:
        found = " ".join(f"{word:08x}" for word in plain_rng.block(seed, key, stream, 0))
        if found != words:
            faults.append(f"words of seed {seed}, key {key}, stream {stream} are {found}")
    decks = games.get("gunzi").deals(1000, DECKS_SEED)
    if hashlib.sha256(decks.tobytes()).hexdigest() != DECKS_SHA256:
        faults.append(f"decks of seed {DECKS_SEED} differ")
    fast = np.zeros((1, decks.shape[1]), np.uint8)
    for seed, key in [(seed, key) for seed, key, stream, _ in FIRST_WORDS if not stream] + LATER_DECKS:
        deal.deals(np.uint64(seed), np.uint64(key), fast)
        if fast[0].tolist() != plain_rng.shuffled(decks.shape[1], seed, key):
            faults.append(f"the deck of seed {seed}, key {key} differs")
    return faults


def run(path: str) -> dict[str, Any]:
    """Every finished shard of a run, read to the end: how many hold, how many there are to be, and what is wrong."""
    info = run_files.read_info(path)
    n_ok, faults = 0, []
    for shard in run_files.list_shards(Path(path)):
        try:
            run_files.verify_shard(info, shard)
            n_ok += 1
        except storage.DamagedError as error:
            faults.append(str(error))
    return {"path": path, "shards_ok": n_ok, "shards_all": info.n_shards, "faults": faults}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _cpu_name() -> str:
    """The processor as Linux names it; elsewhere what Python knows."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "")
    except OSError:
        return platform.processor()
