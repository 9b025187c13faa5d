"""As Mpptest prints: ranks, their distance, length, time and rate of a ping-pong; collectives with their processes.

Times are one way, in microseconds; rates are 10^6 bytes per second. The columns of the ping-pong are Mpptest's; those
of the collectives and of overlap are a reconstruction, and so are digits and the unit of the rate. Overlap is Mpptest's
with nonblocking messages: its length is that of the computation, in microseconds of the computation alone.
"""

from __future__ import annotations

import numpy as np

from groma.analysis import PointSummary, Series
from groma.analysis.order import median_interval
from groma.analysis.overlap import hidden_share
from groma.programs.sheet import Sheet, Style, apart_from, pairs
from groma.programs.work import around_work

_COLLECTIVES = {"bcast", "scatter"}


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        point = curve.points[0]
        if curve.operation.name == "pingpong" and pairs(point) == 1:
            _table(sheet, curve, "#p0\tp1\tdist\tlen\tave time (us)\trate (MB/s)", _pair(point))
        elif curve.operation.name == "overlap" and pairs(point) == 1:
            continue
        elif curve.operation.name not in _COLLECTIVES:
            sheet.leave_out(curve)
        elif point.point["reduce"] != "root":
            sheet.lack(curve, f"its times are not the root's (reduce={point.point['reduce']})", reduce="root")
        else:
            headings = "#collective\tnp\tlen\tave time (us)\trate (MB/s)"
            _table(sheet, curve, headings, f"{curve.operation.calls}\t{point.member_count}")
    _overlaps(sheet)


def _pair(point: PointSummary) -> str:
    first, second = point.members[:2]
    return f"{first}\t{second}\t{second - first}"


def _table(sheet: Sheet, curve: Series, headings: str, leading: str) -> None:
    sheet.write("")
    sheet.about(curve)
    sheet.write(headings)
    for point in curve.points:
        sheet.write(f"{leading}\t{point.bytes}\t{point.time_ns / 1e3:.3f}\t{point.bandwidth_mb_s or 0.0:.3f}")


def _overlaps(sheet: Sheet) -> None:
    """Write a table for each pair and size: a row for each amount of work."""
    curves = [one for one in sheet.curves if one.operation.name == "overlap" and pairs(one.points[0]) == 1]
    for alike in apart_from("compute", curves):
        _overlap_table(sheet, alike)


def _overlap_table(sheet: Sheet, curves: list[Series]) -> None:
    sheet.write(
        "",
        f"# Overlap: a message each way ({curves[0].operation.calls}) alone, computation alone, and both at once",
        "# hidden: alone + comp - both; overlap: its share of alone or comp, whichever is longer (95% interval)",
    )
    for departures in dict.fromkeys(tuple(sheet.departures(curve)) for curve in curves):
        sheet.write_departures(list(departures))
    sheet.write("#p0\tp1\tdist\tlen\tcomp (us)\talone (us)\tboth (us)\thidden (us)\toverlap")
    points = [point for curve in curves for point in curve.points]
    for point in sorted(points, key=lambda point: (point.bytes or 0, float(point.point["compute"]))):
        launches = np.array([around_work(launch, sheet.reporting) for launch in point.launches])
        exchange, work, together = (float(time) for time in np.median(launches, axis=0))
        times = "\t".join(f"{time:.3f}" for time in (work, exchange, together, exchange + work - together))
        shares = np.array([hidden_share(*launch) for launch in launches])
        bounds = median_interval(shares)
        interval = f" ({bounds.low:.0%} to {bounds.high:.0%})" if bounds else ""
        sheet.write(f"{_pair(point)}\t{point.bytes}\t{times}\t{np.median(shares):.0%}{interval}")


STYLE = Style(program="Mpptest", write=_write, profile="mpptest")
