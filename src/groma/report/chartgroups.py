"""The page's charts of curves: for each quantity as many as it takes for every one to be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from groma.analysis import Series, SideBySide
from groma.report.curves import (
    Limits,
    Line,
    bandwidth_limits,
    bandwidth_lines,
    compared_curves,
    limit_lines,
    over_ranks,
    ratio_curves,
    time_limits,
    time_lines,
)
from groma.report.portions import portions
from groma.text.charts import Chart, Curve, Point, numbered
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
    """Return the curves worth drawing, few on each chart; what is compared has a chart of its own, with the ratios.

    A single size makes no curve: it stands in the tables.
    """
    beside = {id(curve) for both in compared for curve in both.curves.values()}
    in_turns = beside if compared and compared[0].call else set()
    sized = [
        curve
        for curve in curves
        if id(curve) not in in_turns
        and curve.has_sizes
        and curve.operation.family != "harness"
        and len({point.bytes for point in curve.points}) > 1
    ]
    paired = [curve for curve in sized if curve.operation.family == "point_to_point"]
    single = [curve for curve in paired if id(curve) not in beside and "window" not in curve.operation.uses]
    collective_curves = [
        curve for curve in sized if id(curve) not in beside and curve.operation.family != "point_to_point"
    ]
    multiples = "time as a multiple of the hardware minimum"
    quantities = [
        _Quantity("latency", "Latency", time_lines(single), time_limits, _time_unit),
        _Quantity("bandwidth", "Bandwidth", bandwidth_lines(paired), bandwidth_limits, lambda _: "MB/s"),
        _Quantity("collectives", "Collectives", time_lines(collective_curves), time_limits, _time_unit),
        _Quantity("limits", "Against the hardware", limit_lines(sized), lambda _: [], lambda _: multiples),
    ]
    groups = [_group(quantity) for quantity in quantities if sum(len(line.points) for line in quantity.lines) > 1]
    charts = compared_charts(compared)
    return ([ChartGroup("Programs" if compared[0].call else "Variants", charts)] if charts else []) + groups


def compared_charts(compared: Sequence[SideBySide]) -> list[Chart]:
    """Return for what is compared a chart of times with the ratios below: over sizes or, without sizes, over ranks.

    A variant or program has one colour on all of them.
    """
    names = list(dict.fromkeys(name for both in compared for name in both.curves))
    charts = []
    for both in compared:
        curves = compared_curves(both)
        if any(len(curve.points) > 1 for curve in curves):
            own = list(both.curves.values())
            charts.append(_compared_chart(both, both.title, curves, ratio_curves(both), time_limits(own)))
    for call in dict.fromkeys(both.call for both in compared if both.call):
        of_call = [both for both in compared if both.call == call and both.sizes == [None]]
        if len(of_call) > 1:
            charts.append(_compared_chart(of_call[0], call, *over_ranks(of_call), sized=False))
    coloured = [
        replace(chart, curves=[replace(curve, number=names.index(curve.name)) for curve in chart.curves])
        for chart in charts
    ]
    return numbered("compared", coloured)


def _compared_chart(
    both: SideBySide,
    title: str,
    curves: list[Curve],
    ratios: list[Curve],
    limit: Sequence[Point] = (),
    *,
    sized: bool = True,
) -> Chart:
    return Chart(
        title,
        "message size" if sized else "ranks",
        unit := _time_unit(list(both.curves.values())),
        curves,
        sized=sized,
        words=_description(title, unit, curves, sized=sized),
        limit=limit,
        ratios=ratios,
        ratio_y=f"time over that of {both.first}",
    )


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


def _time_unit(curves: list[Series]) -> str:
    """Return the unit, and the meaning of a time if all curves share it."""
    times = {curve.operation.time for curve in curves}
    return f"µs, {times.pop()}" if len(times) == 1 else "µs"


def _description(title: str, unit: str, curves: list[Curve], *, sized: bool = True) -> str:
    spans = []
    for curve in curves:
        places = [
            format_size(round(end.x)) if sized else f"{end.x:g} ranks" for end in (curve.points[0], curve.points[-1])
        ]
        start, end = (short(end.y) for end in (curve.points[0], curve.points[-1]))
        spans.append(f"{curve.name} from {start:g} at {places[0]} to {end:g} at {places[1]}")
    over = f"{title} over {'message size' if sized else 'numbers of ranks'}, both axes logarithmic, {unit}"
    return f"{over}: {'; '.join(spans)}. The tables below have the same figures."
