"""What programs show beside Groma's own tables, on the page of a run and on one of several runs side by side."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from groma.errors import writing
from groma.programs.answers import panel_of_several, panels_of
from groma.report import axes
from groma.report.charts import COLOURS
from groma.report.drawing import Drawing, symbols
from groma.report.study import drawn_charts
from groma.report.templating import templates
from groma.text.secret import write_for_owner

if TYPE_CHECKING:
    from markupsafe import Markup

    from groma.programs.study import Histogram, Panel
    from groma.report.charts import Chart
    from groma.results import Run

_ROW_HEIGHT = 64


@dataclass(frozen=True)
class DrawnPanel:
    """A panel with its charts, and the rows of its histograms with their names, as drawings."""

    panel: Panel
    charts: list[Chart]
    histograms: list[tuple[Histogram, list[tuple[str, Markup]]]]


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
    name = panel.title.lower().replace(" ", "-")
    return DrawnPanel(
        panel, drawn_charts(name, panel.charts), [(histogram, _rows(histogram)) for histogram in panel.histograms]
    )


def _rows(histogram: Histogram) -> list[tuple[str, Markup]]:
    """Draw every row of a histogram on the same axes."""
    across = axes.levels(histogram.x, histogram.edges)
    most = max(share for _, _, curves in histogram.rows for shares in curves.values() for share in shares)
    drawn = []
    for name, words, curves in histogram.rows:
        upright = axes.even(histogram.y, 0, most, lambda part: f"{part:.0%}", count=3)
        drawing = Drawing(across, upright, _ROW_HEIGHT)
        for number, shares in curves.items():
            bars = [(*ends, 0.0, share) for ends, share in zip(pairwise(histogram.edges), shares, strict=True) if share]
            drawing.rectangles(bars, f"s{number % COLOURS + 1}")
        drawn.append((name, drawing.svg(words)))
    return drawn
