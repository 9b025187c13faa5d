"""Charts of curves: series distinguished by colour and form, their intervals as bands, and the machine's limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from markupsafe import Markup

from groma.text.charts import axes
from groma.text.charts.axes import Axis
from groma.text.charts.drawing import COLOURS, HEIGHT, SYMBOLS, Drawing
from groma.text.numbers import significant
from groma.text.sizes import format_size


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
    """Points under a name; a reference is somebody else's, and drawn with dashes.

    `number` gives colour and form, such as those of a program on all charts of a page; else the curve's place does.
    """

    name: str
    points: Sequence[Point]
    reference: bool = False
    number: int | None = None

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

    The places of points are sizes in bytes or, unless `sized`, counts. `ratios` are drawn below, over the same axis:
    curves, each in the colour of the curve of its name, that are `ratio_y`, with a line at one. `words` describe the
    chart to those who do not see it; `name` is its place on the page. Intervals are bands, or `bars`.
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
    ratios: Sequence[Curve] = ()
    ratio_y: str = ""
    bars: bool = False

    @property
    def keys(self) -> list[Key]:
        """A key for every curve: dashes for references, dots for repeated colours."""
        keys = []
        for place, curve in enumerate(self.curves):
            number = place if curve.number is None else curve.number
            dashes = " reference" if curve.reference else " again" if number >= COLOURS else ""
            keys.append(Key(curve.name, f"s{number % COLOURS + 1} c{place + 1}{dashes}", number % SYMBOLS))
        return keys

    @cached_property
    def drawing(self) -> Markup:
        """The chart without its title and legend."""
        words = [self.words or self._description(), f"{self.title}, {self.ratio_y} over {self.x}."]
        return Markup().join(part.svg(own) for part, own in zip(self.drawings, words, strict=False))

    @property
    def drawings(self) -> list[Drawing]:
        """The curves and, if there are any, the ratios below them, whose axis has the labels of both."""
        across = [point.x for curve in self.curves for point in curve.points]
        axis = (axes.sizes if self.sized else axes.counts)(self.x, across)
        bare = replace(axis, title="", ticks=()) if self.ratios else axis
        inside = [point for point in self.limit if min(across) <= point.x <= max(across)]
        above = self._drawn(Drawing(bare, self._upright()), self.curves, inside)
        if not self.ratios:
            return [above]
        points = [point for curve in self.ratios for point in curve.points]
        upright = axes.levels(self.ratio_y, [1.0, *_values(points)])
        even = [Point(end, 1.0) for end in (min(across), max(across))]
        return [above, self._drawn(Drawing(axis, upright, HEIGHT // 2), self.ratios, even)]

    def _drawn(self, drawing: Drawing, curves: Sequence[Curve], limit: Sequence[Point]) -> Drawing:
        key_of = {key.name: key for key in self.keys}
        for curve in curves:
            for rows in _bounded(curve.points):
                (drawing.spans if self.bars else drawing.band)(rows, f"{key_of[curve.name].kind}{' bar' * self.bars}")
        if limit:
            drawing.line([(point.x, point.y) for point in limit], "limit")
            drawing.marks(((point.x, point.y, point.text) for point in limit if point.text), "limit faint")
        for curve in curves:
            key = key_of[curve.name]
            drawing.line([(point.x, point.y) for point in curve.points], key.kind)
            texts = ((point.x, point.y, f"{curve.name}, {self._text(point)}") for point in curve.points)
            drawing.marks(texts, key.kind, key.form)
        return drawing

    def _upright(self) -> Axis:
        """Return the axis of values, which holds all points, their bounds and the limit."""
        values = _values(point for curve in self.curves for point in curve.points)
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


def _values(points: Iterable[Point]) -> list[float]:
    """Return what an axis must hold: the points, and their intervals if both ends are known."""
    return [value for point in points for value in (point.y, point.low, point.low and point.high) if value]


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
