"""`groma report`: the page to show to a colleague."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.options import against_option, file_option, last_option, one, or_newest
from groma.cli.words import RunPath
from groma.errors import InputError
from groma.text.console import out, path_line

_SEVERAL = Path("campaigns.html")


@click.command()
@click.argument("directories", metavar="RUN...", type=RunPath(), nargs=-1, callback=or_newest(one))
@last_option
@file_option("report.html in the run; campaigns.html here for several")
@against_option
def report(directories: tuple[Path, ...], output: Path | None, against: tuple[str, ...] | None) -> int:
    """Write a run's report, one HTML file that needs no network; its path is the last line.

    Several runs are shown side by side on one page, if their program compares runs (see groma list programs).
    """
    from groma.report.page import write_report, write_side_by_side  # noqa: PLC0415 - takes a second to import
    from groma.results import load_run  # noqa: PLC0415
    from groma.results.bundle import beside  # noqa: PLC0415

    if against and len(directories) > 1:
        raise InputError("--against works with one run; name one run, or omit it")
    runs = [load_run(directory) for directory in directories]
    if len(runs) == 1:
        target = output or beside(directories[0], "report.html")
        path_line(out(), write_report(runs[0], target, against or (), directories[0].absolute()))
    else:
        path_line(out(), write_side_by_side(runs, output or _SEVERAL))
    return 1 if any(run.missing() for run in runs) else 0
