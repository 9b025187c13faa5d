"""How the engine starts MPI, and that it adds no thread to an operation without: that costs figures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan

from engine import preloaded

pytestmark = pytest.mark.mpi

POINT: dict[str, Any] = {"operation": "pingpong", "bytes": 8}


@pytest.mark.one_case
@pytest.mark.parametrize("level", ["single", "funneled", "serialized", "multiple"])
def test_the_thread_level_asked_for_is_the_one_in_force(library: beds.Library, tmp_path: Path, level: str) -> None:
    launch = launch_plan(library, 2, tmp_path, [POINT], settings={"thread_level": level})
    assert launch.result.exit_code == 0, launch.report()
    (start,) = launch.of_kind("start")
    order = ["single", "funneled", "serialized", "multiple"]
    assert start["thread_level"]["asked"] == level
    assert order.index(start["thread_level"]["provided"]) >= order.index(level)


def test_it_is_single_where_nothing_is_asked(library: beds.Library, tmp_path: Path) -> None:
    launch = launch_plan(library, 2, tmp_path, [POINT])
    assert launch.of_kind("start")[0]["thread_level"]["asked"] == "single"


def test_a_level_on_the_command_line(library: beds.Library, tmp_path: Path) -> None:
    out = tmp_path / "points.jsonl"
    words = ["pingpong", "--stop", "reps", "--repetitions", "3", "--thread_level", "multiple", "--out", str(out)]
    result = library.run(2, *words)
    assert result.exit_code == 0, result.errors
    assert json.loads(out.read_text().splitlines()[0])["thread_level"]["asked"] == "multiple"


def test_a_rank_that_could_not_read_the_level_is_named(library: beds.Library, tmp_path: Path) -> None:
    """A pipe is read once, by rank 0: the others started MPI before they knew."""
    plan = {"schema": 1, "thread_level": "multiple", "points": [POINT | {"stop": "reps"}]}
    script = tmp_path / "start"
    script.write_text(f"#!/bin/sh\necho '{json.dumps(plan)}' | {library.engine} --plan /dev/stdin\n")
    script.chmod(0o755)
    result = library.run(2, engine=script)
    assert result.exit_code == 2, result.errors
    assert re.search(r"thread_level=multiple, but rank 0 started MPI with single.*every host can read", result.errors)


def test_measuring_adds_no_thread(library: beds.Library, tmp_path: Path) -> None:
    """With a limit in force: what watches over it must not make a second thread of the measuring process."""
    preload = preloaded.build(library, "tasks", tmp_path)
    launch = launch_plan(library, 2, tmp_path, [POINT | {"limit_s": 30}], preload=preload)
    assert launch.result.exit_code == 0, launch.report()
    counts = re.findall(r"tasks (\d+) (\d+)", launch.result.errors)
    assert len(counts) == 2, launch.report()
    assert all(before == after for before, after in counts), counts
