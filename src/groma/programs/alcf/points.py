"""Finding the points of one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groma.analysis import summarise

if TYPE_CHECKING:
    from groma.analysis import PointSummary
    from groma.results import Run


@dataclass(frozen=True)
class Place:
    """Ranks per node and number of nodes, as the columns and rows of the ALCF slides' tables count them."""

    per_node: float
    nodes: int

    def __str__(self) -> str:
        return f"{self.per_node:g}"


@dataclass(frozen=True)
class Points:
    """Points of a run, and the number of nodes by the number of launched ranks.

    The ranks per node of a point are those asked for, or all that were launched on a node; a communicator that leaves
    ranks out does not change them.
    """

    points: tuple[PointSummary, ...]
    nodes: dict[int, int]

    def having(self, **fields: object) -> Points:
        """Return the points with these values, a tuple allows several; points of a single rank are skipped."""
        chosen = [
            point
            for point in self.points
            if point.member_count > 1
            and all(
                point.point.get(name) in value if isinstance(value, tuple) else point.point.get(name) == value
                for name, value in fields.items()
            )
        ]
        return Points(tuple(chosen), self.nodes)

    def place(self, point: PointSummary) -> Place:
        """Return where the ranks of a point were."""
        nodes = self.nodes.get(point.ranks, 1)
        return Place(float(point.point.get("ranks_per_node") or point.ranks / nodes), nodes)

    def places(self) -> list[float]:
        """Return the different ranks per node, ascending."""
        return sorted({self.place(point).per_node for point in self.points})

    def node_counts(self) -> list[int]:
        """Return the different numbers of nodes, ascending."""
        return sorted({self.place(point).nodes for point in self.points})

    def on(self, nodes: int) -> Points:
        """Return the points of launches on this number of nodes."""
        return Points(tuple(point for point in self.points if self.place(point).nodes == nodes), self.nodes)

    def at(self, per_node: float) -> Points:
        """Return the points with this number of ranks per node."""
        return Points(tuple(point for point in self.points if self.place(point).per_node == per_node), self.nodes)

    def values(self, name: str) -> list[Any]:
        """Return the different values of a field, ascending."""
        return sorted({point.point[name] for point in self.points if name in point.point})

    @property
    def point(self) -> PointSummary | None:
        """The point, if there is one; of several, the one whose launch had the fewest idle ranks, then most ranks."""
        return min(self.points, key=_idle_then_small, default=None)

    def __bool__(self) -> bool:
        return bool(self.points)


def _idle_then_small(point: PointSummary) -> tuple[bool, int, int]:
    """Return the sort key of a point; points without idle ranks on their nodes come first, as those disturb figures.

    A communicator that leaves ranks out does so on purpose.
    """
    whole = point.point.get("communicator") in ("copy", "world")
    idle = point.ranks - point.member_count if whole else 0
    return bool(point.point.get("ranks_per_node")), idle, -point.ranks


def points_of(run: Run, summaries: Iterable[PointSummary] | None = None) -> Points:
    """Return all points of a run."""
    nodes = {launch.start.ranks: launch.start.nodes for launch in run.launches if launch.start is not None}
    return Points(tuple(summarise(run) if summaries is None else summaries), nodes)
