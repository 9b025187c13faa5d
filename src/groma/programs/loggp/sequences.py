"""LogGP from round trips of request sequences (docs/methods.md): overheads, latency, and gaps over message sizes.

With PRTT(n,d,s), the time of n requests of s bytes, d apart, and one reply: the gap is (PRTT(n,0,s) - PRTT(1,0,s)) /
(n-1); o_s is (PRTT(n,d,s) - PRTT(1,0,s)) / (n-1) - d; o_r is what each of n-1 replies adds that is received after d,
when it is there; L is PRTT(1,0,s)/2 - o_s - o_r. g and G are those of the line gap = g + (s-1) G.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from groma.analysis import PointSummary, models
from groma.analysis.order import Median

OPERATION = "request_trains"


@dataclass(frozen=True)
class SequenceTimes:
    """The times of one launch at one size, in nanoseconds: medians over repetitions."""

    send_ns: float
    receive_ns: float
    gap_ns: float
    way_ns: float  # L + (s-1) G: one way without overheads


@dataclass(frozen=True)
class SizeParameters:
    """The figures of one message size."""

    bytes: int
    launches: tuple[SequenceTimes, ...]
    send: Median
    receive: Median
    gap: Median
    way: Median

    @property
    def holds(self) -> bool:
        """True if the latency without overheads is positive: above the eager limit, one side waits for the other."""
        return self.way.value > 0


@dataclass(frozen=True)
class LogGP:
    """The five parameters of one pair of ranks, and the sizes that they are from.

    Overheads and latency are those of the smallest size. g and G are those of the segment of the gaps that begins
    there, up to `last_bytes`; None if too few sizes were measured for a line.
    """

    sizes: tuple[SizeParameters, ...]
    gap: Median | None
    gap_per_byte: Median | None
    last_bytes: int | None
    max_error: float | None

    @property
    def smallest(self) -> SizeParameters:
        """The smallest size."""
        return self.sizes[0]


def sequence_times(phases_ns: Mapping[str, ArrayLike], requests: int) -> SequenceTimes:
    """Return the medians of one launch in ns; every difference is taken within a repetition.

    `phases_ns` has for each phase the times of all repetitions; `requests` is n. The formulas are those of Hoefler,
    Lichei and Rehm (Low-overhead LogGP parameter assessment for modern interconnection networks, 2007).
    """
    single, train, delays, spaced, late = (
        np.asarray(phases_ns[name], dtype=np.float64) for name in ("single", "train", "delays", "spaced", "late")
    )
    between = requests - 1
    send = (spaced - single - delays) / between
    receive = (late - spaced) / between
    parts = (send, receive, (train - single) / between, single / 2 - send - receive)
    return SequenceTimes(*(float(np.median(part)) for part in parts))


def loggp(points: Sequence[PointSummary]) -> LogGP:
    """Return the parameters from the sizes of one pair, of which there is at least one, all with `OPERATION`."""
    sizes = sorted((_at_size(point) for point in points), key=lambda size: size.bytes)
    model = models.fit([size.bytes for size in sizes], [size.gap.value for size in sizes])
    if model is None:
        return LogGP(tuple(sizes), None, None, None, None)
    first = model.line if model.one_line else model.segments[0]
    covered = [size for size in sizes if size.bytes <= first.last]
    launches = min(len(size.launches) for size in covered)
    lines = [
        models.line([size.bytes for size in covered], [size.launches[launch].gap_ns for size in covered])
        for launch in range(launches)
    ]
    return LogGP(
        tuple(sizes),
        gap=Median.of([line.time_ns(1) for line in lines]),
        gap_per_byte=Median.of([line.ns_per_byte for line in lines]),
        last_bytes=first.last,
        max_error=first.max_error,
    )


def _at_size(point: PointSummary) -> SizeParameters:
    launches = tuple(
        sequence_times(launch.phases_ns, int(point.point["window"])) for launch in point.launches if launch.phases_ns
    )
    return SizeParameters(
        bytes=point.bytes or 0,
        launches=launches,
        send=Median.of([times.send_ns for times in launches]),
        receive=Median.of([times.receive_ns for times in launches]),
        gap=Median.of([times.gap_ns for times in launches]),
        way=Median.of([times.way_ns for times in launches]),
    )
