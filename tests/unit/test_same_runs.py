"""The A/A study: its counts on runs whose truth is planted, and its judgement."""

from __future__ import annotations

import functools
import importlib.util
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from planted_runs import change_records
from synthetic import Scenario, make_run

from groma.results import load_run


@pytest.fixture(scope="module")
def study() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "same_runs.py"
    spec = importlib.util.spec_from_file_location("same_runs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["same_runs"] = module
    spec.loader.exec_module(module)
    return module


def made(run_sd: float, rho: float, seed: int, runs: int = 20) -> list[NDArray[np.float64]]:
    """Return runs of twelve launches, alike by `rho` where they follow each other."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(runs):
        launch = random.normal(0, 0.02, 12)
        for at in range(1, 12):
            launch[at] = rho * launch[at - 1] + math.sqrt(1 - rho**2) * launch[at]
        found.append(launch + random.normal(0, run_sd))
    return found


@pytest.mark.one_case
@pytest.mark.parametrize(("run_sd", "rho"), [(0.0, 0.0), (0.02, 0.3), (0.03, 0.6)])
def test_what_is_claimed_holds_where_runs_differ(study: ModuleType, run_sd: float, rho: float) -> None:
    counted = study.together_of([study.count(made(run_sd, rho, seed)) for seed in range(5)])
    assert counted.same_run.of == 300
    assert counted.next_run.of == 85
    assert study.judge(counted) == []
    if run_sd:
        assert counted.median_of_all.value < 0.8, "the interval over launches does not hold for other runs"
        assert counted.apart.value > 0.15


def test_a_claim_that_does_not_hold_is_said(study: ModuleType) -> None:
    growing = [logs + 0.002 * 2.0**place for place, logs in enumerate(made(0.0, 0.0, 1, runs=12))]
    said = study.judge(study.count(growing))
    assert any(sentence.startswith("what is said of the next run holds in") for sentence in said)


def test_the_page_has_a_row_for_each_point_and_one_for_all(study: ModuleType) -> None:
    name = study.name_of('[2, null, {"operation": "bcast", "bytes": 65536}]')
    assert name == "bcast 65536 B"
    counts = study.count(made(0.02, 0.3, 1, runs=6))
    row = study.row_of(name, counts, ("2 CPUs", "MPICH 5", 6, 12, 0, 216.0, 319.0, 60, 72))
    assert row.counts == counts
    said = study.page([row])
    assert [line[0] for line in said.rows] == [name, "**all points**"]
    assert said.rows[0][1:] == said.rows[1][1:]
    assert "in 216 to 319 ns, 60 of 72" in said.text("aa", [])


@pytest.mark.parametrize(
    ("times", "of", "reached"), [(68, 68, True), (63, 68, True), (1000, 1000, False), (52, 100, False)]
)
def test_a_share_speaks_against_a_claim_only_by_enough_cases(
    study: ModuleType, times: int, of: int, *, reached: bool
) -> None:
    assert study.Share(times, of).reaches(0.90, 0.99) == reached


def _begin_far(left: Iterator[int], record: dict[str, Any]) -> None:
    """Let CPUs be far at the start of as many launches as are left."""
    if record["kind"] == "start" and next(left, None) is not None:
        record["limits"]["line_bounce_ns"] *= 4


def test_runs_count_by_their_launches_in_one_state(study: ModuleType, tmp_path: Path) -> None:
    scenario = Scenario(operations=("bcast",), sizes=(8,), launches=12, samples=20)
    runs = []
    for number, far in enumerate((0, 6, 7)):
        path = make_run(tmp_path / str(number), scenario)
        change_records(path, functools.partial(_begin_far, iter(range(far))))
        runs.append(load_run(path))
    (logs,) = study.in_one_state(runs, study.usual_state(runs)).values()
    assert [one.size for one in logs] == [12, 6]
