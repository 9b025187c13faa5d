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
    from groma.analysis.otherruns import other_runs_of  # noqa: PLC0415 - these take a second to import
    from groma.report.page import write_report  # noqa: PLC0415
    from groma.results import load_run  # noqa: PLC0415
    from groma.results.bundle import SUFFIX, opened, pack, stage, temporary_folder  # noqa: PLC0415

    source = opened(directory)
    staged, others = stage(source, temporary_folder("groma-bundle-")), other_runs_of(load_run(source))
    write_report(load_run(staged), staged / "report.html", place=Path(staged.name), others=others)
    path_line(out(), pack(staged, output or Path(f"{staged.name}{SUFFIX}")))
    return 0
