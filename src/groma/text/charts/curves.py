"""Charts of curves: series distinguished by colour and form, their intervals as bands, and the machine's limit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from groma.text.charts import axes
from groma.text.charts.drawing import COLOURS, SYMBOLS, Drawing
from groma.text.numbers import significant
from groma.text.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markupsafe import Markup

    from groma.text.charts.axes import Axis


@dataclass(frozen=True)
class Point:
    """A point of a curve, the ends of its interval if they are known, and its tool tip."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    text: str = ""


@dataclass(frozen=True)
class Curve:
    """Points under a name; a reference is somebody else's, and drawn with dashes."""

    name: str
    points: Sequence[Point]
    reference: bool = False

    @classmethod
    def of(
        cls,
        name: str,
        places: Iterable[tuple[float, float]],
        *,
        reference: bool = False,
        intervals: Iterable[tuple[float | None, float | None]] = (),
    ) -> Curve:
        """Return the curve through places; `intervals` are the ends of the 95% intervals of y, one pair a point."""
        pairs = zip_longest(places, intervals, fillvalue=(None, None))
        return cls(name, [Point(*place, *ends) for place, ends in pairs], reference)


class Key(NamedTuple):
    """An entry of a legend: the curve's name, its classes in the style sheet and the number of its form."""

    name: str
    kind: str
    form: int


@dataclass(frozen=True)
class Chart:
    """Curves over one axis; both axes are logarithmic unless said otherwise.

    The places of points are sizes in bytes or, unless `sized`, counts. `words` describe the chart to those who do not
    see it; `name` is its place on the page.
    """

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    sized: bool = True
    log_y: bool = True
    words: str = ""
    limit: Sequence[Point] = ()
    name: str = ""

    @property
    def keys(self) -> list[Key]:
        """A key for every curve: dashes for references, dots for repeated colours."""
        return [
            Key(
                curve.name,
                f"s{number % COLOURS + 1} c{number + 1}"
                + (" reference" if curve.reference else " again" if number >= COLOURS else ""),
                number % SYMBOLS,
            )
            for number, curve in enumerate(self.curves)
        ]

    @cached_property
    def drawing(self) -> Markup:
        """The chart without its title and legend."""
        across = [point.x for curve in self.curves for point in curve.points]
        drawing = Drawing((axes.sizes if self.sized else axes.counts)(self.x, across), self._upright())
        named_curves = list(zip(self.curves, self.keys, strict=True))
        for curve, key in named_curves:
            for rows in _bounded(curve.points):
                drawing.band(rows, key.kind)
        if self.limit:
            inside = [point for point in self.limit if min(across) <= point.x <= max(across)]
            drawing.line([(point.x, point.y) for point in inside], "limit")
            drawing.marks(((point.x, point.y, point.text) for point in inside), "limit faint")
        for curve, key in named_curves:
            drawing.line([(point.x, point.y) for point in curve.points], key.kind)
            texts = ((point.x, point.y, f"{curve.name}, {self._text(point)}") for point in curve.points)
            drawing.marks(texts, key.kind, key.form)
        return drawing.svg(self.words or self._description())

    def _upright(self) -> Axis:
        """Return the axis of values, which holds all points, their bounds and the limit."""
        points = [point for curve in self.curves for point in curve.points]
        values = [value for point in points for value in (point.y, point.low, point.low and point.high) if value]
        if not self.log_y:
            return axes.even(self.y, 0, max(values))
        return axes.levels(self.y, [*values, *(point.y for point in self.limit)])

    def _text(self, point: Point) -> str:
        """Return what pointing at a point shows: its place, its value and its interval, unless it has its own text."""
        if point.text:
            return point.text
        where = format_size(round(point.x)) if self.sized else f"{point.x:g} {self.x}"
        text = f"{where}: {significant(point.y)} {self.y}"
        if point.low is None:
            return text
        high = "no bound" if point.high is None else significant(point.high)
        return f"{text}\n95% interval: {significant(point.low)} to {high}"

    def _description(self) -> str:
        ends = (
            f"{curve.name} from {curve.points[0].y:g} at {curve.points[0].x:g} to {curve.points[-1].y:g} at "
            f"{curve.points[-1].x:g}"
            for curve in self.curves
            if curve.points
        )
        return f"{self.title}, {self.y} over {self.x}: {'; '.join(ends)}."


def numbered(name: str, charts: Sequence[Chart]) -> list[Chart]:
    """Return charts named NAME-1, NAME-2 ..."""
    return [replace(chart, name=f"{name}-{number}") for number, chart in enumerate(charts, start=1)]


def _bounded(points: Sequence[Point]) -> list[list[tuple[float, float, float]]]:
    """Return the intervals in stretches without a gap."""
    stretches: list[list[tuple[float, float, float]]] = [[]]
    for point in points:
        if point.low and point.high:
            stretches[-1].append((point.x, point.low, point.high))
        elif stretches[-1]:
            stretches.append([])
    return stretches
