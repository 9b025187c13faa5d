"""Nonblocking and persistent forms: what the catalogue has of each collective, and faults in what they receive."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan
from engine.test_operations import catalogue, is_persistent, persistent_fails

from engine import preloaded

pytestmark = pytest.mark.mpi

PREFIXES = ("", "i", "overlap/i", "", "overlap/", "fresh/", "")
SUFFIXES = ("", "", "", "_init", "_init", "_init", "_c")


def forms(library: beds.Library) -> list[dict[str, Any]]:
    collectives = [one for one in catalogue(library)["operations"] if one["family"] == "collective"]
    return [one for one in collectives if one["form_of"] and "file_folder" not in one["uses"]]


def test_every_collective_has_every_form(embedded: beds.Library) -> None:
    operations = catalogue(embedded)["operations"]
    named = {one["name"] for one in operations}
    bases = {one["form_of"] for one in forms(embedded)}
    assert len(bases) == 17 + 5, "17 collectives, and 5 of neighbourhoods"
    for base in bases:
        expected = {prefix + base + suffix for prefix, suffix in zip(PREFIXES, SUFFIXES, strict=True)}
        assert expected - ({"barrier_c"} if base == "barrier" else set()) <= named


@pytest.mark.one_case
@pytest.mark.parametrize(
    "ranks", [2, 3, pytest.param(4, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)]
)
def test_a_wrong_byte_is_caught_in_every_form(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    able = [one for one in forms(library) if not one["lacks"] and one["validation"]]
    # Such a library dies in a wait when many were started.
    if any(map(is_persistent, able)) and persistent_fails(library.name):
        able = [one for one in able if not (is_persistent(one) and one["name"].startswith("overlap/"))]
    few = {"bytes": 1000, "stop": "reps", "repetitions": 3}
    points = [few | {"operation": one["name"]} for one in able]
    names = {one["name"] for one in able}
    older = [] if "allreduce_init" in names else ["-DGROMA_WITHOUT_PERSISTENT"]
    newer = ["-DGROMA_LARGE_COUNTS"] if "allreduce_c" in names else []
    preload = preloaded.build(library, "forms", tmp_path, *older, *newer)
    launch = launch_plan(library, ranks, tmp_path, points, preload=preload)
    assert launch.result.exit_code == 1, launch.report()
    caught = {failure["index"]: failure["reason"] for failure in launch.of_kind("failure")}
    missed = [able[at]["name"] for at in range(len(able)) if caught.get(at) != "wrong_data"]
    assert not missed
    assert launch.of_kind("point") == []


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", [2, 3])
def test_persistent_collectives_deliver_what_the_array_holds_at_the_start(
    library: beds.Library, tmp_path: Path, ranks: int
) -> None:
    kept = [one for one in forms(library) if is_persistent(one) and not one["lacks"]]
    if not kept:
        pytest.skip(f"{library.name} has no usable persistent collectives")
    if persistent_fails(library.name):
        pytest.skip(f"{library.name} delivers what an array held when the request was made: persistent_alone.c")
    points = [{"operation": one["name"], "stop": "reps", "repetitions": 12} for one in kept]
    launch = launch_plan(library, ranks, tmp_path, points)
    assert launch.result.exit_code == 0, launch.report()
    validated = [record["validated"] for record in launch.of_kind("point")]
    assert validated == [bool(one["validation"]) for one in kept]


@pytest.mark.one_case
@pytest.mark.parametrize(("cache", "kept"), [("warm", 1), ("rotate", 4)])
def test_a_persistent_request_is_made_once_for_each_place(
    embedded: beds.Library, tmp_path: Path, cache: str, kept: int
) -> None:
    point = {"operation": "allreduce_init", "bytes": 1 << 16, "cache": cache, "timing": "call", "stop": "reps"}
    if cache == "rotate":
        point |= {"cache_pool": kept * (1 << 17) + (1 << 16)}
    preload = preloaded.build(embedded, "forms", tmp_path)
    told = {"GROMA_MADE": str(tmp_path / "made")}
    asked = [point | {"repetitions": 50}]
    launch = launch_plan(embedded, 2, tmp_path, asked, preload=preload, variables=told)
    assert launch.result.exit_code == 0, launch.report()
    made, freed = map(int, (tmp_path / "made").read_text().split())
    assert made == freed
    assert kept <= made <= kept + 2, "a request for each place of the arrays"


def test_a_form_that_the_library_lacks_is_named(library: beds.Library) -> None:
    lacking = [one["name"] for one in forms(library) if one["lacks"]]
    persistent = any(name.endswith("_init") for name in lacking)
    assert persistent == (library.name in ("openmpi", "mpich")), "Open MPI 4 has none, those of MPICH 4.0 fail"
    assert any(name.endswith("_c") for name in lacking) == library.name.startswith("openmpi")
    for name in lacking:
        checked = beds.run([str(library.engine), "--check", "--ranks", "2", name], library.environment())
        assert checked.exit_code == 2
        assert f"{name} needs " in checked.errors
        assert "MPI_" in checked.errors


def test_a_launch_measures_what_the_library_has(library: beds.Library, tmp_path: Path) -> None:
    lacking = [one["name"] for one in catalogue(library)["operations"] if one["lacks"]]
    if not lacking:
        pytest.skip(f"{library.name} has every call")
    launch = launch_plan(library, 2, tmp_path, [{"operation": name} for name in ("pingpong", lacking[0], "barrier")])
    assert launch.result.exit_code == 1, launch.report()
    assert [record["index"] for record in launch.of_kind("point")] == [0, 2]
    (failure,) = launch.of_kind("failure")
    assert (failure["index"], failure["reason"]) == (1, "lacking")
    assert failure["message"] in launch.result.errors
    alone = launch_plan(library, 2, tmp_path, [{"operation": lacking[0]}])
    assert alone.result.exit_code == 2
    assert failure["message"] in alone.result.errors
