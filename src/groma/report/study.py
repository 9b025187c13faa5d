"""The charts of studies and panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.report import axes
from groma.report.charts import Chart, Curve, Plan, Point, draw, keys
from groma.text.numbers import significant
from groma.text.sizes import format_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.programs import study as charts
    from groma.programs.study import Study


def study_charts(study: Study) -> list[Chart]:
    """Return the charts of a study as the page shows them."""
    return drawn_charts("study", study.charts)


def drawn_charts(name: str, drawn: Sequence[charts.Chart]) -> list[Chart]:
    """Return charts as the page shows them, named NAME-1, NAME-2 ..."""
    return [_drawn(f"{name}-{number}", chart) for number, chart in enumerate(drawn, start=1)]


def _drawn(name: str, chart: charts.Chart) -> Chart:
    curves = [Curve(curve.name, _points(chart, curve), curve.reference) for curve in chart.curves]
    plan = Plan(
        "message size" if chart.x == "bytes" else chart.x.removesuffix(" [bytes]"),
        chart.y,
        chart.description,
        axes.sizes if "bytes" in chart.x else axes.counts,
        log_y=chart.log_y,
    )
    return Chart(name, chart.title, chart.y, keys(curves), draw(curves, plan))


def _points(chart: charts.Chart, curve: charts.Curve) -> list[Point]:
    """Return the points of a curve, each with its interval where both ends are known."""
    ends = curve.intervals or [(None, None)] * len(curve.points)
    return [
        Point(x, y, low, high if low else None, _text(chart, x, y, low, high))
        for (x, y), (low, high) in zip(curve.points, ends, strict=True)
    ]


def _text(chart: charts.Chart, x: float, y: float, low: float | None, high: float | None) -> str:
    where = format_size(round(x)) if "bytes" in chart.x else f"{x:g} {chart.x}"
    text = f"{where}: {significant(y)} {chart.y}"
    if low is None:
        return text
    return f"{text}\n95% interval: {significant(low)} to {'no bound' if high is None else significant(high)}"
