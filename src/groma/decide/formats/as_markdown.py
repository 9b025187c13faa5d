"""Markdown, for an issue or a merge request."""

from __future__ import annotations

from groma.decide.comparing import Compared
from groma.decide.formats.cells import differences_table, figures_table
from groma.decide.gating import Gate
from groma.text.tables import escaped, markdown_lines


def written(compared: Compared, gate: Gate | None = None) -> str:
    """Return the verdict, and a table each of the points and of what differs."""
    lines = [f"**{escaped(gate.sentence)}**", ""] if gate else []
    lines += [escaped(compared.summary()), "", *markdown_lines(figures_table(compared))]
    if compared.left_out:
        lines += ["", "Not compared:", "", *(f"* {escaped(entry.words())}" for entry in compared.left_out)]
    if compared.differences:
        lines += ["", "What differs:", "", *markdown_lines(differences_table(compared))]
    if compared.sentences:
        lines += ["", *(f"* {escaped(sentence)}" for sentence in compared.sentences)]
    return "\n".join(lines)
