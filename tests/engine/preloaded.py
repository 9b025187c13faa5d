"""Libraries of tests/engine/interpose, built with the compiler of the MPI library that they stand before."""

from __future__ import annotations

from pathlib import Path

import beds


def build(library: beds.Library, name: str, folder: Path) -> Path:
    """Return interpose/`name`.c as a shared library in `folder`."""
    shared = folder / f"lib{name}.so"
    source = Path(__file__).parent / "interpose" / f"{name}.c"
    built = beds.run([library.mpicc, "-shared", "-fPIC", "-O1", str(source), "-o", str(shared)])
    assert built.exit_code == 0, built.errors
    return shared
