"""Per point over all launches: one figure with its interval, and the spread by level (docs/methods.md, Launches)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from groma.analysis.grouping import Record, groups, size_of
from groma.analysis.launchpoint import LaunchPoint, launch_point
from groma.analysis.minimum import Limit, Yardstick
from groma.analysis.order import Interval, median_interval, relative_iqr
from groma.checks import FOREIGN_CORES_LIMIT
from groma.reporting import Reporting
from groma.sizes import format_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.results import Launch, Run

IntervalKind = Literal["launches", "range", "samples", "none"]


@dataclass(frozen=True, eq=False)
class PointSummary:
    """One point over its launches. Times are those of one figure, in nanoseconds."""

    point: dict[str, Any]
    ranks: int
    variant: str | None
    member_count: int
    hosts: int
    members: tuple[int, ...]
    launches: list[LaunchPoint]
    disturbed: tuple[int, ...]
    reporting: Reporting
    time_ns: float
    interval: Interval | None
    interval_kind: IntervalKind
    within_spread: float | None
    between_spread: float | None
    quantiles_ns: NDArray[np.float64]
    first_call_ns: float | None
    arrival_skew_ns: float | None
    completion_ns: tuple[float, ...] | None
    limit: Limit | None
    yardstick: Yardstick | None
    grid: tuple[int, ...] = ()

    @property
    def operation(self) -> str:
        """Name of the operation, as in the catalogue."""
        return str(self.point["operation"])

    @property
    def bytes(self) -> int | None:
        """Message size; None where the operation has none."""
        return size_of(self.point)

    @property
    def launch_times_ns(self) -> NDArray[np.float64]:
        """The figure of every launch, in the order of the launches."""
        return np.array([launch.figure_ns for launch in self.launches])

    @property
    def sample_ns(self) -> float:
        """Time between the two stamps of a sample: the median over launches of its figure; 0 where it is unknown."""
        if not self.has_samples:
            return 0.0
        per_sample = [launch.repetitions / launch.times_ns.size * launch.divisor for launch in self.launches]
        return float(np.median(self.launch_times_ns * per_sample))

    @property
    def has_samples(self) -> bool:
        """Whether the samples of every launch are known; another program may have printed figures alone."""
        return all(launch.times_ns.size for launch in self.launches)

    @property
    def rounding(self) -> float:
        """By which share of it the figure may be off, since another program printed so few digits; else 0."""
        return max((launch.rounding for launch in self.launches), default=0.0)

    @property
    def samples(self) -> int:
        """Samples of all launches together."""
        return sum(launch.times_ns.size for launch in self.launches)

    @property
    def dropped(self) -> int:
        """Samples that the outlier rule discarded in the figures of all launches."""
        return sum(launch.dropped for launch in self.launches)

    @property
    def half_width(self) -> float | None:
        """Half the interval's width, relative to the figure; None without an interval."""
        return self.interval.half_width(self.time_ns) if self.interval and self.time_ns > 0 else None

    @property
    def bandwidth_mb_s(self) -> float | None:
        """Bytes moved over the time, in MB/s (10^6 bytes); None where nothing is moved."""
        return self._per_time(self.launches[0].bytes_moved * 1000)

    @property
    def bandwidth_interval_mb_s(self) -> Interval | None:
        """The interval of the time, turned into a bandwidth."""
        return self._per_interval(self.launches[0].bytes_moved * 1000)

    @property
    def messages_per_s(self) -> float | None:
        """Messages over the time, per second; None where the operation does not count messages."""
        return self._per_time(self.launches[0].messages * 1e9)

    @property
    def messages_interval_per_s(self) -> Interval | None:
        """The interval of the time, turned into a message rate."""
        return self._per_interval(self.launches[0].messages * 1e9)

    @property
    def algorithm_bandwidth_mb_s(self) -> float | None:
        """Size of the collective over its time, in MB/s; None where the catalogue defines none."""
        return self._per_time((self.launches[0].algorithm_bytes or 0) * 1000)

    @property
    def bus_bandwidth_mb_s(self) -> float | None:
        """Algorithm bandwidth times the operation's bus factor, in MB/s; None where the catalogue defines none."""
        bandwidth = self.algorithm_bandwidth_mb_s
        return None if bandwidth is None else bandwidth * (self.launches[0].bus_factor or 0.0)

    @property
    def first_call_ratio(self) -> float | None:
        """How many times the figure the first call took."""
        return None if self.first_call_ns is None or self.time_ns <= 0 else self.first_call_ns / self.time_ns

    @property
    def validated(self) -> bool:
        """True where the received data were checked in every launch."""
        return all(launch.validated for launch in self.launches)

    @property
    def invalid_share(self) -> float:
        """Repetitions in which a rank was late or overran its window, over all that were made."""
        dropped = sum(launch.invalid for launch in self.launches)
        return dropped / (dropped + self.samples) if dropped else 0.0

    @property
    def stopped_by(self) -> Counter[str]:
        """Why the launches stopped taking samples, counted."""
        return Counter(launch.stopped_by for launch in self.launches)

    def _per_time(self, amount: float) -> float | None:
        if not amount or self.time_ns <= 0:
            return None
        return amount / (self.time_ns * self.launches[0].divisor)

    def _per_interval(self, amount: float) -> Interval | None:
        if not amount or self.interval is None or self.interval.low <= 0:
            return None
        per_figure = amount / self.launches[0].divisor
        return Interval(per_figure / self.interval.high, per_figure / self.interval.low)


def summarise(run: Run, reporting: Reporting | None = None, *, copies: bool = False) -> list[PointSummary]:
    """Return every point of the run over its launches, in the order of the plan (see `grouping.groups`).

    `reporting` takes the place of the run's own estimator and outlier rule; `copies` asks for the copies of points that
    calibration measures, in place of the points.
    """
    return [_summarise(records, reporting or run.meta.report) for records in groups(run, copies=copies)]


def where(summary: PointSummary) -> str:
    """Return the operation and message size of a point, and its variant where there are several."""
    name = summary.operation if summary.bytes is None else f"{summary.operation} {format_size(summary.bytes)}"
    return name if summary.variant is None else f"{name}, {summary.variant}"


def is_disturbed(launch: Launch) -> bool:
    """Tell whether other processes took more than `FOREIGN_CORES_LIMIT` of a core while the launch ran."""
    return launch.foreign_cores is not None and launch.foreign_cores > FOREIGN_CORES_LIMIT


def _summarise(records: list[Record], reporting: Reporting) -> PointSummary:
    first, record = records[0]
    launches = [launch_point(launch, record, reporting) for launch, record in records]
    times = np.array([launch.figure_ns for launch in launches])
    interval, kind = _interval(launches, times, reporting)
    spreads = [launch.spread for launch in launches if launch.spread is not None]
    firsts = [launch.first_call_ns for launch in launches if launch.first_call_ns is not None]
    skews = [launch.arrival_skew_ns for launch in launches if launch.arrival_skew_ns is not None]
    return PointSummary(
        point=record.point,
        ranks=first.ranks or 0,
        variant=first.variant,
        member_count=record.member_count,
        hosts=record.hosts,
        members=tuple(record.members),
        launches=launches,
        disturbed=tuple(launch.number for launch, _ in records if is_disturbed(launch)),
        reporting=reporting,
        time_ns=float(np.median(times)),
        interval=interval,
        interval_kind=kind,
        within_spread=float(np.median(spreads)) if spreads else None,
        between_spread=relative_iqr(times),
        quantiles_ns=_quantiles(launches),
        first_call_ns=float(np.median(firsts)) if firsts else None,
        arrival_skew_ns=float(np.median(skews)) if skews else None,
        completion_ns=_completion(launches),
        limit=_limit(launches, float(np.median(times))),
        yardstick=_yardstick(launches, float(np.median(times))),
        grid=tuple(record.grid or ()),
    )


def _interval(
    launches: list[LaunchPoint], times: NDArray[np.float64], reporting: Reporting
) -> tuple[Interval | None, IntervalKind]:
    """Return the best interval of the figure that the number of launches allows, and its kind."""
    over_launches = median_interval(times)
    if over_launches is not None:
        return over_launches, "launches"
    if times.size > 1:
        return Interval(float(times.min()), float(times.max())), "range"
    of_samples = launches[0].interval if reporting.is_default else None
    return of_samples, "samples" if of_samples else "none"


def _quantiles(launches: list[LaunchPoint]) -> NDArray[np.float64]:
    """Return the median over launches of every quantile, but the smallest and the largest of all samples."""
    table = np.array([launch.quantiles_ns for launch in launches])
    values = np.full(table.shape[1], np.nan)
    complete = ~np.isnan(table).any(axis=0)
    values[complete] = np.median(table[:, complete], axis=0)
    values[0], values[-1] = table[:, 0].min(), table[:, -1].max()
    return values


def _completion(launches: list[LaunchPoint]) -> tuple[float, ...] | None:
    """Return when the ranks were done, as medians over the launches that had a global clock."""
    completions = [launch.completion_ns for launch in launches if launch.completion_ns is not None]
    return tuple(np.median(completions, axis=0).tolist()) if completions else None


def _limit(launches: list[LaunchPoint], figure_ns: float) -> Limit | None:
    """Return the figure relative to the shortest limit of all launches: disturbances only lengthen a reading."""
    limits = [launch.limit.ns for launch in launches if launch.limit is not None]
    return Limit(min(limits), figure_ns / min(limits)) if limits else None


def _yardstick(launches: list[LaunchPoint], figure_ns: float) -> Yardstick | None:
    """Return the figure relative to the shortest time over TCP in any launch."""
    times = [launch.yardstick.ns for launch in launches if launch.yardstick is not None]
    return Yardstick(min(times), figure_ns / min(times)) if times else None
