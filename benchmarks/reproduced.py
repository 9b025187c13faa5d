"""Compares the C programs that `groma reproduce` writes with Groma itself, launch by launch, on every MPI library here.

Launches alternate as groma, program, program, groma (ABBA), with the same launcher, ranks and binding. The ratio is the
program's figure over Groma's, with its 95 % interval over rounds, by the signed-rank test. A row is **same** if the
interval lies within 0.95 to 1.05, **off** if it lies outside, and else not decided. Exit code 1 if a row is off.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from benchmarks.chart import Dot, strips
from benchmarks.fidelity.rows import ALIKE, NOT_DECIDED, OFF, SAME, ratio_of
from benchmarks.host import processor
from benchmarks.libraries import beds
from benchmarks.page import Page, Study, written
from groma.analysis import summarise
from groma.results import load_run
from groma.text.charts.axes import even

GROMA = [sys.executable, "-c", "from groma.cli import main; main()"]
POINTS = (
    *(("pingpong", size) for size in ("8", "64K", "1M")),
    *(("bcast", size) for size in ("8", "64K")),
    *(("allreduce", size) for size in ("8", "64K")),
    *(("alltoall", size) for size in ("8", "64K")),
    ("barrier", ""),
)
# Not Intel's: the compiler for its programs is the embedded MPI's, which cannot link beside Intel's libfabric.
LIBRARIES = ("embedded", "openmpi", "mpich")
_WORST, _AXIS = 5, (0.7, 1.3)


@dataclass(frozen=True)
class Row:
    """One point on one library: the medians over launches of both figures, and the ratio, program over Groma."""

    library: str
    point: str
    groma_us: float
    program_us: float
    ratio: float
    low: float | None
    high: float | None
    verdict: str
    rounds: int
    machine: str


class Both:
    """One point on one library: Groma's launches, and those of the program that stands for it."""

    def __init__(self, library: beds.Library, operation: str, size: str, folder: Path) -> None:
        """Measure once, write the program of that run and compile it."""
        self._words = [operation, *(["--bytes", size] if size else [])]
        self._folder, self._library, self._runs = folder, library, 0
        folder.mkdir(parents=True)
        first = self._run()
        self._groma("reproduce", first, *filter(None, (operation, size)), "-o", folder)
        self._program = next(folder.glob("*.sh"))

    def groma_us(self) -> float:
        """Return the figure of a run of one launch."""
        return float(summarise(load_run(self._run()))[0].time_ns) / 1e3

    def program_us(self) -> float:
        """Return what the program prints in one launch; its script starts it as often as the run had launches, once."""
        done = self._started(["sh", str(self._program)])
        figure, unit = done.splitlines()[-1].split()[:2]
        if unit != "us":
            raise click.ClickException(f"{self._program} printed no time: {done}")
        return float(figure)

    def _run(self) -> Path:
        self._runs += 1
        path = self._folder / f"run-{self._runs}"
        self._groma("run", *self._words, "--launches", "1", "-o", path)
        return path

    def _groma(self, *words: str | Path) -> None:
        self._started([*GROMA, *map(str, words)])

    def _started(self, words: Sequence[str]) -> str:
        # Their waiting ranks would give way to others, for machines with fewer processors than ranks: not wanted here.
        yielding = {name for name in self._library.variables if "THROTTLE" in name or name == "LD_PRELOAD"}
        environment = {name: value for name, value in self._library.environment().items() if name not in yielding}
        environment |= {"GROMA_ENGINE": str(self._library.engine), "MPICC": self._library.mpicc}
        environment |= {"PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise click.ClickException(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout


def rows(library: beds.Library, rounds: int, folder: Path) -> Iterator[Row]:
    """Yield a row for every point, after `rounds` rounds of one launch each."""
    for operation, size in POINTS:
        both = Both(library, operation, size, folder / f"{operation}-{size}")
        pairs = []
        for number in range(rounds):
            if number % 2 == 0:
                groma_us, program_us = both.groma_us(), both.program_us()
            else:
                program_us, groma_us = both.program_us(), both.groma_us()
            pairs.append((groma_us, program_us))
        logs = [math.log(program_us / groma_us) for groma_us, program_us in pairs]
        medians = np.median(np.asarray(pairs), axis=0)
        ratio, point = ratio_of(logs), f"{operation} {size}".strip()
        low, high = (ratio.interval.low, ratio.interval.high) if ratio.interval else (None, None)
        groma_us, program_us = float(medians[0]), float(medians[1])
        verdict = ratio.verdict
        yield Row(library.name, point, groma_us, program_us, ratio.value, low, high, verdict, rounds, processor())


def page(rows: Sequence[Row]) -> Page:
    """Return docs/reproduced.md."""
    counts = Counter(row.verdict for row in rows)
    worst = sorted(rows, key=lambda row: -abs(math.log(row.ratio)))[:_WORST]
    return Page(
        chart=_chart(rows),
        headings=["farthest from 1", "library", "Groma, us", "program, us", "ratio", "95% interval", "verdict"],
        rows=[_cells(row) for row in worst],
        words=vars(rows[0])
        | {"count": len(rows), "off": counts[OFF], "same": counts[SAME], "open": counts[NOT_DECIDED]}
        | {"middle": np.median([row.ratio for row in rows]), "low": ALIKE[0], "high": ALIKE[1]},
    )


def _cells(row: Row) -> list[str]:
    interval = "too few rounds" if row.low is None or row.high is None else f"{row.low:.3f} to {row.high:.3f}"
    times = f"{row.groma_us:.3f}", f"{row.program_us:.3f}", f"{row.ratio:.3f}"
    return [row.point, row.library, *times, interval, row.verdict]


def _chart(rows: Sequence[Row]) -> str:
    dots = [Dot(row.point, row.library, row.ratio, f"{row.ratio:.3f}", row.low, row.high) for row in rows]
    x = even("time of the program over that of Groma", *_AXIS)
    return strips(dots, x, "Ratio of times at every point, with 95% intervals; the band is within 5%", ALIKE)


STUDY = Study("reproduced", {"reproduced": Row}, page)


@click.command(help=__doc__)
@click.option("--rounds", default=12, show_default=True, type=click.IntRange(min=1), help="Launches of each.")
@click.option("--library", "names", multiple=True, type=click.Choice(LIBRARIES), help="These libraries alone.")
@written
def main(*, rounds: int, names: tuple[str, ...], docs: Path | None) -> None:
    """Measure, print each row as it is made and the page, judge."""
    found: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names or LIBRARIES:
            library = beds.libraries()[name]
            if not library.engine.exists():
                click.echo(f"{name} is left out: {library.engine} is not built", err=True)
                continue
            for row in rows(library, rounds, Path(folder) / name):
                found.append(row)
                click.echo(" ".join(_cells(row)), err=True)
    if not found:
        raise click.ClickException("no library is here; make test builds the embedded one's engine")
    STUDY.publish([found], docs)
    sys.exit(1 if any(row.verdict == OFF for row in found) else 0)


if __name__ == "__main__":
    main()
