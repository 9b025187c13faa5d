"""A point's C program, compiled and run on each MPI library: right data, and times of the same order as Groma's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import beds
import pytest

from groma.analysis import summarise
from groma.results import load_run

pytestmark = pytest.mark.mpi

GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
POINTS = [("pingpong", "8"), ("pingpong", "64K"), ("bcast", "64K"), ("allreduce", "8"), ("alltoall", "64K")]
LAUNCHES = 3
# The fastest launches of both, on a machine that may be busy: a wrong divisor, unit or loop is further off than this
# only where it is a factor of thousands (units) or of the length of a block.
FACTOR = 30.0


def measured(library: beds.Library, folder: Path, *more: str) -> Path:
    operations = list(dict.fromkeys([*(operation for operation, _ in POINTS), "barrier"]))
    words = ["run", *operations, "--bytes", "8,64K", "--set", "slot_s=0.05", *more]
    ran = beds.run([*GROMA, *words, "--launches", str(LAUNCHES), "-o", str(folder / "run")], environment(library))
    assert ran.exit_code == 0, ran.errors
    return folder / "run"


def environment(library: beds.Library) -> dict[str, str]:
    return library.environment() | {
        "GROMA_ENGINE": str(library.engine),
        "GROMA_MPIEXEC": library.mpiexec,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "MPICC": library.mpicc,
    }


def reproduced_us(library: beds.Library, run: Path, words: tuple[str, ...]) -> list[float]:
    """Return what the program of a point prints in each launch."""
    folder = run.parent / "programs"
    said = beds.run([*GROMA, "reproduce", str(run), *words, "-o", str(folder)], environment(library))
    assert said.exit_code == 0, said.errors
    program = Path(said.output.strip().splitlines()[-1])
    assert len(program.read_text().splitlines()) < 100
    script = program.with_suffix(".sh")
    ran = subprocess.run(
        ["sh", str(script)], env=environment(library), capture_output=True, text=True, check=False, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    assert "wrong data" not in ran.stderr
    lines = [line.split() for line in ran.stdout.splitlines()]
    assert [unit for _, unit in lines] == ["us"] * LAUNCHES, ran.stdout + ran.stderr
    return [float(figure) for figure, _ in lines]


# Not Intel's: the compiler for its programs is the embedded MPI's, which cannot link beside Intel's libfabric.
@pytest.mark.slow
@pytest.mark.parametrize("library", ["embedded", "openmpi", "mpich"], indirect=True)
def test_a_program_measures_what_groma_measured(library: beds.Library, tmp_path: Path) -> None:
    run = measured(library, tmp_path, "--set", "sync=barrier", "--set", "timing=call")
    figures = {(one.operation, one.bytes): min(one.launch_times_ns) / 1e3 for one in summarise(load_run(run))}
    sizes = {"8": 8, "64K": 65536}
    for operation, size in [*POINTS, ("barrier", "")]:
        ours = figures[operation, sizes.get(size)]
        theirs = min(reproduced_us(library, run, (operation, size) if size else (operation,)))
        assert ours / FACTOR < theirs < ours * FACTOR, (operation, size, ours, theirs)


@pytest.mark.slow
def test_blocks_and_announced_starts_are_reproduced(embedded: beds.Library, tmp_path: Path) -> None:
    run = measured(embedded, tmp_path)
    figures = {(one.operation, one.bytes): min(one.launch_times_ns) / 1e3 for one in summarise(load_run(run))}
    for operation, size in (("pingpong", 8), ("allreduce", 8), ("barrier", None)):
        words = (operation,) if size is None else (operation, str(size))
        theirs = min(reproduced_us(embedded, run, words))
        ours = figures[operation, size]
        assert ours / FACTOR < theirs < ours * FACTOR, (operation, ours, theirs)


@pytest.mark.slow
def test_wrong_data_end_the_program(embedded: beds.Library, tmp_path: Path) -> None:
    run = measured(embedded, tmp_path, "--set", "sync=barrier")
    reproduced_us(embedded, run, ("alltoall", "8"))
    program = tmp_path / "programs" / "alltoall-8.c"
    whole = program.read_text()
    wrong = whole.replace(
        "received[i] == value((int)(i / COUNT), rank,", "received[i] == value((int)(i / COUNT), 1 + rank,"
    )
    assert wrong != whole, "another element is expected than arrives"
    program.write_text(wrong)
    script = ["sh", str(program.with_suffix(".sh"))]
    said = ""
    for _ in range(3):  # the launcher may end all before it has passed on what a rank says
        ran = subprocess.run(
            script, env=environment(embedded), capture_output=True, text=True, check=False, timeout=300
        )
        assert (ran.returncode, ran.stdout, program.with_suffix(".us").read_text()) == (1, "", "")
        said += ran.stderr
    assert "received wrong data" in said
