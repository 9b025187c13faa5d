"""Starts that ranks miss: the next sound method takes their place and says so, and a point without a figure is lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from beds import Library
from engine.launches import Launch, launch_plan
from engine.preloaded import build

pytestmark = pytest.mark.mpi

POINT: dict[str, Any] = {"operation": "allreduce", "bytes": 64}


def measure(library: Library, folder: Path, points: list[dict[str, Any]], late: str = "1") -> Launch:
    """Measure with rank 1 late for every announced start."""
    return launch_plan(
        library,
        2,
        folder,
        [POINT | {"stop": "ci", "slot_s": 0.05, "min_repetitions": 5} | point for point in points],
        preload=build(library, "apart", folder),
        variables={"GROMA_LATE_RANK": late},
    )


def test_starts_that_are_always_missed_give_way_to_barriers(embedded: Library, tmp_path: Path) -> None:
    launch = measure(embedded, tmp_path, [{"sync": "roundtime"}, {"sync": "auto"}])
    assert launch.result.exit_code == 0, launch.report()
    for record in launch.of_kind("point"):
        assert len(record["samples_ns"]) >= 5
        assert (record["point"]["sync"], record["lead_ns"], record["window_ns"]) == ("barrier", None, None)
        assert record["replaced"]["sync"]["asked"] == "roundtime"
        assert "missed their starts under sync=roundtime" in record["replaced"]["sync"]["because"]


def test_windows_give_way_to_announced_starts_where_these_can_be_kept(embedded: Library, tmp_path: Path) -> None:
    launch = measure(embedded, tmp_path, [{"sync": "window"}], late="none")
    (record,) = launch.of_kind("point")
    assert record["samples_ns"], launch.report()
    assert record["replaced"].get("sync", {"asked": "window"})["asked"] == "window"
    assert (record["point"]["sync"] == "window") == (record["replaced"] == {})


def test_windows_grow_with_calls_that_become_slower(embedded: Library, tmp_path: Path) -> None:
    asked = POINT | {"sync": "window", "stop": "reps", "repetitions": 60, "warmups": 2}
    launch = launch_plan(
        embedded,
        2,
        tmp_path,
        [asked],
        preload=build(embedded, "phases", tmp_path),
        variables={"GROMA_PLANTS": f"{POINT['bytes']}:after:40:3000"},
    )
    assert launch.result.exit_code == 0, launch.report()
    (record,) = launch.of_kind("point")
    assert (record["point"]["sync"], record["replaced"]) == ("window", {})
    # Each late call makes the next one later: the last ones came a hundred milliseconds late.
    assert 3_000_000 < record["window_ns"] < 30_000_000
    assert len(record["samples_ns"]) == 60
    assert min(record["samples_ns"]) > 3_000_000, "figures of calls before and after are not mixed"


@pytest.mark.parametrize("reason", [{"arrival": "linear", "arrival_delay_us": 1.0}, {"force": True}])
def test_a_point_that_may_have_no_other_method_is_lost_with_its_cause(
    embedded: Library, tmp_path: Path, reason: dict[str, Any]
) -> None:
    launch = measure(embedded, tmp_path, [{"sync": "roundtime"} | reason, {"sync": "barrier"}])
    assert launch.result.exit_code == 1, launch.report()
    (failure,) = launch.of_kind("failure")
    assert (failure["index"], failure["reason"]) == (0, "no_samples")
    assert "allreduce, 64 B, 2 ranks: no figure, because" in failure["message"]
    assert "use " in failure["message"]
    assert [record["index"] for record in launch.of_kind("point")] == [1]
    (end,) = launch.of_kind("end")
    assert (end["points"], end["failures"]) == (1, 1)


@pytest.mark.slow
def test_cold_caches_lose_no_point(embedded: Library, tmp_path: Path) -> None:
    cold = [
        {"operation": operation, "cache": cache, "sync": sync, "bytes": size}
        for operation, size in (("bcast", 8), ("allreduce", 65536))
        for cache in ("sweep", "rotate")
        for sync in ("roundtime", "window")
    ]
    launch = measure(embedded, tmp_path, cold, late="none")
    assert launch.result.exit_code == 0, launch.report()
    records = launch.of_kind("point")
    assert len(records) == len(cold)
    for record, asked in zip(records, cold, strict=True):
        assert record["samples_ns"]
        assert record["replaced"].get("sync", {"asked": record["point"]["sync"]})["asked"] == asked["sync"]
