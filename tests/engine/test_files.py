"""Operations on files: what they write and read, faults in that, a full disk, and what stays behind."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan
from engine.test_operations import delivered

from engine import preloaded

pytestmark = pytest.mark.mpi

RANKS = [2, 3, pytest.param(4, marks=pytest.mark.slow), pytest.param(5, marks=pytest.mark.slow)]
FEW = {"stop": "reps", "repetitions": 3, "warmups": 1, "settle_s": 0, "check": True}


def on_files(library: beds.Library) -> list[dict[str, Any]]:
    """Return the operations on files that the library does right."""
    return [one for one in delivered(library) if "file_folder" in one["uses"]]


def ways(operation: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the ways to write or read by an operation: strided, synchronised, cold."""
    uses = set(operation["uses"])
    if "bytes" not in uses:
        return [{}]
    own = [("file_parts", 4), ("file_sync", True), ("file_cold", True)]
    return [{"bytes": 4000, name: value} for name, value in own if name in uses] + [{"bytes": 13}]


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", RANKS)
def test_every_way_to_write_and_read_delivers_the_right_bytes(
    library: beds.Library, tmp_path: Path, ranks: int
) -> None:
    points = [{"operation": one["name"], **FEW, **way} for one in on_files(library) for way in ways(one)]
    folder = tmp_path / "files"
    folder.mkdir()
    launch = launch_plan(library, ranks, tmp_path, [{**point, "file_folder": str(folder)} for point in points])
    assert launch.result.exit_code == 0, launch.report()
    measured = {record["index"]: record for record in launch.of_kind("point")}
    assert sorted(measured) == list(range(len(points)))
    for at, point in enumerate(points):
        assert measured[at]["validated"] is ("bytes" in point)
        assert measured[at]["file"]["system"]
        assert (measured[at]["file"]["cached_share"] is not None) is point.get("file_cold", False)
    assert list(folder.iterdir()) == []


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", RANKS)
def test_a_missing_element_is_caught_in_every_call(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    able = [one["name"] for one in on_files(library) if one["validation"] and "MPI_File" in one["calls"]]
    assert len(able) > 30
    points = [{"operation": name, **FEW, "bytes": 1000} for name in able]
    launch = launch_plan(library, ranks, tmp_path, points, preload=preloaded.build(library, "files", tmp_path))
    assert launch.result.exit_code == 1, launch.report()
    caught = {failure["index"]: failure["reason"] for failure in launch.of_kind("failure")}
    # A file whose last element was never written is too short: that is told first.
    assert {able[at]: caught.get(at) for at in range(len(able)) if caught.get(at) not in ("wrong_data", "file")} == {}
    assert launch.of_kind("point") == []


def test_a_full_disk_ends_the_point_and_keeps_the_others(embedded: beds.Library, tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    names = ("posix_pwrite", "file_write_at", "file_write_at_all")
    few = {**FEW, "file_folder": str(folder)}
    points = [{"operation": name, **few, "bytes": size} for name in names for size in (1000, 4 << 20)]
    launch = launch_plan(embedded, 2, tmp_path, points, preload=preloaded.build(embedded, "full", tmp_path))
    assert launch.result.exit_code == 1, launch.report()
    assert [record["index"] for record in launch.of_kind("point")] == [0, 2, 4]
    failures = launch.of_kind("failure")
    assert [(failure["index"], failure["reason"]) for failure in failures] == [(1, "file"), (3, "file"), (5, "file")]
    assert all("No space left on device" in failure["message"] for failure in failures)
    assert list(folder.iterdir()) == []


def small_folder(tmp_path: Path, size: str) -> tuple[Path, list[str]]:
    """Return a folder, and the words before a command that sees a file system of this size there; skips if none can."""
    folder = tmp_path / "small"
    folder.mkdir()
    script = f'mount -t tmpfs -o size={size} tmpfs {folder} && exec "$@"'
    words = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    tried = beds.run([*words, "df", str(folder)], dict(os.environ), 30) if shutil.which("unshare") else None
    if tried is None or tried.exit_code != 0:
        pytest.skip(f"no small file system can be mounted here: {tried.errors.strip() if tried else 'no unshare'}")
    return folder, words


def test_a_file_that_does_not_fit_is_refused_before_its_first_call(library: beds.Library, tmp_path: Path) -> None:
    """MPICH never returns from MPI_File_iwrite_at on a full disk, and Open MPI 4.1 ends the program in it."""
    folder, words = small_folder(tmp_path, "3300k")
    names = [one["name"] for one in on_files(library) if "file_folder" in one["uses"] and "bytes" in one["uses"]]
    assert len(names) > 20
    few = {**FEW, "file_folder": str(folder)}
    points = [{"operation": name, **few, "bytes": size} for name in names for size in (4000, 4 << 20)]
    launch = launch_plan(library, 2, tmp_path, points, before=words)
    assert launch.result.exit_code == 1, launch.report()
    assert [record["index"] for record in launch.of_kind("point")] == list(range(0, len(points), 2))
    failures = launch.of_kind("failure")
    assert [failure["index"] for failure in failures] == list(range(1, len(points), 2))
    assert {failure["reason"] for failure in failures} == {"file"}
    assert failures[0]["message"] == (
        f"{names[0]}, 4 MiB, 2 ranks: {folder} has 3.2 MiB free, and the file needs 8 MiB; use fewer bytes or ranks, "
        "or another file_folder"
    )


def test_a_file_that_may_not_get_so_long_is_refused_before_its_first_call(
    embedded: beds.Library, tmp_path: Path
) -> None:
    points = [{"operation": "file_preallocate", **FEW, "file_bytes": size} for size in (1000, 10e12)]
    limited = ["sh", "-c", 'ulimit -f 16777216 && exec "$@"', "sh"]  # blocks of 512 bytes
    few = [{**point, "file_folder": str(tmp_path)} for point in points]
    launch = launch_plan(embedded, 2, tmp_path, few, before=limited)
    assert launch.result.exit_code == 1, launch.report()
    assert [record["index"] for record in launch.of_kind("point")] == [0]
    (failure,) = launch.of_kind("failure")
    assert failure["message"].endswith(
        "a file of this process may have 8 GiB (ulimit -f), and the file needs 9 TiB; use fewer bytes or ranks"
    )


def test_the_watchdog_removes_the_file(embedded: beds.Library, tmp_path: Path) -> None:
    point = {"operation": "file_write_at", "file_folder": str(tmp_path), "added_ns": 1e9, "limit_s": 1}
    launch = launch_plan(embedded, 2, tmp_path, [{**FEW, **point, "repetitions": 1000}])
    assert launch.result.exit_code not in (0, 1), launch.report()
    assert [failure["reason"] for failure in launch.of_kind("failure")] == ["timeout"]
    assert not list(tmp_path.glob("groma-*"))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("file_write_at", "--file_folder", "/nowhere"), "file_folder=/nowhere can't hold a file (No such file"),
        (("file_write_at", "--bytes", "10", "--file_parts", "4"), "10 elements, which file_parts=4 does not divide"),
        (("file_read_at", "--timing", "block"), "timing=block of file_read_at can't be: its file is made ready"),
        (("file_read_at", "--memory", "cuda"), "memory=cuda of file_read_at can't be: messages of files are in"),
    ],
)
def test_what_cannot_be_is_refused(embedded: beds.Library, words: tuple[str, ...], says: str) -> None:
    refused = embedded.run(2, *words)
    assert refused.exit_code == 2
    assert says in refused.errors
