"""Collectives over ranks per node, on each communicator, and with user-defined datatypes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from groma.programs.alcf.points import Points
from groma.programs.alcf.table import DIGITS, SuiteTable, cell, us
from groma.text.numbers import DASH, significant
from groma.text.sizes import format_size

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
