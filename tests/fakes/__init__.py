"""An engine and a launcher that measure nothing, and how a `groma` command on them ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ENGINE = Path(__file__).with_name("engine.py")
MPIEXEC = Path(__file__).with_name("mpiexec.py")


@dataclass(frozen=True)
class Said:
    """How one command ended."""

    code: int
    out: str
    err: str

    @property
    def last_line(self) -> str:
        """Last line of the standard output."""
        return self.out.rstrip("\n").rpartition("\n")[2]


Groma = Callable[..., Said]
