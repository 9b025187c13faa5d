"""Which point of a run is meant by words such as `pingpong 64K`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from groma.analysis.grouping import relevant_fields, size_of
from groma.analysis.summary import PointSummary, summarise
from groma.catalog import suggestion
from groma.catalog.values import write_value
from groma.errors import InputError
from groma.results import Launch, Run
from groma.results.records import Point
from groma.text.sizes import format_size, parse_size

_MOST_NAMED = 6


@dataclass(frozen=True)
class Wanted:
    """A point in words: operation, size in bytes, and what else distinguishes it; None if nothing was said."""

    operation: str
    size: int | None = None
    ranks: int | None = None
    variant: str | None = None
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Chosen:
    """A point of a run: its figure over launches, and its records."""

    summary: PointSummary
    records: list[tuple[Launch, Point]]


def wanted(words: Sequence[str], ranks: int | None, variant: str | None, settings: list[tuple[str, str]]) -> Wanted:
    """Return what `pingpong 64K` or `pingpong 64 KiB` asks for; raises InputError for a size that is none."""
    size = parse_size("".join(words[1:])) if len(words) > 1 else None
    return Wanted(words[0], size, ranks, variant, tuple(settings))


def choose(run: Run, wish: Wanted) -> Chosen:
    """Return the point; raises InputError, with the points there are, if none or several are meant."""
    points = summarise(run)
    operations = list(dict.fromkeys(point.operation for point in points))
    if wish.operation not in operations:
        hint = suggestion(wish.operation, operations) or f"; it has {', '.join(operations) or 'no points'}"
        raise InputError(f"{run.path} has not measured '{wish.operation}'{hint}")
    own = [point for point in points if point.operation == wish.operation]
    sized = [point for point in own if wish.size is None or point.bytes == wish.size]
    if not sized:
        sizes = ", ".join(dict.fromkeys(format_size(point.bytes or 0) for point in own))
        raise InputError(
            f"{run.path} has not measured {wish.operation} at {format_size(wish.size or 0)}; it has {sizes}"
        )
    fitting = [point for point in sized if _fits(point, wish)]
    if not fitting:
        raise InputError(f"no {wish.operation} of {run.path} matches; there are {_named(sized)}")
    if len(fitting) > 1 and _apart(fitting) <= _replaced(fitting):
        # Some launches could not keep a setting: most of them say how it was measured.
        fitting = [max(fitting, key=lambda point: len(point.rows))]
    if len(fitting) > 1:
        raise InputError(
            f"{len(fitting)} points of {run.path} are meant: {_named(fitting)}; name one by its size, "
            "-n, --variant or --set"
        )
    return Chosen(fitting[0], fitting[0].records)


def _fits(summary: PointSummary, wish: Wanted) -> bool:
    return (
        (wish.ranks is None or summary.member_count == wish.ranks)
        and (wish.variant is None or summary.variant == wish.variant)
        and all(write_value(summary.point.get(name)) == value for name, value in wish.settings)
    )


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


def _replaced(points: list[PointSummary]) -> set[str]:
    return {name for point in points for launch in point.launches for name in launch.replaced}


def _name(point: PointSummary) -> str:
    size = size_of(point.point)
    return point.operation if size is None else f"{point.operation} {format_size(size)}"
