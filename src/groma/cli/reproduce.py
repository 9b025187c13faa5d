"""`groma reproduce`: one point of a run as a C program that needs no Groma."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.options import read_settings, reading, run_argument
from groma.errors import writing
from groma.text.console import err, out, path_line

_RANKS = "The point with this number of ranks, if there are several."
_VARIANT = "The point of this variant."
_SET = "The point with this value of a field; may be given several times."


@click.command()
@run_argument
@click.argument("point", metavar="POINT", nargs=-1, required=True)
@click.option("-n", "ranks", type=click.IntRange(min=1), metavar="RANKS", help=_RANKS)
@click.option("--variant", metavar="NAME", help=_VARIANT)
@click.option("--set", "settings", multiple=True, callback=reading(read_settings), metavar="FIELD=VALUE", help=_SET)
@click.option(
    *("-o", "--output"), type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Where (default: here)."
)
def reproduce(
    *,
    directory: Path,
    point: tuple[str, ...],
    ranks: int | None,
    variant: str | None,
    settings: list[tuple[str, str]],
    output: Path | None,
) -> int:
    """Write one point of a run as a short C program that needs no Groma, such as `groma reproduce RUN pingpong 64K`.

    It measures by the same method with nothing but MPI, and prints the same figure. A script beside it compiles it and
    runs it as often as the run had launches. The path of the program is the last line.
    """
    from groma.catalog import packaged  # noqa: PLC0415 - these take half a second to import
    from groma.reproduce import commands  # noqa: PLC0415
    from groma.reproduce.choose import choose  # noqa: PLC0415
    from groma.reproduce.method import method_of, source  # noqa: PLC0415
    from groma.results import load_run  # noqa: PLC0415

    run, catalog = load_run(directory), packaged()
    summary = choose(run, point, ranks, variant, settings)
    method = method_of(summary, catalog.element_bytes(str(summary.point.get("datatype", "byte"))))
    name = commands.program_name(summary.operation, summary.bytes)
    lines = commands.head(run, summary, method, name, catalog.operation(summary.operation).time)
    program = source(method, lines)
    script = commands.script(name, summary.first_launch, len(summary.rows))
    folder = output or Path()
    with writing(folder):
        path = commands.write(folder, name, program, script)
    err().print(f"Compile and run it: {path.with_suffix('.sh')}", markup=False, soft_wrap=True)
    path_line(out(), path)
    return 0
