"""A list of CPUs: rank i of a host is bound to its entry i before MPI starts (MPI_DSM_CPULIST in the Altix paper)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import launch_plan

pytestmark = pytest.mark.mpi

POINT: dict[str, Any] = {"operation": "barrier", "sync": "barrier", "reduce": "max"}
ALLOWED = sorted(os.sched_getaffinity(0))


def places(folder: Path) -> list[str]:
    return [rank["allowed_cpus"] for rank in json.loads((folder / "nodes.json").read_text())["ranks"]]


@pytest.mark.parametrize("order", [1, -1])
def test_every_rank_is_on_the_cpu_in_its_place(library: beds.Library, tmp_path: Path, order: int) -> None:
    if len(ALLOWED) < 2:
        pytest.skip("one CPU has no order")
    asked = [str(cpu) for cpu in ALLOWED[:2][::order]]
    launch = launch_plan(library, 2, tmp_path, [POINT], settings={"cpus": ",".join(asked)})
    assert launch.result.exit_code == 0, launch.report()
    assert places(tmp_path) == asked
    assert launch.of_kind("start")[0]["oversubscribed"] is False


def test_ranks_may_share_a_cpu_where_the_list_says_so(embedded: beds.Library, tmp_path: Path) -> None:
    last = str(ALLOWED[-1])
    launch = launch_plan(embedded, 2, tmp_path, [POINT], settings={"cpus": f"{last},{last}"})
    assert launch.result.exit_code == 0, launch.report()
    assert places(tmp_path) == [last, last]
    assert launch.of_kind("start")[0]["oversubscribed"] is True


@pytest.mark.one_case
@pytest.mark.parametrize(
    ("cpus", "says"),
    [
        (str(ALLOWED[0]), "rank 1: cpus={} names fewer CPUs (1) than there are ranks on a host; name one for each"),
        (f"{ALLOWED[0]},7000", "rank 1: cpus={} has CPU 7000, which the system refuses; this process was started on "),
        ("3-1", "rank 0: cpus={} has an empty range; write the lower CPU first"),
        ("all", "rank 0: cpus={} is no list of CPUs; write it as 2-5 or 2,3,6"),
    ],
)
def test_a_list_that_cannot_be_kept_is_one_sentence(
    library: beds.Library, tmp_path: Path, cpus: str, says: str
) -> None:
    launch = launch_plan(library, 2, tmp_path, [POINT], settings={"cpus": cpus})
    assert launch.result.exit_code == 2, launch.report()
    (message,) = [line for line in launch.result.errors.splitlines() if line.startswith("groma-engine: ")]
    assert message.startswith(f"groma-engine: {says.format(cpus)}")


def test_a_launcher_that_does_not_say_which_process_this_is_cannot_keep_it(
    embedded: beds.Library, tmp_path: Path
) -> None:
    script = tmp_path / "start"
    script.write_text(f'#!/bin/sh\nunset MPI_LOCALRANKID\nexec {embedded.engine} "$@"\n')
    script.chmod(0o755)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"schema": 1, "cpus": "0,1", "points": [POINT]}))
    result = embedded.run(2, "--plan", plan, engine=script)
    assert result.exit_code == 2, result.errors
    assert "the launcher does not say which process of its host this is" in result.errors
