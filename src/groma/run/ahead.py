"""How long launches take that were not made yet, by what others showed: of this run, or of an earlier one here."""

from __future__ import annotations

import json
import socket
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groma.catalog.registry import registry
from groma.run.directory import RunDirectory, runs_under
from groma.run.earlier import spent_s
from groma.run.forecast import Known

if TYPE_CHECKING:
    from groma.catalog.registry import Program
    from groma.plan.stages import Stage
    from groma.results import Run
    from groma.run.prepared import Prepared

# The same call between other ranks: what a stage changes in the points of its profile.
_OTHER_RANKS = ("pattern", "per_rank")
Settings = Mapping[str, Any]


def staged(profile: str | None) -> Program | None:
    """Return the program of a profile if it has stages."""
    entry = registry().profiles.get(profile or "")
    program = registry().programs.get(entry.program) if entry else None
    return program if program and program.stages else None


class Costs:
    """Seconds that launches took: each point of a kind, and a launch beside its points."""

    def __init__(self, runs: Iterable[Run]) -> None:
        """Take in every launch that ended."""
        self._points_s: dict[str, list[float]] = defaultdict(list)
        self._beside_s: list[float] = []
        for launch in (launch for run in runs for launch in run.launches):
            if launch.wall_s is None or launch.plan is None:
                continue
            settings, points_s = launch.plan.points, 0.0
            for record in launch.points:
                self._points_s[_kind(settings[record.index])].append(record.elapsed_ns * 1e-9)
                points_s += record.elapsed_ns * 1e-9
            self._beside_s.append(max(0.0, launch.wall_s - points_s))

    def of_launch(self, points: Sequence[Settings]) -> float | None:
        """Return the seconds of a launch of these points; None if a kind of point was not measured yet."""
        kinds = [self._points_s.get(_kind(point)) for point in points]
        if not self._beside_s or not all(kinds):
            return None
        return _mean(self._beside_s) + sum(_mean(seconds) for seconds in kinds if seconds)


def _kind(settings: Settings) -> str:
    return json.dumps({name: settings[name] for name in sorted(settings) if name not in _OTHER_RANKS})


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def known_stages(program: Program, run: Run, done: Mapping[str, Run]) -> list[Stage]:
    """Return the stages that follow whatever they measure, the next one first."""
    nothing, known, found = replace(run, launches=[]), dict(done), list["Stage"]()
    while (stage := program.ask(program.stages, run, known)) is not None and stage.name not in known:
        found.append(stage)
        known[stage.name] = nothing
    return found


def stages_s(path: Path, profile: str | None) -> float | None:
    """Return the seconds of the stages that follow a run for certain; None if its launches do not show them."""
    if (program := staged(profile)) is None:
        return 0.0
    from groma.results import load_run  # noqa: PLC0415 - imports numpy, which a dry run must not wait for

    run = load_run(path)
    costs = Costs([run])
    total_s = 0.0
    for stage in known_stages(program, run, {}):
        launch_s = costs.of_launch(stage.points)
        if launch_s is None:
            return None
        total_s += stage.pause_s + run.meta.launches * launch_s
    return total_s


def by_earlier_run(prepared: Prepared) -> Known | None:
    """Return what a round of launches took in the newest complete run here of the same plan, with its stages."""
    plan, setup = prepared.plan, prepared.setup
    asked = (
        *("complete", socket.gethostname(), plan.name, list(plan.rank_counts), list(plan.variants)),
        *(str(setup.launcher), "" if setup.hosts.of_job else str(setup.hosts)),
        *(dict(plan.program), [dict(point) for point in plan.points]),
    )
    for directory, document in reversed(runs_under()):
        made = (
            *(document.state, document.host, document.name, document.rank_counts, document.variants),
            *(document.library.launcher, document.hosts, document.program, document.plan.points),
        )
        if made == asked:
            stages = [RunDirectory(file.parent) for file in directory.path.glob("*/run.json")]
            took_s = sum(map(spent_s, [directory, *stages]))
            return Known(took_s / document.launches, f"as {directory.path} took{' with its stages' if stages else ''}")
    return None
