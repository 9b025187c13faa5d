"""Lines of text with styles, and lists: columns without headings, of which the last one wraps.

They are apart from `groma.text.tables`: its classes take longer to import than `groma list` takes to print.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Self

Piece = tuple[str, str]
Line = list[Piece]  # texts with their styles
GAP = 2
# The last column of a list that has less room than this stands below the others, indented.
_LEAST, _INDENT = 20, 4


class Styled(str):
    """A cell that a terminal shows in a style, such as `bold`; everywhere else it is its text."""

    __slots__ = ("style",)
    style: str

    def __new__(cls, text: str, style: str = "") -> Self:
        """Return the text with its style."""
        cell = super().__new__(cls, text)
        cell.style = style
        return cell


def list_lines(rows: Sequence[Sequence[str]], width: int | None = None, gap: int = GAP) -> Iterator[Line]:
    """Yield the lines of rows without headings, with a gap between columns; the last column wraps."""
    widths = [max(map(len, column)) + gap for column in list(zip(*rows, strict=True))[:-1]]
    is_below = width is not None and width - sum(widths) < _LEAST
    margin = _INDENT if is_below else sum(widths)
    for *before, last in rows:
        texts = [last] if width is None else wrapped(last, max(width - margin, _LEAST))
        first = [(cell.ljust(own), style_of(cell)) for cell, own in zip(before, widths, strict=True)]
        if not is_below:
            first += [(text, style_of(last)) for text in texts[:1]]
        if line := joined(first):
            yield line
        yield from (
            joined([(" " * margin, ""), (text, style_of(last))]) for text in (texts if is_below else texts[1:]) if text
        )


def texts(lines: Iterable[Line], indent: int = 0) -> list[str]:
    """Return the lines without styles."""
    return ["".join([" " * indent, *(text for text, _ in line)]) for line in lines]


def style_of(cell: str) -> str:
    """Return the style of a cell; empty if it has none."""
    return cell.style if isinstance(cell, Styled) else ""


def wrapped(text: str, width: int) -> list[str]:
    """Return the text in lines of this width; only a longer word is wider."""
    if len(text) <= width:
        return [text]
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)


def joined(pieces: Iterable[Piece]) -> Line:
    """Return one piece for neighbours of one style, without spaces at the end of the line."""
    line = [("".join(text for text, _ in own), style) for style, own in groupby(pieces, key=lambda piece: piece[1])]
    while line and not line[-1][0].rstrip():
        line.pop()
    if line:
        line[-1] = (line[-1][0].rstrip(), line[-1][1])
    return line
