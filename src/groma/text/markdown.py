"""Text and tables as Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groma.text.tables import Table


def markdown_lines(table: Table) -> Iterator[str]:
    """Yield the lines of a table."""
    for row in [table.headings, ["---"] * len(table.headings), *table.rows]:
        yield f"| {' | '.join(map(escaped, row))} |"


def escaped(text: str) -> str:
    """Return the text with what Markdown would take for its own escaped."""
    for mark in "\\|*_`<":
        text = text.replace(mark, f"\\{mark}")
    return text
