"""A run as one row per point: what `groma show` prints, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from groma.analysis import lights, summarise
from groma.analysis.headline import quantity_of
from groma.results.columns import Column
from groma.results.run import load_run

if TYPE_CHECKING:
    from pathlib import Path

    from groma.analysis import PointSummary
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
    rows = [_row(run, one) for one in found]
    table = {
        column.name: pl.Series(column.name, [row[column.name] for row in rows], column.type)
        for column in SUMMARY_COLUMNS
    }
    fields = dict.fromkeys(name for one in found for name in one.point)
    points = {name: pl.Series(name, [one.point.get(name) for one in found], strict=False) for name in fields}
    first = {name: table.pop(name) for name in ("run", "launched_ranks", "member_count", "variant")}
    return pl.DataFrame(first | points | table)


def _row(run: Run, one: PointSummary) -> dict[str, Any]:
    figure, interval, unit = _figure(one)
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


def _ends(interval: Interval | None, factor: float) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low * factor, interval.high * factor)
