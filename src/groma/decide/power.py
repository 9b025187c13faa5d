"""The smallest slowdown that a gate finds against a baseline, by how much the baseline's runs differ.

The gate's runs lie apart, as with `--over` or `--visit`; runs of the baseline that begin within an hour share a visit.
A slowdown is found if its estimate is beyond what the test of the last look asks for, corrected for all points, and its
95 % interval is beyond the margin; with a standard error e, that takes (t + t of 80 %) e. docs/adr/0024.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from groma.analysis.compare import MARGIN, SIGNIFICANCE
from groma.analysis.components import MINIMUM_RUNS, components_of_rounds
from groma.analysis.distributions import student_quantile, student_tail
from groma.analysis.machinestate import machine_states
from groma.decide.gating import CONFIRMATIONS
from groma.decide.sides import Side
from groma.decide.visits import VISIT_S, family_at
from groma.results import Run
from groma.text.counts import counted
from groma.text.numbers import percent

FOUND = 0.8
SOUGHT = 0.05
SOUGHT_MARGIN = 0.01
_MOST = 200
_SENSIBLE = 6  # runs of a baseline, to name what such a number finds
_RUNS = 1 + CONFIRMATIONS


@dataclass(frozen=True)
class Spread:
    """How much figures of a point differ (standard deviations of logarithms): from visit to visit, and within one."""

    visits: float
    runs: float


# Assumed where a baseline cannot show its own.
ASSUMED = Spread(0.02, 0.01)


def smallest(
    spread: Spread, visits: int, points: int, *, runs: int = _RUNS, margin: float = MARGIN, apart: bool = True
) -> float:
    """Return the smallest slowdown, as a share, that a gate of so many `runs` finds in 80 % of cases.

    visits  of the baseline, with a run in each; at least 2
    points  of the plan: their false alarms are at most 5 % together
    apart   whether the gate's runs are visits of their own; else they follow each other in one
    """
    error, freedom = _error(spread, visits, runs, apart=apart), visits - 1 + (runs - 1 if apart else 0)
    of_test = student_quantile(freedom, 1 - SIGNIFICANCE / 2 / family_at(runs, runs, points))
    by_margin = math.log1p(margin) + student_quantile(freedom, 1 - SIGNIFICANCE / 2) * error
    return math.expm1(max(of_test * error, by_margin) + student_quantile(freedom, FOUND) * error)


def passing(spread: Spread, visits: int, *, margin: float = MARGIN) -> float:
    """Return the probability that a point without a change is found to be within the margin."""
    error, freedom = _error(spread, visits, _RUNS), visits + _RUNS - 2
    tail = student_quantile(freedom, 1 - SIGNIFICANCE / 2) - math.log1p(margin) / max(error, 1e-9)
    return float(student_tail(freedom, tail))


def visits_for(spread: Spread, points: int) -> tuple[int, int] | None:
    """Return visits of a baseline and runs of a gate that find `SOUGHT`, with `SOUGHT_MARGIN`; None beyond 200.

    The gate has five runs if that is enough, else as many as the baseline.
    """
    for runs in (_RUNS, None):
        for visits in range(MINIMUM_RUNS, _MOST + 1):
            own = runs or visits
            if smallest(spread, visits, points, runs=own, margin=SOUGHT_MARGIN) <= SOUGHT:
                return visits, own
    return None


def sentences(side: Side) -> list[str]:
    """Return what a baseline can decide, and which one would decide 5 %."""
    logs, visits = _figures(side), _visits(side.runs)
    points = max(1, len(logs))
    groups = [_by_visit(one, visits) for one in logs]
    count = min((len(one) for one in groups), default=0)
    if count < MINIMUM_RUNS:
        of = f"{counted(len(side.runs), 'run')} of {counted(len(set(visits)), 'visit')}"
        known = f"{of} cannot show how much runs differ from visit to visit: more than 5 % of alarms may be false."
        slowdown = percent(smallest(ASSUMED, _SENSIBLE, points))
        assumed = (
            f"If visits differ by {ASSUMED.visits:.0%}, and runs of one by {ASSUMED.runs:.0%} (assumed), {_SENSIBLE} "
            f"runs of as many days find a slowdown of {slowdown} in {FOUND:.0%} of gates."
        )
        return [known, assumed, _needed(ASSUMED, points)]
    spreads = [_spread(one) for one in groups]
    whole = [_whole(spread) for spread in spreads]
    known = f"Its runs differ by {percent(min(whole))} to {percent(max(whole))} (one sigma), {counted(count, 'visit')}."
    return [known, _told(side.name, spreads, count, points), _needed(max(spreads, key=_whole), points)]


def _told(name: str, spreads: Sequence[Spread], visits: int, points: int) -> str:
    """Say which slowdowns are found, from the steadiest point to the other end."""
    apart = [smallest(one, visits, points) for one in spreads]
    passes = [passing(one, visits) for one in spreads]
    at_once = max(smallest(one, visits, points, apart=False) for one in spreads)
    return (
        f"With it, groma gate {name} --over TIME finds a slowdown of {_range(apart)} in {FOUND:.0%} of gates (without "
        f"--over: up to {percent(at_once)}), and raises false alarms in at most {SIGNIFICANCE:.0%}; a point without a "
        f"change passes in {_range(passes)}."
    )


def _needed(spread: Spread, points: int) -> str:
    """Say how many runs would find `SOUGHT`."""
    if (needed := visits_for(spread, points)) is None:
        return f"No baseline of {_MOST} runs finds {SOUGHT:.0%} at every point; groma gate can measure both in turns."
    days, runs = needed
    options = f"--margin {SOUGHT_MARGIN:.0%}" + ("" if runs == _RUNS else f" --confirm {runs - 1}")
    return f"{days} runs of as many days would find {SOUGHT:.0%} at every point, with {options}."


def _whole(spread: Spread) -> float:
    """Return how much runs of different visits differ."""
    return math.hypot(spread.visits, spread.runs)


def _range(shares: Sequence[float]) -> str:
    low, high = percent(min(shares)), percent(max(shares))
    return low if low == high else f"{low} to {high}"


def _error(spread: Spread, visits: int, runs: int, *, apart: bool = True) -> float:
    whole = _whole(spread) ** 2
    return math.sqrt(whole / visits + (whole / runs if apart else spread.visits**2 + spread.runs**2 / runs))


def _spread(visits: Sequence[NDArray[np.float64]]) -> Spread:
    """Return the spread of one point by its runs' logarithms in each visit, by the analysis of variance."""
    found = components_of_rounds(visits, ())
    return Spread(found.runs or 0.0, found.launches or 0.0)


def _figures(side: Side) -> list[NDArray[np.float64]]:
    """Return the logarithm of every run's figure for every point, in the machine's most frequent state."""
    states = machine_states(side.readings_ns.ravel())
    usual = max(states, key=lambda one: int(one.holds(side.readings_ns).sum())) if len(states) > 1 else None
    return [side.sample(summary, usual).medians for summary in side.summaries]


def _visits(runs: Sequence[Run]) -> list[int]:
    """Return the number of each run's visit; without dates, all are of one."""
    try:
        starts = [dt.datetime.fromisoformat(run.meta.created).timestamp() for run in runs]
    except (ValueError, OverflowError):
        return [0] * len(runs)
    order = sorted(range(len(starts)), key=lambda at: starts[at])
    number, visits = 0, [0] * len(starts)
    for before, at in pairwise(order):
        number += starts[at] - starts[before] >= VISIT_S
        visits[at] = number
    return visits


def _by_visit(logs: NDArray[np.float64], visits: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return a point's runs by visit; each is its own if rounds stand for runs, or a run lacks the point."""
    if logs.size != len(visits):
        return [np.array([log]) for log in logs]
    return [logs[[at for at, own in enumerate(visits) if own == number]] for number in sorted(set(visits))]
