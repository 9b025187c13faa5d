"""Reductions over the launches of points: functions of arrays of points x launches; NaN is unknown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from groma.columns.column import Over

Values = NDArray[np.float64]


def median(values: Values) -> Values:
    """Return the median of the values of each row that are known."""
    known = ~np.isnan(values)
    if known.all():
        return _middle(values)
    found = np.full(len(values), np.nan)
    counts = known.sum(axis=1)
    for count in np.unique(counts[counts > 0]).tolist():
        chosen = counts == count
        found[chosen] = _middle(values[chosen][known[chosen]].reshape(-1, count))
    return found


def median_of_all(values: Values) -> Values:
    """Return the median of each row; NaN where a value is not known."""
    return np.where(np.isnan(values).any(axis=1), np.nan, _middle(values))


def _middle(values: Values) -> Values:
    """Return the median of each row, as `rows.medians` does of sorted ones."""
    count = values.shape[1]
    ends = np.partition(values, [(count - 1) // 2, count // 2], axis=1)
    middle: Values = (ends[:, (count - 1) // 2] + ends[:, count // 2]) / 2
    return middle


def _known(values: Values, reduce: Callable[..., Values], beyond: float) -> Values:
    found = reduce(np.where(np.isnan(values), beyond, values), axis=1)
    return np.where(np.isnan(values).all(axis=1), np.nan, found)


REDUCED: dict[Over, Callable[[Values], Values]] = {
    "first": lambda values: values[:, 0],
    "total": lambda values: np.nansum(values, axis=1),
    "median": median,
    "median of all": median_of_all,
    "least": lambda values: _known(values, np.min, np.inf),
    "most": lambda values: _known(values, np.max, -np.inf),
    "all": lambda values: (np.nan_to_num(values) != 0).all(axis=1).astype(np.float64),
}
