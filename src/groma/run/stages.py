"""The stages of a profile whose program decides from what was measured what to measure next, such as pairs."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from groma.catalog import Catalog
from groma.catalog.refinement import Refinement
from groma.catalog.values import read_value
from groma.errors import InputError
from groma.launch.checking import check_points
from groma.launch.command import INSTEAD
from groma.launch.process import Interrupts
from groma.launch.words import SKIPPED
from groma.plan import Plan
from groma.results.documents import RunDocument
from groma.run.ahead import Costs, staged
from groma.run.directory import RunDirectory, this_process
from groma.run.earlier import set_unfinished_aside, spent_s
from groma.run.forecast import Known
from groma.run.measuring import make_run, measure
from groma.run.prepared import Prepared, merged
from groma.text.console import err
from groma.text.counts import counted

if TYPE_CHECKING:
    from pathlib import Path

    from groma.plan import Plan
    from groma.plan.stages import Stage
    from groma.results import Run


def check_staged(plan: Plan, *, calibrate: bool = False, pauses: bool = False, adds: bool = False) -> None:
    """Refuse, before anything is measured, what a plan with stages cannot have; raises InputError."""
    if staged(plan.profile) is None:
        if plan.program:
            raise InputError(f"the plan {plan.name} has a [program] table, which no program reads; leave it out")
        return
    if len(plan.rank_counts) > 1:
        counts = ",".join(map(str, plan.rank_counts))
        raise InputError(f"the profile {plan.profile} measures one number of ranks, not {counts}; give one with -n")
    unsuitable = {
        "variants": bool(plan.variants),
        "a budget": plan.budget_s is not None,
        "--within": plan.within is not None,
        "an interval between rounds": plan.every_s is not None,
        "added sizes": plan.refinement.active,
        "--calibrate": calibrate,
        "--pause-after": pauses,
        "further launches": adds,
    }
    for name, is_given in unsuitable.items():
        if is_given:
            raise InputError(
                f"the profile {plan.profile} cannot have {name}: it decides itself what is measured next; leave it out"
            )


def of_one_library(prepared: Prepared) -> Prepared:
    """Make a single library variant the run's library, if the program has stages; raises InputError."""
    plan = prepared.plan
    if staged(plan.profile) is None or len(plan.variants) != 1 or plan.variants[0].name not in prepared.setups:
        return prepared
    if (only := plan.variants[0]).env or only.placement:
        return prepared
    setup = prepared.setups[only.name]
    check_points(setup, plan.points, plan.rank_counts, plan.scheduling)
    return replace(prepared, plan=replace(plan, variants=()), setup=setup, setups={}, refused={})


def measure_stages(directory: RunDirectory, prepared: Prepared, state: str) -> str:
    """Measure the stages of a run that are not there yet, and return the state of the whole.

    A stage that ended early is continued. Nothing is measured after a run or stage that is not complete.
    """
    program = staged(prepared.plan.profile)
    stages: dict[str, Run] = {}
    while program is not None and state == "complete":
        from groma.results import load_run  # noqa: PLC0415 - imports numpy, which a dry run must not wait for

        run = load_run(directory.path)
        stage: Stage | None = program.ask(program.stages, run, stages)
        if stage is None:
            return state
        if not _waited(stage, stages):
            return "interrupted"
        launch_s = Costs([run, *stages.values()]).of_launch(stage.points)
        known = None if launch_s is None else Known(launch_s, "by the launches so far")
        state = _measured(stage, directory.path / stage.name, replace(prepared, known=known))
        stages[stage.name] = load_run(directory.path / stage.name)
    return state


def stages_left(path: Path, profile: str | None) -> bool:
    """Return whether a run, complete itself, lacks a stage or has one that ended early."""
    program = staged(profile)
    if program is None:
        return False
    from groma.results import load_run  # noqa: PLC0415 - as above

    run, stages = load_run(path), dict[str, "Run"]()
    while (stage := program.ask(program.stages, run, stages)) is not None:
        folder = path / stage.name
        if not folder.exists() or RunDirectory(folder).read().state != "complete":
            return True
        stages[stage.name] = load_run(folder)
    return False


def _waited(stage: Stage, stages: dict[str, Run]) -> bool:
    """Wait until the stage may begin; False if a signal ended the wait."""
    finished = [run.meta.finished for run in stages.values() if run.meta.finished]
    if not stage.pause_s or not finished:
        return True
    passed_s = (dt.datetime.now(dt.UTC) - dt.datetime.fromisoformat(max(finished))).total_seconds()
    if (left_s := stage.pause_s - passed_s) <= 0:
        return True
    err().print(f"Stage {stage.name} begins in {left_s:.0f} s.", markup=False)
    with Interrupts() as interrupts:
        interrupts.wait(left_s)
        return interrupts.received is None


def _measured(stage: Stage, path: Path, prepared: Prepared) -> str:
    """Measure one stage, or what an earlier attempt left of it, and return its state."""
    if path.exists():
        directory = RunDirectory(path)
        document = directory.read()
        if document.state == "complete":
            return "complete"
        return go_on(directory, document, replace(prepared, plan=plan_of(directory, document, prepared.catalog)))
    err().print(f"Stage {stage.name}: {stage.reason}", markup=False, soft_wrap=True)
    plan = replace(
        prepared.plan, name=stage.name, profile=None, style=None, points=tuple(stage.points), refinement=Refinement(),
        scheduling={name: value for name, value in prepared.plan.scheduling.items() if name != "seed"},
    )  # fmt: skip
    _, outcome = make_run(replace(prepared, plan=plan), path)
    from groma.results import load_run  # noqa: PLC0415 - as above

    if outcome.state == "complete" and (gaps := load_run(path).missing()):
        err().print(f"Stage {stage.name}: {counted(len(gaps), 'gap')}: {gaps[0]}", markup=False, soft_wrap=True)
        return "partial"
    return outcome.state


def go_on(directory: RunDirectory, document: RunDocument, prepared: Prepared, budget_s: float | None = None) -> str:
    """Make the launches that a run lacks and return its state.

    Launches that ended early or with an error are set aside.
    """
    unfinished = set_unfinished_aside(directory)
    if unfinished:
        listed = ", ".join(map(str, unfinished))
        err().print(
            f"Launches that failed, ended early or are damaged move to superseded/ and are repeated: {listed}",
            markup=False,
        )
    document.state, document.finished, document.owner = "running", None, this_process()
    document.notes = [note for note in document.notes if SKIPPED in note or INSTEAD in note]
    document.budget_s = budget_s or document.budget_s
    document.host_files = merged(document.host_files, prepared.host_files)
    directory.write(document)
    used = 0.0 if budget_s else spent_s(directory)
    return measure(document, directory, prepared, used).state


def plan_of(directory: RunDirectory, document: RunDocument, catalog: Catalog) -> Plan:
    """Return the plan of a run; raises InputError if `catalog` lacks something in its points."""
    try:
        for point in document.plan.points:
            for name, value in point.items():
                read_value(catalog, catalog.field(name), value)
    except InputError as error:
        raise InputError(f"{directory.document}: {error}") from None
    return Plan(
        name=document.name,
        profile=document.profile,
        launches=document.launches,
        rank_counts=tuple(document.rank_counts),
        budget_s=document.budget_s,
        variants=tuple(document.variants),
        every_s=document.every_s,
        scheduling={**document.plan.settings, "order": document.plan.order, "seed": document.seed},
        points=tuple(dict(point) for point in document.plan.points),
        reporting=document.report,
        refinement=document.refinement,
        program=dict(document.program),
        lacking=dict(document.lacking),
        parts=dict(document.programs),
    )
