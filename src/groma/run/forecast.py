"""Forecasts before the first launch: how long a plan takes, and whether it has enough CPUs and launches."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from groma.catalog import Catalog
from groma.plan import Draft, Plan, expand
from groma.plan.draft import DEFAULT_LAUNCHES
from groma.run.pace import ASSUMED_OVERHEAD_S, ASSUMED_POINT_FACTOR
from groma.text.counts import counted, plain_duration

# stop=reps has no time slot: what a hundred repetitions of most operations stay below.
_ASSUMED_REPETITIONS_S = 0.05
_LONGEST_S = 600.0  # longer runs are not made longer so that they decide: the user chooses


@dataclass(frozen=True)
class Known:
    """How long a round of launches takes, in seconds, and by what that is known."""

    round_s: float
    source: str


def launches_of(plan: Plan) -> int:
    """Return how many launches the plan asks for, of all rank counts and variants."""
    return plan.launches * _round_length(plan)


def expected_s(plan: Plan, catalog: Catalog, launches: int | None = None, known: Known | None = None) -> float:
    """Return the seconds that launches take, if nothing is known with whole time slots; no more than the plan's budget.

    `launches` are those that are still to be made; without it, all of the plan.
    """
    rounds = _count(plan, launches) / _round_length(plan)
    total_s = rounds * (known.round_s if known else _assumed_round_s(plan, catalog))
    if plan.every_s is not None:
        total_s = max(total_s, plan.every_s * (rounds - 1))
    return total_s if plan.budget_s is None else min(total_s, plan.budget_s)


def _assumed_round_s(plan: Plan, catalog: Catalog) -> float:
    resolved = [catalog.resolve(point) for point in plan.points]
    slots = [_ASSUMED_REPETITIONS_S if point["stop"] == "reps" else float(point["slot_s"]) for point in resolved]
    own = [sum(slots[place] for place in part.points) for part in plan.parts.values()] or [sum(slots)]
    return _round_length(plan) * (ASSUMED_OVERHEAD_S + ASSUMED_POINT_FACTOR * sum(own) / len(own))


def forecast(plan: Plan, catalog: Catalog, launches: int | None = None, known: Known | None = None) -> str:
    """Say what is known of how long a plan takes before its first launch: `..., about 40 s if points use their slots`.

    Most points need less than their slot, and on a busy machine a launch takes longer; of points that count
    repetitions nothing is known. Launches that were made know better (`run.pace`).
    """
    work = f"{counted(_count(plan, launches), 'launch')} of {counted(len(plan.points), 'point')}"
    stops = {catalog.resolve(point)["stop"] for point in plan.points}
    duration = plain_duration(expected_s(plan, catalog, launches, known))
    if known is not None and plan.every_s is None and plan.budget_s is None:
        return f"{work}, about {duration} {known.source}"
    if plan.every_s is None and plan.budget_s is None and "reps" in stops:
        return f"{work}; how long their repetitions take is known after the first launch"
    if plan.every_s is not None:
        return f"{work}, about {duration}"
    if plan.budget_s is not None:
        return f"{work}, at most about {duration}"
    slot = "uses" if stops == {"time"} else "needs"
    return f"{work}, about {duration} if every point {slot} its whole time slot"


def _count(plan: Plan, launches: int | None) -> int:
    return launches_of(plan) if launches is None else launches


def _round_length(plan: Plan) -> int:
    return len(plan.rank_counts) * max(1, len(plan.variants))


def crowding(ranks: int, cpus: int) -> str:
    """Warn of more ranks than CPUs; empty if every rank has one."""
    if ranks <= cpus:
        return ""
    return (
        f"{ranks} ranks on {counted(cpus, 'CPU')}: they share CPUs, so figures measure the scheduler as much as MPI, "
        f"and everything takes longer. Use -n {cpus} or fewer to measure MPI alone."
    )


def choose_launches(draft: Draft, catalog: Catalog) -> None:
    """Give a plan without a number of launches as many as can decide between its alternatives, if that is not long."""
    if draft.states_launches or (draft.profile and len(draft.variants) < 2):
        return
    plan = expand(draft, catalog)
    fewest = fewest_to_decide(plan, catalog)
    if fewest > draft.launches and expected_s(replace(plan, launches=fewest), catalog) <= _LONGEST_S:
        draft.launches = fewest


def fewest_to_decide(plan: Plan, catalog: Catalog) -> int:
    """Return the fewest launches that can show that a ratio between alternatives is not 1; 0 if none is asked for.

    With a budget or `within` launches are added until intervals are narrow.
    """
    ratios = _ratios(plan, catalog)
    if not ratios or plan.within or plan.budget_s:
        return 0
    from groma.analysis.compare import fewest_launches  # noqa: PLC0415 - imports numpy

    return fewest_launches(ratios)


def _ratios(plan: Plan, catalog: Catalog) -> int:
    """Return how many ratios a run compares: of programs with the first, else of all pairs of alternatives."""
    if plan.parts:
        ratios = sum([len(own.points) for own in plan.parts.values()][1:])
    else:
        variants = max(1, len(plan.variants))
        alike = Counter(_apart_from_operation(point, catalog) for point in plan.points if not plan.profile)
        ratios = len(plan.points) * math.comb(variants, 2) + variants * sum(math.comb(n, 2) for n in alike.values())
    return ratios * len(plan.rank_counts)


def _apart_from_operation(point: dict[str, Any], catalog: Catalog) -> str:
    """Return what a point measures, as a text that is the same for alternative operations."""
    settings = {name: value for name, value in catalog.resolve(point).items() if name != "operation"}
    return repr((catalog.operation(str(point["operation"])).work, sorted(settings.items())))


def of_launches(plan: Plan, catalog: Catalog) -> str:
    """Say that launches are too few for any verdict on alternatives, or that more than usual are made for it.

    Empty if neither is so. They suffice as soon as one ratio can be shown to differ from 1, with 5 % for all of them.
    """
    fewest, ratios = fewest_to_decide(plan, catalog), counted(_ratios(plan, catalog), "ratio")
    launches = f"{counted(plan.launches, 'launch')}{' of each variant' * bool(plan.variants)}"
    if plan.launches < fewest:
        return (
            f"{launches} cannot show that any of {ratios} differs from 1 (5 % for all together); --launches {fewest} "
            f"is the fewest that can. To add them afterwards: groma run --resume RUN --launches {fewest}."
        )
    if plan.launches == fewest > DEFAULT_LAUNCHES:
        return f"{launches}: the fewest that can show that one of {ratios} differs."
    return ""
