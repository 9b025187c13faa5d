"""Markdown, for an issue or a monthly report."""

from __future__ import annotations

from collections.abc import Sequence

from groma.history.timelines import Group
from groma.history.told import certainty, changes_table, heading, sentences, summary
from groma.text.tables import escaped, markdown_lines


def written(groups: Sequence[Group]) -> str:
    """Return a section for every group."""
    lines = []
    for group in groups:
        lines += [f"## {escaped(heading(group))}", "", escaped(summary(group)), ""]
        if (changes := changes_table(group)).rows:
            lines += [*markdown_lines(changes), ""]
        lines += [*(f"* {escaped(sentence)}" for sentence in sentences(group)), ""]
    return "\n".join([*lines, escaped(certainty(groups))])
