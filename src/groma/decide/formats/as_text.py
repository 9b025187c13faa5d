"""Plain text: columns for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.decide.formats.cells import cells, difference_headings, difference_rows, headings
from groma.report.grid import kind_of
from groma.text.numbers import typewriter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.decide.comparing import Compared
    from groma.decide.gating import Gate


def written(compared: Compared, gate: Gate | None = None) -> str:
    """Return the verdict first, then the points, what was not compared, what differs, and what to know of it."""
    lines = [gate.sentence, ""] if gate else []
    lines += [compared.summary(), "", *table(headings(compared), [cells(row) for row in compared.rows])]
    for title, content in (
        ("Not compared", [f"  {entry.words()}" for entry in compared.left_out]),
        ("What differs", _indented(difference_headings(compared), difference_rows(compared))),
        ("Notes", [f"  {sentence}" for sentence in compared.sentences]),
    ):
        lines += ["", title, *content] if content else []
    return "\n".join(lines)


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, numbers to the right."""
    columns = [[name, *(typewriter(row[place]) for row in rows)] for place, name in enumerate(names)]
    padded = []
    for column in columns:
        width = max(map(len, column))
        right = kind_of(column[1:] or [""]) == "number"
        padded.append([cell.rjust(width) if right else cell.ljust(width) for cell in column])
    return ["  ".join(line).rstrip() for line in zip(*padded, strict=True)]


def _indented(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"  {line}" for line in table(names, rows)] if rows else []
