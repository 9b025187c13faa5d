"""The data of the page's pictures: samples of each point, thinned by a stated rule."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groma.analysis import PointSummary, Series
from groma.analysis.launchpoint import LaunchPoint
from groma.analysis.order import Interval
from groma.analysis.peaks import histogram
from groma.analysis.processes import times_by_process
from groma.text.numbers import microseconds, short

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
    """Return the number of bins of each launch's thinned samples."""
    launches = sum(len(point.rows) for point in points)
    left = (size - sum(map(_point_bytes, points))) // max(1, launches) - _LAUNCH
    return int(np.clip(left // _BIN, FEWEST_BINS, MOST_BINS))


def _point_bytes(point: PointSummary) -> int:
    """Return what a point's drawings take beside its launches."""
    return _POINT + _PROCESS * len(_processes(point))


@dataclass(frozen=True)
class Bins:
    """A histogram, and its peaks with the share of the samples around each; times are in microseconds."""

    edges: list[float]
    counts: list[int]
    peaks: list[tuple[float, float]]


@dataclass(frozen=True)
class Process:
    """The times of one process, or of all together: their histogram, and their quantiles at LEVELS."""

    name: str
    bins: Bins
    quantiles: list[float]


@dataclass(frozen=True)
class LaunchSamples:
    """One launch as it is drawn; times are in microseconds.

    own                     the bounds of its figure within it; None unless it is a median
    quantiles               at LEVELS
    trace, left_out         smallest, median and largest of bins of the samples and of the discarded ones before them
    steady_from, borders    where the first is a sample, and where a level begins, as shares of the series of both
    done                    when the first, 1/4, 1/2, 3/4 and the last of the ranks were done; None: no global clock
    """

    number: int
    is_disturbed: bool
    figure: float
    own: tuple[float, float] | None
    quantiles: list[float]
    trace: list[list[float]]
    left_out: list[list[float]]
    steady_from: float
    borders: list[float]
    done: list[float] | None
    text: str


@dataclass(frozen=True)
class PointSamples:
    """A point as its pictures show it; `processes` is empty if only one figure of a call is known."""

    figure: float
    bounds: tuple[float, float] | None
    launches: list[LaunchSamples]
    histogram: Bins
    processes: list[Process]


def samples(point: PointSummary, bin_count: int) -> PointSamples:
    """Return what the pictures of a point show, in order."""
    return PointSamples(
        figure=_us(point.time_ns),
        bounds=_bounds(point.interval),
        launches=[_launch(launch, point, bin_count) for launch in point.launches],
        histogram=_binned(np.concatenate([launch.times_ns for launch in point.launches])),
        processes=[Process(name, _binned(times), _quantiles(times)) for name, times in _processes(point).items()],
    )


def _launch(launch: LaunchPoint, point: PointSummary, bin_count: int) -> LaunchSamples:
    """Return a launch; discarded samples have no more than half as many bins as the others."""
    interval = launch.interval if point.reporting.is_default else None
    own = f" ({interval.text(factor=1e-3)} within it)" if interval else ""
    discarded = launch.discarded_ns
    count = discarded.size + launch.times_ns.size
    return LaunchSamples(
        number=launch.launch,
        is_disturbed=launch.launch in point.disturbed,
        figure=_us(launch.figure_ns),
        own=_bounds(interval),
        quantiles=_quantiles(launch.times_ns),
        trace=thin(launch.times_ns, bin_count),
        left_out=thin(discarded, bin_count // 2) if discarded.size else [],
        steady_from=short(discarded.size / count),
        borders=[short(place / count) for place in launch.borders],
        done=None if launch.completion_ns is None else _list(np.array(launch.completion_ns)),
        text=f"Launch {launch.launch}: {microseconds(launch.figure_ns)} µs{own}\n{launch.times_ns.size} samples",
    )


def _binned(times_ns: NDArray[np.float64]) -> Bins:
    bins = histogram(times_ns)
    peaks = [(_us(peak.at), short(peak.share)) for peak in bins.peaks]
    return Bins((bins.edges / 1e3).tolist(), bins.counts.tolist(), peaks)


def _processes(point: PointSummary) -> dict[str, NDArray[np.float64]]:
    """Return the times of all processes together, and those of each, by name; empty if only one figure is known."""
    own = times_by_process(point) or {}
    if len(own) < 2:
        return {}
    drawn = {str(rank): times for rank, times in itertools.islice(own.items(), MOST_PROCESSES)}
    return {"all": np.concatenate(list(own.values()))} | drawn


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


def _bounds(interval: Interval | None) -> tuple[float, float] | None:
    return (_us(interval.low), _us(interval.high)) if interval else None


def _quantiles(times_ns: NDArray[np.float64]) -> list[float]:
    return _list(np.quantile(times_ns, LEVELS))


def _us(time_ns: float) -> float:
    return short(time_ns / 1e3)


def _list(times_ns: NDArray[np.float64]) -> list[float]:
    return [_us(time) for time in times_ns.tolist()]
