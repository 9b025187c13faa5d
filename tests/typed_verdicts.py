"""Checks of the pages' commands that explain a difference, name what is slow, or measure what distance costs."""

from __future__ import annotations

import shutil
from pathlib import Path

import documented
from typed_commands import Place

from groma.results import load_run
from groma.results.reasons import read_reasons

RECORDED = Path(__file__).parent / "recorded"


def methods_are_explained(place: Place) -> None:
    said = place.type("--launches", "6")
    run = Path(said.last_line).parent
    assert {"explain.html", "explain.json"} <= {path.name for path in run.iterdir()}
    assert "together" in said.out
    assert "factor" in said.out


def programs_take_turns(place: Place) -> None:
    said = place.type("--launches", "1")
    assert said.code == 0
    run = load_run(said.last_line)
    assert [launch.variant for launch in run.launches] == ["mpptest", "mpbench", "pmb"] * 2
    assert {"bcast", "alltoall"} == {reason.call for reason in read_reasons(run.path)}
    assert "Why they differ" in said.out


def programs_are_one_page(place: Place) -> None:
    said = place.type("-o", "page.html", RUN_A=RECORDED / "mpptest", RUN_B=RECORDED / "pmb")
    assert said.code == 0
    assert "time over that of mpptest" in Path("page.html").read_text()


def who_is_slow(place: Place) -> None:
    said = place.type("--launches", "1")
    assert said.code == 0
    assert "Stage screen: 96 of 120 pairs of 16 ranks in 12 rounds." in said.err
    assert "No slow rank and no slow link was found." in said.out


def the_network_in_ten_figures(place: Place) -> None:
    said = place.type("--launches", "1", "--set", "rings=1", "--set", "long_rings=1")
    assert said.code == 0
    assert "Stage pairs: all 240 ordered pairs of 16 ranks, one after another." in said.err
    assert "ring in the order of the ranks" in said.out


def its_ten_lines(place: Place) -> None:
    shutil.copytree(RECORDED / "hpcc", "out")
    lines = [line for line in place.type(run="out").out.splitlines() if not line.startswith("#")]
    assert len(lines) == 10
    assert sum(line.startswith("RandomlyOrderedRingLatency_usec=") for line in lines) == 1


def the_list_alone(place: Place) -> None:
    shutil.copytree(RECORDED / "acceptance", "out")
    assert "2 ranks: 7 of 14 lines of the list measured." in place.type(run="out").out


def what_distance_costs(place: Place) -> None:
    said = place.type("--launches", "1", "--dry-run")
    assert said.code == 0, said.err
    assert "operation=pingpong bytes=8 " in said.out
    assert ("node1: rank 0; node2: rank 1" in said.out) == ("--hosts" in place.command)
    assert "# no farthest-node: " in said.out


def the_steps_here(place: Place) -> None:
    said = place.type()
    assert said.code == 0
    assert "no farthest-node" in said.out


def the_verdict_alone(place: Place) -> None:
    """The guide shows what the recorded run says."""
    shutil.copytree(RECORDED / "pairs", "out")
    said = place.type(run="out")
    (shown,) = (text for _, text in documented.other_blocks() if text.startswith("Slow node"))
    assert [line for line in said.out.splitlines() if line in shown.splitlines()] == shown.splitlines()
