"""Launches in turns, compared by rounds in one state of the machine.

A round counts if both of its launches were in the same state, whichever that was: its ratio then compares like with
like. docs/adr/0033 says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from groma.analysis.compare import Judged, by_round, compare, judge
from groma.analysis.machinestate import MachineState, in_state, line_times, machine_states
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.analysis.summary import PointSummary
from groma.results import Run
from groma.results.differences import differences
from groma.text.counts import counted

Pair = tuple[PointSummary, PointSummary]
Rounds = tuple[dict[int, float], dict[int, float]]
_UNKNOWN, _MIXED = -1, -2  # in place of a state: no reading is known, or the readings lie in several states


@dataclass(frozen=True)
class StatesRemark:
    """A remark on several states of the machine, and whether every verdict compares figures of one state.

    `brief` is the remark for an answer: how many ratios count.
    """

    words: str
    one_state: bool
    brief: str = ""


def rounds_in_one_state(
    sides: Sequence[tuple[Run, Run]], pairs: Sequence[Pair], round_length: int
) -> tuple[list[Rounds | None], StatesRemark | None]:
    """Return both figures (ns) of every pair by round, and what to say of the machine's states.

    `sides` has for every pair the launches of both. A round whose launches were in different states, or in which the
    machine changed during a launch, is left out. None for a pair that has too few rounds for an interval without these.
    All figures are returned, without a remark, if the machine stayed in one state, and of sides that are on other CPUs,
    which is what is asked.
    """
    points = {id(point): point for pair in pairs for point in pair}
    by_point = {name: by_round(point, round_length) for name, point in points.items()}
    rounds = [(by_point[id(one)], by_point[id(other)]) for one, other in pairs]
    times_ns = np.concatenate([np.empty((0, 2)), *(line_times(point.rows) for point in points.values())])
    times_ns = times_ns[~np.isnan(times_ns).any(axis=1)]
    states = machine_states(times_ns)
    apart = _apart(sides) if len(states) > 1 else set()
    asked = [(id(one), id(other)) in apart for one, other in sides]
    if len(states) < 2 or all(asked):
        return [*rounds], None
    numbers = {name: _states_by_round(point, states, round_length) for name, point in points.items()}
    kept = [
        both if free else _in_one_state(both, numbers[id(one)], numbers[id(other)])
        for both, (one, other), free in zip(rounds, pairs, asked, strict=True)
    ]
    compared, measured = (sum(len(both[0].keys() & both[1].keys()) for both in some if both) for some in (kept, rounds))
    ratios = f"{compared} of {counted(measured, 'ratio')}"
    words = (
        f"Core-to-core latency was {range_of(times_ns)}: the machine was in several states. A round counts only if "
        f"both of its launches were in the same one: {ratios} are compared."
    )
    return kept, StatesRemark(words, one_state=True, brief=f"Only the {ratios} in one state of the machine count.")


def judged_rounds(
    figures: Sequence[Rounds | None], pairs: Sequence[Pair], margin: float, looks: int = 1
) -> list[Judged]:
    """Return the verdict on the second of every pair, all of them as one family.

    Without figures it is that the machine was in another state; the ratio is then that of both times. Verdicts and
    intervals hold for `looks` at a run that grows.
    """
    shown = [both or ({0: one.time_ns}, {0: other.time_ns}) for both, (one, other) in zip(figures, pairs, strict=True)]
    judged = judge([compare(new_ns, old_ns, looks) for old_ns, new_ns in shown], margin)
    return [replace(verdict, in_one_state=both is not None) for verdict, both in zip(judged, figures, strict=True)]


def other_cpus(first: Run, second: Run) -> str:
    """Say how the CPUs of both sides differ; empty if they do not."""
    told = differences(first, second)
    names = [one.name for one in told if one.kind == "placement" or (one.kind, one.name) == ("machine", "CPU")]
    return " and ".join(names)


def range_of(times_ns: NDArray[np.float64]) -> str:
    """Return the range of these times, such as `31 to 40 ns`."""
    return f"{times_ns.min():.0f} to {times_ns.max():.0f} ns"


def _apart(sides: Sequence[tuple[Run, Run]]) -> set[tuple[int, int]]:
    """Return those sides that are on other CPUs, by the id() of both."""
    distinct = {(id(one), id(other)): (one, other) for one, other in sides}
    return {name for name, both in distinct.items() if both[0] is not both[1] and other_cpus(*both)}


def _in_one_state(rounds: Rounds, first: Mapping[int, int], second: Mapping[int, int]) -> Rounds | None:
    """Return the rounds whose launches were in one state; None if these are too few for an interval."""
    both = first.keys() & second.keys()
    same = {at for at in both if first[at] == second[at] != _MIXED}
    if len(same) < min(MINIMUM_FOR_INTERVAL, len(both)):
        return None
    if not both:  # as where launches fell back to another method: there is no ratio in any state
        return rounds
    one, other = ({at: figure for at, figure in side.items() if at in same} for side in rounds)
    return one, other


def _states_by_round(point: PointSummary, states: Sequence[MachineState], round_length: int) -> dict[int, int]:
    """Return by round the place of the state in which a point was measured, or `_UNKNOWN` or `_MIXED`."""
    lines_ns = line_times(point.rows)
    numbers = np.where(np.isnan(lines_ns).any(axis=1), _UNKNOWN, _MIXED)
    for place, state in enumerate(states):
        numbers[in_state(lines_ns, state)] = place
    rounds = (point.rows.launch_numbers - 1) // round_length
    return dict(zip(rounds.tolist(), numbers.tolist(), strict=True))
