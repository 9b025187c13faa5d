"""The operations that a C program can be written of: what they call, what they send, and what arrives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Operation:
    """One operation in C.

    `calls` are the lines of one repetition. Arrays hold one message, or one for every rank (`sends_all`,
    `receives_all`). `expected` is element `k` of what arrives from rank `from`, and `at_root` says that only the root
    has it. `same` replaces it if one array sends and receives; empty if there is no such form.
    """

    calls: tuple[str, ...]
    expected: str = ""
    same: str = ""
    sends_all: bool = False
    receives_all: bool = False
    at_root: bool = False
    first_alone: bool = False

    @property
    def reduces(self) -> bool:
        """Whether elements are reduced."""
        return "total(" in self.expected


_MESSAGE = "COUNT, TYPE"
_SENT, _RECEIVED = f"to_send, {_MESSAGE}", f"received, {_MESSAGE}"


def _pingpong(send: str) -> Operation:
    return Operation(
        calls=(
            "if (rank == 0) {",
            f"  {send}(to_send, {_MESSAGE}, 1, 0, comm);",
            f"  MPI_Recv(received, {_MESSAGE}, 1, 0, comm, MPI_STATUS_IGNORE);",
            "} else {",
            f"  MPI_Recv(received, {_MESSAGE}, 0, 0, comm, MPI_STATUS_IGNORE);",
            f"  {send}(to_send, {_MESSAGE}, 0, 0, comm);",
            "}",
        ),
        expected="value(1 - rank, 0, k)",
        same="value(0, 0, k)",
        first_alone=True,
    )


def _collective(call: str, arguments: str, expected: str, **form: Any) -> Operation:  # noqa: ANN401 - see Operation
    """Return the operation that is one call on `comm`; `form` are the members of `Operation` that are not as usual."""
    return Operation((f"{call}({arguments}, comm);",), expected, **form)


OPERATIONS = {
    "pingpong": _pingpong("MPI_Send"),
    "pingpong_synchronous": _pingpong("MPI_Ssend"),
    "barrier": Operation(calls=("MPI_Barrier(comm);",)),
    "bcast": _collective("MPI_Bcast", f"received, {_MESSAGE}, ROOT", "value(ROOT, 0, k)", same="value(ROOT, 0, k)"),
    "reduce": _collective("MPI_Reduce", f"to_send, received, {_MESSAGE}, OPERATION, ROOT", "total(k)", at_root=True),
    "allreduce": _collective("MPI_Allreduce", f"to_send, received, {_MESSAGE}, OPERATION", "total(k)"),
    "gather": _collective(
        "MPI_Gather", f"{_SENT}, {_RECEIVED}, ROOT", "value(from, 0, k)", receives_all=True, at_root=True
    ),
    "scatter": _collective("MPI_Scatter", f"{_SENT}, {_RECEIVED}, ROOT", "value(ROOT, rank, k)", sends_all=True),
    "allgather": _collective("MPI_Allgather", f"{_SENT}, {_RECEIVED}", "value(from, 0, k)", receives_all=True),
    "alltoall": _collective(
        "MPI_Alltoall", f"{_SENT}, {_RECEIVED}", "value(from, rank, k)", sends_all=True, receives_all=True
    ),
}
# The type of an element in C and in MPI.
TYPES = {
    "byte": ("unsigned char", "MPI_BYTE"),
    "char": ("char", "MPI_CHAR"),
    "int32": ("int", "MPI_INT32_T"),
    "int64": ("long long", "MPI_INT64_T"),
    "float": ("float", "MPI_FLOAT"),
    "double": ("double", "MPI_DOUBLE"),
}
# What a reduction makes of the elements `value(r, 0, k)` of all ranks r, as C.
REDUCTIONS = {
    "sum": ("MPI_SUM", "all += value(r, 0, k)"),
    "max": ("MPI_MAX", "all = value(r, 0, k) > all ? value(r, 0, k) : all"),
    "band": ("MPI_BAND", "all = (element)(r ? (int)all & (int)value(r, 0, k) : value(r, 0, k))"),
}
