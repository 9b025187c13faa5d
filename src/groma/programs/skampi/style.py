"""As SKaMPI 5 prints: results between `begin result` and `end result`, a line for each size.

It holds the size, the time, its standard error and the repetitions. The time is that of the slowest rank, in
microseconds; of a ping-pong it is the whole round trip. The standard error is that within a launch, over the samples
that the outlier rule kept, and the repetitions are how many these were (blocks, if blocks were timed); both are medians
over launches. If the run recorded the times of every rank (`per_rank`), their means over the same samples follow, a
column for each rank; else, with a global clock, five columns say when the first rank, a quarter, half and
three quarters of the ranks and the last were done, counted from the first entry. The frame of the results is SKaMPI's,
the columns are a reconstruction; times have three decimals, where SKaMPI's machines needed one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from groma.analysis import PointSummary, Series
from groma.analysis.estimators import keeps
from groma.analysis.launchpoint import LaunchPoint
from groma.analysis.processes import times_of_ranks
from groma.programs.sheet import Sheet, Style

_COLUMNS = (f"{'bytes':>6}", f" {'time[us]':>9}", f" {'error[us]':>9}", f" {'reps':>8}")
_DONE = ("first", "quarter", "half", "3/4", "last")
_SLOWEST = {"max", "span", "post_arrival"}


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        reduction = curve.points[0].point["reduce"]
        if curve.operation.family == "collective" and reduction not in _SLOWEST:
            sheet.lack(curve, f"its times are not those of the slowest rank (reduce={reduction})", reduce="max")
        elif curve.operation.calls:
            _result(sheet, curve)
        else:
            sheet.leave_out(curve)


def _result(sheet: Sheet, curve: Series) -> None:
    name = curve.operation.calls.replace(", ", "-").replace(" with ", "-")
    setting = curve.label.partition(" \u00b7 ")[2]
    title = f'"{name}{" " * bool(setting)}{setting}"'
    headings = [*_COLUMNS, *_further(curve)]
    sheet.write("", f"# begin result {title}")
    sheet.about(curve)
    if cut := sum("slot" in point.rows.words("stopped_by") for point in curve.points):
        sheet.write(f"# Ended by the time slot before the error was reached: {cut} of {len(curve.points)} sizes")
    sheet.write(f"# {''.join(headings)}", *(_row(point) for point in curve.points), f"# end result {title}")


def _row(point: PointSummary) -> str:
    errors, counts = zip(*(_standard_error(launch.times_ns, point) for launch in point.launches), strict=True)
    scale = point.launches[0].divisor / 1e3
    error, count = float(np.median(errors)), int(np.median(counts))
    row = f"{point.bytes or 0:8d} {point.time_ns * scale:9.3f} {error * scale:9.3f} {count:8d}"
    ranks = [means for launch in point.launches if (means := _means_of_ranks(launch, point)) is not None]
    further = np.median(ranks, axis=0) * point.launches[0].divisor if ranks else np.array(point.completion_ns or ())
    return row + "".join(f" {time / 1e3:9.3f}" for time in further)


def _means_of_ranks(launch: LaunchPoint, point: PointSummary) -> NDArray[np.float64] | None:
    """Return every rank's mean time over the samples that the outlier rule kept; None if not recorded."""
    times = times_of_ranks(launch, point)
    return None if times is None else times[:, keeps(launch.times_ns, point.reporting)].mean(axis=1)


def _further(curve: Series) -> list[str]:
    """Return the headings of what follows: a column for each rank, or five for when they were done."""
    first = curve.points[0]
    if (times := times_of_ranks(first.launches[0], first)) is not None:
        return [f" {f'rank {number}':>9}" for number in range(len(times))]
    return [f" {heading:>9}" for heading in _DONE] if any(point.completion_ns for point in curve.points) else []


def _standard_error(times_ns: NDArray[np.float64], point: PointSummary) -> tuple[float, int]:
    """Return the standard error of the mean of the samples that count, and their number; nan for a single one."""
    kept = times_ns[keeps(times_ns, point.reporting)]
    return (float(kept.std(ddof=1) / np.sqrt(kept.size)) if kept.size > 1 else float("nan")), int(kept.size)


STYLE = Style(program="SKaMPI", write=_write, profile="skampi")
