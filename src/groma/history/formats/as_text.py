"""Plain text: a line for every change, and sentences for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.decide.formats.as_text import table
from groma.history.told import CHANGE_HEADINGS, certainty, change_rows, heading, sentences, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.history.timelines import Group


def written(groups: Sequence[Group]) -> str:
    """Return every group with its changes, then for what they hold."""
    lines = []
    for group in groups:
        lines += [heading(group), f"  {summary(group)}"]
        if rows := change_rows(group):
            lines += ["", *(f"  {line}" for line in table(CHANGE_HEADINGS, rows)), ""]
        lines += [*(f"  {sentence}" for sentence in sentences(group)), ""]
    return "\n".join([*lines, certainty(groups)])
