"""How the values of a point's launches become one: functions of arrays of points x launches, NaN being unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.analysis import rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from groma.columns.column import Over

    Values = NDArray[np.float64]


def median(values: Values) -> Values:
    """Return the median of the values of each row that are known."""
    ordered = np.sort(values, axis=1)  # NaN to the end
    known = (~np.isnan(ordered)).sum(axis=1, keepdims=True)
    if (known == values.shape[1]).all():
        return rows.medians(ordered)
    ends = (
        np.take_along_axis(ordered, np.maximum(at, 0), axis=1)[:, 0]
        for at in ((known - 1) // 2, known // 2 % values.shape[1])
    )
    low, high = ends
    return np.where(known[:, 0] > 0, (low + high) / 2, np.nan)


def median_of_all(values: Values) -> Values:
    """Return the median of each row; NaN if a value is not known."""
    ordered = np.sort(values, axis=1)
    return np.where(np.isnan(ordered[:, -1]), np.nan, rows.medians(ordered))


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
