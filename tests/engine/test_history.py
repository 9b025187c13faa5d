"""`groma history` on a real MPI library: runs that were made are there, and one that was deleted stays."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import beds
import pytest

pytestmark = pytest.mark.mpi

GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
RUNS = 3


@pytest.mark.slow
def test_runs_are_one_series_and_make_a_baseline(embedded: beds.Library, tmp_path: Path) -> None:
    environment = embedded.environment({"GROMA_CONFIG": str(tmp_path / "config")})
    environment |= {"GROMA_ENGINE": str(embedded.engine), "GROMA_MPIEXEC": embedded.mpiexec}

    def groma(*arguments: str | Path) -> beds.Result:
        done = beds.run([*GROMA, *map(str, arguments)], environment)
        assert done.exit_code == 0, done.errors
        return done

    for number in range(RUNS):
        points = ["pingpong", "--bytes", "8", "--set", "slot_s=0.01", "--launches", "1"]
        groma("run", *points, "-o", tmp_path / f"runs/{number}")
    groma("baseline", "set", "now", tmp_path / "runs", "--from-history")
    assert len(list((tmp_path / "config/baselines/now").iterdir())) == RUNS
    shutil.rmtree(tmp_path / "runs/0")
    (group,) = json.loads(groma("history", tmp_path / "runs", "--format", "json").output)["groups"]
    (series,) = group["series"]
    assert len(series["runs"]) == RUNS
    assert all(10 < figure < 1e9 for figure in series["figures_ns"])
    assert len({run["path"] for run in group["runs"]}) == RUNS
