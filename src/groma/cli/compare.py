"""`groma compare`: is one run slower than another, point by point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from groma.analysis.compare import MARGIN
from groma.cli.deciding import deciding, print_compared
from groma.cli.options import last_option, or_newest
from groma.cli.words import complete_sides
from groma.errors import InputError
from groma.text.console import err, out, path_line

if TYPE_CHECKING:
    from groma.decide import Compared, Side

_BETWEEN = "Compare two variants or two operations of one run, in pairs of launches of one round."
_CALIBRATE = "Say which differences the runs can detect, by the copies that groma run --calibrate measured."


def _sides(context: click.Context) -> int:
    """Return how many runs are compared: two, or one within which the command line names two variants or operations."""
    return 1 if context.params.get("between") else 2


@click.command()
@click.argument("what", metavar="A B | RUN", nargs=-1, callback=or_newest(_sides), shell_complete=complete_sides)
@last_option
@click.option("--between", nargs=2, metavar="NAME NAME", help=_BETWEEN)
@click.option("--calibrate", is_flag=True, help=_CALIBRATE)
@deciding
def compare(
    *,
    what: tuple[str, ...],
    between: tuple[str, str] | None,
    calibrate: bool,
    margin: float | None,
    form: str,
    page: Path | None,
) -> int:
    """Say which points of B are slower, faster or the same as those of A, and which are not decided.

    A and B are runs or names of baselines (groma baseline). If no point changed, the probability that any point is
    called slower or faster is at most 5 %. What cannot be compared is listed with its reason; exit code 2 if nothing
    is left. Runs with the methods of several programs have no verdict: their times and ratios are set side by side.
    """
    plain = form == "text" and not (calibrate or margin)
    if between is None and len(what) > 2 and _of_programs(what, page, plain=plain):
        return 0
    if between is None and len(what) != 2:
        raise InputError("name two runs or baselines to compare, or one run and --between NAME NAME")
    if between is not None and len(what) != 1:
        raise InputError("--between compares two variants or operations of one run; name that run alone")
    try:
        compared = _compared(what, between, calibrate=calibrate, margin=margin or MARGIN)
    except InputError:
        if between is None and _of_programs(what, page, plain=plain):
            return 0
        raise
    print_compared(compared, form, page)
    return 0


def _of_programs(what: tuple[str, ...], page: Path | None, *, plain: bool) -> bool:
    """Print runs with the methods of several programs side by side; return whether they are such runs."""
    from groma.decide.baselines import side  # noqa: PLC0415 - these take half a second to import
    from groma.report.page import write_side_by_side  # noqa: PLC0415
    from groma.report.programs import are_programs  # noqa: PLC0415
    from groma.report.terminal import print_programs  # noqa: PLC0415

    runs = [side(name).run for name in what]
    if not are_programs(runs):
        return False
    if not plain:
        raise InputError(
            "programs have no verdict; leave out --format, --margin and --calibrate (groma export has rows)"
        )
    print_programs(runs, out())
    if page is not None:
        path_line(err(), write_side_by_side(runs, page))
    return True


def _compared(what: tuple[str, ...], between: tuple[str, str] | None, *, calibrate: bool, margin: float) -> Compared:
    from groma.decide import compare_sides, compare_variants  # noqa: PLC0415 - these take half a second to import
    from groma.decide.baselines import side  # noqa: PLC0415
    from groma.decide.detectable import with_detectable  # noqa: PLC0415
    from groma.decide.sides import check_other_runs  # noqa: PLC0415

    sides = [side(name) for name in what]
    if between is not None:
        if len(sides[0].runs) > 1:
            raise InputError(f"{what[0]} is a baseline of several runs; --between compares within one run")
        compared = compare_variants(sides[0].run, between, margin)
    else:
        first, second = sides
        check_other_runs(first, second, "name two, or compare its variants with --between")
        compared = compare_sides(*_told_apart(first, second, what), margin)
    return with_detectable(compared, sides) if calibrate else compared


def _told_apart(first: Side, second: Side, names: tuple[str, ...]) -> tuple[Side, Side]:
    """Return the sides by the words they were given in, if their own names are the same."""
    from groma.decide import Side  # noqa: PLC0415

    if first.name != second.name:
        return first, second
    return Side(names[0], first.runs), Side(names[1], second.runs)
