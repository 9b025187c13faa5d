"""`groma baseline`: runs kept under a name, whole, and where the configuration says."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from fakes import Groma, refused
from planted_runs import QUIET, change_document, made, set_for_launches

from groma.decide.baselines import baseline, folder


@pytest.fixture
def runs(groma: Groma) -> Groma:
    for seed in (1, 2, 3):
        made(Path(f"runs/{seed}"), seed, QUIET)
    return groma


def test_a_baseline_outlives_the_run_it_was_made_of(runs: Groma) -> None:
    said = runs("baseline", "set", "spring", "runs/1")
    assert said.code == 0
    assert Path(said.last_line) == folder() / "spring"
    assert "1 run of 1 visit cannot show how much runs differ from visit to visit: more than 5 % of alarms" in said.err
    shutil.rmtree("runs/1")
    assert runs("compare", "spring", "runs/2").out.startswith("2 against spring, 7 points")


def test_several_runs_are_one_baseline(runs: Groma) -> None:
    said = runs("baseline", "set", "spring", "runs/1", "runs/2", "runs/3")
    assert said.code == 0
    assert len(baseline("spring").runs) == 3
    listed = runs("baseline", "list").out.splitlines()
    assert listed[0].split() == ["name", "plan", "runs", "library", "host", "measured"]
    assert listed[1].split()[:3] == ["spring", "quick", "3"]
    shown = runs("baseline", "show", "spring")
    assert "pingpong" in shown.out
    assert len([line for line in shown.out.splitlines() if line.startswith(str(folder()))]) == 3


def test_a_baseline_says_which_slowdown_its_gates_find(runs: Groma) -> None:
    """Runs of three days show how much they differ; those of one hour do not, however many they are."""
    at_once = runs("baseline", "set", "at-once", "runs/1", "runs/2", "runs/3").err
    assert "3 runs of 1 visit cannot show how much runs differ from visit to visit" in at_once
    assert (
        "If visits differ by 2%, and runs of one by 1% (assumed), 6 runs of as many days find a slowdown of" in at_once
    )
    assert "With it" not in at_once
    for day in (1, 2, 3):
        change_document(Path(f"runs/{day}"), created=f"2026-01-0{day}T03:04:05+00:00")
    said = runs("baseline", "set", "spring", "runs/1", "runs/2", "runs/3").err
    assert re.search(r"^Its runs differ by [\d.]+% to [\d.]+% \(one sigma\), 3 visits\.$", said, re.MULTILINE)
    assert "With it, groma gate spring --over TIME finds a slowdown of " in said
    assert " in 80% of gates (without --over: up to " in said
    assert re.search(r"^\d+ runs of as many days would find 5% at every point, with --margin 1%", said, re.MULTILINE)


def test_runs_of_one_visit_count_once(groma: Groma) -> None:
    """Six runs of three days: days differ by 9.1 %, as one sigma; six runs of their own would by 8.2 %."""
    for number in range(6):
        day, slower = number // 2 + 1, 1 + 0.1 * (number // 2)
        path = made(Path(f"runs/{number}"), number, replace(QUIET, launch_effect=0.001), {"barrier": slower})
        change_document(path, created=f"2026-01-0{day}T03:{10 * (number % 2):02}:05+00:00")
    said = groma("baseline", "set", "spring", *(f"runs/{number}" for number in range(6))).err
    assert re.search(r"to 9\.\d% \(one sigma\), 3 visits\.$", said, re.MULTILINE), said


def test_nothing_but_documents_and_records_is_kept(runs: Groma) -> None:
    Path("runs/1/report.html").write_text("large")
    target = Path(runs("baseline", "set", "spring", "runs/1").last_line)
    names = {path.name for path in target.rglob("*") if path.is_file()}
    assert names == {"run.json", "launch.json", "plan.json", "nodes.json", "points.jsonl"}


def test_a_name_is_replaced_only_when_asked(runs: Groma) -> None:
    assert runs("baseline", "set", "spring", "runs/1").code == 0
    said = runs("baseline", "set", "spring", "runs/2")
    said.refuses("there is a baseline 'spring' already; give another name, or replace it with --force")
    assert runs("baseline", "set", "spring", "runs/2", "--force").code == 0
    assert baseline("spring").run.meta.seed == 2
    assert [path.name for path in folder().iterdir()] == ["spring"]


@refused(
    ("set spring none", "none is not a directory: give the path of a run"),
    ("set ../spring runs/1", "'../spring' cannot name a baseline; use letters, digits, -, _ and ."),
    ("set spring", "name the runs to keep, or --from-history"),
    ("set spring runs/1 runs/other", "baseline spring: runs/other measured another plan, library or machine"),
    (
        "set spring runs/1 runs/tcp",
        "runs/tcp measured with other settings of MPI than runs/1 (UCX_TLS); name runs of the",
    ),
    ("set spring runs/going", "runs/going has not finished; wait for it, or continue it with groma run --resume"),
    ("set spring runs/empty", "runs/empty has measured nothing; a baseline needs a run with figures"),
    ("show sprng", "there is no baseline 'sprng'; did you mean 'spring-2025'"),
    ("show ../spring", "there is no baseline '../spring'"),
    ("shwo x", "shwo"),
)
def test_wrong_input_is_one_sentence(runs: Groma, arguments: str, says: str) -> None:
    change_document(made(Path("runs/other"), 4), host="elsewhere")
    change_document(made(Path("runs/going"), 5), state="running")
    set_for_launches(made(Path("runs/tcp"), 1), UCX_TLS="tcp")
    made(Path("runs/empty"), 6)
    shutil.rmtree("runs/empty/launches")
    runs("baseline", "set", "spring-2025", "runs/1")
    runs("baseline", *arguments.split()).refuses(says)
    assert [path.name for path in folder().iterdir()] == ["spring-2025"], "nothing was written"


def test_no_baseline_at_all_is_said_with_what_to_do(groma: Groma) -> None:
    said = groma("baseline", "list")
    assert (said.code, said.out) == (0, "")
    assert "make one with groma baseline set NAME RUN" in said.err
    assert "make one with groma baseline set NAME RUN" in groma("baseline", "show", "x").err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said(runs: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("locked").mkdir(mode=0o500)
    monkeypatch.setenv("GROMA_CONFIG", "locked")
    said = runs("baseline", "set", "spring", "runs/1")
    assert (said.code, "or set GROMA_CONFIG" in said.err) == (1, True)


def test_a_folder_that_is_a_file_is_said(runs: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").write_text("")
    monkeypatch.setenv("GROMA_CONFIG", "file")
    said = runs("baseline", "set", "spring", "runs/1")
    assert (said.code, "or set GROMA_CONFIG" in said.err) == (1, True)
