"""As MPIBench prints: smallest, mean and largest time for each message size, and the histogram of its single calls.

All processes' calls count where the run recorded them (`per_rank`); otherwise each repetition counts once, after the
reduction that the table names. Times are in microseconds, of a ping-pong one way. Samples of all launches are together
in one histogram; the peaks are found in their smoothed density (groma.analysis.peaks), with the share of the samples
around each. What is printed is known, how is a reconstruction: MPIBench left a file for each histogram.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from groma.analysis.peaks import histogram_end, peaks
from groma.sizes import format_size
from groma.styles.sheet import Style, times_of_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from groma.analysis import PointSummary, Series
    from groma.styles.sheet import Sheet

_BINS = 16
_BAR = 40


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        point = curve.points[0]
        if curve.operation.family == "harness":
            sheet.leave_out(curve)
        elif point.launches[0].repetitions != point.launches[0].times_ns.size:
            sheet.lack(curve, "a histogram needs single calls (timing=block)", timing="call")
        else:
            _table(sheet, curve)
            for one in curve.points:
                _histogram(sheet, one)


def _table(sheet: Sheet, curve: Series) -> None:
    first = curve.points[0]
    whose = "every process" if first.launches[0].ranks_ns is not None else f"reduce={first.point['reduce']}"
    sheet.write("", f"# {curve.label}: {curve.operation.calls}, {first.member_count} processes, {whose}")
    sheet.about(curve)
    sheet.write(f"#{'bytes':>9} {'repeats':>9} {'min[us]':>11} {'avg[us]':>11} {'max[us]':>11}  peaks[us]")
    for point in curve.points:
        times = pooled(point)
        found = " ".join(f"{peak.at:.2f}({peak.share:.0%})" for peak in peaks(times))
        figures = "".join(f" {time:11.3f}" for time in (times[0], point.time_ns / 1e3, times[-1]))
        sheet.write(f"{point.bytes or 0:10d} {times.size:9d}{figures}  {found}")


def _histogram(sheet: Sheet, point: PointSummary) -> None:
    times = pooled(point)
    edges = np.linspace(times.min(), histogram_end(times, peaks(times)), _BINS)
    counts = np.diff([*np.searchsorted(times, edges), times.size])
    size = "" if point.bytes is None else f" of {format_size(point.bytes)}"
    sheet.write(f"# histogram{size}: from[us], calls; the last bin has no end")
    for edge, count in zip(edges, counts, strict=True):
        sheet.write(f"{edge:12.3f} {count:9d} {'*' * round(_BAR * count / counts.max())}")


def pooled(point: PointSummary) -> NDArray[np.float64]:
    """Return the times of all launches in microseconds, ascending: of every process where they were recorded."""
    own = [(launch, times_of_ranks(launch, point)) for launch in point.launches]
    parts = [launch.times_ns if times is None else times.ravel() for launch, times in own]
    return np.sort(np.concatenate(parts)) / 1e3


STYLE = Style(program="MPIBench", write=_write, profile="mpibench")
