"""C sources that stand before an MPI library, compiled for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click


def build(mpicc: str, source: Path, folder: Path) -> Path:
    """Return a source as a shared library for the MPI library that `mpicc` compiles for."""
    shared = folder / f"{source.stem}-{Path(mpicc).name}.so"
    if not shared.exists():
        words = [mpicc, "-shared", "-fPIC", "-O2", str(source), "-o", str(shared)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise click.ClickException(f"{' '.join(words)} failed:\n{done.stderr}")
    return shared
