"""From a draft to a finished run: what `groma quick` and `groma run` have in common."""

from __future__ import annotations

import secrets
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from groma.catalog.values import write_value
from groma.errors import InputError
from groma.launch import Setup, check_points, find_engine, find_setup
from groma.launch.allocation import allocation, copies_started, default_ranks
from groma.launch.engine import engine_arguments
from groma.plan import Variant, expand
from groma.plan.hosts import NO_HOSTS, Hosts
from groma.results.documents import LibraryDocument, PlanDocument, RunDocument
from groma.run import Assignment, Campaign, RunDirectory
from groma.run.announcing import commands_of, crowding_of, expected_places, job_sentence, ranks_of_job
from groma.run.budget import SHORTEST_SLOT_S, fitting_slot_s
from groma.run.forecast import expected_s, forecast, of_launches
from groma.run.prepared import Prepared
from groma.run.progress import Progress
from groma.run.schedule import turn
from groma.run.writer import now_iso, this_process
from groma.text.console import err, path_line
from groma.text.counts import counted
from groma.text.printing import print_list
from groma.text.tables import Styled
from groma.text.version import version

if TYPE_CHECKING:
    from rich.console import Console

    from groma.catalog import Catalog
    from groma.machine import Examination
    from groma.plan import Draft, Plan
    from groma.run import Outcome

_SEED_BITS = 31
_WORTH_SAYING_S = 20.0


def prepare(draft: Draft, catalog: Catalog, launcher: str | None, hosts: Hosts = NO_HOSTS) -> Prepared:
    """Check everything that can be checked without starting a rank; raises InputError."""
    return prepare_plan(expand(draft, catalog), catalog, launcher, hosts)


def prepare_plan(plan: Plan, catalog: Catalog, launcher: str | None, hosts: Hosts = NO_HOSTS) -> Prepared:
    """Do the same for a plan that is expanded."""
    setups = {name: setup.on(hosts) for name, setup in _libraries(plan, launcher).items()}
    if plan.variants and len(setups) == len(plan.variants):
        setup = next(iter(setups.values()))
    else:
        setup = find_setup(find_engine(), launcher).on(hosts)
        setup.check_engine()
        check_points(setup, plan.points, plan.rank_counts, plan.scheduling)
    prepared = Prepared(plan, catalog, setup, setups, refused_points(plan, setups))
    check_commands(prepared)
    return prepared


def check_commands(prepared: Prepared) -> None:
    """Raise InputError where a launcher has no way to start the plan's ranks where they are asked for."""
    for _ in commands_of(prepared):
        pass


def set_ranks(draft: Draft, ranks: tuple[int, ...] | None, hosts: Hosts) -> None:
    """Let the command line say how many ranks a launch has; else the plan, else the hosts or the scheduler's job."""
    if ranks is not None:
        draft.rank_counts = ranks
    elif not draft.states_ranks:
        draft.rank_counts = default_ranks(hosts, allocation(), draft.rank_counts)


def _libraries(plan: Plan, launcher: str | None) -> dict[str, Setup]:
    """Return what starts the launches of variants with a library of their own; raises InputError as `choose`."""
    if not any(variant.mpi for variant in plan.variants):
        return {}
    if launcher and all(variant.mpi for variant in plan.variants):
        raise InputError("--launcher would be used by no launch: every library has its own; leave it out")
    from groma.libraries import choose  # noqa: PLC0415 - only runs of several libraries need it

    return choose(plan.variants).setups


def refused_points(plan: Plan, setups: Mapping[str, Setup]) -> dict[str, Mapping[int, str]]:
    """Return the points that the engines of some libraries do not measure, by variant.

    Raises InputError where no library measures a point, or a library none of them.
    """
    if not setups:
        return {}
    from groma.libraries.refused import check_version, refused  # noqa: PLC0415

    for name, setup in setups.items():
        check_version(name, setup)
    refused_by: dict[str, Mapping[int, str]] = {name: refused(setup, plan) for name, setup in setups.items()}
    for name, points in refused_by.items():
        if len(points) == len(plan.points):
            raise InputError(f"{name} measures none of these points: {next(iter(points.values()))}; leave it out")
    if len(refused_by) == len(plan.variants) and (common := set.intersection(*map(set, refused_by.values()))):
        at = min(common)
        reason = next(iter(refused_by.values()))[at]
        raise InputError(f"no library measures {plan.points[at]['operation']}: {reason}; leave it out")
    return {name: points for name, points in refused_by.items() if points}


def refuse_under_launcher() -> None:
    """Raise InputError where Groma itself was started by an MPI launcher: every copy would start ranks of its own."""
    copies = copies_started()
    if copies > 1:
        raise InputError(
            f"groma starts the ranks itself, but {copies} copies of it run; start it without mpiexec or srun, once"
        )


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
    plan = prepared.plan
    directory = output or Path("runs") / f"{plan.name}-YYYYMMDD-HHMMSS"
    counts = plan.rank_counts
    ranks = " and ".join(map(str, counts))
    names = f", variants: {' and '.join(variant.name for variant in plan.variants)}" if plan.variants else ""
    path_line(console, f"# points: {len(plan.points)}, ranks: {ranks}{names}, launches of each: {plan.launches}")
    path_line(console, f"# expected: {forecast(plan, prepared.catalog)}")
    remarks = [
        prepared.setup.note,
        crowding_of(prepared),
        ranks_of_job(prepared),
        *expected_places(prepared),
        *refused_sentences(prepared),
        of_launches(plan),
        *(f"no {name}: {reason}" for name, reason in plan.lacking.items()),
    ]
    for sentence in filter(None, remarks):
        path_line(console, f"# {sentence}")
    if plan.refinement.active:
        path_line(
            console,
            "# sizes are added after the first launch of each rank count, in separate launches, where curves bend",
        )
    if plan.program:
        path_line(console, "# further points follow in stages of their own, decided from what is measured")
    for number in range(1, plan.launches * len(counts) * max(1, len(plan.variants)) + 1):
        folder = RunDirectory(directory).launch(number)
        count, variant = turn(number, counts, len(plan.variants))
        chosen = plan.variants[variant] if plan.variants else Variant("")
        setup = prepared.setup_of(chosen)
        command = setup.command(count, engine_arguments(folder), chosen.env, chosen.placement, chosen.hosts)
        path_line(console, command.shell())
    for point in plan.points:
        path_line(console, " ".join(f"{name}={write_value(value)}" for name, value in point.items()))


def new_run(prepared: Prepared, directory: RunDirectory, examination: Examination) -> RunDocument:
    """Return run.json as it is when a run begins, and write it."""
    plan, setup, catalog = prepared.plan, prepared.setup, prepared.catalog
    document = RunDocument(
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
        hosts="" if setup.hosts.of_job else str(setup.hosts),
        ppn=setup.hosts.ppn,
        any_placement=prepared.any_placement,
        any_build=prepared.any_build,
        variants=list(plan.variants),
        plan=plan_document(plan, catalog),
        report=plan.reporting,
        refinement=plan.refinement,
        program=dict(plan.program),
        lacking=dict(plan.lacking),
        style=plan.style,
        library=_library(setup),
        libraries={name: _library(own) for name, own in prepared.setups.items()},
        machine=examination.document(),
        host_files=list(prepared.host_files),
        owner=this_process(),
    )
    directory.begin(document, catalog)
    return document


def plan_document(plan: Plan, catalog: Catalog) -> PlanDocument:
    """Return what run.json has of the points and of the order in which they are measured."""
    order = str(plan.scheduling.get("order", catalog.field("order", "plan").default))
    settings = {name: value for name, value in plan.scheduling.items() if name not in ("order", "seed")}
    return PlanDocument(order, [dict(point) for point in plan.points], settings)


def _library(setup: Setup) -> LibraryDocument:
    launcher = setup.launcher
    return LibraryDocument(launcher.family, launcher.version, str(setup.engine.path), str(launcher))


def refused_sentences(prepared: Prepared) -> list[str]:
    """Say which points are left out with which library."""
    points = prepared.plan.points
    counts: dict[tuple[str, str, str], int] = {}
    for variant, refused in prepared.refused.items():
        for at, reason in refused.items():
            key = (variant, str(points[at]["operation"]), reason)
            counts[key] = counts.get(key, 0) + 1
    return [
        f"{operation} is not measured with {variant} ({counted(count, 'point')}): {reason}."
        for (variant, operation, reason), count in counts.items()
    ]


def measure(document: RunDocument, directory: RunDirectory, prepared: Prepared, spent_s: float = 0.0) -> Outcome:
    """Run the campaign with a progress line, and say afterwards what went otherwise than asked."""
    console = err()
    present = set(directory.launch_numbers())
    progress = Progress(console, _announce(prepared, console, sum(at not in present for at in document.asked_numbers)))
    refused = {name: tuple(points) for name, points in prepared.refused.items()}
    assignment = Assignment(document, directory, prepared.setup, prepared.setups, refused, prepared.pause_after)
    document.notes += [*filter(None, [prepared.setup.note, ranks_of_job(prepared)]), *refused_sentences(prepared)]
    with directory.claimed():
        outcome = Campaign(assignment, prepared.catalog, progress, spent_s).run()
    for sentence in outcome.sentences:
        console.print(sentence, markup=False, soft_wrap=True)
    if outcome.state != "complete":
        text = f"The run is {outcome.state}; continue it with: groma run --resume {directory.path}"
        console.print(text, markup=False, soft_wrap=True)
    return outcome


def _announce(prepared: Prepared, console: Console, launches: int) -> bool:
    """Say before the first of so many launches how long they may take, where that is long, and what they lack.

    Return whether it was said how long.
    """
    for sentence in filter(None, [prepared.setup.note, *refused_sentences(prepared)]):
        console.print(sentence, markup=False, soft_wrap=True)
    if job := prepared.setup.job:
        for sentence in filter(None, [job_sentence(job, prepared), ranks_of_job(prepared)]):
            console.print(sentence, markup=False, soft_wrap=True)
    doubt, plan = crowding_of(prepared), prepared.plan
    is_long = bool(doubt) or expected_s(plan, prepared.catalog, launches) >= _WORTH_SAYING_S
    if is_long:
        console.print(f"{forecast(plan, prepared.catalog, launches)}.", markup=False, soft_wrap=True)
    for sentence in filter(None, [doubt, of_launches(plan)]):
        console.print(sentence, markup=False, soft_wrap=True)
    return is_long


def print_findings(examination: Examination, console: Console) -> None:
    """Print an examination as a table: state, name, value and what it means."""
    signs = {"good": ("ok", "green"), "warn": ("!", "yellow"), "bad": ("BAD", "bold red"), "unknown": ("?", "cyan")}
    rows: list[tuple[str, str, str]] = []
    for finding in examination.findings:
        rows.append((Styled(*signs[finding.state]), Styled(finding.name, "bold"), finding.value))
        rows.append(("", "", Styled(finding.text, "dim")))
    print_list(console, rows, indent=1)
