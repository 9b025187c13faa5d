"""Faults planted in the MPI library by a preloaded one are found, named and survived."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import Launch, launch_plan

from engine import preloaded

pytestmark = pytest.mark.mpi

# Every rank leaves with 3; a launcher that kills the others at the first one's end may report that signal instead.
HANG_CODES = {"embedded": (3, 9), "mpich": (3, 9), "intel": (3, 255), "openmpi": (3,), "openmpi5": (3,)}
MESSAGE_BYTES = 1016  # no traffic of the engine's own has this length

Interpose = Callable[[beds.Library], Path]


@pytest.fixture(scope="module")
def interpose(tmp_path_factory: pytest.TempPathFactory) -> Interpose:
    """Build the preloaded library with the compiler of an MPI library."""

    def build(library: beds.Library) -> Path:
        return preloaded.build(library, "fault", tmp_path_factory.mktemp(library.name))

    return build


@dataclass(frozen=True)
class Fault:
    """What the preloaded library does, in which call, on which rank."""

    kind: str
    call: str
    rank: int
    offset_bytes: int = 0

    def variables(self) -> dict[str, str]:
        return {
            "GROMA_FAULT": self.kind,
            "GROMA_FAULT_CALL": self.call,
            "GROMA_FAULT_RANK": str(self.rank),
            "GROMA_FAULT_BYTES": str(MESSAGE_BYTES),
            "GROMA_FAULT_OFFSET": str(self.offset_bytes),
        }


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("planted", "point"),
    [
        (Fault("corrupt", "MPI_Recv", 1, 0), {"operation": "pingpong"}),
        (Fault("corrupt", "MPI_Bcast", 2, MESSAGE_BYTES - 1), {"operation": "bcast"}),
        (Fault("corrupt", "MPI_Allreduce", 0, 256), {"operation": "allreduce", "datatype": "int64"}),
        (Fault("corrupt", "MPI_Allreduce", 1, 520), {"operation": "allreduce", "datatype": "double"}),
        (
            Fault("corrupt", "MPI_Allreduce", 1, 24),
            {"operation": "allreduce", "datatype": "double", "layout": "struct"},
        ),
    ],
    ids=["pingpong", "bcast", "allreduce-int64", "allreduce-double", "allreduce-struct"],
)
def test_one_wrong_byte_is_caught(
    library: beds.Library, interpose: Interpose, tmp_path: Path, planted: Fault, point: dict[str, Any]
) -> None:
    points: list[dict[str, Any]] = [{"operation": "barrier"}, point | {"bytes": MESSAGE_BYTES}]
    launch = launch_plan(library, 3, tmp_path, points, preload=interpose(library), variables=planted.variables())
    assert launch.result.exit_code == 1, launch.report()
    assert [record["index"] for record in launch.of_kind("point")] == [0]
    (failure,) = launch.of_kind("failure")
    assert failure["index"] == 1
    assert failure["reason"] == "wrong_data"
    assert failure["ranks"] == [planted.rank]
    for word in (f"rank {planted.rank}", str(planted.offset_bytes), "expected", "found"):
        assert word in failure["message"]
    assert failure["message"] in launch.result.errors
    (end,) = launch.of_kind("end")
    assert end["failures"] == 1


REDUCTIONS = {
    "byte": ("band",),
    "char": ("sum", "max", "band"),
    "int32": ("sum", "max", "band"),
    "int64": ("sum", "max", "band"),
    "float": ("sum", "max"),
    "double": ("sum", "max", "user"),
    "complex": ("sum",),
    "2int": ("minloc", "maxloc"),
}


@pytest.mark.one_case
@pytest.mark.parametrize(
    "point",
    [{"datatype": datatype, "reduction": one} for datatype, several in REDUCTIONS.items() for one in several],
    ids=lambda point: "-".join(point.values()),
)
def test_a_result_reduced_with_what_the_array_held_is_caught(
    embedded: beds.Library, interpose: Interpose, tmp_path: Path, point: dict[str, Any]
) -> None:
    variables = Fault("keep", "MPI_Allreduce", 1).variables()
    points = [point | {"operation": "allreduce", "bytes": MESSAGE_BYTES}]
    launch = launch_plan(embedded, 3, tmp_path, points, preload=interpose(embedded), variables=variables)
    assert launch.result.exit_code == 1, launch.report()
    (failure,) = launch.of_kind("failure")
    assert (failure["reason"], failure["ranks"]) == ("wrong_data", [1]), launch.report()
    assert launch.of_kind("point") == []


@pytest.mark.one_case
@pytest.mark.parametrize(("call", "operation"), [("MPI_Bcast", "bcast"), ("MPI_Allreduce", "allreduce")])
def test_a_rank_that_hangs_is_named(
    library: beds.Library, interpose: Interpose, tmp_path: Path, call: str, operation: str
) -> None:
    points: list[dict[str, Any]] = [
        {"operation": operation, "bytes": 8, "datatype": "int64"},
        {"operation": operation, "bytes": MESSAGE_BYTES, "datatype": "int64", "limit_s": 2},
        {"operation": "barrier"},
    ]
    variables = Fault("hang", call, 2).variables()
    launch = launch_plan(library, 3, tmp_path, points, preload=interpose(library), variables=variables)
    assert launch.result.exit_code in HANG_CODES[library.name], launch.report()
    assert [record["index"] for record in launch.of_kind("point")] == [0]
    (failure,) = launch.of_kind("failure")
    assert failure["index"] == 1
    assert failure["reason"] == "timeout"
    # The library may hold another rank back inside the same call; one that has left it was not held back.
    assert 2 in failure["ranks"], failure
    assert len(failure["ranks"]) < 3, failure
    assert operation in failure["message"]
    assert str(MESSAGE_BYTES) in failure["message"]
    assert launch.of_kind("end") == []


@pytest.mark.slow
def test_ranks_that_sleep_are_told_from_those_that_wait_for_them(interpose: Interpose, tmp_path: Path) -> None:
    """All ranks are equally far in the first call; one of them sleeps in it, and the others poll for its message."""
    library = beds.libraries()["embedded"]
    points: list[dict[str, Any]] = [
        {"operation": "allreduce", "bytes": MESSAGE_BYTES, "datatype": "int64", "limit_s": 2}
    ]
    variables = Fault("hang", "MPI_Allreduce", 1).variables()
    launch = launch_plan(library, 2, tmp_path, points, preload=interpose(library), variables=variables)
    (failure,) = launch.of_kind("failure")
    assert failure["ranks"] == [1], launch.report()
    assert len(re.findall("asleep", failure["message"])) == 1, failure["message"]


def hand_over(library: beds.Library, folder: Path, fault: str) -> Launch:
    """Launch a ping-pong whose hand-off before the first point suffers `fault` in the copies that rank 1 makes."""
    size = 100_003
    variables = {"GROMA_COPY_FAULT": fault, "GROMA_COPY_RANK": "1", "GROMA_COPY_BYTES": str(size)}
    points: list[dict[str, Any]] = [{"operation": "pingpong", "bytes": size, "limit_s": 2}]
    preload = preloaded.build(library, "copies", folder)
    return launch_plan(library, 2, folder, points, preload=preload, variables=variables)


@pytest.mark.slow
def test_a_start_that_hangs_is_ended(embedded: beds.Library, tmp_path: Path) -> None:
    """One rank sleeps in the middle of a hand-off, and the other polls for it in shared memory."""
    launch = hand_over(embedded, tmp_path, "hang")
    assert launch.result.exit_code in HANG_CODES["embedded"], launch.report()
    assert launch.records == []
    said = " ".join(launch.result.errors.split())
    assert "the start of the launch exceeded its limit of 20 s; did not arrive: rank 1 " in said
    assert "rank 0: hand-off between cores rank 1: hand-off between cores, asleep" in said


def test_a_message_that_was_not_handed_over_is_caught(embedded: beds.Library, tmp_path: Path) -> None:
    launch = hand_over(embedded, tmp_path, "skip")
    assert launch.result.exit_code == 1, launch.report()
    assert launch.records == []
    assert "wrong cache lines to each other through shared memory" in launch.result.errors


def test_no_process_is_left(library: beds.Library, interpose: Interpose, tmp_path: Path) -> None:
    points: list[dict[str, Any]] = [{"operation": "bcast", "bytes": MESSAGE_BYTES, "limit_s": 1}]
    variables = Fault("hang", "MPI_Bcast", 1).variables() | {"GROMA_TEST_MARK": str(tmp_path)}
    launch_plan(library, 2, tmp_path, points, preload=interpose(library), variables=variables)
    deadline = time.monotonic() + beds.HANG_S
    while left := _processes_with(f"GROMA_TEST_MARK={tmp_path}"):
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def _processes_with(variable: str) -> list[str]:
    """Return the commands of the processes that have this in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if variable.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_text())
    return found


def test_without_a_fault_the_preloaded_library_changes_nothing(
    library: beds.Library, interpose: Interpose, tmp_path: Path
) -> None:
    points: list[dict[str, Any]] = [
        {"operation": name, "bytes": MESSAGE_BYTES, "datatype": "int64"} for name in ("bcast", "allreduce")
    ]
    launch = launch_plan(library, 3, tmp_path, points, preload=interpose(library))
    assert launch.result.exit_code == 0, launch.report()
    assert [record["validated"] for record in launch.of_kind("point")] == [True, True]
