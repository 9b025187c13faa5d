"""A program's part of a report: a study, or a panel beside Groma's own tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from groma.text.tables import Table

if TYPE_CHECKING:
    from groma.text.charts import Chart, HeatMap, Histogram, Rows  # which a terminal needs not


@dataclass(frozen=True)
class Panel:
    """Tables and charts of a program beside Groma's own, of one run or of several side by side.

    `title` heads it beside a run, `heading` the page of several runs, which has the `sentences` too; `brief` says in
    the terminal what the tables are of, `note` says it on the page.
    """

    title: str
    heading: str
    brief: str
    note: str
    sentences: list[str]
    tables: list[Table]
    charts: list[Chart]
    histograms: list[Histogram]


@dataclass(frozen=True)
class Study:
    """The contents of a study: conclusions first, then conditions, tables, charts, heat maps and rows.

    `rows` have a title and a note each.
    """

    title: str
    sentences: list[str]
    conditions: list[tuple[str, str]]
    tables: list[Table]
    charts: list[Chart]
    maps: list[HeatMap] = field(default_factory=list)
    rows: list[tuple[str, str, Rows]] = field(default_factory=list)


_Part = TypeVar("_Part", "Table", "Chart")


def side_by_side(studies: Mapping[str, Study]) -> Study:
    """Return the studies of a run's variants as one: every part names its variant, equal titles follow each other.

    Tables that all variants have alike are of the run: they are shown once, last.
    """
    first = next(iter(studies.values()))
    several = len(studies) > 1
    of_run = [table for table in first.tables if several and all(table in study.tables for study in studies.values())]
    own = {name: [table for table in study.tables if table not in of_run] for name, study in studies.items()}
    return Study(
        title=first.title,
        sentences=[f"{name}: {sentence}" for name, study in studies.items() for sentence in study.sentences],
        conditions=conditions_apart({name: study.conditions for name, study in studies.items()}),
        tables=[*_beside(own), *of_run],
        charts=_beside({name: study.charts for name, study in studies.items()}),
    )


def conditions_apart(parts: Mapping[str, Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return the conditions that all parts of a run share once, then the others with the names of their parts."""
    first, *others = parts.values()
    shared = [condition for condition in first if all(condition in conditions for conditions in others)]
    return shared + [
        (f"{name}: {label}", text)
        for name, conditions in parts.items()
        for label, text in conditions
        if (label, text) not in shared
    ]


def _beside(parts: Mapping[str, Iterable[_Part]]) -> list[_Part]:
    by_title: dict[str, list[_Part]] = {}
    for name, of_variant in parts.items():
        for part in of_variant:
            by_title.setdefault(part.title, []).append(replace(part, title=f"{part.title} \u00b7 {name}"))
    return [part for group in by_title.values() for part in group]
