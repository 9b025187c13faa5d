"""The table as text: for the terminal, and as a page of the documentation."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from itertools import groupby

from benchmarks.fidelity.rows import ALIKE, Cause, Ratio, Row, cause_of, together
from benchmarks.host import processor
from groma.analysis.machinestate import MACHINE_CHANGE_LIMIT
from groma.sizes import format_size

_HEAD = """# The emulated programs against the real ones

`make fidelity` writes this page. It starts a real program and the profile that stands for it in turns (real, emulated,
emulated, real), with the same library, launcher, ranks and binding, and compares what both report. The ratio is that of
times, emulated over real (of rates: real over emulated), with its 95 % interval over rounds, by the signed-rank test;
the interval is wider by half a step of what the program prints, where its figures vary by less than a step. Both
launches of a round are in one state of the machine: a cache line's way between the CPUs of the first two ranks takes no
more than {limit:g} times as long around one as around the other; else they are made again. *fastest* is the ratio of
the best launches of each. A row is **same** where its interval lies within {low:g} to {high:g}, **off** where it lies
outside, and else not decided. Rows that are off are explained, and those that are not decided where their ratio lies
outside and the cause is known. *All rows* takes the mean of a round's logarithms first: what moves one row moves it
little. Times are in microseconds, rates (*) in MB/s.

Times differ from launch to launch, the calls of a program do not: the column *calls* compares the MPI calls that both
make for a row, in one launch each under a preloaded library. They are the same where functions, lengths, datatype,
reduction, roots, number and alignment of buffers, and what follows each call are; of collectives that follow each
other, how many in a row. Else a sentence says what differs. Communicators are not compared: OSU and ReproMPI use
MPI_COMM_WORLD and create no other, the profiles use a copy of it, as IMB does. On an EPYC a ping-pong of 8 B takes 2 %
longer by that on MPICH 5 and 1.5 % on Open MPI 4.1 (docs/bench.md); no other difference was seen, of nine operations of
8 B to 64 KiB on three libraries.

A section stays as it is until its program is measured again, and says on which machine that was.
"""
_HEADING = "## "
_UNKNOWN = "the cause is not known yet"


def table(rows: Sequence[Row]) -> list[str]:
    """Return the rows of one program, library and number of ranks as lines of a Markdown table."""
    lines = [
        "| test | operation | size | rounds | real | emulated | fastest | ratio | 95 % | | calls |",
        "|---|---|--:|--:|--:|--:|--:|--:|---|---|---|",
    ]
    for row in rows:
        size = format_size(row.size) if row.size else ""
        star = "*" if row.rate else ""
        lines.append(
            f"| {row.test}{star} | {row.operation} | {size} | {row.rounds} | {row.real:.2f} | {row.emulated:.2f} "
            f"| {row.fastest:.3f} | {_ratio(row.ratio)} | {_same(row)} |"
        )
    sizes = sorted({row.size for row in rows if row.size})
    for name, part in [(format_size(size), [row for row in rows if row.size == size]) for size in sizes] + [("", rows)]:
        lines.append(f"| *all rows* | | {name} | | | | | {_ratio(together(part))} | |")
    return lines


def _ratio(ratio: Ratio) -> str:
    bounds = "too few rounds" if ratio.interval is None else f"{ratio.interval.low:.2f} to {ratio.interval.high:.2f}"
    return f"{ratio.value:.3f} | {bounds} | {ratio.verdict}"


def count(rows: Sequence[Row]) -> str:
    """Return how many rows have which verdict, in a sentence."""
    words = [row.ratio.verdict for row in rows]
    same, off, open_ = (words.count(word) for word in ("same", "off", "not decided"))
    return f"Of {len(rows)} rows {same} are the same, {off} are off, and {open_} are not decided."


def _same(row: Row) -> str:
    if row.calls is None:
        return ""
    return "differ" if row.calls else "same"


def calls(rows: Sequence[Row]) -> list[str]:
    """Return how many rows have the same calls, and a line for every difference with the rows that have it."""
    known = [row for row in rows if row.calls is not None]
    if not known:
        return []
    found: dict[str, list[str]] = {}
    for row in known:
        for difference in row.calls or ():
            found.setdefault(difference, []).append(_title(row))
    same = sum(not row.calls for row in known)
    lines = [f"The MPI calls of {same} of {len(known)} rows are the same, program and profile."]
    return lines + [f"* {difference} (program against profile): {', '.join(of)}" for difference, of in found.items()]


def _title(row: Row) -> str:
    return f"{row.test} {format_size(row.size) if row.size else ''}".strip()


def explanations(rows: Sequence[Row], causes: Sequence[Cause]) -> list[str]:
    """Return a sentence for the rows that are off, those of one cause together.

    Rows that are not decided have one too where their ratio is 5 % or more from 1 and the cause is known.
    """
    found: dict[str, list[str]] = {}
    for row in rows:
        cause = cause_of(row, causes)
        if row.ratio.verdict == "off" or (cause and not row.ratio.alike):
            text = _UNKNOWN if cause is None else f"{cause.sentence} Measured by: `{cause.measured_by}`."
            found.setdefault(text, []).append(_title(row))
    return [f"* {', '.join(names)}: {text}" for text, names in found.items()]


def page(rows: Sequence[Row], causes: Sequence[Cause], conditions: Sequence[str], before: str = "") -> str:
    """Return the whole page; `conditions` are sentences on how it was made.

    `before` is the page as it was: its sections on programs and libraries that these rows lack stay.
    """
    low, high = ALIKE
    head = [_HEAD.format(low=low, high=high, limit=MACHINE_CHANGE_LIMIT), *conditions]
    made_on = f"Measured on {processor()}, {platform.system()}."
    sections = {_subject(text): text for text in before.split(_HEADING)[1:]}
    for (program, library, ranks), group in groupby(rows, key=lambda row: (row.program, row.library, row.ranks)):
        part = list(group)
        lines = [
            f"{program} on {library}, {ranks} ranks, {max(row.rounds for row in part)} rounds",
            *("", f"{made_on} {count(part)}", "", *table(part), "", *calls(part), "", *explanations(part, causes)),
        ]
        text = "\n".join(lines)
        sections[_subject(text)] = text
    return (
        _HEADING.join(["\n".join(head) + "\n\n", *[text.rstrip() + "\n\n" for text in sections.values()]]).rstrip()
        + "\n"
    )


def _subject(section: str) -> str:
    """Return the program, library and ranks of a section's heading, without its rounds."""
    return section.partition("\n")[0].rpartition(",")[0]
