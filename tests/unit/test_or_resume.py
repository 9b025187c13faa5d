"""A job's script that is submitted again: what it continues, when it starts again, and what it says of nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fakes import Groma

SCRIPT = ("run", "--or-resume", "noop", "pingpong", "--bytes", "8", "--launches", "3", "-o", "out")
NOTHING = "Nothing was measured: "


def runs() -> list[Path]:
    return sorted(Path().glob("out-*"))


def state(run: Path) -> str:
    return str(json.loads((run / "run.json").read_text())["state"])


@pytest.fixture
def ended_early(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of the script that lacks launches."""
    with monkeypatch.context() as patch:
        patch.setenv("FAKE_ENGINE", "die_after=1 in_launch=2")
        assert groma(*SCRIPT).code == 1
    (only,) = runs()
    assert state(only) == "partial"
    return only


def test_every_submission_makes_a_run_of_its_own_with_its_date(groma: Groma) -> None:
    for submissions in (1, 2, 3):
        said = groma(*SCRIPT)
        assert said.code == 0, said.err
        assert NOTHING not in said.out
        assert [state(run) for run in runs()] == ["complete"] * submissions
        assert all(len(list((run / "launches").iterdir())) == 3 for run in runs())


def test_without_a_folder_runs_are_where_others_are(groma: Groma) -> None:
    for submissions in (1, 2):
        assert groma(*SCRIPT[:-2]).code == 0
        assert len(list(Path("runs").glob("noop-pingpong-2*"))) == submissions


def test_a_run_that_ended_early_is_continued(groma: Groma, ended_early: Path) -> None:
    said = groma(*SCRIPT)
    assert said.code == 0, said.err
    assert runs() == [ended_early]
    assert state(ended_early) == "complete"
    assert NOTHING not in said.out


@pytest.mark.parametrize("other", [("--launches", "4"), ("--bytes", "16"), ("-n", "3"), ("--set", "order=sequential")])
def test_a_run_of_another_plan_is_left(groma: Groma, ended_early: Path, other: tuple[str, str]) -> None:
    before = (ended_early / "run.json").read_bytes()
    said = groma(*SCRIPT, *other)
    assert len(runs()) == 2
    assert f"{ended_early} ended early, but its plan or its number of ranks differs: a new run starts" in said.err
    assert (ended_early / "run.json").read_bytes() == before


def test_jobs_of_an_array_share_a_run_and_later_ones_have_nothing_to_do(
    groma: Groma, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index in range(1, 6):
        monkeypatch.setenv("SLURM_ARRAY_TASK_ID", str(index))
        said = groma(*SCRIPT, "--pause-after", "1")
        assert said.code == 0, said.err
        assert said.out.startswith(NOTHING) == (index > 3)
        (only,) = runs()
        assert len(list((only / "launches").iterdir())) == min(index, 3)
    monkeypatch.setenv("SLURM_ARRAY_TASK_ID", "1")
    assert groma(*SCRIPT, "--pause-after", "1").code == 0
    assert len(runs()) == 2


def test_a_resume_that_measures_nothing_says_so_first_and_keeps_the_date(groma: Groma) -> None:
    assert groma(*SCRIPT).code == 0
    (only,) = runs()
    before = (only / "run.json").read_bytes()
    said = groma("run", "--resume", str(only))
    assert said.code == 0
    finished = json.loads(before)["finished"]
    assert said.out.startswith(f"{NOTHING}{only} is complete since {finished}; these are its figures.\n")
    assert (only / "run.json").read_bytes() == before


def test_a_complete_run_that_lost_a_launch_is_measured_again(groma: Groma) -> None:
    assert groma(*SCRIPT).code == 0
    (only,) = runs()
    (only / "launches" / "003" / "points.jsonl").unlink()
    said = groma("run", "--resume", str(only))
    assert said.code == 0, said.err
    assert NOTHING not in said.out
    assert (only / "launches" / "003" / "points.jsonl").exists()
