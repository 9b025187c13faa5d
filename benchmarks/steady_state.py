"""Plants slow calls into every MPI library here, and compares what Groma reports with what is then true.

Points with a plant take turns in one launch with points of the control, which has none: the mean of the control before
and after a point, plus what is known of the plant, is the truth. A row is right where the median over launches of
figure / truth is within 2 %, and the control's own interval, of 1. It is flagged where in half of the launches or more
the check `steady state` doubts it, or the launch's own interval, wider than 5 %, holds the truth. A row that is neither
is silently wrong, and the exit code 1, as where series without a plant are in doubt as often as makes an alarm. A row
whose control leaves more than 5 % open is inconclusive. On SimGrid's simulated network, if it is here, the truth is
exact, and no allowance is made.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import click
import numpy as np

from benchmarks.doubt_shares import Series, Share, shares
from benchmarks.host import processor
from benchmarks.libraries import beds, preloaded
from benchmarks.page import written
from benchmarks.planted import PLANTS, Plant, read_seen, words
from benchmarks.steady_page import LIMIT, STUDY, WIDEST, WRONG, Line
from groma.analysis.launchpoint import LaunchPoint, launch_point
from groma.analysis.order import median_interval
from groma.analysis.steadiness import Doubt, doubt_of
from groma.launch.command import find_setup
from groma.launch.engine import find_engine
from groma.results.launched import Launch, load_launch
from simulation import simulator
from simulation.platforms import LINK, cluster

TIMES = ("true_ns", "call_ns")
OPERATIONS = ("pingpong", "allreduce")
CONTROL_BYTES, STEP_BYTES = 2000, 4
RANKS = 2
DOUBTS: dict[Doubt, str] = {
    "unsteady": "no steady state",
    "slower": "became slower",
    "changed": "changed at its second visit",
    "unseen": "calls before the samples not steady",
}
SIMULATED = "simulated"
# Waits pass in simulated time alone: a slot holds as many calls as there is patience for.
SIMULATED_METHOD = {"stop": "ci", "slot_s": 0.3, "settle_s": 1.0, "max_repetitions": 1000, "warmups": 10}


@dataclass(frozen=True)
class Case:
    """One plant in one launch; without one, a control beside the next. Times are of a call, in nanoseconds."""

    library: str
    operation: str
    plant: str
    true_ns: float
    call_ns: float
    control_ratio: float
    doubt: Doubt | None
    half_width: float = 0.0
    covered: bool = False
    launch: int = 1
    place: int = 0

    @property
    def says(self) -> str:
        """What the record says against its own figure: a doubt, or a wide interval that holds the truth."""
        if self.doubt:
            return DOUBTS[self.doubt]
        return "wide interval" if self.covered and self.half_width > WIDEST else ""


@dataclass(frozen=True)
class Row:
    """One plant over the launches of one library."""

    cases: Sequence[Case]

    @property
    def ratio(self) -> float:
        """Median over launches of figure / truth."""
        return float(np.median([case.call_ns / case.true_ns for case in self.cases]))

    @property
    def allowed(self) -> float:
        """By how much the ratio may be off 1: the limit, and half the width of the control's own interval."""
        ratios = [case.control_ratio for case in self.cases]
        interval = median_interval(ratios)
        own = interval.half_width(1) if interval else (max(ratios) - min(ratios)) / 2
        return LIMIT + own

    @property
    def flags(self) -> str:
        """What is said against the figures, and in how many launches; nothing if it is in fewer than half."""
        said = Counter(filter(None, (case.says for case in self.cases)))
        if not said or 2 * said.total() < len(self.cases):
            return ""
        return "; ".join(f"{word} ({count} of {len(self.cases)})" for word, count in said.most_common())

    @property
    def verdict(self) -> str:
        """Right, flagged, wrong; or inconclusive, where the control itself is too uncertain to say."""
        off = abs(self.ratio - 1)
        if off <= LIMIT or (off <= self.allowed and self.allowed <= WIDEST):
            return "right"
        if self.flags:
            return "flagged"
        return "inconclusive" if off <= self.allowed else WRONG

    def line(self, launches: int) -> Line:
        """Return the row of the page."""
        first = self.cases[0]
        true_ns, call_ns = (float(np.median([getattr(case, name) for case in self.cases])) for name in TIMES)
        names = (first.library, first.operation, first.plant)
        said = self.flags or "steady"
        made = (launches, RANKS, processor())
        return Line(*names, true_ns, call_ns, self.ratio - 1, self.allowed, said, self.verdict, *made)


def plan(operation: str, method: dict[str, Any]) -> tuple[list[dict[str, Any]], list[Plant | None], dict[int, Plant]]:
    """Return the points of a launch, the plant of each, and the plants by message length.

    Every plant has a control before and after it.
    """
    nearby = [CONTROL_BYTES + STEP_BYTES * step for step in range(-len(PLANTS), len(PLANTS)) if step]
    sizes = dict(zip(sorted(nearby, key=lambda size: abs(size - CONTROL_BYTES)), PLANTS, strict=False))
    turns: list[tuple[int, Plant | None]] = [(CONTROL_BYTES, None)]
    # A level that changes after a time must do so between the two visits of its point: it comes first.
    for size, plant in sorted(sizes.items(), key=lambda one: not one[1].kind.startswith("late")):
        turns += [(size, plant), (CONTROL_BYTES, None)]
    typed: dict[str, Any] = {"datatype": "int32"} if operation == "allreduce" else {}
    return [{"operation": operation, "bytes": size} | typed | method for size, _ in turns], [p for _, p in turns], sizes


def cases(
    library: str, operation: str, launch: Launch, planted: Path, plants: Sequence[Plant | None]
) -> Iterator[Case]:
    """Return what one launch found of each plant, and of a control against the one before it."""
    seen = read_seen(planted)
    records = sorted(launch.points, key=lambda record: record.index)
    points = [launch_point(launch, record) for record in records]
    calls_ns = [_call_ns(point) for point in points]
    for place, plant in enumerate(plants):
        if plant is None:
            continue
        record, point = records[place], points[place]
        before, after = calls_ns[place - 1], calls_ns[place + 1]
        control_ns, ratio = (before + after) / 2, after / before
        number = launch.number
        yield Case(
            library, operation, "none", before, after, ratio, doubt_of(points[place + 1]), launch=number, place=place
        )
        block = record.point["timing"] == "block"
        true_ns = plant.true_ns(control_ns, seen[record.point["bytes"]], block=block)
        width = point.interval.half_width(point.median_ns) if point.interval else float("inf")
        covered = point.interval is None or true_ns / point.divisor in point.interval
        yield Case(
            library, operation, plant.name, true_ns, calls_ns[place], ratio, doubt_of(point), width, covered, number
        )


def _call_ns(point: LaunchPoint) -> float:
    return point.median_ns * point.divisor


def on_library(library: beds.Library, folder: Path, launches: int) -> Iterator[Case]:
    """Measure every plant on one library."""
    os.environ["GROMA_ENGINE"] = str(library.engine)
    setup = find_setup(find_engine(), library.mpiexec)
    folder.mkdir()
    preload = preloaded.build(library, "phases", folder)
    for operation in OPERATIONS:
        points, plants, sizes = plan(operation, {})
        control_ns = 0.0
        # The first launch only tells how long a call is, for the plant that is a share of it.
        for number in range(launches + 1):
            own = folder / operation / f"{number:03d}"
            own.mkdir(parents=True)
            asked = points if number else points[:1]
            (own / "plan.json").write_text(
                json.dumps({"schema": 1, "order": "sequential", "seed": number + 1, "points": asked})
            )
            variables = {"GROMA_PLANTS": words(sizes, control_ns), "GROMA_PLANTED": str(own / "planted")}
            arguments = ["--plan", str(own / "plan.json"), "--out", str(own / "points.jsonl")]
            command = setup.command(RANKS, arguments, variables)
            _start(command.words, str(setup.engine.path), preload, command.environment())
            if number:
                yield from cases(library.name, operation, load_launch(own), own / "planted", plants)
            else:
                launch = load_launch(own)
                control_ns = _call_ns(launch_point(launch, launch.points[0]))


def _start(command: Sequence[str], engine: str, preload: Path, environment: dict[str, str]) -> None:
    """Start the ranks with the interposer before them; their launcher is without it."""
    at = command.index(engine)
    line = [*command[:at], "env", f"LD_PRELOAD={preload}", *command[at:]]
    ended = subprocess.run(line, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if ended.returncode != 0:
        raise click.ClickException(f"{' '.join(line)} ended with {ended.returncode}:\n{ended.stderr}")


def simulated(folder: Path) -> Iterator[Case]:
    """Measure every plant on a simulated network of two hosts."""
    folder.mkdir()
    preload = preloaded.build(beds.Library(SIMULATED, simulator.ENGINE, "", "smpicc"), "phases", folder)
    for operation in OPERATIONS:
        points, plants, sizes = plan(operation, SIMULATED_METHOD)
        network = cluster(RANKS, LINK)
        alone = simulator.simulate(network, points[:1]).launch
        control_ns = _call_ns(launch_point(alone, alone.points[0]))
        planted = folder / operation
        variables = {"GROMA_PLANTS": words(sizes, control_ns), "GROMA_PLANTED": str(planted)}
        run = simulator.simulate(network, points, preload=preload, variables=variables, timeout_s=900)
        yield from cases(SIMULATED, operation, run.launch, planted, plants)


def rows_of(found: Iterable[Case]) -> list[Row]:
    """Put the launches of one plant together, in the order in which they were found."""
    rows: dict[tuple[str, str, str], list[Case]] = {}
    for case in found:
        rows.setdefault((case.library, case.operation, case.plant), []).append(case)
    return [Row(together) for together in rows.values()]


def shares_of(rows: Sequence[Row]) -> list[Share]:
    """Return how many series of every library carry a doubt."""
    return shares(
        Series(case.library, case.operation, case.launch, case.plant, case.doubt is not None, case.place)
        for row in rows
        for case in row.cases
    )


@click.command(help=__doc__)
@click.option("--launches", default=10, type=click.IntRange(min=1), show_default=True, help="Launches of each library.")
@click.option("--library", "names", multiple=True, help=f"Only this one, or `{SIMULATED}`; default: all that are here.")
@written
def main(launches: int, names: tuple[str, ...], docs: Path | None) -> None:
    """Run the launches, print the page and say which rows are silently wrong."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts: list[Iterable[Case]] = []
        for library in beds.libraries().values():
            lacking = beds.engine_is_missing(library.name) or (
                "" if shutil.which(library.mpicc) else "it has no C compiler"
            )
            if names and library.name not in names:
                continue
            if lacking:
                print(f"{library.name} is skipped: {lacking}")
                continue
            parts.append(on_library(library, folder / library.name, launches))
        if not names or SIMULATED in names:
            if lacking := simulator.missing():
                print(f"the simulated network is skipped: {lacking}")
            else:
                parts.append(simulated(folder / SIMULATED))
        rows = rows_of(chain.from_iterable(parts))
    doubts = shares_of(rows)
    STUDY.publish([[row.line(1 if row.cases[0].library == SIMULATED else launches) for row in rows], doubts], docs)
    sys.exit(any(row.verdict == WRONG for row in rows) or not all(one.alarm_tells for one in doubts))


if __name__ == "__main__":
    main()
