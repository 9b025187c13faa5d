"""An engine and a launcher that measure nothing, and how a `groma` command on them ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

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

    def refuses(self, *texts: str) -> None:
        """Expect exit code 2, no result, and these texts on the standard error output."""
        assert self.code == 2, self.err
        assert self.out == ""
        for text in texts:
            assert text in self.err


Groma = Callable[..., Said]


def refused(*cases: tuple[str | tuple[str, ...], str]) -> pytest.MarkDecorator:
    """Run a test once for each of these `arguments` of a command that is refused; `says` is what it must then say."""
    return pytest.mark.parametrize(("arguments", "says"), cases)
