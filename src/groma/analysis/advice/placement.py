"""The fastest placement of ranks, and the best number of ranks per node."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from groma.analysis import PointSummary
from groma.analysis.advice.costs import MARGIN
from groma.analysis.compare import Comparison, by_round, compare, rank_ways
from groma.analysis.grouping import relevant_fields

Choice = Literal["ranks per node", "placement", "rank placement"]
PLACEMENTS = frozenset({"intranode", "internode", "farthest"})
# More ranks of a node do more of these operations: compare the time for the same work of a node.
_SHARED_WORK = frozenset({"targets", "targets_any_source", "message_rate"})


@dataclass(frozen=True)
class Best:
    """The best of several choices for one figure, the ones tied with it, and what the worst costs.

    `worst` compares the worst choice with the best, as times for the same work.
    """

    choice: Choice
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
    counted = groups_of(shared, lambda point: (point.variant, fields_of(point, {"ranks_per_node"})))
    placed = groups_of(paired, lambda point: (point.variant, point.ranks, fields_of(point, {"pattern"})))
    return [
        *(
            best_of("ranks per node", group, round_length)
            for group in counted
            if len(set(map(ranks_per_node, group))) > 1
        ),
        *(
            best_of("placement", group, round_length)
            for group in placed
            if len({point.point["pattern"] for point in group}) > 1
        ),
    ]


def _placed(point: PointSummary) -> bool:
    return point.point.get("pattern") in PLACEMENTS


def fields_of(point: PointSummary, free: set[str]) -> str:
    """Return the relevant fields of a point except the free ones, as a text that is the same for equal points."""
    fields = {name: value for name, value in relevant_fields(point.point).items() if name not in free}
    return json.dumps(fields, sort_keys=True)


def groups_of(points: Iterable[PointSummary], key: Callable[[PointSummary], object]) -> list[list[PointSummary]]:
    """Return the points in groups of the same key."""
    groups: dict[object, list[PointSummary]] = {}
    for point in points:
        groups.setdefault(key(point), []).append(point)
    return list(groups.values())


def best_of(choice: Choice, points: list[PointSummary], round_length: int) -> Best:
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
    """Return the figure of each round, for the same work."""
    work = _work(point)
    return {number: figure / work for number, figure in by_round(point, round_length).items()}


def _work(point: PointSummary) -> float:
    """Return the ranks of a node if they share the work, so that times are those of equal work."""
    return ranks_per_node(point) if point.operation in _SHARED_WORK else 1.0
