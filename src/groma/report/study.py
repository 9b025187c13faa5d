"""The charts of a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl
import vl_convert

from groma.report.charts import CONFIG, SERIES_COLOURS

if TYPE_CHECKING:
    from groma.studies.study import Chart


_PADDING = {"left": 0, "top": 6, "right": 10, "bottom": 4}
_SOLID, _REFERENCE, _AGAIN = "1 0", "5 4", "2 2"


@dataclass(frozen=True)
class Stroke:
    """How a curve is drawn, and named in the legend."""

    name: str
    colour: str
    dashes: str


def strokes(chart: Chart) -> list[Stroke]:
    """Return a stroke for every curve: dashes for references, and dots where colours come again."""
    count = len(SERIES_COLOURS)
    return [
        Stroke(
            curve.name,
            SERIES_COLOURS[number % count],
            _REFERENCE if curve.reference else _SOLID if number < count else _AGAIN,
        )
        for number, curve in enumerate(chart.curves)
    ]


def svg(chart: Chart) -> str:
    """Return the chart as SVG in the page's own colours; its legend is the page's."""
    rows = [{"x": x, "y": y, "curve": curve.name} for curve in chart.curves for x, y in curve.points]
    drawn = strokes(chart)
    names = [stroke.name for stroke in drawn]
    colours = alt.Scale(domain=names, range=[stroke.colour for stroke in drawn])
    dashes = alt.Scale(domain=names, range=[list(map(float, stroke.dashes.split())) for stroke in drawn])
    base = alt.Chart(pl.DataFrame(rows)).encode(
        x=alt.X("x:Q", scale=alt.Scale(type="log", nice=False), axis=_axis(chart.x, grid=False)),
        y=alt.Y(
            "y:Q", scale=alt.Scale(type="log" if chart.log_y else "linear", zero=not chart.log_y), axis=_axis(chart.y)
        ),
        color=alt.Color("curve:N", sort=names, scale=colours, legend=None),
    )
    lines = base.mark_line(strokeWidth=1.75).encode(strokeDash=alt.StrokeDash("curve:N", scale=dashes, legend=None))
    layers = alt.layer(lines, base.mark_point(size=22, filled=True, opacity=1))
    specification: dict[str, Any] = layers.properties(width=460, height=260).to_dict() | {
        "config": CONFIG,
        "padding": _PADDING,
    }
    return str(vl_convert.vegalite_to_svg(specification))


def _axis(title: str, *, grid: bool = True) -> alt.Axis:
    return alt.Axis(title=title, format="~s", tickCount=4, grid=grid, labelOverlap="greedy")
