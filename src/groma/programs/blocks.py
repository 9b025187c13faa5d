"""The tables of the Intel MPI Benchmarks and of the Pallas MPI Benchmarks before them: columns of 13, in blocks.

There is a block for each benchmark and number of processes. t[usec] of PingPong is half the round trip. t_min, t_max
and t_avg are the smallest, the largest and the mean over ranks of each rank's mean time of a call, and so need
`per_rank`. Mbytes/sec: the message over t of PingPong and PingPing, two messages over t_max of Sendrecv, four of
Exchange; of Uniband and Biband those of all pairs. Several groups at once are a Multi- block, as with `-multi 0`. The
size of Reduce_scatter is that of the whole vector up to IMB 2019 (PMB too), and of one rank's part since 2019 Update 1.
The head has only the lines that programs which read the output look for.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from groma.analysis import PointSummary
from groma.analysis.minimum import on_device
from groma.analysis.processes import times_of_ranks
from groma.analysis.series import Series
from groma.catalog.reporting import Reporting
from groma.columns.formulas import overlap_imb
from groma.programs.sheet import Sheet, Style, apart_from, datatype, pairs
from groma.programs.work import has_work, with_share
from groma.text.templates import plain_templates

_SINGLE = ("pingpong", "pingpong_any_source", "pingping", "pingping_any_source")
# Messages that count for the bandwidth of one process; the others have none.
_MESSAGES = dict.fromkeys(_SINGLE, 1) | {"sendrecv": 2, "exchange": 4}
_RATES = {"message_rate", "bimessage_rate"}
_OPERATIONS = {"sum": "MPI_SUM", "max": "MPI_MAX", "band": "MPI_BAND", "null": "null (does nothing)"}
_OF_RANKS = ("t_min[usec]", "t_max[usec]", "t_avg[usec]")
_OF_WORK = ("t_ovrl[usec]", "t_pure[usec]", "t_CPU[usec]", "overlap[%]")
_FIRST_PART = "MPI-1"


@dataclass(frozen=True)
class Layout:
    """Differences between the programs.

    `names` of benchmarks, by operation; `mega`: bytes of an Mbyte; `processes`: how many ranks there are; `group` and
    `rank`: which ranks a group has; `whole`: operations whose size is that of all ranks' parts together; `parts` of the
    suite that are named in the head, by operation, if not the first; `differs`: what is said of exchanges around work;
    `one_by_one`: one-sided calls, each completed by itself; `files`: calls on a file of all ranks.
    """

    head: str
    names: dict[str, str]
    mega: float
    processes: str
    group: str
    rank: str
    whole: frozenset[str] = frozenset()
    parts: Mapping[str, str] = field(default_factory=dict)
    differs: str = ""
    one_by_one: frozenset[str] = frozenset()
    files: frozenset[str] = frozenset()

    def name(self, point: PointSummary) -> str:
        """Return the name of the benchmark; that of a file has another letter if one rank is alone."""
        own = self.names[point.operation]
        alone = point.operation in self.files and point.member_count == 1
        return f"S_{own[2:]}" if alone and own.startswith("P_") else own

    def style(self, program: str, profile: str) -> Style:
        """Return the style of a program with this layout."""
        return Style(program=program, write=functools.partial(_write, layout=self), profile=profile)


def _write(sheet: Sheet, layout: Layout) -> None:
    """Write the head and all blocks."""
    curves = over_all_sizes(sheet.curves)
    blocks = [curve for curve in curves if _has_a_name(curve, layout) and _can_be_shown(sheet, curve)]
    if blocks:
        _head(sheet, layout, blocks)
    for curve in curves:
        if not _has_a_name(curve, layout):
            sheet.leave_out(curve)
    for curve in blocks:
        _block(sheet, curve, layout)
    if blocks:
        sheet.write("", "", "# All processes entering MPI_Finalize")


def over_all_sizes(curves: list[Series]) -> list[Series]:
    """Return the curves; those that differ in the length of blocks alone, which decreases with the size, are joined."""
    return [
        Series(parts[0].label, sorted((p for part in parts for p in part.points), key=lambda point: point.bytes or 0))
        for parts in apart_from("block", curves)
    ]


def _head(sheet: Sheet, layout: Layout, blocks: list[Series]) -> None:
    reductions = [curve.points[0] for curve in blocks if "reduction" in curve.operation.uses]
    operations = [str(point.point.get("reduction")) for point in reductions]
    parts = {layout.parts.get(curve.operation.name, _FIRST_PART) for curve in blocks}
    text = (
        plain_templates(Path(__file__).parent)
        .get_template("blocks.jinja")
        .render(
            head=layout.head.format(parts.pop() if len(parts) == 1 else _FIRST_PART) + _of_buffers(blocks),
            run=sheet.run.meta,
            sizes=[point.bytes for curve in blocks for point in curve.points if point.bytes is not None] or [0],
            datatypes=map(datatype, reductions),
            operators=[_OPERATIONS.get(operation, operation) for operation in operations],
            benchmarks=[layout.name(curve.points[0]) for curve in blocks],
        )
    )
    sheet.write(*text.splitlines())


def _of_buffers(blocks: list[Series]) -> str:
    """Return what the head of IMB's programs for devices adds."""
    return " (GPU)" if all(on_device(curve.points[0].point) for curve in blocks if curve.has_sizes) else ""


def _has_a_name(curve: Series, layout: Layout) -> bool:
    """Return whether the program has such a benchmark: of one-sided calls by one pair, of files in one piece."""
    first = curve.points[0]
    if first.point.get("file_parts", 1) != 1 or first.point.get("file_cold"):
        return False
    if curve.operation.name in layout.one_by_one and (first.point["epoch_calls"], pairs(first)) != (1, 1):
        return False
    return curve.operation.name in layout.names


def _can_be_shown(sheet: Sheet, curve: Series) -> bool:
    """Return whether there are figures for all columns; if not, note how to get them."""
    launches = [launch for point in curve.points for launch in point.launches]
    first = curve.points[0]
    if (
        _single(first)
        or first.operation in _RATES
        or has_work(first)
        or all(launch.ranks_ns is not None for launch in launches)
    ):
        return True
    sheet.lack(curve, "t_min, t_max and t_avg need the times of every rank", per_rank="true")
    return False


def _single(point: PointSummary) -> bool:
    """Return whether one pair was alone: then there is one time, and no minimum or maximum."""
    return (point.operation in _SINGLE or "epoch_calls" in point.point) and pairs(point) == 1


def _groups(point: PointSummary) -> tuple[int, int]:
    """Return how many groups of ranks ran at once, and how many ranks each has; pairs are groups of two."""
    groups = pairs(point) if point.operation in _SINGLE else point.launches[0].record.groups
    return groups, point.member_count // groups


def _block(sheet: Sheet, curve: Series, layout: Layout) -> None:
    first = curve.points[0]
    times = ("t[usec]",) if _single(first) else () if first.operation in _RATES else _OF_RANKS
    headings = ["#bytes"] * curve.has_sizes + ["#repetitions", *(_OF_WORK if has_work(first) else times)]
    one_by_one, on_file = first.operation in layout.one_by_one, first.operation in layout.files
    headings += ["Mbytes/sec"] * (first.operation in _MESSAGES or first.operation in _RATES or one_by_one or on_file)
    headings += ["Msg/sec"] * (first.operation in _RATES)
    rule = f"#{'-' * (13 * len(headings) - 1)}"
    multi = "Multi-" * (_groups(first)[0] > 1)
    sheet.write("", rule, f"# Benchmarking {multi}{layout.name(first)}", *_processes(first, layout))
    waiting = first.ranks - first.member_count
    if waiting:
        sheet.write(f"# ( {waiting} additional process{'es' * (waiting > 1)} waiting )")
    if has_work(first):
        sheet.write(f"# {layout.differs}")
    if one_by_one or first.point.get("file_sync"):
        sheet.write("#", "#    MODE: NON-AGGREGATE", "#")
    elif "file_sync" in curve.operation.uses and on_file:
        sheet.write("# Without MPI_File_sync: with MODE: AGGREGATE IMB makes one after all calls, inside the time")
    sheet.about(curve)
    sheet.write(rule, "".join(f"{heading:>13}" for heading in headings))
    sheet.write(*(_row(point, layout, sheet.reporting) for point in curve.points))


def _processes(point: PointSummary, layout: Layout) -> list[str]:
    """Return the lines that say how many ranks took part, and in which groups, as far as their ranks are recorded."""
    groups, each = _groups(point)
    if groups == 1:
        return [layout.processes.format(each)]
    lines = [f"# ( {groups} groups of {each} processes each running simultaneous )"]
    if len(point.members) == groups * each:
        for number in range(groups):
            ranks = point.members[number * each : (number + 1) * each]
            lines += [layout.group.format(number) + "".join(map(layout.rank.format, ranks))]
    return lines


def _row(point: PointSummary, layout: Layout, reporting: Reporting) -> str:
    parts = _groups(point)[1] if point.operation in layout.whole else 1
    size = "" if point.bytes is None else f"{point.bytes * parts:13d}"
    row = f"{size}{point.launches[0].repetitions:13d}"
    if point.operation in _RATES:
        return f"{row}{(point.bandwidth_mb_s or 0.0) * 1e6 / layout.mega:13.2f}{point.messages_per_s or 0.0:13.0f}"
    if has_work(point):
        alone, work, both, share = with_share(point, reporting, overlap_imb)
        return row + "".join(f"{figure:13.2f}" for figure in (both, alone, work, share))
    times = [point.time_ns] if _single(point) else over_ranks(point)
    row += "".join(f"{time / 1e3:13.2f}" for time in times)
    messages = 1 if point.operation in layout.one_by_one else _MESSAGES.get(point.operation, 0)
    if point.operation in layout.files:
        messages = point.member_count
    if not messages:
        return row
    slowest = times[0] if len(times) == 1 else times[1]
    rate = messages * (point.bytes or 0) / slowest * 1e9 / layout.mega if slowest > 0 else 0.0
    return f"{row}{rate:13.2f}"


def over_ranks(point: PointSummary) -> list[float]:
    """Return the smallest, the largest and the mean of the ranks' mean times, as medians over launches."""
    means = [times.mean(axis=1) for launch in point.launches if (times := times_of_ranks(launch, point)) is not None]
    return [float(value) for value in np.median([[row.min(), row.max(), row.mean()] for row in means], axis=0)]
