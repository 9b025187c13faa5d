"""Partitioned messages: faults in what they deliver, and numbers of partitions that cannot be."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest
from engine.launches import launch_plan
from engine.test_operations import catalogue

from engine import preloaded

pytestmark = pytest.mark.mpi


@pytest.mark.one_case
@pytest.mark.parametrize(
    "ranks", [2, 3, pytest.param(4, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)]
)
def test_a_wrong_byte_is_caught(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    operations = catalogue(library)["operations"]
    able = [one["name"] for one in operations if "MPI_Psend_init" in one["calls"] and not one["lacks"]]
    if not able:
        pytest.skip(f"{library.name} has no partitioned messages")
    # Open MPI 5 waits for all ranks: two pairs of four take part.
    halves = {"pattern": "halves"} if library.name == "openmpi5" else {}
    points = [{"operation": name, "bytes": 1000, **halves} for name in able]
    launch = launch_plan(library, ranks, tmp_path, points, preload=preloaded.build(library, "forms", tmp_path))
    if library.name == "openmpi5" and ranks % 2:
        assert launch.result.exit_code == 2
        assert f"of {ranks - 1} of the {ranks} ranks hangs on Open MPI 5.0" in launch.result.errors
        return
    assert launch.result.exit_code == 1, launch.report()
    assert [failure["reason"] for failure in launch.of_kind("failure")] == ["wrong_data"] * len(able)
    assert launch.of_kind("point") == []


def test_partitions_must_divide_the_message(embedded: beds.Library) -> None:
    words = ["--check", "--ranks", "2", "partitioned/isends", "--bytes", "10", "--partitions", "4"]
    checked = beds.run([str(embedded.engine), *words])
    assert checked.exit_code == 2
    assert "bytes=10 of partitioned/isends are 10 elements, which 4 partitions do not divide" in checked.errors


def test_a_library_without_them_is_named(library: beds.Library) -> None:
    lacking = [one["name"] for one in catalogue(library)["operations"] if "partitioned" in one["lacks"]]
    assert bool(lacking) == (library.name == "openmpi"), "Open MPI 4 has none"
    for name in lacking:
        checked = beds.run([str(library.engine), "--check", "--ranks", "2", name], library.environment())
        assert checked.exit_code == 2
        assert f"{name} needs partitioned messages (MPI 4.0)" in checked.errors
