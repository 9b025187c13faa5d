"""Launches of two sides in one state of the machine: those with near CPUs are not compared with those with far ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from groma.analysis.machinestate import line_times, machine_states

if TYPE_CHECKING:
    from groma.analysis.machinestate import MachineState
    from groma.decide.sides import Side


@dataclass(frozen=True)
class StatesRemark:
    """What to say where the machine was in several states: a sentence, and whether both sides have one in common."""

    words: str
    common: bool


def in_one_state(first: Side, second: Side) -> tuple[Side, Side, StatesRemark | None]:
    """Return both sides with their launches in one state of the machine, and what to say of its states.

    The state is the one that most runs of both sides were in, of equal ones the fastest. The sides stay as they are
    where the machine was in one state all the time (then None is returned too), and where no state is common to both.
    """
    times_ns = [_times_ns(side) for side in (first, second)]
    every_ns = [line_ns for of_side in times_ns for line_ns in of_side]
    states = machine_states(every_ns)
    if len(states) < 2 or not all(times_ns):
        return first, second, None
    runs = {state: (first.in_state(state).count, second.in_state(state).count) for state in states}
    common = [state for state in states if min(runs[state])]
    if not common:
        ranges = [_range(of_side) for of_side in times_ns]
        words = (
            f"The machine was in other states: without MPI, a cache line went from CPU to CPU in {ranges[0]} in "
            f"{first.name}, and in {ranges[1]} in {second.name}."
        )
        return first, second, StatesRemark(words, common=False)
    state = max(common, key=lambda one: sum(runs[one]))
    return first.in_state(state), second.in_state(state), StatesRemark(_kept(state, every_ns), common=True)


def _range(times_ns: list[float]) -> str:
    """Return the range of these times, such as `31 to 40 ns`."""
    return f"{min(times_ns):.0f} to {max(times_ns):.0f} ns"


def _times_ns(side: Side) -> list[float]:
    return [line_ns for run in side.runs for line_ns in line_times(run.launches).values()]


def _kept(state: MachineState, times_ns: list[float]) -> str:
    held = [line_ns for line_ns in times_ns if state.holds(line_ns)]
    return (
        f"Without MPI, a cache line went from CPU to CPU in {_range(times_ns)}: the machine was in several states. "
        f"Only the {len(held)} of {len(times_ns)} launches with {_range(held)} are compared."
    )
