"""The report of a run: tables in the terminal and one offline page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from groma.report.terminal import print_run
from groma.results import Run

__all__ = ["print_run", "write_report"]


def write_report(run: Run, path: str | Path, against: Sequence[str] = (), place: Path | None = None) -> Path:
    """Write the page (`groma.report.page.write_report`)."""
    from groma.report.page import write_report as write  # noqa: PLC0415 - templates take a tenth of a second to import

    return write(run, path, against, place)
