"""A run as one row per point: what `groma show` prints, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from groma.analysis import summarise
from groma.analysis.headline import quantity_of
from groma.analysis.otherruns import other_runs_of
from groma.analysis.validity import RunChecks
from groma.results.run import load_run
from groma.tables.columns import FIGURE_COLUMNS, SUMMARY_COLUMNS, series

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from groma.analysis import PointSummary
    from groma.analysis.order import Interval
    from groma.analysis.otherruns import OtherRuns, Spread
    from groma.results.run import Run
    from groma.text.checks import Check


def summary(path: str | Path) -> pl.DataFrame:
    """Read a run directory as a table with one row per point, in the order of the plan.

    The columns are those of `SUMMARY_COLUMNS` (name, unit, meaning) and, before the figure, one per point field, with
    the units and meanings of the catalogue. Raises as `load_run`.
    """
    run = load_run(path)
    summaries = summarise(run)
    history = other_runs_of(run)
    rows = _rows(run, summaries, history)
    table = series(rows, SUMMARY_COLUMNS)
    fields = dict.fromkeys(name for point in summaries for name in point.point)
    points = {name: pl.Series(name, [point.point.get(name) for point in summaries], strict=False) for name in fields}
    first = {name: table.pop(name) for name in ("run", "launched_ranks", "member_count", "variant")}
    return pl.DataFrame(first | points | table)


def figures_of_launches(run: Run) -> tuple[list[NDArray[np.int64]], pl.DataFrame]:
    """Return the figures of every point as a table, and for each launch the row of the point of each of its records.

    A launch's array is in the order of its records, and of its failures after them; it holds -1 for those of no point.
    """
    summaries = summarise(run)
    history = other_runs_of(run)
    rows = _rows(run, summaries, history)
    numbers = {
        launch.number: np.full(len(launch.points) + len(launch.failures), -1, dtype=np.int64) for launch in run.launches
    }
    if summaries:
        table = summaries[0].rows.table  # of all points, one after the other
        points = np.repeat(np.arange(len(summaries)), [len(point.rows) for point in summaries])
        for place, launch in enumerate(table.launches):
            own = table.launch_of == place
            numbers[launch.number][table.row_of[own]] = points[own]
    return list(numbers.values()), pl.DataFrame(series(rows, FIGURE_COLUMNS))


def _rows(run: Run, summaries: list[PointSummary], history: OtherRuns) -> list[dict[str, Any]]:
    made = RunChecks(run)
    spreads = history.spreads(summaries)
    return [_row(run, point, spread, made.of([point])) for point, spread in zip(summaries, spreads, strict=True)]


def _row(run: Run, point: PointSummary, spread: Spread, checks: list[Check]) -> dict[str, Any]:
    figure, interval, unit = _figure(point)
    next_run = _like_figure(point, figure, spread.next_run)
    return {
        "run": run.path.name,
        "launched_ranks": point.ranks,
        "member_count": point.member_count,
        "variant": point.variant,
        "figure": figure,
        "unit": unit,
        "interval_low": interval[0],
        "interval_high": interval[1],
        "interval_kind": point.interval_kind,
        "estimator": point.reporting.estimator,
        "outliers": point.reporting.outliers,
        "spread_within": point.within_spread,
        "spread_across": point.between_spread,
        "spread_samples": spread.components.samples,
        "spread_launches": spread.components.launches,
        "spread_runs": spread.components.runs,
        "next_run_low": next_run[0],
        "next_run_high": next_run[1],
        "time_ns": point.time_ns,
        "bandwidth_mb_s": point.bandwidth_mb_s,
        "messages_per_s": point.messages_per_s,
        "launches": len(point.rows),
        "samples": point.samples,
        "checks": [f"{check.name}: {check.text}" for check in checks if check.state != "good"],
    }


def _figure(point: PointSummary) -> tuple[float | None, tuple[float | None, float | None], str]:
    """Return the main figure of the operation, its interval, and their unit."""
    quantity = quantity_of(point)
    if quantity == "bandwidth":
        return point.bandwidth_mb_s, _ends(point.bandwidth_interval_mb_s, 1.0), "MB/s"
    if quantity == "message rate":
        return point.messages_per_s, _ends(point.messages_interval_per_s, 1.0), "1/s"
    return point.time_ns / 1e3, _ends(point.interval, 1e-3), "\u00b5s"


def _like_figure(
    point: PointSummary, figure: float | None, times_ns: Interval | None
) -> tuple[float | None, float | None]:
    """Return the ends of an interval of times in the unit of the figure, which may rise or fall with the time."""
    if figure is None or times_ns is None:
        return None, None
    if quantity_of(point) in {"bandwidth", "message rate"}:
        return figure * point.time_ns / times_ns.high, figure * point.time_ns / times_ns.low
    return _ends(times_ns, 1e-3)


def _ends(interval: Interval | None, factor: float) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low * factor, interval.high * factor)
