"""Figures of separate runs in one state of the machine: those of near CPUs are not compared with those of far ones.

One state is chosen for both sides. Launches in turns are compared by rounds (`groma.analysis.rounds`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from groma.analysis.compare import Sample
from groma.analysis.compare.runs import MINIMUM_FREEDOM
from groma.analysis.machinestate import MachineState, machine_states
from groma.analysis.rounds import StatesRemark, other_cpus, range_of
from groma.decide.matching import Pair
from groma.decide.sides import Side
from groma.text.counts import counted

Samples = tuple[Sample, Sample]


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
    ranges = [f"{range_of(side.readings_ns)} in {side.name}" for side in (first, second)]
    if apart and (differing := other_cpus(first.run, second.run)):
        words = f"Core-to-core latency was {' and '.join(ranges)}: {differing} differ."
        return [*all_figures], StatesRemark(words, one_state=False)
    samples = [one and one[1] for one in chosen]
    words = ""
    if apart < len(pairs):
        kept = {one[0] for one in chosen if one}
        held_ns = every_ns[np.any([state.holds(every_ns) for state in kept], axis=0)]
        where = f"with {range_of(held_ns)}" if len(kept) == 1 else "in one state for each point"
        words = (
            f"Core-to-core latency was {range_of(every_ns)}: the machine was in several states. "
            f"Only the {_count(samples)} of {_count(all_figures)} launch figures {where} are compared."
        )
    if apart:
        words += (
            f" {counted(apart, 'point')} cannot be compared, since the machine was in another state: core-to-core "
            f"latency was {', and '.join(ranges)}."
        )
    return samples, StatesRemark(words.strip(), one_state=True)


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
