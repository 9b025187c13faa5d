"""MPI's start, the first messages and MPI's end: times that each launch has once, and who must ask for them."""

from __future__ import annotations

import json
from pathlib import Path

import beds
import pytest
from engine.launches import launch_plan

pytestmark = pytest.mark.mpi

FIRST, SECOND, END = "first_message", "second_message", "mpi_finalize"


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", [2, 3, 4, pytest.param(5, marks=pytest.mark.slow)])
def test_a_launch_has_each_time_once(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    points = [{"operation": name, "per_rank": True} for name in ("mpi_init", FIRST, SECOND)]
    launch = launch_plan(library, ranks, tmp_path, points)
    assert launch.result.exit_code == 0, launch.report()
    init, first, second = launch.of_kind("point")
    (start,) = launch.of_kind("start")
    assert len(init["samples_ns"]) == 1
    assert init["samples_ns"] == [max(times[0] for times in init["ranks_ns"])]
    assert 1e5 < init["samples_ns"][0] < 1e9 * beds.HANG_S, "no library starts in 0.1 ms"
    turns = ranks if ranks % 2 else ranks - 1
    for point in (first, second):
        assert len(point["samples_ns"]) == turns
        assert min(point["samples_ns"]) > 0
        alone = [sum(times[turn] == 0 for times in point["ranks_ns"]) for turn in range(turns)]
        assert alone == [ranks % 2] * turns, "one rank has no partner if they are odd"
    assert launch.of_kind("revisit") == []
    memory = start["process_memory"]
    assert 0 < memory["before_bytes"] < memory["after_bytes"] <= memory["after_messages_bytes"]


def test_first_messages_are_asked_for_on_the_command_line(embedded: beds.Library, tmp_path: Path) -> None:
    """No rank knows a plan when MPI starts; words of the command are known to all."""
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"schema": 1, "points": [{"operation": FIRST}]}))
    without = embedded.run(2, "--plan", plan, "--out", tmp_path / "points.jsonl")
    assert without.exit_code == 2
    assert without.errors.count("add --first-messages yes") == 1
    named = embedded.run(2, FIRST, SECOND)
    assert named.exit_code == 0, named.errors
    assert FIRST in named.output
    wrong = embedded.run(2, FIRST, "--first-messages", "no")
    assert wrong.exit_code == 2
    assert "--first-messages is yes, or is left out" in wrong.errors


def test_a_start_that_takes_no_messages_says_no_memory_after_them(embedded: beds.Library, tmp_path: Path) -> None:
    launch = launch_plan(embedded, 2, tmp_path, [{"operation": "mpi_init"}])
    assert launch.result.exit_code == 0, launch.report()
    assert "after_messages_bytes" not in launch.of_kind("start")[0]["process_memory"]


@pytest.mark.one_case
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_the_end_of_mpi_is_recorded_when_it_is_over(library: beds.Library, tmp_path: Path, ranks: int) -> None:
    launch = launch_plan(library, ranks, tmp_path, [{"operation": END}, {"operation": "barrier"}])
    assert launch.result.exit_code == 0, launch.report()
    assert [record["kind"] for record in launch.records][-2:] == ["point", "end"]
    barrier, end = launch.of_kind("point")
    assert (barrier["point"]["operation"], end["point"]["operation"]) == ("barrier", END)
    assert (barrier["sequence"], end["sequence"]) == (1, 0)
    assert end["samples_ns"] == [end["first_call_ns"]] == [end["median_ns"]]
    assert 1e3 < end["median_ns"] < 1e9 * beds.HANG_S
    assert launch.of_kind("end")[0]["points"] == 2


def test_without_a_file_the_end_of_mpi_is_the_last_row(embedded: beds.Library) -> None:
    done = embedded.run(2, END, "barrier")
    assert done.exit_code == 0, done.errors
    assert [line.split()[0] for line in done.output.splitlines()][-2:] == ["barrier", END]
