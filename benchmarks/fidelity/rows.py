"""Ratios of paired launches, with their intervals, and the causes of those that are off."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from benchmarks.fidelity.programs import Figures, Program
from groma.analysis.order import Interval, median_interval

ALIKE = (0.95, 1.05)
CAUSES = Path(__file__).with_name("causes.toml")


@dataclass(frozen=True)
class Row:
    """One test at one size: the medians of both figures over launches, and the ratio of the times.

    The ratio is the median over rounds of that of the two launches of a round, emulated over real; above 1 the profile
    measures longer times (or lower rates) than the program. `interval` is its 95 % interval, None below six rounds.
    """

    program: str
    library: str
    ranks: int
    test: str
    operation: str
    size: int
    rate: bool
    real: float
    emulated: float
    ratio: float
    interval: Interval | None
    rounds: int

    @property
    def alike(self) -> bool:
        """Tell whether the ratio is within 5 % of 1."""
        return ALIKE[0] <= self.ratio <= ALIKE[1]


def rows_of(program: Program, library: str, ranks: int, rounds: Sequence[tuple[Figures, Figures]]) -> list[Row]:
    """Return a row for every test and size that both had in some round, in the order of the program's tests.

    `rounds` hold the real figures and the emulated ones of a round.
    """
    rows = []
    for test in program.tests:
        sizes = sorted({size for real, own in rounds for name, size in real.keys() & own.keys() if name == test.name})
        for size in sizes:
            key = (test.name, size)
            pairs = [(real[key], own[key]) for real, own in rounds if key in real and key in own]
            pairs = [(real, own) for real, own in pairs if real > 0 and own > 0]
            if not pairs:
                continue
            logs = [math.log(real / own if test.rate else own / real) for real, own in pairs]
            bounds = median_interval(logs)
            rows.append(
                Row(
                    *(program.name, library, ranks, test.name, test.operation, size, test.rate),
                    real=float(np.median([real for real, _ in pairs])),
                    emulated=float(np.median([own for _, own in pairs])),
                    ratio=math.exp(float(np.median(logs))),
                    interval=None if bounds is None else Interval(math.exp(bounds.low), math.exp(bounds.high)),
                    rounds=len(pairs),
                )
            )
    return rows


@dataclass(frozen=True)
class Cause:
    """A known cause: the rows it explains (patterns as in a shell), a sentence, and the command that measures it."""

    program: str
    tests: tuple[str, ...]
    sizes: tuple[int, ...]
    library: str
    sentence: str
    measured_by: str

    def explains(self, row: Row) -> bool:
        """Tell whether this is the cause of the row's ratio."""
        return (
            row.program == self.program
            and fnmatchcase(row.library, self.library)
            and any(fnmatchcase(row.test, test) for test in self.tests)
            and (not self.sizes or row.size in self.sizes)
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
        )
        for one in written
    ]


def cause_of(row: Row, causes: Sequence[Cause]) -> Cause | None:
    """Return the first cause that explains the row; None where it is not known."""
    return next((cause for cause in causes if cause.explains(row)), None)
