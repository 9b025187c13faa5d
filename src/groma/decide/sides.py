"""One side of a comparison: a run or several runs of one plan, and how much such runs differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from groma.analysis import PointSummary, summarise
from groma.analysis.compare import Sample
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.machinestate import MachineState, in_state, line_times
from groma.analysis.otherruns import LEAST_FIGURES, OtherRuns, key, other_runs_of, rounds_in_time, stretches
from groma.errors import InputError
from groma.results import Run
from groma.results.conditions import alike, conditions, same_software, settings
from groma.results.differences import differences
from groma.text.counts import first_names

_NAMED = 3
_LEAST_NS = 1e-3  # a clock of whole microseconds can say zero, which has no logarithm


@dataclass(frozen=True, eq=False)
class Side:
    """Runs of one plan under a name; the first shows the figures, all of them are compared.

    `others` are identities of runs whose spread must not count as history: those of the other side. `in_succession`:
    the runs followed each other at once.
    """

    name: str
    runs: Sequence[Run]
    others: frozenset[str] = frozenset()
    in_succession: bool = False
    _kept: dict[MachineState | None, list[dict[str, list[NDArray[np.float64]]]]] = field(
        default_factory=dict, init=False, repr=False
    )
    _samples: dict[tuple[str, MachineState | None], Sample] = field(default_factory=dict, init=False, repr=False)
    _names: dict[int, str] = field(default_factory=dict, init=False, repr=False)  # of points, by their id()

    @property
    def identities(self) -> frozenset[str]:
        """Identities of its runs, shared with their copies."""
        return frozenset(run.meta.identity for run in self.runs)

    @property
    def run(self) -> Run:
        """The first run."""
        return self.runs[0]

    @cached_property
    def summaries(self) -> list[PointSummary]:
        """The points of the first run."""
        return summarise(self.run)

    def beside(self, other: Side) -> Side:
        """Return the same, without the other side's runs as history."""
        return replace(self, others=other.identities)

    @cached_property
    def readings_ns(self) -> NDArray[np.float64]:
        """Times of a cache line (ns) around all figures: rows of minimum and maximum, without NaN."""
        times = [line_times(point.rows) for place, run in enumerate(self.runs) for point in self._summaries(place)]
        rows = np.concatenate(times) if times else np.empty((0, 2))
        return rows[~np.isnan(rows).any(axis=1)]

    def sample(self, summary: PointSummary, state: MachineState | None = None) -> Sample:
        """Return the launch figures of a point by run, or by rounds of a run that lie apart in time.

        With `state`, those that were measured in that state of the machine; none of a run that has too few of them.
        """
        name = self._name(summary)
        if (name, state) not in self._samples:
            units = [unit for of_run in self._units(state) for unit in of_run.get(name, [])]
            self._samples[name, state] = Sample(units, stretches(self._earlier(name, state)), self.in_succession)
        return self._samples[name, state]

    def _units(self, state: MachineState | None) -> list[dict[str, list[NDArray[np.float64]]]]:
        """Return by run, and by point, the launch figures of everything that stands for a run."""
        if state in self._kept:
            return self._kept[state]
        units = self._kept[state] = []
        for place, run in enumerate(self.runs):
            rounds = _stood_for(run)
            of_run = {}
            for point in self._summaries(place):
                held = in_state(line_times(point.rows), state)
                of_run[self._name(point)] = _parted(point, rounds, held)
            units.append(of_run)
        return units

    def _name(self, point: PointSummary) -> str:
        """Return the point's key; the run is kept alive, so that no other object gets its id()."""
        if id(point) not in self._names:
            self._names[id(point)] = key(point.ranks, point.variant, point.point)
        return self._names[id(point)]

    def _summaries(self, place: int) -> list[PointSummary]:
        """Return the points of one of the runs."""
        return self.summaries if place == 0 else summarise(self.runs[place])

    @cached_property
    def _other_runs(self) -> OtherRuns:
        """Other runs of the plan by the same software, which are in the folder of the first run."""
        return other_runs_of(self.run, self.others | self.identities)

    def _earlier(self, name: str, state: MachineState | None) -> list[NDArray[np.float64]]:
        """Return the launch figures of a point in every run of the history that has some in a state."""
        found = [of_run[name] for of_run in self._other_runs.figures if name in of_run]
        chosen = [logs[in_state(lines, state)] for logs, lines in found]
        return [logs for logs in chosen if logs.size]


def same_conditions(first: Side, second: Side) -> bool:
    """Return whether the same software measured both sides: known to have the same plan, settings and machine."""
    one, other = first.run, second.run
    return bool(alike(one.meta, other.meta) and same_software(one, other) and conditions(one) == conditions(other))


def one_history(first: Side, second: Side) -> bool:
    """Return whether the earlier runs of both sides are the same runs: those of one folder and the same conditions."""
    folders = {side.run.path.resolve().parent for side in (first, second)}
    return len(folders) == 1 and same_conditions(first, second)


def check_other_runs(first: Side, second: Side, what_to_do: str) -> None:
    """Raise InputError if a run of one side, or a copy of it, is in the other."""
    own = {run.meta.identity: run for run in first.runs}
    for run in second.runs:
        if (same := own.get(run.meta.identity)) is not None:
            copied = "one run" if same.path.resolve() == run.path.resolve() else "one run and its copy"
            raise InputError(f"{same.path} ({first.name}) and {run.path} ({second.name}) are {copied}; {what_to_do}")


def check_one_plan(name: str, runs: Sequence[Run]) -> None:
    """Raise InputError if the runs of one side are copies, or were measured differently.

    That is their plan, library, machine, settings of MPI, or the files of the engine and its libraries.
    """
    first = runs[0]
    seen: dict[str, Run] = {}
    for run in runs:
        if (same := seen.setdefault(run.meta.identity, run)) is not run:
            raise InputError(f"{name}: {same.path} and {run.path} are one run and its copy; name each run once")
    for run in runs[1:]:
        if not alike(first.meta, run.meta):
            raise InputError(
                f"{name}: {run.path} measured another plan, library or machine than {first.path}; name runs of one plan"
            )
        if differing := sorted({setting for _variant, setting, _value in settings(first) ^ settings(run)}):
            raise InputError(
                f"{name}: {run.path} measured with other settings of MPI than {first.path} ({', '.join(differing)}); "
                "name runs of the same settings"
            )
    known = [run for run in runs if conditions(run).software is not None]
    for run in known[1:]:
        if not same_software(known[0], run):
            files = first_names([one.name for one in differences(known[0], run) if one.kind == "library"], _NAMED)
            raise InputError(
                f"{name}: other builds measured {run.path} than {known[0].path} ({files or 'of a later launch'}); "
                "name runs of one build"
            )


def _stood_for(run: Run) -> dict[int, int]:
    """Return by launch the round that stands for a run, if rounds do, else 0."""
    rounds = rounds_in_time(run)
    enough = len(set(rounds.values())) >= MINIMUM_RUNS
    return rounds if enough else dict.fromkeys((launch.number for launch in run.launches), 0)


def _parted(point: PointSummary, stood_for: dict[int, int], held: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """Return the launch figures of a point as logarithms, by what stands for a run.

    Of those that `held` leaves out nothing counts, and nothing of a run of which it leaves too few.
    """
    numbers, figures_ns = point.rows.launch_numbers.tolist(), point.launch_times_ns.tolist()
    found: dict[int, list[float]] = {}
    measured: dict[int, int] = {}
    for launch, figure_ns, counts in zip(numbers, figures_ns, held.tolist(), strict=True):
        if launch in stood_for:
            unit = stood_for[launch]
            measured[unit] = measured.get(unit, 0) + 1
            if counts:
                found.setdefault(unit, []).append(np.log(max(figure_ns, _LEAST_NS)))
    return [np.array(logs) for unit, logs in found.items() if len(logs) >= min(LEAST_FIGURES, measured[unit])]
