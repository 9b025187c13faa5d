"""`groma run --or-resume`, of job scripts: go on with the last run if it ended early, else begin a new one."""

from __future__ import annotations

import re
from pathlib import Path

from groma.errors import InputError, RunError
from groma.launch.allocation import array_index
from groma.results.documents import RunDocument
from groma.run.builds import Builds
from groma.run.directory import PARENT, RunDirectory
from groma.run.earlier import all_measured
from groma.run.measuring import plan_document
from groma.run.prepared import Prepared
from groma.run.stages import stages_left
from groma.text.console import err


def to_go_on_with(prepared: Prepared, output: Path | None) -> RunDirectory | None:
    """Return the last run of this name if it is to be resumed, None if a new run begins.

    It ended early and has this plan, or it is complete and this is a later job of an array, which has nothing to do.
    Says so if a run ended early and is not continued.
    """
    directory = _last(output.parent if output else PARENT, output.name if output else prepared.plan.name)
    if directory is None:
        return None
    document = directory.read()
    if nothing_left(directory, document):
        return directory if prepared.pause_after and array_index() > 1 else None
    if not (reason := _reason_to_leave(directory, document, prepared)):
        return directory
    text = f"{directory.path} ended early, but {reason}: a new run begins; groma run --resume {directory.path} goes on."
    err().print(text, markup=False, soft_wrap=True)
    return None


def nothing_left(directory: RunDirectory, document: RunDocument) -> bool:
    """Return whether all that a run asks for was measured, its stages too."""
    complete = document.state == "complete" and all_measured(directory, document)
    return complete and not stages_left(directory.path, document.profile)


def _last(folder: Path, name: str) -> RunDirectory | None:
    """Return the newest of the runs that `RunDirectory.create` gave this name and a date."""
    dated = re.compile(re.escape(name) + r"-\d{8}-\d{6}(-\d+)?")
    paths = sorted(path for path in folder.glob("*") if dated.fullmatch(path.name) and (path / "run.json").exists())
    return RunDirectory(paths[-1]) if paths else None


def _reason_to_leave(directory: RunDirectory, document: RunDocument, prepared: Prepared) -> str:
    """Return why a run that ended early is not continued by this plan, empty if it is."""
    plan = prepared.plan
    points = document.plan.points[: len(plan.points)]  # refinement adds others behind them
    asked = (document.profile, document.launches, document.rank_counts, document.variants, document.program, points)
    own = plan_document(plan, prepared.catalog)
    wanted = (plan.profile, plan.launches, list(plan.rank_counts), list(plan.variants), dict(plan.program), own.points)
    if asked != wanted or (document.plan.order, document.plan.settings) != (own.order, own.settings):
        return "its plan or its number of ranks differs"
    setup = prepared.setup
    if (document.library.engine_path, document.library.launcher) != (str(setup.engine.path), str(setup.launcher)):
        return "it was measured with another engine or launcher"
    if not (document.any_build or prepared.any_build):
        builds = Builds(directory)
        others = (builds.other(variant, prepared.setup_of(variant)) for variant in plan.variants or (None,))
        if other := next(filter(None, others), ""):
            return other
    try:
        with directory.claimed():
            return ""
    except (InputError, RunError):
        return "another groma process is measuring it"
