"""What ReproMPI's mpibenchmark prints: a line for every call, or the statistics of a summary, in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from groma.programs.printed import DATATYPES, Cells, Importer, Line, Table, whole

_BARRIERS = {"MPI_Barrier": "barrier", "BBarrier": "dissemination"}
_REDUCTIONS = {"MPI_SUM": "sum", "MPI_MAX": "max", "MPI_BAND": "band"}


def _settle(line: Line, table: Table, cells: Cells) -> Line:
    """Return a row in bytes and microseconds: one call, which is a sample, or the statistics of a summary."""
    facts = table.facts
    size = 0 if line.test == "MPI_Barrier" else line.size * (whole(facts.get("datatype_extent_bytes", "")) or 1)
    others = {name.removesuffix("_sec"): 1e6 * line.others[name] for name in line.others if name.endswith("_sec")}
    return replace(
        line,
        size=size,
        figure=1e6 * line.figure,
        others=others,
        ranks=whole(facts.get("nprocs", "")) or None,
        samples_us=(1e6 * line.figure,) if "runtime_sec" in cells and line.figure > 0 else (),
        settings=_settings(line.test, facts),
        step=0.0,
    )


def _settings(test: str, facts: Mapping[str, str]) -> dict[str, object]:
    """Return what the output states of the method: its start, its clock's window, elements and reduction."""
    found: dict[str, object] = {}
    sync = facts.get("sync", "MPI_Barrier")
    found["sync"] = _BARRIERS.get(sync, "window")
    if found["sync"] == "window":
        found["reduce"] = "span"
    if test != "MPI_Barrier" and facts.get("datatype") in DATATYPES:
        found["datatype"] = DATATYPES[facts["datatype"]]
    if "educe" in test and facts.get("operation") in _REDUCTIONS:
        found["reduction"] = _REDUCTIONS[facts["operation"]]
    return found


IMPORTER = Importer.of(__file__, _settle)
