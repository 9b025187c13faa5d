"""Statistics of one series, by those of many rows at once (`groma.analysis.rows`)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groma.analysis import rows
from groma.analysis.order import CONFIDENCE, Interval, median_ranks


def serial_median_interval(values: ArrayLike, confidence: float = CONFIDENCE) -> Interval | None:
    """Return the interval of the median of values in time order; None if it reaches beyond the smallest value."""
    series = _row(values)
    ranks = median_ranks(series.size, confidence)
    low, high = rows.serial_median_interval(np.sort(series), rows.variance_inflation(series), ranks)
    return None if np.isnan(low[0]) else Interval(float(low[0]), float(high[0]))


def lag1_autocorrelation(values: ArrayLike) -> float:
    """Return the lag-1 autocorrelation of the ranks of values in time order; 0 if all are equal."""
    return float(rows.lag1_autocorrelation(_row(values))[0])


def effective_size(values: ArrayLike) -> float:
    """Return the effective number of independent values, at most as many as there are."""
    series = _row(values)
    return series.size / float(rows.variance_inflation(series)[0])


def quantiles(values: ArrayLike, levels: tuple[float, ...]) -> NDArray[np.float64]:
    """Return the quantiles of values at levels; NaN where fewer than one value is expected beyond the level."""
    found: NDArray[np.float64] = rows.quantiles(np.sort(_row(values)), levels)[0]
    return found


def relative_iqr(values: ArrayLike) -> float | None:
    """Return the interquartile range over the median; None below four values."""
    spread = float(rows.relative_iqr(np.sort(_row(values)))[0])
    return None if math.isnan(spread) else spread


def _row(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)[np.newaxis]
