"""The HTML report: one file that needs no network and no JavaScript, of one run or of several side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from groma.analysis.otherruns import OtherRuns
from groma.programs.answers import panel_of_several, panels_of
from groma.programs.study import Panel
from groma.report.chartgroups import compared_charts
from groma.report.content import content
from groma.report.environment import environment
from groma.report.programs import NOTE, are_programs, compared_programs, doubts_of, program_table
from groma.report.templating import rendered, save
from groma.results import Run
from groma.text.charts import numbered
from groma.text.checks import Check


def write_report(
    run: Run,
    path: str | Path,
    against: Sequence[str] = (),
    place: Path | None = None,
    others: OtherRuns | None = None,
    *,
    beside: Sequence[Check] = (),
) -> Path:
    """Write the report of a run to `path` and return the path; raises `OutputError` if it cannot be written.

    `against` names reference systems that the study of the run's profile shows beside it. `place` is where the commands
    on the page find the run, and `others` are the runs beside it, if not where it is. `beside` its answer stands what
    else is said of the run as a whole.
    """
    return save(render(run, against, place, others, beside=beside), Path(path))


def write_side_by_side(runs: list[Run], path: Path) -> Path:
    """Write several runs side by side as one page.

    Raises InputError if they are of one program that cannot compare them, OutputError if the page cannot be written.
    """
    panel = programs_panel(runs) if are_programs(runs) else _named(panel_of_several(runs))
    return save(rendered("side_by_side.html", panel=panel, runs=runs), path)


def render(
    run: Run,
    against: Sequence[str] = (),
    place: Path | None = None,
    others: OtherRuns | None = None,
    *,
    beside: Sequence[Check] = (),
) -> str:
    """Return the report of a run as HTML; see `write_report`."""
    panels = [_named(panel) for panel in panels_of(run)]
    parts = content(run, against, others) | environment(run, place)
    return rendered("page.html", **parts, panels=panels, beside=beside)


def _named(panel: Panel) -> Panel:
    """Return a panel whose charts have their places on the page."""
    return replace(panel, charts=numbered(panel.title.lower().replace(" ", "-"), panel.charts))


def programs_panel(runs: Sequence[Run]) -> Panel:
    """Return several runs of programs side by side; raises InputError as `compared_programs`."""
    compared = compared_programs(runs)
    return Panel(
        title="Programs",
        heading=", ".join(dict.fromkeys(name for both in compared for name in both.curves)),
        brief="",
        note=NOTE,
        sentences=doubts_of(runs, compared),
        tables=[program_table(both) for both in compared],
        charts=compared_charts(compared),
        histograms=[],
    )
