"""Rows and columns of the suite's tables; if its presentation shows none, those that its text asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from groma.analysis import PointSummary, summarise
from groma.analysis.overlap import OverlapFigures, overlap_figures, phases_of
from groma.programs.alcf.bandwidths import bisection, handed_gb_s, node_bandwidth
from groma.programs.alcf.table import DIGITS, NO_PEAKS, PLACES, Peaks, Points, SuiteTable, by_size, cell, us
from groma.results import Run
from groma.text.counts import counted
from groma.text.numbers import DASH, significant
from groma.text.sizes import format_size

_SOURCES = {"targets": "def", "targets_any_source": "any_src"}
_AXES = {"window": "WIN", "targets": "TGT"}  # of a messaging rate, beside the ranks per node
_HALO = ("sendrecv", "isend_recv", "isend_irecv", "all_at_once", "persistent", "neighbourhood")
_APPLICATIONS: dict[str, dict[str, object]] = {
    **{f"halo with work, {count}-D": {"operation": "app/halo", "dimensions": count} for count in (1, 2, 3)},
    "transposition": {"operation": "app/transpose"},
    "conjugate-gradient step": {"operation": "app/conjugate_gradient"},
}
_OVERLAP_NOTES = (
    "Eff = ((t2-t1) - (t4-t3)) / (t4'-t1'), as the suite defines it: -1 if all happens in the wait.",
    "overlap: the share of exchange or work, whichever is longer, that overlapped with the other.",
)
COMMUNICATORS = {"world": "World", "copy": "Copy", "world-1": "World less one rank", "half": "Half World"}
_LAYOUTS = ("contiguous", "vector", "indexed", "struct")
_PLAIN = {"layout": "contiguous"}
_ROWS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Barrier", {"operation": "barrier"}),
    ("Broadcast 2", {"operation": "bcast", "bytes": 2, **_PLAIN}),
    ("Broadcast 1K", {"operation": "bcast", "bytes": 1024, "datatype": "byte", **_PLAIN}),
    ("Allreduce 1", {"operation": "allreduce", "bytes": 8, "datatype": "double", **_PLAIN}),
    ("Allreduce 256", {"operation": "allreduce", "bytes": 2048, "datatype": "double", **_PLAIN}),
)


def tables(run: Run, peaks: Peaks = NO_PEAKS, summaries: list[PointSummary] | None = None) -> list[SuiteTable]:
    """Return every table that the run has points for, in the order of the presentation.

    If launches had different numbers of nodes, each number has tables of its own; the bisection has columns.
    """
    nodes_of = {launch.start.ranks: launch.start.nodes for launch in run.launches if launch.start is not None}
    points = Points(tuple(summarise(run) if summaries is None else summaries), nodes_of)

    def apart(make: Callable[[Points], Iterable[SuiteTable]]) -> Iterator[SuiteTable]:
        counts = points.node_counts()
        for nodes in counts:
            title = "{}" if len(counts) == 1 else f"{{}}, {counted(nodes, 'node')}"
            yield from (replace(table, title=title.format(table.title)) for table in make(points.on(nodes)))

    return [
        *apart(_rates),
        *apart(_latencies),
        *apart(lambda selected: node_bandwidth(selected, peaks, handed_gb_s(run))),
        *bisection(points, peaks),
        *apart(collectives),
        *apart(datatypes),
        *apart(_halo),
        *apart(_applications),
        *apart(_overlap),
    ]


def _rates(points: Points) -> Iterator[SuiteTable]:
    """Yield messages per second of one node, over ranks per node, then over whatever of `_AXES` was varied."""
    measured = points.having(operation=tuple(_SOURCES), bytes=0)
    for pattern, location in PLACES.items():
        selected = measured.having(pattern=pattern)
        if not selected:
            continue
        least = {axis: min(selected.values(axis)) for axis in _AXES}
        shown = selected.having(**least)
        rows = {f"{place:g}": shown.at(place) for place in shown.places()}
        yield _rate_table(f"Messaging rate {location}", ["RPN", *_SOURCES.values()], rows, _rate_note(least))
        most_ranks = max(selected.places())
        for axis, heading in _AXES.items():
            others = {name: value for name, value in least.items() if name != axis}
            varied = selected.at(most_ranks).having(**others)
            if len(varied.values(axis)) > 1:
                headings = [heading, *(f"{most_ranks:g} RPN {name}" for name in _SOURCES.values())]
                rows = {str(value): varied.having(**{axis: value}) for value in varied.values(axis)}
                yield _rate_table(f"Messaging rate {location}, by {axis}", headings, rows, _rate_note(others))


def _rate_note(common: dict[str, int]) -> str:
    """State what all rates of a table share."""
    texts = {"window": lambda count: f"window {count}", "targets": lambda count: f"{counted(count, 'target')} a rank"}
    same = ", ".join(texts[axis](count) for axis, count in common.items())
    return f"{same.capitalize()}, zero-byte messages; every message counts once, where it was sent."


def _rate_table(title: str, headings: list[str], lines: dict[str, Points], note: str) -> SuiteTable:
    rows = [
        [label, *(cell(points.having(operation=name), _rate) for name in _SOURCES)] for label, points in lines.items()
    ]
    return SuiteTable(title, headings, rows, [note], unit="in millions of messages per second and node")


def _latencies(points: Points) -> Iterator[SuiteTable]:
    measured = points.having(operation="pingpong", pattern=("intranode", "internode", "farthest"))
    if not measured:
        return
    lines = {name: part for name in ("intranode", "internode", "farthest") if (part := measured.having(pattern=name))}
    shown = {
        name: [point for size in part.values("bytes") if (point := part.having(bytes=size).point)]
        for name, part in lines.items()
    }
    repetitions = [sum(launch.repetitions for launch in point.launches) for group in shown.values() for point in group]
    notes = [
        f"MAXN: {min(repetitions)} to {max(repetitions)} round trips a figure, over all launches.",
        "Ranks: " + "; ".join(f"{name} {_pairs(group)}" for name, group in shown.items()) + ".",
    ]
    yield by_size("Ping-pong latency", lines, us, notes, unit="in microseconds, one way")


def _halo(points: Points) -> Iterator[SuiteTable]:
    """Yield times and bandwidths of all forms, for each number of dimensions."""
    measured = points.having(operation=tuple(f"halo/{form}" for form in _HALO))
    for dimensions in measured.values("dimensions"):
        selected = measured.having(dimensions=dimensions)
        forms = {form: part for form in _HALO if (part := selected.having(operation=f"halo/{form}"))}
        most_ranks = max(point.ranks for point in selected.points)
        grids = {point.grid for point in selected.points if point.grid and point.ranks == most_ranks}
        shapes = " and ".join(" x ".join(map(str, grid)) for grid in sorted(grids))
        rest = "in a dimension of length 1 a rank is its own neighbour; this traffic is not in any bandwidth."
        notes = [f"Periodic grid: {shapes} ranks; {rest}"] if grids else []
        for unit, figure in (
            ("in microseconds", us),
            ("in MB/s, sent plus received by a rank", lambda point: point.bandwidth_mb_s or 0.0),
        ):
            yield by_size(f"Halo exchange, {dimensions}-D", forms, figure, notes, unit=unit, first="a face")


def _applications(points: Points) -> Iterator[SuiteTable]:
    lines = {label: part for label, fields in _APPLICATIONS.items() if (part := points.having(**fields))}
    if lines:
        notes = ["Sizes: a face, a tile of the array for each rank, a rank's part of the vector. All are doubles."]
        yield by_size("Small applications", lines, us, notes, unit="in microseconds, one step")


def _overlap(points: Points) -> Iterator[SuiteTable]:
    overlaps = points.having(operation="overlap")
    for pattern in overlaps.values("pattern"):
        rows = []
        for size in overlaps.having(pattern=pattern).values("bytes"):
            point = overlaps.having(pattern=pattern, bytes=size).point
            measured = [phases_of(launch.phases_ns) for launch in point.launches if launch.phases_ns] if point else []
            if measured:
                rows.append([format_size(size), *_overlap_cells(overlap_figures(measured))])
        if rows:
            title = f"Communication/computation overlap {PLACES.get(str(pattern), str(pattern))}"
            headings = ["size", "Eff", "overlap", "95% interval", "t4'-t1'", "work", "t2-t1", "tests", "t4-t3"]
            yield SuiteTable(title, headings, rows, list(_OVERLAP_NOTES), unit="times in microseconds")


def _overlap_cells(figures: OverlapFigures) -> list[str]:
    bounds, phases = figures.overlap_interval, figures.phases
    times = (phases.pure_ns, phases.compute_ns, phases.post_ns, phases.test_ns, phases.wait_ns)
    interval = f"{bounds.low:.0%} to {bounds.high:.0%}" if bounds else DASH
    return [
        *(f"{figures.eff:.2f}", f"{figures.overlap:.0%}", interval),
        *(significant(time / 1e3, DIGITS) for time in times),
    ]


def _rate(point: PointSummary) -> float:
    return (point.messages_per_s or 0.0) / 1e6 / max(1, point.hosts)


def _pairs(points: list[PointSummary]) -> str:
    """Return the pairs of ranks, each once; and of how many if others of the launch were idle."""
    distinct = sorted({(point.members, point.ranks) for point in points})
    return ", ".join(
        "-".join(map(str, members)) + (f" of {ranks}" if ranks > len(members) else "") for members, ranks in distinct
    )


def collectives(points: Points) -> Iterator[SuiteTable]:
    """Yield a table for each communicator, and the ratio of half to world."""
    measured = points.having(operation=("barrier", "bcast", "allreduce"), communicator=tuple(COMMUNICATORS))
    shown = {name: measured.having(communicator=name) for name in COMMUNICATORS}
    most_places = len(measured.places())
    for name, on_communicator in shown.items():
        if on_communicator:
            lacks = name == "world" and len(on_communicator.places()) < most_places
            yield _by_place(name, on_communicator, lacks=lacks)
    if shown["half"] and shown["world"]:
        yield _ratios(shown["half"], shown["world"])


def _by_place(communicator: str, points: Points, *, lacks: bool) -> SuiteTable:
    places = points.places()
    notes = ["Broadcast: bytes; Allreduce: doubles, summed."]
    if lacks:
        notes.append(
            "MPI_COMM_WORLD has all ranks that were launched: fewer on a node need launches of their own "
            "(-n 2,4 --placement by-node on two nodes)."
        )
    rows = [[label, *(cell(points.at(place).having(**fields), us) for place in places)] for label, fields in _ROWS]
    return SuiteTable(
        f"Collective operations: {COMMUNICATORS[communicator]}", _headings(places), rows, notes, unit="in microseconds"
    )


def _headings(places: list[float]) -> list[str]:
    return ["MPI ranks per node", *(f"{place:g}" for place in places)]


def _ratios(half: Points, world: Points) -> SuiteTable:
    places = [place for place in half.places() if place in world.places()]
    rows = []
    for label, fields in _ROWS:
        pairs = [(half.at(place).having(**fields).point, world.at(place).having(**fields).point) for place in places]
        rows.append([label, *(DASH if not (a and b) else significant(a.time_ns / b.time_ns, DIGITS) for a, b in pairs)])
    unit = "ratio of times; groma advice has its interval"
    return SuiteTable("Collective operations: Half over World", _headings(places), rows, unit=unit)


def datatypes(points: Points) -> Iterator[SuiteTable]:
    """Yield the times of the same doubles in every layout, for collectives on every communicator."""
    measured = points.having(operation=("pingpong", "bcast", "allreduce"), datatype="double", ranks_per_node=0)
    layouts = [name for name in _LAYOUTS if measured.having(layout=name)]
    if len(layouts) < 2:
        return
    rows = []
    for operation in ("pingpong", "bcast", "allreduce"):
        for size in measured.having(operation=operation).values("bytes"):
            same = measured.having(operation=operation, bytes=size)
            for communicator, name in COMMUNICATORS.items():
                figures = [cell(same.having(layout=layout, communicator=communicator), us) for layout in layouts]
                if len(layouts) - figures.count(DASH) > 1:
                    label = f"{operation} {format_size(size)}"
                    rows.append([label if operation == "pingpong" else f"{label}, {name}", *figures])
    notes = ["Sizes count the elements, not the gaps between them."]
    if measured.having(operation="allreduce"):
        notes.append(
            "allreduce sums: contiguous doubles by MPI_SUM, other layouts by an operation on the type (MPI_Op_create)."
        )
    yield SuiteTable("User-defined datatypes", ["doubles", *layouts], rows, notes, unit="in microseconds")
