"""The columns of a run's tables: name, unit, meaning. The one place where they are defined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


@dataclass(frozen=True)
class Column:
    """One column: its name, polars type, unit ("" for none) and meaning."""

    name: str
    type: pl.DataType
    unit: str
    meaning: str


def series(rows: Sequence[Mapping[str, Any]], columns: Iterable[Column]) -> dict[str, pl.Series]:
    """Return the columns of a table from its rows; null where a row lacks one."""
    return {
        column.name: pl.Series(column.name, [row.get(column.name) for row in rows], column.type) for column in columns
    }


_TEXT, _WHOLE, _REAL, _TRUTH = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()

_WHERE = (
    Column("run", _TEXT, "", "Name of the run's directory."),
    Column("launch", _WHOLE, "", "Number of the launch, from 1."),
    Column("launched_ranks", _WHOLE, "", "MPI ranks of the launch; member_count of them took part."),
    Column("index", _WHOLE, "", "Place of the point in the plan, from 0."),
)

COLUMNS = (
    *_WHERE,
    Column("sequence", _WHOLE, "", "Place of the point in this launch's order, from 0."),
    Column("hosts", _WHOLE, "", "Distinct hosts among the ranks that took part."),
    Column("member_count", _WHOLE, "", "Ranks that took part."),
    Column("samples", _WHOLE, "", "Samples taken after warm-up."),
    Column("repetitions_per_sample", _WHOLE, "", "Repetitions between the two stamps of one sample."),
    Column("divisor", _WHOLE, "", "Figures in one repetition: 2 for a round trip reported one way."),
    Column("figure_ns", _REAL, "ns", "What the run's estimator makes of this launch's samples (run.json, report)."),
    Column("dropped", _WHOLE, "", "Samples that its outlier rule discarded for that figure only."),
    Column("median_ns", _REAL, "ns", "Median time of one figure: sample / repetitions_per_sample / divisor."),
    Column("mean_ns", _REAL, "ns", "Mean time of one figure over all samples: beside the median, it shows a tail."),
    Column("interval_low_ns", _REAL, "ns", "Lower end of the median's 95% interval within this launch."),
    Column("interval_high_ns", _REAL, "ns", "Upper end of the median's 95% interval within this launch."),
    Column("effective_samples", _REAL, "", "Independent samples that the series is worth: n (1 - rho) / (1 + rho)."),
    Column("spread", _REAL, "", "Interquartile range over median, within this launch."),
    Column("minimum_ns", _REAL, "ns", "Smallest time of one figure."),
    Column("p01_ns", _REAL, "ns", "1% quantile; null below 100 samples."),
    Column("p05_ns", _REAL, "ns", "5% quantile; null below 20 samples."),
    Column("p25_ns", _REAL, "ns", "25% quantile; null below 4 samples."),
    Column("p75_ns", _REAL, "ns", "75% quantile; null below 4 samples."),
    Column("p95_ns", _REAL, "ns", "95% quantile; null below 20 samples."),
    Column("p99_ns", _REAL, "ns", "99% quantile; null below 100 samples."),
    Column("maximum_ns", _REAL, "ns", "Largest time of one figure."),
    Column("first_call_ns", _REAL, "ns", "Time of one figure in the very first call, before warm-up."),
    Column("bytes_moved", _WHOLE, "bytes", "Bytes moved by one repetition, as the operation's bandwidth counts them."),
    Column("messages", _WHOLE, "", "Messages of one repetition, as the operation counts them; 0 where it does not."),
    Column("bandwidth_mb_s", _REAL, "MB/s", "bytes_moved over the median time of one repetition; MB is 10^6 bytes."),
    Column(
        "algorithm_bandwidth_mb_s", _REAL, "MB/s", "Size of the collective (bytes, or bytes times ranks) over time."
    ),
    Column("bus_bandwidth_mb_s", _REAL, "MB/s", "Algorithm bandwidth times the operation's bus factor (NCCL tests)."),
    Column("messages_per_s", _REAL, "1/s", "messages over the median time of one repetition."),
    Column("limit", _TEXT, "", "What bounds the point on this machine without MPI: the core-to-core minimum."),
    Column(
        "limit_ns",
        _REAL,
        "ns",
        "Time of that limit, measured in the same launch: the same bytes handed from core to core.",
    ),
    Column("limit_multiple", _REAL, "", "Time of the point as a multiple of the limit."),
    Column("tcp_ns", _REAL, "ns", "Time of the same over plain TCP between two hosts; null on one host. Not a limit."),
    Column("tcp_multiple", _REAL, "", "Time of the point as a multiple of it."),
    Column("foreign_cores", _REAL, "cores", "CPU time other processes took during the launch, on the busiest node."),
    Column("invalid", _WHOLE, "", "Repetitions in which a rank was late or overran its window; discarded."),
    Column("window_ns", _WHOLE, "ns", "Length of the windows under sync=window."),
    Column("lead_ns", _WHOLE, "ns", "From the announcement of a start to that start, under sync=roundtime."),
    Column(
        "arrival_skew_ns", _WHOLE, "ns", "Last entry less first entry; median over the samples. Needs a global clock."
    ),
    Column("arrival_skew_maximum_ns", _WHOLE, "ns", "The largest such distance."),
    Column("completion_first_ns", _WHOLE, "ns", "From the first entry to the first rank's exit; median over samples."),
    Column("completion_p25_ns", _WHOLE, "ns", "The same until a quarter of the ranks is out."),
    Column("completion_median_ns", _WHOLE, "ns", "The same until half of the ranks are out."),
    Column("completion_p75_ns", _WHOLE, "ns", "The same until three quarters of the ranks are out."),
    Column("completion_last_ns", _WHOLE, "ns", "The same until the last rank is out."),
    Column("clock_error_ns", _REAL, "ns", "Measured error of the global clock, before or after the point: the larger."),
    Column("clock_bound_ns", _REAL, "ns", "Error bound of the global clock, with undetected asymmetry of paths."),
    Column("clock_limit_ns", _REAL, "ns", "max_clock_error_us, or a tenth of the window where that is more."),
    Column("clock_valid", _TRUTH, "", "True where the error is within the limit; null without a global clock."),
    Column(
        "clock_share",
        _REAL,
        "",
        "clock_bound_ns (twice that with more than two ranks) over the time between the stamps of a sample, where the "
        "figure depends on the global clock; in no interval.",
    ),
    Column("replaced", _TEXT, "", "Settings that could not be kept, and why, in JSON; null where all were."),
    Column("missing", _TEXT, "", "Why the point has no figure in this launch; null where it has one."),
    Column("oversubscribed", _TRUTH, "", "True where a host had more ranks than CPUs."),
    Column("validated", _TRUTH, "", "True where the received data were checked before timing."),
    Column("stopped_by", _TEXT, "", "What ended sampling: precision, repetitions, slot or retries."),
    Column("state", _TEXT, "", "Of the samples: steady, warmup, slowdown, unsteady, or unknown (too few to judge)."),
    Column("discarded", _WHOLE, "", "Samples before the steady part: recorded as discarded_ns, in no figure."),
    Column(
        "calls_seen",
        _WHOLE,
        "",
        "Calls made until the last sample: of a slow start that lasts longer nothing is known.",
    ),
    Column("bytes_seen", _WHOLE, "bytes", "Bytes that these calls moved."),
    Column("verified", _TRUTH, "", "True where calls and samples stayed at a level that was reached from slower ones."),
    Column("revisit_ratio", _REAL, "", "Median of a second visit at the end of the launch over that of the samples."),
    Column("block_short", _TRUTH, "", "True where blocks are shorter than block_s or an unskewed mean over calls."),
    Column("mean_over_median", _REAL, "", "Mean of calls over their median; null where neither is known."),
    Column("slow_share", _REAL, "", "Share of single calls that took more than twice their median."),
    Column("peaks", _TEXT, "", "Peaks of the samples, with the share around each; null below 100 samples."),
    Column("elapsed_ns", _WHOLE, "ns", "Wall time of the whole point, with set-up and warm-up."),
    Column("launch_s", _REAL, "s", "Wall time of the launch, from the start of its launcher to its end."),
    Column(
        "launch_outside_s", _REAL, "s", "Part of it before the engine's first record and after its last: launcher, MPI."
    ),
    Column("complete", _TRUTH, "", "True where the launch ran to its end."),
    Column("library", _TEXT, "", "Name of the MPI library."),
    Column("library_version", _TEXT, "", "Version of the MPI library."),
)

SAMPLE_COLUMNS = (
    *_WHERE,
    Column("operation", _TEXT, "", "Name of the operation."),
    Column("bytes", _WHOLE, "bytes", "Message size; null where the operation has none."),
    Column("phase", _TEXT, "", "warmup, discarded (before the steady part) or sample; only samples are in statistics."),
    Column("number", _WHOLE, "", "Place in time order within the phase, from 0."),
    Column("sample_ns", _WHOLE, "ns", "Time between the two stamps, after the reduction over ranks."),
    Column(
        "time_ns", _REAL, "ns", "Time of one figure: sample_ns / repetitions / divisor; a warm-up is one repetition."
    ),
)

# Figures of a point over all its launches: in the table of points, and in every row of an exported table.
FIGURE_COLUMNS = (
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
    Column("estimator", _TEXT, "", "The statistic of the samples that is a launch's figure: median, mean, p95, ..."),
    Column("outliers", _TEXT, "", "The rule by which samples are discarded for it; keep: none."),
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
    Column("checks", pl.List(_TEXT), "", "Every check that is not passed for this point, as `name: sentence`."),
)

SUMMARY_COLUMNS = (
    *(column for column in COLUMNS if column.name in {"run", "launched_ranks", "member_count"}),
    Column("variant", _TEXT, "", "The variant of the plan; null where it has none."),
    *FIGURE_COLUMNS,
    Column("time_ns", _REAL, "ns", "Time of one figure, whatever `unit` is."),
    Column("bandwidth_mb_s", _REAL, "MB/s", "Bytes moved over the time; null where nothing is moved."),
    Column("messages_per_s", _REAL, "1/s", "Messages over the time; null where they are not counted."),
    Column("launches", _WHOLE, "", "Launches that measured the point."),
    Column("samples", _WHOLE, "", "Samples of all launches together."),
)
