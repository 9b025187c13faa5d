"""Which points of a plan the engine of a library does not measure, asked before the first launch."""

from __future__ import annotations

from collections.abc import Mapping

from groma.catalog import Catalog, packaged
from groma.errors import CatalogError
from groma.launch.checking import refusals
from groma.launch.command import Setup
from groma.launch.engine import describe
from groma.plan import Plan


def refused(setup: Setup, plan: Plan) -> dict[int, str]:
    """Return by the place of a point in the plan why this engine does not measure it; empty if it measures all.

    A point that it refuses for one of the plan's numbers of ranks counts as refused. Raises CatalogError if the
    engine cannot be asked, LaunchError if it does not start.
    """
    catalog = describe(setup.engine, setup.engine_variables())
    unknown: dict[int, str] = {}
    if catalog != packaged():
        unknown = {at: reason for at, point in enumerate(plan.points) if (reason := _unknown(catalog, point))}
    accepted = [at for at in range(len(plan.points)) if at not in unknown]
    points = [plan.points[at] for at in accepted]
    answers = refusals(setup, points, plan.rank_counts, plan.scheduling) if points else []
    return unknown | {accepted[refusal.index]: refusal.message for refusal in answers}


def check_version(name: str, setup: Setup) -> None:
    """Raise CatalogError for an engine that writes records of another version than this Groma reads."""
    catalog, ours = describe(setup.engine, setup.engine_variables()), packaged()
    if catalog.engine != ours.engine:
        raise CatalogError(
            f"the engine of {name} ({setup.engine.path}) is version {catalog.engine}, and this Groma is {ours.engine}; "
            "build it again with groma mpi add"
        )


def _unknown(catalog: Catalog, point: Mapping[str, object]) -> str:
    """Return the operation and fields of a point that an engine's catalogue lacks."""
    operation = str(point["operation"])
    if operation not in {known.name for known in catalog.operations}:
        return f"its engine has no operation {operation}"
    fields = set(catalog.names("point"))
    return next((f"its engine has no field {name}" for name in point if name not in fields), "")
