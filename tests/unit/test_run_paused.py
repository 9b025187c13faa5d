"""A run of which some launches are made now, and the others later."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaigns import PLAN, document
from fakes import Groma


def launches() -> list[str]:
    return sorted(path.name for path in Path("out/launches").iterdir())


def test_so_many_launches_are_made_now_and_the_others_by_resumes(groma: Groma) -> None:
    said = groma(*PLAN, "--pause-after", "1")
    assert said.code == 0, said.err
    assert "The run is paused; continue it with: groma run --resume out" in said.err
    assert (document()["state"], launches(), document()["launches"]) == ("paused", ["001"], 3)
    shown = groma("show", "out")
    assert "The run is paused before it is complete." in " ".join(shown.out.split())
    assert groma("run", "--resume", "out", "--pause-after", "1").code == 0
    assert (document()["state"], launches()) == ("paused", ["001", "002"])
    assert groma("run", "--resume", "out", "--pause-after", "1").code == 0
    assert (document()["state"], launches()) == ("complete", ["001", "002", "003"])
    again = groma("run", "--resume", "out", "--pause-after", "1")
    assert (again.code, document()["state"], launches()) == (0, "complete", ["001", "002", "003"])


def test_a_launch_that_failed_before_the_pause_is_a_failure(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "die_after=1 in_launch=2")
    assert groma(*PLAN, "--pause-after", "2").code == 1
    assert document()["state"] == "partial"
