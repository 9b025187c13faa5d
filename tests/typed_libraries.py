"""Checks of the pages' commands that choose MPI libraries, on libraries that measure nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

from fakes import ENGINE
from fakes.libraries import abi_library, native_library
from typed_commands import Place


def libraries_are_listed(place: Place) -> None:
    library = abi_library(Path("opt").absolute())
    place.monkeypatch.setenv("MPI_HOME", str(library))
    assert f"{library}/bin/mpiexec" in place.type().out
    found = json.loads(place.type("--format", "json").out)
    assert {"implementation", "version", "abi", "launcher", "compiler", "state"} <= set(found[0])


def an_engine_is_added(place: Place) -> None:
    """The wrapper is found on PATH, and the library is then known by its name; nothing is compiled."""
    library = native_library(Path("opt").absolute(), suffix=".openmpi")
    place.monkeypatch.setenv("PATH", f"{library}/bin{os.pathsep}{os.environ['PATH']}")
    place.monkeypatch.setattr("groma.libraries.build.build", lambda *_: ENGINE)
    said = place.type()
    assert (said.code, said.last_line) == (0, str(ENGINE)), said.err
    assert "groma run --mpi openmpi" in said.err


def three_libraries_take_turns(place: Place) -> None:
    for name in ("mpich", "openmpi", "intel"):
        assert place.groma("mpi", "add", str(abi_library(Path(name).absolute())), "--name", name).code == 0
    run, document = place.document(place.type("--launches", "2"))
    accounts = [json.loads((run / f"launches/{number:03d}/launch.json").read_text()) for number in range(1, 7)]
    assert [one["variant"] for one in accounts] == ["mpich", "openmpi", "intel", "intel", "openmpi", "mpich"]
    assert set(document["libraries"]) == {"mpich", "openmpi", "intel"}  # type: ignore[call-overload]


def the_fastest_library_is_named(place: Place) -> None:
    for name, slower in (("mpich", 50), ("intel", 0), ("openmpi", 20)):
        library = abi_library(Path(name).absolute(), "5.0.1", f"slower={slower}")
        assert place.groma("mpi", "add", str(library), "--name", name).code == 0
    said = place.type("--launches", "9").out
    assert "\nAt all 2 sizes intel is 1.20 times faster than openmpi and 1.50 times faster than mpich.\n" in said


def two_builds_take_turns(place: Place) -> None:
    builds = [abi_library(Path(name).absolute()) for name in ("a", "b")]
    stand_in = {"base=/opt/mpi-a,head=/opt/mpi-b": f"base={builds[0]},head={builds[1]}"}
    _, document = place.document(place.type("--launches", "2", "--bytes", "8", **stand_in))
    assert set(document["libraries"]) == {"base", "head"}  # type: ignore[call-overload]
