"""The table as text: for the terminal, and as a page of the documentation."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from benchmarks.fidelity.rows import ALIKE, Cause, Row, cause_of
from groma.sizes import format_size

_HEAD = """# The emulated programs against the real ones

`make fidelity` writes this page. It starts a real program and the profile that stands for it in turns (real, emulated,
emulated, real), with the same library, launcher, ranks and binding, and compares what both report. The ratio is that of
times, emulated over real (of rates: real over emulated): the median over rounds of the ratio in a round, with its 95 %
interval. Rows outside {low:g} to {high:g} are marked and explained. Times are in microseconds, rates (*) in MB/s.
"""
_UNKNOWN = "the cause is not known yet"


def table(rows: Sequence[Row]) -> list[str]:
    """Return the rows of one program, library and number of ranks as lines of a Markdown table."""
    lines = ["| test | operation | size | real | emulated | ratio | 95 % | |", "|---|---|--:|--:|--:|--:|---|---|"]
    for row in rows:
        bounds = "too few rounds" if row.interval is None else f"{row.interval.low:.2f} to {row.interval.high:.2f}"
        size = format_size(row.size) if row.size else ""
        star = "*" if row.rate else ""
        lines.append(
            f"| {row.test}{star} | {row.operation} | {size} | {row.real:.2f} | {row.emulated:.2f} | {row.ratio:.3f} "
            f"| {bounds} | {'' if row.alike else '!'} |"
        )
    return lines


def explanations(rows: Sequence[Row], causes: Sequence[Cause]) -> list[str]:
    """Return a sentence for the rows that are off, those of one cause together."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if not row.alike:
            cause = cause_of(row, causes)
            text = _UNKNOWN if cause is None else f"{cause.sentence} Measured by: `{cause.measured_by}`."
            found.setdefault(text, []).append(f"{row.test} {format_size(row.size) if row.size else ''}".strip())
    return [f"* {', '.join(names)}: {text}" for text, names in found.items()]


def page(rows: Sequence[Row], causes: Sequence[Cause], conditions: Sequence[str]) -> str:
    """Return the whole page; `conditions` are sentences on how it was made."""
    low, high = ALIKE
    lines = [_HEAD.format(low=low, high=high), *conditions, f"Machine: {_processor()}, {platform.system()}.", ""]
    for (program, library, ranks), group in groupby(rows, key=lambda row: (row.program, row.library, row.ranks)):
        part = list(group)
        off = explanations(part, causes)
        lines += [
            f"## {program} on {library}, {ranks} ranks, {max(row.rounds for row in part)} rounds",
            "",
            *table(part),
        ]
        lines += ["", *off, ""] if off else [""]
    return "\n".join(lines).rstrip() + "\n"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} CPUs of {names[0]}" if names else platform.machine()
