"""Levels within a launch are a doubt if the interval over launches does not hold them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from doubted_points import EVEN_CALLS, SMALL, STEADY, changed, checks_of, operation_of, visited
from edited_records import write_records
from synthetic import make_run

from groma.analysis import Check, series, summarise
from groma.analysis.order import Interval
from groma.analysis.steadiness import unsteady_levels
from groma.report.tables import columns
from groma.results import load_run


def in_phases(folder: Path, levels: tuple[float, float], change: dict[str, Any], *, launches: int = 8) -> Path:
    """Make a run whose allreduce of 8 bytes takes 400, 420, 440 ... ns, between two levels in each launch.

    The interval of eight launches is from 418.7 to 521.3 ns.
    """
    path = make_run(folder / "run", replace(SMALL, launches=launches))
    segments = [{"from": 0, "median_ns": levels[0]}, {"from": 50, "median_ns": levels[1]}]
    for number, file in enumerate(sorted(path.glob("launches/*/points.jsonl"))):
        records = [json.loads(line) for line in file.read_text().splitlines()]
        for record in records:
            if record["kind"] == "point":
                own = {"samples_ns": [400 + 20 * number] * 100, "segments": segments} | change
                record.update(STEADY | (own if operation_of(record) == ("allreduce", 8) else {}))
        write_records(file, records)
    return path


def test_levels_that_the_interval_over_launches_holds_are_no_doubt(tmp_path: Path) -> None:
    path = in_phases(tmp_path, (413.0, 528.0), {"state": "slowdown", "verified": False})
    assert checks_of(path)["steady state"] == Check(
        "steady state", "good", "1 point changed level within the interval over launches; 3 of 4 points kept one level."
    )
    curve = next(curve for curve in series(summarise(load_run(path))) if curve.operation.name == "allreduce")
    assert not any(cell.endswith("\N{DOUBLE DAGGER}") for cell in columns(curve)["time"])


def test_a_point_whose_launches_have_no_steady_state_is_never_a_tick(tmp_path: Path) -> None:
    path = in_phases(tmp_path, (413.0, 528.0), {"state": "unsteady", "verified": False})
    check = checks_of(path)["steady state"]
    assert check.state == "unknown"
    assert "allreduce 8 B had no steady state (widest: allreduce 8 B, 80% of samples in " in check.text
    curve = next(curve for curve in series(summarise(load_run(path))) if curve.operation.name == "allreduce")
    assert [cell.endswith("\N{DOUBLE DAGGER}") for cell in columns(curve)["time"]] == [True, False]


def test_phases_faster_than_segments_show_are_levels(tmp_path: Path) -> None:
    """A segment has one median; samples of it go from 380 to 600 ns and back all the time."""
    fast = {"samples_ns": [380, 600] * 50, "segments": [{"from": 0, "median_ns": 490.0}], "state": "unsteady"}
    path = in_phases(tmp_path, (0, 0), fast)
    assert checks_of(path)["steady state"].state == "warn"
    point = {(one.operation, one.bytes): one for one in summarise(load_run(path))}["allreduce", 8]
    assert unsteady_levels(point) == Interval(380.0, 600.0)


@pytest.mark.parametrize(("slow", "state"), [(600, "warn"), (420, "good")])
def test_phases_are_seen_where_one_level_takes_two_thirds_and_the_engine_saw_one(
    tmp_path: Path, slow: int, state: str
) -> None:
    """The median of such a series is certain: it is the longer level, and the shorter one is in no interval."""
    phases = {"samples_ns": ([400] * 12 + [slow] * 24) * 20, "segments": [{"from": 0, "median_ns": float(slow)}]}
    check = checks_of(in_phases(tmp_path, (0, 0), phases | {"state": "steady"}))["steady state"]
    assert check.state == state
    assert ("allreduce 8 B had no steady state" in check.text) == (state == "warn")


@pytest.mark.parametrize(
    ("levels", "change", "launches"),
    [
        ((411.0, 500.0), {"state": "slowdown"}, 8),  # faster than 418.7 ns by more than levels that are one
        ((420.0, 530.0), {"state": "slowdown"}, 8),  # slower than 521.3 ns
        ((420.0, 500.0), {"state": "slowdown", "segments": []}, 8),  # of older engines: levels are not known
        ((420.0, 460.0), {"state": "unsteady"}, 5),  # too few launches for an interval
        (
            (420.0, 500.0),
            {"calls": EVEN_CALLS | {"state": "slowdown"}},
            8,
        ),
        ((420.0, 500.0), {"verified": False}, 8),
    ],
)
def test_other_levels_and_those_that_are_not_known_are_a_doubt(
    tmp_path: Path, levels: tuple[float, float], change: dict[str, Any], launches: int
) -> None:
    check = checks_of(in_phases(tmp_path, levels, change, launches=launches))["steady state"]
    assert check.state == "warn"
    assert check.text.startswith("allreduce 8 B ")


@pytest.mark.parametrize(("ratio", "state"), [(0.8, "unknown"), (1.1, "good"), (1.2, "unknown"), (1.4, "warn")])
def test_second_visits_that_the_interval_holds_in_most_launches_are_no_doubt(
    tmp_path: Path, ratio: float, state: str
) -> None:
    path = visited(in_phases(tmp_path, (420.0, 500.0), {}), changed_in=8, ratio=ratio)
    assert checks_of(path)["steady state"].state == state


def test_the_range_of_levels_leaves_out_interruptions(tmp_path: Path) -> None:
    levels = [(0, 9000.0), (25, 480.0), (100, 520.0), (118, 20.0)]
    change = {
        "discarded_ns": [9000] * 25,
        "samples_ns": [500] * 100,
        "segments": [{"from": first, "median_ns": median} for first, median in levels],
    }
    path = changed(tmp_path, change)
    points = {(one.operation, one.bytes): one for one in summarise(load_run(path))}
    rows = points["allreduce", 8].rows
    # 25 of 125 samples are at 9000 ns: more than a tenth. The 7 at 20 ns are fewer.
    assert rows["level_least_ns"].tolist() == [480.0] * 4
    assert rows["level_most_ns"].tolist() == [9000.0] * 4
    assert np.isnan(points["pingpong", 8].rows["level_least_ns"]).all()
