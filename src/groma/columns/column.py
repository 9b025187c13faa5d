"""A column: its name, unit and meaning, and the source of its values, per launch and over launches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

from numpy.typing import NDArray

Values = NDArray[Any]

Kind = Literal["text", "texts", "whole", "real", "truth"]
# How the rows of a point's launches become one value (groma.analysis.pointtable): that of its first launch; their sum;
# the median of those that are known, or of all of them; the smallest; the largest; whether all are true.
Over = Literal["first", "total", "median", "median of all", "least", "most", "all"]

Cell = Literal["time", "number", "count", "share", "error", "multiple"]


class Of(Protocol):
    """The columns of a table."""

    def __getitem__(self, name: str, /) -> Values:
        """Return a column of numbers."""


@dataclass(frozen=True)
class Member:
    """A member of the record, such as `clock_error.bound_ns` or `members.0`; missing if a part of the path is.

    Without a path, the member that has the column's name.
    """

    path: str = ""


@dataclass(frozen=True)
class OfLaunch:
    """A member of a `groma.results.Launch`: the same for all its points."""

    path: str


@dataclass(frozen=True)
class Made:
    """Value of the function `by`, 'module:name', under the column's name; it may make several columns at once.

    Per launch it takes a `launchtable.Part`, over launches a `pointtable.PointTable`. It is named, not imported: the
    table of columns lies below the rooms that work figures out.
    """

    by: str


@dataclass(frozen=True)
class Formula:
    """A formula over other columns of the same table; arrays hold NaN if a value is missing."""

    of: Callable[[Of], Values]


@dataclass(frozen=True)
class Printed:
    """How `groma show` and the page print a column, and how they define it.

    `term` names it, and `heading` stands above it. `cell` says how a value is written, after division by `per`: as a
    time in µs, a number, a count, a share in percent, an error of as many percent, or a multiple. `only` says which
    curves have the column: those with a value that is not zero, with any value, or all. `needs` is a setting that the
    curve's operation must have. With `of_range=False`, a figure that is printed as a range has no value. `where` is the
    terminal and the page, or the page alone. `definition` takes the place of the column's meaning in `groma show
    --define`; an empty one says that the term is defined with another.
    """

    term: str
    heading: str
    unit: str
    cell: Cell = "number"
    per: float = 1.0
    only: Literal["not zero", "known", "always"] = "not zero"
    needs: str = ""
    of_range: bool = True
    where: Literal["terminal", "page"] = "terminal"
    definition: str | None = None


_UNITS = {"_mb_s": "MB/s", "_per_s": "1/s", "_ns": "ns", "_s": "s"}  # by the end of a column's name


@dataclass(frozen=True)
class Column:
    """One column; without a unit, that by which its name ends, if any.

    `launch` says where a launch's value comes from, None if a launch has none. `point` says how the values of launches
    become that of a point, or where it comes from; None if a point has none. `inner` columns are in no table that is
    given away. `alone` columns are dear to make: a launch keeps them apart from the others.
    """

    name: str
    meaning: str
    launch: Member | OfLaunch | Made | Formula | None = None
    point: Over | Made | Formula | None = None
    unit: str = ""
    kind: Kind = "real"
    inner: bool = False
    alone: bool = False
    printed: Printed | None = None

    def __post_init__(self) -> None:
        """Find the unit."""
        ends = (unit for end, unit in _UNITS.items() if self.name.endswith(end))
        object.__setattr__(self, "unit", self.unit or next(ends, ""))

    @property
    def kind_over_launches(self) -> Kind:
        """The kind of a point's value: a median of whole numbers may be none."""
        return "real" if self.kind == "whole" and self.point in ("median", "median of all") else self.kind

    @property
    def is_recorded(self) -> bool:
        """True if a launch's values come from its records."""
        return isinstance(self.launch, Member | Made)


real = Column
whole = partial(Column, kind="whole")
truth = partial(Column, kind="truth")
text = partial(Column, kind="text")
