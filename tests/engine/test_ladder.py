"""The placement ladder with ranks: the steps of this machine, and those between virtual hosts."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import beds
import hosts
import pytest

from groma.analysis import summarise
from groma.machine.facts import cpu_places
from groma.programs.ladder.rungs import Rung, rungs_of
from groma.programs.ladder.steps import WITHIN
from groma.results import load_run

pytestmark = pytest.mark.mpi
EFFORT = ("--launches", "2", "--set", "slot_s=0.02")
GROMA = Path(sys.executable).parent / "groma"


def measured(folder: Path, *words: str, variables: dict[str, str]) -> list[Rung]:
    """Run the profile and return its steps."""
    command = [str(GROMA), "run", "--profile", "ladder", *EFFORT, *words, "-o", str(folder / "run")]
    ended = beds.run(command, environment=dict(os.environ) | variables)
    assert ended.exit_code == 0, ended.output + ended.errors
    run = load_run(folder / "run")
    return rungs_of(run, summarise(run))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["embedded", "openmpi", "mpich"])
def test_the_steps_of_this_machine_are_verified(name: str, tmp_path: Path) -> None:
    beds.need(name)
    library = beds.libraries()[name]
    engine = {"GROMA_ENGINE": str(library.engine), "GROMA_MPIEXEC": str(library.mpiexec)}
    rungs = measured(tmp_path, variables=engine)
    assert rungs
    assert {rung.step for rung in rungs} <= set(WITHIN)
    assert [rung.doubt for rung in rungs] == [""] * len(rungs)
    places = {place.cpu: place for place in cpu_places()}
    for launch in load_run(tmp_path / "run").launches:
        assert launch.nodes is not None
        for place in launch.nodes.ranks:
            known = places[int(place.allowed_cpus)]
            assert (place.core, place.cache, place.socket) == (known.core, known.cache, known.socket)
            assert place.numa_node == known.numa_node


@pytest.mark.slow
@pytest.mark.bed("embedded", "hosts")
def test_between_virtual_hosts_the_next_node_is_the_other_one(tmp_path: Path) -> None:
    with hosts.virtual_hosts(2) as bed:
        launcher = f"{GROMA.parent / 'mpiexec'} -launcher ssh -launcher-exec {bed.agent}"
        (rung,) = measured(tmp_path, "--hosts", ",".join(bed.names), variables={"GROMA_MPIEXEC": launcher})
    assert (rung.step, rung.where, rung.doubt) == ("next-node", " and ".join(bed.names), "")
    assert rung.points.keys() == {"pingpong", "stream", "bistream"}
