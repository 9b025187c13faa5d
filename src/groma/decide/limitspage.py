"""The page of a judgement by limits: every figure over its value, with its band, and the table; without scripts."""

from __future__ import annotations

from pathlib import Path

from groma.analysis.limits import Line
from groma.decide.formats.of_limits import limits_table
from groma.decide.limits import Limited
from groma.report.templating import rendered, save
from groma.text import charts
from groma.text.charts import Axis, Rows, Track, axes

# By verdict the form of the mark and its class: form and words make sense without colour.
_MARKS = {"pass": (0, "same"), "fail": (2, "slower"), "not decided": (3, "undecided")}
_WIDEST = 4.0  # the axis ends here if a bound is farther away


def write_page(limited: Limited, path: Path) -> Path:
    """Write the page and return its path; raises `OutputError` if it cannot be written."""
    return save(render(limited), path, "give another place with --report")


def render(limited: Limited) -> str:
    """Return the page as HTML."""
    return rendered(
        "limits.html",
        "groma.decide",
        limited=limited,
        forest=forest(limited),
        forest_keys=[(*mark, word) for word, mark in _MARKS.items()],
        figures=limits_table(limited),
    )


def forest(limited: Limited) -> Rows:
    """Return the plot of all figures that were measured, each over the value of its limit."""
    lines = [line for line in limited.judgement.lines if line.verdict != "not measured" and line.value > 0]
    ends = [end for line in lines for end in (line.value / line.limit.value, *_ends(line), *_band(line))]
    axis = axes.levels("figure over value", [*ends, 0.9, 1.1], shared=True)
    return Rows([_row(line, axis) for line in lines], axis)


def _row(line: Line, axis: Axis) -> charts.Row:
    """Draw one row: the band of the limit, the line at its value, the interval and the mark."""
    form, kind = _MARKS[line.verdict]
    track = Track(axis)
    track.area(*_band(line), "margin")
    track.line(1, "even")
    if ends := _ends(line):
        track.interval(*ends)
    track.mark(line.value / line.limit.value, form)
    told = f"{line.found}, {line.allowed}: {line.verdict}"
    name = f"{line.label}: {line.figure}"
    return charts.Row(name, kind, track.svg(f"{name}: {told}"), told)


def _ends(line: Line) -> tuple[float, ...]:
    own = line.interval
    return (own.low / line.limit.value, min(own.high / line.limit.value, _WIDEST)) if own and own.low > 0 else ()


def _band(line: Line) -> tuple[float, float]:
    """Return the bounds over the value; one that is not there lies where the axis ends."""
    bounds, value = line.limit.bounds, line.limit.value
    return max(bounds.low / value, 1 / _WIDEST), min(bounds.high / value, _WIDEST)
