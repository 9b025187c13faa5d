"""`groma limits`: a site's limits in a file, for `groma gate --limits` and `groma quick --limits`."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.options import file_option, read_share, reading
from groma.cli.words import RunPath
from groma.errors import InputError, writing
from groma.text.console import err, out, path_line
from groma.text.counts import counted

_MARGIN = "How much longer a time may be, or how much smaller a rate."
_SYSTEM = "Name of the system, or of its partition (default: that of the first host)."


@click.group()
def limits() -> None:
    """Keep limits of a site in a file: make a first one from runs, check one."""


@limits.command(name="from")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=RunPath())
@click.option("--margin", callback=reading(read_share), metavar="M", default="10%", show_default=True, help=_MARGIN)
@click.option("--system", metavar="NAME[:PARTITION]", default="", help=_SYSTEM)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@file_option("limits.toml")
def from_(runs: tuple[Path, ...], *, margin: float, system: str, force: bool, output: Path | None) -> int:
    """Write a first file of limits: the headline figure of every point of these runs; the file is the last line.

    A bound is never nearer than such runs can decide. Three runs or more, of different days, show how much runs differ.
    A run of which a check failed is named: its bounds may allow anything.
    """
    from groma.decide.comparing import distrusted  # noqa: PLC0415 - these take half a second to import
    from groma.decide.firstlimits import first_file  # noqa: PLC0415 - as above
    from groma.results import load_run  # noqa: PLC0415

    path = output or Path("limits.toml")
    if path.exists() and not force:
        raise InputError(f"there is a file {path} already; give another with -o, or replace it with --force")
    loaded = [load_run(run) for run in runs]
    doubts = distrusted(loaded)
    text = first_file(loaded, margin, system, doubts)
    with writing(path):
        path.write_text(text, encoding="utf-8")
    for doubt in doubts:
        err().print(f"{doubt} Its limits may allow too much: measure again.", markup=False, soft_wrap=True)
    path_line(out(), path)
    return 0


@limits.command()
@click.argument("file", type=click.Path(path_type=Path))
def check(file: Path) -> int:
    """Say whether a file of limits can be used, and which systems it has; exit code 2 if it cannot."""
    from groma.analysis.limits import read_limits  # noqa: PLC0415 - as above
    from groma.launch.engine import catalog_in_use  # noqa: PLC0415

    found = read_limits(file, catalog_in_use())
    systems = dict.fromkeys(limit.system or "every system" for limit in found.limits)
    listed = ", ".join(
        f"{name}: {sum((one.system or 'every system') == name for one in found.limits)}" for name in systems
    )
    out().print(f"{file}: {counted(len(found.limits), 'limit')} ({listed}).", markup=False, soft_wrap=True)
    return 0
