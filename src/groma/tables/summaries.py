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
    found = summarise(run)
    history = history_of(run)
    rows = [_row(run, one, history.spread(one)) for one in found]
    table = series(rows, SUMMARY_COLUMNS)
    fields = dict.fromkeys(name for one in found for name in one.point)
    points = {name: pl.Series(name, [one.point.get(name) for one in found], strict=False) for name in fields}
    first = {name: table.pop(name) for name in ("run", "launched_ranks", "member_count", "variant")}
    return pl.DataFrame(first | points | table)


def figures_of_launches(run: Run) -> dict[tuple[int, int], dict[str, Any]]:
    """Return what is said of a point over all launches, by launch and index of its records; columns of `summary`."""
    history = history_of(run)
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for records, one in zip(groups(run), summarise(run), strict=True):
        row = _row(run, one, history.spread(one))
        found |= {(launch.number, record.index): row for launch, record in records}
    return found


def _row(run: Run, one: PointSummary, spread: Spread) -> dict[str, Any]:
    figure, interval, unit = _figure(one)
    next_run = _like_figure(one, figure, spread.next_run)
    return {
        "run": run.path.name,
        "launched_ranks": one.ranks,
        "member_count": one.member_count,
        "variant": one.variant,
        "figure": figure,
        "unit": unit,
        "interval_low": interval[0],
        "interval_high": interval[1],
        "interval_kind": one.interval_kind,
        "estimator": one.reporting.estimator,
        "outliers": one.reporting.outliers,
        "spread_within": one.within_spread,
        "spread_across": one.between_spread,
        "spread_samples": spread.components.samples,
        "spread_launches": spread.components.launches,
        "spread_runs": spread.components.runs,
        "next_run_low": next_run[0],
        "next_run_high": next_run[1],
        "time_ns": one.time_ns,
        "bandwidth_mb_s": one.bandwidth_mb_s,
        "messages_per_s": one.messages_per_s,
        "launches": len(one.launches),
        "samples": one.samples,
        "checks": [f"{check.name}: {check.text}" for check in checks(run, [one]) if check.state != "good"],
    }


def _figure(one: PointSummary) -> tuple[float | None, tuple[float | None, float | None], str]:
    """Return the figure that a person asks of this operation, its interval, and their unit."""
    quantity = quantity_of(one)
    if quantity == "bandwidth":
        return one.bandwidth_mb_s, _ends(one.bandwidth_interval_mb_s, 1.0), "MB/s"
    if quantity == "message rate":
        return one.messages_per_s, _ends(one.messages_interval_per_s, 1.0), "1/s"
    return one.time_ns / 1e3, _ends(one.interval, 1e-3), "\u00b5s"


def _like_figure(
    one: PointSummary, figure: float | None, times_ns: Interval | None
) -> tuple[float | None, float | None]:
    """Return the ends of an interval of times in the unit of the figure, which grows with the time or against it."""
    if figure is None or times_ns is None:
        return None, None
    if quantity_of(one) in {"bandwidth", "message rate"}:
        return figure * one.time_ns / times_ns.high, figure * one.time_ns / times_ns.low
    return _ends(times_ns, 1e-3)


def _ends(interval: Interval | None, factor: float) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low * factor, interval.high * factor)
