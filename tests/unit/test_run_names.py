"""Runs by the beginnings of their names, and --last."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from fakes import Groma, refused


@pytest.fixture
def runs(groma: Groma) -> list[Path]:
    """Four runs: two of bcast, then one of barrier and one of bcast and pingpong."""
    made = []
    for number, names in enumerate((["bcast"], ["bcast"], ["barrier"], ["bcast", "pingpong"])):
        target = Path(f"runs/{'-'.join(names)}-20260102-03040{number}")
        size = ["--bytes", "8"] * (names != ["barrier"])
        assert groma("run", *names, *size, "--launches", "6", "-o", str(target)).code == 0
        document = json.loads((target / "run.json").read_text())
        document |= {"created": f"2026-01-02T03:04:0{number}+00:00"}
        (target / "run.json").write_text(json.dumps(document))
        made.append(target)
    return made


def test_a_run_is_named_by_how_its_name_begins(groma: Groma, runs: list[Path]) -> None:
    said = groma("show", "bcast")
    assert said.code == 0, said.err
    assert said.err.startswith(f"bcast is {runs[1]}, the newest of 2.\n")
    assert said.out == groma("show", str(runs[1])).out, "a whole name goes before the beginnings of others"
    assert groma("show", "bar").err.startswith(f"bar is {runs[2]}.\n")
    assert groma("show", "bcast-p").err.startswith(f"bcast-p is {runs[3]}.\n")
    assert "is runs/" not in groma("show", runs[0].name).err
    assert groma("report", "bar").last_line == f"{runs[2]}/report.html"
    assert groma("export", "bar", "--to", "csv").last_line == f"{runs[2]}/points.csv"
    assert groma("baseline", "set", "spring", "bcast-20260102-030400").code == 0


@refused(
    ("show b", "b may be barrier or bcast or bcast-pingpong; write more of the run's name"),
    ("show nothing", "nothing is not a directory: give the path of a run, such as"),
    ("compare bcast b", "b may be barrier or bcast or bcast-pingpong"),
    ("show bar --last", "--last stands for the newest run; leave it out, or leave out a run"),
    ("compare bcast bar --last", "--last stands for the newest run; leave it out, or leave out a run"),
    ("compare --last", "there is only one run of bcast-pingpong under runs/; measure again, or name the runs"),
    ("report", "Missing argument 'RUN...'"),
    ("bundle", "Missing argument 'RUN'"),
)
def test_what_is_not_one_run_is_refused(arguments: str, says: str, groma: Groma, runs: list[Path]) -> None:
    assert runs
    groma(*arguments.split()).refuses(says)


def test_a_directory_and_a_baseline_go_before_the_beginning_of_a_name(groma: Groma, runs: list[Path]) -> None:
    assert groma("baseline", "set", "bcast", str(runs[0])).code == 0
    compared = json.loads(groma("compare", "bcast", "bcast-20260102-030401", "--format", "json").out)
    assert str(compared).count("bcast-20260102-030401") > 0
    shutil.copytree(runs[2], "bcast")
    assert "is runs/" not in groma("show", "bcast").err
    assert groma("show", "bcast").out.startswith("bcast  Fake 1.0")


def test_compare_finds_the_newest_of_both_names(groma: Groma, runs: list[Path]) -> None:
    assert groma("compare", "bcast-20", "bcast-pingpong").out == groma("compare", str(runs[1]), str(runs[3])).out


def test_last_is_the_newest_run(groma: Groma, runs: list[Path]) -> None:
    newest = str(runs[3])
    assert groma("show", "--last").out == groma("show", newest).out
    assert groma("report", "--last").last_line == f"{newest}/report.html"
    assert groma("export", "--last", "--to", "csv").last_line == f"{newest}/points.csv"
    assert groma("bundle", "--last").last_line == f"{runs[3].name}.groma.zip"
    assert groma("compare", "bcast", "--last").out == groma("compare", str(runs[1]), newest).out
    shutil.rmtree(newest)
    shutil.rmtree(runs[2])
    assert groma("compare", "--last").out == groma("compare", str(runs[0]), str(runs[1])).out
    asked = ("--operation", "bcast", "--bytes", "8")
    assert groma("explain", "--last", *asked).out == groma("explain", *map(str, runs[:2]), *asked).out
