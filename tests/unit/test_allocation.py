"""What a scheduler's variables and answers say of a job, and how a run in it behaves."""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import time
from pathlib import Path
from typing import Any

import pytest
from campaigns import PLAN, document
from fakes import ENGINE, Groma
from fakes.launchers import recording
from fakes.libraries import program

from groma.errors import InputError
from groma.launch import launcher as launchers
from groma.launch.allocation import Allocation, allocation, copies_started, default_ranks
from groma.launch.nodelist import expand, repeated
from groma.plan import profile_names
from groma.plan.hosts import Host, Hosts
from groma.run.campaign import usable_s

SLURM = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_CPUS_PER_NODE": "8(x2)", "SLURM_NTASKS": "4"}


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that comes first on PATH, for schedulers' commands."""
    folder = tmp_path / "scheduler"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


def says(path: Path, text: str) -> None:
    program(path, f"#!/bin/sh\ncat <<'SAYS'\n{text}\nSAYS\n")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n1", "n1"),
        ("n[1-3]", "n1 n2 n3"),
        ("n[001-003,7],login", "n001 n002 n003 n7 login"),
        ("r[1-2]n[09-10]", "r1n09 r1n10 r2n09 r2n10"),
        ("a-[1,3]-ib", "a-1-ib a-3-ib"),
        ("", ""),
        ("n[1-", ""),
        ("n[x]", ""),
        ("n1,n[x]", ""),
    ],
)
def test_lists_of_hosts_are_expanded(text: str, names: str) -> None:
    assert expand(text) == tuple(names.split())


@pytest.mark.parametrize(
    ("text", "numbers"), [("4", [4]), ("4(x2),2", [4, 4, 2]), ("72(x3)", [72] * 3), ("", []), ("4(x", [])]
)
def test_repeated_numbers_are_expanded(text: str, numbers: list[int]) -> None:
    assert repeated(text) == numbers


def test_no_scheduler_no_allocation() -> None:
    assert allocation({}) is None
    assert allocation({"SLURM_JOB_NODELIST": "n[1-2]", "PBS_JOBID": "1", "LSB_JOBID": "1"}) is None
    assert allocation({"SLURM_JOB_ID": "1"}) == Allocation("Slurm", "1", ())


def test_a_slurm_job() -> None:
    env = SLURM | {"SLURM_CPUS_PER_TASK": "2", "SLURM_JOB_END_TIME": "2000000000"}
    job = allocation(env)
    assert job == Allocation("Slurm", "7", (Host("n1", None, 4), Host("n2", None, 4)), 4, 2e9)
    assert job.names == ("n1", "n2")
    assert job.left_s(2e9 - 60) == 60


def test_the_end_of_a_slurm_job_without_the_variable(answers: Path) -> None:
    ends = dt.datetime.now().astimezone().replace(microsecond=0, tzinfo=None) + dt.timedelta(minutes=5)
    says(answers / "squeue", ends.isoformat())
    job = allocation(SLURM)
    assert job is not None
    assert job.ends_unix_s == ends.timestamp()
    says(answers / "squeue", "NONE")
    job = allocation(SLURM)
    assert job is not None
    assert job.left_s() is None


def test_a_pbs_job(answers: Path, tmp_path: Path) -> None:
    (tmp_path / "nodes").write_text("a.site\na.site\nb.site\nb.site\n")
    says(
        answers / "qstat",
        "Job Id: 3.pbs\n    Resource_List.walltime = 01:00:00\n    resources_used.walltime = 00:10:00",
    )
    before = time.time()
    job = allocation({"PBS_JOBID": "3.pbs", "PBS_NODEFILE": str(tmp_path / "nodes"), "NCPUS": "64"})
    assert job is not None
    assert (job.scheduler, job.tasks, job.nodes) == ("PBS", 4, (Host("a.site", 2, 2), Host("b.site", 2, 2)))
    assert before + 3000 <= (job.ends_unix_s or 0) <= time.time() + 3000


def test_a_pbs_job_whose_node_file_says_nothing_of_processors(tmp_path: Path) -> None:
    (tmp_path / "nodes").write_text("a\nb\n")
    job = allocation({"PBS_JOBID": "3", "PBS_NODEFILE": str(tmp_path / "nodes"), "NCPUS": "64", "PATH": ""})
    assert job is not None
    assert (job.nodes, job.tasks) == ((Host("a", None, 64), Host("b", None, 64)), None)


def test_an_lsf_job_without_the_host_that_only_starts_it(answers: Path) -> None:
    says(answers / "bjobs", "0:29 L")
    says(answers / "jsrun", "")
    before = time.time()
    job = allocation({"LSB_JOBID": "5", "LSB_MCPU_HOSTS": "batch1 1 a 42 b 42"})
    assert job is not None
    assert (job.nodes, job.tasks) == ((Host("a", 42, 42), Host("b", 42, 42)), 84)
    assert before + 29 * 60 <= (job.ends_unix_s or 0) <= time.time() + 29 * 60
    job = allocation({"LSB_JOBID": "5", "LSB_MCPU_HOSTS": "a 1 b 1"})
    assert job is not None
    assert job.names == ("a", "b")


def test_a_flux_job(answers: Path) -> None:
    text = 'case "$*" in "getattr hostlist") echo "f[1-2]";; *ncores*) echo 96;; *timeleft*) echo 120.5;; esac'
    program(answers / "flux", f"#!/bin/sh\n{text}\n")
    before = time.time()
    job = allocation({"FLUX_URI": "local:///run/flux/local"})
    assert job is not None
    assert (job.scheduler, job.nodes) == ("Flux", (Host("f1", None, 48), Host("f2", None, 48)))
    assert before + 120.5 <= (job.ends_unix_s or 0) <= time.time() + 120.5


NODES = {"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-3]"}


@pytest.mark.parametrize(
    ("env", "shares"),
    [
        ({"SLURM_TASKS_PER_NODE": "4,1(x2)", "SLURM_NTASKS": "6", "SLURM_JOB_CPUS_PER_NODE": "4,1(x2)"}, "4,1,1"),
        ({"SLURM_TASKS_PER_NODE": "8(x3)", "SLURM_JOB_CPUS_PER_NODE": "8(x3)"}, "2,2,2"),  # no tasks were asked for
        ({"SLURM_TASKS_PER_NODE": "8(x2)", "SLURM_NTASKS": "16", "SLURM_JOB_CPUS_PER_NODE": "1,8(x2)"}, "1,3,2"),
        ({"SLURM_JOB_CPUS_PER_NODE": "8,2(x2)", "SLURM_CPUS_PER_TASK": "2"}, "4,1,1"),
    ],
)
def test_a_slurm_jobs_own_counts_are_kept_for_every_host(env: dict[str, str], shares: str) -> None:
    job = allocation(NODES | env | {"SLURM_JOB_END_TIME": "2000000000"})
    assert job is not None
    assert counts_of(job.hosts, 6) == shares


def counts_of(hosts: Hosts, ranks: int) -> str:
    placed = hosts.of_ranks(ranks)
    return ",".join(str(placed.count(host.name)) for host in hosts.hosts)


def test_a_pbs_file_with_different_numbers_of_lines(tmp_path: Path) -> None:
    (tmp_path / "nodes").write_text("a\na\na\nb\nb\nc\n")
    job = allocation({"PBS_JOBID": "3", "PBS_NODEFILE": str(tmp_path / "nodes")})
    assert job is not None
    assert job.tasks == 6
    assert [counts_of(job.hosts, ranks) for ranks in (6, 4, 9)] == ["3,2,1", "2,1,1", "3,3,3"]


def test_an_lsf_job_with_different_numbers_of_slots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    job = allocation({"LSB_JOBID": "5", "LSB_MCPU_HOSTS": "a 1 b 3 c 2"})
    assert job is not None
    assert job.tasks == 6
    assert counts_of(job.hosts, 6) == "1,3,2"


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n[1-"}, r"SLURM_JOB_NODELIST is 'n\[1-'"),
        ({"SLURM_JOB_ID": "7", "SLURM_JOB_NODELIST": "n1,n[x]"}, "unset SLURM_JOB_ID and name the hosts with --hosts"),
        (
            {"SLURM_JOB_ID": "7", "SLURM_HET_SIZE": "2"},
            "ranks in the first of its 2 groups only",
        ),
        ({"PBS_JOBID": "3", "PBS_NODEFILE": "no/where"}, r"PBS_NODEFILE is no/where \(No such file or directory\)"),
        ({"PBS_JOBID": "3", "PBS_NODEFILE": os.devnull}, "which is empty"),
        ({"LSB_JOBID": "5", "LSB_MCPU_HOSTS": "a 4 b"}, "LSB_MCPU_HOSTS is 'a 4 b'"),
        ({"LSB_JOBID": "5", "LSB_MCPU_HOSTS": "a 4 b many"}, "LSB_MCPU_HOSTS is 'a 4 b many'"),
    ],
)
def test_hosts_of_a_job_that_cannot_be_read_are_not_ignored(env: dict[str, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        allocation(env)


@pytest.mark.parametrize(
    ("env", "copies"),
    [
        ({}, 1),
        ({"SLURM_NTASKS": "8", "SLURM_PROCID": "0"}, 1),  # a batch script
        ({"SLURM_PROCID": "1", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "8"}, 8),
        ({"SLURM_PROCID": "0", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_NTASKS": "8"}, 1),
        ({"PMI_SIZE": "2"}, 2),
        ({"OMPI_COMM_WORLD_SIZE": "3"}, 3),
        ({"FLUX_JOB_SIZE": "4", "FLUX_TASK_RANK": "0"}, 4),
        ({"FLUX_JOB_SIZE": "4"}, 1),
        ({"JSM_NAMESPACE_SIZE": "6"}, 6),
        ({"PMI_SIZE": "many"}, 1),
    ],
)
def test_copies_that_a_launcher_started(env: dict[str, str], copies: int) -> None:
    assert copies_started(env) == copies


@pytest.mark.parametrize(
    ("hosts", "job", "ranks"),
    [
        (Hosts(), None, 2),
        (Hosts((Host("a"),)), None, 2),
        (Hosts((Host("a"), Host("b"), Host("c"))), None, 3),
        (Hosts((Host("a", 2), Host("b"))), None, 3),
        (Hosts((Host("a"), Host("b")), 4), None, 8),
        (Hosts(), Allocation("Slurm", "1", (Host("a"), Host("b")), 6), 6),
        (Hosts(), Allocation("Slurm", "1", (Host("a"), Host("b"), Host("c"))), 3),
        (Hosts(ppn=4), Allocation("Slurm", "1", (Host("a", 3), Host("b", 3)), 6), 8),
        (Hosts((Host("a"), Host("b"))), Allocation("Slurm", "1", (Host("a"), Host("b")), 6), 2),
    ],
)
def test_ranks_where_nobody_says_how_many(hosts: Hosts, job: Allocation | None, ranks: int) -> None:
    assert default_ranks(hosts, job, (2,)) == (ranks,)


def test_a_plans_own_default_rank_counts_hold_outside_of_a_job() -> None:
    assert default_ranks(Hosts(), None, (2, 4)) == (2, 4)
    assert default_ranks(Hosts(), Allocation("Slurm", "1", (Host("a", 8),), 8), (2, 4)) == (8,)


def test_some_of_a_jobs_time_is_kept_for_its_end() -> None:
    def usable(left_s: float) -> float:
        return usable_s(Allocation("Slurm", "1", (Host("a"),), ends_unix_s=time.time() + left_s))

    assert usable_s(None) == usable_s(Allocation("Slurm", "1", (Host("a"),))) == math.inf
    assert usable(36000) == pytest.approx(36000 - 60, abs=1)
    assert usable(100) == pytest.approx(95, abs=1)
    assert usable(20) == pytest.approx(17, abs=1)


@pytest.fixture
def in_job(fakes: Path, answers: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Slurm job of two nodes around the fake engine; returns the file with the last launch's words."""
    for name, value in SLURM.items():
        monkeypatch.setenv(name, value)
    for name in ("GROMA_MPIEXEC", "SLURM_STEP_ID", "SLURM_CPUS_PER_TASK", "SLURM_JOB_END_TIME"):
        monkeypatch.delenv(name, raising=False)
    recording(answers / "srun", fakes / "words", ranks=4)
    says(answers / "squeue", "NONE")
    launchers.identity.cache_clear()
    return fakes / "words"


def test_a_run_in_a_job_takes_its_launcher_hosts_and_tasks(groma: Groma, in_job: Path) -> None:
    said = groma("run", "noop", "--launches", "1", "-o", "out", "--any-placement")
    assert said.code == 0, said.err
    assert "In Slurm job 7: 2 hosts, end not known." in said.err
    words = in_job.read_text().splitlines()
    assert words[: words.index(str(ENGINE))] == [
        "-n",
        "4",
        "--mpi=pmi2",
        "--cpu-bind=cores",
        "--nodes=2",
        "--nodelist=n1,n2",
        "--ntasks-per-node=2",
        "--distribution=block",
    ]
    assert document()["rank_counts"] == [4]
    assert document()["hosts"] == ""


UNEVEN = {"SLURM_TASKS_PER_NODE": "4,1", "SLURM_NTASKS": "5", "SLURM_JOB_CPUS_PER_NODE": "4,1"}


def test_uneven_tasks_are_started_and_expected_as_the_job_has_them(
    groma: Groma, in_job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del in_job
    for name, value in UNEVEN.items():
        monkeypatch.setenv(name, value)
    said = groma("run", "noop", "--dry-run")
    assert "share CPUs" not in said.out
    assert "# 5 ranks: n1: ranks 0-3; n2: rank 4\n" in said.out
    assert " --nodes=2 --nodelist=n1,n2 --distribution=block " in said.out
    assert "--overcommit" not in said.out
    assert "6 ranks on 5 CPUs" in groma("run", "noop", "-n", "6", "--dry-run").out


@pytest.mark.parametrize("profile", [name for name in profile_names() if name != "ladder"])
def test_the_tasks_of_a_job_are_the_ranks_of_every_profile(groma: Groma, in_job: Path, profile: str) -> None:
    del in_job
    said = groma("run", "--profile", profile, "--dry-run")
    assert ", ranks: 4, " in said.out, said.err
    assert "unused" not in said.out


def test_hosts_of_a_job_without_ranks_are_said_and_recorded(groma: Groma, in_job: Path) -> None:
    sentence = "1 of the job's 2 hosts (n2) stays unused: launches have 1 rank, as -n or the plan says, and the job has"
    assert f"# {sentence} 4 tasks.\n" in groma("run", "noop", "-n", "1", "--dry-run").out
    recording(in_job.parent / "scheduler" / "srun", in_job, ranks=1)
    said = groma("run", "noop", "-n", "1", "--launches", "1", "-o", "out", "--any-placement")
    assert f"{sentence} 4 tasks." in said.err
    assert f"{sentence} 4 tasks." in document()["notes"]


def test_a_plan_that_states_other_ranks_than_the_job_has_tasks_says_so(groma: Groma, in_job: Path) -> None:
    del in_job
    plan = 'name = "p"\nrank_counts = [2]\n[[points]]\noperation = "noop"\n'
    Path("p.toml").write_text(plan)
    sentence = "# Launches have 2 ranks, as -n or the plan says, and the job has 4 tasks."
    assert sentence in groma("run", "p.toml", "--dry-run").out
    Path("p.toml").write_text(plan.replace("rank_counts", "default_rank_counts"))
    assert ", ranks: 4, " in groma("run", "p.toml", "--dry-run").out


def test_ranks_of_a_job_that_are_on_one_host_are_refused(groma: Groma, in_job: Path) -> None:
    del in_job
    said = groma("run", "noop", "--launches", "1", "-o", "out")
    said.refuses("all 4 ranks were on 1 of them, and the job has tasks on 2 hosts (n1, n2)")


def test_the_processors_of_the_job_count_and_not_those_of_this_host(
    groma: Groma, in_job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del in_job
    assert "share CPUs" not in groma("run", "noop", "-n", "16", "--dry-run").out
    assert "17 ranks on 16 CPUs" in groma("run", "noop", "-n", "17", "--dry-run").out
    monkeypatch.setenv("SLURM_CPUS_PER_TASK", "4")
    assert "5 ranks on 4 CPUs" in groma("run", "noop", "-n", "5", "--dry-run").out


def test_a_campaign_ends_before_its_job(groma: Groma, fakes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del fakes
    for name, value in (SLURM | {"SLURM_JOB_NODELIST": "fake", "SLURM_NTASKS": "2"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SLURM_JOB_END_TIME", str(int(time.time())))
    said = groma(*PLAN)
    assert said.code == 1
    assert document()["state"] == "partial"
    (note,) = document()["notes"]
    assert note.startswith("Launch 2 was not started: Slurm job 7 ends in")
    assert document()["launches"] == 3
    monkeypatch.setenv("SLURM_JOB_END_TIME", str(int(time.time()) + 3600))
    done = groma("run", "--resume", "out")
    assert done.code == 0, done.err
    assert document()["state"] == "complete"


def test_a_job_that_is_shorter_than_the_plan_is_said(
    groma: Groma, fakes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del fakes
    for name, value in (SLURM | {"SLURM_JOB_NODELIST": "fake"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SLURM_JOB_END_TIME", str(int(time.time()) + 100))
    said = groma("run", "noop", "--launches", "1000", "--set", "slot_s=100", "--dry-run")
    assert said.code == 0
    said = groma("run", "noop", "--launches", "1", "--set", "slot_s=1000", "-o", "out")
    assert "less than the launches are expected to take; continue in another job with --resume" in said.err


def run_of(path: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(path).read_text())
    return found


def test_hosts_that_were_named_are_used_again_by_a_resume(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_ENGINE", "die_after=1 in_launch=2")
    assert groma(*PLAN, "--hosts", "fake:2").code == 1
    assert (document()["hosts"], document()["ppn"]) == ("fake:2", None)
    monkeypatch.delenv("FAKE_ENGINE")
    assert groma("run", "--resume", "out").code == 0
    assert "fake:2" in run_of("out/launches/002/launch.json")["command"]
    said = groma("run", "--resume", "out", "--hosts", "fake:1")
    said.refuses("2 ranks do not fit on fake:1 (1)")
