"""Comparing two points of one run; the unit is the launch, and most launches measured both (METHODS section 9).

The ratio and the difference are those of the medians of launch medians. Their intervals are bootstrapped in two
stages: launches are drawn anew, the same for both points, and in each launch the median of its samples is drawn from
its own bootstrap distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.stats import mannwhitneyu

from groma.analysis.order import CONFIDENCE, Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.analysis.launchpoint import LaunchPoint
    from groma.analysis.summary import PointSummary

Verdict = Literal["slower", "faster", "same", "inconclusive"]
RESAMPLES = 4000
TOLERANCE = 0.03  # as METHODS: within this two times count as the same
SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Comparison:
    """A point's time against another's: `ratio` above 1 means that the first takes longer.

    `p` is that of the two-sided exact Mann-Whitney test on launch medians; with fewer than two common launches there is
    neither interval nor `p`.
    """

    ratio: float
    ratio_interval: Interval | None
    difference_ns: float
    difference_interval: Interval | None
    p: float | None
    launches: int

    def verdict(self, p_adjusted: float | None) -> Verdict:
        """Return what can be said, with the p of this test corrected for all that were made."""
        interval = self.ratio_interval
        if interval is None or p_adjusted is None:
            return "inconclusive"
        if interval.low >= 1 - TOLERANCE and interval.high <= 1 + TOLERANCE:
            return "same"
        if p_adjusted < SIGNIFICANCE and interval.low > 1 + TOLERANCE:
            return "slower"
        if p_adjusted < SIGNIFICANCE and interval.high < 1 - TOLERANCE:
            return "faster"
        return "inconclusive"


def compare_points(
    one: PointSummary, other: PointSummary, seed: int = 0, work: tuple[float, float] = (1.0, 1.0)
) -> Comparison:
    """Compare two points, their times divided by `work`: over the launches that both have, else over those of each.

    Launches that measured both are drawn together, so that what disturbed both of them cancels.
    """
    sides = [list(point.launches) for point in (one, other)]
    common = {launch.launch for launch in sides[0]} & {launch.launch for launch in sides[1]}
    if len(common) > 1:
        sides = [sorted((launch for launch in side if launch.launch in common), key=_number) for side in sides]
    times = [np.array([launch.figure_ns for launch in side]) / amount for side, amount in zip(sides, work, strict=True)]
    medians = [float(np.median(side)) for side in times]
    ratio, difference = medians[0] / medians[1], medians[0] - medians[1]
    launches = min(map(len, sides))
    if launches < 2:
        return Comparison(ratio, None, difference, None, None, launches)
    random = np.random.default_rng(seed)
    together = random.integers(0, launches, (RESAMPLES, launches))
    drawn = []
    for side, amount in zip(sides, work, strict=True):
        chosen = together if len(common) > 1 else random.integers(0, len(side), (RESAMPLES, len(side)))
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


def adjusted(values: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected after Benjamini and Hochberg (1995), for screening; None stays None."""
    known = [at for at, p in enumerate(values) if p is not None]
    ordered = sorted(known, key=lambda at: values[at] or 0.0, reverse=True)
    found: list[float | None] = [None] * len(values)
    least = 1.0
    for rank, at in zip(range(len(ordered), 0, -1), ordered, strict=True):
        least = min(least, (values[at] or 0.0) * len(ordered) / rank)
        found[at] = least
    return found


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
