"""Spread by level: planted variances come back, and what is said of another run holds as often as it claims."""

from __future__ import annotations

import math
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from synthetic import Scenario, make_run

from groma.analysis import summarise
from groma.analysis.components import Components, components, next_run, run_deviation, sample_variance
from groma.analysis.history import history_of
from groma.analysis.order import Interval, median_interval
from groma.report.spread import HEADINGS, coverage_sentences, spread_rows
from groma.results import load_run

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
    alone = history_of(run)
    assert alone.names == ()
    (said,) = coverage_sentences(summarise(run), alone)
    assert "1 run of this plan cannot tell" in said
    for name, seed in (("b", 8), ("c", 9)):
        make_run(tmp_path / "runs" / name, replace(scenario, seed=seed))
    make_run(tmp_path / "runs" / "other", replace(scenario, sizes=(8, 128)))
    make_run(tmp_path / "runs" / "going", replace(scenario, state="running"))
    (tmp_path / "runs" / "torn").mkdir()
    (tmp_path / "runs" / "torn" / "run.json").write_text('{"schema"')
    known = history_of(run)
    assert known.names == ("b", "c")
    (said,) = coverage_sentences(summarise(run), known)
    assert "3 runs of this plan differ by" in said
    rows = spread_rows(summarise(run), known)
    assert {len(row) for row in rows} == {len(HEADINGS)}
    shutil.rmtree(tmp_path / "runs" / "c")
    assert history_of(run).names == ("b",)
