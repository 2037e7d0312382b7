"""
Who may import whom, and what each kind of file may hold, read from the sources.

Every module of the package has its row here: it may import from rows below its own, never sideways. A new module is
given a row, and is named as a kernel or referee file where it is one.
"""

import ast
import random
import subprocess
import sys
from pathlib import Path

import pytest
from gunzi.random_records import random_record

import gunzi_sim
from gunzi_sim import jit, record

PACKAGE = Path(gunzi_sim.__file__).parent

ROWS = [
    "jit calls cards stats game plain_rng",
    "bits rng texts chain exhibit files",
    "deal layout race tally page run_info storage",
    "plots",
    "gunzi.rules gunzi.exhibits",
    "gunzi.records gunzi.referee_play gunzi.referee_score",
    "gunzi.referee_setup gunzi.view gunzi.figures",
    "gunzi.state gunzi.facts",
    "gunzi.told gunzi.referee gunzi.tricks gunzi.score gunzi.trace gunzi.questions gunzi.sampler",
    "gunzi.handcraft gunzi.joker_table",
    "gunzi.odds",
    "gunzi.cross_check",
    "gunzi.story gunzi.bidding gunzi.bottom gunzi.policies_random gunzi.policies_basic gunzi.policies_counting",
    "gunzi.candidates gunzi.play gunzi.steps",
    "gunzi.playout",
    "gunzi.policies_search",
    "gunzi.policies gunzi.trials",
    "gunzi.engine gunzi.seen",
    "gunzi.advisor",
    "games run_files",
    "runner record pieces",
    "report_arms",
    "report",
    "results replay",
    "arms",
    "comparison",
    "match_equity",
    "equity_design advice",
    "benching checkup api",
    "console",
    "options",
    "study_verbs",
    "cli",
]
"""Modules from the lowest row up."""

NAMES_ONLY = ["__init__", "gunzi.__init__"]
"""Docstrings and lazy names."""

KERNEL_FILES = [
    "bits",
    "deal",
    "gunzi.bidding",
    "gunzi.bottom",
    "gunzi.candidates",
    "gunzi.facts",
    "gunzi.handcraft",
    "gunzi.joker_table",
    "gunzi.odds",
    "gunzi.play",
    "gunzi.policies_basic",
    "gunzi.playout",
    "gunzi.policies_counting",
    "gunzi.policies_random",
    "gunzi.policies_search",
    "gunzi.questions",
    "gunzi.sampler",
    "gunzi.score",
    "gunzi.state",
    "gunzi.trace",
    "gunzi.trials",
    "gunzi.tricks",
    "gunzi.view",
    "rng",
]
KERNEL_LIBRARIES = {"dataclasses", "llvmlite", "numba", "numpy", "operator", "typing"}
ALSO_HELD = {"rng": {"check_seed"}, "bits": {"_ctlz", "_ctpop", "_cttz"}}
"""What kernel files hold beside constants and compiled functions: for the host, and twins for life without the JIT."""

REFEREE_FILES = ["gunzi.referee", "gunzi.referee_play", "gunzi.referee_score", "gunzi.referee_setup"]
HEAVY = {"matplotlib", "numba", "numpy", "pandas", "pyarrow", "scipy"}


def modules():
    """Every module of the package, by its name below `gunzi_sim`."""
    return {".".join(path.relative_to(PACKAGE).with_suffix("").parts): path for path in PACKAGE.rglob("*.py")}


MODULES = modules()
ROW_OF = {name: number for number, row in enumerate(ROWS) for name in row.split()}


def tree(module):
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


def imports(node):
    """All modules that a source imports anywhere, for types alone included, with the names taken from the package."""
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Import):
            found |= {alias.name for alias in part.names}
        elif isinstance(part, ast.ImportFrom):
            assert part.level == 0, "relative import"
            found |= {f"{part.module}.{alias.name}" for alias in part.names}
    return found


def own_imports(module):
    """Modules of the package that a module imports."""
    found = set()
    for name in imports(tree(module)):
        parts = name.split(".")
        if parts[0] == "gunzi_sim":
            inner = [".".join(parts[1:end]) for end in range(len(parts), 1, -1)]
            found |= {next((part for part in inner if part in MODULES), "__init__")}
    return found


def libraries(module):
    """Top-level names of everything else it imports."""
    return {name.split(".")[0] for name in imports(tree(module))} - {"gunzi_sim"}


def closure(module):
    """The modules of the package that importing one imports, itself included."""
    seen, waiting = set(), {module}
    while waiting:
        seen |= waiting
        waiting = set().union(*(own_imports(name) for name in waiting)) - seen
    return seen


def decorators(function):
    return {ast.unparse(part.func if isinstance(part, ast.Call) else part) for part in function.decorator_list}


def existing(names):
    return [name for name in names if name in MODULES]


def test_every_module_has_one_row():
    assert set(MODULES) - set(NAMES_ONLY) <= set(ROW_OF)
    assert sum(len(row.split()) for row in ROWS) == len(ROW_OF)


@pytest.mark.parametrize("module", sorted(set(MODULES) - set(NAMES_ONLY)))
def test_imports_point_down(module):
    wrong = [name for name in own_imports(module) if ROW_OF[name] >= ROW_OF[module]]
    assert not wrong


@pytest.mark.parametrize("module", NAMES_ONLY)
def test_packages_import_nothing(module):
    for node in tree(module).body:
        is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if not is_for_types and not isinstance(node, ast.FunctionDef):
            assert {name.split(".")[0] for name in imports(node)} <= {"importlib", "typing"}


@pytest.mark.parametrize("module", existing(KERNEL_FILES))
def test_kernel_files_hold_constants_and_compiled_functions(module):
    """Private plain functions may make tables at import; compiled functions do not call them."""
    source = tree(module)
    if module == "bits":  # has two forms, compiled and plain
        source.body = [part for node in source.body for part in (node.body if isinstance(node, ast.If) else [node])]
    makers, compiled = set(), []
    for node in source.body:
        if isinstance(node, ast.FunctionDef):
            if decorators(node) & {"njit", "intrinsic"}:
                compiled.append(node)
            elif node.name not in ALSO_HELD.get(module, set()):
                assert node.name.startswith("_"), node.name
                makers.add(node.name)
        else:
            constants = ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.Expr | ast.For | ast.Delete
            assert isinstance(node, constants), ast.unparse(node)
    for function in compiled:
        called = {part.id for part in ast.walk(function) if isinstance(part, ast.Name)}
        assert not called & makers, function.name
    assert libraries(module) <= KERNEL_LIBRARIES
    text = MODULES[module].read_text(encoding="utf-8")
    for word in ("prange", "parallel=True", "np.random"):
        assert word not in text


def test_every_file_with_kernels_is_known():
    """Whatever has compiled functions is checked as a kernel file."""
    found = {
        module
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, ast.FunctionDef) and "njit" in decorators(node)
    }
    assert found <= set(KERNEL_FILES)


def test_nothing_that_kernels_import_is_left_out_of_their_hash():
    reached = set().union(*(closure(module) for module in existing(KERNEL_FILES)))
    left_out = {name.removesuffix(".py").replace("/", ".") for name in jit.NOT_IN_KERNELS}
    assert not reached & left_out


@pytest.mark.parametrize("module", existing(REFEREE_FILES))
def test_referee_is_plain_python(module):
    for reached in closure(module):
        assert not libraries(reached) & HEAVY
        assert reached not in KERNEL_FILES
    standard = sys.stdlib_module_names | {"tomli_w"}
    assert set().union(*(libraries(reached) for reached in closure(module))) <= standard


@pytest.mark.parametrize("module", sorted(MODULES))
def test_only_storage_knows_arrow(module):
    """Names of types alone may be imported elsewhere."""
    source = tree(module)
    source.body = [node for node in source.body if not _is_for_types(node)]
    found = {name.split(".")[0] for name in imports(source)}
    assert "pyarrow" not in found or module == "storage"


def _is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@pytest.mark.parametrize("module", sorted(set(MODULES) - {"cli", "console", "options", "study_verbs"}))
def test_only_the_command_line_prints_and_exits(module):
    calls = {ast.unparse(node.func) for node in ast.walk(tree(module)) if isinstance(node, ast.Call)}
    assert not calls & {"print", "input", "sys.exit", "exit", "quit", "os._exit"}


def test_no_module_bears_the_name_of_a_public_function():
    public = {name for name in gunzi_sim.__all__ if name.islower()}
    assert not public & {name.split(".")[0] for name in MODULES}


def loaded(code):
    """Which heavy libraries a new process holds after running `code`; it must end well."""
    code += f"\nprint('loaded:', *sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", "import sys\n" + code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()[1:]


def test_importing_the_package_loads_nothing_heavy():
    assert loaded("import gunzi_sim; dir(gunzi_sim); gunzi_sim.RulesError, gunzi_sim.__version__") == []


if "cli" in MODULES:

    @pytest.mark.parametrize(
        "arguments",
        ["--help", "run --help", "rules list", "rules show standard", "rules schema", "verify {file}", "show {file}"],
    )
    def test_light_verbs_load_nothing_heavy(arguments, tmp_path):
        file = tmp_path / "hand.jsonl"
        file.write_text(record.write(random_record(random.Random(1))) + "\n", encoding="utf-8")
        words = arguments.format(file=file).split()
        code = f"""
from gunzi_sim.cli import main
sys.argv = ["gunzi-sim", *{words!r}]
try:
    status = main()
except SystemExit as end:
    status = end.code
assert not status, status
"""
        assert loaded(code) == []
