"""The parts of a study: text, tables and charts, with no word about how they are shown."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """A table of text; the first column names the row.

    The page folds tables that say the same `fold` away together, under that title.
    """

    title: str
    headings: list[str]
    rows: list[list[str]]
    notes: list[str] = field(default_factory=list)
    fold: str = ""


@dataclass(frozen=True)
class Curve:
    """Points (x, y) under a name; a reference is somebody else's, and drawn with dashes."""

    name: str
    points: list[tuple[float, float]]
    reference: bool = False


@dataclass(frozen=True)
class Chart:
    """Curves over one axis; both axes are logarithmic unless said otherwise."""

    title: str
    x: str
    y: str
    curves: list[Curve]
    log_y: bool = True

    @property
    def description(self) -> str:
        """The chart in words, for those who do not see it."""
        ends = (
            f"{curve.name} from {curve.points[0][1]:g} at {curve.points[0][0]:g} to {curve.points[-1][1]:g} at "
            f"{curve.points[-1][0]:g}"
            for curve in self.curves
            if curve.points
        )
        return f"{self.title}, {self.y} over {self.x}: {'; '.join(ends)}."


@dataclass(frozen=True)
class Study:
    """Everything that a profile's study says: conclusions first, then conditions, tables and charts."""

    title: str
    sentences: list[str]
    conditions: list[tuple[str, str]]
    tables: list[Table]
    charts: list[Chart]
