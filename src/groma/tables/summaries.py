"""A run as one row per point: what `groma show` prints, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from groma.analysis import checks, summarise
from groma.analysis.grouping import groups
from groma.analysis.headline import quantity_of
from groma.analysis.history import history_of
from groma.results.run import load_run
from groma.tables.columns import SUMMARY_COLUMNS, series

if TYPE_CHECKING:
    from pathlib import Path

    from groma.analysis import PointSummary
    from groma.analysis.history import Spread
    from groma.analysis.order import Interval
    from groma.results.run import Run


def summary(path: str | Path) -> pl.DataFrame:
    """Read a run directory as a table with one row per point, in the order of the plan.

    The columns are those of `SUMMARY_COLUMNS` (name, unit, meaning) and, before the figure, one per point field, with
    the units and meanings of the catalogue. Raises as `load_run`.
    """
    run = load_run(path)
    summaries = summarise(run)
    history = history_of(run)
    rows = [_row(run, point, history.spread(point)) for point in summaries]
    table = series(rows, SUMMARY_COLUMNS)
    fields = dict.fromkeys(name for point in summaries for name in point.point)
    points = {name: pl.Series(name, [point.point.get(name) for point in summaries], strict=False) for name in fields}
    first = {name: table.pop(name) for name in ("run", "launched_ranks", "member_count", "variant")}
    return pl.DataFrame(first | points | table)


def figures_of_launches(run: Run) -> dict[tuple[int, int], dict[str, Any]]:
    """Return the row of `summary` for every record of the run, by launch number and index of the point."""
    history = history_of(run)
    by_record: dict[tuple[int, int], dict[str, Any]] = {}
    for records, point in zip(groups(run), summarise(run), strict=True):
        row = _row(run, point, history.spread(point))
        by_record |= {(launch.number, record.index): row for launch, record in records}
    return by_record


def _row(run: Run, point: PointSummary, spread: Spread) -> dict[str, Any]:
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
        "launches": len(point.launches),
        "samples": point.samples,
        "checks": [f"{check.name}: {check.text}" for check in checks(run, [point]) if check.state != "good"],
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
