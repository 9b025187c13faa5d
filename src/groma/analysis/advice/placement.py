"""The fastest placement of ranks, and the best number of ranks per node.

`rank_placements` compares variants of a run that differ in `placement` alone (the ALCF slides). Launches of one round
follow each other in time and are compared with each other. A placement that puts every rank on the same CPUs as another
one is not compared with it: the two would differ by chance alone.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from groma.analysis import PointSummary
from groma.analysis.advice.costs import MARGIN
from groma.analysis.compare import Comparison, by_round, compare, rank_ways
from groma.analysis.grouping import grouped, relevant_fields
from groma.results import Launch, Run

PlacementChoice = Literal["ranks per node", "placement", "rank placement"]
PLACEMENTS = frozenset({"intranode", "internode", "farthest"})
# More ranks of a node do more of these operations: compare the time for the same work of a node.
_SHARED_WORK = frozenset({"targets", "targets_any_source", "message_rate"})


@dataclass(frozen=True)
class Best:
    """The best of several choices for one figure, the ones tied with it, and what the worst costs.

    `worst` compares the worst choice with the best, as times for the same work.
    """

    choice: PlacementChoice
    point: PointSummary
    alike: tuple[PointSummary, ...]
    worst_point: PointSummary
    worst: Comparison


def ranks_per_node(point: PointSummary) -> float:
    """Return how many ranks of a point there were on each of its hosts."""
    return point.member_count / max(1, point.hosts)


def best_placements(summaries: Sequence[PointSummary], round_length: int = 1) -> list[Best]:
    """Return the best choice for every figure that was measured with several, in the order of the run's points.

    `round_length` is the number of launches of a round, in which the numbers of ranks take turns.
    The number of ranks per node is a choice only if the ranks share a node's work. Placements are compared only
    between launches with the same number of ranks.
    """
    shared = [point for point in summaries if point.operation in _SHARED_WORK and point.member_count > 1]
    paired = [point for point in summaries if _placed(point) and point.operation != "overlap"]
    counted = grouped(shared, lambda point: (point.variant, fields_of(point, {"ranks_per_node"})))
    placed = grouped(paired, lambda point: (point.variant, point.ranks, fields_of(point, {"pattern"})))
    return [
        *(
            best_of("ranks per node", group, round_length)
            for group in counted.values()
            if len(set(map(ranks_per_node, group))) > 1
        ),
        *(
            best_of("placement", group, round_length)
            for group in placed.values()
            if len({point.point["pattern"] for point in group}) > 1
        ),
    ]


def _placed(point: PointSummary) -> bool:
    return point.point.get("pattern") in PLACEMENTS


def fields_of(point: PointSummary, free: set[str]) -> str:
    """Return the relevant fields of a point except the free ones, as a text that is the same for equal points."""
    fields = {name: value for name, value in relevant_fields(point.point).items() if name not in free}
    return json.dumps(fields, sort_keys=True)


def best_of(choice: PlacementChoice, points: list[PointSummary], round_length: int) -> Best:
    """Return the best of the points, the ones as good, and what the worst of them costs, within rounds of launches.

    Points are as good if they are tied with the best, or not shown to be slower by more than `MARGIN`.
    """
    figures = {index: _figures(point, round_length) for index, point in enumerate(points)}
    ranked = rank_ways(figures)
    best, *others = ranked.order
    against = {index: compare(figures[index], figures[best]) for index in others}
    as_good = [points[index] for index in others if index in ranked.tied or not _costs(against[index])]
    return Best(choice, points[best], tuple(as_good), points[others[-1]], against[others[-1]])


def _costs(comparison: Comparison) -> bool:
    return comparison.interval is not None and comparison.interval.low > 1 + MARGIN


def _figures(point: PointSummary, round_length: int) -> dict[int, float]:
    """Return the figure of each round, for the same work: that of a node if its ranks share it."""
    work = ranks_per_node(point) if point.operation in _SHARED_WORK else 1.0
    return {number: figure / work for number, figure in by_round(point, round_length).items()}


@dataclass(frozen=True)
class RankPlacements:
    """The best placement for every figure, and the pairs of placements that put the ranks in the same places.

    Each entry of `alike` is a placement, the earlier placement that it equals, and the number of ranks.
    """

    best: list[Best]
    alike: list[tuple[str, str, int]]


def rank_placements(run: Run, summaries: Sequence[PointSummary]) -> RankPlacements:
    """Compare the placements of a run; the result is empty for fewer than two."""
    placed = [variant for variant in run.meta.variants if variant.placement]
    names = [variant.name for variant in placed if variant.env == placed[0].env]
    identical = list(_alike(run, names))
    skipped = {(name, ranks) for name, _, ranks in identical}
    points = [
        _asked(point, run)
        for point in summaries
        if point.variant in names and (point.variant, point.ranks) not in skipped and point.member_count > 1
    ]
    groups = grouped(points, lambda point: (point.ranks, fields_of(point, set())))
    compared = [group for group in groups.values() if len({point.variant for point in group}) > 1]
    length = run.meta.round_length
    return RankPlacements([best_of("rank placement", group, length) for group in compared], identical)


def _alike(run: Run, names: list[str]) -> Iterator[tuple[str, str, int]]:
    first_names: dict[tuple[int, tuple[tuple[str, str], ...]], str] = {}
    places: dict[tuple[str, int], tuple[tuple[str, str], ...]] = {}
    for launch in run.launches:
        if launch.variant in names and launch.ranks and (layout := _places(launch)):
            places.setdefault((launch.variant, launch.ranks), layout)
    for (name, ranks), layout in sorted(places.items(), key=lambda item: names.index(item[0][0])):
        first = first_names.setdefault((ranks, layout), name)
        if first != name:
            yield name, first, ranks


def _places(launch: Launch) -> tuple[tuple[str, str], ...]:
    """Return host and allowed CPUs of every rank, as they were recorded."""
    if launch.nodes is None:
        return ()
    hosts = [node.name for node in launch.nodes.nodes]
    return tuple((hosts[rank.node], rank.allowed_cpus) for rank in launch.nodes.ranks if rank.node < len(hosts))


def _asked(point: PointSummary, run: Run) -> PointSummary:
    """Return a point without launches beyond the rounds that were asked for."""
    asked = point.with_launches(lambda numbers: np.isin(numbers, run.meta.asked_numbers))
    return asked if len(asked.rows) > 1 else point


def verdicts(choices: Sequence[Best]) -> dict[str, tuple[int, Best | None]]:
    """Return for every placement in how many figures it is the best or as good, and where it costs most, if anywhere.

    A cost counts if the interval of the ratio lies above 1.
    """
    good: dict[str, int] = defaultdict(int)
    worst: dict[str, Best | None] = {}
    for best in choices:
        for point in {id(summary): summary for summary in (best.point, *best.alike)}.values():
            good[str(point.variant)] += 1
        for point in (best.point, *best.alike, best.worst_point):
            worst.setdefault(str(point.variant), None)
        interval, name = best.worst.interval, str(best.worst_point.variant)
        before = worst[name]
        if interval and interval.low > 1 and (before is None or best.worst.ratio > before.worst.ratio):
            worst[name] = best
    return {name: (good[name], worst[name]) for name in worst}
