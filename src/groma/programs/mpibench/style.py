"""As MPIBench prints: smallest, mean and largest time for each message size, and the histograms of its single calls.

A histogram of all processes' calls together, and one of each process (`per_rank`): a broadcast by a tree has a peak for
each of its levels, and each process is in one of them. Calls of all launches are together. Bins and peaks are found as
groma.analysis.peaks says. Times are in microseconds, of a ping-pong one way and of the
process that sends first; a process's time is that from its own entry to its own exit. The printed quantities are known,
the layout is a reconstruction: MPIBench wrote a file for each histogram.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from groma.analysis import PointSummary, Series
from groma.analysis.peaks import RULE, Peak, histogram, peaks
from groma.analysis.processes import times_by_process
from groma.programs.sheet import Sheet, Style
from groma.text.sizes import format_size

_BAR = 40


def _write(sheet: Sheet) -> None:
    shown = [curve for curve in sheet.curves if _can_be_shown(sheet, curve)]
    if shown:
        sheet.write(f"# Bins of the histograms are {RULE}; empty ones are one line")
    for curve in shown:
        _table(sheet, curve)
        for point in curve.points:
            _histograms(sheet, point)


def _can_be_shown(sheet: Sheet, curve: Series) -> bool:
    """Return whether single calls were timed; note how to get what is missing."""
    first = curve.points[0].launches[0]
    if curve.operation.family == "harness":
        sheet.leave_out(curve)
        return False
    if first.repetitions != first.times_ns.size:
        sheet.lack(curve, "a histogram needs single calls (timing=block)", timing="call")
        return False
    if times_by_process(curve.points[0]) is None:
        sheet.lack(curve, "a histogram of each process needs the times of every rank", per_rank="true")
    return True


def _table(sheet: Sheet, curve: Series) -> None:
    first = curve.points[0]
    timed = f"reduce={first.point['reduce']}" if times_by_process(first) is None else "every process"
    sheet.write("", f"# {curve.label}: {curve.operation.calls}, {first.member_count} processes, {timed}")
    sheet.about(curve)
    sheet.write(f"#{'bytes':>9} {'repeats':>9} {'min[us]':>11} {'avg[us]':>11} {'max[us]':>11}  peaks[us]")
    for point in curve.points:
        times = pooled(point)
        figures = "".join(f" {time:11.3f}" for time in (times[0], point.time_ns / 1e3, times[-1]))
        sheet.write(f"{point.bytes or 0:10d} {times.size:9d}{figures}  {_words(peaks(times))}")


def _histograms(sheet: Sheet, point: PointSummary) -> None:
    """Write the histogram of all calls, and that of each process."""
    processes = times_by_process(point) or {}
    size = "" if point.bytes is None else f" of {format_size(point.bytes)}"
    if len(processes) != 1:
        sheet.write(*_lines(f"{size}, {'all processes' if processes else 'all repetitions'}", pooled(point)))
    for rank, times in processes.items():
        sheet.write(*_lines(f"{size}, process {rank}", times / 1e3))


def _lines(label: str, times: NDArray[np.float64]) -> Iterator[str]:
    """Yield a histogram: a line for each bin, and one for all empty bins between two others."""
    distribution = histogram(times)
    found_peaks = _words(distribution.peaks) or "not known below 100 calls"
    yield f"# histogram{label}: {times.size} calls; peaks[us] {found_peaks}"
    yield f"#{'from[us]':>11} {'to[us]':>12} {'calls':>9} {'cumulated':>10}"
    for low, high, count, share in distribution.rows(float(times.max())):
        bar = "*" * min(_BAR, round(_BAR * count / distribution.counts.max()))
        yield f"{low:12.3f} {high:12.3f} {count:9d} {share:10.1%} {bar}"


def _words(found_peaks: list[Peak]) -> str:
    return " ".join(f"{peak.at:.2f}({peak.share:.0%})" for peak in found_peaks)


def pooled(point: PointSummary) -> NDArray[np.float64]:
    """Return the times of all launches in microseconds, ascending: of every process if they were recorded."""
    processes = times_by_process(point)
    parts = [launch.times_ns for launch in point.launches] if processes is None else list(processes.values())
    return np.sort(np.concatenate(parts)) / 1e3


STYLE = Style(program="MPIBench", write=_write, profile="mpibench")
