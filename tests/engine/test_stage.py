"""Hosts that share no files: what is missing is said before a launch, copied, and the run directory stays here."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import beds
import hosts
import pytest

from groma.results import load_run

pytestmark = [pytest.mark.mpi, pytest.mark.bed("hosts", "embedded")]

BIN = Path(sys.executable).parent
GROMA = str(BIN / "groma")
ENGINE = BIN / "groma-engine"
BRIEF = ["--set", "sync=barrier", "--set", "slot_s=0.01", "--launches", "1", "--any-placement"]


@pytest.fixture
def bed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[hosts.Hosts]:
    """Two hosts, of which the second has neither this virtual environment nor the folder of the runs."""
    monkeypatch.delenv("GROMA_ENGINE", raising=False)
    for name, value in beds.libraries()["embedded"].variables.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "runs").mkdir()
    with hosts.virtual_hosts(2) as up:
        up.hide(1, sys.prefix)
        up.hide(1, tmp_path / "runs")
        yield up


def measured(bed: hosts.Hosts, folder: Path) -> beds.Result:
    launcher = f"{BIN / 'mpiexec'} -launcher ssh -launcher-exec {bed.agent}"
    words = ["allreduce", "--bytes", "8", *BRIEF, "--hosts", ",".join(bed.names), "--launcher", launcher]
    return beds.run([GROMA, "run", *words, "-o", str(folder)])


def checks(run: Path) -> str:
    """Return what the checks of a run say, on one line."""
    shown = beds.run([GROMA, "show", str(run), "--checks"])
    assert shown.exit_code == 0, shown.errors
    return " ".join(shown.output.split())


@pytest.mark.slow
def test_what_a_host_lacks_is_copied_to_it_and_the_run_directory_is_needed_on_one_host_only(
    bed: hosts.Hosts, tmp_path: Path
) -> None:
    here, there = bed.names
    run = tmp_path / "runs/run"
    without_launcher = measured(bed, run)
    assert without_launcher.exit_code == 2
    assert f"does not start programs on {there}" in without_launcher.errors
    assert f"groma stage {there}" in without_launcher.errors

    stage = [GROMA, "stage", f"{here},{there}", "--shell", str(bed.agent)]
    staged = beds.run(stage)
    assert staged.exit_code == 0, staged.errors
    assert f"{here}: has them already\n{there}: has them now\n" in staged.errors
    assert f"{there}: has them already" in beds.run(stage).errors

    library = BIN.parent / "lib/libmpi_abi.so.1"
    for gone, said in (
        (library, f"the MPI library of {ENGINE} is not on {there}"),
        (ENGINE, f"{ENGINE} is not on {there}"),
    ):
        bed.run(1, f"mv {gone} {gone}.gone")
        refused = measured(bed, run)
        assert refused.exit_code == 2
        assert said in refused.errors
        assert f"groma stage {there}" in refused.errors
        assert not run.exists()
        bed.run(1, f"mv {gone}.gone {gone}")

    done = measured(bed, run)
    assert done.exit_code == 0, done.output + done.errors
    assert "hosts alike 2 hosts with the same " in checks(run)
    files = json.loads((run / "run.json").read_text())["host_files"]
    assert [host["name"] for host in files] == [here, there]
    assert files[0]["library"] == files[1]["library"] != ""
    assert files[0]["engine_sum"] == files[1]["engine_sum"] != ""
    (launch,) = load_run(run).launches
    assert launch.nodes is not None
    assert [node.name for node in launch.nodes.nodes] == [here, there]
    assert bed.run(1, f"ls {tmp_path}/runs") == ""


@pytest.mark.slow
def test_an_engine_that_is_another_one_on_a_host_is_said(bed: hosts.Hosts, tmp_path: Path) -> None:
    stage = [GROMA, "stage", bed.names[1], "--shell", str(bed.agent)]
    assert beds.run(stage).exit_code == 0
    bed.run(1, f"cp {ENGINE} {ENGINE}.other && echo >> {ENGINE}.other && mv {ENGINE}.other {ENGINE}")
    done = measured(bed, tmp_path / "runs/run")
    assert done.exit_code == 0, done.output + done.errors
    said = checks(tmp_path / "runs/run")
    assert "hosts alike" in done.output
    assert f"Not all hosts have the same: engine {ENGINE}: " in said
    assert f" on {bed.names[1]}, " in said


def test_a_host_that_cannot_be_reached_is_named(bed: hosts.Hosts) -> None:
    staged = beds.run([GROMA, "stage", "nowhere", "--shell", str(bed.agent)])
    assert staged.exit_code == 2
    assert "groma-engine could not be copied to nowhere by" in staged.errors
