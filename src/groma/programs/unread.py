"""What a file of another program's output has that is no figure, in sentences with the numbers of its lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from groma.errors import InputError
from groma.programs.files import File
from groma.programs.printed import Importer, Line, Output
from groma.programs.tables import first_words
from groma.text.counts import counted, first_names

_NAMED = 3
_MEMBERS = 8
# Programs that people may take for one of these, by what they print.
_OTHERS = {
    "nccl-tests": r'# nccl-tests|#\s+size\s+count\s+type\s+redop|"nccl_version"',
    "mpiGraph": "START mpiGraph",
    "LinkTest": "(?i)linktest",
}


def unread(output: Output) -> Iterator[str]:
    """Yield a sentence for each kind of line that is no figure, and for what the figures are of."""
    for name, (number, why) in output.skipped.items():
        yield f"line {number}: {name} was skipped: {why}."
    for reason, failed in _failed(output).items():
        yield f"{counted(len(failed), 'row')} without a figure ({reason}): {first_names(failed, _NAMED)}."
    if lost := [first_words(number, text) for number, text, _ in output.lost]:
        yield f"{counted(len(lost), 'row')} could not be read: {first_names(lost, _NAMED)}."
    if empty := [f"{name} (line {number})" for number, name in output.empty]:
        yield f"no rows below the title of {first_names(empty, _NAMED)}."
    if texts := [first_words(number, text) for number, text in output.texts]:
        yield f"{counted(len(texts), 'line')} of other text between rows: {first_names(texts, _NAMED)}."
    yield from _remarks(output.lines)


def _failed(output: Output) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in output.lines:
        if line.failure:
            reason, why = line.failure
            found.setdefault(reason.replace("_", " "), []).append(f"{line.test} at {line.size} bytes ({why})")
    return found


def _remarks(lines: Sequence[Line]) -> Iterator[str]:
    """Say of what tables are if that is not what it seems: launches, layouts, groups or ranks."""
    again = max(lines, key=lambda line: line.occurrence, default=None)
    if again and again.occurrence:
        yield (
            f"the table of {again.test} is there {again.occurrence + 1} times, each taken as a launch; processes that "
            "do not find each other (singletons, each of one rank) print the same."
        )
    if any(line.settings.get("layout") == "derived" for line in lines):
        yield "messages have a derived datatype (-D), whose layout is not printed; sizes include its gaps."
    for test, ranks, groups, members in dict.fromkeys((one.test, one.ranks, one.groups, one.members) for one in lines):
        if groups > 1:
            yield f"{test} is of {groups} groups of {(ranks or 0) // groups} ranks at once."
        if members:
            yield f"{test} is of ranks {first_names(list(map(str, members)), _MEMBERS)}."


def refuse_unknown(file: File, known: Mapping[str, Importer]) -> None:
    """Raise InputError for a file of none of these programs: it says which they are, or whose file it is."""
    titles = " and ".join(", ".join(one.told.title for one in known.values()).rsplit(", ", 1))
    other = next((name for name, mark in _OTHERS.items() if file.has(re.compile(mark))), "")
    reason = f"is of {other}, which Groma cannot read" if other else "is not the output of a known program"
    raise InputError(f"{file.name} {reason}; Groma reads {titles}, as they print")


def refuse_empty(file: File, importer: Importer, sentences: Sequence[str]) -> None:
    """Raise InputError for a file without figures, with what is known of its rows."""
    known = f" ({' '.join(sentences).rstrip('.')})" if sentences else ""
    tests = ", ".join(test.name for test in importer.told.tests)
    raise InputError(f"{file.name} has no figures of {importer.told.title}{known}; import reads tables of {tests}")
