"""The figures of every point of one launch as columns: what its samples give, and what analysis needs of its record.

A column holds NaN where a record has no such value, and 1 or 0 for true and false; words are places in
`facts["words"]`.
The columns of a large launch are kept beside its records (`groma.results.columns`), so that a run of a million records
is read in seconds; docs/adr/0032 says why.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from groma.analysis import rows
from groma.analysis.callrows import SEEN, TAIL, seen_in, tails_in
from groma.analysis.estimators import estimate
from groma.analysis.levels import level_range_ns
from groma.analysis.minimum import Minima
from groma.analysis.order import median_ranks
from groma.analysis.peaks import in_words, peaks
from groma.errors import RunError
from groma.results.columns import Columns, kept
from groma.results.fields import meanings_in
from groma.results.launched import RECORDS, load_launch
from groma.results.records import Printed
from groma.results.stored import LARGE, StoredPoints

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from groma.catalog.reporting import Reporting
    from groma.results import Launch
    from groma.results.records import Point, Revisit

QUANTILE_LEVELS = (0.0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
QUANTILES = tuple(f"quantile_{level:g}_ns" for level in QUANTILE_LEVELS)
MEDIAN = QUANTILES[QUANTILE_LEVELS.index(0.5)]
TENTHS = ("tenth_ns", "nine_tenths_ns")
COMPLETIONS = tuple(f"completion_{name}_ns" for name in ("first", "p25", "median", "p75", "last"))
KEPT, KEPT_PEAKS = "points.figures", "points.peaks"
_VERSION = 2  # of the meaning of the columns: a change of any of them makes kept ones invalid
_AT_ONCE = 2000  # records, and of these as many series at once as hold so many samples
_SAMPLES_AT_ONCE = 1 << 20

_OF_RECORD = (
    *("settings_1", "settings_2", "index", "sequence", "hosts", "member_count", "member_1", "member_2"),
    *("repetitions_per_sample", "divisor", "first_call_ns", "bytes_moved", "messages", "algorithm_bytes"),
    *("bus_factor", "stopped_by", "validated", "invalid", "window_ns", "lead_ns", "arrival_ns", "arrival_maximum_ns"),
    *COMPLETIONS,
    *("clock_before_ns", "clock_after_ns", "clock_bound_ns", "clock_limit_ns", "clock_valid", "limit_ns"),
    *("yardstick_ns", "state", "verified", "calls_state", "revisited", "revisit_ratio", "revisit_agrees"),
    *("discarded", "block_short", "rounding", "elapsed_ns", "replaced", "has_phases"),
    *("line_least_ns", "line_most_ns", "level_least_ns", "level_most_ns", *SEEN),
)
_OF_SAMPLES = (
    *("samples", "figure_ns", "dropped", *QUANTILES, "mean_ns", "interval_low_ns", "interval_high_ns"),
    *("effective_samples", "spread", *TAIL, *TENTHS),
)
NAMES = _OF_RECORD + _OF_SAMPLES


def launch_table(launch: Launch, reporting: Reporting) -> Columns:
    """Return the columns of all points of a launch, in the order of its records; those of a large one are kept."""
    maker = f"{_VERSION} {msgspec.json.encode(reporting).decode()} {','.join(NAMES)}"
    return _kept(launch, KEPT, maker, lambda: table_of(launch, launch.points, reporting))


def peaks_table(launch: Launch) -> Columns:
    """Return the peaks of the samples of all points of a launch in words: one column, which is dear to make."""
    return _kept(launch, KEPT_PEAKS, f"{_VERSION} peaks", lambda: _peaks_of(launch.points))


def keep_tables(folder: Path, reporting: Reporting) -> None:
    """Make what is kept of a launch, if its records are many, so that whoever reads the run first need not wait.

    What a damaged record has to say is said when the run is read.
    """
    with contextlib.suppress(RunError):
        if (folder / RECORDS).is_file() and (folder / RECORDS).stat().st_size >= LARGE:
            launch = load_launch(folder, meanings_in(folder.parents[1]))
            launch_table(launch, reporting)
            peaks_table(launch)


def _kept(launch: Launch, name: str, maker: str, make: Callable[[], Columns]) -> Columns:
    """Return columns of a launch from its memory or its folder, or make them."""
    if maker not in launch.kept:
        points = launch.points
        if isinstance(points, StoredPoints):
            launch.kept[maker] = kept(points.path.with_name(name), points.path, maker, make)
        else:
            launch.kept[maker] = make()
    columns: Columns = launch.kept[maker]
    return columns


def _peaks_of(records: Iterable[Point]) -> Columns:
    words = _Words()
    found = [
        words.number(in_words(peaks(record.samples_ns / (record.repetitions_per_sample * record.divisor))) or None)
        for record in records
    ]
    return Columns.of({"peaks": np.array(found, dtype=np.float64)}, {"words": list(words.places)})


def table_of(launch: Launch, records: Iterable[Point], reporting: Reporting) -> Columns:
    """Return the columns of some records of a launch."""
    words = _Words()
    minima = Minima(launch.start.limits, oversubscribed=launch.start.oversubscribed) if launch.start else None
    parts: list[dict[str, NDArray[np.float64]]] = []
    now: list[Point] = []
    for record in records:
        now.append(record)
        if len(now) == _AT_ONCE:
            parts.append(_part(now, launch, minima, words, reporting))
            now = []
    parts.append(_part(now, launch, minima, words, reporting))
    columns = {name: np.concatenate([part[name] for part in parts]) for name in NAMES}
    return Columns.of(columns, {"words": list(words.places)})


class _Words:
    """Texts as numbers."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}

    def number(self, text: str | None) -> float:
        """Return the place of a text; NaN for none."""
        return math.nan if text is None else self.places.setdefault(text, len(self.places))


def _part(
    records: list[Point], launch: Launch, minima: Minima | None, words: _Words, reporting: Reporting
) -> dict[str, NDArray[np.float64]]:
    told = [_of_record(record, launch.revisits.get(record.index), minima, words) for record in records]
    table = np.array(told, dtype=np.float64).reshape(-1, len(_OF_RECORD))
    part = {name: table[:, place] for place, name in enumerate(_OF_RECORD)}
    keys = np.frombuffer(b"".join(settings_key(record.point) for record in records), np.float64).reshape(-1, 2)
    part["settings_1"], part["settings_2"] = keys.T
    return part | _of_samples(records, reporting)


def settings_key(point: dict[str, Any]) -> bytes:
    """Return 16 bytes that are the same for the same fields of a point, in the same order."""
    return hashlib.blake2b(msgspec.json.encode(point), digest_size=16).digest()


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _of_record(record: Point, revisit: Revisit | None, minima: Minima | None, words: _Words) -> list[float]:
    """Return the values of `_OF_RECORD`; the keys of the settings are set later."""
    skew, error = record.skew_ns, record.clock_error
    members = [*record.members[:2], math.nan, math.nan]
    completion = skew.completion if skew and skew.completion else [math.nan] * len(COMPLETIONS)
    clock = (
        (error.before_ns, error.after_ns, error.bound_ns, _number(error.limit_ns), error.valid)
        if error
        else (math.nan,) * 5
    )
    return [
        *(math.nan, math.nan, record.index, record.sequence, record.hosts, record.member_count, *members[:2]),
        *(record.repetitions_per_sample, record.divisor),
        *(_number(record.first_call_ns) / record.divisor, record.bytes_moved, record.messages),
        *(_number(record.algorithm_bytes), _number(record.bus_factor), words.number(record.stopped_by)),
        *(record.validated, record.invalid, _number(record.window_ns), _number(record.lead_ns)),
        *((skew.arrival[2], skew.arrival[4]) if skew else (math.nan, math.nan)),
        *completion,
        *clock,
        _number(minima.machine_ns(record)) if minima else math.nan,
        _number(minima.tcp_ns(record)) if minima else math.nan,
        *(words.number(record.state), _number(record.verified)),
        words.number(record.calls.state if record.calls else None),
        revisit is not None,
        *((_number(revisit.ratio), _number(revisit.agrees)) if revisit else (math.nan, math.nan)),
        *(record.discarded_ns.size, record.block_short),
        record.rounding if isinstance(record, Printed) else 0.0,
        record.elapsed_ns,
        words.number(msgspec.json.encode(record.replaced).decode() if record.replaced else None),
        bool(record.phases_ns),
        *((min(record.line_ns), max(record.line_ns)) if record.line_ns else (math.nan, math.nan)),
        *level_range_ns(record),
        *seen_in(record),
    ]


def _of_samples(records: Sequence[Point], reporting: Reporting) -> dict[str, NDArray[np.float64]]:
    """Return the columns of `_OF_SAMPLES`; series of equal length are reckoned together."""
    columns = {name: np.full(len(records), np.nan) for name in _OF_SAMPLES}
    by_length: dict[int, list[int]] = {}
    for place, record in enumerate(records):
        by_length.setdefault(record.samples_ns.size, []).append(place)
    for length, places in by_length.items():
        step = max(1, _SAMPLES_AT_ONCE // max(1, length))
        for start in range(0, len(places), step):
            chosen = places[start : start + step]
            own = _of_series([records[place] for place in chosen], reporting)
            for name, values in own.items():
                columns[name][chosen] = values
    return columns


def _of_series(records: list[Point], reporting: Reporting) -> dict[str, NDArray[np.float64] | list[float] | float]:
    """Return the columns of records with equally many samples."""
    per_figure = np.array([[record.repetitions_per_sample * record.divisor] for record in records])
    times = np.array([record.samples_ns for record in records]) / per_figure
    count = times.shape[1]
    if not count:
        figures = [record.figure_ns for record in records if isinstance(record, Printed)]
        return {"samples": 0.0, "figure_ns": figures, "dropped": 0.0, "effective_samples": 0.0}
    ordered, inflation = np.sort(times, axis=1), rows.variance_inflation(times)
    values = rows.quantiles(ordered, QUANTILE_LEVELS)
    low, high = rows.serial_median_interval(ordered, inflation, median_ranks(count))
    figure, dropped = _figures(times, ordered, records, reporting)
    medians, means = rows.medians(ordered), times.mean(axis=1)
    return {
        "samples": float(count),
        "figure_ns": figure,
        "dropped": dropped,
        **dict(zip(QUANTILES, values.T, strict=True)),
        "mean_ns": means,
        "interval_low_ns": low,
        "interval_high_ns": high,
        "effective_samples": count / inflation,
        "spread": rows.relative_iqr(ordered),
        **dict(zip(TENTHS, rows.quantiles(ordered, (0.1, 0.9)).T, strict=True)),
        **tails_in(records, times, means, medians),
    }


def _figures(
    times: NDArray[np.float64], ordered: NDArray[np.float64], records: list[Point], reporting: Reporting
) -> tuple[NDArray[np.float64] | list[float], list[float] | float]:
    """Return what the run's estimator makes of each row, and how many samples its outlier rule discarded."""
    if reporting.is_default:
        return rows.medians(ordered), 0.0
    made = [
        estimate(row, reporting, blocks=record.repetitions_per_sample > 1)
        for row, record in zip(times, records, strict=True)
    ]
    return [one.value for one in made], [float(one.dropped) for one in made]
