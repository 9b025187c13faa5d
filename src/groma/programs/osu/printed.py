"""What the OSU Micro-Benchmarks 3 to 7 print: a title, then lines of a size and figures under headings.

They say neither the library nor, but for pairs, how many ranks took part.
"""

from __future__ import annotations

from dataclasses import replace

from groma.programs.printed import DATATYPES, Cells, Importer, Line, Table

_WINDOWS = {"create": "created", "allocate": "allocated", "dynamic": "dynamic"}
_MOVED = "Transmit Size"  # of a derived datatype (-D), of which OSU prints no more


def _settle(line: Line, table: Table, cells: Cells) -> Line:
    settings = dict[str, object]()
    if datatype := DATATYPES.get(f"MPI_{table.last('datatype')}"):
        settings["datatype"] = datatype
    if window := table.count("window"):
        line = replace(line, ranks=2 * table.count("pairs") or None)
        settings["window"] = window
    if made := table.last("window_made"):
        settings["rma_window"] = _WINDOWS[made]
    if _MOVED in cells:
        line = replace(line, moved=int(float(cells[_MOVED])))
        settings["layout"] = "derived"
    return replace(line, settings=settings)


IMPORTER = Importer.of(__file__, _settle)
