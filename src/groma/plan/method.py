"""The settings by which a plan measures one operation, for comparison with other methods."""

from __future__ import annotations

from typing import Any

from groma.catalog import Catalog
from groma.plan.expand import Plan


def methods_of(plan: Plan, operation: str, size: int | None, catalog: Catalog) -> list[dict[str, Any]]:
    """Return the points of the plan for this operation at the size nearest to `size`, every field given.

    There are several if the plan measures it in several ways, and none if it does not measure it. A form of an
    operation that the plan does not have is measured as that operation.
    """
    blocking = next((form.form_of for form in catalog.operations if form.name == operation), "")
    points = [dict(point) for point in plan.points if point["operation"] == operation] or [
        dict(point) | {"operation": operation} for point in plan.points if point["operation"] == blocking
    ]
    if size is not None and points:
        nearest = min((int(str(point.get("bytes", 0))) for point in points), key=lambda number: abs(number - size))
        points = [point for point in points if int(str(point.get("bytes", 0))) == nearest]
    return [catalog.resolve(point) for point in points]
