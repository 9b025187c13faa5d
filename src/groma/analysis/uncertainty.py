"""The printed uncertainty of a figure: its interval over launches or samples, widened by what the clock may have added.

Two parts are the same in every launch, so that no interval over launches shows them (docs/adr/0038): the cost of the
stamps and of the loop around the calls, of which a figure contains so much at most, and the step of the clock.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from groma.analysis.grouping import meaning
from groma.analysis.order import Interval, median_intervals
from groma.analysis.pointtable import PointTable
from groma.analysis.rows import unsorted_medians
from groma.results import Launch

Values = NDArray[np.float64]

IntervalKind = Literal["launches", "range", "samples", "none"]

# A figure whose interval has ends further apart than this is a range: its median says little.
RANGE_FACTOR = 2.0


def intervals_of(table: PointTable) -> dict[str, Any]:
    """Return the interval of each point's figure by how launches, or samples of one, differ; widened; and its kind."""
    low, high = np.full(len(table), np.nan), np.full(len(table), np.nan)
    kinds: list[IntervalKind] = ["none"] * len(table)
    for chosen, places in table.by_launches:
        low[chosen], high[chosen], kind = _sampling(table, places)
        for point in chosen[~np.isnan(low[chosen])].tolist():
            kinds[point] = kind
    overhead_ns, step_ns = _clock_errors(table)
    return {
        "overhead_ns": overhead_ns,
        "step_ns": step_ns,
        "sampling_low_ns": low,
        "sampling_high_ns": high,
        "interval_kind": kinds,
        "time_low_ns": np.maximum(0.0, low - overhead_ns - step_ns),  # no time is below zero
        "time_high_ns": high + step_ns,
    }


def _sampling(table: PointTable, places: NDArray[np.int64]) -> tuple[Values, Values, IntervalKind]:
    """Return the ends of the best interval that this number of launches allows (NaN without one), and its kind."""
    if places.shape[1] == 1:
        low, high = (table.rows.column(name)[places[:, 0]] for name in ("interval_low_ns", "interval_high_ns"))
        unknown = np.full_like(low, np.nan)
        return (low, high, "samples") if table.reporting.is_default else (unknown, unknown, "none")
    ordered = np.sort(table.rows.column("figure_ns")[places], axis=1)
    ends = median_intervals(ordered)
    if ends is None:
        return ordered[:, 0], ordered[:, -1], "range"
    return *ends, "launches"


def _clock_errors(table: PointTable) -> tuple[Values, Values]:
    """Return the largest overhead in each figure, and its error from the steps of the clock.

    Overhead is by the median costs of the launches. The difference of two stamps is within one step of the time between
    them. An operation that measures the harness has no overhead: it is its figure. A figure that another program
    printed is off by half of its last digit too.
    """
    overhead_ns, step_ns = np.zeros(len(table)), np.zeros(len(table))
    points = [own.fields for own in table.points]
    clocks = [str(fields.get("clock", "monotonic")) for fields in points]
    timings = np.array([fields.get("timing") for fields in points])
    is_harness = np.array([meaning(fields).family == "harness" for fields in points])
    costs = {clock: np.array([_of_launch(launch, clock) for launch in table.rows.launches]) for clock in set(clocks)}
    by_clock = np.array(clocks)
    per_sample = table.rows.read("repetitions_per_sample")
    for chosen, places in table.by_launches:
        repetitions = np.maximum(1.0, unsorted_medians(per_sample[places]))
        for clock, of_launches in costs.items():
            some = by_clock[chosen] == clock
            own = table.rows.launch_of[places[some]]  # points x launches
            call_ns, cycle_ns, block_ns = (unsorted_medians(of_launches[:, at][own]) for at in range(3))
            kinds = [timings[chosen[some]] == kind for kind in ("call", "cycle")]
            overhead_ns[chosen[some]] = np.select(kinds, [call_ns, cycle_ns], block_ns)
            step_ns[chosen[some]] = of_launches[:, 3][own].max(axis=1) / repetitions[some]
    overhead_ns[is_harness] = 0.0
    divisor, rounding_ns = table["divisor"], np.nan_to_num(table["rounding"]) * table["figure_ns"]
    return overhead_ns / divisor, step_ns / divisor + rounding_ns


def is_range(interval: Interval | None) -> bool:
    """Return whether a figure with this interval is printed as a range."""
    return interval is not None and interval.high > RANGE_FACTOR * interval.low


def uncertainty_words(interval: Interval | None, time_ns: float) -> str:
    """Return `±2.1%`, or the range of a time that is one; empty without an interval."""
    if interval is None or time_ns <= 0:
        return ""
    return f"{interval.text(factor=1e-3)} µs" if is_range(interval) else f"±{interval.reach(time_ns):.1%}"


def _of_launch(launch: Launch, clock: str) -> tuple[float, float, float, float]:
    """Return the costs in one launch; zeros if its record lacks them, which the check of the clock says."""
    start = launch.start
    if start is None or start.harness is None:
        return 0.0, 0.0, 0.0, 0.0
    used = next((one for one in start.clocks if one.name == clock), None)
    if used is None:
        return 0.0, 0.0, 0.0, 0.0
    # A stamped call contains half of the reading before it and half of the one after it; until the next call begins,
    # two whole readings.
    read_ns = used.read_ns or 0.0
    call_ns, cycle_ns = (readings * read_ns + start.harness.call_ns for readings in (1, 2))
    return max(0.0, call_ns), max(0.0, cycle_ns), max(0.0, start.harness.block_ns), used.resolution_ns or 0.0
