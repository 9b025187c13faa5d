"""The page of `make fidelity`, and what is printed of a program while others are still measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from benchmarks.chart import Dot, strips
from benchmarks.fidelity.causes import Cause, cause_of, read_causes
from benchmarks.fidelity.programs import PROGRAMS
from benchmarks.fidelity.rows import ALIKE, ALL_ROWS, NOT_DECIDED, OFF, SAME, Row
from benchmarks.page import Page, Study, table
from groma.text.charts.axes import levels
from groma.text.numbers import DASH

_UNKNOWN = Cause("", (), (), "*", "the cause is not known yet", "", "not known yet", "unknown")
_LIBRARIES = ("Open MPI", "MPICH", "Intel MPI")
_BELONGS = {
    "program": "by what programs do differently",
    "state": "by the state of memory and library",
    "unknown": "for an unknown reason",
}


def measured_again(before: Sequence[Row], made: Sequence[Row]) -> list[Row]:
    """Return the lines of before, with those of the sections that were measured again in their place."""
    sections = dict.fromkeys(line.section for line in (*before, *made))
    again = {line.section for line in made}
    return [line for section in sections for line in (made if section in again else before) if line.section == section]


def said_of(lines: Sequence[Row]) -> list[str]:
    """Return what the terminal shows of a program: the rows that are not the same, with the causes that are known."""
    shown = [line for line in lines if line.verdict != SAME or line.calls == "differ"]
    headings = ["test", "rounds", "real", "emulated", "ratio", "95%", "verdict", "calls"]
    counts = Counter(line.verdict for line in _tests(lines))
    said = [f"{lines[0].program} on {lines[0].library}, {lines[0].ranks} ranks: {_counted(counts)}"]
    return [*said, table(headings, [_cells(line) for line in shown]), *explanations(lines, read_causes())]


def _cells(line: Row) -> list[str]:
    times = ["" if time is None else f"{time:.2f}" for time in (line.real, line.emulated)]
    calls = line.differences or line.calls
    return [line.title, str(line.rounds), *times, f"{line.ratio:.3f}", _interval(line), line.verdict, calls]


def _interval(line: Row) -> str:
    return "too few rounds" if line.low is None or line.high is None else f"{line.low:.2f} to {line.high:.2f}"


def explanations(lines: Iterable[Row], causes: Sequence[Cause]) -> list[str]:
    """Return a sentence for the rows that are off, those of one cause together."""
    return [
        f"* {', '.join(line.title for line in own)}: {cause.sentence}"
        + (f" Measured by: `{cause.measured_by}`." if cause.measured_by else "")
        for cause, own in _by_cause(lines, causes)
    ]


def _by_cause(lines: Iterable[Row], causes: Sequence[Cause]) -> list[tuple[Cause, list[Row]]]:
    """Return the rows that are off by their cause.

    Those that are not decided are among them if their ratio is 5 % or more from 1 and the cause is known.
    """
    found: dict[str, tuple[Cause, list[Row]]] = {}
    for line in _tests(lines):
        cause = cause_of(line, causes)
        if line.verdict == OFF or (cause and not ALIKE[0] <= line.ratio <= ALIKE[1]):
            cause = cause or _UNKNOWN
            found.setdefault(cause.sentence, (cause, []))[1].append(line)
    return list(found.values())


def _tests(lines: Iterable[Row]) -> list[Row]:
    return [line for line in lines if line.test != ALL_ROWS]


def _counted(counts: Counter[str]) -> str:
    return f"{counts[SAME]} rows are the same, {counts[OFF]} off, {counts[NOT_DECIDED]} not decided"


def _belongs(off: Counter[str]) -> str:
    """Say to what the rows that are off belong, each kind with how many."""
    kinds = "; ".join(f"{words} ({off[name]})" for name, words in _BELONGS.items() if off[name])
    return f"Rows are off {kinds}." if kinds else "No row is off."


def page(lines: Sequence[Row]) -> Page:
    """Return docs/fidelity.md."""
    tests, causes = _tests(lines), read_causes()
    counts = Counter(line.verdict for line in tests)
    off: Counter[str] = Counter((cause_of(line, causes) or _UNKNOWN).belongs for line in tests if line.verdict == OFF)
    called = [line for line in tests if line.calls]
    lacking = [program.name for program in PROGRAMS if program.name not in {line.program for line in lines}]
    families = [name for name in _LIBRARIES if not any(line.library.startswith(name) for line in lines)]
    lacking += [f"any program on {name}" for name in families]
    return Page(
        chart=_chart(tests),
        headings=["program", "library", "rounds", SAME, OFF, NOT_DECIDED, "all rows", "same calls"],
        rows=[_section(list(own)) for _, own in groupby(lines, lambda line: line.section)],
        words={
            "count": len(tests),
            "counted": _counted(counts),
            "same_calls": sum(line.calls == SAME for line in called),
            "called": len(called),
            "belongs": _belongs(off),
            "causes": table(["off by", "rows", "cause"], _cause_rows(tests, causes)),
            "low": ALIKE[0],
            "high": ALIKE[1],
            "ranks": ", ".join(map(str, sorted({line.ranks for line in lines}))),
            "lacking": ", ".join(lacking) or "none",
            "machines": _machines(lines),
        },
    )


def _machines(lines: Sequence[Row]) -> str:
    """Return the machine of most rows, and which programs ran on others, without what vendors add to a name."""
    sections: dict[str, list[str]] = {}
    for line in lines:
        machine = " ".join(re.sub(r"\((R|TM)\)|\bProcessor\b", "", line.machine).split())
        sections.setdefault(machine, []).append(f"{line.program} on {line.library}")
    most, *others = sorted(sections, key=lambda machine: -len(sections[machine]))
    apart = (f"{', '.join(dict.fromkeys(sections[machine]))} on {machine}" for machine in others)
    return "; ".join((most, *apart))


def _section(lines: Sequence[Row]) -> list[str]:
    """Return the row of a program on a library."""
    tests, whole = _tests(lines), lines[-1]
    counts = Counter(line.verdict for line in tests)
    called = [line for line in tests if line.calls]
    same = f"{sum(line.calls == SAME for line in called)} of {len(called)}" if called else DASH
    numbers = [str(counts[verdict]) for verdict in (SAME, OFF, NOT_DECIDED)]
    return [whole.program, whole.library, str(whole.rounds), *numbers, f"{whole.ratio:.3f} ({_interval(whole)})", same]


def _cause_rows(lines: Sequence[Row], causes: Sequence[Cause]) -> list[list[str]]:
    """Return a row for each short cause: the range of the ratios of rows that are off, and whose they are."""
    found: dict[tuple[str, str], list[Row]] = {}
    for line in lines:
        if line.verdict == OFF:
            cause = cause_of(line, causes) or _UNKNOWN
            found.setdefault((cause.short, cause.belongs), []).append(line)
    rows = []
    for (short, _), own in sorted(found.items(), key=lambda one: (one[0][1], -len(one[1]))):
        ratios = [f"{ratio:.2f}" for ratio in (min(line.ratio for line in own), max(line.ratio for line in own))]
        programs = Counter(line.program for line in own)
        names = ", ".join(f"{program} {count}" for program, count in programs.items())
        rows.append([" to ".join(dict.fromkeys(ratios)), names, short])
    return rows


def _chart(lines: Sequence[Row]) -> str:
    dots = [
        Dot(f"{line.program}, {line.library}", line.verdict, line.ratio, f"{line.title}: {line.ratio:.3f}")
        for verdict in (SAME, OFF, NOT_DECIDED)
        for line in lines
        if line.verdict == verdict
    ]
    x = levels("time of the profile over that of the program", [line.ratio for line in lines])
    return strips(dots, x, "Ratio of times of every row, by program; the band is within 5%", ALIKE)


STUDY = Study("fidelity", {"fidelity": Row}, page)
