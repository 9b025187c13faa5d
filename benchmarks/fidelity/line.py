"""Pairs of launches in one state of the machine.

The CPUs of a virtual machine are near to each other in one launch and far in the next: a message of 8 bytes takes twice
as long then. So line.c stands before the MPI library in both launches of a pair, and measures a cache line's way from
rank 0 to rank 1 when MPI is initialised and before it is finalised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from benchmarks.fidelity.launches import Preloaded
from benchmarks.fidelity.shared import build
from groma.analysis.machinestate import MACHINE_CHANGE_LIMIT

SOURCE = Path(__file__).with_name("line.c")
ATTEMPTS = 4
_PAGE = bytes(4096)

Figures = TypeVar("Figures")
Own = TypeVar("Own")


def alike(times_ns: Sequence[float]) -> bool:
    """Tell whether these times of a cache line, in ns, are those of one state; those below zero are not known."""
    known = [time_ns for time_ns in times_ns if time_ns > 0]
    return not known or max(known) <= MACHINE_CHANGE_LIMIT * min(known)


def in_one_state(
    real: Callable[[Preloaded], Figures],
    emulated: Callable[[Preloaded], Own],
    compilers: tuple[str, str],
    folder: Path,
    *,
    real_first: bool,
) -> tuple[Figures, Own] | None:
    """Launch a program and what stands for it, again if the machine changed; return both figures, or None at last.

    `compilers` are the libraries' of both for C; `folder` has the files of a launch.
    """
    for _ in range(ATTEMPTS):
        if real_first:
            found, around_ns = _measured(real, compilers[0], folder)
            own, own_around_ns = _measured(emulated, compilers[1], folder)
        else:
            own, own_around_ns = _measured(emulated, compilers[1], folder)
            found, around_ns = _measured(real, compilers[0], folder)
        if alike([*around_ns, *own_around_ns]):
            return found, own
    return None


def _measured(launch: Callable[[Preloaded], Figures], compiler: str, folder: Path) -> tuple[Figures, list[float]]:
    """Return a launch's figures, and a cache line's times (ns) before and after what it measured."""
    page, found = folder / "line", folder / "line.ns"
    page.write_bytes(_PAGE)
    found.unlink(missing_ok=True)
    figures = launch(Preloaded(build(compiler, SOURCE, folder), {"GROMA_LINE": str(page)}))
    return figures, [float(word) for word in found.read_text().split()] if found.exists() else []
