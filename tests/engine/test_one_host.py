"""Which ranks are on one host: by what the system says, whatever the library does with shared memory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import beds
import pytest
from engine.launches import Launch, launch_plan

pytestmark = pytest.mark.mpi

_POINTS = [{"operation": "bcast", "bytes": 8}, {"operation": "pingpong", "bytes": 8, "pattern": "intranode"}]
_NODE_OF_EACH = 'export SLURMD_NODENAME=n$PMI_RANK; exec "$0" "$@"'


def nodes_of(folder: Path) -> list[int]:
    """Return the node of every rank of a launch."""
    document: dict[str, Any] = json.loads((folder / "nodes.json").read_text())
    nodes = [place["node"] for place in document["ranks"]]
    assert [node["ranks"] for node in document["nodes"]] == [nodes.count(node) for node in range(len(set(nodes)))]
    return nodes


def assert_on_one_host(launch: Launch, ranks: int) -> None:
    assert launch.result.exit_code == 0, launch.report()
    (start,) = launch.of_kind("start")
    assert (start["nodes"], start["limits"]["tcp"]) == (1, {"rows": [], "notes": []})
    bcast, pingpong = launch.of_kind("point")
    assert (bcast["hosts"], len(bcast["members"])) == (1, ranks)
    assert (pingpong["hosts"], pingpong["members"]) == (1, [0, 1])
    (end,) = launch.of_kind("end")
    assert [row["node"] for row in end["load"]] == [0]


def test_a_library_without_shared_memory_does_not_make_a_host_several(embedded: beds.Library, tmp_path: Path) -> None:
    starts = []
    for name, variables in (("shared", {}), ("tcp", {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp"})):
        folder = tmp_path / name
        folder.mkdir()
        launch = launch_plan(embedded, 4, folder, _POINTS, variables=variables)
        assert_on_one_host(launch, 4)
        assert nodes_of(folder) == [0, 0, 0, 0]
        starts += launch.of_kind("start")
    shared, tcp = starts
    assert tcp["oversubscribed"] == shared["oversubscribed"]
    assert tcp["limits"].keys() == shared["limits"].keys()
    assert [row["bytes"] for row in tcp["limits"]["handoff"]] == [row["bytes"] for row in shared["limits"]["handoff"]]
    assert (tcp["limits"]["line_bounce_ns"] is None) == (shared["limits"]["line_bounce_ns"] is None)


def test_nodes_of_slurm_on_one_host_stay_apart(embedded: beds.Library, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"schema": 1, "points": [{"operation": "barrier", "stop": "reps", "repetitions": 3}]}))
    files: list[str | Path] = ["--plan", plan, "--out", tmp_path / "points.jsonl", "--nodes", tmp_path / "nodes.json"]
    done = embedded.run(3, "-c", _NODE_OF_EACH, embedded.engine, *files, engine="sh")
    assert done.exit_code == 0, done.errors
    assert nodes_of(tmp_path) == [0, 1, 2]
