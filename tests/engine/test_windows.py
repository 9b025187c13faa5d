"""Calls in windows follow each other without a message between them, whatever is done to the caches before each."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest
from engine.launches import launch_plan

from benchmarks.fidelity import calls
from benchmarks.fidelity.shared import build

pytestmark = pytest.mark.mpi

REPETITIONS = 40


@pytest.mark.parametrize("cache", ["warm", "rotate", "sweep", "flush"])
def test_no_message_lies_between_timed_calls(library: beds.Library, tmp_path: Path, cache: str) -> None:
    asked = {"operation": "allreduce", "bytes": 264, "sync": "window", "cache": cache, "repetitions": REPETITIONS}
    preload = build(str(library.mpicc), calls.SOURCE, tmp_path)
    written = {"GROMA_CALLS": str(tmp_path / "rank")}
    launch = launch_plan(library, 2, tmp_path, [asked], preload=preload, variables=written)
    assert launch.result.exit_code == 0, launch.report()
    (point,) = launch.of_kind("point")
    assert point["replaced"] == {}, "the first window of a batch leaves time to prepare the caches too"
    assert len(point["samples_ns"]) == REPETITIONS
    for number in range(2):
        kinds = calls.read((tmp_path / f"rank.{number}").read_text())
        # The engine's own sums are of other lengths.
        (timed,) = [kind for kind in kinds if (kind.function, kind.bytes) == ("Allreduce", 264)]
        in_a_row = dict(timed.next).get(timed.place, 0)
        assert in_a_row >= 0.75 * REPETITIONS
