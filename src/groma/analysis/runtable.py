"""The columns of many points of many launches, in an order of one's choice; a column is read when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from groma.analysis.launchtable import members
from groma.columns import COLUMNS, Formula, OfLaunch
from groma.results import Launch
from groma.results.kept import Columns
from groma.results.records import Point

Values = NDArray[np.float64]
Places = NDArray[np.int64]
_Value = TypeVar("_Value", bound=np.generic)


class RunTable:
    """Rows are points of launches, in the order of `launch_of` and `row_of`: places of launch and record."""

    def __init__(
        self,
        launches: Sequence[Launch],
        tables: Sequence[Columns],
        records: Sequence[Sequence[Point]],
        launch_of: Places,
        row_of: Places,
    ) -> None:
        """Take launches with their columns and records, and the row of each place."""
        self.launches, self._tables, self._records = launches, tables, records
        self.launch_of, self.row_of = launch_of, row_of
        self.launch_numbers = np.array([launch.number for launch in launches], dtype=np.int64)
        starts = np.cumsum([0, *(table.rows for table in tables)])
        self._flat = starts[launch_of] + row_of
        self._columns: dict[str, Values] = {}
        self._words: dict[str, int] = {}
        self._derived: dict[object, NDArray[Any]] = {}

    def column(self, name: str) -> Values:
        """Return a column of numbers, which is kept in memory."""
        if name not in self._columns:
            self._columns[name] = self.read(name)
        return self._columns[name]

    def read(self, name: str) -> Values:
        """Return a column of numbers: from memory, from the launches, or made of others; it is not kept."""
        source = COLUMNS[name].launch
        if name in self._columns:
            return self._columns[name]
        if isinstance(source, Formula):
            return source.of(_Read(self))
        if isinstance(source, OfLaunch):
            return np.array(self.of_launches(source), dtype=np.float64)[self.launch_of]
        values: Values = np.concatenate([table[name] for table in self._tables])[self._flat]
        return values

    def of_launches(self, source: OfLaunch) -> list[Any]:
        """Return what each launch has at a path; None if a part of it is missing."""
        return members(self.launches, source.path)

    def codes(self, name: str) -> Values:
        """Return a column of words as numbers (`code`); NaN if there is no word."""
        key = f"code of {name}"
        if key not in self._columns:
            parts = [self._recoded(table, name) for table in self._tables]
            self._columns[key] = np.concatenate(parts)[self._flat]
        return self._columns[key]

    def code(self, word: str) -> int:
        """Return the number of a word in this table."""
        return self._words.setdefault(word, len(self._words))

    def word(self, code: float) -> str | None:
        """Return the word of a number; None for NaN."""
        return None if np.isnan(code) else self.known_words[int(code)]

    @property
    def known_words(self) -> list[str]:
        """The words of the columns that were asked for, by their numbers."""
        return list(self._words)

    def derived(self, make: Callable[[Rows], NDArray[_Value]]) -> NDArray[_Value]:
        """Return a column that is made of others, for all rows at once; it is kept in memory."""
        if make not in self._derived:
            self._derived[make] = make(Rows(self, slice(0, self.row_of.size)))
        return self._derived[make]

    def record(self, place: int) -> Point:
        """Return the record of a row."""
        return self._records[int(self.launch_of[place])][int(self.row_of[place])]

    def launch(self, place: int) -> Launch:
        """Return the launch of a row."""
        return self.launches[int(self.launch_of[place])]

    def _recoded(self, table: Columns, name: str) -> Values:
        """Return the numbers of a launch's words as numbers of this table."""
        own = np.array([*(self.code(word) for word in table.facts["words"]), np.nan])
        values = table[name]
        missing = np.isnan(values)
        return own[np.where(missing, -1, values).astype(np.int64)]


class _Read:
    """The columns of a table, which a formula reads: none is kept in memory."""

    def __init__(self, table: RunTable) -> None:
        self._table = table

    def __getitem__(self, name: str) -> Values:
        return self._table.read(name)


class Rows:
    """Some rows of a table: the launches of one point."""

    def __init__(self, table: RunTable, places: slice | Places, point: dict[str, Any] | None = None) -> None:
        """Take the places of the rows, and the fields of the point in the first of them if they are known."""
        self.table, self.point, self._places = table, point, places

    def __len__(self) -> int:
        """Return the number of rows."""
        places = self._places
        return places.stop - places.start if isinstance(places, slice) else places.size

    @property
    def start(self) -> int | None:
        """The place of the first row, if the rows follow each other in the table; else None."""
        return self._places.start if isinstance(self._places, slice) else None

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the point."""
        if self.point is None:
            self.point = self.table.record(int(self.places[0])).point
        return self.point

    @property
    def places(self) -> Places:
        """The places of the rows in the table."""
        places = self._places
        return np.arange(places.start, places.stop) if isinstance(places, slice) else places

    def __getitem__(self, name: str) -> Values:
        """Return a column of numbers."""
        return self.table.column(name)[self._places]

    def codes(self, name: str) -> Values:
        """Return a column of words as numbers."""
        return self.table.codes(name)[self._places]

    def derived(self, make: Callable[[Rows], NDArray[_Value]]) -> NDArray[_Value]:
        """Return a column that is made of others, row by row (`RunTable.derived`)."""
        return self.table.derived(make)[self._places]

    def words(self, name: str) -> list[str | None]:
        """Return a column of words."""
        codes = np.where(np.isnan(self.codes(name)), -1, self.codes(name)).astype(np.int64)
        words = [*self.table.known_words, None]  # the last one is at place -1
        return [words[code] for code in codes.tolist()]

    def where(self, chosen: NDArray[np.bool_]) -> Rows:
        """Return the rows for which an array over them is true."""
        return Rows(self.table, self.places[chosen])

    @property
    def launch_numbers(self) -> Places:
        """The number of the launch of each row."""
        return self.table.launch_numbers[self.table.launch_of[self._places]]


def derived(make: Callable[[Rows], NDArray[_Value]]) -> Callable[[Rows], NDArray[_Value]]:
    """Let a function of rows work row by row for all rows of a table at once, the first time that it is called."""
    return lambda rows: rows.derived(make)
