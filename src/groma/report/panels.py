"""What programs show beside Groma's own tables, on the page of a run and on one of several runs side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from groma.charts import numbered, symbols
from groma.errors import writing
from groma.programs.answers import panel_of_several, panels_of
from groma.report.templating import templates
from groma.text.secret import write_for_owner

if TYPE_CHECKING:
    from groma.charts import Chart
    from groma.programs.study import Panel
    from groma.results import Run


@dataclass(frozen=True)
class DrawnPanel:
    """A panel, and its charts with their names on the page."""

    panel: Panel
    charts: list[Chart]


def drawn_panels(run: Run) -> list[DrawnPanel]:
    """Return what programs show of a run, for templates/panel.html."""
    return [_drawn(panel) for panel in panels_of(run)]


def write_side_by_side(runs: list[Run], path: Path) -> Path:
    """Write several runs side by side as one page.

    Raises InputError where no program can compare them, OutputError where the page cannot be written.
    """
    drawn = _drawn(panel_of_several(runs))
    page = templates().get_template("side_by_side.html").render(drawn=drawn, runs=runs, symbols=symbols())
    with writing(path):
        write_for_owner(path, page)
    return path


def _drawn(panel: Panel) -> DrawnPanel:
    return DrawnPanel(panel, numbered(panel.title.lower().replace(" ", "-"), panel.charts))
