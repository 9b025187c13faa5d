"""Ranks that are split off load the network while the others are measured; they begin, stop and fail together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import Launch, launch_plan
from engine.preloaded import build

pytestmark = pytest.mark.mpi

LOADS = ("alltoall", "incast", "bcast", "bisection")
FAULT_BYTES = 1016  # no traffic of the engine's own has this length
ALLREDUCE: dict[str, Any] = {"operation": "allreduce", "datatype": "int64", "timing": "call", "sync": "barrier"}


def records(launch: Launch) -> list[dict[str, Any]]:
    assert launch.result.exit_code == 0, launch.report()
    return launch.of_kind("point")


@pytest.mark.one_case
@pytest.mark.parametrize("order", ["interleaved", "shuffled"])
@pytest.mark.parametrize("ranks", [4, 5])
def test_half_of_the_ranks_load_and_the_others_are_measured(
    library: beds.Library, tmp_path: Path, ranks: int, order: str
) -> None:
    points = [ALLREDUCE | {"load": load, "load_bytes": 1000, "bytes": 64} for load in ("silent", *LOADS)]
    points.append({"operation": "sendrecv", "pattern": "random=1", "load": "incast", "stop": "ci", "slot_s": 0.02})
    found = records(launch_plan(library, ranks, tmp_path, points, order=order))
    assert len(found) == len(points)
    for record in found:
        loading = record["load"]["ranks"]
        assert sorted([*loading, *record["members"]]) == list(range(ranks))
        assert (len(loading), loading) == (2, found[0]["load"]["ranks"])
        sent, is_silent = record["load"]["bytes"], record["point"]["load"] == "silent"
        assert (sent == 0) == is_silent == (record["load"]["seconds"] == 0)
        if not is_silent and "load_bytes" in record["point"] and record["point"]["operation"] == "allreduce":
            messages = {"alltoall": 2, "incast": 4, "bcast": 1, "bisection": 8}[record["point"]["load"]]
            assert sent % (messages * 1000) == 0


def test_the_last_of_an_odd_number_sleeps_beside_pairs(library: beds.Library, tmp_path: Path) -> None:
    point = ALLREDUCE | {"load": "bisection", "load_ranks": "block", "load_share": 0.6}
    (record,) = records(launch_plan(library, 5, tmp_path, [point]))
    assert (record["members"], record["load"]["ranks"]) == ([0, 1], [2, 3, 4])
    assert record["load"]["bytes"] > 0


def test_each_seed_draws_its_own_ranks(embedded: beds.Library, tmp_path: Path) -> None:
    drawn = set()
    for seed in range(6):
        launch = launch_plan(embedded, 4, tmp_path, [ALLREDUCE | {"load": "silent"}], settings={"seed": seed})
        (record,) = launch.of_kind("point")[-1:]
        drawn.add(tuple(record["load"]["ranks"]))
        (tmp_path / "points.jsonl").unlink()
    assert len(drawn) > 1


@pytest.mark.parametrize(
    ("ranks", "point", "saying"),
    [
        (3, {"load": "alltoall"}, "needs at least 4 ranks, 2 that load and 2 that are measured, and has 3"),
        (5, {"load": "silent", "load_share": 0.9}, "load_share=0.9 of allreduce with 5 ranks leaves 4 that load and 1"),
        (4, {"load": "incast", "operation": "pingpong", "pattern": "slowest"}, "pattern=slowest of pingpong with load"),
        (4, {"load": "incast", "load_bytes": 1 << 40}, "GiB of memory (most for allreduce, 8 B, 2 ranks, load=incast)"),
    ],
)
def test_what_cannot_be_split_is_refused(
    embedded: beds.Library, tmp_path: Path, ranks: int, point: dict[str, Any], saying: str
) -> None:
    launch = launch_plan(embedded, ranks, tmp_path, [ALLREDUCE | point])
    assert launch.result.exit_code == 2, launch.report()
    assert saying in launch.result.errors


def test_too_few_ranks_leave_an_optional_point_out(embedded: beds.Library, tmp_path: Path) -> None:
    points = [{"operation": "barrier"}, ALLREDUCE | {"load": "alltoall", "optional": True}]
    launch = launch_plan(embedded, 3, tmp_path, points)
    assert [record["index"] for record in records(launch)] == [0]
    assert [record["index"] for record in launch.of_kind("left_out")] == [1]


def faulty(library: beds.Library, folder: Path, planted: tuple[str, str, int], point: dict[str, Any]) -> Launch:
    """Measure a point with the last ranks loading, and then a barrier; a fault is planted into a call of one rank."""
    fault, call, rank = planted
    given = {"FAULT": fault, "FAULT_CALL": call, "FAULT_RANK": rank, "FAULT_BYTES": FAULT_BYTES, "FAULT_OFFSET": 0}
    points = [ALLREDUCE | {"load_ranks": "block", "limit_s": 2} | point, {"operation": "barrier"}]
    variables = {f"GROMA_{name}": str(value) for name, value in given.items()}
    return launch_plan(library, 4, folder, points, preload=build(library, "fault", folder), variables=variables)


def test_wrong_data_of_a_victim_stop_the_load(library: beds.Library, tmp_path: Path) -> None:
    launch = faulty(library, tmp_path, ("corrupt", "MPI_Allreduce", 1), {"load": "alltoall", "bytes": FAULT_BYTES})
    assert launch.result.exit_code == 1, launch.report()
    (failure,) = launch.of_kind("failure")
    assert (failure["index"], failure["reason"], failure["ranks"]) == (0, "wrong_data", [1])
    assert [record["index"] for record in launch.of_kind("point")] == [1]


@pytest.mark.parametrize(
    ("planted", "point", "named"),
    [
        (("hang", "MPI_Allreduce", 1), {"load": "alltoall", "bytes": FAULT_BYTES}, "did not arrive: rank 1"),
        (("hang", "MPI_Bcast", 3), {"load": "bcast", "load_bytes": FAULT_BYTES}, "waiting for the load"),
    ],
    ids=["victim", "load"],
)
def test_a_rank_that_hangs_ends_the_launch(
    embedded: beds.Library, tmp_path: Path, planted: tuple[str, str, int], point: dict[str, Any], named: str
) -> None:
    launch = faulty(embedded, tmp_path, planted, point)
    assert launch.result.exit_code in (3, 9), launch.report()
    assert named in launch.result.errors
    assert [failure["reason"] for failure in launch.of_kind("failure")] == ["timeout"]
