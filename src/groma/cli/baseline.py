"""`groma baseline`: runs kept under a name."""

from __future__ import annotations

from pathlib import Path

import click

from groma.cli.words import RunPath, complete_baselines
from groma.errors import InputError
from groma.text.console import echo, err, out, path_line
from groma.text.lines import texts
from groma.text.tables import Table, table_lines

_FROM_HISTORY = "Keep the runs since figures last changed (groma history), and say what alarms they imply."


@click.group()
def baseline() -> None:
    """Keep runs under a name, to compare later runs with: set, list, show."""


@baseline.command(name="set")
@click.argument("name")
@click.argument("runs", metavar="RUN...", nargs=-1, type=RunPath())
@click.option("--from-history", is_flag=True, help=_FROM_HISTORY)
@click.option("--plan", metavar="NAME", help="With --from-history: take runs of this plan.")
@click.option("--force", is_flag=True, help="Replace a baseline of this name.")
def set_(name: str, runs: tuple[Path, ...], *, from_history: bool, plan: str | None, force: bool) -> int:
    """Keep a copy of one or several runs of one plan, and say which slowdown a gate finds; the folder is the last line.

    Runs of three or more days show how much runs differ, which a single one does not. With --from-history,
    RUN are runs or folders of runs (default: runs), and those since the last change of any figure are kept, 20 at most.
    """
    from groma.decide.baselines import baseline as stored  # noqa: PLC0415 - these take half a second to import
    from groma.decide.baselines import store  # noqa: PLC0415
    from groma.decide.power import sentences  # noqa: PLC0415

    if plan is not None and not from_history:
        raise InputError("--plan chooses among the runs of a history; add --from-history, or leave it out")
    if not runs and not from_history:
        raise InputError("name the runs to keep, or --from-history for those since the last change")
    implied: list[str] = []
    if from_history:
        runs, implied = _since_the_last_change(runs, plan)
    target = store(name, runs, force=force)
    for sentence in [*implied, *sentences(stored(name))]:
        err().print(sentence, markup=False, soft_wrap=True)
    path_line(out(), target)
    return 0


def _since_the_last_change(places: tuple[Path, ...], plan: str | None) -> tuple[tuple[Path, ...], list[str]]:
    """Return the runs of the newest stretch without a change, and what they imply."""
    from groma.history.reading import groups_of  # noqa: PLC0415
    from groma.history.store import opened  # noqa: PLC0415
    from groma.history.stretch import stretch  # noqa: PLC0415

    with opened() as store:
        groups, _ = groups_of(store, places, plan=plan)
    if not groups:
        raise InputError("there is no run with figures in the history; name the folder of runs")
    newest = stretch(groups)
    return tuple(newest.paths), newest.sentences


@baseline.command(name="list")
def list_() -> int:
    """List all baselines with their runs, library, host and date."""
    from groma.decide.baselines import baseline as read  # noqa: PLC0415
    from groma.decide.baselines import folder, known  # noqa: PLC0415

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
    for line in texts(table_lines(Table("Baselines", ["name", "plan", "runs", "library", "host", "measured"], rows))):
        echo(line)
    return 0


@baseline.command()
@click.argument("name", shell_complete=complete_baselines)
def show(name: str) -> int:
    """Print the figures of a baseline's first run, and the folders of all its runs."""
    from groma.decide.baselines import baseline as read  # noqa: PLC0415
    from groma.report import print_run  # noqa: PLC0415

    side = read(name)
    print_run(side.run, out())
    for run in side.runs:
        path_line(out(), run.path)
    return 0
