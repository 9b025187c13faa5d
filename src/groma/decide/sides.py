"""What is compared: one run, or several runs of one plan, and what is known of how much such runs differ."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis import summarise
from groma.analysis.changes import RunSeries, find_changes
from groma.analysis.compare import Sample
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.history import alike, history_of, key, rounds_in_time, settings
from groma.analysis.machinestate import in_state, line_times, point_line_times
from groma.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.analysis import PointSummary
    from groma.analysis.machinestate import MachineState
    from groma.results import Run

# Fewer figures in one state of the machine say too little of a run that has more in another.
_LEAST_FIGURES = 3
_LEAST_NS = 1e-3  # a clock of whole microseconds can say zero, which has no logarithm


@dataclass(frozen=True, eq=False)
class Side:
    """Runs of one plan under a name; the first shows the figures, all of them are compared.

    `others` are folders of runs whose spread must not count as history: those of the other side. `in_succession`: the
    runs followed each other at once.
    """

    name: str
    runs: Sequence[Run]
    others: tuple[Path, ...] = field(default=())
    in_succession: bool = False
    _kept: dict[MachineState | None, list[dict[str, list[NDArray[np.float64]]]]] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def run(self) -> Run:
        """The first run."""
        return self.runs[0]

    @cached_property
    def summaries(self) -> list[PointSummary]:
        """The points of the first run."""
        return summarise(self.run)

    def beside(self, other: Side) -> Side:
        """Return the same where the other side's runs are no history."""
        return replace(self, others=tuple(run.path.resolve() for run in other.runs))

    @cached_property
    def readings_ns(self) -> NDArray[np.float64]:
        """The times of a cache line (ns) around all figures: the least and the most, a row for each; none unknown."""
        times = [
            point_line_times(point, line_times(run.launches))
            for place, run in enumerate(self.runs)
            for point in self._summaries(place)
        ]
        rows = np.concatenate(times) if times else np.empty((0, 2))
        return rows[~np.isnan(rows).any(axis=1)]

    def sample(self, summary: PointSummary, state: MachineState | None = None) -> Sample:
        """Return the launch figures of a point by run, or by rounds of a run that lie apart in time.

        With `state`, those that were measured in that state of the machine; none of a run that has too few of them.
        """
        name = key(summary.ranks, summary.variant, summary.point)
        units = [unit for of_run in self._units(state) for unit in of_run.get(name, [])]
        earlier = _stretches([logs[name] for logs in self._earlier(state) if name in logs])
        return Sample(units, earlier, self.in_succession)

    def _units(self, state: MachineState | None) -> list[dict[str, list[NDArray[np.float64]]]]:
        """Return by run, and by point, the launch figures of everything that stands for a run."""
        if state in self._kept:
            return self._kept[state]
        units = self._kept[state] = []
        for place, run in enumerate(self.runs):
            rounds, lines = _stood_for(run), line_times(run.launches)
            of_run = {}
            for point in self._summaries(place):
                held = np.full(point.launch_times_ns.size, True) if state is None else in_state(point, lines, state)
                of_run[key(point.ranks, point.variant, point.point)] = _parted(point, rounds, held)
            units.append(of_run)
        return units

    def _summaries(self, place: int) -> list[PointSummary]:
        """Return the points of one of the runs."""
        return self.summaries if place == 0 else summarise(self.runs[place])

    def _earlier(self, state: MachineState | None) -> list[dict[str, NDArray[np.float64]]]:
        """Return the launch figures of other runs of the plan, which are in the folder of the first run."""
        history = history_of(self.run, state)
        folder = self.run.path.resolve().parent
        compared = {*self.others, *(run.path.resolve() for run in self.runs)}
        pairs = zip(history.names, history.logs, strict=True)
        return [dict(logs) for name, logs in pairs if folder / name not in compared]


def one_plan(first: Side, second: Side) -> bool:
    """Whether the earlier runs of both sides are the same runs: those of one plan, library, settings and machine."""
    one, other = first.run, second.run
    same_folder = one.path.resolve().parent == other.path.resolve().parent
    return same_folder and alike(one.meta, other.meta) and settings(one) == settings(other)


def check_one_plan(name: str, runs: Sequence[Run]) -> None:
    """Raise InputError where runs that are to be one side differ in their plan, library, machine or settings of MPI."""
    first = runs[0]
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


def _stretches(runs: Sequence[NDArray[np.float64]]) -> list[Sequence[NDArray[np.float64]]]:
    """Return the launch figures of runs, the oldest first, in stretches between which their figure changed.

    A regression that stays is no spread from run to run. Shorter ones are: three runs make a change.
    """
    sample = Sample(runs)
    ((levels,),) = find_changes([[RunSeries(sample.medians, sample.explained)]])
    ends = [0, *(change.at for change in levels.changes), len(runs)]
    return [runs[begin:end] for begin, end in pairwise(ends)]


def _stood_for(run: Run) -> dict[int, int]:
    """Return by launch the round that stands for a run, where rounds do, else 0."""
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
    return [np.array(logs) for unit, logs in found.items() if len(logs) >= min(_LEAST_FIGURES, measured[unit])]
