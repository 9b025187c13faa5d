"""From the samples of one launch to the figure reported for it (docs/methods.md), as functions of the samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from groma.analysis.rows import median
from groma.catalog.reporting import Reporting

Times = NDArray[np.float64]

PARTS = 10
TRIMMED_SHARE = 0.1
TUKEY_RANGES = 1.5


@dataclass(frozen=True)
class Estimate:
    """A figure in the unit of the samples, and how many of them the outlier rule discarded."""

    value: float
    dropped: int


def estimate(samples: ArrayLike, reporting: Reporting, *, blocks: bool = False) -> Estimate:
    """Return the figure of samples in time order; `blocks` says that each is the mean of a block of repetitions.

    Raises ValueError for no samples.
    """
    times = np.asarray(samples, dtype=np.float64)
    if not times.size:
        raise ValueError("no samples, no figure")
    kept = times[keeps(times, reporting)]
    level = reporting.level
    if level is not None:
        value = float(np.quantile(kept, level))
    elif reporting.estimator == "min_of_means" and not blocks:
        value = min_of_means(kept)
    else:
        value = float(_ESTIMATORS[reporting.estimator](kept))
    return Estimate(value, int(times.size - kept.size))


def keeps(times: Times, reporting: Reporting) -> NDArray[np.bool_]:
    """Return a mask of the shape of `times` that is true for the samples that the outlier rule keeps, at least one."""
    low, high = -np.inf, np.inf
    if reporting.outliers == "trim_quarters":
        ranks = np.argsort(np.argsort(times, kind="stable"), kind="stable")
        quarter = times.size // 4
        inner: NDArray[np.bool_] = (ranks >= quarter) & (ranks < times.size - quarter)
        return inner
    if reporting.outliers == "factor_of_mean":
        high = reporting.outlier_factor * times.mean()
    elif reporting.outliers == "tukey":
        first, third = np.quantile(times, (0.25, 0.75))
        reach = TUKEY_RANGES * (third - first)
        low, high = first - reach, third + reach
    within: NDArray[np.bool_] = (low <= times) & (times <= high)
    return within


def min_of_means(times: Times) -> float:
    """Return the smallest mean of ten consecutive parts of nearly equal size, in the unit of `times`.

    With fewer than ten samples, the parts are single samples.
    """
    return float(min(part.mean() for part in np.array_split(times, min(PARTS, times.size))))


def trimmed_mean(times: Times) -> float:
    """Return the mean without the lowest and the highest tenth of the samples, in the unit of `times`."""
    cut = int(times.size * TRIMMED_SHARE)
    return float(np.sort(times)[cut : times.size - cut].mean())


def half_sample_mode(times: Times) -> float:
    """Return the mode of the samples, in the unit of `times`: the half-sample mode of Robertson and Cryer.

    The shortest interval that holds half of the values is halved in the same way until two values are left (An
    iterative procedure for estimating the mode, Journal of the American Statistical Association, 1974).
    """
    values = np.sort(times)
    while values.size > 2:
        half = (values.size + 1) // 2
        first = int(np.argmin(values[half - 1 :] - values[: values.size - half + 1]))
        values = values[first : first + half]
    return float(values.mean())


_ESTIMATORS: dict[str, Callable[[Times], float]] = {
    "median": median,
    "mean": lambda times: float(np.mean(times)),
    "min": lambda times: float(np.min(times)),
    "min_of_means": lambda times: float(np.min(times)),
    "trimmed_mean": trimmed_mean,
    "mode": half_sample_mode,
}
