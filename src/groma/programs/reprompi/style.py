"""As ReproMPI 1.0.1 (mpibenchmark --summary) prints: settings as lines of `#@name=value`, then a line for each size.

It holds the function, the number of elements, the repetitions made and those that count, and mean, median, smallest and
largest time in seconds: of a launch's single calls, each the time of its slowest rank. ReproMPI prints one launch;
here each column is the median over launches. A barrier's count is 1. Its words for settings are used if it has one.
"""

from __future__ import annotations

import numpy as np

from groma.analysis import PointSummary, Series
from groma.programs.sheet import Sheet, Style, datatype
from groma.results.fields import meanings_of

_COLUMNS = ("count", "total_nrep", "valid_nrep", "mean_sec", "median_sec", "min_sec", "max_sec")
_WIDTHS = (12, 10, 10, 14, 14, 14, 14)
_SLOWEST = {"max", "span"}
_WORDS = {"mpi": "MPI_Wtime", "tsc": "RDTSCP", "barrier": "MPI_Barrier", "dissemination": "BBarrier"}


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        first = curve.points[0]
        if curve.operation.family != "collective":
            sheet.leave_out(curve)
        elif first.launches[0].repetitions != first.launches[0].times_ns.size:
            sheet.lack(curve, "its times are not those of single calls (timing=block)", timing="call")
        elif first.point["reduce"] not in _SLOWEST:
            sheet.lack(
                curve, f"its times are not those of the slowest rank (reduce={first.point['reduce']})", reduce="max"
            )
        else:
            _table(sheet, curve)


def _table(sheet: Sheet, curve: Series) -> None:
    headings = [f"{name:>{width}}" for name, width in zip(_COLUMNS, _WIDTHS, strict=True)]
    sheet.write("", *(f"#@{name}={value}" for name, value in _settings(curve.points[0]).items()))
    sheet.about(curve)
    sheet.write(" ".join([f"{'test':>50}", *headings]), *(_row(curve, point) for point in curve.points))


def _settings(point: PointSummary) -> dict[str, object]:
    fields = point.point
    reduces = "reduction" in meanings_of(fields).operations[point.operation].uses
    return {
        **({"operation": f"MPI_{fields['reduction']}".upper()} if reduces else {}),
        "datatype": datatype(point),
        "nprocs": point.member_count,
        "clocktype": "global" if fields["reduce"] == "span" else "local",
        "clock": _WORDS.get(fields["clock"], fields["clock"]),
        "sync": _WORDS.get(fields["sync"], fields["sync"]),
    }


def _row(curve: Series, point: PointSummary) -> str:
    element_bytes = meanings_of(point.point).catalog.element_bytes(point.point.get("datatype", "byte"))
    count = 1 if point.bytes is None else point.bytes // element_bytes
    calls = [launch.times_ns * launch.divisor for launch in point.launches]
    figures = [(times.mean(), np.median(times), times.min(), times.max()) for times in calls]
    total = int(np.median([launch.times_ns.size + launch.record.invalid for launch in point.launches]))
    valid = int(np.median([launch.times_ns.size for launch in point.launches]))
    times_s = np.median(figures, axis=0) / 1e9
    return f"{curve.operation.calls:>50} {count:12d} {total:10d} {valid:10d}" + "".join(
        f" {time:14.10f}" for time in times_s
    )


STYLE = Style(program="ReproMPI", write=_write, profile="reprompi")
