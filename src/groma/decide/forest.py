"""The ratios of all points on one axis (a forest plot): mark, interval and margin of each."""

from __future__ import annotations

from groma.decide.comparing import Compared, Row
from groma.decide.formats.cells import interval
from groma.text import charts
from groma.text.charts import Axis, Rows, Track, axes
from groma.text.numbers import DASH, TIMES, significant

# By verdict the form of the mark, its class and what the legend says: form and words make sense without colour.
_MARKS = {"slower": (2, "slower"), "faster": (5, "faster"), "same": (0, "same")}
_OPEN = (3, "undecided")
KEYS = [(*mark, word) for word, mark in [*_MARKS.items(), ("not decided", _OPEN)]]


def forest(compared: Compared) -> Rows:
    """Return the plot of all points that have a ratio, in the order of the plan."""
    rows = [row for row in compared.rows if row.ratio > 0]
    ends = [end for row in rows for end in (row.ratio, *_ends(row))]
    axis = axes.levels("ratio", [*ends, 1 - compared.margin, 1 + compared.margin, 0.9, 1.1], shared=True)
    return Rows([_row(row, axis, compared.margin) for row in rows], axis)


def _row(row: Row, axis: Axis, margin: float) -> charts.Row:
    """Draw one row: the band of the margin, the line at 1, the interval and the mark."""
    form, kind = _MARKS.get(row.verdict, _OPEN)
    track, told = Track(axis), _told(row)
    track.area(1 - margin, 1 + margin, "margin")
    track.line(1, "even")
    if ends := _ends(row):
        track.interval(*ends)
    track.mark(row.ratio, form)
    return charts.Row(row.label, kind, track.svg(f"{row.label}: {told}"), told)


def _ends(row: Row) -> tuple[float, float] | tuple[()]:
    return (row.interval.low, row.interval.high) if row.interval and row.interval.low > 0 else ()


def _told(row: Row) -> str:
    reach = interval(row)
    ratio = f"{TIMES}{significant(row.ratio)}"
    words = "not decided" if row.verdict == "not decided" else row.words
    return f"{ratio} ({reach}) {words}" if reach != DASH else f"{ratio} {words}"
