"""Operations by several threads of a rank: what they deliver, where they stay, what they ask of the library."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import Launch, launch_plan
from engine.test_operations import catalogue, threads_fail

from engine import preloaded

pytestmark = pytest.mark.mpi

RANKS = [2, 3, pytest.param(4, marks=pytest.mark.slow)]


def threaded(library: beds.Library) -> list[dict[str, Any]]:
    """Return the operations whose threads have messages of their own."""
    operations = [one for one in catalogue(library)["operations"] if one["name"].startswith("threads/")]
    assert len(operations) > 6
    return operations


def points(operations: list[dict[str, Any]], **fields: object) -> list[dict[str, Any]]:
    """Return a point of each, with a message that no thread shares a cache line of."""
    few: dict[str, Any] = {"threads": 2, "stop": "reps", "repetitions": 2, "window": 4, **fields}
    return [
        {key: value for key, value in few.items() if key in one["uses"] or key in {"stop", "repetitions", "check"}}
        | {"operation": one["name"]}
        | ({"bytes": 1000} if "bytes" in one["uses"] else {})
        for one in operations
    ]


def algorithms(library: beds.Library) -> dict[str, str]:
    """Return the variables with which a library's collectives work in several threads at once."""
    return {"I_MPI_COLL_INTRANODE": "pt2pt"} if threads_fail(library.name) else {}


def measured(launch: Launch, count: int) -> list[dict[str, Any]]:
    """Return the records of all points."""
    assert launch.result.exit_code == 0, launch.report()
    records = launch.of_kind("point")
    assert len(records) == count
    return records


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", RANKS)
def test_every_thread_delivers_the_right_bytes(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    operations = threaded(library)
    asked = points(operations, check=True)
    asked += points([one for one in operations if "thread_channel" in one["uses"]], thread_channel="tag", check=True)
    launch = launch_plan(library, ranks, tmp_path, asked, variables=algorithms(library))
    records = measured(launch, len(asked))
    assert launch.of_kind("start")[0]["thread_level"] == {"asked": "multiple", "provided": "multiple"}
    for record in records:
        assert record["threads"]["count"] == 2
        cpus = [one.split(",") for one in record["threads"]["cpus"]]
        assert [len(one) for one in cpus] == [2] * len(record["members"])
        taken = [cpu for one in cpus for cpu in one]
        assert record["threads"]["shared"] == (len(set(taken)) < len(taken))
        if record["point"]["operation"] == "threads/allreduce":
            assert record["checked_elements"] == ranks * 2 * 250


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", RANKS)
def test_a_wrong_byte_of_a_thread_is_caught(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    able = [one for one in threaded(library) if one["validation"]]
    asked = points(able)
    variables, preload = algorithms(library), preloaded.build(library, "threads", tmp_path)
    launch = launch_plan(library, ranks, tmp_path, asked, preload=preload, variables=variables)
    assert launch.result.exit_code == 1, launch.report()
    caught = {failure["index"]: failure["reason"] for failure in launch.of_kind("failure")}
    assert caught == dict.fromkeys(range(len(asked)), "wrong_data"), launch.report()
    # One thread is the calling one, which the fault spares: so are the same operations with a single thread.
    single = points(able, threads=1)
    measured(launch_plan(library, ranks, tmp_path, single, preload=preload, variables=variables), len(able))


@pytest.mark.one_case
def test_more_threads_than_cpus_are_said_and_started_by_a_barrier(library: beds.Library, tmp_path: Path) -> None:
    many = len(os.sched_getaffinity(0)) // 2 + 1
    asked = points([one for one in threaded(library) if one["name"] == "threads/barrier"], threads=many)
    (record,) = measured(launch_plan(library, 2, tmp_path, asked), 1)
    assert record["threads"]["shared"] is True
    assert record["point"]["sync"] == "barrier"


@pytest.mark.one_case
@pytest.mark.parametrize(("variables", "level"), [({}, "single"), ({"GROMA_THREAD_LEVEL": "multiple"}, "multiple")])
def test_one_thread_asks_for_the_level_of_the_plan_or_of_a_variable(
    library: beds.Library, tmp_path: Path, variables: dict[str, str], level: str
) -> None:
    asked = points([one for one in threaded(library) if one["name"] == "threads/pingpong"], threads=1)
    launch = launch_plan(library, 2, tmp_path, asked, variables=variables)
    measured(launch, 1)
    assert launch.of_kind("start")[0]["thread_level"]["asked"] == level


def test_a_level_that_does_not_exist_is_refused(embedded: beds.Library, tmp_path: Path) -> None:
    launch = launch_plan(embedded, 2, tmp_path, [{"operation": "pingpong"}], variables={"GROMA_THREAD_LEVEL": "many"})
    assert launch.result.exit_code == 2
    assert "GROMA_THREAD_LEVEL: thread_level=many is not known" in launch.result.errors


def test_a_thread_that_hangs_is_told_from_its_rank(library: beds.Library, tmp_path: Path) -> None:
    asked = points([one for one in threaded(library) if one["name"] == "threads/bcast"], threads=2)
    fault = {
        "GROMA_FAULT": "hang",
        "GROMA_FAULT_CALL": "MPI_Bcast",
        "GROMA_FAULT_RANK": "1",
        "GROMA_FAULT_BYTES": "1000",
    }
    asked = [point | {"limit_s": 3} for point in asked]
    preload = preloaded.build(library, "fault", tmp_path)
    launch = launch_plan(library, 2, tmp_path, asked, preload=preload, variables=fault)
    assert launch.result.exit_code != 0
    (failure,) = launch.of_kind("failure")
    assert failure["reason"] == "timeout"
    assert re.search(r"rank 1: .*, 1 of its other threads inside", failure["message"]), failure["message"]


@pytest.mark.one_case
def test_children_do_not_disturb(library: beds.Library, tmp_path: Path) -> None:
    asked = [{"operation": "pingpong_forked", "children": 2, "bytes": 1000, "check": True}]
    (record,) = measured(launch_plan(library, 2, tmp_path, asked), 1)
    assert record["validated"] is True
    assert record["point"]["children"] == 2
