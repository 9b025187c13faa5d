"""`groma gate` on a real MPI library: nothing changed is no regression, and a slowed barrier is one."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import beds
import pytest

from engine import preloaded
from groma.results import load_run

pytestmark = pytest.mark.mpi

ADDED_NS = 200_000  # a hundred times a barrier: beyond what any load makes of it
GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
POINTS = ["noop", "pingpong", "barrier", "--bytes", "8", "--set", "slot_s=0.01", "--set", "sync=dissemination"]
ATTEMPTS = 3


def groma(environment: Mapping[str, str], *arguments: str | int | Path) -> beds.Result:
    return beds.run([*GROMA, *map(str, arguments)], environment)


@pytest.mark.slow
def test_a_gate_finds_what_was_planted_and_nothing_else(embedded: beds.Library, tmp_path: Path) -> None:
    plain = preloaded.environment(embedded, "slow", tmp_path, {"GROMA_SLOW_BARRIER_NS": 0})
    plain["GROMA_CONFIG"] = str(tmp_path / "config")
    made = groma(plain, "run", *POINTS, "-n", 2, "--launches", 6, "-o", tmp_path / "base")
    assert made.exit_code == 0, made.errors
    kept = groma(plain, "baseline", "set", "base", tmp_path / "base")
    assert kept.exit_code == 0, kept.errors

    same = groma(plain, "gate", "base", "--confirm", 2, "--margin", "20%", "--strict", "-o", tmp_path / "same")
    assert same.exit_code in (0, 125), same.output + same.errors

    slow = preloaded.environment(embedded, "slow", tmp_path, {"GROMA_SLOW_BARRIER_NS": ADDED_NS})
    slow["GROMA_CONFIG"] = plain["GROMA_CONFIG"]
    for attempt in range(ATTEMPTS):  # a burst of other work in one of the runs leaves it undecided
        run = tmp_path / f"attempt-{attempt}" / "slow"  # beside the others it would count as one of their earlier runs
        found = groma(slow, "gate", "base", "--confirm", 3, "--margin", "20%", "--strict", "-o", run)
        assert found.exit_code in (4, 125), found.output + found.errors
        if found.exit_code == 4:
            break
    assert found.exit_code == 4, found.output
    assert "barrier (" in found.output.partition("\n")[0]
    again = load_run(run / "confirm-1").meta.plan.points
    assert "barrier" in {point["operation"] for point in again}
