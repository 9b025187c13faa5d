"""What only the first message after the engine's own messages takes is in the last warm-up, and in no sample."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest
from engine.launches import launch_plan

from engine import preloaded

pytestmark = pytest.mark.mpi

LATE_NS = 100_000_000  # as in interpose/after.c


@pytest.mark.slow
def test_the_last_warmup_comes_after_the_engines_own_messages(library: beds.Library, tmp_path: Path) -> None:
    asked = {"operation": "pingpong", "bytes": 8, "timing": "block", "block": 10, "stop": "reps", "repetitions": 1}
    points = [asked | {"warmups": warmups} for warmups in (0, 1, 5)]
    launch = launch_plan(library, 2, tmp_path, points, preload=preloaded.build(library, "after", tmp_path))
    assert launch.result.exit_code == 0, launch.report()
    cold, one, five = launch.of_kind("point")
    assert cold["samples_ns"][0] >= LATE_NS, "nothing was planted"
    assert max(one["samples_ns"] + five["samples_ns"]) < LATE_NS
    # The call whose data was checked, and all warm-ups but the last.
    assert [len(record["warmup_ns"]) for record in (cold, one, five)] == [1, 1, 5]
