"""Which operations and layouts an MPI library does in which memory of devices, in launches that may die."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groma.catalog import Catalog
from groma.launch.checking import refusals
from groma.launch.command import Setup
from groma.machine.devices import MPI_ERROR, brief_plan
from groma.machine.probe import Tried, launched
from groma.results.records import Failure, Point

REFUSED_HERE = ""  # of a cell that Groma's own engine refuses: the operation has one array for both sides
WORKS = "works"
_RANKS = 2
_LIMIT_S = 900.0
_BYTES = (8, 256 * 1024)
_LAYOUTS = ("contiguous", "vector")
# One or two of each way to call MPI.
_OPERATIONS = (
    *("pingpong", "sendrecv", "stream", "bcast", "ibcast", "gather", "scatter", "allgather", "alltoall", "alltoallv"),
    *("reduce", "allreduce", "iallreduce", "allreduce_init", "reduce_scatter_block", "scan", "neighbor_alltoall"),
)
_OF_REASONS = {"wrong_data": "wrong data", "timeout": "hangs", "device": "no device"}


@dataclass(frozen=True)
class Matrix:
    """What came of each row (an operation, with its layout if it is not contiguous) in each column of kinds."""

    columns: list[str]
    rows: dict[str, list[str]]
    refused: str = ""  # why nothing was tried

    @property
    def failing(self) -> dict[str, list[str]]:
        """The rows in which something does not work."""
        return {name: cells for name, cells in self.rows.items() if not {*cells} <= {WORKS, REFUSED_HERE}}

    @property
    def fails(self) -> bool:
        """True if something does not work."""
        return bool(self.refused or self.failing)

    @property
    def summary(self) -> str:
        """A sentence on all rows."""
        if self.refused:
            return self.refused
        right = len(self.rows) - len(self.failing)
        kinds = ", ".join(self.columns)
        return f"{right} of {len(self.rows)} operations and layouts work in all kinds of memory ({kinds})."


def matrix(setup: Setup, kind: str, catalog: Catalog) -> Matrix:
    """Try operations of every family on two ranks with messages of 8 B and 256 KiB.

    Several points share a launch. What a launch ends with is the point that it did not measure, and the rest is tried
    in another. Raises MachineError if nothing can be started.
    """
    columns = {
        kind: {"memory": kind},
        f"{kind}_managed": {"memory": f"{kind}_managed"},
        f"{kind} to host": {"send_memory": kind},
        f"host to {kind}": {"receive_memory": kind},
    }
    rows = _rows(catalog)
    cells = [_column(setup, [row | memory for row in rows.values()]) for memory in columns.values()]
    return Matrix(list(columns), {name: [column[at] for column in cells] for at, name in enumerate(rows)})


def _rows(catalog: Catalog) -> dict[str, dict[str, Any]]:
    """Return the fields of each row by its name, as far as the library has the operation."""
    rows: dict[str, dict[str, Any]] = {}
    for operation in (one for one in catalog.operations if one.name in _OPERATIONS and not one.lacks):
        for layout in _LAYOUTS if "layout" in operation.uses and "reduction" not in operation.uses else _LAYOUTS[:1]:
            plain = layout == _LAYOUTS[0]
            name = operation.name if plain else f"{operation.name}, {layout}"
            rows[name] = {"operation": operation.name} | ({} if plain else {"layout": layout})
    return rows


def _column(setup: Setup, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return what came of each of these rows."""
    points = [{**row, "bytes": size} for row in rows for size in _BYTES]
    found: dict[int, str] = {refusal.index: REFUSED_HERE for refusal in refusals(setup, points, [_RANKS])}
    while left := [at for at in range(len(points)) if at not in found]:
        launch = launched(setup, _RANKS, brief_plan([points[at] for at in left]), limit_s=_LIMIT_S)
        found |= {left[index]: outcome for index, outcome in _outcomes(launch).items()}
        if (ended := next((at for at in left if at not in found), None)) is not None:
            outcome = "refused" if MPI_ERROR in launch.words else "dies"
            # The row's other message would end a launch too.
            found |= {at: outcome for at in _of_row(ended) if at >= ended}
    return [_worst([found[at] for at in _of_row(row * len(_BYTES))]) for row in range(len(rows))]


def _outcomes(launch: Tried) -> dict[int, str]:
    measured = {record.index: WORKS for record in launch.records if isinstance(record, Point)}
    failed = {one.index: _OF_REASONS.get(one.reason, one.reason) for one in launch.records if isinstance(one, Failure)}
    return measured | failed


def _of_row(at: int) -> range:
    """Return the places of all messages of the row of a point."""
    first = at - at % len(_BYTES)
    return range(first, first + len(_BYTES))


def _worst(outcomes: Sequence[str]) -> str:
    return next((outcome for outcome in outcomes if outcome != WORKS), WORKS)
