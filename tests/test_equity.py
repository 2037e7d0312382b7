"""
Match equity: the chain's algebra against exact fractions and its errors against repetition; counting by the rule book;
values against rounds played out.
"""

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from counts import IS_COMPILED, count
from scipy import sparse

import gunzi_sim as gz
from gunzi_sim import chain, equity_design, games, match_equity, race, storage
from gunzi_sim.race import State

compiled_only = pytest.mark.skipif(not IS_COMPILED, reason="tens of thousands of hands")


# ------------------------------------------------------------------------------------------------------------ the chain


def counts_of(same, other, won, lost):
    """Chain counts from lists."""
    matrices = (sparse.csr_array(np.array(matrix, np.int64)) for matrix in (same, other))
    return chain.Counts(*matrices, np.array(won, np.int64), np.array(lost, np.int64))


def random_counts(rng, n):
    """A chain of n states, each with a way to both ends."""
    same, other = rng.integers(0, 9, (2, n, n)) * rng.integers(0, 2, (2, n, n))
    return counts_of(same, other, rng.integers(1, 5, n), rng.integers(1, 5, n))


def exact(counts):
    """
    Win probability of the dealing side and hands to the end, in fractions.

    No signs here: the states of both sides are states of their own, (state, side that deals), and the unknowns are the
    probabilities that side 0 wins.
    """
    same, other = counts.same.toarray().tolist(), counts.other.toarray().tolist()
    n = len(same)
    won, steps = [], []
    for side in (0, 1):
        for s in range(n):
            total = sum(same[s]) + sum(other[s]) + int(counts.won[s]) + int(counts.lost[s])
            row = [Fraction(0)] * (2 * n)
            for t in range(n):
                row[side * n + t] -= Fraction(same[s][t], total)
                row[(1 - side) * n + t] -= Fraction(other[s][t], total)
            row[side * n + s] += 1
            end = int(counts.won[s]) if side == 0 else int(counts.lost[s])
            won.append([*row, Fraction(end, total)])
            steps.append([*row, Fraction(1)])
    return eliminated(won)[:n], eliminated(steps)[:n]


def eliminated(rows):
    """Solution of a linear system in fractions, each row its right side last."""
    rows = [list(row) for row in rows]
    for i in range(len(rows)):
        pivot = next(k for k in range(i, len(rows)) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(len(rows)):
            if k != i and rows[k][i] != 0:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i])]
    return [row[-1] for row in rows]


def test_a_chain_that_can_be_done_in_the_head():
    """The dealer wins 1 of 4 hands, loses 1, deals again after 1, and the other after 1: E = (1 + E + 1 - E) / 4."""
    solution = chain.solve(counts_of([[10]], [[10]], [10], [10]))
    assert solution.values[0] == pytest.approx(0.5, abs=1e-15)
    assert solution.steps[0] == pytest.approx(2, abs=1e-14)
    mover = chain.solve(counts_of([[0]], [[10]], [10], [0]))  # wins at once or hands over: E = (1 + 1 - E) / 2
    assert mover.values[0] == pytest.approx(2 / 3, abs=1e-15)


@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_of_exact_fractions(seed):
    counts = random_counts(np.random.default_rng(seed), 2 + seed % 4)
    values, steps = exact(counts)
    solution = chain.solve(counts)
    np.testing.assert_allclose(solution.values, np.array(values, float), rtol=0, atol=1e-13)
    np.testing.assert_allclose(solution.steps, np.array(steps, float), rtol=1e-12)


def repeated(seed, n_times, n_hands):
    """Solutions of a known chain from `n_times` samples of its rows, and its true values."""
    rng = np.random.default_rng(seed)
    true = random_counts(rng, 4)
    n = 4
    table = np.hstack([true.same.toarray(), true.other.toarray(), true.won[:, None], true.lost[:, None]])
    shares = table / table.sum(axis=1, keepdims=True)
    for _ in range(n_times):
        drawn = np.array([rng.multinomial(hands, row) for hands, row in zip(n_hands, shares)])
        yield chain.solve(counts_of(drawn[:, :n], drawn[:, n : 2 * n], drawn[:, -2], drawn[:, -1])), true


def test_errors_are_those_of_repetition():
    """Of many samples the mean square of (estimate - truth) / error is 1, within 4 of its own errors."""
    n_times = 350
    z, gaps = [], []
    for solution, true in repeated(0, n_times, (400, 3000, 150, 900)):
        truth = chain.solve(true).values
        z.append((solution.values - truth) / solution.standard_errors)
        weights = np.array([1.0, -1.0, 0.0, 0.0])
        gaps.append(((solution.values - truth) @ weights) / solution.variance(weights) ** 0.5)
    squares = np.mean(np.square(np.column_stack([z, gaps])), axis=0)
    assert (np.abs(squares - 1) < 4 * (2 / n_times) ** 0.5 + 0.02).all(), squares


def test_a_thin_row_is_not_trusted_with_its_own_variance():
    """Two hands that both won have no spread; they get ten hands of that of all (100 hands of 1/4, on 100 degrees)."""
    counts = counts_of([[0, 0], [0, 0]], [[0, 0], [0, 0]], [50, 2], [50, 0])
    assert chain.solve(counts).standard_errors[1] == pytest.approx((10 * 0.25 / 11 / 2) ** 0.5)
    many = counts_of([[0, 0], [0, 0]], [[0, 0], [0, 0]], [5000, 9000], [5000, 1000])
    assert chain.solve(many).standard_errors[1] == pytest.approx((0.09 / 10_000) ** 0.5, rel=0.002)


def test_what_has_no_solution_is_refused():
    with pytest.raises(gz.InputError, match="2 states that lead to no end"):
        chain.solve(counts_of([[0, 5, 0], [5, 0, 0], [0, 0, 1]], np.zeros((3, 3)), [0, 0, 1], [0, 0, 0]))
    with pytest.raises(gz.InputError, match="1 states without hands"):
        chain.solve(counts_of([[0, 0], [0, 0]], [[0, 0], [0, 0]], [1, 0], [1, 0]))
    with pytest.raises(gz.InputError, match="there are no hands"):
        chain.solve(counts_of(np.zeros((0, 0)), np.zeros((0, 0)), [], []))
    with pytest.raises(gz.InputError, match="nearly singular"):
        chain.solve(counts_of([[5, 0], [0, 10**12]], np.zeros((2, 2)), [5, 1], [0, 0]))


# ------------------------------------------------------------------------------------------------------------- counting


def hands(*rows):
    """A table of hands: first_hand, levels, dealer, owed; then raises, next dealer, tribute; round end, winner."""
    return {name: np.array(column) for name, column in zip(race.USED, zip(*rows))}


STAYS = (0, 5, 3, 1, 2, 0, 1, 3, 4, 0, 9)  # seat 1 deals for side 1, at 3: it rises to 4, seat 3 deals (G13)
TAKEN = (0, 5, 3, 1, 2, 2, 0, 2, 0, 0, 9)  # seat 1 deals, side 0 takes the deal and rises from 5 to 7
FIRST = (1, 3, 3, 2, 0, 1, 0, 0, 1, 0, 9)  # seat 2 came to deal the first hand, its side rose
PASSED = (0, 10, 9, 0, 0, 1, 0, 9, 0, 5, 0)  # side 0 deals at 10 and passes (G2.4)
BEATEN = (0, 10, 9, 0, 0, 0, 0, 9, 0, 2, 1)  # side 0 deals, the attackers make 300 points (G12.5)
CUT = (0, 10, 9, 0, 0, 0, 0, 9, 0, 6, 9)


def counted(period, *rows):
    """What a tally says of hands: state, outcome (or next state and whether the other side deals), number."""
    tally = race.Tally(period)
    for row in rows:
        tally.add(hands(row))
    found = {}
    for pair, n in zip(*(part.tolist() for part in tally.counted())):
        outcome = pair & (1 << race.OUTCOME_BITS) - 1
        then = ("lost", "won")[outcome] if outcome < 2 else (*race.state_of(outcome - 2 >> 1), bool(outcome - 2 & 1))
        found[(*race.state_of(pair >> race.OUTCOME_BITS), then)] = n
    return found


def test_hands_are_counted_in_view_of_their_dealers():
    assert counted(1, STAYS, TAKEN, TAKEN, FIRST, PASSED, BEATEN, CUT) == {
        (3, 5, 2, 0, False, (4, 5, 4, 0, False, False)): 1,
        (3, 5, 2, 0, False, (7, 3, 0, 0, False, True)): 2,
        (3, 3, 0, 0, True, (4, 3, 1, 0, False, False)): 1,
        (10, 9, 0, 0, False, "won"): 1,
        (10, 9, 0, 0, False, "lost"): 1,
    }


def test_unlike_policies_keep_dealers_apart():
    assert counted(2, STAYS, TAKEN) == {
        (3, 5, 2, 1, False, (4, 5, 4, 1, False, False)): 1,
        (3, 5, 2, 1, False, (7, 3, 0, 0, False, True)): 1,
    }
    assert counted(4, STAYS) == {(3, 5, 2, 1, False, (4, 5, 4, 3, False, False)): 1}


def test_the_period_is_that_of_the_policies():
    assert [race.period_of(text) for text in ("AAAA", "ABAB", "AABB", "ABBA", "AAAB", "ABCD")] == [1, 2, 4, 4, 4, 4]


# --------------------------------------------------------------------------------------------------------- of a run


def first_side_won(run):
    """Share of rounds that the side of the first dealer won, and that side 0 won."""
    frame = run.to_pandas(["round_id", "hand", "dealer", "round_winner"])
    side = frame["dealer"][frame["hand"] == 0].to_numpy() % 2
    winner = frame.groupby("round_id")["round_winner"].last().to_numpy()
    return (winner == side).mean(), (winner == 0).mean()


SHORT = gz.rules("gunzi", "standard", start_level=9)
ONE_LEVEL = gz.rules("gunzi", "standard", start_level=10)
N_ROUNDS = count(400, 8)


@pytest.fixture(scope="module")
def like():
    return gz.simulate(SHORT, "random", rounds=N_ROUNDS, seed=2, threads=1)


@pytest.fixture(scope="module")
def unlike():
    return gz.simulate(SHORT, "basic:jokers=2,random,random,random", rounds=count(400, 4), seed=3, threads=1)


def test_of_complete_rounds_a_start_is_worth_what_it_won(like, unlike):
    """What leads to a state is played from it, so nothing is lost on the way, and the shares are those observed."""
    equity = gz.equity(unlike)
    assert equity.period == 4
    assert equity.rows["n_hands"].sum() == unlike.n_rows
    (share, error), observed = equity.start(), first_side_won(unlike)[1]
    assert share == pytest.approx(observed, abs=1e-12)
    if IS_COMPILED:
        assert error == pytest.approx((observed * (1 - observed) / unlike.n_units) ** 0.5, rel=0.2)


def test_a_start_varies_with_who_comes_to_deal(unlike):
    """Where the dealers' side always wins at once, side 0 wins as often as it deals: a yes or no a round."""
    won = {dealer: (1, 3, 3, dealer, 0, 0, 0, 9, 0, 1, dealer % 2) for dealer in (0, 3)}
    tally = race.Tally(2)
    tally.add(hands(*[won[0]] * 40, *[won[3]] * 60))
    assert match_equity.made(tally, unlike.info).start() == pytest.approx((0.4, (0.4 * 0.6 / 100) ** 0.5))


def test_alike_seats_are_worth_the_same_at_a_start(like):
    """What they are told apart by is who deals; the mean length of rounds is that observed."""
    equity = gz.equity(like)
    assert equity.start() == (0.5, 0.0)
    assert equity.states()[-1] == State(9, 9, 0, 0, True)
    assert equity.rows["hands_left"][-1] == pytest.approx(like.n_rows / N_ROUNDS, rel=1e-12)


def test_from_a_stated_situation_too():
    policies, n = "basic,random,basic,random", count(300, 4)
    run = gz.simulate(SHORT, policies, rounds=n, seed=4, levels=(9, 10), dealer=1, owed=3, threads=1)
    equity = gz.equity(run)
    value = equity.value(State(level_dealers=10, level_others=9, owed=3, dealer=1)).probability
    assert value == pytest.approx(first_side_won(run)[0], abs=1e-12)
    with pytest.raises(gz.InputError, match="no first hand"):
        equity.start()


@pytest.mark.parametrize("form", ["arrow", "pandas", "rows"])
def test_hands_are_worth_their_state_on_average(like, form):
    """The mean worth after the hands of a state, in view of their dealers, is the state's value; at an end 1 or 0."""
    frame = like.to_pandas()
    equity = gz.equity(like)
    table = {"arrow": like.to_arrow(), "pandas": frame, "rows": frame.to_records(index=False)}[form]
    worth = gz.win_probability_of(table, equity)
    is_over = frame["round_end"] != 0
    assert (worth[is_over] == (frame["round_winner"][is_over] == 0)).all()
    side = frame["dealer"] % 2
    own = np.where(side == 0, worth, 1 - worth)
    levels = [frame[["level_0", "level_1"]].to_numpy()[range(len(frame)), one] for one in (side, 1 - side)]
    keys = [frame["first_hand"], levels[0], levels[1], frame["owed"]]
    for key, mean in pd.Series(own).groupby(keys).mean().items():
        first, level_dealers, level_others, owed = map(int, key)
        state = State(level_dealers, level_others, owed, 0, bool(first))
        assert mean == pytest.approx(equity.value(state).probability, abs=1e-12)


def test_what_no_hand_was_played_from_has_no_worth(like):
    equity = gz.equity(like)
    unknown = (0, 9, 9, 0, 0, 0, 0, 2, 777, 0, 9)
    assert np.isnan(gz.win_probability_of(hands(unknown, CUT), equity)).all()
    with pytest.raises(gz.InputError, match=r"no hand was played from \(9, 9, 777, 0, False\)"):
        equity.value((9, 9, 777))
    for state in ((2, 9), (9, 9, -1), (9.5, 9), (9, 9, 1 << 40), (99, 9)):
        with pytest.raises(gz.InputError, match="no hand was played from"):
            equity.value(state)


def spread(estimates):
    """Variance of estimates over the mean of their squared errors."""
    values, errors = np.array(estimates).T
    return np.var(values, ddof=1) / np.mean(errors**2)


@compiled_only
def test_errors_of_runs_are_those_of_repetition():
    """Hands of a round depend on each other by their states alone. 50 runs: the ratio varies by a fifth."""
    found = [gz.equity(gz.simulate(ONE_LEVEL, "basic", rounds=300, seed=seed)) for seed in range(50)]
    assert 0.5 < spread([equity.value((10, 10, 0)) for equity in found]) < 1.6
    assert 0.5 < spread([equity.value((10, 10, 0, 0, True)) for equity in found]) < 1.6
    assert 0.5 < spread([equity.difference((10, 10, 0), (10, 10, 1)) for equity in found]) < 1.6


# ----------------------------------------------------------------------------------------------- of hands played for it


@pytest.fixture(scope="module")
def equity():
    """Levels 8 to 10."""
    return gz.equity(gz.rules(start_level=8), "basic", hands=100_000, seed=1)


DIRECT = [State(8, 8, 0), State(10, 10, 0), State(10, 10, 5), State(8, 10, 0), State(9, 8, 3), State(8, 9, 6)]


@pytest.fixture(scope="module")
def played_out():
    """Rounds from each of these states and from the start, seat 1 dealing: share won by its side, number."""
    rules, n = gz.rules(start_level=8), 1200
    found = {State(8, 8, 0, 0, True): (first_side_won(gz.simulate(rules, "basic", rounds=n, seed=99))[0], n)}
    for number, state in enumerate(DIRECT):
        levels = (state.level_others, state.level_dealers)
        run = gz.simulate(rules, "basic", rounds=n, seed=100 + number, levels=levels, dealer=1, owed=state.owed)
        found[state] = first_side_won(run)[0], n
    return found


def z_scores(values, played_out):
    """Gaps between shares of rounds won and values, in errors of both."""
    return np.array(
        [
            (share - value.probability) / (share * (1 - share) / n + value.standard_error**2) ** 0.5
            for (share, n), value in zip(played_out.values(), values)
        ]
    )


def solved_from(pairs, counts, heeds_owed=True):
    """Values of the start and the states of `DIRECT`, from changed counts."""
    codes = np.unique(pairs >> race.OUTCOME_BITS)
    solution = chain.solve(race.chain_counts(codes, pairs, counts))
    asked = [(1, 0, 8, 8, 0)] + [(0, 0, state[0], state[1], state[2] * heeds_owed) for state in DIRECT]
    places = np.searchsorted(codes, [int(race.codes_of(*state)) for state in asked])
    return [match_equity.Value(solution.values[place], solution.standard_errors[place]) for place in places]


@compiled_only
def test_rounds_are_won_as_often_as_foretold(equity, played_out):
    z = z_scores([equity.value(state) for state in played_out], played_out)
    assert (np.abs(z) < 3.3).all(), z


@compiled_only
@pytest.mark.parametrize("fault", ["sides", "owed", "ends"])
def test_a_wrong_chain_would_be_seen(equity, played_out, fault):
    """The comparison above fails by far where the next deal's side, the tribute or the winner is mistaken."""
    assert solved_from(equity.pairs, equity.counts) == [equity.value(state) for state in played_out]
    pairs = equity.pairs.copy()
    is_next = pairs & (1 << race.OUTCOME_BITS) - 1 >= 2
    if fault == "sides":
        pairs[is_next] ^= 1
    elif fault == "ends":
        pairs[~is_next] ^= 1
    else:
        is_any = (1 << race.OWED_BITS) - 1
        pairs[is_next] -= (pairs - race.FIRST_NEXT >> 1 & is_any)[is_next] << 1
        pairs &= ~(is_any << race.OUTCOME_BITS)
    z = z_scores(solved_from(pairs, equity.counts, heeds_owed=fault != "owed"), played_out)
    assert np.abs(z).max() > 5, z


@compiled_only
def test_errors_of_played_hands_are_those_of_repetition():
    """Rows on deals of their own are independent. 50 tables: the ratio varies by a fifth."""
    found = [gz.equity(ONE_LEVEL, "basic", hands=1200, seed=seed) for seed in range(50, 100)]
    assert 0.5 < spread([equity.value((10, 10, 0)) for equity in found]) < 1.6
    assert 0.5 < spread([equity.value((10, 10, 0, 0, True)) for equity in found]) < 1.6
    assert 0.5 < spread([equity.difference((10, 10, 0), (10, 10, 1)) for equity in found]) < 1.6


@pytest.fixture
def few_hands(monkeypatch):
    monkeypatch.setattr(equity_design, "LEAST_HANDS", count(16, 2))


def test_no_two_states_share_a_deal(few_hands, monkeypatch):
    """Deals are decided by the hand's number, so every hand played has a number of its own, from 0 on."""
    numbers, situations = [], set()
    play_range = games.Game.play_range

    def watched(self, job, start, stop, rows):
        numbers.extend(range(start, stop))
        situations.add(job.situation)
        return play_range(self, job, start, stop, rows)

    monkeypatch.setattr(games.Game, "play_range", watched)
    equity = gz.equity(ONE_LEVEL, "random", hands=count(600, 10), threads=1)
    assert sorted(numbers) == list(range(len(numbers)))
    assert equity.about["n_hands"] == len(numbers)
    assert {situation.owed for situation in situations} == set(equity.rows["owed"].tolist())


@compiled_only
def test_threads_change_nothing(few_hands):
    one, two = (gz.equity(ONE_LEVEL, "random", hands=count(600, 10), seed=4, threads=n) for n in (1, 2))
    assert (one.rows == two.rows).all() and (one.counts == two.counts).all()


@compiled_only
def test_every_pair_of_levels_is_there_with_every_tribute_that_occurs():
    equity = gz.equity(SHORT, "random", hands=5000)
    states = {state for state in equity.states() if not state.first_hand}
    owed = {state.owed for state in states if (equity.rows["n_hands"] > 0).all()}
    assert {state[:2] for state in states} == {(9, 9), (9, 10), (10, 9), (10, 10)}
    assert {(own, other, n) for own in (9, 10) for other in (9, 10) for n in range(9)} <= {s[:3] for s in states}
    assert max(owed) > 9
    assert all(len(equity.grid(n)[1].ravel()) == 4 for n in owed)


@compiled_only
def test_g2_4_nobody_stands_at_the_last_level_where_reaching_it_wins():
    equity = gz.equity(gz.rules(start_level=9, round_won_by="reaching"), "random", hands=2000)
    assert {state[:2] for state in equity.states()} == {(9, 9)}


# ---------------------------------------------------------------------------------------------------- files and figures


def test_a_table_is_stored_and_read_back(like, tmp_path):
    equity = gz.equity(like)
    path = tmp_path / "equity.parquet"
    equity.to_parquet(path)
    again = gz.load_equity(path)
    assert (again.rows == equity.rows).all() and again.about == equity.about
    state, other = equity.states()[0], equity.states()[-1]
    assert again.difference(state, other) == equity.difference(state, other)
    frame = pd.read_parquet(path)
    assert frame["win_probability"].tolist() == equity.rows["win_probability"].tolist()
    assert set(frame) >= {"level_dealers", "level_others", "owed", "n_hands", "win_probability", "standard_error"}
    schema = pq.read_schema(path)
    assert schema.field("owed").metadata[b"unit"] == b"cards" and schema.field("win_probability").type == "double"
    about = json.loads(schema.metadata[b"gunzi_sim.about"])
    assert (about["policies"], about["seed"], about["rules"]["start_level"]) == (["random"] * 4, 2, 9)
    with pytest.raises(gz.InputError, match="exists; give a new name"):
        equity.to_parquet(path)


def test_other_and_damaged_files_are_refused(like, tmp_path):
    path = tmp_path / "equity.parquet"
    with pytest.raises(gz.InputError, match="does not exist"):
        gz.load_equity(path)
    gz.equity(like).to_parquet(path)
    good = bytearray(path.read_bytes())
    good[200] ^= 1
    path.write_bytes(good)
    with pytest.raises(storage.DamagedError):
        gz.load_equity(path)
    other = tmp_path / "other.parquet"
    pd.DataFrame({"a": [1]}).to_parquet(other)
    with pytest.raises(gz.InputError, match="holds no table of the kind gunzi-sim/equity"):
        gz.load_equity(other)
    other.write_text("levels: 3")
    with pytest.raises(gz.InputError, match="is no Parquet file"):
        gz.load_equity(other)
    with pytest.raises(gz.InputError, match="Is a directory"):
        gz.load_equity(tmp_path)


def test_a_heat_map_has_a_cell_for_every_state_and_hatches_the_thin(like, tmp_path):
    from matplotlib.figure import Figure

    equity = gz.equity(like)
    path = tmp_path / "map.svg"
    equity.plot(path)
    text = path.read_text(encoding="utf-8")
    assert "level of the dealers' side" in text and "level of the other side" in text
    axes = Figure().subplots()
    _, square = equity.grid(0)
    limit = float(np.nanmedian(square["standard_error"]))
    equity.plot(axes, thin=limit)
    there = square["n_hands"] > 0
    assert [one.get_text() for one in axes.texts] == [f"{100 * x:.0f}" for x in square["win_probability"][there]]
    assert len(axes.patches) == (square["standard_error"][there] > limit).sum() > 0
    for cell in axes.texts:
        others, dealers = cell.get_position()  # across and up
        assert cell.get_text() == f"{100 * equity.value((dealers, others)).probability:.0f}"
    for where, said in ((tmp_path / "map.odd", "a figure is a file that ends in"), (path, "exists")):
        with pytest.raises(gz.InputError, match=said):
            equity.plot(where)
    with pytest.raises(gz.InputError, match="no hand was played with 500 cards owed"):
        equity.plot(axes, owed=500)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"source": "standard"}, "rules must come from rules"),
        ({"source": SHORT, "hands": 0}, "hands must be an integer from 1"),
        ({"source": SHORT, "policies": "basc"}, "did you mean 'basic'"),
        ({"source": SHORT, "threads": 0}, "threads must be"),
    ],
)
def test_what_cannot_be_is_refused_by_name(arguments, said):
    with pytest.raises(gz.InputError, match=said):
        gz.equity(**arguments)


def test_a_run_has_its_own_hands(like):
    with pytest.raises(gz.InputError, match="a run has its own hands; leave out seed"):
        gz.equity(like, seed=1)
    single = gz.simulate(SHORT, "random", hands=2, threads=1)
    with pytest.raises(gz.InputError, match="a run of single hands"):
        gz.equity(single)
