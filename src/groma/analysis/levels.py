"""Between which levels the samples of one launch went, from what the engine found in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.results.records import Point

_SHORT_SHARE = 0.1  # levels that take up this share of the samples or less are interruptions


def level_range_ns(record: Point) -> tuple[float, float]:
    """Return the fastest and the slowest level, as times of one figure; NaN where the engine did not judge the samples.

    The levels of a series that has a steady part are its segments. One that has none may go from level to level faster
    than segments show: its levels come from the samples. The fastest and the slowest tenth are left out, as a steady
    part may hold as many of other levels.
    """
    if not record.segments:
        return math.nan, math.nan
    ends = _of_samples(record) if record.state == "unsteady" else _of_segments(record)
    least, most = ends / (record.repetitions_per_sample * record.divisor)
    return float(least), float(most)


def _of_samples(record: Point) -> NDArray[np.float64]:
    series = np.concatenate([record.discarded_ns, record.samples_ns])
    ends: NDArray[np.float64] = np.quantile(series, [_SHORT_SHARE, 1 - _SHORT_SHARE])
    return ends


def _of_segments(record: Point) -> NDArray[np.float64]:
    end = record.discarded_ns.size + record.samples_ns.size
    lengths = np.diff([*(segment.from_ for segment in record.segments), end])
    medians = np.array([segment.median_ns for segment in record.segments])
    order = np.argsort(medians)
    upto = np.cumsum(lengths[order]) / lengths.sum()
    places = np.searchsorted(upto, [_SHORT_SHARE, 1 - _SHORT_SHARE], side="right").clip(max=len(medians) - 1)
    ends: NDArray[np.float64] = medians[order][places]
    return ends
