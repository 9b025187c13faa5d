"""Groma measures MPI communication; `groma.summary("runs/…")` gives a run's figures as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    __version__: str

__all__ = ["__version__", "load", "reference", "summary"]


def summary(path: str | Path, *, everything: bool = False) -> Any:  # noqa: ANN401 - a table as the caller has them
    """Return one row per point of the run directory `path`: operation, message size, figure, interval, unit.

    With `everything`, all settings, spreads, rates and checks follow; `groma.columns` says what each column is. The
    table is a polars DataFrame; without polars a pandas DataFrame; without pandas a mapping of arrays and lists
    (`groma.tables.cells`).
    """
    from groma.tables import summary as summary_table  # noqa: PLC0415 - numpy takes long to import

    return summary_table(path, everything=everything)


def load(path: str | Path) -> Any:  # noqa: ANN401 - as above
    """Return one row per point and launch of the run directory `path`, as `summary` does (`groma.tables.load`)."""
    from groma.tables import load as load_table  # noqa: PLC0415 - as above

    return load_table(path)


def reference(*tables: str) -> Any:  # noqa: ANN401 - as above
    """Return published tables to compare with, one row a value; all if none is named (`groma list reference`)."""
    from groma.catalog.references import reference as read_reference  # noqa: PLC0415 - as above
    from groma.tables.cells import published  # noqa: PLC0415 - as above

    return published(read_reference(*tables))


def __getattr__(name: str) -> str:
    """Look up `__version__` when it is asked for: the library that knows it takes long to import."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from groma.text.version import version  # noqa: PLC0415 - as above

    return version()
