"""The swaps of the COMMTEST page beside those of a run: the best of all protocols, and every protocol by itself."""

from __future__ import annotations

from typing import Any

from groma.catalog.references import reference, systems, tables
from groma.programs.commtest.swaps import Swaps, Way, bandwidth_mb_s, latency_us, sensitivity, times_s
from groma.text.charts import Curve
from groma.text.numbers import DASH
from groma.text.sizes import format_size
from groma.text.tables import Table

_DOCUMENT = "COMMTEST page"


def reference_systems() -> list[str]:
    """Return the systems whose swaps were published."""
    return systems(*_names())


def best_curve(swaps: Swaps, overlap: bool, system: str) -> Curve | None:
    """Return the best published bandwidth of each message size over all protocols, in MB/s; None of other variants."""
    rows = _rows(swaps, system, overlap=overlap, quantity="maximum_bandwidth")
    points = sorted((row["bytes"], row["value"]) for row in rows)
    return Curve.of(f"{system}, its best", points, reference=True) if points else None


def tables_beside(swaps: Swaps, heading: str, system: str) -> list[Table]:
    """Return the tables that set a run's swaps beside the published ones; none of variants that COMMTEST had not."""
    overlaps = [False, *([True] if swaps.has_overlap() else [])]
    size_tables = [_by_size(swaps, overlap, heading, system) for overlap in overlaps]
    return [table for table in [*size_tables, _by_protocol(swaps, heading, system)] if table.rows]


def _by_size(swaps: Swaps, overlap: bool, heading: str, system: str) -> Table:
    best_rows = _rows(swaps, system, overlap=overlap, quantity="maximum_bandwidth")
    best = {row["bytes"]: row["printed"] for row in best_rows}
    fastest: dict[int, list[str]] = {}
    placed = _rows(swaps, system, overlap=overlap, quantity="protocol")
    for row in sorted(placed, key=lambda row: (row["place"] is None, row["place"])):
        fastest.setdefault(row["bytes"], []).append(row["printed"])
    group, measured = swaps.group(overlap), {}
    for k in swaps.messages:
        times = times_s({number: points[k] for number, points in group.items() if k in points})
        measured[swaps.bytes // k] = sensitivity(times, swaps.bytes, k)
    cells = [
        [
            format_size(size),
            f"{measured[size].bandwidth_mb_s:.2f}" if size in measured else DASH,
            best.get(size, DASH),
            " ".join(map(str, measured[size].fastest)) if size in measured else DASH,
            " ".join(fastest.get(size, [DASH])),
        ]
        for size in sorted({*measured, *best})
    ]
    with_or_without = "with overlap" if overlap else "no overlap"
    return Table(
        f"Beside {system}: {heading}, {with_or_without}",
        ["message", "max MB/s", f"{system}: max MB/s", "five fastest", f"{system}: five fastest"],
        cells if best else [],
        [f"{system} swapped 2,097,152 bytes each way; protocols by their numbers, the fastest first."],
    )


def _by_protocol(swaps: Swaps, heading: str, system: str) -> Table:
    cells = []
    for way, points in sorted(swaps.points.items()):
        published = {row["quantity"]: row["printed"] for row in _of_protocol(swaps, way, system)}
        times = times_s(points)
        latency = latency_us(times)
        if published:
            cells.append(
                [
                    f"{way.number}{' with overlap' if way.overlap else ''}",
                    f"{max(bandwidth_mb_s(swaps.bytes, time) for time in times.values()):.2f}",
                    published["peak_bandwidth"],
                    DASH if latency is None else f"{latency:.2f}",
                    published["estimated_latency"],
                ]
            )
    return Table(
        f"Beside {system}: {heading}, each protocol",
        ["protocol", "peak MB/s", f"{system}: peak MB/s", "latency [\u00b5s]", f"{system}: latency [\u00b5s]"],
        cells,
        ["A latency below zero is not a result: the times do not show the cost of a message."],
    )


def _of_protocol(swaps: Swaps, way: Way, system: str) -> list[dict[str, Any]]:
    return _rows(swaps, system, overlap=way.overlap, protocol=way.number)


def _rows(swaps: Swaps, system: str, **keys: object) -> list[dict[str, Any]]:
    return reference(*_names(), system=system, variant=swaps.variant, **keys)


def _names() -> list[str]:
    return [entry.name for entry in tables() if entry.document == _DOCUMENT]
