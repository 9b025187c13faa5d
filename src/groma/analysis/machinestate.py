"""How fast the machine was, measured without MPI: the states that it was in.

A launch measures first how long a cache line takes from CPU to CPU, and again before and after the samples of a point.
On a virtual machine the CPUs of two ranks may be near to each other in one launch and far in the next, or in the next
point. Such figures differ for a reason that is neither the library's nor the program's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groma.analysis.runtable import Rows, derived

# In one state no cache line takes more than this many times as long as another.
MACHINE_CHANGE_LIMIT = 1.5


@dataclass(frozen=True)
class MachineState:
    """The times of a cache line from CPU to CPU, in ns, in the launches of one state: from the least to the most."""

    least_ns: float
    most_ns: float

    def holds(self, times_ns: ArrayLike) -> NDArray[np.bool_]:
        """Return for each of these times of a cache line (any shape) whether the machine was in the state."""
        times = np.asarray(times_ns, dtype=np.float64)
        return (times >= self.least_ns) & (times <= self.most_ns)


def line_times(rows: Rows) -> NDArray[np.float64]:
    """Return the least and the most time of a cache line (ns) around the samples of each row (rows x 2).

    Where a record has none, the time that its launch measured first stands for both; NaN if that is missing too.
    """
    readings = np.array([rows["line_least_ns"], rows["line_most_ns"]]).T
    return np.where(np.isnan(readings), _begun(rows)[:, np.newaxis], readings)


@derived
def _begun(rows: Rows) -> NDArray[np.float64]:
    """Return the time of a cache line (ns) that the launch of each row measured before its points; NaN for none."""
    times = [launch.start and launch.start.limits.line_bounce_ns for launch in rows.table.launches]
    return np.array([time or np.nan for time in times], dtype=np.float64)[rows.table.launch_of[rows.places]]


def row_states(rows: Rows) -> NDArray[np.float64]:
    """Return the number of the state in which each row's launch was when it began, and around the row's samples.

    The fastest state is 0. NaN if these are different states; -1, as one state, if no time is known.
    """
    times = np.array([_begun(rows), *line_times(rows).T])
    numbers = np.full(len(rows), np.nan)
    numbers[np.isnan(times).any(axis=0)] = -1
    for number, state in enumerate(machine_states(times[~np.isnan(times)])):
        numbers[state.holds(times).all(axis=0)] = number
    return numbers


def in_state(lines_ns: NDArray[np.float64], state: MachineState | None) -> NDArray[np.bool_]:
    """Return for each row of `line_times` whether it lies in a state; without a state, always true."""
    if state is None:
        return np.full(len(lines_ns), True)
    held: NDArray[np.bool_] = np.all(state.holds(lines_ns), axis=1)
    return held


def usual_state(own_ns: ArrayLike, all_ns: ArrayLike) -> MachineState | None:
    """Return the state, of those of all these times, that holds most of a run's own; None if none is known."""
    own = np.asarray(own_ns, dtype=np.float64)
    states = machine_states(all_ns) if own.size else []
    return max(states, key=lambda state: int(state.holds(own).sum()), default=None)


def machine_states(times_ns: ArrayLike) -> list[MachineState]:
    """Return the states in which these times (any shape) were measured, the fastest first; none without times.

    A state is the range, from one time to `MACHINE_CHANGE_LIMIT` times as long, that holds most of the times; the next
    is found so among the rest. Few times that are shorter than most thus part no state in two.
    """
    states: list[MachineState] = []
    rest, counts = np.unique(np.asarray(times_ns, dtype=np.float64), return_counts=True)
    while rest.size:
        ends = np.searchsorted(rest, MACHINE_CHANGE_LIMIT * rest, side="right")
        upto = np.cumsum(counts)
        begin = int((upto[ends - 1] - upto + counts).argmax())
        end = int(ends[begin])
        states.append(MachineState(float(rest[begin]), float(rest[end - 1])))
        rest, counts = np.delete(rest, slice(begin, end)), np.delete(counts, slice(begin, end))
    return sorted(states, key=lambda state: state.least_ns)
