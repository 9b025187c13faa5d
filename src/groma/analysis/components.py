"""Where a figure's spread comes from: samples in a launch, launches in a run, and runs (Kalibera and Jones 2013).

*Rigorous benchmarking in reasonable time* (ISMM 2013): figures vary at every level of repetition, and an interval holds
for what was repeated, no further. Launches of one run follow each other within minutes and are alike, so their interval
says what other launches of the same run would give. What another run would give needs other runs, or rounds of one run
that lie apart in time. All variances are those of logarithms, so that they are relative; they are estimated by moments,
from the top level down.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL, Interval, median_interval
from groma.analysis.student import student_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MINIMUM_RUNS = 3  # with two, Student's factor is 12.7: an interval that says nothing
_LEAST_SPARE = 3  # launches beyond one a round: with fewer, their variance is a guess
_NORMAL = 1.959964
_IQR_OF_NORMAL = 1.348980


@dataclass(frozen=True)
class Components:
    """Standard deviations of the logarithm of a figure; None where a level was not repeated often enough.

    `samples` is what the samples of a launch leave open of its figure, `launches` what comes on top from launch to
    launch, `runs` what comes on top from run to run. Where `rounds` of the run itself stand for runs, `runs` is what
    comes on top from round to round, with the launches' part where `launches` is None.
    """

    samples: float | None
    launches: float | None
    runs: float | None
    launches_each: int
    rounds: int = 1

    @property
    def largest(self) -> str:
        """Return the level that adds most to the uncertainty of the figure as it was measured, in the plural.

        A level's part is divided by how often it was repeated below and at it.
        """
        parts = {
            "samples": (self.samples or 0.0) / math.sqrt(max(1, self.launches_each)),
            "launches": (self.launches or 0.0) / math.sqrt(max(1, self.launches_each)),
            "runs": (self.runs or 0.0) / math.sqrt(self.rounds),
        }
        return max(parts, key=lambda level: parts[level])


def components(
    logs: NDArray[np.float64],
    sample_variances: Sequence[float],
    others: Sequence[NDArray[np.float64]] = (),
) -> Components:
    """Estimate the components from the logarithms of a run's launch figures, and of `others`, runs of the same plan.

    `sample_variances` are those of the launches' figures because of their samples; empty where they are not known.
    """
    own = float(np.median(list(sample_variances))) if len(sample_variances) else None
    total = _robust_variance(logs)
    launch = None if total is None else math.sqrt(max(0.0, total - (own or 0.0)))
    return Components(
        samples=None if own is None else math.sqrt(own),
        launches=launch,
        runs=run_deviation([logs, *others]),
        launches_each=int(logs.size),
    )


def components_of_rounds(rounds: Sequence[NDArray[np.float64]], sample_variances: Sequence[float]) -> Components:
    """Estimate the components of a run whose rounds lie apart in time, so that they stand for runs; two rounds or more.

    `rounds` holds the logarithms of each round's launch figures. It is the analysis of variance of one random effect
    with unequal groups (Searle, Casella and McCulloch, Variance Components, 1992, section 3.6). Where rounds have one
    launch each, the two cannot be separated: `launches` is None, and `runs` has both.
    """
    own = float(np.median(list(sample_variances))) if len(sample_variances) else None
    sizes, means = np.array([logs.size for logs in rounds]), np.array([logs.mean() for logs in rounds])
    launches, count = int(sizes.sum()), len(rounds)
    between = float(sizes @ (means - sizes @ means / launches) ** 2) / (count - 1)
    spare = launches - count
    squares = sum(float(((logs - logs.mean()) ** 2).sum()) for logs in rounds)
    within = squares / spare if spare >= _LEAST_SPARE else None
    each = (launches - float(sizes @ sizes) / launches) / (count - 1)
    below = (own or 0.0) if within is None else within
    return Components(
        samples=None if own is None else math.sqrt(own),
        launches=None if within is None else math.sqrt(max(0.0, within - (own or 0.0))),
        runs=math.sqrt(max(0.0, (between - below) / each)),
        launches_each=launches,
        rounds=count,
    )


def run_deviation(runs: Sequence[NDArray[np.float64]]) -> float | None:
    """Return the standard deviation from run to run that launches do not explain; None below `MINIMUM_RUNS` runs.

    It is the variance of the runs' medians less what their launches alone would make of it, and at least zero.
    """
    if len(runs) < MINIMUM_RUNS:
        return None
    medians = np.array([np.median(logs) for logs in runs])
    explained = [variance for variance in map(_variance_of_median, runs) if variance is not None]
    return math.sqrt(max(0.0, float(medians.var(ddof=1)) - (float(np.mean(explained)) if explained else 0.0)))


def next_run(runs: Sequence[NDArray[np.float64]]) -> Interval | None:
    """Return where another run's figure lies with 95 %, as logarithms; `runs` may be rounds that lie apart in time.

    None below `MINIMUM_RUNS` runs, and below six launches in all.
    Student's prediction interval over the runs' own figures: mean +- t(k - 1) s sqrt(1 + 1/k). It takes runs for
    exchangeable: a machine that changes for good is found by the first runs outside.
    """
    k = len(runs)
    if k < MINIMUM_RUNS or sum(logs.size for logs in runs) < MINIMUM_FOR_INTERVAL:
        return None
    medians = np.array([np.median(logs) for logs in runs])
    reach = student_quantile(k - 1, (1 + CONFIDENCE) / 2) * float(medians.std(ddof=1)) * math.sqrt(1 + 1 / k)
    return Interval(float(medians.mean()) - reach, float(medians.mean()) + reach)


def sample_variance(interval: Interval | None, figure: float) -> float | None:
    """Return the variance of a launch's logarithm that the interval over its samples stands for."""
    if interval is None or figure <= 0 or interval.low <= 0:
        return None
    return (math.log(interval.high / interval.low) / 2 / _NORMAL) ** 2


def _variance_of_median(logs: NDArray[np.float64]) -> float | None:
    """Return the variance of a run's figure that its launches explain, by the interval of their median."""
    interval = median_interval(logs)
    return None if interval is None else ((interval.high - interval.low) / 2 / _NORMAL) ** 2


def _robust_variance(logs: NDArray[np.float64]) -> float | None:
    """Return the variance by the interquartile range, which one disturbed launch does not move; None below four."""
    if logs.size < 4:
        return None
    first, third = np.quantile(logs, (0.25, 0.75))
    return ((float(third) - float(first)) / _IQR_OF_NORMAL) ** 2
