"""The figures of the COMMTEST page: each protocol's bandwidth and latency, and how much the protocol matters.

A swap moves V bytes each way between two ranks, in k messages; times are seconds of one swap. Bandwidth counts both
directions. COMMTEST's latency is that of a message in one direction: a swap of k messages has 2 k of them. All formulas
were checked against the figures of the page, see docs/commtest.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from groma.analysis.compare import Comparison, by_round, compare
from groma.analysis.compare.fastest import FastestWays, Stretch, choose, stretches
from groma.analysis.grouping import meaning, relevant_fields
from groma.analysis.summary import PointSummary

WITHIN = (0.01, 0.05, 0.25)
COMMON = tuple(range(4))  # what most programs use: standard sends, no ready or synchronous ones
FASTEST = 5
_OWN_AXES = frozenset({"operation", "swap_messages", "swap_overlap"})


@dataclass(frozen=True, order=True)
class Way:
    """A protocol by COMMTEST's number, one message after the other or with overlap."""

    number: int
    overlap: bool = False


@dataclass(frozen=True)
class Sensitivity:
    """How much the protocol matters at one message size: times of all protocols against the shortest."""

    minimum_s: float
    per_message_s: float
    bandwidth_mb_s: float
    mean_excess: float
    median_excess: float
    maximum_excess: float
    fastest: tuple[int, ...]
    within: tuple[int, ...]


@dataclass(frozen=True)
class Protocol:
    """Performance of one way to swap: peak in MB/s, microseconds a message, and the model's relative error.

    Latency and error are None for fewer than two numbers of messages.
    """

    peak_mb_s: float
    latency_us: float | None
    model_error: float | None


@dataclass(frozen=True, eq=False)
class Swaps:
    """Swaps of one run that differ in protocol, overlap and number of messages alone.

    `variant` is COMMTEST's (cache_inv, 1_iter, 10_iter), `environment` the plan's.
    """

    ranks: int
    member_count: int
    bytes: int
    order: str
    variant: str
    environment: str
    points: dict[Way, dict[int, PointSummary]]

    @property
    def messages(self) -> list[int]:
        """Every number of messages that was measured, the most messages first: sizes ascend."""
        return sorted({k for points in self.points.values() for k in points}, reverse=True)

    def group(self, overlap: bool) -> dict[int, dict[int, PointSummary]]:
        """Return the points of every protocol, by number; without overlap if it is asked and impossible."""
        numbers = sorted({way.number for way in self.points})
        ways = {number: Way(number, overlap and Way(number, True) in self.points) for number in numbers}
        return {number: self.points[way] for number, way in ways.items() if way in self.points}

    @property
    def overlaps(self) -> list[bool]:
        """Without overlap, and with it if any swap was overlapped."""
        return [False, True] if any(way.overlap for way in self.points) else [False]

    def protocol(self, way: Way) -> Protocol:
        """Return the performance of one way."""
        times = times_s(self.points[way])
        peak = max(bandwidth_mb_s(self.bytes, time) for time in times.values())
        return Protocol(peak, latency_us(times), model_error(times))

    def sensitivities(self, overlap: bool) -> dict[int, Sensitivity]:
        """Return how much the protocol matters, by the number of messages."""
        group = self.group(overlap)
        return {
            k: sensitivity(times_s({n: points[k] for n, points in group.items() if k in points}), self.bytes, k)
            for k in self.messages
        }


def bandwidth_mb_s(size_bytes: int, time_s: float) -> float:
    """Return the bandwidth of a swap of `size_bytes` each way, both directions, in MB/s (10^6 bytes)."""
    return 2 * size_bytes / time_s / 1e6


def latency_us(times_s: Mapping[int, float]) -> float | None:
    """Return what one more message in one direction costs, in microseconds, by the two largest numbers of messages.

    (T_1024 - T_512) / 512 on the COMMTEST page, where T is one direction's half of the swap.
    None for fewer than two numbers.
    """
    if len(times_s) < 2:
        return None
    fewer, most = sorted(times_s)[-2:]
    return (times_s[most] - times_s[fewer]) / (most - fewer) / 2 * 1e6


def is_resolvable(latency: float | None) -> bool:
    """Return whether a latency is valid: with 1024 messages no slower than 512, the times show no cost of a message."""
    return latency is not None and latency > 0


def model_error(times_s: Mapping[int, float]) -> float | None:
    """Return the largest error of: peak bandwidth, and a latency for every message; relative to the measured times.

    COMMTEST's model is T_k = 2 V / peak + 2 k latency, and 2 V / peak is the shortest of the times.
    """
    latency = latency_us(times_s)
    if latency is None:
        return None
    shortest = min(times_s.values())
    return max(abs(time - (shortest + 2 * k * latency / 1e6)) / time for k, time in times_s.items())


def sensitivity(times_s: Mapping[int, float], size_bytes: int, messages: int) -> Sensitivity:
    """Return one line of each table of the COMMTEST page from the times of all protocols, by their numbers.

    Equally fast protocols are listed by number.
    """
    times = np.array(list(times_s.values()))
    least = float(times.min())
    return Sensitivity(
        minimum_s=least,
        per_message_s=least / messages,
        bandwidth_mb_s=bandwidth_mb_s(size_bytes, least),
        mean_excess=float(times.mean()) / least - 1,
        median_excess=float(np.median(times)) / least - 1,
        maximum_excess=float(times.max()) / least - 1,
        fastest=tuple(sorted(times_s, key=lambda number: (times_s[number], number))[:FASTEST]),
        within=tuple(int((times <= least * (1 + share)).sum()) for share in WITHIN),
    )


@dataclass(frozen=True)
class Advice:
    """Recommendations of one study, by message size in ascending order; costs are against the fastest at each size."""

    choices: list[FastestWays[Way]]
    stretches: list[Stretch[Way]]
    changes: list[Comparison]
    throughout: tuple[Way, Comparison, int]
    worst_common: list[tuple[Way, Comparison]]


def advise(swaps: Swaps) -> Advice:
    """Return which protocol to use at which message size, where to change it, and what other choices cost.

    `changes` holds, for every stretch but the first, what staying with the way before costs at its first size;
    `throughout` the way that is used at all sizes, or else that costs least at the size where it costs most, with that
    cost and that size; `worst_common` the slowest of the COMMON protocols at every size.
    """
    sizes = {swaps.bytes // k: k for k in swaps.messages}
    figures = {
        size: {way: by_round(points[k]) for way, points in swaps.points.items() if k in points}
        for size, k in sizes.items()
    }
    medians = {
        way: {size: float(np.median(list(ways[way].values()))) for size, ways in figures.items() if way in ways}
        for way in swaps.points
    }
    choices = [choose(size, ways) for size, ways in figures.items()]
    everywhere = [way for way in swaps.points if all(way in ways for ways in figures.values())]
    fastest = {choice.size: figures[choice.size][choice.fastest] for choice in choices}
    recommended = stretches(choices, medians)
    worst = {
        way: max(((compare(figures[size][way], fastest[size]), size) for size in sizes), key=lambda cost: cost[0].ratio)
        for way in everywhere
    }
    best = recommended[0].way if len(recommended) == 1 else min(everywhere, key=lambda way: worst[way][0].ratio)
    return Advice(
        choices=choices,
        stretches=recommended,
        changes=[
            compare(figures[after.sizes[0]][before.way], figures[after.sizes[0]][after.way])
            for before, after in pairwise(recommended)
        ],
        throughout=(best, *worst[best]),
        worst_common=[_worst_common(figures[choice.size], medians, choice) for choice in choices],
    )


def _worst_common(
    figures: Mapping[Way, Mapping[int, float]], medians: Mapping[Way, Mapping[int, float]], choice: FastestWays[Way]
) -> tuple[Way, Comparison]:
    common = [way for way in figures if way.number in COMMON and not way.overlap] or list(figures)
    worst = max(common, key=lambda way: medians[way][choice.size])
    return worst, compare(figures[worst], figures[choice.fastest])


def times_s(points: Mapping[int, PointSummary]) -> dict[int, float]:
    """Return the times of one swap in seconds, by the same keys."""
    return {key: point.time_ns / 1e9 for key, point in points.items()}


def heading(swaps: Swaps, overlap: bool | None = None) -> str:
    """Return `2 ranks, 10_iter`, with another order than COMMTEST's; who shows the plan's variants names them."""
    qualifiers = [] if swaps.order == "ordered" else [swaps.order]
    if overlap is not None:
        qualifiers.append("with overlap" if overlap else "no overlap")
    return ", ".join([f"{swaps.ranks} ranks", swaps.variant, *qualifiers])


def swaps_of(summaries: Iterable[PointSummary]) -> list[Swaps]:
    """Return the swaps among these points, one entry for each combination of settings except COMMTEST's own axes."""
    grouped: dict[tuple[object, ...], dict[Way, dict[int, PointSummary]]] = defaultdict(lambda: defaultdict(dict))
    for summary in summaries:
        facts = meaning(summary.point).swap
        if facts is None:
            continue
        settings = {name: value for name, value in relevant_fields(summary.point).items() if name not in _OWN_AXES}
        key = (summary.ranks, summary.member_count, summary.variant, *sorted(settings.items()))
        way = Way(facts.number, bool(summary.point["swap_overlap"]))
        grouped[key][way][int(summary.point["swap_messages"])] = summary
    return [_swaps({way: points[way] for way in sorted(points)}) for points in grouped.values()]


def _swaps(points: dict[Way, dict[int, PointSummary]]) -> Swaps:
    first = next(iter(next(iter(points.values())).values()))
    return Swaps(
        ranks=first.ranks,
        member_count=first.member_count,
        bytes=int(first.point["bytes"]),
        order=str(first.point["swap_order"]),
        variant=_variant(first),
        environment=first.variant or "",
        points=points,
    )


def _variant(summary: PointSummary) -> str:
    """Return the name of the variant: cache_inv, 1_iter, or 10_iter for blocks of ten; a block of one is named."""
    if summary.point["timing"] == "block":
        calls = summary.launches[0].repetitions_per_sample
        return f"{calls}_iter" if calls > 1 else "1_iter in a block"
    return "1_iter" if summary.point["cache"] == "warm" else "cache_inv"
