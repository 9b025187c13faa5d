"""One point in one launch: the figures that its samples give, before launches are put together."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Generic, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from groma.analysis.launchtable import table_of
from groma.analysis.order import Interval
from groma.analysis.peaks import Peak, peaks
from groma.analysis.pointtable import PointTable
from groma.analysis.runtable import Rows, RunTable
from groma.catalog.reporting import DEFAULT, Reporting
from groma.results import Launch
from groma.results.records import Point, Replacement

_Converted = TypeVar("_Converted", int, float)


class Number(Generic[_Converted]):
    """A member that is a column of its name, which every row has; another value can be planted in an object."""

    def __init__(self, convert: Callable[[float], _Converted]) -> None:
        self._convert: Callable[[float], _Converted] = convert

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, row: ColumnRow, owner: type) -> _Converted:
        return self._convert(row.number(self._name))


class ColumnRow:
    """A row of a table of columns as an object: every column is a `value`; some have members of their names."""

    table: RunTable | PointTable
    place: int
    divisor = Number(int)  # figures in one repetition

    def number(self, name: str) -> float:
        """Return a column's value; NaN if the row has none."""
        return float(self.table.column(name)[self.place])

    def value(self, name: str) -> float | None:
        """Return a column's value; None if the row has none."""
        number = self.number(name)
        return None if math.isnan(number) else number

    def bounds(self, low: str, high: str) -> Interval | None:
        """Return the interval between two columns; None if the row has none."""
        least, most = self.value(low), self.value(high)
        return None if least is None or most is None else Interval(least, most)

    @property
    def completion_ns(self) -> tuple[float, ...] | None:
        """When the first rank, a quarter, half, three quarters of the ranks and the last one were done.

        Over launches: medians of those that had a global clock.
        """
        times = [self.value(f"completion_{name}_ns") for name in ("first", "p25", "median", "p75", "last")]
        return None if None in times else tuple(time for time in times if time is not None)


class LaunchPoint(ColumnRow):
    """One point in one launch: a row of a `RunTable`. Times are those of one figure, in nanoseconds.

    What needs the samples themselves, or the rest of the record, decodes the record.
    """

    table: RunTable
    figure_ns = Number(float)
    median_ns = Number(float)  # of the samples
    repetitions_per_sample = Number(int)  # between the two stamps of a sample

    def __init__(self, table: RunTable, place: int) -> None:
        """Take a row of a table."""
        self.table, self.place = table, place

    def word(self, name: str) -> str | None:
        """Return the value of a column of words."""
        return self.table.word(float(self.table.codes(name)[self.place]))

    @property
    def rows(self) -> Rows:
        """The row of the table."""
        return Rows(self.table, slice(self.place, self.place + 1))

    @property
    def record(self) -> Point:
        """The record of the launch."""
        return self.table.record(self.place)

    @property
    def launch(self) -> int:
        """Number of the launch."""
        return self.table.launch(self.place).number

    @property
    def members(self) -> tuple[int, ...]:
        """The first ranks that took part."""
        return tuple(self.record.members)

    @cached_property
    def times_ns(self) -> NDArray[np.float64]:
        """The samples, in time order; empty if another program printed the figure alone."""
        return self.record.samples_ns / self._per_figure

    @property
    def _per_figure(self) -> int:
        return self.repetitions_per_sample * self.divisor

    @property
    def repetitions(self) -> int:
        """Repetitions in all samples together."""
        return int(self.value("samples") or 0) * self.repetitions_per_sample

    @property
    def interval(self) -> Interval | None:
        """The interval of the median within the launch."""
        return self.bounds("interval_low_ns", "interval_high_ns")

    @property
    def ranks_ns(self) -> NDArray[np.float64] | None:
        """The times of each rank, a row each; None if they were not recorded."""
        own = self.record.ranks_ns
        return None if own is None else np.array(own) / self._per_figure

    @property
    def replaced(self) -> dict[str, Replacement]:
        """Settings that could not be kept."""
        text = self.word("replaced")
        return {} if text is None else msgspec.json.decode(text, type=dict[str, Replacement])

    @property
    def phases_ns(self) -> dict[str, NDArray[np.float64]] | None:
        """The times of the phases of an operation that has several."""
        phases = self.record.phases_ns if self.number("has_phases") else None
        return {name: np.array(times, dtype=np.float64) for name, times in phases.items()} if phases else None

    @property
    def discarded_ns(self) -> NDArray[np.float64]:
        """The samples discarded before the steady part."""
        return self.record.discarded_ns / self._per_figure

    @property
    def borders(self) -> tuple[int, ...]:
        """Places at which a new level begins in the series of `discarded_ns` and `times_ns`."""
        return tuple(segment.from_ for segment in self.record.segments[1:])

    @cached_property
    def peaks(self) -> list[Peak]:
        """Peaks of the samples, in nanoseconds; empty if there are too few samples."""
        return peaks(self.times_ns)


def launch_point(launch: Launch, record: Point, reporting: Reporting = DEFAULT) -> LaunchPoint:
    """Return the figures of one record of a launch."""
    first = np.zeros(1, dtype=np.int64)
    return LaunchPoint(RunTable([launch], [table_of(launch, [record], reporting)], [[record]], first, first), 0)
