"""Columns of text: numbers to the right and never cut, words to the left, wrapped where the width asks for it."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from groma.text.numbers import typewriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

Kind = Literal["number", "word", "text"]
_NUMBER = re.compile(
    r"[-+<\N{PLUS-MINUS SIGN}\N{MULTIPLICATION SIGN}]?\d[\d.,]*(e[-+]?\d+)?(%|\N{MULTIPLICATION SIGN})?"
    r"|[KMG]?i?B|to|of|\N{EN DASH}"
)
_MARKS = "*\N{DAGGER}\N{DOUBLE DAGGER}"  # which lead to a note below the table
_LONG = 16
_GAP = 2


def kind_of(cells: Sequence[str]) -> Kind:
    """Return what a column holds: numbers (with units, bounds or in lists), short words, or text that may wrap."""
    parts = [part.rstrip(_MARKS) for cell in cells for part in re.split(r"[\s()]+", cell)]
    if all(_NUMBER.fullmatch(part) for part in parts if part):
        return "number"
    return "text" if max(map(len, cells)) > _LONG else "word"


@dataclass(frozen=True)
class Column:
    """One column: its heading, its cells and what they are."""

    heading: str
    cells: list[str]
    kind: Kind

    @property
    def natural(self) -> int:
        """The width at which nothing wraps."""
        return max(map(len, [self.heading, *self.cells]))

    @property
    def least(self) -> int:
        """The width below which a number, or a word of a heading or a text, would have to be cut."""
        unbreakable = self.cells if self.kind == "number" else [word for cell in self.cells for word in cell.split()]
        return max(map(len, [*self.heading.split(), *unbreakable, ""]))

    def lines(self, cell: str, width: int) -> list[str]:
        """Return a cell or the heading in lines of this width."""
        if len(cell) <= width:
            lines = [cell]
        else:
            lines = textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False)
        return [line.rjust(width) if self.kind == "number" else line.ljust(width) for line in lines or [""]]


def columns_of(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Column]:
    """Return a table's columns in plain type."""
    cells = [[typewriter(row[place]) for row in rows] for place in range(len(headings))]
    return [Column(heading, own, kind_of(own)) for heading, own in zip(headings, cells, strict=True)]


def print_grid(console: Console, columns: Sequence[Column]) -> None:
    """Print the columns; those for which there is no room follow below, beside the first one again."""
    for number, block in enumerate(_blocks(columns, console.width)):
        if number > 0:
            console.print()
        widths = _widths(block, console.width)
        for line in _row([column.lines(column.heading, width) for column, width in zip(block, widths, strict=True)]):
            console.print(Text(line, style="dim"), soft_wrap=True)
        for cells in zip(*(column.cells for column in block), strict=True):
            row = [column.lines(cell, width) for column, cell, width in zip(block, cells, widths, strict=True)]
            for line in _row(row):
                console.print(Text(line), soft_wrap=True)


def _blocks(columns: Sequence[Column], width: int) -> list[list[Column]]:
    first, *others = columns
    blocks = [[first]]
    for column in others:
        if len(blocks[-1]) > 1 and _total([member.least for member in [*blocks[-1], column]]) > width:
            blocks.append([first])
        blocks[-1].append(column)
    return blocks


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """Return the natural widths, the widest made narrower until all fit."""
    widths = [column.natural for column in columns]
    least = [column.least for column in columns]
    while _total(widths) > width and widths != least:
        widest = max(
            (index for index in range(len(widths)) if widths[index] > least[index]), key=lambda index: widths[index]
        )
        widths[widest] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * (len(widths) - 1)


def _row(cells: Sequence[list[str]]) -> list[str]:
    """Return the lines of one row, whose cells have one or several each."""
    height = max(map(len, cells))
    filled = [lines + [" " * len(lines[0])] * (height - len(lines)) for lines in cells]
    return [(" " * _GAP).join(parts).rstrip() for parts in zip(*filled, strict=True)]
