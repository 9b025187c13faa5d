"""What a resume takes from the launches that are there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groma.results.documents import PlanDocument, RunDocument
from groma.run.directory import RunDirectory
from groma.run.earlier import earlier_launches

LAUNCHES = 3


class Counted(dict[str, Any]):
    """A point that counts how often points are compared or read."""

    uses = 0

    def __eq__(self, other: object) -> bool:
        Counted.uses += 1
        return super().__eq__(other)

    __hash__ = None

    def items(self) -> Any:  # noqa: ANN401 - what a dict returns
        Counted.uses += 1
        return super().items()


def points_of(count: int) -> list[dict[str, Any]]:
    return [Counted(operation="pingpong", bytes=size) for size in range(count)]


def measured(path: Path, points: list[dict[str, Any]], launches: int = LAUNCHES) -> RunDirectory:
    """Make launches that measured these points, the last one first."""
    for number in range(1, launches + 1):
        folder = path / "launches" / f"{number:03d}"
        folder.mkdir(parents=True)
        (folder / "plan.json").write_text(json.dumps({"schema": 1, "points": points[::-1]}))
        (folder / "launch.json").write_text(json.dumps({"number": number, "ranks": 2}))
        lines = [{"kind": "point", "index": at, "median_ns": 100.0 + at} for at in range(len(points))]
        (folder / "points.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return RunDirectory(path)


def document(points: list[dict[str, Any]]) -> RunDocument:
    return RunDocument(
        name="out",
        created="2026-01-02T03:04:05+00:00",
        state="partial",
        launches=LAUNCHES,
        rank_counts=[2],
        plan=PlanDocument(points=points),
    )


def test_the_work_grows_with_the_points_and_not_with_their_square(tmp_path: Path) -> None:
    uses = []
    for count in (50, 500):
        points = points_of(count)
        directory = measured(tmp_path / str(count), points)
        Counted.uses = 0
        steps = [step for step, _ in earlier_launches(directory, document(points))]
        assert [step.indices for step in steps] == [tuple(reversed(range(count)))] * LAUNCHES
        uses.append(Counted.uses)
    assert 0 < uses[1] <= 10 * uses[0]


def test_a_launch_with_less_precision_is_one_of_this_plan(tmp_path: Path) -> None:
    points = [{"operation": "pingpong", "bytes": 8}, {"operation": "pingpong", "bytes": 64, "precision": 0.5}]
    directory = measured(tmp_path, [points[0] | {"precision": 0.03}, points[1]], launches=1)
    [(step, follower)] = earlier_launches(directory, document(points))
    assert (step.indices, follower.median_ns) == ((1, 0), {0: 100.0, 1: 101.0})


@pytest.mark.parametrize("points", [[], None, 7, ["pingpong"], [{"operation": "bcast"}], {"operation": "pingpong"}])
def test_a_launch_of_another_plan_has_no_points(tmp_path: Path, points: object) -> None:
    asked = [{"operation": "pingpong", "bytes": 8}]
    directory = measured(tmp_path, asked, launches=1)
    (tmp_path / "launches/001/plan.json").write_text(json.dumps({"schema": 1, "points": points}))
    [(step, follower)] = earlier_launches(directory, document(asked))
    assert (step.indices, follower.median_ns) == ((), {})
