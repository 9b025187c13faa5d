"""As ringtest prints: bytes, microseconds one way, and MB/s of 10^6 bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.programs.sheet import Style

if TYPE_CHECKING:
    from groma.programs.sheet import Sheet


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        if curve.operation.name != "pingpong":
            sheet.leave_out(curve)
            continue
        sheet.write("bytes,us,MB/s")
        for point in curve.points:
            sheet.write(f"{point.bytes},{point.time_ns / 1e3:.2f},{point.bandwidth_mb_s or 0.0:.1f}")


STYLE = Style(program="ringtest", write=_write, profile="ringtest", comments=False)
