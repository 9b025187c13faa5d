"""Commands of the pages as they are typed, and checks of those that build an engine or choose one."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import beds
import documented
import pytest
from fakes import ENGINE, Groma, Said

from groma.launch.engine import OVERRIDE


@dataclass
class Place:
    """Where a command of a page is typed: an empty folder, with the fake engine unless a check says otherwise."""

    command: str
    groma: Groma
    monkeypatch: pytest.MonkeyPatch

    def type(self, *more: str, **stand_ins: str | Path) -> Said:
        """Run the groma command, with more options; `stand_ins` replace words: `run` stands for runs/... and RUN."""
        words = shlex.split(self.command)
        assert words.pop(0) == "groma"
        run = stand_ins.pop("run", "")
        words = [str(run) if word in ("runs/...", "RUN") else str(stand_ins.get(word, word)) for word in words]
        files = {word: sorted(map(str, Path().glob(word))) for word in words if "*" in word}
        listed = [name for word in words for name in files.get(word) or [word]]
        return self.groma(*listed, *more)

    def document(self, said: Said) -> tuple[Path, dict[str, object]]:
        """Return the run that a command made, whose path is its last line, and its run.json."""
        assert said.code == 0, said.err
        run = Path(said.last_line)
        return run, json.loads((run / "run.json").read_text())

    def on_the_embedded_mpi(self) -> None:
        """Let commands measure really, on the library of this virtual environment."""
        beds.need("embedded")
        self.monkeypatch.setenv("GROMA_ENGINE", str(beds.libraries()["embedded"].engine))
        self.monkeypatch.setenv("GROMA_MPIEXEC", beds.libraries()["embedded"].mpiexec)


def make_target(place: Place) -> None:
    """The target exists and ends in the command that the page names."""
    target = place.command.split()[1]
    done = subprocess.run(["make", "-n", "-C", documented.ROOT, target], capture_output=True, text=True, check=True)
    assert {"quick": ".venv/bin/groma quick", "test": "tools/test", "nas": "groma run --profile nas --report"}[
        target
    ] in done.stdout


def the_environment_is_entered(place: Place) -> None:
    scripts = Path(sys.executable).parent
    command = place.command.replace(".venv/bin", str(scripts))
    done = subprocess.run(["bash", "-c", f"{command} && command -v groma"], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == str(scripts / "groma")


def on_the_launchers_library(place: Place) -> None:
    beds.need("intel")
    place.monkeypatch.delenv("GROMA_MPIEXEC")
    place.on_the_embedded_mpi()
    place.monkeypatch.delenv("GROMA_MPIEXEC")
    intel = beds.libraries()["intel"].mpiexec
    said = place.type("--launches", "1", "--set", "slot_s=0.05", **{"/opt/intel/mpi/bin/mpiexec": intel})
    _, document = place.document(said)
    assert document["library"]["name"] == "Intel MPI"  # type: ignore[index]


def an_engine_is_configured(place: Place) -> None:
    """The build itself is that of tests/engine/test_own_operation.py and of `make test`; here: its words."""
    beds.need("cmake")
    beds.need("openmpi")
    configure, build = place.command.split(" && ")
    words = configure.replace("=mpicxx", "=mpicxx.openmpi").replace("build/site", "site").split()
    done = subprocess.run([*words, "-S", documented.ROOT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    done = subprocess.run(
        [*build.replace("build/site", "site").split(), "--target", "help"], capture_output=True, text=True, check=True
    )
    assert "groma-engine" in done.stdout


def the_engine_alone(place: Place) -> None:
    library = beds.libraries()["embedded"]
    beds.need("embedded")
    words = place.command.split()
    assert words[:4] == ["mpiexec", "-n", "4", "build/site/engine/groma-engine"]
    done = library.run(4, *words[4:], "--slot_s", "0.02")
    assert done.exit_code == 0, done.errors
    assert sum(line.split()[:1] == ["allreduce"] for line in done.output.splitlines()) == 18


def the_engine_that_is_named(place: Place) -> None:
    assignment, *words = place.command.split()
    assert assignment.startswith(f"{OVERRIDE}=")
    said = place.groma(*words[1:], "--launches", "1")
    run = Path(said.last_line).parent
    assert json.loads((run / "run.json").read_text())["library"]["engine_path"] == str(ENGINE)


def the_variable_is_the_front_ends(place: Place) -> None:
    assert place.command.startswith(f"export {OVERRIDE}=")


def the_example_is_built(place: Place) -> None:
    """Building, installing and measuring it is tests/engine/test_own_operation.py; here: the paths and names."""
    source = (documented.ROOT / "examples/own_operation/CMakeLists.txt").read_text()
    assert "own_operation" in source
    assert '"reduce_bcast"' in (documented.ROOT / "examples/own_operation/own_operation.cpp").read_text()
    tested = (documented.ROOT / "tests/engine/test_own_operation.py").read_text()
    for word in ("--install", "-DCMAKE_PREFIX_PATH", "reduce_bcast"):
        assert word in tested
    assert any(word in place.command for word in ("--install", "-DCMAKE_PREFIX_PATH", "reduce_bcast"))
