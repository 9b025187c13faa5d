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
@pytest.mark.parametrize(
    ("program", "tests", "sizes"),
    [("imb", "PingPong,Uniband,Bcast,Barrier", "8"), ("imb_rma", "Unidir_put,Bidir_get,Put_local,Fetch_and_op", "4")],
)
def test_intel_s_own_imb_is_compared_and_the_figures_have_the_same_unit(
    program: str, tests: str, sizes: str, tmp_path: Path
) -> None:
    words = ["--program", program, "--only", tests, "--rounds", "1", "--bytes", sizes, "--ranks", "2"]
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
