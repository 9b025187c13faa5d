"""From a checked plan to a finished run."""

from __future__ import annotations

import secrets
import socket
import sys
from pathlib import Path

import msgspec

from groma.catalog import Catalog
from groma.launch.command import Setup
from groma.machine.examine import Examination, examine
from groma.plan import Plan
from groma.results.documents import LibraryDocument, PlanDocument, RunDocument
from groma.run.announcing import announce, ranks_of_job, refused_sentences
from groma.run.campaign import Campaign, Outcome
from groma.run.directory import RunDirectory, now_iso, this_process
from groma.run.prepared import Prepared
from groma.run.progress import WORTH_SAYING_S, Progress
from groma.text.console import err
from groma.text.version import version

_SEED_BITS = 31


def make_run(prepared: Prepared, path: Path | None, *, dated: bool = False) -> tuple[RunDirectory, Outcome]:
    """Measure a plan into a directory of its own, as `RunDirectory.create` names it, and return it and what came of it.

    The machine is examined without a launch.
    """
    directory = RunDirectory.create(prepared.plan.name, path, dated=dated)
    examination = examine(prepared.setup, max(prepared.plan.rank_counts), launch=False)
    return directory, measure(new_run(prepared, directory, examination), directory, prepared)


def measure(document: RunDocument, directory: RunDirectory, prepared: Prepared, spent_s: float = 0.0) -> Outcome:
    """Run the campaign with a progress line, then report deviations from what was asked."""
    console = err()
    present = set(directory.launch_numbers())
    said = announce(prepared, console, sum(at not in present for at in document.asked_numbers))
    progress = Progress(console, 0.0 if said else WORTH_SAYING_S)
    document.notes += [*filter(None, [prepared.setup.note, ranks_of_job(prepared)]), *refused_sentences(prepared)]
    with directory.claimed():
        outcome = Campaign(prepared, document, directory, progress, spent_s).run()
    for sentence in outcome.sentences:
        console.print(sentence, markup=False, soft_wrap=True)
    if outcome.state != "complete":
        text = f"The run is {outcome.state}; continue it with: groma run --resume {directory.path}"
        console.print(text, markup=False, soft_wrap=True)
    return outcome


def begun(plan: Plan, catalog: Catalog) -> RunDocument:
    """Return what run.json says of a plan whose run begins now, in this process."""
    return RunDocument(
        id=secrets.token_hex(8),
        name=plan.name,
        profile=plan.profile,
        groma=version(),
        created=now_iso(),
        finished=None,
        state="running",
        command=list(sys.argv),
        host=socket.gethostname(),
        seed=int(plan.scheduling["seed"]) if "seed" in plan.scheduling else secrets.randbits(_SEED_BITS),
        launches=plan.launches,
        rank_counts=list(plan.rank_counts),
        budget_s=plan.budget_s,
        within=plan.within,
        every_s=plan.every_s,
        variants=list(plan.variants),
        plan=plan_document(plan, catalog),
        report=plan.reporting,
        refinement=plan.refinement,
        program=dict(plan.program),
        lacking=dict(plan.lacking),
        programs=dict(plan.parts),
        style=plan.style,
        owner=this_process(),
    )


def new_run(prepared: Prepared, directory: RunDirectory, examination: Examination) -> RunDocument:
    """Return run.json as it is when a run begins, and write it."""
    plan, setup, catalog = prepared.plan, prepared.setup, prepared.catalog
    document = msgspec.structs.replace(
        begun(plan, catalog),
        hosts="" if setup.hosts.of_job else str(setup.hosts),
        ppn=setup.hosts.ppn,
        any_placement=prepared.any_placement,
        any_build=prepared.any_build,
        library=_library(setup),
        libraries={name: _library(own) for name, own in prepared.setups.items()},
        machine=examination.document(),
        host_files=list(prepared.host_files),
    )
    directory.begin(document, catalog)
    return document


def plan_document(plan: Plan, catalog: Catalog) -> PlanDocument:
    """Return the points and their order, as run.json has them."""
    order = str(plan.scheduling.get("order", catalog.field("order", "plan").default))
    settings = {name: value for name, value in plan.scheduling.items() if name not in ("order", "seed")}
    return PlanDocument(order, [dict(point) for point in plan.points], settings)


def _library(setup: Setup) -> LibraryDocument:
    launcher = setup.launcher
    return LibraryDocument(launcher.family, launcher.version, str(setup.engine.path), str(launcher))
