"""Two programs take turns on real ranks: each by its own method, and the reasons why they differ."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import beds
import pytest

from groma.analysis import series, side_by_side, summarise
from groma.results import load_run
from groma.results.reasons import read_reasons

pytestmark = pytest.mark.mpi

GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]


def measured(embedded: beds.Library, run: Path, *words: str) -> Path:
    environment = dict(os.environ) | {"PYTHONPATH": os.pathsep.join(sys.path), "GROMA_ENGINE": str(embedded.engine)}
    plan = ["run", "bcast", "--profile", "pmb,mpibench", "--bytes", "1K", "-n", "2", "--set", "clock=monotonic"]
    ran = beds.run([*GROMA, *plan, *words, "-o", str(run)], environment)
    assert ran.exit_code == 0, ran.errors
    return run


def test_two_programs_take_turns(embedded: beds.Library, tmp_path: Path) -> None:
    run = load_run(measured(embedded, tmp_path / "run", "--launches", "2"))
    assert [launch.variant for launch in run.launches] == ["pmb", "mpibench", "mpibench", "pmb"]
    (both,) = side_by_side(run, series(summarise(run)))
    assert (both.title, list(both.curves)) == ("bcast, 2 ranks", ["pmb", "mpibench"])
    points = {name: curve.points[0].point for name, curve in both.curves.items()}
    methods = {name: (point["root"], point["timing"]) for name, point in points.items()}
    assert methods == {"pmb": ("rotate", "block"), "mpibench": ("fixed", "call")}
    assert [len(curve.points[0].launches) for curve in both.curves.values()] == [2, 2]
    ratio = both.ratios["mpibench"][1024]
    assert ratio.comparison.launches == 2 or not ratio.in_one_state  # the machine may change its state


@pytest.mark.slow
def test_two_programs_are_explained(embedded: beds.Library, tmp_path: Path) -> None:
    (reason,) = read_reasons(measured(embedded, tmp_path / "run", "--launches", "1", "--explain"))
    assert reason.key == ("bcast", 2, 1024, "pmb", "mpibench")
    assert "fixed root" in [share.words for share in reason.shares]
    assert reason.total is not None
    assert math.prod(share.ratio for share in reason.shares) == pytest.approx(reason.total.ratio)
