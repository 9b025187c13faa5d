"""Other runs of one plan: what they tell about a run's figures that its own launches cannot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from groma.analysis.components import Components, components, next_run, sample_variance
from groma.analysis.estimators import estimate
from groma.analysis.grouping import groups, relevant_fields
from groma.analysis.order import Interval
from groma.errors import GromaError
from groma.results import load_run
from groma.results.documents import RunMeta

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.analysis.summary import PointSummary
    from groma.results import Run
    from groma.results.records import Point

MOST_RUNS = 20  # the newest: reading more takes seconds, and an old machine is another machine

Logs = Mapping[str, "NDArray[np.float64]"]


@dataclass(frozen=True)
class Spread:
    """The spread of one point by level, and where another run's figure would lie (ns), where other runs tell."""

    components: Components
    next_run: Interval | None


@dataclass(frozen=True)
class History:
    """The logarithms of the launch figures of other runs of the same plan, library and machine, by point."""

    names: tuple[str, ...]
    logs: tuple[Logs, ...]

    def of(self, summary: PointSummary) -> list[NDArray[np.float64]]:
        """Return the launches of a point in every other run that measured it."""
        name = key(summary.ranks, summary.variant, summary.point)
        return [one[name] for one in self.logs if name in one]

    def spread(self, summary: PointSummary) -> Spread:
        """Return a point's spread by level."""
        logs, others = np.log(summary.launch_times_ns), self.of(summary)
        variances = [sample_variance(launch.interval, launch.figure_ns) for launch in summary.launches]
        known = [variance for variance in variances if variance is not None]
        found = next_run([*others, logs])
        return Spread(
            components(logs, known, others),
            None if found is None else Interval(float(np.exp(found.low)), float(np.exp(found.high))),
        )


def history_of(run: Run) -> History:
    """Return the newest runs beside this one that measured the same plan on the same library and machine.

    A run that cannot be read, or is being measured, is none of them.
    """
    found = []
    for folder in sorted(run.path.resolve().parent.glob("*/run.json")):
        meta = _meta(folder)
        if meta is not None and folder.parent != run.path.resolve() and alike(run.meta, meta):
            found.append((meta.created, folder.parent))
    runs = []
    for _, path in sorted(found)[-MOST_RUNS:]:
        try:
            runs.append(load_run(path))
        except GromaError:
            continue
    return of_runs(runs)


def of_runs(runs: Iterable[Run]) -> History:
    """Return these runs as a history."""
    kept = list(runs)
    return History(tuple(run.path.name for run in kept), tuple(map(launch_logs, kept)))


def alike(one: RunMeta, other: RunMeta) -> bool:
    """Whether two runs asked for the same points of the same library on the same machine, and both are over."""
    return (
        other.state != "running"
        and all(getattr(one, name) == getattr(other, name) for name in ("host", "rank_counts", "variants", "report"))
        and (
            (one.library.name, one.library.version, one.plan.points)
            == (other.library.name, other.library.version, other.plan.points)
        )
    )


def launch_logs(run: Run) -> dict[str, NDArray[np.float64]]:
    """Return the logarithms of every point's launch figures, in the order of the launches."""
    return {
        key(records[0][0].ranks or 0, records[0][0].variant, records[0][1].point): np.log(
            [_figure(run, record) for _, record in records]
        )
        for records in groups(run)
    }


def key(ranks: int, variant: str | None, point: Mapping[str, object]) -> str:
    """Return what the records of one point share in all runs."""
    return json.dumps([ranks, variant, relevant_fields(dict(point))], sort_keys=True)


def _figure(run: Run, record: Point) -> float:
    times = record.samples_ns / (record.repetitions_per_sample * record.divisor)
    found = estimate(times, run.meta.report, blocks=record.repetitions_per_sample > 1).value
    return max(found, 1e-3)  # a clock of whole microseconds can say zero, which has no logarithm


def _meta(path: Path) -> RunMeta | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunMeta)
    except (OSError, msgspec.DecodeError):
        return None
