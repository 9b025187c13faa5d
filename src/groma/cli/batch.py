"""`groma batch`: a job script for a scheduler."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import click

from groma.cli.options import read_duration, reading
from groma.cli.run import draft_of, run
from groma.errors import InputError, OutputError
from groma.launch.engine import catalog_in_use
from groma.launch.jobs import SCHEDULERS, WARNING_S, Job, job_name, job_script
from groma.plan import Draft, Plan, expand
from groma.run.forecast import choose_launches, expected_s, launches_of
from groma.run.offering import variants_of_job
from groma.run.stages import check_staged
from groma.text.console import err
from groma.text.counts import counted, plain_duration

_PASSED_ON = ("GROMA_ENGINE", "GROMA_MPIEXEC", "GROMA_CONFIG")
_NOT_IN_A_JOB = {
    "resume": "--resume",
    "or_resume": "--or-resume",
    "pause_after": "--pause-after",
    "dry": "--dry-run",
    "hosts": "--hosts",
    "hostfile": "--hostfile",
    "ppn": "--ppn",
}


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("arguments", metavar="[PLAN.toml | OPERATION...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--scheduler", type=click.Choice(SCHEDULERS), required=True, help="The scheduler of the job.")
@click.option("--nodes", type=click.IntRange(min=1), default=1, metavar="N", help="Nodes of the job (default: 1).")
@click.option("--ppn", type=click.IntRange(min=1), default=2, metavar="N", help="Ranks on each node (default: 2).")
@click.option(
    "--time",
    "time_s",
    callback=reading(read_duration),
    required=True,
    metavar="TIME",
    help="Time limit of the job, such as 30m.",
)
@click.option(
    "--directive", "directives", multiple=True, metavar="TEXT", help="A directive of your site, such as --account=abc."
)
@click.option("--job-per-launch", is_flag=True, help="Write a job array: one job for each launch, one after the other.")
@click.option("--script", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="File of the script.")
def batch(
    *,
    arguments: tuple[str, ...],
    scheduler: str,
    nodes: int,
    ppn: int,
    time_s: float,
    directives: tuple[str, ...],
    job_per_launch: bool,
    script: Path | None,
) -> int:
    """Write the script of a job that measures a plan: groma run's options, and the size of the job.

    The script goes to the standard output. Submitted again, it continues a run that ended early, or makes another.
    """
    options = run.make_context("groma run", list(arguments)).params
    refused = next((option for name, option in _NOT_IN_A_JOB.items() if options[name]), None)
    if refused is not None:
        raise InputError(f"a job's script has no {refused}: the scheduler gives the hosts, and resumes by the script")
    catalog = catalog_in_use()
    draft = draft_of(catalog, options)
    counts = options["ranks"] or (draft.rank_counts if draft.states_ranks else (nodes * ppn,))
    if max(counts) > nodes * ppn:
        raise InputError(
            f"{max(counts)} ranks do not fit on {nodes} x {ppn}; ask for more (--nodes, --ppn), or fewer (-n)"
        )
    draft.rank_counts = counts
    choose_launches(draft, catalog)
    if max(counts) < nodes and variants_of_job(draft, nodes) is None:
        unused = f"{nodes - max(counts)} of the job's {counted(nodes, 'node')} will stay unused"
        text = f"{unused}: launches have {counted(max(counts), 'rank')}, as -n or the plan says."
        err().print(text, markup=False, soft_wrap=True)
    plan = expand(draft, catalog)
    check_staged(plan, calibrate=options["calibrate"], pauses=job_per_launch)
    expected = _with_variants(plan, draft, nodes)
    jobs = launches_of(expected) if job_per_launch else 1
    job = Job(job_name(draft.name), nodes, ppn, time_s, directives, jobs)
    needed = expected_s(expected, catalog) / jobs
    pauses = ["--pause-after", "1"] if job_per_launch else []
    text = job_script(
        scheduler,
        job,
        str(Path.cwd()),
        measuring=[_groma(), "run", "--or-resume", *pauses, *arguments],
        variables={name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        states_ranks=bool(options["ranks"]) or draft.states_ranks,
    )
    _write(text, script)
    if needed > time_s - WARNING_S:
        err().print(
            f"A job's launches are expected to take {plain_duration(needed)}: submit the script again to continue.",
            markup=False,
            soft_wrap=True,
        )
    return 0


def _with_variants(plan: Plan, draft: Draft, nodes: int) -> Plan:
    """Return the plan with the variants that its program would have on nodes like this host, and say that they are."""
    offered = variants_of_job(draft, nodes)
    if offered is None:
        return plan
    names = ", ".join(variant.name for variant in offered.variants)
    known = f"the forecast takes those of {counted(nodes, 'node')} like this host ({names})"
    forecast = known if names else "this host has none, so the forecast leaves them out"
    err().print(f"The variants of {draft.profile} depend on the job's nodes: {forecast}.", markup=False, soft_wrap=True)
    return replace(plan, variants=offered.variants)


def _groma() -> str:
    """Return the program's full path: a job may have another PATH."""
    return str(Path(sys.argv[0]).absolute()) if Path(sys.argv[0]).is_file() else "groma"


def _write(text: str, script: Path | None) -> None:
    if script is None:
        click.echo(text, nl=False)
        return
    try:
        script.write_text(text)
        script.chmod(0o755)
    except OSError as error:
        raise OutputError(f"{script} could not be written ({error.strerror}); name another file") from None
