"""Per point over all launches: one figure with its interval, and the spread by level (docs/methods.md, Launches)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.analysis.grouping import size_of
from groma.analysis.launchpoint import ColumnRow, LaunchPoint, Number
from groma.analysis.minimum import TCP, Yardstick, limit_kind
from groma.analysis.noise import is_disturbed
from groma.analysis.order import Interval
from groma.analysis.pointrows import point_rows
from groma.analysis.pointtable import PointTable
from groma.analysis.runtable import Rows
from groma.analysis.uncertainty import IntervalKind
from groma.catalog.reporting import Reporting
from groma.results import Launch, Run
from groma.results.records import Point
from groma.text.sizes import format_size


class PointSummary(ColumnRow):
    """One point over its launches: a row of a `PointTable`. Times are those of one figure, in nanoseconds."""

    table: PointTable
    time_ns = Number(float)
    member_count = Number(int)  # ranks that took part
    hosts = Number(int)  # distinct hosts among them

    def __init__(self, table: PointTable, place: int, shown: Rows | None = None) -> None:
        """Take a row of a table; `shown` are fewer launches than the figures are of."""
        self.table, self.place = table, place
        self.rows = table.points[place] if shown is None else shown

    @property
    def reporting(self) -> Reporting:
        """How figures are made of samples."""
        return self.table.reporting

    def with_launches(self, chosen: Callable[[NDArray[np.int64]], NDArray[np.bool_]]) -> PointSummary:
        """Return the point with the same figures and those of its launches whose numbers are chosen."""
        own = self.table.points[self.place]
        return PointSummary(self.table, self.place, own.where(chosen(own.launch_numbers)))

    @cached_property
    def _first(self) -> Point:
        """The record of the first launch."""
        return self.rows.table.record(int(self.rows.places[0]))

    @cached_property
    def first_launch(self) -> Launch:
        """The first launch that measured the point."""
        return self.rows.table.launch(int(self.rows.places[0]))

    @property
    def launches(self) -> list[LaunchPoint]:
        """The point in each launch, made again each time."""
        return [LaunchPoint(self.rows.table, place) for place in self.rows.places.tolist()]

    @property
    def records(self) -> list[tuple[Launch, Point]]:
        """Each launch with its record, decoded again."""
        table = self.rows.table
        return [(table.launch(place), table.record(place)) for place in self.rows.places.tolist()]

    @cached_property
    def point(self) -> dict[str, Any]:
        """The fields of the point."""
        return self.table.points[self.place].fields

    @cached_property
    def ranks(self) -> int:
        """Ranks of the launches."""
        return self.first_launch.ranks or 0

    @cached_property
    def variant(self) -> str | None:
        """The variant of the plan; None if it has none."""
        return self.first_launch.variant

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
        own = self.table.points[self.place]
        launches = (own.table.launch(place) for place in own.places.tolist())
        return tuple(launch.number for launch in launches if is_disturbed(launch))

    @property
    def sampling_interval(self) -> Interval | None:
        """The interval of the figure by how launches, or the samples of one, differ."""
        return self.bounds("sampling_low_ns", "sampling_high_ns")

    @cached_property
    def interval(self) -> Interval | None:
        """The printed uncertainty: the sampling interval, widened by what the clock may have added."""
        return self.bounds("time_low_ns", "time_high_ns")

    @cached_property
    def interval_kind(self) -> IntervalKind:
        """What the interval is of."""
        kind: IntervalKind = self.table.column("interval_kind")[self.place]
        return kind

    @property
    def bandwidth_mb_s(self) -> float | None:
        """Bytes moved over the time of one repetition, in MB/s; None if it moves none."""
        return self.value("bandwidth_mb_s")

    @property
    def messages_per_s(self) -> float | None:
        """Messages over the time of one repetition, per second; None if they are not counted."""
        return self.value("messages_per_s")

    @cached_property
    def limit(self) -> Yardstick | None:
        """The figure relative to the machine's limit, both in one state of the machine; see `minimum.in_one_state`."""
        return self._yardstick("limit", limit_kind(self.point))

    @property
    def has_other_state(self) -> bool:
        """True if a limit was measured, but only in other states of the machine than the figure."""
        return self.limit is None and not np.isnan(self.table.points[self.place]["limit_ns"]).all()

    @cached_property
    def yardstick(self) -> Yardstick | None:
        """The figure relative to the shortest time over TCP in any launch."""
        return self._yardstick("tcp", TCP)

    def _yardstick(self, name: str, kind: str) -> Yardstick | None:
        ns, multiple = self.value(f"{name}_ns"), self.value(f"{name}_multiple")
        return None if ns is None or multiple is None else Yardstick(ns, multiple, kind)

    @property
    def operation(self) -> str:
        """Name of the operation, as in the catalogue."""
        return str(self.point["operation"])

    @property
    def bytes(self) -> int | None:
        """Message size; None if the operation has none."""
        return size_of(self.point)

    @property
    def launch_times_ns(self) -> NDArray[np.float64]:
        """The figure of every launch, in the order of the launches."""
        return self.rows["figure_ns"]

    @property
    def sample_ns(self) -> float:
        """Time between the two stamps of a sample: the median over launches of its figure; 0 if it is unknown."""
        return self.value("sample_ns") or 0.0

    @cached_property
    def has_samples(self) -> bool:
        """True if the samples of every launch are known; another program may have printed figures alone."""
        return bool((self.rows["samples"] > 0).all())

    @property
    def uncertainty(self) -> float | None:
        """How far the figure is from the farther end of its interval, relative to it; None without an interval."""
        return self.interval.reach(self.time_ns) if self.interval and self.time_ns > 0 else None

    def rate_interval(self, name: str, of_time: Interval | None = None) -> Interval | None:
        """Return the interval of the time, or another one (ns), as that of a rate, which falls as the time rises."""
        rate, of_time = self.value(name), of_time or self.interval
        if rate is None or of_time is None or of_time.low <= 0:
            return None
        return Interval(rate * self.time_ns / of_time.high, rate * self.time_ns / of_time.low)


def summarise(run: Run, reporting: Reporting | None = None, *, copies: bool = False) -> list[PointSummary]:
    """Return every point of the run over its launches, in the order of the plan (see `pointrows.point_rows`).

    `reporting` takes the place of the run's own estimator and outlier rule; `copies` asks for the copies of points that
    calibration measures, in place of the points. Each of several profiles has a report of its own.
    """
    if run.meta.programs:
        return [point for own in run.by_variant().values() for point in summarise(own, reporting, copies=copies)]
    made = reporting or run.meta.report
    key = "summaries", made, copies
    if key not in run.kept:
        table = PointTable(point_rows(run, made, copies=copies), made, run)
        table.summaries = [PointSummary(table, place) for place in range(len(table))]
        run.kept[key] = table.summaries
    return list(run.kept[key])


def where(summary: PointSummary) -> str:
    """Return the operation and message size of a point, of a swap its own too, and its variant if there are several."""
    name = summary.operation
    if summary.bytes is not None:
        whole = int(summary.point["bytes"])
        name += f" {format_size(whole)}" + f" in messages of {format_size(summary.bytes)}" * (summary.bytes != whole)
    return name if summary.variant is None else f"{name}, {summary.variant}"
