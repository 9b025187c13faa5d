"""The scripts of examples/stories, typed as they stand there, on an engine and a scheduler that measure nothing."""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import beds
import pytest
from fakes import ENGINE, MPIEXEC
from fakes.libraries import program

STORIES = Path(__file__).parents[2] / "examples" / "stories"
GROMA = f"#!{sys.executable}\nfrom groma.cli.main import main; main()\n"
# The nodes are free: the job runs at once, here.
SBATCH = """#!/usr/bin/env bash
export SLURM_JOB_ID=7 SLURM_JOB_NODELIST=fake SLURM_NTASKS=2 SLURM_TASKS_PER_NODE=2 SLURM_JOB_NUM_NODES=1
exec bash "${!#}"
"""


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment of somebody who types in an empty folder."""
    monkeypatch.chdir(tmp_path)
    program(tmp_path / "bin" / "groma", GROMA)
    program(tmp_path / "bin" / "sbatch", SBATCH)
    return dict(os.environ) | {
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "GROMA_CONFIG": str(tmp_path / "config"),
        "GROMA_ENGINE": str(ENGINE),
        "GROMA_MPIEXEC": str(MPIEXEC),
    }


@pytest.mark.slow
def test_an_administrator_asks_every_month(typed: dict[str, str]) -> None:
    """Three months make the limits and the baseline; a month like these passes, and a slower one ends with 4."""
    Path("plan.toml").write_text("launches = 6\n[[points]]\noperation = 'pingpong'\nbytes = 8\n")
    script = ["bash", str(STORIES / "administrator.sh")]
    prepared = beds.run([*script, "prepare", "plan.toml"], typed)
    assert prepared.exit_code == 0, prepared.errors
    assert Path("job.sh").read_text().splitlines()[-1].endswith("groma run --or-resume -o runs/month plan.toml")
    for month in (1, 2, 3):
        assert not Path("limits.toml").exists()
        said = beds.run([*script, "month"], typed)
        assert said.exit_code == 0, said.errors
        assert len(list(Path("runs").glob("month-*"))) == month
    assert Path("limits.toml").is_file()
    same = beds.run([*script, "month"], typed)
    assert same.exit_code == 0, same.output + same.errors
    assert "Within limits: " in same.output
    assert "No regression: " in same.output
    slower = beds.run([*script, "month"], typed | {"FAKE_ENGINE": "slower=30"})
    assert slower.exit_code == 4
    assert "Outside its limits: " in slower.output
    assert "Regression: 1 point slower than first" in slower.output


@pytest.mark.slow
def test_a_student_asks_which_halo_exchange_is_fastest(typed: dict[str, str]) -> None:
    """As many launches as can decide are made by default; here every exchange takes the same time."""
    said = beds.run(["bash", str(STORIES / "student.sh")], typed)
    assert said.exit_code == 0, said.errors
    assert "the fewest that can show that one of 75 ratios differs" in said.errors
    assert "\nNo winner: none of halo/sendrecv, " in said.output
    table = said.output.partition("halo/*  one exchange")[2].partition("\n\n")[0]
    assert all(f"{size}  " in table for size in ("8 B", "64 B", "512 B", "4 KiB", "32 KiB")), "sizes are rows"
    (run,) = Path("runs").iterdir()
    assert run.name.startswith("halo-")
    assert {str(run), "halo.svg", "halo.tex", "halo.csv"} <= set(said.output.splitlines())
    drawing = Path("halo.svg").read_text()
    assert all(f">{name}" in drawing for name in ("halo/sendrecv", "halo/persistent"))
    with Path("halo.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["operation"] for row in rows} > {"halo/sendrecv", "halo/persistent"}
    assert "\\begin{tabular}" in Path("halo.tex").read_text()
