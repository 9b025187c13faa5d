"""Options that several verbs share, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from groma.cli.words import RunPath
from groma.errors import InputError
from groma.run.directory import newest_runs

if TYPE_CHECKING:
    from groma.plan.hosts import Hosts

_Command = TypeVar("_Command", bound=Callable[..., Any])
_Value = TypeVar("_Value")
_DURATION = re.compile(r"(\d{1,18}(?:\.\d+)?)\s*(s|m|min|h)?")
_LONGEST_COUNT = 9  # digits of a number of ranks
_LAST = "groma.last"  # in the context: whether the newest run is asked for
_SECONDS = {None: 1, "s": 1, "m": 60, "min": 60, "h": 3600}


def read_rank_counts(text: str) -> tuple[int, ...]:
    """Return the distinct rank counts of `2` or `2,4,8`, ascending."""
    parts = [count.strip() for count in text.split(",")]
    if not all(count.isdecimal() and len(count) <= _LONGEST_COUNT and int(count) > 0 for count in parts):
        raise InputError(f"'{text}' is not a number of ranks; write 2 or a list such as -n 2,4,8")
    return tuple(sorted({int(count) for count in parts}))


def read_duration(text: str) -> float:
    """Return the seconds of `90`, `90s`, `5m` or `1h`."""
    match = _DURATION.fullmatch(text.strip())
    seconds = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if seconds <= 0:
        raise InputError(f"'{text}' is not a time; write seconds, or 5m, or 1h")
    return seconds


def read_share(text: str) -> float:
    """Return the share of `2%` or `0.02`."""
    number, percent, rest = text.strip().partition("%")
    try:
        share = float(number) / (100 if percent else 1)
    except ValueError:
        share = 0.0
    if rest or not 0 < share < 1:
        meant = share if not percent and 1 < share < 100 else 2  # "20" is 20%
        raise InputError(f"'{text}' is not a share; write {meant:g}% or {meant / 100:g}")
    return share


def read_settings(texts: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return field and value of every `field=value`; the catalogue judges them later."""
    settings = []
    for text in texts:
        name, _, value = (part.strip() for part in text.partition("="))
        if not name or not value:
            raise InputError(f"'{text}' is not a setting; write --set field=value (see groma list fields)")
        settings.append((name, value))
    return settings


def reading(reader: Callable[[Any], _Value]) -> Callable[[click.Context, click.Parameter, Any], _Value | None]:
    """Return the click callback that reads a value if one was given."""
    return lambda _context, _parameter, value: None if value is None else reader(value)


def ranks_option(command: _Command) -> _Command:
    """Add `-n`."""
    text = "Ranks, or a list of rank counts such as 2,4 (default: 2)."
    return click.option("-n", "ranks", callback=reading(read_rank_counts), metavar="RANKS", help=text)(command)


def launcher_option(command: _Command) -> _Command:
    """Add `--launcher`."""
    text = (
        "The mpiexec, srun, flux, aprun or jsrun to use, with its arguments; with {ranks} in them it is a "
        "template for any launcher."
    )
    return click.option("--launcher", metavar="COMMAND", help=text)(command)


def hosts_options(command: _Command) -> _Command:
    """Add the options for hosts and placement."""
    names = "Hosts of the ranks, in their order: a,b, or a:2,b:4 with the ranks that each takes."
    file = "Hosts of the ranks: a file with a host in each line."
    ppn = "Ranks on each host."
    anywhere = "Measure even if ranks are on other hosts or CPUs than asked; the run says so."
    command = click.option("--any-placement", is_flag=True, help=anywhere)(command)
    command = click.option("--ppn", type=click.IntRange(min=1), metavar="N", help=ppn)(command)
    command = click.option("--hostfile", type=click.Path(path_type=Path), metavar="FILE", help=file)(command)
    return click.option("--hosts", metavar="HOST,...", help=names)(command)


def pause_option(command: _Command) -> _Command:
    """Add `--pause-after`."""
    text = "Make at most N launches now; --resume makes the others."
    kind = click.IntRange(min=1)
    return click.option("--pause-after", type=kind, metavar="N", help=text)(command)


def read_where(hosts: str | None, hostfile: Path | None, ppn: int | None) -> Hosts:
    """Return the hosts of these options; raises InputError if two of them say the same."""
    from groma.plan.hosts import Hosts, read_hostfile, read_hosts  # noqa: PLC0415 - most verbs have no plan

    if hosts is not None and hostfile is not None:
        raise InputError("--hosts and --hostfile both name hosts; give one of them")
    listed = read_hosts(hosts) if hosts is not None else read_hostfile(hostfile) if hostfile is not None else ()
    numbered = next((host for host in listed if host.slots is not None), None)
    if ppn is not None and numbered is not None:
        numbered_host = f"{numbered.name}:{numbered.slots}"
        raise InputError(f"--ppn {ppn} and {numbered_host} both say how many ranks a host takes; leave one out")
    return Hosts(listed, ppn)


def measuring(command: _Command) -> _Command:
    """Add the options of every verb that measures."""
    where = "Directory of the run (default: a new one under runs/)."
    how_often = "Launches per rank count (default: 10; a 95 % interval needs at least 6)."
    command = launcher_option(command)
    command = click.option("-o", "--output", type=click.Path(path_type=Path), metavar="DIR", help=where)(command)
    command = click.option("--launches", type=click.IntRange(min=1), metavar="N", help=how_often)(command)
    return ranks_option(command)


def run_argument(command: _Command) -> _Command:
    """Add the run that a verb reads."""
    return click.argument("directory", metavar="RUN", type=RunPath())(command)


def run_or_last(command: _Command) -> _Command:
    """Add the run that a verb reads, or `--last`."""
    argument = click.argument("directory", metavar="RUN", type=RunPath(), required=False, callback=or_newest(one))
    return last_option(argument(command))


def last_option(command: _Command) -> _Command:
    """Add `--last`, which the argument of the runs takes by `or_newest`."""

    def keep(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.meta[_LAST] = value

    text = "Take the newest run under runs/."
    return click.option("--last", is_flag=True, is_eager=True, expose_value=False, callback=keep, help=text)(command)


def or_newest(
    needed: Callable[[click.Context], int], *, one_plan: bool = True, required: bool = True
) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return the callback that completes runs that were given to as many as are `needed` by the newest, for `--last`.

    Of several, they are of `one_plan`. Without `--last` a run is `required`.
    """

    def filled(context: click.Context, parameter: click.Parameter, value: Any) -> Any:  # noqa: ANN401 - one or several
        given = value if parameter.nargs == -1 else () if value is None else (value,)
        lacking = needed(context) - len(given)
        if context.meta.get(_LAST):
            if lacking < 1:
                raise InputError("--last stands for the newest run; leave it out, or leave out a run")
            newest = newest_runs(lacking, one_plan=one_plan)
            given = (*given, *(parameter.type(str(path), parameter, context) for path in newest))
        elif required and not given:
            raise click.MissingParameter(ctx=context, param=parameter)
        return given if parameter.nargs == -1 else next(iter(given), None)

    return filled


def one(_: click.Context) -> int:
    """Return how many runs most verbs read."""
    return 1


def read_names(text: str) -> tuple[str, ...]:
    """Return the names of `altix,lomax`."""
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise InputError(f"'{text}' is not a list of systems; write --against altix or --against altix,lomax")
    return names


def against_option(command: _Command) -> _Command:
    """Add `--against`."""
    text = "Show published systems beside the run, if its profile has some: altix,lomax (see groma list reference)."
    return click.option("--against", callback=reading(read_names), metavar="SYSTEMS", help=text)(command)


def file_option(default: str) -> Callable[[_Command], _Command]:
    """Add `-o` for one file; `default` says where it goes without."""
    kind = click.Path(path_type=Path, dir_okay=False)
    return click.option("-o", "--output", type=kind, metavar="FILE", help=f"File to write (default: {default}).")
