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
HEIGHT = 240
COLOURS = 8  # --series-1 to --series-8 of the style sheet
SYMBOLS = 8
# Marks by series: distinguished by form as well as by colour.
_FORMS = (
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
    forms = "".join(f'<path id="m{number}" d="{form}"/>' for number, form in enumerate(_FORMS))
    return Markup(f'<svg class="unseen" aria-hidden="true"><defs>{forms}</defs></svg>')  # noqa: S704 - constants


@dataclass(frozen=True)
class Picture:
    """A drawing, its title, what is to be seen in it, names of kinds of lines that need one, and sentences below."""

    title: str
    note: str
    drawing: Markup
    keys: list[tuple[str, str]] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)


class Drawing:
    """Two axes and what is drawn between them; later parts lie above earlier ones."""

    def __init__(self, x: Axis, y: Axis, height: int = HEIGHT) -> None:
        self._x, self._y, self.height = x, y, height
        self._parts: list[str] = []

    def line(self, points: Sequence[Place], kind: str) -> None:
        """Join the points by a line."""
        if len(points) > 1:
            self._path("M" + "L".join(self._place(x, y) for x, y in points), f"line {kind}")

    def band(self, rows: Sequence[tuple[float, float, float]], kind: str) -> None:
        """Fill the area between low and high over x; a missing row leaves a gap."""
        places = [self._place(x, high) for x, _, high in rows]
        back = [self._place(x, low) for x, low, _ in reversed(rows)]
        if len(rows) > 1:
            self._path("M" + "L".join([*places, *back]) + "Z", f"band {kind}")

    def rectangles(self, rows: Iterable[tuple[float, float, float, float]], kind: str) -> None:
        """Fill a rectangle for each left, right, low, high."""
        corners = ((*self._at(left, high), *self._at(right, low)) for left, right, low, high in rows)
        drawn = "".join(f"M{x} {y}H{right}V{low}H{x}Z" for x, y, right, low in corners)
        self._path(drawn, f"area {kind}")

    def spans(self, rows: Iterable[tuple[float, float, float]], kind: str) -> None:
        """Draw an upright line from low to high at each x."""
        ends = ((*self._at(x, high), self._at(x, low)[1]) for x, low, high in rows)
        self._path("".join(f"M{x} {high}V{low}" for x, high, low in ends), f"line {kind}")

    def specks(self, points: Iterable[Place], kind: str) -> None:
        """Draw a small dot at each point, for points too many to be described one by one."""
        self._path("".join(f"M{self._place(x, y)}h0" for x, y in points), f"speck {kind}")

    def marks(self, points: Iterable[tuple[float, float, str]], kind: str, form: int = 0) -> None:
        """Draw a mark at each point, with the text that pointing at it shows."""
        drawn = "".join(
            f'<use href="#m{form % SYMBOLS}" x="{_share(self._x.at(x))}" y="{_share(1 - self._y.at(y))}">'
            f"<title>{escape(text)}</title></use>"
            for x, y, text in points
        )
        self._parts.append(f'<g class="mark {kind}">{drawn}</g>')

    def svg(self, label: str) -> Markup:
        """Return the drawing for a page; the label describes its content to those who do not see it."""
        upright = f'<span class="upright">{escape(self._y.title)}</span>'
        return Markup(f'<div class="plot">{upright}{self.picture(label)}</div>')  # noqa: S704 - both are escaped

    def picture(self, label: str) -> Markup:
        """Return the drawing alone, without the title of its upright axis, for a picture in a file."""
        parts = [*map(self._level, self._y.ticks), *map(self._tick, self._x.ticks)]
        title = f'<text class="title" x="100%" y="100%" dy="34" text-anchor="end">{escape(self._x.title)}</text>'
        return Markup(  # noqa: S704 - texts are escaped above and here, all else are numbers
            f'<svg width="100%" height="{self.height}" role="img" aria-label="{escape(label)}">'
            f"{''.join(parts)}{title}{''.join(self._parts)}</svg>"
        )

    def _level(self, tick: Tick) -> str:
        y = _share(1 - self._y.at(tick.value))
        line = f'<line x2="100%" y1="{y}" y2="{y}"/>'
        return f'{line}<text x="-8" y="{y}" dy="4" text-anchor="end">{escape(tick.label)}</text>'

    def _tick(self, tick: Tick) -> str:
        x, room = _share(self._x.at(tick.value)), tick.room and f" {tick.room}"
        return f'<text class="across{room}" x="{x}" y="100%" dy="18" text-anchor="middle">{escape(tick.label)}</text>'

    def _at(self, x: float, y: float) -> tuple[int, int]:
        return round(1000 * self._x.at(x)), round(1000 * (1 - self._y.at(y)))

    def _place(self, x: float, y: float) -> str:
        across, down = self._at(x, y)
        return f"{across} {down}"

    def _path(self, drawn: str, kind: str) -> None:
        if drawn:
            self._parts.append(
                '<svg viewBox="0 0 1000 1000" preserveAspectRatio="none" width="100%" height="100%">'
                f'<path class="{kind}" d="{drawn}"/></svg>'
            )


def _share(part: float) -> str:
    return f"{100 * part:.2f}%"
