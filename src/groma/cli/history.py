"""`groma history`: runs of one plan over time, and when something changed."""

from __future__ import annotations

from pathlib import Path

import click

from groma.text.console import echo, err, path_line
from groma.text.counts import counted

FORMATS = ("text", "markdown", "json", "openmetrics")
_REPORT = "Write a page with a small chart of every series too."
_FORGET = "Leave a run out; naming its directory as DIR adds it again."
_ANY_HOST = "Treat hosts with the same CPU as one machine, for batch jobs on changing nodes."
_PLAN = "Show only runs of this plan."


@click.command()
@click.argument("directories", metavar="[DIR...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--plan", metavar="NAME", help=_PLAN)
@click.option("--any-host", is_flag=True, help=_ANY_HOST)
@click.option("--forget", multiple=True, type=click.Path(path_type=Path), metavar="RUN", help=_FORGET)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format.")
@click.option("--report", "page", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help=_REPORT)
def history(
    *,
    directories: tuple[Path, ...],
    plan: str | None,
    any_host: bool,
    forget: tuple[Path, ...],
    form: str,
    page: Path | None,
) -> int:
    """Say when figures changed from run to run, and what else changed then.

    DIR are runs or folders of runs (default: runs). Each change has its date, ratio and intervals. If nothing
    changed, the probability that any change is reported is at most 5 %, over all series. A run is read once; its
    figures stay when it is deleted.
    """
    from groma.history.formats import written  # noqa: PLC0415 - these take half a second to import
    from groma.history.reading import forget as leave_out  # noqa: PLC0415
    from groma.history.reading import groups_of  # noqa: PLC0415
    from groma.history.store import opened  # noqa: PLC0415

    with opened() as store:
        for run in forget:
            leave_out(store, run)
        groups, problems = groups_of(store, directories, plan=plan, any_host=any_host, told=_tell)
    for problem in problems:
        err().print(problem, markup=False, soft_wrap=True)
    if not groups:
        err().print("There is no run with figures; measure with groma run, or name the folder of runs.")
        return 0
    echo(written(groups, form), nl=False)
    if page is not None:
        from groma.history.page import write_page  # noqa: PLC0415 - takes a second to import

        path_line(err(), write_page(groups, page))
    return 0


def _tell(count: int) -> None:
    err().print(f"Reading {counted(count, 'new run')}.")
