"""Plain text: a line for every change, and sentences for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from groma.history.timelines import Group
from groma.history.told import certainty, changes_table, heading, sentences, summary
from groma.text.lines import texts
from groma.text.tables import table_lines


def written(groups: Sequence[Group]) -> str:
    """Return every group with its changes, then for what they hold."""
    lines = []
    for group in groups:
        lines += [heading(group), f"  {summary(group)}"]
        if (changes := changes_table(group)).rows:
            lines += ["", *texts(table_lines(changes), indent=2), ""]
        lines += [*(f"  {sentence}" for sentence in sentences(group)), ""]
    return "\n".join([*lines, certainty(groups)])
