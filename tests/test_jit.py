"""The compiler front: call forms, the cache folder and what it depends on, plain functions without the JIT."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import numba
import pytest
from counts import IS_COMPILED
from numba import int64, types

import gunzi_sim.jit
from gunzi_sim.jit import njit


def add(x, y):
    return x + y


@pytest.mark.parametrize(
    "decorate",
    [
        lambda function: njit(function, for_host=True),
        njit(for_host=True),
        njit(for_host=True, nogil=True),
        njit(for_host=True, cache=False),
        njit("int64(int64, int64)"),
        njit(int64(int64, int64)),
        njit((types.int64, types.int64), nogil=True),
        njit(["int64(int64, int64)", "float64(float64, float64)"]),
    ],
)
def test_call_forms(decorate):
    function = decorate(add)
    assert function(2, 3) == 5
    if IS_COMPILED:
        assert function.py_func is add
        assert (types.int64, types.int64) in function.signatures
    else:
        assert function is add


@pytest.mark.skipif(not IS_COMPILED, reason="plain functions can be called")
@pytest.mark.parametrize("decorate", [njit, njit(), njit(nogil=True), njit(cache=False)])
def test_without_a_signature_only_kernels_call(decorate):
    function = decorate(add)

    @njit(for_host=True)
    def both(x):
        return function(x, 2) + function(3, x) + function(x, x)

    assert both(5) == 7 + 8 + 10
    with pytest.raises(TypeError, match="add is a part of kernels"):
        function(2, 3)
    assert function.signatures == [(types.int64, types.int64)]  # not one for each constant


def test_cache_folder_of_numba_is_left_as_it_was(monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "the user's own")
    njit(add)
    njit("int64(int64, int64)")(add)
    assert numba.config.CACHE_DIR == "the user's own"


def test_function_without_a_file_is_not_cached(recwarn):
    names = {"njit": njit}
    exec("@njit(for_host=True)\ndef twice(x):\n    return 2 * x", names)
    assert names["twice"](4) == 8
    assert not recwarn


class House:
    """A copy of the compiler front in a package of its own, beside two kernel files and a plain one."""

    def __init__(self, folder):
        self.package = folder / "gunzi_sim"
        self.cache = folder / "cache"
        self.package.mkdir()
        (self.package / "__init__.py").touch()
        shutil.copy(gunzi_sim.jit.__file__, self.package)
        self.write("lower", "from gunzi_sim.jit import njit\n@njit\ndef low(x):\n    return x + 1")
        self.write(
            "upper",
            """
            import numpy as np
            from gunzi_sim.jit import njit
            from gunzi_sim.lower import low

            @njit(for_host=True)
            def high(x):
                return 10 * low(x)

            @njit(for_host=True)
            def element(values, i):
                return values[i]
            """,
        )
        self.write("cli", "TEXT = 'one'")

    def write(self, module, source):
        (self.package / f"{module}.py").write_text(textwrap.dedent(source))

    def run(self, code, **environment):
        """What a new process prints that runs `code` after importing the kernels; its stderr must stay empty."""
        done = self.start(code, **environment)
        assert done.stderr == ""
        return done.stdout.split()

    def start(self, code, **environment):
        prelude = "import numpy as np\nfrom gunzi_sim import jit\nfrom gunzi_sim.upper import element, high\n"
        variables = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        variables |= {"PYTHONPATH": str(self.package.parent), "NUMBA_CACHE_DIR": str(self.cache), **environment}
        variables["PYTHONDONTWRITEBYTECODE"] = "1"  # two edits in one second may look alike
        command = [sys.executable, "-c", prelude + textwrap.dedent(code)]
        return subprocess.run(
            command, cwd=self.package.parent, env=variables, capture_output=True, text=True, check=True
        )

    def folders(self):
        return {path.name for path in self.cache.iterdir()}


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_compiled_once_then_taken_from_the_folder(house):
    first = house.run("print(jit.is_warm(), high(1), jit.is_warm(), jit.is_warm('upper'), jit.is_warm('lowe'))")
    assert first == ["False", "20", "True", "True", "False"]
    again = house.run("print(jit.cache_folder(), high(1), *high.stats.cache_hits.values())")
    assert again == [str(house.cache / next(iter(house.folders()))), "20", "1"]
    assert not list(house.package.rglob("*.nbi"))


def test_edit_of_a_called_file_is_noticed(house):
    assert house.run("print(high(1))") == ["20"]
    house.write("lower", "from gunzi_sim.jit import njit\n@njit\ndef low(x):\n    return x + 2")
    assert house.run("print(high(1))") == ["30"]
    assert len(house.folders()) == 2  # the old one stays


def test_edit_of_a_file_no_kernel_reaches_keeps_the_folder(house):
    house.run("high(1)")
    house.write("cli", "TEXT = 'two'")
    assert house.run("print(jit.is_warm('upper'))") == ["True"]


def test_bounds_checks_are_not_answered_from_an_unchecked_cache(house):
    code = """
        try:
            element(np.zeros(3), 2 if {} else 1 << 20)
            print("taken")
        except IndexError:
            print("refused")
    """
    assert house.run(code.format(True)) == ["taken"]
    assert house.run(code.format(False), NUMBA_BOUNDSCHECK="1") == ["refused"]
    assert len(house.folders()) == 2


def test_only_variables_that_change_code_change_the_folder(house):
    code = "print(jit.cache_folder().name)"
    usual = house.run(code)
    assert house.run(code, NUMBA_NUM_THREADS="1", NUMBA_DISABLE_JIT="0", OTHER="1") == usual
    assert house.run(code, NUMBA_OPT="1") != usual
    assert house.run(code, NUMBA_SOME_LATER_SWITCH="1") != usual


def test_unwritable_folder_means_no_cache_and_one_warning(house):
    house.cache.write_text("a file where the folder should be")
    done = house.start("print(high(1), element(np.arange(3), 2), jit.is_warm())")
    assert done.stdout.split() == ["20", "2", "False"]
    assert done.stderr.count("RuntimeWarning") == 1
    assert str(house.cache) in done.stderr
    assert "set NUMBA_CACHE_DIR" in done.stderr
    assert not list(house.package.rglob("*.nbi"))


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_damaged_kernels_are_compiled_anew_with_one_warning(house, ending):
    signed = "from gunzi_sim.jit import njit\n@njit('int64(int64)')\ndef low(x):\n    return x + 1"
    house.write("lower", signed)
    assert house.run("print(high(1))") == ["20"]
    for path in house.cache.rglob(f"lower.*.{ending}"):
        path.write_bytes(path.read_bytes()[:-9])
    done = house.start("print(high(1))")
    assert done.stdout.split() == ["20"]
    assert done.stderr.count("are damaged and compiled anew until you remove that folder") == 1


def test_without_the_jit_functions_are_plain(house):
    n_hashed = "jit._code_hash.cache_info().misses"
    code = f"import types; print(type(high) is types.FunctionType, high(1), jit.is_warm(), {n_hashed})"
    assert house.run(code, NUMBA_DISABLE_JIT="1") == ["True", "20", "True", "0"]
    assert not house.cache.exists()


def test_importing_the_front_reads_and_writes_nothing(house):
    code = "import gunzi_sim.jit as jit; print(jit._code_hash.cache_info().misses)"
    variables = {**os.environ, "PYTHONPATH": str(house.package.parent), "NUMBA_CACHE_DIR": str(house.cache)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=house.package.parent, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]
    assert not house.cache.exists()


def test_default_folder_is_the_users(monkeypatch, tmp_path):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert gunzi_sim.jit.cache_root().name == "gunzi_sim"
    monkeypatch.setenv("NUMBA_CACHE_DIR", "here")
    assert gunzi_sim.jit.cache_root() == Path.cwd() / "here"
    assert gunzi_sim.jit.cache_folder().parent == Path.cwd() / "here"


def test_every_source_named_as_unreachable_exists():
    package = Path(gunzi_sim.jit.__file__).parent
    assert [name for name in gunzi_sim.jit.NOT_IN_KERNELS if not (package / name).exists()] == []
