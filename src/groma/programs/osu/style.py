"""As the OSU Micro-Benchmarks 7 print: a title, the datatype, then a size and a figure a line.

Latency is half the round trip. Collectives: the mean over ranks of each rank's mean. MB/s are 10^6 bytes per second; a
bidirectional bandwidth counts both directions, and the message rate all pairs. The size of a reduce-scatter is that of
the whole vector. Titles and columns are those of version 7.4; the comments between them are Groma's.
"""

from __future__ import annotations

from groma.analysis import PointSummary, Series
from groma.programs.osu.printed import COLLECTIVES
from groma.programs.sheet import Sheet, Style, datatype, is_mean_over_ranks, pairs

_BANDWIDTHS = {"stream": "Bandwidth", "bistream": "Bi-Directional Bandwidth"}
_WHOLE_VECTOR = {"reduce_scatter", "reduce_scatter_block"}


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        operation, point = curve.operation.name, curve.points[0]
        if operation in COLLECTIVES:
            _collective(sheet, curve)
        elif operation == "pingpong":
            multi = pairs(point) > 1 or (point.point["pattern"], point.point["sync"]) == ("halves", "barrier")
            _latency(sheet, curve, "Multi Latency" if multi else "Latency")
        elif operation in _BANDWIDTHS and pairs(point) == 1:
            _title(sheet, curve, _BANDWIDTHS[operation])
            sheet.write(
                "# Size      Bandwidth (MB/s)", *(_row(point, point.bandwidth_mb_s or 0.0) for point in curve.points)
            )
        elif operation == "message_rate":
            _message_rate(sheet, curve)
        else:
            sheet.leave_out(curve)


def _collective(sheet: Sheet, curve: Series) -> None:
    if curve.has_sizes:
        _latency(sheet, curve, f"{COLLECTIVES[curve.operation.name]} Latency")
    elif _has_mean(sheet, curve):
        _title(sheet, curve, "Barrier Latency")
        sheet.write("# Avg Latency(us)", f"{curve.points[0].time_ns / 1e3:17.2f}")


def _latency(sheet: Sheet, curve: Series, name: str) -> None:
    if _has_mean(sheet, curve):
        _title(sheet, curve, name)
        sheet.write("# Size       Avg Latency(us)", *(_row(point, point.time_ns / 1e3) for point in curve.points))


def _message_rate(sheet: Sheet, curve: Series) -> None:
    point = curve.points[0]
    setting = f"# [ pairs: {pairs(point)} ] [ window size: {point.point['window']} ]"
    _title(sheet, curve, "Multiple Bandwidth / Message Rate", setting)
    sheet.write(
        "# Size                  MB/s        Messages/s",
        *(_row(row, row.bandwidth_mb_s or 0.0, row.messages_per_s or 0.0) for row in curve.points),
    )


def _has_mean(sheet: Sheet, curve: Series) -> bool:
    """Return whether the times are means over ranks; if not, note how to get them."""
    point = curve.points[0]
    if is_mean_over_ranks(point):
        return True
    sheet.lack(curve, f"its times are not means over ranks (reduce={point.point['reduce']})", reduce="mean")
    return False


def _title(sheet: Sheet, curve: Series, name: str, *further: str) -> None:
    sheet.write("", f"# OSU MPI {name} Test v7.4", *further)
    if curve.has_sizes:
        sheet.write(f"# Datatype: {datatype(curve.points[0])}.")
    sheet.about(curve)


def _row(point: PointSummary, *figures: float) -> str:
    ranks = point.member_count if point.operation in _WHOLE_VECTOR else 1
    return f"{(point.bytes or 0) * ranks:<10d}" + "".join(f"{figure:18.2f}" for figure in figures)


STYLE = Style(program="the OSU Micro-Benchmarks", write=_write, profile="osu")
