"""From a draft to a checked plan, before a rank is started."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from groma.catalog import Catalog
from groma.errors import InputError
from groma.launch.allocation import allocation, copies_started, default_ranks
from groma.launch.checking import check_points
from groma.launch.command import Setup, find_setup
from groma.launch.engine import find_engine
from groma.plan import Draft, Plan, expand
from groma.plan.hosts import NO_HOSTS, Hosts
from groma.run.announcing import commands_of
from groma.run.pace import SHORTEST_SLOT_S, fitting_slot_s
from groma.run.prepared import Prepared


def prepare(draft: Draft, catalog: Catalog, launcher: str | None, hosts: Hosts = NO_HOSTS) -> Prepared:
    """Check everything that can be checked without starting a rank; raises InputError."""
    return prepare_plan(expand(draft, catalog), catalog, launcher, hosts)


def prepare_plan(plan: Plan, catalog: Catalog, launcher: str | None, hosts: Hosts = NO_HOSTS) -> Prepared:
    """Do the same for a plan that is expanded."""
    setups = {name: setup.on(hosts) for name, setup in _libraries(plan, launcher).items()}
    if plan.variants and len(setups) == len(plan.variants):
        setup = next(iter(setups.values()))
    else:
        setup = find_setup(find_engine(), launcher).on(hosts)
        setup.check_engine()
        check_points(setup, plan.points, plan.rank_counts, plan.scheduling)
    prepared = Prepared(plan, catalog, setup, setups, refused_points(plan, setups))
    check_commands(prepared)
    return prepared


def check_commands(prepared: Prepared) -> None:
    """Raise InputError if a launcher has no way to start the plan's ranks where they are asked for."""
    for _ in commands_of(prepared):
        pass


def set_ranks(draft: Draft, ranks: tuple[int, ...] | None, hosts: Hosts) -> None:
    """Set the ranks of a launch: by the command line, else the plan, else the hosts or the scheduler's job."""
    if ranks is not None:
        draft.rank_counts = ranks
    elif not draft.states_ranks:
        draft.rank_counts = default_ranks(hosts, allocation(), draft.rank_counts)


def set_crowding(draft: Draft, launcher: str | None, hosts: Hosts) -> None:
    """Let several profiles do without windows on more ranks than CPUs; see `groma.plan.parts.first_ways`."""
    if draft.programs:
        draft.crowded = find_setup(find_engine(), launcher).on(hosts).oversubscribed(max(draft.rank_counts))


def _libraries(plan: Plan, launcher: str | None) -> dict[str, Setup]:
    """Return what starts the launches of variants with a library of their own; raises InputError as `choose`."""
    if not any(variant.mpi for variant in plan.variants):
        return {}
    if launcher and all(variant.mpi for variant in plan.variants):
        raise InputError("--launcher would be used by no launch: every library has its own; leave it out")
    from groma.libraries.choose import choose  # noqa: PLC0415 - only runs of several libraries need it

    return choose(plan.variants)


def refused_points(plan: Plan, setups: Mapping[str, Setup]) -> dict[str, Mapping[int, str]]:
    """Return the points that the engines of some libraries do not measure, by variant.

    Raises InputError if no library measures a point, or a library none of them.
    """
    if not setups:
        return {}
    from groma.libraries.choose import check_version, refused  # noqa: PLC0415

    for name, setup in setups.items():
        check_version(name, setup)
    refused_by: dict[str, Mapping[int, str]] = {name: refused(setup, plan) for name, setup in setups.items()}
    for name, points in refused_by.items():
        if len(points) == len(plan.points):
            raise InputError(f"{name} measures none of these points: {next(iter(points.values()))}; leave it out")
    if len(refused_by) == len(plan.variants) and (common := set.intersection(*map(set, refused_by.values()))):
        at = min(common)
        reason = next(iter(refused_by.values()))[at]
        raise InputError(f"no library measures {plan.points[at]['operation']}: {reason}; leave it out")
    return {name: points for name, points in refused_by.items() if points}


def refuse_under_launcher() -> None:
    """Raise InputError if Groma itself was started by an MPI launcher: every copy would start ranks of its own."""
    copies = copies_started()
    if copies > 1:
        raise InputError(
            f"groma starts the ranks itself, but {copies} copies of it run; start it without mpiexec or srun, once"
        )


def fit_to_budget(draft: Draft, catalog: Catalog, console: Console) -> None:
    """Shorten the points' time slots so that all launches fit the budget, and say so; a slot given by --set stays."""
    if draft.budget_s is None or "slot_s" in draft.overrides:
        return
    plan = expand(draft, catalog)
    launches = plan.launches * len(plan.rank_counts) * max(1, len(plan.variants))
    slot_s = fitting_slot_s(draft.budget_s, launches, len(plan.points))
    longest = max(float(catalog.resolve(point).get("slot_s") or 0) for point in plan.points)
    if slot_s < longest:
        draft.override("slot_s", slot_s)
        least = " (the minimum; fewer launches will fit)" if slot_s == SHORTEST_SLOT_S else ""
        console.print(
            f"Each point gets at most {slot_s:g} s per launch{least}, to fit {launches} launches into the budget."
        )
