"""A run as tables: one row per point and launch, or one row per sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np
import polars as pl

from groma.analysis.clockshare import clock_share_of
from groma.analysis.grouping import size_of
from groma.analysis.launchpoint import QUANTILE_LEVELS, LaunchPoint, launch_point
from groma.analysis.peaks import in_words
from groma.errors import OutputError
from groma.results.bounds import SCHEMA
from groma.results.run import load_run
from groma.tables.columns import COLUMNS, FIGURE_COLUMNS, SAMPLE_COLUMNS, Column, series
from groma.tables.summaries import figures_of_launches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from groma.catalog import Catalog
    from groma.results.records import Failure, Point
    from groma.results.run import Launch, Run

Format = Literal["parquet", "csv", "json"]

_QUANTILES = {
    0.0: "minimum",
    0.01: "p01",
    0.05: "p05",
    0.25: "p25",
    0.75: "p75",
    0.95: "p95",
    0.99: "p99",
    1.0: "maximum",
}


def load(path: str | Path) -> pl.DataFrame:
    """Read a run directory as a table with one row per point and launch, including those without a figure.

    The columns are those of `COLUMNS` (name, unit, meaning) and, before them, one per point field as it ran, with the
    units and meanings of the catalogue. Times are in nanoseconds of one figure. Raises as `load_run`.
    """
    return figures(load_run(path))


def figures(run: Run) -> pl.DataFrame:
    """Return the table of `load` for a run that is already read."""
    rows = [
        row
        for launch in run.launches
        for row in (
            *(_row(run, launch, record) for record in launch.points),
            *(_row_without_figure(run, launch, failure) for failure in launch.failures),
        )
    ]
    fields = dict.fromkeys(name for row in rows for name in row["point"])
    table = series(rows, COLUMNS)
    points = {name: pl.Series(name, [row["point"].get(name) for row in rows], strict=False) for name in fields}
    leading = ("run", "launch", "launched_ranks", "index")
    return pl.DataFrame({name: table.pop(name) for name in leading} | points | table)


def samples(path: str | Path) -> pl.DataFrame:
    """Read every sample of a run directory, warm-up included, as a table with one row per sample.

    The columns are those of `SAMPLE_COLUMNS`; `launch` and `index` lead to the rows of `load`. Raises as `load_run`.
    """
    run = load_run(path)
    schema = {column.name: column.type for column in SAMPLE_COLUMNS}
    parts = [
        _phase(run, launch, record, phase, values)
        for launch in run.launches
        for record in launch.points
        for phase, values in (
            ("warmup", record.warmup_ns),
            ("discarded", record.discarded_ns),
            ("sample", record.samples_ns),
        )
    ]
    return pl.concat([pl.DataFrame(schema=schema), *(part.select(list(schema)) for part in parts)])


def export(run: Run, to: Format, path: str | Path) -> Path:
    """Write the table of `load` to `path` and return the path; a row also has the figures of its point over launches.

    Those are `FIGURE_COLUMNS`, with the names and meanings of `groma.summary`; CSV joins the checks with " | ".
    JSON contains the columns' definitions; for Parquet and CSV they are written to `<name>.columns.csv` beside.
    Raises `OutputError` where the file cannot be written.
    """
    target = Path(path)
    table = _with_figures(run, figures(run))
    described = [{"name": c.name, "unit": c.unit, "meaning": c.meaning} for c in _described(table, run.catalog)]
    try:
        if to == "json":
            document = {"schema": SCHEMA, "run": run.path.name, "columns": described, "rows": table.to_dicts()}
            target.write_text(json.dumps(document, allow_nan=False) + "\n", encoding="utf-8")
            return target
        if to == "parquet":
            table.write_parquet(target)
        else:
            table.with_columns(pl.col("checks").list.join(" | ")).write_csv(target)
        pl.DataFrame(described).write_csv(target.with_suffix(".columns.csv"))
    except OSError as error:
        raise OutputError(
            f"{target} cannot be written ({error.strerror or error}): give another place with -o"
        ) from error
    return target


def _with_figures(run: Run, table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with the figures of each row's point over all launches; null where it has none."""
    point_figures = figures_of_launches(run)
    places = zip(table["launch"].to_list(), table["index"].to_list(), strict=True)
    return table.with_columns(series([point_figures.get(place, {}) for place in places], FIGURE_COLUMNS).values())


def _row(run: Run, launch: Launch, record: Point) -> dict[str, Any]:
    start = launch.start
    figure = launch_point(launch, record, run.meta.report)
    per_repetition_ns = figure.rate_ns * record.divisor
    return {
        "run": run.path.name,
        "launch": launch.number,
        "launched_ranks": launch.ranks,
        "index": record.index,
        "sequence": record.sequence,
        "point": record.point,
        "hosts": record.hosts,
        "member_count": record.member_count,
        "samples": figure.times_ns.size or None,
        "repetitions_per_sample": record.repetitions_per_sample,
        "divisor": record.divisor,
        "figure_ns": figure.figure_ns,
        "dropped": figure.dropped,
        **_statistics(figure),
        **_ranks_apart(record),
        "clock_share": clock_share_of(record),
        "replaced": msgspec.json.encode(record.replaced).decode() if record.replaced else None,
        "bytes_moved": record.bytes_moved,
        "messages": record.messages,
        "bandwidth_mb_s": _rate(record.bytes_moved * 1e3, per_repetition_ns),
        "algorithm_bandwidth_mb_s": _rate((record.algorithm_bytes or 0) * 1e3, per_repetition_ns),
        "bus_bandwidth_mb_s": _rate((record.algorithm_bytes or 0) * (record.bus_factor or 0) * 1e3, per_repetition_ns),
        "messages_per_s": _rate(record.messages * 1e9, per_repetition_ns),
        "foreign_cores": launch.foreign_cores,
        "oversubscribed": start.oversubscribed if start else None,
        "validated": record.validated,
        "stopped_by": record.stopped_by,
        "state": figure.state,
        "discarded": figure.discarded,
        "verified": figure.verified,
        "revisit_ratio": figure.revisit.ratio if figure.revisit else None,
        "block_short": figure.block_short,
        "mean_over_median": figure.tail.mean_over_median if figure.tail else None,
        "slow_share": figure.tail.slow_share if figure.tail else None,
        "peaks": in_words(figure.peaks) or None,
        "elapsed_ns": record.elapsed_ns,
        "launch_s": launch.wall_s,
        "launch_outside_s": launch.outside_s,
        "complete": not launch.ended_early,
        "library": start.library.name if start else None,
        "library_version": start.library.version if start else None,
    }


def _row_without_figure(run: Run, launch: Launch, failure: Failure) -> dict[str, Any]:
    """Return the row of a point that failed: where it belongs, what was asked, and why it has no figure."""
    asked = launch.plan.points if launch.plan else []
    return {
        "run": run.path.name,
        "launch": launch.number,
        "launched_ranks": launch.ranks,
        "index": failure.index,
        "point": asked[failure.index] if 0 <= failure.index < len(asked) else {},
        "samples": 0,
        "missing": failure.message,
    }


_COMPLETIONS = ("first", "p25", "median", "p75", "last")


def _ranks_apart(record: Point) -> dict[str, Any]:
    """Return the skew of the ranks and the errors of their clocks; null without a global clock."""
    skew, error = record.skew_ns, record.clock_error
    completion = skew.completion if skew and skew.completion else [None] * len(_COMPLETIONS)
    return {f"completion_{name}_ns": time for name, time in zip(_COMPLETIONS, completion, strict=True)} | {
        "invalid": record.invalid,
        "window_ns": record.window_ns,
        "lead_ns": record.lead_ns,
        "arrival_skew_ns": skew.arrival[2] if skew else None,
        "arrival_skew_maximum_ns": skew.arrival[4] if skew else None,
        "clock_error_ns": max(error.before_ns, error.after_ns) if error else None,
        "clock_bound_ns": error.bound_ns if error else None,
        "clock_limit_ns": error.limit_ns if error else None,
        "clock_valid": error.valid if error else None,
    }


def _rate(amount: float, time_ns: float) -> float | None:
    return amount / time_ns if amount and time_ns > 0 else None


def _statistics(figure: LaunchPoint) -> dict[str, Any]:
    quantiles = {
        f"{_QUANTILES[level]}_ns": None if np.isnan(value) else float(value)
        for level, value in zip(QUANTILE_LEVELS, figure.quantiles_ns, strict=True)
        if level in _QUANTILES
    }
    return quantiles | {
        "median_ns": figure.median_ns if figure.times_ns.size else None,
        "mean_ns": float(figure.times_ns.mean()) if figure.times_ns.size else None,
        "interval_low_ns": figure.interval.low if figure.interval else None,
        "interval_high_ns": figure.interval.high if figure.interval else None,
        "effective_samples": figure.effective_samples,
        "spread": figure.spread,
        "first_call_ns": figure.first_call_ns,
        "limit": figure.limit.kind if figure.limit else None,
        "limit_ns": figure.limit.ns if figure.limit else None,
        "limit_multiple": figure.limit.multiple if figure.limit else None,
        "tcp_ns": figure.yardstick.ns if figure.yardstick else None,
        "tcp_multiple": figure.yardstick.multiple if figure.yardstick else None,
    }


def _phase(run: Run, launch: Launch, record: Point, phase: str, values: NDArray[np.int64]) -> pl.DataFrame:
    per_figure = record.divisor * (1 if phase == "warmup" else record.repetitions_per_sample)
    constants = {
        "run": run.path.name,
        "launch": launch.number,
        "launched_ranks": launch.ranks,
        "index": record.index,
        "operation": record.point["operation"],
        "bytes": size_of(record.point),
        "phase": phase,
    }
    types = {column.name: column.type for column in SAMPLE_COLUMNS}
    return pl.DataFrame({"number": np.arange(values.size), "sample_ns": values}).with_columns(
        (pl.col("sample_ns") / per_figure).alias("time_ns"),
        *(pl.lit(value, dtype=types[name]).alias(name) for name, value in constants.items()),
    )


def _described(table: pl.DataFrame, catalog: Catalog) -> Iterator[Column]:
    """Yield every column of the table with its meaning: from COLUMNS, or from the catalogue for a point field."""
    ours = {column.name: column for column in (*COLUMNS, *FIGURE_COLUMNS)}
    fields = {field.name: field for field in catalog.fields if field.scope == "point"}
    for name, kind in table.schema.items():
        field = fields.get(name)
        yield ours.get(name) or Column(name, kind, field.unit if field else "", field.help if field else "")
