"""What a figure is compared with: the same bytes without MPI, from core to core on one host, over TCP between hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.grouping import size_of
from groma.analysis.meaning import meaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.catalog import Operation
    from groma.results.instruments import Handoff, Limits, TcpRow
    from groma.results.records import Point

KIND = "core-to-core minimum"
TCP = "TCP between the hosts"


@dataclass(frozen=True)
class Limit:
    """The least time of a point on this machine without MPI, and the figure as a multiple of it."""

    ns: float
    multiple: float

    @property
    def kind(self) -> str:
        """What the limit is called."""
        return KIND


@dataclass(frozen=True)
class Yardstick:
    """What the point's message takes over a plain TCP connection, and how many times that the figure took.

    It is not a limit: the network, or another protocol on it, may be faster.
    """

    ns: float
    multiple: float

    @property
    def kind(self) -> str:
        """What it is called."""
        return TCP


def machine_limit(record: Point, figure_ns: float, limits: Limits) -> Limit | None:
    """Return the time of one hand-off of the point's message, or of a window of messages with many in flight.

    A collective of any number of ranks takes at least one hand-off of one rank's message, or of a cache line if it has
    no message; for two ranks this bound is tight. None where the ranks are on several hosts (shared memory does not
    bound them), for operations that time several things (phases), for messages of random lengths, and where no limit
    was measured: no two ranks could run at the same time, or the engine is an older one.
    """
    if record.hosts != 1 or not _is_comparable(record):
        return None
    size = _message_bytes(record)
    of_members = [row for row in limits.handoff if row.ranks == record.members[:2]]
    shortest = _time_ns(record, size, of_members or limits.handoff) if size else limits.line_bounce_ns
    return Limit(shortest, figure_ns / shortest) if shortest else None


def tcp_yardstick(record: Point, figure_ns: float, limits: Limits) -> Yardstick | None:
    """Return the time of the point's message over TCP, for ranks on several hosts; None without a message.

    Rows of the first member and another member are used; without such rows, those of any two hosts.
    """
    size = _message_bytes(record)
    if record.hosts < 2 or not size or not _is_comparable(record):
        return None
    of_members = [
        row for row in limits.tcp.rows if row.ranks[0] == record.members[0] and row.ranks[1] in record.members
    ]
    ns = _time_ns(record, size, of_members or limits.tcp.rows)
    return Yardstick(ns, figure_ns / ns) if ns else None


def _is_comparable(record: Point) -> bool:
    operation = meaning(record.point)
    several_things = operation.phases or "map_messages" in operation.uses
    return operation.family != "harness" and record.member_count > 1 and not several_things


def _message_bytes(record: Point) -> int:
    asked = size_of(record.point)
    return record.message_bytes or asked if asked else 0


def _time_ns(record: Point, size: int, rows: Sequence[Handoff | TcpRow]) -> float | None:
    operation = meaning(record.point)
    if "window" in operation.uses:
        stream = time_ns(rows, size, streamed=True)
        return None if stream is None else _messages(record) * stream
    # In a block of calls, a root may be several calls ahead of its receivers.
    return time_ns(rows, size, streamed=_may_overlap(operation, record))


def _messages(record: Point) -> int:
    return int(record.point.get("window", 1)) * int(record.point.get("targets") or 1)


def _may_overlap(operation: Operation, record: Point) -> bool:
    return operation.family == "collective" and record.point.get("timing") == "block"


def time_ns(rows: Sequence[Handoff | TcpRow], size: int, *, streamed: bool) -> float | None:
    """Return the shortest time of `size` bytes in the rows, in nanoseconds.

    Between sizes the time is interpolated in log-log. Above the largest size it grows in proportion to the size, which
    is still a lower bound; below the smallest size it is None.
    """
    shortest: dict[int, float] = {}
    for row in rows:
        ns = row.stream_ns if streamed else row.ns
        if ns > 0:
            shortest[row.bytes] = min(ns, shortest.get(row.bytes, ns))
    if not shortest or size < min(shortest):
        return None
    if size in shortest:
        return shortest[size]
    largest = max(shortest)
    if size > largest:
        return shortest[largest] * size / largest
    sizes, times = np.log(np.array(sorted(shortest.items()), dtype=np.float64)).T
    return float(np.exp(np.interp(np.log(size), sizes, times)))
