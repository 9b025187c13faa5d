"""examples/own_operation builds against an installed Groma and inside a larger project, and measures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan

pytestmark = [pytest.mark.mpi, pytest.mark.slow, pytest.mark.bed("cmake", "openmpi")]

EXAMPLE = beds.ROOT / "examples" / "own_operation"
WITHIN_A_PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(larger LANGUAGES CXX)
add_subdirectory("{root}" groma)
add_executable(own_operation "{example}/own_operation.cpp")
target_link_libraries(own_operation PRIVATE groma::engine)
"""


def cmake(*words: str | Path) -> None:
    done = beds.run(["cmake", *map(str, words)], timeout_s=600)
    assert done.exit_code == 0, done.output + done.errors


def measured(library: beds.Library, program: Path, folder: Path) -> None:
    """Run the example as the engine of this library, and see that its own operation was validated and timed."""
    own = beds.Library("own", program, library.mpiexec, library.mpicc, library.variables)
    points: list[dict[str, Any]] = [
        {"operation": "reduce_bcast", "bytes": 1000, "datatype": "double"},
        {"operation": "allreduce"},
    ]
    launch = launch_plan(own, 3, folder, points)
    assert launch.result.exit_code == 0, launch.report()
    names = [record["point"]["operation"] for record in launch.of_kind("point") if record["validated"]]
    assert names == ["reduce_bcast", "allreduce"]
    described = json.loads(beds.run([str(program), "--describe"]).output)
    assert described["operations"][-1]["name"] == "reduce_bcast"


def test_with_an_installed_groma(tmp_path: Path) -> None:
    library = beds.libraries()["openmpi"]
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    cmake("--install", library.engine.parents[1], "--prefix", prefix)
    cmake("-S", EXAMPLE, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    cmake("--build", build)
    measured(library, build / "own_operation", tmp_path)


def test_inside_a_larger_project(tmp_path: Path) -> None:
    library = beds.libraries()["openmpi"]
    (tmp_path / "CMakeLists.txt").write_text(WITHIN_A_PROJECT.format(root=beds.ROOT, example=EXAMPLE))
    build = beds.ROOT / "build" / "larger-project"  # for ccache, to which sources then lie alike in every clone
    cmake("--fresh", "-S", tmp_path, "-B", build, f"-DMPI_CXX_COMPILER={library.mpicc.replace('mpicc', 'mpicxx')}")
    cmake("--build", build, "--target", "own_operation", "--parallel", "2")
    measured(library, build / "own_operation", tmp_path)
