"""Statistics of many points at once: those with equally many launches are rows of one array.

A run has up to ten thousand points. Worked out point by point, their medians, intervals and spreads take seconds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis import rows
from groma.analysis.minimum import Limit
from groma.analysis.order import Interval, median_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.analysis.summary import PointSummary

    Values = NDArray[np.float64]
    Places = NDArray[np.int64]


def by_launches(summaries: Sequence[PointSummary]) -> Iterator[tuple[list[int], Places]]:
    """Yield the points that have equally many launches, as places in `summaries`, and their rows (points x launches).

    The points have to be of one table.
    """
    lengths: dict[int, list[int]] = {}
    for at, point in enumerate(summaries):
        lengths.setdefault(len(point.rows), []).append(at)
    for chosen in lengths.values():
        yield chosen, np.array([summaries[at].rows.places for at in chosen])


def work_out(summaries: Sequence[PointSummary]) -> None:
    """Work out figure, interval and spreads of all points of a run, so that they need not be worked out one by one.

    Points with a launch that has no figure or no spread are left to themselves.
    """
    if not summaries:
        return
    table = summaries[0].rows.table
    for chosen, places in by_launches(summaries):
        figures, spreads, limits = (table.column(name)[places] for name in ("figure_ns", "spread", "limit_ns"))
        repeated = table.column("repetitions_per_sample")[places]
        samples_ns = np.sort(figures * repeated * table.column("divisor")[places], axis=1)
        ordered = np.sort(figures, axis=1)
        intervals = median_intervals(ordered) if places.shape[1] > 1 else None
        columns = zip(
            rows.medians(ordered).tolist(),
            rows.medians(samples_ns).tolist(),
            (table.column("samples")[places] > 0).all(axis=1).tolist(),
            np.where(np.isnan(limits), np.inf, limits).min(axis=1).tolist(),
            rows.relative_iqr(ordered).tolist(),
            rows.medians(np.sort(spreads, axis=1)).tolist(),
            (~np.isnan(figures).any(axis=1)).tolist(),
            (~np.isnan(spreads).any(axis=1)).tolist(),
            strict=True,
        )
        for row, (median, sample, sampled, limit, between, within, has_figures, has_spreads) in enumerate(columns):
            known = vars(summaries[chosen[row]])  # where its cached properties are
            if has_figures:
                known["time_ns"] = median
                known["has_samples"], known["sample_ns"] = sampled, sample if sampled else 0.0
                if limit > 0:
                    known["limit"] = None if math.isinf(limit) else Limit(limit, median / limit)
                known["between_spread"] = None if math.isnan(between) else between
                if intervals is not None:
                    known["_interval"] = Interval(*intervals[row]), "launches"
            if has_spreads:
                known["within_spread"] = within
