"""Runs one plan repeatedly, and counts how often Groma's intervals and verdicts hold: an A/A study.

Nothing is changed between the runs, so every difference that is found is a false one. For each point the table holds
how often (1) launches of one run agree with others of the same run, which is what a 95% interval claims; (2) the next
run lies where the runs before it say; (3) the interval of one run holds the median of all, which it does not claim;
(4) the intervals of two runs are apart; (5) two runs are called different once other runs of the plan are known. Two
single runs are never called different. Exit code 0 where, all points together, the exact 95 % interval of a share
reaches 90 to 99 % for (1) and (2), and 0 to 10 % for (5).

As `groma compare` does, the study counts the figures that were measured in one state of the machine: that of most of
them. A cache line's way from CPU to CPU, measured around each figure, tells the states.
"""

from __future__ import annotations

import functools
import itertools
import json
import operator
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from benchmarks import markdown
from benchmarks.host import processor
from benchmarks.short_plan import short_plan
from groma.analysis.compare import SIGNIFICANCE, Apart
from groma.analysis.components import MINIMUM_RUNS, next_run, run_deviation
from groma.analysis.history import figures_of
from groma.analysis.machinestate import MachineState, machine_states
from groma.analysis.machinestate import in_state as held_in
from groma.analysis.noise import is_disturbed
from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL, median_interval
from groma.checks import FOREIGN_CORES_LIMIT
from groma.decide import Side
from groma.explain import attribute
from groma.explain.sentences import is_shown
from groma.results import Run, load_run

HELD = (0.90, 0.99)
FALSE_ALARMS = 0.10
# Ways to part twelve launches into two sets of six that a drift treats alike; True is the one set.
HALVES = ("101010101010", "110011001100", "100110011001")

Runs = list[NDArray[np.float64]]  # the logarithms of the launch figures of each run, in the order of time


@dataclass(frozen=True)
class Share:
    """How often something was so."""

    times: int
    of: int

    @property
    def value(self) -> float:
        """The share; NaN for none of none."""
        return self.times / self.of if self.of else float("nan")

    def reaches(self, low: float, high: float) -> bool:
        """Tell whether the exact 95 % interval of the share (Clopper and Pearson 1934) reaches this range."""
        interval = binomtest(self.times, self.of).proportion_ci(CONFIDENCE)
        return bool(interval.low <= high and interval.high >= low)

    def __add__(self, other: Share) -> Share:
        return Share(self.times + other.times, self.of + other.of)

    def __str__(self) -> str:
        return f"{self.value:.0%} of {self.of}"


@dataclass(frozen=True)
class Counts:
    """What was counted for one point, or for several together."""

    same_run: Share
    next_run: Share
    median_of_all: Share
    apart: Share
    called_different: Share

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def count(runs: Runs) -> Counts:
    """Count for one point how often each statement holds."""
    intervals = [median_interval(logs) for logs in runs]
    known = [interval for interval in intervals if interval is not None]
    middle = float(np.median(np.concatenate(runs)))
    pairs = list(itertools.combinations(known, 2))
    return Counts(
        same_run=_share([_agree(*_parted(logs[:12], half)) for logs in runs for half in HALVES]),
        next_run=_share([_predicted(runs[:place], runs[place]) for place in range(MINIMUM_RUNS, len(runs))]),
        median_of_all=_share([middle in interval for interval in known]),
        apart=_share([one.high < other.low or other.high < one.low for one, other in pairs]),
        called_different=_share([_called_different(runs, *pair) for pair in itertools.pairwise(range(len(runs)))]),
    )


def _share(cases: list[bool]) -> Share:
    return Share(sum(cases), len(cases))


def _parted(logs: NDArray[np.float64], half: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    chosen = np.array([place == "1" for place in half])[: logs.size]
    return logs[chosen], logs[~chosen]


def _agree(one: NDArray[np.float64], other: NDArray[np.float64]) -> bool:
    """Whether the exact test with 5 % false alarms finds no difference between two sets of launches of one run."""
    return Apart(one, other).p() > SIGNIFICANCE


def _predicted(before: Runs, after: NDArray[np.float64]) -> bool:
    interval = next_run(before)
    return interval is not None and float(np.median(after)) in interval


def _called_different(runs: Runs, first: int, second: int) -> bool:
    """Whether `groma explain RUN RUN` would call two runs different, with the other runs beside them."""
    deviation = run_deviation([logs for place, logs in enumerate(runs) if place not in (first, second)])
    times = {0: np.exp(runs[first]), 1: np.exp(runs[second])}
    return is_shown(attribute(times, 1, origin={0: 0, 1: 1}, run_sd=deviation).total)


def together_of(points: dict[str, Counts]) -> Counts:
    """Return the counts of all points together."""
    first, *others = points.values()
    return functools.reduce(operator.add, others, first)


def table(points: dict[str, Counts]) -> list[str]:
    """Return the Markdown table, all points together in its last row."""
    headings = ["point", "same run agrees", "next run predicted", "holds the median of all", "intervals apart",
                "called different"]  # fmt: skip
    whole = points | {"**together**": together_of(points)}
    rows = [[name, *(str(getattr(one, field)) for field in one.__dataclass_fields__)] for name, one in whole.items()]
    return markdown.table(headings, rows)


def judge(together: Counts) -> list[str]:
    """Return a sentence for every claim that did not hold."""
    said = []
    for name, share in (("launches of one run", together.same_run), ("the next run", together.next_run)):
        if not share.reaches(*HELD):
            said.append(f"what is said of {name} holds in {share}, not in {HELD[0]:.0%} to {HELD[1]:.0%}")
    if not together.called_different.reaches(0, FALSE_ALARMS):
        said.append(f"equal runs are called different in {together.called_different}")
    return said


def name_of(key: str) -> str:
    """Return `pingpong 8 B` of a point's key."""
    point = json.loads(key)[2]
    return f"{point['operation']} {point.get('bytes', 0)} B"


def measure(folder: Path, runs: int, launches: int) -> None:
    """Make the runs that the folder lacks, one after another."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = folder / "same.toml"
    plan.write_text(short_plan("same", launches, ("allreduce", "8"), ("bcast", "64K")))
    for number in range(1, runs + 1):
        path = folder / f"{number:03d}"
        if (path / "run.json").exists():
            continue
        command = [str(Path(sys.executable).parent / "groma"), "run", str(plan), "-o", str(path)]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode != 0:
            raise click.ClickException(f"run {number} ended with {finished.returncode}:\n{finished.stderr}")
        click.echo(f"run {number} of {runs}", err=True)


@click.command(help=__doc__)
@click.option("--runs", default=20, show_default=True, type=click.IntRange(min=MINIMUM_RUNS + 3))
@click.option("--launches", default=12, show_default=True, type=click.IntRange(min=12))
@click.option("--folder", type=click.Path(path_type=Path), default=Path("runs/same"), show_default=True)
@click.option("--write", type=click.Path(path_type=Path, dir_okay=False), help="Write the table into this page.")
def main(runs: int, launches: int, folder: Path, write: Path | None) -> None:
    """Make the runs, print the table, judge."""
    measure(folder, runs, launches)
    made = [load_run(path.parent) for path in sorted(folder.glob("*/run.json"))]
    state = usual_state(made)
    points = {name_of(key): count(runs_of_point) for key, runs_of_point in in_one_state(made, state).items()}
    library = made[0].meta.library
    lines = table(points)
    click.echo("\n".join(lines))
    if write is not None:
        write.write_text(page(lines, made, state, f"{library.name} {library.version}"))
    wrong = judge(together_of(points))
    for sentence in wrong:
        click.echo(f"not held: {sentence}", err=True)
    sys.exit(1 if wrong else 0)


def usual_state(runs: list[Run]) -> MachineState:
    """Return the state of the machine in which most figures were measured."""
    times_ns = Side("all", runs).readings_ns
    return max(machine_states(times_ns), key=lambda state: int(state.holds(times_ns).sum()))


def in_one_state(runs: list[Run], state: MachineState) -> dict[str, Runs]:
    """Return by point the runs with launches enough for an interval that were measured in a state."""
    found: dict[str, Runs] = {}
    for run in runs:
        for key, (every, lines_ns) in figures_of(run).items():
            logs = every[held_in(lines_ns, state)]
            if logs.size >= MINIMUM_FOR_INTERVAL:
                found.setdefault(key, []).append(logs)
    return found


def page(lines: list[str], runs: list[Run], state: MachineState, library: str) -> str:
    """Return docs/aa.md."""
    launches = [launch for run in runs for launch in run.launches]
    disturbed = sum(map(is_disturbed, launches))
    held = state.holds(Side("all", runs).readings_ns).all(axis=1)
    made = (
        f"Made by `make aa` on {processor()}: {len(runs)} runs of {runs[0].meta.launches} launches, one after another, "
        f"{library}, 2 ranks. In {disturbed} of {len(launches)} launches other processes took more than "
        f"{FOREIGN_CORES_LIMIT:g} of a core. Around {held.sum()} of {held.size} figures a cache line "
        f"took {state.least_ns:.0f} to {state.most_ns:.0f} ns."
    )
    explained = "\n\n".join((__doc__ or "").split("\n\n")[:3])
    return markdown.page("The same plan again and again", made, explained, lines)


if __name__ == "__main__":
    main()
