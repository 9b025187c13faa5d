"""Charts of the benchmarks' pages: SVG files that need nothing beside them, drawn with the report's toolbox."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import escape

from groma.text.charts import Chart
from groma.text.charts.axes import Axis, named
from groma.text.charts.drawing import PALETTE, Drawing, Place, symbols

_WIDTH, _ROW, _HEIGHT = 720, 26, 260
_DIGIT, _EDGE, _LINE = 6.4, 16, 18
_COLOURS = PALETTE
_MOST_KINDS = len(_COLOURS)
_STYLE = """
svg { overflow: visible }
text { font: 11px system-ui, sans-serif; fill: #5b636d }
.title, .key { fill: #16191d }
.narrow { display: none }
line { stroke: #e1e4e8 }
.line { fill: none; stroke-width: 1.75; vector-effect: non-scaling-stroke }
.line.limit { stroke: #5b636d; stroke-dasharray: 4 3 }
.area { fill: #00845f; opacity: 0.1 }
"""


@dataclass(frozen=True)
class Dot:
    """One figure of a named row; its kind gives colour and form."""

    row: str
    kind: str
    value: float
    text: str = ""
    low: float | None = None
    high: float | None = None


def strips(dots: Sequence[Dot], x: Axis, words: str, band: tuple[float, float] | None = None) -> str:
    """Return a chart with a strip for each row, from the top, and its dots from small to large.

    `band` is the range that is wanted; `words` say what the chart shows to those who do not see it.
    """
    rows, kinds = list(dict.fromkeys(dot.row for dot in dots))[::-1], _kinds([dot.kind for dot in dots])
    drawing = Drawing(x, _rows_axis(rows), _ROW * len(rows))
    if band:
        low, high = _inside(band, x)
        drawing.rectangles([(low, high, -0.5, len(rows) - 0.5)], "wanted")
    placed = [(dot, place) for row in rows for dot, place in _spread([one for one in dots if one.row == row], rows)]
    for dot, place in placed:
        if dot.low is not None and dot.high is not None:
            ends = _inside((dot.low, dot.high), x)
            drawing.line([(end, place) for end in ends], f"s{kinds[dot.kind]}")
    for kind, number in kinds.items():
        marks = [(_inside((dot.value,), x)[0], place, dot.text) for dot, place in placed if dot.kind == kind]
        drawing.marks(marks, f"s{number}", number)
    return _framed(drawing, list(kinds), words, rows)


def curves(
    lines: Mapping[str, Sequence[Place]],
    x: Axis,
    y: Axis,
    words: str,
    *,
    limit: Sequence[Place] = (),
    dots: Sequence[Place] = (),
) -> str:
    """Return a chart of named lines, with a limit as a dashed one, and dots that no line joins."""
    drawing = Drawing(x, y, _HEIGHT)
    drawing.line(limit, "limit")
    drawing.marks([(*point, "") for point in dots], "s0")
    for number, points in enumerate(lines.values()):
        drawing.line(points, f"s{number}")
        drawing.marks([(*point, "") for point in points], f"s{number}", number)
    return _framed(drawing, list(lines), words, (tick.label for tick in y.ticks), y.title)


def panels(charts: Sequence[Chart], words: str) -> str:
    """Return charts of the same curves in two columns, each with its ratios below, under one legend."""
    known = {key.name: key for chart in charts for key in chart.keys}
    forms = {name: known[name].form for name in sorted(known, key=lambda name: known[name].form)}
    keys, top = _keys(forms, first=1)
    left, wide = _DIGIT * 8 + _EDGE, (_WIDTH - 3 * _EDGE) / 2
    parts, under = keys, top
    for number, chart in enumerate(charts):
        x, y = left + number % 2 * (wide + _EDGE), under + _LINE
        parts.append(f'<text class="key" x="{x:g}" y="{y - 4:g}">{escape(chart.title)}</text>')
        for drawing, upright in zip(chart.drawings, (chart.y, chart.ratio_y), strict=False):
            parts.append(f'<text x="{x:g}" y="{y + 10:g}">{escape(upright)}</text>')
            own = f'x="{x:g}" y="{y + _LINE:g}" width="{wide - left:g}" height="{drawing.height}"'
            parts.append(f"<svg {own}>{drawing.picture(f'{words}, {chart.title}, {upright}')}</svg>")
            y += drawing.height + 2 * _LINE
        if number % 2 or number == len(charts) - 1:
            under = y + _LINE
    style = "".join(
        f".line.s{at} {{ stroke: {colour} }}\n.mark.s{at}, .band.s{at} {{ fill: {colour} }}\n"
        for at, colour in enumerate(_COLOURS, start=1)
    )
    style += ".band { opacity: 0.15 }\n.wide { display: none }\n.narrow { display: inline }\n"
    return _whole(under, style, parts)


def _kinds(words: Sequence[str]) -> dict[str, int]:
    found = {word: number for number, word in enumerate(dict.fromkeys(words))}
    if len(found) > _MOST_KINDS:
        raise ValueError(f"{len(found)} kinds of dots, {_MOST_KINDS} have a colour: {', '.join(found)}")
    return found


def _rows_axis(names: Sequence[str]) -> Axis:
    """Return the upright axis of named rows, each of height 1 around its number."""
    return Axis("", -0.5, len(names) - 0.5, False, named("", names).ticks)


def _spread(dots: Sequence[Dot], rows: Sequence[str]) -> list[tuple[Dot, float]]:
    """Return the dots of a row with their heights in it, by value, so that none hides another."""
    step = 0.7 / max(1, len(dots) - 1)
    first = rows.index(dots[0].row) - (0.35 if len(dots) > 1 else 0.0)
    return [(dot, first + step * at) for at, dot in enumerate(sorted(dots, key=lambda dot: dot.value))]


def _inside(values: Sequence[float], axis: Axis) -> list[float]:
    return [min(max(value, axis.low), axis.high) for value in values]


def _framed(drawing: Drawing, names: Sequence[str], words: str, labels: Iterable[str], upright: str = "") -> str:
    """Return the drawing with its keys above it; `labels` stand beside it."""
    left, height, (keys, top) = (
        _EDGE + round(_DIGIT * max(map(len, labels))) + 8,
        drawing.height,
        _keys({name: at for at, name in enumerate(names)}),
    )
    if upright:
        keys.append(f'<text class="title" x="{_EDGE}" y="{top + 8}">{escape(upright)}</text>')
        top += _LINE
    colours = "".join(
        f".line.s{at} {{ stroke: {colour} }}\n.mark.s{at} {{ fill: {colour} }}\n"
        for at, colour in enumerate(_COLOURS[: max(1, len(names))])
    )
    own = f'x="{left}" y="{top + 4}" width="{_WIDTH - left - 2 * _EDGE}" height="{height}"'
    return _whole(top + height + 3 * _EDGE, colours, [*keys, f"<svg {own}>{drawing.picture(words)}</svg>"])


def _whole(height: float, style: str, parts: Sequence[str]) -> str:
    """Return the picture: a white ground, the style and the marks, and what is drawn."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:g}" width="{_WIDTH}" '
        f'height="{height:g}"><style>{_STYLE}{style}</style><rect width="100%" height="100%" fill="#fff"/>{symbols()}'
        f"{''.join(parts)}</svg>\n"
    )


def _keys(forms: Mapping[str, int], first: int = 0) -> tuple[list[str], int]:
    """Return a mark and a name for every kind with the number of its form, in lines, and the height that they take.

    The class of a form's colour is its number, counted from `first`.
    """
    parts, x, y = [], _EDGE, _EDGE
    for name, number in forms.items():
        wide = round(_DIGIT * len(name)) + 34
        if x + wide > _WIDTH and x > _EDGE:
            x, y = _EDGE, y + _LINE
        parts.append(f'<g class="mark s{number + first}"><use href="#m{number}" x="{x + 4}" y="{y - 4}"/></g>')
        parts.append(f'<text class="key" x="{x + 14}" y="{y}">{escape(name)}</text>')
        x += wide
    return parts, y + _EDGE if forms else _EDGE
