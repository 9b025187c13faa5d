"""A table in memory, by columns: as numbers or places in a list of distinct values; and as what the caller has.

That is polars, else pandas, else a plain mapping.
"""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from groma.catalog.references import columns
from groma.columns.column import Kind
from groma.errors import InputError
from groma.text.lines import texts
from groma.text.numbers import DASH, significant
from groma.text.tables import Table as TextTable
from groma.text.tables import table_lines

NOTHING = -1  # the place of a value that is missing
_MOST_ROWS = 40  # of a mapping that Python prints


@dataclass(frozen=True, eq=False)
class Cells:
    """The values of one column.

    Without `words`, `numbers` are the values (float64), NaN for none and 1 or 0 for a truth. With them, `numbers` are
    places in `words` (int64), `NOTHING` for none.
    """

    kind: Kind
    numbers: NDArray[Any]
    words: Sequence[Any] | None = None

    @classmethod
    def of(cls, kind: Kind, values: Sequence[Any]) -> Cells:
        """Return the cells of values, None for none."""
        if kind not in ("text", "texts"):
            return cls(kind, np.array(values, dtype=np.float64))
        return cls(kind, *_coded(values))

    @classmethod
    def same(cls, kind: Kind, value: Any, count: int) -> Cells:  # noqa: ANN401 - a value of this kind, or None
        """Return the cells of one value in every row."""
        return cls.of(kind, [value]).at(np.zeros(count, dtype=np.int64))

    @classmethod
    def guessed(cls, values: Sequence[Any]) -> Cells:
        """Return the cells of values whose kind they tell themselves."""
        types = {type(value) for value in values if value is not None}
        kinds: dict[Kind, set[type]] = {"truth": {bool}, "whole": {int}, "real": {int, float}, "text": types}
        kind = next(name for name, allowed in kinds.items() if types <= allowed and (types or name == "text"))
        return cls(kind, *_coded(values))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.numbers)

    def at(self, places: NDArray[np.int64]) -> Cells:
        """Return the cells of these rows, in this order; `NOTHING` asks for one that is missing."""
        missing = NOTHING if self.words is not None else np.nan
        found = self.numbers[places] if len(self.numbers) else np.full(len(places), missing)
        return Cells(self.kind, np.where(places == NOTHING, missing, found).astype(self.numbers.dtype), self.words)

    @property
    def missing(self) -> NDArray[np.bool_]:
        """Which rows have no value."""
        lacks: NDArray[np.bool_] = np.isnan(self.numbers) if self.words is None else self.numbers == NOTHING
        return lacks

    def listed(self) -> list[Any]:
        """Return the values, None for none."""
        if self.words is not None:
            words = [*self.words, None]
            return [words[place] for place in self.numbers.tolist()]
        convert = {"whole": int, "truth": bool}.get(self.kind, float)
        pairs = zip(self.numbers.tolist(), self.missing.tolist(), strict=True)
        return [None if missing else convert(number) for number, missing in pairs]


Table = dict[str, Cells]


def _coded(values: Sequence[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Return the place of each value among the distinct ones, and these."""
    known: dict[Any, int] = {}
    words: list[Any] = []
    places = []
    for value in values:
        # 1, 1.0 and true are equal, but not written alike; a list has no hash.
        key = (type(value), str(value) if isinstance(value, list | dict) else value)
        place = NOTHING if value is None else known.setdefault(key, len(words))
        if place == len(words):
            words.append(value)
        places.append(place)
    return np.array(places, dtype=np.int64), words


@dataclass(frozen=True, eq=False)
class Block:
    """Some columns of a table: those of `table`, or its rows at `places` (`NOTHING` for a row without values).

    Blocks of several launches may share a table, such as the fields of the points.
    """

    table: Table
    places: NDArray[np.int64] | None = None

    @property
    def rows(self) -> Table:
        """The columns, row by row."""
        if self.places is None:
            return self.table
        return {name: cells.at(self.places) for name, cells in self.table.items()}


def flat(blocks: Sequence[Block]) -> Table:
    """Return the columns of blocks side by side."""
    return {name: cells for block in blocks for name, cells in block.rows.items()}


def joined(tables: Sequence[Table]) -> Table:
    """Return tables with the same columns as one, their rows one after the other."""
    first, *others = tables
    if not others:
        return first
    return {name: _joined([table[name] for table in tables]) for name in first}


def _joined(parts: Sequence[Cells]) -> Cells:
    first = parts[0]
    if all(part.words is first.words for part in parts):
        return Cells(first.kind, np.concatenate([part.numbers for part in parts]), first.words)
    words: list[Any] = []
    numbers = []
    for part in parts:
        numbers.append(np.where(part.missing, NOTHING, part.numbers + len(words)))
        words += part.words or []
    return Cells(first.kind, np.concatenate(numbers), words)


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
    return Columns((name, _plain(cells)) for name, cells in table.items())


class Columns(dict[str, Any]):
    """Columns by their names; Python prints them as a table that fits the terminal."""

    def __repr__(self) -> str:
        rows = max(map(len, self.values()), default=0)
        shown = {name: [printed(value) for value in values[:_MOST_ROWS]] for name, values in self.items()}
        if not rows:
            return f"no rows of {', '.join(self)}"
        lines = texts(table_lines(TextTable.of_columns("", shown), shutil.get_terminal_size().columns))
        more = [f"... and {rows - _MOST_ROWS} more rows"] if rows > _MOST_ROWS else []
        return "\n".join([*lines, *more])


def printed(value: object) -> str:
    """Return a value of a cell for people: four digits of a real number, a dash for none."""
    if isinstance(value, float):
        return significant(value)
    return DASH if value is None else str(value)


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
    """Return rows of `groma.catalog.references.reference` as what the caller has (`framed`)."""
    names = list(rows[0]) if rows else list(columns())
    return framed({name: Cells.of(cast("Kind", columns()[name].kind), [row[name] for row in rows]) for name in names})
