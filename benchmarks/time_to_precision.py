"""Measures what a figure costs: seconds and launches until its 95 % interval over launches is within +-2 %.

Two tasks on 2 ranks: one ping-pong of 8 B, and 12 points (ping-pong, bcast and allreduce of 8 B to 1 MiB). Groma is
started as a person starts it, `groma run ... --within 2%`, and the wall time is that of the whole command. Other
programs are started launch by launch with the same launcher and binding, at the sizes of the task if they can be
told, until each interval is narrow enough; tests and sizes that are narrow enough are not started again. The interval
is the same for all: of the median over launches, from order statistics, six launches at least.

OSU and IMB are found as by `make fidelity`: in the folder that GROMA_REAL_PROGRAMS names, and IMB-MPI1 of the Intel MPI
that tools/install-intel-mpi installs. If there is none, Groma is measured alone. Exit code 0 when every program
gave a figure of every point, within the caps or not, else 1.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from benchmarks.chart import Dot, strips
from benchmarks.fidelity.__main__ import benches
from benchmarks.fidelity.launches import Bench
from benchmarks.fidelity.programs import PROGRAMS, Figures, Program
from benchmarks.host import processor
from benchmarks.page import Page, Study, written
from groma.analysis.order import median_interval
from groma.errors import GromaError
from groma.launch.command import find_setup
from groma.launch.engine import find_engine
from groma.programs.printed import Test
from groma.tables import load
from groma.text.charts.axes import even
from groma.text.sizes import format_size

RANKS = 2
WITHIN = 0.02
_AGAIN_S = 0.2
Key = tuple[str, int]
# The test of each program that a person would take for the operation.
TESTS = {
    "pingpong": ("osu_latency", "PingPong"),
    "bcast": ("osu_bcast", "Bcast"),
    "allreduce": ("osu_allreduce", "Allreduce"),
}


@dataclass(frozen=True)
class Task:
    """What is to be known: every operation at every size (bytes)."""

    name: str
    operations: tuple[str, ...]
    sizes: tuple[int, ...]

    @property
    def keys(self) -> list[Key]:
        """Operation and size of every point."""
        return [(operation, size) for operation in self.operations for size in self.sizes]


TASKS = (
    Task("ping-pong 8 B", ("pingpong",), (8,)),
    Task("12 points", ("pingpong", "bcast", "allreduce"), (8, 1 << 10, 1 << 16, 1 << 20)),
)


@dataclass(frozen=True)
class Limits:
    """Where a program is ended that is not within +-2 % by then; a launch that runs may overrun the seconds."""

    seconds: float
    launches: int


@dataclass(frozen=True)
class Reached:
    """How far a program came: wall seconds, launches, and the widest relative half-width of an interval.

    `width` is inf if a point has fewer than six figures. `ended` says what ended it.
    """

    seconds: float
    launches: int
    width: float
    ended: str


def width_of(values: Sequence[float]) -> float:
    """Return half the 95 % interval of the median of launch figures, relative to it; inf if they give none."""
    interval = median_interval(list(values))
    centre = float(np.median(values)) if len(values) else 0.0
    return math.inf if interval is None or centre <= 0 else interval.half_width(centre)


def wide_ones(found: dict[Key, list[float]], asked: Sequence[Key]) -> list[Key]:
    """Return the points whose interval is wider than asked, or that have none."""
    return [key for key in asked if width_of(found.get(key, [])) > WITHIN]


def until_narrow(
    launch: Callable[[Sequence[Key]], Iterator[Figures]],
    asked: Sequence[Key],
    limits: Limits,
    clock: Callable[[], float] = time.monotonic,
) -> Reached:
    """Launch a program for the points that are still wide, round after round, until none is or a cap ends it.

    `launch` yields the figures of each launch that a round of these points takes. A round without a figure of any
    point ends it too: the next would fail alike.
    """
    began_s, launches = clock(), 0
    found: dict[Key, list[float]] = defaultdict(list)
    ended = ""
    wide = list(asked)
    while wide and not ended:
        gave = False
        for figures in launch(wide):
            launches += 1
            for key in set(asked) & figures.keys():
                gave = True
                found[key].append(figures[key])
            ended = _cap(clock() - began_s, launches, limits)
            if ended:
                break
        if not gave:
            ended = "no figure: it failed"
        wide = wide_ones(found, asked)
    width = max(width_of(found.get(key, [])) for key in asked)
    return Reached(clock() - began_s, launches, width, _goal() if not wide else ended)


def _goal() -> str:
    return f"within ±{WITHIN:.0%}"


def _cap(seconds: float, launches: int, limits: Limits) -> str:
    if seconds >= limits.seconds:
        return f"cap of {limits.seconds:g} s"
    return f"cap of {limits.launches} launches" if launches >= limits.launches else ""


def program_tests(program: Program, task: Task) -> dict[str, Test] | None:
    """Return the program's test of each operation of the task; None if it lacks one."""
    chosen = {
        operation: test for operation in task.operations for test in program.tests if test.name in TESTS[operation]
    }
    return chosen if len(chosen) == len(task.operations) else None


def real(bench: Bench, program: Program, tests: dict[str, Test], task: Task, limits: Limits) -> Reached:
    """Return what a real program needs for the task."""
    operations = {test.name: operation for operation, test in tests.items()}

    def launch(wide: Sequence[Key]) -> Iterator[Figures]:
        chosen = [tests[operation] for operation in dict.fromkeys(operation for operation, _ in wide)]
        sizes = sorted({size for _, size in wide})
        for start in program.starts(bench.programs, chosen, sizes, bench.scratch):
            figures = bench.real(program, start, RANKS)
            # Sizes that a program measures between those asked, and points that are known, cost it time and no more.
            yield {(operations[name], size): value for (name, size), value in figures.items() if name in operations}

    return until_narrow(launch, task.keys, limits)


def groma(bench: Bench, task: Task, limits: Limits) -> Reached:
    """Return what `groma run --within` needs for the task, its start, its examination and its report included."""
    with tempfile.TemporaryDirectory(dir=bench.scratch) as name:
        folder = Path(name) / "run"
        words = [str(Path(sys.executable).with_name("groma")), "run", *task.operations]
        words += ["--bytes", ",".join(map(str, task.sizes)), "-n", str(RANKS), "--within", f"{WITHIN:.0%}"]
        words += ["--launcher", str(bench.setup.launcher), "-o", str(folder)]
        variables = os.environ | {"GROMA_ENGINE": str(bench.setup.engine.path)}
        began_s = time.monotonic()
        code, capped, said = _finish(words, variables, limits.seconds)
        seconds = time.monotonic() - began_s
        return _reached(folder, task, limits, Reached(seconds, 0, math.inf, _outcome(code, capped, said, limits)))


def _finish(words: Sequence[str], variables: dict[str, str], cap_s: float) -> tuple[int, bool, str]:
    """Run a command; at its cap interrupt it until it ends, as a person would, which keeps what was measured.

    A single interrupt can be lost while Python starts.
    """
    with subprocess.Popen(
        words, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            said = process.communicate(timeout=cap_s)[1]
            return process.returncode, False, said
        while True:
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return 1, True, process.communicate(timeout=_AGAIN_S)[1]


def _outcome(code: int, capped: bool, said: str, limits: Limits) -> str:
    if capped:
        return f"cap of {limits.seconds:g} s"
    last = (said.strip().splitlines() or [f"exit code {code}"])[-1]
    return _goal() if code == 0 else f"its own end: {last}"


def _reached(folder: Path, task: Task, limits: Limits, said: Reached) -> Reached:
    """Return how far a run came by its records, judged as the other programs are."""
    try:
        table = load(folder)
    except GromaError:
        return Reached(said.seconds, 0, math.inf, said.ended)
    found: dict[Key, list[float]] = defaultdict(list)
    for row in table.iter_rows(named=True):
        if row["figure_ns"] is not None:
            found[row["operation"], row["bytes"]].append(row["figure_ns"])
    launches = table["launch"].n_unique()
    width = max(width_of(found.get(key, [])) for key in task.keys)
    if width <= WITHIN:
        return Reached(said.seconds, launches, width, _goal())
    ended = said.ended if said.ended != _goal() else "its own end: wider than ±2 % all the same"
    return Reached(said.seconds, launches, width, _cap(0.0, launches, limits) or ended)


@dataclass(frozen=True)
class Row:
    """What one program took for a task on one library: median seconds and launches over repetitions.

    `width` is the widest interval of all, relative; None if a point has none.
    """

    task: str
    library: str
    program: str
    seconds: float
    least_s: float
    most_s: float
    launches: float
    width: float | None
    ended: str
    repeats: int
    machine: str


def row_of(task: Task, library: str, program: str, every: Sequence[Reached]) -> Row:
    """Return the row of all repetitions."""
    seconds, width = [one.seconds for one in every], max(one.width for one in every)
    return Row(
        *(task.name, library, program, float(np.median(seconds)), min(seconds), max(seconds)),
        float(np.median([one.launches for one in every])),
        width if math.isfinite(width) else None,
        "; ".join(dict.fromkeys(one.ended for one in every)),
        *(len(every), processor()),
    )


def page(rows: Sequence[Row]) -> Page:
    """Return docs/cost.md."""
    costs = [f"{row.program} takes {row.seconds:.0f} s for {row.task} ({row.ended})" for row in rows]
    return Page(
        chart=_chart(rows),
        headings=["task", "library", "program", "seconds", "least to most", "launches", "widest interval", "ended by"],
        rows=[_cells(row) for row in rows],
        words=vars(rows[0])
        | {
            "found": "; ".join(costs),
            "within": WITHIN,
            "sizes": ", ".join(format_size(size) for size in TASKS[1].sizes),
            "ranks": RANKS,
        },
    )


def _cells(row: Row) -> list[str]:
    width = "none" if row.width is None else f"±{row.width:.1%}"
    span = f"{row.least_s:.1f} to {row.most_s:.1f}"
    return [row.task, row.library, row.program, f"{row.seconds:.1f}", span, f"{row.launches:g}", width, row.ended]


def _chart(rows: Sequence[Row]) -> str:
    dots = [Dot(f"{row.task}, {row.program}", row.program, row.seconds, "", row.least_s, row.most_s) for row in rows]
    return strips(dots, even("seconds", 0, max(row.most_s for row in rows)), "Seconds of each program and task")


STUDY = Study("cost", {"cost": Row}, page)


def _alone(scratch: Path) -> Bench:
    setup = find_setup(find_engine())
    return Bench(f"{setup.launcher.family} {setup.launcher.version}", scratch, setup, scratch)


def _contestants(bench: Bench, task: Task, limits: Limits) -> dict[str, Callable[[], Reached]]:
    """Return each program's name and what measures the task with it, Groma first."""
    found: dict[str, Callable[[], Reached]] = {"Groma": functools.partial(groma, bench, task, limits)}
    for program in PROGRAMS:
        tests = program_tests(program, task) if program.find(bench.programs) else None
        if tests is not None:
            found[program.name] = functools.partial(real, bench, program, tests, task, limits)
    return found


@click.command(help=__doc__)
@click.option("--repeats", default=3, type=click.IntRange(min=1), show_default=True, help="Repetitions of each task.")
@click.option("--cap", "seconds", default=180.0, show_default=True, help="Seconds after which a program is ended.")
@click.option("--launches", default=100, type=click.IntRange(min=6), show_default=True, help="Most launches.")
@click.option("--only", default="", help="Only the first task (one) or only the second (many).")
@written
def main(repeats: int, seconds: float, launches: int, only: str, docs: Path | None) -> None:
    """Measure both tasks with all programs, and print the page."""
    tasks = {"": TASKS, "one": TASKS[:1], "many": TASKS[1:]}.get(only)
    if tasks is None:
        raise click.ClickException(f"--only {only}: name one or many, or leave it out")
    limits, rows = Limits(seconds, launches), list[Row]()
    with tempfile.TemporaryDirectory() as name:
        there = list(benches(Path(name))) or [_alone(Path(name))]
        for bench in there:
            for task in tasks:
                contestants = _contestants(bench, task, limits)
                reached: dict[str, list[Reached]] = defaultdict(list)
                for number in range(repeats):
                    names = list(contestants) if number % 2 == 0 else list(reversed(contestants))
                    for program in names:
                        click.echo(f"{task.name}, {bench.library}, {program}: {number + 1} of {repeats}", err=True)
                        reached[program].append(contestants[program]())
                rows += [row_of(task, bench.library, one, reached[one]) for one in contestants]
    STUDY.publish([rows], docs)
    sys.exit(1 if any(row.width is None for row in rows) else 0)


if __name__ == "__main__":
    main()
