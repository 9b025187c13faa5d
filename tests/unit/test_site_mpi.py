"""What a build takes from the compiler wrapper of a site's MPI, and a header that is not the library's."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest

pytestmark = pytest.mark.bed("cmake", "embedded")

# What the engine, and an operation of one's own against an installed Groma, get as groma::mpi.
PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(first_call LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
include({dependencies})
add_executable(first_call first_call.cpp)
target_link_libraries(first_call PRIVATE groma::mpi)
"""
FIRST_CALL = """
#include <mpi.h>
#include <cstdio>
int main(int argc, char** argv) {
  int ranks = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::printf("one of %d\\n", ranks);
  return MPI_Finalize();
}
"""


def configured(folder: Path, *definitions: str) -> beds.Result:
    """Configure a program that makes one MPI call, against the wrapper for the standard ABI of the embedded MPICH."""
    dependencies = beds.ROOT / "cmake" / "GromaDependencies.cmake"
    (folder / "CMakeLists.txt").write_text(PROJECT.format(dependencies=dependencies))
    (folder / "first_call.cpp").write_text(FIRST_CALL)
    wrapper = Path(beds.libraries()["embedded"].mpicc).with_name("mpicxx_abi")
    return beds.run(
        ["cmake", "-S", str(folder), "-B", str(folder / "build"), f"-DMPI_CXX_COMPILER={wrapper}", *definitions],
        timeout_s=300,
    )


def test_the_wrapper_for_the_standard_abi_makes_a_program_that_runs(tmp_path: Path) -> None:
    done = configured(tmp_path)
    assert done.exit_code == 0, done.output + done.errors
    built = beds.run(["cmake", "--build", str(tmp_path / "build")], timeout_s=300)
    assert built.exit_code == 0, built.output + built.errors
    program = tmp_path / "build" / "first_call"
    ran = beds.libraries()["embedded"].run(2, engine=program)
    assert (ran.exit_code, ran.output.split("\n")[:2]) == (0, ["one of 2"] * 2), ran.output + ran.errors


@pytest.mark.parametrize(
    ("definition", "said"),
    [
        ("-DMPI_CXX_COMPILE_DEFINITIONS=ANOTHER", "the library has the MPI standard ABI, and the header"),
        ("-DMPI_CXX_LIB_NAMES=mpi;-DMPI_mpi_LIBRARY={prefix}/lib/libmpi.so", "the library is not libmpi_abi"),
    ],
    ids=["header", "library"],
)
def test_a_header_that_is_not_the_librarys_ends_the_configuration(tmp_path: Path, definition: str, said: str) -> None:
    prefix = Path(beds.libraries()["embedded"].mpicc).parents[1]
    done = configured(tmp_path, *definition.format(prefix=prefix).split(";"))
    words = " ".join(done.errors.split())
    assert done.exit_code == 1, done.output + done.errors
    assert "MPI's header and library do not belong together" in words
    assert said in words
    assert "-DMPI_CXX_COMPILER" in words
