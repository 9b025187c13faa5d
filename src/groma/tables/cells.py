"""A table in memory: for each column its values, as numbers or as places in a list of distinct ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.columns.column import Kind

NOTHING = -1  # the place of a value that is missing


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
