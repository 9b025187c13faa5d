"""Five programs on one chart for each operation, measured in turns: on ranks of this machine, and on simulated ones.

What is measured stays in a folder (--keep): a later call goes on from there. Simulated ranks need SimGrid and
tools/build-simulated-engine. Their times do not vary, so one launch of each program is enough.
"""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks.chart import panels
from benchmarks.csvrows import read_rows
from benchmarks.host import processor
from benchmarks.page import DOCS, Page, Study, written
from benchmarks.reasons.found import Row
from benchmarks.reasons.simulated import SEND, altix
from groma.analysis import series, side_by_side, summarise
from groma.results import load_run
from groma.text.charts import Chart, Curve
from groma.text.numbers import TIMES, significant
from groma.text.sizes import format_size
from simulation.simulator import ENGINE, EXACT_SETTINGS

PROGRAMS = ("mpptest", "mpbench", "pmb", "skampi", "mpibench")
OPERATIONS = ("bcast", "sendrecv", "alltoall")
SIZES = "1:1M:*4"
RANKS = (2, 4, 8)
# A reading of the simulated clock takes this long, as on real ones: windows wait by looking at it.
READING_S = "2e-8"
_DIGITS, _MOST_CAUSES = 3, 2
_LEAST = 0.005  # a ratio that is printed as 1.00 is no cause worth naming


@dataclass(frozen=True)
class Timed:
    """A program's time at one size, and its ratio to the time of the first program; 95 % intervals."""

    operation: str
    ranks: int
    program: str
    bytes: int
    time_us: float
    low_us: float | None
    high_us: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    machine: str


def page(times: Sequence[Timed], reasons: Sequence[Row] | None = None) -> Page:
    """Return docs/compared.md; `reasons` are the rows behind docs/reasons.md."""
    if reasons is None:
        reasons = read_rows(DOCS / "data" / "reasons.csv", Row)
    charts = {operation: _chart(operation, times) for operation in OPERATIONS}
    ratios = [one.ratio for one in times if one.ratio is not None]
    return Page(
        chart=charts.pop(OPERATIONS[0]),
        further=charts,
        headings=["operation", "size", "programs", "ratio", "because of"],
        rows=list(_rows(reasons)),
        words={
            "sizes": SIZES,
            "least": f"{min(ratios):.2g}",
            "most": f"{max(ratios):.2g}",
            "machines": " and ".join(dict.fromkeys(one.machine for one in times)),
        },
    )


def _chart(operation: str, times: Sequence[Timed]) -> str:
    """Return the charts of an operation, one for each machine and number of ranks."""
    own = [one for one in times if one.operation == operation]
    cells = []
    for machine, ranks in dict.fromkeys((one.machine, one.ranks) for one in own):
        rows = [one for one in own if (one.machine, one.ranks) == (machine, ranks)]
        names = list(dict.fromkeys(one.program for one in rows))
        curves = [_curve(name, [one for one in rows if one.program == name]) for name in names]
        ratios = [_ratios(name, [one for one in rows if one.program == name and one.ratio]) for name in names[1:]]
        title = f"{ranks} ranks, {machine.partition(' on ')[0]}"
        cells.append(Chart(title, "message size", "µs", curves, ratios=ratios, ratio_y=f"time over that of {names[0]}"))
    return panels(cells, f"Times of {operation} by program over message size")


def _curve(name: str, rows: Sequence[Timed]) -> Curve:
    places, ends = [(one.bytes, one.time_us) for one in rows], [(one.low_us, one.high_us) for one in rows]
    return Curve(name, Curve.of(name, places, intervals=ends).points, number=PROGRAMS.index(name))


def _ratios(name: str, rows: Sequence[Timed]) -> Curve:
    places = [(one.bytes, one.ratio) for one in rows if one.ratio is not None]
    return Curve.of(name, places, intervals=[(one.ratio_low, one.ratio_high) for one in rows])


def _rows(reasons: Sequence[Row]) -> Iterator[list[str]]:
    """Yield a row for each pair on the most ranks, at each size, with the factors shown to change the time, if any."""
    known = [one for one in reasons if one.operation in OPERATIONS and one.ranks == max(RANKS) and one.ratio]
    for key in dict.fromkeys((one.operation, one.bytes, one.first, one.second) for one in known):
        whole, *factors = [one for one in known if (one.operation, one.bytes, one.first, one.second) == key]
        operation, size, first, second = key
        causes = sorted((one for one in factors if _effect(one) > math.log1p(_LEAST)), key=_effect, reverse=True)
        told = "; ".join(f"{one.factor} {TIMES}{significant(one.ratio, _DIGITS)}" for one in causes[:_MOST_CAUSES])
        pair = f"{second} / {first}"
        if told:
            yield [operation, format_size(size), pair, significant(whole.ratio, _DIGITS), told]


def _effect(one: Row) -> float:
    """Return how far a factor's ratio is from 1, as a logarithm; 0 if that is not shown."""
    if not one.ratio or one.low is None or one.high is None or one.low <= 1 <= one.high:
        return 0.0
    return abs(math.log(one.ratio))


def times_of(path: Path, machine: str) -> Iterator[Timed]:
    """Yield the rows of a run."""
    run = load_run(path)
    for both in side_by_side(run, series(summarise(run))):
        for name, curve in both.curves.items():
            for point in curve.points:
                judged = both.ratios.get(name, {}).get(point.bytes)
                ratio = judged.comparison if judged else None
                ends, bounds = point.interval if point.interval_kind == "launches" else None, ratio and ratio.interval
                yield Timed(
                    operation=both.call,
                    ranks=both.ranks,
                    program=name,
                    bytes=point.bytes or 0,
                    time_us=point.time_ns / 1e3,
                    low_us=ends.low / 1e3 if ends else None,
                    high_us=ends.high / 1e3 if ends else None,
                    ratio=ratio.ratio if ratio else None,
                    ratio_low=bounds.low if bounds else None,
                    ratio_high=bounds.high if bounds else None,
                    machine=machine,
                )


def measured(folder: Path, ranks: str, launches: int, *more: str) -> Path:
    """Return the run in a folder, which is measured or continued."""
    groma = str(Path(sys.executable).with_name("groma"))
    plan = [*OPERATIONS, "--profile", ",".join(PROGRAMS), "--bytes", SIZES, "-n", ranks, "--launches", str(launches)]
    words = ["--resume", str(folder)] if (folder / "run.json").exists() else [*plan, *more, "-o", str(folder)]
    environment = ["env", f"GROMA_ENGINE={folder.parent / 'engine'}"] if "--launcher" in more else []
    subprocess.run([*environment, groma, "run", *words], check=True, stdout=subprocess.DEVNULL)
    return folder


def simulator(folder: Path) -> str:
    """Write what starts the simulated engine into a folder, and return the launcher: a template of `groma run`."""
    platform = altix()
    (folder / "platform.xml").write_text(platform.xml)
    (folder / "hosts").write_text("".join(f"{host}\n" for host in platform.hosts))
    settings = EXACT_SETTINGS | SEND | {"smpi/wtime": READING_S}
    asked = " ".join(f"--cfg={key}:{value}" for key, value in settings.items())
    where = f"-hostfile {folder}/hosts -platform {folder}/platform.xml --log=root.thres:critical {asked} {ENGINE}"
    for name, start in (("engine", "exec smpirun -np 1"), ("mpiexec", "ranks=$1\nshift 2\nexec smpirun -np $ranks")):
        (folder / name).write_text(f'#!/bin/sh\n{start} {where} "$@"\n')
        (folder / name).chmod(0o755)
    return f"{folder / 'mpiexec'} {{ranks}}"


@click.command(help=__doc__)
@click.option("--keep", type=click.Path(path_type=Path), default=Path("runs/compared"), show_default=True)
@click.option("--launches", default=6, show_default=True, help="Real launches; 6 are the least for an interval.")
@written
def main(keep: Path, launches: int, docs: Path | None) -> None:
    """Measure what is not there, print the page and write it."""
    keep = keep.absolute()
    keep.mkdir(parents=True, exist_ok=True)
    here = measured(keep / "here", "2,4", launches)
    short = ["--set", "clock=mpi", "--set", "block=20", "--set", "repetitions=4", "--launcher", simulator(keep)]
    network = measured(keep / "simulated", ",".join(map(str, RANKS)), 1, *short)
    times = [*times_of(here, f"{load_run(here).libraries} on {processor()}"), *times_of(network, "simulated network")]
    STUDY.publish([times], docs)


STUDY = Study("compared", {"compared": Timed}, page)

if __name__ == "__main__":
    main()
