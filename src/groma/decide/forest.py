"""The ratios of all points on one axis (a forest plot): mark, interval and margin, in SVG without a script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from groma.decide.formats.cells import interval
from groma.report import axes
from groma.text.numbers import DASH, TIMES, significant

if TYPE_CHECKING:
    from groma.decide.comparing import Compared, Row
    from groma.report.axes import Axis

# By verdict the number of the mark in the page's symbols, and its class: form and words tell without colour.
_MARKS = {"slower": (2, "slower"), "faster": (5, "faster"), "same": (0, "same")}
_OPEN = (3, "undecided")
_HEIGHT = 20
_MIDDLE = 10


@dataclass(frozen=True)
class Bar:
    """A row of the plot: the point, its drawing, and ratio, interval and verdict in words."""

    name: str
    kind: str
    drawing: Markup
    told: str


@dataclass(frozen=True)
class Forest:
    """The rows in the order of the plan, and the ticks of their axis with their places in percent."""

    bars: list[Bar]
    ticks: list[tuple[str, float, str]]


def forest(compared: Compared) -> Forest:
    """Return the plot of all points that have a ratio."""
    rows = [row for row in compared.rows if row.ratio > 0]
    ends = [end for row in rows for end in (row.ratio, *_ends(row))]
    axis = axes.levels("ratio", [*ends, 1 - compared.margin, 1 + compared.margin, 0.9, 1.1], shared=True)
    bars = [Bar(row.label, _kind(row)[1], _drawing(row, axis, compared.margin), _told(row)) for row in rows]
    widths = {(True, True): "", (True, False): "wide", (False, True): "narrow"}
    ticks = [(tick.label, 100 * axis.at(tick.value), widths[tick.wide, tick.narrow]) for tick in axis.ticks]
    return Forest(bars, ticks)


def _kind(row: Row) -> tuple[int, str]:
    return _MARKS.get(row.verdict, _OPEN)


def _ends(row: Row) -> tuple[float, ...]:
    return (row.interval.low, row.interval.high) if row.interval and row.interval.low > 0 else ()


def _told(row: Row) -> str:
    reach = interval(row)
    ratio = f"{TIMES}{significant(row.ratio)}"
    words = "not decided" if row.verdict == "not decided" else row.words
    return f"{ratio} ({reach}) {words}" if reach != DASH else f"{ratio} {words}"


def _drawing(row: Row, axis: Axis, margin: float) -> Markup:
    """Draw one row: the band of the margin, the line at 1, the interval and the mark."""
    low, high = (_percent(axis, end) for end in (1 - margin, 1 + margin))
    number, kind = _kind(row)
    shapes = [
        f'<rect class="margin" x="{low:.2f}%" width="{high - low:.2f}%" height="{_HEIGHT}"/>',
        f'<line class="even" x1="{_percent(axis, 1):.2f}%" x2="{_percent(axis, 1):.2f}%" y2="{_HEIGHT}"/>',
    ]
    if ends := [_percent(axis, end) for end in _ends(row)]:
        shapes.append(f'<line class="reach" x1="{ends[0]:.2f}%" x2="{ends[1]:.2f}%" y1="{_MIDDLE}" y2="{_MIDDLE}"/>')
        shapes += [f'<line class="reach" x1="{x:.2f}%" x2="{x:.2f}%" y1="6" y2="14"/>' for x in ends]
    shapes.append(f'<use href="#m{number}" x="{_percent(axis, row.ratio):.2f}%" y="{_MIDDLE}"/>')
    title = f"<title>{escape(f'{row.label}: {_told(row)}')}</title>"
    return Markup(  # noqa: S704 - the title is escaped, all else are numbers
        f'<svg width="100%" height="{_HEIGHT}" class="{kind}" aria-hidden="true">{title}{"".join(shapes)}</svg>'
    )


def _percent(axis: Axis, value: float) -> float:
    return 100 * axis.at(value)
