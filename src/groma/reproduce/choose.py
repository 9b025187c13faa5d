"""Which point of a run is meant by words such as `pingpong 64K`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from groma.analysis.grouping import relevant_fields, size_of
from groma.analysis.summary import PointSummary, summarise
from groma.catalog import suggestion
from groma.catalog.values import write_value
from groma.errors import InputError
from groma.results import Run
from groma.text.sizes import format_size, parse_size

_MOST_NAMED = 6


def choose(
    run: Run, words: Sequence[str], ranks: int | None, variant: str | None, settings: Sequence[tuple[str, str]]
) -> PointSummary:
    """Return the point that `pingpong 64K` or `pingpong 64 KiB` names, with the ranks, variant and settings if given.

    Raises InputError for a size that is none, and, with the points there are, if none or several are meant.
    """
    operation, size = words[0], parse_size("".join(words[1:])) if len(words) > 1 else None
    points = summarise(run)
    operations = list(dict.fromkeys(point.operation for point in points))
    if operation not in operations:
        hint = suggestion(operation, operations) or f"; it has {', '.join(operations) or 'no points'}"
        raise InputError(f"{run.path} has not measured '{operation}'{hint}")
    own = [point for point in points if point.operation == operation]
    sized = [point for point in own if size is None or point.bytes == size]
    if not sized:
        sizes = ", ".join(dict.fromkeys(format_size(point.bytes or 0) for point in own))
        raise InputError(f"{run.path} has not measured {operation} at {format_size(size or 0)}; it has {sizes}")
    fitting = [
        point
        for point in sized
        if (ranks is None or point.member_count == ranks)
        and (variant is None or point.variant == variant)
        and all(write_value(point.point.get(name)) == value for name, value in settings)
    ]
    if not fitting:
        raise InputError(f"no {operation} of {run.path} matches; there are {_named(sized)}")
    replaced = {name for point in fitting for launch in point.launches for name in launch.replaced}
    if len(fitting) > 1 and _apart(fitting) <= replaced:
        # Some launches could not keep a setting: most of them say how it was measured.
        fitting = [max(fitting, key=lambda point: len(point.rows))]
    if len(fitting) > 1:
        raise InputError(
            f"{len(fitting)} points of {run.path} are meant: {_named(fitting)}; name one by its size, "
            "-n, --variant or --set"
        )
    return fitting[0]


def _named(points: list[PointSummary]) -> str:
    """Return the points with what distinguishes them."""
    fields = [_fields(point) for point in points]
    apart = [name for name in fields[0] if name in _apart(points) - {"bytes"}]
    named = [
        " ".join([_name(point), *(f"{name}={write_value(one.get(name))}" for name in apart)])
        for point, one in zip(points, fields, strict=True)
    ]
    return ", ".join(named[:_MOST_NAMED]) + (
        f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    )


def _apart(points: list[PointSummary]) -> set[str]:
    """Return the names of the fields in which points differ."""
    fields = [_fields(point) for point in points]
    return {name for name in fields[0] if len({write_value(one.get(name)) for one in fields}) > 1}


def _fields(point: PointSummary) -> dict[str, Any]:
    return {"ranks": point.member_count, "variant": point.variant} | relevant_fields(point.point)


def _name(point: PointSummary) -> str:
    size = size_of(point.point)
    return point.operation if size is None else f"{point.operation} {format_size(size)}"
