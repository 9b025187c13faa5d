"""As SKaMPI 5 prints: results between `begin result` and `end result`, a line for each size.

It holds the size, the time, its standard error and the repetitions. The time is that of the slowest rank, in
microseconds; of a ping-pong it is the whole round trip. The standard error is that within a launch, over the samples
that the outlier rule kept, and the repetitions are how many these were (blocks, if blocks were timed); both are medians
over launches. Columns for single ranks need the times of single ranks, which records do not hold: where there is a
global clock, five columns say when the first rank, a quarter, half and three quarters of the ranks and the last were
done, counted from the first entry. The frame of the results is SKaMPI's, the columns are a reconstruction; times have
three decimals, where SKaMPI's machines needed one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.estimators import keeps
from groma.styles.sheet import Style

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.analysis import PointSummary, Series
    from groma.styles.sheet import Sheet

_SLOWEST = {"max", "span", "post_arrival"}


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        whose = curve.points[0].point["reduce"]
        if curve.operation.family == "collective" and whose not in _SLOWEST:
            sheet.lack(curve, f"its times are not those of the slowest rank (reduce={whose})", reduce="max")
        elif curve.operation.calls:
            _result(sheet, curve)
        else:
            sheet.leave_out(curve)


def _result(sheet: Sheet, curve: Series) -> None:
    name = curve.operation.calls.replace(", ", "-").replace(" with ", "-")
    setting = curve.label.partition(" \u00b7 ")[2]
    title = f'"{name}{" " * bool(setting)}{setting}"'
    completion = any(point.completion_ns for point in curve.points)
    headings = f"{'bytes':>6} {'time[us]':>9} {'error[us]':>9} {'reps':>8}"
    if completion:
        headings += "".join(f" {heading:>9}" for heading in ("first", "quarter", "half", "3/4", "last"))
    sheet.write("", f"# begin result {title}")
    sheet.about(curve)
    sheet.write(f"# {headings}", *(_row(point) for point in curve.points), f"# end result {title}")


def _row(point: PointSummary) -> str:
    errors, counts = zip(*(_standard_error(launch.times_ns, point) for launch in point.launches), strict=True)
    scale = point.launches[0].divisor / 1e3
    error, count = float(np.median(errors)), int(np.median(counts))
    row = f"{point.bytes or 0:8d} {point.time_ns * scale:9.3f} {error * scale:9.3f} {count:8d}"
    return row + "".join(f" {time / 1e3:9.3f}" for time in point.completion_ns or ())


def _standard_error(times_ns: NDArray[np.float64], point: PointSummary) -> tuple[float, int]:
    """Return the standard error of the mean of the samples that count, and their number; nan for a single one."""
    kept = times_ns[keeps(times_ns, point.reporting)]
    return (float(kept.std(ddof=1) / np.sqrt(kept.size)) if kept.size > 1 else float("nan")), int(kept.size)


STYLE = Style(
    program="SKaMPI",
    write=_write,
    profile="skampi",
)
