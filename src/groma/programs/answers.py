"""The programs' parts of a report: study, published figures, panels, and the run in a program's layout."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from groma.analysis import PointSummary
from groma.analysis.pointrows import operations_of
from groma.catalog.references import conditions_of, system_named
from groma.catalog.registry import Program, program_of, programs, require_style
from groma.errors import InputError, ProgramError
from groma.programs.sheet import Style
from groma.programs.study import Panel, Study, side_by_side
from groma.results import Run
from groma.text.tables import Table


def study_of(run: Run, summaries: list[PointSummary], against: Sequence[str] = ()) -> Study | None:
    """Return the study of the run's profile or, without a profile, of its only operation; None if there is none.

    `against` names reference systems to show beside the run; raises InputError for one that is not known. The study
    says so if the run measured nothing that was published of a system, or if its own program is broken.
    """
    profile = run.meta.profile
    operations = {point.operation for point in summaries}
    beside = check_references(profile, against, operations) if against else ()
    program = program_of(profile, operations)
    if program is None or not program.study or not summaries:
        return None
    variants = {} if program.together else run.by_variant()
    if variants:
        points = {variant: [point for point in summaries if point.variant == variant] for variant in variants}
        studies = {variant: study_of(part, points[variant], beside) for variant, part in variants.items()}
        shown = {variant: study for variant, study in studies.items() if study is not None}
        if not shown:
            return None
        apart = side_by_side(shown)
        together: Study = program.ask(program.across, run, summaries, apart) if program.across else apart
        return together
    study = _ask(program, run, summaries, beside)
    if study is None:
        return Study("Beside published figures", _unmatched([], beside), [], [], []) if beside else None
    conditions = [(system, text) for system in beside for text in conditions_of(system)]
    return replace(
        study,
        sentences=[*study.sentences, *_unmatched(study.tables, beside)],
        conditions=[*study.conditions, *conditions],
    )


def _ask(program: Program, run: Run, summaries: list[PointSummary], beside: Sequence[str]) -> Study | None:
    """Return the program's study; if a site's own program is broken, a study that says so."""
    try:
        study: Study | None = program.ask(program.study, run, summaries, beside)
    except ProgramError as error:
        return Study(program.name, [str(error)], [], [], [])
    return study


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
    program = program_of(profile, set(operations))
    if program is None or not program.references:
        subject = f"the profile {profile}" if profile else "a run without a profile"
        *leading, last = [name for name, entry in programs().items() if entry.references]
        raise InputError(
            f"{subject} has no published figures that can stand beside it; leave out --against, which is for "
            f"{', '.join(leading)} and {last}"
        )
    published = program.ask(program.references)
    return tuple(dict.fromkeys(system_named(name, published, program.name) for name in names))


def read_style(name: str) -> Style:
    """Return the style of that name; raises as `require_style`."""
    program = require_style(name)
    style: Style = program.part(program.style)
    return style if program.is_ours else replace(style, write=functools.partial(program.guard, style.write))


def panels_of(run: Run) -> list[Panel]:
    """Return the panels that programs show of a run beside Groma's own tables."""
    panels = [_panel(program, [run]) for program in programs().values() if program.panel]
    return [panel for panel in panels if panel is not None]


def panel_of_several(runs: Sequence[Run]) -> Panel:
    """Return several runs side by side; raises InputError if no program can compare all of them."""
    able = [program for program in programs().values() if program.panel]
    for program in able:
        if all(_panel(program, [run]) for run in runs) and (panel := _panel(program, runs)) is not None:
            return panel
    first = next((run for run in runs if not panels_of(run)), runs[-1])
    contents = " or ".join(program.compares for program in able)
    profiles = " or ".join(f"--profile {program.name}" for program in able)
    compare = f"groma compare {runs[0].path} {runs[-1].path} compares two runs"
    raise InputError(
        f"{first.path} has no {contents} to show side by side; name one run, or runs of groma run {profiles}; {compare}"
    )


def _panel(program: Program, runs: Sequence[Run]) -> Panel | None:
    """Return the program's panel of these runs; None if a run has none of its operations."""
    for run in runs:
        if operations_of(run).isdisjoint(program.operations):
            return None
    try:
        panel: Panel | None = program.ask(program.panel, list(runs))
    except ProgramError as error:
        return Panel(program.name, program.name, "", str(error), [], [], [], [])
    return panel
