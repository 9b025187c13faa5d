"""Columns that the samples of records give: series of equal length are computed together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groma.analysis import rows
from groma.analysis.estimators import estimate
from groma.analysis.grouping import grouped
from groma.analysis.launchtable import Part
from groma.analysis.order import median_ranks
from groma.analysis.peaks import in_words, peaks
from groma.catalog.reporting import Reporting
from groma.columns import COLUMNS, Made
from groma.results.records import Point, Printed

Values = NDArray[np.float64]

QUANTILES = {
    "minimum_ns": 0.0,
    "p01_ns": 0.01,
    "p05_ns": 0.05,
    "p25_ns": 0.25,
    "median_ns": 0.5,
    "p75_ns": 0.75,
    "p95_ns": 0.95,
    "p99_ns": 0.99,
    "maximum_ns": 1.0,
}
_HERE = Made(f"{__name__}:of_samples")
_TENTHS = {"tenth_ns": 0.1, "nine_tenths_ns": 0.9}
_AT_ONCE = 1 << 20  # samples


def of_samples(part: Part) -> Mapping[str, Values]:
    """Return the columns of samples, as times of one figure."""
    records = part.records
    columns = {column.name: np.full(len(records), np.nan) for column in COLUMNS.values() if column.launch == _HERE}
    by_length = grouped(range(len(records)), lambda place: records[place].samples_ns.size)
    for length, places in by_length.items():
        step = max(1, _AT_ONCE // max(1, length))
        for start in range(0, len(places), step):
            chosen = places[start : start + step]
            for name, values in _of_series([records[place] for place in chosen], part.reporting).items():
                columns[name][chosen] = values
    return columns


def peaks_in(part: Part) -> Mapping[str, list[str | None]]:
    """Return the peaks of samples in words; None without any."""
    times = (record.samples_ns / (record.repetitions_per_sample * record.divisor) for record in part.records)
    return {"peaks": [in_words(peaks(own)) or None for own in times]}


def _of_series(records: list[Point], reporting: Reporting) -> dict[str, Any]:
    """Return the columns of records with equally many samples."""
    per_figure = np.array([[record.repetitions_per_sample * record.divisor] for record in records])
    times = np.array([record.samples_ns for record in records]) / per_figure
    count = times.shape[1]
    if not count:
        figures = [record.figure_ns for record in records if isinstance(record, Printed)]
        return {"figure_ns": figures, "dropped": 0.0, "effective_samples": 0.0}  # how many samples is unknown
    ordered, inflation = np.sort(times, axis=1), rows.variance_inflation(times)
    low, high = rows.serial_median_interval(ordered, inflation, median_ranks(count))
    figure, dropped = _figures(times, ordered, records, reporting)
    medians, means = rows.medians(ordered), times.mean(axis=1)
    return {
        "samples": float(count),
        "figure_ns": figure,
        "dropped": dropped,
        **_quantiles(ordered, QUANTILES),
        "mean_ns": means,
        "interval_low_ns": low,
        "interval_high_ns": high,
        "effective_samples": count / inflation,
        "spread": rows.relative_iqr(ordered),
        **_quantiles(ordered, _TENTHS),
        **_tails(records, times, means, medians),
    }


def _quantiles(ordered: Values, levels: Mapping[str, float]) -> dict[str, Values]:
    return dict(zip(levels, rows.quantiles(ordered, tuple(levels.values())).T, strict=True))


def _figures(
    times: Values, ordered: Values, records: list[Point], reporting: Reporting
) -> tuple[Values | list[float], list[float] | float]:
    """Return the run's estimate of each row, and how many samples its outlier rule discarded."""
    if reporting.is_default:
        return rows.medians(ordered), 0.0
    made = [
        estimate(row, reporting, blocks=record.repetitions_per_sample > 1)
        for row, record in zip(times, records, strict=True)
    ]
    return [one.value for one in made], [float(one.dropped) for one in made]


def _tails(records: Sequence[Point], times: Values, means: Values, medians: Values) -> dict[str, Values]:
    """Return mean, median and slow share of calls, and of how many values they are; NaN if they are not known.

    Where blocks were timed, single calls before them are known, and the mean over blocks, which is one over many more
    calls. Of these two the one whose mean is further from its own median counts: the calls show what blocks average
    over, and the blocks what is too rare for the calls.
    """
    slow = (times > 2 * medians[:, np.newaxis]).mean(axis=1)
    tails = np.where(medians > 0, [means, medians, slow, np.full(len(records), times.shape[1])], np.nan)
    for place, record in enumerate(records):
        calls = record.calls
        if record.repetitions_per_sample == 1:
            continue
        mean, median = tails[:2, place]
        if calls is None:
            tails[:, place] = np.nan
        elif calls.median_ns > 0 and not calls.mean_ns / calls.median_ns < mean / median:
            count = calls.made - calls.steady_from
            tails[:, place] = calls.mean_ns / record.divisor, calls.median_ns / record.divisor, calls.slow_share, count
    return dict(zip(("tail_mean_ns", "tail_median_ns", "slow_share", "tail_values"), tails, strict=True))
