"""Messages of more elements than an int counts: by a datatype of the whole message, or by calls with large counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan
from engine.test_operations import ALGORITHMS, delivered, in_launches

pytestmark = pytest.mark.mpi

LIMIT = {"GROMA_LARGEST_COUNT": "100"}
MORE = {"datatype": "int32", "bytes": 1000}  # 250 elements


def is_large(operation: dict[str, Any]) -> bool:
    """Tell whether its calls take large counts."""
    return str(operation["name"]).endswith("_c")


def takes_a_datatype(operation: dict[str, Any]) -> bool:
    """Tell whether one datatype can stand for a message: not where elements are reduced or computed with."""
    uses, computes = operation["uses"], operation["defaults"].get("datatype") == "double"
    return "layout" in uses and "reduction" not in uses and not computes


def test_beyond_the_limit_a_datatype_stands_for_the_message(library: beds.Library, tmp_path: Path) -> None:
    able = [one for one in delivered(library) if takes_a_datatype(one) or (is_large(one) and "bytes" in one["uses"])]
    for apart in in_launches(able):
        points = [MORE | {"operation": one["name"]} for one in apart]
        # alltoall has a block for each rank: together they are more than the limit
        points += [{"operation": "alltoall", "datatype": "int32", "bytes": 4 * count} for count in (33, 34)]
        variables = LIMIT | ALGORITHMS.get(library.name, {})
        (folder := tmp_path / str(len(apart))).mkdir()
        launch = launch_plan(library, 3, folder, points, variables=variables)
        assert launch.result.exit_code == 0, launch.report()
        records = {record["index"]: record for record in launch.of_kind("point")}
        assert sorted(records) == list(range(len(points)))
        for index, one in enumerate(apart):
            assert records[index]["validated"], one["name"]
            assert records[index]["checked_elements"] >= 250, one["name"]
            assert records[index]["large_type"] is not is_large(one), one["name"]
        assert [records[at]["large_type"] for at in (len(apart), len(apart) + 1)] == [False, True]


@pytest.mark.parametrize(
    ("operation", "says"),
    [
        ("allreduce", "in a reduction; use an operation whose name ends in _c"),
        ("bcast_segmented", "here; use layout=contiguous, or fewer bytes"),
        ("pack_by_hand", "here; use layout=contiguous, or fewer bytes"),
    ],
)
def test_what_no_datatype_can_stand_for_is_refused(embedded: beds.Library, operation: str, says: str) -> None:
    words = [operation, "--bytes", "4000", "--datatype", "double"]
    checked = beds.run([str(embedded.engine), "--check", "--ranks", "2", *words], embedded.environment(LIMIT))
    assert checked.exit_code == 2
    assert "gives more elements than MPI's int counts can say (100)" in checked.errors
    assert says in checked.errors


def test_what_the_memory_has_not_is_refused_and_not_by_int(embedded: beds.Library, tmp_path: Path) -> None:
    launch = launch_plan(embedded, 2, tmp_path, [{"operation": "pingpong", "bytes": 1 << 44}])
    assert launch.result.exit_code == 2
    assert "GiB of memory" in launch.result.errors
    assert "are available; ask for smaller messages" in launch.result.errors
