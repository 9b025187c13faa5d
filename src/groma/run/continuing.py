"""Making the launches that a run lacks: for `groma run --resume`, and for the stages of a run that is resumed."""

from __future__ import annotations

from groma.catalog import Catalog
from groma.catalog.values import read_value
from groma.errors import InputError
from groma.launch.command import INSTEAD
from groma.launch.words import SKIPPED
from groma.plan import Plan
from groma.results.documents import RunDocument
from groma.run import RunDirectory
from groma.run.earlier import set_unfinished_aside, spent_s
from groma.run.measuring import measure
from groma.run.prepared import Prepared
from groma.run.visiting import merged
from groma.run.writer import this_process
from groma.text.console import err


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
    """Return the plan that a run was made by; raises InputError if `catalog` has nothing like one of its points."""
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
    )
