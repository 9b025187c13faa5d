"""An engine or a library that is replaced between the launches of one run: refused, or said by the run's checks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from campaigns import PLAN, document, kinds, once
from fakes import ENGINE, Groma
from fakes.libraries import program

from groma.launch.command import Setup

# An engine that is rebuilt while it measures: its file is another after the launch with this number.
_REBUILT = """#!/bin/sh
case "$*" in *launches/{number}/*)
  sed 's/^# first$/# second/' "$0" > "$0.new"; chmod 755 "$0.new"; mv "$0.new" "$0"
esac
exec {engine} "$@"
# first
"""


@pytest.fixture
def engine(fakes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The fake engine under a path where it can be replaced."""
    path = program(fakes / "built" / "groma-engine", f'#!/bin/sh\nexec {ENGINE} "$@"\n')
    monkeypatch.setenv("GROMA_ENGINE", str(path))
    return path


@pytest.fixture
def library(fakes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of an MPI library that every setup is said to use."""
    path = fakes / "libmpi.so.40"
    path.write_text("first")
    monkeypatch.setattr(Setup, "library", lambda *_: path)
    return path


def build(number: int) -> dict[str, str]:
    account: dict[str, dict[str, str]] = json.loads(Path(f"out/launches/{number:03d}/launch.json").read_text())
    return account["build"]


def interrupted(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a run whose second launch is not whole."""
    monkeypatch.setenv("FAKE_ENGINE", "die_after=2 in_launch=2")
    assert groma(*PLAN).code == 1
    monkeypatch.delenv("FAKE_ENGINE")


def test_every_launch_records_what_measured_it(groma: Groma, engine: Path, library: Path) -> None:
    del engine
    assert groma(*PLAN).code == 0
    assert [len(build(1)[name]) for name in ("engine", "library")] == [16, 16]
    assert build(1)["library_path"] == str(library)
    assert build(1) == build(3)
    shown = groma("show", "out", "--checks")
    assert "builds" not in shown.out


@pytest.mark.parametrize("file", ["engine", "library"])
def test_a_resume_does_not_mix_builds(
    groma: Groma, engine: Path, library: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    replaced = {"engine": engine, "library": library}[file]
    interrupted(groma, monkeypatch)
    before, first = Path("out/run.json").read_bytes(), replaced.read_text()
    replaced.write_text(f"{first}# second\n")
    said = groma("run", "--resume", "out")
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert f"{replaced}, the {'MPI ' * (file == 'library')}{file}, is another build (" in said.err
    assert "than measured launch 3; restore it, start a new run, or mix both" in said.err
    assert Path("out/run.json").read_bytes() == before
    assert not Path("out/superseded").exists()
    replaced.write_text(first)
    assert groma("run", "--resume", "out").code == 0


@pytest.mark.parametrize("file", ["engine", "library"])
def test_builds_that_are_mixed_by_request_are_said_by_the_checks(
    groma: Groma, engine: Path, library: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    interrupted(groma, monkeypatch)
    with {"engine": engine, "library": library}[file].open("a") as appended:
        appended.write("# second\n")
    said = groma("run", "--resume", "out", "--any-build")
    assert said.code == 0
    assert "From launch 2 on " in said.err
    assert document()["any_build"] is True
    what = {"engine": "engine", "library": "MPI library"}[file]
    shown = once(groma("show", "out", "--checks"))
    assert f"another build of the {what} measured launch 2: the figures mix builds." in shown
    again = groma("run", "--resume", "out")
    assert again.code == 0, again.err


def test_an_engine_that_is_rebuilt_during_a_run_measures_no_further_launch(
    groma: Groma, engine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.write_text(_REBUILT.format(number="002", engine=ENGINE))
    said = groma(*PLAN)
    assert said.code == 1
    assert f"Launch 3 was not started: {engine}, the engine, is another build (" in said.err
    assert "than measured launch 2; restore it, start a new run, or mix both" in said.err
    assert [kinds(number)[-1] for number in (1, 2)] == ["end", "end"]
    assert not Path("out/launches/003").exists()
    assert document()["state"] == "partial"
    assert groma("run", "--resume", "out").code == 2
    monkeypatch.setenv("FAKE_ENGINE", "")
    assert groma("run", "--resume", "out", "--any-build").code == 0
    assert kinds(3)[-1] == "end"


def test_another_version_of_the_library_ends_the_run_and_its_launch_is_set_aside(
    groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(groma, monkeypatch)
    monkeypatch.setenv("FAKE_ENGINE", "version=2")
    said = groma("run", "--resume", "out")
    assert said.code == 1
    assert "Launch 2 ran on Fake 2.0, others on Fake 1.0, and is kept in superseded/; restore it" in said.err
    assert not Path("out/launches/002").exists()
    monkeypatch.delenv("FAKE_ENGINE")
    assert groma("run", "--resume", "out").code == 0


def test_versions_that_are_mixed_by_request_are_said_by_the_checks(
    groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(groma, monkeypatch)
    monkeypatch.setenv("FAKE_ENGINE", "version=2")
    assert groma("run", "--resume", "out", "--any-build").code == 0
    assert "another version of the MPI library measured launch 2: the figures mix builds." in once(
        groma("show", "out", "--checks")
    )
