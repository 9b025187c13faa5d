"""The page of a comparison: the ratios of all points, the curves of both sides, and what differs; without scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.decide.forest import forest
from groma.decide.formats.cells import cells, difference_headings, difference_rows, headings
from groma.errors import OutputError
from groma.numbers import microseconds
from groma.report.charts import Chart, Curve, Plan, Point, draw, keys
from groma.report.drawing import symbols
from groma.report.figures import INTERVAL_TERMS, interval_text
from groma.report.templating import templates
from groma.sizes import format_size

if TYPE_CHECKING:
    from pathlib import Path

    from groma.analysis import PointSummary
    from groma.decide.comparing import Compared, Row
    from groma.decide.gating import Gate


def write_page(compared: Compared, path: Path, gate: Gate | None = None) -> Path:
    """Write the page and return its path; raises `OutputError` where it cannot be written."""
    return save(render(compared, gate), path)


def save(page: str, path: Path) -> Path:
    """Write a page that `--report` asked for, and return its path; raises `OutputError` where it cannot be written."""
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{path} cannot be written ({reason}); give another place with --report") from error
    return path


def render(compared: Compared, gate: Gate | None = None) -> str:
    """Return the page as HTML."""
    return (
        templates("groma.decide")
        .get_template("compare.html")
        .render(
            compared=compared,
            gate=gate,
            forest=forest(compared),
            charts=curves(compared),
            headings=headings(compared),
            rows=[cells(row) for row in compared.rows],
            difference_headings=difference_headings(compared),
            difference_rows=difference_rows(compared),
            symbols=symbols(),
        )
    )


def curves(compared: Compared) -> list[Chart]:
    """Return a chart for every curve of two sizes or more, with both sides on top of each other."""
    found: dict[str, list[Row]] = {}
    for row in compared.rows:
        if row.one.bytes and min(row.one.time_ns, row.other.time_ns) > 0:
            found.setdefault(f"{row.curve}\n{row.one.ranks}\n{row.one.variant}", []).append(row)
    several = [rows for rows in found.values() if len({row.one.bytes for row in rows}) > 1]
    return [_chart(f"curve-{number}", rows, compared.names) for number, rows in enumerate(several, start=1)]


def _chart(name: str, rows: list[Row], names: tuple[str, str]) -> Chart:
    rows = sorted(rows, key=lambda row: row.one.bytes or 0)
    points = [_point(row.one) for row in rows], [_point(row.other) for row in rows]
    sides = [Curve(own, side) for own, side in zip(names, points, strict=True)]
    said = f"Time of {rows[0].curve} over message size, {names[0]} and {names[1]}; the table has the same figures."
    drawing = draw(sides, Plan("message size", "\N{MICRO SIGN}s", said))
    return Chart(name, rows[0].curve, "\N{MICRO SIGN}s", keys(sides), drawing)


def _point(summary: PointSummary) -> Point:
    size = summary.bytes or 0
    text = f"{format_size(size)}: {microseconds(summary.time_ns)} \N{MICRO SIGN}s"
    interval = summary.interval
    if interval is None or interval.low <= 0:
        return Point(size, summary.time_ns / 1e3, text=text)
    text += f"\n{INTERVAL_TERMS[summary.interval_kind]}: {interval_text(interval, 1e-3)}"
    return Point(size, summary.time_ns / 1e3, interval.low / 1e3, interval.high / 1e3, text)
