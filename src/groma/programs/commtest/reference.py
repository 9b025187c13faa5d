"""The swaps of the COMMTEST page beside those of a run: the best of all protocols, and every protocol by itself."""

from __future__ import annotations

from typing import Any

from groma.catalog.references import reference, systems, tables
from groma.programs.commtest.swaps import Swaps, heading
from groma.text.charts import Curve
from groma.text.numbers import DASH
from groma.text.sizes import format_size
from groma.text.tables import Table

_DOCUMENT = "COMMTEST page"


def reference_systems() -> list[str]:
    """Return the systems whose swaps were published."""
    return systems(*_names())


def best_curve(swaps: Swaps, overlap: bool, system: str) -> Curve | None:
    """Return the best published bandwidth of each message size over all protocols, in MB/s; None for other variants."""
    rows = _rows(swaps, system, overlap=overlap, quantity="maximum_bandwidth")
    points = sorted((row["bytes"], row["value"]) for row in rows)
    return Curve.of(f"{system}, its best", points, reference=True) if points else None


def tables_beside(swaps: Swaps, system: str) -> list[Table]:
    """Return the tables that set a run's swaps beside the published ones; none for variants that COMMTEST lacks."""
    size_tables = [_by_size(swaps, overlap, system) for overlap in swaps.overlaps]
    return [table for table in [*size_tables, _by_protocol(swaps, system)] if table.rows]


def _by_size(swaps: Swaps, overlap: bool, system: str) -> Table:
    best_rows = _rows(swaps, system, overlap=overlap, quantity="maximum_bandwidth")
    best = {row["bytes"]: row["printed"] for row in best_rows}
    fastest: dict[int, list[str]] = {}
    placed = _rows(swaps, system, overlap=overlap, quantity="protocol")
    for row in sorted(placed, key=lambda row: (row["place"] is None, row["place"])):
        fastest.setdefault(row["bytes"], []).append(row["printed"])
    measured = {swaps.bytes // k: line for k, line in swaps.sensitivities(overlap).items()}
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
    return Table(
        f"Beside {system}: {heading(swaps, overlap)}",
        ["message", "max MB/s", f"{system}: max MB/s", "five fastest", f"{system}: five fastest"],
        cells if best else [],
        [f"{system} swapped 2,097,152 bytes each way; protocols by their numbers, the fastest first."],
    )


def _by_protocol(swaps: Swaps, system: str) -> Table:
    cells = []
    for way in sorted(swaps.points):
        rows = _rows(swaps, system, overlap=way.overlap, protocol=way.number)
        published = {row["quantity"]: row["printed"] for row in rows}
        reached = swaps.protocol(way)
        if published:
            cells.append(
                [
                    f"{way.number}{' with overlap' if way.overlap else ''}",
                    f"{reached.peak_mb_s:.2f}",
                    published["peak_bandwidth"],
                    DASH if reached.latency_us is None else f"{reached.latency_us:.2f}",
                    published["estimated_latency"],
                ]
            )
    return Table(
        f"Beside {system}: {heading(swaps)}, each protocol",
        ["protocol", "peak MB/s", f"{system}: peak MB/s", "latency [\u00b5s]", f"{system}: latency [\u00b5s]"],
        cells,
        ["A latency below zero is not a result: the times do not show the cost of a message."],
    )


def _rows(swaps: Swaps, system: str, **keys: object) -> list[dict[str, Any]]:
    return reference(*_names(), system=system, variant=swaps.variant, **keys)


def _names() -> list[str]:
    return [entry.name for entry in tables() if entry.document == _DOCUMENT]
