"""The kinds of chart on the page, as Vega specifications without data.

They are written in Altair, compiled here, and stand in the page once; the page gives each copy its data. Colours are
the page's CSS variables, so that one drawing serves light, dark and print.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import vl_convert

Chart = alt.LayerChart | alt.FacetChart  # what Altair says its methods return

SERIES_COLOURS = [f"var(--series-{number})" for number in range(1, 9)]
SERIES_SHAPES = [
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
]
_QUIET, _HAIRLINE, _ACCENT, _FLAG = (f"var(--{name})" for name in ("quiet", "hairline", "series-1", "warn"))

_SMALL_UNITS = ((1, "B"), (1024, "KiB"), (1048576, "MiB"))
_SIZE_LABEL = (
    " : ".join(
        f"datum.value < {1024 * factor} ? format(datum.value / {factor}, '.4~r') + ' {unit}'"
        for factor, unit in _SMALL_UNITS
    )
    + " : format(datum.value / 1073741824, '.4~r') + ' GiB'"
)


CONFIG = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "padding": {"left": 0, "top": 6, "right": 10, "bottom": 0},
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": _HAIRLINE,
        "labelColor": _QUIET,
        "labelFontSize": 11,
        "labelPadding": 6,
        "title": None,
    },
}


def specifications() -> dict[str, dict[str, Any]]:
    """Return the Vega specification of every kind of chart."""
    charts = {
        "curve": _curve(),
        "distribution": _distribution(),
        "histogram": _histogram(),
        "completion": _completion(),
        "trace": _trace(),
        "launches": _launches(),
    }
    return {name: vl_convert.vegalite_to_vega(chart.to_dict() | {"config": CONFIG}) for name, chart in charts.items()}


def _sizes() -> alt.X:
    axis = alt.Axis(values=alt.ExprRef("ticks"), labelExpr=_SIZE_LABEL, grid=False, labelOverlap="greedy")
    return alt.X("x:Q", scale=alt.Scale(type="log", base=2, nice=False), axis=axis)


def _figures(field: str, log: bool = True) -> alt.Y:
    axis = alt.Axis(values=alt.ExprRef("levels"), format="~r") if log else alt.Axis(tickCount=5, format="~r")
    return alt.Y(field, scale=alt.Scale(type="log" if log else "linear", zero=False, nice=not log), axis=axis)


def _curve() -> Chart:
    """Draw one line per series over message size, both axes logarithmic, with the interval as a band."""
    rows = alt.Chart(alt.NamedData("rows")).transform_filter("indexof(hidden, datum.s) < 0")
    colour = alt.Color("c:N", scale=alt.Scale(domain=list(range(8)), range=SERIES_COLOURS), legend=None)
    shape = alt.Shape("c:N", scale=alt.Scale(domain=list(range(8)), range=SERIES_SHAPES), legend=None)
    band = (
        rows.transform_filter("isValid(datum.lo)")
        .mark_area(opacity=0.2, aria=False)
        .encode(x=_sizes(), y=_figures("lo:Q"), y2="hi:Q", color=colour, detail="s:N")
    )
    line = rows.mark_line(strokeWidth=1.75, aria=False).encode(
        x=_sizes(), y=_figures("y:Q"), color=colour, detail="s:N"
    )
    dots = rows.mark_point(filled=True, size=26, opacity=1, aria=False).encode(
        x=_sizes(), y=_figures("y:Q"), color=colour, shape=shape
    )
    targets = rows.mark_point(size=260, opacity=0, filled=True, tooltip={"content": "data"}, aria=False).encode(
        x=_sizes(), y=_figures("y:Q")
    )
    limit = (
        alt.Chart(alt.NamedData("limit"))
        .mark_line(strokeWidth=1.5, strokeDash=[4, 3], color=_QUIET, aria=False)
        .encode(x=_sizes(), y=_figures("y:Q"))
    )
    return (
        alt.layer(band, limit, line, dots, targets)
        .add_params(alt.param(name="hidden", value=[]), _ticks(), _levels())
        .properties(width="container", height=280)
    )


def _distribution() -> Chart:
    """Draw the cumulated share of samples over time, one line per launch."""
    rows = alt.Chart(alt.NamedData("rows"))
    share = alt.Y("y:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%", tickCount=5))
    axis = alt.Axis(values=alt.ExprRef("levels"), format="~r", grid=False, labelOverlap="greedy")
    time = alt.X("x:Q", scale=alt.Scale(type="log", nice=False), axis=axis)
    lines = rows.mark_line(strokeWidth=1.25, opacity=0.8).encode(x=time, y=share, detail="l:N", color=_flagged())
    targets = rows.mark_point(size=60, opacity=0, filled=True, tooltip={"content": "data"}).encode(x=time, y=share)
    return alt.layer(lines, targets).add_params(_levels()).properties(width="container", height=190)


def _histogram() -> Chart:
    """Draw how many samples of all launches fell into each bin of time, and a line at every peak."""
    time = alt.X("lo:Q", scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(tickCount=5, format="~r", grid=False))
    count = alt.Y("y:Q", axis=alt.Axis(tickCount=4, format="~r"))
    rows = alt.Chart(alt.NamedData("rows"))
    bars = rows.mark_rect(color=_ACCENT, opacity=0.75, tooltip={"content": "data"}).encode(
        x=time, x2="hi:Q", y=count, y2="none:Q"
    )
    marks = alt.Chart(alt.NamedData("peaks"))
    lines = marks.mark_rule(strokeWidth=1.5, strokeDash=[4, 3], color=_FLAG).encode(x=alt.X("x:Q"))
    targets = marks.mark_rule(strokeWidth=12, opacity=0, tooltip={"content": "data"}).encode(x=alt.X("x:Q"))
    return alt.layer(bars, lines, targets).add_params(_levels()).properties(width="container", height=190)


def _completion() -> Chart:
    """Draw when the first rank, a quarter, half, three quarters and the last rank were done, a line per launch."""
    words = "['first', '\u00bc', '\u00bd', '\u00be', 'last'][datum.value]"
    axis = alt.Axis(values=[0, 1, 2, 3, 4], labelExpr=words, grid=False)
    ranks = alt.X("x:Q", scale=alt.Scale(domain=[0, 4], nice=False), axis=axis)
    rows = alt.Chart(alt.NamedData("rows"))
    time = _figures("y:Q", log=False)
    lines = rows.mark_line(strokeWidth=1.25, opacity=0.8).encode(x=ranks, y=time, detail="l:N", color=_flagged())
    dots = rows.mark_point(filled=True, size=26, opacity=1, tooltip={"content": "data"}).encode(
        x=ranks, y=time, color=_flagged()
    )
    return alt.layer(lines, dots).add_params(_levels()).properties(width="container", height=190)


def _trace() -> Chart:
    """Draw samples in time order, launch after launch: of every bin the median, and a line from smallest to largest."""
    rows = alt.Chart(alt.NamedData("rows"))
    spans = rows.mark_rule(strokeWidth=1, opacity=0.45).encode(
        x=_launch_numbers(), y=_figures("lo:Q"), y2="hi:Q", color=_flagged()
    )
    medians = rows.mark_point(filled=True, size=7, opacity=1, tooltip={"content": "data"}).encode(
        x=_launch_numbers(), y=_figures("y:Q"), color=_flagged()
    )
    return alt.layer(spans, medians).add_params(_ticks(), _levels()).properties(width="container", height=190)


def _launches() -> Chart:
    """Draw every launch's median with its own interval, before the figure and its interval over launches."""
    figure = alt.Chart(alt.NamedData("figure"))
    band = figure.mark_rect(opacity=0.16, color=_ACCENT).encode(y=_figures("lo:Q", log=False), y2="hi:Q")
    median = figure.mark_rule(strokeWidth=1.25, color=_ACCENT).encode(y=_figures("y:Q", log=False))
    rows = alt.Chart(alt.NamedData("rows"))
    own = rows.mark_rule(strokeWidth=1.5).encode(
        x=_launch_numbers(), y=_figures("lo:Q", log=False), y2="hi:Q", color=_flagged()
    )
    dots = rows.mark_point(filled=True, size=42, opacity=1, tooltip={"content": "data"}).encode(
        x=_launch_numbers(), y=_figures("y:Q", log=False), color=_flagged()
    )
    return alt.layer(band, median, own, dots).add_params(_ticks()).properties(width="container", height=190)


def _flagged() -> alt.Color:
    """Colour disturbed launches apart; the tooltip and the table of launches say so in words."""
    return alt.Color("d:N", scale=alt.Scale(domain=[0, 1], range=[_ACCENT, _FLAG]), legend=None)


def _launch_numbers() -> alt.X:
    axis = alt.Axis(values=alt.ExprRef("ticks"), format="d", grid=False, labelOverlap="greedy")
    return alt.X("x:Q", scale=alt.Scale(zero=False, nice=False, padding=6), axis=axis)


def _ticks() -> alt.Parameter:
    """Let the page say where the horizontal axis has its labels."""
    return alt.param(name="ticks", value=[])


def _levels() -> alt.Parameter:
    """Let the page say where the logarithmic axis of times has its lines."""
    return alt.param(name="levels", value=[])
