"""NCCL's operations, on a stand-in of the library whose messages are in the memory of the stand-in of the driver."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import Launch, launch_plan
from engine.test_devices import driver, with_driver
from engine.test_operations import catalogue

SOURCE = Path(__file__).parent / "stand_in" / "nccl.c"
LENGTHS = (("byte", 1), ("char", 13), ("int32", 40_004), ("double", 56))
REDUCED = (("char", 13), ("int32", 40_004), ("int64", 104), ("float", 44), ("double", 56))
ALLREDUCE = {"operation": "nccl/allreduce", "bytes": 1000, "memory": "cuda"}
UNTRIED = "never tried on a device"


def nccl(folder: Path, name: str = "libnccl.so.2", *options: str) -> Path:
    """Build the stand-ins of a driver and of the library; return their folder."""
    drivers = driver(folder, *(("libamdhip64.so.6", "-DHIP") if "-DHIP" in options else ()))
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "the engine's build needs a compiler too"
    built = beds.run([compiler, "-shared", "-fPIC", "-O1", *options, str(SOURCE), "-o", str(drivers / name)])
    assert built.exit_code == 0, built.errors
    return drivers


def launch(
    library: beds.Library,
    folder: Path,
    points: Sequence[Mapping[str, Any]],
    ranks: int = 2,
    *,
    drivers: Path | None = None,
    plan: Mapping[str, Any] | None = None,
    **settings: object,
) -> Launch:
    """Measure points where there are as many devices as ranks, on a library that knows nothing of devices."""
    variables = with_driver(library, drivers or nccl(folder), **{"STAND_IN_DEVICES": ranks, **settings})
    return launch_plan(library, ranks, folder, points, variables=variables, settings=plan)


def every_operation(library: beds.Library, ranks: int, memory: str = "cuda") -> list[dict[str, Any]]:
    """Return points of all that need NCCL, with every length and reduction."""
    asked: list[dict[str, Any]] = []
    for operation in (one for one in catalogue(library)["operations"] if one["nccl"]):
        if operation["min_ranks"] > ranks:
            continue
        settings: dict[str, Any] = {"root": "rotate"} if "root" in operation["uses"] else {}
        settings |= {"window": 3} if "window" in operation["uses"] else {}
        reduces = "reduction" in operation["uses"]
        for datatype, length in REDUCED if reduces else LENGTHS:
            point = {
                "operation": operation["name"],
                "memory": memory,
                "datatype": datatype,
                "bytes": length,
                **settings,
            }
            asked += [point | {"reduction": name} for name in ("sum", "max")] if reduces else [point]
    return asked


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_every_operation_delivers_the_right_bytes(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    asked = every_operation(library, ranks)
    assert len({point["operation"] for point in asked}) == (8 if ranks == 1 else 11)
    done = launch(library, tmp_path, asked, ranks)
    assert done.result.exit_code == 0, done.report()
    records = done.of_kind("point")
    assert len(records) == len(asked)
    assert all(record["validated"] and record["checked_elements"] > 0 for record in records)
    (start,) = done.of_kind("start")
    assert (start["nccl"]["name"], start["nccl"]["version"], start["nccl"]["tried"]) == ("NCCL", "2.22.3", UNTRIED)
    assert start["nccl"]["file"].endswith("/libnccl.so.2")


@pytest.mark.mpi
def test_wrong_bytes_are_found_in_every_operation(embedded: beds.Library, tmp_path: Path) -> None:
    asked = every_operation(embedded, 2)
    done = launch(embedded, tmp_path, asked, STAND_IN_WRONG=1)
    assert done.result.exit_code == 1, done.report()
    assert {record["reason"] for record in done.of_kind("failure")} == {"wrong_data"}
    assert len(done.of_kind("failure")) == len(asked)


@pytest.mark.mpi
def test_rccl_has_the_same_calls(embedded: beds.Library, tmp_path: Path) -> None:
    asked = every_operation(embedded, 2, "hip")
    done = launch(embedded, tmp_path, asked, drivers=nccl(tmp_path, "librccl.so.1", "-DHIP"))
    assert done.result.exit_code == 0, done.report()
    assert len(done.of_kind("point")) == len(asked)
    assert done.of_kind("start")[0]["nccl"]["name"] == "RCCL"


@pytest.mark.mpi
def test_it_is_measured_beside_mpi_and_on_parts_of_the_ranks(embedded: beds.Library, tmp_path: Path) -> None:
    brief = {"stop": "ci", "slot_s": 0.02, "settle_s": 0, "check": True}
    asked = [
        {"operation": "allreduce", "bytes": 8, **brief},
        ALLREDUCE | {"bytes": 8, **brief},
        ALLREDUCE | {"bytes": 4000, "ranks": 2, **brief},
        ALLREDUCE | {"operation": "nccl/pingpong", "pattern": "halves", **brief},
        ALLREDUCE | {"operation": "nccl/bcast", "communicator": "world", "timing": "block", **brief},
    ]
    done = launch(embedded, tmp_path, asked, 4, plan={"order": "interleaved"})
    assert done.result.exit_code == 0, done.report()
    assert len(done.of_kind("point")) == len(asked)


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("call", "points", "saying"),
    [
        ("ncclGetUniqueId", [ALLREDUCE], "ncclGetUniqueId: stand-in error (3)"),
        ("ncclCommInitRank", [ALLREDUCE], "ncclCommInitRank: stand-in error (3)"),
        ("ncclAllReduce", [ALLREDUCE], "ncclAllReduce: stand-in error (3)"),
        ("ncclGroupEnd", [ALLREDUCE | {"operation": "nccl/alltoall"}], "ncclGroupEnd: stand-in error (3)"),
        ("later", [ALLREDUCE], "failed on the device: another stand-in error (2)"),
    ],
)
def test_an_error_of_a_call_ends_its_points_and_no_other(
    embedded: beds.Library, tmp_path: Path, call: str, points: list[dict[str, Any]], saying: str
) -> None:
    planted = {"STAND_IN_NCCL_LATER": 1} if call == "later" else {"STAND_IN_NCCL_FAILS": call}
    done = launch(embedded, tmp_path, [*points, {"operation": "allreduce", "bytes": 8}], **planted)
    assert done.result.exit_code == 1, done.report()
    assert [record["index"] for record in done.of_kind("point")] == [1]
    (failure,) = done.of_kind("failure")
    assert (failure["index"], failure["reason"]) == (0, "nccl")
    assert failure["message"] == (
        f"{points[0]['operation']}, 1000 B, 2 ranks: NCCL {saying}; NCCL_DEBUG=WARN has it say why"
    )


@pytest.mark.mpi
def test_one_rank_that_does_not_join_keeps_all_from_calling(embedded: beds.Library, tmp_path: Path) -> None:
    planted: dict[str, Any] = {"STAND_IN_NCCL_FAILS": "ncclCommInitRank", "STAND_IN_NCCL_RANK": 1}
    done = launch(embedded, tmp_path, [ALLREDUCE], **planted)
    assert done.result.exit_code == 1, done.report()
    assert done.of_kind("failure")[0]["ranks"] == [1]


def ends(done: Launch) -> str:
    """Return the one sentence with which a launch ended before anything was measured."""
    assert done.result.exit_code == 2, done.report()
    assert done.records == []
    (sentence,) = [line for line in done.result.errors.splitlines() if line.startswith("groma-engine: ")]
    return sentence


@pytest.mark.mpi
def test_two_ranks_on_one_device_are_refused(embedded: beds.Library, tmp_path: Path) -> None:
    said = ends(launch(embedded, tmp_path, [ALLREDUCE], STAND_IN_DEVICES=1))
    assert "nccl/allreduce can't run: NCCL takes one rank per device, and ranks 0 and 1 have the same" in said
    assert "(Stand-in 0); use as many ranks as devices (one on one device), or name other devices" in said


@pytest.mark.mpi
def test_a_library_that_is_not_there_or_too_old_is_one_sentence(embedded: beds.Library, tmp_path: Path) -> None:
    old = ends(launch(embedded, tmp_path, [ALLREDUCE], drivers=nccl(tmp_path, "libnccl.so.2", "-DOLD")))
    assert "NCCL is too old: libnccl.so.2 has no ncclGroupStart; use 2.7 or newer, or leave nccl/* out" in old
    (tmp_path / "drivers" / "libnccl.so.2").write_text("no library")  # where a machine has one, this is found first
    none = ends(launch(embedded, tmp_path, [ALLREDUCE], drivers=tmp_path / "drivers"))
    assert "operations nccl/* need NCCL, and libnccl.so.2 can't be opened; install it" in none
    missing = ends(launch(embedded, tmp_path, [ALLREDUCE], drivers=tmp_path / "nowhere", LD_LIBRARY_PATH=tmp_path))
    assert "memory of CUDA needs its driver, and libcuda.so.1 can't be opened" in missing


REFUSED = [
    ({"memory": "host"}, "memory=host of nccl/allreduce can't be: NCCL's messages are in the memory of devices"),
    ({"memory": "pinned"}, "memory=pinned of nccl/allreduce can't be: NCCL's messages are in the memory of devices"),
    ({"send_memory": "hip"}, "memory=hip of nccl/allreduce can't be: NCCL's messages are in the memory of devices"),
    ({"layout": "vector"}, "layout=vector of nccl/allreduce can't be: NCCL has no derived datatypes"),
    ({"datatype": "complex"}, "datatype=complex of nccl/allreduce can't be: NCCL reduces integers and real numbers"),
    ({"datatype": "int32", "reduction": "band"}, "of Groma's reductions NCCL has sum and max; use one of them"),
    ({"reduction": "user"}, "of Groma's reductions NCCL has sum and max; use one of them"),
    ({"buffers": "same"}, "buffers=same is not legal for nccl/allreduce"),
]


@pytest.mark.parametrize(("settings", "saying"), REFUSED)
def test_what_nccl_cannot_do_is_refused(settings: dict[str, Any], saying: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"schema": 1, "points": [ALLREDUCE | {"bytes": 1024} | settings]}))
    library = beds.libraries()["embedded"]
    done = beds.run([str(library.engine), "--check", "--ranks", "2", "--plan", str(plan)], library.environment())
    assert (done.exit_code, done.output) == (2, "")
    assert saying in done.errors
