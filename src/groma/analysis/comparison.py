"""Comparing two points of one run; the unit is the launch, and most launches measured both (METHODS section 9).

Where the same launches measured both, the ratio is the median over launches of the ratio within a launch, with that
median's interval, and the test is the signed-rank test: what slows a whole launch down cancels. Points of different
launches are compared by the ratio of their medians, its interval bootstrapped over launches and over the samples of
each, and by the Mann-Whitney test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL, Interval, median_interval
from groma.analysis.paired import SIGNIFICANCE, further_launches, signed_rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.analysis.launchpoint import LaunchPoint
    from groma.analysis.summary import PointSummary

Verdict = Literal["slower", "faster", "same", "not decided"]
RESAMPLES = 4000
TOLERANCE = 0.03  # as METHODS: within this two times count as the same


@dataclass(frozen=True)
class Comparison:
    """A point's time against another's: `ratio` above 1 means that the first takes longer.

    `p` is two-sided and exact. `log_ratios` are those of the launches that measured both, in natural logarithms; empty
    where no two did. Fewer than six launches give neither interval nor verdict.
    """

    ratio: float
    ratio_interval: Interval | None
    difference_ns: float
    difference_interval: Interval | None
    p: float | None
    launches: int
    log_ratios: tuple[float, ...] = ()

    def verdict(self, p_adjusted: float | None) -> Verdict:
        """Return what can be said, with the p of this test corrected for all that were made."""
        interval = self.ratio_interval
        if interval is None or p_adjusted is None:
            return "not decided"
        if interval.low >= 1 - TOLERANCE and interval.high <= 1 + TOLERANCE:
            return "same"
        if p_adjusted < SIGNIFICANCE and interval.low > 1 + TOLERANCE:
            return "slower"
        if p_adjusted < SIGNIFICANCE and interval.high < 1 - TOLERANCE:
            return "faster"
        return "not decided"

    def further_launches(self, comparisons: int) -> int:
        """Return about how many more launches would decide, where so many comparisons are made; 1 at least."""
        return further_launches(self.log_ratios or np.zeros(self.launches), float(np.log1p(TOLERANCE)), comparisons)


def compare_points(
    one: PointSummary, other: PointSummary, seed: int = 0, work: tuple[float, float] = (1.0, 1.0)
) -> Comparison:
    """Compare two points, their times divided by `work`: within launches that both have, else over those of each."""
    sides = [list(point.launches) for point in (one, other)]
    common = {launch.launch for launch in sides[0]} & {launch.launch for launch in sides[1]}
    if len(common) > 1:
        sides = [sorted((launch for launch in side if launch.launch in common), key=_number) for side in sides]
    times = [np.array([launch.figure_ns for launch in side]) / amount for side, amount in zip(sides, work, strict=True)]
    return _paired(*times) if len(common) > 1 else _apart(sides, times, seed, work)


def _paired(one: NDArray[np.float64], other: NDArray[np.float64]) -> Comparison:
    logs = np.log(one / other)
    ratios = median_interval(logs)
    return Comparison(
        ratio=float(np.exp(np.median(logs))),
        ratio_interval=None if ratios is None else Interval(float(np.exp(ratios.low)), float(np.exp(ratios.high))),
        difference_ns=float(np.median(one - other)),
        difference_interval=median_interval(one - other),
        p=signed_rank(logs),
        launches=logs.size,
        log_ratios=tuple(logs.tolist()),
    )


def _apart(
    sides: list[list[LaunchPoint]], times: list[NDArray[np.float64]], seed: int, work: tuple[float, float]
) -> Comparison:
    from scipy.stats import mannwhitneyu  # noqa: PLC0415 - takes a second to import

    medians = [float(np.median(side)) for side in times]
    ratio, difference = medians[0] / medians[1], medians[0] - medians[1]
    launches = min(map(len, sides))
    if launches < MINIMUM_FOR_INTERVAL:
        return Comparison(ratio, None, difference, None, None, launches)
    random = np.random.default_rng(seed)
    drawn = []
    for side, amount in zip(sides, work, strict=True):
        chosen = random.integers(0, len(side), (RESAMPLES, len(side)))
        drawn.append(np.median(np.take_along_axis(_figures_again(side, random), chosen, axis=1), axis=1) / amount)
    return Comparison(
        ratio=ratio,
        ratio_interval=_interval(drawn[0] / drawn[1]),
        difference_ns=difference,
        difference_interval=_interval(drawn[0] - drawn[1]),
        p=float(mannwhitneyu(times[0], times[1], alternative="two-sided", method="exact").pvalue),
        launches=launches,
    )


def _number(launch: LaunchPoint) -> int:
    return launch.launch


def _figures_again(launches: list[LaunchPoint], random: np.random.Generator) -> NDArray[np.float64]:
    """Return RESAMPLES figures of every launch, as an array of RESAMPLES x launches.

    The median of n draws from n samples is the sample at a place that is Beta((n+1)/2, (n+1)/2) distributed; n counts
    independent samples only, so that a slow drift within a launch widens the interval. A figure that is no median is
    kept as it is.
    """
    columns = []
    for launch in launches:
        n = max(1.0, launch.effective_samples)
        if launch.figure_ns == launch.median_ns and launch.times_ns.size > 1:
            places = random.beta((n + 1) / 2, (n + 1) / 2, RESAMPLES)
            columns.append(np.quantile(launch.times_ns, places))
        else:
            columns.append(np.full(RESAMPLES, launch.figure_ns))
    return np.array(columns).T


def _interval(values: NDArray[np.float64]) -> Interval:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, (tail, 1 - tail))
    return Interval(float(low), float(high))
