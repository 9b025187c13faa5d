"""A point with `optional` that a launch has not the ranks or nodes for is left out with a reason; others are not."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest
from engine.launches import launch_plan

pytestmark = pytest.mark.mpi


@pytest.mark.parametrize("order", ["sequential", "interleaved"])
def test_what_one_node_has_not_is_left_out_and_the_rest_measured(
    embedded: beds.Library, tmp_path: Path, order: str
) -> None:
    points = [
        {"operation": "pingpong", "pattern": "internode", "optional": True},
        {"operation": "pingpong", "pattern": "intranode", "optional": True},
        {"operation": "bcast", "ranks_per_node": 64, "optional": True},
        {"operation": "targets", "targets": 4, "optional": True},
        {"operation": "bcast", "ranks_per_node": 2},
        {"operation": "bcast", "ranks_per_node": 2, "communicator": "half", "optional": True},
        {"operation": "barrier", "ranks_per_node": 2, "communicator": "world", "optional": True},
        {"operation": "targets", "ranks_per_node": 1, "pattern": "intranode", "optional": True},
        {"operation": "targets", "ranks_per_node": 2, "targets": 2, "optional": True},
    ]
    launch = launch_plan(embedded, 4, tmp_path, points, order=order)
    assert launch.result.exit_code == 0, launch.report()
    assert [record["index"] for record in launch.of_kind("point")] == [1, 4]
    assert [record["members"] for record in launch.of_kind("point")] == [[0, 1], [0, 1]]
    left_out = {record["index"]: record["message"] for record in launch.of_kind("left_out")}
    assert sorted(left_out) == [0, 2, 3, 5, 6, 7, 8]
    for index, word in {0: "on at least 2 nodes, and all are on one", 2: "64", 3: "targets=4"}.items():
        assert word in left_out[index]
    assert left_out[5].endswith("with ranks_per_node=2 only 2 of the 4 launched ranks take part, and it needs 4")
    assert "with ranks_per_node=2 only 2 of the 4 do; launch fewer ranks on every node" in left_out[6]
    assert left_out[7].endswith("has 1 with ranks_per_node=1; use more")
    assert "more ranks than the 2 there are with ranks_per_node=2" in left_out[8]
    (end,) = launch.of_kind("end")
    assert (end["points"], end["failures"]) == (2, 0)


def test_a_point_that_must_be_had_stops_the_launch(embedded: beds.Library, tmp_path: Path) -> None:
    points = [{"operation": "barrier"}, {"operation": "pingpong", "pattern": "internode"}]
    launch = launch_plan(embedded, 2, tmp_path, points)
    assert launch.result.exit_code == 2
    assert "pattern=internode of pingpong" in launch.result.errors
    assert launch.records == []
