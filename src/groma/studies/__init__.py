"""What a profile's run answers beyond its figures: tables, charts and conclusions of that profile, one module each.

A profile with a study has a module here that offers `study(run, summaries, against)`. The report page shows it first,
`groma show` prints it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.analysis import PointSummary
    from groma.results import Run
    from groma.studies.study import Study

STUDIES = ("alcf", "commtest", "nas")


def study_of(run: Run, summaries: list[PointSummary], against: Sequence[str] = ()) -> Study | None:
    """Return the study of the run's profile, or None where it has none or nothing was measured.

    `against` names reference systems to show beside the run; raises InputError for one that is not known.
    """
    name = (run.meta.profile or "").replace("-", "_")
    if name not in STUDIES or not summaries:
        return None
    found: Study = importlib.import_module(f"groma.studies.{name}").study(run, summaries, tuple(against))
    return found
