"""What SKaMPI 5 prints between `begin result` and `end result`: size, time, error, repetitions, times of ranks.

A result has the name that the measurement file gives it: `Bcast`, `MPI_Bcast-length` and such are known. There are no
headings: a barrier has no size, and a loop over ranks puts `nodes=` in front.
"""

from __future__ import annotations

from dataclasses import replace

from groma.programs.printed import Cells, Importer, Line, Table


def _settle(line: Line, table: Table, cells: Cells) -> Line:
    del table
    times = cells.get("times", "").split()
    ranks = {f"rank {rank}": float(time) for rank, time in enumerate(times)}
    return replace(line, ranks=len(times) or None, others={"standard error": line.others.get("error", 0.0)} | ranks)


IMPORTER = Importer.of(__file__, _settle)
