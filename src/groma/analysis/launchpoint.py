"""One point in one launch: the figures that its samples give, before launches are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from groma.analysis.estimators import estimate
from groma.analysis.grouping import size_of
from groma.analysis.meaning import meaning
from groma.analysis.order import Interval, effective_size, quantiles, relative_iqr, serial_median_interval
from groma.reporting import DEFAULT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.reporting import Reporting
    from groma.results import Launch
    from groma.results.records import ClockError, Limits, Point

QUANTILE_LEVELS = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
CACHE_LINE_BYTES = 64


@dataclass(frozen=True, eq=False)
class LaunchPoint:
    """The samples of one launch, as times of one figure in nanoseconds, and their order statistics.

    `figure_ns` is what the run's estimator makes of them, `dropped` how many its outlier rule left out of that; all
    other members are of all samples. `completion_ns` says when the first rank, a quarter, half, three quarters of the
    ranks and the last one were done, after the first entry. `ranks_ns` has a row for each member with its own times;
    None where they were not recorded.
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
    stopped_by: str
    validated: bool
    invalid: int
    arrival_skew_ns: float | None
    completion_ns: tuple[int, ...] | None
    ranks_ns: NDArray[np.float64] | None
    clock_error: ClockError | None
    limit: Limit | None
    phases_ns: dict[str, NDArray[np.float64]] | None = None
    state: str = "unknown"
    verified: bool | None = None
    discarded: int = 0
    block_short: bool = False
    tail: Tail | None = None


@dataclass(frozen=True)
class Tail:
    """How single calls scatter above their median: their mean over it, and the share that takes more than twice it."""

    mean_over_median: float
    slow_share: float


@dataclass(frozen=True)
class Limit:
    """What bounds one figure of this point on the machine without MPI, and how many times that it took."""

    kind: Literal["line bounce", "memory copy"]
    ns: float
    multiple: float


def launch_point(launch: Launch, record: Point, reporting: Reporting = DEFAULT) -> LaunchPoint:
    """Work out one record of a launch."""
    per_figure = record.repetitions_per_sample * record.divisor
    times = record.samples_ns / per_figure
    values = quantiles(times, QUANTILE_LEVELS)
    figure = estimate(times, reporting, blocks=record.repetitions_per_sample > 1)
    return LaunchPoint(
        launch=launch.number,
        members=tuple(record.members),
        times_ns=times,
        repetitions=int(times.size) * record.repetitions_per_sample,
        figure_ns=figure.value,
        dropped=figure.dropped,
        median_ns=float(values[QUANTILE_LEVELS.index(0.5)]),
        interval=serial_median_interval(times),
        effective_samples=effective_size(times),
        spread=relative_iqr(times),
        quantiles_ns=values,
        first_call_ns=None if record.first_call_ns is None else record.first_call_ns / record.divisor,
        divisor=record.divisor,
        bytes_moved=record.bytes_moved,
        messages=record.messages,
        stopped_by=record.stopped_by,
        validated=record.validated,
        invalid=record.invalid,
        arrival_skew_ns=float(record.skew_ns.arrival[2]) if record.skew_ns else None,
        completion_ns=tuple(record.skew_ns.completion) if record.skew_ns and record.skew_ns.completion else None,
        ranks_ns=None if record.ranks_ns is None else np.array(record.ranks_ns) / per_figure,
        clock_error=record.clock_error,
        limit=machine_limit(record, figure.value, launch.start.limits) if launch.start else None,
        phases_ns={name: np.array(times, dtype=np.float64) for name, times in record.phases_ns.items()}
        if record.phases_ns
        else None,
        state=record.state,
        verified=record.verified,
        discarded=int(record.discarded_ns.size),
        block_short=record.block_short,
        tail=_tail(record, times),
    )


def _tail(record: Point, times: NDArray[np.float64]) -> Tail | None:
    """Return the tail of single calls; None where blocks were timed and no call alone."""
    if record.repetitions_per_sample == 1:
        median = float(np.median(times)) if times.size else 0.0
        return Tail(float(times.mean()) / median, float((times > 2 * median).mean())) if median > 0 else None
    calls = record.calls
    return Tail(calls.mean_ns / calls.median_ns, calls.slow_share) if calls and calls.median_ns > 0 else None


def machine_limit(record: Point, figure_ns: float, limits: Limits) -> Limit | None:
    """Find the larger of a cache line's way to the other rank and a memory copy of the bytes moved.

    None where the ranks are on several hosts (shared memory does not bound them), where nothing is sent, or where the
    machine's figure was not measured.
    """
    operation = meaning(str(record.point["operation"]))
    size = record.message_bytes or size_of(record.point) or 0
    bounce = limits.line_bounce_ns
    if operation.family == "harness" or record.hosts != 1 or record.member_count < 2 or bounce is None:
        return None
    copy = copy_ns(limits, size)
    if copy is not None and copy >= bounce:
        moving = copy * record.bytes_moved / size / record.divisor
        return Limit("memory copy", moving, figure_ns / moving) if moving else None
    small = copy is not None or size <= CACHE_LINE_BYTES
    one_at_a_time = "window" not in operation.uses  # messages that overlap may each take less than a line's way
    return Limit("line bounce", bounce, figure_ns / bounce) if small and one_at_a_time else None


def copy_ns(limits: Limits, size: int) -> float | None:
    """Return the time of one memory copy of `size` bytes, interpolated in log-log; None beyond those measured."""
    copies = sorted((copy.bytes, copy.ns) for copy in limits.copy if copy.bytes > 0 and copy.ns > 0)
    if not copies or not copies[0][0] <= size <= copies[-1][0]:
        return None
    sizes, times = np.log(np.array(copies, dtype=np.float64)).T
    return float(np.exp(np.interp(np.log(size), sizes, times)))
