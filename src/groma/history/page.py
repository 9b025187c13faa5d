"""The page of a history: a small chart of every series, changes marked, and all figures in tables; without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from groma.history.charts import charts
from groma.history.timelines import Group
from groma.history.told import certainty, changes_table, heading, sentences, series_table, summary
from groma.report.templating import rendered, save


def write_page(groups: Sequence[Group], path: Path) -> Path:
    """Write the page and return its path; raises `OutputError` if it cannot be written."""
    return save(render(groups), path, "give another place with --report")


def render(groups: Sequence[Group]) -> str:
    """Return the page as HTML."""
    sections = [
        {
            "heading": heading(group),
            "summary": summary(group),
            "sentences": sentences(group),
            "changes": changes_table(group),
            "charts": charts(group),
            "series": series_table(group),
        }
        for group in groups
    ]
    return rendered("history.html", "groma.history", sections=sections, certainty=certainty(groups))
