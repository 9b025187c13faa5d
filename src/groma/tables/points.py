"""A run as one row per point: what `groma show` prints, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.analysis import PointSummary, summarise
from groma.analysis.otherruns import other_runs_of
from groma.analysis.pointtable import PointTable
from groma.analysis.validity import RunChecks
from groma.columns import FIGURES, OF_POINTS, Column
from groma.results.run import Run
from groma.tables.cells import Cells, Table

_LEADING = ("run", "launched_ranks", "member_count", "variant")


def points(run: Run) -> Table:
    """Return one row per point, in the order of the plan: leading columns, the point's fields, and its figures."""
    summaries = summarise(run)
    table = _cells(summaries, OF_POINTS)
    names = dict.fromkeys(name for point in summaries for name in point.point)
    fields = {name: Cells.guessed([point.point.get(name) for point in summaries]) for name in names}
    leading = {name: table.pop(name) for name in _LEADING}
    return leading | fields | table


def figures_of_launches(run: Run) -> tuple[list[NDArray[np.int64]], Table]:
    """Return the figures of every point as a table, and for each launch the row of the point of each of its records.

    A launch's array is in the order of its records, and of its failures after them; it holds -1 for those of no point.
    """
    summaries = summarise(run)
    numbers = {
        launch.number: np.full(len(launch.points) + len(launch.failures), -1, dtype=np.int64) for launch in run.launches
    }
    if summaries:
        table = summaries[0].rows.table  # of all points, one after the other
        places = np.repeat(np.arange(len(summaries)), [len(point.rows) for point in summaries])
        for place, launch in enumerate(table.launches):
            own = table.launch_of == place
            numbers[launch.number][table.row_of[own]] = places[own]
    return list(numbers.values()), _cells(summaries, FIGURES)


def _cells(summaries: Sequence[PointSummary], columns: Iterable[Column]) -> Table:
    return {
        column.name: Cells.of(column.kind_over_launches, summaries[0].table.column(column.name) if summaries else [])
        for column in columns
    }


def spreads_of(table: PointTable) -> dict[str, Any]:
    """Return the spread of each point's figure by level, and where another run's figure lies, in the figure's unit."""
    spreads = other_runs_of(_run(table)).spreads(table.summaries)
    levels = ("samples", "launches", "runs")
    parts = {
        f"spread_{name}": np.array([getattr(spread.components, name) for spread in spreads], dtype=np.float64)
        for name in levels
    }
    nan = float("nan")
    ends = [(one.next_run.low, one.next_run.high) if one.next_run else (nan, nan) for one in spreads]
    low, high = np.array(ends, dtype=np.float64).reshape(-1, 2).T
    times, figure = table["time_ns"], table["figure"]
    rises = np.array([unit == "\N{MICRO SIGN}s" for unit in table.column("unit")], dtype=np.bool_)  # with the time
    return parts | {
        "next_run_low": np.where(rises, low / 1e3, figure * times / high),
        "next_run_high": np.where(rises, high / 1e3, figure * times / low),
    }


def checks_of(table: PointTable) -> dict[str, list[list[str]]]:
    """Return every check that is not passed for each point."""
    made = RunChecks(_run(table))
    found = [made.of([point]) for point in table.summaries]
    return {"checks": [[f"{one.name}: {one.text}" for one in checks if one.state != "good"] for checks in found]}


def _run(table: PointTable) -> Run:
    if table.run is None:
        raise ValueError("points without their run have no spread from run to run, and no checks")
    return table.run
