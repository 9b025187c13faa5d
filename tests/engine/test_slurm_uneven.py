"""Jobs of a real Slurm whose nodes have different numbers of tasks: all of them are measured, in every submission."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import beds
import pytest
import slurm
from slurm_jobs import BRIEF, GROMA, SHORT, allocated, document, ended, submitted, work_in

pytestmark = [pytest.mark.mpi, pytest.mark.bed("slurm", "embedded")]


@pytest.fixture(scope="module")
def bed() -> Iterator[slurm.Cluster]:
    """Four nodes with four CPUs each."""
    with slurm.cluster(4, cpus=4) as up:
        yield up


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bed: slurm.Cluster) -> None:
    work_in(tmp_path, bed, monkeypatch)


def ranks_of_nodes(launch: str) -> list[int]:
    """Return how many ranks of a launch each node has, in the order of the nodes."""
    counts = Counter(place["node"] for place in document(f"{launch}/nodes.json")["ranks"])
    return [counts[node] for node in sorted(counts)]


@pytest.mark.parametrize(("ranks", "shares"), [([], [4, 1]), (["-n", "3"], [2, 1])])
def test_ranks_are_where_the_tasks_of_the_job_are(ranks: list[str], shares: list[int]) -> None:
    command = [GROMA, "run", "noop", *ranks, "--launches", "1", *SHORT, *BRIEF, "-o", "out"]
    done = allocated(5, *command)
    assert done.exit_code == 0, done.errors
    assert "share CPUs" not in done.errors
    assert ranks_of_nodes("launches/001") == shares


def test_a_heterogeneous_job_is_refused_and_its_groups_are_counted() -> None:
    command = [GROMA, "run", "noop", "-o", "out"]
    done = beds.run(["salloc", "-N1", "-n2", ":", "-N1", "-n1", *command], environment=dict(os.environ))
    assert done.exit_code == 2
    assert "is heterogeneous, and srun would start ranks in the first of its 2 groups only" in done.errors


@pytest.mark.slow
def test_pairs_measures_every_task_and_every_submission_is_a_run(bed: slurm.Cluster) -> None:
    size = ["--scheduler", "slurm", "--nodes", "4", "--ppn", "2", "--time", "5m", "--script", "job.sh"]
    effort = ["--launches", "1", "--set", "repetitions=5", "--set", "pause_s=0.1", *SHORT]
    done = beds.run([GROMA, "batch", *size, "--profile", "pairs", *effort])
    assert done.exit_code == 0, done.errors
    script = Path("job.sh")
    script.write_text(script.read_text().replace("--ntasks-per-node=2", "--ntasks=6"))
    said = [ended(bed, submitted(bed, "job.sh")) for _ in range(2)]
    runs = sorted(Path("runs").glob("pairs-*"))
    assert len(runs) == 2, said
    for text, run in zip(said, runs, strict=True):
        assert "all 6 pairs of 4 nodes" in text, text
        assert "Nothing was measured" not in text
        Path("out").unlink(missing_ok=True)
        Path("out").symlink_to(run)
        assert document("run.json")["state"] == "complete", text
        assert document("run.json")["rank_counts"] == [6]
        shares = ranks_of_nodes("launches/001")
        assert (len(shares), sum(shares), len(set(shares)) > 1) == (4, 6, True), text
