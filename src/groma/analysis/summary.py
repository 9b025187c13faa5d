"""Per point over all launches: one figure with its interval, and the spread by level (docs/methods.md, Launches)."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from groma.analysis.grouping import size_of
from groma.analysis.launchpoint import LaunchPoint
from groma.analysis.launchtable import COMPLETIONS, QUANTILES
from groma.analysis.machinestate import STATES, row_states
from groma.analysis.minimum import Limit, Yardstick, in_one_state
from groma.analysis.noise import is_disturbed
from groma.analysis.order import Interval, median_interval, relative_iqr
from groma.analysis.pointrows import point_rows
from groma.analysis.together import work_out
from groma.analysis.uncertainty import ClockError, clock_error
from groma.text.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from groma.analysis.runtable import Rows
    from groma.catalog.reporting import Reporting
    from groma.results import Launch, Run
    from groma.results.records import Point

IntervalKind = Literal["launches", "range", "samples", "none"]


class PointSummary:
    """One point over its launches. Times are those of one figure, in nanoseconds.

    It is rows of a `RunTable`; what needs more than their columns is worked out when it is asked for.
    """

    def __init__(self, rows: Rows, reporting: Reporting, shown: Rows | None = None) -> None:
        """Take the rows of the point, in the order of its launches; `shown` are fewer rows to be its launches."""
        self._all, self.reporting = rows, reporting
        self.rows = rows if shown is None else shown

    def with_launches(self, chosen: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> PointSummary:
        """Return the point with the same figures and those of its launches whose numbers are chosen."""
        return PointSummary(self._all, self.reporting, self._all.where(chosen(self._all.launch_numbers)))

    @cached_property
    def _first(self) -> Point:
        """The record of the first launch."""
        return self._all.table.record(int(self._all.places[0]))

    @cached_property
    def _first_launch(self) -> Launch:
        return self._all.table.launch(int(self._all.places[0]))

    @property
    def launches(self) -> list[LaunchPoint]:
        """The point in each launch, made anew each time."""
        return [LaunchPoint(self.rows.table, place) for place in self.rows.places.tolist()]

    @property
    def records(self) -> list[tuple[Launch, Point]]:
        """Each launch with its record, decoded anew."""
        table = self.rows.table
        return [(table.launch(place), table.record(place)) for place in self.rows.places.tolist()]

    @cached_property
    def point(self) -> dict[str, Any]:
        """The fields of the point."""
        return self._first.point if self._all.point is None else self._all.point

    @cached_property
    def ranks(self) -> int:
        """Ranks of the launches."""
        return self._first_launch.ranks or 0

    @cached_property
    def variant(self) -> str | None:
        """The variant of the plan; None where it has none."""
        return self._first_launch.variant

    @cached_property
    def member_count(self) -> int:
        """Ranks that took part."""
        return int(self._all["member_count"][0])

    @cached_property
    def hosts(self) -> int:
        """Distinct hosts among them."""
        return int(self._all["hosts"][0])

    @cached_property
    def members(self) -> tuple[int, ...]:
        """The first of the ranks that took part."""
        return tuple(self._first.members)

    @cached_property
    def grid(self) -> tuple[int, ...]:
        """The grid of ranks of an operation that has one."""
        return tuple(self._first.grid or ())

    @cached_property
    def disturbed(self) -> tuple[int, ...]:
        """The numbers of the launches that other processes disturbed."""
        launches = (self._all.table.launch(place) for place in self._all.places.tolist())
        return tuple(launch.number for launch in launches if is_disturbed(launch))

    @cached_property
    def _times(self) -> NDArray[np.float64]:
        return self._all["figure_ns"]

    @cached_property
    def time_ns(self) -> float:
        """The figure: the median over launches."""
        return float(np.median(self._times))

    @cached_property
    def _interval(self) -> tuple[Interval | None, IntervalKind]:
        """The best interval of the figure that the number of launches allows, and its kind."""
        over_launches = median_interval(self._times)
        if over_launches is not None:
            return over_launches, "launches"
        if self._times.size > 1:
            return Interval(float(self._times.min()), float(self._times.max())), "range"
        only = LaunchPoint(self._all.table, int(self._all.places[0]))
        of_samples = only.interval if self.reporting.is_default else None
        return of_samples, "samples" if of_samples else "none"

    @property
    def sampling_interval(self) -> Interval | None:
        """The interval of the figure by how launches, or the samples of one, differ."""
        return self._interval[0]

    @cached_property
    def clock_error(self) -> ClockError:
        """What the clock and the loop around the calls may have added to the figure."""
        return clock_error(self.point, self._all, self.divisor, self.rounding * self.time_ns)

    @cached_property
    def interval(self) -> Interval | None:
        """The printed uncertainty: the sampling interval, widened by the clock's part."""
        return self.clock_error.widened(self.sampling_interval) if self.sampling_interval else None

    @property
    def interval_kind(self) -> IntervalKind:
        """What the interval is of."""
        return self._interval[1]

    @cached_property
    def within_spread(self) -> float | None:
        """Interquartile range over median within a launch: the median over launches."""
        return _median(self._all["spread"])

    @cached_property
    def between_spread(self) -> float | None:
        """Interquartile range over median of the launches' figures."""
        return relative_iqr(self._times)

    @cached_property
    def quantiles_ns(self) -> NDArray[np.float64]:
        """The median over launches of every quantile, but the smallest and the largest of all samples."""
        table = np.array([self._all[name] for name in QUANTILES])
        values: NDArray[np.float64] = np.median(table, axis=1)  # NaN where one launch has none
        values[0], values[-1] = table[0].min(), table[-1].max()
        return values

    @cached_property
    def first_call_ns(self) -> float | None:
        """Time of the very first call."""
        return _median(self._all["first_call_ns"])

    @cached_property
    def arrival_skew_ns(self) -> float | None:
        """How far apart ranks arrived."""
        return _median(self._all["arrival_ns"])

    @cached_property
    def completion_ns(self) -> tuple[float, ...] | None:
        """When the ranks were done, as medians over the launches that had a global clock."""
        times = [_median(self._all[name]) for name in COMPLETIONS]
        return None if None in times else tuple(time for time in times if time is not None)

    @cached_property
    def limit(self) -> Limit | None:
        """The figure relative to the machine's limit, both in one state of the machine; see `minimum.in_one_state`."""
        states = self._all.derived(STATES, row_states)
        one = (values[np.newaxis] for values in (self._times, self._all["limit_ns"], states))
        (least,), (middle,) = in_one_state(*one)
        return None if np.isnan(least) else Limit(float(least), float(middle / least))

    @property
    def has_other_state(self) -> bool:
        """Whether a limit was measured, but only in other states of the machine than the figure."""
        return self.limit is None and _least(self._all["limit_ns"]) is not None

    @cached_property
    def yardstick(self) -> Yardstick | None:
        """The figure relative to the shortest time over TCP in any launch."""
        least = _least(self._all["yardstick_ns"])
        return None if least is None else Yardstick(least, self.time_ns / least)

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
        return self.rows["figure_ns"]

    @cached_property
    def sample_ns(self) -> float:
        """Time between the two stamps of a sample: the median over launches of its figure; 0 where it is unknown."""
        if not self.has_samples:
            return 0.0
        return float(np.median(self.launch_times_ns * self.rows["repetitions_per_sample"] * self.rows["divisor"]))

    @cached_property
    def has_samples(self) -> bool:
        """Whether the samples of every launch are known; another program may have printed figures alone."""
        return bool(self.rows["samples"].all())

    @property
    def rounding(self) -> float:
        """By which share of it the figure may be off, since another program printed so few digits; else 0."""
        return float(self.rows["rounding"].max())

    @property
    def samples(self) -> int:
        """Samples of all launches together."""
        return int(self.rows["samples"].sum())

    @property
    def dropped(self) -> int:
        """Samples that the outlier rule discarded in the figures of all launches."""
        return int(self.rows["dropped"].sum())

    @property
    def uncertainty(self) -> float | None:
        """How far the figure is from the farther end of its interval, relative to it; None without an interval."""
        return self.interval.reach(self.time_ns) if self.interval and self.time_ns > 0 else None

    @property
    def bandwidth_mb_s(self) -> float | None:
        """Bytes moved over the time, in MB/s (10^6 bytes); None where nothing is moved."""
        return self._per_time(self._of_first("bytes_moved") * 1000)

    @property
    def bandwidth_interval_mb_s(self) -> Interval | None:
        """The interval of the time, turned into a bandwidth."""
        return self._per_interval(self._of_first("bytes_moved") * 1000)

    @property
    def messages_per_s(self) -> float | None:
        """Messages over the time, per second; None where the operation does not count messages."""
        return self._per_time(self._of_first("messages") * 1e9)

    @property
    def messages_interval_per_s(self) -> Interval | None:
        """The interval of the time, turned into a message rate."""
        return self._per_interval(self._of_first("messages") * 1e9)

    @property
    def algorithm_bandwidth_mb_s(self) -> float | None:
        """Size of the collective over its time, in MB/s; None where the catalogue defines none."""
        return self._per_time(float(np.nan_to_num(self._of_first("algorithm_bytes"))) * 1000)

    @property
    def bus_bandwidth_mb_s(self) -> float | None:
        """Algorithm bandwidth times the operation's bus factor, in MB/s; None where the catalogue defines none."""
        bandwidth = self.algorithm_bandwidth_mb_s
        return None if bandwidth is None else bandwidth * float(np.nan_to_num(self._of_first("bus_factor")))

    @property
    def divisor(self) -> int:
        """Figures in one repetition."""
        return int(self._of_first("divisor"))

    @property
    def first_call_ratio(self) -> float | None:
        """How many times the figure the first call took."""
        return None if self.first_call_ns is None or self.time_ns <= 0 else self.first_call_ns / self.time_ns

    @property
    def validated(self) -> bool:
        """True where the received data were checked in every launch."""
        return bool(self.rows["validated"].all())

    @property
    def invalid_share(self) -> float:
        """Repetitions in which a rank was late or overran its window, over all that were made."""
        dropped = int(self.rows["invalid"].sum())
        return dropped / (dropped + self.samples) if dropped else 0.0

    @property
    def stopped_by(self) -> Counter[str]:
        """Why the launches stopped taking samples, counted."""
        return Counter(word or "" for word in self.rows.words("stopped_by"))

    def _of_first(self, name: str) -> float:
        """Return what the record of the first launch has in a column."""
        return float(self.rows[name][0])

    def _per_time(self, amount: float) -> float | None:
        if not amount or self.time_ns <= 0:
            return None
        return amount / (self.time_ns * self.divisor)

    def _per_interval(self, amount: float) -> Interval | None:
        if not amount or self.interval is None or self.interval.low <= 0:
            return None
        per_figure = amount / self.divisor
        return Interval(per_figure / self.interval.high, per_figure / self.interval.low)


def summarise(run: Run, reporting: Reporting | None = None, *, copies: bool = False) -> list[PointSummary]:
    """Return every point of the run over its launches, in the order of the plan (see `pointrows.point_rows`).

    `reporting` takes the place of the run's own estimator and outlier rule; `copies` asks for the copies of points that
    calibration measures, in place of the points.
    """
    made = reporting or run.meta.report
    key = "summaries", made, copies
    if key not in run.kept:
        points = point_rows(run, made, copies=copies)
        run.kept[key] = [PointSummary(rows, made) for rows in points]
        for point, members in zip(run.kept[key], work_out(points), strict=True):
            vars(point).update(members)  # where its cached properties are
    return list(run.kept[key])


def where(summary: PointSummary) -> str:
    """Return the operation and message size of a point, and its variant where there are several."""
    name = summary.operation if summary.bytes is None else f"{summary.operation} {format_size(summary.bytes)}"
    return name if summary.variant is None else f"{name}, {summary.variant}"


def _median(values: NDArray[np.float64]) -> float | None:
    """Return the median of the values that are there; None without any."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else None


def _least(values: NDArray[np.float64]) -> float | None:
    """Return the smallest of the values that are there; None without any."""
    known = values[~np.isnan(values)]
    return float(known.min()) if known.size else None
