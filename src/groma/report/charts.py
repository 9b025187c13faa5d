"""Charts of curves: series distinguished by colour and form, their intervals as bands, and the machine's limit."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from groma.report import axes
from groma.report.drawing import SYMBOLS, Drawing
from groma.report.figures import INTERVAL_TERMS, interval_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from markupsafe import Markup

    from groma.analysis.order import Interval
    from groma.report.axes import Axis

COLOURS = 8  # --series-1 to --series-8 of the style sheet


@dataclass(frozen=True)
class Point:
    """A point of a curve, the bounds of its interval where it has one, and what pointing at it shows."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    text: str = ""


def bounded(point: Point, interval: Interval | None, kind: str, factor: float) -> Point:
    """Return the point with its interval times `factor`, in words and, where logarithmic axes have a place, as bounds.

    `kind` is a key of `INTERVAL_TERMS`; zero has no place on a logarithmic axis.
    """
    if interval is None:
        return point
    text = f"{point.text}\n{INTERVAL_TERMS[kind]}: {interval_text(interval, factor)}"
    if interval.low <= 0:
        return replace(point, text=text)
    return replace(point, low=interval.low * factor, high=interval.high * factor, text=text)


@dataclass(frozen=True)
class Curve:
    """Points under a name; a reference is somebody else's, and drawn with dashes."""

    name: str
    points: Sequence[Point]
    reference: bool = False


@dataclass(frozen=True)
class Key:
    """An entry of a legend: the curve's name, its classes in the style sheet and the number of its form."""

    name: str
    kind: str
    form: int


@dataclass(frozen=True)
class Chart:
    """A chart as the page shows it: title, what its upright axis says, keys and drawing."""

    name: str
    title: str
    unit: str
    keys: list[Key]
    drawing: Markup
    limit: bool = False


@dataclass(frozen=True)
class Plan:
    """What `draw` needs beside the curves: the axes' titles and makers, a limit, and the drawing in words."""

    x: str
    y: str
    label: str
    across: Callable[[str, Iterable[float]], Axis] = axes.sizes
    log_y: bool = True
    limit: Sequence[Point] = field(default_factory=list)


def keys(curves: Sequence[Curve]) -> list[Key]:
    """Return a key for every curve: dashes for references, dots where colours come again."""
    return [
        Key(
            curve.name,
            f"s{number % COLOURS + 1} c{number + 1}"
            + (" reference" if curve.reference else " again" if number >= COLOURS else ""),
            number % SYMBOLS,
        )
        for number, curve in enumerate(curves)
    ]


def draw(curves: Sequence[Curve], plan: Plan) -> Markup:
    """Return a chart of the curves."""
    across = [point.x for curve in curves for point in curve.points]
    x, y = plan.across(plan.x, across), _upright(curves, plan)
    drawing = Drawing(x, y)
    named_curves = list(zip(curves, keys(curves), strict=True))
    for curve, key in named_curves:
        for rows in _bounded(curve.points):
            drawing.band(rows, key.kind)
    if plan.limit:
        inside = [point for point in plan.limit if min(across) <= point.x <= max(across)]
        drawing.line([(point.x, point.y) for point in inside], "limit")
        drawing.marks(((point.x, point.y, point.text) for point in inside), "limit faint")
    for curve, key in named_curves:
        drawing.line([(point.x, point.y) for point in curve.points], key.kind)
        texts = ((point.x, point.y, f"{curve.name}, {point.text}") for point in curve.points)
        drawing.marks(texts, key.kind, key.form)
    return drawing.svg(plan.label)


def _upright(curves: Sequence[Curve], plan: Plan) -> Axis:
    """Return the axis of values, which holds all points, their bounds and the limit."""
    points = [point for curve in curves for point in curve.points]
    values = [value for point in points for value in (point.y, point.low, point.high) if value]
    if not plan.log_y:
        return axes.even(plan.y, 0, max(values))
    limits = [point.y for point in plan.limit]
    return axes.levels(plan.y, [*values, *limits])


def _bounded(points: Sequence[Point]) -> list[list[tuple[float, float, float]]]:
    """Return the intervals in stretches without a gap."""
    stretches: list[list[tuple[float, float, float]]] = [[]]
    for point in points:
        if point.low and point.high:
            stretches[-1].append((point.x, point.low, point.high))
        elif stretches[-1]:
            stretches.append([])
    return stretches
