"""As Mpptest prints: ranks, their distance, length, time and rate of a ping-pong; collectives with their processes.

Times are one way, in microseconds; rates are 10^6 bytes per second. The columns of the ping-pong are Mpptest's; those
of the collectives are a reconstruction, and so are digits and the unit of the rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.styles.sheet import Style, pairs

if TYPE_CHECKING:
    from groma.analysis import PointSummary, Series
    from groma.styles.sheet import Sheet

_COLLECTIVES = {"bcast", "scatter"}


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        point = curve.points[0]
        if curve.operation.name == "pingpong" and pairs(point) == 1:
            _table(sheet, curve, "#p0\tp1\tdist\tlen\tave time (us)\trate (MB/s)", _pair(point))
        elif curve.operation.name not in _COLLECTIVES:
            sheet.leave_out(curve)
        elif point.point["reduce"] != "root":
            sheet.lack(curve, f"its times are not the root's (reduce={point.point['reduce']})", reduce="root")
        else:
            headings = "#collective\tnp\tlen\tave time (us)\trate (MB/s)"
            _table(sheet, curve, headings, f"{curve.operation.calls}\t{point.member_count}")


def _pair(point: PointSummary) -> str:
    first, second = point.members[:2]
    return f"{first}\t{second}\t{second - first}"


def _table(sheet: Sheet, curve: Series, headings: str, who: str) -> None:
    sheet.write("")
    sheet.about(curve)
    sheet.write(headings)
    for point in curve.points:
        sheet.write(f"{who}\t{point.bytes}\t{point.time_ns / 1e3:.3f}\t{point.bandwidth_mb_s or 0.0:.3f}")


STYLE = Style(program="Mpptest", write=_write, profile="mpptest")
