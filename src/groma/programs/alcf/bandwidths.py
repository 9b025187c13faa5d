"""Bandwidths of nodes and of the cut through the machine; GB/s are 10^9 bytes per second.

Rates of `targets` are of all ranks together, so that those of a node are a node's share; a bisection is the whole cut,
both directions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from groma.analysis import PointSummary
from groma.programs.alcf.table import DIGITS, PLACES, Peaks, Points, SuiteTable, cell
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


def node_bandwidth(points: Points, peaks: Peaks, rank_gb_s: float | None) -> Iterator[SuiteTable]:
    """Yield what one node sends and receives, near and far, over ranks per node and neighbours."""
    measured = points.having(operation="targets", bytes=BULK_BYTES, pattern=tuple(PLACES))
    for pattern, location in PLACES.items():
        selected = measured.having(pattern=pattern)
        if not selected:
            continue
        given = peaks.get("node")
        per_rank = not given and pattern == "intranode"
        peak = rank_gb_s if per_rank else given
        yield _bandwidths(
            f"Single node aggregate bandwidth {location}",
            selected,
            {counted(n, "neighbour"): (selected.having(targets=n), peak) for n in selected.values("targets")},
            counted_bytes="sent plus received",
            share=lambda point: 1 / point.hosts,
            per_rank=per_rank,
        )


def bisection(points: Points, peaks: Peaks) -> Iterator[SuiteTable]:
    """Yield what crosses the cut, with a column for every number of nodes."""
    crossing = points.having(operation="targets", bytes=BULK_BYTES, pattern="bisection")
    if crossing:
        counts = crossing.node_counts()
        peak_of = {n: peaks.get(f"bisection@{n}", peaks.get("bisection") if n == counts[-1] else None) for n in counts}
        # The operation counts a message where it is sent and where it is received; it crosses the cut once.
        yield _bandwidths(
            "Bi-section bandwidth",
            crossing,
            {f"Nodes: {nodes}": (crossing.on(nodes), peak) for nodes, peak in peak_of.items()},
            counted_bytes="all that crosses the cut, both directions",
            share=lambda _: 1 / 2,
        )


def _bandwidths(
    title: str,
    points: Points,
    columns: Mapping[str, tuple[Points, float | None]],
    *,
    counted_bytes: str,
    share: Callable[[PointSummary], float],
    per_rank: bool = False,
) -> SuiteTable:
    """Return a row for every number of ranks per node; if a peak is known, that of the most ranks, and the best share.

    A figure is the given share of what all ranks send and receive. Columns have their points and the peak in GB/s, of a
    node or `per_rank`.
    """

    def gb_s(point: PointSummary) -> float:
        return (point.bandwidth_mb_s or 0.0) / 1e3 * share(point)

    places = points.places()
    rows = [[f"{place:g}", *(cell(part.at(place), gb_s) for part, _ in columns.values())] for place in places]
    notes = [f"512 KB messages, Isend and Irecv at once; {counted_bytes}."]
    if rows and any(peak for _, peak in columns.values()):
        ranks = {place: place if per_rank else 1 for place in places}
        peaks = [{place: (peak or 0.0) * ranks[place] for place in places} for _, peak in columns.values()]
        shares = [
            [(gb_s(point) / peak[at], at) for at in part.places() if peak[at] for point in part.at(at).points]
            for (part, _), peak in zip(columns.values(), peaks, strict=True)
        ]
        beside = max(places) if per_rank else None  # whose peak the row shows, if each number of ranks has its own

        def best(own: list[tuple[float, float]]) -> str:
            share, at = max(own)
            return f"{share:.0%}" + (f" ({at:g} RPN)" if beside not in {None, at} else "")

        rows.append(["Peak", *(significant(peak[max(places)] or None, DIGITS) for peak in peaks)])
        rows.append(["of peak", *(best(own) if own else DASH for own in shares)])
        note, exceeded = _HANDED if per_rank else _GIVEN
        notes += [note, *[exceeded] * any(share > 1 for own in shares for share, _ in own)]
    return SuiteTable(title, ["RPN", *columns], rows, notes, unit="in GB/s")


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
