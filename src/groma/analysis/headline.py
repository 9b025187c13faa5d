"""The six headline figures of a run, chosen from what it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from groma.analysis.grouping import grouped, meaning
from groma.analysis.pointtable import PointTable
from groma.analysis.summary import PointSummary

Quantity = Literal["time", "bandwidth", "message rate"]
SMALL_BYTES = 8
_NAMES: dict[Quantity, str] = {
    "time": "time_ns",
    "bandwidth": "bandwidth_mb_s",
    "message rate": "messages_per_s",
}
_UNITS = {"time_ns": "\N{MICRO SIGN}s", "bandwidth_mb_s": "MB/s", "messages_per_s": "1/s"}


@dataclass(frozen=True)
class Headline:
    """One point, and which of its quantities is the figure."""

    title: str
    quantity: Quantity
    summary: PointSummary


def headlines(summaries: Sequence[PointSummary], count: int = 6) -> list[Headline]:
    """Return up to `count` figures: latency, bandwidth, message rate, then collectives, then all others.

    Of several numbers of ranks that took part, the largest is used; of several launches, the one with the fewest idle
    ranks; of several variants, the first. A peak is the largest of all medians.
    """
    chosen: list[Headline] = []
    speaking = [summary for summary in summaries if summary.variant == summaries[0].variant]
    for headline in _candidates(speaking):
        if headline.summary not in [earlier.summary for earlier in chosen]:
            chosen.append(headline)
    return chosen[:count]


def _candidates(summaries: Sequence[PointSummary]) -> Iterator[Headline]:
    ordered = sorted(summaries, key=lambda summary: (-summary.member_count, summary.ranks))
    by_operation = grouped(ordered, lambda summary: summary.operation)
    if "pingpong" in by_operation:
        yield Headline("Latency", "time", _nearest(by_operation["pingpong"]))
    one_way = [summary for name in ("stream", "pingpong") for summary in by_operation.get(name, [])]
    moving = [summary for summary in one_way or by_operation.get("bistream", []) if summary.bandwidth_mb_s]
    if moving:
        yield Headline("Peak bandwidth", "bandwidth", max(moving, key=lambda summary: summary.bandwidth_mb_s or 0.0))
    for name in ("message_rate", "stream"):
        if name in by_operation:
            yield Headline("Message rate", "message rate", _nearest(by_operation[name]))
            break
    preferred = [name for name in ("allreduce", "bcast", "barrier", "alltoall") if name in by_operation]
    for name in [*preferred, *by_operation]:
        nearest = _nearest(by_operation[name])
        yield Headline(name.capitalize(), quantity_of(nearest), nearest)


def quantity_of(summary: PointSummary) -> Quantity:
    """Return the main quantity of an operation: the bandwidth or rate where messages overlap, else the time."""
    if not {"window", "targets"} & set(meaning(summary.point).uses):
        return "time"
    if summary.bandwidth_mb_s:
        return "bandwidth"
    return "message rate" if summary.messages_per_s else "time"


def figures_of(table: PointTable) -> dict[str, Any]:
    """Return the main figure of each point, its interval, and their unit."""
    names = [_NAMES[quantity_of(point)] for point in table.summaries]
    is_time = np.array([name == "time_ns" for name in names])
    rates = np.array([table[name][place] for place, name in enumerate(names)])
    times, low, high = (table[name] for name in ("time_ns", "time_low_ns", "time_high_ns"))
    known = low > 0
    ends = (np.divide(rates * times, end, out=np.full(len(table), np.nan), where=known) for end in (high, low))
    return {
        "figure": np.where(is_time, times / 1e3, rates),
        "unit": [_UNITS[name] for name in names],
        **{
            name: np.where(is_time, end / 1e3, of_rate)
            for name, end, of_rate in zip(("interval_low", "interval_high"), (low, high), ends, strict=True)
        },
    }


def _nearest(summaries: list[PointSummary]) -> PointSummary:
    """Return the point whose message is nearest to 8 bytes, on a log scale."""
    return min(summaries, key=lambda summary: abs(np.log2(max(summary.bytes or 1, 1) / SMALL_BYTES)))
