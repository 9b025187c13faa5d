"""The suite's tables, their cells, and the peaks of the hardware."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from groma.analysis import PointSummary
from groma.errors import InputError
from groma.programs.alcf.points import Points
from groma.text.numbers import DASH, significant
from groma.text.sizes import format_size
from groma.text.tables import Table

DIGITS = 3
_PEAK = re.compile(r"node|bisection(@[1-9]\d{0,8})?")
PLACES = {"intranode": "within a node", "internode": "between nodes"}


@dataclass(frozen=True)
class Peaks:
    """The peaks of the hardware, in GB/s; None if not given.

    `bisection` is that of the most nodes measured, `bisections` those of other numbers of nodes.
    """

    node: float | None = None
    bisection: float | None = None
    bisections: Mapping[int, float] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, float]) -> Peaks:
        """Return the peaks of `node`, `bisection` and `bisection@512`."""
        bisections = {int(name.partition("@")[2]): value for name, value in given.items() if "@" in name}
        return cls(given.get("node"), given.get("bisection"), bisections)


NO_PEAKS = Peaks()


def read_peaks(texts: tuple[str, ...]) -> Peaks:
    """Return the peaks of every `node=36`, `bisection=922` or, of one number of nodes, `bisection@512=922`, in GB/s.

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
    return Peaks.of(peaks)


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
