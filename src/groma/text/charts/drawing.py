"""A chart as SVG that needs no script: as wide as its place, its text at its own size, its colours the page's.

Text and marks stand at percentages of the drawing. Lines and areas are drawn in a square of 1000 by 1000 that the
browser stretches over it, with strokes that keep their width.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from groma.text.charts.axes import Axis, Tick

Place = tuple[float, float]
Step = tuple[str] | tuple[str, float] | tuple[str, float, float]
HEIGHT = 240
# On white, as --series-1 to --series-8 of the style sheet.
PALETTE = ("#0b6cb0", "#cc5a00", "#00845f", "#a5508a", "#9a7300", "#3a87ad", "#5a5f66", "#7a4fb5")
COLOURS = len(PALETTE)
SYMBOLS = 8
# Marks by series: distinguished by form as well as by colour.
FORMS = (
    "M-3.2 0a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0",
    "M-2.9 -2.9h5.8v5.8h-5.8z",
    "M0 -3.9l3.6 6.3h-7.2z",
    "M0 -4.2l3.8 4.2l-3.8 4.2l-3.8 -4.2z",
    "M-1.2 -3.6h2.4v2.4h2.4v2.4h-2.4v2.4h-2.4v-2.4h-2.4v-2.4h2.4z",
    "M0 3.9l3.6 -6.3h-7.2z",
    "M3.9 0l-6.3 -3.6v7.2z",
    "M-3.9 0l6.3 -3.6v7.2z",
)


def symbols() -> Markup:
    """Return the marks that all drawings of a page use; they stand in the page once."""
    forms = "".join(f'<path id="m{number}" d="{form}"/>' for number, form in enumerate(FORMS))
    return Markup(f'<svg class="unseen" aria-hidden="true"><defs>{forms}</defs></svg>')  # noqa: S704 - constants


@dataclass(frozen=True)
class Picture:
    """A drawing, its title, what is to be seen in it, names of kinds of lines that need one, and sentences below."""

    title: str
    note: str
    drawing: Markup
    keys: list[tuple[str, str]] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Strokes:
    """A path by its class: letters of SVG's paths with the shares of width and height to which each leads."""

    kind: str
    steps: Sequence[Step]

    def path(self, left: float, top: float, width: float, height: float, digits: int | None = 2) -> str:
        """Return SVG's path in a rectangle; with `digits` None in whole numbers."""
        pieces = []
        for letter, *shares in self.steps:
            upright = letter == "V"
            ends = [(top + height * own) if upright or at else (left + width * own) for at, own in enumerate(shares)]
            pieces.append(letter + " ".join(f"{round(end, digits):g}" for end in ends))
        return "".join(pieces)


@dataclass(frozen=True)
class Marks:
    """Marks of one class and form: shares of width and height of each, and the text that pointing at it shows."""

    kind: str
    form: int
    places: Sequence[tuple[float, float, str]]


class Drawing:
    """Two axes and what is drawn between them; later parts lie above earlier ones."""

    def __init__(self, x: Axis, y: Axis, height: int = HEIGHT) -> None:
        self.x, self.y, self.height = x, y, height
        self.parts: list[Strokes | Marks] = []

    def line(self, points: Sequence[Place], kind: str) -> None:
        """Join the points by a line."""
        if len(points) > 1:
            self._strokes(f"line {kind}", _joined([self._at(*point) for point in points]))

    def band(self, rows: Sequence[tuple[float, float, float]], kind: str) -> None:
        """Fill the area between low and high over x; a missing row leaves a gap."""
        around = [(x, high) for x, _, high in rows] + [(x, low) for x, low, _ in reversed(rows)]
        if len(rows) > 1:
            self._strokes(f"band {kind}", [*_joined([self._at(*place) for place in around]), ("Z",)])

    def rectangles(self, rows: Iterable[tuple[float, float, float, float]], kind: str) -> None:
        """Fill a rectangle for each left, right, low, high."""
        corners = ((*self._at(left, high), *self._at(right, low)) for left, right, low, high in rows)
        steps: list[Step] = []
        for x, y, right, low in corners:
            steps += [("M", x, y), ("H", right), ("V", low), ("H", x), ("Z",)]
        self._strokes(f"area {kind}", steps)

    def spans(self, rows: Iterable[tuple[float, float, float]], kind: str) -> None:
        """Draw an upright line from low to high at each x."""
        steps: list[Step] = []
        for x, low, high in rows:
            steps += [("M", *self._at(x, high)), ("V", self._at(x, low)[1])]
        self._strokes(f"line {kind}", steps)

    def specks(self, points: Iterable[Place], kind: str) -> None:
        """Draw a small dot at each point, for points too many to be described one by one."""
        steps: list[Step] = []
        for point in points:
            steps += [("M", *self._at(*point)), ("h0",)]
        self._strokes(f"speck {kind}", steps)

    def marks(self, points: Iterable[tuple[float, float, str]], kind: str, form: int = 0) -> None:
        """Draw a mark at each point, with the text that pointing at it shows."""
        self.parts.append(Marks(kind, form % SYMBOLS, [(*self._at(x, y), text) for x, y, text in points]))

    def svg(self, label: str) -> Markup:
        """Return the drawing for a page; the label describes its content to those who do not see it."""
        upright = f'<span class="upright">{escape(self.y.title)}</span>'
        return Markup(f'<div class="plot">{upright}{self.picture(label)}</div>')  # noqa: S704 - both are escaped

    def picture(self, label: str) -> Markup:
        """Return the drawing alone, without the title of its upright axis, for a picture in a file."""
        parts = [*map(self._level, self.y.ticks), *map(self._tick, self.x.ticks)]
        title = f'<text class="title" x="100%" y="100%" dy="34" text-anchor="end">{escape(self.x.title)}</text>'
        return Markup(  # noqa: S704 - texts are escaped above and here, all else are numbers
            f'<svg width="100%" height="{self.height}" role="img" aria-label="{escape(label)}">'
            f"{''.join(parts)}{title}{''.join(map(_stretched, self.parts))}</svg>"
        )

    def _level(self, tick: Tick) -> str:
        y = _share(1 - self.y.at(tick.value))
        line = f'<line x2="100%" y1="{y}" y2="{y}"/>'
        return f'{line}<text x="-8" y="{y}" dy="4" text-anchor="end">{escape(tick.label)}</text>'

    def _tick(self, tick: Tick) -> str:
        x, room = _share(self.x.at(tick.value)), tick.room and f" {tick.room}"
        return f'<text class="across{room}" x="{x}" y="100%" dy="18" text-anchor="middle">{escape(tick.label)}</text>'

    def _at(self, x: float, y: float) -> Place:
        return self.x.at(x), 1 - self.y.at(y)

    def _strokes(self, kind: str, steps: Sequence[Step]) -> None:
        if steps:
            self.parts.append(Strokes(kind, steps))


def _joined(places: Sequence[Place]) -> list[Step]:
    return [("M", *places[0]), *(("L", *place) for place in places[1:])]


def _stretched(part: Strokes | Marks) -> str:
    """Return a part as it fills a drawing of any size."""
    if isinstance(part, Strokes):
        return (
            '<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="100%">'
            f'<path class="{part.kind}" d="{part.path(0, 0, 1000, 1000, None)}"/></svg>'
        )
    drawn = "".join(
        f'<use href="#m{part.form}" x="{_share(x)}" y="{_share(y)}"><title>{escape(text)}</title></use>'
        for x, y, text in part.places
    )
    return f'<g class="mark {part.kind}">{drawn}</g>'


def _share(part: float) -> str:
    return f"{100 * part:.2f}%"
