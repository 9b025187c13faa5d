"""Libraries of tests/engine/interpose, built with the compiler of the MPI library that they stand before."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import beds


def build(library: beds.Library, name: str, folder: Path, *options: str) -> Path:
    """Return interpose/`name`.c as a shared library in `folder`, compiled with these options."""
    shared = folder / f"lib{name}.so"
    source = Path(__file__).parent / "interpose" / f"{name}.c"
    built = beds.run([library.mpicc, "-shared", "-fPIC", "-O1", *options, str(source), "-o", str(shared)])
    assert built.exit_code == 0, built.errors
    return shared


def environment(library: beds.Library, name: str, folder: Path, settings: Mapping[str, object]) -> dict[str, str]:
    """Return the variables by which `groma` measures `library` with interpose/`name`.c before it, and its settings."""
    for_ranks = {"LD_PRELOAD": library.preloads(build(library, name, folder)), **settings}
    given = " ".join(f"-genv {variable} {value}" for variable, value in for_ranks.items())
    return library.environment(
        {
            "GROMA_ENGINE": str(library.engine),
            "GROMA_MPIEXEC": f"{library.mpiexec} -bind-to core {given}",
            "PYTHONPATH": os.pathsep.join(sys.path),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
    )
