"""`groma gate`: is anything slower? For continuous integration, monthly checks and git bisect."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from groma.analysis.compare import MARGIN
from groma.cli.deciding import deciding, print_compared
from groma.cli.limiting import gate_by_limits, limits_options
from groma.cli.options import hosts_options, measuring, read_duration, read_where, reading
from groma.cli.run import complete_draft, draft_of, planned, run
from groma.cli.words import RunPath, complete_operations_and_sides
from groma.errors import CatalogError, GromaError, InputError, LaunchError, MachineError, RunError
from groma.launch.engine import catalog_in_use
from groma.run.forecast import choose_launches
from groma.run.stages import check_staged
from groma.text.console import err

if TYPE_CHECKING:
    from groma.decide.gating import Gate

_BETWEEN = "The two variants that are compared, of a run that exists or of a plan with more; the first is the base."
_CONFIRM = "Runs in which points suspect against BASELINE are measured again (default: 4; 1 if rounds stand for runs)."
_STRICT = "Decide on an oversubscribed or disturbed machine too; by default the gate is then advisory."
_UNDECIDED = "With --format junit, what a point is that is not decided."
_BISECT = "Run this command first, such as a build; if it or the measuring fails, git bisect skips the commit."
_BUDGET = "Wall time of the whole gate, in seconds or as 5m."
_OVER = "Spread the gate's runs over this time, such as 20m; interrupted, the same command goes on with them."
_VISIT = "Add one run to the baseline's open gate in this folder, or open one: for a job that comes again and again."
_SKIP, _STOP = 125, 255
# With --bisect: what the commit at hand is to blame for is skipped; other bad input stops the bisection.
_OF_THE_COMMIT = (RunError, LaunchError, CatalogError, MachineError)
_STDERR = 2
_PLANS = ("profiles", "variants", "placements", "libraries")
_OF_PLANS = ("sizes", "settings", "hosts", "hostfile", "ppn", "any_placement")
_OF_MEASURING = ("bisect", "confirm", "budget", "over", "visit", "ranks", "launches", "output", "launcher")


@click.command()
@click.argument(
    "what",
    metavar="OPERATION... | PLAN.toml | BASELINE [RUN...]",
    nargs=-1,
    shell_complete=complete_operations_and_sides,
)
@planned
@click.option("--between", nargs=2, metavar="BASE HEAD", help=_BETWEEN)
@limits_options
@click.option("--bisect", metavar="COMMAND", help=_BISECT)
@click.option("--confirm", type=click.IntRange(min=1), metavar="N", help=_CONFIRM)
@click.option("--strict", is_flag=True, help=_STRICT)
@click.option("--undecided", type=click.Choice(["error", "skip"]), default="error", show_default=True, help=_UNDECIDED)
@click.option("--budget", callback=reading(read_duration), metavar="TIME", help=_BUDGET)
@click.option("--over", callback=reading(read_duration), metavar="TIME", help=_OVER)
@click.option("--visit", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help=_VISIT)
@deciding
@hosts_options
@measuring
def gate(**options: Any) -> int:  # noqa: ANN401 - each option is read by its name, here and in `draft_of`
    """Say whether anything is slower: one library than another, measured in turns, or now than a BASELINE.

    \b
    groma gate allreduce --mpi base=/opt/good,head=/opt/new     launches in turns
    groma gate PLAN.toml --variant base:A=1 --variant head:A=2  the same of two environments
    groma gate RUN --between base head                          by a run that exists
    groma gate BASELINE [RUN...]                                against earlier runs (groma baseline)

    In turns, words and options are those of groma run. Points that may be slower are measured again, in up to four
    times as many rounds. Against a BASELINE its plan is measured, unless runs of it are named, and suspect points
    again in runs of their own: at once, or apart in time with --over or --visit, which decides more.

    Exit code 0: no regression, 4: regression, 125: not decided, 1: failed, 2: bad input. On an oversubscribed machine
    (against a BASELINE, on a disturbed one too) a gate is advisory: it never ends with 4, unless --strict is given.

    With --limits RUNs, or the points of the file measured now, are judged by a site's limits.
    """  # noqa: D301 - click's mark for lines to keep
    if options["limits"] is not None:
        _refuse(options, (*_PLANS, *_OF_PLANS), "of a gate in turns, and limits have points of their own; leave it out")
        return gate_by_limits(_runs(options["what"]), options)
    _refuse(options, ("system",), "for --limits FILE, whose systems it chooses among; name the file, or leave it out")
    is_planned = any(options[name] for name in _PLANS) or any(word.endswith(".toml") for word in options["what"])
    ways = {True: _in_turns, False: _of_run if options["between"] else _against_baseline}
    if not is_planned and (options["between"] or options["what"][1:]):
        _refuse(options, _OF_MEASURING, "of measuring, and runs that exist are not measured again; leave it out")
    _check_times(
        options["visit"], options["over"], options["budget"], beside=bool(options["bisect"] or options["output"])
    )
    if options["bisect"] is not None and not _built(options["bisect"]):
        return _SKIP
    try:
        ended = ways[is_planned](options, options["margin"] or MARGIN)
    except GromaError as error:
        if options["bisect"] is None:
            raise
        err().print(f"Not decided: {error}", markup=False, soft_wrap=True)
        return _SKIP if isinstance(error, _OF_THE_COMMIT) else _STOP
    ended = replace(ended, skips_undecided=options["undecided"] == "skip")
    print_compared(ended.compared, options["form"], options["page"], ended)
    if options["form"] != "text":
        err().print(ended.sentence, markup=False, soft_wrap=True)
    return int(ended.code)


def _in_turns(options: Mapping[str, Any], margin: float) -> Gate:
    """Measure two variants of a plan in turns, and decide."""
    from groma.decide.turns import FIRST, Turns, choose_sides  # noqa: PLC0415 - these take half a second to import
    from groma.run.prepared import visited  # noqa: PLC0415
    from groma.run.preparing import fit_to_budget, prepare, refuse_under_launcher  # noqa: PLC0415

    _refuse(options, ("confirm", "over", "visit"), "of a gate against a baseline; leave it out")
    refuse_under_launcher()
    catalog, budget_s = catalog_in_use(), options["budget"]
    where = read_where(options["hosts"], options["hostfile"], options["ppn"])
    draft = draft_of(catalog, {**dict.fromkeys(parameter.name for parameter in run.params), **options})
    complete_draft(draft, options, where)
    turns = Turns(choose_sides(draft, options["between"]), margin, options["strict"])
    choose_launches(draft, catalog)
    draft.budget_s = draft.budget_s and draft.budget_s * FIRST
    fit_to_budget(draft, catalog, err())
    draft.budget_s = budget_s
    prepared = prepare(draft, catalog, options["launcher"], where)
    check_staged(prepared.plan)
    prepared = replace(prepared, any_placement=options["any_placement"])
    return turns.measured(visited(prepared), options["output"])


def _of_run(options: Mapping[str, Any], margin: float) -> Gate:
    """Decide between two variants of a run that exists."""
    from groma.decide.turns import Turns  # noqa: PLC0415 - as above

    _refuse(options, _OF_PLANS, "of measuring, and a run that exists is not measured again")
    if len(options["what"]) != 1:
        raise InputError("--between compares two variants of one run; name that run alone, or --mpi, --variant or "
                         "--placement to measure")  # fmt: skip
    return Turns(options["between"], margin, options["strict"]).decided(_runs(options["what"])[0])


def _against_baseline(options: Mapping[str, Any], margin: float) -> Gate:
    """Decide against a baseline, by runs that exist or by runs that are measured now."""
    from groma.decide.baselines import side  # noqa: PLC0415 - as above
    from groma.decide.gating import decide_on  # noqa: PLC0415
    from groma.decide.remeasuring import Wishes, measured  # noqa: PLC0415

    _refuse(options, _OF_PLANS, "of a gate in turns (--mpi, --variant or --placement); a baseline has its own plan")
    _refuse(options, ("system",), "for --limits FILE; name the file, or leave it out")
    if not options["what"]:
        raise InputError("nothing to judge; name operations and --mpi base=A,head=B, a baseline or run, or --limits")
    base, *runs = options["what"]
    if runs:
        return decide_on(side(base), _runs(runs), margin, strict=options["strict"])
    ranks, launches, output, launcher = (options[name] for name in ("ranks", "launches", "output", "launcher"))
    over_s, folder, strict = options["over"], options["visit"], options["strict"]
    wishes = Wishes(
        ranks, launches, output, launcher, options["budget"], options["confirm"], budget_of_each=folder is not None
    )
    if over_s or folder:
        from groma.decide.visits import visited  # noqa: PLC0415 - as above

        return visited(side(base), wishes, options["margin"], strict=strict, over_s=over_s, folder=folder)
    return measured(side(base), wishes, margin, strict=strict)


def _runs(words: Sequence[str]) -> list[Path]:
    """Return the runs that words name, by their paths or by how their names begin."""
    context = click.get_current_context()
    return [RunPath().convert(word, None, context) for word in words]


def _refuse(options: Mapping[str, Any], names: Collection[str], why: str) -> None:
    """Raise InputError if one of these options is given."""
    given = [parameter.opts[0] for parameter in gate.params if parameter.name in names and options[parameter.name]]
    if given:
        raise InputError(f"{given[0]} is {why}")


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
