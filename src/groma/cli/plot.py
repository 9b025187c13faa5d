"""`groma plot`: runs as one figure for a paper."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.options import file_option, last_option, one, or_newest, read_names, reading
from groma.cli.words import RunPath
from groma.errors import InputError, writing
from groma.text.console import echo, err, out, path_line

_KINDS = (".svg", ".pdf", ".png")
_OPERATION = "Draw these operations: allreduce,bcast or halo/* (default: all that have sizes)."
_FIGURE = "What to draw (default: the main figure of each operation)."
_WIDTH = "Width of the figure: 85 is one column of a paper, 176 are two."
_LEGEND = "Names of the curves, in their order: MPICH,Open MPI."
_FONT = "TrueType font of a pdf or png (default: Bitstream Vera Sans)."


@click.command()
@click.argument("directories", metavar="RUN...", type=RunPath(), nargs=-1, callback=or_newest(one))
@last_option
@file_option("figure.svg in the run; here for several; .pdf and .png need reportlab and resvg-py")
@click.option("--operation", "operations", callback=reading(read_names), metavar="NAME,...", help=_OPERATION)
@click.option("--figure", "quantity", type=click.Choice(["time", "bandwidth", "message rate"]), help=_FIGURE)
@click.option("--width", type=click.FloatRange(60, 400), default=85, show_default=True, metavar="MM", help=_WIDTH)
@click.option("--legend", callback=reading(read_names), metavar="NAME,...", help=_LEGEND)
@click.option("--font", type=click.Path(path_type=Path, dir_okay=False, exists=True), metavar="FILE", help=_FONT)
def plot(
    *,
    directories: tuple[Path, ...],
    output: Path | None,
    operations: tuple[str, ...] | None,
    quantity: str | None,
    width: float,
    legend: tuple[str, ...] | None,
    font: Path | None,
) -> int:
    """Draw runs as a figure for a paper: SVG, PDF or PNG.

    It has figures over message size with their intervals: a curve for every operation, setting, variant and run, and a
    panel for every unit, or for every operation if curves are many. Its caption is printed, then its path.
    """
    from groma.report.plot import plot_of  # noqa: PLC0415 - these take half a second to import
    from groma.results import load_run  # noqa: PLC0415
    from groma.results.bundle import beside  # noqa: PLC0415
    from groma.text.charts.figure import figure  # noqa: PLC0415

    target = output or (beside(directories[0], "figure.svg") if len(directories) == 1 else Path("figure.svg"))
    kind = target.suffix.lower()
    if kind not in _KINDS:
        raise InputError(f"{target.name}: the name of a figure ends with {', '.join(_KINDS[:2])} or {_KINDS[2]}")
    if font is not None and kind == ".svg":
        raise InputError("--font is for .pdf and .png; the program that shows an .svg chooses the font")
    runs = [load_run(directory) for directory in directories]
    made = plot_of(runs, operations or (), quantity, legend or ())  # type: ignore[arg-type]
    drawn = figure(made.charts, width, made.title, made.caption)
    content = drawn.encode() if kind == ".svg" else _converted(drawn, kind, font)
    with writing(target):
        target.write_bytes(content)
    if made.left_out:
        err().print(f"Not drawn, without two sizes: {', '.join(made.left_out)}.", markup=False, soft_wrap=True)
    echo(made.caption)
    path_line(out(), target)
    return 1 if any(run.missing() for run in runs) else 0


def _converted(drawn: str, kind: str, font: Path | None) -> bytes:
    from groma.text.charts.files import pdf, png  # noqa: PLC0415 - only these need the extra

    return (pdf if kind == ".pdf" else png)(drawn, font)
