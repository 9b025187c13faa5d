"""The parts of a study and of a panel: text, tables and charts, with no word about how they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar


@dataclass(frozen=True)
class Table:
    """A table of text; the first column names the row.

    The page folds tables that say the same `fold` away together, under that title. One that is `of_run` is not of one
    variant, and stands once where there are several. In a panel, a narrow terminal leaves the columns of `spare`
    out, the first of them first, and has `brief` beside the panel's title.
    """

    title: str
    headings: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)
    fold: str = ""
    of_run: bool = False
    spare: tuple[str, ...] = ()
    brief: str = ""


@dataclass(frozen=True)
class Curve:
    """Points (x, y) under a name; a reference is somebody else's, and drawn with dashes.

    `intervals` are the ends of the 95% intervals of y, one pair a point, None where an end is not known; or empty.
    """

    name: str
    points: list[tuple[float, float]]
    reference: bool = False
    intervals: list[tuple[float | None, float | None]] = field(default_factory=list)


@dataclass(frozen=True)
class Chart:
    """Curves over one axis; both axes are logarithmic unless said otherwise. `words` may describe it."""

    title: str
    x: str
    y: str
    curves: list[Curve]
    log_y: bool = True
    words: str = ""

    @property
    def description(self) -> str:
        """The chart in words, for those who do not see it."""
        if self.words:
            return self.words
        ends = (
            f"{curve.name} from {curve.points[0][1]:g} at {curve.points[0][0]:g} to {curve.points[-1][1]:g} at "
            f"{curve.points[-1][0]:g}"
            for curve in self.curves
            if curve.points
        )
        return f"{self.title}, {self.y} over {self.x}: {'; '.join(ends)}."


@dataclass(frozen=True)
class Histogram:
    """Shares of values in bins that all rows have in common, on a logarithmic axis; `x` is its unit.

    A row has a name, a description, and the share of each bin by the number of the curve whose colour it has.
    """

    title: str
    x: str
    y: str
    by: str
    edges: list[float]
    rows: list[tuple[str, str, dict[int, list[float]]]]


@dataclass(frozen=True)
class Panel:
    """What a program shows beside Groma's own tables, of one run or of several side by side.

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
    """Everything that a profile's study says: conclusions first, then conditions, tables and charts."""

    title: str
    sentences: list[str]
    conditions: list[tuple[str, str]]
    tables: list[Table]
    charts: list[Chart]


_Part = TypeVar("_Part", Table, Chart)


def side_by_side(studies: Mapping[str, Study]) -> Study:
    """Return the studies of a run's variants as one: every part says whose it is, equal titles follow each other."""
    first = next(iter(studies.values()))
    return Study(
        title=first.title,
        sentences=[f"{name}: {sentence}" for name, study in studies.items() for sentence in study.sentences],
        conditions=_conditions(studies),
        tables=[
            *_beside({name: [one for one in study.tables if not one.of_run] for name, study in studies.items()}),
            *(table for table in first.tables if table.of_run),
        ],
        charts=_beside({name: study.charts for name, study in studies.items()}),
    )


def _conditions(studies: Mapping[str, Study]) -> list[tuple[str, str]]:
    """Return what holds of every study once, then what holds of some."""
    every = [study.conditions for study in studies.values()]
    shared = [one for one in every[0] if all(one in others for others in every)]
    own = [
        (f"{name}: {what}", text)
        for name, study in studies.items()
        for what, text in study.conditions
        if (what, text) not in shared
    ]
    return shared + own


def _beside(parts: Mapping[str, Iterable[_Part]]) -> list[_Part]:
    found: dict[str, list[_Part]] = {}
    for name, own in parts.items():
        for part in own:
            found.setdefault(part.title, []).append(replace(part, title=f"{part.title} \u00b7 {name}"))
    return [part for group in found.values() for part in group]
