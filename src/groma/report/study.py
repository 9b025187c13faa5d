"""The charts of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report import axes
from groma.report.charts import Chart, Curve, Plan, Point, draw, keys
from groma.report.numbers import significant
from groma.sizes import format_size

if TYPE_CHECKING:
    from groma.studies import study as charts
    from groma.studies.study import Study


def study_charts(study: Study) -> list[Chart]:
    """Return the charts of a study as the page shows them."""
    found = []
    for number, chart in enumerate(study.charts, start=1):
        curves = [
            Curve(curve.name, [_point(chart, x, y) for x, y in curve.points], curve.reference) for curve in chart.curves
        ]
        of_sizes = "bytes" in chart.x
        plan = Plan(
            "message size" if chart.x == "bytes" else chart.x.removesuffix(" [bytes]"),
            chart.y,
            chart.description,
            axes.sizes if of_sizes else axes.counts,
            log_y=chart.log_y,
        )
        found.append(Chart(f"study-{number}", chart.title, chart.y, keys(curves), draw(curves, plan)))
    return found


def _point(chart: charts.Chart, x: float, y: float) -> Point:
    where = format_size(round(x)) if "bytes" in chart.x else f"{x:g} {chart.x}"
    return Point(x, y, text=f"{where}: {significant(y)} {chart.y}")
