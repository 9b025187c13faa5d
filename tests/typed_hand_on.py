"""Checks of the commands of the pages that hand results on, or take over those of other programs."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import beds
from standing import PYTHON_PATH
from typed_commands import Place

from groma.results import load_run
from groma.results.records import Imported

_PRINTED = Path(__file__).parent / "recorded" / "printed"


def outputs_are_imported(place: Place) -> None:
    """The command of the page reads an output of IMB-MPI1 as it is."""
    shutil.copyfile(_PRINTED / "imb.txt", "imb.txt")
    run, document = place.document(place.type())
    assert run.parent == Path("runs")
    assert document["profile"] is None
    (start,) = (launch.start for launch in load_run(run).launches)
    assert isinstance(start, Imported)
    assert start.program == "the Intel MPI Benchmarks"


def a_run_is_bundled(place: Place) -> None:
    """The bundle holds the report, and show prints what it prints of the run."""
    _measured(place)
    said = place.type(run="made")
    assert said.code == 0, said.err
    with zipfile.ZipFile(said.last_line) as archive:
        assert "made/report.html" in archive.namelist()
    assert place.groma("show", said.last_line).out == place.groma("show", "made").out


def a_bundle_is_shown(place: Place) -> None:
    """A bundle from elsewhere is printed like a run."""
    _measured(place)
    assert place.groma("bundle", "made", "-o", "theirs.groma.zip").code == 0
    said = place.type()
    assert said.code == 0, said.err
    assert "pingpong" in said.out


def a_point_becomes_a_program(place: Place) -> None:
    """The command writes a C program and a script beside it."""
    _measured(place)
    said = place.type(run="made")
    assert said.code == 0, said.err
    assert Path(said.last_line).suffix == ".c"
    assert Path(said.last_line).with_suffix(".sh").is_file()


def stand_ins_are_written(place: Place) -> None:
    """The folder has a program for each test of OSU and IMB that Groma measures."""
    said = place.type(**{"~/groma-osu": "bin"})
    assert said.code == 0, said.err
    assert {"osu_latency", "osu_bw", "osu_allreduce", "osu_alltoall", "IMB-MPI1"} <= {
        path.name for path in Path("bin").iterdir()
    }


def a_stand_in_is_started(place: Place) -> None:
    """The ranks that mpiexec starts print OSU's table, checked."""
    place.on_the_embedded_mpi()
    assert place.groma("stand-ins", "bin").code == 0
    mpiexec, *words = place.command.replace("~/groma-osu", "bin").split()
    assert mpiexec == "mpiexec"
    done = beds.libraries()["embedded"].run(
        2, *words[3:], engine=Path("bin/osu_latency").absolute(), variables=PYTHON_PATH
    )
    assert re.search(r"^8 .*Pass$", done.output, re.MULTILINE), done.errors


def _measured(place: Place) -> None:
    asked = ("run", "pingpong", "--bytes", "8,64K", "--launches", "2", "--set", "sync=none")
    assert place.groma(*asked, "-o", "made").code == 0
