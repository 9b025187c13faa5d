"""Two variants or two operations of one run, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from groma.analysis import PointSummary, summarise
from groma.analysis.grouping import meaning, relevant_fields
from groma.errors import InputError
from groma.results import Run


@dataclass(frozen=True)
class Within:
    """What two names of a run stand for: the launches and the points of each, and the setting in which they differ."""

    runs: tuple[Run, Run]
    points: tuple[list[PointSummary], list[PointSummary]]
    differ_in: Literal["variant", "operation"]

    @property
    def remarks(self) -> list[str]:
        """Say what a time is of each operation, and which settings it has by default, if these are not the same."""
        if self.differ_in == "variant":
            return []
        first, second = (points[0] for points in self.points)
        times = [meaning(point.point).time for point in (first, second)]
        of_times = f"A time of {first.operation} is {times[0]}; one of {second.operation} is {times[1]}."
        settings = [
            f"{name} {first.point[name]} and {second.point[name]}"
            for name in relevant_fields(first.point)
            if name != "operation" and first.point[name] != second.point.get(name, first.point[name])
        ]
        of_settings = f"{first.operation} and {second.operation} have {', '.join(settings)}."
        return [of_times] * (times[0] != times[1]) + [of_settings] * bool(settings)


def within(run: Run, between: tuple[str, str]) -> Within:
    """Return two variants or two operations of a run; raises InputError if the names are not two of one kind."""
    variants = run.by_variant()
    operations = {point.operation: point for point in summarise(run)}
    for name in between:
        if name not in variants and name not in operations:
            raise InputError(f"{run.path} has no variant or operation {name}: {_choice([*variants], [*operations])}")
    if between[0] == between[1]:
        raise InputError(f"--between {between[0]} {between[1]} names one thing twice; name two")
    first, second = between
    if first in variants and second in variants:
        own = variants[first], variants[second]
        return Within(own, (summarise(own[0]), summarise(own[1])), "variant")
    if first in operations and second in operations:
        own_points = [[point for point in summarise(run) if point.operation == name] for name in between]
        return Within((run, run), (own_points[0], own_points[1]), "operation")
    kinds = " and ".join(f"{name} is {'a variant' if name in variants else 'an operation'}" for name in between)
    raise InputError(f"--between compares two variants or two operations; {kinds}")


def _choice(variants: Sequence[str], operations: Sequence[str]) -> str:
    """Say which names a run has."""
    kinds = {"variants": variants, "operations": operations}
    return "; ".join(f"its {kind} are {', '.join(names)}" for kind, names in kinds.items() if names) or "it has none"
