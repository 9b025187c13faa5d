"""Other runs of one plan, or rounds at an interval: they show the spread from run to run, which launches cannot."""

from __future__ import annotations

import datetime as dt
import json
import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

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
from groma.analysis.machinestate import in_state, line_times
from groma.analysis.order import Interval
from groma.analysis.summary import summarise
from groma.analysis.together import by_launches
from groma.errors import UNDECODABLE, GromaError
from groma.results import load_run
from groma.results.documents import RunDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.analysis.machinestate import MachineState
    from groma.analysis.summary import PointSummary
    from groma.results import Run

MOST_RUNS = 20  # the newest: reading more takes seconds, and the machine may have changed since older runs
_CUT_OFF_S = 0.999  # documents state whole seconds: a launch may have started up to this much later
_LEAST_NS = 1e-3  # a clock of whole microseconds can measure zero, which has no logarithm
# Variables that are recorded, and differ between jobs or installations without a setting of MPI being another one.
_NO_SETTINGS = ("GROMA_", "SLURM_", "LD_LIBRARY_PATH")

Logs = Mapping[str, "NDArray[np.float64]"]
Settings = frozenset[tuple[str, str, str]]  # variant, name and value of a variable or of the launcher's arguments
_ARGUMENTS = "the launcher's arguments"


@dataclass(frozen=True)
class Spread:
    """The spread of one point by level, and the interval in ns for another run's figure; None without enough runs."""

    components: Components
    next_run: Interval | None


@dataclass(frozen=True)
class History:
    """The logarithms of the launch figures of other runs of the same plan, library, settings and machine, by point.

    `rounds` gives the round of each launch by its number, for a run that repeats at an interval; empty for others.
    """

    names: tuple[str, ...]
    logs: tuple[Logs, ...]
    rounds: Mapping[int, int] = field(default_factory=dict)

    def of(self, summary: PointSummary) -> list[NDArray[np.float64]]:
        """Return for every other run that measured a point the logarithms of its launches' figures (ns)."""
        if not self.logs:
            return []
        name = key(summary.ranks, summary.variant, summary.point)
        return [logs[name] for logs in self.logs if name in logs]

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


def history_of(run: Run, state: MachineState | None = None) -> History:
    """Return the newest runs in the same folder that measured the same plan with the same library and machine.

    Runs that cannot be read, are being measured, or had other settings of MPI do not count; with `state`, launches in
    others neither.
    """
    similar = []
    for folder in sorted(run.path.resolve().parent.glob("*/run.json")):
        meta = _meta(folder)
        if meta is not None and folder.parent != run.path.resolve() and alike(run.meta, meta):
            similar.append((meta.created, folder.parent))
    read = ((path.name, _logs_of(path, state)) for _, path in sorted(similar)[-MOST_RUNS:])
    own = settings(run)
    repeats = [(name, logs) for name, (of_other, logs) in read if of_other == own]
    return History(tuple(name for name, _ in repeats), tuple(logs for _, logs in repeats), rounds_in_time(run))


def settings(run: Run) -> Settings:
    """Return what sets something of MPI in the launches of a run: variables, and the launcher's own arguments.

    Each has the variant that it was set for, which is empty for all launches.
    """
    variables = {
        (launch.meta.variant or "", name, value)
        for launch in run.launches
        if launch.meta is not None
        for name, value in launch.meta.environment.items()
        if not name.startswith(_NO_SETTINGS)
    }
    launchers = {"": run.meta.library, **run.meta.libraries}
    arguments = {(name, _ARGUMENTS, _arguments(one.launcher)) for name, one in launchers.items()}
    return frozenset(variables | {one for one in arguments if one[2]})


def _arguments(launcher: str) -> str:
    """Return the arguments of a recorded launcher, without its path."""
    try:
        return shlex.join(shlex.split(launcher)[1:])
    except ValueError:  # a damaged document
        return launcher


def rounds_in_time(run: Run) -> dict[int, int]:
    """Return the round of each launch by its number: the multiple of `every_s` after which it started; or empty.

    Empty too where a damaged document has no date, or no interval.
    """
    if run.meta.every_s is None or run.meta.every_s <= 0:
        return {}
    starts = {launch.number: launch.meta.started for launch in run.launches if launch.meta and launch.meta.started}
    try:
        begin_s = _unix_s(run.meta.created) - _CUT_OFF_S
        return {number: math.floor((_unix_s(start) - begin_s) / run.meta.every_s) for number, start in starts.items()}
    except (ValueError, OverflowError):
        return {}


def alike(meta: RunDocument, other: RunDocument) -> bool:
    """Whether two runs asked for the same points of the same library on the same machine, and both are over."""
    return (
        other.state != "running"
        and all(getattr(meta, name) == getattr(other, name) for name in ("host", "rank_counts", "variants", "report"))
        and meta.plan.points == other.plan.points
        and _libraries(meta) == _libraries(other)
    )


def _libraries(meta: RunDocument) -> dict[str, tuple[str, str]]:
    """Return name and version of the libraries of a run, by variant; the run's own, by an empty name."""
    return {name: (one.name, one.version) for name, one in {"": meta.library, **meta.libraries}.items()}


def launch_logs(run: Run, state: MachineState | None = None) -> dict[str, NDArray[np.float64]]:
    """Return the logarithms of every point's launch figures, in order; with `state`, of those measured in it alone."""
    return {
        key(point.ranks, point.variant, point.point): np.log(np.maximum(times_ns, _LEAST_NS))
        for point in summarise(run)
        if (times_ns := _in_state(run, point, state)).size
    }


def _in_state(run: Run, point: PointSummary, state: MachineState | None) -> NDArray[np.float64]:
    if state is None:
        return point.launch_times_ns
    return point.launch_times_ns[in_state(point, line_times(run.launches), state)]


def key(ranks: int, variant: str | None, point: Mapping[str, object]) -> str:
    """Return a key that is the same for the records of one point in all runs."""
    return json.dumps([ranks, variant, relevant_fields(point)], sort_keys=True)


def _logs_of(path: Path, state: MachineState | None) -> tuple[Settings | None, Logs]:
    """Return the settings and the launch figures of the run in a folder; no settings of one that cannot be read."""
    try:
        return _logs_at(path, (path / "run.json").stat().st_mtime_ns, state)
    except (GromaError, OSError):
        return None, {}


@lru_cache(maxsize=2 * MOST_RUNS)
def _logs_at(path: Path, changed_ns: int, state: MachineState | None) -> tuple[Settings, Logs]:
    """Return the same; they are cached, because terminal and page both need them.

    `changed_ns` is the time when its run.json was written: a run that continued since is read again.
    """
    del changed_ns
    run = load_run(path)
    return settings(run), launch_logs(run, state)


def _of_logs(interval: Interval | None) -> Interval | None:
    return None if interval is None else Interval(math.exp(interval.low), math.exp(interval.high))


def _unix_s(moment: str) -> float:
    return dt.datetime.fromisoformat(moment).timestamp()


def _meta(path: Path) -> RunDocument | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunDocument)
    except (OSError, *UNDECODABLE):
        return None
