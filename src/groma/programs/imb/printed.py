"""What IMB-MPI1 of the Intel MPI Benchmarks prints: a block for each test and number of processes."""

from __future__ import annotations

import re
from dataclasses import replace

from groma.programs.printed import Cells, Importer, Line, Table, step_of, whole

_TIME, _RATE = "t[usec]", "Mbytes/sec"
_MBYTES, _DECIMAL_SINCE = (2**20 / 1e6, 1.0), 2017  # of how many 10^6 bytes they are, before that version and since

_WHOLE_VECTOR = re.compile(r"(?:\d{1,3}|200\d|201[0-8])\b.*|2019")  # versions whose Reduce_scatter has its size
_FLOAT_BYTES = 4  # of what IMB reduces


def _settle(line: Line, table: Table, cells: Cells) -> Line:
    if "Group" in cells:
        return replace(line, test=f"Multi-{line.test} of group {cells['Group']}")
    groups, order = table.count("groups") or 1, tuple(map(whole, table.said.get("order", "").split()))
    ranks = groups * (table.count("each") or table.count("ranks"))
    if len(order) != ranks or order == tuple(range(ranks)):
        order = ()
    if (
        "buffers" in table.facts
    ):  # of a device; of which vendor, and whether -mem_alloc_type changed that, it does not say
        line = replace(line, settings={**line.settings, "memory": "device"})
    launched = max(ranks + table.count("waiting"), *(member + 1 for member in order), 0)
    line = replace(line, ranks=ranks or None, launched=launched or None, groups=groups, members=order)
    return _by_rate(line, table.facts.get("version", ""), cells) if _TIME in cells and _RATE in cells else line


def _by_rate(line: Line, version: str, cells: Cells) -> Line:
    """Return the line of a pair with the time of which its rate is made, if that has more digits.

    If the version is unknown, Mbytes are those with which the rate agrees with the time; if both do, the time stays.
    """
    rate, year = float(cells[_RATE]), re.search(r"\d+", version)
    if not (line.size and rate > 0 and step_of(cells[_RATE]) / rate < line.step / max(line.figure, line.step)):
        return line
    known = [_MBYTES[int(year[0]) >= _DECIMAL_SINCE]] if year else _MBYTES
    times = [time for mega in known if abs((time := line.size / rate / mega) - line.figure) <= line.step]
    if len(times) != 1:
        return line
    step = step_of(cells[_RATE]) * times[0] / rate
    return replace(line, figure=times[0], step=step, others={**line.others, _TIME: line.figure})


def _of_one_part(line: Line, table: Table, cells: Cells) -> Line:
    """Return the row settled; its size is that of one rank's part, also in versions that print the whole vector's."""
    settled = _settle(line, table, cells)
    version, ranks = table.facts.get("version", ""), (settled.ranks or 0) // settled.groups
    if line.test != "Reduce_scatter" or not ranks or not _WHOLE_VECTOR.fullmatch(version):
        return settled
    if line.size % (_FLOAT_BYTES * ranks):
        return replace(settled, test=f"{line.test} in unequal parts")
    return replace(settled, size=line.size // ranks)


IMPORTER = Importer.of(__file__, _of_one_part)
