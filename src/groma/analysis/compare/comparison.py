"""Comparing the times of two things, by launch: the ratio, its interval and the test they both come from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groma.analysis.compare.exact import Apart, Paired, Shift
from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL, Interval
from groma.analysis.rows import median
from groma.analysis.summary import PointSummary


@dataclass(frozen=True)
class Comparison:
    """One time against another: `ratio` above 1 means that the first takes longer.

    `shift` holds natural logarithms, `other_ns` the median figure of the second. Too few values
    give neither interval nor p-value (`Shift.has_interval`).
    """

    shift: Shift
    other_ns: float

    @property
    def launches(self) -> int:
        """How many launches measured both; if none did, the launches of the one that has fewer."""
        return self.shift.launches

    @property
    def is_paired(self) -> bool:
        """True if the same launches measured both."""
        return isinstance(self.shift, Paired)

    @cached_property
    def ratio(self) -> float:
        """How many times as long the first takes (Hodges and Lehmann's estimate); NaN without figures."""
        return math.exp(self.shift.estimate)

    @cached_property
    def interval(self) -> Interval | None:
        """The 95 % interval of the ratio: those ratios that the test does not reject at 5 %."""
        return self.interval_at(CONFIDENCE)

    @cached_property
    def p(self) -> float | None:
        """The exact two-sided p-value of the two being as fast."""
        return self.shift.p() if self.shift.has_interval else None

    @property
    def difference_ns(self) -> float:
        """How much more the first takes at the second's median figure, in nanoseconds."""
        return (self.ratio - 1) * self.other_ns

    @property
    def difference_interval(self) -> Interval | None:
        """The 95 % interval of the difference, in nanoseconds: that of the ratio, at the second's median figure."""
        ends = self.interval
        return ends and Interval((ends.low - 1) * self.other_ns, (ends.high - 1) * self.other_ns)

    def interval_at(self, confidence: float) -> Interval | None:
        """Return the interval of the ratio at another confidence; None if there are too few values for it."""
        shifts = self.shift.interval(confidence) if self.shift.has_interval else None
        return shifts and Interval(math.exp(shifts.low), math.exp(shifts.high))


def compare(first: Mapping[int, float], second: Mapping[int, float], looks: int = 1) -> Comparison:
    """Compare two things by their figures in nanoseconds, each by the launch or round that it was measured in.

    In pairs where enough launches have both for an interval, or as many as either has; else as two samples. A figure
    that is not above zero has no ratio, and is left out. With several `looks` at figures that grow in number, intervals
    and p-values hold for all of them, and pairs alone are compared.
    """
    first, second = ({at: figure for at, figure in side.items() if figure > 0} for side in (first, second))
    common = sorted(first.keys() & second.keys())
    if looks > 1 or (common and len(common) >= min(MINIMUM_FOR_INTERVAL, len(first), len(second))):
        sides = [np.array([side[at] for at in common]) for side in (first, second)]
        return Comparison(Paired(np.log(sides[0]) - np.log(sides[1]), looks), _median(sides[1]))
    sides = [np.array(list(side.values())) for side in (first, second)]
    return Comparison(Apart(*map(np.log, sides)), _median(sides[1]))


def compare_points(first: PointSummary, second: PointSummary) -> Comparison:
    """Compare two points of a run that the same launches measured, or different ones."""
    return compare(by_round(first), by_round(second))


def by_round(point: PointSummary, round_length: int = 1) -> dict[int, float]:
    """Return the figure of each round of launches that measured a point, in nanoseconds.

    In a round every variant and number of ranks has one launch. These stand next to each other in time, so that what
    changes slowly on the machine cancels in their ratio.
    """
    rounds = (point.rows.launch_numbers - 1) // round_length
    return dict(zip(rounds.tolist(), point.launch_times_ns.tolist(), strict=True))


def _median(figures: NDArray[np.float64]) -> float:
    return median(figures) if figures.size else math.nan
