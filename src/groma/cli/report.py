"""`groma report`: the page to show to a colleague."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.console import out, path_line
from groma.cli.options import against_option, file_option, run_argument


@click.command()
@run_argument
@file_option("report.html in the run")
@against_option
def report(directory: Path, output: Path | None, against: tuple[str, ...] | None) -> int:
    """Write a run's report, one HTML file that needs no network; its path is the last line."""
    from groma.report import write_report  # noqa: PLC0415 - takes a second to import
    from groma.results import load_run  # noqa: PLC0415

    run = load_run(directory)
    path_line(out(), write_report(run, output or directory / "report.html", against or ()))
    return 1 if run.missing() else 0
