"""Jobs of `tests/slurm.py`'s Slurm that measure with Groma: their scripts, how they end, and what they leave."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import beds
import pytest
import slurm

GROMA = str(Path(sys.executable).parent / "groma")
SHORT = ["--set", "sync=barrier"]
BRIEF = ["--set", "slot_s=0.02"]
# Of a line that is too long for Slurm's PMI. MPICH 5.0.2 hands 4 KiB of its heap to other nodes, of which its address
# is the first part; how long the lines become depends on what lies behind it. Ranks then wait for ever in MPI_Init.
TOO_LONG = "mpi/pmi2: value not properly terminated in client request"
_LAST = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "DEADLINE", "OUT_OF_MEMORY", "BOOT_FAIL")


def work_in(folder: Path, bed: slurm.Cluster, monkeypatch: pytest.MonkeyPatch, library: str = "embedded") -> None:
    """Work in a folder, where jobs then run too; waiting ranks let others have the CPUs, which nodes share."""
    monkeypatch.chdir(folder)
    for name, value in (bed.environment | dict(beds.libraries()[library].variables)).items():
        monkeypatch.setenv(name, value)


def allocated(tasks: int, *command: str) -> beds.Result:
    """Run a command in a job of tasks on two nodes; skips the test if Slurm refuses what MPICH says at its start."""
    words = ["salloc", "-N", "2", "-n", str(tasks), "-t", "5", *command]
    done = beds.run(words, environment=dict(os.environ), timeout_s=60)
    skip_if_too_long(done.errors)
    return done


def skip_if_too_long(said: str) -> None:
    """Skip the test if Slurm refused a line of what MPICH says at its start."""
    if TOO_LONG in said:
        pytest.skip(f"MPICH hangs in MPI_Init, since Slurm refuses its line: {TOO_LONG}")


def eventually(look: Callable[[], object]) -> None:
    """Wait until it is so."""
    deadline = time.monotonic() + beds.HANG_S
    while not look():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def submitted(bed: slurm.Cluster, *words: str) -> str:
    """Hand a job to Slurm and return its number."""
    return bed.run("sbatch", "--parsable", *words).strip()


def ended(bed: slurm.Cluster, job: str) -> str:
    """Wait for the end of a job and return what it printed; skips the test if Slurm refused MPICH's start."""
    eventually(lambda: f"JobId={job} " in bed.run("scontrol", "show", "job", job) and not active(bed, job))
    said = next(Path().glob(f"*{job}.out")).read_text()
    skip_if_too_long(said)
    return said


def active(bed: slurm.Cluster, job: str) -> bool:
    """Tell whether a job waits, is made ready, runs or is put away: whether its last state is still to come."""
    return state_of(bed, job) not in _LAST


def state_of(bed: slurm.Cluster, job: str) -> str:
    """Return what Slurm calls the state of a job, such as RUNNING."""
    return bed.run("scontrol", "show", "job", job).partition("JobState=")[2].partition(" ")[0]


def script(*words: str) -> Path:
    """Write a job's script by `groma batch`."""
    size = ["--scheduler", "slurm", "--nodes", "2", "--ppn", "1", "--time", "5m", "--script", "job.sh"]
    done = beds.run([GROMA, "batch", *size, *SHORT, *words, "-o", "out"])
    assert done.exit_code == 0, done.errors
    return Path("job.sh")


def inside(name: str) -> Path:
    """Return a file of the newest run: of `out`, or of a job's script, which adds the date."""
    return Path(max(["out", *map(str, Path().glob("out-*"))]), name)


def document(name: str) -> dict[str, Any]:
    """Return a document of the newest run."""
    found: dict[str, Any] = json.loads(inside(name).read_text())
    return found


def steps_of(job: str) -> list[str]:
    """Return the command lines of the processes that hold the steps of a job on this machine."""
    lines = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            lines.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [line for line in lines if line.startswith(f"slurmstepd: [{job}.")]
