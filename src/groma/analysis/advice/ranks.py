"""Which placement of the ranks is fastest: variants of a run that differ in `placement` alone (the ALCF slides).

Launches of one round follow each other in time and are compared with each other. A placement that puts every rank on
the same CPUs as another one is not compared with it: the two would differ by chance alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from groma.analysis import PointSummary
from groma.analysis.advice.placement import Best, best_of, fields_of, groups_of
from groma.results import Launch, Run


@dataclass(frozen=True)
class RankPlacements:
    """The best placement for every figure, and the pairs of placements that put the ranks in the same places.

    Each entry of `alike` is a placement, the earlier placement that it equals, and the number of ranks.
    """

    best: list[Best]
    alike: list[tuple[str, str, int]]


def rank_placements(run: Run, summaries: Sequence[PointSummary]) -> RankPlacements:
    """Compare the placements of a run; the result is empty for fewer than two."""
    names = _names(run)
    identical = list(_alike(run, names))
    skipped = {(name, ranks) for name, _, ranks in identical}
    points = [
        _asked(point, run)
        for point in summaries
        if point.variant in names and (point.variant, point.ranks) not in skipped and point.member_count > 1
    ]
    groups = groups_of(points, lambda point: (point.ranks, fields_of(point, set())))
    compared = [group for group in groups if len({point.variant for point in group}) > 1]
    length = run.meta.round_length
    return RankPlacements([best_of("rank placement", group, length) for group in compared], identical)


def _names(run: Run) -> list[str]:
    """Return the variants with a placement and the environment of the first variant with a placement."""
    placed = [variant for variant in run.meta.variants if variant.placement]
    return [variant.name for variant in placed if variant.env == placed[0].env]


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
