"""What IMB-MPI1 of the Intel MPI Benchmarks prints: a block for each test and number of processes."""

from __future__ import annotations

import re
from dataclasses import replace

from groma.programs.blockrows import settled
from groma.programs.printed import Cells, Importer, Line, Table

_WHOLE_VECTOR = re.compile(r"(?:\d{1,3}|200\d|201[0-8])\b.*|2019")  # versions whose Reduce_scatter has its size
_FLOAT_BYTES = 4  # of what IMB reduces


def _of_one_part(line: Line, table: Table, cells: Cells) -> Line:
    """Return the row settled; its size is that of one rank's part, also in versions that print the whole vector's."""
    found = settled(line, table, cells)
    version, ranks = table.facts.get("version", ""), (found.ranks or 0) // found.groups
    if line.test != "Reduce_scatter" or not ranks or not _WHOLE_VECTOR.fullmatch(version):
        return found
    if line.size % (_FLOAT_BYTES * ranks):
        return replace(found, test=f"{line.test} in unequal parts")
    return replace(found, size=line.size // ranks)


IMPORTER = Importer.of(__file__, _of_one_part)
