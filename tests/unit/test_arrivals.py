"""Ranks that did not arrive are found among those of all nodes, each of which tells of its own alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from groma.run.launching import ranks_not_arrived

HEAD = "groma-engine: bcast, 1 KiB, 4 ranks exceeded its limit of 5 s; of this node's ranks, none is behind another"
ABOUT = {
    "one rank on each node, the second inside its first call": (
        ["rank 0: first call, batch 1, 1 of 1 repetitions done"],
        ["rank 1: first call, batch 1, 0 of 1 repetitions done, inside the operation"],
        [1],
    ),
    "a node that is a batch behind": (
        ["rank 0: sampling, batch 7, 3 of 40 repetitions done", "rank 1: sampling, batch 7, 3 of 40 repetitions done"],
        ["rank 2: sampling, batch 6, 40 of 40 repetitions done", "rank 3: sampling, batch 7, 3 of 40 repetitions done"],
        [2],
    ),
    "a rank that is gone": (
        ["rank 0: sampling, batch 2, 3 of 40 repetitions done, inside the operation"],
        [
            "rank 1: does not answer (stopped or dead)",
            "rank 2: sampling, batch 2, 3 of 40 repetitions done, inside the operation",
        ],
        [1],
    ),
    "all are equally far, and one sleeps": (
        ["rank 0: sampling, batch 2, 3 of 40 repetitions done, inside the operation"],
        ["rank 1: sampling, batch 2, 3 of 40 repetitions done, inside the operation, asleep"],
        [1],
    ),
    "all sleep": (["rank 0: setting up, asleep"], ["rank 1: setting up, asleep"], []),
    "all poll": (["rank 0: setting up"], ["rank 1: setting up"], []),
}


@pytest.mark.parametrize("name", ABOUT)
@pytest.mark.parametrize("mark", ["", "[node7] "])
def test_ranks_of_all_nodes_are_compared(tmp_path: Path, name: str, mark: str) -> None:
    first, second, expected = ABOUT[name]
    lines = [
        "rank 9: of another message",
        HEAD,
        *(f"  {line}" for line in first),
        HEAD,
        *(f"  {line}" for line in second),
    ]
    (tmp_path / "stderr").write_text("".join(f"{mark}{line}\n" for line in lines))
    assert ranks_not_arrived(tmp_path / "stderr") == expected


@pytest.mark.parametrize("text", [None, "", "mpiexec: a rank was killed\n", "rank 3: did not arrive\n"])
def test_nobody_is_named_where_nobody_reported(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "stderr").write_text(text)
    assert ranks_not_arrived(tmp_path / "stderr") == []
