"""The HTML report: one file that needs no network and no JavaScript."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from groma.charts import symbols
from groma.errors import writing
from groma.report.content import content
from groma.report.environment import environment
from groma.report.panels import drawn_panels
from groma.report.templating import templates
from groma.text.secret import write_for_owner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.results import Run


def write_report(run: Run, path: str | Path, against: Sequence[str] = (), place: Path | None = None) -> Path:
    """Write the report of a run to `path` and return the path; raises `OutputError` where it cannot be written.

    `against` names reference systems that the study of the run's profile shows beside it. `place` is where the commands
    on the page find the run, if not where it is.
    """
    target = Path(path)
    with writing(target):
        write_for_owner(target, render(run, against, place))
    return target


def render(run: Run, against: Sequence[str] = (), place: Path | None = None) -> str:
    """Return the report of a run as HTML; see `write_report`."""
    variables = content(run, against) | environment(run, place)
    return templates().get_template("page.html").render(variables, panels=drawn_panels(run), symbols=symbols())
