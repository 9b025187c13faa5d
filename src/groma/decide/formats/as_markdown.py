"""Markdown, for an issue or a merge request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.decide.formats.cells import cells, difference_headings, difference_rows, headings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groma.decide.comparing import Compared
    from groma.decide.gating import Gate


def written(compared: Compared, gate: Gate | None = None) -> str:
    """Return the verdict, and a table each of the points and of what differs."""
    lines = [f"**{plain(gate.sentence)}**", ""] if gate else []
    lines += [plain(compared.summary()), "", *table(headings(compared), [cells(row) for row in compared.rows])]
    if compared.left_out:
        lines += ["", "Not compared:", "", *(f"* {plain(entry.words())}" for entry in compared.left_out)]
    if compared.differences:
        lines += ["", "What differs:", "", *table(difference_headings(compared), difference_rows(compared))]
    if compared.sentences:
        lines += ["", *(f"* {plain(sentence)}" for sentence in compared.sentences)]
    return "\n".join(lines)


def table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    for row in [names, ["---"] * len(names), *rows]:
        yield f"| {' | '.join(map(plain, row))} |"


def plain(text: str) -> str:
    """Return the text with what Markdown would take for its own escaped."""
    for mark in "\\|*_`<":
        text = text.replace(mark, f"\\{mark}")
    return text
