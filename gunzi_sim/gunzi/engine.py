"""
Host side of the engine of 打滚子: work space, policies by the addresses of their functions, traces, errors by name.

A policy is eight compiled functions, one a decision, and the names of its parameters. Built-in ones come from
`policies`; a user's is made by `make_policy` from one function and a base. Left out: which run, which range and where
the rows go (`runner`).
"""

from __future__ import annotations

import ast
import dis
import functools
import hashlib
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core.errors import NumbaError, UnsupportedBytecodeError

from gunzi_sim.calls import address_of
from gunzi_sim.cards import N_KINDS
from gunzi_sim.deal import deals as deal_batch
from gunzi_sim.game import InputError, Job, Parameter, PolicyError, Situation, did_you_mean, shown
from gunzi_sim.gunzi import policies, records, referee
from gunzi_sim.gunzi.play import (
    HANDS,
    MAX_HANDS,
    PLAN_LAST_HAND,
    PLAN_MODE,
    PLAN_ROWS,
    PLAN_START,
    PLAN_STOP,
    PLAN_UNITS,
    ROUNDS,
)
from gunzi_sim.gunzi.play import (
    play_range as play_range_kernel,
)
from gunzi_sim.gunzi.score import END_NONE
from gunzi_sim.gunzi.state import STATE, VOID_DEAL
from gunzi_sim.gunzi.view import (
    CARDS_SIG,
    CODE_DECISIONS,
    CODE_SIG,
    DECISIONS,
    FAULT_CLAUSES,
    OPTION_NAMES,
    PARAM_FIELDS,
    PARAMS,
    ROW,
    VIEW,
)
from gunzi_sim.jit import njit
from gunzi_sim.rng import DRAWS, check_seed

LATE_POLICIES = policies.LATE
N_CARDS = 162
FREE_PARAMETERS = tuple(
    Parameter(name, 0, -(2**31), 2**31 - 1, "free for a user's policy")
    for name in PARAM_FIELDS
    if re.fullmatch(r"x\d", name)
)
NOT_REPEATED = "another result when repeated: it uses more than its view"
MODES = {"rounds": ROUNDS, "hands": HANDS}


@dataclass(frozen=True)
class Policy:
    """
    A policy: its functions in the order of `view.DECISIONS`, its parameters, and the hash of its source.

    `uses_draws` says whether its follows take words of their streams, so that the engine computes them in bulk.
    """

    name: str
    functions: tuple[Any, ...]
    parameters: tuple[Parameter, ...]
    source_hash: str
    uses_draws: bool = True

    @functools.cached_property
    def addresses(self) -> tuple[int, ...]:
        """Addresses of the functions."""
        return tuple(map(address_of, self.functions))


# --- policies --------------------------------------------------------------------------------------------------------


def built_in_policies() -> dict[str, Policy]:
    """The policies that come with the game and are compiled with it, by name."""
    return {name: own_policy(name) for name in policies.BUILT_IN}


def known_policies() -> dict[str, Policy]:
    """All policies that come with the game, by name; those of `LATE_POLICIES` are compiled now."""
    return {name: own_policy(name) for name in (*policies.BUILT_IN, *LATE_POLICIES)}


@functools.cache
def own_policy(name: str) -> Policy:
    """A policy that comes with the game."""
    found = policies.table(name)
    source = hashlib.sha256(b"".join(_source_of(module).encode() for module in found.modules)).hexdigest()
    return Policy(name, found.functions, found.parameters, source, found.uses_draws)


def make_policy(name: str, decision: str, function: Callable[..., Any], base: Policy) -> Policy:
    """
    A policy that takes one decision by `function` and all others as `base` does.

    Parameters
    ----------
    name : str
        Name of the new policy.
    decision : str
        One of `view.DECISIONS`.
    function : function (view, params, draws)
        Compiled at once with the decision's signature.
    base : Policy

    Raises
    ------
    InputError
        For an unknown decision, or a function that does not compile; an unknown field is named with the nearest.
    """
    if decision not in DECISIONS:
        raise InputError(f"unknown decision {shown(decision)}{did_you_mean(decision, DECISIONS)}")
    function = getattr(function, "py_func", function)  # one that was compiled already
    if not inspect.isfunction(function) or not _takes_three(function):
        given = shown(function)
        raise InputError(f"policy {name!r}, {decision}: must be a function of (view, params, draws), got {given}")
    written = _written_argument(function)
    if written:
        raise InputError(f"policy {name!r}, {decision}: must not write to its {written}; copy what you change")
    signature = CODE_SIG if decision in CODE_DECISIONS else CARDS_SIG
    try:
        compiled = njit(signature, cache=False)(function)  # a cache would not notice changed globals and helpers
    except (NumbaError, UnsupportedBytecodeError) as error:
        raise InputError(f"policy {name!r}, {decision}: {_compile_message(error)}") from None
    except KeyError as error:  # numba's for a field that a record has not
        raise InputError(f"policy {name!r}, {decision}: {_field_message(function, str(error.args[0]))}") from None
    functions = list(base.functions)
    functions[DECISIONS.index(decision)] = compiled
    digest = hashlib.sha256(f"{base.source_hash} {decision} {_text_of(function)}".encode()).hexdigest()
    known = {parameter.name for parameter in base.parameters}
    free = tuple(parameter for parameter in FREE_PARAMETERS if parameter.name not in known)
    uses_draws = _reads_draws(function) if decision == "follow" else base.uses_draws
    return Policy(name, tuple(functions), base.parameters + free, digest, uses_draws)


def _takes_three(function: Callable[..., Any]) -> bool:
    """Whether a function has just three plain arguments, without defaults."""
    code = function.__code__
    is_open = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    return code.co_argcount == 3 and not code.co_kwonlyargcount and not is_open and not function.__defaults__


def _reads_draws(function: Callable[..., Any]) -> bool:
    """Whether a policy's function has any use for its third argument."""
    draws = function.__code__.co_varnames[2]
    loads = (load.argval for load in dis.get_instructions(function))
    return any(value == draws or (isinstance(value, tuple) and draws in value) for value in loads)


def _written_argument(function: Callable[..., Any]) -> str | None:
    """Name of the argument to whose fields a policy's function assigns, if its source tells of one."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # typed at a prompt, or a lambda within a call: those assign nothing
        return "record" if any(step.opname == "STORE_ATTR" for step in dis.get_instructions(function)) else None
    arguments = function.__code__.co_varnames[:3]
    stores = (node for node in ast.walk(tree) if isinstance(node, (ast.Attribute, ast.Subscript)))
    for node in stores:
        root: ast.AST = node
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if isinstance(node.ctx, ast.Store) and isinstance(root, ast.Name) and root.id in arguments:
            return ("view", "params", "draws")[arguments.index(root.id)]
    return None


def _text_of(function: Any, seen: frozenset[int] = frozenset()) -> str:
    """Source of a function and of all that it uses: constants by value, helpers by their source in turn."""
    plain = getattr(function, "py_func", function)
    if id(plain) in seen:
        return ""
    parts = [_source_of(plain)]
    used = inspect.getclosurevars(plain)
    for name, value in sorted({**used.globals, **used.nonlocals}.items()):
        if inspect.isfunction(getattr(value, "py_func", value)):
            parts.append(f"{name}: {_text_of(value, seen | {id(plain)})}")
        elif isinstance(value, np.ndarray):
            parts.append(f"{name}: {value.dtype} {value.shape} {value.tobytes().hex()}")
        elif not inspect.ismodule(value):
            parts.append(f"{name}: {value!r}")
    return "\n".join(parts)


def _source_of(thing: Any) -> str:
    """Source text of a module or function; of a function typed at a prompt its bytecode and constants."""
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):
        code = thing.__code__
        return f"{code.co_code.hex()} {code.co_consts!r} {code.co_names!r}"


def _field_message(function: Callable[..., Any], field: str) -> str:
    """One line on a field that a policy asks for and the record has not; of a helper's the record is not known."""
    arguments = function.__code__.co_varnames[:3]
    loads = list(dis.get_instructions(function))
    before = [load.argval for load, asked in pairwise(loads) if asked.argval == field]
    owners = {value[-1] if isinstance(value, tuple) else value for value in before}  # some load two variables
    known = {"view": list(VIEW.fields or ()), "params": list(PARAMS.fields or ()), "draws": list(DRAWS.fields or ())}
    for argument, record in zip(arguments, known):
        if argument in owners and field not in known[record]:
            names = known[record]
            return f"{record} has no field {field!r}{did_you_mean(field, names)}; known: {', '.join(names)}"
    return f"view, params and draws have no field {field!r}{did_you_mean(field, chain(*known.values()))}"


def _compile_message(error: Exception) -> str:
    """One line on why a policy does not compile."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    unknown = re.search(r"[Uu]nknown attribute '(\w+)' of type Record\(([a-z0-9_]+)\[", text)
    if unknown:
        field, first = unknown.groups()
        for record, dtype in (("view", VIEW), ("params", PARAMS), ("draws", DRAWS)):
            names = dtype.names or ()
            if names[0] == first:
                return f"{record} has no field {field!r}{did_you_mean(field, names)}; known: {', '.join(names)}"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"rror|annot|nvalid|o conversion|ndefined", line)]
    return f"does not compile: {(telling or lines or ['numba gives no reason'])[-1]}"


# --- playing ---------------------------------------------------------------------------------------------------------


class _Bench(NamedTuple):
    """What one call of the kernel works on."""

    state: Any
    plan: Any
    situation: Any


def _bench(job: Job, table: dict[str, Policy]) -> _Bench:
    """Fresh work space for a job."""
    seats = [table[spec.name] for spec in job.policies]
    given = job.situation or (Situation() if job.mode == "hands" else None)
    if given is None:
        start = (1, job.rules.start_level, job.rules.start_level, 0, 0)
    else:
        start = (int(given.first_hand), *given.levels, given.dealer, given.owed)
    state = zeroed(1, STATE)
    state["draw_ahead"] = any(policy.uses_draws for policy in seats)
    state["seed"] = check_seed(job.seed)
    for name in OPTION_NAMES:
        state["rules"][name] = int(getattr(job.rules, name))
        state["views"][f"rule_{name}"] = int(getattr(job.rules, name))
    for seat, (spec, policy) in enumerate(zip(job.policies, seats)):
        values = {parameter.name: parameter.default for parameter in policy.parameters} | dict(spec.params)
        for name, value in values.items():
            state["params"][name][0, seat] = value
        state["calls"][0, :, seat] = policy.addresses
        if "inner" in values:
            state["params"]["inner_calls"][0, seat] = own_policy(policies.INNER[values["inner"]]).addresses
            state["params"]["first_call"][0, seat] = _first_call()
    plan = np.zeros(6, np.int64)
    plan[PLAN_MODE], plan[PLAN_LAST_HAND] = MODES[job.mode], MAX_HANDS
    return _Bench(state, plan, np.array(start, np.int64))


@functools.cache
def _first_call() -> int:
    """Address of the function that gives the first answer of hands played on."""
    from gunzi_sim.gunzi import playout

    return address_of(playout.answer_first)


def zeroed(n: int, dtype: Any) -> Any:
    """Zeroed records; without compilation as a recarray, whose elements give their fields as attributes."""
    records_ = np.zeros(n, dtype)
    return records_.view(np.recarray) if numba.config.DISABLE_JIT else records_


def _call(bench: _Bench, deals: Any, rows: Any) -> int:
    """Call the kernel on `bench.plan`; returns its status."""
    rows = rows.view(np.recarray) if numba.config.DISABLE_JIT else rows
    status = play_range_kernel(bench.state, bench.plan, bench.situation, deals, rows)
    return int(status)


def _kinds(job: Job, start: int, stop: int) -> Any:
    """Given decks of units start to stop - 1 as kinds, or none."""
    if job.deals is None:
        return np.zeros((0, N_CARDS), np.uint8)
    return np.ascontiguousarray(job.deals[start:stop] % N_KINDS, dtype=np.uint8)


def play_range(job: Job, table: dict[str, Policy], start: int, stop: int, out_rows: Any) -> tuple[int, int]:
    """
    Play units start to stop - 1 of a job, whole units only.

    Parameters
    ----------
    job : Job
    table : dict of str to Policy
        The policies that the job may name.
    start, stop : int
        Rounds, or single hands.
    out_rows : ROW[n]
        Filled from the start. Written in place.

    Returns
    -------
    n_units, n_rows : int
        Units played before the first that did not fit, and rows filled.

    Raises
    ------
    PolicyError
        A policy broke a rule or raised; names policy, clause, unit, hand and play.
    InputError
        A given deal is void.
    """
    bench = _bench(job, table)
    bench.plan[PLAN_START], bench.plan[PLAN_STOP] = start, stop
    try:
        status = _call(bench, _kinds(job, start, stop), out_rows)
    except Exception as error:  # whatever a user's function may raise
        raise _policy_error(job, table, bench, error) from None
    if status == VOID_DEAL:
        unit = start + int(bench.plan[PLAN_UNITS])
        raise InputError(f"deals[{unit}] is void: nobody names a suit and only jokers are turned up (G4.3, G5.7)")
    if status:
        raise _policy_error(job, table, bench, None)
    return int(bench.plan[PLAN_UNITS]), int(bench.plan[PLAN_ROWS])


def deals(n: int, seed: int, first_key: int = 0) -> Any:
    """The dealt decks of single hands: uint8[n, 162], cards in dealing order."""
    out = np.zeros((n, N_CARDS), np.uint8)
    deal_batch(check_seed(seed), first_key, out)
    return out


# --- traces ----------------------------------------------------------------------------------------------------------


def records_of(job: Job, table: dict[str, Policy], unit: int, hand: int | None = None) -> list[dict[str, Any]]:
    """
    Records of the hands of one unit, without `result`.

    Parameters
    ----------
    job : Job
    table : dict of str to Policy
    unit : int
        Round, or single hand.
    hand : int, optional
        Only this hand of the round.

    Raises
    ------
    InputError
        The round has no such hand.
    PolicyError
        As `play_range`; its `record` is the hand as far as it went.
    """
    found = []
    for index, (record, _) in enumerate(traced(job, table, unit)):
        if hand is None or hand == index:
            found.append(record)
        if hand == index:
            return found
    if hand is not None:
        raise InputError(f"{job.mode[:-1]} {unit} has hands 0 to {index}, not hand {hand}")
    return found


def traced(job: Job, table: dict[str, Policy], unit: int) -> Iterator[tuple[dict[str, Any], Any]]:
    """The hands of one unit in order, each as its record without `result` and its row of the table."""
    bench = _bench(job, table)
    bench.state["tracing"] = 1
    bench.plan[PLAN_START], bench.plan[PLAN_STOP] = unit, unit + 1
    rows = np.zeros(16, ROW)
    hand = 0
    while True:
        if hand == len(rows):
            rows = np.concatenate([rows, np.zeros(len(rows), ROW)])  # what was played is compared below
        bench.plan[PLAN_LAST_HAND] = hand
        earlier = rows[:hand].tobytes()
        try:
            status = _call(bench, _kinds(job, unit, unit + 1), rows)
        except Exception as error:  # whatever a user's function may raise
            raise _named_error(job, bench, error) from None
        if status:
            raise _named_error(job, bench, None)
        if rows[:hand].tobytes() != earlier:
            raise _named_error(job, bench, RuntimeError(NOT_REPEATED))
        yield _record(job, bench), rows[hand].copy()
        if job.mode == "hands" or rows[hand]["round_end"] != END_NONE:
            return
        hand += 1


def _record(job: Job, bench: _Bench) -> dict[str, Any]:
    """Record of the hand that the kernel has just traced."""
    state = bench.state[0]
    first_hand = bool(state["first_hand"])
    unit, hand = _unit_and_hand(job, bench)
    source = {"seed": int(job.seed), "round": unit, "hand": hand}
    header = {
        "rules": job.rules,
        "source": source,
        "first_hand": first_hand,
        "levels": [int(level) for level in state["levels"]],
        "dealer": None if first_hand else int(state["dealer"]),
        "owed": int(state["owed"]),
        "first_seat": int(state["first_seat"]),
        "deck": state["decks"][0, :N_CARDS].tolist(),
    }
    return records.from_trace(header, state["decisions"][: int(state["n_trace"])].tolist())


def _unit_and_hand(job: Job, bench: _Bench) -> tuple[int, int]:
    key = int(bench.state["key"][0])
    return (key >> 16, key & 0xFFFF) if job.mode == "rounds" else (key, 0)


def _policy_error(job: Job, table: dict[str, Policy], bench: _Bench, cause: Exception | None) -> PolicyError:
    """The error of a range that stopped: its hand is played again in trace mode to find the decision and the play."""
    unit, _ = _unit_and_hand(job, bench)
    try:
        for _ in traced(job, table, unit):
            continue
    except PolicyError as error:
        return error
    detail = f"{type(cause).__name__}: {cause}" if cause else NOT_REPEATED
    return _named_error(job, bench, RuntimeError(detail))


def _named_error(job: Job, bench: _Bench, cause: Exception | None) -> PolicyError:
    """What went wrong in the hand just traced, by the status of the kernel or the exception of a policy."""
    state = bench.state[0]
    seat, decision = int(state["asked_seat"]), DECISIONS[int(state["asked_decision"])]
    unit, hand = _unit_and_hand(job, bench)
    record = _record(job, bench)
    play = None
    if cause is not None:
        clause, detail = "", f"{type(cause).__name__}: {' '.join(str(cause).split())}"
        if decision in ("lead", "follow"):
            play = len(record["plays"])
    else:
        clause = FAULT_CLAUSES[int(state["status"])]
        fault = referee.check(record)
        detail = f"seat {seat} broke the rule"
        if fault is not None and fault.clause == clause:
            play, detail = fault.play, fault.message
        elif decision in ("lead", "follow"):
            play = len(record["plays"]) - 1
    return PolicyError(
        job.policies[seat].name,
        decision,
        clause,
        unit,
        hand if job.mode == "rounds" else None,
        play,
        detail,
        record,
    )
