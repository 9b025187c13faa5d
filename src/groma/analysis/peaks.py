"""The peaks of a distribution of times, and the share of the samples around each (the Altix paper, figure 11).

A smooth density of the logarithm of the times (Gaussian kernel, Silverman's rule of thumb with the smaller of standard
deviation and interquartile range), its local maxima, and of these the ones that a valley separates from a higher one.

Launches give too few figures for a density: the widest gap between them decides whether they form two groups.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]

# With these, 200 samples of one, two or three lognormal peaks are separated in nine of ten cases or more; below 100
# samples chance makes peaks of its own.
FEWEST_SAMPLES = 100
DEEPEST_VALLEY = 0.5  # of the lower peak
NARROWER = 2 / 3  # than Silverman's width, which is that of a single peak
LEAST_SHARE = 0.05
TAIL = 0.01  # on either side, not searched: a single outlier is no peak
_CELLS = 512

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
        return [Peak(float(np.median(times)), 1.0)]
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
    low, high = (Peak(float(np.exp(np.median(group))), group.size / logs.size) for group in (below, above))
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
