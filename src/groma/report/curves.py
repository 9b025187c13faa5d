"""The lines of the page's charts over message size, and the hardware minimum beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from groma.analysis import PointSummary, Series, SideBySide
from groma.analysis.compare import Comparison
from groma.analysis.order import Interval
from groma.report.figures import bounded
from groma.text.charts import Curve, Point
from groma.text.counts import counted
from groma.text.numbers import microseconds, multiple, significant
from groma.text.sizes import format_size

Bound = tuple[float | None, Interval | None]
Limits = list[Point]


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
    curves = [
        Curve(name, [_ratio_point(size, ratios[size].comparison) for size in both.sizes if size and size in ratios])
        for name, ratios in both.ratios.items()
    ]
    return [curve for curve in curves if curve.points]


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
            if None in judged:
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
