"""The host side of the engine: policies by name and what becomes of bad ones, given deals, batches and threads."""

import itertools
import types
from dataclasses import replace
from importlib import import_module

import numba
import numpy as np
import pytest
from counts import IS_COMPILED, count
from numba.extending import intrinsic

import gunzi_sim as gz
from gunzi_sim import cli, games, runner
from gunzi_sim.calls import address_of
from gunzi_sim.game import Job
from gunzi_sim.gunzi import engine, referee
from gunzi_sim.gunzi.view import DECISIONS
from gunzi_sim.jit import njit

BIG, SMALL = 53, 52
NOTHING = np.uint64(0)
RULES = gz.rules()


@pytest.fixture(autouse=True)
def no_policies_left():
    """Forget the policies that a test makes."""
    yield
    known = games.get("gunzi").policies
    for name in set(known) - set(engine.known_policies()):
        del known[name]


# --- bad policies ----------------------------------------------------------------------------------------------------


def follow_not_held(view, params, draws):
    """A card that is not in the hand, once there are fewer than thirty."""
    card = view.hand_1 & ~(view.hand_1 - np.uint64(1))
    if view.cards_left < 30:
        card = ~view.hand_1 & (view.hand_1 + np.uint64(1))
    return card, NOTHING, NOTHING


def lead_pair_not_held(view, params, draws):
    """A pair of the lowest card, held or not, in the sixth trick."""
    card = view.hand_1 & ~(view.hand_1 - np.uint64(1))
    if view.trick == 5:
        return card, view.hand_1 & ~view.hand_2, NOTHING
    return card, NOTHING, NOTHING


def raise_in_trick_3(view, params, draws):
    """Gives up in the fourth trick."""
    if view.trick == 3:
        raise ValueError("no idea what to lead")
    return view.hand_1 & ~(view.hand_1 - np.uint64(1)), NOTHING, NOTHING


def bury_five(view, params, draws):
    """Five cards instead of six."""
    rest = view.hand_1
    buried = NOTHING
    for _ in range(5):
        card = rest & ~(rest - np.uint64(1))
        buried |= card
        rest &= ~card
    return buried, NOTHING, NOTHING


def claim_twice(view, params, draws):
    """Neither yes nor no."""
    return 2


BAD = [
    ("lead", lead_pair_not_held, "G10.1"),
    ("bury", bury_five, "G8.1"),
    ("claim", claim_twice, "G4.1"),
    ("lead", raise_in_trick_3, ""),
]


@pytest.mark.parametrize(("decision", "function", "clause"), BAD)
def test_a_bad_move_stops_the_run_by_name(decision, function, clause):
    gz.policy("gunzi", decision, name="cheat", base="random")(function)
    with pytest.raises(gz.PolicyError) as caught:
        gz.simulate(RULES, policies="random,cheat,random,random", rounds=count(40, 3), seed=5, threads=1)
    error = caught.value
    assert (error.policy, error.decision, error.clause) == ("cheat", decision, clause)
    assert str(error).startswith(f"policy 'cheat', {decision}: {clause}")
    assert f"in round {error.unit}, hand {error.hand}" in str(error)
    assert "\n" not in str(error)
    if decision == "lead":
        assert len(error.record["plays"]) - (clause != "") == error.play
        assert f", play {error.play}: " in str(error)
    if clause and decision != "claim":
        assert referee.check(error.record)[:2] == (clause, error.play)


def test_g10_3_a_card_not_held_is_named(capsys, tmp_path):
    """Exit status 4, one line with policy, clause, round, hand, play, card and the command that shows it."""
    gz.policy("gunzi", "follow", name="cheat", base="random")(follow_not_held)
    out = tmp_path / "run"
    status = cli.main(["run", str(out), "--policies", "cheat", "--rounds", "3", "--seed", "1"])
    line = capsys.readouterr().err.strip().splitlines()[-1]
    assert status == 4
    assert "policy 'cheat', follow: G10.3 in round 0, hand 0, play " in line
    assert line.endswith(f"replay: gunzi-sim show {out} --index 0")
    play = int(line.split(", play ")[1].split(":")[0])

    status = cli.main(["show", str(out), "--index", "0", "--ascii"])
    shown = capsys.readouterr()
    assert status == 4
    assert f"play {play}" in shown.err and "G10.3" in shown.err
    assert shown.out.count("\n") > 10  # the hand as far as it went


def test_a_policy_that_raises_is_named_with_its_words(capsys, tmp_path):
    gz.policy("gunzi", "lead", name="helpless", base="basic")(raise_in_trick_3)
    out = tmp_path / "run"
    status = cli.main(["run", str(out), "--policies", "helpless", "--hands", "3"])
    line = capsys.readouterr().err.strip().splitlines()[-1]
    assert status == 4
    assert "policy 'helpless', lead: in hand 0, play 12: ValueError: no idea what to lead" in line


def test_the_earliest_bad_hand_is_told_whatever_the_threads():
    gz.policy("gunzi", "bury", name="cheat", base="random")(bury_five)
    told = []
    for threads in (1, 3):
        with pytest.raises(gz.PolicyError) as caught:
            gz.simulate(RULES, policies="random,random,random,cheat", rounds=count(30, 3), seed=8, threads=threads)
        told.append(str(caught.value))
    assert told[0] == told[1]


UNKNOWN = [
    ("view.hand1", "view has no field 'hand1'; did you mean 'hand_1'"),
    ("params.jokrs", "params has no field 'jokrs'; did you mean 'jokers'"),
    ("draws.sed", "draws has no field 'sed'; did you mean 'seed'"),
    ("nowhere", "nowhere"),
]


@pytest.mark.parametrize(("source", "words"), UNKNOWN)
def test_an_unknown_field_is_named_with_the_nearest(source, words):
    """At once, where policies are compiled; as plain Python, when the policy is asked."""
    scope = {"np": np, "NOTHING": NOTHING}
    text = f"def lead(view, params, draws):\n    return np.uint64({source}), NOTHING, NOTHING\n"
    exec(text, scope)
    if not IS_COMPILED:
        gz.policy("gunzi", "lead", name="cheat")(scope["lead"])
        with pytest.raises(gz.PolicyError, match=source.rpartition(".")[2]):
            gz.simulate(RULES, policies="cheat", rounds=1)
        return
    with pytest.raises(gz.InputError) as caught:
        gz.policy("gunzi", "lead", name="cheat")(scope["lead"])
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


class Player:
    """Something that is called but no function."""

    def lead(self, view, params, draws):
        """A method, which has `self` too."""

    __call__ = lead


@pytest.mark.parametrize(
    "function",
    [
        lambda view, params: 0,
        lambda view, params, draws, more: 0,
        lambda *everything: 0,
        lambda view, params, draws, **more: 0,
        lambda view, params, draws=None: 0,
        lambda view, params, draws, *, more: 0,
        Player(),
        Player().lead,
        Player,
        len,
        None,
        "lead",
    ],
)
@pytest.mark.parametrize("decision", ["follow", "claim"])
def test_what_is_no_function_of_three_arguments_is_refused(decision, function):
    with pytest.raises(gz.InputError, match=r"function( of \(view, params, draws\))?, got ") as caught:
        gz.policy("gunzi", decision, name="odd")(function)
    assert "\n" not in str(caught.value)


def test_a_function_that_is_compiled_already_is_taken():
    @numba.njit
    def lead(view, params, draws):
        return view.hand_1 & (~view.hand_1 + np.uint64(1)), NOTHING, NOTHING

    gz.policy("gunzi", "lead", name="lowest")(lead)
    assert gz.simulate(RULES, policies="lowest", hands=2).n_rows == 2


WRITES = [
    "view.hand_1 = NOTHING",
    "view.voids[0] = 1",
    "view.history[0, 1] += 1",
    "params.x0 += 1",
    "draws.left = 0",
    "view.hand_1, x = NOTHING, 0",
]


@pytest.mark.parametrize("statement", WRITES)
def test_a_policy_that_writes_to_its_arguments_is_refused(statement, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = f"writes_{WRITES.index(statement)}"
    text = "import numpy as np\nNOTHING = np.uint64(0)\n"
    text += f"def lead(view, params, draws):\n    {statement}\n    return view.hand_1, NOTHING, NOTHING\n"
    (tmp_path / f"{module}.py").write_text(text)
    name = statement.split(".")[0]
    with pytest.raises(gz.InputError, match=f"'writer', lead: must not write to its {name}"):
        gz.policy("gunzi", "lead", name="writer")(import_module(module).lead)


def test_a_policy_may_write_to_what_it_makes(tmp_path):
    def lead(view, params, draws):
        planes = np.zeros(3, np.uint64)
        planes[0] = view.hand_1 & (~view.hand_1 + np.uint64(1))
        return planes[0], planes[1], planes[2]

    gz.policy("gunzi", "lead", name="writer")(lead)
    assert gz.simulate(RULES, policies="writer", hands=2).n_rows == 2


def test_changed_globals_and_helpers_make_another_policy():
    """Neither a cache on disk nor the hash in `run.json` takes one for the other."""
    scope = {"np": np, "NOTHING": NOTHING, "njit": numba.njit}
    found = []
    for choice, helper in ((0, "NOTHING"), (1, "NOTHING"), (1, "x & (~x + np.uint64(1))")):
        text = f"@njit\ndef lowest(x):\n    return {helper}\n"
        text += "def claim(view, params, draws):\n    return CHOICE + 0 * np.int64(lowest(view.kinds_1) > 99)\n"
        exec(text, scope | {"CHOICE": choice}, made := {})
        claim = types.FunctionType(made["claim"].__code__, scope | made | {"CHOICE": choice}, "claim")
        gz.policy("gunzi", "claim", name="mine", base="random", replace=True)(claim)
        run = gz.simulate(RULES, policies="mine", hands=count(40, 6), first_hand=True)
        claims = (run.to_pandas(columns=["declared_as"])["declared_as"] == 6).sum()
        found.append((run.info.policies[0]["source_hash"], bool(claims)))
    assert len({source for source, _ in found}) == 3
    assert [claims for _, claims in found] == [False, True, True]


def test_the_error_of_a_policy_says_how_to_see_its_hand_again(tmp_path):
    def lead(view, params, draws):
        return NOTHING, NOTHING, NOTHING

    gz.policy("gunzi", "lead", name="nothing")(lead)
    with pytest.raises(
        gz.PolicyError, match=r"'nothing', lead: G10\.1 in round 0, .*; replay: its `record` is the hand"
    ):
        gz.simulate(RULES, policies="nothing", rounds=1)
    with pytest.raises(
        gz.PolicyError, match=r"; replay: gunzi_sim\.open_run\(.*\)\.record\(index=0, hand=0\)$"
    ) as first:
        gz.simulate(RULES, policies="nothing", rounds=1, out=tmp_path / "run")
    with pytest.raises(gz.PolicyError) as again:
        gz.open_run(tmp_path / "run").record(index=0, hand=0)
    assert again.value.message == first.value.message and again.value.record == first.value.record


def test_a_run_keeps_the_policies_that_it_began_with():
    """Though another function is registered under the name before its last hand is played."""

    def never(view, params, draws):
        return 0

    def always(view, params, draws):
        return 1

    gz.policy("gunzi", "claim", name="mine", base="random")(never)
    n_hands = count(40, 6)
    expected = gz.simulate(RULES, policies="mine", hands=n_hands, first_hand=True, threads=1).to_arrow()
    start = games.Situation(first_hand=True)
    job = Job("gunzi", RULES, games.parse_policies("gunzi", "mine"), 0, "hands", start)
    info = runner.describe(job, n_hands)
    crew = runner._Crew(runner.Hands(job), info, None)
    gz.policy("gunzi", "claim", name="mine", base="random", replace=True)(always)
    crew.work_through(info.ranges(), info.n_shards, 1, None)
    assert crew.tables[0].equals(expected)
    other = gz.simulate(RULES, policies="mine", hands=n_hands, first_hand=True, threads=1).to_arrow()
    assert not other.equals(expected)


@pytest.mark.skipif(not IS_COMPILED, reason="kept in compiled memory")
def test_a_policy_that_remembers_is_told_so_when_its_hand_is_played_again():
    """A record played again must be the hand; one that is not ends with a message, not in a loop."""
    memory = np.zeros(1, np.int64)
    address = memory.ctypes.data

    @numba.njit
    def count_up():
        cell = numba.carray(_at(address), (1,), np.int64)
        cell[0] += 1
        return cell[0]

    def lead(view, params, draws):
        low = view.hand_1 & (~view.hand_1 + np.uint64(1))
        high = view.hand_1
        while high & (high - np.uint64(1)):
            high &= high - np.uint64(1)
        return low if count_up() % 3 else high, NOTHING, NOTHING

    gz.policy("gunzi", "lead", name="rememberer")(lead)
    run = gz.simulate(RULES, policies="rememberer,basic,rememberer,basic", rounds=1, threads=1)
    with pytest.raises(gz.PolicyError, match="another result when repeated"):
        for _ in range(3):
            run.record(index=0)


@pytest.mark.skipif(not IS_COMPILED, reason="long rounds")
def test_a_long_round_is_recorded_to_its_end():
    run = gz.simulate(RULES, policies="basic", rounds=3, seed=1)
    rows = run.to_pandas(columns=["round_id", "attacker_points"])
    lengths = rows.groupby("round_id").size()
    assert lengths.max() > 16
    for unit, length in lengths.items():
        points = [record["result"]["attacker_points"] for record in run.record(index=unit)]
        assert points == rows[rows.round_id == unit].attacker_points.tolist() and len(points) == length


@intrinsic
def _at(typing_context, address):
    """A pointer to the int64 at an address."""

    def codegen(context, builder, signature, values):
        return builder.inttoptr(values[0], context.get_value_type(signature.return_type))

    return numba.types.CPointer(numba.types.int64)(numba.types.int64), codegen


# --- one decision is the user's, the others are the base's -----------------------------------------------------------


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_policy_that_is_its_base_changes_nothing(decision):
    base = engine.known_policies()["random"]
    made = engine.make_policy("same", decision, _plain(base.functions[DECISIONS.index(decision)]), base)
    games.get("gunzi").policies["same"] = made
    runs = [gz.simulate(RULES, policies=name, rounds=count(10, 1), seed=2, threads=1) for name in ("random", "same")]
    assert runs[0].to_pandas().equals(runs[1].to_pandas())
    assert made.source_hash != base.source_hash


def _plain(function):
    """The Python function behind a compiled one."""
    return getattr(function, "py_func", function)


def test_follows_that_use_their_draws_have_them_computed_ahead():
    base = engine.known_policies()
    functions = {
        (name, decision): _plain(base[name].functions[DECISIONS.index(decision)])
        for name in base
        for decision in ("lead", "follow")
    }
    random_follow = base["random"].functions[DECISIONS.index("follow")]

    def passes_on(view, params, draws):
        return random_follow(view, params, draws)

    def uses_draws(decision, function, on):
        return engine.make_policy("made", decision, function, base[on]).uses_draws

    assert uses_draws("follow", functions["random", "follow"], "basic")
    assert uses_draws("follow", passes_on, "basic")
    assert not uses_draws("follow", functions["basic", "follow"], "random")
    assert uses_draws("lead", functions["basic", "lead"], "random")
    assert not uses_draws("lead", functions["random", "lead"], "basic")


@pytest.mark.parametrize("policy", ["random", "basic", "counting"])
def test_draws_computed_ahead_are_those_computed_when_asked_for(policy):
    base = engine.known_policies()[policy]
    specs = games.parse_policies("gunzi", policy)
    rows = []
    for ahead in (True, False):
        table = {policy: replace(base, uses_draws=ahead)}
        rows.append(np.zeros(count(300, 60), games.get("gunzi").row_dtype()))
        n_units, _ = engine.play_range(Job("gunzi", RULES, specs, 4), table, 0, 1000, rows[-1])
        assert n_units > 0
    assert rows[0].tobytes() == rows[1].tobytes()


@pytest.mark.skipif(not IS_COMPILED, reason="plain functions have numbers")
def test_only_a_function_with_one_signature_has_an_address():
    two = njit(["int64(int64)", "float64(float64)"])(lambda x: x)
    with pytest.raises(ValueError, match="must have one signature, has 2"):
        address_of(two)


# --- batches and threads ---------------------------------------------------------------------------------------------


CELLS = list(itertools.product((3, 16, 2048), (1, 7), (1, 3)))


@pytest.mark.parametrize("mode", ["rounds", "hands"])
def test_rows_are_the_same_for_every_batch_size_and_number_of_threads(monkeypatch, mode):
    """Units a shard, units of a kernel call and threads: 12 cells."""
    n = count(20, 4)
    rows = []
    cells = CELLS if IS_COMPILED else CELLS[::5]
    for units_per_shard, step, threads in cells:
        monkeypatch.setitem(runner.UNITS_PER_SHARD, mode, units_per_shard)
        monkeypatch.setattr(runner, "FIRST_STEP", step)
        monkeypatch.setattr(runner, "BATCH_S", 0.02)
        policies = "random,basic:jokers=2,random,basic"
        run = gz.simulate(RULES, policies, seed=9, threads=threads, **{mode: n})
        rows.append(run.to_pandas())
    assert len(cells) >= 12 or not IS_COMPILED
    assert len(rows[0]) >= n
    for other in rows[1:]:
        assert other.equals(rows[0])


def test_a_unit_depends_on_nothing_but_its_number():
    """Each round alone, from the last to the first, in a buffer that holds just it."""
    found = games.get("gunzi")
    job = games.Job("gunzi", RULES, games.parse_policies("gunzi", "basic,random,random,basic"), 4)
    n = count(12, 3)
    rows = np.zeros(40 * n, found.row_dtype())
    n_units, n_rows = found.play_range(job, 0, n, rows)
    assert n_units == n
    together = rows[:n_rows]
    for unit in reversed(range(n)):
        own = together[together["round_id"] == unit]
        alone = np.zeros(len(own), found.row_dtype())
        assert found.play_range(job, unit, unit + 1, alone) == (1, len(own))
        assert alone.tolist() == own.tolist()
        assert found.play_range(job, unit, unit + 1, alone[:-1]) == (0, 0)  # a round that does not fit is left out


# --- given deals -----------------------------------------------------------------------------------------------------


def test_given_deals_are_those_that_are_played():
    """Under the deals of another seed single hands are that seed's hands, where policies draw nothing."""
    decks = gz.deals("gunzi", count(50, 3), seed=77)
    given = gz.simulate(RULES, policies="basic", deals=decks, seed=1, threads=1)
    own = gz.simulate(RULES, policies="basic", hands=len(decks), seed=77, threads=1)
    assert given.to_pandas().equals(own.to_pandas())


def _deck(bottom):
    """A deck with this bottom, whatever comes before."""
    kinds = [kind for kind in range(54) for _ in range(3)]
    for kind in bottom:
        kinds.remove(kind)
    cards, copies = [], [0] * 54
    for kind in kinds[::-1] + list(bottom):  # jokers first of all
        cards.append(copies[kind] * 54 + kind)
        copies[kind] += 1
    return cards


def test_g4_3_g5_7_a_void_deal_is_named():
    """Four jokers to flip in a first hand that nobody claims; the deal that has a suited card to flip is played."""
    good, void = _deck([SMALL, SMALL, SMALL, 7, BIG, BIG]), _deck([SMALL, SMALL, BIG, BIG, 7, 8])
    never = "basic:claim_trumps=40"
    for decks in ([good, void, good], [good, good, void]):
        with pytest.raises(gz.InputError, match=rf"deals\[{decks.index(void)}\] is void: .*G4.3"):
            gz.simulate(RULES, policies=never, deals=np.array(decks), first_hand=True, threads=1)
    assert len(gz.simulate(RULES, policies=never, deals=np.array([good, good]), first_hand=True).to_pandas()) == 2
    claimed = gz.simulate(gz.rules(first_claim="automatic"), policies=never, deals=np.array([void]), first_hand=True)
    assert claimed.to_pandas()["declared_as"].tolist() == [6]


# --- built-in policies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["standard", "classic", "qiqi", "dalian"])
@pytest.mark.parametrize("policies", ["random", "basic", "basic:jokers=6,random,basic:jokers=6,random"])
def test_built_in_policies_never_raise_nor_break_a_rule(preset, policies):
    rules = gz.rules(preset=preset)
    rounds = gz.simulate(rules, policies, rounds=count(200, 1), seed=3, threads=1)
    hands = gz.simulate(rules, policies, hands=count(2000, 2), seed=3, levels=(10, 7), owed=9, dealer=3, threads=1)
    assert rounds.to_pandas()["round_id"].nunique() == count(200, 1)
    assert len(hands.to_pandas()) == count(2000, 2)
