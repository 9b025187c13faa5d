"""Rows and columns of the suite's tables; where its presentation shows none, those that its text asks for.

GB/s are 10^9 bytes per second. Rates and bandwidths of `targets` are of all ranks together, so that those of a node are
a node's share; a bisection is the whole cut, both directions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groma.alcf.points import Points, points_of
from groma.analysis.overlap import overlap_figures, phases_of
from groma.counts import counted
from groma.report.numbers import DASH, significant
from groma.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groma.analysis import PointSummary
    from groma.results import Run

DIGITS = 3
BULK_BYTES = 512 * 1024
_SOURCES = {"targets": "def", "targets_any_source": "any_src"}
_PLACES = {"intranode": "within a node", "internode": "between nodes"}
_COMMUNICATORS = {"world": "World", "copy": "Copy", "world-1": "World less one rank", "half": "Half World"}
_HALO = ("sendrecv", "isend_recv", "isend_irecv", "all_at_once", "persistent", "neighbourhood")
_COLLECTIVES = (
    ("Barrier", {"operation": "barrier"}),
    ("Broadcast 2", {"operation": "bcast", "bytes": 2, "layout": "contiguous"}),
    ("Broadcast 1K", {"operation": "bcast", "bytes": 1024, "layout": "contiguous", "datatype": "byte"}),
    ("Allreduce 1", {"operation": "allreduce", "bytes": 8, "datatype": "double"}),
    ("Allreduce 256", {"operation": "allreduce", "bytes": 2048, "datatype": "double"}),
)


@dataclass(frozen=True)
class Peaks:
    """What the hardware could do at most, in GB/s; None where nobody said."""

    node: float | None = None
    bisection: float | None = None


NO_PEAKS = Peaks()


@dataclass(frozen=True)
class Table:
    """One table of text: a title, the unit, headings and rows, and what a reader must know."""

    title: str
    unit: str
    headings: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)


def tables(run: Run, peaks: Peaks = NO_PEAKS, summaries: list[PointSummary] | None = None) -> list[Table]:
    """Return every table that the run has points for, in the order of the presentation."""
    points = points_of(run, summaries)
    return [
        *_rates(points),
        *_latencies(points),
        *_node_bandwidth(points, peaks, _handed_gb_s(run)),
        *_bisection(points, peaks),
        *_collectives(points),
        *_datatypes(points),
        *_halo(points),
        *_overlap(points),
    ]


def _rates(points: Points) -> Iterator[Table]:
    """Yield messages per second of one node, over ranks per node and over windows."""
    every = points.having(operation=tuple(_SOURCES), bytes=0)
    for pattern, where in _PLACES.items():
        own = every.having(pattern=pattern)
        if not own:
            continue
        least = min(own.values("window"))
        shown = own.having(window=least)
        yield Table(
            f"Messaging rate {where}",
            "in millions of messages per second and node",
            ["RPN", *_SOURCES.values()],
            [
                [f"{place:g}", *(_cell(shown.at(place).having(operation=name), _rate) for name in _SOURCES)]
                for place in shown.places()
            ],
            [f"Window {least}, one target a rank, zero-byte messages; every message counts once, where it was sent."],
        )
        most = max(own.places())
        windows = own.at(most)
        if len(windows.values("window")) > 1:
            yield Table(
                f"Messaging rate {where}, by window",
                "in millions of messages per second and node",
                ["WIN", *(f"{most:g} RPN {name}" for name in _SOURCES.values())],
                [
                    [
                        str(window),
                        *(_cell(windows.having(window=window, operation=name), _rate) for name in _SOURCES),
                    ]
                    for window in windows.values("window")
                ],
            )


def _latencies(points: Points) -> Iterator[Table]:
    own = points.having(operation="pingpong", pattern=("intranode", "internode", "farthest"))
    if not own:
        return
    sizes = own.values("bytes")
    places = [name for name in ("intranode", "internode", "farthest") if own.having(pattern=name)]
    repetitions = [sum(launch.repetitions for launch in point.launches) for point in own.points]
    pairs = {name: {point.members for point in own.having(pattern=name).points} for name in places}
    yield Table(
        "Ping-pong latency",
        "in microseconds, one way",
        ["", *map(format_size, sizes)],
        [[name, *(_cell(own.having(pattern=name, bytes=size), _us) for size in sizes)] for name in places],
        [
            f"MAXN: {min(repetitions)} to {max(repetitions)} round trips a figure, over all launches.",
            "Ranks: " + "; ".join(f"{name} {_pairs(found)}" for name, found in pairs.items()) + ".",
        ],
    )


def _node_bandwidth(points: Points, peaks: Peaks, rank_gb_s: float | None) -> Iterator[Table]:
    every = points.having(operation="targets", bytes=BULK_BYTES, pattern=tuple(_PLACES))
    for pattern, where in _PLACES.items():
        own = every.having(pattern=pattern)
        if not own:
            continue
        neighbours = own.values("targets")
        given = peaks.node or pattern == "internode"
        yield _bandwidths(
            f"Single node aggregate bandwidth {where}",
            own,
            [(counted(count, "neighbour"), {"targets": count}) for count in neighbours],
            _Peak(peaks.node) if given else _Peak(rank_gb_s, per_rank=True),
            counted_bytes="sent plus received",
            share=lambda point: 1 / point.hosts,
        )


@dataclass(frozen=True)
class _Peak:
    """The most that a node could do, in GB/s: as somebody gave it, or so much for each of its ranks."""

    gb_s: float | None
    per_rank: bool = False

    def at(self, ranks_per_node: float) -> float:
        return (self.gb_s or 0.0) * (ranks_per_node if self.per_rank else 1)

    def __bool__(self) -> bool:
        return bool(self.gb_s)

    def note(self) -> str:
        if self.per_rank:
            return "Peak: messages handed from core to core without MPI, one pair at a time, times the pairs."
        return "Peak: as given."

    def exceeded(self) -> str:
        """Say why a figure can be above it."""
        if self.per_rank:
            return (
                "Above the peak: a timed message does not change from call to call, and that of the peak does: a "
                "library that copies it once may have found it in the receiver's cache."
            )
        return "Above the peak: it was given too low, or messages do not pass what it bounds."


def _bisection(points: Points, peaks: Peaks) -> Iterator[Table]:
    own = points.having(operation="targets", bytes=BULK_BYTES, pattern="bisection")
    if own:
        nodes = {own.place(point).nodes for point in own.points}
        heading = "Nodes: " + " and ".join(map(str, sorted(nodes)))
        # The operation counts a message where it is sent and where it is received; it crosses the cut once.
        yield _bandwidths(
            "Bi-section bandwidth",
            own,
            [(heading, {})],
            _Peak(peaks.bisection),
            counted_bytes="what crosses the cut, both directions",
            share=lambda _: 1 / 2,
        )


def _bandwidths(
    title: str,
    own: Points,
    columns: list[tuple[str, dict[str, int]]],
    peak: _Peak,
    *,
    counted_bytes: str,
    share: Callable[[PointSummary], float],
) -> Table:
    """Return a row for every number of ranks per node; where the peak is known, its row and the best share of it.

    A figure is the given share of what all ranks send and receive.
    """

    def gb_s(point: PointSummary) -> float:
        return (point.bandwidth_mb_s or 0.0) / 1e3 * share(point)

    rows = [
        [f"{place:g}", *(_cell(own.at(place).having(**fields), gb_s) for _, fields in columns)]
        for place in own.places()
    ]
    notes = [f"512 KB messages, Isend and Irecv at once; {counted_bytes}."]
    if peak and rows:
        shares = [
            [gb_s(point) / peak.at(place) for place in own.places() for point in own.at(place).having(**fields).points]
            for _, fields in columns
        ]
        rows.append(["Peak", *(significant(peak.at(max(own.places())), DIGITS) for _ in columns)])
        rows.append(["of peak", *(f"{max(found):.0%}" if found else DASH for found in shares)])
        notes.append(peak.note())
        if any(share > 1 for found in shares for share in found):
            notes.append(peak.exceeded())
    return Table(title, "in GB/s", ["RPN", *(name for name, _ in columns)], rows, notes)


def _collectives(points: Points) -> Iterator[Table]:
    """Yield a table for each communicator, and the ratio of half to world."""
    every = points.having(operation=("barrier", "bcast", "allreduce"), communicator=tuple(_COMMUNICATORS))
    shown = {name: every.having(communicator=name) for name in _COMMUNICATORS}
    for name, own in shown.items():
        if own:
            yield _by_place(f"Collective operations: {_COMMUNICATORS[name]}", own, _us)
    if shown["half"] and shown["world"]:
        places = [place for place in shown["half"].places() if place in shown["world"].places()]
        rows = []
        for label, fields in _COLLECTIVES:
            pairs = [
                (shown["half"].at(place).having(**fields).one, shown["world"].at(place).having(**fields).one)
                for place in places
            ]
            rows.append(
                [label, *(DASH if not (a and b) else significant(a.time_ns / b.time_ns, DIGITS) for a, b in pairs)]
            )
        yield Table(
            "Collective operations: Half over World",
            "ratio of times; groma advice has its interval",
            ["MPI ranks per node", *(f"{place:g}" for place in places)],
            rows,
        )


def _by_place(title: str, own: Points, figure: Callable[[PointSummary], float]) -> Table:
    places = own.places()
    rows = [
        [label, *(_cell(own.at(place).having(**fields), figure) for place in places)] for label, fields in _COLLECTIVES
    ]
    return Table(
        title,
        "in microseconds",
        ["MPI ranks per node", *(f"{place:g}" for place in places)],
        rows,
        ["Broadcast: bytes; Allreduce: doubles, summed."],
    )


def _datatypes(points: Points) -> Iterator[Table]:
    own = points.having(operation=("pingpong", "bcast"), datatype="double")
    layouts = [name for name in ("contiguous", "vector", "indexed", "struct") if own.having(layout=name)]
    if len(layouts) < 2:
        return
    rows = []
    for operation in ("pingpong", "bcast"):
        for size in own.having(operation=operation).values("bytes"):
            same = own.having(operation=operation, bytes=size)
            rows.append(
                [f"{operation} {format_size(size)}", *(_cell(same.having(layout=name), _us) for name in layouts)]
            )
    yield Table(
        "User-defined datatypes",
        "in microseconds",
        ["doubles", *layouts],
        rows,
        ["Sizes count the elements, not the gaps between them."],
    )


def _halo(points: Points) -> Iterator[Table]:
    """Yield times and bandwidths of all forms, for each number of dimensions."""
    every = points.having(operation=tuple(f"halo/{form}" for form in _HALO))
    for dimensions in every.values("dimensions"):
        own = every.having(dimensions=dimensions)
        sizes = own.values("bytes")
        forms = [form for form in _HALO if own.having(operation=f"halo/{form}")]
        grids = {point.grid for point in own.points if point.grid}
        note = "Periodic grid: " + " and ".join(" x ".join(map(str, grid)) for grid in sorted(grids)) + " ranks"
        for unit, figure in (("in microseconds", _us), ("in MB/s, sent plus received by a rank", _mb_s)):
            yield Table(
                f"Halo exchange, {dimensions}-D",
                unit,
                ["a face", *map(format_size, sizes)],
                [
                    [form, *(_cell(own.having(operation=f"halo/{form}", bytes=size), figure) for size in sizes)]
                    for form in forms
                ],
                [
                    f"{note}; where a length is 1 a rank is its own neighbour, which counts in no bandwidth."
                    if grids
                    else ""
                ],
            )


def _overlap(points: Points) -> Iterator[Table]:
    every = points.having(operation="overlap")
    for pattern in every.values("pattern"):
        rows = []
        for size in every.having(pattern=pattern).values("bytes"):
            point = every.having(pattern=pattern, bytes=size).one
            measured = [phases_of(launch.phases_ns) for launch in point.launches if launch.phases_ns] if point else []
            if not measured:
                continue
            figures = overlap_figures(measured)
            bounds = figures.overlap_interval
            phases = figures.phases
            times = (phases.pure_ns, phases.compute_ns, phases.post_ns, phases.test_ns, phases.wait_ns)
            rows.append(
                [
                    format_size(size),
                    f"{figures.eff:.2f}",
                    f"{figures.overlap:.0%}",
                    f"{bounds.low:.0%} to {bounds.high:.0%}" if bounds else DASH,
                    *(significant(time / 1e3, DIGITS) for time in times),
                ]
            )
        if rows:
            yield Table(
                f"Communication/computation overlap {_PLACES.get(str(pattern), str(pattern))}",
                "times in microseconds",
                ["size", "Eff", "overlap", "95% interval", "t4'-t1'", "work", "t2-t1", "tests", "t4-t3"],
                rows,
                [
                    "Eff = ((t2-t1) - (t4-t3)) / (t4'-t1'), as the suite defines it: -1 where all is left to the wait.",
                    "overlap: the share of exchange or work, whichever is longer, that was hidden behind the other.",
                ],
            )


def _handed_gb_s(run: Run) -> float | None:
    """Return what a rank sends and receives at the bulk size where a pair of cores hands messages over without MPI.

    A pair moves `bytes / stream_ns`, which one of its ranks sends and the other receives. None where that was not
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


def _cell(points: Points, figure: Callable[[PointSummary], float]) -> str:
    point = points.one
    return DASH if point is None else significant(figure(point), DIGITS)


def _rate(point: PointSummary) -> float:
    return (point.messages_per_s or 0.0) / 1e6 / max(1, point.hosts)


def _us(point: PointSummary) -> float:
    return point.time_ns / 1e3


def _mb_s(point: PointSummary) -> float:
    return point.bandwidth_mb_s or 0.0


def _pairs(members: set[tuple[int, ...]]) -> str:
    return ", ".join("-".join(map(str, pair)) for pair in sorted(members))
