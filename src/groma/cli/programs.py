"""Options that programs add to `groma show --style`, such as --peak."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from groma.errors import InputError
from groma.registry import programs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groma.registry import Program


class WithOptionsOfPrograms(click.Command):
    """A command that has the options of all programs' styles too, which it gets by the names of their flags."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options, those of programs that it has not itself, and --help last."""
        *own, help_option = super().get_params(ctx)
        flags = {flag for parameter in own for flag in parameter.opts}
        return [*own, *(option for option in _options() if option.opts[0] not in flags), help_option]


def _options() -> list[click.Option]:
    """Return an option for every flag; several programs may have the same."""
    owners_of: dict[str, list[Program]] = {}
    for program in programs().values():
        for option in program.options if program.style else ():
            owners_of.setdefault(option.flag, []).append(program)
    options = []
    for flag, owners in owners_of.items():
        option_of = {owner.name: option for owner in owners for option in owner.options if option.flag == flag}
        text = " ".join(f"With --style {name}: {option.help}" for name, option in option_of.items())
        metavar = next(iter(option_of.values())).metavar
        options.append(click.Option([flag], multiple=True, metavar=metavar, help=text))
    return options


def read_options(style: str | None, values: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the values of a style's options by their names.

    Raises InputError for an option that belongs to other styles, and for a value that its program does not know.
    """
    given = {name: texts for name, texts in values.items() if texts}
    own = {option.name: option for option in programs()[style].options} if style else {}
    for name in given:
        if name not in own:
            owners = [program for program in programs().values() for option in program.options if option.name == name]
            styles = " or ".join(f"--style {owner.name}" for owner in owners)
            raise InputError(f"--{name.replace('_', '-')} is for {styles}; leave it out, or add that style")
    return {name: programs()[str(style)].ask(own[name].read, texts) for name, texts in given.items()}
