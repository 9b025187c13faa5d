"""The hardware minimum of a figure: the same bytes handed from core to core without MPI, on the same ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.grouping import size_of
from groma.analysis.meaning import meaning

if TYPE_CHECKING:
    from groma.catalog import Operation
    from groma.results.records import Limits, Point

KIND = "core-to-core minimum"


@dataclass(frozen=True)
class Limit:
    """What one figure of a point takes at least on this machine without MPI, and how many times that it took."""

    ns: float
    multiple: float

    @property
    def kind(self) -> str:
        """What the limit is called."""
        return KIND


def machine_limit(record: Point, figure_ns: float, limits: Limits) -> Limit | None:
    """Return the time of one hand-off of the point's message, or of a window of them with many under way.

    A collective, whatever its number of ranks, takes one hand-off of one rank's message at least, or of a cache line
    where it has no message: tight for two ranks. None where the ranks are on several hosts (shared memory does not
    bound them), for operations that time several things (phases), for messages of drawn lengths, and where nothing was
    measured: no two ranks could run at the same time, or the engine is an older one.
    """
    operation = meaning(str(record.point["operation"]))
    apart = record.hosts != 1 or record.member_count < 2
    if operation.family == "harness" or apart or operation.phases or "map_messages" in operation.uses:
        return None
    asked = size_of(record.point)
    size = record.message_bytes or asked if asked else 0
    shortest = limits.line_bounce_ns if not size else _hand_over_ns(record, operation, size, limits)
    return Limit(shortest, figure_ns / shortest) if shortest else None


def _hand_over_ns(record: Point, operation: Operation, size: int, limits: Limits) -> float | None:
    if "window" in operation.uses:
        stream = handoff_ns(limits, record.members, size, streamed=True)
        messages = int(record.point.get("window", 1)) * int(record.point.get("targets") or 1)
        return None if stream is None else messages * stream
    # In a block of calls, a root may be calls ahead of those that it sends to.
    overlapping = operation.family == "collective" and record.point.get("timing") == "block"
    return handoff_ns(limits, record.members, size, streamed=overlapping)


def handoff_ns(limits: Limits, members: list[int], size: int, *, streamed: bool) -> float | None:
    """Return the shortest hand-off of `size` bytes between the first two members, in nanoseconds.

    Where these two were not measured, the shortest of any two ranks stands for them. Between sizes the figure is
    interpolated in log-log. Beyond the largest it is that many of the largest, which is a lower bound still; below the
    smallest it is None.
    """
    own = [row for row in limits.handoff if row.ranks == members[:2]] or limits.handoff
    found: dict[int, float] = {}
    for row in own:
        ns = row.stream_ns if streamed else row.ns
        if ns > 0:
            found[row.bytes] = min(ns, found.get(row.bytes, ns))
    if not found or size < min(found):
        return None
    if size in found:
        return found[size]
    largest = max(found)
    if size > largest:
        return found[largest] * size / largest
    sizes, times = np.log(np.array(sorted(found.items()), dtype=np.float64)).T
    return float(np.exp(np.interp(np.log(size), sizes, times)))
