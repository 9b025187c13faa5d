"""Tests of figures that were measured in the same launches (METHODS section 9).

What slows a whole launch down slows all points of it: a ratio within a launch is free of that, and unpaired tests are
not. All tests here are exact or permute within launches; none assumes a distribution of the launches' own disturbance.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.order import mean_ranks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

SIGNIFICANCE = 0.05
PERMUTATIONS = 1999
_CHUNK = 500


def signed_rank(differences: ArrayLike) -> float:
    """Return the two-sided p-value of Wilcoxon's exact signed-rank test (1945); 1 where all differences are zero.

    It is the share of all 2^n choices of signs whose positive ranks add up to a sum as far from its mean. Zeros are
    left out and ties share their rank, with which the test stays exact.
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[values != 0]
    if not values.size:
        return 1.0
    ranks = np.rint(2 * mean_ranks(np.abs(values))).astype(int)  # twice, so that shared ranks are whole
    counts = _sums(tuple(np.sort(ranks).tolist()))
    centre = ranks.sum() / 2
    far = abs(int(ranks[values > 0].sum()) - centre)
    return float(counts[np.abs(np.arange(counts.size) - centre) >= far].sum() / counts.sum())


def signed_ranks(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p-value of every row, as `signed_rank` where a row has neither ties nor zeros; ties rank as they come.

    For resampling: thousands of rows at once.
    """
    n = rows.shape[-1]
    ranks = np.abs(rows).argsort(axis=-1).argsort(axis=-1) + 1
    positive = np.where(rows > 0, ranks, 0).sum(axis=-1)
    counts = _sums(tuple(range(1, n + 1)))
    beyond = np.cumsum(counts[::-1])[::-1] / counts.sum()
    most = n * (n + 1) // 2
    p: NDArray[np.float64] = np.minimum(1.0, 2 * beyond[np.maximum(positive, most - positive)])
    return p


def means_below_interval(count: int, confidence: float) -> int:
    """Return how many ordered pairwise means of `count` values lie below the interval of their centre by that test."""
    counts = _sums(tuple(range(1, count + 1)))
    return int(np.searchsorted(np.cumsum(counts) / counts.sum(), (1 - confidence) / 2, side="right")) - 1


@lru_cache(maxsize=256)
def _sums(ranks: tuple[int, ...]) -> NDArray[np.float64]:
    """Return how many choices of the ranks have each sum."""
    counts = np.zeros(sum(ranks) + 1)
    counts[0] = 1
    for rank in ranks:
        counts[rank:] += counts[: counts.size - rank].copy()
    return counts


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Return p-values corrected after Holm (1979), in the order given; None stays None and counts for nothing."""
    known = [at for at, p in enumerate(values) if p is not None]
    found: list[float | None] = [None] * len(values)
    largest = 0.0
    for place, at in enumerate(sorted(known, key=lambda at: values[at] or 0.0)):
        largest = max(largest, min(1.0, (values[at] or 0.0) * (len(known) - place)))
        found[at] = largest
    return found


def against_best(logs: NDArray[np.float64], seed: int = 0) -> NDArray[np.float64]:
    """Return for every way the p-value of being slower than the apparent best, corrected for all ways.

    `logs` holds logarithms of figures as launches x ways. The best is the way with the smallest median, so it is chosen
    by the data that test it: the null distribution repeats that choice. In each of `PERMUTATIONS` the residuals of the
    ways (their logarithms less their mean) change places within every launch, and the largest paired t statistic
    against the best of the permuted ways is noted (Westfall and Young, Resampling-Based Multiple Testing, 1993).
    """
    seen = _slowness(logs)
    residuals = logs - logs.mean(axis=0)
    random = np.random.default_rng(seed)
    beyond = np.zeros(seen.size)
    for start in range(0, PERMUTATIONS, _CHUNK):
        order = random.random((min(_CHUNK, PERMUTATIONS - start), *logs.shape)).argsort(axis=-1)
        mixed = np.take_along_axis(np.broadcast_to(residuals, order.shape), order, axis=-1)
        largest = _slowness(mixed).max(axis=-1)
        beyond += (largest[:, None] >= seen * (1 - 1e-9)).sum(axis=0)
    p: NDArray[np.float64] = (1 + beyond) / (1 + PERMUTATIONS)
    return np.where(seen > 0, p, 1.0)


def _slowness(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return every way's paired t statistic against the way with the smallest median; 0 where it is not slower."""
    best = np.median(logs, axis=-2).argmin(axis=-1)
    differences = logs - np.take_along_axis(logs, best[..., None, None], axis=-1)
    mean = differences.mean(axis=-2)
    error = differences.std(axis=-2, ddof=1) / math.sqrt(logs.shape[-2])
    slow: NDArray[np.float64] = np.where(mean > 0, mean / np.maximum(error, np.finfo(np.float64).tiny ** 0.5), 0.0)
    return slow


def fewest_launches(comparisons: int) -> int:
    """Return how many launches the signed-rank test needs before one of so many comparisons can be significant.

    With n launches its smallest p-value is 2^(1 - n), which Holm's correction multiplies by their number.
    """
    return 1 + math.ceil(math.log2(max(1, comparisons) / SIGNIFICANCE))


def further_launches(logs: ArrayLike, margin: float, comparisons: int = 1) -> int:
    """Return about how many more launches would decide whether logarithms of ratios lie within +-`margin` of 0.

    An interval shrinks with the square root of the launches; it has to leave the nearer of the two borders out. Half
    as far as the margin is the least distance counted on: nearer to a border, no number of launches is worth naming.
    """
    values = np.asarray(logs, dtype=np.float64)
    needed = fewest_launches(comparisons)
    if values.size > 1:
        quartiles = np.quantile(values, (0.25, 0.75))
        spread = max(float(quartiles[1] - quartiles[0]) / 1.349, float(values.std(ddof=1)) / 2)
        distance = max(abs(abs(float(np.median(values))) - margin), margin / 2)
        # 1.2533: a median's standard error over that of a mean; 1.96: 95 %
        needed = max(needed, math.ceil((1.96 * 1.2533 * spread / distance) ** 2))
    return max(1, needed - values.size)
