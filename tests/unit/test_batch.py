"""Job scripts: short, quoted, and refused if they could not run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cpu_trees import Machine, cpu_tree
from fakes import Groma

from groma.errors import InputError
from groma.launch.jobs import SCHEDULERS, Job, job_name, job_script
from groma.machine.facts import cpu_places

PLAN = ("pingpong", "--bytes", "8", "-o", "out dir")
SIZE = ("--nodes", "2", "--ppn", "4", "--time", "90m")


@pytest.mark.parametrize(
    ("scheduler", "expected"),
    [
        (
            "slurm",
            [
                "#SBATCH --job-name=groma-pingpong",
                "#SBATCH --nodes=2",
                "#SBATCH --ntasks-per-node=4",
                "#SBATCH --time=01:30:00",
                "#SBATCH --signal=B:USR1@60",
                "#SBATCH --output=groma-pingpong-%j.out",
            ],
        ),
        (
            "pbs",
            [
                "#PBS -N groma-pingpong",
                "#PBS -l select=2:ncpus=4:mpiprocs=4",
                "#PBS -l walltime=01:30:00",
                "#PBS -j oe",
            ],
        ),
        (
            "lsf",
            [
                "#BSUB -J groma-pingpong",
                "#BSUB -n 8",
                '#BSUB -R "span[ptile=4]"',
                "#BSUB -W 01:30",
                "#BSUB -wa USR1",
                "#BSUB -wt 1",
                "#BSUB -o groma-pingpong-%J.out",
            ],
        ),
        (
            "flux",
            [
                "#flux: --job-name=groma-pingpong",
                "#flux: --nodes=2",
                "#flux: --nslots=8",
                "#flux: --time-limit=90m",
                "#flux: --output=groma-pingpong-{{id}}.out",
            ],
        ),
    ],
)
def test_a_script_says_the_size_of_the_job_in_its_schedulers_words(
    groma: Groma, scheduler: str, expected: list[str]
) -> None:
    said = groma("batch", "--scheduler", scheduler, *SIZE, *PLAN)
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert lines[0] == "#!/bin/sh"
    assert lines[1 : 1 + len(expected)] == expected
    ranks = " -n 8" if scheduler == "flux" else ""  # of the others, the job tells its tasks
    assert lines[-1].endswith(f"run --or-resume pingpong --bytes 8 -o 'out dir'{ranks}")
    assert len(lines) < 25
    assert subprocess.run(["sh", "-n"], input=said.out, text=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("scheduler", "expected"),
    [
        ("slurm", ["#SBATCH --array=1-12%1", "#SBATCH --output=groma-pingpong-%A-%a.out", "# It is an array of 12"]),
        ("pbs", ["#PBS -J 1-12%1", "# It is an array of 12"]),
        ("lsf", ['#BSUB -J "groma-pingpong[1-12]%1"', "#BSUB -o groma-pingpong-%J-%I.out", "# It is an array of 12"]),
        ("flux", ["#   for launch in $(seq 2 12); do job=$(flux batch --dependency=afterany:$job THIS-FILE); done"]),
    ],
)
def test_each_launch_can_have_a_job_of_its_own(groma: Groma, scheduler: str, expected: list[str]) -> None:
    said = groma("batch", "--scheduler", scheduler, *SIZE, *PLAN, "-n", "2,4", "--launches", "6", "--job-per-launch")
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    assert all(any(line.startswith(start) for line in lines) for start in expected), said.out
    assert "# Each job makes one launch, so the 12 launches may be hours apart and on different nodes." in lines
    assert " run --or-resume --pause-after 1 " in lines[-1]
    assert len(lines) < 25
    assert subprocess.run(["sh", "-n"], input=said.out, text=True, check=False).returncode == 0


@pytest.mark.parametrize("profile", ["pairs", "alcf", "quick"])
def test_a_script_leaves_the_ranks_of_a_profile_to_the_jobs_tasks(groma: Groma, profile: str) -> None:
    said = groma("batch", "--scheduler", "slurm", *SIZE, "--profile", profile)
    assert said.code == 0, said.err
    assert said.out.endswith(f"run --or-resume --profile {profile}\n")
    assert "unused" not in said.err


def test_nodes_that_a_script_leaves_unused_are_said(groma: Groma) -> None:
    said = groma("batch", "--scheduler", "slurm", "--nodes", "4", "--ppn", "2", "--time", "5m", "noop", "-n", "3")
    assert said.code == 0
    assert "1 of the job's 4 nodes will stay unused: launches have 3 ranks, as -n or the plan says." in said.err


def test_what_groma_was_told_by_variables_goes_with_the_job(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROMA_MPIEXEC", "mpiexec -x '$(id)'")
    said = groma("batch", "--scheduler", "slurm", *SIZE, *PLAN, "--directive", "--account=abc")
    assert "#SBATCH --account=abc" in said.out
    assert """export GROMA_MPIEXEC='mpiexec -x '"'"'$(id)'"'"''""" in said.out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("pinpong",), "no operation 'pinpong'"),
        (("noop", "-n", "9"), "9 ranks do not fit on 2 x 4; ask for more (--nodes, --ppn), or fewer (-n)"),
        (("noop", "--resume", "x"), "a job's script has no --resume"),
        (("noop", "--hosts", "a"), "a job's script has no --hosts"),
        (("noop", "--pause-after", "2"), "a job's script has no --pause-after"),
        (("--profile", "pairs", "-n", "8", "--job-per-launch"), "the profile pairs cannot have --pause-after"),
        (("noop", "--bites", "8"), "No such option '--bites'"),
        (("noop", "--directive", "--a\n#SBATCH --b"), "is not a directive of one line"),
        (("noop", "--time", "1m"), "a job of 60 s would end as it begins"),
        (("noop", "--time", "soon"), "'soon' is not a time"),
        (("noop", "--script", "no/where.sh"), "no/where.sh could not be written"),
    ],
)
def test_a_script_that_could_not_run_is_refused(groma: Groma, options: tuple[str, ...], says: str) -> None:
    said = groma("batch", "--scheduler", "slurm", *SIZE, *options)
    assert said.code in (1, 2)
    assert says in said.err
    assert said.out == ""


def test_a_job_that_is_too_short_for_the_plan_is_said(groma: Groma) -> None:
    said = groma("batch", "--scheduler", "slurm", *SIZE, "noop", "--set", "slot_s=1000")
    assert said.code == 0
    assert "submit the script again to continue" in said.err


def test_names_and_folders_are_quoted() -> None:
    assert job_name("a b;c/d") == "groma-a-b-c-d"
    job = Job(job_name("x"), 1, 2, 600)
    for scheduler in SCHEDULERS:
        text = job_script(scheduler, job, "/a b;$(id)", measuring=["g", "$x"], variables={})
        assert "cd '/a b;$(id)' || exit" in text
        assert "exec g '$x'" in text
    with pytest.raises(InputError, match="is not a directive"):
        job_script("pbs", Job("n", 1, 1, 600, ("",)), "/", measuring=["g"], variables={})


@pytest.mark.parametrize(
    ("nodes", "expected"), [("1", ["same-core", "same-cache"]), ("2", ["same-core", "same-cache", "next-node"])]
)
def test_the_forecast_has_the_variants_of_nodes_like_this_host(
    groma: Groma, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nodes: str, expected: list[str]
) -> None:
    places = cpu_places(cpu_tree(tmp_path / "desktop", Machine(cores=8, threads=2)))
    monkeypatch.setattr("groma.programs.ladder.offered.cpu_places", lambda _: places)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(16)))
    arguments = ("--scheduler", "slurm", "--time", "30m", "--nodes", nodes, "--job-per-launch", "--profile", "ladder")
    said = groma("batch", *arguments, "--launches", "10")
    assert said.code == 0, said.err
    assert f"#SBATCH --array=1-{10 * len(expected)}%1" in said.out
    like = f"the forecast takes those of {nodes} node{'s' * (nodes != '1')} like this host ({', '.join(expected)})."
    assert said.err == f"The variants of ladder depend on the job's nodes: {like}\n"


def test_variants_that_only_the_jobs_nodes_have_are_said(groma: Groma, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groma.programs.ladder.offered.cpu_places", lambda _: [])
    said = groma("batch", "--scheduler", "slurm", "--time", "30m", "--profile", "ladder")
    assert said.code == 0, said.err
    assert said.err.endswith("this host has none, so the forecast leaves them out.\n")
