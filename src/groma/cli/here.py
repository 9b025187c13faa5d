"""Why an operation can't be measured on this machine."""

from __future__ import annotations

from groma.catalog import Operation


def not_here(operation: Operation) -> str:
    """Return what the MPI library or the machine lacks for an operation, in a sentence; empty if nothing."""
    if operation.lacks:
        return f"the MPI library lacks {operation.lacks}"
    if operation.nccl is None:
        return ""
    from groma.machine.drivers import lacking_here  # noqa: PLC0415 - only operations of NCCL take it

    return lacking_here(operation)
