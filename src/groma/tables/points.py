"""A run as one row per point: what `groma show` prints, for programs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.analysis import PointSummary, summarise
from groma.analysis.otherruns import other_runs_of
from groma.analysis.pointtable import PointTable
from groma.analysis.series import differing_settings, settings
from groma.analysis.validity import RunChecks
from groma.columns import COLUMNS, FIGURES, OF_POINTS, Column
from groma.results.run import Run
from groma.tables.cells import Cells, Table

_RANKS = (("launched_ranks", "ranks"), ("member_count", "member_count"))  # columns, and what has their values
_FIRST = ("figure", "interval_low", "interval_high", "unit")


def points(run: Run) -> Table:
    """Return one row per point, in the order of the plan: the columns of `brief`, the other fields and columns."""
    summaries = summarise(run)
    names = dict.fromkeys(name for point in summaries for name in point.point)
    fields = {name: Cells.guessed([point.point.get(name) for point in summaries]) for name in names}
    return brief(run) | fields | _cells(summaries, OF_POINTS)


def brief(run: Run) -> Table:
    """Return one row per point: operation, message size, settings in which points of an operation differ, figure.

    The figure has its interval and its unit beside it, and the interval's kind if some are not over launches. An
    operation without messages has no size.
    """
    summaries = summarise(run)
    known = [settings(point) | {"swap_messages": point.point.get("swap_messages")} for point in summaries]
    names = dict.fromkeys(name for own in differing_settings(summaries).values() for name in own)
    if len({own["swap_messages"] for own in known}) > 1:
        names["swap_messages"] = None
    sizes = {
        "operation": Cells.of("text", [point.operation for point in summaries]),
        "bytes": Cells.of("whole", [point.bytes for point in summaries]),
    }
    own = {name: Cells.guessed([_plain(fields.get(name)) for fields in known]) for name in names}
    if "ranks" in own:
        del own["ranks"]
        own |= {column: Cells.of("whole", [getattr(point, name) for point in summaries]) for column, name in _RANKS}
    figures = [*_FIRST, *(["interval_kind"] * any(point.interval_kind != "launches" for point in summaries))]
    return sizes | own | _cells(summaries, [COLUMNS[name] for name in figures])


def _plain(value: object) -> object:
    """Return a setting as a cell holds it: the ranks of a pair as a list."""
    return list(value) if isinstance(value, tuple) else value


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
