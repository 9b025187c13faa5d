"""`groma run --resume RUN --launches N`: further rounds for a run that has all it asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from campaigns import PLAN, document
from fakes import Groma

from groma.results import load_run

VARIANTS = ("run", "pingpong", "barrier", "--bytes", "8", "--launches", "2", "-o", "out", "--variant", "a:A=1")


def launches() -> list[str]:
    return sorted(path.name for path in Path("out/launches").iterdir())


def test_a_complete_run_gets_the_launches_that_are_asked_for(groma: Groma) -> None:
    assert groma(*PLAN).code == 0
    said = groma("run", "--resume", "out", "--launches", "7")
    assert said.code == 0, said.err
    assert launches() == [f"{number:03}" for number in range(1, 8)]
    assert "7 of 7 launches" in said.out
    found = document()
    assert (found["state"], found["launches"]) == ("complete", 7)
    ((added),) = found["extensions"]
    assert (added["launches"], added["first"], added["budget_s"]) == (3, 4, None), "what was asked before is kept"
    assert load_run(Path("out")).missing() == []
    assert groma("run", "--resume", "out", "--launches", "8").code == 0
    assert [(one["launches"], one["first"]) for one in document()["extensions"]] == [(3, 4), (7, 8)]


def test_variants_go_on_taking_turns(groma: Groma) -> None:
    assert groma(*VARIANTS, "--variant", "b:A=2").code == 0
    assert groma("run", "--resume", "out", "--launches", "4").code == 0
    variants = [json.loads(file.read_text())["variant"] for file in sorted(Path("out/launches").glob("*/launch.json"))]
    assert variants == ["a", "b", "b", "a", "a", "b", "b", "a"]


def test_rounds_come_after_the_launches_of_a_budget_and_the_old_budget_is_no_limit(groma: Groma) -> None:
    assert groma(*VARIANTS, "--variant", "b:A=2", "--budget", "2h").code == 0
    last = int(launches()[-1])
    text = document()
    if last == 4:  # nothing was too wide: one launch on top, as a budget makes it
        Path("out/launches/001").rename("out/launches/005")
        Path("out/launches/005/launch.json").write_text(
            Path("out/launches/005/launch.json").read_text().replace('"number":1', '"number":5')
        )
        last = 5
    text["budget_s"] = 1e-3
    Path("out/run.json").write_text(json.dumps(text))
    said = groma("run", "--resume", "out", "--launches", "3")
    assert said.code == 0, said.err
    first = last + 1 + last % 2
    assert launches()[-2:] == [f"{first:03}", f"{first + 1:03}"], "a whole round, at the beginning of one"
    found = document()
    assert (found["launches"], found["budget_s"]) == (3, None)
    assert found["extensions"][0] | {"at": ""} == {"at": "", "launches": 2, "first": first, "budget_s": 1e-3}
    assert load_run(Path("out")).missing() == []


def test_a_budget_that_is_given_holds_for_the_further_launches(groma: Groma) -> None:
    assert groma(*PLAN).code == 0
    said = groma("run", "--resume", "out", "--launches", "9", "--budget", "0.001")
    assert said.code == 0, said.err
    assert "after 3 of 9 launches" in said.err
    assert (document()["launches"], len(launches())) == (3, 3)
    assert load_run(Path("out")).missing() == []
    assert groma("run", "--resume", "out", "--launches", "5", "--budget", "1h").code == 0
    assert len(launches()) >= 5
    assert {"004", "005"} <= set(launches())


@pytest.mark.parametrize(("launches", "says"), [("2", "less than the 3 that the run has"), ("0", "--launches")])
def test_fewer_launches_than_there_are_make_no_sense(groma: Groma, launches: str, says: str) -> None:
    assert groma(*PLAN).code == 0
    groma("run", "--resume", "out", "--launches", launches).refuses(says)
    assert document()["launches"] == 3


def test_of_a_run_that_ended_early_the_missing_launches_come_too(groma: Groma) -> None:
    assert groma(*PLAN, "--pause-after", "1").code == 0
    assert groma("run", "--resume", "out", "--launches", "4").code == 0
    assert launches() == ["001", "002", "003", "004"]
