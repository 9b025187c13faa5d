"""The data of the page's pictures: of each point its samples, thinned by a stated rule."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from groma.analysis.histogram import histogram
from groma.analysis.processes import times_by_process
from groma.report.figures import interval_text
from groma.text.numbers import microseconds, short

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from groma.analysis import PointSummary, Series
    from groma.analysis.launchpoint import LaunchPoint

LEVELS = (0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99)
MOST_BINS, FEWEST_BINS = 30, 6
MOST_PROCESSES = 32  # with histograms of their own
# What keeps the page below 2 MB: bytes of a point's drawings as such, for each launch in them, for each bin of one,
# and for each process.
PAGE_BYTES, MOST_BYTES, LEAST_BYTES = 1_600_000, 650_000, 100_000
_POINT, _LAUNCH, _BIN, _PROCESS = 5_000, 500, 22, 2_500


def room(used_bytes: int) -> int:
    """Return how many bytes pictures may take on a page that has `used_bytes` without them."""
    return int(np.clip(PAGE_BYTES - used_bytes, LEAST_BYTES, MOST_BYTES))


def detailed(curves: list[Series], size: int) -> list[PointSummary]:
    """Return the points that get pictures of their samples: all with known ones, or as many as `size` bytes hold.

    These are evenly spread.
    """
    points = [point for curve in curves for point in curve.points if point.has_samples]
    launches = max((len(point.rows) for point in points), default=1)
    own = max(map(_point_bytes, points), default=_POINT)
    most = max(1, size // (own + launches * (_LAUNCH + FEWEST_BINS * _BIN)))
    if len(points) <= most:
        return points
    return [points[index] for index in np.linspace(0, len(points) - 1, most).astype(int)]


def bins(points: list[PointSummary], size: int) -> int:
    """Return into how many bins the samples of each launch are thinned."""
    launches = sum(len(point.rows) for point in points)
    left = (size - sum(map(_point_bytes, points))) // max(1, launches) - _LAUNCH
    return int(np.clip(left // _BIN, FEWEST_BINS, MOST_BINS))


def _point_bytes(point: PointSummary) -> int:
    """Return what a point's drawings take beside its launches."""
    return _POINT + _PROCESS * len(_processes(point))


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
        "histogram": binned(np.concatenate([launch.times_ns for launch in point.launches])),
        "processes": [
            {"name": name} | binned(times) | {"quantiles": _list(np.quantile(times, LEVELS))}
            for name, times in _processes(point).items()
        ],
        "completion": _completion(point),
        "trace": [thin(launch.times_ns, bin_count) for launch in point.launches],
        "left_out": [_left_out(launch, bin_count) for launch in point.launches],
        "steady_from": [_shares(launch, [launch.discarded_ns.size])[0] for launch in point.launches],
        "borders": [_shares(launch, launch.borders) for launch in point.launches],
        "texts": [_launch_text(launch, point) for launch in point.launches],
    }


def binned(times_ns: NDArray[np.float64]) -> dict[str, Any]:
    """Return a histogram, and its peaks as [time, share]; times are in microseconds."""
    bins = histogram(times_ns)
    return {
        "edges": (bins.edges / 1e3).tolist(),
        "counts": bins.counts.tolist(),
        "peaks": [[_us(peak.at), short(peak.share)] for peak in bins.peaks],
    }


def _processes(point: PointSummary) -> dict[str, NDArray[np.float64]]:
    """Return the times of all processes together, and those of each, by name; empty if only one figure is known."""
    own = times_by_process(point) or {}
    if len(own) < 2:
        return {}
    drawn = {str(rank): times for rank, times in itertools.islice(own.items(), MOST_PROCESSES)}
    return {"all": np.concatenate(list(own.values()))} | drawn


def _left_out(launch: LaunchPoint, bin_count: int) -> list[list[float]]:
    """Return the samples before the steady part as `thin` does, in no more than half as many bins."""
    return thin(launch.discarded_ns, bin_count // 2) if launch.value("discarded") else []


def _shares(launch: LaunchPoint, places: Iterable[int]) -> list[float]:
    """Return places in the series of all samples, discarded ones first, as shares of it."""
    samples = launch.discarded_ns.size + launch.times_ns.size
    return [short(place / samples) for place in places]


def _completion(point: PointSummary) -> list[list[float]] | None:
    """Return for each launch when ranks were done, DONE numbers in microseconds; None without a global clock."""
    completions = [launch.completion_ns for launch in point.launches]
    return None if None in completions else [_list(np.array(times)) for times in completions]


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
    interval = launch.interval if point.reporting.is_default else None
    return [_us(interval.low), _us(interval.high)] if interval else [None, None]


def _launch_text(launch: LaunchPoint, point: PointSummary) -> str:
    interval = launch.interval if point.reporting.is_default else None
    own = f" ({interval_text(interval, 1e-3)} within it)" if interval else ""
    return f"Launch {launch.launch}: {microseconds(launch.figure_ns)} µs{own}\n{launch.times_ns.size} samples"


def _us(time_ns: float | None) -> float | None:
    return None if time_ns is None else short(time_ns / 1e3)


def _list(times_ns: NDArray[np.float64]) -> list[float]:
    return [short(time / 1e3) for time in times_ns.tolist()]
