"""Statistics of many points at once: those with equally many launches are rows of one array.

A run has up to ten thousand points. Worked out point by point, their medians, intervals and spreads take seconds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from groma.analysis import rows
from groma.analysis.machinestate import STATES, row_states
from groma.analysis.minimum import Limit, in_one_state
from groma.analysis.order import Interval, median_intervals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from groma.analysis.runtable import Rows, RunTable

    Values = NDArray[np.float64]
    Places = NDArray[np.int64]


def by_launches(points: Sequence[Rows]) -> Iterator[tuple[list[int], Places]]:
    """Yield the points that have equally many launches, by their numbers in `points`, and their rows in the table.

    The rows are an array of points x launches. All points have to be of one table.
    """
    lengths: dict[int, list[int]] = {}
    for number, own in enumerate(points):
        lengths.setdefault(len(own), []).append(number)
    for chosen in lengths.values():
        yield chosen, np.array([points[number].places for number in chosen])


def work_out(points: Sequence[Rows]) -> list[dict[str, Any]]:
    """Return members of the `PointSummary` of each of these points of a run, by their names.

    A point has those that need no case of their own: no time where a launch lacks one, no spread where one lacks that.
    """
    found: list[dict[str, Any]] = [{} for _ in points]
    for chosen, places in by_launches(points):
        for number, members in zip(chosen, _members(points[0].table, places), strict=True):
            found[number] = members
    return found


def _members(table: RunTable, places: Places) -> Iterator[dict[str, Any]]:
    """Yield the members of each point, whose launches are in these rows of the table (points x launches)."""

    def column(name: str) -> Values:
        return table.column(name)[places]

    times, spreads = column("figure_ns"), column("spread")
    states = table.derived(STATES, row_states)[places]
    limits, in_state = in_one_state(times, column("limit_ns"), states)
    samples_ns = np.sort(times * column("repetitions_per_sample") * column("divisor"), axis=1)
    ordered = np.sort(times, axis=1)
    intervals: Sequence[tuple[float, float] | None] = median_intervals(ordered) or [None] * len(places)
    for time_ns, sample_ns, has_samples, limit_ns, like_ns, between, interval, within in zip(
        rows.medians(np.where(np.isnan(times).any(axis=1, keepdims=True), np.nan, ordered)).tolist(),
        rows.medians(samples_ns).tolist(),
        np.all(column("samples") > 0, axis=1).tolist(),
        limits.tolist(),
        in_state.tolist(),
        rows.relative_iqr(ordered).tolist(),
        intervals,
        rows.medians(np.where(np.isnan(spreads).any(axis=1, keepdims=True), np.nan, np.sort(spreads, axis=1))).tolist(),
        strict=True,
    ):
        members: dict[str, Any] = {} if math.isnan(within) else {"within_spread": within}
        if not math.isnan(time_ns):
            members["time_ns"] = time_ns
            members["has_samples"], members["sample_ns"] = has_samples, sample_ns if has_samples else 0.0
            members["between_spread"] = None if math.isnan(between) else between
            if interval is not None:
                members["_interval"] = Interval(*interval), "launches"
            if not limit_ns <= 0:  # NaN where no launch has one
                members["limit"] = None if math.isnan(limit_ns) else Limit(limit_ns, like_ns / limit_ns)
        yield members
