"""What is compared: one run, or several runs of one plan, and what is known of how much such runs differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from groma.analysis import summarise
from groma.analysis.compare import Sample
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.history import alike, history_of, key, rounds_in_time
from groma.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from groma.analysis import PointSummary
    from groma.results import Run

_LEAST_NS = 1e-3  # a clock of whole microseconds can say zero, which has no logarithm


@dataclass(frozen=True, eq=False)
class Side:
    """Runs of one plan under a name; the first shows the figures, all of them are compared.

    `others` are folders of runs whose spread must not count as history: those of the other side.
    """

    name: str
    runs: Sequence[Run]
    others: tuple[Path, ...] = field(default=())

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
        return Side(self.name, self.runs, tuple(run.path.resolve() for run in other.runs))

    def sample(self, summary: PointSummary) -> Sample:
        """Return the launches of a point by run, or by rounds of a run that lie apart in time."""
        name = key(summary.ranks, summary.variant, summary.point)
        units = [unit for figures in self._units for unit in figures.get(name, [])]
        return Sample(units, [logs[name] for logs in self._earlier if name in logs])

    @cached_property
    def _units(self) -> list[dict[str, list[NDArray[np.float64]]]]:
        """Return by run, and by point, the launch figures of everything that stands for a run."""
        units = []
        for place, run in enumerate(self.runs):
            rounds = rounds_in_time(run)
            summaries = self.summaries if place == 0 else summarise(run)
            units.append(
                {key(summary.ranks, summary.variant, summary.point): _parted(summary, rounds) for summary in summaries}
            )
        return units

    @cached_property
    def _earlier(self) -> list[dict[str, NDArray[np.float64]]]:
        """Return the launch figures of other runs of the plan, which are in the folder of the first run."""
        history = history_of(self.run)
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


def _parted(summary: PointSummary, rounds: dict[int, int]) -> list[NDArray[np.float64]]:
    """Return the launch figures of a point as logarithms: by round where rounds stand for runs, else together."""
    found: dict[int, list[float]] = {}
    for launch, figure_ns in zip(summary.rows.launch_numbers.tolist(), summary.launch_times_ns.tolist(), strict=True):
        found.setdefault(rounds.get(launch, -1), []).append(np.log(max(figure_ns, _LEAST_NS)))
    if len(found) < MINIMUM_RUNS:
        return [np.array([log for logs in found.values() for log in logs])]
    return [np.array(logs) for logs in found.values()]
