"""Figures of two sides in one state of the machine: those of near CPUs are not compared with those of far ones.

Of separate runs one state is chosen. Of launches in turns a round counts if both of its launches were in the same one,
whichever that was: its ratio then compares like with like.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groma.analysis import PointSummary
from groma.analysis.compare import Sample, by_round
from groma.analysis.compare.runs import MINIMUM_FREEDOM
from groma.analysis.machinestate import MachineState, in_state, line_times, machine_states
from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.decide.differences import differences
from groma.decide.matching import Pair
from groma.decide.sides import Side
from groma.results import Run
from groma.text.counts import counted

Samples = tuple[Sample, Sample]
Rounds = tuple[dict[int, float], dict[int, float]]
_UNKNOWN, _MIXED = -1, -2  # in place of a state: no reading is known, or the readings lie in several states


@dataclass(frozen=True)
class StatesRemark:
    """A remark on several states of the machine, and whether every verdict compares figures of one state."""

    words: str
    one_state: bool


def samples_in_one_state(
    first: Side, second: Side, pairs: Sequence[Pair]
) -> tuple[list[Samples | None], StatesRemark | None]:
    """Return both sides' figures of every point that are in one state of the machine, and what to say of its states.

    The state of a point is the one in which most runs of both sides measured it, of equal ones that of most figures.
    All figures are returned, without a remark, if the machine stayed in one state. None for a point
    without a state that is common to both sides: nothing can be said of it. But if the sides were on other CPUs, by
    their model or by the placement of the ranks, the states are of these, and all figures are returned.
    """
    all_figures: list[Samples] = [(first.sample(point), second.sample(rival)) for point, rival in pairs]
    times_ns = [first.readings_ns, second.readings_ns]
    every_ns = np.concatenate(times_ns).ravel()
    states = machine_states(every_ns)
    if len(states) < 2 or not all(of_side.size for of_side in times_ns):
        return [*all_figures], None
    chosen = [
        _most_shared([_in(state, first, second, pair) for state in states], _freedom(both))
        for pair, both in zip(pairs, all_figures, strict=True)
    ]
    apart = sum(one is None for one in chosen)
    ranges = [f"{_range(side.readings_ns)} in {side.name}" for side in (first, second)]
    if apart and (differing := _other_cpus(first.run, second.run)):
        words = f"Core-to-core latency was {' and '.join(ranges)}: {differing} differ."
        return [*all_figures], StatesRemark(words, one_state=False)
    samples = [one and one[1] for one in chosen]
    words = ""
    if apart < len(pairs):
        kept = {one[0] for one in chosen if one}
        held_ns = every_ns[np.any([state.holds(every_ns) for state in kept], axis=0)]
        where = f"with {_range(held_ns)}" if len(kept) == 1 else "in one state for each point"
        words = (
            f"Core-to-core latency was {_range(every_ns)}: the machine was in several states. "
            f"Only the {_count(samples)} of {_count(all_figures)} launch figures {where} are compared."
        )
    if apart:
        words += (
            f" {counted(apart, 'point')} cannot be compared, since the machine was in another state: core-to-core "
            f"latency was {', and '.join(ranges)}."
        )
    return samples, StatesRemark(words.strip(), one_state=True)


def rounds_in_one_state(
    runs: tuple[Run, Run], pairs: Sequence[Pair], round_length: int
) -> tuple[list[Rounds | None], StatesRemark | None]:
    """Return both sides' figures (ns) by round, for every pair, and what to say of the machine's states.

    A round whose launches were in different states, or in which the machine changed during a launch, is left out. None
    for a pair that has too few rounds for an interval without these. All figures are returned, without a remark, if the
    machine stayed in one state, or if the sides are on other CPUs, which is what is asked.
    """
    rounds = [(by_round(point, round_length), by_round(rival, round_length)) for point, rival in pairs]
    times_ns = np.concatenate([np.empty((0, 2)), *(line_times(point.rows) for pair in pairs for point in pair)])
    times_ns = times_ns[~np.isnan(times_ns).any(axis=1)]
    states = machine_states(times_ns)
    if len(states) < 2 or _other_cpus(*runs):
        return [*rounds], None
    kept: list[Rounds | None] = []
    for pair, figures in zip(pairs, rounds, strict=True):
        first, second = (_states_by_round(point, states, round_length) for point in pair)
        both = first.keys() & second.keys()
        same = {at for at in both if first[at] == second[at] != _MIXED}
        one, other = ({at: figure for at, figure in side.items() if at in same} for side in figures)
        # Without a round in common, as where launches fell back to another method, there is no ratio in any state.
        known = figures if not both else (one, other)
        kept.append(known if len(same) >= min(MINIMUM_FOR_INTERVAL, len(both)) else None)
    compared, measured = (sum(len(both[0].keys() & both[1].keys()) for both in some if both) for some in (kept, rounds))
    words = (
        f"Core-to-core latency was {_range(times_ns)}: the machine was in several states. A round counts only if both "
        f"of its launches were in the same one: {compared} of {counted(measured, 'ratio')} are compared."
    )
    return kept, StatesRemark(words, one_state=True)


def _states_by_round(point: PointSummary, states: Sequence[MachineState], round_length: int) -> dict[int, int]:
    """Return by round the place of the state in which a point was measured, or `_UNKNOWN` or `_MIXED`."""
    lines_ns = line_times(point.rows)
    numbers = np.where(np.isnan(lines_ns).any(axis=1), _UNKNOWN, _MIXED)
    for place, state in enumerate(states):
        numbers[in_state(lines_ns, state)] = place
    rounds = (point.rows.launch_numbers - 1) // round_length
    return dict(zip(rounds.tolist(), numbers.tolist(), strict=True))


def _other_cpus(first: Run, second: Run) -> str:
    """Say how the CPUs of both sides differ; empty if they do not."""
    told = differences(first, second)
    names = [one.name for one in told if one.kind == "placement" or (one.kind, one.name) == ("machine", "CPU")]
    return " and ".join(names)


def _in(state: MachineState, first: Side, second: Side, pair: Pair) -> tuple[MachineState, Samples]:
    """Return the figures of a point that both sides measured in a state."""
    point, rival = pair
    return state, (first.sample(point, state), second.sample(rival, state))


def _most_shared(found: Sequence[tuple[MachineState, Samples]], freedom: int) -> tuple[MachineState, Samples] | None:
    """Return the state in which most runs of both sides measured a point; None if none is common to both.

    One in which enough runs are left to know how much they differ goes first, if all figures (with this `freedom`)
    show it.
    """
    least = min(freedom, MINIMUM_FREEDOM)
    common = [one for one in found if all(sample.units for sample in one[1])]
    return max(
        common,
        key=lambda one: (_freedom(one[1]) >= least, sum(len(side.units) for side in one[1]), _count([one[1]])),
        default=None,
    )


def _freedom(samples: Samples) -> int:
    """Return the degrees of freedom of the runs of both sides."""
    return sum(len(side.units) - 1 for side in samples)


def _count(samples: Sequence[Samples | None]) -> int:
    """Return how many launch figures these are."""
    return sum(side.logs.size for both in samples if both for side in both)


def _range(times_ns: NDArray[np.float64]) -> str:
    """Return the range of these times, such as `31 to 40 ns`."""
    return f"{times_ns.min():.0f} to {times_ns.max():.0f} ns"
