"""A run whose library may number ranks anew says how many have another number, and what that gave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planted_runs import change_points
from synthetic import Scenario, make_run

from groma.analysis import summarise
from groma.report.renumbered import renumbered_table
from groma.results import load_run

LAUNCHES = 8


def as_neighbours(record: dict[str, Any]) -> None:
    """Let a broadcast of 240 ns be an exchange of 420 ns between neighbours whose ranks are numbered anew."""
    anew = record["point"]["operation"] == "bcast"
    record["point"] |= {"operation": "neighbor_alltoall", "reorder": anew}
    if anew:
        record["new_ranks"] = [1, 0]


def test_the_effect_of_numbering_ranks_anew_is_a_table(tmp_path: Path) -> None:
    still = Scenario(
        launch_effect=0,
        jitter=0,
        drift=0,
        outliers=0,
        samples=40,
        operations=("allreduce", "bcast"),
        sizes=(0,),
        launches=LAUNCHES,
    )
    run = make_run(tmp_path / "run", still)
    change_points(run, as_neighbours)
    summaries = summarise(load_run(run))
    table = renumbered_table(summaries)
    assert table is not None
    (row,) = [[cell.strip() for cell in row] for row in table.rows]
    assert row[0] == "neighbor_alltoall, 2 ranks"
    assert row[2:5] == ["2 of 2", "0.2400", "0.4200"]
    assert row[5].startswith("0.57 (0.57")
    assert renumbered_table(point for point in summaries if not point.point["reorder"]) is None
