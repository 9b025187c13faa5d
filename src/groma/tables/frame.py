"""Tables as what the caller has: polars, else pandas, else a plain mapping."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from types import ModuleType
from typing import Any, cast

import numpy as np

from groma.catalog.references import columns
from groma.columns.column import Kind
from groma.errors import InputError
from groma.tables.cells import Cells, Table

Known = dict[int, tuple[Any, Any]]  # words and their series, by the identity of the words


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


def polars_frame(table: Table, polars: Any, known: Known | None = None) -> Any:  # noqa: ANN401 - a library
    """Return a table as a polars DataFrame; `known` has words of the table before, and gets those of this one."""
    before = known or {}
    words = {id(cells.words): cells for cells in table.values() if cells.words is not None}
    now = {at: before.get(at) or (cells.words, _words(cells, polars)) for at, cells in words.items()}
    if known is not None:
        known.clear()
        known.update(now)
    return polars.DataFrame([_series(name, cells, polars, now) for name, cells in table.items()])


def _module(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _types(polars: Any) -> dict[Kind, Any]:  # noqa: ANN401 - as above
    return {
        "text": polars.String(),
        "texts": polars.List(polars.String()),
        "whole": polars.Int64(),
        "real": polars.Float64(),
        "truth": polars.Boolean(),
    }


def _words(cells: Cells, polars: Any) -> Any:  # noqa: ANN401 - as above
    return polars.Series(list(cells.words or []) or [None], dtype=_types(polars)[cells.kind], strict=False)


def _series(name: str, cells: Cells, polars: Any, known: Known) -> Any:  # noqa: ANN401 - as above
    if cells.words is None:
        return polars.Series(name, cells.numbers, nan_to_null=True).cast(_types(polars)[cells.kind])
    places = polars.Series(np.where(cells.missing, np.nan, cells.numbers), nan_to_null=True)
    return known[id(cells.words)][1].gather(places.cast(polars.Int64())).alias(name)


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


def published(rows: Sequence[dict[str, Any]]) -> Any:  # noqa: ANN401 - what the caller has
    """Return rows of `groma.catalog.references.reference` as what the caller has (`frame.framed`)."""
    names = list(rows[0]) if rows else list(columns())
    return framed({name: Cells.of(cast("Kind", columns()[name].kind), [row[name] for row in rows]) for name in names})
