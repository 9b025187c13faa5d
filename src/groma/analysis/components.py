"""Where a figure's spread comes from: samples in a launch, launches in a run, and runs (Kalibera and Jones 2013).

*Rigorous benchmarking in reasonable time* (ISMM 2013): figures vary at every level of repetition, and an interval is
valid only for the levels that were repeated. Launches of one run follow each other within minutes, so their interval
says what other launches of the same run would give. To predict another run takes other runs, or rounds of one run that
lie apart in time. All variances are those of logarithms, so that they are relative; they are estimated by moments, from
the top level down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groma.analysis import rows
from groma.analysis.distributions import student_quantile
from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL, Interval, median_interval
from groma.analysis.rows import median

MINIMUM_RUNS = 3  # with two, Student's factor is 12.7: the interval is too wide to be useful
_LEAST_SPARE = 3  # launches beyond one per round; with fewer, the estimate of their variance is poor
_FEWEST_FOR_SPREAD = 4
_NORMAL = 1.959964
_IQR_OF_NORMAL = 1.348980


@dataclass(frozen=True)
class Components:
    """Standard deviations of the logarithm of a figure; None if a level was not repeated often enough.

    `samples` is the uncertainty of a launch's figure because of its samples, `launches` the additional deviation
    between launches, `runs` that between runs. Where `rounds` of the run itself take the place of runs, `runs` is the
    additional deviation between rounds; it includes that between launches if `launches` is None.
    """

    samples: float | None
    launches: float | None
    runs: float | None
    launches_each: int
    rounds: int = 1

    @property
    def largest(self) -> str:
        """Return the level that adds most to the uncertainty of the figure as it was measured, in the plural.

        A deviation is divided by the root of the number of launches, that of runs by the root of the number of rounds.
        """
        parts = {
            "samples": (self.samples or 0.0) / math.sqrt(max(1, self.launches_each)),
            "launches": (self.launches or 0.0) / math.sqrt(max(1, self.launches_each)),
            "runs": (self.runs or 0.0) / math.sqrt(self.rounds),
        }
        return max(parts, key=lambda level: parts[level])


def components(
    logs: NDArray[np.float64],
    sample_variances: Sequence[float] | NDArray[np.float64],
    others: Sequence[NDArray[np.float64]] = (),
) -> Components:
    """Estimate the components from the logarithms of a run's launch figures, and of `others`, runs of the same plan.

    `sample_variances` are those of the launches' figures because of their samples; empty if they are not known.
    """
    of_samples = median(sample_variances) if len(sample_variances) else None
    total = _robust_variance(logs)
    launch = None if total is None else math.sqrt(max(0.0, total - (of_samples or 0.0)))
    return Components(
        samples=None if of_samples is None else math.sqrt(of_samples),
        launches=launch,
        runs=run_deviation([logs, *others]),
        launches_each=int(logs.size),
    )


def components_of_rows(logs: NDArray[np.float64], sample_variances: NDArray[np.float64]) -> list[Components]:
    """Return `components` of many points without other runs, from their launches (both points x launches)."""
    launches = logs.shape[1]
    of_samples = rows.medians(np.sort(sample_variances, axis=1)).tolist()
    totals: list[float | None] = [None] * len(logs)
    if launches >= _FEWEST_FOR_SPREAD:
        quartiles = rows.quantiles(np.sort(logs, axis=1), (0.25, 0.75)).tolist()
        totals = [_variance_of_quartiles(first, third) for first, third in quartiles]
    return [
        Components(
            samples=math.sqrt(variance),
            launches=None if total is None else math.sqrt(max(0.0, total - variance)),
            runs=None,
            launches_each=launches,
        )
        for variance, total in zip(of_samples, totals, strict=True)
    ]


def components_of_rounds(
    rounds: Sequence[NDArray[np.float64]], sample_variances: Sequence[float] | NDArray[np.float64]
) -> Components:
    """Estimate the components of a run from two or more rounds that lie apart in time and take the place of runs.

    `rounds` holds the logarithms of each round's launch figures. It is the analysis of variance of one random effect
    with unequal groups (Searle, Casella and McCulloch, Variance Components, 1992, section 3.6). Where rounds have one
    launch each, the two cannot be separated: `launches` is None, and `runs` has both.
    """
    of_samples = median(sample_variances) if len(sample_variances) else None
    sizes, means = np.array([logs.size for logs in rounds]), np.array([logs.mean() for logs in rounds])
    launches, count = int(sizes.sum()), len(rounds)
    between = float(sizes @ (means - sizes @ means / launches) ** 2) / (count - 1)
    spare = launches - count
    squares = sum(float(((logs - logs.mean()) ** 2).sum()) for logs in rounds)
    within = squares / spare if spare >= _LEAST_SPARE else None
    each = (launches - float(sizes @ sizes) / launches) / (count - 1)
    below = (of_samples or 0.0) if within is None else within
    return Components(
        samples=None if of_samples is None else math.sqrt(of_samples),
        launches=None if within is None else math.sqrt(max(0.0, within - (of_samples or 0.0))),
        runs=math.sqrt(max(0.0, (between - below) / each)),
        launches_each=launches,
        rounds=count,
    )


def run_deviation(runs: Sequence[NDArray[np.float64]]) -> float | None:
    """Return the standard deviation from run to run that launches do not explain; None below `MINIMUM_RUNS` runs.

    `runs` has for each run the logarithms of its launches' figures, and the result is a logarithm too. Its square is
    the variance of the runs' medians less the part that their launches explain, and at least zero.
    """
    if len(runs) < MINIMUM_RUNS:
        return None
    medians = np.array([median(logs) for logs in runs])
    explained = [variance for variance in map(_variance_of_median, runs) if variance is not None]
    return math.sqrt(max(0.0, float(medians.var(ddof=1)) - (float(np.mean(explained)) if explained else 0.0)))


def next_run(runs: Sequence[NDArray[np.float64]]) -> Interval | None:
    """Return where another run's figure lies with 95 %, as logarithms; `runs` may be rounds that lie apart in time.

    None below `MINIMUM_RUNS` runs, and below six launches in all.
    Student's prediction interval over the runs' own figures: mean +- t(k - 1) s sqrt(1 + 1/k). It assumes exchangeable
    runs: after a permanent change of the machine, the first new runs lie outside.
    """
    k = len(runs)
    if k < MINIMUM_RUNS or sum(logs.size for logs in runs) < MINIMUM_FOR_INTERVAL:
        return None
    medians = np.array([median(logs) for logs in runs])
    reach = student_quantile(k - 1, (1 + CONFIDENCE) / 2) * float(medians.std(ddof=1)) * math.sqrt(1 + 1 / k)
    return Interval(float(medians.mean()) - reach, float(medians.mean()) + reach)


def sample_variance(interval: Interval | None, figure: float) -> float | None:
    """Return the variance of a launch's logarithm that the interval over its samples stands for."""
    if interval is None or figure <= 0 or interval.low <= 0:
        return None
    return float(variances_of_intervals(np.array([interval.low]), np.array([interval.high]))[0])


def variances_of_intervals(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the same for the ends of many intervals, all above zero."""
    deviations: NDArray[np.float64] = np.log(high / low) / 2 / _NORMAL
    return deviations**2


def _variance_of_median(logs: NDArray[np.float64]) -> float | None:
    """Return the variance of a run's figure that its launches explain, by the interval of their median."""
    interval = median_interval(logs)
    return None if interval is None else ((interval.high - interval.low) / 2 / _NORMAL) ** 2


def _robust_variance(logs: NDArray[np.float64]) -> float | None:
    """Return the variance by the interquartile range, which one disturbed launch does not move; None below four."""
    if logs.size < _FEWEST_FOR_SPREAD:
        return None
    first, third = rows.quantiles(np.sort(logs)[np.newaxis], (0.25, 0.75))[0]
    return _variance_of_quartiles(float(first), float(third))


def _variance_of_quartiles(first: float, third: float) -> float:
    return ((third - first) / _IQR_OF_NORMAL) ** 2
