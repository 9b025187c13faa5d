"""The findings of an examination, printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

    from groma.machine import Examination


def print_findings(examination: Examination, console: Console) -> None:
    """Print an examination as a table: state, name, value and what it means."""
    signs = {"good": ("ok", "green"), "warn": ("!", "yellow"), "bad": ("BAD", "bold red"), "unknown": ("?", "cyan")}
    table = Table(box=None, padding=(0, 1), show_header=False)
    for finding in examination.findings:
        sign, style = signs[finding.state]
        text = Text.assemble(finding.value, "\n", (finding.text, "dim"))
        table.add_row(Text(sign, style=style), Text(finding.name, style="bold"), text)
    console.print(table)
