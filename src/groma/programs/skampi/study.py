"""What the Altix paper states of a program's figures, beside a run by that program's method.

Its results are drawings; the text states one figure by program, operation and size: SKaMPI's broadcast of 4 MiB.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from groma.analysis import PointSummary
from groma.catalog.references import reference, systems
from groma.programs.study import Study
from groma.results import Run
from groma.text.charts import Chart, Curve
from groma.text.numbers import DASH, microseconds
from groma.text.sizes import format_size
from groma.text.tables import Table

_TABLE = "altix_comparison_stated"


def reference_systems() -> list[str]:
    """Return the system that the comparison measured."""
    return systems(_TABLE)


def study(run: Run, summaries: list[PointSummary], against: tuple[str, ...] = ()) -> Study | None:
    """Return the figures stated of the run's program beside the run's own.

    None if the run has no such operation, or if `against` is empty.
    """
    if not against:
        return None
    stated = {system: reference(_TABLE, program=run.meta.profile, system=system) for system in against}
    shown = [table for system in against for table in _beside(system, stated[system], summaries)]
    charts = [chart for system in against for chart in _charts(run, system, stated[system], summaries)]
    return Study("Beside published figures", [], [], shown, charts) if charts else None


def _beside(system: str, stated: Sequence[dict[str, Any]], summaries: list[PointSummary]) -> list[Table]:
    rows = []
    for row in stated:
        start = [row["operation"], format_size(row["bytes"])]
        of_operation = [point for point in summaries if point.operation == row["operation"]]
        measured = [
            [*start, f"this run, sync={point.point['sync']}", str(point.member_count), microseconds(point.time_ns)]
            for point in of_operation
            if point.bytes == row["bytes"]
        ]
        if of_operation:
            rows += measured or [[*start, "this run: not measured", DASH, DASH]]
            rows.append([*start, system, str(row["processes"]), row["printed"]])
    headings = ["operation", "message", "by", "processes", "mean time, \u00b5s"]
    note = f"{system}: as its text states it ('about'); the drawings of the comparison print no numbers."
    return [Table(f"Beside {system}", headings, rows, [note])] if rows else []


def _charts(run: Run, system: str, stated: Sequence[dict[str, Any]], summaries: list[PointSummary]) -> list[Chart]:
    charts = []
    for row in stated:
        points_of: dict[str, list[tuple[float, float]]] = {}
        for point in summaries:
            if point.operation == row["operation"] and point.bytes:
                name = f"{run.meta.host}, {point.member_count} processes, sync={point.point['sync']}"
                points_of.setdefault(name, []).append((point.bytes, point.time_ns / 1e3))
        curves = [Curve.of(name, sorted(points)) for name, points in points_of.items()]
        published = Curve.of(f"{system}, {row['processes']} processes", [(row["bytes"], row["value"])], reference=True)
        if curves:
            charts.append(Chart(f"{row['operation']} beside {system}", "message size", "\u00b5s", [*curves, published]))
    return charts
