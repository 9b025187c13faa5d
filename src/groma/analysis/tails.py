"""Slow calls: their effect on the mean, with its uncertainty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from groma.analysis.order import Interval, median_interval
from groma.analysis.runtable import Rows, derived
from groma.analysis.summary import PointSummary

Values = NDArray[np.float64]

# A tail is reported if it certainly moves the mean by this factor.
MEAN_OVER_MEDIAN_LIMIT = 1.2
_DEVIATIONS = 1.96  # of a 95 % interval


def has_tail(point: PointSummary) -> bool:
    """Return whether slow calls certainly move the mean away from the median."""
    longer = _longer_means(point.rows)
    if 2 * int(longer.sum()) < longer.size:
        return False
    interval = mean_over_median_interval(point.rows)
    return interval is not None and interval.low > MEAN_OVER_MEDIAN_LIMIT


@derived
def _longer_means(rows: Rows) -> NDArray[np.bool_]:
    return rows["tail_mean_ns"] > MEAN_OVER_MEDIAN_LIMIT * rows["tail_median_ns"]


def mean_over_median_interval(rows: Rows) -> Interval | None:
    """Return between which bounds the mean over the median lies; None if it is not known.

    Over launches: the interval of the median, or the range of fewer. A single launch has as many chances to be wrong
    as it has slow calls: their number is as uncertain as that of rare events is.
    """
    ratios = rows["mean_over_median"]
    ratios = ratios[~np.isnan(ratios)]
    if ratios.size > 1:
        return median_interval(ratios) or Interval(float(ratios.min()), float(ratios.max()))
    if not ratios.size:
        return None
    known = ~np.isnan(rows["tail_mean_ns"])
    slow_calls = float((rows["slow_share"] * rows["tail_values"])[known][0])
    excess = float(ratios[0]) - 1
    off = excess * min(1.0, _DEVIATIONS / np.sqrt(slow_calls)) if slow_calls else excess
    return Interval(1 + excess - off, 1 + excess + off)


def in_blocks(point: PointSummary) -> bool:
    """Return whether a sample of the point is the mean over several calls."""
    return bool((point.rows["repetitions_per_sample"] > 1).any())
