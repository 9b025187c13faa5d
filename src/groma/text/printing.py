"""Tables, lists and sentences on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from groma.text.lines import Line, list_lines
from groma.text.tables import Table, table_lines


def print_table(console: Console, table: Table, indent: int = 0) -> None:
    """Print the headings and rows of a table, as wide as the terminal; its title and notes are for the caller."""
    _print(console, table_lines(table, console.width - indent), indent)


def print_list(console: Console, rows: Sequence[Sequence[str]], indent: int = 0, gap: int = 2) -> None:
    """Print rows without headings, as wide as the terminal."""
    _print(console, list_lines(rows, console.width - indent, gap), indent)


def print_sentences(console: Console, sentences: Iterable[str], style: str = "", indent: int = 2) -> None:
    """Print each sentence on lines of its own, indented."""
    for sentence in sentences:
        console.print(Padding(Text(sentence, style=style), (0, 0, 0, indent)))


def _print(console: Console, lines: Iterable[Line], indent: int) -> None:
    for line in lines:
        console.print(Text.assemble(" " * indent, *line), soft_wrap=True)
