"""Tables as what the caller has: polars, else pandas, else a plain mapping."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from groma.errors import InputError

if TYPE_CHECKING:
    from types import ModuleType

    from groma.tables.cells import Cells, Table


def framed(table: Table) -> Any:  # noqa: ANN401 - of a library that may not be there
    """Return a table as a polars DataFrame; without polars as a pandas DataFrame; without pandas as a mapping.

    The mapping has an array for each column of numbers (int64, float64 or bool) and a list for each column of texts. A
    column that lacks values is a float64 array with NaN if it holds real numbers, else a list with None.
    """
    if polars := _module("polars"):
        return polars_frame(table, polars)
    if pandas := _module("pandas"):
        return pandas.DataFrame({name: _pandas(cells, pandas) for name, cells in table.items()})
    return {name: _plain(cells) for name, cells in table.items()}


def polars_of(purpose: str) -> ModuleType:
    """Return polars, or raise InputError: the purpose needs it."""
    polars = _module("polars")
    if polars is None:
        raise InputError(f"{purpose} needs polars: pip install polars, or choose csv or json")
    return polars


def polars_frame(table: Table, polars: Any) -> Any:  # noqa: ANN401 - a library that may not be there
    """Return a table as a polars DataFrame."""
    return polars.DataFrame([_series(name, cells, polars) for name, cells in table.items()])


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _series(name: str, cells: Cells, polars: Any) -> Any:  # noqa: ANN401 - as above
    types = {
        "text": polars.String(),
        "texts": polars.List(polars.String()),
        "whole": polars.Int64(),
        "real": polars.Float64(),
        "truth": polars.Boolean(),
    }
    if cells.words is None:
        return polars.Series(name, cells.numbers, nan_to_null=True).cast(types[cells.kind])
    words = polars.Series(name, list(cells.words) or [None], types[cells.kind], strict=False)
    places = polars.Series(np.where(cells.missing, np.nan, cells.numbers), nan_to_null=True)
    return words.gather(places.cast(polars.Int64()))


def _pandas(cells: Cells, pandas: Any) -> Any:  # noqa: ANN401 - as above
    types = {"whole": "Int64", "real": "float64", "truth": "boolean"}
    values = cells.listed()
    if cells.kind == "real":
        values = [np.nan if value is None else value for value in values]
    return pandas.Series(values, dtype=types.get(cells.kind, "object"))


def _plain(cells: Cells) -> Any:  # noqa: ANN401 - an array or a list
    types = {"whole": np.int64, "real": np.float64, "truth": np.bool_}
    values = cells.listed()
    if cells.kind == "real":
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    if cells.kind in types and None not in values:
        return np.array(values, dtype=types[cells.kind])
    return values
