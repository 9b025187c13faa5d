"""Nodes and libraries of a real Slurm: PMIx, a Slurm without it, nodes that are drained or fail, CPUs of a task."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import beds
import pytest
import slurm
from slurm_jobs import (
    BRIEF,
    GROMA,
    SHORT,
    active,
    document,
    ended,
    eventually,
    inside,
    script,
    state_of,
    steps_of,
    submitted,
    work_in,
)

pytestmark = [pytest.mark.mpi, pytest.mark.bed("slurm")]

LONG = ["noop", "--launches", "3", "--set", "stop=time", "--set", "slot_s=2"]


@pytest.fixture
def bed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[slurm.Cluster]:
    """Two nodes with two CPUs each, and an empty folder to work in."""
    with slurm.cluster(2) as up:
        work_in(tmp_path, up, monkeypatch)
        yield up


def in_job(*words: str, cpus_per_task: int = 1) -> beds.Result:
    """Run `groma run` in a job of two tasks on two nodes."""
    size = ["-N", "2", "-n", "2", "-c", str(cpus_per_task), "-t", "5"]
    return beds.run(["salloc", *size, GROMA, "run", *words, *SHORT, *BRIEF, "-o", "out"], environment=dict(os.environ))


@pytest.mark.slow
@pytest.mark.bed("openmpi")
def test_open_mpi_is_started_through_pmix(bed: slurm.Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work_in(tmp_path, bed, monkeypatch, "openmpi")
    monkeypatch.setenv("GROMA_ENGINE", str(beds.libraries()["openmpi"].engine))
    done = in_job("pingpong", "--bytes", "8", "--launches", "2")
    assert document("run.json")["state"] == "complete", done.errors
    assert {"--mpi=pmix", "--nodes=2"} <= set(document("launches/001/launch.json")["command"])
    assert document("run.json")["library"]["name"] == "Open MPI"
    assert document("run.json")["notes"] == []
    assert [place["node"] for place in document("launches/001/nodes.json")["ranks"]] == [0, 1]


@pytest.mark.slow
@pytest.mark.bed("openmpi")
def test_a_slurm_without_pmix_leaves_the_ranks_to_the_librarys_launcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with slurm.cluster(2, lacking="mpi_pmix*") as bed:
        work_in(tmp_path, bed, monkeypatch, "openmpi")
        monkeypatch.setenv("GROMA_ENGINE", str(beds.libraries()["openmpi"].engine))
        done = in_job("pingpong", "--bytes", "8", "--launches", "1")
        assert document("run.json")["state"] == "complete", done.errors
        (note,) = document("run.json")["notes"]
        assert " has no --mpi=pmix, which ranks of Open MPI need (" in note
        assert done.errors.count(note) == 1
        assert "srun" not in document("launches/001/launch.json")["command"][0]
        assert [place["node"] for place in document("launches/001/nodes.json")["ranks"]] == [0, 1]


@pytest.mark.one_case
@pytest.mark.bed("embedded")
def test_the_cpus_of_a_task_are_handed_on(bed: slurm.Cluster) -> None:
    done = in_job("noop", "--launches", "1", cpus_per_task=2)
    assert document("run.json")["state"] == "complete", done.errors
    assert "--cpus-per-task=2" in document("launches/001/launch.json")["command"]
    del bed


@pytest.mark.bed("embedded")
def test_the_cpus_of_the_nodes_count_and_not_those_of_this_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpus = len(os.sched_getaffinity(0)) + 2
    with slurm.cluster(1, cpus=cpus) as bed:
        work_in(tmp_path, bed, monkeypatch)
        words = ["salloc", "-N", "1", "--exclusive", GROMA, "run", "noop", "--dry-run", "-n"]
        fits, crowded = (beds.run([*words, str(ranks)], environment=dict(os.environ)) for ranks in (cpus, cpus + 1))
    assert fits.exit_code == crowded.exit_code == 0, fits.errors + crowded.errors
    assert "share CPUs" not in fits.output
    assert f"{cpus + 1} ranks on {cpus} CPUs" in crowded.output


@pytest.mark.slow
@pytest.mark.bed("embedded")
def test_a_drained_node_ends_no_job_and_the_next_one_goes_on_with_those_left(bed: slurm.Cluster) -> None:
    job_script = str(script(*LONG))
    job = submitted(bed, job_script)
    eventually(lambda: inside("launches/002").exists())
    bed.run("scontrol", "update", "NodeName=sn2", "State=DRAIN", "Reason=test")
    eventually(lambda: inside("launches/003").exists())
    bed.run("scancel", job)
    said = ended(bed, job)
    assert document("run.json")["state"] == "interrupted", said
    first = inside("launches/001/points.jsonl").read_bytes()
    waiting = submitted(bed, job_script)
    smaller = submitted(bed, "--nodes=1", "--ntasks-per-node=2", job_script)
    said = ended(bed, smaller)
    assert state_of(bed, waiting) == "PENDING"
    assert document("run.json")["state"] == "complete", said
    assert inside("launches/001/points.jsonl").read_bytes() == first
    assert "--nodelist=sn1" in document("launches/003/launch.json")["command"]
    shown = beds.run([GROMA, "show", str(inside("run.json").parent), "--checks"])
    assert "more hosts in some launches than in others" in " ".join(shown.output.split()), shown.output


@pytest.mark.slow
@pytest.mark.bed("embedded")
def test_a_node_that_fails_loses_nothing_and_the_requeued_job_goes_on(bed: slurm.Cluster) -> None:
    job = submitted(bed, str(script(*LONG)))
    eventually(lambda: inside("launches/002").exists())
    eventually(lambda: bool(steps_of(job)))
    bed.run("scontrol", "update", "NodeName=sn2", "State=DOWN", "Reason=test")
    eventually(lambda: state_of(bed, job) == "PENDING")
    first = inside("launches/001/points.jsonl").read_bytes()
    assert b'"end"' in first
    eventually(lambda: bed.run("sinfo", "-h", "-n", "sn2", "-o", "%T").strip() == "idle")  # it registers again
    # A node refuses a job that starts in the second in which it was killed there, or before its steps have ended.
    eventually(lambda: not steps_of(job))
    bed.run("scontrol", "update", f"JobId={job}", "StartTime=now+2")
    eventually(lambda: state_of(bed, job) != "PENDING" and not active(bed, job))
    said = ended(bed, job)
    assert document("run.json")["state"] == "complete", said
    assert inside("launches/001/points.jsonl").read_bytes() == first
