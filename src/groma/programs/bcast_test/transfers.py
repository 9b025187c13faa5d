"""Broadcasts in segments, every rank's transfer by itself: within which time most of them are over (the JET page)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from groma.analysis.distributions import binomial_at_most, student_quantile
from groma.analysis.grouping import grouped
from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL
from groma.results import Run
from groma.results.records import Point
from groma.text.sizes import format_size

OPERATION = "bcast_segmented"
SHARE = 0.9


@dataclass(frozen=True)
class Within:
    """The time within which a share of all transfers is over, with its interval, in the unit of the times.

    A bound is None if there are too few independent transfers for it. `independent` is their effective number, which is
    smaller than that of all because the ranks of one launch share the same conditions.
    """

    value: float
    low: float | None
    high: float | None
    independent: int


@dataclass(frozen=True, eq=False)
class Transfers:
    """A buffer in several segments: by launch the times of every rank but the root, ranks x repetitions, in ns."""

    bytes: int
    segments: int
    ranks: int
    variant: str | None
    launches: dict[int, NDArray[np.float64]]

    @property
    def segment_bytes(self) -> int:
        """Length of one segment."""
        return self.bytes // self.segments

    @property
    def times_ns(self) -> NDArray[np.float64]:
        """All times in ns in one row, launch after launch."""
        return np.concatenate([times.ravel() for times in self.launches.values()])

    def within(self, share: float = SHARE) -> Within:
        """Return the time, in ns, within which `share` of the transfers is over."""
        return time_within([times.ravel() for times in self.launches.values()], share)

    def within_launches(self, share: float = SHARE) -> dict[int, float]:
        """Return by launch the time, in ns, within which `share` of its transfers is over."""
        return {launch: _smallest_within(np.sort(times, axis=None), share) for launch, times in self.launches.items()}

    def slowest_ns(self) -> float:
        """Return the slowest rank's time in ns: the median over launches of the median over repetitions."""
        return float(np.median([np.median(times.max(axis=0)) for times in self.launches.values()]))

    def fastest_ns(self) -> float:
        """Return the fastest rank's time, as `slowest_ns`."""
        return float(np.median([np.median(times.min(axis=0)) for times in self.launches.values()]))


def transfers(run: Run) -> list[Transfers]:
    """Return the times of every rank in broadcasts in segments with a fixed root, by the number of segments."""
    grouped: dict[tuple[int, int, str, int], dict[int, NDArray[np.float64]]] = {}
    for launch in run.launches:
        for record in launch.points:
            times = transfer_times(record)
            if times is not None:
                point = record.point
                key = (int(point["bytes"]), record.member_count, launch.variant or "", int(point["segments"]))
                launches = grouped.setdefault(key, {})
                earlier = launches.get(launch.number, times[:, :0])
                launches[launch.number] = np.concatenate([earlier, times], axis=1)
    return [
        Transfers(size, segments, ranks, variant or None, launches)
        for (size, ranks, variant, segments), launches in sorted(grouped.items(), key=lambda item: item[0])
    ]


def buffers(parts: Sequence[Transfers]) -> dict[str, list[Transfers]]:
    """Return the ways to divide each buffer, by what distinguishes it from the others, if there are any."""
    several_ranks, several_sizes = (len(values) > 1 for values in ({p.ranks for p in parts}, {p.bytes for p in parts}))

    def title(part: Transfers) -> str:
        ranks, size = f"{part.ranks} ranks" * several_ranks, format_size(part.bytes) * several_sizes
        return ", ".join(filter(None, [ranks, part.variant, size]))

    return grouped(parts, title)


def transfer_times(record: Point) -> NDArray[np.float64] | None:
    """Return the times of all ranks but the root, which is done when it has sent, as ranks x repetitions.

    None if they are not known.
    """
    point = record.point
    is_suitable = point["operation"] == OPERATION and point["root"] == "fixed" and record.repetitions_per_sample == 1
    if not is_suitable or record.ranks_ns is None or record.member_count < 2 or not record.samples_ns.size:
        return None
    others_ns = [times for rank, times in enumerate(record.ranks_ns) if rank != point["root_rank"]]
    whole = others_ns and all(times.size == record.samples_ns.size for times in record.ranks_ns)
    return np.stack(others_ns).astype(np.float64) if whole else None


def time_within(
    launches: Sequence[NDArray[np.float64]], share: float = SHARE, confidence: float = CONFIDENCE
) -> Within:
    """Return the smallest time within which `share` of all values lie, with its distribution-free interval.

    The bounds are order statistics (as for a median, docs/methods.md) of the number of independent values in the
    launches: Woodruff's interval with the effective size of Korn and Graubard, launches being the clusters. No bounds
    below six launches; no upper bound if even the largest value is not shown to lie above the quantile, as below 36
    independent values for 90 %. The sample maximum estimates nothing: it grows with the number of values.
    """
    values = np.sort(np.concatenate(launches))
    n = values.size
    value = _smallest_within(values, share)
    if len(launches) < MINIMUM_FOR_INTERVAL:
        return Within(value, None, None, 0)
    independent = effective_number(launches, value)
    low, high = quantile_ranks(independent, share, confidence)
    return Within(
        value,
        None if low is None else float(values[max(1, math.floor(low / independent * n)) - 1]),
        None if high is None else float(values[min(n, math.ceil(high / independent * n)) - 1]),
        independent,
    )


def _smallest_within(ascending: NDArray[np.float64], share: float) -> float:
    return float(ascending[math.ceil(share * ascending.size - 1e-9) - 1])


def effective_number(launches: Sequence[NDArray[np.float64]], value: float) -> int:
    """Return how many independent values give the share below `value` with the variance that it has between launches.

    `launches` has the times of each launch, in the unit of `value`. The factor of Student's quantiles accounts for a
    variance that is estimated from few launches. The result is at least one, and at most all values.
    """
    counts = np.array([launch.size for launch in launches], dtype=np.float64)
    below = np.array([np.count_nonzero(launch <= value) for launch in launches], dtype=np.float64)
    n, clusters = counts.sum(), len(launches)
    share = below.sum() / n
    variance = clusters / (clusters - 1) * float(((below - share * counts) ** 2).sum()) / n**2
    binomial = share * (1 - share)
    if variance <= 0 or binomial <= 0:
        # The share is the same in all launches; or all values are equal, and each launch counts as one.
        return int(n) if binomial > 0 else clusters
    tail = (1 + CONFIDENCE) / 2
    penalty = (student_quantile(n - 1, tail) / student_quantile(clusters - 1, tail)) ** 2
    return int(np.clip(math.floor(binomial / variance * penalty), 1, n))


def quantile_ranks(n: int, share: float, confidence: float = CONFIDENCE) -> tuple[int | None, int | None]:
    """Return the ranks (1-based) of the order statistics of n independent values that enclose a quantile.

    The lower is the largest l with P(Bin(n, share) < l) <= tail, the upper the smallest u with P(Bin(n, share) >= u) <=
    tail; None if there is none.
    """
    tail = (1 - confidence) / 2
    below = binomial_at_most(n, share)
    low = int(np.searchsorted(below, tail, side="right"))
    high = int(np.searchsorted(below, 1 - tail, side="left")) + 1
    return low if low >= 1 else None, high if high <= n else None
