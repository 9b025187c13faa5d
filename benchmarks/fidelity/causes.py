"""Known causes why rows are off."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from benchmarks.fidelity.rows import Row

CAUSES = Path(__file__).with_name("causes.toml")


@dataclass(frozen=True)
class Cause:
    """A known cause: the rows it explains (patterns as in a shell), a sentence, and the command that measures it.

    `short` is a phrase for the page. The cause belongs to the `program`, which differs from the profile on every
    machine, or to the `state` of memory, caches or library that a launch finds.
    """

    program: str
    tests: tuple[str, ...]
    sizes: tuple[int, ...]
    library: str
    sentence: str
    measured_by: str
    short: str
    belongs: Literal["program", "state", "unknown"]

    def explains(self, line: Row) -> bool:
        """Tell whether this is the cause of the row's ratio."""
        return (
            line.program == self.program
            and fnmatchcase(line.library, self.library)
            and any(fnmatchcase(line.test, test) for test in self.tests)
            and (not self.sizes or line.bytes in self.sizes)
        )


def read_causes(path: Path = CAUSES) -> list[Cause]:
    """Return the causes that are known, the most special first, as they stand in the file."""
    written = tomllib.loads(path.read_text(encoding="utf-8")).get("cause", [])
    return [
        Cause(
            program=one["program"],
            tests=tuple(one["tests"]),
            sizes=tuple(one.get("sizes", ())),
            library=one.get("library", "*"),
            sentence=one["sentence"],
            measured_by=one["measured_by"],
            short=one["short"],
            belongs=one["belongs"],
        )
        for one in written
    ]


def cause_of(line: Row, causes: Sequence[Cause]) -> Cause | None:
    """Return the first cause that explains the row; None if none does."""
    return next((cause for cause in causes if cause.explains(line)), None)
