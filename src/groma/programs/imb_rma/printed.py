"""What IMB-RMA of the Intel MPI Benchmarks prints: as IMB-MPI1, and of most tests a table for each of two modes.

Without a word on the mode a table is of calls that are completed one by one. In the mode AGGREGATE all calls of a table
are completed together, and all of them reach one place.
"""

from __future__ import annotations

from dataclasses import replace

from groma.programs.blockrows import settled
from groma.programs.printed import Cells, Importer, Line, Table


def _settle(line: Line, table: Table, cells: Cells) -> Line:
    found = settled(line, table, cells)
    return replace(found, test=f"{found.test} AGGREGATE") if table.last("mode") == "AGGREGATE" else found


IMPORTER = Importer.of(__file__, _settle)
