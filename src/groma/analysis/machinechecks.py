"""Checks of the machine during a run: its speed, and disturbances."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from groma.analysis.machinestate import MachineState, line_times, machine_states
from groma.analysis.noise import Lost, is_disturbed, lost, observations
from groma.analysis.summary import PointSummary
from groma.results import Launch
from groma.results.spans import these_launches
from groma.text.checks import FOREIGN_CORES_LIMIT, LOST_SHARE_LIMIT, LOST_SHARE_MOST, Check, State
from groma.text.counts import counted

# So small a share of figures in another state moves no median: it is said and no reservation.
RARE_STATE_LIMIT = 0.05


def machine(summaries: list[PointSummary]) -> list[Check]:
    """Say whether the machine was equally fast at all figures, measured without MPI; nothing if none is known.

    Nor anything for one launch, unless the machine changed within it.
    """
    times_ns = np.concatenate([np.empty((0, 2)), *(line_times(point.rows) for point in summaries)])
    launches = np.concatenate([np.empty(0, dtype=int), *(point.rows.launch_numbers for point in summaries)])
    known = ~np.isnan(times_ns).any(axis=1)
    times_ns, launches = times_ns[known], launches[known]
    states = machine_states(times_ns)
    if not states or (len(states) == 1 and len({*launches.tolist()}) == 1):
        return []
    if len(states) == 1:
        return [Check("machine", "good", f"Core-to-core latency {_range(states[0])} in all launches.")]
    near, far = _two_most_common(states, times_ns)
    between_ns = math.sqrt(near.most_ns * far.least_ns)
    fast, slow = (times_ns < between_ns).any(axis=1), (times_ns > between_ns).any(axis=1)
    slow_in = sorted(set(launches[slow].tolist()))
    if set(launches[fast].tolist()).isdisjoint(slow_in):
        slower = f"{these_launches(slow_in)} ran in the slow one"
    else:
        slower = f"{slow.sum()} of {counted(slow.size, 'launch figure')} in the slow one"
    rarer = min(slow.mean(), fast.mean())
    state: State = "warn" if rarer > RARE_STATE_LIMIT else "good"
    text = f"Core-to-core latency had two states, {_range(near)} and {_range(far)}; {slower}."
    return [Check("machine", state, text)]


def _two_most_common(states: Sequence[MachineState], times_ns: NDArray[np.float64]) -> list[MachineState]:
    """Return the two states in which most of these times lie, the faster first."""
    held = [int(state.holds(times_ns).sum()) for state in states]
    return [states[place] for place in sorted(sorted(range(len(states)), key=held.__getitem__)[-2:])]


def _range(state: MachineState) -> str:
    least, most = f"{state.least_ns:.0f}", f"{state.most_ns:.0f}"
    return f"{least} ns" if least == most else f"{least} to {most} ns"


def noise(started: list[Launch]) -> Check:
    """Say how much CPU time interruptions and other processes took, and in which launches that is not known."""
    lost_time = lost(observation for launch in started for observation in observations(launch))
    loads = [launch.foreign_cores for launch in started if launch.foreign_cores is not None]
    if lost_time is None and not loads:
        return Check("noise", "unknown", "Noise was not measured.")
    disturbed = [launch.number for launch in started if is_disturbed(launch)]
    ended_early = [launch.number for launch in started if launch.ended_early]
    clauses = [] if lost_time is None else [_of_interruptions(lost_time)]
    foreign = f"other processes took up to {max(loads):.2f} cores" if loads else ""
    foreign += f", above {FOREIGN_CORES_LIMIT:.0%} of a core in {these_launches(disturbed)}" if disturbed else ""
    clauses += [foreign] if foreign else []
    if ended_early:
        unknown = "" if loads else "what other processes took is "
        clauses.append(f"{unknown}unknown in {these_launches(ended_early)} (ended early)")
    text = "; ".join(clauses)
    state: State = "warn" if disturbed or ended_early else "good"
    if lost_time is not None and lost_time.share > LOST_SHARE_LIMIT:
        state = "warn"
    if 2 * len(disturbed) > len(loads) > 0:
        state = "bad"
    if lost_time is not None and lost_time.most > LOST_SHARE_MOST:
        state, text = "bad", f"{text}. Medians are of interrupted calls"
    return Check("noise", state, f"{text[0].upper()}{text[1:]}.")


def _of_interruptions(lost_time: Lost) -> str:
    share = f"{lost_time.share:.2%} of the CPU time observed was lost to interruptions"
    if lost_time.most > LOST_SHARE_LIMIT and lost_time.most > 2 * lost_time.share:
        share += f" ({lost_time.most:.0%} of one rank's)"
    return f"{share}, at most {_stall(lost_time.longest_ns)} at once"


def _stall(ns: float) -> str:
    value, unit = (ns / 1e6, "ms") if ns >= 1e6 else (ns / 1e3, "µs")
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.2g} {unit}"
