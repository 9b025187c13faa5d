"""Two MPI libraries in one run, measured really: the embedded MPICH and this site's Open MPI, in turns."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import beds
import pytest

from groma.analysis import series, side_by_side, summarise
from groma.catalog import difference, packaged
from groma.launch.engine import describe, engine_at
from groma.results import load_run

COMMAND = "from groma.cli import main; main()"
SHORT = ("--bytes", "8,1K", "--launches", "2", "--set", "slot_s=0.02")


@pytest.mark.mpi
@pytest.mark.bed("openmpi")
def test_the_engine_of_a_library_that_lacks_calls_belongs_to_this_groma() -> None:
    catalog = describe(engine_at(beds.libraries()["openmpi"].engine))
    assert [operation.name for operation in catalog.operations if operation.lacks]
    assert difference(packaged(), catalog) is None


@pytest.mark.mpi
@pytest.mark.bed("embedded", "openmpi")
def test_two_libraries_take_turns(tmp_path: Path) -> None:
    embedded, openmpi = beds.libraries()["embedded"], beds.libraries()["openmpi"]
    environment = embedded.environment(dict(openmpi.variables)) | {
        "GROMA_CONFIG": str(tmp_path / "config"),
        "GROMA_ENGINE": str(embedded.engine),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }

    def groma(*words: str) -> str:
        done = beds.run([sys.executable, "-c", COMMAND, *words], environment)
        assert done.exit_code == 0, done.output + done.errors
        return done.output

    groma("mpi", "add", openmpi.mpiexec, "--name", "theirs", "--engine", str(openmpi.engine))
    said = groma("run", "pingpong", *SHORT, "--mpi", f"ours={embedded.mpiexec},theirs", "-o", str(tmp_path / "out"))
    assert "theirs / ours" in said
    run = load_run(tmp_path / "out")
    assert run.missing() == []
    assert [launch.variant for launch in run.launches] == ["ours", "theirs", "theirs", "ours"]
    names = [launch.start.library.name for launch in run.launches if launch.start]
    assert names == ["MPICH", "Open MPI", "Open MPI", "MPICH"]
    (both,) = side_by_side(run, series(summarise(run)))
    assert set(both.ratios["theirs"]) == {8, 1024}
    document = json.loads((tmp_path / "out" / "run.json").read_text())
    assert {name: one["name"] for name, one in document["libraries"].items()} == {"ours": "MPICH", "theirs": "Open MPI"}
    assert document["notes"] == []
