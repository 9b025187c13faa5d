"""Figures by size or process count: tables and charts of what the run and the published systems have of each quantity.

A column is what one source has of one quantity. Of a single source a table has the quantities side by side, as the NAS
page has them; of several it has the sources side by side, and each quantity has a table of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from groma.text.charts import Chart, Curve
from groma.text.numbers import DASH
from groma.text.tables import Table


@dataclass(frozen=True)
class Column:
    """The figures of one source by row, with their texts; `note` is what a reader must know of a published one."""

    source: str
    figures: Mapping[int, tuple[float, str]]
    published: bool = False
    note: str = ""


@dataclass(frozen=True)
class Grid:
    """The columns of each quantity, over the same rows; a quantity that the run has no figures of is not shown."""

    title: str
    rows: str
    quantities: Mapping[str, Sequence[Column]]
    unit: str = ""
    notes: Sequence[str] = ()

    def tables(self) -> list[Table]:
        """Return the tables, the last with all notes; none if the run has no figures."""
        unit = f", {self.unit}" * bool(self.unit)
        parts = self._parts(lambda quantity, _: f"{quantity}{unit}", unit)
        tables = [self._table(title, columns) for title, columns in parts.items()]
        remarks = _remarks(column for columns in parts.values() for column in columns.values())
        return [*tables[:-1], *(replace(last, notes=[*self.notes, *remarks]) for last in tables[-1:])]

    def charts(self, across: str, *, sized: bool = True) -> list[Chart]:
        """Return charts of the same columns over the rows, which are `across`; none without a line."""
        parts = self._parts(lambda quantity, source: f"{source}, {quantity}")
        charts = [
            Chart(title, across, self.unit, [_curve(*pair) for pair in columns.items()], sized=sized)
            for title, columns in parts.items()
        ]
        return [chart for chart in charts if any(len(curve.points) > 1 for curve in chart.curves)]

    def _parts(self, alone: Callable[[str, str], str], unit: str = "") -> dict[str, dict[str, Column]]:
        """Return the named columns by title; `alone` names one by its quantity and source if there is one source."""
        own = {
            quantity: columns
            for quantity, columns in self.quantities.items()
            if any(column.figures and not column.published for column in columns)
        }
        if len({column.source for columns in own.values() for column in columns}) > 1:
            return {
                f"{self.title}: {quantity}{unit}": {column.source: column for column in columns}
                for quantity, columns in own.items()
            }
        named = {alone(quantity, column.source): column for quantity, columns in own.items() for column in columns}
        return {self.title: named} if named else {}

    def _table(self, title: str, columns: Mapping[str, Column]) -> Table:
        places = sorted({place for column in columns.values() for place in column.figures})
        rows = [
            [
                str(place),
                *(column.figures[place][1] if place in column.figures else DASH for column in columns.values()),
            ]
            for place in places
        ]
        return Table(title, [self.rows, *columns], rows)


def _remarks(columns: Iterable[Column]) -> list[str]:
    """Return the notes on published columns, each text once, with its sources."""
    sources: dict[str, dict[str, None]] = {}
    for column in columns:
        if column.note:
            sources.setdefault(column.note, {})[column.source] = None
    return [f"{', '.join(names)}: {note}" for note, names in sources.items()]


def _curve(name: str, column: Column) -> Curve:
    points = sorted((float(place), value) for place, (value, _) in column.figures.items())
    return Curve.of(name, points, reference=column.published)
