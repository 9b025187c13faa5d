"""What the engine says of the machine without MPI, and which traffic it counts."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest
from engine.launches import launch_plan

pytestmark = pytest.mark.mpi


WAYS = ("one_copy", "half_each", "two_copies")


def test_every_size_is_handed_over_by_the_ranks_that_are_compared(library: beds.Library, tmp_path: Path) -> None:
    """The engine compares what was received with what was sent, line by line, and ends a launch where that differs."""
    sizes = (1, 8, 100, 4096, 65536, 1_000_003)
    points = [{"operation": "pingpong", "bytes": size} for size in sizes]
    launch = launch_plan(library, 2, tmp_path, [*points, {"operation": "barrier"}])
    assert launch.result.exit_code == 0, launch.report()
    start = launch.of_kind("start")[0]
    rows = start["limits"]["handoff"]
    if start["limits"]["bounce_ranks"] == []:
        pytest.skip("the two ranks share one CPU here")
    assert [(row["ranks"], row["bytes"]) for row in rows] == [([0, 1], size) for size in sizes]
    for row in rows:
        assert 0 < row["stream_ns"] <= row["ns"] <= min(row[name] for name in WAYS if name in row)
    for figure in ("ns", "stream_ns"):
        times = [row[figure] for row in rows]
        assert times == sorted(times), "a larger message contains a smaller one"
    assert start["limits"]["tcp"] == {"rows": [], "notes": []}


def test_noise_is_observed_before_the_first_and_after_the_last_point(library: beds.Library, tmp_path: Path) -> None:
    launch = launch_plan(library, 2, tmp_path, [{"operation": "barrier"}])
    assert launch.result.exit_code == 0, launch.report()
    for kind in ("start", "end"):
        noise = launch.of_kind(kind)[0]["noise"]
        assert [one["rank"] for one in noise] == [0, 1]
        assert all(one["observed_ns"] >= 10_000_000 and 0 <= one["lost_share"] <= 1 for one in noise)


def test_what_a_rank_sends_to_itself_is_no_traffic(library: beds.Library, tmp_path: Path) -> None:
    """Three ranks in two dimensions are a grid of 3 x 1: only the four messages along the first one travel."""
    points = [{"operation": "halo/all_at_once", "dimensions": dimensions, "bytes": 64} for dimensions in (1, 2, 3)]
    launch = launch_plan(library, 3, tmp_path, points)
    assert launch.result.exit_code == 0, launch.report()
    counted = [(record["messages"], record["bytes_moved"]) for record in launch.of_kind("point")]
    assert counted == [(4, 256)] * 3


def test_sizes_and_bus_factors_are_those_of_nccls_tests(library: beds.Library, tmp_path: Path) -> None:
    wanted = {
        "allreduce": (64, 1.5),
        "reduce_scatter": (256, 0.75),
        "allgather": (256, 0.75),
        "alltoall": (256, 0.75),
        "bcast": (64, 1.0),
        "reduce": (64, 1.0),
        "scan": (None, None),
        "barrier": (None, None),
    }
    points = [{"operation": name} | ({} if name == "barrier" else {"bytes": 64}) for name in wanted]
    launch = launch_plan(library, 4, tmp_path, points)
    assert launch.result.exit_code == 0, launch.report()
    found = [(record["algorithm_bytes"], record["bus_factor"]) for record in launch.of_kind("point")]
    assert found == list(wanted.values())
