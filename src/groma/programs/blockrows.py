"""Rows of the blocks that the Intel MPI Benchmarks print: who took part, and times with the digits of their rates."""

from __future__ import annotations

import re
from dataclasses import replace

from groma.programs.printed import Cells, Line, Table, step_of, whole

_TIME, _RATE = "t[usec]", "Mbytes/sec"
_MBYTES, _DECIMAL_SINCE = (2**20 / 1e6, 1.0), 2017  # of how many 10^6 bytes they are, before that version and since


def settled(line: Line, table: Table, cells: Cells) -> Line:
    """Return a row with who took part, and a time from its rate if that has more digits."""
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
