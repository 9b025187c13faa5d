"""Histograms of times in bins that show peaks: equal on a logarithmic axis, as wide as a published rule says.

Freedman and Diaconis, "On the histogram as a density estimator: L2 theory", Zeitschrift für Wahrscheinlichkeitstheorie
57 (1981): 2 IQR n^(-1/3), here of the logarithms. Where half of n times lie at each of two places, however near or far,
n^(1/3) / 2 bins are between them: two or more from 100 times on. Equal bins of the times themselves follow from the
longest one in view: where some calls take 100 ms, 16 of these put peaks at 1.8 and 4.1 ms into one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groma.analysis.peaks import TAIL, Peak, peaks

RULE = "equal on a logarithmic axis, 2 IQR n^(-1/3) wide (Freedman and Diaconis 1981)"
MOST_BINS = 200


@dataclass(frozen=True, eq=False)
class Histogram:
    """Times in bins, in the unit of the times: `counts[i]` from `edges[i]` to `edges[i + 1]`, `slower` beyond the last.

    The slowest 1 % have no bins: they are single calls far from each other. `peaks` come from the density of the times,
    not from these bins.
    """

    edges: NDArray[np.float64]
    counts: NDArray[np.int64]
    slower: int
    peaks: list[Peak]

    def rows(self, largest: float) -> Iterator[tuple[float, float, int, float]]:
        """Yield lower edge, upper edge, count, and the share of all times up to the upper edge.

        Empty bins that follow each other are one row; the last row has what is beyond the bins, up to the `largest`.
        """
        total, upto = int(self.counts.sum()) + self.slower, 0
        bins = zip(self.edges[:-1].tolist(), self.edges[1:].tolist(), self.counts.tolist(), strict=True)
        for empty, group in itertools.groupby(bins, lambda cell: cell[2] == 0):
            neighbours = list(group)
            for low, high, count in [(neighbours[0][0], neighbours[-1][1], 0)] if empty else neighbours:
                upto += count
                yield low, high, count, upto / total
        if self.slower:
            yield float(self.edges[-1]), largest, self.slower, 1.0


def histogram(values: ArrayLike) -> Histogram:
    """Return the histogram of at least one time, with edges in the unit of `values`, whose shape does not matter.

    A time of 0 counts as the shortest of the others: the bins are equal on a logarithmic axis.
    """
    times = np.sort(np.asarray(values, dtype=np.float64))
    times = np.maximum(times, times[times > 0].min(initial=times[-1] or 1.0))
    low = float(times[0])
    high = max(float(np.quantile(times, 1 - TAIL)), low * (1 + 1e-6))
    count = int(np.clip(np.ceil(np.log(high / low) / _width(times)), 1, MOST_BINS))
    edges = np.exp(np.linspace(np.log(low), np.log(high), count + 1))
    edges[0], edges[-1] = low, high
    counts = np.histogram(times, edges)[0]
    return Histogram(edges, counts, int(times.size - counts.sum()), peaks(times))


def _width(times: NDArray[np.float64]) -> float:
    """Return the width of a bin on the axis of logarithms: by the rule, and no less than a step of the clock."""
    low, high = np.log(np.quantile(times, (0.25, 0.75)))
    steps = np.diff(np.unique(times))
    step = float(steps.min(initial=np.inf)) / float(np.median(times))
    by_rule = 2 * float(high - low) / math.cbrt(times.size)
    return max(by_rule, math.log1p(step) if math.isfinite(step) else 1.0)
