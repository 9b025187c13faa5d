"""Statistics of all points at once are those of each point by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from edited_records import write_records
from synthetic import Scenario, make_run

from groma.analysis import PointSummary, summarise
from groma.analysis.otherruns import other_runs_of
from groma.analysis.pointtable import PointTable, by_launches
from groma.results import load_run

SMALL = Scenario(samples=12, sizes=(8, 64), operations=("pingpong", "allreduce", "barrier"))


def without(run: Path, launch: int, operation: str) -> None:
    """Take the records of an operation out of a launch."""
    file = run / f"launches/{launch:03}/points.jsonl"
    lines = [line for line in file.read_text().splitlines() if f'"operation": "{operation}"' not in line]
    assert len(lines) < len(file.read_text().splitlines())
    file.write_text("".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("launches", [1, 2, 4, 5, 6, 11])
@pytest.mark.parametrize("samples", [3, 12])
def test_all_at_once_is_one_by_one(tmp_path: Path, launches: int, samples: int) -> None:
    path = make_run(tmp_path / "run", replace(SMALL, launches=launches, samples=samples))
    if launches > 1:
        without(path, 2, "allreduce")
    run = load_run(path)
    together = summarise(run)
    alone = [PointSummary(PointTable([point.rows], point.reporting), 0) for point in together]
    for one, other in zip(together, alone, strict=True):
        for name in ("time_ns", "interval", "interval_kind", "sample_ns", "limit"):
            assert getattr(one, name) == getattr(other, name), name
        for name in ("spread_within", "spread_across"):
            assert one.value(name) == other.value(name), name
    history = other_runs_of(run)
    assert history.spreads(together) == [history.spread(point) for point in alone]


def test_a_launch_without_a_spread_does_not_count(tmp_path: Path) -> None:
    points = summarise(load_run(make_run(tmp_path / "run", replace(SMALL, launches=6))))
    table = points[0].rows.table
    table.column("spread")[points[1].rows.places[2]] = np.nan
    known = points[1].rows["spread"]
    assert points[1].value("spread_within") == float(np.median(known[~np.isnan(known)]))
    assert points[0].value("spread_within") == float(np.median(points[0].rows["spread"]))


def test_points_are_grouped_by_their_launches(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", replace(SMALL, launches=3))
    without(path, 1, "barrier")
    points = summarise(load_run(path))
    for chosen, places in by_launches([point.rows for point in points]):
        assert {points[at].operation == "barrier" for at in chosen.tolist()} == {places.shape[1] == 2}
        assert [points[at].rows.places.tolist() for at in chosen.tolist()] == places.tolist()


def test_the_fields_of_a_point_are_those_of_its_first_record(tmp_path: Path) -> None:
    path = make_run(tmp_path / "run", replace(SMALL, launches=2))
    first = path / "launches/001/points.jsonl"
    records = [json.loads(line) for line in first.read_text().splitlines()]
    for record in records:
        if record["kind"] == "point":
            record["point"]["slot_s"] = 0.5  # no part of what is measured
    write_records(first, records)
    for point in summarise(load_run(path)):
        assert len(point.rows) == 2
        assert point.point == point.records[0][1].point
        assert point.point["slot_s"] == 0.5
