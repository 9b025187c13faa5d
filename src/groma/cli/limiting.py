"""What verbs share that judge by limits of a site: `groma gate` and `groma quick`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from groma.catalog.registry import configuration
from groma.errors import InputError
from groma.text.console import echo, err, path_line

if TYPE_CHECKING:
    from groma.analysis.limits import Limits
    from groma.catalog import Catalog
    from groma.decide.limits import Limited
    from groma.plan import Draft
    from groma.plan.hosts import Hosts
    from groma.results import Run

_Command = TypeVar("_Command", bound=Callable[..., Any])
_LIMITS = "Judge by the limits of a site in this file: value, lower and upper bound of figures (groma limits)."
_SYSTEM = "With --limits: the system of the file, or its partition; else the one with the names of these hosts."
_NOT_WITH_LIMITS = ("bisect", "margin", "between", "over", "visit")
_OF_MEASURING = ("confirm", "budget", "ranks", "launches", "output", "launcher")


def limits_options(command: _Command) -> _Command:
    """Add `--limits` and `--system`."""
    kind = click.Path(path_type=Path, dir_okay=False)
    command = click.option("--system", metavar="NAME[:PARTITION]", default="", help=_SYSTEM)(command)
    return click.option("--limits", type=kind, metavar="FILE", help=_LIMITS)(command)


def limits_of_plan(draft: Draft, catalog: Catalog, path: Path | None, system: str, where: Hosts) -> Limits | None:
    """Return the limits of a file, or of the configuration, for what a plan measures there; None if there are none.

    The plan gets the launches that they need. Raises InputError as `limits_for`, and for a system without a file.
    """
    if system and path is None:
        raise InputError("--system chooses among the systems of --limits FILE; name the file, or leave it out")
    if path is None and not (configuration() / "limits.toml").is_file():
        return None
    from groma.analysis.limits import read_limits  # noqa: PLC0415 - these take half a second to import
    from groma.decide.limits import limits_for  # noqa: PLC0415

    hosts = [host.name for host in where.hosts]
    return limits_for(read_limits(path, catalog) if path else None, draft, system, catalog, hosts)


def judged_by(run: Run, limits: Limits, system: str) -> Limited:
    """Return whether a run keeps those limits that are about what it measures."""
    from groma.analysis.limits import judged  # noqa: PLC0415 - as above
    from groma.decide.limits import decide  # noqa: PLC0415

    return decide(judged([run], limits, system, is_part=True), [run])


def gate_by_limits(runs: Sequence[str | Path], options: Mapping[str, Any]) -> int:
    """Judge runs, or measure what the limits are about; print the judgement and return the exit code.

    Raises InputError for options that have no meaning with limits, or with runs that exist.
    """
    for names, why in ((_NOT_WITH_LIMITS, "with --limits"), (_OF_MEASURING if runs else (), "with runs that exist")):
        if given := [name for name in names if options.get(name)]:
            raise InputError(f"--{given[0]} means nothing {why}; leave it out")
    from groma.analysis.limits import read_limits  # noqa: PLC0415 - these take half a second to import
    from groma.decide.formats.of_limits import written  # noqa: PLC0415
    from groma.decide.limits import decide_on, measured  # noqa: PLC0415
    from groma.decide.remeasuring import Wishes  # noqa: PLC0415
    from groma.launch.engine import catalog_in_use  # noqa: PLC0415

    limits, system, strict = read_limits(options["limits"], catalog_in_use()), options["system"], options["strict"]
    if runs:
        limited = decide_on([Path(run) for run in runs], limits, system, strict=strict)
    else:
        wished = (options[name] for name in ("ranks", "launches", "output", "launcher", "budget", "confirm"))
        limited = measured(limits, Wishes(*wished), system, strict=strict)
    limited = replace(limited, skips_undecided=options.get("undecided") == "skip")
    echo(written(limited, options["form"]), nl=False)
    if options["form"] != "text":
        err().print(limited.sentence, markup=False, soft_wrap=True)
    if options["page"] is not None:
        from groma.decide.limitspage import write_page  # noqa: PLC0415 - takes a second to import

        path_line(err(), write_page(limited, options["page"]))
    return int(limited.code)
