"""Libraries of devices that this machine has: drivers, and those of NCCL's operations. None of them is started."""

from __future__ import annotations

import ctypes

from groma.catalog import Operation

DRIVERS = {"cuda": "libcuda.so.1", "hip": "libamdhip64.so"}


def has_driver(kind: str) -> bool:
    """Return whether the driver of a kind of memory can be opened here."""
    return _opens(DRIVERS[kind])


def lacking_here(operation: Operation) -> str:
    """Return what an operation needs beside an MPI library and this machine has not got; empty if nothing."""
    if operation.nccl is None:
        return ""
    libraries = {"cuda": operation.nccl.cuda, "hip": operation.nccl.hip}
    asked = {kind: file for kind, file in libraries.items() if has_driver(kind)} or DRIVERS
    if any(map(_opens, asked.values())):
        return ""
    return f"{' and '.join(asked.values())} can't be opened"


def _opens(file: str) -> bool:
    try:
        ctypes.CDLL(file)
    except OSError:
        return False
    return True
