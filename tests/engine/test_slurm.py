"""In jobs of a real Slurm: where ranks go, what a cancelled job keeps, and how a campaign ends before its job does."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import beds
import pytest
import slurm
from slurm_jobs import BRIEF, GROMA, SHORT, allocated, document, ended, eventually, inside, script, submitted, work_in

pytestmark = [pytest.mark.mpi, pytest.mark.bed("slurm", "embedded")]


@pytest.fixture(scope="module")
def bed() -> Iterator[slurm.Cluster]:
    """Two nodes with two CPUs each."""
    with slurm.cluster(2) as up:
        yield up


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bed: slurm.Cluster) -> None:
    """Work in an empty folder, where jobs then run too; waiting ranks let others have the CPUs, which nodes share."""
    work_in(tmp_path, bed, monkeypatch)


@pytest.mark.slow
def test_a_campaign_is_a_job_with_one_rank_on_each_node(bed: slurm.Cluster) -> None:
    job = submitted(bed, str(script("pingpong", "--bytes", "8", "--launches", "2", *BRIEF)))
    said = ended(bed, job)
    assert f"In Slurm job {job}: 2 hosts" in said
    assert document("run.json")["state"] == "complete", said
    launch = document("launches/001/launch.json")
    assert launch["command"][0].endswith("srun")
    assert {"--mpi=pmi2", "--nodes=2", "--nodelist=sn1,sn2", "--ntasks-per-node=1"} <= set(launch["command"])
    assert launch["misplaced"] == ""
    assert [place["node"] for place in document("launches/001/nodes.json")["ranks"]] == [0, 1]


def test_ranks_are_on_the_nodes_that_were_named_and_see_which_they_share() -> None:
    command = [GROMA, "run", "noop", "--hosts", "sn1,sn2", "-n", "3", "--launches", "1", *SHORT, *BRIEF, "-o", "out"]
    done = allocated(4, *command)
    assert document("launches/001/launch.json")["ranks"] == 3, done.errors
    assert document("launches/001/launch.json")["misplaced"] == ""
    assert [place["node"] for place in document("launches/001/nodes.json")["ranks"]] == [0, 0, 1]


@pytest.mark.slow
def test_a_cancelled_job_keeps_what_it_measured_and_the_next_one_goes_on(bed: slurm.Cluster) -> None:
    job_script = str(
        script("noop", "pingpong", "--bytes", "8", "--launches", "2", "--set", "stop=time", "--set", "slot_s=2")
    )
    job = submitted(bed, job_script)
    second = "launches/002/points.jsonl"
    eventually(lambda: inside(second).exists() and b'"point"' in inside(second).read_bytes())
    bed.run("scancel", job)
    said = ended(bed, job)
    assert document("run.json")["state"] == "interrupted", said
    assert "SIGTERM interrupted launch 2; what was measured is kept." in document("run.json")["notes"]
    first = inside("launches/001/points.jsonl").read_bytes()
    assert b'"kind":"end"' in first.replace(b" ", b"")
    said = ended(bed, submitted(bed, job_script))
    assert document("run.json")["state"] == "complete", said
    assert inside("launches/001/points.jsonl").read_bytes() == first
    assert b'"point"' in inside("superseded/002/points.jsonl").read_bytes()
    assert sorted(path.name for path in inside("launches").iterdir()) == ["001", "002"]


def test_the_signal_that_announces_the_end_of_a_job_ends_the_launch(bed: slurm.Cluster) -> None:
    job = submitted(bed, str(script("noop", "--launches", "50", *BRIEF)))
    eventually(lambda: inside("launches/002").exists())
    bed.run("scancel", "--batch", "--signal=USR1", job)
    said = ended(bed, job)
    assert document("run.json")["state"] == "interrupted", said
    assert any(note.startswith("SIGUSR1 interrupted launch") for note in document("run.json")["notes"])


@pytest.mark.slow
def test_no_launch_starts_that_the_job_has_no_time_for(bed: slurm.Cluster) -> None:
    text = script("noop", "--launches", "500", *BRIEF).read_text()
    Path("job.sh").write_text(text.replace("\ncd ", "\nwhile [ ! -e go ]; do sleep 0.1; done\ncd "))
    job = submitted(bed, "job.sh")
    eventually(lambda: "JobState=RUNNING" in bed.run("scontrol", "show", "job", job))
    bed.run("scontrol", "update", f"JobId={job}", "EndTime=now+12")
    Path("go").touch()
    said = ended(bed, job)
    assert document("run.json")["state"] == "partial", said
    (note,) = (note for note in document("run.json")["notes"] if "was not started" in note)
    assert f"Slurm job {job} ends in" in note
    assert "--resume" in note
    made = sorted(inside("launches").iterdir())
    assert all(b'"end"' in (launch / "points.jsonl").read_bytes() for launch in made)


def test_nodes_of_a_job_that_have_the_engine_are_left_alone() -> None:
    done = beds.run(["salloc", "-N", "2", "-n", "2", GROMA, "stage"], environment=dict(os.environ))
    assert done.exit_code == 0, done.errors
    assert "sn1: has them already\nsn2: has them already\n" in done.errors


def test_groma_started_twice_by_srun_is_refused_by_both() -> None:
    done = beds.run(["srun", "-N", "2", "-n", "2", GROMA, "run", "noop", "-o", "out"], environment=dict(os.environ))
    assert done.exit_code == 2
    assert done.errors.count("2 copies of it run") == 2
    assert not Path("out").exists()


@pytest.mark.slow
def test_each_launch_is_a_job_of_an_array_and_one_runs_at_a_time(bed: slurm.Cluster) -> None:
    job = submitted(bed, str(script("noop", "--launches", "3", "--job-per-launch", *BRIEF)))
    eventually(lambda: not bed.run("squeue", "-h"))
    said = [path.read_text() for path in sorted(Path().glob(f"*{job}-*.out"))]
    assert len(said) == 3
    assert document("run.json")["state"] == "complete", said
    assert ["The run is paused" in text for text in said] == [True, True, False], said
    launches = [document(f"launches/00{number}/launch.json") for number in (1, 2, 3)]
    assert len({launch["environment"]["SLURM_JOB_ID"] for launch in launches}) == 3
    assert all(before["finished"] <= after["started"] for before, after in itertools.pairwise(launches))
    states = [bed.run("scontrol", "show", "job", f"{job}_{number}") for number in (1, 2, 3)]
    assert all("JobState=COMPLETED" in state for state in states), states
