"""How long a plan will take, estimated from its time slots; and warnings of too few CPUs or launches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.counts import counted, plain_duration
from groma.run.pace import ASSUMED_OVERHEAD_S, ASSUMED_POINT_FACTOR

if TYPE_CHECKING:
    from groma.catalog import Catalog
    from groma.plan import Plan

# stop=reps has no time slot: what a hundred repetitions of most operations stay below.
_ASSUMED_REPETITIONS_S = 0.05


def launches_of(plan: Plan) -> int:
    """Return how many launches the plan asks for, of all rank counts and variants."""
    return plan.launches * len(plan.rank_counts) * max(1, len(plan.variants))


def expected_s(plan: Plan, catalog: Catalog) -> float:
    """Return the seconds that the plan's launches take if every point uses its time slot; no more than its budget."""
    resolved = [catalog.resolve(point) for point in plan.points]
    slots = [_ASSUMED_REPETITIONS_S if point["stop"] == "reps" else float(point["slot_s"]) for point in resolved]
    total_s = launches_of(plan) * (ASSUMED_OVERHEAD_S + ASSUMED_POINT_FACTOR * sum(slots))
    if plan.every_s is not None:
        total_s = max(total_s, plan.every_s * (plan.launches - 1))
    return total_s if plan.budget_s is None else min(total_s, plan.budget_s)


def forecast(plan: Plan, catalog: Catalog) -> str:
    """Say how long the plan will take: `10 launches of 49 points, at most about 40 s (estimated)`."""
    stops = {catalog.resolve(point)["stop"] for point in plan.points}
    exact = stops <= {"time"} or plan.every_s is not None
    qualifier = "" if exact else "roughly " if "reps" in stops else "at most "
    duration = plain_duration(expected_s(plan, catalog))
    work = f"{counted(launches_of(plan), 'launch')} of {counted(len(plan.points), 'point')}"
    return f"{work}, {qualifier}about {duration} (estimated from their time slots)".replace("roughly about", "roughly")


def crowding(ranks: int, cpus: int) -> str:
    """Warn of more ranks than CPUs; empty where every rank has one."""
    if ranks <= cpus:
        return ""
    return (
        f"{ranks} ranks on {counted(cpus, 'CPU')}: they share CPUs, so figures measure the scheduler as much as MPI, "
        f"and everything takes longer. Use -n {cpus} or fewer to measure MPI alone."
    )


def too_few_launches(plan: Plan) -> str:
    """Say that no ratio between variants could be shown to differ from 1; empty where launches suffice or are added."""
    ratios = len(plan.points) * len(plan.rank_counts) * (len(plan.variants) - 1)
    if ratios < 1 or plan.within or plan.budget_s:
        return ""
    from groma.analysis.compare import fewest_launches  # noqa: PLC0415 - imports numpy

    fewest = fewest_launches(ratios)
    if plan.launches >= fewest:
        return ""
    return (
        f"{counted(plan.launches, 'launch')} of each variant cannot show that any of {counted(ratios, 'ratio')} "
        f"differs from 1 (5 % for all together); --launches {fewest} is the fewest that can."
    )
