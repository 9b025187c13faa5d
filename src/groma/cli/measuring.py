"""From a draft to a finished run: what `groma quick` and `groma run` have in common."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

import groma
from groma.cli.console import err, path_line
from groma.errors import InputError
from groma.launch import Setup, check_points, find_engine, find_setup
from groma.plan import Variant, expand
from groma.results.documents import LibraryDocument, PlanDocument
from groma.run import Assignment, Campaign, RunDirectory, RunDocument
from groma.run.budget import SHORTEST_SLOT_S, fitting_slot_s
from groma.run.documents import now_iso, this_process
from groma.run.forecast import crowding, expected_s, forecast
from groma.run.launching import engine_arguments
from groma.run.progress import Progress
from groma.run.schedule import turn

if TYPE_CHECKING:
    from rich.console import Console

    from groma.catalog import Catalog
    from groma.machine import Examination
    from groma.plan import Draft, Plan
    from groma.run import Outcome

_LAUNCHED_ALREADY = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE")
_SEED_BITS = 31
_WORTH_SAYING_S = 20.0


@dataclass(frozen=True)
class Prepared:
    """A checked plan and what would start it."""

    plan: Plan
    catalog: Catalog
    setup: Setup


def prepare(draft: Draft, catalog: Catalog, launcher: str | None) -> Prepared:
    """Check everything that can be checked without starting a rank; raises InputError."""
    plan = expand(draft, catalog)
    setup = find_setup(find_engine(), launcher)
    setup.check_engine()
    check_points(setup, plan.points, plan.rank_counts, plan.scheduling)
    for variant in plan.variants:
        for ranks in plan.rank_counts:
            setup.command(ranks, [], variant.env, variant.placement)  # refuses what the launcher cannot do
    return Prepared(plan, catalog, setup)


def refuse_under_launcher() -> None:
    """Raise InputError where Groma itself was started by an MPI launcher: every copy would start ranks of its own."""
    for name in _LAUNCHED_ALREADY:
        if int(os.environ.get(name) or 1) > 1:
            copies = os.environ[name]
            raise InputError(f"groma starts the ranks itself, but {copies} copies of it run; start it without mpiexec")


def fit_to_budget(draft: Draft, catalog: Catalog, console: Console) -> None:
    """Shorten the points' time slots so that all launches fit the budget, and say so; a slot given by --set stays."""
    if draft.budget_s is None or "slot_s" in draft.overrides:
        return
    plan = expand(draft, catalog)
    launches = plan.launches * len(plan.rank_counts) * max(1, len(plan.variants))
    slot_s = fitting_slot_s(draft.budget_s, launches, len(plan.points))
    longest = max(float(catalog.resolve(point).get("slot_s") or 0) for point in plan.points)
    if slot_s < longest:
        draft.override("slot_s", slot_s)
        least = " (the minimum; fewer launches will fit)" if slot_s == SHORTEST_SLOT_S else ""
        console.print(
            f"Each point gets at most {slot_s:g} s per launch{least}, to fit {launches} launches into the budget."
        )


def dry_run(prepared: Prepared, output: Path | None, console: Console) -> None:
    """Print the exact command of every launch and all points; nothing is started or written."""
    plan, setup = prepared.plan, prepared.setup
    directory = output or Path("runs") / f"{plan.name}-YYYYMMDD-HHMMSS"
    counts = plan.rank_counts
    ranks = " and ".join(map(str, counts))
    names = f", variants: {' and '.join(variant.name for variant in plan.variants)}" if plan.variants else ""
    path_line(console, f"# points: {len(plan.points)}, ranks: {ranks}{names}, launches of each: {plan.launches}")
    path_line(console, f"# expected: {forecast(plan, prepared.catalog)}")
    if doubt := crowding_of(prepared):
        path_line(console, f"# {doubt}")
    if plan.refinement.active:
        path_line(
            console,
            "# sizes are added after the first launch of each rank count, in separate launches, where curves bend",
        )
    for number in range(1, plan.launches * len(counts) * max(1, len(plan.variants)) + 1):
        folder = RunDirectory(directory).launch(number)
        count, variant = turn(number, counts, len(plan.variants))
        chosen = plan.variants[variant] if plan.variants else Variant("")
        command = setup.command(count, engine_arguments(folder), chosen.env, chosen.placement)
        path_line(console, command.shell())
    for point in plan.points:
        path_line(console, " ".join(f"{name}={_plain(value)}" for name, value in point.items()))


def new_run(prepared: Prepared, directory: RunDirectory, examination: Examination) -> RunDocument:
    """Return run.json as it is when a run begins, and write it."""
    plan, setup, catalog = prepared.plan, prepared.setup, prepared.catalog
    scheduling = plan.scheduling
    order = str(scheduling.get("order", catalog.field("order", "plan").default))
    settings = {name: value for name, value in scheduling.items() if name not in ("order", "seed")}
    document = RunDocument(
        name=plan.name,
        profile=plan.profile,
        groma=groma.__version__,
        created=now_iso(),
        finished=None,
        state="running",
        command=list(sys.argv),
        host=socket.gethostname(),
        seed=int(scheduling["seed"]) if "seed" in scheduling else secrets.randbits(_SEED_BITS),
        launches=plan.launches,
        rank_counts=list(plan.rank_counts),
        budget_s=plan.budget_s,
        within=plan.within,
        every_s=plan.every_s,
        variants=list(plan.variants),
        plan=PlanDocument(order, [dict(point) for point in plan.points], settings),
        report=plan.reporting,
        refinement=plan.refinement,
        style=plan.style,
        library=LibraryDocument(
            setup.launcher.family, setup.launcher.version, str(setup.engine.path), str(setup.launcher)
        ),
        machine=examination.document(),
        owner=this_process(),
    )
    directory.write_catalog(catalog)
    directory.write(document)
    return document


def measure(document: RunDocument, directory: RunDirectory, prepared: Prepared, spent_s: float = 0.0) -> Outcome:
    """Run the campaign with a progress line, and say afterwards what went otherwise than asked."""
    console = err()
    _announce(prepared, console)
    progress = Progress(console)
    assignment = Assignment(document, directory, prepared.setup)
    outcome = Campaign(assignment, prepared.catalog, progress, spent_s).run()
    for sentence in outcome.sentences:
        console.print(sentence, markup=False, soft_wrap=True)
    if outcome.state != "complete":
        text = f"The run is {outcome.state}; continue it with: groma run --resume {directory.path}"
        console.print(text, markup=False, soft_wrap=True)
    return outcome


def crowding_of(prepared: Prepared) -> str:
    """Warn of more ranks than CPUs; empty where every rank has one."""
    setup, most = prepared.setup, max(prepared.plan.rank_counts)
    return crowding(most, setup.cores.cpus * setup.nodes) if setup.oversubscribed(most) else ""


def _announce(prepared: Prepared, console: Console) -> None:
    """Say before the first launch how long the run will take, where that is long, and that ranks lack CPUs."""
    doubt = crowding_of(prepared)
    if doubt or expected_s(prepared.plan, prepared.catalog) >= _WORTH_SAYING_S:
        console.print(f"{forecast(prepared.plan, prepared.catalog)}.", markup=False, soft_wrap=True)
    if doubt:
        console.print(doubt, markup=False, soft_wrap=True)


def print_findings(examination: Examination, console: Console) -> None:
    """Print an examination as a table: state, name, value and what it means."""
    signs = {"good": ("ok", "green"), "warn": ("!", "yellow"), "bad": ("BAD", "bold red"), "unknown": ("?", "cyan")}
    table = Table(box=None, padding=(0, 1), show_header=False)
    for finding in examination.findings:
        word, style = signs[finding.state]
        text = Text.assemble(finding.value, "\n", (finding.text, "dim"))
        table.add_row(Text(word, style=style), Text(finding.name, style="bold"), text)
    console.print(table)


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
