"""Groma measures MPI communication; `groma.load("runs/…")` gives a run's figures as a polars table."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

try:
    __version__ = version("groma")
except PackageNotFoundError:  # imported from a source tree that was never installed
    __version__ = "0+uninstalled"

__all__ = ["__version__", "load", "reference"]


def load(path: str | Path) -> pl.DataFrame:
    """Return one row per point and launch of the run directory `path` (columns: `groma.results.load`)."""
    from groma.results import load as load_table  # noqa: PLC0415 - polars takes half a second to import

    return load_table(path)


def reference(*tables: str) -> pl.DataFrame:
    """Return published tables to compare with, one row a value; all where none is named (`groma list reference`)."""
    from groma.references import reference as read_reference  # noqa: PLC0415 - as above

    return read_reference(*tables)
