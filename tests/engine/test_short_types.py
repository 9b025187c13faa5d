"""Numbers of 16 bits arrive right where a library has them, and what it lacks is said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan

from engine import preloaded

pytestmark = pytest.mark.mpi
LAYOUTS = ("contiguous", "vector", "indexed", "struct")
REDUCED = ("allreduce", "reduce", "scan", "reduce_scatter_block")


def asked(name: str) -> list[dict[str, Any]]:
    """Return messages and reductions of a type in every layout, the long ones beyond the eager limits."""
    moved = [{"operation": one, "layout": layout} for one in ("pingpong", "bcast", "allgather") for layout in LAYOUTS]
    summed = [
        {"operation": one, "layout": layout, "reduction": reduction}
        for one in REDUCED
        for reduction in ("sum", "max", "user")
        for layout in (LAYOUTS if one == "allreduce" else LAYOUTS[:1])
    ]
    sizes = (2, 56, 200_002)
    return [{"datatype": name, "bytes": size, "check": True, **point} for point in moved + summed for size in sizes]


@pytest.mark.parametrize("ranks", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_numbers_of_16_bits_arrive_right_or_are_lacking(
    library: beds.Library, tmp_path: Path, name: str, ranks: int
) -> None:
    launch = launch_plan(library, ranks, tmp_path, asked(name))
    failures = launch.of_kind("failure")
    if failures and failures[0]["reason"] == "lacking":
        assert len(failures) == len(asked(name))
        assert f"datatype={name} of pingpong needs MPIX_" in failures[0]["message"]
        assert launch.result.exit_code == 1
    elif library.name == "intel":  # groma run tries it before (groma.machine.short_types)
        assert "Invalid datatype" in launch.result.errors
    elif library.name == "mpich":  # 4.0 has the name, and moves nothing
        assert failures[0]["reason"] == "wrong_data", launch.report()
    else:
        assert launch.result.exit_code == 0, launch.report()
        assert len(launch.of_kind("point")) == len(asked(name))
        assert all(record["checked_elements"] > 0 for record in launch.of_kind("point"))


def test_a_wrong_sum_of_float16_is_found(embedded: beds.Library, tmp_path: Path) -> None:
    point = {"operation": "allreduce", "bytes": 1016, "datatype": "float16", "check": True}
    planted = {"GROMA_FAULT": "corrupt", "GROMA_FAULT_CALL": "MPI_Allreduce", "GROMA_FAULT_RANK": "1"}
    planted |= {"GROMA_FAULT_BYTES": "1016", "GROMA_FAULT_OFFSET": "512"}
    fault = preloaded.build(embedded, "fault", tmp_path)
    launch = launch_plan(embedded, 2, tmp_path, [point], preload=fault, variables=planted)
    assert launch.result.exit_code == 1, launch.report()
    (failure,) = launch.of_kind("failure")
    assert (failure["reason"], failure["ranks"]) == ("wrong_data", [1])
