"""As the ALCF slides show their tables: a title, the unit, then rows and columns.

Rows, columns and headings of messaging rate, node bandwidth, bisection and collectives are those of the slides; there
are no numbers for latency, halo exchange, datatypes and overlap, so that those tables are Groma's. Widths are Groma's.
"""

from __future__ import annotations

from groma.programs.alcf.table import NO_PEAKS
from groma.programs.alcf.tables import tables
from groma.programs.sheet import Sheet, Style
from groma.text.lines import texts
from groma.text.tables import table_lines


def _write(sheet: Sheet) -> None:
    points = [point for curve in sheet.curves for point in curve.points]
    for table in tables(sheet.run, sheet.options.get("peak", NO_PEAKS), points):
        lines = texts(table_lines(table))
        sheet.write("", f"{table.title}, {table.unit}", "", *lines)
        sheet.write(*(f"# {note}" for note in table.notes))


STYLE = Style(program="the ALCF MPI benchmarks", write=_write, profile="alcf")
