import json
import tracemalloc
from fractions import Fraction
from functools import partial

import fake_game
import numpy as np
import pyarrow as pa
import pytest
from naive import moments as naive

from gunzi_sim import results, run_files, runner, stats, storage
from gunzi_sim.game import InputError
from gunzi_sim.gunzi.records import COLUMNS, SUMMARY
from gunzi_sim.storage import DamagedError

N_ROUNDS = 60


@pytest.fixture
def fake(monkeypatch):
    """A fake game in the place of the engine, and shards of 25 units."""
    monkeypatch.setattr(runner, "UNITS_PER_SHARD", {"rounds": 25, "hands": 25})
    return fake_game.install(monkeypatch)


def played(n_units=N_ROUNDS, mode="rounds", out=None):
    run = runner.run(fake_game.job(mode=mode), n_units, out)
    return results.Run(run.info, None, run.tables) if out is None else results.open_run(out)


def rows_of(n_units=N_ROUNDS, mode="rounds"):
    return fake_game.expected(7, n_units, mode)


def holds(row, where):
    return all(int(row[name]) in values for name, values in where)


def naive_figure(statistic, rows, is_rounds):
    """Estimate, half width (None without one) and units of a figure, from rows one by one."""
    tops = [
        sum(int(row[term.column]) if term.column else 1 for term in statistic.terms if holds(row, term.where))
        for row in rows
    ]
    bottoms = [int(holds(row, statistic.among)) for row in rows]
    units = [int(row["round_id"]) for row in rows]
    tops, bottoms = naive.totals_by_unit(tops, units), naive.totals_by_unit(bottoms, units)
    if statistic.is_rate and (statistic.once_a_round or not is_rounds):
        return stats.wilson(sum(tops), sum(bottoms))
    ratio, square_error = naive.ratio_and_square_error(tops, bottoms)
    half_width = stats.t_quantile(0.95, len(tops) - 1) * float(square_error) ** 0.5
    lo, hi = float(ratio) - half_width, float(ratio) + half_width
    if statistic.is_rate:
        lo, hi = max(lo, 0.0), min(hi, 1.0)
    return stats.Estimate(float(ratio), lo, hi, len(tops))


# ---------------------------------------------------------------------------------------------------------- the table


@pytest.mark.parametrize("on_disk", [False, True])
def test_the_table_is_every_row_in_order(fake, tmp_path, on_disk):
    run = played(out=tmp_path / "run" if on_disk else None)
    table = run.to_arrow()
    assert fake_game.sha256(table) == fake_game.sha256(storage.table_of(rows_of(), COLUMNS))
    assert table.schema.field("dig").metadata == {b"unit": b"flag", b"doc": COLUMNS[_place("dig")].doc.encode()}
    assert (run.n_rows, run.n_units, run.n_units_done, run.is_complete) == (len(rows_of()), N_ROUNDS, N_ROUNDS, True)
    assert (run.mode, run.seed, run.policies, run.rules) == ("rounds", 7, ("random",) * 4, fake_game.job().rules)
    assert run.columns == COLUMNS


def _place(name):
    return [column.name for column in COLUMNS].index(name)


def test_pandas_has_the_small_integer_types(fake):
    frame = played().to_pandas()
    assert {name: str(dtype) for name, dtype in frame.dtypes.items()} == {name: dtype for name, dtype, _, _ in COLUMNS}
    assert (frame["attacker_points"].to_numpy() == rows_of()["attacker_points"]).all()


@pytest.mark.parametrize("on_disk", [False, True])
def test_some_columns_in_the_order_asked(fake, tmp_path, on_disk):
    run = played(out=tmp_path / "run" if on_disk else None)
    frame = run.to_pandas(columns=["trump", "round_id"])
    assert list(frame) == ["trump", "round_id"]
    assert (frame["trump"].to_numpy() == rows_of()["trump"]).all()
    assert run.to_arrow(["dig"]).column_names == ["dig"]


@pytest.mark.parametrize("columns", [["trumpp"], ["dig", "trumpp"]])
def test_an_unknown_column_is_named_with_its_nearest(fake, columns):
    run = played(3)
    with pytest.raises(InputError, match="unknown column 'trumpp'; did you mean 'trump'"):
        run.to_pandas(columns=columns)
    with pytest.raises(InputError, match="columns must be a sequence of names, got 'dig'"):
        run.to_arrow("dig")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_text_export(fake, form):
    text = "".join(played(30).texts(form, ["round_id", "trace_hash"]))
    lines = text.splitlines()
    if form == "csv":
        assert lines.pop(0) == "round_id,trace_hash"
        found = [tuple(int(word) for word in line.split(",")) for line in lines]
    else:
        found = [tuple(json.loads(line).values()) for line in lines]
    rows = rows_of(30)
    assert found == list(zip(rows["round_id"].tolist(), rows["trace_hash"].tolist()))


def test_an_unfinished_run_gives_what_is_there(fake, tmp_path):
    run = played(out=tmp_path / "run")
    run_files.shard_path(tmp_path / "run", 25, 50).unlink()
    half = results.open_run(tmp_path / "run")
    assert (half.n_units, half.n_units_done, half.is_complete) == (60, 35, False)
    expected = np.concatenate([rows_of(25), rows_of()[rows_of()["round_id"] >= 50]])
    assert fake_game.sha256(half.to_arrow()) == fake_game.sha256(storage.table_of(expected, COLUMNS))
    assert half.summary().n_starts == 35
    assert "60 rounds, 35 of them played" in repr(half)
    whole = half.resume(threads=1)
    assert whole.is_complete and whole.to_arrow().equals(run.to_arrow())


def test_a_run_that_has_just_begun_has_an_empty_table(fake, tmp_path):
    with run_files.locked(tmp_path / "run") as run_dir:
        run_files.create(run_dir, runner.describe(fake_game.job(), 60))
    run = results.open_run(tmp_path / "run")
    assert run.to_arrow().num_rows == 0 and run.to_arrow().column_names == [column.name for column in COLUMNS]
    assert str(run.to_pandas(["dig"])["dig"].dtype) == "int8"
    summary = run.summary()
    assert (summary.n_starts, summary.n_rows) == (0, 0)
    assert {row[4:8] for row in summary.rows} == {(None, None, None, 0)}
    assert run.summary(by="dealer").rows == ()


def test_a_damaged_shard_is_named(fake, tmp_path):
    run = played(out=tmp_path / "run")
    assert run.check_files() == run.n_rows
    path = run_files.shard_path(tmp_path / "run", 25, 50)
    bad = bytearray(path.read_bytes())
    bad[len(bad) // 3] ^= 1
    path.write_bytes(bad)
    for use in (run.check_files, run.to_arrow):
        with pytest.raises(DamagedError, match=path.name):
            use()


def test_a_path_without_run_is_refused(tmp_path):
    with pytest.raises(InputError, match="is no run"):
        results.open_run(tmp_path)


# ------------------------------------------------------------------------------------------------------------ summary


@pytest.mark.parametrize("mode", ["rounds", "hands"])
def test_figures_are_those_of_the_naive_count(fake, mode):
    summary = played(mode=mode).summary()
    rows, is_rounds = rows_of(mode=mode), mode == "rounds"
    found = {row.name: row for row in summary.rows}
    wanted = [one for one in SUMMARY if is_rounds or not one.once_a_round]
    assert list(found) == ["hands_per_round"] * is_rounds + [one.name for one in wanted]
    for statistic in wanted:
        figure = naive_figure(statistic, rows, is_rounds)
        row = found[statistic.name]
        assert (row.estimate, row.lo, row.hi) == pytest.approx(figure[:3]), statistic.name
        assert (row.n, row.n_rows, row.unit, row.doc) == (figure.n, len(rows), statistic.unit, statistic.doc)
    assert (summary.start, summary.n_starts, summary.n_rows) == (mode[:-1], N_ROUNDS, len(rows))


def test_hands_per_round_is_the_mean_of_the_rounds(fake):
    figure = played().summary().rows[0]
    sizes = np.unique(rows_of()["round_id"], return_counts=True)[1].tolist()
    mean, square_error = naive.mean_and_square_error(sizes)
    assert Fraction(figure.estimate).limit_denominator(1000) == mean
    assert figure.hi - figure.estimate == pytest.approx(stats.t_quantile(0.95, 59) * float(square_error) ** 0.5)


@pytest.mark.parametrize("by", ["dealer", "dealer,dry_pot", ["round_end", "trump"]])
@pytest.mark.parametrize("mode", ["rounds", "hands"])
def test_groups_are_clustered_by_round_too(fake, mode, by):
    summary = played(mode=mode).summary(by=by)
    names = by.split(",") if isinstance(by, str) else by
    assert summary.by == tuple(names)
    rows, is_rounds = rows_of(mode=mode), mode == "rounds"
    statistics = {one.name: one for one in SUMMARY}
    groups = list(dict.fromkeys(row.group for row in summary.rows))
    assert groups == sorted({tuple(int(row[name]) for name in names) for row in rows})
    for row in summary.rows:
        mask = np.logical_and.reduce([rows[name] == value for name, value in zip(names, row.group)])
        statistic = statistics[row.name]  # hands_per_round is left out
        assert row.n_rows == mask.sum()
        if sum(holds(one, statistic.among) for one in rows[mask]) == 0:
            assert row[4:7] == (None, None, None)
        elif len(set(rows[mask]["round_id"])) > 1:
            figure = naive_figure(statistic, rows[mask], is_rounds)
            assert row.estimate == pytest.approx(figure.estimate)
            assert row.n == figure.n
            if row.lo is not None:
                assert (row.lo, row.hi) == pytest.approx(figure[1:3])


def test_a_summary_does_not_depend_on_the_shards(fake, monkeypatch):
    texts = set()
    for size in (1, 7, 60):
        monkeypatch.setattr(runner, "UNITS_PER_SHARD", {"rounds": size})
        texts.add(json.dumps(played().summary(by="dealer").to_dict()))
    assert len(texts) == 1


def test_by_takes_names_in_every_form(fake):
    run = played(10)
    assert run.summary(by="dealer, trump,dealer").rows == run.summary(by=["dealer", "trump"]).rows
    assert run.summary(by="").rows == run.summary(by=()).rows == run.summary().rows


def test_by_an_unknown_column_names_the_nearest(fake):
    with pytest.raises(InputError, match="unknown column 'dealerr'; did you mean 'dealer'"):
        played(3).summary(by="trump,dealerr")


def test_too_many_groups_are_refused(fake, monkeypatch):
    monkeypatch.setattr(results, "MAX_GROUPS", 59)
    with pytest.raises(InputError, match="by round_id: more than 59 groups"):
        played().summary(by="round_id")
    monkeypatch.setattr(results, "MAX_GROUPS", 60)
    assert len({row.group for row in played().summary(by="round_id").rows}) == 60


@pytest.mark.parametrize("confidence", [0.0, 1.0, 2, True, "0.9", float("nan")])
def test_confidence_is_checked(fake, confidence):
    with pytest.raises(InputError, match="confidence must lie between 0 and 1"):
        played(3).summary(confidence=confidence)


def test_one_round_has_figures_without_intervals(fake):
    for row in played(1).summary().rows:
        assert row.estimate is not None and (row.lo, row.hi, row.n) == (None, None, 1)


def test_rates_stay_within_0_and_1(fake):
    for row in played(4).summary(by="trump").rows:
        if "share" in row.unit and row.lo is not None:
            assert 0 <= row.lo <= row.estimate <= row.hi <= 1


def test_a_rate_says_whose_it_is(fake):
    for statistic in SUMMARY:
        assert not statistic.is_rate or statistic.unit.startswith("share of ")
        assert "win" not in statistic.name or "side" in statistic.name


def test_summary_as_json_pandas_and_text(fake):
    summary = played().summary(by="dealer")
    plain = json.loads(json.dumps(summary.to_dict()))
    assert plain["by"] == ["dealer"] and plain["start"] == "round" and plain["confidence"] == 0.95
    keys = ["dealer", "name", "unit", "doc", "estimate", "lo", "hi", "n", "n_rows"]
    assert [list(row) for row in plain["rows"]] == [keys] * len(summary.rows)
    frame = summary.to_pandas()
    assert list(frame) == keys and len(frame) == len(summary.rows)
    assert [str(frame[name].dtype) for name in ("dealer", "estimate", "lo", "hi", "n")] == [
        "int64",
        "float64",
        "float64",
        "float64",
        "int64",
    ]
    lines = str(summary).splitlines()
    assert len(lines) == 2 + len(summary.rows)
    assert "n counts rounds" in lines[0] and "95% interval" in lines[1]
    assert str(played(1).summary()).count("–") == len(played(1).summary().rows)


# -------------------------------------------------------------------------------------------------------------- memory


def peak(action):
    """Most bytes that Python and NumPy, and then Arrow, held for `action`."""
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    action()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert pa.total_allocated_bytes() <= before + 100_000
    return most


def test_memory_does_not_grow_with_the_run(fake, monkeypatch, tmp_path):
    monkeypatch.setattr(runner, "UNITS_PER_SHARD", {"hands": 200})
    playing, reading = {}, {}
    for size in (400, 4000, 401, 4001):  # the first two for what stays: caches, imports
        out = tmp_path / str(size)
        playing[size] = peak(partial(runner.run, fake_game.job(mode="hands"), size, out, threads=1))
        reading[size] = peak(partial(results.open_run(out).summary, by="dealer"))
    names = 18 * 4000  # what 18 more shards may add: their paths and receipts
    assert playing[4001] < 1.1 * playing[401] + names
    assert reading[4001] < 1.1 * reading[401] + names
    assert names < 3600 * fake_game.DTYPE.itemsize / 2, "holding the rows would be seen"
