"""`make fidelity` in small: the IMB-MPI1 that Intel ships beside the profile that stands for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from beds import ROOT, run
from engine.test_devices import driver

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


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.bed("intel")
def test_intel_s_imb_on_a_device_is_compared_on_stand_ins(tmp_path: Path) -> None:
    """Both sides' device memory is the host's there, which every library takes."""
    tests = "PingPong,Allreduce"
    words = ["--program", "imb", "--only", tests, "--rounds", "1", "--bytes", "8", "--ranks", "2", "--no-calls"]
    environment = {name: value for name, value in os.environ.items() if name != "GROMA_REAL_PROGRAMS"}
    drivers = driver(tmp_path, "libcuda.so.1", "-DREACHABLE")
    stand_in = ROOT / "tests" / "engine" / "stand_in" / "cudart.c"
    built = run(["cc", "-shared", "-fPIC", str(stand_in), "-o", str(drivers / "libcudart.so")])
    assert built.exit_code == 0, built.errors
    environment |= {
        "PYTHONPATH": str(ROOT),
        "I_MPI_OFFLOAD": "0",
        "LD_LIBRARY_PATH": f"{drivers}:{environment.get('LD_LIBRARY_PATH', '')}",
    }
    done = run([sys.executable, "-m", "benchmarks.fidelity", *words, "--write", str(tmp_path)], environment, 600)
    assert done.exit_code == 0, done
    (rows,) = STUDY.rows(tmp_path)
    found = {(row.program, row.test) for row in rows if row.test != ALL_ROWS}
    assert found == {(name, test) for name in ("IMB-MPI1", "IMB-MPI1-GPU") for test in tests.split(",")}
