"""The page's charts of curves: for each quantity as many as it takes for every one to be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from groma.analysis import Series, SideBySide
from groma.report.curves import (
    Limits,
    Line,
    bandwidth_limits,
    bandwidth_lines,
    even,
    limit_lines,
    ratio_lines,
    time_limits,
    time_lines,
)
from groma.report.portions import portions
from groma.text.charts import Chart, Curve
from groma.text.numbers import short
from groma.text.sizes import format_size


@dataclass(frozen=True)
class ChartGroup:
    """The charts of one quantity."""

    title: str
    charts: list[Chart]


@dataclass(frozen=True)
class _Quantity:
    name: str
    title: str
    lines: list[Line]
    limits: Callable[[list[Series]], Limits]
    unit: Callable[[list[Series]], str]


def chart_groups(curves: list[Series], compared: list[SideBySide]) -> list[ChartGroup]:
    """Return the curves worth drawing, few on each chart.

    A single size makes no curve: it stands in the tables.
    """
    sized = [
        curve
        for curve in curves
        if curve.has_sizes and curve.operation.family != "harness" and len({point.bytes for point in curve.points}) > 1
    ]
    paired = [curve for curve in sized if curve.operation.family == "point_to_point"]
    single = [curve for curve in paired if "window" not in curve.operation.uses]
    collective_curves = [curve for curve in sized if curve.operation.family != "point_to_point"]
    multiples = "time as a multiple of the hardware minimum"
    quantities = [
        _Quantity("latency", "Latency", time_lines(single), time_limits, _time_unit),
        _Quantity("bandwidth", "Bandwidth", bandwidth_lines(paired), bandwidth_limits, lambda _: "MB/s"),
        _Quantity("collectives", "Collectives", time_lines(collective_curves), time_limits, _time_unit),
        _Quantity("limits", "Against the hardware", limit_lines(sized), lambda _: [], lambda _: multiples),
        _Quantity("variants", "Variants", ratio_lines(compared), even, lambda _: _ratio_unit(compared)),
    ]
    return [_group(quantity) for quantity in quantities if sum(len(line.points) for line in quantity.lines) > 1]


def _group(quantity: _Quantity) -> ChartGroup:
    """Return the charts of a quantity."""
    points = {id(line.curve): line.points for line in quantity.lines}
    charts = []
    for number, portion in enumerate(portions([line.curve for line in quantity.lines]), start=1):
        name = f"{quantity.name}-{number}" if portion.title else quantity.name
        curves = [Curve(own, points[id(curve)]) for own, curve in zip(portion.names, portion.curves, strict=True)]
        limit = quantity.limits(portion.curves)
        title, unit = portion.title or quantity.title, quantity.unit(portion.curves)
        heading = f"{quantity.title}, {title}" if portion.title else title
        words = _description(heading, unit, curves)
        charts.append(Chart(title, "message size", unit, curves, words=words, limit=limit, name=name))
    return ChartGroup(quantity.title, charts)


def _ratio_unit(compared: list[SideBySide]) -> str:
    return f"time as a multiple of that of {compared[0].first}" if compared else ""


def _time_unit(curves: list[Series]) -> str:
    """Return the unit, and the meaning of a time if all curves share it."""
    times = {curve.operation.time for curve in curves}
    return f"µs, {times.pop()}" if len(times) == 1 else "µs"


def _description(title: str, unit: str, curves: list[Curve]) -> str:
    spans = []
    for curve in curves:
        first, last = curve.points[0], curve.points[-1]
        start, end = (f"{short(point.y):g} at {format_size(round(point.x))}" for point in (first, last))
        spans.append(f"{curve.name} from {start} to {end}")
    over = f"{title} over message size, both axes logarithmic, {unit}"
    return f"{over}: {'; '.join(spans)}. The tables below have the same figures."
