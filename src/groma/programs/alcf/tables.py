"""Rows and columns of the suite's tables; if its presentation shows none, those that its text asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groma.analysis.overlap import overlap_figures, phases_of
from groma.programs.alcf.bandwidths import bisection, handed_gb_s, node_bandwidth
from groma.programs.alcf.collectives import collectives, datatypes
from groma.programs.alcf.points import Points, points_of
from groma.programs.alcf.table import DIGITS, NO_PEAKS, PLACES, Peaks, SuiteTable, cell, us
from groma.text.counts import counted
from groma.text.numbers import DASH, significant
from groma.text.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from groma.analysis import PointSummary
    from groma.results import Run

_SOURCES = {"targets": "def", "targets_any_source": "any_src"}
_HALO = ("sendrecv", "isend_recv", "isend_irecv", "all_at_once", "persistent", "neighbourhood")
_APPLICATIONS: dict[str, tuple[str, dict[str, int]]] = {
    **{f"halo with work, {count}-D": ("app/halo", {"dimensions": count}) for count in (1, 2, 3)},
    "transposition": ("app/transpose", {}),
    "conjugate-gradient step": ("app/conjugate_gradient", {}),
}


def tables(run: Run, peaks: Peaks = NO_PEAKS, summaries: list[PointSummary] | None = None) -> list[SuiteTable]:
    """Return every table that the run has points for, in the order of the presentation.

    Where launches had different numbers of nodes, each number has tables of its own; the bisection has columns.
    """
    points = points_of(run, summaries)

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
    """Yield messages per second of one node, over ranks per node and over windows."""
    measured = points.having(operation=tuple(_SOURCES), bytes=0)
    for pattern, location in PLACES.items():
        selected = measured.having(pattern=pattern)
        if not selected:
            continue
        least = min(selected.values("window"))
        shown = selected.having(window=least)
        yield SuiteTable(
            f"Messaging rate {location}",
            "in millions of messages per second and node",
            ["RPN", *_SOURCES.values()],
            [
                [f"{place:g}", *(cell(shown.at(place).having(operation=name), _rate) for name in _SOURCES)]
                for place in shown.places()
            ],
            [f"Window {least}, one target a rank, zero-byte messages; every message counts once, where it was sent."],
        )
        most_ranks = max(selected.places())
        windows = selected.at(most_ranks)
        if len(windows.values("window")) > 1:
            yield SuiteTable(
                f"Messaging rate {location}, by window",
                "in millions of messages per second and node",
                ["WIN", *(f"{most_ranks:g} RPN {name}" for name in _SOURCES.values())],
                [
                    [
                        str(window),
                        *(cell(windows.having(window=window, operation=name), _rate) for name in _SOURCES),
                    ]
                    for window in windows.values("window")
                ],
            )


def _latencies(points: Points) -> Iterator[SuiteTable]:
    measured = points.having(operation="pingpong", pattern=("intranode", "internode", "farthest"))
    if not measured:
        return
    sizes = measured.values("bytes")
    places = [name for name in ("intranode", "internode", "farthest") if measured.having(pattern=name)]
    shown = {
        name: [point for size in sizes if (point := measured.having(pattern=name, bytes=size).point)] for name in places
    }
    repetitions = [sum(launch.repetitions for launch in point.launches) for group in shown.values() for point in group]
    yield SuiteTable(
        "Ping-pong latency",
        "in microseconds, one way",
        ["", *map(format_size, sizes)],
        [[name, *(cell(measured.having(pattern=name, bytes=size), us) for size in sizes)] for name in places],
        [
            f"MAXN: {min(repetitions)} to {max(repetitions)} round trips a figure, over all launches.",
            "Ranks: " + "; ".join(f"{name} {_pairs(group)}" for name, group in shown.items()) + ".",
        ],
    )


def _halo(points: Points) -> Iterator[SuiteTable]:
    """Yield times and bandwidths of all forms, for each number of dimensions."""
    measured = points.having(operation=tuple(f"halo/{form}" for form in _HALO))
    for dimensions in measured.values("dimensions"):
        selected = measured.having(dimensions=dimensions)
        sizes = selected.values("bytes")
        forms = [form for form in _HALO if selected.having(operation=f"halo/{form}")]
        most_ranks = max(point.ranks for point in selected.points)
        grids = {point.grid for point in selected.points if point.grid and point.ranks == most_ranks}
        note = "Periodic grid: " + " and ".join(" x ".join(map(str, grid)) for grid in sorted(grids)) + " ranks"
        for unit, figure in (("in microseconds", us), ("in MB/s, sent plus received by a rank", _mb_s)):
            yield SuiteTable(
                f"Halo exchange, {dimensions}-D",
                unit,
                ["a face", *map(format_size, sizes)],
                [
                    [form, *(cell(selected.having(operation=f"halo/{form}", bytes=size), figure) for size in sizes)]
                    for form in forms
                ],
                [
                    f"{note}; in a dimension of length 1 a rank is its own neighbour; this traffic is in no bandwidth."
                    if grids
                    else ""
                ],
            )


def _applications(points: Points) -> Iterator[SuiteTable]:
    measured = points.having(operation=tuple({name for name, _ in _APPLICATIONS.values()}))
    if not measured:
        return
    sizes = measured.values("bytes")
    chosen = {
        label: measured.having(operation=name, **fields)
        for label, (name, fields) in _APPLICATIONS.items()
        if measured.having(operation=name, **fields)
    }
    yield SuiteTable(
        "Small applications",
        "in microseconds, one step",
        ["", *map(format_size, sizes)],
        [[label, *(cell(selected.having(bytes=size), us) for size in sizes)] for label, selected in chosen.items()],
        ["Sizes: a face, a tile of the array for each rank, a rank's part of the vector. All are doubles."],
    )


def _overlap(points: Points) -> Iterator[SuiteTable]:
    overlaps = points.having(operation="overlap")
    for pattern in overlaps.values("pattern"):
        rows = []
        for size in overlaps.having(pattern=pattern).values("bytes"):
            point = overlaps.having(pattern=pattern, bytes=size).point
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
            yield SuiteTable(
                f"Communication/computation overlap {PLACES.get(str(pattern), str(pattern))}",
                "times in microseconds",
                ["size", "Eff", "overlap", "95% interval", "t4'-t1'", "work", "t2-t1", "tests", "t4-t3"],
                rows,
                [
                    "Eff = ((t2-t1) - (t4-t3)) / (t4'-t1'), as the suite defines it: -1 if all happens in the wait.",
                    "overlap: the share of exchange or work, whichever is longer, that overlapped with the other.",
                ],
            )


def _rate(point: PointSummary) -> float:
    return (point.messages_per_s or 0.0) / 1e6 / max(1, point.hosts)


def _mb_s(point: PointSummary) -> float:
    return point.bandwidth_mb_s or 0.0


def _pairs(points: list[PointSummary]) -> str:
    """Return the pairs of ranks, each once; of how many where others of the launch were idle."""
    distinct = sorted({(point.members, point.ranks) for point in points})
    return ", ".join(
        "-".join(map(str, members)) + (f" of {ranks}" if ranks > len(members) else "") for members, ranks in distinct
    )
