"""Plain text: columns for a terminal."""

from __future__ import annotations

from groma.decide.comparing import Compared
from groma.decide.formats.cells import differences_table, figures_table
from groma.decide.gating import Gate
from groma.text.lines import texts
from groma.text.tables import table_lines


def written(compared: Compared, gate: Gate | None = None) -> str:
    """Return the verdict first, then the points, what was not compared, what differs, and what to know of it."""
    lines = [gate.sentence, ""] if gate else []
    lines += [compared.summary(), "", *texts(table_lines(figures_table(compared)))]
    for title, content in (
        ("Not compared", [f"  {entry.words()}" for entry in compared.left_out]),
        ("What differs", texts(table_lines(differences_table(compared)), indent=2) if compared.differences else []),
        ("Notes", [f"  {sentence}" for sentence in compared.sentences]),
    ):
        lines += ["", title, *content] if content else []
    return "\n".join(lines)
