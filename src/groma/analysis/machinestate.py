"""How fast the machine was in each launch, measured without MPI: the states that it was in.

A launch measures first how long a cache line takes from CPU to CPU. On a virtual machine the CPUs of two ranks may be
near to each other in one launch and far in the next. Figures of such launches differ for a reason that is neither the
library's nor the program's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groma.results import Launch

# In one state no cache line takes more than so many times as long as another.
MACHINE_CHANGE_LIMIT = 1.5


@dataclass(frozen=True)
class MachineState:
    """The times of a cache line from CPU to CPU, in ns, in the launches of one state: from the least to the most."""

    least_ns: float
    most_ns: float

    def holds(self, line_ns: float) -> bool:
        """Whether a launch in which a cache line took this time was in the state."""
        return self.least_ns <= line_ns <= self.most_ns


def line_times(launches: Iterable[Launch]) -> dict[int, float]:
    """Return the time of a cache line from CPU to CPU (ns) by the number of the launch, where it was measured."""
    readings = {launch.number: launch.start.limits.line_bounce_ns for launch in launches if launch.start}
    return {number: line_ns for number, line_ns in readings.items() if line_ns}


def machine_states(times_ns: Iterable[float]) -> list[MachineState]:
    """Return the states in which these times were measured, the fastest first; none without times.

    A time more than `MACHINE_CHANGE_LIMIT` times the least of a state begins the next one.
    """
    states: list[MachineState] = []
    for line_ns in sorted(times_ns):
        if states and line_ns <= MACHINE_CHANGE_LIMIT * states[-1].least_ns:
            states[-1] = MachineState(states[-1].least_ns, line_ns)
        else:
            states.append(MachineState(line_ns, line_ns))
    return states
