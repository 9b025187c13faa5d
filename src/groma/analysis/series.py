"""Curves: the points that differ in message size alone, named by the settings that distinguish them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from groma.analysis.grouping import EFFORT_FIELDS, SEARCHING, grouped, meaning, relevant_fields
from groma.analysis.summary import PointSummary
from groma.catalog import Operation
from groma.text.counts import counted
from groma.text.sizes import format_size


@dataclass(frozen=True)
class Series:
    """The points of one operation that differ in message size alone, by size."""

    label: str
    points: list[PointSummary]

    @property
    def operation(self) -> Operation:
        """The catalogue's entry of the operation."""
        return meaning(self.points[0].point)

    @property
    def variant(self) -> str | None:
        """The variant that the points were measured in."""
        return self.points[0].variant

    @property
    def family(self) -> str:
        """All settings except the variant, as a text that is the same for curves to be compared."""
        return json.dumps(settings(self.points[0]) | {"variant": None}, sort_keys=True)

    @property
    def has_sizes(self) -> bool:
        """True if the operation sends messages of a size."""
        return self.points[0].bytes is not None


def series(summaries: list[PointSummary]) -> list[Series]:
    """Return the curves in the order of their first points.

    The label is the operation's name and every setting in which the curves of that operation differ.
    """
    by_settings = grouped(summaries, lambda summary: json.dumps(settings(summary), sort_keys=True))
    curves = [
        sorted(points, key=lambda point: point.bytes or 0)
        for whole in by_settings.values()
        for points in _one_axis(whole)
    ]
    return list(map(Series, labels([points[0] for points in curves]), curves))


def _one_axis(points: list[PointSummary]) -> list[list[PointSummary]]:
    """Divide points that differ in size into curves: swaps of one length are a curve over the number of messages."""
    if len({point.point.get("swap_messages") for point in points}) == 1:
        return [points]
    return list(grouped(points, lambda point: int(point.point["bytes"])).values())


def common_settings(curves: list[Series]) -> dict[str, object]:
    """Return the fields, with the effort, in which all points of the curves agree; operation and size are omitted."""
    points = [point.point for curve in curves for point in curve.points]
    idle = set(points[0]) - set(relevant_fields(points[0])) - EFFORT_FIELDS
    names = [name for name in points[0] if name not in idle | {"operation", "bytes"}]
    return {name: points[0][name] for name in names if all(point.get(name) == points[0][name] for point in points)}


def settings(summary: PointSummary) -> dict[str, object]:
    """Return the key of a point's curve: its relevant fields without size, and ranks and variant."""
    axes = {"bytes", "ranks", "swap_messages"}
    fields = {name: value for name, value in relevant_fields(summary.point).items() if name not in axes}
    pair = {"pair": summary.members[:2]} if summary.point.get("pattern") in SEARCHING else {}
    return {**fields, **pair, "ranks": f"{summary.member_count} of {summary.ranks}", "variant": summary.variant}


def words(summary: PointSummary, names: list[str]) -> list[str]:
    """Return these settings of a point as text; settings that it does not have are skipped."""
    fields = settings(summary)
    members, _, launched = str(fields["ranks"]).partition(" of ")
    ranks = counted(int(members), "rank") if members == launched else f"{members} of {launched} ranks"
    pair = f"ranks {' and '.join(map(str, summary.members))}"
    plain = {"ranks": ranks, "variant": str(fields["variant"]), "pair": pair}
    return [plain.get(name) or f"{name}={fields[name]}" for name in names if name in fields]


def labels(points: list[PointSummary], but: str = "") -> list[str]:
    """Return for each point its operation and every setting, `but` one, in which points of that operation differ."""
    differing = differing_settings(points)
    dot = " \N{MIDDLE DOT} "
    return [
        dot.join([point.operation, *words(point, [name for name in differing[point.operation] if name != but])])
        for point in points
    ]


def point_labels(points: list[PointSummary], operations: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return for each point its name in tables, with its size, and the label of its curve.

    If `operations` are compared, names have none of them, and labels of curves all.
    """
    curves = {id(point): curve.label for curve in series(points) for point in curve.points}
    labels = []
    for point in points:
        size = "" if point.bytes is None else f" {format_size(point.bytes)}"
        name, _, rest = curves[id(point)].partition(" ")
        if operations:
            labels.append((f"{size} {rest}".strip() or name, f"{' and '.join(operations)} {rest}".rstrip()))
        else:
            labels.append((f"{name}{size} {rest}".rstrip(), curves[id(point)]))
    return labels


def differing_settings(points: list[PointSummary]) -> dict[str, list[str]]:
    """Return for each operation the settings in which its points differ."""
    values: dict[str, dict[str, set[object]]] = {}
    known = [(point.operation, settings(point)) for point in points]
    for operation, fields in known:
        own = values.setdefault(operation, {})
        for name in fields:
            own.setdefault(name, set())
    for operation, fields in known:
        for name, seen in values[operation].items():
            seen.add(fields.get(name))
    return {operation: [name for name, seen in own.items() if len(seen) > 1] for operation, own in values.items()}
