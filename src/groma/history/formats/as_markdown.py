"""Markdown, for an issue or a monthly report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groma.decide.formats.as_markdown import plain, table
from groma.history.told import CHANGE_HEADINGS, certainty, change_rows, heading, sentences, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.history.timelines import Group


def written(groups: Sequence[Group]) -> str:
    """Return a section for every group."""
    lines = []
    for group in groups:
        lines += [f"## {plain(heading(group))}", "", plain(summary(group)), ""]
        if rows := change_rows(group):
            lines += [*table(CHANGE_HEADINGS, rows), ""]
        lines += [*(f"* {plain(sentence)}" for sentence in sentences(group)), ""]
    return "\n".join([*lines, plain(certainty(groups))])
