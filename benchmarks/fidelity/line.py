"""Pairs of launches in one state of the machine.

The CPUs of a virtual machine are near to each other in one launch and far in the next: a message of 8 bytes takes twice
as long then. So line.c stands before the MPI library in both launches of a pair, and measures a cache line's way from
rank 0 to rank 1 when MPI is initialised and before it is finalised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.fidelity.launches import Bench, Preloaded
from benchmarks.fidelity.programs import Figures
from benchmarks.fidelity.shared import build
from groma.analysis.machinestate import MACHINE_CHANGE_LIMIT

SOURCE = Path(__file__).with_name("line.c")
ATTEMPTS = 4
_PAGE = bytes(4096)

Launch = Callable[[Preloaded], Figures]


def alike(times_ns: Sequence[float]) -> bool:
    """Tell whether these times of a cache line, in ns, are those of one state; those below zero are not known."""
    known = [time_ns for time_ns in times_ns if time_ns > 0]
    return not known or max(known) <= MACHINE_CHANGE_LIMIT * min(known)


def in_one_state(bench: Bench, real: Launch, emulated: Launch, *, real_first: bool) -> tuple[Figures, Figures]:
    """Launch the program and its profile, again where the machine changed; return both figures, or none at last."""
    sides = [(real, bench.compilers[0]), (emulated, bench.compilers[1])]
    for _ in range(ATTEMPTS):
        figures: list[Figures] = [{}, {}]
        times_ns: list[float] = []
        for side in (0, 1) if real_first else (1, 0):
            launch, compiler = sides[side]
            figures[side], around_ns = _measured(launch, compiler, bench.scratch)
            times_ns += around_ns
        if alike(times_ns):
            return figures[0], figures[1]
    return {}, {}


def _measured(launch: Launch, compiler: str, folder: Path) -> tuple[Figures, list[float]]:
    """Return a launch's figures, and a cache line's times (ns) before and after what it measured."""
    page, found = folder / "line", folder / "line.ns"
    page.write_bytes(_PAGE)
    found.unlink(missing_ok=True)
    figures = launch(Preloaded(build(compiler, SOURCE, folder), {"GROMA_LINE": str(page)}))
    return figures, [float(word) for word in found.read_text().split()] if found.exists() else []
