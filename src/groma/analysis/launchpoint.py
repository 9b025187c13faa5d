"""One point in one launch: the figures that its samples give, before launches are put together."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from groma.analysis.launchtable import COMPLETIONS, MEDIAN, QUANTILE_LEVELS, QUANTILES, table_of
from groma.analysis.minimum import Limit, Yardstick
from groma.analysis.order import Interval
from groma.analysis.peaks import Peak, peaks
from groma.analysis.runtable import Rows, RunTable
from groma.catalog.reporting import DEFAULT
from groma.results.records import ClockError, Replacement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.catalog.reporting import Reporting
    from groma.results import Launch
    from groma.results.records import Point, Revisit

__all__ = ["QUANTILE_LEVELS", "LaunchPoint", "launch_point"]


class LaunchPoint:
    """The samples of one launch, as times of one figure in nanoseconds, and their order statistics.

    It is a row of a `RunTable`: what needs the samples themselves, or the rest of the record, decodes the record.

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

    def __init__(self, table: RunTable, place: int) -> None:
        """Take a row of a table."""
        self.table, self.place = table, place

    def _value(self, name: str) -> float:
        return float(self.table.column(name)[self.place])

    def _whole(self, name: str) -> int:
        return int(self.table.column(name)[self.place])

    def _maybe(self, name: str) -> float | None:
        value = self._value(name)
        return None if math.isnan(value) else value

    def _word(self, name: str) -> str | None:
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
        """The samples, in time order."""
        return self.record.samples_ns / self._per_figure

    @property
    def _per_figure(self) -> int:
        return self.repetitions_per_sample * self.divisor

    @property
    def samples(self) -> int:
        """How many samples there are."""
        return self._whole("samples")

    @property
    def repetitions_per_sample(self) -> int:
        """Repetitions between the two stamps of a sample."""
        return self._whole("repetitions_per_sample")

    @property
    def repetitions(self) -> int:
        """Repetitions in all samples together."""
        return self.samples * self.repetitions_per_sample

    @property
    def figure_ns(self) -> float:
        """The figure of the launch."""
        return self._value("figure_ns")

    @property
    def dropped(self) -> int:
        """Samples that the outlier rule discarded."""
        return self._whole("dropped")

    @property
    def median_ns(self) -> float:
        """The median of the samples."""
        return self._value(MEDIAN)

    @property
    def interval(self) -> Interval | None:
        """The interval of the median within the launch."""
        low = self._value("interval_low_ns")
        return None if math.isnan(low) else Interval(low, self._value("interval_high_ns"))

    @property
    def effective_samples(self) -> float:
        """Independent samples that the series is worth."""
        return self._value("effective_samples")

    @property
    def spread(self) -> float | None:
        """The interquartile range over the median."""
        return self._maybe("spread")

    @property
    def quantiles_ns(self) -> NDArray[np.float64]:
        """The quantiles at `QUANTILE_LEVELS`."""
        return np.array([self._value(name) for name in QUANTILES])

    @property
    def first_call_ns(self) -> float | None:
        """Time of one figure in the very first call."""
        return self._maybe("first_call_ns")

    @property
    def divisor(self) -> int:
        """Figures in one repetition."""
        return self._whole("divisor")

    @property
    def bytes_moved(self) -> int:
        """Bytes moved by one repetition."""
        return self._whole("bytes_moved")

    @property
    def messages(self) -> int:
        """Messages of one repetition."""
        return self._whole("messages")

    @property
    def algorithm_bytes(self) -> int | None:
        """Size of the collective."""
        value = self._maybe("algorithm_bytes")
        return None if value is None else int(value)

    @property
    def bus_factor(self) -> float | None:
        """Factor from algorithm bandwidth to bus bandwidth."""
        return self._maybe("bus_factor")

    @property
    def stopped_by(self) -> str:
        """Why the launch took no more samples."""
        return self._word("stopped_by") or ""

    @property
    def validated(self) -> bool:
        """Whether the received data were checked."""
        return bool(self._value("validated"))

    @property
    def invalid(self) -> int:
        """Repetitions that were not valid."""
        return self._whole("invalid")

    @property
    def arrival_skew_ns(self) -> float | None:
        """Median over repetitions of how far apart ranks arrived."""
        return self._maybe("arrival_ns")

    @property
    def completion_ns(self) -> tuple[int, ...] | None:
        """When ranks were done."""
        times = [self._value(name) for name in COMPLETIONS]
        return None if math.isnan(times[0]) else tuple(map(int, times))

    @property
    def ranks_ns(self) -> NDArray[np.float64] | None:
        """The times of each rank."""
        own = self.record.ranks_ns
        return None if own is None else np.array(own) / self._per_figure

    @property
    def clock_error(self) -> ClockError | None:
        """Error and error bound of the global clock."""
        bound = self._value("clock_bound_ns")
        if math.isnan(bound):
            return None
        before, after = self._value("clock_before_ns"), self._value("clock_after_ns")
        return ClockError(before, after, bound, bool(self._value("clock_valid")), self._maybe("clock_limit_ns"))

    @property
    def replaced(self) -> dict[str, Replacement]:
        """Settings that could not be kept."""
        text = self._word("replaced")
        return {} if text is None else msgspec.json.decode(text, type=dict[str, Replacement])

    @property
    def limit(self) -> Limit | None:
        """The hardware minimum, and the figure as a multiple of it."""
        ns = self._maybe("limit_ns")
        return Limit(ns, self.figure_ns / ns) if ns else None

    @property
    def yardstick(self) -> Yardstick | None:
        """The time over TCP, and the figure as a multiple of it."""
        ns = self._maybe("yardstick_ns")
        return Yardstick(ns, self.figure_ns / ns) if ns else None

    @property
    def phases_ns(self) -> dict[str, NDArray[np.float64]] | None:
        """The times of the phases of an operation that has several."""
        phases = self.record.phases_ns if self._value("has_phases") else None
        return {name: np.array(times, dtype=np.float64) for name, times in phases.items()} if phases else None

    @property
    def state(self) -> str:
        """What the engine found of the steadiness of the samples."""
        return self._word("state") or "unknown"

    @property
    def verified(self) -> bool | None:
        """Whether the calls before the samples were steady and enough."""
        known = self._maybe("verified")
        return None if known is None else bool(known)

    @property
    def calls_state(self) -> str | None:
        """What the engine found of the single calls before the samples."""
        return self._word("calls_state")

    @property
    def revisit(self) -> Revisit | None:
        """What a second visit found."""
        if not self._value("revisited"):
            return None
        return self.table.launch(self.place).revisits[self._whole("index")]

    @property
    def discarded_ns(self) -> NDArray[np.float64]:
        """The samples discarded before the steady part."""
        return self.record.discarded_ns / self._per_figure

    @property
    def discarded(self) -> int:
        """Samples discarded before the steady part."""
        return self._whole("discarded")

    @property
    def borders(self) -> tuple[int, ...]:
        """Places at which a new level begins."""
        return tuple(segment.from_ for segment in self.record.segments[1:])

    @property
    def block_short(self) -> bool:
        """Whether blocks were too short."""
        return bool(self._value("block_short"))

    @property
    def rounding(self) -> float:
        """Share of the figure by which another program may have rounded it."""
        return self._value("rounding")

    @property
    def rate_ns(self) -> float:
        """The time of a figure that rates are made of: the median, or what was printed where samples are unknown."""
        return self.median_ns if self.samples else self.figure_ns

    @cached_property
    def peaks(self) -> list[Peak]:
        """Peaks of the samples, in nanoseconds; empty where there are too few samples."""
        return peaks(self.times_ns)


def launch_point(launch: Launch, record: Point, reporting: Reporting = DEFAULT) -> LaunchPoint:
    """Return the figures of one record of a launch."""
    first = np.zeros(1, dtype=np.int64)
    return LaunchPoint(RunTable([launch], [table_of(launch, [record], reporting)], [[record]], first, first), 0)
