"""Where ranks do best, and how many of them on a node."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from groma.analysis.comparison import Comparison, compare_points
from groma.analysis.grouping import relevant_fields
from groma.analysis.paired import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from groma.analysis import PointSummary

Choice = Literal["ranks per node", "placement", "rank placement"]
PLACEMENTS = frozenset({"intranode", "internode", "farthest"})
# More ranks do more of these, so that what counts is the work of a node over the time.
_SHARED_WORK = frozenset({"targets", "targets_any_source", "message_rate"})


@dataclass(frozen=True)
class Best:
    """The best of several choices for one figure, the ones that cannot be told from it, and what the worst costs.

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


def best_placements(summaries: Sequence[PointSummary], seed: int = 0) -> list[Best]:
    """Return the best choice for every figure that was measured with several, in the order of the run's points.

    The number of ranks per node is a choice only where they share a node's work; placements are compared with as many
    ranks launched.
    """
    shared = [point for point in summaries if point.operation in _SHARED_WORK and point.member_count > 1]
    paired = [point for point in summaries if _placed(point) and point.operation != "overlap"]
    counted = groups_of(shared, lambda point: (point.variant, fields_of(point, {"ranks_per_node"})))
    placed = groups_of(paired, lambda point: (point.variant, point.ranks, fields_of(point, {"pattern"})))
    return [
        *(best_of("ranks per node", group, seed) for group in counted if len(set(map(ranks_per_node, group))) > 1),
        *(
            best_of("placement", group, seed)
            for group in placed
            if len({point.point["pattern"] for point in group}) > 1
        ),
    ]


def _placed(point: PointSummary) -> bool:
    return point.point.get("pattern") in PLACEMENTS


def fields_of(point: PointSummary, free: set[str]) -> str:
    """Return the fields of a point that matter but the free ones, as a text that equal points share."""
    fields = {name: value for name, value in relevant_fields(point.point).items() if name not in free}
    return json.dumps(fields, sort_keys=True)


def groups_of(points: Iterable[PointSummary], key: Callable[[PointSummary], object]) -> list[list[PointSummary]]:
    """Return the points that have the same key together."""
    groups: dict[object, list[PointSummary]] = {}
    for point in points:
        groups.setdefault(key(point), []).append(point)
    return list(groups.values())


def best_of(choice: Choice, points: list[PointSummary], seed: int) -> Best:
    """Return the best of the points, and what the worst of them costs."""
    ordered = sorted(points, key=lambda point: point.time_ns / _work(point))
    best, worst = ordered[0], ordered[-1]
    others = [_against(point, best, seed) for point in ordered[1:]]
    corrected = holm([comparison.p for comparison in others])
    alike = [
        point
        for point, comparison, p in zip(ordered[1:], others, corrected, strict=True)
        if comparison.verdict(p) != "slower"
    ]
    return Best(choice, best, tuple(alike), worst, others[-1])


def _against(point: PointSummary, best: PointSummary, seed: int) -> Comparison:
    return compare_points(point, best, seed, (_work(point), _work(best)))


def _work(point: PointSummary) -> float:
    """Return the ranks of a node where they share the work, so that times are those of equal work."""
    return ranks_per_node(point) if point.operation in _SHARED_WORK else 1.0
