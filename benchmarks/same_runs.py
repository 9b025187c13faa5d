"""Runs one plan repeatedly, and counts how often Groma's intervals and verdicts hold: an A/A study.

For each point, how often (1) launches of one run agree with others of the same run, which a 95 % interval claims;
(2) the next run lies where the runs before it say; (3) the interval of one run holds the median of all, which it does
not claim; (4) the intervals of two runs are apart; (5) two runs are called different once other runs of the plan are
known. Exit code 0 if, all points together, the exact 95 % interval of a share reaches 90 to 99 % for (1) and (2),
and 0 to 10 % for (5).
"""

from __future__ import annotations

import functools
import itertools
import json
import operator
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from benchmarks.chart import Dot, strips
from benchmarks.host import processor
from benchmarks.page import Page, Study, written
from benchmarks.short_plan import short_plan
from groma.analysis.compare import SIGNIFICANCE, Apart
from groma.analysis.components import MINIMUM_RUNS, next_run, run_deviation
from groma.analysis.machinestate import MachineState, machine_states
from groma.analysis.machinestate import in_state as held_in
from groma.analysis.noise import is_disturbed
from groma.analysis.order import CONFIDENCE, MINIMUM_FOR_INTERVAL, median_interval
from groma.analysis.otherruns import figures_of
from groma.decide import Side
from groma.explain import attribute
from groma.explain.sentences import is_shown
from groma.results import Run, load_run
from groma.text.charts.axes import even
from groma.text.checks import FOREIGN_CORES_LIMIT

HELD = (0.90, 0.99)
FALSE_ALARMS = 0.10
# Ways to part twelve launches into two sets of six that a drift treats alike; True is the one set.
HALVES = ("101010101010", "110011001100", "100110011001")
# Heading of each of the counts.
_STATEMENTS = {
    "same_run": "same run agrees",
    "next_run": "next run in its interval",
    "median_of_all": "interval holds the median of all",
    "apart": "intervals apart",
    "called_different": "called different",
}

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

    @property
    def ends(self) -> tuple[float, float]:
        """The exact 95 % interval of the share (Clopper and Pearson 1934)."""
        interval = binomtest(self.times, self.of).proportion_ci(CONFIDENCE)
        return float(interval.low), float(interval.high)

    def reaches(self, low: float, high: float) -> bool:
        """Tell whether that interval reaches this range."""
        least, most = self.ends
        return least <= high and most >= low

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


@dataclass(frozen=True)
class Row:
    """How often each statement held for one point, of how many cases, and what was measured.

    `disturbed`: launches beside which other processes took part of a core. `figures_in_state` of `figures` were taken
    while a cache line took `line_low_ns` to `line_high_ns` between CPUs.
    """

    point: str
    same_run: int
    same_run_of: int
    next_run: int
    next_run_of: int
    median_of_all: int
    median_of_all_of: int
    apart: int
    apart_of: int
    called_different: int
    called_different_of: int
    machine: str
    library: str
    runs: int
    launches: int
    disturbed: int
    line_low_ns: float
    line_high_ns: float
    figures_in_state: int
    figures: int

    @property
    def counts(self) -> Counts:
        """The counts as shares."""
        names = Counts.__dataclass_fields__
        return Counts(*(Share(getattr(self, name), getattr(self, f"{name}_of")) for name in names))


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
    """Return whether the exact test at 5 % finds no difference between two sets of launches of one run."""
    return Apart(one, other).p() > SIGNIFICANCE


def _predicted(before: Runs, after: NDArray[np.float64]) -> bool:
    interval = next_run(before)
    return interval is not None and float(np.median(after)) in interval


def _called_different(runs: Runs, first: int, second: int) -> bool:
    """Return whether `groma explain RUN RUN` would call two runs different, with the other runs beside them."""
    deviation = run_deviation([logs for place, logs in enumerate(runs) if place not in (first, second)])
    times = {0: np.exp(runs[first]), 1: np.exp(runs[second])}
    return is_shown(attribute(times, 1, origin={0: 0, 1: 1}, run_sd=deviation).total)


def together_of(points: Sequence[Counts]) -> Counts:
    """Return the counts of all points together."""
    return functools.reduce(operator.add, points)


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
@written
def main(runs: int, launches: int, folder: Path, docs: Path | None) -> None:
    """Make the runs, print the page, judge."""
    measure(folder, runs, launches)
    rows = rows_of([load_run(path.parent) for path in sorted(folder.glob("*/run.json"))])
    STUDY.publish([rows], docs)
    sys.exit(1 if judge(together_of([row.counts for row in rows])) else 0)


def rows_of(runs: list[Run]) -> list[Row]:
    """Return the row of every point."""
    state = usual_state(runs)
    held = state.holds(Side("all", runs).readings_ns).all(axis=1)
    library = runs[0].meta.library
    made = (
        *(processor(), f"{library.name} {library.version}", len(runs), runs[0].meta.launches),
        sum(is_disturbed(launch) for run in runs for launch in run.launches),
        *(state.least_ns, state.most_ns, int(held.sum()), held.size),
    )
    return [row_of(name_of(key), count(own), made) for key, own in in_one_state(runs, state).items()]


def row_of(point: str, counts: Counts, made: tuple[Any, ...]) -> Row:
    """Return the row of a point; `made` is what all rows have, from `machine` on."""
    shares = [getattr(counts, name) for name in Counts.__dataclass_fields__]
    return Row(point, *(part for share in shares for part in (share.times, share.of)), *made)


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


def page(rows: Sequence[Row]) -> Page:
    """Return docs/aa.md."""
    together, first = together_of([row.counts for row in rows]), rows[0]
    whole = {row.point: row.counts for row in rows} | {"**all points**": together}
    return Page(
        chart=_chart(rows),
        headings=["point", *_STATEMENTS.values()],
        rows=[[name, *(str(getattr(one, field)) for field in _STATEMENTS)] for name, one in whole.items()],
        words=vars(first)
        | vars(together)
        | {
            "verdict": "; ".join(judge(together)) or "Every claim holds",
            "held": f"{HELD[0]:.0%} to {HELD[1]:.0%}",
            "false_alarms": f"{FALSE_ALARMS:.0%}",
            "all_launches": first.runs * first.launches,
            "foreign": FOREIGN_CORES_LIMIT,
        },
    )


def _chart(rows: Sequence[Row]) -> str:
    dots = [
        Dot(heading, row.point, 100 * share.value, str(share))
        for name, heading in _STATEMENTS.items()
        for row in rows
        for share in (getattr(row.counts, name),)
    ]
    return strips(dots, even("% of the cases", 0, 100), "How often each statement held, by point")


STUDY = Study("aa", {"aa": Row}, page)


if __name__ == "__main__":
    main()
