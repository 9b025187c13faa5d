"""`groma export`: a run as one table for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from groma.cli.options import file_option, run_argument
from groma.text.console import out, path_line


@click.command()
@run_argument
@click.option("--to", type=click.Choice(["parquet", "csv", "json"]), required=True, help="The format.")
@file_option("points.FORMAT in the run")
def export(directory: Path, to: Literal["parquet", "csv", "json"], output: Path | None) -> int:
    """Write a run as a table, one row per point and launch; its path is the last line."""
    from groma.results import load_run  # noqa: PLC0415 - these take half a second to import
    from groma.results.bundle import beside  # noqa: PLC0415
    from groma.tables import export as write_table  # noqa: PLC0415

    path_line(out(), write_table(load_run(directory), to, output or beside(directory, f"points.{to}")))
    return 0
