"""Peaks of a distribution of times, the share of the samples around each (the Altix paper, figure 11), and histograms.

A smooth density of the logarithm of the times (Gaussian kernel, Silverman's rule of thumb with the smaller of standard
deviation and interquartile range), its local maxima, and of these the ones that a valley separates from a higher one.

Launches give too few figures for a density: the widest gap between them decides whether they form two groups.

Bins of a histogram are equal on a logarithmic axis, and as wide as the rule of Freedman and Diaconis says ("On the
histogram as a density estimator: L2 theory", Zeitschrift für Wahrscheinlichkeitstheorie 57, 1981): 2 IQR n^(-1/3), here
of the logarithms. Where half of n times lie at each of two places, however near or far, n^(1/3) / 2 bins are between
them: two or more from 100 times on. Equal bins of the times themselves follow from the longest one in view: where some
calls take 100 ms, 16 of these put peaks at 1.8 and 4.1 ms into one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groma.analysis.rows import median

Values = NDArray[np.float64]

# With these, 200 samples of one, two or three lognormal peaks are separated in nine of ten cases or more; below 100
# samples chance makes peaks of its own.
FEWEST_SAMPLES = 100
DEEPEST_VALLEY = 0.5  # of the lower peak
NARROWER = 2 / 3  # than Silverman's width, which is that of a single peak
LEAST_SHARE = 0.05
TAIL = 0.01  # on either side, not searched: a single outlier is no peak
_CELLS = 512
RULE = "equal on a logarithmic axis, 2 IQR n^(-1/3) wide (Freedman and Diaconis 1981)"
MOST_BINS = 200

# Of normal figures with any spread, 3 % of sets of six and less than 1 % of sets of eight or more are divided by these;
# of figures that scatter by 1 % around two places 20 % apart, 78 % of sets of six and 93 % of eight (the rest have
# less than two on one side).
FEWEST_FIGURES = 6
FEWEST_IN_GROUP, LEAST_OF_GROUP = 2, 0.2
WIDEST_GAP = 1.5  # the gap is at least this multiple of the extents of both groups together
LEAST_GAP = 0.05  # of the figures: one median represents figures that are closer than this
_NEAR = 1 + LEAST_GAP * (1 - 1e-9)  # figures within this ratio have no such gap


@dataclass(frozen=True)
class Peak:
    """The position of a peak, in the unit of the values, and the share of all samples between the valleys around it."""

    at: float
    share: float


def peaks(values: ArrayLike) -> list[Peak]:
    """Return the peaks of positive values, the smallest first, in the unit of the values; none below 100 values."""
    times = np.sort(np.asarray(values, dtype=np.float64))
    times = times[times > 0]
    if times.size < FEWEST_SAMPLES:
        return []
    low, high = np.log(np.quantile(times, (TAIL, 1 - TAIL)))
    if high - low < 1e-9:
        return [Peak(median(times), 1.0)]
    grid, density = _density(np.log(times), float(low), float(high))
    tops = _separated(density)
    while True:
        cuts = [a + int(np.argmin(density[a : b + 1])) for a, b in itertools.pairwise(tops)]
        edges = np.exp(grid[cuts])
        counts = np.diff([0, *np.searchsorted(times, edges), times.size]) / times.size
        if len(tops) == 1 or counts.min() >= LEAST_SHARE:
            break
        del tops[int(np.argmin(counts))]
    return [Peak(float(np.exp(grid[top])), float(share)) for top, share in zip(tops, counts, strict=True)]


def two_groups(figures: ArrayLike) -> tuple[Peak, Peak] | None:
    """Return two groups of positive figures that a wide gap divides: median, in the unit of the figures, and share.

    None if no gap is wide enough, or there are too few figures.
    """
    values = np.sort(np.asarray(figures, dtype=np.float64))
    if values.size < FEWEST_FIGURES or values[0] <= 0 or values[-1] < _NEAR * values[0]:
        return None
    logs = np.log(values)
    least = max(FEWEST_IN_GROUP, int(np.ceil(LEAST_OF_GROUP * logs.size)))
    cut = least + int(np.argmax(np.diff(logs[least - 1 : logs.size - least + 1])))
    below, above = logs[:cut], logs[cut:]
    gap = above[0] - below[-1]
    if gap < max(np.log1p(LEAST_GAP), WIDEST_GAP * (np.ptp(below) + np.ptp(above))):
        return None
    low, high = (Peak(float(np.exp(median(group))), group.size / logs.size) for group in (below, above))
    return low, high


def in_words(found_peaks: list[Peak]) -> str:
    """Return peaks of times in nanoseconds as text: `1.2 µs 70%, 3.4 µs 30%`; empty if there are none."""
    return ", ".join(f"{float(f'{peak.at / 1e3:.4g}'):.12g} \N{MICRO SIGN}s {peak.share:.0%}" for peak in found_peaks)


def _density(logs: Values, low: float, high: float) -> tuple[Values, Values]:
    """Return a grid and the smooth density on it."""
    quartiles = np.quantile(logs, (0.25, 0.75))
    inner = logs[(logs >= low) & (logs <= high)]
    scales = [scale for scale in (float(inner.std()), float(quartiles[1] - quartiles[0]) / 1.349) if scale > 0]
    width = max(NARROWER * 0.9 * min(scales, default=high - low) * logs.size**-0.2, (high - low) / _CELLS)
    margin = 3 * width
    counts, edges = np.histogram(inner, _CELLS, (low - margin, high + margin))
    cell = edges[1] - edges[0]
    reach = np.arange(-int(4 * width / cell) - 1, int(4 * width / cell) + 2)
    smooth = np.convolve(counts, np.exp(-0.5 * (reach * cell / width) ** 2), mode="same")
    return (edges[:-1] + edges[1:]) / 2, smooth[:_CELLS]


def _separated(density: Values) -> list[int]:
    """Return the local maxima that a valley of at most DEEPEST_VALLEY separates from every higher one."""
    rising = np.diff(density) > 0
    tops = [int(top) + 1 for top in np.flatnonzero(rising[:-1] & ~rising[1:])] or [int(np.argmax(density))]
    while len(tops) > 1:
        pairs = list(itertools.pairwise(tops))
        depths = [density[a : b + 1].min() / min(density[a], density[b]) for a, b in pairs]
        shallow = int(np.argmax(depths))
        if depths[shallow] <= DEEPEST_VALLEY:
            break
        a, b = pairs[shallow]
        tops.remove(a if density[a] < density[b] else b)
    return tops


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
    steps = np.diff(np.sort(times))
    steps = steps[steps > 0]
    step = float(steps.min(initial=np.inf)) / median(times)
    by_rule = 2 * float(high - low) / math.cbrt(times.size)
    return max(by_rule, math.log1p(step) if math.isfinite(step) else 1.0)
