"""Interfaces of srun: where the one that a library needs is missing, the library's own launcher starts the ranks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fakes.launchers import recording
from fakes.libraries import native_library, program

from groma.errors import LaunchError
from groma.launch import launcher as launchers
from groma.launch.command import find_setup
from groma.launch.engine import Engine
from groma.launch.families import family_named

ABI = Engine(Path("/e"), "MPICH", abi=True, library=None)


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("SLURM_", "GROMA_"))]:
        monkeypatch.delenv(name)
    launchers.identity.cache_clear()


def test_where_srun_lacks_the_librarys_interface_the_librarys_own_launcher_starts_the_ranks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    srun = recording(tmp_path / "slurm/srun", tmp_path / "log", offers="none pmi2")
    own = native_library(tmp_path / "openmpi") / "bin" / "mpiexec"
    engine = Engine(Path("/e"), "Open MPI", abi=False, library=tmp_path / "openmpi/lib/libmpi.so.40")
    monkeypatch.setenv("PATH", f"{srun.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    setup = find_setup(engine)
    lack = f"{srun} has no --mpi=pmix, which ranks of Open MPI need (none, pmi2 are there)"
    assert setup.launcher.path == own
    assert setup.note == f"{lack}: {own} starts the ranks instead."
    with pytest.raises(LaunchError, match=r"has no --mpi=pmix.*name the mpiexec of that library"):
        find_setup(engine, str(srun))
    assert find_setup(engine, f"{srun} --mpi=pmix_v3").note == "", "a person's own arguments are not judged"
    assert find_setup(ABI).launcher.path == srun
    own.unlink()
    monkeypatch.setattr("groma.launch.command.find_launchers", list)
    with pytest.raises(LaunchError, match=r"has no --mpi=pmix.* and no launcher of Open MPI was found"):
        find_setup(engine)


@pytest.mark.parametrize(
    ("says", "interfaces"),
    [
        ("srun: MPI types are...\\nsrun: none\\nsrun: pmi2\\n", "none pmi2"),
        (
            "MPI plugin types are...\\n\\tpmix\\n\\tnone\\n\\tpmi2\\nspecific pmix plugin versions available:\\n",
            "pmix none pmi2",
        ),
        ("srun: error: no controller\\n", ""),
    ],
)
def test_interfaces_as_slurms_versions_list_them(tmp_path: Path, says: str, interfaces: str) -> None:
    srun = program(tmp_path / "srun", f"#!/bin/sh\nprintf '{says}' >&2\n")
    lack = family_named("Slurm").lacks(srun, "Open MPI")
    assert lack == (
        f"{srun} has no --mpi=pmix, which ranks of Open MPI need ({', '.join(interfaces.split())} are there)"
        if interfaces and "pmix" not in interfaces
        else ""
    )
