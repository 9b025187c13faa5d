"""A wrong byte is caught in everything that a point-to-point operation or local work delivers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan
from engine.test_operations import delivered

from engine import preloaded

pytestmark = pytest.mark.mpi

STRUCK_BYTES = 1000
FEW = {"bytes": STRUCK_BYTES, "stop": "reps", "repetitions": 3}


def caught(library: beds.Library) -> list[dict[str, Any]]:
    """Return the operations whose messages the preloaded library changes.

    Packing by hand calls nothing, the messages of swaps, segments and lists have other lengths, and one-sided calls,
    partitions and threads have tests of their own.
    """
    return [
        one
        for one in delivered(library)
        if one["family"] in ("point_to_point", "harness")
        and one["validation"]
        and one["calls"].startswith("MPI_")
        and "MPI_Neighbor" not in one["calls"]
        and not {"rma_window", "partitions", "map_messages", "threads"} & set(one["uses"])
    ]


@pytest.mark.one_case
@pytest.mark.parametrize(
    "ranks", [2, 3, pytest.param(4, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)]
)
def test_a_wrong_byte_is_caught(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    able = caught(library)
    names = {one["name"] for one in able}
    assert names >= {"pingpong", "sendrecv_replace", "reduce_local", "pack", "type_vector"}
    options = [f"-DGROMA_{what}" for what, name in CALLS.items() if name in names]
    preload = preloaded.build(library, "arrivals", tmp_path, *options)
    points = [FEW | {"operation": one["name"]} for one in able]
    told = {"GROMA_ARRIVED_BYTES": str(STRUCK_BYTES)}
    launch = launch_plan(library, ranks, tmp_path, points, preload=preload, variables=told)
    assert launch.result.exit_code == 1, launch.report()
    reasons = {failure["index"]: failure["reason"] for failure in launch.of_kind("failure")}
    assert [able[at]["name"] for at in range(len(able)) if reasons.get(at) != "wrong_data"] == []
    assert launch.of_kind("point") == []


CALLS = {"VERSION_4": "isendrecv_replace", "LARGE_COUNTS": "pingpong_c"}
