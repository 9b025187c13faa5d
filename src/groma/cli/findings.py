"""The findings of an examination, printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.text.lines import Styled
from groma.text.printing import print_list

if TYPE_CHECKING:
    from rich.console import Console

    from groma.machine import Examination


def print_findings(examination: Examination, console: Console) -> None:
    """Print an examination as a table: state, name, value and what it means."""
    signs = {"good": ("ok", "green"), "warn": ("!", "yellow"), "bad": ("BAD", "bold red"), "unknown": ("?", "cyan")}
    rows: list[tuple[str, str, str]] = []
    for finding in examination.findings:
        rows.append((Styled(*signs[finding.state]), Styled(finding.name, "bold"), finding.value))
        rows.append(("", "", Styled(finding.text, "dim")))
    print_list(console, rows, indent=1)
