"""`groma show`: the figures of a run, and what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.cli.options import against_option, last_option, one, or_newest
from groma.cli.programs import WithOptionsOfPrograms, read_options
from groma.cli.words import RunPath
from groma.errors import InputError
from groma.run.directory import RunDirectory, newest_runs, owner_is_alive
from groma.text.console import echo, err, out

if TYPE_CHECKING:
    from groma.results import Run


@click.command(cls=WithOptionsOfPrograms)
@click.argument("directory", metavar="[RUN]", type=RunPath(), required=False, callback=or_newest(one, required=False))
@last_option
@click.option("--define", is_flag=True, help="Print the definition of every figure.")
@click.option("--models", is_flag=True, help="Print the model of each curve, and where its protocol changes.")
@click.option("--checks", "all_checks", is_flag=True, help="Print every check with what was found.")
@click.option("--all", "everything", is_flag=True, help="Print every table and sentence of a run with many points.")
@click.option("--style", metavar="NAME", help="Print as another program does (see groma list styles).")
@against_option
def show(
    *,
    directory: Path | None,
    define: bool,
    models: bool,
    everything: bool,
    all_checks: bool,
    style: str | None,
    against: tuple[str, ...] | None,
    **of_programs: tuple[str, ...],
) -> int:
    """Print a run's figures and what is missing, the newest run's under runs/ by default; exit code 1 if anything is.

    It reads the files, not only run.json: it distinguishes a killed run from one that is still running.
    """
    from groma.programs.answers import read_style  # noqa: PLC0415 - these take a second to import
    from groma.report import print_run  # noqa: PLC0415
    from groma.results import load_run  # noqa: PLC0415

    if style is not None and (define or models or everything or all_checks):
        option = "--define" if define else "--models" if models else "--all" if everything else "--checks"
        raise InputError(f"{option} explains Groma's own tables; leave it out, or --style")
    if style is not None and against:
        raise InputError("--against stands beside Groma's own tables; leave it out, or --style")
    chosen = None if style is None else read_style(style)
    options = read_options(style, of_programs)
    run = load_run(directory or newest_runs()[0])
    missing = _missing(run)
    if chosen is None:
        print_run(
            run,
            out(),
            define=define,
            missing=missing,
            against=against or (),
            models=models,
            everything=everything,
            all_checks=all_checks,
        )
        return 1 if missing else 0
    from groma.programs.sheet import sheet_of  # noqa: PLC0415

    variants = run.by_variant()
    if own := [part for part in variants.values() if run.meta.programs and part.meta.style == style]:
        run, variants = own[0], {}  # of several profiles, the one that this layout suits
    sheets = {name: sheet_of(launches, chosen, options) for name, launches in (variants or {"": run}).items()}
    for name, sheet in sheets.items():
        if variants:
            echo(f"# Variant {name}")
        echo(sheet.text(), nl=False)
    lacking = [sentence for sheet in sheets.values() for sentence in sheet.lacking]
    remarks = [sentence for sheet in sheets.values() for sentence in sheet.remarks]
    for sentence in dict.fromkeys([*remarks, *lacking, *missing]):  # never among what another program's reader reads
        err().print(sentence, markup=False, soft_wrap=True)
    return 1 if missing or lacking else 0


def _missing(run: Run) -> list[str]:
    """Say what is missing, and whether an unfinished run can still finish."""
    missing = run.missing()
    if run.meta.state != "running":
        return missing
    words = {
        True: "is still being measured",
        False: "was killed, or could no longer write",
        None: "is being measured on another host, or was killed there",
    }
    return [f"The run {words[owner_is_alive(RunDirectory(run.path).read())]}.", *missing[1:]]
