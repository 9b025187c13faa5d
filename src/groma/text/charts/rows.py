"""Named rows on one axis, each with its drawing and what it shows in words: forest plots and waterfalls."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup, escape

from groma.text.charts.axes import Axis

_HEIGHT, _MIDDLE, _END = 20, 10, 4  # pixels of a row, of its middle, and of an interval's end above and below that


class Track:
    """The drawing of one row: areas, lines, intervals and marks at their places on the axis; later ones lie above."""

    def __init__(self, axis: Axis) -> None:
        self._axis = axis
        self._shapes: list[str] = []

    def area(self, low: float, high: float, kind: str) -> None:
        """Fill the row from low to high."""
        left, right = self._at(low), self._at(high)
        self._shapes.append(f'<rect class="{kind}" x="{left:.2f}%" width="{right - left:.2f}%" height="{_HEIGHT}"/>')

    def line(self, value: float, kind: str) -> None:
        """Draw an upright line."""
        self._shapes.append(_line(f'class="{kind}" ', self._at(value), self._at(value), 0, _HEIGHT))

    def interval(self, low: float, high: float) -> None:
        """Draw a line from low to high with its ends marked."""
        left, right = self._at(low), self._at(high)
        lines = [_line("", left, right, _MIDDLE, _MIDDLE)]
        lines += [_line("", end, end, _MIDDLE - _END, _MIDDLE + _END) for end in (left, right)]
        self._shapes.append(f'<g class="reach">{"".join(lines)}</g>')

    def mark(self, value: float, form: int) -> None:
        """Draw the mark of a form."""
        self._shapes.append(f'<use href="#m{form}" x="{self._at(value):.2f}%" y="{_MIDDLE}"/>')

    def svg(self, text: str) -> Markup:
        """Return the drawing; the text is shown where one points at it."""
        return Markup(  # noqa: S704 - the text is escaped, all else are numbers and classes
            f'<svg width="100%" height="{_HEIGHT}" aria-hidden="true"><title>{escape(text)}</title>'
            f"{''.join(self._shapes)}</svg>"
        )

    def _at(self, value: float) -> float:
        return 100 * self._axis.at(value)


def _line(kind: str, left: float, right: float, top: int, bottom: int) -> str:
    return f'<line {kind}x1="{left:.2f}%" x2="{right:.2f}%" y1="{top}" y2="{bottom}"/>'


@dataclass(frozen=True)
class Row:
    """A row: its name, its class in the style sheet, its drawing, and that in words."""

    name: str
    kind: str
    drawing: Markup
    told: str


@dataclass(frozen=True)
class Rows:
    """Rows from top to bottom, and the axis that they share."""

    rows: list[Row]
    axis: Axis

    @property
    def ticks(self) -> list[tuple[str, str, float]]:
        """The labels of the axis, on which widths there is room for each, and their places in percent."""
        return [(tick.label, tick.room, 100 * self.axis.at(tick.value)) for tick in self.axis.ticks]
