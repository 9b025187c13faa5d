"""Times of ranks that are too many for a record are in a file beside the records, and the record says where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import beds
import numpy as np
import pytest
from engine.launches import launch_plan
from numpy.typing import NDArray

pytestmark = pytest.mark.mpi

# Two ranks have 70,000 times of a bcast, and 80,000 of another; a record lists 65,536. More ranks than CPUs would take
# turns for each of them.
MANY: dict[str, Any] = {"operation": "bcast", "bytes": 8, "per_rank": True, "check": False, "timing": "call"}
POINTS = [
    {**MANY, "repetitions": 35_000, "reduce": "max"},
    {**MANY, "repetitions": 9},
    {**MANY, "repetitions": 40_000, "reduce": "root", "pattern": "list=1,0", "root_rank": 0},
]


def times_of(folder: Path, record: dict[str, Any]) -> NDArray[np.int64]:
    """Return the times that the record says are in the file, a row for each rank."""
    at = record["ranks_at"]
    words = np.fromfile(folder / "points.jsonl.ranks", "<i8", at["ranks"] * at["samples"], offset=at["offset"])
    return words.reshape(at["ranks"], at["samples"])


def test_many_times_of_ranks_are_beside_the_records(library: beds.Library, tmp_path: Path) -> None:
    launch = launch_plan(library, 2, tmp_path, POINTS)
    assert launch.result.exit_code == 0, launch.report()
    slowest, few, root = launch.of_kind("point")
    assert (slowest["ranks_ns"], root["ranks_ns"]) == (None, None)
    assert "ranks_at" not in few
    assert np.array(few["ranks_ns"]).shape == (2, 9)
    times = times_of(tmp_path, slowest)
    assert times.shape == (2, 35_000)
    assert times.max(axis=0).tolist() == slowest["samples_ns"]
    times = times_of(tmp_path, root)
    assert times.shape == (2, 40_000)
    # The members are 1 and 0, in this order: the root is the first of them.
    assert root["members"] == [1, 0]
    assert times[0].tolist() == root["samples_ns"]
    assert (tmp_path / "points.jsonl.ranks").stat().st_size == 8 * (2 * 35_000 + 2 * 40_000)


@pytest.mark.slow
def test_a_file_that_cannot_be_written_ends_every_rank(library: beds.Library, tmp_path: Path) -> None:
    (tmp_path / "points.jsonl.ranks").mkdir()
    launch = launch_plan(library, 2, tmp_path, [POINTS[1], POINTS[0]])
    assert launch.result.exit_code == 1, launch.report()
    assert "can't write" in launch.result.errors
    assert "points.jsonl.ranks" in launch.result.errors
    assert [record["index"] for record in launch.of_kind("point")] == [0]
