"""Settings of a plan that the command line gives: `--set FIELD=VALUE`, and `--bytes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from groma.catalog.reporting import FIELDS as REPORTING
from groma.catalog.values import split_values
from groma.cli.options import read_settings, reading
from groma.cli.words import complete_settings
from groma.errors import InputError

if TYPE_CHECKING:
    from groma.catalog import Catalog
    from groma.plan import Draft

_Command = TypeVar("_Command", bound=Callable[..., Any])
_SETTINGS = "Set any field (see groma list fields); repeat, or separate by commas, to measure several values."


def settings_option(command: _Command) -> _Command:
    """Add `--set`."""
    return click.option(
        *("--set", "settings"),
        callback=reading(read_settings),
        multiple=True,
        metavar="FIELD=VALUE",
        help=_SETTINGS,
        shell_complete=complete_settings,
    )(command)


def override(draft: Draft, catalog: Catalog, sizes: str | None, settings: list[tuple[str, str]]) -> None:
    """Let the command line take precedence over the plan."""
    several: dict[str, list[str]] = {}
    for name, text in [*([("bytes", sizes)] if sizes is not None else []), *settings]:
        if name in REPORTING:
            draft.report(name, text)
            continue
        if name in catalog.names("plan"):
            draft.schedule(name, text)
            continue
        if name in draft.program:
            draft.set_program(name, text)
            continue
        if name == "operation":
            raise InputError("--set cannot change the operation; name the operations instead")
        several.setdefault(name, []).extend(split_values(catalog.field(name), text))
    for name, values in several.items():
        draft.override(name, values)
