"""Order statistics of many series of equal length at once: a row each, as times or their sorted values.

A campaign has up to a million series of a hundred samples: one call for each statistic and series would take minutes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]

# Negative correlation, which would narrow an interval, counts as zero; at 1 an interval would be infinite.
MOST_CORRELATION = 0.999
_BATCHES = 16
_SHORTEST_BATCH = 3
_STUDENT = 2.131  # 97.5% quantile for 15 degrees of freedom


def quantiles(ordered: Values, levels: Sequence[float]) -> Values:
    """Return quantiles of sorted rows (rows x levels) by linear interpolation.

    NaN stands where fewer than one value is expected beyond the level; those of 0, 0.5 and 1 are always there, except
    of no values.
    """
    count = ordered.shape[1]
    places = np.asarray(levels)
    if not count:
        return np.full((len(ordered), places.size), np.nan)
    beyond = count * np.minimum(places, 1 - places)
    scarce = (beyond < 1 - 1e-9) & ~np.isin(places, (0.0, 0.5, 1.0))
    at = places * (count - 1)
    below = np.floor(at).astype(np.int64)
    share = at - below
    lower, upper = ordered[:, below], ordered[:, np.minimum(below + 1, count - 1)]
    between = upper - lower  # from the nearer end, as numpy does
    values: Values = np.where(share < 0.5, lower + between * share, upper - between * (1 - share))
    values[:, scarce] = np.nan
    return values


def medians(ordered: Values) -> Values:
    """Return the median of each sorted row; NaN where a value is."""
    half = ordered.shape[1] // 2
    middle: Values = (ordered[:, -half - 1] + ordered[:, half]) / 2
    return np.where(np.isnan(ordered[:, -1]), np.nan, middle)


def unsorted_medians(values: Values) -> Values:
    """Return the median of each row; NaN where a value is. numpy's own imports masked arrays, which takes 16 ms."""
    return medians(np.sort(values, axis=1))


def known_medians(values: Values) -> Values:
    """Return the median of the values of each row that are known; NaN without any."""
    known = ~np.isnan(values)
    if known.all():
        return unsorted_medians(values)
    found = np.full(len(values), np.nan)
    counts = known.sum(axis=1)
    for count in {*counts[counts > 0].tolist()}:
        chosen = counts == count
        found[chosen] = unsorted_medians(values[chosen][known[chosen]].reshape(-1, count))
    return found


def median(values: ArrayLike) -> float:
    """Return the median of a series."""
    return float(unsorted_medians(np.asarray(values, dtype=np.float64)[np.newaxis])[0])


def relative_iqr(ordered: Values) -> Values:
    """Return the interquartile range over the median of sorted rows; NaN below four values, or without a median."""
    if ordered.shape[1] < 4:
        return np.full(len(ordered), np.nan)
    first, median, third = quantiles(ordered, (0.25, 0.5, 0.75)).T
    spread: Values = (third - first) / np.where(median > 0, median, np.nan)
    return spread


def mean_ranks(series: Values) -> Values:
    """Return the ranks of each row from 1, ties sharing their mean."""
    count = series.shape[1]
    order = np.argsort(series, axis=1)
    ordered = np.take_along_axis(series, order, axis=1)
    differs = ordered[:, 1:] != ordered[:, :-1]
    edge = np.ones((len(series), 1), dtype=np.bool_)
    places = np.arange(count)
    first = np.maximum.accumulate(np.where(np.hstack([edge, differs]), places, 0), axis=1)
    last = np.where(np.hstack([differs, edge]), places, count - 1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty_like(series)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def lag1_autocorrelation(series: Values) -> Values:
    """Return the lag-1 autocorrelation of the ranks of rows in time order; 0 if all are equal, or below three.

    Ranks, because a median keeps its meaning under any monotone change of unit and one outlier of a thousand medians
    hides every correlation of the plain values.
    """
    if series.shape[1] < 3:
        return np.zeros(len(series))
    centred = mean_ranks(series) - (series.shape[1] + 1) / 2
    power = np.einsum("ij,ij->i", centred, centred)
    lagged = np.einsum("ij,ij->i", centred[:, 1:], centred[:, :-1])
    shares: Values = np.divide(lagged, power, out=np.zeros(len(series)), where=power > 0)
    return shares


def variance_inflation(series: Values) -> Values:
    """Return how many times the variance of a row's median exceeds that of as many independent values, at least 1.

    The larger of (1 + rho) / (1 - rho), rho being the lag-1 autocorrelation of the ranks, and of what batches show:
    n times the variance of the share of values below the median, by batch means (Heidelberger and Lewis 1984). One lag
    alone does not see phases that last hundreds of values. The engine does the same.
    """
    rho = np.clip(lag1_autocorrelation(series), 0.0, MOST_CORRELATION)
    of_neighbours = (1 + rho) / (1 - rho)
    count = series.shape[1]
    width = count // _BATCHES
    if width < _SHORTEST_BATCH:
        return of_neighbours
    shares = (1 - np.sign(series - unsorted_medians(series)[:, np.newaxis])) / 2
    means = shares[:, count - width * _BATCHES :].reshape(len(series), _BATCHES, width).mean(axis=2)
    of_batches = means.var(axis=1, ddof=1) * width / 0.25 * (_STUDENT / 1.96) ** 2
    larger: Values = np.maximum(of_neighbours, of_batches)
    return larger


def serial_median_interval(ordered: Values, inflation: Values, ranks: tuple[int, int] | None) -> tuple[Values, Values]:
    """Return both ends of the interval of each sorted row's median; NaN if they lie beyond the smallest value.

    The `ranks` of independent values (`order.median_ranks`) are moved away from the middle by the root of `inflation`,
    which is the `variance_inflation` of the rows. The engine does the same (engine/groma/stopping/interval.cpp).
    """
    count = ordered.shape[1]
    low, high = np.full(len(ordered), np.nan), np.full(len(ordered), np.nan)
    if ranks is not None:
        middle = (count + 1) / 2
        place = np.floor(middle - (middle - ranks[0]) * np.sqrt(inflation)).astype(np.int64)
        known = np.flatnonzero(place >= 1)
        low[known], high[known] = ordered[known, place[known] - 1], ordered[known, count - place[known]]
    return low, high
