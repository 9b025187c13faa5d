"""The page of a comparison: the ratios of all points, the curves of both sides, and what differs; without scripts."""

from __future__ import annotations

from pathlib import Path

from groma.analysis import PointSummary
from groma.decide.comparing import Compared, Row
from groma.decide.formats import differences_table, figures_table, interval
from groma.decide.gating import Gate
from groma.report.chartgroups import bounded
from groma.report.templating import rendered, save
from groma.text import charts
from groma.text.charts import Axis, Chart, Curve, Point, Rows, Track, axes
from groma.text.numbers import DASH, TIMES, microseconds, significant
from groma.text.sizes import format_size

# By verdict the form of the mark, its class and what the legend says: form and words make sense without colour.
_MARKS = {"slower": (2, "slower"), "faster": (5, "faster"), "same": (0, "same")}
_OPEN = (3, "undecided")
KEYS = [(*mark, word) for word, mark in [*_MARKS.items(), ("not decided", _OPEN)]]


def write_page(compared: Compared, path: Path, gate: Gate | None = None) -> Path:
    """Write the page and return its path; raises `OutputError` if it cannot be written."""
    return save(render(compared, gate), path, "give another place with --report")


def render(compared: Compared, gate: Gate | None = None) -> str:
    """Return the page as HTML."""
    return rendered(
        "compare.html",
        "groma.decide",
        compared=compared,
        gate=gate,
        forest=forest(compared),
        forest_keys=KEYS,
        charts=curves(compared),
        figures=figures_table(compared),
        differences=differences_table(compared),
    )


def curves(compared: Compared) -> list[Chart]:
    """Return a chart for every curve of two sizes or more, with both sides on top of each other."""
    rows_of_curve: dict[str, list[Row]] = {}
    for row in compared.rows:
        if row.first.bytes and min(row.first.time_ns, row.second.time_ns) > 0:
            rows_of_curve.setdefault(f"{row.curve}\n{row.first.ranks}\n{row.first.variant}", []).append(row)
    several = [rows for rows in rows_of_curve.values() if len({row.first.bytes for row in rows}) > 1]
    return [_chart(f"curve-{number}", rows, compared.names) for number, rows in enumerate(several, start=1)]


def _chart(name: str, rows: list[Row], names: tuple[str, str]) -> Chart:
    rows = sorted(rows, key=lambda row: row.first.bytes or 0)
    points = [_point(row.first) for row in rows], [_point(row.second) for row in rows]
    sides = [Curve(own, side) for own, side in zip(names, points, strict=True)]
    description = (
        f"Time of {rows[0].curve} over message size, {names[0]} and {names[1]}; the table has the same figures."
    )
    return Chart(rows[0].curve, "message size", "\N{MICRO SIGN}s", sides, words=description, name=name)


def _point(summary: PointSummary) -> Point:
    size = summary.bytes or 0
    text = f"{format_size(size)}: {microseconds(summary.time_ns)} \N{MICRO SIGN}s"
    return bounded(Point(size, summary.time_ns / 1e3, text=text), summary.interval, summary.interval_kind, 1e-3)


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
