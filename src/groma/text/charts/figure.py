"""Charts as one figure for print: SVG that needs nothing beside it, in points (1/72 inch), black on white.

It has only `rect`, `path`, `circle` and `text`, each with its own attributes, which every program draws alike;
`groma.text.charts.files` turns it into PDF and PNG.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import attrgetter

from markupsafe import escape

from groma.errors import InputError
from groma.text.charts.curves import Chart, Key
from groma.text.charts.drawing import FORMS, PALETTE, Drawing, Marks, Strokes

FONTS = "Helvetica, Arial, 'Liberation Sans', sans-serif"
POINTS_PER_MM = 72 / 25.4
_SIZE, _ADVANCE = 7.0, 0.6  # of letters, and the widest mean width of one in these fonts, relative to that
_TWO_MM = 130  # width from which panels stand in two columns, and a single one has the labels of a desk
_GAP, _PAD, _TICK, _LINE = 12.0, 5.0, 2.5, 10.0
_RATIO = 0.68  # height of a plot over its width
_KEY, _MARK, _RADIUS, _CAP = 16.0, 0.55, 3.2, 2.2
_INK, _GRID = "#000", "#d9d9d9"


def figure(charts: Sequence[Chart], width_mm: float, title: str, caption: str) -> str:
    """Return charts as SVG of this width, each with its legend above; raises InputError if a name does not fit."""
    sheet = _Sheet(width_mm * POINTS_PER_MM)
    columns = min(len(charts), 2 if width_mm >= _TWO_MM else 1)
    wide = (sheet.width - _GAP * (columns - 1)) / columns
    desk = columns == 1 and width_mm >= _TWO_MM
    panels = [_Panel(sheet, chart, number % columns * (wide + _GAP), wide, desk) for number, chart in enumerate(charts)]
    margin = max(panel.labels for panel in panels) + _TICK + _SIZE + 6
    top = 0.0
    for start in range(0, len(panels), columns):
        row = panels[start : start + columns]
        above = max(panel.above(margin) for panel in row)
        for panel in row:
            panel.draw(top, above, margin)
        top += above + panels[0].plot_height + 2.5 * _LINE + (_GAP if start + columns < len(panels) else 0)
    return sheet.svg(top, title, caption)


def _width(text: str) -> float:
    return _SIZE * _ADVANCE * len(text)


@dataclass
class _Sheet:
    """The elements of a figure, from the lowest to the topmost."""

    width: float
    elements: list[str] = field(default_factory=list)

    def path(self, drawn: str, width: float, colour: str = _INK, dash: str = "") -> None:
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        stroke = f'fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linejoin="round"'
        self.elements.append(f'<path d="{drawn}" {stroke}{dashes}/>')

    def mark(self, x: float, y: float, form: int, colour: str) -> None:
        """Draw a mark: the first form is a circle, which a path has only as arcs."""
        if form == 0:
            self.elements.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{_RADIUS * _MARK:g}" fill="{colour}"/>')
            return
        place = f"translate({x:.2f} {y:.2f}) scale({_MARK})"
        self.elements.append(f'<path d="{FORMS[form]}" fill="{colour}" transform="{place}"/>')

    def text(self, x: float, y: float, text: str, anchor: str = "middle", turned: bool = False) -> None:
        """Write text; turned, it is read from below."""
        place = f'transform="translate({x:.2f} {y:.2f}) rotate(-90)"' if turned else f'x="{x:.2f}" y="{y:.2f}"'
        self.elements.append(f'<text {place} text-anchor="{anchor}" fill="{_INK}">{escape(text)}</text>')

    def svg(self, height: float, title: str, caption: str) -> str:
        wide, high = (f"{length / POINTS_PER_MM:.2f}mm" for length in (self.width, height))
        box = f'viewBox="0 0 {self.width:.2f} {height:.2f}" width="{wide}" height="{high}"'
        drawn = "\n".join(self.elements)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="{FONTS}" font-size="{_SIZE:g}">\n'
            f"<title>{escape(title)}</title>\n<desc>{escape(caption)}</desc>\n"
            f'<rect x="0" y="0" width="{self.width:.2f}" height="{height:.2f}" fill="#fff"/>\n{drawn}\n</svg>\n'
        )


@dataclass
class _Panel:
    """One chart at its place on the sheet."""

    sheet: _Sheet
    chart: Chart
    left: float
    width: float
    desk: bool

    @cached_property
    def drawing(self) -> Drawing:
        """The curves between their axes."""
        return self.chart.drawings[0]

    @property
    def plot_height(self) -> float:
        """Height of the frame; a wide figure is not as high as it would be."""
        return min(_RATIO * self.width, 220.0)

    @property
    def labels(self) -> float:
        """Width of the labels of the upright axis."""
        return max((_width(tick.label) for tick in self.drawing.y.ticks), default=0.0)

    def above(self, margin: float) -> float:
        """Return the height of title and legend."""
        return _LINE * (len(self._legend(margin)) + bool(self.chart.title)) + _TICK

    def _legend(self, margin: float) -> list[list[tuple[Key, float]]]:
        """Return rows of keys with the place of each; a curve without a name has none."""
        rows: list[list[tuple[Key, float]]] = []
        width, right = self.width - margin, self.width
        for key in filter(attrgetter("name"), self.chart.keys):
            own = _KEY + 4 + _width(key.name)
            if own > width:
                raise InputError(f"the curve's name '{key.name}' is wider than the figure: shorten it with --legend")
            if right + own > width:
                rows.append([])
                right = 0.0
            rows[-1].append((key, right))
            right += own + 8
        return rows

    def draw(self, top: float, above: float, margin: float) -> None:
        """Draw title and legend, `above` points high, then the plot with its axes, `margin` from the left."""
        start = self.left + margin
        if self.chart.title:
            self.sheet.text(start, top + _SIZE, self.chart.title, "start")
        for number, row in enumerate(self._legend(margin), start=bool(self.chart.title)):
            for key, right in row:
                self._key(key, start + right, top + _LINE * number + _SIZE / 2 + 1)
        x = self.drawing.x
        beyond = [_width(tick.label) / 2 - self.width * 0.7 * (1 - x.at(tick.value)) for tick in x.ticks]
        right = max(2.0, *beyond) - _PAD if beyond else 2.0
        box = _Box(start, top + above, self.width - margin - max(2.0, right), self.plot_height)
        self._axes(self.drawing, box)
        for part in self.drawing.parts:
            self._part(part, box)

    def _key(self, key: Key, x: float, y: float) -> None:
        colour, dash = _look(key.kind)
        self.sheet.path(f"M{x:.2f} {y:.2f}H{x + _KEY:.2f}", 1, colour, dash)
        self.sheet.mark(x + _KEY / 2, y, key.form, colour)
        self.sheet.text(x + _KEY + 4, y + _SIZE / 3, key.name, "start")

    def _axes(self, drawing: Drawing, box: _Box) -> None:
        """Draw frame, ticks and their labels, light lines across, and the titles of both axes."""
        for tick in drawing.x.ticks:
            if not (tick.wide if self.desk else tick.narrow):
                continue
            x = box.x(drawing.x.at(tick.value))
            self.sheet.path(f"M{x:.2f} {box.top:.2f}V{box.bottom:.2f}", 0.4, _GRID)
            self.sheet.path(f"M{x:.2f} {box.bottom:.2f}v{_TICK}", 0.6)
            self.sheet.text(x, box.bottom + _TICK + _SIZE, tick.label)
        for tick in drawing.y.ticks:
            y = box.y(1 - drawing.y.at(tick.value))
            self.sheet.path(f"M{box.left:.2f} {y:.2f}H{box.right:.2f}", 0.4, _GRID)
            self.sheet.path(f"M{box.left - _TICK:.2f} {y:.2f}H{box.left:.2f}", 0.6)
            self.sheet.text(box.left - _TICK - 2, y + _SIZE / 3, tick.label, "end")
        self.sheet.path(f"M{box.left:.2f} {box.top:.2f}H{box.right:.2f}V{box.bottom:.2f}H{box.left:.2f}Z", 0.6)
        self.sheet.text((box.left + box.right) / 2, box.bottom + _TICK + _SIZE + _LINE, drawing.x.title)
        self.sheet.text(self.left + _SIZE, (box.top + box.bottom) / 2, drawing.y.title, turned=True)

    def _part(self, part: Strokes | Marks, box: _Box) -> None:
        colour, dash = _look(part.kind)
        if isinstance(part, Marks):
            for x, y, _ in part.places:
                self.sheet.mark(box.x(x), box.y(y), part.form, colour)
        elif "bar" in part.kind.split():
            self.sheet.path("".join(_bars(part, box)), 0.7, colour)
        else:
            self.sheet.path(part.path(*box.inside), 1, colour, dash)


@dataclass(frozen=True)
class _Box:
    """The frame of a plot; its data have some room inside."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def inside(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the place for the data."""
        return self.left + _PAD, self.top + _PAD, self.width - 2 * _PAD, self.height - 2 * _PAD

    def x(self, share: float) -> float:
        return self.inside[0] + share * self.inside[2]

    def y(self, share: float) -> float:
        return self.inside[1] + share * self.inside[3]


def _bars(part: Strokes, box: _Box) -> Iterator[str]:
    """Yield the bars of intervals, with a cap at both ends."""
    for (_, *place), (_, *end) in list(pairwise(part.steps))[::2]:
        x, ends = box.x(place[0]), (box.y(place[1]), box.y(end[0]))
        yield f"M{x:.2f} {ends[0]:.2f}V{ends[1]:.2f}"
        yield from (f"M{x - _CAP:.2f} {y:.2f}H{x + _CAP:.2f}" for y in ends)


def _look(kind: str) -> tuple[str, str]:
    """Return colour and dashes of a class."""
    words = kind.split()
    number = next(int(word[1:]) for word in words if word[0] == "s" and word[1:].isdigit())
    return PALETTE[number - 1], "3 2" if "reference" in words else "1 1.5" if "again" in words else ""
