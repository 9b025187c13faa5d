"""`groma run --resume` of a run from elsewhere starts nothing that only the run names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from campaigns import PLAN
from fakes import ENGINE, MPIEXEC, Groma
from fakes.libraries import program

OWNED = Path("owned")
EVIL = f"#!/bin/sh\ntouch '{{}}'\nexec {MPIEXEC} \"$@\"\n"


@pytest.fixture
def evil(groma: Groma) -> Path:
    """A launcher that says that it was started; `out` is a run that lacks its second launch."""
    assert groma(*PLAN).code == 0
    Path("out/launches/002").rename("gone")
    return program(Path("elsewhere/mpiexec").absolute(), EVIL.format(OWNED.absolute()))


def change(**members: Any) -> None:  # noqa: ANN401 - members of run.json
    file = Path("out/run.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | members))


def library(launcher: Path) -> dict[str, str]:
    return {"name": "Fake", "version": "1.0", "engine_path": str(ENGINE), "launcher": str(launcher)}


def test_a_launcher_that_only_the_run_names_is_not_started(groma: Groma, evil: Path) -> None:
    change(library=library(evil))
    said = groma("run", "--resume", "out")
    said.refuses(f"out was measured with {evil}, and the launcher found here is {MPIEXEC}")
    assert f"give --launcher {evil}" in said.err
    assert not OWNED.exists()
    assert not Path("out/launches/002").exists()


def test_a_launcher_that_is_named_is_started(groma: Groma, evil: Path) -> None:
    change(library=library(evil))
    groma("run", "--resume", "out", "--launcher", str(evil))
    assert OWNED.exists()


def test_a_launcher_of_a_variant_that_only_the_run_names_is_not_started(groma: Groma, evil: Path) -> None:
    variants = [{"name": name, "env": {}, "placement": "", "mpi": str(evil)} for name in "ab"]
    change(variants=variants, libraries={name: library(evil) for name in "ab"})
    said = groma("run", "--resume", "out")
    said.refuses("which is of no library known here")
    assert not OWNED.exists()


@pytest.mark.parametrize("name", ["LD_PRELOAD", "HYDRA_LAUNCHER_EXEC", "OMPI_MCA_plm_rsh_agent", "PATH"])
def test_a_variable_that_can_name_a_program_is_asked_about(groma: Groma, evil: Path, name: str) -> None:
    change(variants=[{"name": one, "env": {name: str(evil)}, "placement": "", "mpi": ""} for one in "ab"])
    said = groma("run", "--resume", "out")
    said.refuses(f"its variant a sets {name}, which can name a program")
    assert "--launcher" in said.err
    assert not Path("out/launches/002").exists()


def test_a_run_of_another_account_is_asked_about(groma: Groma, evil: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del evil
    own = os.geteuid()
    monkeypatch.setattr("groma.run.resume.os", SimpleNamespace(geteuid=lambda: own + 1))
    said = groma("run", "--resume", "out")
    said.refuses("it belongs to another account")


def test_a_run_of_ones_own_goes_on(groma: Groma, evil: Path) -> None:
    del evil
    said = groma("run", "--resume", "out")
    assert said.code == 0, said.err
    assert Path("out/launches/002").exists()
