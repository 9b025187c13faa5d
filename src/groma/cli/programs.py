"""What programs add to the verbs: options of `groma show --style`, such as --peak, and lines of `groma list`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from groma.catalog.registry import Program, programs, registry
from groma.errors import InputError


class WithOptionsOfPrograms(click.Command):
    """A command that has the options of all programs' styles too, which it gets by the names of their flags."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the command's own options, those of programs that it has not itself, and --help last."""
        *own, help_option = super().get_params(ctx)
        flags = {flag for parameter in own for flag in parameter.opts}
        return [*own, *(option for option in _options() if option.opts[0] not in flags), help_option]


def parts_of(program: Program) -> str:
    """Say what a program has beside its profiles."""
    parts = {
        "a study of its runs": program.study,
        "published figures (--against)": program.references,
        "several runs side by side (groma report RUN RUN)": program.panel,
        f"a style (groma show --style {program.name})": program.style,
        f"options of its style ({', '.join(option.flag for option in program.options)})": program.options,
    }
    profiles = [profile.name for profile in registry().profiles.values() if profile.program == program.name]
    listed = f"profile{'s' * (len(profiles) > 1)} {', '.join(sorted(profiles))}" if profiles else ""
    return ", ".join(filter(None, [listed, *(text for text, value in parts.items() if value)]))


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
