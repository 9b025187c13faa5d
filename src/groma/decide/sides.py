"""What is compared: one run, or several runs of one plan, and what is known of how much such runs differ."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis import summarise
from groma.analysis.compare import Sample
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.history import alike, history_of, key, launches_in, rounds_in_time
from groma.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.analysis import PointSummary
    from groma.analysis.machinestate import MachineState
    from groma.results import Run

# Fewer launches in one state of the machine say too little of a run that has more in another.
_LEAST_LAUNCHES = 3
_LEAST_NS = 1e-3  # a clock of whole microseconds can say zero, which has no logarithm


@dataclass(frozen=True, eq=False)
class Side:
    """Runs of one plan under a name; the first shows the figures, all of them are compared.

    `others` are folders of runs whose spread must not count as history: those of the other side. With `state`, only
    launches in that state of the machine are compared.
    """

    name: str
    runs: Sequence[Run]
    others: tuple[Path, ...] = field(default=())
    state: MachineState | None = None

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

    def in_state(self, state: MachineState) -> Side:
        """Return the same with the launches in one state of the machine."""
        return replace(self, state=state)

    @cached_property
    def count(self) -> int:
        """How many runs, or rounds that stand for runs, have enough launches in the state that is compared."""
        return sum(len(set(_stood_for(run, self._counted(run)).values())) for run in self.runs)

    def sample(self, summary: PointSummary) -> Sample:
        """Return the launches of a point by run, or by rounds of a run that lie apart in time.

        A point that no launch of the state has measured is compared by all of them.
        """
        name = key(summary.ranks, summary.variant, summary.point)
        units = [unit for figures in self._units for unit in figures.get(name, [])]
        if not units and self.state is not None:
            return replace(self, state=None).sample(summary)
        return Sample(units, [logs[name] for logs in self._earlier if name in logs])

    @cached_property
    def _units(self) -> list[dict[str, list[NDArray[np.float64]]]]:
        """Return by run, and by point, the launch figures of everything that stands for a run."""
        units = []
        for place, run in enumerate(self.runs):
            stood_for = _stood_for(run, self._counted(run))
            summaries = self.summaries if place == 0 else summarise(run)
            units.append(
                {
                    key(summary.ranks, summary.variant, summary.point): _parted(summary, stood_for)
                    for summary in summaries
                }
            )
        return units

    def _counted(self, run: Run) -> list[int]:
        """Return the numbers of the launches of a run that are compared."""
        return [launch.number for launch in run.launches] if self.state is None else launches_in(run, self.state)

    @cached_property
    def _earlier(self) -> list[dict[str, NDArray[np.float64]]]:
        """Return the launch figures of other runs of the plan, which are in the folder of the first run."""
        history = history_of(self.run, self.state)
        folder = self.run.path.resolve().parent
        compared = {*self.others, *(run.path.resolve() for run in self.runs)}
        pairs = zip(history.names, history.logs, strict=True)
        return [dict(logs) for name, logs in pairs if folder / name not in compared]


def one_plan(first: Side, second: Side) -> bool:
    """Whether the earlier runs of both sides are the same runs: those of one plan, library and machine."""
    same_folder = first.run.path.resolve().parent == second.run.path.resolve().parent
    return same_folder and alike(first.run.meta, second.run.meta)


def check_one_plan(name: str, runs: Sequence[Run]) -> None:
    """Raise InputError where runs that are to be one side differ in their plan, library or machine."""
    first = runs[0]
    for run in runs[1:]:
        if not alike(first.meta, run.meta):
            raise InputError(
                f"{name}: {run.path} measured another plan, library or machine than {first.path}; name runs of one plan"
            )


def _stood_for(run: Run, counted: Sequence[int]) -> dict[int, int]:
    """Return by launch the round that stands for a run, where rounds do, else 0; no launch where too few count."""
    rounds = rounds_in_time(run)
    if len(set(rounds.values())) >= MINIMUM_RUNS:
        return {number: rounds[number] for number in counted if number in rounds}
    enough = len(counted) >= min(_LEAST_LAUNCHES, len(run.launches))
    return dict.fromkeys(counted if enough else [], 0)


def _parted(summary: PointSummary, stood_for: dict[int, int]) -> list[NDArray[np.float64]]:
    """Return the launch figures of a point as logarithms, by what stands for a run."""
    found: dict[int, list[float]] = {}
    for launch, figure_ns in zip(summary.rows.launch_numbers.tolist(), summary.launch_times_ns.tolist(), strict=True):
        if launch in stood_for:
            found.setdefault(stood_for[launch], []).append(np.log(max(figure_ns, _LEAST_NS)))
    return [np.array(logs) for logs in found.values()]
