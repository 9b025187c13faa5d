"""What `groma` does where a plan asks for memory of devices: it tries the library first, and says what it found."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import beds
import pytest
from engine.preloaded import build
from engine.test_devices import driver, with_driver

from groma import load

pytestmark = pytest.mark.mpi

GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
PLAN = ["run", "pingpong", "--bytes", "8,4K", "--set", "memory=cuda", "--set", "slot_s=0.01", "-n", "2"]


def groma(
    library: beds.Library, folder: Path, *words: str, preload: Path | None = None, **settings: object
) -> beds.Result:
    """Run a command where there is a driver; `preload` stands before the library's calls on every rank."""
    ranks = {"LD_PRELOAD": library.preloads(preload)} if preload else {}
    given = " ".join(f"-genv {name} {value}" for name, value in ranks.items())
    own = {
        "GROMA_ENGINE": str(library.engine),
        "GROMA_MPIEXEC": f"{library.mpiexec} -bind-to core {given}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_CACHE_HOME": str(folder / "cache"),
    }
    return beds.run([*GROMA, *words], library.environment(with_driver(library, driver(folder), **settings) | own))


def test_a_library_that_cannot_is_a_sentence_before_the_run(embedded: beds.Library, tmp_path: Path) -> None:
    run = tmp_path / "run"
    said = groma(embedded, tmp_path, *PLAN, "-o", str(run))
    assert said.exit_code == 2
    assert not run.exists()
    (sentence,) = said.errors.splitlines()
    assert sentence.startswith("groma: MPICH 5.0.2 does not take memory=cuda: a rank dies of it: ")
    assert "it says mpi_memory_alloc_kinds=" in sentence
    assert sentence.endswith("MPIR_CVAR_NOLOCAL=1 and MPIR_CVAR_CH4_NETMOD=ucx")


@pytest.mark.parametrize(
    ("settings", "saying"),
    [
        ({"STAND_IN_DEVICES": 0}, "the driver of CUDA sees no device here"),
        ({"STAND_IN_WRONG": 1}, "MPICH 5.0.2 delivers wrong data with memory=cuda: pingpong, 8 B, 2 ranks: wrong data"),
    ],
)
def test_so_is_what_else_a_short_launch_finds(
    embedded: beds.Library, tmp_path: Path, settings: dict[str, int], saying: str
) -> None:
    aware = build(embedded, "aware", tmp_path, "-ldl")
    said = groma(embedded, tmp_path, *PLAN, "-o", str(tmp_path / "run"), preload=aware, **settings)
    assert said.exit_code == 2
    assert said.errors.startswith(f"groma: {saying}")


def test_a_run_on_devices_says_what_is_known_of_them(embedded: beds.Library, tmp_path: Path) -> None:
    run, aware = str(tmp_path / "run"), build(embedded, "aware", tmp_path, "-ldl")
    said = groma(embedded, tmp_path, *PLAN, "--launches", "1", "-o", run, preload=aware, STAND_IN_DEVICES=1)
    assert said.exit_code == 0, said.errors
    shown = groma(embedded, tmp_path, "show", run, "--checks").output
    assert "Ranks 0, 1 share one device (Stand-in 0), and its driver does not say whether MPS runs" in shown
    assert "Groma's use of cuda was tested on a stand-in alone: never tried on a device." in shown
    assert set(load(run)["limit"]) == {"driver's copy"}


def test_check_and_the_list_of_libraries_try_them(embedded: beds.Library, tmp_path: Path) -> None:
    aware = build(embedded, "aware", tmp_path, "-ldl")
    able = groma(embedded, tmp_path, "check", preload=aware)
    assert "MPICH 5.0.2 takes memory=cuda." in able.output
    assert "devices (cuda)   Stand-in 0, Stand-in 1" in able.output
    unable = groma(embedded, tmp_path, "check")
    assert unable.exit_code == 0
    assert "MPICH 5.0.2 does not take memory=cuda" in unable.output
    listed = groma(embedded, tmp_path, "mpi", "list", "--format", "json")
    libraries = {library["name"]: library for library in json.loads(listed.output)}
    assert libraries["mpich"]["devices"]["cuda"]["outcome"] == "dies"


@pytest.mark.slow
def test_an_operation_that_dies_is_a_cell_of_the_matrix(embedded: beds.Library, tmp_path: Path) -> None:
    """The launcher is the library's own here, and so are its ranks' variables."""
    plain = {
        "LD_PRELOAD": embedded.preloads(build(embedded, "aware", tmp_path, "-ldl")),
        "PYTHONPATH": ":".join(sys.path),
    }
    planted = with_driver(embedded, driver(tmp_path), STAND_IN_REFUSES="MPI_Allreduce")
    environment = embedded.environment(
        planted | plain | {"XDG_CACHE_HOME": str(tmp_path), "GROMA_ENGINE": str(embedded.engine)}
    )
    said = beds.run([*GROMA, "mpi", "devices", "mpich", "--format", "json"], environment, timeout_s=600)
    assert said.exit_code == 1, said.errors
    (tried,) = json.loads(said.output)["mpich"]
    assert tried["columns"] == ["cuda", "cuda_managed", "cuda to host", "host to cuda"]
    dying = {name for name, cells in tried["rows"].items() if cells == ["dies"] * 4}
    assert dying == {"allreduce", "iallreduce", "allreduce_init"}
    assert {cell for name, cells in tried["rows"].items() if name not in dying for cell in cells} == {"works", ""}
    assert tried["rows"]["bcast"] == ["works", "works", "", ""]


def test_a_library_that_is_not_here_has_no_matrix(embedded: beds.Library, tmp_path: Path) -> None:
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(tmp_path)}
    said = beds.run([*GROMA, "mpi", "devices", "nolib"], embedded.environment(environment))
    assert said.exit_code == 2
    assert said.errors.startswith("groma: nolib is no library with an engine; there are ")
