"""A study in the terminal and on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl
import vl_convert
from rich.padding import Padding
from rich.text import Text

from groma.report.charts import CONFIG, SERIES_COLOURS
from groma.report.grid import columns_of, print_grid

if TYPE_CHECKING:
    from rich.console import Console

    from groma.studies.study import Chart, Study


def print_study(study: Study, console: Console) -> None:
    """Print conclusions, conditions and tables; charts are on the page."""
    console.print(Text(f"\n{study.title}", style="bold"))
    for sentence in study.sentences:
        console.print(Padding(Text(sentence), (0, 0, 0, 2)), highlight=False)
    for name, text in study.conditions:
        console.print(Padding(Text.assemble((f"{name}: ", "dim"), text), (0, 0, 0, 2)), highlight=False)
    for table in study.tables:
        console.print(Text(f"\n{table.title}", style="bold"))
        print_grid(console, columns_of(table.headings, table.rows))
        for note in table.notes:
            console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))


def svg(chart: Chart) -> str:
    """Return the chart as SVG in the page's own colours."""
    names = [curve.name for curve in chart.curves]
    rows = [
        {"x": x, "y": y, "curve": curve.name, "dash": curve.reference}
        for curve in chart.curves
        for x, y in curve.points
    ]
    colours = [SERIES_COLOURS[number % len(SERIES_COLOURS)] for number in range(len(names))]
    base = alt.Chart(pl.DataFrame(rows)).encode(
        x=alt.X("x:Q", scale=alt.Scale(type="log", nice=False), axis=_axis(chart.x)),
        y=alt.Y(
            "y:Q", scale=alt.Scale(type="log" if chart.log_y else "linear", zero=not chart.log_y), axis=_axis(chart.y)
        ),
        color=alt.Color(
            "curve:N",
            sort=names,
            scale=alt.Scale(domain=names, range=colours),
            legend=alt.Legend(title=None, orient="bottom", columns=3, labelLimit=260),
        ),
    )
    dash = alt.StrokeDash("dash:N", scale=alt.Scale(domain=[False, True], range=[[1, 0], [5, 4]]), legend=None)
    drawn = alt.layer(base.mark_line(strokeWidth=1.75).encode(strokeDash=dash), base.mark_point(size=22, filled=True))
    specification: dict[str, Any] = drawn.properties(width=460, height=260).to_dict() | {"config": CONFIG}
    return str(vl_convert.vegalite_to_svg(specification))


def _axis(title: str) -> alt.Axis:
    return alt.Axis(title=title, format="~s", tickCount=6)
