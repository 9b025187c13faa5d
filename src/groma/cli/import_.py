"""`groma import`: the output of another program as a run."""

from __future__ import annotations

from pathlib import Path

import click

import groma
from groma.cli.options import reading
from groma.errors import InputError
from groma.text.console import err, out, path_line

_FROM = "The program that printed it, if its text does not say so (see groma list programs)."
_RANKS = "MPI ranks of the program, if its output does not say so."
_LIBRARY = "The MPI library it ran with, in your words; otherwise it stays unknown."
_DATE = "When it was measured, such as 2026-03-01, if the output does not say so."


def _read_date(text: str) -> str:
    import datetime as dt  # noqa: PLC0415 - only here

    try:
        return dt.datetime.fromisoformat(text).astimezone().isoformat(timespec="seconds")
    except ValueError:
        raise InputError(f"'{text}' is not a date; write --date 2026-03-01 or --date 2026-03-01T14:30") from None


@click.command("import")
@click.argument("files", metavar="FILE...", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--from", "program", metavar="PROGRAM", default="", help=_FROM)
@click.option("-n", "--ranks", type=click.IntRange(min=1, max=2**24), metavar="RANKS", help=_RANKS)
@click.option("--library", metavar="NAME", default="", help=_LIBRARY)
@click.option("--date", "measured", callback=reading(_read_date), metavar="DATE", help=_DATE)
@click.option(
    *("-o", "--output", "--out"),
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Directory of the run (default: a new one under runs/).",
)
def import_(
    *,
    files: tuple[Path, ...],
    program: str,
    ranks: int | None,
    library: str,
    measured: str | None,
    output: Path | None,
) -> int:
    """Read the output of another program as a run: OSU, IMB, SKaMPI, ReproMPI, mpptest. Its path is the last line.

    Each FILE is one launch of the program, or several if its tables repeat; - is standard input. What the output does
    not say stays unknown; the method is that of the program's profile. Lines that cannot be read are named, and a row
    that is lost ends the command with exit code 1.
    """
    from groma.programs.importing import Told, import_files  # noqa: PLC0415 - takes half a second to import

    made = import_files(files, Told(program, ranks, library, measured or ""), groma.__version__, output)
    for sentence in made.sentences:
        err().print(sentence, markup=False, soft_wrap=True)
    path_line(out(), made.path)
    return 0 if made.is_complete else 1
