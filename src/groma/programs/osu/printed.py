"""What the OSU Micro-Benchmarks 3 to 7 print: a title, then lines of a size and figures under headings.

They say neither the library nor, but for pairs, how many ranks took part.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from groma.programs.printed import Cells, Importer, Line, Table

COLLECTIVES = {
    "bcast": "Broadcast",
    "reduce": "Reduce",
    "allreduce": "Allreduce",
    "reduce_scatter": "Reduce_scatter",
    "reduce_scatter_block": "Reduce_scatter_block",
    "allgather": "Allgather",
    "allgatherv": "Allgatherv",
    "gather": "Gather",
    "gatherv": "Gatherv",
    "scatter": "Scatter",
    "scatterv": "Scatterv",
    "alltoall": "All-to-All Personalized Exchange",
    "alltoallv": "All-to-Allv Personalized Exchange",
    "barrier": "Barrier",
}
_DATATYPES = {"CHAR": "char", "INT": "int32", "FLOAT": "float"}
_MOVED = "Transmit Size"  # of a derived datatype (-D), of which OSU prints no more


def _settle(line: Line, table: Table, cells: Cells) -> Line:
    settings = dict[str, object]()
    if datatype := _DATATYPES.get(table.last("datatype")):
        settings["datatype"] = datatype
    if window := table.count("window"):
        line = replace(line, ranks=2 * table.count("pairs") or None)
        settings["window"] = window
    if _MOVED in cells:
        line = replace(line, moved=int(float(cells[_MOVED])))
        settings["layout"] = "derived"
    return replace(line, settings=settings)


IMPORTER = Importer.of(Path(__file__).parent, _settle)
