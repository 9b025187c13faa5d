"""Options and printing that `groma compare` and `groma gate` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from groma.cli.options import read_share, reading
from groma.text.console import echo, err, path_line

if TYPE_CHECKING:
    from groma.decide import Compared
    from groma.decide.gating import Gate

_Command = TypeVar("_Command", bound=Callable[..., Any])
FORMATS = ("text", "markdown", "json", "junit", "openmetrics")
_MARGIN = "Ratios from 1 - M to 1 + M count as the same (default: 5%)."
_REPORT = "Write a page with the ratios of all points and the curves of both too."


def deciding(command: _Command) -> _Command:
    """Add the options of every verb that prints a comparison."""
    kind = click.Path(path_type=Path, dir_okay=False)
    command = click.option("--report", "page", type=kind, metavar="FILE", help=_REPORT)(command)
    command = click.option(
        "--format", "form", type=click.Choice(FORMATS), default="text", show_default=True, help="Output format."
    )(command)
    return click.option("--margin", callback=reading(read_share), metavar="M", help=_MARGIN)(command)


def print_compared(compared: Compared, form: str, page: Path | None, gate: Gate | None = None) -> None:
    """Print a comparison in one format, and write its page if asked; its path goes to the standard error output."""
    from groma.decide.formats import written  # noqa: PLC0415 - only if it has come to a result

    echo(written(compared, form, gate), nl=False)
    if page is not None:
        from groma.decide.page import write_page  # noqa: PLC0415 - takes a second to import

        path_line(err(), write_page(compared, page, gate))
