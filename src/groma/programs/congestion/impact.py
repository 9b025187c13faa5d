"""The impact of each load: the time of a victim while others load the network, over its time while they sleep.

Both are of the same victims in the same launch, in turns, so they are compared in pairs of launches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from groma.analysis import PointSummary
from groma.analysis.compare import (
    MARGIN,
    Comparison,
    Judged,
    by_round,
    compare,
    compare_points,
    fewest_launches,
    judge,
    least_found,
)
from groma.analysis.grouping import grouped, relevant_fields
from groma.analysis.launchpoint import LaunchPoint
from groma.analysis.order import Median
from groma.text.sizes import format_size

LOAD, NONE, SILENT = "load", "none", "silent"
PERCENTILES = (50, 95, 99)


@dataclass(frozen=True)
class Impact:
    """One victim under one load, and beside ranks that sleep. `judged` is of the figures, `tail` of the 99 % quantiles.

    `detectable` is the smallest slowdown, as a share, that this run finds with 80 %; infinite with too few launches.
    """

    silent: PointSummary
    loaded: PointSummary
    judged: Judged
    tail: Comparison
    detectable: float

    @property
    def load(self) -> str:
        """What the other ranks did."""
        return str(self.loaded.point[LOAD])

    @property
    def victim(self) -> str:
        """What was measured: the operation and its size."""
        return f"{self.loaded.operation} {format_size(self.loaded.bytes or 0)}"

    @cached_property
    def bytes_per_s(self) -> Median | None:
        """What the ranks that load sent each second, all together; None if no launch says it."""
        loads = [record.load for _, record in self.loaded.records if record.load and record.load.seconds > 0]
        return Median.of([load.bytes / load.seconds for load in loads]) if loads else None


def impacts_of(summaries: Sequence[PointSummary]) -> list[Impact]:
    """Return every load of every victim that has silence beside it, as one family of comparisons."""
    victims = grouped((one for one in summaries if one.point.get(LOAD, NONE) != NONE), _victim)
    pairs = [
        (silent, loaded)
        for points in victims.values()
        for silent in points
        if silent.point[LOAD] == SILENT
        for loaded in points
        if loaded.point[LOAD] != SILENT
    ]
    judged = judge([compare_points(loaded, silent) for silent, loaded in pairs])
    return [
        Impact(silent, loaded, one, _tail(loaded, silent), _detectable(one, len(pairs)))
        for (silent, loaded), one in zip(pairs, judged, strict=True)
    ]


def percentiles_us(point: PointSummary) -> list[float]:
    """Return `PERCENTILES` of the calls of all launches, then the longest, in microseconds."""
    times = np.concatenate([launch.times_ns for launch in point.launches]) / 1e3
    return [*(float(value) for value in np.percentile(times, PERCENTILES)), float(times.max())]


def _victim(point: PointSummary) -> str:
    """Return all that two points of one victim have in common."""
    fields = {name: value for name, value in relevant_fields(point.point).items() if name not in (LOAD, "load_bytes")}
    return repr((point.ranks, point.variant, sorted(fields.items(), key=lambda field: field[0])))


def _tail(loaded: PointSummary, silent: PointSummary) -> Comparison:
    last: Callable[[LaunchPoint], float] = lambda launch: float(np.percentile(launch.times_ns, PERCENTILES[-1]))  # noqa: E731
    return compare(_by_launch(loaded, last), _by_launch(silent, last))


def _by_launch(point: PointSummary, figure: Callable[[LaunchPoint], float]) -> dict[int, float]:
    return dict(zip(by_round(point), map(figure, point.launches), strict=True))


def _detectable(judged: Judged, comparisons: int) -> float:
    if judged.comparison.launches < fewest_launches(comparisons, paired=judged.comparison.is_paired):
        return math.inf
    return math.expm1(least_found(judged.comparison.shift, math.log1p(MARGIN), comparisons))
