"""The tables of the Intel MPI Benchmarks and of the Pallas MPI Benchmarks before them: columns of 13, in blocks.

There is a block for each benchmark and number of processes. t[usec] of PingPong is half the round trip. t_min, t_max
and t_avg are the smallest, the largest and the mean over ranks of each rank's mean time of a call, and so need
`per_rank`. Mbytes/sec: the message over t of PingPong and PingPing, two messages over t_max of Sendrecv, four of
Exchange; of Uniband and Biband those of all pairs. The size of Reduce_scatter is that of the whole vector, that of
Reduce_scatter_block one rank's part. Blocks and columns are those of IMB 2021.11; the head has only the lines that
programs which read IMB's output look for.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from groma.analysis import PointSummary
from groma.analysis.processes import times_of_ranks
from groma.analysis.series import Series, settings
from groma.programs.sheet import Sheet, datatype, pairs
from groma.text.templates import plain_templates

NAMES = {
    "pingpong_any_source": "PingPongAnySource",
    "pingpong": "PingPong",
    "message_rate": "Uniband",
    "bimessage_rate": "Biband",
    "pingping": "PingPing",
    "sendrecv": "Sendrecv",
    "exchange": "Exchange",
    "bcast": "Bcast",
    "allgather": "Allgather",
    "allgatherv": "Allgatherv",
    "gather": "Gather",
    "gatherv": "Gatherv",
    "scatter": "Scatter",
    "scatterv": "Scatterv",
    "alltoall": "Alltoall",
    "alltoallv": "Alltoallv",
    "reduce": "Reduce",
    "reduce_scatter": "Reduce_scatter",
    "reduce_scatter_block": "Reduce_scatter_block",
    "allreduce": "Allreduce",
    "barrier": "Barrier",
}
# Messages that count for the bandwidth of one process; the others have none.
_MESSAGES = {"pingpong": 1, "pingpong_any_source": 1, "pingping": 1, "sendrecv": 2, "exchange": 4}
_SINGLE = {"pingpong", "pingpong_any_source", "pingping"}
_RATES = {"message_rate", "bimessage_rate"}
_OPERATIONS = {"sum": "MPI_SUM", "max": "MPI_MAX", "band": "MPI_BAND", "null": "null (does nothing)"}
_OF_RANKS = ("t_min[usec]", "t_max[usec]", "t_avg[usec]")


def write(sheet: Sheet, head: str, names: dict[str, str], mega: float) -> None:
    """Write the head and all blocks, by the program's names; `mega` is how many bytes one of its Mbytes has."""
    curves = over_all_sizes(sheet.curves)
    blocks = [curve for curve in curves if curve.operation.name in names and _can_be_shown(sheet, curve)]
    if blocks:
        _head(sheet, head, names, blocks)
    for curve in curves:
        if curve.operation.name not in names:
            sheet.leave_out(curve)
    for curve in blocks:
        _block(sheet, curve, names[curve.operation.name], mega)
    if blocks:
        sheet.write("", "", "# All processes entering MPI_Finalize")


def over_all_sizes(curves: list[Series]) -> list[Series]:
    """Return the curves; those that differ in the length of blocks alone, which decreases with the size, are joined."""
    by_fields: dict[str, list[Series]] = {}
    for curve in curves:
        fields = {name: value for name, value in settings(curve.points[0]).items() if name != "block"}
        by_fields.setdefault(json.dumps(fields, sort_keys=True), []).append(curve)
    return [
        Series(parts[0].label, sorted((p for part in parts for p in part.points), key=lambda point: point.bytes or 0))
        for parts in by_fields.values()
    ]


def _head(sheet: Sheet, head: str, names: dict[str, str], blocks: list[Series]) -> None:
    reductions = [curve.points[0] for curve in blocks if "reduction" in curve.operation.uses]
    operations = [str(point.point.get("reduction")) for point in reductions]
    text = (
        plain_templates(Path(__file__).parent)
        .get_template("blocks.jinja")
        .render(
            head=head,
            run=sheet.run.meta,
            sizes=[point.bytes for curve in blocks for point in curve.points if point.bytes is not None] or [0],
            datatypes=map(datatype, reductions),
            operators=[_OPERATIONS.get(operation, operation) for operation in operations],
            benchmarks=[names[curve.operation.name] for curve in blocks],
        )
    )
    sheet.write(*text.splitlines())


def _can_be_shown(sheet: Sheet, curve: Series) -> bool:
    """Return whether there are figures for all columns; if not, note how to get them."""
    launches = [launch for point in curve.points for launch in point.launches]
    if _one_time(curve.points[0]) or all(launch.ranks_ns is not None for launch in launches):
        return True
    sheet.lack(curve, "t_min, t_max and t_avg need the times of every rank", per_rank="true")
    return False


def _single(point: PointSummary) -> bool:
    """Return whether one pair was alone: then there is one time, and no minimum or maximum."""
    return point.operation in _SINGLE and pairs(point) == 1


def _one_time(point: PointSummary) -> bool:
    """Return whether a row needs no times of ranks."""
    return _single(point) or point.operation in _RATES


def _block(sheet: Sheet, curve: Series, name: str, mega: float) -> None:
    first = curve.points[0]
    times = ["t[usec]"] if _single(first) else [] if first.operation in _RATES else list(_OF_RANKS)
    headings = ["#bytes"] * curve.has_sizes + ["#repetitions", *times]
    headings += ["Mbytes/sec"] * (first.operation in _MESSAGES or first.operation in _RATES)
    headings += ["Msg/sec"] * (first.operation in _RATES)
    rule = f"#{'-' * (13 * len(headings) - 1)}"
    multi = pairs(first) > 1 and curve.operation.name in _SINGLE
    sheet.write("", rule, f"# Benchmarking {'Multi-' * multi}{name}")
    if multi:
        sheet.write(f"# ( {pairs(first)} groups of 2 processes each running simultaneous )")
    else:
        sheet.write(f"# #processes = {first.member_count}")
    waiting = first.ranks - first.member_count
    if waiting:
        sheet.write(f"# ( {waiting} additional process{'es' * (waiting > 1)} waiting )")
    sheet.about(curve)
    sheet.write(rule, "".join(f"{heading:>13}" for heading in headings))
    sheet.write(*(_row(point, mega) for point in curve.points))


def _row(point: PointSummary, mega: float) -> str:
    size = "" if point.bytes is None else f"{point.bytes:13d}"
    row = f"{size}{point.launches[0].repetitions:13d}"
    if point.operation in _RATES:
        return f"{row}{(point.bandwidth_mb_s or 0.0) * 1e6 / mega:13.2f}{point.messages_per_s or 0.0:13.0f}"
    times = [point.time_ns] if _single(point) else over_ranks(point)
    row += "".join(f"{time / 1e3:13.2f}" for time in times)
    if point.operation not in _MESSAGES:
        return row
    slowest = times[0] if len(times) == 1 else times[1]
    rate = _MESSAGES[point.operation] * (point.bytes or 0) / slowest * 1e9 / mega if slowest > 0 else 0.0
    return f"{row}{rate:13.2f}"


def over_ranks(point: PointSummary) -> list[float]:
    """Return the smallest, the largest and the mean of the ranks' mean times, as medians over launches."""
    means = [times.mean(axis=1) for launch in point.launches if (times := times_of_ranks(launch, point)) is not None]
    return [float(value) for value in np.median([[row.min(), row.max(), row.mean()] for row in means], axis=0)]
