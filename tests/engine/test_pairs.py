"""Who is slow between virtual hosts: a host that sends slowly is named, and nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import beds
import hosts
import pytest

from groma.programs.pairs.slow import SENDS
from groma.programs.pairs.study import stages_of
from groma.programs.pairs.verdict import Verdict, verdict
from groma.results import load_run

pytestmark = [pytest.mark.mpi, pytest.mark.bed("hosts", "embedded")]
ATTEMPTS = 3
EFFORT = ("--launches", "2", "--set", "repetitions=5", "--set", "pause_s=0.5")


def judged(bed: hosts.Hosts, folder: Path) -> tuple[Verdict, str]:
    """Run the profile with one rank on every host of the bed; return the verdict and what the command printed."""
    beside = Path(sys.executable).parent
    command = [str(beside / "groma"), "run", "--profile", "pairs", "-n", str(len(bed.names)), *EFFORT]
    environment = dict(os.environ) | bed.environment(beside / "mpiexec", per_host=1)
    ended = beds.run([*command, "-o", str(folder / "run")], environment=environment)
    assert ended.exit_code == 0, ended.output + ended.errors
    run = load_run(folder / "run")
    return verdict(run, stages_of(run)), ended.output


@pytest.mark.slow
def test_a_host_that_sends_slowly_is_named_alone_with_its_direction(tmp_path: Path) -> None:
    with hosts.virtual_hosts(4) as bed:
        bed.slow_down(2, mbit_per_s=50)
        for attempt in range(ATTEMPTS):  # four ranks share the CPUs here: a burst of other work can hide the slow one
            (tmp_path / str(attempt)).mkdir()
            said, printed = judged(bed, tmp_path / str(attempt))
            if any(one.who == (2,) and one.part == SENDS for one in said.lasting):
                break
    assert said.units.names == bed.names
    assert list(said.phases) == ["screen", "alone", "later"]
    streams = [one for one in said.lasting if one.quantity.startswith("stream")]
    assert [(one.who, one.part) for one in streams] == [((2,), SENDS)]
    assert {one.who for one in said.lasting} == {(2,)}
    assert streams[0].ratio > 3
    assert f"--exclude={bed.names[2]}\n" in printed
    assert f"Slow node {bed.names[2]}" in printed


@pytest.mark.slow
def test_two_hosts_have_no_verdict_and_it_says_why(tmp_path: Path) -> None:
    with hosts.virtual_hosts(2) as bed:
        bed.slow_down(1, mbit_per_s=50)
        said, printed = judged(bed, tmp_path)
    assert said.lasting == ()
    assert list(said.phases) == ["screen"]
    assert "2 nodes cannot separate a slow node from a slow link" in printed
    assert f"{bed.names[1]} -> {bed.names[0]} takes" in printed
