"""Neighbourhoods on a graph from a file, and on ranks that the library numbers anew."""

from __future__ import annotations

from pathlib import Path

import beds
import pytest
from engine.launches import launch_plan
from engine.test_operations import delivered, fails_alone

from engine import preloaded

pytestmark = pytest.mark.mpi

EDGES = """# a star, an edge that comes twice, and a rank that sends to itself
0 1
0 2
0 3

2 0
2 0
1 1
"""


def blocking(library: beds.Library) -> list[str]:
    """Return the neighbourhood operations and their persistent forms, if they work.

    MPI_Neighbor_alltoallw of MPICH 4.0 loses messages of a rank with more sources than destinations.
    """
    able = [one["name"] for one in delivered(library) if "graph_file" in one["uses"] and not one["phases"]]
    loses = fails_alone(library.name, "uneven_neighbours_alone", 4)
    return [name for name in able if not (loses and "alltoallw" in name)]


def test_a_graph_from_a_file_delivers_the_right_bytes(library: beds.Library, tmp_path: Path) -> None:
    path = tmp_path / "edges"
    path.write_text(EDGES)
    asked = [{"operation": name, "bytes": 40, "graph": "file", "graph_file": str(path)} for name in blocking(library)]
    launch = launch_plan(library, 4, tmp_path, asked)
    assert launch.result.exit_code == 0, launch.report()
    records = launch.of_kind("point")
    assert len(records) == len(asked) >= 5
    for record in records:
        assert record["validated"]
        assert record["checked_elements"] == 6 * 40, "each edge delivers a message"
        assert record["messages"] == 2 * 5 // 4, "five go to other ranks"
        assert record["new_ranks"] is None


@pytest.mark.parametrize(
    ("text", "graph", "says"),
    [
        (None, "file", "can't be read; name a file of edges that every host can read"),
        ("0 1\n1 x\n", "file", "line 2 of graph_file={path} is no edge; write two ranks there"),
        ("0 1 2\n", "file", "line 1 of graph_file={path} is no edge"),
        ("0\n", "file", "line 1 of graph_file={path} is no edge"),
        ("0 -1\n", "file", "line 1 of graph_file={path} is no edge"),
        ("0 5\n", "file", "needs a rank 5 and there are 4; use more ranks, or another file"),
        ("0 1\n", "random", "needs graph=file; use that, or leave it out"),
    ],
)
def test_a_bad_file_is_one_sentence(
    embedded: beds.Library, tmp_path: Path, text: str | None, graph: str, says: str
) -> None:
    path = tmp_path / "edges"
    if text is not None:
        path.write_text(text)
    words = ["neighbor_alltoall", "--graph", graph, "--graph_file", str(path)]
    checked = beds.run([str(embedded.engine), "--check", "--ranks", "4", *words], embedded.environment())
    assert checked.exit_code == 2
    assert says.format(path=path) in checked.errors
    assert len(checked.errors.splitlines()) == 1


def test_ranks_that_are_numbered_anew_are_recorded(library: beds.Library, tmp_path: Path) -> None:
    few = {"bytes": 1000, "dimensions": 2, "graph": "cartesian"}
    asked = [few | {"operation": name, "reorder": order} for name in blocking(library) for order in (True, False)]
    preload = preloaded.build(library, "renumber", tmp_path)
    launch = launch_plan(library, 4, tmp_path, asked, preload=preload)
    assert launch.result.exit_code == 0, launch.report()
    records = launch.of_kind("point")
    assert len(records) == len(asked)
    for record in records:
        assert record["validated"]
        assert record["new_ranks"] == ([3, 2, 1, 0] if record["point"]["reorder"] else None)


def test_a_library_may_leave_ranks_as_they_are(library: beds.Library, tmp_path: Path) -> None:
    graphs = ("cartesian", "distributed", "random")
    asked = [{"operation": "neighbor_alltoallv", "graph": graph, "reorder": True, "bytes": 1000} for graph in graphs]
    launch = launch_plan(library, 4, tmp_path, asked)
    assert launch.result.exit_code == 0, launch.report()
    for record in launch.of_kind("point"):
        assert sorted(record["new_ranks"]) == [0, 1, 2, 3]
        assert record["validated"]
