"""`groma bundle`: a run as one file, to hand on."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.options import file_option, run_or_last
from groma.text.console import out, path_line


@click.command()
@run_or_last
@file_option("RUN.groma.zip here")
def bundle(directory: Path, output: Path | None) -> int:
    """Pack a run into one file: its records, environment, catalogue and report; its path is the last line.

    groma show, report, compare and export read the file as they read the run. It leaves out the values of variables
    whose names look like passwords, keys or tokens, and the standard error output of launches.
    """
    from groma.report.page import write_report  # noqa: PLC0415 - takes a second to import
    from groma.results import load_run  # noqa: PLC0415
    from groma.results.bundle import SUFFIX, opened, pack, stage, temporary_folder  # noqa: PLC0415

    staged = stage(opened(directory), temporary_folder("groma-bundle-"))
    write_report(load_run(staged), staged / "report.html", place=Path(staged.name))
    path_line(out(), pack(staged, output or Path(f"{staged.name}{SUFFIX}")))
    return 0
