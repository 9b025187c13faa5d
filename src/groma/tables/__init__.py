"""A run as tables for other programs: one row per point, per point and launch, or per sample.

Each is a polars DataFrame; without polars a pandas DataFrame, and without pandas a mapping (`cells.framed`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from groma.results.run import load_run
from groma.tables.cells import flat, framed, joined
from groma.tables.files import Format, export
from groma.tables.launches import launches, no_launches
from groma.tables.launches import samples as samples_of
from groma.tables.points import brief, points

__all__ = ["Format", "export", "framed", "load", "samples", "summary"]


def load(path: str | Path) -> Any:  # noqa: ANN401 - what the caller has
    """Read a run directory as a table with one row per point and launch, including those without a figure.

    The columns are those of `groma.columns.OF_LAUNCHES` and, before them, one per point field as it ran, with the units
    and meanings of the catalogue. Times are in nanoseconds of one figure. Raises as `load_run`.
    """
    return framed(joined(list(map(flat, launches(load_run(path)))) or [no_launches()]))


def summary(path: str | Path, *, everything: bool = False) -> Any:  # noqa: ANN401 - as above
    """Read a run directory as a table with one row per point, in the order of the plan.

    The columns are operation, message size, settings in which points of one operation differ, figure, interval and
    unit; with `everything`, one per point field and those of `groma.columns.OF_POINTS` follow. Raises as `load_run`.
    """
    return framed((points if everything else brief)(load_run(path)))


def samples(path: str | Path) -> Any:  # noqa: ANN401 - as above
    """Read every sample of a run directory, warm-up included, as a table with one row per sample.

    The columns are those of `groma.columns.SAMPLES`; `launch` and `index` lead to the rows of `load`. Raises as
    `load_run`.
    """
    return framed(joined(list(samples_of(load_run(path)))))
