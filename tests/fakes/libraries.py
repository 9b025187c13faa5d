"""MPI libraries that measure nothing: prefixes with a launcher, a compiler wrapper, and files that name them."""

from __future__ import annotations

from pathlib import Path

from fakes import MPIEXEC


def abi_library(prefix: Path, version: str = "5.0.2", faults: str = "") -> Path:
    """Make a library with the standard ABI; its launcher hands FAKE_ENGINE=`faults` on to the engine."""
    text = MPIEXEC.read_text().replace("5.0.2", version)
    if faults:
        text = text.replace('{"FAKE_RANKS": ranks}', f'{{"FAKE_RANKS": ranks, "FAKE_ENGINE": "{faults}"}}')
    program(prefix / "bin" / "mpiexec", text)
    touched(prefix / "lib" / "libmpi_abi.so.1")
    return prefix


def native_library(prefix: Path, version: str = "5.0.9", suffix: str = "", compiler: str = "g++") -> Path:
    """Make an Open MPI without the standard ABI."""
    says = f"mpiexec (Open MPI) {version}"
    shows = f"{compiler} -I{prefix}/include -L{prefix}/lib -lmpi"
    program(prefix / "bin" / f"mpiexec{suffix}", f"#!/bin/sh\necho '{says}'\n")
    wrapper = f'#!/bin/sh\nif [ "$1" = -show ]; then echo "{shows}"; else exec {compiler} "$@"; fi\n'
    program(prefix / "bin" / f"mpicxx{suffix}", wrapper)
    file = touched(prefix / "lib" / "libmpi.so.40")
    (prefix / "lib" / "libmpi.so").symlink_to(file)
    return prefix


def program(path: Path, text: str) -> Path:
    """Write a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def touched(path: Path) -> Path:
    """Make an empty file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path
