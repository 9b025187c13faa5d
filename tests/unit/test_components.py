"""Spread by level: planted variances come back, and what is said of another run holds as often as it claims."""

from __future__ import annotations

import datetime as dt
import json
import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from planted_runs import change_document, set_for_launches
from synthetic import Scenario, make_run

from groma.analysis import summarise
from groma.analysis.components import (
    Components,
    components,
    components_of_rounds,
    next_run,
    run_deviation,
    sample_variance,
)
from groma.analysis.order import Interval, median_interval
from groma.analysis.otherruns import other_runs_of
from groma.report.page import render
from groma.report.spread import coverage, coverage_of
from groma.results import load_run
from groma.tables import summary

RANDOM = np.random.default_rng(2013)


def runs(
    count: int, run_sd: float, launch_sd: float, rho: float = 0.0, launches: int = 10
) -> list[NDArray[np.float64]]:
    """Return logarithms of launch figures: a shift for each run, and AR(1) launches within it."""
    made = []
    for _ in range(count):
        series = [float(RANDOM.normal(0, launch_sd))]
        for _ in range(launches - 1):
            series.append(rho * series[-1] + math.sqrt(1 - rho**2) * float(RANDOM.normal(0, launch_sd)))
        made.append(np.array(series) + RANDOM.normal(0, run_sd))
    return made


def test_planted_components_come_back() -> None:
    seen = runs(400, run_sd=0.05, launch_sd=0.03, launches=20)
    found = [components(seen[0], [0.01**2] * 20, seen[1:])]
    assert found[0].runs == pytest.approx(0.05, rel=0.1)
    assert found[0].samples == pytest.approx(0.01)
    launches = [components(logs, [0.01**2]).launches or 0.0 for logs in seen]
    rms = math.sqrt(float(np.mean(np.square(launches))))
    assert rms == pytest.approx(math.sqrt(0.03**2 - 0.01**2), rel=0.15), "quartiles of 20 launches"


def test_runs_that_differ_by_their_launches_alone_show_no_part_of_runs() -> None:
    found = [run_deviation(runs(20, run_sd=0.0, launch_sd=0.03)) or 0.0 for _ in range(50)]
    assert float(np.median(found)) < 0.006
    assert run_deviation(runs(2, 0.1, 0.03)) is None, "two runs tell nothing of runs"


@pytest.mark.parametrize("rho", [0.0, 0.7])
@pytest.mark.parametrize("earlier", [3, 8])
def test_another_run_lies_where_it_is_said_to(rho: float, earlier: int) -> None:
    held = own = 0
    for _ in range(400):
        *before, after = runs(earlier + 1, run_sd=0.04, launch_sd=0.03, rho=rho)
        interval, within = next_run(before), median_interval(before[0])
        assert interval is not None
        assert within is not None
        held += float(np.median(after)) in interval
        own += 0.0 in within
    assert 0.92 <= held / 400 <= 0.98  # 95 % claimed; the binomial's 99.7 %
    assert own / 400 < 0.7, "the interval over launches does not cover other runs, and must not be said to"


def test_the_largest_level_is_that_of_the_figure_as_it_was_measured() -> None:
    found = Components(samples=0.02, launches=0.01, runs=0.004, launches_each=4)
    assert found.largest == "samples", "0.02 / 2 beside 0.01 / 2 and 0.004"
    assert replace(found, runs=0.05).largest == "runs"
    assert replace(found, launches=0.03).largest == "launches"


def test_an_interval_stands_for_a_variance() -> None:
    assert sample_variance(Interval(100 * math.exp(-0.0196), 100 * math.exp(0.0196)), 100) == pytest.approx(
        1e-4, rel=1e-3
    )
    assert sample_variance(None, 100) is None


def test_runs_beside_a_run_tell_what_another_would_give(tmp_path: Path) -> None:
    scenario = Scenario(operations=("bcast",), sizes=(8, 64), samples=20)
    run = load_run(make_run(tmp_path / "runs" / "a", scenario))
    alone = other_runs_of(run)
    assert alone.names == ()
    (said,) = coverage(summarise(run), alone).sentences
    assert "1 run of this plan cannot show by how much" in said
    for name, seed in (("b", 8), ("c", 9)):
        make_run(tmp_path / "runs" / name, replace(scenario, seed=seed))
    make_run(tmp_path / "runs" / "other", replace(scenario, sizes=(8, 128)))
    make_run(tmp_path / "runs" / "going", replace(scenario, state="running"))
    (tmp_path / "runs" / "torn").mkdir()
    (tmp_path / "runs" / "torn" / "run.json").write_text('{"schema"')
    known = other_runs_of(run)
    assert known.names == ("b", "c")
    covered = coverage(summarise(run), known)
    (said,) = covered.sentences
    assert "3 runs of this plan differ by" in said
    assert {len(row) for row in covered.table().rows} == {len(covered.table().headings)}
    shutil.rmtree(tmp_path / "runs" / "c")
    assert other_runs_of(run).names == ("b",)


def test_runs_with_other_settings_of_mpi_are_no_history(tmp_path: Path) -> None:
    scenario = Scenario(operations=("bcast",), sizes=(8,), samples=20)
    environments = {
        "a": {"UCX_TLS": "tcp", "SLURM_JOB_ID": "1"},
        "b": {"UCX_TLS": "tcp", "SLURM_JOB_ID": "2", "GROMA_ENGINE": "/elsewhere"},
        "c": {"UCX_TLS": "shm"},
        "d": {},
    }
    for name, variables in environments.items():
        set_for_launches(make_run(tmp_path / name, scenario), **variables)
    assert other_runs_of(load_run(tmp_path / "a")).names == ("b",)
    assert other_runs_of(load_run(tmp_path / "d")).names == ()


LIBRARY = {"name": "Open MPI", "version": "4.1.4"}


def test_runs_with_other_arguments_of_the_launcher_are_no_history(tmp_path: Path) -> None:
    scenario = Scenario(operations=("bcast",), sizes=(8,), samples=20)
    launchers = {
        "a": "/usr/bin/mpiexec --mca btl tcp,self",
        "b": "/opt/mpiexec --mca  btl 'tcp,self'",
        "c": "/usr/bin/mpiexec",
        "d": "mpiexec 'never closed",
    }
    for name, launcher in launchers.items():
        change_document(make_run(tmp_path / name, scenario), library=LIBRARY | {"launcher": launcher})
    assert other_runs_of(load_run(tmp_path / "a")).names == ("b",)
    assert other_runs_of(load_run(tmp_path / "c")).names == ()


def rounds_of(count: int, launches: int, run_sd: float = 0.05, launch_sd: float = 0.03) -> list[NDArray[np.float64]]:
    return runs(count, run_sd, launch_sd, launches=launches)


def test_the_analysis_of_variance_of_unequal_rounds_worked_out_by_hand() -> None:
    rounds = [np.array([0.0, 2.0, 4.0]), np.array([6.0]), np.array([7.0, 9.0])]
    # means 2, 6, 8; grand mean 28/6; between (3 (8/3)^2 + (4/3)^2 + 2 (10/3)^2) / 2 = 68/3; within (8 + 2) / 3;
    # launches each (6 - 14/6) / 2 = 11/6
    found = components_of_rounds(rounds, [1.0])
    assert found.launches == pytest.approx(math.sqrt(10 / 3 - 1))
    assert found.runs == pytest.approx(math.sqrt((68 / 3 - 10 / 3) / (11 / 6)))
    assert (found.samples, found.launches_each, found.rounds) == (1.0, 6, 3)


def test_planted_components_of_rounds_come_back() -> None:
    found = components_of_rounds(rounds_of(3000, 3), [0.01**2])
    assert found.runs == pytest.approx(0.05, rel=0.05)
    assert found.launches == pytest.approx(math.sqrt(0.03**2 - 0.01**2), rel=0.05)
    single = components_of_rounds(rounds_of(6000, 1), [])
    assert single.launches is None, "one launch a round cannot separate launches from rounds"
    assert single.runs == pytest.approx(math.hypot(0.05, 0.03), rel=0.05), "so the part of rounds has both"
    assert replace(single, rounds=4).largest == "runs"
    parts = Components(samples=0.0, launches=0.02, runs=0.03, launches_each=4, rounds=16)
    assert parts.largest == "launches", "0.02 / 2 beside 0.03 / 4"


@pytest.mark.one_case
@pytest.mark.parametrize("later", [1, 10], ids=["a round", "a run of ten launches"])
@pytest.mark.parametrize("count", [6, 12])
def test_rounds_foretell_another_round_and_another_run(count: int, later: int) -> None:
    held = 0
    for _ in range(500):
        interval = next_run(rounds_of(count, 1))
        assert interval is not None
        held += float(np.median(rounds_of(1, later)[0])) in interval
    # 95 % of rounds, whose figures are of single launches; a run of ten launches scatters less, so more of it is held.
    assert (0.92 if later == 1 else 0.94) <= held / 500 <= (0.98 if later == 1 else 1.0)


def test_fewer_than_six_launches_in_all_foretell_nothing() -> None:
    assert next_run(rounds_of(5, 1)) is None
    assert next_run(rounds_of(3, 2)) is not None


def apart(path: Path, every_s: float, in_round: int = 1) -> Path:
    """Let a made run be one that repeats at an interval, with this many launches a round."""
    document = json.loads((path / "run.json").read_text())
    begin = dt.datetime.fromisoformat(document["created"])
    (path / "run.json").write_text(json.dumps(document | {"every_s": every_s}))
    for account in path.glob("launches/*/launch.json"):
        launch = json.loads(account.read_text())
        round_, place = divmod(launch["number"] - 1, in_round)
        started = begin + dt.timedelta(seconds=round_ * every_s + 5 * place)
        # Whole seconds, cut off, as launch.json has them.
        account.write_text(json.dumps(launch | {"started": started.isoformat(timespec="seconds")}))
    return path


def test_rounds_of_one_run_take_the_place_of_runs(tmp_path: Path) -> None:
    scenario = Scenario(operations=("bcast", "stream"), sizes=(8, 64), samples=20, launches=9, launch_effect=0.05)
    path = apart(make_run(tmp_path / "a", scenario), 1800)
    run = load_run(path)
    (said,) = coverage_of(run, summarise(run), other_runs_of(run)).sentences
    assert "9 rounds, 30 min apart" in said
    assert "Most uncertainty comes from rounds (4 of 4 points)." in said
    table = summary(path, everything=True).to_dicts()
    for row, one in zip(table, summarise(run), strict=True):
        logs = np.log(one.launch_times_ns)
        assert row["spread_launches"] is None
        assert row["spread_runs"] == pytest.approx(math.sqrt(logs.var(ddof=1) - row["spread_samples"] ** 2))
        interval = one.sampling_interval  # another run has the same clock: its part of the uncertainty does not count
        assert interval is not None
        another = other_runs_of(run).spread(one).next_run
        assert another is not None
        assert another.low < interval.low < interval.high < another.high
        assert row["next_run_low"] < row["figure"] < row["next_run_high"]
    page = render(run)
    assert "9 rounds, 30 min apart" in page
    assert page.count("<summary>Spread by level</summary>") == 1

    grouped = load_run(apart(make_run(tmp_path / "other" / "b", scenario), 600, in_round=3))
    assert other_runs_of(grouped).rounds == {number: (number - 1) // 3 for number in range(1, 10)}
    spread = other_runs_of(grouped).spread(summarise(grouped)[0])
    assert (spread.components.rounds, spread.components.launches is None) == (3, False)


@pytest.mark.parametrize("every_s", [1.5, 90.5, 1800.0])
def test_every_launch_is_of_the_round_that_it_started_in(tmp_path: Path, every_s: float) -> None:
    path = apart(make_run(tmp_path / "a", Scenario(operations=("bcast",), sizes=(8,), samples=20)), every_s)
    assert other_runs_of(load_run(path)).rounds == {number: number - 1 for number in range(1, 11)}


def test_a_run_alone_has_the_columns_without_values(tmp_path: Path) -> None:
    table = summary(make_run(tmp_path / "a", Scenario(operations=("bcast",), sizes=(8,), samples=20)), everything=True)
    assert table["spread_launches"].null_count() == table["spread_samples"].null_count() == 0
    for name in ("spread_runs", "next_run_low", "next_run_high"):
        assert table[name].null_count() == table.height
        assert table[name].dtype == table["figure"].dtype
