"""Adding copies of points to a plan, slowed by shares of what a short launch says they take (`--calibrate`)."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from groma.catalog import Catalog
from groma.errors import RunError
from groma.machine.examine import Examination
from groma.plan.expand import Plan, Point
from groma.results import load_run
from groma.run.campaign import Campaign
from groma.run.directory import RunDirectory
from groma.run.measuring import new_run
from groma.run.prepared import Prepared
from groma.run.preparing import refused_points
from groma.run.progress import Progress
from groma.text.console import err

MOST_POINTS = 4
PLANTED = (0.02, 0.05, 0.1)
# A wait between two stamps of one call ends with a reading of the clock: shorter ones are not exact.
_SHORTEST_NS = 50


def calibrate(prepared: Prepared) -> Prepared:
    """Return the same with copies of a few points, after one short launch that is not kept.

    Raises RunError if that launch measured none of them.
    """
    places = calibrated(prepared.plan)
    if not places:
        raise RunError("no point of this plan can be calibrated: copies need clock=monotonic")
    pilot = replace(prepared, plan=chosen_points(prepared.plan, places), refused={}, pause_after=None)
    with tempfile.TemporaryDirectory() as name:
        directory = RunDirectory.create(pilot.plan.name, Path(name) / "pilot")
        document = new_run(pilot, directory, Examination())
        Campaign(pilot, document, directory, Progress(err())).run()
        times = _repetition_ns(directory.path, places)
    if not times:
        raise RunError("the short launch before the run measured no point to calibrate; try without --calibrate")
    plan = with_twins(prepared.plan, times, prepared.catalog)
    return replace(prepared, plan=plan, refused=refused_points(plan, prepared.setups))


def _repetition_ns(path: Path, places: tuple[int, ...]) -> dict[int, float]:
    """Return how long a repetition of each point takes, by its place in the plan."""
    return {
        places[record.index]: float(np.median(record.samples_ns)) / record.repetitions_per_sample
        for launch in load_run(path).launches
        for record in launch.points
        if record.samples_ns.size
    }


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
