"""After how many calls a persistent request pays, and that a run with all three forms says so."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from planted_runs import change_points
from synthetic import Scenario, make_run

from groma.analysis import summarise
from groma.report.persistent import pays_after, persistent_table
from groma.results import load_run
from groma.text.numbers import DASH

LAUNCHES = 8
STILL = Scenario(launch_effect=0, jitter=0, drift=0, outliers=0, samples=40)


@pytest.mark.parametrize(
    ("saved_ns", "says"),
    [
        ([100.0] * LAUNCHES, "10 calls"),
        ([100.0, 101, 102, 200, 198, 199, 100, 200], f"5 {DASH} 10 calls"),
        ([3000.0] * LAUNCHES, "1 call"),
        ([-1.0] * LAUNCHES, "saves nothing"),
        ([0.0] * LAUNCHES, "saves nothing"),
        ([-5.0, 5, -5, 5, -5, 5, -5, 5], "not decided"),
        ([100.0] * 5, "not decided"),
    ],
)
def test_a_request_pays_when_what_calls_save_exceeds_it(saved_ns: list[float], says: str) -> None:
    assert pays_after(1000, saved_ns) == says


FORMS = {"allreduce": "allreduce", "bcast": "allreduce_init", "alltoall": "fresh/allreduce_init"}


def as_forms(record: dict[str, Any]) -> None:
    """Let a broadcast, which takes 240 ns + size / 10, be the persistent form of a reduction of 420 ns + size / 5."""
    name = record["point"]["operation"] = FORMS[record["point"]["operation"]]
    if name.startswith("fresh/"):
        times = {"init": 3000, "start": 100, "wait": 200, "free": 800}
        record["phases_ns"] = {phase: [time] * len(record["samples_ns"]) for phase, time in times.items()}


def test_a_request_of_unknown_time_has_no_number_of_calls() -> None:
    assert pays_after(math.nan, [100.0] * LAUNCHES) == "not decided"


def test_a_run_with_the_three_forms_says_what_a_request_costs(tmp_path: Path) -> None:
    scenario = replace(STILL, operations=tuple(FORMS), sizes=(0, 10000), launches=LAUNCHES)
    run = make_run(tmp_path / "run", scenario)
    change_points(run, as_forms)
    summaries = summarise(load_run(run))
    table = persistent_table(summaries)
    assert table is not None
    # A clock may read the same before and after: no time is a time.
    change_points(run, lambda record: record.get("phases_ns") and record["phases_ns"].update(free=[0] * 40))
    free = persistent_table(summarise(load_run(run)))
    assert free is not None
    assert [row[-1] for row in free.rows] == ["17 calls", "3 calls"]
    rows = [tuple(cell.strip() for cell in row) for row in table.rows]
    assert rows == [
        ("allreduce, 2 ranks", "0 B", "3.800", "0.4200", "0.2400", "22 calls"),
        ("allreduce, 2 ranks", "9.766 KiB", "3.800", "2.420", "1.240", "4 calls"),
    ]
    assert persistent_table(point for point in summaries if point.operation != "allreduce") is None
