"""The table of a run launch by launch: a run of a million rows is never in memory as a whole unless it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from groma.analysis.clockshare import clock_shares_of, rests_on_clock
from groma.analysis.launchtable import COMPLETIONS, MEDIAN, QUANTILE_LEVELS, QUANTILES, launch_table, peaks_table
from groma.analysis.minimum import KIND
from groma.analysis.pointrows import settings_of
from groma.analysis.runtable import Rows, RunTable
from groma.tables.columns import COLUMNS, series

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from groma.results import Launch, Run
    from groma.results.records import Failure

    Values = NDArray[np.float64]

LEADING = ("run", "launch", "launched_ranks", "index")
_NAMES = {
    0.0: "minimum",
    0.01: "p01",
    0.05: "p05",
    0.25: "p25",
    0.75: "p75",
    0.95: "p95",
    0.99: "p99",
    1.0: "maximum",
}
# Columns that are those of the launch's table, by name or by another.
_AS_THEY_ARE = (
    *("index", "sequence", "hosts", "member_count", "repetitions_per_sample", "divisor", "figure_ns", "dropped"),
    *("mean_ns", "interval_low_ns", "interval_high_ns", "effective_samples", "spread", "first_call_ns", "invalid"),
    *("window_ns", "lead_ns", *COMPLETIONS, "clock_bound_ns", "clock_limit_ns", "clock_valid", "bytes_moved"),
    *(
        "messages",
        "validated",
        "discarded",
        "calls_seen",
        "bytes_seen",
        "verified",
        "revisit_ratio",
        "block_short",
        "slow_share",
        "elapsed_ns",
    ),
)
_RENAMED = {
    "median_ns": MEDIAN,
    "arrival_skew_ns": "arrival_ns",
    "arrival_skew_maximum_ns": "arrival_maximum_ns",
    "limit_ns": "limit_ns",
    "tcp_ns": "yardstick_ns",
} | {f"{_NAMES[level]}_ns": name for level, name in zip(QUANTILE_LEVELS, QUANTILES, strict=True) if level in _NAMES}


def frames(run: Run) -> Iterator[pl.DataFrame]:
    """Yield the rows of `tables.load` for each launch: its points in the order of the records, then its failures."""
    tables = [launch_table(launch, run.meta.report) for launch in run.launches]
    book = settings_of(run, run.launches, tables)
    asked = [_asked(launch, failure) for launch in run.launches for failure in launch.failures]
    points = [dict(settings.point) for settings in book.settings] + asked
    fields = dict.fromkeys(name for point in points for name in point)
    settings = pl.DataFrame(
        {name: pl.Series(name, [point.get(name) for point in points], strict=False) for name in fields}
    )
    clocked = np.array([rests_on_clock(settings.point) for settings in book.settings], dtype=np.bool_)
    failed = len(book.settings)
    for launch, table, numbers in zip(run.launches, tables, book.numbers, strict=True):
        own = np.arange(table.rows)
        rows = Rows(RunTable([launch], [table], [launch.points], np.zeros_like(own), own), slice(0, table.rows))
        shares = np.where(clocked[numbers], clock_shares_of(rows), np.nan)
        columns = _points(launch, rows) | {"clock_share": _filled(shares)}
        failures = series([_failure(run, launch, failure) for failure in launch.failures], COLUMNS)
        whole: dict[str, Any] = {"run": run.path.name, "launch": launch.number, "launched_ranks": launch.ranks}
        measured = pl.DataFrame(
            {
                column.name: (
                    columns[column.name].cast(column.type)
                    if column.name in columns
                    else pl.Series([whole.get(column.name)], dtype=column.type).new_from_index(0, table.rows)
                )
                for column in COLUMNS
            }
        )
        both = pl.concat([measured, pl.DataFrame(failures)])
        at = np.concatenate([numbers, np.arange(failed, failed + len(launch.failures))])
        failed += len(launch.failures)
        fields_of = settings[at] if fields else pl.DataFrame()
        leading = both.select(LEADING)
        yield leading.hstack(fields_of.get_columns()).hstack(both.drop(LEADING).get_columns())


def _asked(launch: Launch, failure: Failure) -> dict[str, Any]:
    asked = launch.plan.points if launch.plan else []
    return asked[failure.index] if 0 <= failure.index < len(asked) else {}


def _failure(run: Run, launch: Launch, failure: Failure) -> dict[str, Any]:
    """Return the row of a point that failed: where it belongs, and why it has no figure."""
    return {
        "run": run.path.name,
        "launch": launch.number,
        "launched_ranks": launch.ranks,
        "index": failure.index,
        "samples": 0,
        "missing": failure.message,
    }


def _points(launch: Launch, rows: Rows) -> dict[str, pl.Series]:
    """Return the columns of the points of a launch."""
    samples = rows["samples"]
    rate_ns = np.where(samples > 0, rows[MEDIAN], rows["figure_ns"]) * rows["divisor"]
    algorithm = np.nan_to_num(rows["algorithm_bytes"])
    per_figure = {"limit_multiple": rows["limit_ns"], "tcp_multiple": rows["yardstick_ns"]}
    numbers = {name: rows[name] for name in _AS_THEY_ARE} | {name: rows[column] for name, column in _RENAMED.items()}
    numbers |= {name: rows["figure_ns"] / ns for name, ns in per_figure.items()}
    numbers |= {
        "samples": np.where(samples > 0, samples, np.nan),
        "clock_error_ns": np.fmax(rows["clock_before_ns"], rows["clock_after_ns"]),
        "bandwidth_mb_s": _rate(rows["bytes_moved"] * 1e3, rate_ns),
        "algorithm_bandwidth_mb_s": _rate(algorithm * 1e3, rate_ns),
        "bus_bandwidth_mb_s": _rate(algorithm * np.nan_to_num(rows["bus_factor"]) * 1e3, rate_ns),
        "messages_per_s": _rate(rows["messages"] * 1e9, rate_ns),
        "mean_over_median": rows["tail_mean_ns"] / rows["tail_median_ns"],
    }
    words = {name: _words(rows, name) for name in ("stopped_by", "state", "replaced")}
    words["limit"] = _texts("limit", [KIND], np.where(np.isnan(rows["limit_ns"]), np.nan, 0.0))
    own_peaks = peaks_table(launch)
    table = RunTable([launch], [own_peaks], [launch.points], rows.table.launch_of, rows.table.row_of)
    words["peaks"] = _words(Rows(table, slice(0, len(samples))), "peaks")
    return {name: _filled(values) for name, values in numbers.items()} | words | _of_launch(launch, len(samples))


def _of_launch(launch: Launch, count: int) -> dict[str, pl.Series]:
    """Return the columns that hold the same for all points of a launch."""
    start = launch.start
    values = {
        "foreign_cores": launch.foreign_cores,
        "oversubscribed": start.oversubscribed if start else None,
        "launch_s": launch.wall_s,
        "launch_outside_s": launch.outside_s,
        "complete": not launch.ended_early,
        "library": start.library.name if start else None,
        "library_version": start.library.version if start else None,
    }
    return {name: pl.Series(name, [value]).new_from_index(0, count) for name, value in values.items()}


def _words(rows: Rows, name: str) -> pl.Series:
    codes = rows.codes(name)
    return _texts(name, rows.table.known_words, codes)


def _texts(name: str, words: list[str], codes: Values) -> pl.Series:
    """Return the words of these places as a column, null for NaN."""
    return pl.Series(name, words or [""], pl.String()).gather(_filled(codes).cast(pl.Int64()))


def _filled(values: Values) -> pl.Series:
    """Return numbers as a column, null for NaN."""
    return pl.Series(values, nan_to_null=True)


def _rate(amount: Values, time_ns: Values) -> Values:
    """Return amounts over times; NaN where nothing is moved, or no time is known."""
    known = (amount != 0) & (time_ns > 0)
    rates: Values = np.divide(amount, time_ns, out=np.full(len(amount), np.nan), where=known)
    return rates
