"""Levels of the samples of one launch, from the segments that the engine found."""

from __future__ import annotations

import math

import numpy as np

from groma.results.records import Point

_SHORT_SHARE = 0.1  # levels that take up this share of the samples or less are interruptions


def level_range_ns(record: Point) -> tuple[float, float]:
    """Return the fastest and the slowest level of segments, as times of one figure; NaN if the record has none.

    The fastest and the slowest tenth of the samples are left out, as a steady part may hold as many of other levels.
    """
    if not record.segments:
        return math.nan, math.nan
    end = record.discarded_ns.size + record.samples_ns.size
    lengths = np.diff([*(segment.from_ for segment in record.segments), end])
    medians = np.array([segment.median_ns for segment in record.segments])
    order = np.argsort(medians)
    upto = np.cumsum(lengths[order]) / lengths.sum()
    places = np.searchsorted(upto, [_SHORT_SHARE, 1 - _SHORT_SHARE], side="right").clip(max=len(medians) - 1)
    least, most = medians[order][places] / (record.repetitions_per_sample * record.divisor)
    return float(least), float(most)
