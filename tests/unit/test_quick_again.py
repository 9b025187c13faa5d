"""The study of repeated quick runs: which printed intervals hold in which other runs."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_runs import change_document, change_records, made

from benchmarks.quick_again import Again, bootstrap, compare, seen, states_of


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Again]:
    """Five runs, of which the last has an allreduce 1.5 times as long: what each printed beside those before it."""
    folder = tmp_path_factory.mktemp("again")
    found = []
    for at in range(5):
        run = made(folder / f"quick-{at}", at, slower={"allreduce": 1.5} if at == 4 else {})
        change_document(run, created=f"2026-01-02T03:0{at}:05+00:00", name="quick")
        found.append(seen(run))
    return found


def test_intervals_are_those_that_a_run_printed(runs: list[Again]) -> None:
    known = [run.printed[0].runs for run in runs]
    assert known == [0, 0, 3, 4, 5]
    assert "kept as the first" in runs[0].answer
    assert runs[4].answer.startswith("Worse than its last 4 runs here: Allreduce")


def test_all_ordered_pairs_are_counted(runs: list[Again]) -> None:
    found = {one.title: one for one in compare(runs)}
    assert np.isnan(found["Latency"].outside.diagonal()).all()
    assert int((~np.isnan(found["Latency"].outside)).sum()) == 20
    assert found["Allreduce"].outside[:3, 4].tolist() == [1, 1, 1]
    assert np.nanmean(found["Latency"].outside) < 0.2
    assert found["Allreduce"].spread > 0.4 > found["Latency"].spread
    low, high = bootstrap([*found.values()])
    assert low <= float(np.nanmean([one.outside for one in found.values()])) <= high


def test_runs_in_another_state_of_the_machine_are_not_compared(tmp_path: Path) -> None:
    found = []
    for at in range(3):
        run = made(tmp_path / f"quick-{at}", at)
        change_records(run, functools.partial(_place, line_ns=150.0 if at == 2 else 63.0))
        found.append(seen(run))
    assert states_of(found) == [0, 0, 1]
    assert all(int((~np.isnan(one.outside)).sum()) == 2 for one in compare(found))


def _place(record: dict[str, Any], line_ns: float) -> None:
    if record["kind"] == "start":
        record["limits"]["line_bounce_ns"] = line_ns
