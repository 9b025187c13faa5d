"""What a run answers beyond its figures: tables, charts and conclusions, one module each.

A profile with a study, or an operation that is one, has a module here that offers
`study(run, summaries, against)`. The report page shows it first, `groma show` prints it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.analysis import PointSummary
    from groma.results import Run
    from groma.studies.study import Study

STUDIES = ("alcf", "commtest", "loggp", "nas")
_OF_OPERATION = {"request_trains": "loggp"}


def study_of(run: Run, summaries: list[PointSummary], against: Sequence[str] = ()) -> Study | None:
    """Return the study of the run's profile or, without a profile, of its only operation; None where there is none.

    `against` names reference systems to show beside the run; raises InputError for one that is not known.
    """
    operations = {point.operation for point in summaries}
    of_operation = _OF_OPERATION.get(operations.pop(), "") if len(operations) == 1 else ""
    name = (run.meta.profile or of_operation).replace("-", "_")
    if name not in STUDIES or not summaries:
        return None
    found: Study = importlib.import_module(f"groma.studies.{name}").study(run, summaries, tuple(against))
    return found
