"""The page's charts: curves of each quantity, few on each chart, and times over numbers of ranks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from groma.analysis import PointSummary, Series, SideBySide
from groma.analysis.compare import Comparison
from groma.analysis.order import Interval
from groma.analysis.series import labels, settings
from groma.report.figures import INTERVAL_TERMS
from groma.report.portions import portions
from groma.text.charts import Chart, Curve, Point, numbered
from groma.text.counts import counted
from groma.text.numbers import microseconds, multiple, short, significant
from groma.text.sizes import format_size

Bound = tuple[float | None, Interval | None]
Limits = list[Point]
_SAME_LIMIT = 2.0  # a method whose calls overlap has a minimum many times shorter


@dataclass(frozen=True)
class Line:
    """What the chart shows of one curve, over bytes."""

    curve: Series
    points: list[Point]


def time_lines(curves: list[Series]) -> list[Line]:
    """Return time in microseconds over message size."""
    return _lines(curves, lambda point: (point.time_ns, point.interval), 1e-3, "µs")


def time_limits(curves: list[Series]) -> Limits:
    """Return the hardware minimum in microseconds if it is known."""
    return _limits(curves, lambda point: point.limit.ns / 1e3 if point.limit else None, "µs")


def bandwidth_lines(curves: list[Series]) -> list[Line]:
    """Return bandwidth in MB/s over message size."""
    return _lines(curves, lambda point: (point.bandwidth_mb_s, point.rate_interval("bandwidth_mb_s")), 1, "MB/s")


def bandwidth_limits(curves: list[Series]) -> Limits:
    """Return the bandwidth of hand-offs in MB/s if it is known: of streams only, if the chart has one.

    One message at a time and many under way are two limits, and one line must not change between them.
    """
    streams = [curve for curve in curves if "window" in curve.operation.uses]
    return _limits(streams or curves, _handoff_mb_s, "MB/s")


def limit_lines(curves: list[Series]) -> list[Line]:
    """Return every point as a multiple of the hardware minimum, over message size."""
    return _lines(curves, lambda point: (point.limit.multiple if point.limit else None, None), 1, "x hardware minimum")


def compared_curves(both: SideBySide) -> list[Curve]:
    """Return the time of every variant or program in microseconds over message size."""
    return [Curve(name, line.points) for name, curve in both.curves.items() for line in time_lines([curve])]


def ratio_curves(both: SideBySide) -> list[Curve]:
    """Return the time of every other variant or program as a multiple of the first one's, over message size."""
    told = {
        name: {size: judged.comparison for size, judged in ratios.items() if size and judged.in_one_state}
        for name, ratios in both.ratios.items()
    }
    return [
        Curve(name, [_ratio_point(size, ratios[size]) for size in sorted(ratios)])
        for name, ratios in told.items()
        if ratios
    ]


def over_ranks(of_ranks: Sequence[SideBySide]) -> tuple[list[Curve], list[Curve]]:
    """Return times and ratios over the number of ranks, of what programs measure without a message size."""
    times: dict[str, list[Point]] = {}
    ratios: dict[str, list[Point]] = {}
    for both in of_ranks:
        where = counted(both.ranks, "rank")
        for name in both.curves:
            if (point := both.point(name, None)) and point.time_ns > 0:
                own = Point(both.ranks, point.time_ns / 1e3, text=f"{where}: {microseconds(point.time_ns)} µs")
                times.setdefault(name, []).append(bounded(own, point.interval, point.interval_kind, 1e-3))
        for name, judged in both.ratios.items():
            if None in judged and judged[None].in_one_state:
                found = judged[None].comparison
                own = Point(both.ranks, found.ratio, text=f"{where}: {multiple(found.ratio)}")
                ratios.setdefault(name, []).append(bounded(own, found.interval, "launches", 1))
    return [Curve(*own) for own in times.items()], [Curve(*own) for own in ratios.items()]


def _ratio_point(size: int, comparison: Comparison) -> Point:
    point = Point(size, comparison.ratio, text=f"{format_size(size)}: {multiple(comparison.ratio)}")
    return bounded(point, comparison.interval, "launches", 1)


def _handoff_mb_s(point: PointSummary) -> float | None:
    return (point.bandwidth_mb_s or 0) * point.time_ns / point.limit.ns if point.limit else None


def _lines(curves: list[Series], quantity: Callable[[PointSummary], Bound], factor: float, unit: str) -> list[Line]:
    lines = [
        Line(curve, list(filter(None, (_point(point, quantity(point), factor, unit) for point in curve.points))))
        for curve in curves
    ]
    return [line for line in lines if line.points]


def _point(point: PointSummary, bound: Bound, factor: float, unit: str) -> Point | None:
    """Return a point of a line; None if it has no place on logarithmic axes."""
    value, interval = bound
    if value is None or not point.bytes or value <= 0:
        return None
    text = f"{format_size(point.bytes)}: {_written(value * factor, unit)}"
    return bounded(Point(point.bytes, value * factor, text=text), interval, point.interval_kind, factor)


def _written(value: float, unit: str) -> str:
    return f"{multiple(value)} hardware minimum" if unit == "x hardware minimum" else f"{significant(value)} {unit}"


def _limits(curves: list[Series], quantity: Callable[[PointSummary], float | None], unit: str) -> Limits:
    """Return the limit of the first curve that has one at each size."""
    by_size: dict[int, tuple[float, str]] = {}
    for curve in curves:
        for point in curve.points:
            value = quantity(point)
            if point.bytes and value and point.limit:
                by_size.setdefault(point.bytes, (value, point.limit.kind))
    return [
        Point(size, value, text=f"{format_size(size)}: {significant(value)} {unit}\n{kind}, without MPI")
        for size, (value, kind) in sorted(by_size.items())
    ]


# Sizes on a chart over numbers of ranks: the smallest, the largest and some between.
_MOST_SIZES = 4
_UNIT = "µs"


@dataclass(frozen=True)
class ChartGroup:
    """The charts of one quantity; many are folded on the page unless it is `open`."""

    title: str
    charts: list[Chart]
    open: bool = False


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
    beside = {id(point) for both in compared for curve in both.curves.values() for point in curve.points}
    in_turns = beside if compared and compared[0].call else set()
    sized = [
        curve
        for curve in curves
        if id(curve.points[0]) not in in_turns
        and curve.has_sizes
        and curve.operation.family != "harness"
        and len({point.bytes for point in curve.points}) > 1
    ]
    paired = [curve for curve in sized if curve.operation.family == "point_to_point"]
    single = [curve for curve in paired if id(curve.points[0]) not in beside and "window" not in curve.operation.uses]
    collective_curves = [
        curve for curve in sized if id(curve.points[0]) not in beside and curve.operation.family != "point_to_point"
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
    return ([ChartGroup(f"Time by {title_of(compared)}", charts, open=bool(in_turns))] if charts else []) + groups


def title_of(compared: Sequence[SideBySide]) -> str:
    """Return what is compared: a program, a variant or an operation."""
    return " and ".join(dict.fromkeys(both.kind for both in compared))


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
            limit = time_limits(own) if have_one_limit(own) else []
            charts.append(_compared_chart(both, both.title, curves, ratio_curves(both), limit))
    for call in dict.fromkeys(both.call for both in compared if both.call):
        of_call = [both for both in compared if both.call == call and both.sizes == [None]]
        if len(of_call) > 1:
            charts.append(_compared_chart(of_call[0], call, *over_ranks(of_call), sized=False))
    coloured = [
        replace(chart, curves=[replace(curve, number=names.index(curve.name)) for curve in chart.curves])
        for chart in charts
    ]
    return numbered("compared", coloured)


def have_one_limit(curves: Sequence[Series]) -> bool:
    """Return whether all have about the same hardware minimum at every size: a line must not change between two."""
    known = [{point.bytes: point.limit.ns for point in curve.points if point.limit} for curve in curves]
    least = {size: min(own.get(size, ns) for own in known) for own in known for size, ns in own.items()}
    return all(own.keys() == least.keys() for own in known) and all(
        ns <= _SAME_LIMIT * least[size] for own in known for size, ns in own.items()
    )


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


def rank_charts(summaries: list[PointSummary]) -> list[Chart]:
    """Return a chart for every operation and method that was measured with several numbers of ranks."""
    by_curve: dict[str, dict[int | None, dict[int, PointSummary]]] = {}
    for point in summaries:
        own = settings(point) | {"ranks": ""}
        if point.time_ns <= 0 or "pair" in own:  # which ranks a found pair are changes with their number
            continue
        counts = by_curve.setdefault(json.dumps([point.operation, own], sort_keys=True), {}).setdefault(point.bytes, {})
        earlier = counts.get(point.member_count)
        # If several points have one number of ranks, that of all ranks of its launch is drawn.
        if earlier is None or earlier.ranks > earlier.member_count:
            counts[point.member_count] = point
    drawn = {key: _several(sizes) for key, sizes in by_curve.items()}
    curves = [sizes for sizes in drawn.values() if sizes]
    firsts = [next(iter(next(iter(sizes.values())).values())) for sizes in curves]
    return [
        _rank_chart(number, label, sizes)
        for number, (label, sizes) in enumerate(zip(labels(firsts, but="ranks"), curves, strict=True), start=1)
    ]


def _several(sizes: dict[int | None, dict[int, PointSummary]]) -> dict[int | None, dict[int, PointSummary]]:
    """Return the sizes that were measured with two numbers of ranks or more, not too many."""
    several = [size for size, counts in sizes.items() if len(counts) > 1]
    several.sort(key=lambda size: size or 0)
    last = len(several) - 1
    chosen = sorted({round(step * last / (_MOST_SIZES - 1)) for step in range(_MOST_SIZES)}) if several else []
    return {several[at]: dict(sorted(sizes[several[at]].items())) for at in chosen}


def _rank_chart(number: int, title: str, sizes: dict[int | None, dict[int, PointSummary]]) -> Chart:
    curves = [
        Curve(title if size is None else format_size(size), [_at(count, point) for count, point in counts.items()])
        for size, counts in sizes.items()
    ]
    words = _description(title, _UNIT, curves, sized=False)
    return Chart(title, "ranks", _UNIT, curves, sized=False, words=words, name=f"ranks-{number}")


def _at(count: int, point: PointSummary) -> Point:
    text = f"{count} ranks: {significant(point.time_ns / 1e3)} {_UNIT}"
    return bounded(Point(count, point.time_ns / 1e3, text=text), point.interval, point.interval_kind, 1e-3)


def bounded(point: Point, interval: Interval | None, kind: str, factor: float) -> Point:
    """Return the point with its interval times `factor`, in words and, if logarithmic axes have a place, as bounds.

    `kind` is a key of `INTERVAL_TERMS`; zero has no place on a logarithmic axis.
    """
    if interval is None:
        return point
    text = f"{point.text}\n{INTERVAL_TERMS[kind]}: {interval.text(factor=factor)}"
    if interval.low <= 0:
        return replace(point, text=text)
    return replace(point, low=interval.low * factor, high=interval.high * factor, text=text)
