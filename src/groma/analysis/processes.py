"""Every process's own times, if a run recorded them (`per_rank`): from its entry into a call to its own exit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from groma.analysis.launchpoint import LaunchPoint
from groma.analysis.summary import PointSummary

# Operations of pairs of which only the first rank is timed.
FIRST_TIMED = ("pingpong", "stream", "message_rate", "delayed_receiver")


def times_of_ranks(launch: LaunchPoint, point: PointSummary) -> NDArray[np.float64] | None:
    """Return a row of times for each rank that was timed, in nanoseconds of one figure; None if not recorded."""
    return None if launch.ranks_ns is None else launch.ranks_ns[_timed(point)]


def one_clock(point: PointSummary) -> bool:
    """Return whether a single rank was timed: then its time is the mean, the shortest and the longest."""
    return len(_places(point)) == 1 and point.point["reduce"] not in {"span", "post_arrival"}


def times_by_process(point: PointSummary) -> dict[int, NDArray[np.float64]] | None:
    """Return the times of all launches, in nanoseconds of one figure, by the rank that was timed.

    A single timed rank needs no record of its own; otherwise None if a launch has none. A record lists 64 ranks: beyond
    these, and if launches have different ranks, the key of a process is its place among those that take part.
    """
    rows = [times_of_ranks(launch, point) for launch in point.launches]
    if one_clock(point):
        rows = [
            launch.times_ns[np.newaxis] if row is None else row
            for launch, row in zip(point.launches, rows, strict=True)
        ]
    recorded = [row for row in rows if row is not None]
    if len(recorded) < len(rows):
        return None
    listed = point.members if len({launch.members for launch in point.launches}) == 1 else ()
    names = [listed[place] if place < len(listed) else place for place in _places(point)]
    return dict(zip(names, np.concatenate(recorded, axis=1), strict=True))


def _places(point: PointSummary) -> range:
    """Return the places of the ranks that were timed among those that took part."""
    return range(point.member_count)[_timed(point)]


def _timed(point: PointSummary) -> slice:
    if point.operation.startswith("master_"):
        return slice(0, 1)
    return slice(None, None, 2 if point.operation.startswith(FIRST_TIMED) else 1)
