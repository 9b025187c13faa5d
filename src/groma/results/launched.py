"""The files of one launch, complete or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from groma.results.documents import LaunchDocument, LaunchPlan, Nodes
from groma.results.fields import Meanings
from groma.results.opening import present_document
from groma.results.records import (
    End,
    Failure,
    Imported,
    Point,
    Record,
    Revisit,
    Skipped,
    Start,
    has_figure,
    without_figure,
)
from groma.results.stored import LARGE, Lines, StoredPoints

RECORDS = "points.jsonl"


@dataclass(frozen=True)
class Launch:
    """One start of the engine: what it wrote before it ended, or was ended.

    `torn` says that the last line of its records is incomplete, `sealed` that they have checksums, and `planned` that
    they were held against plan.json.
    """

    number: int
    path: Path
    meta: LaunchDocument | None
    start: Start | None
    points: Sequence[Point]
    failures: list[Failure]
    end: End | None
    nodes: Nodes | None
    torn: bool
    sealed: bool
    planned: bool
    left_out: list[Skipped] = field(default_factory=list)
    revisits: dict[int, Revisit] = field(default_factory=dict)
    kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # what was made of it

    @cached_property
    def plan(self) -> LaunchPlan | None:
        """The points that it was given, None if it was killed before they were written; raises as `load_run`."""
        return present_document(self.path / "plan.json", LaunchPlan)

    @property
    def indices(self) -> list[int]:
        """The places of its points in its plan, in the order of the records."""
        if isinstance(self.points, StoredPoints):
            return self.points.indices
        return [point.index for point in self.points]

    @property
    def ended_early(self) -> bool:
        """True if the engine began (or should have) and left no `end` record."""
        return self.end is None

    @property
    def ranks(self) -> int | None:
        """Ranks that ran; those asked for if the engine never said."""
        if self.start is not None:
            return self.start.ranks
        return self.meta.ranks if self.meta is not None else None

    @property
    def variant(self) -> str | None:
        """The variant of the plan that it was a launch of."""
        return self.meta.variant if self.meta is not None else None

    @property
    def is_imported(self) -> bool:
        """True if another program measured, and `groma import` read what it printed."""
        return isinstance(self.start, Imported)

    @property
    def foreign_cores(self) -> float | None:
        """CPU time that other processes took on the busiest node, in cores; None if it was not recorded."""
        if self.end is None or not self.end.load:
            return None
        return max(load.foreign_cores for load in self.end.load)

    @property
    def wall_s(self) -> float | None:
        """Seconds from the start of the launcher to its end; None if they were not recorded."""
        return self.meta.wall_s if self.meta is not None else None

    @property
    def outside_s(self) -> float | None:
        """Seconds of `wall_s` before the engine's first record and after its last; None if either is not known.

        The launcher's work, the start and end of MPI, and the engine's preparation. None for a simulated network too,
        on which the engine's time is not that of the wall clock.
        """
        if self.wall_s is None or self.end is None:
            return None
        outside = self.wall_s - self.end.elapsed_ns * 1e-9
        return outside if outside >= 0 else None


def load_launch(folder: Path, meanings: Meanings | None = None) -> Launch:
    """Read the files of one launch from its folder, whose name is its number; raises as `load_run`.

    `meanings` is the catalogue of its run, if that is another than the packaged one. The points of a large file stay
    there, and are decoded one by one when asked for.
    """
    path = folder / RECORDS
    if path.is_file() and path.stat().st_size >= LARGE:
        points = StoredPoints(path, meanings)
        return _launch(folder, points.others(), points, points)
    lines = Lines(path, meanings)
    records = [record for _, _, record in lines]
    measured = [record for record in records if isinstance(record, Point)]
    others = [without_figure(point) for point in measured if not has_figure(point)]
    launch = _launch(
        folder,
        [*(record for record in records if not isinstance(record, Point)), *others],
        [point for point in measured if has_figure(point)],
        lines,
    )
    _ = launch.plan  # a damaged one is refused here
    return launch


def _launch(folder: Path, others: list[Record], points: Sequence[Point], read: Lines | StoredPoints) -> Launch:
    """Return a launch of its points and its other records; a point without samples is among these as a failure."""
    return Launch(
        number=int(folder.name),
        path=folder,
        meta=present_document(folder / "launch.json", LaunchDocument),
        start=next((record for record in others if isinstance(record, Start)), None),
        points=points,
        failures=[record for record in others if isinstance(record, Failure)],
        end=next((record for record in others if isinstance(record, End)), None),
        nodes=present_document(folder / "nodes.json", Nodes),
        torn=read.torn,
        sealed=read.sealed,
        planned=read.planned,
        left_out=[record for record in others if isinstance(record, Skipped)],
        revisits={record.index: record for record in others if isinstance(record, Revisit)},
    )


def read_records(path: Path, meanings: Meanings | None = None) -> tuple[list[Record], bool]:
    """Return every whole record of a file with one launch or several, one after the other, none without the file.

    The second value tells whether its last line was torn. Raises `RunError` if a line before the last is damaged.
    """
    lines = Lines(path, meanings, appended=True)
    return [record for _, _, record in lines], lines.torn
