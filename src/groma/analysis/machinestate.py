"""How fast the machine was, measured without MPI: the states that it was in.

A launch measures first how long a cache line takes from CPU to CPU, and again before and after the samples of a point.
On a virtual machine the CPUs of two ranks may be near to each other in one launch and far in the next, or in the next
point. Such figures differ for a reason that is neither the library's nor the program's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groma.analysis.runtable import Rows
from groma.results import Launch

# In one state no cache line takes more than this many times as long as another.
MACHINE_CHANGE_LIMIT = 1.5
STATES = "state of the machine"  # the name of the column of `row_states`


class Measured(Protocol):
    """A point of a run."""

    @property
    def rows(self) -> Rows:
        """Its rows, one for each launch."""


@dataclass(frozen=True)
class MachineState:
    """The times of a cache line from CPU to CPU, in ns, in the launches of one state: from the least to the most."""

    least_ns: float
    most_ns: float

    def holds(self, times_ns: ArrayLike) -> NDArray[np.bool_]:
        """Return for each of these times of a cache line (any shape) whether the machine was in the state."""
        times = np.asarray(times_ns, dtype=np.float64)
        held: NDArray[np.bool_] = (times >= self.least_ns) & (times <= self.most_ns)
        return held


def line_times(launches: Iterable[Launch]) -> dict[int, float]:
    """Return the time of a cache line from CPU to CPU (ns) by the number of the launch, if it was measured."""
    readings = {launch.number: launch.start.limits.line_bounce_ns for launch in launches if launch.start}
    return {number: line_ns for number, line_ns in readings.items() if line_ns}


def point_line_times(point: Measured, of_launches: Mapping[int, float]) -> NDArray[np.float64]:
    """Return the least and the most time of a cache line (ns) around a point's samples, a row for each launch.

    Where a record has none, the time of the launch (`line_times`) stands for both; NaN if that is missing too.
    """
    numbers = point.rows.launch_numbers.tolist()
    launches = np.array([of_launches.get(number, np.nan) for number in numbers])
    readings = np.array([point.rows["line_least_ns"], point.rows["line_most_ns"]]).T
    times: NDArray[np.float64] = np.where(np.isnan(readings), launches[:, np.newaxis], readings)
    return times


def row_states(rows: Rows) -> NDArray[np.float64]:
    """Return the number of the state in which each row's launch was when it began, and around the row's samples.

    The fastest state is 0. NaN if these are different states; -1, as one state, if no time is known.
    """
    of_launches = line_times(rows.table.launches)
    by_launch = np.array([of_launches.get(launch.number, np.nan) for launch in rows.table.launches])
    begun = by_launch[rows.table.launch_of[rows.places]]
    times = np.array([begun, rows["line_least_ns"], rows["line_most_ns"]])
    np.copyto(times, begun, where=np.isnan(times))
    numbers = np.full(begun.size, np.nan)
    numbers[np.isnan(times).any(axis=0)] = -1
    for number, state in enumerate(machine_states(times[~np.isnan(times)])):
        numbers[state.holds(times).all(axis=0)] = number
    return numbers


def in_state(lines_ns: NDArray[np.float64], state: MachineState | None) -> NDArray[np.bool_]:
    """Return for each row of `point_line_times` whether it lies in a state; without a state, always true."""
    if state is None:
        return np.full(len(lines_ns), True)
    held: NDArray[np.bool_] = np.all(state.holds(lines_ns), axis=1)
    return held


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
