"""The parts of a study and of a panel: text, tables and charts, independent of how they are shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Table:
    """A table of text; the first column names the row.

    The page folds tables with the same `fold` together, under that title. A table with `of_run` is not of one variant,
    and is shown once if there are several. In a panel, a narrow terminal omits the columns of `spare`, the first of
    them first, and shows `brief` beside the panel's title.
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
    """Points (x, y) under a name; a `reference` was published by others, and is drawn with dashes.

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
        """The chart in words, for readers who cannot see it."""
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


@dataclass(frozen=True, eq=False)
class HeatMap:
    """A value for every ordered pair: rows are `down`, columns `across`, NaN where nothing was measured.

    values   shape (n, n), in `unit`, such as times the median of all pairs; 1 and less is unremarkable
    marked   places of the names that the conclusions name
    """

    title: str
    unit: str
    down: str
    across: str
    names: tuple[str, ...]
    values: NDArray[np.float64]
    marked: tuple[int, ...] = ()


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
    """The contents of a study: conclusions first, then conditions, tables, charts and heat maps."""

    title: str
    sentences: list[str]
    conditions: list[tuple[str, str]]
    tables: list[Table]
    charts: list[Chart]
    maps: list[HeatMap] = field(default_factory=list)


_Part = TypeVar("_Part", Table, Chart)


def side_by_side(studies: Mapping[str, Study]) -> Study:
    """Return the studies of a run's variants as one: every part names its variant, equal titles follow each other."""
    first = next(iter(studies.values()))
    return Study(
        title=first.title,
        sentences=[f"{name}: {sentence}" for name, study in studies.items() for sentence in study.sentences],
        conditions=_conditions(studies),
        tables=[
            *_beside({name: [table for table in study.tables if not table.of_run] for name, study in studies.items()}),
            *(table for table in first.tables if table.of_run),
        ],
        charts=_beside({name: study.charts for name, study in studies.items()}),
    )


def _conditions(studies: Mapping[str, Study]) -> list[tuple[str, str]]:
    """Return the conditions that all studies share once, then the others with the names of their studies."""
    all_conditions = [study.conditions for study in studies.values()]
    shared = [
        condition for condition in all_conditions[0] if all(condition in conditions for conditions in all_conditions)
    ]
    particular = [
        (f"{name}: {label}", text)
        for name, study in studies.items()
        for label, text in study.conditions
        if (label, text) not in shared
    ]
    return shared + particular


def _beside(parts: Mapping[str, Iterable[_Part]]) -> list[_Part]:
    by_title: dict[str, list[_Part]] = {}
    for name, of_variant in parts.items():
        for part in of_variant:
            by_title.setdefault(part.title, []).append(replace(part, title=f"{part.title} \u00b7 {name}"))
    return [part for group in by_title.values() for part in group]
