"""How long a plan will take: an estimate from its time slots before the first launch, and a warning of too few CPUs."""

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
    whole = launches_of(plan) * (ASSUMED_OVERHEAD_S + ASSUMED_POINT_FACTOR * sum(slots))
    if plan.every_s is not None:
        whole = max(whole, plan.every_s * (plan.launches - 1))
    return whole if plan.budget_s is None else min(whole, plan.budget_s)


def forecast(plan: Plan, catalog: Catalog) -> str:
    """Say how long the plan will take: `10 launches of 49 points, at most about 40 s (estimated)`."""
    stops = {catalog.resolve(point)["stop"] for point in plan.points}
    known = stops <= {"time"} or plan.every_s is not None
    least = "" if known else "roughly " if "reps" in stops else "at most "
    about = plain_duration(expected_s(plan, catalog))
    work = f"{counted(launches_of(plan), 'launch')} of {counted(len(plan.points), 'point')}"
    return f"{work}, {least}about {about} (estimated from their time slots)".replace("roughly about", "roughly")


def crowding(ranks: int, cpus: int) -> str:
    """Warn of more ranks than CPUs; empty where every rank has one."""
    if ranks <= cpus:
        return ""
    return (
        f"{ranks} ranks on {counted(cpus, 'CPU')}: they share CPUs, so figures measure the scheduler as much as MPI, "
        f"and everything takes longer. Use -n {cpus} or fewer to measure MPI alone."
    )
