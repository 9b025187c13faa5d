"""Other runs of one plan, or rounds at an interval: they show the spread from run to run, which launches cannot."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from groma.analysis.changes.changes import FEWEST_RUNS, find_changes
from groma.analysis.changes.dependence import RunSeries
from groma.analysis.compare import AnotherRun, Sample, another_run
from groma.analysis.components import (
    MINIMUM_RUNS,
    Components,
    components,
    components_of_rounds,
    components_of_rows,
    next_run,
    variances_of_intervals,
)
from groma.analysis.grouping import relevant_fields
from groma.analysis.machinestate import MachineState, in_state, line_times, usual_state
from groma.analysis.order import Interval
from groma.analysis.pointtable import by_launches
from groma.analysis.rows import median
from groma.analysis.summary import PointSummary, summarise
from groma.errors import GromaError
from groma.results import Run, load_run
from groma.results.conditions import siblings

MOST_RUNS = 20  # the newest: reading more takes seconds, and the machine may have changed since older runs
# Fewer figures in one state of the machine say too little of a run that has more in another.
LEAST_FIGURES = 3
_CUT_OFF_S = 0.999  # documents state whole seconds: a launch may have started up to this much later
_LEAST_NS = 1e-3  # a clock of whole microseconds can measure zero, which has no logarithm
Logs = Mapping[str, "NDArray[np.float64]"]
Figures = Mapping[str, tuple["NDArray[np.float64]", "NDArray[np.float64]"]]


@dataclass(frozen=True)
class Spread:
    """The spread of one point by level, and the interval in ns for another run's figure; None without enough runs."""

    components: Components
    next_run: Interval | None


@dataclass(frozen=True)
class OtherRuns:
    """The launch figures of other runs of the same plan, software, settings and machine, by point.

    `rounds` gives the round of each launch by its number, for a run that repeats at an interval; empty for others.
    The first `earlier` of them were made before the run.
    """

    names: tuple[str, ...]
    figures: tuple[Figures, ...]
    rounds: Mapping[int, int] = field(default_factory=dict)
    earlier: int = 0

    @cached_property
    def logs(self) -> tuple[Logs, ...]:
        """The logarithms of the launch figures of every other run, by point."""
        return tuple({name: logs for name, (logs, _) in of_run.items()} for of_run in self.figures)

    def of(self, summary: PointSummary) -> list[NDArray[np.float64]]:
        """Return for every other run that measured a point the logarithms of its launches' figures (ns)."""
        if not self.logs:
            return []
        name = key(summary.ranks, summary.variant, summary.point)
        return [logs[name] for logs in self.logs if name in logs]

    def another(self, summary: PointSummary) -> AnotherRun | None:
        """Return where another run's figure of a point lies, if the machine is in the state of most of its launches.

        None without an interval over launches. Rounds of the run that lie apart in time take the place of other runs.
        """
        if summary.interval_kind != "launches":
            return None
        logs = np.log(np.maximum(summary.launch_times_ns, _LEAST_NS))
        rounds = self._by_round(summary, logs)
        if len(rounds) >= MINIMUM_RUNS and (ends := next_run(rounds)):
            return AnotherRun((ends.high - ends.low) / 2, float(np.std([*map(median, rounds)], ddof=1)), len(rounds))
        state = usual_state(*self.readings_ns([summary]))
        return another_run(logs, stretches(self.in_state(summary, state)))

    def readings_ns(self, summaries: Sequence[PointSummary]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the times of a cache line around figures of these points: the run's own, and all runs' (no NaN)."""
        own = [line_times(summary.rows) for summary in summaries]
        others = [lines for summary in summaries for _, lines in self._figures_of(summary) if lines.size]
        found = [np.concatenate([np.empty((0, 2)), *lines]).ravel() for lines in (own, [*own, *others])]
        first, every = (times[~np.isnan(times)] for times in found)
        return first, every

    def of_run(self, summary: PointSummary, state: MachineState | None) -> NDArray[np.float64]:
        """Return the logarithms of the figures of the run itself in a state; none if it has too few."""
        logs = np.log(np.maximum(summary.launch_times_ns, _LEAST_NS))
        held: NDArray[np.float64] = logs[in_state(line_times(summary.rows), state)]
        return held if held.size >= min(LEAST_FIGURES, logs.size) else held[:0]

    def in_state(
        self, summary: PointSummary, state: MachineState | None, *, earlier: bool = False
    ) -> list[NDArray[np.float64]]:
        """Return the logarithms of a point's figures in every other run that has enough of them in a state.

        With `earlier`, of those before the run alone.
        """
        chosen = [(logs[in_state(lines, state)], logs.size) for logs, lines in self._figures_of(summary, earlier)]
        return [logs for logs, of in chosen if logs.size >= min(LEAST_FIGURES, of)]

    def _figures_of(
        self, summary: PointSummary, earlier: bool = False
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        name = key(summary.ranks, summary.variant, summary.point)
        runs = self.figures[: self.earlier] if earlier else self.figures
        return [of_run[name] for of_run in runs if name in of_run]

    def spreads(self, summaries: Sequence[PointSummary]) -> list[Spread]:
        """Return the spread by level of each point of a run."""
        found: list[Spread | None] = [None] * len(summaries)
        for chosen, places in [] if self.logs or self.rounds else by_launches([one.rows for one in summaries]):
            table = summaries[0].rows.table
            low, high, figures = (
                table.column(name)[places] for name in ("interval_low_ns", "interval_high_ns", "figure_ns")
            )
            known = ((low > 0) & (figures > 0)).all(axis=1)
            logs = np.log(np.maximum(figures[known], _LEAST_NS))
            parts = components_of_rows(logs, variances_of_intervals(low[known], high[known]))
            for row, part in zip(np.flatnonzero(known).tolist(), parts, strict=True):
                found[chosen[row]] = Spread(part, None)
        return [one or self.spread(point) for one, point in zip(found, summaries, strict=True)]

    def spread(self, summary: PointSummary) -> Spread:
        """Return a point's spread by level; `MINIMUM_RUNS` rounds of the run itself take the place of other runs."""
        logs = np.log(np.maximum(summary.launch_times_ns, _LEAST_NS))
        other_runs, rounds = self.of(summary), self._by_round(summary, logs)
        low, high, figures = (summary.rows[name] for name in ("interval_low_ns", "interval_high_ns", "figure_ns"))
        known = (low > 0) & (figures > 0)  # neither is NaN
        variances = variances_of_intervals(low[known], high[known])
        if len(rounds) >= MINIMUM_RUNS:
            return Spread(components_of_rounds(rounds, variances), _of_logs(next_run(rounds)))
        return Spread(components(logs, variances, other_runs), _of_logs(next_run([*other_runs, logs])))

    def _by_round(self, summary: PointSummary, logs: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return the logarithms of a point's launch figures, an array for each round."""
        grouped: dict[int, list[float]] = {}
        if not self.rounds:
            return []
        for launch, log in zip(summary.rows.launch_numbers.tolist(), logs.tolist(), strict=True):
            if launch in self.rounds:
                grouped.setdefault(self.rounds[launch], []).append(log)
        return [np.array(values) for values in grouped.values()]


def other_runs_of(run: Run, without: Collection[str] = ()) -> OtherRuns:
    """Return the newest runs in the same folder that measured the same plan by the same software on the same machine.

    Runs that cannot be read, are being measured, had other settings of MPI, or are copies of the run, of one another or
    of runs with these identities do not count. Without knowing what files measured it, a run has no others.
    """
    found: list[tuple[str, Figures]] = []
    seen, earlier = {run.meta.identity, *without}, 0
    for created, identity, folder in siblings(run):
        if len(found) == MOST_RUNS:
            break
        if identity not in seen and (figures := _readable_figures(folder)) is not None:
            seen.add(identity)
            found.append((folder.name, figures))
            earlier += created < run.meta.created
    found.reverse()
    names, of_runs = (tuple(part) for part in zip(*found, strict=True)) if found else ((), ())
    return OtherRuns(names, of_runs, rounds_in_time(run), earlier)


def stretches(runs: Sequence[NDArray[np.float64]]) -> list[Sequence[NDArray[np.float64]]]:
    """Return the launch figures of runs, the oldest first, in stretches between which their figure changed.

    A regression that stays is no spread from run to run. Shorter ones are: three runs make a change.
    """
    if len(runs) < FEWEST_RUNS:
        return [runs] if runs else []
    sample = Sample(runs)
    ((levels,),) = find_changes([[RunSeries(sample.medians, sample.explained)]])
    ends = [0, *(change.at for change in levels.changes), len(runs)]
    return [runs[begin:end] for begin, end in pairwise(ends)]


def rounds_in_time(run: Run) -> dict[int, int]:
    """Return the round of each launch by its number: the multiple of `every_s` after which it started; or empty.

    Empty too if a damaged document has no date, or no interval.
    """
    if run.meta.every_s is None or run.meta.every_s <= 0:
        return {}
    starts = {launch.number: launch.meta.started for launch in run.launches if launch.meta and launch.meta.started}
    try:
        begin_s = _unix_s(run.meta.created) - _CUT_OFF_S
        return {number: math.floor((_unix_s(start) - begin_s) / run.meta.every_s) for number, start in starts.items()}
    except (ValueError, OverflowError):
        return {}


def launch_logs(run: Run) -> dict[str, NDArray[np.float64]]:
    """Return the logarithms of every point's launch figures, in order."""
    return {name: logs for name, (logs, _) in figures_of(run).items()}


def figures_of(run: Run) -> Figures:
    """Return by point the logarithms of its launch figures, and the times of a cache line around them (ns)."""
    return {
        key(point.ranks, point.variant, point.point): (
            np.log(np.maximum(point.launch_times_ns, _LEAST_NS)),
            line_times(point.rows),
        )
        for point in summarise(run)
    }


def key(ranks: int, variant: str | None, point: Mapping[str, object]) -> str:
    """Return a key that is the same for the records of one point in all runs."""
    return json.dumps([ranks, variant, relevant_fields(point)], sort_keys=True)


def _readable_figures(folder: Path) -> Figures | None:
    """Return the figures of the run in a folder; None if it cannot be read."""
    try:
        return _figures_at(folder, (folder / "run.json").stat().st_mtime_ns)
    except (GromaError, OSError):
        return None


@lru_cache(maxsize=2 * MOST_RUNS)
def _figures_at(folder: Path, changed_ns: int) -> Figures:
    """Return the same; they are cached, because terminal and page both need them.

    `changed_ns` is the time when its run.json was written: a run that continued since is read again.
    """
    del changed_ns
    return figures_of(load_run(folder))


def _of_logs(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(math.exp(interval.low), math.exp(interval.high))


def _unix_s(moment: str) -> float:
    return dt.datetime.fromisoformat(moment).timestamp()
