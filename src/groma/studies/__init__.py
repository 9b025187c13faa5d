"""What a run answers beyond its figures: tables, charts and conclusions, one module each.

A profile with a study, or an operation that is one, has a module here that offers `study(run, summaries)`. The report
page shows it first, `groma show` prints it. What it says of all variants of a run together it offers as
`across(run, summaries, study)`. One whose document has published figures that can stand beside a run takes the
systems' names as `against` too; a module in `_REFERENCES` knows them, and offers `reference_systems()`.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from groma.errors import InputError
from groma.references import conditions_of, system_named
from groma.studies.study import Study, side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groma.analysis import PointSummary
    from groma.results import Run
    from groma.studies.study import Table

# The module of each profile that has a study. The comparison on an Altix prints one program's figure: SKaMPI's.
STUDIES = {name: name for name in ("alcf", "bcast_test", "commtest", "loggp", "nas")} | {"skampi": "altix_comparison"}
_REFERENCES = {
    "alcf": "alcf_reference",
    "bcast_test": "bcast_reference",
    "commtest": "commtest_reference",
    "nas": "nas_reference",
    "skampi": "altix_comparison",
}
_ONLY_BESIDE = ("skampi",)  # a study of nothing but its published figures
_OF_OPERATION = {"request_trains": "loggp", "bcast_segmented": "bcast_test"}


def study_of(run: Run, summaries: list[PointSummary], against: Sequence[str] = ()) -> Study | None:
    """Return the study of the run's profile or, without a profile, of its only operation; None where there is none.

    `against` names reference systems to show beside the run; raises InputError for one that is not known. The study
    says so where the run measured nothing that was published of a system.
    """
    profile = run.meta.profile
    operations = {point.operation for point in summaries}
    beside = check_references(profile, against, operations) if against else ()
    name = _name(profile, operations)
    if name not in STUDIES or not summaries or (name in _ONLY_BESIDE and not beside):
        return None
    module = importlib.import_module(f"groma.studies.{STUDIES[name]}")
    variants = run.by_variant()
    if variants:
        own = {one: [point for point in summaries if point.variant == one] for one in variants}
        found = {one: study_of(part, own[one], beside) for one, part in variants.items()}
        shown = {one: study for one, study in found.items() if study is not None}
        if not shown:
            return None
        apart = side_by_side(shown)
        return module.across(run, summaries, apart) if hasattr(module, "across") else apart
    study: Study | None = module.study(run, summaries, **({"against": beside} if beside else {}))
    if study is None:
        return Study("Beside published figures", _unmatched([], beside), [], [], []) if beside else None
    conditions = [(system, text) for system in beside for text in conditions_of(system)]
    return replace(
        study,
        sentences=[*study.sentences, *_unmatched(study.tables, beside)],
        conditions=[*study.conditions, *conditions],
    )


def _unmatched(tables: Sequence[Table], systems: Sequence[str]) -> list[str]:
    """Return a sentence for each system that no table names."""
    texts = [text for table in tables for text in (table.title, *table.headings, *chain(*table.rows))]
    return [
        f"Nothing that this run measured was published of {system}."
        for system in systems
        if not any(system in text for text in texts)
    ]


def check_references(profile: str | None, names: Iterable[str], operations: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the whole names of these reference systems, each once.

    Raises InputError unless all of them can be shown beside a run of the profile or, without one, of the operations.
    """
    study = _name(profile, operations)
    if study not in _REFERENCES:
        what = f"the profile {profile}" if profile else "a run without a profile"
        *most, last = _REFERENCES
        raise InputError(
            f"{what} has no published figures that can stand beside it; leave out --against, which is for "
            f"{', '.join(most)} and {last}"
        )
    known = importlib.import_module(f"groma.studies.{_REFERENCES[study]}").reference_systems()
    return tuple(dict.fromkeys(system_named(name, known, study) for name in names))


def _name(profile: str | None, operations: Iterable[str]) -> str:
    """Return the profile's name or, without a profile, that of the study of its only operation."""
    different = set(operations)
    of_operation = _OF_OPERATION.get(different.pop(), "") if len(different) == 1 else ""
    return (profile or of_operation).replace("-", "_")
