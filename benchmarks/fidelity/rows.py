"""Ratios of paired launches, with their intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.fidelity.programs import Figures, Program
from groma.analysis.compare import Paired
from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL, Interval
from groma.text.sizes import format_size

ALIKE = (0.95, 1.05)
ALL_ROWS = "all rows"
SAME, OFF, NOT_DECIDED = "same", "off", "not decided"
Rounds = list[tuple[Figures, Figures]]


@dataclass(frozen=True)
class Ratio:
    """The ratio of times, emulated over real, of pairs of launches.

    `value` is the median of the pairwise means of the logarithms (Hodges and Lehmann, 1963), and `interval` the 95 %
    interval that belongs to the exact signed-rank test; None below six rounds. `rounding` is half a step of what the
    program prints, as a share of its figure: the interval is wider by this.
    """

    value: float
    interval: Interval | None

    @property
    def verdict(self) -> str:
        """Return "same" (within 5 % of 1), "off" (5 % or more), or "not decided"."""
        low, high = ALIKE
        if self.interval is None:
            return NOT_DECIDED
        if self.interval.low >= low and self.interval.high <= high:
            return SAME
        return OFF if self.interval.low > high or self.interval.high < low else NOT_DECIDED


def ratio_of(logs: Sequence[float], rounding: float = 0.0) -> Ratio:
    """Return the ratio of rounds from the logarithms of theirs."""
    shift = Paired(logs)
    found = shift.interval(CONFIDENCE) if shift.launches >= MINIMUM_FOR_INTERVAL else None
    ends = found and Interval(math.exp(found.low) * (1 - rounding), math.exp(found.high) * (1 + rounding))
    return Ratio(math.exp(shift.estimate), ends)


@dataclass(frozen=True)
class Row:
    """One test at one size in the file, or the mean over all tests (`all rows`; size 0: over all sizes too).

    Figures are medians over rounds in microseconds, rates in MB/s. The ratio is that of times, profile over program,
    with its 95 % interval; `fastest` is that of the best launches. `calls`: are the MPI calls the same (empty: not
    compared); `differences`: where they are not, program against profile.
    """

    program: str
    library: str
    ranks: int
    test: str
    operation: str
    bytes: int
    is_rate: bool
    rounds: int
    real: float | None
    emulated: float | None
    fastest: float | None
    ratio: float
    low: float | None
    high: float | None
    verdict: str
    calls: str
    differences: str
    machine: str

    @property
    def section(self) -> tuple[str, str, int]:
        """What was measured together."""
        return self.program, self.library, self.ranks

    @property
    def title(self) -> str:
        """Test and size."""
        return f"{self.test} {format_size(self.bytes) if self.bytes else ''}".strip()


@dataclass(frozen=True)
class Measured(Row):
    """A row just measured; `logs` are the logarithms of the ratios by round."""

    logs: Mapping[int, float]


def rows_of(
    program: Program,
    library: str,
    ranks: int,
    rounds: Rounds,
    *,
    calls: Mapping[tuple[str, int], Sequence[str]] | None = None,
    machine: str = "",
) -> list[Measured]:
    """Return a row for every test and size that both had in some round, in the order of the program's tests.

    `rounds` hold the real figures and the emulated ones of a round, `calls` in what the MPI calls differ.
    """
    differing = calls or {}
    rows = []
    for test in program.tests:
        sizes = sorted({size for real, own in rounds for name, size in real.keys() & own.keys() if name == test.name})
        for size in sizes:
            key = (test.name, size)
            pairs = {at: (real[key], own[key]) for at, (real, own) in enumerate(rounds) if key in real and key in own}
            pairs = {at: pair for at, pair in pairs.items() if min(pair) > 0}
            if not pairs:
                continue
            logs = {at: math.log(real / own if test.rate else own / real) for at, (real, own) in pairs.items()}
            reals, owns = ([pair[side] for pair in pairs.values()] for side in (0, 1))
            fastest = max(reals) / max(owns) if test.rate else min(owns) / min(reals)
            ratio = ratio_of(list(logs.values()), _rounding(reals, program.step))
            same = "" if key not in differing else "differ" if differing[key] else SAME
            rows.append(
                Measured(
                    *(program.name, library, ranks, test.name, test.operation, size, test.rate, len(logs)),
                    *(float(np.median(reals)), float(np.median(owns)), fastest, *_parts(ratio)),
                    *(same, "; ".join(differing.get(key, ())), machine, logs),
                )
            )
    return rows


def _parts(ratio: Ratio) -> tuple[float, float | None, float | None, str]:
    ends = (ratio.interval.low, ratio.interval.high) if ratio.interval else (None, None)
    return ratio.value, *ends, ratio.verdict


def _rounding(figures: Sequence[float], step: float) -> float:
    """Return by which share a ratio can be wrong since the program prints its figures in steps.

    Half a step, where the figures are nearly the same in all rounds. Where they vary by a step or more, what is rounded
    up and what is rounded down cancel (Widrow and Kollar, Quantization Noise, 2008, chapter 5).
    """
    return 0.0 if np.std(figures) >= step else step / 2 / float(np.median(figures))


def together(rows: Sequence[Measured]) -> Ratio:
    """Return the ratio of all rows: of every round the mean of their logarithms."""
    rounds = sorted(set().union(*(row.logs for row in rows)))
    return ratio_of([float(np.mean([row.logs[at] for row in rows if at in row.logs])) for at in rounds])


def with_means(rows: Sequence[Measured]) -> list[Row]:
    """Return the rows of one program, library and number of ranks, then those of all tests by size and at all sizes."""
    first, rounds = rows[0], max(row.rounds for row in rows)
    head = first.program, first.library, first.ranks, ALL_ROWS, ""
    means = {
        size: together([row for row in rows if size in (0, row.bytes)])
        for size in [*sorted({row.bytes for row in rows if row.bytes}), 0]
    }
    return [
        *rows,
        *(
            Row(*head, size, False, rounds, None, None, None, *_parts(ratio), "", "", first.machine)
            for size, ratio in means.items()
        ),
    ]


class Kept:
    """Rounds in a file, so that those of several mornings count together."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        known = path is not None and path.exists()
        self._all: dict[str, list[list[list[list[float]]]]] = json.loads(path.read_text()) if path and known else {}

    def rounds(self, program: Program, library: str, ranks: int) -> Rounds:
        """Return the rounds that are known."""
        names = [test.name for test in program.tests]
        found = self._all.get(_key(program, library, ranks), [])
        return [_figures(names, real, own) for real, own in found]

    def add(self, program: Program, library: str, ranks: int, pair: tuple[Figures, Figures]) -> None:
        """Keep a round."""
        names = [test.name for test in program.tests]
        sides = [[[names.index(name), size, figure] for (name, size), figure in side.items()] for side in pair]
        self._all.setdefault(_key(program, library, ranks), []).append(sides)
        if self.path is not None:
            self.path.write_text(json.dumps(self._all))


def _key(program: Program, library: str, ranks: int) -> str:
    return f"{program.name} | {library} | {ranks}"


def _figures(names: Sequence[str], *sides: list[list[float]]) -> tuple[Figures, Figures]:
    real, own = ({(names[int(at)], int(size)): figure for at, size, figure in side} for side in sides)
    return real, own
