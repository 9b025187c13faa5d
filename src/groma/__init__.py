"""Groma measures MPI communication; `groma.summary("runs/…")` gives a run's figures as a table.

Every table is a polars DataFrame; without polars a pandas DataFrame; without pandas a mapping of column names to arrays
(numbers) and lists (texts). A missing value is null; in an array of real numbers it is NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    __version__: str

__all__ = ["__version__", "load", "reference", "summary"]


def summary(path: str | Path, *, everything: bool = False) -> Any:  # noqa: ANN401 - a table as the caller has them
    """Return the figures of a run: one row per point of its plan, in the order of the plan.

    The columns are `operation`, `bytes` (message size in bytes, null if the operation has none), the settings in which
    points of one operation differ, `figure`, `interval_low`, `interval_high`, and `unit`: \N{MICRO SIGN}s for a time,
    MB/s (10^6 bytes per second) or 1/s for operations whose messages overlap. The figure is the median over launches.
    The interval is a 95 % interval over launches; a column `interval_kind` follows if some are of another kind.

    Args:
        path: a run directory, also of a run that was killed, or a bundle (`groma bundle`).
        everything: add one column per point field and those of `groma.columns.OF_POINTS`.

    Raises:
        InputError: there is no run at `path`.
        RunError: a file of the run is damaged, or from a newer version of Groma.

    """
    from groma.tables import summary as summary_table  # noqa: PLC0415 - numpy takes long to import

    return summary_table(path, everything=everything)


def load(path: str | Path) -> Any:  # noqa: ANN401 - as above
    """Return what each launch of a run measured: one row per launch and point, in the order of measurement.

    The columns are one per point field as it ran (`groma list fields`) and those of `groma.columns.OF_LAUNCHES`. Times
    are in nanoseconds of one figure; the unit of every other column is in its name or its description. A point
    without a figure has a row too: `missing` says why.

    Args:
        path: as for `summary`.

    Raises:
        InputError: there is no run at `path`.
        RunError: a file of the run is damaged, or from a newer version of Groma.

    """
    from groma.tables import load as load_table  # noqa: PLC0415 - as above

    return load_table(path)


def reference(*tables: str) -> Any:  # noqa: ANN401 - as above
    """Return published figures of older systems to compare with: one row per value.

    `value` is in `unit`, null if the document prints no number there; `printed` is the document's own text. `name`,
    `system`, `date`, `conditions` and `source` say where it is from; columns that only some tables have follow.

    Args:
        *tables: names of tables (`groma list reference`), such as "altix_ata"; all tables if none is named.

    Raises:
        InputError: there is no table of that name; the message has the nearest one.

    """
    from groma.catalog.references import reference as read_reference  # noqa: PLC0415 - as above
    from groma.tables.cells import published  # noqa: PLC0415 - as above

    return published(read_reference(*tables))


def __getattr__(name: str) -> str:
    """Look up `__version__` when it is asked for: the library that knows it takes long to import."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from groma.text.version import version  # noqa: PLC0415 - as above

    return version()
