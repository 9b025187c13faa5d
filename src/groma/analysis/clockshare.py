"""How much of a figure the global clock may be wrong by: what no repetition and no interval shows (docs/adr/0014)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from groma.analysis.summary import PointSummary
    from groma.results.records import Point

# From here on a figure is marked, and the method that needs no global clock is offered.
CLOCK_SHARE_LIMIT = 0.1
WITHOUT_CLOCK = "--set sync=barrier --set reduce=max"

_ACROSS_RANKS = frozenset({"span", "post_arrival"})
_BY_THE_CLOCK = frozenset({"window", "roundtime"})


def rests_on_clock(point: dict[str, Any]) -> bool:
    """Tell whether the figure compares times of different ranks, or is of ranks that start by a common clock."""
    return point.get("reduce") in _ACROSS_RANKS or point.get("sync") in _BY_THE_CLOCK


def clock_doubt_ns(summary: PointSummary) -> float | None:
    """Return by how many ns two ranks' clocks may disagree: the median over launches, None without a global clock."""
    bounds = [launch.clock_error.bound_ns for launch in summary.launches if launch.clock_error is not None]
    return _between_two(float(np.median(bounds)), summary.member_count) if bounds else None


def clock_share(summary: PointSummary) -> float | None:
    """Return `clock_doubt_ns` over the time between a sample's stamps; None where the figure rests on no clock."""
    doubt_ns = clock_doubt_ns(summary) if rests_on_clock(summary.point) else None
    return None if doubt_ns is None or summary.sample_ns <= 0 else doubt_ns / summary.sample_ns


def clock_share_of(record: Point) -> float | None:
    """Return the same of one launch's record."""
    if record.clock_error is None or not rests_on_clock(record.point):
        return None
    sample_ns = float(np.median(record.samples_ns))
    return _between_two(record.clock_error.bound_ns, record.member_count) / sample_ns if sample_ns > 0 else None


def _between_two(bound_ns: float, ranks: int) -> float:
    """Return a bound of two ranks: one of a rank against rank 0 leaves two others off in opposite directions."""
    return bound_ns * (2 if ranks > 2 else 1)
