"""Which points of a plan the engine of a library does not measure, asked before the first launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.catalog import packaged
from groma.errors import CatalogError
from groma.launch.engine import describe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groma.catalog import Catalog
    from groma.launch import Setup

Refused = dict[int, str]


def refused(setup: Setup, points: Sequence[Mapping[str, object]]) -> Refused:
    """Return by the place of a point in the plan why this engine does not measure it; empty where it measures all.

    Raises CatalogError where the engine cannot be asked, LaunchError where it does not start.
    """
    catalog = describe(setup.engine, setup.engine_variables())
    if catalog == packaged():
        return {}
    return {at: reason for at, point in enumerate(points) if (reason := _unknown(catalog, point))}


def check_version(name: str, setup: Setup) -> None:
    """Raise CatalogError for an engine that writes records of another version than this Groma reads."""
    catalog, ours = describe(setup.engine, setup.engine_variables()), packaged()
    if catalog.engine != ours.engine:
        raise CatalogError(
            f"the engine of {name} ({setup.engine.path}) is version {catalog.engine}, and this Groma is {ours.engine}; "
            "build it anew with groma mpi add"
        )


def _unknown(catalog: Catalog, point: Mapping[str, object]) -> str:
    """Return what of a point the catalogue of an engine does not have."""
    operation = str(point["operation"])
    if operation not in {one.name for one in catalog.operations}:
        return f"its engine has no operation {operation}"
    fields = set(catalog.names("point"))
    return next((f"its engine has no field {name}" for name in point if name not in fields), "")
