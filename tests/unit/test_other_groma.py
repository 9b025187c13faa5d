"""Two of Groma at one run directory: one measures, the other is refused, and their launches are not mixed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import PLAN, kinds
from fakes import Groma

from groma.run.directory import RunDirectory

_RESUME = [sys.executable, "-c", "from groma.cli import main; main()", "run", "--resume", "out"]


@pytest.fixture
def begun(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run whose second launch ended early."""
    monkeypatch.setenv("FAKE_ENGINE", "die_after=2 in_launch=2")
    assert groma(*PLAN).code == 1
    monkeypatch.delenv("FAKE_ENGINE")
    return Path("out")


def test_a_run_that_another_groma_measures_is_refused(groma: Groma, begun: Path) -> None:
    before = sorted(path.name for path in (begun / "launches").iterdir())
    with RunDirectory(begun).claimed():
        said = groma("run", "--resume", "out")
    assert said.code == 2
    assert said.err == "groma: another groma process is measuring out; wait for it, or interrupt it first\n"
    assert sorted(path.name for path in (begun / "launches").iterdir()) == before
    assert groma("run", "--resume", "out").code == 0


def test_of_two_resumes_at_once_one_measures(begun: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    resumes = [
        subprocess.Popen(_RESUME, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    ends = [(resume.communicate()[1], resume.returncode) for resume in resumes]
    assert 0 in {code for _, code in ends}, ends
    # The later one may find a run that is complete.
    assert {code for _, code in ends} <= {0, 2}, ends
    assert [kinds(number) for number in (1, 2, 3)] == [["start", *["point"] * 4, "end"]] * 3
    assert [path.name for path in (begun / "superseded").iterdir()] == ["002"]


def test_the_lock_of_a_run_is_private(begun: Path) -> None:
    assert (begun / ".lock").stat().st_mode & 0o777 == 0o600
