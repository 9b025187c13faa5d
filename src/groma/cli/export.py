"""`groma export`: a run as one table for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.cli.options import file_option, run_or_last
from groma.text.console import out, path_line

if TYPE_CHECKING:
    from groma.tables import Format

_TO = ("parquet", "csv", "json", "markdown", "latex", "openmetrics")
_POINTS = "Write one row per point: operation, size, figure, interval, unit (as groma.summary)."


@click.command()
@run_or_last
@click.option("--to", type=click.Choice(_TO), required=True, help="The format.")
@click.option("--points", is_flag=True, help=_POINTS)
@file_option("points.FORMAT in the run; figures.FORMAT of points")
def export(
    directory: Path,
    to: Format,
    output: Path | None,
    *,
    points: bool,
) -> int:
    """Write a run as a table, one row per point and launch; its path is the last line."""
    from groma.results import load_run  # noqa: PLC0415 - these take half a second to import
    from groma.results.bundle import beside  # noqa: PLC0415
    from groma.tables.files import ENDINGS, TEXTS  # noqa: PLC0415
    from groma.tables.files import export as write_table  # noqa: PLC0415

    name = f"{'figures' if points or to in TEXTS else 'points'}.{ENDINGS.get(to, to)}"
    target = output or beside(directory, name)
    path_line(out(), write_table(load_run(directory), to, target, points=points))
    return 0
