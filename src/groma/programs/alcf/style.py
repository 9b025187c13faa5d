"""As the ALCF slides show their tables: a title, the unit, then rows and columns.

Rows, columns and headings of messaging rate, node bandwidth, bisection and collectives are those of the slides; there
are no numbers for latency, halo exchange, datatypes and overlap, so that those tables are Groma's. Widths are Groma's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.programs.alcf.table import NO_PEAKS
from groma.programs.alcf.tables import tables
from groma.programs.sheet import Style

if TYPE_CHECKING:
    from groma.programs.alcf.table import SuiteTable
    from groma.programs.sheet import Sheet


def _write(sheet: Sheet) -> None:
    points = [point for curve in sheet.curves for point in curve.points]
    for table in tables(sheet.run, sheet.options.get("peak", NO_PEAKS), points):
        sheet.write("", f"{table.title}, {table.unit}", "", *_lines(table))
        sheet.write(*(f"# {note}" for note in table.notes if note))


def _lines(table: SuiteTable) -> list[str]:
    """Return headings and rows, the first column to the left and figures to the right."""
    cells = [table.headings, *table.rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *others in cells:
        figures = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        lines.append("  ".join([first.ljust(widths[0]), *figures]))
    return lines


STYLE = Style(program="the ALCF MPI benchmarks", write=_write, profile="alcf")
