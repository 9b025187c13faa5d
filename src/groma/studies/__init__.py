"""What a run answers beyond its figures: tables, charts and conclusions, one module each.

A profile with a study, or an operation that is one, has a module here that offers `study(run, summaries)`. The report
page shows it first, `groma show` prints it. What it says of all variants of a run together it offers as
`across(run, summaries, study)`. One whose document has published figures that can stand beside a run takes
their names as `against` too, and offers `check_references(names)`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from groma.errors import InputError
from groma.studies.study import side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groma.analysis import PointSummary
    from groma.results import Run
    from groma.studies.study import Study

STUDIES = ("alcf", "commtest", "loggp", "nas")
_WITH_REFERENCES = ("commtest", "nas")
_OF_OPERATION = {"request_trains": "loggp"}


def study_of(run: Run, summaries: list[PointSummary], against: Sequence[str] = ()) -> Study | None:
    """Return the study of the run's profile or, without a profile, of its only operation; None where there is none.

    `against` names reference systems to show beside the run; raises InputError for one that is not known.
    """
    operations = {point.operation for point in summaries}
    of_operation = _OF_OPERATION.get(operations.pop(), "") if len(operations) == 1 else ""
    name = (run.meta.profile or of_operation).replace("-", "_")
    if against:
        check_references(name, against)
    if name not in STUDIES or not summaries:
        return None
    module = importlib.import_module(f"groma.studies.{name}")
    variants = run.by_variant()
    if variants:
        own = {one: [point for point in summaries if point.variant == one] for one in variants}
        found = {one: study_of(part, own[one], against) for one, part in variants.items()}
        apart = side_by_side({one: study for one, study in found.items() if study is not None})
        return module.across(run, summaries, apart) if hasattr(module, "across") else apart
    beside = {"against": tuple(against)} if against else {}
    study: Study = module.study(run, summaries, **beside)
    return study


def check_references(profile: str | None, names: Sequence[str]) -> None:
    """Raise InputError unless all these reference systems can be shown beside a run of the profile."""
    study = (profile or "").replace("-", "_")
    if study not in _WITH_REFERENCES:
        what = f"the profile {profile}" if profile else "a run without a profile"
        raise InputError(
            f"{what} has no published figures that can stand beside it; leave out --against, which is for "
            f"{' and '.join(_WITH_REFERENCES)}"
        )
    importlib.import_module(f"groma.studies.{study}").check_references(tuple(names))
