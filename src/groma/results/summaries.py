"""A run as one row per point: what `groma show` prints, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from groma.analysis import lights, summarise
from groma.analysis.headline import quantity_of
from groma.analysis.history import history_of
from groma.results.columns import Column
from groma.results.run import load_run

if TYPE_CHECKING:
    from pathlib import Path

    from groma.analysis import PointSummary
    from groma.analysis.history import Spread
    from groma.analysis.order import Interval
    from groma.results.run import Run

_TEXT, _WHOLE, _REAL = pl.String(), pl.Int64(), pl.Float64()

SUMMARY_COLUMNS = (
    Column("run", _TEXT, "", "Name of the run's directory."),
    Column("launched_ranks", _WHOLE, "", "MPI ranks of the launches; member_count of them took part."),
    Column("member_count", _WHOLE, "", "Ranks that took part."),
    Column("variant", _TEXT, "", "The variant of the plan; null where it has none."),
    Column("figure", _REAL, "", "Median over launches of each launch's figure, in `unit`."),
    Column("unit", _TEXT, "", "\u00b5s for a time, MB/s (10^6 bytes) or 1/s where messages overlap."),
    Column("interval_low", _REAL, "", "Lower end of the interval, in `unit`; null without one."),
    Column("interval_high", _REAL, "", "Upper end of the interval, in `unit`; null without one."),
    Column(
        "interval_kind",
        _TEXT,
        "",
        "launches: 95% over launches; range: smallest and largest of few launches; samples: in the only launch; none.",
    ),
    Column("spread_within", _REAL, "", "Interquartile range over median within a launch; median over launches."),
    Column("spread_across", _REAL, "", "Interquartile range over median of the launches' figures; null below four."),
    Column("spread_samples", _REAL, "", "Standard deviation of the logarithm, of a launch's figure by its samples."),
    Column("spread_launches", _REAL, "", "The same from launch to launch, on top; null where launches cannot tell it."),
    Column(
        "spread_runs",
        _REAL,
        "",
        "The same from run to run, on top, by 3 runs of the plan or more in one folder; or from round to round of one "
        "that repeats at an interval, with the launches' part where spread_launches is null. Null for fewer.",
    ),
    Column("next_run_low", _REAL, "", "Lower end of where another run's figure lies with 95%, in `unit`; or null."),
    Column("next_run_high", _REAL, "", "Upper end of where another run's figure lies with 95%, in `unit`; or null."),
    Column("time_ns", _REAL, "ns", "Time of one figure, whatever `unit` is."),
    Column("bandwidth_mb_s", _REAL, "MB/s", "Bytes moved over the time; null where nothing is moved."),
    Column("messages_per_s", _REAL, "1/s", "Messages over the time; null where they are not counted."),
    Column("launches", _WHOLE, "", "Launches that measured the point."),
    Column("samples", _WHOLE, "", "Samples of all launches together."),
    Column("checks", pl.List(_TEXT), "", "Every check that is not passed for this point, as `name: sentence`."),
)


def summary(path: str | Path) -> pl.DataFrame:
    """Read a run directory as a table with one row per point, in the order of the plan.

    The columns are those of `SUMMARY_COLUMNS` (name, unit, meaning) and, before the figure, one per point field, with
    the units and meanings of the catalogue. Raises as `load_run`.
    """
    run = load_run(path)
    found = summarise(run)
    history = history_of(run)
    rows = [_row(run, one, history.spread(one)) for one in found]
    table = {
        column.name: pl.Series(column.name, [row[column.name] for row in rows], column.type)
        for column in SUMMARY_COLUMNS
    }
    fields = dict.fromkeys(name for one in found for name in one.point)
    points = {name: pl.Series(name, [one.point.get(name) for one in found], strict=False) for name in fields}
    first = {name: table.pop(name) for name in ("run", "launched_ranks", "member_count", "variant")}
    return pl.DataFrame(first | points | table)


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
        "checks": [f"{light.name}: {light.text}" for light in lights(run, [one]) if light.state != "good"],
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
