"""Separate runs of a plan, one against another: the unit is the run, since launches of one run are alike.

Launches of a run follow each other within minutes, and say nothing of how much runs differ (docs/adr/0015). So a
figure of each run counts, and Student's test compares them. The variance from run to run is pooled over all runs of
which it is known: those compared, and earlier runs of the same plans, whose own level does not matter. Rounds of one
run that lie apart in time stand for runs. A rank test would need six runs of each side for one significant comparison.

Runs that follow each other directly share what drifts from visit to visit, and their mean is known no better than that
drift. It is counted where enough runs that lie apart show it (docs/adr/0024).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from groma.analysis.compare.comparison import Comparison, compare
from groma.analysis.compare.exact import Shift
from groma.analysis.distributions import student_quantile, student_tail
from groma.analysis.order import CONFIDENCE, Interval, median_interval
from groma.analysis.rows import median

MINIMUM_FREEDOM = 2  # with one, Student's factor is 12.7: an interval that says nothing
DRIFT_FREEDOM = 4  # with fewer, how much visits differ is hardly known: a test of that alone finds next to nothing
# How much runs differ (1 sigma) beyond their launches, where no runs show it: a choice (docs/adr/0045).
RUN_DEVIATION = 0.02
_NORMAL = 1.959964

# What a comparison covers: other rounds of the same run, other runs, or these two runs alone.
Basis = Literal["rounds", "runs", "these runs"]


@dataclass(frozen=True)
class Sample:
    """A point on one side: the logarithms of its launch figures (ns) in every run or round that stands for one.

    `earlier` holds those of other runs of the same plan, by which the spread from run to run is known too, in groups
    between which the figure may have changed for good. `in_succession`: the units followed each other directly.
    """

    units: Sequence[NDArray[np.float64]]
    earlier: Sequence[Sequence[NDArray[np.float64]]] = ()
    in_succession: bool = False

    @property
    def logs(self) -> NDArray[np.float64]:
        """The logarithms of all launch figures of this side."""
        return np.concatenate(list(self.units)) if self.units else np.empty(0)

    @property
    def medians(self) -> NDArray[np.float64]:
        """The figure of every unit, as a logarithm."""
        return _medians(self.units)

    @property
    def explained(self) -> float:
        """The variance of a unit's figure that its launches explain, as of logarithms."""
        return _explained(self.units)

    @property
    def share_a_visit(self) -> bool:
        """True if several units have the drift from visit to visit in common."""
        return self.in_succession and len(self.units) > 1


class Between(Shift):
    """The shift between the mean figures of two groups of runs, by Student's test with a pooled variance.

    Where runs that lie apart have `DRIFT_FREEDOM` degrees of freedom, they alone show the variance, and the mean of
    runs in succession has all of its drift: only what these differ among themselves shrinks with their number. Else all
    runs count alike. With `one_group` all runs are of the same software, and what the sides differ by is spread too.

    Raises ValueError if fewer than `MINIMUM_FREEDOM` degrees of freedom are left.
    """

    unit = "run"

    def __init__(
        self,
        first: Sample,
        second: Sample,
        earlier: Sequence[Sequence[NDArray[np.float64]]] = (),
        *,
        one_group: bool = False,
    ) -> None:
        self._sides, self._earlier = (first, second), [group for group in earlier if len(group)]
        self.one_group = one_group
        others = [*(len(side.units) for side in self._sides), *map(len, self._earlier)]
        if sum(others) - (1 if one_group else len(others)) < MINIMUM_FREEDOM:
            raise ValueError("too few runs to know how much runs differ")
        apart, together = (
            [side.medians for side in self._sides if side.share_a_visit is shared] for shared in (False, True)
        )
        apart += map(_medians, self._earlier)
        self._knows_drift = _freedom(apart) >= DRIFT_FREEDOM
        groups = apart if self._knows_drift else [*apart, *together]
        groups = [np.concatenate(groups)] if one_group else groups
        self.freedom = _freedom(groups)
        self.launches = min(first.logs.size, second.logs.size)
        self._variance = max(_variance_within(groups), _explained([*first.units, *second.units]))

    @property
    def has_interval(self) -> bool:
        """True if there are enough values: the test asks for runs, and needs no number of launches of each."""
        return True

    @property
    def repeats(self) -> float:
        """How many runs each side has; of two numbers, their harmonic mean."""
        return 2 / sum(1 / count for count in self.counts)

    @property
    def counts(self) -> tuple[int, int]:
        """How many runs, or rounds that stand for runs, each side has."""
        return len(self._sides[0].units), len(self._sides[1].units)

    @property
    def figures(self) -> tuple[float, float]:
        """The mean figures of both sides, in the unit of the figures."""
        first, second = (math.exp(float(side.medians.mean())) for side in self._sides)
        return first, second

    @property
    def lacks_drift(self) -> bool:
        """True if runs of one visit are compared, and how much visits differ is not known."""
        return not self._knows_drift and any(side.share_a_visit for side in self._sides)

    @property
    def deviation(self) -> float:
        """The standard deviation of a run's figure, as a logarithm: from run to run, with what launches add."""
        return math.sqrt(self._variance)

    @cached_property
    def estimate(self) -> float:
        """The difference of the mean logarithms."""
        return float(self._sides[0].medians.mean() - self._sides[1].medians.mean())

    @property
    def steps(self) -> NDArray[np.float64]:
        """The estimate: p-values change everywhere."""
        return np.array([self.estimate])

    def p_above(self, shift: float) -> float:
        """Return the p-value of the true shift being `shift` or less, against its being larger."""
        away = self.estimate - shift
        if not self._error:
            return 0.0 if away > 0 else 1.0
        return float(student_tail(self.freedom, away / self._error))

    def interval(self, confidence: float) -> Interval | None:
        """Return the shifts that `p` does not reject at 1 - `confidence`."""
        reach = student_quantile(self.freedom, (1 + confidence) / 2) * self._error
        return Interval(self.estimate - reach, self.estimate + reach)

    def turned(self) -> Between:
        """Return the same with the sides exchanged."""
        return Between(self._sides[1], self._sides[0], self._earlier, one_group=self.one_group)

    @cached_property
    def _error(self) -> float:
        return math.sqrt(sum(map(self._variance_of_mean, self._sides)))

    def _variance_of_mean(self, side: Sample) -> float:
        """Return the variance of a side's mean: the drift of its visits, and what its runs add."""
        if not (self._knows_drift and side.share_a_visit):
            return self._variance / len(side.units)
        own = max(_variance_within([side.medians]), side.explained)
        return max(self._variance - own, 0.0) + own / len(side.units)


class Mean(Shift):
    """The mean figure of several runs of one side, by Student's test: where it lies, and not a shift between two."""

    unit = "run"

    def __init__(self, sample: Sample) -> None:
        self._sample = sample
        self.launches = sample.logs.size
        variance = max(_variance_within([sample.medians]), sample.explained)
        self._error = math.sqrt(variance / len(sample.units))

    @property
    def has_interval(self) -> bool:
        """True if there are enough runs."""
        return len(self._sample.units) > MINIMUM_FREEDOM

    @property
    def repeats(self) -> float:
        """How many runs there are."""
        return len(self._sample.units)

    @property
    def steps(self) -> NDArray[np.float64]:
        """The mean: p-values change everywhere."""
        return np.array([self._sample.medians.mean()])

    def p_above(self, shift: float) -> float:
        """Return the p-value of the true mean being `shift` or less, against its being larger."""
        away = float(self.steps[0]) - shift
        if not self._error:
            return 0.0 if away > 0 else 1.0
        return float(student_tail(len(self._sample.units) - 1, away / self._error))

    def interval(self, confidence: float) -> Interval | None:
        """Return the means that `p` does not reject at 1 - `confidence`."""
        reach = student_quantile(len(self._sample.units) - 1, (1 + confidence) / 2) * self._error
        return Interval(self.estimate - reach, self.estimate + reach)

    def turned(self) -> Mean:
        """Return the mean of the inverse figures."""
        return Mean(Sample([-logs for logs in self._sample.units]))


def compare_runs(
    first: Sample, second: Sample, *, one_history: bool = False, same_software: bool = False
) -> tuple[Comparison, Basis]:
    """Compare a point of separate runs; `one_history` says that both sides' earlier runs are the same runs.

    Where the spread from run to run is not known (fewer than two degrees of freedom), but the same software measured
    both sides, what they differ by counts as spread too. With fewer than three such runs, and with others, launches are
    compared as two samples, and what is found holds for these runs alone.
    """
    earlier = first.earlier if one_history else [*first.earlier, *second.earlier]
    figure_ns = median(np.exp(second.logs)) if second.logs.size else math.nan
    for one_group in (False, True) if same_software else (False,):
        with suppress(ValueError):
            return Comparison(Between(first, second, earlier, one_group=one_group), figure_ns), "runs"
    first_figures = dict(enumerate(np.exp(first.logs).tolist()))
    # No launch measured both: their numbers must not meet.
    second_figures = dict(enumerate(np.exp(second.logs).tolist(), start=len(first_figures)))
    return compare(first_figures, second_figures), "these runs"


@dataclass(frozen=True)
class AnotherRun:
    """How far another run's figure lies from this run's with 95 %, as a logarithm, and how much runs differ (1 sigma).

    `runs` is the number of runs by which that is known; 0 if it is a default.
    """

    reach: float
    deviation: float
    runs: int


def another_run(
    own: NDArray[np.float64],
    others: Sequence[Sequence[NDArray[np.float64]]] = (),
    default: float = RUN_DEVIATION,
) -> AnotherRun:
    """Predict another run's figure from this run's, both in one state of the machine.

    `own` are the logarithms of the run's launch figures, `others` those of other runs, in groups between which the
    figure changed for good. Two runs differ with twice the variance of one. If other runs have `MINIMUM_FREEDOM`
    degrees of freedom, or have them with this run, they show it, and the interval is no narrower than what launches
    explain; else it is what this run's launches explain and the square of `default`, a standard deviation.
    """
    units = [own, *(logs for runs in others for logs in runs)]
    groups = [_medians(runs) for runs in others]
    if groups and _freedom(groups) < MINIMUM_FREEDOM:
        groups[-1] = np.append(groups[-1], _medians([own]))
    freedom = _freedom(groups)
    if freedom < MINIMUM_FREEDOM:
        deviation = math.sqrt(default**2 + _explained([own]))
        return AnotherRun(_NORMAL * math.sqrt(2) * deviation, default, 0)
    deviation = math.sqrt(_variance_within(groups))
    student = student_quantile(freedom, (1 + CONFIDENCE) / 2)
    reach = math.sqrt(2) * max(student * deviation, _NORMAL * math.sqrt(_explained(units)))
    return AnotherRun(reach, deviation, len(units))


def _freedom(groups: Sequence[NDArray[np.float64]]) -> int:
    return sum(group.size - 1 for group in groups)


def _variance_within(groups: Sequence[NDArray[np.float64]]) -> float:
    """Return the variance of values around the means of their groups."""
    return sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / _freedom(groups)


def _medians(units: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return the logarithm of the median figure of every unit: `groma show` prints that figure."""
    return np.array([math.log(median(np.exp(logs))) for logs in units])


def _explained(units: Sequence[NDArray[np.float64]]) -> float:
    """Return the variance of a run's figure that its launches explain: runs differ by no less."""
    variances = [_variance_of_median(logs) for logs in units if logs.size > 1]
    return float(np.mean(variances)) if variances else 0.0


def _variance_of_median(logs: NDArray[np.float64]) -> float:
    """Return the variance of a median by its interval; of too few values, as if they were normally distributed."""
    interval = median_interval(logs)
    if interval is None:
        return math.pi / 2 * float(logs.var(ddof=1)) / logs.size
    return ((interval.high - interval.low) / 2 / _NORMAL) ** 2
