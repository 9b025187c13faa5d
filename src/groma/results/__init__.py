"""Run directories: reading them, as they are, and turning them into tables."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from groma.results.run import Launch, Run, load_run

if TYPE_CHECKING:
    from groma.results.columns import COLUMNS, FIGURE_COLUMNS, SAMPLE_COLUMNS, SUMMARY_COLUMNS
    from groma.results.summaries import summary
    from groma.results.table import export, load, samples

__all__ = [
    "COLUMNS",
    "FIGURE_COLUMNS",
    "SAMPLE_COLUMNS",
    "SUMMARY_COLUMNS",
    "Launch",
    "Run",
    "export",
    "load",
    "load_run",
    "samples",
    "summary",
]

_TABLES = dict.fromkeys(("export", "load", "samples"), "groma.results.table")
_TABLES |= {"summary": "groma.results.summaries"}
_TABLES |= dict.fromkeys(("COLUMNS", "FIGURE_COLUMNS", "SAMPLE_COLUMNS", "SUMMARY_COLUMNS"), "groma.results.columns")


def __getattr__(name: str) -> object:
    """Import what needs polars when it is asked for: that takes half a second, and printed tables do without."""
    if name not in _TABLES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_TABLES[name]), name)
