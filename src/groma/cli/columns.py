"""Columns of words for `groma list`, which are many: a table of rich takes a fifth of a second for them."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import click

from groma.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

_GAP = 2
# With less room than this the last column goes below the others, indented.
_LEAST = 20
_INDENT = 4


def print_columns(rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns, the first in bold; the last column is wrapped at the width of the terminal.

    What is no terminal gets whole lines, unless COLUMNS gives a width.
    """
    if not rows:
        return
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in list(zip(*cells, strict=True))[:-1]]
    indent = sum(widths) + _GAP * len(widths)
    width = _line_width()
    is_below = width is not None and width - indent < _LEAST
    margin = "\n" + " " * (_INDENT if is_below else indent)
    for *before, last in cells:
        first, *others = [f"{cell:{size + _GAP}}" for cell, size in zip(before, widths, strict=True)]
        room = None if width is None else max(width + 1 - len(margin), _LEAST)
        lines = [last] if room is None else textwrap.wrap(last, room, break_on_hyphens=False)
        text = (margin if is_below and lines else "") + margin.join(lines)
        click.echo((click.style(first, bold=True) + "".join(others).rstrip(" " if is_below else "") + text).rstrip())


def print_heading(text: str) -> None:
    """Print what the columns below are of."""
    click.echo(click.style(text, bold=True))


def _line_width() -> int | None:
    """Return the characters of a line; None: any number."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() or os.environ.get("COLUMNS") else None
