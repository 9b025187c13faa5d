"""One point in one launch: the figures that its samples give, before launches are put together."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.estimators import Estimate, estimate
from groma.analysis.minimum import Limit, Yardstick, machine_limit, tcp_yardstick
from groma.analysis.order import Interval, quantiles, relative_iqr, serial_median_interval, variance_inflation
from groma.analysis.peaks import Peak, peaks
from groma.reporting import DEFAULT
from groma.results.records import Printed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.reporting import Reporting
    from groma.results import Launch
    from groma.results.records import ClockError, Point, Replacement, Revisit

QUANTILE_LEVELS = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)


@dataclass(frozen=True, eq=False)
class LaunchPoint:
    """The samples of one launch, as times of one figure in nanoseconds, and their order statistics.

    Of what another program printed without samples, `times_ns` is empty and order statistics are NaN; the figure may be
    off by `rounding`, a share of it.

    `figure_ns` is the result of the run's estimator, `dropped` the number of samples that its outlier rule
    discarded for it; all other members are of all samples. `completion_ns` says when the first rank, a quarter,
    half, three quarters of the ranks and the last one were done, after the first entry. `ranks_ns` has a row for
    each member with its own times; None where they were not recorded. `calls_state` is that of the single calls
    before the samples, `revisit` what a second visit at the end of the launch found. `discarded_ns` are the samples
    discarded before the steady part, and `borders` the places at which a new level begins in the series of these
    and `times_ns`.
    """

    launch: int
    members: tuple[int, ...]
    times_ns: NDArray[np.float64]
    repetitions: int
    figure_ns: float
    dropped: int
    median_ns: float
    interval: Interval | None
    effective_samples: float
    spread: float | None
    quantiles_ns: NDArray[np.float64]
    first_call_ns: float | None
    divisor: int
    bytes_moved: int
    messages: int
    algorithm_bytes: int | None
    bus_factor: float | None
    stopped_by: str
    validated: bool
    invalid: int
    arrival_skew_ns: float | None
    completion_ns: tuple[int, ...] | None
    ranks_ns: NDArray[np.float64] | None
    clock_error: ClockError | None
    replaced: dict[str, Replacement]
    limit: Limit | None
    yardstick: Yardstick | None
    phases_ns: dict[str, NDArray[np.float64]] | None = None
    state: str = "unknown"
    verified: bool | None = None
    calls_state: str | None = None
    revisit: Revisit | None = None
    discarded_ns: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    borders: tuple[int, ...] = ()
    block_short: bool = False
    tail: Tail | None = None
    rounding: float = 0.0

    @property
    def rate_ns(self) -> float:
        """The time of a figure that rates are made of: the median, or what was printed where samples are unknown."""
        return self.median_ns if self.times_ns.size else self.figure_ns

    @property
    def discarded(self) -> int:
        """Samples discarded before the steady part."""
        return int(self.discarded_ns.size)

    @cached_property
    def peaks(self) -> list[Peak]:
        """Peaks of the samples, in nanoseconds; empty where there are too few samples."""
        return peaks(self.times_ns)


@dataclass(frozen=True)
class Tail:
    """Single calls, as times of one figure: their mean, their median, and the share above twice the median."""

    mean_ns: float
    median_ns: float
    slow_share: float

    @property
    def mean_over_median(self) -> float:
        """Return how many times the median the mean is."""
        return self.mean_ns / self.median_ns


def launch_point(launch: Launch, record: Point, reporting: Reporting = DEFAULT) -> LaunchPoint:
    """Return the figures of one record of a launch."""
    per_figure = record.repetitions_per_sample * record.divisor
    times = record.samples_ns / per_figure
    values = quantiles(times, QUANTILE_LEVELS)
    inflation = variance_inflation(times)
    figure = recorded_figure(record, reporting)
    return LaunchPoint(
        launch=launch.number,
        members=tuple(record.members),
        times_ns=times,
        repetitions=int(times.size) * record.repetitions_per_sample,
        figure_ns=figure.value,
        dropped=figure.dropped,
        median_ns=float(values[QUANTILE_LEVELS.index(0.5)]),
        interval=serial_median_interval(times, inflation=inflation),
        effective_samples=times.size / inflation,
        spread=relative_iqr(times),
        quantiles_ns=values,
        first_call_ns=None if record.first_call_ns is None else record.first_call_ns / record.divisor,
        divisor=record.divisor,
        bytes_moved=record.bytes_moved,
        messages=record.messages,
        algorithm_bytes=record.algorithm_bytes,
        bus_factor=record.bus_factor,
        stopped_by=record.stopped_by,
        validated=record.validated,
        invalid=record.invalid,
        arrival_skew_ns=float(record.skew_ns.arrival[2]) if record.skew_ns else None,
        completion_ns=tuple(record.skew_ns.completion) if record.skew_ns and record.skew_ns.completion else None,
        ranks_ns=None if record.ranks_ns is None else np.array(record.ranks_ns) / per_figure,
        clock_error=record.clock_error,
        replaced=record.replaced,
        limit=machine_limit(record, figure.value, launch.start.limits) if launch.start else None,
        yardstick=tcp_yardstick(record, figure.value, launch.start.limits) if launch.start else None,
        phases_ns={name: np.array(times, dtype=np.float64) for name, times in record.phases_ns.items()}
        if record.phases_ns
        else None,
        state=record.state,
        verified=record.verified,
        calls_state=record.calls.state if record.calls else None,
        revisit=launch.revisits.get(record.index),
        discarded_ns=record.discarded_ns / per_figure,
        borders=tuple(segment.from_ for segment in record.segments[1:]),
        block_short=record.block_short,
        tail=_tail(record, times),
        rounding=record.rounding if isinstance(record, Printed) else 0.0,
    )


def recorded_figure(record: Point, reporting: Reporting) -> Estimate:
    """Return what the estimator makes of a record's samples (ns), or what another program printed without them."""
    if isinstance(record, Printed) and not record.samples_ns.size:
        return Estimate(record.figure_ns, 0)
    times = record.samples_ns / (record.repetitions_per_sample * record.divisor)
    return estimate(times, reporting, blocks=record.repetitions_per_sample > 1)


def _tail(record: Point, times: NDArray[np.float64]) -> Tail | None:
    """Return the tail of single calls; None where blocks were timed and no call alone."""
    if record.repetitions_per_sample == 1:
        median = float(np.median(times)) if times.size else 0.0
        return Tail(float(times.mean()), median, float((times > 2 * median).mean())) if median > 0 else None
    calls, divisor = record.calls, record.divisor
    if calls is None or calls.median_ns <= 0:
        return None
    return Tail(calls.mean_ns / divisor, calls.median_ns / divisor, calls.slow_share)
