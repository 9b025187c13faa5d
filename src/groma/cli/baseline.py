"""`groma baseline`: runs kept under a name."""

from __future__ import annotations

from pathlib import Path

import click

from groma.analysis.order import MINIMUM_FOR_INTERVAL
from groma.cli.console import echo, err, out, path_line
from groma.counts import counted

_RUNS_THAT_TELL = 3


@click.group()
def baseline() -> None:
    """Keep runs under a name, to compare later runs with: set, list, show."""


@baseline.command(name="set")
@click.argument("name")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace a baseline of this name.")
def set_(name: str, runs: tuple[Path, ...], *, force: bool) -> int:
    """Keep a copy of one or several runs of one plan; the folder is the last line.

    Three or more runs show how much runs differ, which a single one does not.
    """
    from groma.decide.baselines import store  # noqa: PLC0415 - these take half a second to import
    from groma.results import load_run  # noqa: PLC0415

    target = store(name, runs, force=force)
    launches = sum(len(load_run(path).launches) for path in runs)
    if launches < MINIMUM_FOR_INTERVAL:
        err().print(
            f"{counted(launches, 'launch')} cannot decide: nothing is said of a point below {MINIMUM_FOR_INTERVAL}.",
            soft_wrap=True,
        )
    if len(runs) < _RUNS_THAT_TELL and load_run(runs[0]).meta.every_s is None:
        err().print(
            f"{counted(len(runs), 'run')} cannot show how much runs differ; a gate decides sooner with three or more, "
            "or with a run of groma run --every.",
            soft_wrap=True,
        )
    path_line(out(), target)
    return 0


@baseline.command(name="list")
def list_() -> int:
    """List all baselines with their runs, library, host and date."""
    from groma.decide.baselines import baseline as read  # noqa: PLC0415
    from groma.decide.baselines import folder, known  # noqa: PLC0415
    from groma.decide.formats.as_text import table  # noqa: PLC0415

    names = known()
    if not names:
        err().print(f"There is no baseline in {folder()}; make one with groma baseline set NAME RUN", soft_wrap=True)
        return 0
    rows = []
    for name in names:
        side = read(name)
        meta = side.run.meta
        library = f"{meta.library.name} {meta.library.version}"
        rows.append([name, meta.name, str(len(side.runs)), library, meta.host, meta.created])
    for line in table(["name", "plan", "runs", "library", "host", "measured"], rows):
        echo(line)
    return 0


@baseline.command()
@click.argument("name")
def show(name: str) -> int:
    """Print the figures of a baseline's first run, and the folders of all its runs."""
    from groma.decide.baselines import baseline as read  # noqa: PLC0415
    from groma.report import print_run  # noqa: PLC0415

    side = read(name)
    print_run(side.run, out())
    for run in side.runs:
        path_line(out(), run.path)
    return 0
