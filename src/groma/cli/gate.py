"""`groma gate`: is anything slower than the baseline? For continuous integration, monthly checks and git bisect."""

from __future__ import annotations

import subprocess
from pathlib import Path

import click

from groma.analysis.compare import MARGIN
from groma.cli.deciding import deciding, print_compared
from groma.cli.limiting import gate_by_limits, limits_options
from groma.cli.options import measuring, read_duration, reading
from groma.cli.words import RunPath, complete_sides
from groma.errors import CatalogError, GromaError, InputError, LaunchError, MachineError, RunError
from groma.text.console import err

_CONFIRM = "Runs in which suspect points are measured again (default: 4; 1 if rounds stand for runs)."
_STRICT = "Decide on an oversubscribed or disturbed machine too; by default the gate is then advisory."
_BISECT = "Run this command first, such as a build; if it or the measuring fails, git bisect skips the commit."
_BUDGET = "Wall time of the whole gate, in seconds or as 5m: three fifths for the first run, the rest for the others."
_OVER = "Spread the gate's runs over this time, such as 20m; interrupted, the same command goes on with them."
_VISIT = "Add one run to the baseline's open gate in this folder, or open one: for a job that comes again and again."
_SKIP, _STOP = 125, 255
# With --bisect: what the commit at hand is to blame for is skipped; other bad input stops the bisection.
_OF_THE_COMMIT = (RunError, LaunchError, CatalogError, MachineError)
_STDERR = 2


@click.command()
@click.argument("baseline", required=False, shell_complete=complete_sides)
@limits_options
@click.argument("runs", metavar="[RUN...]", nargs=-1, type=RunPath())
@click.option("--bisect", metavar="COMMAND", help=_BISECT)
@click.option("--confirm", type=click.IntRange(min=1), metavar="N", help=_CONFIRM)
@click.option("--strict", is_flag=True, help=_STRICT)
@click.option("--budget", callback=reading(read_duration), metavar="TIME", help=_BUDGET)
@click.option("--over", callback=reading(read_duration), metavar="TIME", help=_OVER)
@click.option("--visit", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help=_VISIT)
@deciding
@measuring
def gate(
    *,
    baseline: str | None,
    limits: Path | None,
    system: str,
    runs: tuple[Path, ...],
    bisect: str | None,
    confirm: int | None,
    strict: bool,
    budget: float | None,
    over: float | None,
    visit: Path | None,
    margin: float | None,
    form: str,
    page: Path | None,
    ranks: tuple[int, ...] | None,
    launches: int | None,
    output: Path | None,
    launcher: str | None,
) -> int:
    """Say whether anything is slower than BASELINE, a name (groma baseline) or a run.

    Without RUN its plan is measured, and suspect points again in runs of their own: at once, or apart in time with
    --over or --visit, which decides more. Several RUNs are runs of one plan.
    Exit code 0: no regression, 4: regression, 125: not decided, 1: failed, 2: bad input. On an oversubscribed or
    disturbed machine a gate is advisory: it never ends with 4, unless --strict is given.

    With --limits there is no BASELINE: RUNs, or the points of the file measured now, are judged by a site's limits.
    """
    if limits is not None:
        return gate_by_limits([baseline, *runs] if baseline else [], click.get_current_context().params)
    if baseline is None or system:
        raise InputError("name a baseline or a run to compare with (groma baseline list), or --limits FILE")
    if runs and any((bisect, confirm, budget, over, visit, ranks, launches, output, launcher)):
        raise InputError(
            "runs that exist are not measured again; leave out the options of measuring, or the runs after the baseline"
        )
    _check_times(visit, over, budget, beside=bool(bisect or output))
    if bisect is not None and not _built(bisect):
        return _SKIP
    from groma.decide.baselines import side  # noqa: PLC0415 - these take half a second to import
    from groma.decide.gating import decide_on  # noqa: PLC0415
    from groma.decide.remeasuring import Wishes, measured  # noqa: PLC0415

    wishes = Wishes(ranks, launches, output, launcher, budget, confirm, budget_of_each=visit is not None)
    try:
        base, least = side(baseline), margin or MARGIN
        if over or visit:
            from groma.decide.visits import visited  # noqa: PLC0415

            ended = visited(base, wishes, margin, strict=strict, over_s=over, folder=visit)
        else:
            ended = (
                decide_on(base, runs, least, strict=strict) if runs else measured(base, wishes, least, strict=strict)
            )
    except GromaError as error:
        if bisect is None:
            raise
        err().print(f"Not decided: {error}", markup=False, soft_wrap=True)
        return _SKIP if isinstance(error, _OF_THE_COMMIT) else _STOP
    print_compared(ended.compared, form, page, ended)
    if form != "text":
        err().print(ended.sentence, markup=False, soft_wrap=True)
    return int(ended.code)


def _check_times(visit: Path | None, over_s: float | None, budget_s: float | None, *, beside: bool) -> None:
    """Raise InputError if the times of a gate's runs contradict each other, or a visit is asked for `beside` others."""
    if visit is not None and (beside or over_s):
        raise InputError("--visit makes one run in its folder; leave out --over, --output and --bisect")
    if over_s is not None and budget_s is not None and budget_s > over_s:
        raise InputError("--budget is for the gate's runs, and is longer than --over; give less, or leave one out")


def _built(command: str) -> bool:
    """Run the command before a bisect's gate; its output goes to the standard error output."""
    completed = subprocess.run(["bash", "-c", command], stdout=_STDERR, check=False)
    if completed.returncode == 0:
        return True
    err().print(f"Not decided: '{command}' ended with exit code {completed.returncode}.", markup=False, soft_wrap=True)
    return False
