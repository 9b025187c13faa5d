"""Placements of the ranks on two virtual hosts: each launcher puts them where it was told to, as their record says."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import beds
import hosts
import pytest

from groma.analysis import summarise
from groma.analysis.advice.placement import rank_placements
from groma.results import Run, load_run

pytestmark = pytest.mark.mpi

BRIEF = ("--launches", "1", "--set", "stop=reps", "--set", "repetitions=5")


def run_of(folder: Path, variables: dict[str, str], *words: str) -> Run:
    environment = dict(os.environ) | variables
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(folder / "cache")}
    command = ["-c", "from groma.cli import main; main()", "run", "allreduce", "--bytes", "8", *BRIEF, *words]
    ended = beds.run(["env", "-C", str(folder), sys.executable, *command, "-o", "run"], environment)
    assert ended.exit_code == 0, ended.output + ended.errors
    return load_run(folder / "run")


def nodes_of_ranks(run: Run) -> dict[str, list[int]]:
    """Return the node of every rank, by the name of the placement."""
    return {
        str(launch.variant): [rank.node for rank in launch.nodes.ranks]
        for launch in run.launches
        if launch.nodes is not None
    }


def hosts_of_ranks(run: Run) -> list[str]:
    (launch,) = run.launches
    assert launch.nodes is not None
    return [launch.nodes.nodes[rank.node].name for rank in launch.nodes.ranks]


@pytest.mark.parametrize("name", ["embedded", "mpich", "intel"])
def test_ranks_get_the_cpus_of_a_list(tmp_path: Path, name: str) -> None:
    beds.need(name)
    first, second, *_ = sorted(os.sched_getaffinity(0))
    library = beds.libraries()[name]
    words = dict(library.variables) | {"GROMA_ENGINE": str(library.engine), "GROMA_MPIEXEC": library.mpiexec}
    placements = f"up={first}+{second},down={second}+{first}"
    run = run_of(tmp_path, words, "-n", "2", "--placement", placements)
    for launch, cpus in zip(run.launches, ([first, second], [second, first]), strict=True):
        assert launch.nodes is not None
        assert [rank.allowed_cpus for rank in launch.nodes.ranks] == [str(cpu) for cpu in cpus]


def openmpi(bed: hosts.Hosts, *, with_hosts: bool) -> dict[str, str]:
    library = beds.libraries()["openmpi"]
    words = bed.openmpi(per_host=2)
    chosen = words if with_hosts else words[2:]  # without --host and its value
    launcher = {"GROMA_MPIEXEC": shlex.join([library.mpiexec, *chosen]), "GROMA_ENGINE": str(library.engine)}
    return dict(library.variables) | launcher


@pytest.mark.slow
@pytest.mark.bed("hosts", "openmpi")
def test_open_mpi_fills_hosts_one_after_the_other_or_in_turn(tmp_path: Path) -> None:
    with hosts.virtual_hosts(2) as bed:
        run = run_of(tmp_path, openmpi(bed, with_hosts=True), "-n", "4", "--placement", "by-slot,by-node")
    assert nodes_of_ranks(run) == {"by-slot": [0, 0, 1, 1], "by-node": [0, 1, 0, 1]}
    judged = rank_placements(run, summarise(run))
    assert judged.alike == []
    assert len(judged.best) == 1


@pytest.mark.slow
@pytest.mark.bed("hosts", "openmpi")
def test_open_mpi_follows_a_list_of_hosts(tmp_path: Path) -> None:
    with hosts.virtual_hosts(2) as bed:
        listed = "+".join(bed.names[at] for at in (0, 1, 1, 0))
        run = run_of(tmp_path, openmpi(bed, with_hosts=False), "-n", "4", "--placement", listed)
    assert nodes_of_ranks(run) == {"list": [0, 1, 1, 0]}


@pytest.mark.slow
@pytest.mark.bed("hosts", "embedded")
def test_hydra_does_so_too(tmp_path: Path) -> None:
    mpiexec = Path(sys.executable).parent / "mpiexec"
    with hosts.virtual_hosts(2) as bed:
        variables = bed.environment(mpiexec, per_host=2)
        run = run_of(tmp_path, variables, "-n", "4", "--placement", "by-slot,by-node")
        agent = shlex.join([str(mpiexec), *bed.mpich(per_host=2)[:-2]])  # without -hosts and its value
        listed = "+".join(bed.names[at] for at in (1, 0, 0))
        (tmp_path / "other").mkdir()
        other = run_of(tmp_path / "other", variables | {"GROMA_MPIEXEC": agent}, "-n", "4", "--placement", listed)
    assert nodes_of_ranks(run) == {"by-slot": [0, 0, 1, 1], "by-node": [0, 1, 0, 1]}
    assert hosts_of_ranks(other) == [bed.names[at] for at in (1, 0, 0, 1)]
