"""Copies of points, equal and slowed by a known amount: `--calibrate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from groma.catalog import Catalog
from groma.plan.expand import Plan, Point

MOST_POINTS = 4
PLANTED = (0.02, 0.05, 0.1)
# A wait between two stamps of one call ends with a reading of the clock: shorter ones are not exact.
_SHORTEST_NS = 50


def calibrated(plan: Plan) -> tuple[int, ...]:
    """Return the places of the points that are calibrated: a few, spread over those on the monotonic clock."""
    able = [at for at, point in enumerate(plan.points) if point.get("clock", "monotonic") == "monotonic"]
    able = [at for at in able if not plan.points[at].get("twin") and not plan.points[at].get("added_ns")]
    count = min(MOST_POINTS, len(able))
    return tuple(able[round(place * (len(able) - 1) / max(1, count - 1))] for place in range(count))


def with_twins(plan: Plan, repetition_ns: Mapping[int, float], catalog: Catalog) -> Plan:
    """Return the plan with copies of the points in `repetition_ns`, which says how long a repetition of each takes.

    The first copy is as its point is, the others are slowed by `PLANTED`, as shares of a repetition.
    """
    copies: list[Point] = []
    for at, time_ns in repetition_ns.items():
        point = plan.points[at]
        blocks = catalog.resolve(point)["timing"] == "block"
        waits = [added_ns(time_ns, share, blocks=blocks) for share in PLANTED]
        copies.append({**point, "twin": 1})
        copies += [{**point, "twin": 2 + number, "added_ns": wait} for number, wait in enumerate(dict.fromkeys(waits))]
    return replace(plan, points=(*plan.points, *copies))


def added_ns(repetition_ns: float, share: float, *, blocks: bool) -> float:
    """Return the wait that slows a repetition by a share; single calls wait at least as long as can be kept exactly.

    A block waits once for all its repetitions, so that there any wait is exact.
    """
    wait = share * repetition_ns
    return round(wait if blocks else max(wait, _SHORTEST_NS * share / PLANTED[0]), 2)


def chosen_points(plan: Plan, places: Sequence[int]) -> Plan:
    """Return the plan of one short launch that says how long these points take."""
    effort: Point = {"stop": "time", "slot_s": 0.02}
    points = tuple({**plan.points[at], **effort} for at in places)
    return replace(plan, points=points, launches=1, rank_counts=plan.rank_counts[-1:], variants=(), every_s=None)
