"""Memory of devices: a stand-in of their drivers, whose memory nobody reads or writes but by the driver's copies."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import Launch, launch_plan
from engine.preloaded import build
from engine.test_operations import ALGORITHMS, REDUCTIONS, crashes, delivered, segments, threads_fail

SOURCE = Path(__file__).parent / "stand_in" / "driver.c"
SIZES = (("char", 13), ("double", 56), ("int32", 40_004))
PINGPONG = {"operation": "pingpong", "bytes": 1000, "memory": "cuda"}


def driver(folder: Path, name: str = "libcuda.so.1", *options: str) -> Path:
    """Build the stand-in of a driver under this name; return its folder."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    assert compiler, "the engine's build needs a compiler too"
    (drivers := folder / "drivers").mkdir(exist_ok=True)
    built = beds.run([compiler, "-shared", "-fPIC", "-O1", *options, str(SOURCE), "-o", str(drivers / name)])
    assert built.exit_code == 0, built.errors
    return drivers


def with_driver(library: beds.Library, drivers: Path, **settings: object) -> dict[str, str]:
    """Return the variables of ranks that find a driver in this folder."""
    known = library.variables.get("LD_LIBRARY_PATH") or os.environ.get("LD_LIBRARY_PATH")
    path = os.pathsep.join(filter(None, [str(drivers), known]))
    return {"LD_LIBRARY_PATH": path, **{name: str(value) for name, value in settings.items()}}


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
    """Measure points with a driver, on a library that takes its memory."""
    variables = with_driver(library, drivers or driver(folder), **settings) | ALGORITHMS.get(library.name, {})
    aware = build(library, "aware", folder, "-ldl")
    return launch_plan(library, ranks, folder, points, preload=aware, variables=variables, settings=plan)


def sent(operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what to send: three lengths and types, with every reduction that is legal on them."""
    payloads: list[dict[str, Any]] = [{"datatype": datatype, "bytes": length} for datatype, length in SIZES]
    if "reduction" not in operation["uses"]:
        return payloads
    return [one | {"reduction": name} for one in payloads for name in REDUCTIONS[one["datatype"]] if name != "user"]


# What interpose/aware.c does not stand before: one-sided calls and files are refused.
UNAWARE = re.compile(
    r"MPI_\w+_c\b|MPI_I?[Ss]endrecv_replace|MPI_Reduce_local|MPI_Pack|MPI_Type|MPI_Op_create|MPI_Psend"
)


def on_devices(library: beds.Library, ranks: int) -> list[dict[str, Any]]:
    """Return points of every operation whose messages can be on devices; those that compute with them cannot."""
    if library.name == "openmpi5":
        pytest.skip("Open MPI 5 makes calls inside its own, before which interpose/aware.c does not stand")
    chosen = []
    for operation in delivered(library):
        computes = operation["defaults"].get("datatype") == "double"
        unaware = (
            {"rma_window", "file_folder"} & {*operation["uses"]}
            or not operation["calls"]
            or UNAWARE.search(operation["calls"])
        )
        if "memory" not in operation["uses"] or computes or unaware or operation["min_ranks"] > ranks:
            continue
        settings: dict[str, Any] = {"root": "rotate"} if "root" in operation["uses"] else {}
        settings |= {"window": 3} if "window" in operation["uses"] else {}
        settings |= {"tests": 2} if "tests" in operation["uses"] else {}
        settings |= {"threads": 1} if "threads" in operation["uses"] and threads_fail(library.name) else {}
        # Forms have the arguments of their blocking operation, which has all lengths and types.
        for payload in sent(operation)[-1:] if operation["form_of"] else sent(operation):
            chosen.append({"operation": operation["name"], "memory": "cuda", **settings, **payload})
            chosen[-1] |= segments(operation, payload)
        if "layout" in operation["uses"] and "reduction" not in operation["uses"]:
            laid_out = {"layout": "vector", "datatype": "int32", "bytes": 4000}
            chosen.append({"operation": operation["name"], "memory": "cuda", **settings, **laid_out})
    return [point for point in chosen if not crashes(library, point)]


RANKS = (2, *(pytest.param(ranks, marks=pytest.mark.slow) for ranks in (3, 4)))


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", RANKS)
def test_every_operation_delivers_the_right_bytes_to_a_device(
    library: beds.Library, tmp_path: Path, ranks: int
) -> None:
    asked = on_devices(library, ranks)
    assert len({point["operation"] for point in asked}) > 40
    done = launch(library, tmp_path, asked, ranks)
    assert done.result.exit_code == 0, done.report()
    records = done.of_kind("point")
    assert len(records) == len(asked)
    assert all(record["checked_elements"] > 0 for record in records if record["validated"])
    assert sum(record["validated"] for record in records) > 0.9 * len(records)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", RANKS)
def test_wrong_bytes_in_device_memory_are_found_in_every_operation(
    library: beds.Library, tmp_path: Path, ranks: int
) -> None:
    asked = on_devices(library, ranks)
    done = launch(library, tmp_path, asked, ranks, STAND_IN_WRONG=1)
    assert done.result.exit_code == 1, done.report()
    assert {record["reason"] for record in done.of_kind("failure")} == {"wrong_data"}
    assert not [record["point"] for record in done.of_kind("point") if record["validated"]]
    assert len(done.of_kind("failure")) + len(done.of_kind("point")) == len(asked)


KINDS = ("host", "pinned", "cuda", "cuda_managed")


@pytest.mark.mpi
def test_each_side_may_be_in_memory_of_its_own_kind(embedded: beds.Library, tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = [
        {"operation": operation, "bytes": 4000, "send_memory": sends, "receive_memory": receives, "timing": timing}
        for sends in KINDS
        for receives in KINDS
        for operation in ("pingpong", "allgather", "stream")
        for timing in ("call", "block")
    ]
    done = launch(embedded, tmp_path, asked)
    assert done.result.exit_code == 0, done.report()
    records = done.of_kind("point")
    assert len(records) == len(asked)
    assert all(record["checked_elements"] > 0 for record in records)
    wrong = launch(embedded, tmp_path, asked, STAND_IN_WRONG=1)
    failed = {record["index"] for record in wrong.of_kind("failure")}
    assert failed == {at for at, point in enumerate(asked) if point["receive_memory"].startswith("cuda")}


@pytest.mark.mpi
@pytest.mark.parametrize("way", [{"touch": "both", "timing": "block"}, {"cache": "rotate", "timing": "call"}])
def test_what_the_host_does_with_messages_it_does_with_pinned_ones(
    embedded: beds.Library, tmp_path: Path, way: dict[str, str]
) -> None:
    done = launch(embedded, tmp_path, [{"operation": "pingpong", "bytes": 4000, "memory": "pinned", **way}])
    assert done.result.exit_code == 0, done.report()
    assert [record["checked_elements"] > 0 for record in done.of_kind("point")] == [True]


@pytest.mark.mpi
@pytest.mark.parametrize("order", ["interleaved", "shuffled"])
def test_points_share_the_memory_of_a_device(embedded: beds.Library, tmp_path: Path, order: str) -> None:
    brief = {"stop": "ci", "slot_s": 0.02, "settle_s": 0, "check": True, "memory": "cuda"}
    asked = [{"operation": name, "bytes": size, **brief} for name in ("pingpong", "bcast") for size in (8, 4000)]
    done = launch(embedded, tmp_path, asked, plan={"order": order})
    assert done.result.exit_code == 0, done.report()
    assert len(done.of_kind("point")) == len(asked)


@pytest.mark.mpi
def test_hip_has_the_same_calls(embedded: beds.Library, tmp_path: Path) -> None:
    drivers = driver(tmp_path, "libamdhip64.so.6", "-DHIP")
    kinds = ("hip", "hip_managed")
    asked = [{"operation": "pingpong", "bytes": 4000, "memory": kind} for kind in kinds]
    done = launch(embedded, tmp_path, asked, drivers=drivers)
    assert done.result.exit_code == 0, done.report()
    assert [record["checked_elements"] for record in done.of_kind("point")] == [8000, 8000]
    (start,) = done.of_kind("start")
    assert {one["tried"] for one in start["devices"]} == {"never tried on a device"}


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("asked", "devices", "shown"), [("", 4, [0, 1, 2]), ("", 2, [0, 1, 0]), ("1", 2, [1, 1, 1]), ("1,0", 2, [1, 0, 1])]
)
def test_ranks_take_devices_one_after_the_other(
    embedded: beds.Library, tmp_path: Path, asked: str, devices: int, shown: list[int]
) -> None:
    done = launch(embedded, tmp_path, [PINGPONG], 3, plan={"device": asked}, STAND_IN_DEVICES=devices, STAND_IN_MPS=0)
    assert done.result.exit_code == 0, done.report()
    (start,) = done.of_kind("start")
    # The third rank takes no part in a ping-pong, and its memory is none of a device.
    assert [one["device"] for one in start["devices"]] == shown[:2]
    first = start["devices"][0]
    assert first["name"] == f"Stand-in {shown[0]}"
    assert first["uuid"] == f"a{shown[0]}" * 16
    assert (first["pci"], first["driver"], first["version"]) == (f"ffff:0{shown[0]}:00.0", "cuda", "CUDA 12.4")
    assert (first["mps"], first["ecc"], first["compute_mode"]) == (False, True, "default")
    assert (first["clock_khz"], first["memory_clock_khz"], first["numa_node"]) == (1980000, None, None)
    (copy,) = start["device_copies"]
    assert (copy["driver"], copy["bytes"]) == ("cuda", 1000)
    assert min(copy["to_device_ns"], copy["to_host_ns"], copy["within_device_ns"]) > 0


@pytest.mark.mpi
@pytest.mark.parametrize("vendor", ["cuda", "hip"])
@pytest.mark.parametrize(
    ("asked", "settings", "peer", "direct"),
    [
        ("", {}, 1, True),
        ("", {"STAND_IN_APART": 1}, 1, False),
        ("1,2", {"STAND_IN_DEVICES": 3}, 2, True),  # the other rank's device, not the first one
        ("1", {"STAND_IN_DEVICES": 2}, 0, True),
        ("", {"STAND_IN_DEVICES": 1}, None, None),
    ],
)
def test_the_driver_copies_to_another_device(
    embedded: beds.Library,
    tmp_path: Path,
    vendor: str,
    asked: str,
    settings: dict[str, int],
    *,
    peer: int | None,
    direct: bool | None,
) -> None:
    drivers = driver(tmp_path, *(("libamdhip64.so.6", "-DHIP") if vendor == "hip" else ()))
    sizes = [PINGPONG | {"memory": vendor, "bytes": size} for size in (8, 4000)]
    done = launch(embedded, tmp_path, sizes, drivers=drivers, plan={"device": asked}, **settings)
    assert done.result.exit_code == 0, done.report()
    copies = done.of_kind("start")[0]["device_copies"]
    assert [copy["bytes"] for copy in copies] == [8, 4000]
    for copy in copies:
        assert copy["peer"] == ("" if peer is None else f"a{peer}" * 16)
        assert copy["peer_direct"] is direct
        assert (copy["to_peer_ns"] or 0) > 0 if peer is not None else copy["to_peer_ns"] is None


@pytest.mark.mpi
def test_a_run_in_host_memory_opens_no_driver(embedded: beds.Library, tmp_path: Path) -> None:
    done = launch(embedded, tmp_path, [PINGPONG | {"memory": "host"}], STAND_IN_BROKEN=999)
    assert done.result.exit_code == 0, done.report()
    assert "devices" not in done.of_kind("start")[0]


NO_DEVICE = "the driver of CUDA sees no device here; run where there is one"


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("settings", "plan", "saying"),
    [
        ({"STAND_IN_DEVICES": 0}, {}, NO_DEVICE),
        ({"STAND_IN_BROKEN": 100}, {}, NO_DEVICE),
        ({"STAND_IN_BROKEN": 803}, {}, "the driver of CUDA can't be started: an unknown error (803); look whether it"),
        (
            {"STAND_IN_BYTES": 1000},
            {},
            "memory=cuda can't be had: CUDA can't allocate 1000 bytes: STAND_IN_OUT_OF_MEMORY (2); ask for smaller",
        ),
        ({}, {"device": "2"}, "device=2 names device 2, and rank 0 of its host sees 2 (from 0 on); leave device out"),
    ],
)
def test_what_a_driver_does_not_give_is_one_sentence(
    embedded: beds.Library, tmp_path: Path, settings: dict[str, Any], plan: dict[str, str], saying: str
) -> None:
    done = launch(embedded, tmp_path, [PINGPONG], plan=plan, **settings)
    assert done.result.exit_code == 2, done.report()
    assert done.records == []
    (sentence,) = [line for line in done.result.errors.splitlines() if line.startswith("groma-engine: ")]
    assert saying in sentence


@pytest.mark.mpi
def test_a_driver_that_is_not_there_or_too_old_is_one_sentence(embedded: beds.Library, tmp_path: Path) -> None:
    old = launch(embedded, tmp_path, [PINGPONG], drivers=driver(tmp_path, "libcuda.so.1", "-DOLD"))
    assert old.result.exit_code == 2, old.report()
    assert "the driver of CUDA is too old: libcuda.so.1 has no cuDeviceGetUuid; use a newer one" in old.result.errors
    (drivers := tmp_path / "none").mkdir()
    (drivers / "libcuda.so.1").write_text("no library")  # where a machine has one, this is found first
    none = launch(embedded, tmp_path, [PINGPONG], drivers=drivers)
    assert none.result.exit_code == 2, none.report()
    assert "memory of CUDA needs its driver, and libcuda.so.1 can't be opened" in none.result.errors


@pytest.mark.mpi
def test_a_device_that_is_lost_ends_its_points_and_no_other(embedded: beds.Library, tmp_path: Path) -> None:
    host = PINGPONG | {"memory": "host"}
    asked = [PINGPONG, host, PINGPONG | {"bytes": 2000}, host]
    done = launch(embedded, tmp_path, asked, STAND_IN_LOST=3, STAND_IN_LOST_DEVICE=1)
    assert done.result.exit_code == 1, done.report()
    assert [record["index"] for record in done.of_kind("point")] == [0, 1, 3]
    (failure,) = done.of_kind("failure")
    assert (failure["index"], failure["reason"], failure["ranks"]) == (2, "device", [1])
    assert failure["message"].startswith(
        "pingpong, 2000 B, 2 ranks: the device of rank 1 failed: CUDA can't copy from the device: STAND_IN_DEVICE_LOST"
    )
    assert done.of_kind("end")[0]["failures"] == 1


REFUSED = [
    ({"touch": "write", "timing": "block"}, "touch=write: the host does not touch the memory of a device"),
    ({"cache": "flush", "timing": "call"}, "cache=flush: that is a state of the host's caches"),
    ({"cache": "rotate", "timing": "call"}, "cache=rotate: that is a state of the host's caches"),
    ({"operation": "app/halo", "bytes": 8}, "the host computes with its elements"),
    ({"operation": "allreduce", "layout": "vector"}, "an operation of Groma on the host; use layout=contiguous"),
    ({"allocation": "mpi"}, "allocation=mpi of pingpong is of host memory"),
    ({"operation": "bcast", "receive_memory": "host"}, "it has one array for both; use memory"),
    ({"operation": "allreduce", "buffers": "same", "send_memory": "host"}, "it has one array for both; use memory"),
    ({"operation": "alltoall_alternating", "send_memory": "host"}, "its arrays change places with every call"),
]


@pytest.mark.parametrize(("settings", "saying"), REFUSED)
def test_what_cannot_be_on_a_device_is_refused(settings: dict[str, Any], saying: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"schema": 1, "points": [PINGPONG | {"bytes": 1024} | settings]}))
    library = beds.libraries()["embedded"]
    done = beds.run([str(library.engine), "--check", "--ranks", "2", "--plan", str(plan)], library.environment())
    assert (done.exit_code, done.output) == (2, "")
    assert saying in done.errors
