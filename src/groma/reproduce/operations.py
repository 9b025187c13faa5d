"""The operations that a C program can be written of, with types and reductions in C and in MPI (operations.toml)."""

from __future__ import annotations

from pathlib import Path

import msgspec


class Operation(msgspec.Struct, frozen=True):
    """One operation in C; operations.toml says what its members are."""

    calls: str
    expected: str = ""
    same: str = ""
    sends_all: bool = False
    receives_all: bool = False
    at_root: bool = False
    first_alone: bool = False

    @property
    def reduces(self) -> bool:
        """True if elements are reduced."""
        return "total(" in self.expected


class _Known(msgspec.Struct):
    operations: dict[str, Operation]
    types: dict[str, tuple[str, str]]
    reductions: dict[str, tuple[str, str]]


_KNOWN = msgspec.toml.decode((Path(__file__).parent / "operations.toml").read_bytes(), type=_Known)
OPERATIONS, TYPES, REDUCTIONS = _KNOWN.operations, _KNOWN.types, _KNOWN.reductions
