"""As MPI_bcast_test prints (the JET page): one line of comma-separated values for each set of transfers of a campaign.

Times are in milliseconds, a column for each process under the name of its host; Tmax and Tmin leave the root out. The
heading comes once, and again if the hosts change. Wtime is in seconds since 1970, when rank 0 had all sets of its
point. There are no comments among the lines: they are for a spreadsheet.
"""

from __future__ import annotations

from collections.abc import Iterator

from groma.analysis import Series
from groma.programs.bcast_test.transfers import OPERATION, transfer_times
from groma.programs.sheet import Sheet, Style
from groma.results import Launch
from groma.results.records import Point

_NS_A_MS = 1e6


def _write(sheet: Sheet) -> None:
    for curve in sheet.curves:
        if curve.operation.name != OPERATION:
            sheet.leave_out(curve)
        else:
            _judge(sheet, curve)
    records = [
        (launch, record)
        for launch in sheet.run.launches
        for record in sorted(launch.points, key=lambda record: record.sequence)
        if transfer_times(record) is not None
    ]
    if any(record.finished_unix_ns is None for _, record in records):
        sheet.remarks.append("Wtime is empty: the engine that measured this did not record when a point was over.")
    hosts: list[str] = []
    for launch, record in records:
        if (record_hosts := _hosts(launch, record)) != hosts:
            hosts = record_hosts
            sheet.write("Wtime,\tnt,\tnbt,\tTmax,\tTmin,\t" + "\t, ".join(hosts))
        sheet.write(*lines(record))


def _judge(sheet: Sheet, curve: Series) -> None:
    """Note settings of the curve that the columns cannot show, or that differ from those of the program."""
    point = curve.points[0].point
    if point["timing"] != "call":
        sheet.lack(curve, "a line needs single sets of transfers (timing=block)", timing="call")
    elif point["root"] != "fixed":
        sheet.lack(curve, f"Tmax and Tmin leave one root out (root={point['root']})", root="fixed")
    elif not point["per_rank"]:
        sheet.lack(curve, "a line needs the times of every rank", per_rank="true")
    elif departures := sheet.departures(curve):
        sheet.remarks.append(f"{curve.label}: not as {sheet.profile} measures: {', '.join(departures)}")


def _hosts(launch: Launch, record: Point) -> list[str]:
    """Return the host of every process, or its rank if the launch did not record hosts."""
    ranks = record.members if len(record.members) == record.member_count else list(range(record.member_count))
    if launch.nodes is None:
        return [f"rank {rank}" for rank in ranks]
    nodes = dict(enumerate(launch.nodes.nodes))
    names = {place.rank: nodes[place.node].name for place in launch.nodes.ranks if place.node in nodes}
    return [names.get(rank, f"rank {rank}") for rank in ranks]


def lines(record: Point) -> Iterator[str]:
    """Yield a line for every repetition: `143638.984	, 1,	327680,	108.49,	57.34,	1.34,	57.34,	108.49,`."""
    segments, each = int(record.point["segments"]), int(record.point["bytes"]) // int(record.point["segments"])
    finished = record.finished_unix_ns
    wtime = "" if finished is None else f"{finished * 1e-9:.3f}"
    others_ns = transfer_times(record)
    if others_ns is None or record.ranks_ns is None:
        return
    for number, times in enumerate(zip(*record.ranks_ns, strict=True)):
        figures = [others_ns[:, number].max(), others_ns[:, number].min(), *times]
        yield f"{wtime}\t, {segments},\t{each}," + "".join(f"\t{float(time) / _NS_A_MS:.2f}," for time in figures)


STYLE = Style(program="MPI_bcast_test", write=_write, profile="bcast_test", comments=False)
