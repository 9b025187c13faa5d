"""Four and eight hosts that only TCP joins, with MPICH and Open MPI: ranks, data and clocks are right on all."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import beds
import hosts
import pytest

from groma.results import load_run

pytestmark = [pytest.mark.mpi, pytest.mark.bed("hosts")]

_LIMIT_S = 300.0
# Hosts share CPUs here, so the start of a launch may take longer than the 20 s that it has without this.
_POINTS = ["allreduce", "alltoall", "--bytes", "8,64K", "--set", "slot_s=0.01", "--set", "sync=barrier"]
_PATIENT = ["--set", f"limit_s={_LIMIT_S:g}", "--set", "clock_sync=offset_only", "--launches", "1"]


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, 8])
@pytest.mark.parametrize("name", ["embedded", "openmpi"])
def test_ranks_on_many_hosts_get_right_data_and_one_clock(tmp_path: Path, name: str, count: int) -> None:
    beds.need(name)
    library = beds.libraries()[name]
    run = tmp_path / "run"
    command = [str(Path(sys.executable).parent / "groma"), "run", *_POINTS, *_PATIENT, "-n", str(count), "-o", str(run)]
    with hosts.virtual_hosts(count, monotonic_s=[1000 * host for host in range(count)]) as bed:
        variables = bed.environment(library.mpiexec, 1) | {"GROMA_ENGINE": str(library.engine)}
        ended = beds.run(command, environment=dict(os.environ) | variables, timeout_s=_LIMIT_S)
    assert ended.exit_code == 0, ended.output + ended.errors
    (launch,) = load_run(run).launches
    assert launch.nodes is not None
    assert launch.start is not None
    assert [node.name for node in launch.nodes.nodes] == list(bed.names)
    assert [place.node for place in launch.nodes.ranks] == list(range(count))
    assert (launch.start.nodes, launch.start.ranks) == (count, count)
    records = [json.loads(line) for line in (run / "launches/001/points.jsonl").read_text().splitlines()]
    points = [record for record in records if record["kind"] == "point"]
    assert [(point["hosts"], point["validated"]) for point in points] == [(count, True)] * 4
    (clock,) = records[0]["global_clock"]
    # The last rank's clock was set ahead; one counter is behind all of them.
    assert abs(clock["offset_ns"] - 1e12 * (count - 1)) <= clock["bound_ns"], clock
