"""The printed uncertainty of a figure: its interval over launches or samples, widened by what the clock may have added.

Two parts are the same in every launch, so that no interval over launches shows them (docs/adr/0038): the cost of the
stamps and of the loop around the calls, of which a figure contains so much at most, and the step of the clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from groma.analysis.meaning import meaning
from groma.analysis.order import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from groma.analysis.runtable import Rows, RunTable
    from groma.results import Launch

# A figure whose interval has ends further apart than this is a range: its median says little.
RANGE_FACTOR = 2.0


@dataclass(frozen=True)
class ClockError:
    """What of a figure is measuring overhead at most, and by how much it may be off since the clock has steps."""

    overhead_ns: float
    step_ns: float

    def widened(self, interval: Interval) -> Interval:
        """Return an interval that contains the figure without overhead too; no time is below zero."""
        return Interval(max(0.0, interval.low - self.overhead_ns - self.step_ns), interval.high + self.step_ns)


def clock_error(fields: Mapping[str, Any], rows: Rows, divisor: int, rounding_ns: float) -> ClockError:
    """Return the clock's part in the figure of a point with these fields, by the median costs of its launches.

    The difference of two stamps is within one step of the time between them. An operation that measures the harness has
    no overhead: it is its figure. `rounding_ns` is half of the last digit of a figure that another program printed.
    """
    clock = str(fields.get("clock", "monotonic"))
    costs = rows.table.derived(f"costs of {clock}", lambda every: _costs(every.table, clock))
    own = costs[rows.table.launch_of[rows.places]]
    call_ns, block_ns = np.median(own[:, 0]), np.median(own[:, 1])
    of_harness = meaning(fields).family == "harness"
    overhead_ns = 0.0 if of_harness else call_ns if fields.get("timing") == "call" else block_ns
    repetitions = float(np.median(rows["repetitions_per_sample"]))
    step_ns = float(own[:, 2].max()) / (max(1.0, repetitions) * divisor)
    return ClockError(float(overhead_ns) / divisor, step_ns + rounding_ns)


def is_range(interval: Interval | None) -> bool:
    """Tell whether a figure with this interval is printed as a range."""
    return interval is not None and interval.high > RANGE_FACTOR * interval.low


def uncertainty_words(interval: Interval | None, time_ns: float) -> str:
    """Return `±2.1%`, or the range of a time that is one; empty without an interval."""
    if interval is None or time_ns <= 0:
        return ""
    return f"{interval.text(factor=1e-3)} µs" if is_range(interval) else f"±{interval.reach(time_ns):.1%}"


def _costs(table: RunTable, clock: str) -> NDArray[np.float64]:
    """Return for each launch what a stamped call, and a call in a block, cost beside the operation, and a step (ns)."""
    return np.array([_of_launch(launch, clock) for launch in table.launches])


def _of_launch(launch: Launch, clock: str) -> tuple[float, float, float]:
    """Return the costs in one launch; zeros where they are not in its record, which the check of the clock says."""
    start = launch.start
    if start is None or start.harness is None:
        return 0.0, 0.0, 0.0
    used = next((one for one in start.clocks if one.name == clock), None)
    if used is None:
        return 0.0, 0.0, 0.0
    # A stamped call contains half of the reading before it and half of the one after it.
    call_ns = (used.read_ns or 0.0) + start.harness.call_ns
    return max(0.0, call_ns), max(0.0, start.harness.block_ns), used.resolution_ns or 0.0
