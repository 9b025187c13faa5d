"""The suite's tables, their points and cells, and the peaks of the hardware."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from groma.analysis import PointSummary
from groma.errors import InputError
from groma.text.numbers import DASH, significant
from groma.text.sizes import format_size
from groma.text.tables import Table

DIGITS = 3
_PEAK = re.compile(r"node|bisection(@[1-9]\d{0,8})?")
PLACES = {"intranode": "within a node", "internode": "between nodes"}


Peaks = Mapping[str, float]  # of the hardware, in GB/s, as far as they were given
NO_PEAKS: Peaks = {}


def read_peaks(texts: tuple[str, ...]) -> Peaks:
    """Return the peaks of `node=36`, `bisection=922` on the most nodes or, of one number of nodes, `bisection@512=922`.

    Raises InputError for a text that is none of these.
    """
    peaks = {}
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        try:
            peaks[name] = float(value)
        except ValueError:
            peaks[name] = 0.0
        if not _PEAK.fullmatch(name) or not 0 < peaks[name] < float("inf"):
            raise InputError(
                f"'{text}' is not a peak; write --peak node=36, --peak bisection=922 or, of 512 nodes alone, "
                "--peak bisection@512=922, in GB/s"
            )
    return peaks


@dataclass(frozen=True)
class SuiteTable(Table):
    """One of the suite's tables; `unit` is that of its figures."""

    unit: str = ""


def by_size(
    title: str,
    lines: Mapping[str, Points],
    figure: Callable[[PointSummary], float],
    notes: list[str],
    *,
    unit: str,
    first: str = "",
) -> SuiteTable:
    """Return the table with a row for the points of each line and a column for every message size, the first headed."""
    sizes = sorted({size for points in lines.values() for size in points.values("bytes")})
    rows = [[label, *(cell(points.having(bytes=size), figure) for size in sizes)] for label, points in lines.items()]
    return SuiteTable(title, [first, *map(format_size, sizes)], rows, notes, unit=unit)


def cell(points: Points, figure: Callable[[PointSummary], float]) -> str:
    """Return the figure of the point chosen among these, a dash if there is none."""
    point = points.point
    return DASH if point is None else significant(figure(point), DIGITS)


def us(point: PointSummary) -> float:
    """Return the time of a point in microseconds."""
    return point.time_ns / 1e3


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
        allowed = {name: value if isinstance(value, tuple) else (value,) for name, value in fields.items()}
        return self._where(
            lambda point: point.member_count > 1 and all(point.point.get(name) in allowed[name] for name in allowed)
        )

    def _where(self, is_wanted: Callable[[PointSummary], bool]) -> Points:
        return Points(tuple(filter(is_wanted, self.points)), self.nodes)

    def _nodes(self, point: PointSummary) -> int:
        return self.nodes.get(point.ranks, 1)

    def _per_node(self, point: PointSummary) -> float:
        return float(point.point.get("ranks_per_node") or point.ranks / self._nodes(point))

    def places(self) -> list[float]:
        """Return the different ranks per node, ascending."""
        return sorted(set(map(self._per_node, self.points)))

    def node_counts(self) -> list[int]:
        """Return the different numbers of nodes, ascending."""
        return sorted(set(map(self._nodes, self.points)))

    def on(self, nodes: int) -> Points:
        """Return the points of launches on this number of nodes."""
        return self._where(lambda point: self._nodes(point) == nodes)

    def at(self, per_node: float) -> Points:
        """Return the points with this number of ranks per node."""
        return self._where(lambda point: self._per_node(point) == per_node)

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
