"""`groma mpi`: what is found of MPI libraries, and engines built for them by a fake cmake and compiler."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from fakes import ENGINE, Groma
from fakes.libraries import abi_library, native_library, program

from groma.launch import launcher
from groma.libraries import library
from groma.libraries.engines import compiler_version
from groma.libraries.find import installed

COMPILER = """#!/bin/sh
case "$1" in --version) echo "fake++ $(cat {version})";; -std=c++20) exit {cpp20};; esac
"""
CMAKE = """#!/bin/sh
[ -e {broken} ] && {{ echo "CMake Error at CMakeLists.txt:1:"; echo "  no such thing"; exit 1; }}
if [ "$1" = --build ]; then
  echo "[1/2] Building"; echo "[2/2] Linking"; mkdir -p "$2/engine"
  printf '#!/bin/sh\\nexec {engine} "$@"\\n' > "$2/engine/groma-engine"
  chmod +x "$2/engine/groma-engine"; echo built >> {built}
fi
"""


@pytest.fixture
def machine(fakes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing but Python, a fake compiler, a fake cmake and make on PATH."""
    bin_ = fakes / "tools"
    (fakes / "version").write_text("1")
    program(bin_ / "fake++", COMPILER.format(version=fakes / "version", cpp20=0))
    program(bin_ / "make", "#!/bin/sh\n")
    cmake = CMAKE.format(broken=fakes / "broken", built=fakes / "built", engine=ENGINE)
    program(bin_ / "cmake", cmake)
    program(bin_ / "python3", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    for name in ("chmod", "mkdir", "cat", "sh", "env"):
        (bin_ / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(bin_))
    for name in [name for name in os.environ if name.startswith(("MPI_", "I_MPI", "EBROOT", "OPENMPI", "LOADED"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr("groma.libraries.find.launchers_of_package", lambda _package: [])
    monkeypatch.setattr("groma.libraries.find._of_debian", lambda _root: iter(()))
    for cached in (launcher.identity, library.command_of, compiler_version):
        cached.cache_clear()
    return fakes


@pytest.fixture
def native(machine: Path) -> Path:
    return native_library(machine / "opt" / "native", compiler="fake++")


def listed(groma: Groma, *words: str) -> list[dict[str, Any]]:
    said = groma("mpi", "list", *words, "--format", "json")
    assert said.code == 0, said.err
    found: list[dict[str, Any]] = json.loads(said.out)
    return found


def test_a_machine_without_a_library_says_how_to_get_one(groma: Groma, machine: Path) -> None:
    del machine
    said = groma("mpi", "list")
    assert (said.code, said.out) == (0, "")
    assert "-m pip install 'mpich" in said.err


def test_libraries_of_variables_path_and_folders_are_listed_once(
    groma: Groma, machine: Path, native: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    abi = abi_library(machine / "opt" / "abi")
    monkeypatch.setenv("EBROOTOPENMPI", str(native))
    monkeypatch.setenv("MPI_HOME", str(abi))
    monkeypatch.setenv("LOADEDMODULES", "gcc/13:OpenMPI/5.0.9")
    monkeypatch.setenv("PATH", f"{abi}/bin{os.pathsep}{os.environ['PATH']}")
    first, second = listed(groma, str(abi))
    assert (first["name"], first["version"], first["abi"], first["state"]) == ("mpich", "5.0.2", True, "packaged")
    assert (first["found"], first["engine"]) == ("given", str(ENGINE))
    assert (second["name"], second["found"], second["abi"]) == ("openmpi", "EBROOTOPENMPI", False)
    assert (second["compiler"], second["library"]) == (f"{native}/bin/mpicxx", f"{native}/lib/libmpi.so")
    assert (second["state"], second["text"]) == ("to build", f"groma mpi add {native}/bin/mpicxx")
    said = groma("mpi", "list")
    assert "Loaded modules: OpenMPI/5.0.9" in said.err
    assert f"openmpi: groma mpi add {native}/bin/mpicxx" in said.out


def test_programs_of_one_folder_are_one_library(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    abi = abi_library(machine / "opt" / "abi")
    shutil.copy(abi / "bin" / "mpiexec", abi / "bin" / "mpirun")
    wrapper = abi / "bin" / "mpicxx"
    wrapper.write_text(f"#!/bin/sh\necho c++ -L{native_library(machine / 'system', '4.1.4')}/lib -lmpi\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{abi}/bin{os.pathsep}{os.environ['PATH']}")
    assert [(library.name, library.origin) for library in installed([abi])] == [("mpich", "given")]


def test_two_of_one_kind_have_names_of_their_own(machine: Path, native: Path) -> None:
    other = native_library(machine / "opt" / "other", "4.1.4", compiler="fake++")
    assert [one.name for one in installed([native, other])] == ["openmpi", "openmpi-4.1.4"]


def test_debians_libraries_have_their_own_wrappers(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    root = machine / "root"
    native_library(root / "usr", "4.1.4", ".openmpi", "fake++")
    (root / "etc" / "alternatives").mkdir(parents=True)
    (root / "etc" / "alternatives" / "mpiexec").symlink_to(root / "usr" / "bin" / "mpiexec.openmpi")
    alternative = next(one for one in installed(root=root) if one.origin == "Debian's alternative")
    assert (alternative.implementation, alternative.compiler) == ("Open MPI", root / "usr" / "bin" / "mpicxx.openmpi")


def test_an_engine_is_built_once_and_again_when_the_compiler_changes(groma: Groma, machine: Path, native: Path) -> None:
    said = groma("mpi", "add", str(native), "--name", "site")
    assert said.code == 0, said.err
    assert "Building an engine for Open MPI 5.0.9" in said.err
    assert "built 100 %" in said.err
    assert "groma run --mpi site" in said.err
    engine = Path(said.last_line)
    assert str(ENGINE) in engine.read_text()
    assert json.loads((engine.parent / "engine.json").read_text())["built_by"] == "fake++ 1"
    assert (engine.parent / "build.log").read_text().startswith("$ ")
    assert groma("mpi", "add", "site").last_line == str(engine)
    assert [(one["name"], one["state"]) for one in listed(groma)] == [("site", "built")]
    (machine / "version").write_text("2")
    compiler_version.cache_clear()
    assert [one["state"] for one in listed(groma)] == ["changed"]
    said = groma("run", "pingpong", "--mpi", "site")
    assert (said.code, "its engine is out of date: library, compiler or Groma changed: groma mpi add" in said.err) == (
        2,
        True,
    )
    again = groma("mpi", "add", f"{native}/bin/mpicxx", "--name", "site")
    assert again.last_line not in ("", str(engine))
    assert (machine / "built").read_text().split() == ["built", "built"]


def test_a_library_with_the_standard_abi_needs_no_build(groma: Groma, machine: Path) -> None:
    abi_library(machine / "opt" / "abi")
    said = groma("mpi", "add", str(machine / "opt" / "abi"), "--name", "site")
    assert (said.code, said.last_line) == (0, str(ENGINE)), said.err
    assert not (machine / "built").exists()
    assert [one["name"] for one in listed(groma)] == ["site"]


def test_an_engine_that_exists_can_be_named(groma: Groma, native: Path) -> None:
    said = groma("mpi", "add", str(native), "--engine", str(ENGINE))
    assert (said.code, said.last_line) == (0, str(ENGINE)), said.err
    assert [(one["name"], one["state"], one["engine"]) for one in listed(groma)] == [("openmpi", "given", str(ENGINE))]
    assert "there is no engine /no/engine" in groma("mpi", "add", str(native), "--engine", "/no/engine").err


def test_what_a_build_lacks_is_said(groma: Groma, machine: Path, native: Path) -> None:
    program(machine / "tools" / "fake++", COMPILER.format(version=machine / "version", cpp20=1))
    (machine / "tools" / "cmake").unlink()
    (machine / "tools" / "make").unlink()
    said = groma("mpi", "add", str(native))
    assert said.code == 2
    for missing in ("cmake (3.24 or later)", "make or ninja", f"a C++20 compiler behind {native}/bin/mpicxx"):
        assert missing in said.err


def test_a_build_that_fails_says_why_and_where(groma: Groma, machine: Path, native: Path) -> None:
    (machine / "broken").touch()
    said = groma("mpi", "add", str(native))
    assert said.code == 1
    assert "Open MPI 5.0.9 could not be built: no such thing; the log is" in said.err
    log = Path(said.err.rpartition("the log is ")[2].strip())
    assert "CMake Error" in log.read_text()
    assert [path.name for path in log.parent.iterdir()] == ["build.log"]


def test_a_name_stands_for_one_library(groma: Groma, machine: Path, native: Path) -> None:
    other = native_library(machine / "opt" / "other", "4.1.4", compiler="fake++")
    assert groma("mpi", "add", str(native)).code == 0
    said = groma("mpi", "add", str(other))
    said.refuses(f"the name openmpi is taken by {native}/bin/mpiexec")
    assert "needs a name of letters" in groma("mpi", "add", str(other), "--name", "a b").err
    assert "is no MPI library" in groma("mpi", "add", "nosuch").err


def test_damaged_names_are_said(groma: Groma, machine: Path) -> None:
    folder = machine / "config" / "groma"
    folder.mkdir(parents=True)
    (folder / "libraries.json").write_text("{")
    said = groma("mpi", "list")
    said.refuses("repair or remove it")
