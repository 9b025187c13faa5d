"""Order statistics: medians, quantiles and the distribution-free interval of a median (docs/methods.md, Launches)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groma.analysis.distributions import binomial_at_most
from groma.analysis.rows import median
from groma.text.numbers import DIGITS, significant

CONFIDENCE = 0.95
MINIMUM_FOR_INTERVAL = 6


@dataclass(frozen=True)
class Interval:
    """Two bounds of a median, in the unit of the values."""

    low: float
    high: float

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def half_width(self, centre: float) -> float:
        """Half the width, relative to `centre`."""
        return (self.high - self.low) / 2 / centre

    def reach(self, centre: float) -> float:
        """How far the farther end is from `centre`, relative to it."""
        return max(self.high - centre, centre - self.low) / centre

    def text(self, digits: int = DIGITS, factor: float = 1.0) -> str:
        """Return both bounds in words, `0.95 to 1.05`, times a factor that changes their unit."""
        return f"{significant(self.low * factor, digits)} to {significant(self.high * factor, digits)}"


@lru_cache(maxsize=4096)
def median_ranks(n: int, confidence: float = CONFIDENCE) -> tuple[int, int] | None:
    """Return the ranks (1-based) of the order statistics that enclose the median of `n` independent values.

    l is the largest rank with P(Bin(n, 1/2) < l) <= (1 - confidence) / 2, and the interval is (l, n + 1 - l).
    None if even (1, n) is not wide enough: for 95% that is n < 6.
    """
    if n < 1:
        return None
    tail = (1 - confidence) / 2
    low = int(np.searchsorted(binomial_at_most(n, 0.5), tail, side="right"))  # P(Bin <= k) = P(Bin < k + 1)
    return (low, n + 1 - low) if low >= 1 else None


def median_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval | None:
    """Return the interval of the median of independent values; None if there are too few.

    Its ends lie between the order statistics of `median_ranks`, which cover more than `confidence` (10 values: 97.9 %),
    and the next ones inside, at the share by Hettmansperger and Sheather (1986) that makes the coverage `confidence`.
    """
    ends = median_intervals(np.sort(np.asarray(values, dtype=np.float64))[np.newaxis], confidence)
    return ends and Interval(*(float(end[0]) for end in ends))


def median_intervals(
    ordered: NDArray[np.float64], confidence: float = CONFIDENCE
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return the low and the high end of `median_interval` of each sorted row; None if rows have too few values."""
    count = ordered.shape[1]
    ranks = median_ranks(count, confidence)
    if ranks is None:
        return None
    low, inward = ranks[0], _inward_share(count, ranks[0], confidence)
    ends = (ordered[:, low - 1], ordered[:, low]), (ordered[:, -low], ordered[:, -low - 1])
    lows, highs = (outer + inward * (inner - outer) for outer, inner in ends)
    return lows, highs


@dataclass(frozen=True)
class Median:
    """A median over launches, and its 95 % interval if there are enough of them; in the unit of the values."""

    value: float
    interval: Interval | None

    @classmethod
    def of(cls, launches: Sequence[float]) -> Median:
        """Return the figure of one value a launch, of which there is at least one."""
        return cls(median(launches), median_interval(launches))


@lru_cache(maxsize=4096)
def _inward_share(n: int, low: int, confidence: float) -> float:
    """Return how far an end lies from the order statistic `low` towards the next, as a share of their distance."""
    outer, inner = 1 - 2 * binomial_at_most(n, 0.5)[low - 1 : low + 1]
    excess = (outer - confidence) / (outer - inner)
    return float((n - low) * excess / (low + (n - 2 * low) * excess))


def mean_ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Return ranks from 1, ties sharing their mean."""
    series = np.asarray(values, dtype=np.float64)
    order = series.argsort()
    ordered, own = series[order].tolist(), np.arange(1.0, series.size + 1)
    begin = 0
    for at in range(1, len(ordered) + 1):  # as fast as anything for as few values as a run has launches
        if at == len(ordered) or ordered[at] != ordered[begin]:
            if at - begin > 1:
                own[begin:at] = (begin + at + 1) / 2
            begin = at
    ranks = np.empty(series.size)
    ranks[order] = own
    return ranks
