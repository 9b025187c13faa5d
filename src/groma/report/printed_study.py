"""A study in the terminal: its text and tables, without the charts, whose library takes half a second to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.text import Text

from groma.report.grid import columns_of, print_grid

if TYPE_CHECKING:
    from rich.console import Console

    from groma.programs.study import Study


def print_study(study: Study, console: Console) -> None:
    """Print conclusions, conditions and tables; charts are on the page."""
    console.print(Text(f"\n{study.title}", style="bold"))
    for sentence in study.sentences:
        console.print(Padding(Text(sentence), (0, 0, 0, 2)), highlight=False)
    for name, text in study.conditions:
        console.print(Padding(Text.assemble((f"{name}: ", "dim"), text), (0, 0, 0, 2)), highlight=False)
    for table in study.tables:
        console.print(Text(f"\n{table.title}", style="bold"))
        print_grid(console, columns_of(table.headings, table.rows))
        for note in table.notes:
            console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))
