"""The page of a comparison: the ratios of all points, the curves of both sides, and what differs; without scripts."""

from __future__ import annotations

from pathlib import Path

from groma.analysis import PointSummary
from groma.decide.comparing import Compared, Row
from groma.decide.forest import KEYS, forest
from groma.decide.formats.cells import differences_table, figures_table
from groma.decide.gating import Gate
from groma.report.figures import bounded
from groma.report.templating import rendered, save
from groma.text.charts import Chart, Curve, Point
from groma.text.numbers import microseconds
from groma.text.sizes import format_size


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
