"""Writes docs/groma.1, the man page, from the help texts of the verbs; with --check: says whether it is stale."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from groma.cli.main import groma_command
from tools.stale import kept

PAGE = Path(__file__).resolve().parents[1] / "docs" / "groma.1"
_EXIT_CODES = {
    "0": "Everything asked was measured or printed.",
    "1": "Failed or partial; what was measured is kept, and groma show names what is missing.",
    "2": "Bad input: one message says what, where and what to do, and nothing was measured.",
    "4, 125": "Of groma gate: a regression, and not decided.",
}
_VARIABLES = {
    "GROMA_ENGINE": "The engine to start, in place of the packaged one.",
    "GROMA_MPIEXEC": "The launcher, unless --launcher is given.",
    "GROMA_CONFIG": "The folder to use in place of ~/.config/groma.",
}
_FILES = {
    "runs/": "Run directories: records, environment and report of every run.",
    "~/.config/groma/": "Your profiles and programs, baselines, and the figures that groma history keeps.",
    "~/.cache/groma/": "Engines that groma mpi add has built.",
}


def roff(text: str) -> str:
    """Return text as roff prints it unchanged."""
    lines = text.replace("\\", "\\e").replace("-", "\\-").splitlines()
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in lines)


def page() -> str:
    """Return the whole man page."""
    with click.Context(groma_command, info_name="groma", **groma_command.context_settings) as context:
        lines = [
            '.TH GROMA 1 "" "Groma" "User Commands"',
            ".SH NAME",
            "groma \\- measures MPI communication, and says how far each figure can be trusted",
            ".SH SYNOPSIS",
            ".B groma",
            "COMMAND [OPTIONS] [ARGUMENTS]",
            ".SH DESCRIPTION",
            *_paragraphs(groma_command),
            ".SH OPTIONS",
            *_options(groma_command, context),
            ".SH COMMANDS",
            *_commands(groma_command, context),
            ".SH EXIT STATUS",
            *_table(_EXIT_CODES),
            ".SH ENVIRONMENT",
            *_table(_VARIABLES),
            ".SH FILES",
            *_table(_FILES),
            ".SH SEE ALSO",
            roff("groma-engine --help and groma list: operations, patterns and fields, with defaults and units."),
        ]
    return "\n".join(lines) + "\n"


def _commands(group: click.Group, parent: click.Context) -> Iterator[str]:
    """Yield a subsection for each command of a group, and for those of groups in it."""
    for name in group.list_commands(parent):
        command = group.get_command(parent, name)
        if command is None:
            continue
        with click.Context(command, info_name=name, parent=parent) as context:
            usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
            yield from (f'.SS "{roff(usage)}"', *_paragraphs(command), *_options(command, context))
            if isinstance(command, click.Group):
                yield from _commands(command, context)


def _paragraphs(command: click.Command) -> Iterator[str]:
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        # After a line with \b click keeps the lines as they are.
        kept = paragraph.removeprefix("\b\n")
        yield from (".PP", *([] if kept == paragraph else [".nf"]), roff(kept), *([] if kept == paragraph else [".fi"]))


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield what a command's own options do; that --help prints the help is said once, in OPTIONS."""
    options = command.params if context.parent else command.get_params(context)
    records = (option.get_help_record(context) for option in options if isinstance(option, click.Option))
    yield from _table(dict(filter(None, records)))


def _table(rows: dict[str, str]) -> Iterator[str]:
    for term, text in rows.items():
        yield from (".TP", f".B {roff(term)}", roff(" ".join(text.split())))


if __name__ == "__main__":
    sys.exit(kept(PAGE, page(), sys.argv[1:], "the help of groma has changed"))
