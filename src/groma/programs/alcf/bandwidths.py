"""Bandwidths of nodes and of the cut through the machine; GB/s are 10^9 bytes per second.

Rates of `targets` are of all ranks together, so that those of a node are a node's share; a bisection is the whole cut,
both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from groma.analysis import PointSummary
from groma.programs.alcf.points import Points
from groma.programs.alcf.table import DIGITS, PLACES, Peaks, SuiteTable, cell
from groma.results import Run
from groma.text.counts import counted
from groma.text.numbers import DASH, significant

BULK_BYTES = 512 * 1024
# What a peak is, and why a figure can be above it.
_GIVEN = (
    "Peak: as given.",
    "Above the peak: the given peak is too low, or the messages take a path that it does not limit.",
)
_HANDED = (
    "Peak: messages handed from core to core without MPI, one pair at a time, times the pairs.",
    (
        "Above the peak: a timed message does not change from call to call, and that of the peak does: a library that "
        "copies it once may have found it in the receiver's cache."
    ),
)


@dataclass(frozen=True)
class _Peak:
    """The peak of a node in GB/s: as the user gave it, or per rank."""

    gb_s: float | None
    per_rank: bool = False

    def at(self, ranks_per_node: float) -> float:
        return (self.gb_s or 0.0) * (ranks_per_node if self.per_rank else 1)

    def __bool__(self) -> bool:
        return bool(self.gb_s)


@dataclass(frozen=True)
class _Column:
    """A column of bandwidths: its points, and the peak of the hardware for them."""

    heading: str
    points: Points
    peak: _Peak


def node_bandwidth(points: Points, peaks: Peaks, rank_gb_s: float | None) -> Iterator[SuiteTable]:
    """Yield what one node sends and receives, near and far, over ranks per node and neighbours."""
    measured = points.having(operation="targets", bytes=BULK_BYTES, pattern=tuple(PLACES))
    for pattern, location in PLACES.items():
        selected = measured.having(pattern=pattern)
        if not selected:
            continue
        given = peaks.node or pattern == "internode"
        peak = _Peak(peaks.node) if given else _Peak(rank_gb_s, per_rank=True)
        yield _bandwidths(
            f"Single node aggregate bandwidth {location}",
            selected,
            [
                _Column(counted(count, "neighbour"), selected.having(targets=count), peak)
                for count in selected.values("targets")
            ],
            counted_bytes="sent plus received",
            share=lambda point: 1 / point.hosts,
        )


def bisection(points: Points, peaks: Peaks) -> Iterator[SuiteTable]:
    """Yield what crosses the cut, with a column for every number of nodes."""
    crossing = points.having(operation="targets", bytes=BULK_BYTES, pattern="bisection")
    if crossing:
        counts = crossing.node_counts()
        peak_of = {counts[-1]: peaks.bisection, **peaks.bisections}
        # The operation counts a message where it is sent and where it is received; it crosses the cut once.
        yield _bandwidths(
            "Bi-section bandwidth",
            crossing,
            [_Column(f"Nodes: {nodes}", crossing.on(nodes), _Peak(peak_of.get(nodes))) for nodes in counts],
            counted_bytes="all that crosses the cut, both directions",
            share=lambda _: 1 / 2,
        )


def _bandwidths(
    title: str,
    points: Points,
    columns: list[_Column],
    *,
    counted_bytes: str,
    share: Callable[[PointSummary], float],
) -> SuiteTable:
    """Return a row for every number of ranks per node; if a peak is known, its row and the best share of it.

    A figure is the given share of what all ranks send and receive.
    """

    def gb_s(point: PointSummary) -> float:
        return (point.bandwidth_mb_s or 0.0) / 1e3 * share(point)

    rows = [[f"{place:g}", *(cell(column.points.at(place), gb_s) for column in columns)] for place in points.places()]
    notes = [f"512 KB messages, Isend and Irecv at once; {counted_bytes}."]
    peaks = [column.peak for column in columns if column.peak]
    if peaks and rows:
        shares = [_shares(column, gb_s) for column in columns]
        highest = [column.peak.at(max(points.places())) for column in columns]
        rows.append(["Peak", *(significant(peak, DIGITS) if peak else DASH for peak in highest)])
        rows.append(["of peak", *(f"{max(column_shares):.0%}" if column_shares else DASH for column_shares in shares)])
        note, exceeded = _HANDED if peaks[0].per_rank else _GIVEN
        notes.append(note)
        if any(share > 1 for column_shares in shares for share in column_shares):
            notes.append(exceeded)
    return SuiteTable(title, ["RPN", *(column.heading for column in columns)], rows, notes, unit="in GB/s")


def _shares(column: _Column, gb_s: Callable[[PointSummary], float]) -> list[float]:
    """Return every figure of a column as a share of its peak; none if that is not known."""
    if not column.peak:
        return []
    points = column.points
    return [gb_s(point) / column.peak.at(place) for place in points.places() for point in points.at(place).points]


def handed_gb_s(run: Run) -> float | None:
    """Return what a rank sends and receives, in GB/s, when a pair of cores hands over bulk messages without MPI.

    A pair moves `bytes / stream_ns`, which one of its ranks sends and the other receives. None if that was not
    measured.
    """
    times = [
        handoff.stream_ns
        for launch in run.launches
        if launch.start is not None
        for handoff in launch.start.limits.handoff
        if handoff.bytes == BULK_BYTES and handoff.stream_ns > 0
    ]
    return BULK_BYTES / min(times) if times else None
