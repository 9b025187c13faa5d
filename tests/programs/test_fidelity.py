"""`make fidelity` in small: the IMB-MPI1 that Intel ships beside the profile that stands for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from beds import ROOT, run

from benchmarks.fidelity.document import STUDY
from benchmarks.fidelity.rows import ALL_ROWS


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.bed("intel")
def test_intel_s_own_imb_is_compared_and_the_figures_have_the_same_unit(tmp_path: Path) -> None:
    tests = "PingPong,Uniband,Bcast,Barrier"
    words = ["--program", "imb", "--only", tests, "--rounds", "1", "--bytes", "8", "--ranks", "2"]
    environment = {name: value for name, value in os.environ.items() if name != "GROMA_REAL_PROGRAMS"}
    environment["PYTHONPATH"] = str(ROOT)
    done = run([sys.executable, "-m", "benchmarks.fidelity", *words, "--write", str(tmp_path)], environment, 600)
    assert done.exit_code == 0, done
    (rows,) = STUDY.rows(tmp_path)
    assert [row.test for row in rows if row.test != ALL_ROWS] == tests.split(",")
    assert "Of 4 rows," in (tmp_path / "fidelity.md").read_text()
    ratios = np.array([row.ratio for row in rows])
    assert np.isfinite(ratios).all()
    assert 0.05 < np.median(ratios) < 20, ratios  # a busy machine moves a row, not a unit: that would be 64 or 1000
