"""`groma run`: any plan, profile or operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from groma.catalog import Catalog
from groma.catalog.synonyms import operations_named, understood
from groma.cli.options import (
    against_option,
    hosts_options,
    measuring,
    pause_option,
    read_duration,
    read_share,
    read_where,
    reading,
)
from groma.cli.settings import override, settings_option
from groma.cli.words import RunPath, complete_operations, complete_profiles
from groma.errors import InputError
from groma.launch.command import Setup, find_setup
from groma.launch.engine import catalog_in_use, find_engine
from groma.plan import (
    Draft,
    Variant,
    draft_of_operations,
    parse_libraries,
    parse_placements,
    parse_variant,
    part_of_profile,
    profile_names,
    read_plan,
    read_profile,
    several_profiles,
)
from groma.plan.hosts import Hosts
from groma.run.ahead import by_earlier_run
from groma.run.announcing import dry_run
from groma.run.directory import RunDirectory
from groma.run.forecast import choose_launches
from groma.run.measuring import make_run
from groma.run.offering import offer_variants
from groma.run.prepared import visited
from groma.run.preparing import fit_to_budget, prepare, refuse_under_launcher, set_crowding, set_ranks
from groma.run.stages import check_staged, measure_stages, of_one_library
from groma.text.console import err, out, path_line

_SIZES = "Message sizes: 8, 1K, 8:1M (doubling), 8:1M:*4, 8,64,1K (default of operations: one element to 1M, doubling)."
_PROFILE = "Measure a named plan, or only these OPERATIONS of it; several profiles take turns."
_VARIANT = "Measure in this environment too; repeat for each variant: their launches take turns."
_PLACEMENT = (
    "Measure the points with these placements of the ranks, in turns, as variants: by-slot, by-node, or a list with "
    "the host or the CPU of every rank (node1+node2, 0+2; a name before =)."
)
_MPI = (
    "Measure the points with these MPI libraries, in turns, as variants: names (groma mpi list), prefixes or "
    "launchers, such as mpich,openmpi or base=/opt/a,head=/opt/b."
)
_EVERY = "Start a launch of each rank count and variant at this interval, such as 30m; continue it with --resume."
_REFINE = "Add message sizes where curves bend: mpptest (linear), log (both axes logarithmic) or off."
_SWITCHES = "Narrow each change of protocol to the byte, and confirm it by sends to a late receiver."
_CALIBRATE = "Measure copies of a few points too, some slowed by a known time, to find the least detectable difference."
_EXPLAIN = "Find out why several profiles differ: measure mixtures of their methods at the smallest and largest size."
_ANY_BUILD = "Continue even if the engine or the MPI library was replaced between launches; the run says so."
_OR_RESUME = (
    "Continue the last run of this plan if it ended early, else start a new one, with its date behind -o; for job "
    "scripts."
)
_BUDGET = "Wall time for all launches, in seconds or as 5m. Never exceeded; spare time goes to the widest intervals."
_WITHIN = "Add launches until every 95% interval is within this share of its median, such as 2%."
_OF_REFINEMENT = ("refine", "refine_tolerance", "refine_min_spacing", "refine_max_added", "find_switches")
_NOT_OF_A_RESUME = (
    *("what", "profiles", "sizes", "settings", "variants", "placements", "libraries", "every", "times", "ranks"),
    *("output", "dry", "calibrate", "or_resume"),
)
_RESUME = "Continue a run that ended early; with --launches N, until it has N of each rank count and variant."
_NO_PROGRAMS = "--explain needs several profiles: groma run --profile A,B; of two runs: groma explain"
_FEWEST_LAUNCHES = 6  # fewer give no interval


def planned(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is measured, and as which variants."""
    command = click.option("--mpi", "libraries", multiple=True, metavar="LIBRARY,...", help=_MPI)(command)
    command = click.option("--placement", "placements", multiple=True, metavar="PLACEMENT,...", help=_PLACEMENT)(
        command
    )
    command = click.option("--variant", "variants", multiple=True, metavar="NAME:KEY=VALUE,...", help=_VARIANT)(command)
    command = settings_option(command)
    command = click.option("--bytes", "--size", "sizes", metavar="SIZES", help=_SIZES)(command)
    return click.option(
        *("--profile", "profiles"), multiple=True, metavar="NAME,...", help=_PROFILE, shell_complete=complete_profiles
    )(command)


@click.command()
@click.argument("what", metavar="[PLAN.toml | OPERATION...]", nargs=-1, shell_complete=complete_operations)
@planned
@click.option("--refine", metavar="METHOD", help=_REFINE)
@click.option(
    "--refine-tolerance",
    type=float,
    metavar="SHARE",
    help="Deviation from the curve above which sizes are added (default: 0.02).",
)
@click.option("--refine-min-spacing", metavar="SIZE", help="Smallest distance between two sizes (default: 64).")
@click.option("--refine-max-added", type=int, metavar="N", help="Sizes added to one curve, at most (default: 32).")
@click.option("--find-switches", is_flag=True, default=None, help=_SWITCHES)
@click.option("--budget", callback=reading(read_duration), metavar="TIME", help=_BUDGET)
@click.option("--within", callback=reading(read_share), metavar="SHARE", help=_WITHIN)
@click.option("--times", type=click.IntRange(min=1), metavar="N", help="Rounds at an interval; same as --launches.")
@click.option("--every", callback=reading(read_duration), metavar="TIME", help=_EVERY)
@click.option("--explain", "explained", is_flag=True, help=_EXPLAIN)
@click.option("--calibrate", is_flag=True, help=_CALIBRATE)
@click.option("--dry-run", "dry", is_flag=True, help="Print the launch commands and the points; start nothing.")
@click.option("--resume", type=RunPath(), metavar="RUN", help=_RESUME)
@click.option("--or-resume", is_flag=True, help=_OR_RESUME)
@click.option("--any-build", is_flag=True, help=_ANY_BUILD)
@click.option("--report", "reported", is_flag=True, help="Write the run's report.html too, as groma report does.")
@against_option
@pause_option
@hosts_options
@measuring
def run(**options: Any) -> int:  # noqa: ANN401 - each option is read by its name, here and in `draft_of`
    """Measure a plan, a profile or operations.

    The path of the run directory is the last line printed.
    """
    refuse_under_launcher()
    catalog = catalog_in_use()
    where = read_where(options["hosts"], options["hostfile"], options["ppn"])
    against: tuple[str, ...] = options["against"] or ()
    if options["resume"] is not None:
        return _resumed(options, catalog, where, against)
    draft = draft_of(catalog, options)
    if options["explained"] and not draft.programs:
        raise InputError(_NO_PROGRAMS)
    complete_draft(draft, options, where)
    choose_launches(draft, catalog)
    fit_to_budget(draft, catalog, err())
    prepared = of_one_library(prepare(draft, catalog, options["launcher"], where))
    prepared = replace(
        prepared,
        any_placement=options["any_placement"],
        any_build=options["any_build"],
        pause_after=options["pause_after"],
    )
    check_staged(prepared.plan, calibrate=options["calibrate"], pauses=options["pause_after"] is not None)
    if against:
        from groma.programs.answers import check_references  # noqa: PLC0415

        # Before anything is measured.
        check_references(prepared.plan.profile, against, (str(point["operation"]) for point in prepared.plan.points))
    if options["dry"]:
        dry_run(prepared, options["output"], out())
        return 0
    if options["calibrate"]:
        from groma.run.calibrating import calibrate as with_copies  # noqa: PLC0415

        prepared = with_copies(prepared)
    if options["or_resume"]:
        from groma.run.resume import to_go_on_with  # noqa: PLC0415 - of job scripts

        if (last := to_go_on_with(prepared, options["output"])) is not None:
            return _continued(last.path, options, catalog, where, against)
    prepared = visited(replace(prepared, known=by_earlier_run(prepared)))
    directory, outcome = make_run(prepared, options["output"], dated=options["or_resume"])
    state = measure_stages(directory, prepared, outcome.state)
    if options["explained"]:
        state = _with_reasons(directory, state, prepared.setup, catalog)
    return finish(directory, state, reported=options["reported"], against=against)


def complete_draft(draft: Draft, options: Mapping[str, Any], where: Hosts) -> None:
    """Give a draft what depends on the machine: variants of its program, ranks, and what more ranks than CPUs need."""
    offer_variants(draft, options["ranks"], where)
    set_ranks(draft, options["ranks"], where)
    set_crowding(draft, options["launcher"], where)


def _resumed(options: Mapping[str, Any], catalog: Catalog, where: Hosts, against: tuple[str, ...]) -> int:
    """Continue a run; raises InputError for an option that would change what it measures."""
    if any(options[name] for name in _NOT_OF_A_RESUME) or _refinement(options):
        raise InputError(
            "--resume takes the run's own options; give it nothing but --launches, --launcher, --budget, --hosts, "
            "--hostfile, --ppn, --any-placement, --any-build, --explain or --pause-after"
        )
    return _continued(options["resume"], options, catalog, where, against)


def _continued(path: Path, options: Mapping[str, Any], catalog: Catalog, where: Hosts, against: tuple[str, ...]) -> int:
    """Make what a run lacks, print its figures and return the exit code."""
    from groma.run.resume import Again, resume_run  # noqa: PLC0415

    again = Again(
        options["launcher"],
        None if options["or_resume"] else options["budget"],
        where,
        options["any_placement"],
        options["pause_after"],
        options["any_build"],
        None if options["or_resume"] else options["launches"],
    )
    document = RunDirectory(path).read()
    if options["explained"] and not document.programs:
        raise InputError(_NO_PROGRAMS)
    if against:
        from groma.programs.answers import check_references  # noqa: PLC0415

        check_references(document.profile, against, (str(point["operation"]) for point in document.plan.points))
    directory, state = resume_run(path, catalog, again)
    if options["explained"]:
        setup = find_setup(find_engine(), options["launcher"] or document.library.launcher)
        state = _with_reasons(directory, state, setup.on(again.hosts_for(document)), catalog)
    return finish(directory, state, reported=options["reported"], against=against)


def _with_reasons(directory: RunDirectory, state: str, setup: Setup, catalog: Catalog) -> str:
    """Find out why the programs of a complete run differ, and return the state of the whole."""
    from groma.explain.ends import explain_ends  # noqa: PLC0415 - only this option needs it

    return state if state != "complete" or explain_ends(directory, setup, catalog) else "interrupted"


def draft_of(catalog: Catalog, options: Mapping[str, Any]) -> Draft:
    """Return the draft that these options of `groma run` ask for; raises InputError."""
    draft = _draft(options["what"], _named(options["profiles"]), catalog)
    override(draft, catalog, options["sizes"], options["settings"])
    launches, times = options["launches"], options["times"]
    if launches and times and launches != times:
        raise InputError(f"--times {times} and --launches {launches} mean the same; give one of them")
    draft.launches = launches or times or draft.launches
    draft.states_launches = draft.states_launches or bool(launches or times)
    draft.budget_s, draft.every_s = options["budget"] or draft.budget_s, options["every"] or draft.every_s
    draft.within = options["within"] or draft.within
    if draft.within and not (launches or times):
        draft.launches = min(draft.launches, _FEWEST_LAUNCHES)
    variants = _variants(options["variants"], options["placements"], options["libraries"])
    if draft.programs and (variants or _refinement(options)):
        raise InputError("several profiles take turns themselves; measure variants, or added sizes, of one profile")
    draft.variants = variants or draft.variants
    for name, value in _refinement(options).items():
        draft.refine(name, value)
    return draft


def _refinement(options: Mapping[str, Any]) -> dict[str, object]:
    """Return what was asked of refinement, by the plan's names."""
    return {name: options[name] for name in _OF_REFINEMENT if options[name] is not None}


def finish(directory: RunDirectory, state: str, *, reported: bool = False, against: Sequence[str] = ()) -> int:
    """Print the figures and path of a finished run, write its report if asked, and return the exit code."""
    if state != "interrupted":
        from groma.report import print_run  # noqa: PLC0415 - takes a second to import
        from groma.results import load_run  # noqa: PLC0415

        figures = load_run(directory.path)
        print_run(figures, out(), against=against)
        if reported:
            from groma.report.page import write_report  # noqa: PLC0415 - templates take a tenth of a second to import

            write_report(figures, directory.path / "report.html", against)
        if state == "complete" and figures.missing():
            state = "partial"
        if figures.meta.style:
            path_line(out(), f"\nIn that program's layout: groma show {directory.path} --style {figures.meta.style}")
    path_line(out(), directory.path)
    return 0 if state in ("complete", "paused") else 1


def _named(texts: tuple[str, ...]) -> list[str]:
    """Return the profiles of `--profile A,B --profile C`; raises InputError for an empty name."""
    names = [name.strip() for text in texts for name in text.split(",")]
    if not all(names):
        raise InputError("a profile is missing between the commas; write --profile mpptest,mpbench")
    return names


def _draft(what: tuple[str, ...], profiles: list[str], catalog: Catalog) -> Draft:
    profile = profiles[0] if profiles else None
    operations = {operation.name for operation in catalog.operations}
    files = [word for word in what if word.endswith(".toml") or (word not in operations and Path(word).is_file())]
    if profile and files:
        raise InputError(f"--profile {profile} is a plan of its own; leave out the plan file {files[0]}")
    if len(profiles) > 1:
        return several_profiles(profiles, what, catalog)
    if profile and what:
        return part_of_profile(profile, what, catalog)
    if profile:
        return read_profile(profile, catalog)
    if files and len(what) > 1:
        raise InputError(f"name one plan file or operations, not both: {' '.join(what)}")
    if files:
        return read_plan(files[0], catalog)
    if not what:
        raise InputError("nothing to measure; name operations (groma list operations), a plan file or --profile quick")
    for word in what:
        if word in profile_names() and word not in operations:
            raise InputError(f"'{word}' is a profile, not an operation; write groma run --profile {word}")
    return _of_words(what, catalog)


def _of_words(what: tuple[str, ...], catalog: Catalog) -> Draft:
    """Return the draft of operations by their names here or elsewhere, and say what other names stand for.

    Tests of another program are measured as its profile does.
    """
    meanings = {word: understood(word, catalog) for word in what}
    for word, found in meanings.items():
        if word != found.operation:
            differs = f" {found.differs}." if found.differs else ""
            err().print(f"{word} is {found.operation}{found.method}.{differs}", markup=False, soft_wrap=True)
    programs = {found.program for found in meanings.values()}
    if len(programs) > 1:
        names = " and ".join(sorted(filter(None, programs)))
        raise InputError(f"these are names of {names} and of others: {' '.join(what)}; measure one program at a time")
    if program := programs.pop():
        return part_of_profile(program, what, catalog)
    return draft_of_operations([name for word in what for name in operations_named(word, catalog)])


def _variants(
    environments: tuple[str, ...], placements: tuple[str, ...], libraries: tuple[str, ...]
) -> tuple[Variant, ...]:
    options = {"--variant": environments, "--placement": placements, "--mpi": libraries}
    given_options = [option for option, texts in options.items() if texts]
    if len(given_options) > 1:
        raise InputError(
            f"{given_options[0]} and {given_options[1]} both name variants; give one of them, or a plan whose "
            "[[variant]] tables have env, placement and mpi"
        )
    return tuple(map(parse_variant, environments)) or parse_placements(placements) or parse_libraries(libraries)
