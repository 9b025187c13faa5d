"""Processes that are started, ports and published names: measured, or a sentence that ends their own point alone."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest
from engine.launches import launch_plan
from engine.preloaded import build
from engine.test_operations import catalogue, fails_alone

pytestmark = pytest.mark.mpi

SPAWN, SPAWN_TWO, CONNECT, PUBLISH = "comm_spawn", "comm_spawn_multiple", "comm_connect", "publish_name"
BRIEF = {"stop": "reps", "repetitions": 4, "sync": "barrier"}


def skip_where_the_library_fails(library: beds.Library, name: str) -> None:
    """Skip where ranks die in a program of their own, or may wait for ever."""
    spawns = "spawn" in name
    if spawns and library.name == "openmpi":
        pytest.skip("MPI_Comm_spawn of Open MPI 4.1 sometimes never returns (spawn_alone.c)")
    program = "spawn_alone" if spawns else "port_alone"
    if library.name == "intel" and fails_alone(library.name, program, 2):
        pytest.skip(f"ranks of Intel MPI die in a program of their own ({program}.c)")


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_processes_start_and_end(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    skip_where_the_library_fails(library, SPAWN)
    if fails_alone(library.name, "spawn_alone", 2):
        pytest.skip(f"{library.name} starts no process in a program of its own (spawn_alone.c)")
    asked = [{"operation": name, **BRIEF} for name in (SPAWN, SPAWN_TWO)]
    launch = launch_plan(library, ranks, tmp_path, asked)
    assert launch.result.exit_code == 0, launch.report()
    one, two = launch.of_kind("point")
    assert len(one["samples_ns"]) == len(two["samples_ns"]) == BRIEF["repetitions"]
    assert min(*one["samples_ns"], *two["samples_ns"]) > 1e6, "no process starts in a millisecond"


@pytest.mark.one_case
@pytest.mark.parametrize("name", [SPAWN, SPAWN_TWO, CONNECT, PUBLISH])
def test_what_a_launcher_refuses_ends_its_point_alone(library: beds.Library, tmp_path: Path, name: str) -> None:
    skip_where_the_library_fails(library, name)
    launch = launch_plan(library, 2, tmp_path, [{"operation": name, **BRIEF}, {"operation": "barrier", **BRIEF}])
    assert launch.of_kind("end"), launch.report()
    assert launch.of_kind("point")[-1]["point"]["operation"] == "barrier"
    for failure in launch.of_kind("failure"):
        assert (failure["index"], failure["reason"]) == (0, "mpi_error")
        calls = next(one["calls"] for one in catalogue(library)["operations"] if one["name"] == name)
        if name == PUBLISH:
            calls += ", MPI_Open_port"  # what is published, opened before the timed calls
        assert failure["message"].split(": ")[1] in calls, "the message names the call"
    assert launch.result.exit_code == len(launch.of_kind("failure"))


def test_a_refusal_is_a_failure_with_the_name_of_its_call(embedded: beds.Library, tmp_path: Path) -> None:
    refused = {SPAWN: "MPI_Comm_spawn", CONNECT: "MPI_Open_port", PUBLISH: "MPI_Open_port"}
    asked = [{"operation": name, **BRIEF} for name in (*refused, "barrier")]
    launch = launch_plan(embedded, 2, tmp_path, asked, preload=build(embedded, "refused", tmp_path))
    assert launch.result.exit_code == 1, launch.report()
    assert [record["point"]["operation"] for record in launch.of_kind("point")] == ["barrier"]
    said = [(failure["index"], failure["reason"], failure["message"]) for failure in launch.of_kind("failure")]
    assert [one[:2] for one in said] == [(at, "mpi_error") for at in range(len(refused))]
    for (name, call), (_, _, message) in zip(refused.items(), said, strict=True):
        assert message.startswith(f"{name}, 2 ranks: {call}: ")
        assert "\n" not in message
