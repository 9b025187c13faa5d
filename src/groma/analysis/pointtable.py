"""The columns of a run's points over their launches, as `groma.columns` declares them, for all points at once.

A run has up to ten thousand points. Worked out point by point, their medians, intervals and spreads take seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.analysis import rows as statistics
from groma.analysis.grouping import grouped
from groma.analysis.launchtable import maker
from groma.analysis.runtable import Rows, RunTable
from groma.catalog.reporting import Reporting
from groma.columns import COLUMNS, Formula, Made
from groma.columns.column import Over
from groma.results import Run

Values = NDArray[np.float64]
Places = NDArray[np.int64]


def _known(values: Values, reduce: Callable[..., Values], beyond: float) -> Values:
    found = reduce(np.where(np.isnan(values), beyond, values), axis=1)
    return np.where(np.isnan(values).all(axis=1), np.nan, found)


REDUCED: dict[Over, Callable[[Values], Values]] = {
    "first": lambda values: values[:, 0],
    "total": lambda values: np.nansum(values, axis=1),
    "median": statistics.known_medians,
    "median of all": statistics.unsorted_medians,
    "least": lambda values: _known(values, np.min, np.inf),
    "most": lambda values: _known(values, np.max, -np.inf),
    "all": lambda values: (np.nan_to_num(values) != 0).all(axis=1).astype(np.float64),
}


class PointTable:
    """Columns with a value for each point; they are made when they are asked for.

    `points` are the rows of each point, all of one table of launches. `run` is where they come from, and `summaries`
    are the points as objects: few columns need them (`groma.analysis.summary.summarise` gives both).
    """

    def __init__(self, points: Sequence[Rows], reporting: Reporting, run: Run | None = None) -> None:
        """Take the rows of the points."""
        self.points, self.reporting, self.run = points, reporting, run
        self.summaries: Sequence[Any] = ()
        self._columns: dict[str, Any] = {}

    def __len__(self) -> int:
        """Return the number of points."""
        return len(self.points)

    @property
    def rows(self) -> RunTable:
        """The table of launches."""
        return self.points[0].table

    @property
    def by_launches(self) -> Iterator[tuple[Places, Places]]:
        """Points with equally many launches: their numbers, and their rows in the table (points x launches)."""
        return by_launches(self.points)

    def __getitem__(self, name: str) -> Values:
        """Return a column of numbers; NaN if a point has none."""
        values: Values = self.column(name)
        return values

    def column(self, name: str) -> Any:  # noqa: ANN401 - an array of numbers, or a list of texts
        """Return a column: an array of numbers, with NaN for none, or a list of texts, with None."""
        if name not in self._columns:
            source = COLUMNS[name].point
            if isinstance(source, Made):
                self._columns |= maker(source.by)(self)
            elif isinstance(source, Formula):
                self._columns[name] = source.of(self)
            elif source is not None:
                found = np.full(len(self), np.nan)
                values = self.rows.read(name) if self.points else found
                for chosen, places in self.by_launches:
                    found[chosen] = REDUCED[source](values[places])
                self._columns[name] = found
            else:
                raise KeyError(f"{name} has no value over launches")
        return self._columns[name]


def by_launches(points: Sequence[Rows]) -> Iterator[tuple[Places, Places]]:
    """Yield the points that have equally many launches, by their numbers in `points`, and their rows in the table.

    The rows are an array of points x launches. All points have to be of one table.
    """
    for count, chosen in grouped(range(len(points)), lambda number: len(points[number])).items():
        starts = [points[number].start for number in chosen]
        if None in starts:
            yield np.array(chosen), np.array([points[number].places for number in chosen])
        else:
            yield np.array(chosen), np.array(starts, dtype=np.int64)[:, np.newaxis] + np.arange(count)


def spreads_of(table: PointTable) -> dict[str, Values]:
    """Return the spread within a launch, and that of the launches' figures: interquartile ranges over medians."""
    found = {name: np.full(len(table), np.nan) for name in ("spread_within", "spread_across")}
    spreads = table.rows.read("spread")
    for chosen, places in table.by_launches:
        found["spread_within"][chosen] = statistics.known_medians(spreads[places])
        found["spread_across"][chosen] = statistics.relative_iqr(
            np.sort(table.rows.column("figure_ns")[places], axis=1)
        )
    return found


def places_of(table: PointTable) -> dict[str, Any]:
    """Return what is known of points without their figures: where they were measured, and how figures are made."""
    firsts = [table.rows.launch(int(own.places[0])) for own in table.points]
    count = len(table)
    return {
        "run": [launch.path.parent.parent.name for launch in firsts],
        "launched_ranks": np.array([launch.ranks or 0 for launch in firsts], dtype=np.float64),
        "variant": [launch.variant for launch in firsts],
        "launches": np.array([len(own) for own in table.points], dtype=np.float64),
        "estimator": [table.reporting.estimator] * count,
        "outliers": [table.reporting.outliers] * count,
    }
