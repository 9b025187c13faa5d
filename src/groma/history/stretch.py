"""The runs since figures last changed, as a baseline: they show how much runs differ while nothing changes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from groma.analysis.changes.dependence import usual_likeness
from groma.analysis.compare import MARGIN, Between, Sample, compare_runs, judge
from groma.analysis.components import MINIMUM_RUNS
from groma.analysis.otherruns import MOST_RUNS, launch_logs
from groma.errors import InputError
from groma.history.store import StoredRun
from groma.history.timelines import Group
from groma.history.told import date, heading
from groma.results import Run, load_run
from groma.results.conditions import alike, same_software
from groma.text.counts import counted

_RULE = 1.10
_LIKE = 0.3  # correlation of neighbours from which on a gate's own runs, minutes apart, are said to be alike


@dataclass(frozen=True)
class Stretch:
    """The newest runs with one level of every figure, and a sentence each on what they are and what they imply."""

    paths: list[Path]
    sentences: list[str]


def stretch(groups: Sequence[Group], margin: float = MARGIN) -> Stretch:
    """Return the newest stretch without a change; the newest 20 runs of it that asked for what the newest did.

    Raises InputError if there are several plans or machines, or fewer than three such runs whose directories exist.
    """
    if len(groups) != 1:
        names = "; ".join(heading(group) for group in groups)
        raise InputError(f"the history has {len(groups)} groups of runs ({names}); name the runs of one, or use --plan")
    group = groups[0]
    begin, why = _begin(group)
    there = [run for run in group.runs[begin:] if (Path(run.path) / "run.json").is_file()]
    loaded = [load_run(run.path) for run in there[-MOST_RUNS:]]
    similar = [
        run for run in loaded if alike(loaded[-1].meta, run.meta) and same_software(loaded[-1], run) is not False
    ]
    if len(similar) < MINIMUM_RUNS:
        there_are = (
            f"{counted(len(similar), 'run')} of one plan and library {'is' if len(similar) == 1 else 'are'} there"
        )
        raise InputError(
            f"{there_are} {why}; a baseline from history needs {MINIMUM_RUNS}: measure more, or name the runs"
        )
    kept = {str(run.path) for run in similar}
    used = [run for run in there if run.path in kept]
    likeness = usual_likeness([line.series for line in group.timelines])
    return Stretch([run.path for run in similar], [_what(used, why), *_implied(similar, margin, likeness)])


def _begin(group: Group) -> tuple[int, str]:
    """Return the place of the first run that is after every change, by the last of its dates, and the reason."""
    ends = [(line.runs[one.latest], line) for line in group.timelines for one in line.changes]
    if not ends:
        return 0, "in a history without a change"
    at, line = max(ends, key=lambda end: end[0])
    return at, f"since {line.label} changed, at the latest on {date(group.runs[at])}"


def _what(runs: Sequence[StoredRun], why: str) -> str:
    return f"{counted(len(runs), 'run')}, {date(runs[0])} to {date(runs[-1])}, {why}."


def _implied(runs: Sequence[Run], margin: float, likeness: float) -> list[str]:
    """Say how often alarms are false, and if runs made at once are alike."""
    points = _points(runs)
    count = len(runs)
    by_rule, by_test = _leave_one_out(points, count, margin)
    rate = (
        "At most 5 % of gates without a regression alarm, all points together. Each of these "
        f"{count} runs against the others: {by_test or 'none'} would be called slower at any point; a rule of "
        f"{_RULE - 1:.0%} above the others' mean would alarm for {by_rule or 'none'}."
    )
    if likeness <= _LIKE:
        return [rate]
    alike_runs = (
        f"Neighbouring runs are alike (correlation {likeness:.1f}), and a gate's own runs, minutes apart, are more so: "
        "its rate can be higher than 5 %. Runs that are made hours apart avoid that: groma gate NAME --visit FOLDER"
    )
    return [rate, alike_runs]


def _points(runs: Sequence[Run]) -> list[list[NDArray[np.float64]]]:
    """Return the launch figures, as logarithms, of every point that all runs have, by run."""
    found = [launch_logs(run) for run in runs]
    return [[logs[name] for logs in found] for name in found[0] if all(name in logs for logs in found)]


def _leave_one_out(points: list[list[NDArray[np.float64]]], count: int, margin: float) -> tuple[int, int]:
    """Return how many of the runs a rule of 10 %, and the test, call slower than the others at any point."""
    by_rule = by_test = 0
    for at in range(count):
        sides = [(Sample([one[at]]), Sample([logs for place, logs in enumerate(one) if place != at])) for one in points]
        by_rule += any(new.medians[0] - base.medians.mean() > math.log(_RULE) for new, base in sides)
        found = judge([compare_runs(new, base)[0] for new, base in sides], margin)
        by_test += any(one.verdict == "slower" and isinstance(one.comparison.shift, Between) for one in found)
    return by_rule, by_test
