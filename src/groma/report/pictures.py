"""The data of the page's charts: curves over message size, and per point its samples, thinned by a stated rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from groma.analysis.order import Interval
from groma.analysis.peaks import histogram_end, peaks
from groma.report.figures import INTERVAL_TERMS, interval_text
from groma.report.numbers import microseconds, multiple, significant
from groma.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from groma.analysis import PointSummary, Series, SideBySide
    from groma.analysis.launchpoint import LaunchPoint
    from groma.analysis.variants import Ratio

LEVELS = (0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)
MOST_BINS, FEWEST_BINS = 30, 6
BARS = 24
DONE = 5  # numbers over ranks: first, quarter, half, three quarters, last
# So many numbers keep the page well below 2 MB: one is about six characters.
NUMBERS_ON_PAGE = 48_000

Bound = tuple[float | None, Interval | None]


def time_curve(curves: list[Series]) -> dict[str, Any]:
    """Return time in microseconds over message size, with the machine's limit where it is known."""
    return _chart(curves, lambda point: (point.time_ns, point.interval), 1e-3, "µs") | {
        "limit": _limits(curves, lambda point: point.limit.ns / 1e3 if point.limit else None, "µs"),
    }


def bandwidth_curve(curves: list[Series]) -> dict[str, Any]:
    """Return bandwidth in MB/s over message size, with that of a memory copy where it is known."""
    return _chart(curves, lambda point: (point.bandwidth_mb_s, point.bandwidth_interval_mb_s), 1, "MB/s") | {
        "limit": _limits(curves, _copy_mb_s, "MB/s"),
    }


def limit_curve(curves: list[Series]) -> dict[str, Any]:
    """Return every point as a multiple of the machine's limit, over message size."""
    chart = _chart(curves, lambda point: (point.limit.multiple if point.limit else None, None), 1, "x limit")
    return chart | {"limit": []}


def ratio_curve(compared: list[SideBySide]) -> dict[str, Any]:
    """Return the time of every other variant as a multiple of the first one's, over message size."""
    rows = []
    for both in compared:
        for name, ratios in both.ratios.items():
            points = [_ratio_point(size, ratio) for size, ratio in sorted(ratios.items(), key=_by_size) if size]
            if points:
                rows.append({"name": both.curves[name].label, "points": points})
    sizes = sorted({point[0] for row in rows for point in row["points"]})
    return {"series": rows, "ticks": sizes, "limit": [[size, 1, "as fast as the first variant"] for size in sizes]}


def _by_size(item: tuple[int | None, Ratio]) -> int:
    return item[0] or 0


def _ratio_point(size: int, ratio: Ratio) -> list[Any]:
    bounds = [_short(ratio.interval.low), _short(ratio.interval.high)] if ratio.interval else [None, None]
    text = f"{format_size(size)}: {multiple(ratio.value)}"
    if ratio.interval:
        text += f"\n{INTERVAL_TERMS['launches']}: {interval_text(ratio.interval, 1)}"
    return [size, _short(ratio.value), *bounds, text]


def _copy_mb_s(point: PointSummary) -> float | None:
    limited = point.limit is not None and point.limit.kind == "memory copy"
    return (point.bandwidth_mb_s or 0) * point.limit.multiple if point.limit and limited else None


def _chart(curves: list[Series], quantity: Callable[[PointSummary], Bound], factor: float, unit: str) -> dict[str, Any]:
    """Return series of [bytes, value, low, high, text]; the text is what hovering shows."""
    rows: list[dict[str, Any]] = []
    for curve in curves:
        points = []
        for point in curve.points:
            value, interval = quantity(point)
            if value is None or not point.bytes or value <= 0:
                continue
            bounds = [_short(interval.low * factor), _short(interval.high * factor)] if interval else [None, None]
            text = f"{format_size(point.bytes)}: {_said(value * factor, unit)}"
            if interval:
                text += f"\n{INTERVAL_TERMS[point.interval_kind]}: {interval_text(interval, factor)}"
            points.append([point.bytes, _short(value * factor), *bounds, text])
        if points:
            rows.append({"name": curve.label, "points": points})
    sizes = sorted({point[0] for row in rows for point in row["points"]})
    return {"series": rows, "ticks": sizes}


def _said(value: float, unit: str) -> str:
    return f"{multiple(value)} limit" if unit == "x limit" else f"{significant(value)} {unit}"


def _limits(curves: list[Series], quantity: Callable[[PointSummary], float | None], unit: str) -> list[list[Any]]:
    """Return the limit of the first curve that has one at each size, as [bytes, value, text]."""
    found: dict[int, tuple[float, str]] = {}
    for curve in curves:
        for point in curve.points:
            value = quantity(point)
            if point.bytes and value and point.limit and "window" not in curve.operation.uses:
                found.setdefault(point.bytes, (value, point.limit.kind))
    return [
        [size, _short(value), f"{format_size(size)}: {significant(value)} {unit}\n{kind}, without MPI"]
        for size, (value, kind) in sorted(found.items())
    ]


def detailed(curves: list[Series]) -> list[PointSummary]:
    """Return the points that get pictures of their samples: all, or as many as the page has room for, evenly spread."""
    points = [point for curve in curves for point in curve.points]
    launches = max((len(point.launches) for point in points), default=1)
    room = NUMBERS_ON_PAGE // (launches * (3 * FEWEST_BINS + len(LEVELS) + DONE) + BARS)
    if len(points) <= room:
        return points
    return [points[index] for index in np.linspace(0, len(points) - 1, room).astype(int)]


def bins(points: list[PointSummary]) -> int:
    """Return into how many bins the samples of each launch are thinned."""
    launches = sum(len(point.launches) for point in points)
    room = (NUMBERS_ON_PAGE - BARS * len(points)) // max(1, launches) - len(LEVELS) - DONE
    return int(np.clip(room // 3, FEWEST_BINS, MOST_BINS))


def samples(point: PointSummary, bin_count: int) -> dict[str, Any]:
    """Return the launches of a point for its three pictures, in order; times are in microseconds."""
    interval = point.interval
    return {
        "launch": [launch.launch for launch in point.launches],
        "disturbed": [int(launch.launch in point.disturbed) for launch in point.launches],
        "figure": [
            _us(point.time_ns),
            _us(interval.low if interval else None),
            _us(interval.high if interval else None),
        ],
        "median": [_us(launch.figure_ns) for launch in point.launches],
        "own": [_own_interval(launch, point) for launch in point.launches],
        "quantiles": [_list(np.quantile(launch.times_ns, LEVELS)) for launch in point.launches],
        "histogram": histogram(point),
        "completion": _completion(point),
        "trace": [thin(launch.times_ns, bin_count) for launch in point.launches],
        "texts": [_launch_text(launch, point) for launch in point.launches],
    }


def histogram(point: PointSummary) -> dict[str, Any]:
    """Return the samples of all launches in equal bins, and their peaks as [time, share]; times are in microseconds."""
    times = np.concatenate([launch.times_ns for launch in point.launches])
    found = peaks(times)
    counts, edges = np.histogram(times, BARS, (float(times.min()), histogram_end(times, found)))
    return {
        "from": _us(edges[0]),
        "width": _us(edges[1] - edges[0]),
        "counts": counts.tolist(),
        "peaks": [[_us(peak.at), _short(peak.share)] for peak in found],
    }


def _completion(point: PointSummary) -> list[list[float]] | None:
    """Return for each launch when ranks were done, DONE numbers in microseconds; None without a global clock."""
    known = [launch.completion_ns for launch in point.launches]
    return None if None in known else [_list(np.array(times)) for times in known]


def thin(times_ns: NDArray[np.float64], bin_count: int) -> list[list[float]]:
    """Return smallest, median and largest sample of equal bins in time order; a short series has one sample in each.

    So every outlier stays in sight, and both edges of the cloud are exact.
    """
    parts = min(bin_count, times_ns.size)
    size, longer = divmod(times_ns.size, parts)
    first, rest = np.split(times_ns, [longer * (size + 1)])
    bins_of_two_sizes = (first.reshape(longer, size + 1), rest.reshape(parts - longer, size))
    edges = [np.quantile(part, (0, 0.5, 1), axis=1).T for part in bins_of_two_sizes if part.size]
    return [_list(row) for row in np.concatenate(edges)]


def _own_interval(launch: LaunchPoint, point: PointSummary) -> list[float | None]:
    """Return the bounds of the launch's figure within it: they are known for a median alone."""
    known = launch.interval if point.reporting.is_default else None
    return [_us(known.low), _us(known.high)] if known else [None, None]


def _launch_text(launch: LaunchPoint, point: PointSummary) -> str:
    known = launch.interval if point.reporting.is_default else None
    own = f" ({interval_text(known, 1e-3)} within it)" if known else ""
    return f"Launch {launch.launch}: {microseconds(launch.figure_ns)} µs{own}\n{launch.times_ns.size} samples"


def _us(time_ns: float | None) -> float | None:
    return None if time_ns is None else _short(time_ns / 1e3)


def _list(times_ns: NDArray[np.float64]) -> list[float]:
    return [_short(time / 1e3) for time in times_ns.tolist()]


def _short(value: float) -> float:
    """Return the value with four significant digits, whole where it can be: that is what the eye sees of it."""
    rounded = float(f"{value:.4g}")
    return int(rounded) if rounded.is_integer() else rounded
