"""Adding copies of points to a plan, slowed by shares of what a short launch says they take (`--calibrate`)."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from groma.errors import RunError
from groma.machine.examine import Examination
from groma.plan.calibration import calibrated, chosen_points, with_twins
from groma.results import load_run
from groma.run import Assignment, Campaign, RunDirectory
from groma.run.measuring import new_run
from groma.run.prepared import Prepared
from groma.run.preparing import refused_points
from groma.run.progress import Progress
from groma.text.console import err


def calibrate(prepared: Prepared) -> Prepared:
    """Return the same with copies of a few points, after one short launch that is not kept.

    Raises RunError if that launch measured none of them.
    """
    places = calibrated(prepared.plan)
    if not places:
        raise RunError("no point of this plan can be calibrated: copies need clock=monotonic")
    pilot = replace(prepared, plan=chosen_points(prepared.plan, places))
    with tempfile.TemporaryDirectory() as name:
        directory = RunDirectory.create(pilot.plan.name, Path(name) / "pilot")
        document = new_run(pilot, directory, Examination())
        Campaign(Assignment(document, directory, pilot.setup, pilot.setups), pilot.catalog, Progress(err())).run()
        times = _repetition_ns(directory.path, places)
    if not times:
        raise RunError("the short launch before the run measured no point to calibrate; try without --calibrate")
    plan = with_twins(prepared.plan, times, prepared.catalog)
    return replace(prepared, plan=plan, refused=refused_points(plan, prepared.setups))


def _repetition_ns(path: Path, places: tuple[int, ...]) -> dict[int, float]:
    """Return how long a repetition of each point takes, by its place in the plan."""
    return {
        places[record.index]: float(np.median(record.samples_ns)) / record.repetitions_per_sample
        for launch in load_run(path).launches
        for record in launch.points
        if record.samples_ns.size
    }
