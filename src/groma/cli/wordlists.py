"""Columns of words for `groma list`, without the library of the other tables, which takes as long to import."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

import click

from groma.text.lines import Styled, list_lines
from groma.text.printable import printable


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns, the first in bold; the last column is wrapped at the width of the terminal.

    What is no terminal gets whole lines, unless COLUMNS gives a width.
    """
    if not rows:
        return
    cells = [[Styled(printable(first), "bold"), *map(printable, others)] for first, *others in rows]
    for line in list_lines(cells, _line_width()):
        click.echo("".join(click.style(text, bold=True) if style else text for text, style in line))


def print_heading(text: str) -> None:
    """Print the heading of the columns below."""
    click.echo(click.style(text, bold=True))


def _line_width() -> int | None:
    """Return the characters of a line; None: any number."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() or os.environ.get("COLUMNS") else None
