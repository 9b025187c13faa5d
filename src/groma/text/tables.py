"""Tables of text: numbers to the right and never cut, words to the left, wrapped to fit the width.

A `Table` is one for every place: `table_lines` lays it out in plain type, `markdown_lines` writes it for an issue,
`latex_lines` for a paper, and pages set its columns by `kinds`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from groma.text.lines import GAP, Line, Styled, joined, style_of, wrapped
from groma.text.numbers import DASH, TIMES, typewriter

Kind = Literal["number", "word", "text"]
_NUMBER = re.compile(
    r"[-+<\N{PLUS-MINUS SIGN}\N{MULTIPLICATION SIGN}]?\d[\d.,]*(e[-+]?\d+)?(%|\N{MULTIPLICATION SIGN})?"
    r"|[KMG]?i?B|to|of|\N{EN DASH}"
)
_MARKS = "*=\N{DAGGER}\N{DOUBLE DAGGER}"  # which lead to a note below the table
_LONG = 16


@dataclass(frozen=True)
class Table:
    """Headings, and rows whose first cell names them; `notes` are for below the table.

    A narrow terminal omits the columns of `spare`, the first of them first, and shows `brief` in place of the title.
    A page folds tables with the same `fold` together, under that title.
    """

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: list[str] = field(default_factory=list)
    fold: str = ""
    spare: Sequence[str] = ()
    brief: str = ""

    @classmethod
    def of_columns(cls, title: str, columns: Mapping[str, Sequence[str]], spare: Sequence[str] = ()) -> Table:
        """Return the table of columns, equally long, by their headings."""
        return cls(title, list(columns), list(zip(*columns.values(), strict=True)), spare=spare)

    @property
    def kinds(self) -> list[Kind]:
        """What each column holds."""
        return [kind_of([row[place] for row in self.rows]) for place in range(len(self.headings))]

    @property
    def width(self) -> int:
        """The characters of a line in which nothing wraps."""
        return _total([column.natural for column in _columns(self)])

    def narrowed(self, width: int) -> Table:
        """Return the table without as many columns of `spare` as there is no room for."""
        table = self
        for heading in self.spare:
            if table.width > width:
                table = table.without(heading)
        return table

    def without(self, heading: str) -> Table:
        """Return the table without a column, which it need not have."""
        places = [place for place, own in enumerate(self.headings) if own != heading]
        rows = [[row[place] for place in places] for row in self.rows]
        return replace(self, headings=[self.headings[place] for place in places], rows=rows)


def kind_of(cells: Sequence[str]) -> Kind:
    """Return what a column holds: numbers (with units, bounds or in lists), short words, or text that may wrap."""
    parts = [part.rstrip(_MARKS) for cell in cells for part in re.split(r"[\s()]+", cell)]
    if all(_NUMBER.fullmatch(part) for part in parts if part):
        return "number"
    return "text" if max(map(len, cells)) > _LONG else "word"


def table_lines(table: Table, width: int | None = None) -> Iterator[Line]:
    """Yield the lines of a table, its headings dim.

    Columns for which there is no room follow below, beside the first one again.
    """
    for number, block in enumerate(_blocks(_columns(table), width)):
        if number > 0:
            yield []
        widths = _widths(block, width)
        for cells in zip(*([Styled(column.heading, "dim"), *column.cells] for column in block), strict=True):
            wrapped = [column.lines(cell, own) for column, cell, own in zip(block, cells, widths, strict=True)]
            yield from _row(wrapped, [style_of(cell) for cell in cells])


@dataclass(frozen=True)
class _Column:
    """A heading, its cells in plain type and what they are."""

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
        lines = wrapped(cell, width) or [""]
        return [line.rjust(width) if self.kind == "number" else line.ljust(width) for line in lines]


def _columns(table: Table) -> list[_Column]:
    columns = []
    for place, heading in enumerate(table.headings):
        cells = [_in_plain_type(row[place]) for row in table.rows]
        columns.append(_Column(heading, cells, kind_of(cells)))
    return columns


def _in_plain_type(cell: str) -> str:
    text = typewriter(cell)
    return Styled(text, cell.style) if isinstance(cell, Styled) else text


def _blocks(columns: Sequence[_Column], width: int | None) -> list[list[_Column]]:
    first, *others = columns
    blocks = [[first]]
    for column in others:
        if width and len(blocks[-1]) > 1 and _total([member.least for member in [*blocks[-1], column]]) > width:
            blocks.append([first])
        blocks[-1].append(column)
    return blocks


def _widths(columns: Sequence[_Column], width: int | None) -> list[int]:
    """Return the natural widths, the widest made narrower until all fit."""
    widths = [column.natural for column in columns]
    least = [column.least for column in columns]
    while width and _total(widths) > width and widths != least:
        widest = max(
            (index for index in range(len(widths)) if widths[index] > least[index]), key=lambda index: widths[index]
        )
        widths[widest] -= 1
    return widths


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def _row(cells: Sequence[list[str]], styles: Sequence[str]) -> Iterator[Line]:
    """Yield the lines of one row, whose cells have one or several each."""
    for number in range(max(map(len, cells))):
        parts = [lines[number] if number < len(lines) else " " * len(lines[0]) for lines in cells]
        padded = [part + " " * GAP for part in parts[:-1]] + parts[-1:]
        yield joined(zip(padded, styles, strict=True))


def markdown_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table."""
    for row in [table.headings, ["---"] * len(table.headings), *table.rows]:
        yield f"| {' | '.join(map(escaped, row))} |"


def escaped(text: str) -> str:
    """Return the text with what Markdown would take for its own escaped."""
    for mark in "\\|*_`<":
        text = text.replace(mark, f"\\{mark}")
    return text


_LATEX = {
    **{mark: f"\\{mark}" for mark in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    "\N{MICRO SIGN}": r"$\mu$",
    DASH: "--",
    TIMES: r"$\times$",
}


def latex_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table for the package booktabs: numbers to the right, words to the left."""
    rows = [" & ".join(_in_latex(cell) for cell in row) + r" \\" for row in [table.headings, *table.rows]]
    places = "".join("r" if kind == "number" else "l" for kind in table.kinds)
    yield r"% \usepackage{booktabs}"
    yield from (rf"\begin{{tabular}}{{{places}}}", r"\toprule", rows[0], r"\midrule", *rows[1:])
    yield from (r"\bottomrule", r"\end{tabular}")


def _in_latex(text: str) -> str:
    return "".join(_LATEX.get(mark, mark) for mark in text)
