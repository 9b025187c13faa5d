"""As MPBench prints: a block for each test, a line for each message length, ready to be drawn.

Bandwidths and the rates of collectives are KB/s of 10^3 bytes, latency is one way in microseconds, and a round trip is
counted in transactions per second, all three from the samples of the ping-pong. A collective's rate is the message over
the root's time of the call and of the barrier after every call. The tests are known; headings and digits are a
reconstruction.
"""

from __future__ import annotations

from collections.abc import Callable

from groma.analysis import PointSummary, Series
from groma.programs.sheet import Sheet, Style, pairs

_COLLECTIVES = {"bcast": "Broadcast", "reduce": "Reduce", "allreduce": "AllReduce", "alltoall": "All-to-all"}
_TITLES = {f"{name}_then_barrier": title for name, title in _COLLECTIVES.items()}


def _write(sheet: Sheet) -> None:
    measured = {(curve.operation.name, curve.points[0].member_count) for curve in sheet.curves}
    for curve in sheet.curves:
        name, point = curve.operation.name, curve.points[0]
        if name == "pingpong" and pairs(point) == 1:
            _table(sheet, curve, "Bandwidth", "KB/sec", _kilobytes)
            _table(sheet, curve, "Roundtrip", "transactions/sec", lambda summary: 1e9 / (2 * summary.time_ns))
            _table(sheet, curve, "Application latency", "usec", lambda summary: summary.time_ns / 1e3)
        elif name == "bistream" and pairs(point) == 1:
            _table(sheet, curve, "Bidirectional bandwidth", "KB/sec", _kilobytes)
        elif name in _COLLECTIVES and (f"{name}_then_barrier", point.member_count) not in measured:
            why = "MPBench's time holds a barrier with every call"
            sheet.lack(curve, why, f"{name}_then_barrier", reduce="root")
        elif name not in _TITLES:
            sheet.leave_out(curve)
        elif point.point["reduce"] != "root":
            sheet.lack(curve, f"its times are not the root's (reduce={point.point['reduce']})", reduce="root")
        else:
            _table(sheet, curve, _TITLES[name], "KB/sec", lambda summary: (summary.bytes or 0) * 1e6 / summary.time_ns)


def _kilobytes(point: PointSummary) -> float:
    return (point.bandwidth_mb_s or 0.0) * 1e3


def _table(sheet: Sheet, curve: Series, title: str, unit: str, figure: Callable[[PointSummary], float]) -> None:
    sheet.write("", f"# {title}, {curve.points[0].member_count} processes")
    sheet.about(curve)
    sheet.write(f"# bytes {unit}")
    sheet.write(*(f"{point.bytes} {figure(point):.3f}" for point in curve.points if point.time_ns > 0))


STYLE = Style(program="MPBench", write=_write, profile="mpbench")
