"""`groma history`: what is one series, what is read again, what is kept, and what is said of damage."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from fakes import Groma, refused
from planted_runs import MONTHLY, change_document, change_points, change_records, made, monthly

import groma.history.reading as reading_module
from groma.decide.baselines import baseline
from groma.history.page import MOST_COLUMNS, thinned
from groma.history.store import Figure, opened, place
from groma.history.timelines import Timeline

RUNS, UPDATED = 20, 11


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("history") / "runs"
    monthly(folder, RUNS, UPDATED)
    return folder


@pytest.fixture
def runs(groma: Groma, made_once: Path) -> Groma:
    shutil.copytree(made_once, "runs")
    return groma


def found(groma: Groma, *arguments: str) -> list[dict[str, Any]]:
    said = groma("history", *arguments, "--format", "json")
    assert said.code == 0, said.err
    groups: list[dict[str, Any]] = json.loads(said.out)["groups"] if said.out else []
    return groups


def series(groups: list[dict[str, Any]], point: str) -> dict[str, Any]:
    return next(one for group in groups for one in group["series"] if one["point"] == point)


def read_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise AssertionError(f"{path} is read again")

    monkeypatch.setattr(reading_module, "load_run", refuse)


def test_a_change_has_date_size_interval_and_what_else_changed(runs: Groma) -> None:
    groups = found(runs)
    assert len(groups) == 1
    assert (groups[0]["plan"], groups[0]["host"], groups[0]["library"]) == ("quick", "node01", "MPICH")
    for point in ("allreduce 8 B", "allreduce 64 KiB"):
        (change,) = series(groups, point)["changes"]
        assert change["date"] == "2026-01-13T03:04:05+00:00"
        assert change["earliest"] <= change["date"] <= change["latest"]
        assert change["interval"][0] < 1.12 < change["interval"][1]
        assert change["after_ns"] / change["before_ns"] == pytest.approx(change["ratio"])
        assert change["p"] <= 0.05
        assert change["facts"][0] == {"what": "MPI library", "before": "MPICH 5.0.2", "after": "MPICH 5.1.0"}
        assert [fact["what"] for fact in change["facts"]] == ["MPI library", "MPI library's file"]
    for point in ("pingpong 8 B", "pingpong 64 KiB", "barrier"):
        assert series(groups, point)["changes"] == []
        assert 0.003 < series(groups, point)["deviation"] < 0.03
    assert groups[0]["versions"] == [{"run": UPDATED, "before": "MPICH 5.0.2", "after": "MPICH 5.1.0"}]


def test_the_terminal_says_it_in_lines(runs: Groma) -> None:
    said = runs("history")
    assert said.out.startswith("quick on node01 (Example CPU @ 2.60GHz), MPICH\n  20 runs, 2026-01-02 03:04 to ")
    assert ": 2 changes in 2 of 5 series." in said.out
    assert "MPI library MPICH 5.0.2 -> MPICH 5.1.0 on 2026-01-13 03:04: 2 of 5 series changed with it." in said.out
    assert "No change in 3 of 5 series: their runs differ by " in said.out
    assert said.err == "Reading 20 new runs.\n"
    assert "| 2026-01-13 03:04 | allreduce 8 B | " in runs("history", "--format", "markdown").out


def test_a_run_is_read_once(runs: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    first = found(runs)
    read_no_more(monkeypatch)
    said = runs("history", "--format", "json")
    assert json.loads(said.out)["groups"] == first
    assert said.err == ""


def test_only_what_is_new_is_read(runs: Groma) -> None:
    found(runs, "runs/quick-0000", "runs/quick-0001")
    said = runs("history", "runs")
    assert said.err == "Reading 18 new runs.\n"
    monthly(Path("runs"), RUNS + 1, UPDATED, first=RUNS)
    assert runs("history").err == "Reading 1 new run.\n"


def test_a_run_that_went_on_is_read_again(runs: Groma) -> None:
    before = series(found(runs), "barrier")["figures_ns"][0]
    run = Path("runs/quick-0000")
    change_points(run, lambda record: record.update(samples_ns=[2 * one for one in record["samples_ns"]]))
    change_document(run, notes=["continued"])
    said = runs("history", "--format", "json")
    assert said.err == "Reading 1 new run.\n"
    assert series(json.loads(said.out)["groups"], "barrier")["figures_ns"][0] == pytest.approx(2 * before, rel=1e-3)


def test_a_deleted_run_stays_until_it_is_forgotten(runs: Groma) -> None:
    first = found(runs)
    shutil.rmtree("runs")
    assert found(runs) == first
    assert found(runs, "runs") == first
    assert len(found(runs, "runs/quick-0003")[0]["runs"]) == 1
    assert len(found(runs, "--forget", "runs/quick-0003")[0]["runs"]) == RUNS - 1
    assert len(found(runs)[0]["runs"]) == RUNS - 1


def test_a_forgotten_run_that_is_there_is_left_out_until_it_is_named(runs: Groma) -> None:
    found(runs)
    assert len(found(runs, "--forget", "runs/quick-0003")[0]["runs"]) == RUNS - 1
    assert len(found(runs)[0]["runs"]) == RUNS - 1
    assert len(found(runs, "runs/quick-0003")[0]["runs"]) == 1
    assert len(found(runs)[0]["runs"]) == RUNS


def test_damaged_and_foreign_entries_are_a_sentence_each(runs: Groma) -> None:
    Path("runs/notes.txt").write_text("mine")
    Path("runs/.hidden").write_text("mine")
    Path("runs/empty").mkdir()
    Path("runs/quick-0001/run.json").write_text("{")
    torn = Path("runs/quick-0002/launches/001/points.jsonl")
    torn.write_text("{{\n" + torn.read_text())
    said = runs("history")
    assert said.code == 0
    assert "18 runs" in said.out
    lines = said.err.splitlines()
    assert "runs/notes.txt is no run: it has no run.json." in lines
    assert "runs/empty is no run: it has no run.json." in lines
    assert sum(line.startswith("runs/quick-0001/run.json cannot be read") for line in lines) == 1
    assert (
        sum(line.startswith("runs/quick-0002/launches/001/points.jsonl line 1 is not a record") for line in lines) == 1
    )
    assert len(lines) == 5, "the first counts what is read"
    assert runs("history").err.splitlines() == lines[1:], "what is damaged is said again, and not read again"


def test_a_run_that_loses_its_launches_keeps_its_figures(runs: Groma) -> None:
    """Sites delete old files one by one, and leave a directory with what is left of a run."""
    first = found(runs)
    shutil.rmtree("runs/quick-0001/launches")
    Path("runs/quick-0002/run.json").write_text("{")
    said = runs("history", "--format", "json")
    assert json.loads(said.out)["groups"] == first
    assert "runs/quick-0001 has measured nothing. What was read of it before stays." in said.err
    assert "runs/quick-0002/run.json cannot be read" in said.err
    shutil.rmtree("runs/quick-0003")
    made(Path("runs/quick-0003"), 3, MONTHLY)
    shutil.rmtree("runs/quick-0003/launches")
    place().unlink()
    assert "runs/quick-0003 has measured nothing.\n" in runs("history").err


def test_many_foreign_entries_are_counted(groma: Groma) -> None:
    monthly(Path("runs"), 2, 2)
    for number in range(9):
        Path(f"runs/file-{number}").write_text("")
    assert "runs has 4 more entries that are no runs." in groma("history").err


def test_a_run_that_is_being_measured_is_left_for_later(runs: Groma) -> None:
    owner = {"pid": 1, "start_ticks": 1, "boot": "another"}
    change_document(Path("runs/quick-0004"), state="running", host="elsewhere", owner=owner)
    change_document(Path("runs/quick-0005"), state="running", owner=None)
    said = runs("history")
    assert "runs/quick-0004 is being measured, or was killed on another host: it is left out for now." in said.err
    assert "19 runs" in said.out, "one that was killed counts with what it has"


def test_machine_and_library_split_series_and_a_version_does_not(runs: Groma) -> None:
    change_document(Path("runs/quick-0000"), host="node02")
    change_records(
        Path("runs/quick-0001"),
        lambda record: (
            record["library"].update(name="Open MPI", version="5.0.2") if record["kind"] == "start" else None
        ),
    )
    change_document(Path("runs/quick-0002"), name="nightly")
    sizes = {(g["plan"], g["host"], g["library"]): len(g["runs"]) for g in found(runs)}
    assert sizes == {
        ("quick", "node02", "MPICH"): 1,
        ("quick", "node01", "Open MPI"): 1,
        ("nightly", "node01", "MPICH"): 1,
        ("quick", "node01", "MPICH"): RUNS - 3,
    }
    assert [len(group["runs"]) for group in found(runs, "--plan", "nightly")] == [1]
    joined = {(g["plan"], g["library"]): len(g["runs"]) for g in found(runs, "--any-host")}
    assert joined["quick", "MPICH"] == RUNS - 2


def test_a_setting_that_newer_records_state_splits_nothing_and_another_value_does(runs: Groma) -> None:
    for at in range(8, RUNS):
        change_points(Path(f"runs/quick-{at:04}"), lambda record: record["point"].update(bytes_of="each"))
    assert {one["point"]: len(one["runs"]) for one in found(runs)[0]["series"]}["barrier"] == RUNS
    shutil.rmtree("runs")
    place().unlink()
    monthly(Path("runs"), 10, 10)
    for at in range(5):
        change_points(Path(f"runs/quick-{at:04}"), lambda record: record["point"].update(sync="barrier"))
    sizes = {one["point"]: len(one["runs"]) for one in found(runs)[0]["series"]}
    assert {name: size for name, size in sizes.items() if name.startswith("barrier")} == {
        "barrier \N{MIDDLE DOT} sync=barrier": 5,
        "barrier \N{MIDDLE DOT} sync=dissemination": 5,
    }


def test_few_runs_are_said(groma: Groma) -> None:
    monthly(Path("runs"), 3, 3)
    said = groma("history")
    assert "3 runs, 2026-01-02 03:04 to 2026-01-04 03:04: no change in 5 series." in said.out
    assert "5 series have fewer than 7 runs, in which no change can be found." in said.out


@refused(
    ("none", "none does not exist: name a run directory, or a folder of run directories such as runs"),
    ("runs/quick-0000/run.json", "run.json is a file: name a run directory"),
    ("--plan quikc", "there is no run of the plan 'quikc'; did you mean 'quick'?"),
    ("--forget runs/none", "runs/none is not in the history; name the directory of a run"),
    ("--format xml", "'xml' is not one of 'text', 'markdown', 'json'"),
)
def test_wrong_input_is_one_sentence(runs: Groma, arguments: str, says: str) -> None:
    runs("history", *arguments.split()).refuses(says)


def test_no_run_at_all_is_said(groma: Groma) -> None:
    said = groma("history")
    assert (said.code, said.out) == (0, "")
    assert "There is no run with figures; measure with groma run, or name the folder of runs." in said.err


def test_a_store_that_is_none_is_said(runs: Groma) -> None:
    place().parent.mkdir(parents=True)
    place().write_text("something else, and long enough to be read as a header of a database\n" * 20)
    said = runs("history")
    assert said.code == 2
    assert "is no store of runs (file is not a database); move it away" in said.err


def test_a_store_of_a_newer_groma_is_said(runs: Groma) -> None:
    place().parent.mkdir(parents=True)
    with sqlite3.connect(place()) as connection:
        connection.execute("PRAGMA user_version = 99")
    said = runs("history")
    assert (said.code, "was written by a newer Groma" in said.err) == (2, True)


def test_a_folder_that_is_a_file_is_said(runs: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").write_text("")
    monkeypatch.setenv("GROMA_CONFIG", "file")
    said = runs("history")
    assert (said.code, "or set GROMA_CONFIG" in said.err) == (1, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_said(runs: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("locked").mkdir(mode=0o500)
    monkeypatch.setenv("GROMA_CONFIG", "locked")
    said = runs("history")
    assert (said.code, "or set GROMA_CONFIG" in said.err) == (1, True)


def test_a_store_keeps_one_version_of_a_run(runs: Groma) -> None:
    found(runs)
    with opened() as store:
        (number, run), *_ = store.runs([str(Path("runs").resolve())]).items()
        assert len(list(store.figures([number]))) == 5
        store.put(run, [Figure("{}", 1.0, None, None, 0.0)])
        stored = store.runs([], [run.path])
        assert [figure.ns for _, figure in store.figures(list(stored))] == [1.0]
        assert len(store.stamps()) == RUNS


@pytest.mark.slow
def test_a_baseline_is_made_of_the_runs_since_the_last_change(runs: Groma) -> None:
    said = runs("baseline", "set", "spring", "--from-history")
    assert said.code == 0, said.err
    assert {run.meta.created[:10] for run in baseline("spring").runs} == {f"2026-01-{day}" for day in range(13, 22)}
    assert "9 runs, 2026-01-13 03:04 to 2026-01-21 03:04, since allreduce" in said.err
    assert "9 visits." in said.err
    assert "With it, groma gate spring --over TIME finds a slowdown of " in said.err
    assert "Each of these 9 runs against the others: none would be called slower at any point" in said.err
    assert "a rule of 10% above the others' mean would alarm for none." in said.err
    gate = runs("gate", "spring", "runs/quick-0000", "--strict")
    assert gate.out.startswith("No regression: "), gate.out


def test_a_rule_of_ten_per_cent_is_judged_by_the_runs_themselves(groma: Groma) -> None:
    monthly(Path("runs"), 12, 12)
    made(Path("runs/slow"), 99, MONTHLY, {"barrier": 1.3})
    change_document(Path("runs/slow"), created="2026-01-08T12:00:00+00:00")
    said = groma("baseline", "set", "spring", "--from-history")
    assert "in a history without a change" in said.err
    assert "would alarm for 1." in said.err


@refused(
    ("set spring", "name the runs to keep, or --from-history for those since the last change"),
    ("set spring runs/quick-0000 --plan quick", "--plan chooses among the runs of a history; add --from-history"),
    ("set spring --from-history empty", "there is no run with figures in the history"),
    ("set spring --from-history short", "2 runs of one plan and library are there since "),
    ("set spring --from-history runs two", "the history has 2 groups of runs (quick on node01"),
)
def test_wrong_wishes_for_a_baseline_are_one_sentence(runs: Groma, arguments: str, says: str) -> None:
    Path("empty").mkdir()
    if "short" in arguments:
        monthly(Path("short"), 14, 4, factor=1.3)
        for at in range(4, 12):
            found(runs, f"short/quick-{at:04}")
            shutil.rmtree(f"short/quick-{at:04}")
    if "two" in arguments:
        change_document(made(Path("two/one"), 1, MONTHLY), host="node02")
    runs("baseline", *arguments.split()).refuses(says)


def test_many_runs_are_thinned_and_keep_their_ends() -> None:
    figures = [Figure("{}", 1000.0 + at, 900.0 + at, 1100.0 + at, 0.0) for at in range(1000)]
    line = Timeline("barrier", "barrier", None, "", {}, list(range(1000)), figures)
    rows = thinned(line, [float(at) for at in range(1000)])
    assert len(rows) <= MOST_COLUMNS
    assert rows[0][1] == 0.9
    assert rows[-1][2] == pytest.approx(2.099)
    assert all(low <= figure <= high for figure, low, high in rows)
    few = Timeline("barrier", "barrier", None, "", {}, list(range(50)), figures[:50])
    assert len(thinned(few, [float(at) for at in range(50)])) == 50
