"""`groma runs`: what was measured here, the newest last."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from groma.errors import GromaError, InputError
from groma.results.documents import RunDocument
from groma.run.directory import PARENT, RunDirectory, owner_is_alive, runs_under
from groma.text.console import err, out
from groma.text.printing import print_table
from groma.text.tables import Table

_SHOWN = 20
_HEADINGS = ("run", "measured", "state", "library", "ranks", "launches", "figure", "", "MB")


@dataclass(frozen=True)
class Row:
    """One run: `figure` is its first headline, `megabytes` (10^6 bytes) what its directory takes."""

    run: str
    created: str
    state: str
    library: str
    ranks: str
    launches: int
    figure: str
    value: str
    megabytes: float


@click.command()
@click.argument("folder", metavar="[FOLDER]", type=click.Path(path_type=Path), default=PARENT)
@click.option("--all", "every", is_flag=True, help=f"List all runs, not only the newest {_SHOWN}.")
@click.option("--json", "as_json", is_flag=True, help="Print all runs as JSON.")
def runs(folder: Path, every: bool, as_json: bool) -> int:
    """List the runs in FOLDER (default: runs), the newest last, each with its first figure and its size on disk."""
    if not folder.is_dir() and folder != PARENT:
        raise InputError(f"{folder} is not a directory; name the folder that holds run directories")
    runs_found = runs_under(folder)
    runs_shown = runs_found if every or as_json else runs_found[-_SHOWN:]
    rows = [_row(*run) for run in runs_shown]
    if as_json:
        click.echo(json.dumps([asdict(row) for row in rows], indent=1))
        return 0
    if not rows:
        err().print(f"There is no run under {folder}/.", markup=False)
        return 0
    if len(runs_shown) < len(runs_found):
        err().print(f"The newest {len(runs_shown)} of {len(runs_found)} runs; --all lists them all.")
    print_table(out(), Table("Runs", _HEADINGS, [_cells(row) for row in rows]))
    return 0


def _row(directory: RunDirectory, document: RunDocument) -> Row:
    figure, value = _figure(directory.path)
    dead = document.state == "running" and owner_is_alive(document) is False
    return Row(
        run=directory.path.name,
        created=document.created,
        state="killed" if dead else document.state,
        library=" and ".join(dict.fromkeys(f"{library.name} {library.version}" for library in document.used_libraries)),
        ranks=",".join(map(str, document.rank_counts)),
        launches=len(directory.launch_numbers()),
        figure=figure,
        value=value,
        megabytes=sum(file.stat().st_size for file in directory.path.rglob("*") if file.is_file()) / 1e6,
    )


def _figure(path: Path) -> tuple[str, str]:
    """Return name and value of the first headline; a dash if nothing was measured or a record is damaged."""
    from groma.analysis import headlines, summarise  # noqa: PLC0415 - takes a fifth of a second to import
    from groma.report.figures import figure  # noqa: PLC0415
    from groma.results import load_run  # noqa: PLC0415
    from groma.text.numbers import DASH  # noqa: PLC0415

    try:
        summaries = summarise(load_run(path))
    except GromaError:
        return DASH, DASH
    headline = next(iter(headlines(summaries)), None) if summaries else None
    if headline is None:
        return DASH, DASH
    shown = figure(headline)
    return f"{shown.title}, {shown.where}".rstrip(", "), f"{shown.value} {shown.unit}"


def _cells(row: Row) -> list[str]:
    measured = dt.datetime.fromisoformat(row.created).strftime("%Y-%m-%d %H:%M")
    size = f"{row.megabytes:.1f}" if row.megabytes >= 0.1 else "<0.1"
    return [row.run, measured, row.state, row.library, row.ranks, str(row.launches), row.figure, row.value, size]
