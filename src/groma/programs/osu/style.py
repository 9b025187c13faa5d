"""As the OSU Micro-Benchmarks 7 print: a title, the datatype, then a size and a figure a line.

Latency is half the round trip. Collectives: the mean over ranks of each rank's mean. MB/s are 10^6 bytes per second; a
bidirectional bandwidth counts both directions, and the message rate all pairs. The size of a reduce-scatter is that of
the whole vector. Nonblocking collectives: work inside them, and its overlap. Titles and columns are those of version
7.4; the comments between them are Groma's.
"""

from __future__ import annotations

from groma.analysis import PointSummary, Series
from groma.analysis.minimum import memory_kinds
from groma.columns.formulas import overlap_osu
from groma.programs.osu.printed import EPOCHS, IMPORTER, ONE_WAY, SIDED, VENDORS
from groma.programs.sheet import Sheet, Style, datatype, is_mean_over_ranks, pairs
from groma.programs.work import has_work, with_share

_TOLD = IMPORTER.told
_TITLES = {test.operation: test.title for test in (*_TOLD.tests, *_TOLD.nearest)}
_ONE_SIDED = {
    (test.operation.partition("/")[0], test.rate): test.title for test in _TOLD.tests if "epoch_calls" in test.settings
}
_SYNCS = {epoch: words for words, epoch in EPOCHS.items()}
_WINDOWS = {"created": "MPI_Win_create", "dynamic": "MPI_Win_create_dynamic", "allocated": "MPI_Win_allocate"}
_WHOLE_VECTOR = {test.operation for test in (*_TOLD.tests, *_TOLD.nearest) if test.whole}
_OF_WORK = ("Overall(us)", "Compute(us)", "Pure Comm.(us)", "Overlap(%)")
_BANDWIDTHS = {"stream", "stream_persistent", "bistream", "bistream_persistent"}


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        operation, first = curve.operation.name, curve.points[0]
        if operation == "threads/pingpong" or "epoch_calls" in curve.operation.uses:
            (_by_threads if operation == "threads/pingpong" else _one_sided)(sheet, curve)
        elif operation in set(SIDED).difference(ONE_WAY) and len({*memory_kinds(first.point)}) > 1:
            sheet.lack(curve, "OSU's sides are two ranks, each with one kind of memory", memory="cuda")
        elif operation not in _TITLES or (operation in _BANDWIDTHS and pairs(first) != 1):
            sheet.leave_out(curve)
        elif operation == "message_rate":
            setting = f"# [ pairs: {pairs(first)} ] [ window size: {first.point['window']} ]"
            rows = [_row(point, point.bandwidth_mb_s, point.messages_per_s) for point in curve.points]
            _table(sheet, curve, [setting], "# Size                  MB/s        Messages/s", rows)
        elif operation in _BANDWIDTHS:
            rows = [_row(point, point.bandwidth_mb_s) for point in curve.points]
            _table(sheet, curve, [], "# Size      Bandwidth (MB/s)", rows)
        elif has_work(first):
            _work(sheet, curve)
        elif not is_mean_over_ranks(first):
            reason = f"its times are not means over ranks (reduce={first.point['reduce']})"
            sheet.lack(curve, reason, reduce="mean")
        elif curve.has_sizes:
            rows = [_row(point, point.time_ns / 1e3) for point in curve.points]
            _table(sheet, curve, [], "# Size       Avg Latency(us)", rows)
        else:
            _table(sheet, curve, [], "# Avg Latency(us)", [f"{first.time_ns / 1e3:17.2f}"])


def _one_sided(sheet: Sheet, curve: Series) -> None:
    """Write the table of a one-sided call: a rate if more than one is completed together."""
    first, is_rate = curve.points[0], curve.points[0].point["epoch_calls"] > 1
    call, _, epoch = first.operation.partition("/")
    title = _ONE_SIDED.get((call, is_rate))
    if title is None or epoch not in _SYNCS or pairs(first) != 1 or first.point["rma_window"] not in _WINDOWS:
        sheet.leave_out(curve)
        return
    sheet.write("", f"# OSU {title} Test v7.4", f"# Window creation: {_WINDOWS[first.point['rma_window']]}")
    sheet.write(f"# Synchronization: MPI_Win_{_SYNCS[epoch]}")
    if call != "get_accumulate":
        sheet.write(f"# Datatype: {datatype(first)}.")
    sheet.about(curve)
    sheet.write("# Size      Bandwidth (MB/s)" if is_rate else "# Size          Latency (us)")
    sheet.write(*(_row(point, point.bandwidth_mb_s if is_rate else point.time_ns / 1e3) for point in curve.points))


def _by_threads(sheet: Sheet, curve: Series) -> None:
    """Write the table of ping-pongs by threads, as many on either side (-t 2:2), of one communicator."""
    first = curve.points[0]
    if pairs(first) != 1:
        sheet.leave_out(curve)
    elif first.point["thread_channel"] != "tag":
        threads = str(first.point["threads"])
        sheet.lack(curve, "osu_latency_mt has one communicator", thread_channel="tag", threads=threads)
    else:
        sides = (f"# Number of {side} threads: {first.point['threads']}" for side in ("Sender", "Receiver"))
        sheet.write("", *sides, "# OSU MPI Multi-threaded Latency Test v7.4", f"# Datatype: {datatype(first)}.")
        sheet.about(curve)
        sheet.write("# Size       Avg Latency(us)", *(_row(point, point.time_ns / 1e3) for point in curve.points))


def _work(sheet: Sheet, curve: Series) -> None:
    """Write the table of a collective with work inside it."""
    heads = "".join(f"{name:>18}" for name in _OF_WORK)
    heading, rows = "# Size    " + heads if curve.has_sizes else f"# {heads.lstrip()}", []
    for point in curve.points:
        alone, work, both, share = with_share(point, sheet.reporting, overlap_osu)
        row = _row(point, both, work, alone, share)
        rows.append(row if curve.has_sizes else row[15:])
    further = ["# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait", f"# {_TOLD.differs}"]
    _table(sheet, curve, further, heading, rows)


def _table(sheet: Sheet, curve: Series, further: list[str], heading: str, rows: list[str]) -> None:
    """Write one test: title, comments, and its rows, with the column of -c if every batch was checked."""
    first = curve.points[0]
    title, is_multi = _TITLES[first.operation], (first.point["pattern"], first.point["sync"]) == ("halves", "barrier")
    if first.operation == "pingpong" and pairs(first) <= 1 and not is_multi:
        title = "MPI Latency"
    sheet.write("", *_in_memory(first, title), *further)
    if curve.has_sizes:
        sheet.write(f"# Datatype: {datatype(first)}.")
    sheet.about(curve)
    if curve.has_sizes and all(map(_is_checked, curve.points)):
        heading, rows = f"{heading}{'Validation':>18}", [f"{row}{'Pass':>18}" for row in rows]
    sheet.write(heading, *rows)


def _is_checked(point: PointSummary) -> bool:
    """Return whether the data of every batch were asked to be checked, and were right: wrong data have no figure."""
    return bool(point.point.get("check")) and all(launch.record.validated for launch in point.launches)


def _in_memory(point: PointSummary, title: str) -> list[str]:
    """Return the title, and for programs of two sides where their buffers are, if one is on a device."""
    kinds = memory_kinds(point.point)
    vendor = next((VENDORS[name] for kind in kinds if (name := kind.partition("_")[0]) in VENDORS), "")
    if not vendor:
        return [f"# OSU {title} Test v7.4"]
    first, second = (
        "MANAGED (M)" if kind.endswith("_managed") else "HOST (H)" if kind in ("host", "pinned") else "DEVICE (D)"
        for kind in kinds
    )
    sides = [f"# Send Buffer on {first} and Receive Buffer on {second}"] if point.operation in SIDED else []
    return [f"# OSU {title.replace('MPI', f'MPI-{vendor}', 1)} Test v7.4", *sides]


def _row(point: PointSummary, *figures: float | None) -> str:
    ranks = point.member_count if point.operation in _WHOLE_VECTOR else 1
    return f"{(point.bytes or 0) * ranks:<10d}" + "".join(f"{figure or 0.0:18.2f}" for figure in figures)


STYLE = Style(program="the OSU Micro-Benchmarks", write=_write, profile="osu")
